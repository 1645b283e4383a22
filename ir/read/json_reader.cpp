// Reads modules from JSON.
#include <algorithm>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>

#include "ir/base/suggest.h"
#include "ir/graph/control.h"
#include "ir/kernel/program.h"
#include "ir/read/json.h"
#include "ir/read/kernel_parser.h"
#include "ir/read/parser.h"
#include "ir/text/text.h"
#include "ir/verify/verifier.h"

namespace frit::ir {
namespace {

using Json = nlohmann::json;

SourceLoc place_of(std::string_view text, size_t at, const char* file) {
  SourceLoc loc{file, 1, 1};
  for (char c : text.substr(0, at)) {
    ++loc.column;
    if (c == '\n') ++loc.line, loc.column = 1;
  }
  return loc;
}

// Builds nothing: finds the position where the text stops being JSON, or nests deeper than any module does.
struct Syntax : nlohmann::json_sax<Json> {
  static constexpr int kMaxDepth = 256;
  int depth = 0;
  size_t error_at = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(size_t) override { return ++depth <= kMaxDepth; }
  bool start_array(size_t) override { return ++depth <= kMaxDepth; }
  bool end_object() override { return --depth >= 0; }
  bool end_array() override { return --depth >= 0; }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    error_at = position ? position - 1 : 0;
    return false;
  }
};

// Finds the start of the value at `path`, in text known to be JSON.
class Locator {
 public:
  explicit Locator(std::string_view text) : text_(text) {}

  size_t find(const std::vector<std::string>& path) {
    for (const std::string& step : path) {
      blank();
      bool object = text_[at_++] == '{';
      for (size_t i = 0;; ++i) {
        blank();
        if (text_[at_] == '}' || text_[at_] == ']') return at_;
        std::string key = std::to_string(i);
        if (object) {
          size_t start = at_;
          skip();
          key = text_.substr(start + 1, at_ - start - 2);
          blank();
          ++at_;  // the colon
          blank();
        }
        if (key == step) break;
        skip();
        blank();
        if (text_[at_] == ',') ++at_;
      }
    }
    blank();
    return at_;
  }

 private:
  void blank() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size() - 1); }

  // Skips one value, or a key.
  void skip() {
    int depth = 0;
    do {
      blank();
      char c = text_[at_];
      if (c == '"') {
        for (++at_; text_[at_] != '"'; ++at_)
          if (text_[at_] == '\\') ++at_;
        ++at_;
      } else if (c == '{' || c == '[') {
        ++depth, ++at_;
      } else if (c == '}' || c == ']') {
        --depth, ++at_;
      } else if (c == ',' || c == ':') {
        ++at_;
      } else {
        at_ = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size() - 1);
      }
    } while (depth > 0);
  }

  std::string_view text_;
  size_t at_ = 0;
};

class Reader {
 public:
  Reader(std::string_view text, const char* file) : text_(text), file_(file) {}

  Result<std::unique_ptr<Module>> module(const Json& j) {
    if (!j.is_object()) return error("expected an object");
    FRIT_ASSIGN_OR_RETURN(format, field(j, "format"));
    if (*format != "frit") return error("this is not a module of frit: \"format\" is not \"frit\"");
    FRIT_ASSIGN_OR_RETURN(version, field(j, "version"));
    if (*version != 1) return error("unknown format version: expected 1");
    auto m = std::make_unique<Module>();
    if (auto it = j.find("weights"); it != j.end()) {
      Step step(*this, "weights");
      FRIT_ASSIGN_OR_RETURN(path, string(*it));
      m->weights = std::move(path);
    }
    if (auto it = j.find("metadata"); it != j.end()) {
      Step step(*this, "metadata");
      FRIT_ASSIGN_OR_RETURN(metadata, string(*it));
      m->metadata = std::move(metadata);
    }
    FRIT_TRY(each(j, "functions", [&](const Json& item) -> Status {
      auto f = std::make_unique<Function>();
      FRIT_TRY(function(item, *f));
      if (m->find(f->name)) return error("function '@" + f->name + "' is defined twice");
      m->functions.push_back(std::move(f));
      return {};
    }));
    return m;
  }

 private:
  // Descends one step of the path during its lifetime.
  struct Step {
    Step(Reader& r, std::string name) : path(r.path_) { path.push_back(std::move(name)); }
    ~Step() { path.pop_back(); }
    std::vector<std::string>& path;
  };

  Diagnostic error(std::string message) {
    return {std::move(message), place_of(text_, Locator(text_).find(path_), file_)};
  }

  Result<const Json*> field(const Json& j, const char* name) {
    auto it = j.is_object() ? j.find(name) : j.end();
    if (!j.is_object()) return error("expected an object");
    if (it == j.end()) return error(std::string("the field \"") + name + "\" is missing");
    return &*it;
  }

  // Calls `f` for each element of the list `name`.
  template <class F>
  Status each(const Json& j, const char* name, F&& f) {
    FRIT_ASSIGN_OR_RETURN(list, field(j, name));
    Step step(*this, name);
    return each(*list, f);
  }

  template <class F>
  Status each(const Json& list, F&& f) {
    if (!list.is_array()) return error("expected a list");
    for (size_t i = 0; i < list.size(); ++i) {
      Step step(*this, std::to_string(i));
      FRIT_TRY(f(list[i]));
    }
    return {};
  }

  Result<std::string> string(const Json& j) {
    if (!j.is_string()) return error("expected a string");
    return j.get<std::string>();
  }

  template <class T>
  Result<T> integer(const Json& j) {
    if (j.is_number_unsigned() && j.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<T>::max()))
      return static_cast<T>(j.get<uint64_t>());
    return error("expected an integer from 0 to " + std::to_string(std::numeric_limits<T>::max()));
  }

  // Parses a piece that JSON holds as text; the whole text must be used.
  template <class Parse>
  auto from_text(const std::string& text, Parse&& parse) -> decltype(parse(std::declval<Lexer&>())) {
    Lexer lexer(text, file_);
    auto result = parse(lexer);
    if (result.ok() && lexer.peek().kind != TokenKind::End) return error("'" + text + "' has extra text at its end");
    if (!result.ok()) {
      Diagnostic located = error(result.error().message);
      located.note = result.error().note;
      return located;
    }
    return result;
  }

  Result<Dim> dim(const Json& j) {
    if (j.is_number_unsigned() && j.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX))
      return error(j.dump() + " does not fit i64");
    if (j.is_number_integer()) return Dim(j.get<int64_t>());
    if (!j.is_string()) return error("expected an integer or an expression in a string");
    return from_text(j.get<std::string>(), [](Lexer& l) { return parse_dim(l); });
  }

  Result<Dims> dims(const Json& j) {
    Dims out;
    FRIT_TRY(each(j, [&](const Json& item) -> Status {
      FRIT_ASSIGN_OR_RETURN(d, dim(item));
      out.push_back(std::move(d));
      return {};
    }));
    return out;
  }

  Result<Dtype> dtype(const Json& j) {
    FRIT_ASSIGN_OR_RETURN(s, string(j));
    return from_text(s, [](Lexer& l) { return parse_dtype(l); });
  }

  Result<Type> type(const Json& j) {
    FRIT_ASSIGN_OR_RETURN(element, field(j, "dtype"));
    FRIT_ASSIGN_OR_RETURN(shape, field(j, "shape"));
    Type t;
    {
      Step step(*this, "dtype");
      FRIT_ASSIGN_OR_RETURN(d, dtype(*element));
      t.dtype = d;
    }
    Step step(*this, "shape");
    FRIT_ASSIGN_OR_RETURN(list, dims(*shape));
    t.shape = std::move(list);
    return t;
  }

  Result<uint64_t> number(const Json& j, Dtype dtype) {
    if (is_complex(dtype)) {
      if (!j.is_array() || j.size() != 2) return error("expected [re, im]");
      FRIT_ASSIGN_OR_RETURN(re, number(j[0], float32));
      FRIT_ASSIGN_OR_RETURN(im, number(j[1], float32));
      return re | im << 32;
    }
    if (!j.is_string() && !j.is_number() && !j.is_boolean()) return error("expected a number");
    std::string text = j.is_string() ? j.get<std::string>() : j.dump();
    return from_text(text, [&](Lexer& l) { return parse_number(l, dtype); });
  }

  Result<Literal> literal(const Json& j) {
    FRIT_ASSIGN_OR_RETURN(element, field(j, "dtype"));
    FRIT_ASSIGN_OR_RETURN(t, dtype(*element));
    std::vector<std::byte> bytes;
    FRIT_TRY(each(j, "data", [&](const Json& item) -> Status {
      FRIT_ASSIGN_OR_RETURN(bits, number(item, t));
      auto* first = reinterpret_cast<const std::byte*>(&bits);
      bytes.insert(bytes.end(), first, first + t.size());
      return {};
    }));
    return Literal(t, std::move(bytes));
  }

  template <class T>
  static Result<Attr> as_attr(Result<T> value) {
    if (!value.ok()) return std::move(value.error());
    return Attr(*std::move(value));
  }

  Result<Attr> attr(const Json& j, AttrKind kind) {
    switch (kind) {
      case AttrKind::Bool:
        if (!j.is_boolean()) return error("expected true or false");
        return Attr(j.get<bool>());
      case AttrKind::Int: return as_attr(dim(j));
      case AttrKind::Float: {
        FRIT_ASSIGN_OR_RETURN(bits, number(j, float64));
        return Attr(std::bit_cast<double>(bits));
      }
      case AttrKind::Dtype: return as_attr(dtype(j));
      case AttrKind::String: return as_attr(string(j));
      case AttrKind::Ints: return as_attr(dims(j));
      case AttrKind::Literal: return as_attr(literal(j));
      case AttrKind::Region: return as_attr(region(j));
    }
    return error("expected an attribute");
  }

  Status attrs(const Json& j, Op& op) {
    if (!j.is_object()) return error("expected an object");
    for (const auto& [name, value] : j.items()) {
      Step step(*this, name);
      auto spec =
          std::find_if(op.def->attrs.begin(), op.def->attrs.end(), [&](const AttrSpec& s) { return s.name == name; });
      if (spec == op.def->attrs.end()) {
        std::vector<std::string_view> known;
        for (const AttrSpec& s : op.def->attrs) known.push_back(s.name);
        return error("op '" + std::string(op.def->name) + "' has no attribute '" + name + "'" +
                     did_you_mean(name, known));
      }
      FRIT_ASSIGN_OR_RETURN(a, attr(value, spec->kind));
      op.attrs.set(name, std::move(a));
    }
    return {};
  }

  Result<std::vector<ValueId>> values(const Json& j, const char* name, const Function& f) {
    std::vector<ValueId> out;
    FRIT_TRY(each(j, name, [&](const Json& item) -> Status {
      FRIT_ASSIGN_OR_RETURN(v, integer<uint32_t>(item));
      if (v >= f.values.size()) return error("value " + std::to_string(v) + " is used before it is defined");
      out.push_back(v);
      return {};
    }));
    return out;
  }

  Status op(const Json& j, Function& f) {
    Op op;
    FRIT_ASSIGN_OR_RETURN(name_json, field(j, "op"));
    FRIT_ASSIGN_OR_RETURN(op_name, string(*name_json));
    op.def = OpTable::instance().find(op_name);
    if (!op.def) {
      std::vector<std::string_view> known;
      for (const OpDef* row : OpTable::instance().all()) known.push_back(row->name);
      return error("unknown op '" + op_name + "'" + did_you_mean(op_name, known));
    }
    FRIT_ASSIGN_OR_RETURN(operands, values(j, "operands", f));
    op.operands = std::move(operands);
    FRIT_TRY(each(j, "results", [&](const Json& item) -> Status {
      FRIT_ASSIGN_OR_RETURN(t, type(item));
      op.results.push_back(static_cast<ValueId>(f.values.size()));
      f.values.push_back(
          {std::move(t), static_cast<uint32_t>(f.ops.size()), static_cast<uint32_t>(op.results.size() - 1), {}});
      return {};
    }));
    if (auto it = j.find("attrs"); it != j.end()) {
      Step step(*this, "attrs");
      FRIT_TRY(attrs(*it, op));
    }
    fill_defaults(*op.def, op.attrs);
    if (auto it = j.find("group"); it != j.end()) {
      Step step(*this, "group");
      FRIT_ASSIGN_OR_RETURN(group, integer<int32_t>(*it));
      op.group = group;
    }
    if (auto it = j.find("loc"); it != j.end()) {
      Step step(*this, "loc");
      FRIT_ASSIGN_OR_RETURN(file, field(*it, "file"));
      FRIT_ASSIGN_OR_RETURN(line, field(*it, "line"));
      FRIT_ASSIGN_OR_RETURN(column, field(*it, "column"));
      FRIT_ASSIGN_OR_RETURN(file_name, string(*file));
      FRIT_ASSIGN_OR_RETURN(line_number, integer<uint32_t>(*line));
      FRIT_ASSIGN_OR_RETURN(column_number, integer<uint32_t>(*column));
      if (column_number > SourceLoc::kMostColumn)
        return error("a column is at most " + std::to_string(SourceLoc::kMostColumn));
      op.loc = {intern_file_name(file_name), line_number, column_number};
    }
    if (auto it = j.find("backward"); it != j.end()) {
      Step step(*this, "backward");
      if (!it->is_boolean()) return error("expected true or false");
      op.loc.backward = it->get<bool>();
    }
    f.ops.push_back(std::move(op));
    return {};
  }

  Status param(const Json& j, Function& f) {
    FRIT_ASSIGN_OR_RETURN(name_json, field(j, "name"));
    FRIT_ASSIGN_OR_RETURN(param_name, string(*name_json));
    FRIT_ASSIGN_OR_RETURN(type_json, field(j, "type"));
    {
      Step step(*this, "type");
      FRIT_ASSIGN_OR_RETURN(t, type(*type_json));
      f.add_param(param_name, std::move(t));
    }
    if (auto it = j.find("strides"); it != j.end()) {
      Step step(*this, "strides");
      FRIT_ASSIGN_OR_RETURN(strides, dims(*it));
      f.layouts.resize(f.params.size());
      f.layouts.back() = std::move(strides);
    }
    if (auto it = j.find("weight"); it != j.end()) {
      Step step(*this, "weight");
      FRIT_ASSIGN_OR_RETURN(weight, string(*it));
      if (weight.empty()) return error("a weight needs a name");
      f.weights.resize(f.params.size());
      f.weights.back() = std::move(weight);
    }
    return {};
  }

  Status groups(const Json& j, Function& f) {
    return each(j, "groups", [&](const Json& item) -> Status {
      FRIT_ASSIGN_OR_RETURN(word, string(item));
      for (GroupKind kind : {GroupKind::Loop, GroupKind::Reduce, GroupKind::Library, GroupKind::View,
                             GroupKind::Scatter, GroupKind::Control}) {
        if (name(kind) != word) continue;
        f.groups.push_back({kind});
        return {};
      }
      return error("unknown kind of group '" + word + "'");
    });
  }

  Status function(const Json& j, Function& f) {
    const Function* const around = around_;
    if (!around_) around_ = &f;
    Status read = function_fields(j, f);
    around_ = around;
    return read;
  }

  Status function_fields(const Json& j, Function& f) {
    FRIT_ASSIGN_OR_RETURN(name_json, field(j, "name"));
    FRIT_ASSIGN_OR_RETURN(function_name, string(*name_json));
    f.name = std::move(function_name);
    FRIT_TRY(each(j, "params", [&](const Json& item) { return param(item, f); }));
    if (auto it = j.find("where"); it != j.end()) {
      Step step(*this, "where");
      FRIT_ASSIGN_OR_RETURN(facts, string(*it));
      FRIT_TRY(from_text(facts, [&](Lexer& l) { return parse_facts(l, f.facts); }));
    }
    if (j.contains("result_names"))
      FRIT_TRY(each(j, "result_names", [&](const Json& item) -> Status {
        FRIT_ASSIGN_OR_RETURN(name, string(item));
        f.result_names.push_back(std::move(name));
        return {};
      }));
    if (auto it = j.find("program"); it != j.end()) {
      Step step(*this, "program");
      FRIT_ASSIGN_OR_RETURN(text, string(*it));
      auto named = from_text(text, [](Lexer& l) { return parse_program(l); });
      if (!named.ok()) return std::move(named.error());
      f.program = std::make_shared<Program>(std::move(named->program));
    } else {
      FRIT_TRY(each(j, "ops", [&](const Json& item) { return op(item, f); }));
      if (j.contains("groups")) FRIT_TRY(groups(j, f));
      FRIT_ASSIGN_OR_RETURN(results, values(j, "results", f));
      f.results = std::move(results);
    }
    const Status s = around_ == &f ? verify(f) : verify_region(f, *around_);
    if (!s.ok()) return error(s.error().message);
    return {};
  }

  // A region has the form of a function whose name says nothing.
  Result<Region> region(const Json& j) {
    Function f;
    FRIT_TRY(function(j, f));
    if (f.program || states_facts(f)) return error("a region has only parameters, ops and results");
    return closed(std::move(f));
  }

  std::string_view text_;
  const char* file_;
  std::vector<std::string> path_;
  const Function* around_ = nullptr;  // the outermost function that is being read
};

}  // namespace

Result<std::unique_ptr<Module>> from_json(std::string_view text, const char* file_name) {
  const char* file = intern_file_name(file_name ? file_name : "");
  Syntax syntax;
  if (!Json::sax_parse(text, &syntax)) {
    if (syntax.depth > Syntax::kMaxDepth) return Diagnostic("this JSON is nested too deeply", {file, 1, 1});
    return Diagnostic("this is not JSON from here on", place_of(text, std::min(syntax.error_at, text.size()), file));
  }
  return Reader(text, file).module(Json::parse(text, nullptr, false));
}

Result<std::unique_ptr<Module>> read_module(std::string_view text, const char* file_name, bool locate) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
  return json ? from_json(text, file_name) : parse(text, file_name, locate);
}

}  // namespace frit::ir
