// The parser of modules and functions.
#include "ir/read/parser.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/base/suggest.h"
#include "ir/graph/control.h"
#include "ir/read/kernel_parser.h"
#include "ir/text/lexer.h"
#include "ir/text/printer.h"
#include "ir/text/text.h"
#include "ir/verify/verifier.h"

namespace frit::ir {
namespace {

constexpr GroupKind kGroupKinds[] = {GroupKind::Loop, GroupKind::Reduce,  GroupKind::Library,
                                     GroupKind::View, GroupKind::Scatter, GroupKind::Control};

constexpr int kDeepest = 32;  // regions inside of each other

class FunctionParser {
 public:
  // `around`: of a region, the parser of the function that it is in.
  FunctionParser(Lexer& lexer, bool locate, const FunctionParser* around = nullptr)
      : lexer_(lexer), locate_(locate), builder_(*f_) {
    if (around) {
      f_->name = "region of " + around->f_->name;
      f_->facts = around->f_->facts;
      symbols_ = around->symbols_;
      depth_ = around->depth_ + 1;
    }
    check_ = [this](const Token& symbol) -> Status {
      if (symbols_.contains(symbol.text)) return {};
      std::vector<std::string_view> known(symbols_.begin(), symbols_.end());
      return lexer_.error(symbol,
                          "unknown symbol '" + std::string(symbol.text) + "'" + did_you_mean(symbol.text, known),
                          "symbols are declared by the shapes and strides of parameters");
    };
  }

  // Parses a function after the word `func`.
  Result<std::unique_ptr<Function>> parse() {
    FRIT_ASSIGN_OR_RETURN(name, parse_global_name(lexer_));
    f_->name = std::move(name);
    FRIT_TRY(parameters());
    FRIT_TRY(result_list());
    if (lexer_.accept_ident("where")) FRIT_TRY(parse_facts(lexer_, f_->facts, check_));
    FRIT_TRY(lexer_.expect("{"));
    FRIT_TRY(lexer_.peek().is_ident("program") ? lowered() : body());
    return std::move(f_);
  }

  // Parses a region after the word `func`.
  Result<Region> parse_region() {
    if (depth_ > kDeepest) return lexer_.expected("at most " + std::to_string(kDeepest) + " regions in each other");
    FRIT_TRY(parameters());
    FRIT_TRY(result_list());
    if (!f_->result_names.empty()) return lexer_.expected("results without names");
    FRIT_TRY(lexer_.expect("{"));
    FRIT_TRY(body());
    return closed(std::move(*f_));
  }

 private:
  Status parameters() {
    const SymbolCheck declare = depth_ ? check_ : [this](const Token& symbol) -> Status {
      symbols_.emplace(symbol.text);
      return {};
    };
    FRIT_TRY(lexer_.expect("("));
    if (lexer_.accept(")")) return {};
    for (;;) {
      Token token = lexer_.peek();
      FRIT_ASSIGN_OR_RETURN(name, parse_value_name(lexer_));
      FRIT_TRY(lexer_.expect(":"));
      Token start = lexer_.peek();
      FRIT_ASSIGN_OR_RETURN(type, parse_type(lexer_, declare));
      FRIT_TRY(located(check_type(type), start));
      if (name.empty()) return lexer_.error(token, "a parameter needs a name");
      int rank = type.rank();
      FRIT_TRY(define(token, name, f_->add_param(name, std::move(type))));
      if (!depth_ && lexer_.accept_ident("strides")) {
        Token list = lexer_.peek();
        FRIT_ASSIGN_OR_RETURN(strides, parse_dims(lexer_, declare));
        if (static_cast<int>(strides.size()) != rank)
          return lexer_.error(list, "parameter '%" + name + "' has " + std::to_string(rank) + " axes, but " +
                                        std::to_string(strides.size()) + " strides");
        f_->layouts.resize(f_->params.size());
        f_->layouts.back() = std::move(strides);
      }
      if (!depth_ && lexer_.accept("=")) FRIT_TRY(weight());
      if (lexer_.accept(")")) return {};
      if (!lexer_.accept(",")) return lexer_.expected("',' or ')'");
    }
  }

  // Reads the weight that the last parameter is bound to.
  Status weight() {
    Token token = lexer_.peek();
    if (token.kind != TokenKind::String) return lexer_.expected("the name of a weight in quotes");
    lexer_.next();
    FRIT_ASSIGN_OR_RETURN(tensor, lexer_.unquote(token));
    if (tensor.empty()) return lexer_.error(token, "a weight needs a name");
    const Value& param = f_->values[f_->params.back()];
    for (const Dim& d : param.type.shape)
      if (!d.is_const())
        return lexer_.error(
            token, "parameter '%" + param.name + "' is bound to a weight, but its size " + d.str() + " is open");
    if (!f_->layouts.empty() && !f_->layouts.back().empty())
      return lexer_.error(token, "parameter '%" + param.name + "' is bound to a weight, but has strides");
    f_->weights.resize(f_->params.size());
    f_->weights.back() = std::move(tensor);
    return {};
  }

  Status result_list() {
    if (!lexer_.accept("->")) return {};
    bool several = lexer_.accept("(");
    if (several && lexer_.accept(")")) return {};
    do {
      if (lexer_.peek().kind == TokenKind::Value) {
        Token token = lexer_.peek();
        FRIT_ASSIGN_OR_RETURN(name, parse_value_name(lexer_));
        if (name.empty()) return lexer_.error(token, "a result's name is empty");
        if (std::find(f_->result_names.begin(), f_->result_names.end(), name) != f_->result_names.end())
          return lexer_.error(token, "two results are named '%" + name + "'");
        f_->result_names.resize(result_types_.size() + 1);
        f_->result_names.back() = std::move(name);
        FRIT_TRY(lexer_.expect(":"));
      }
      result_tokens_.push_back(lexer_.peek());
      FRIT_ASSIGN_OR_RETURN(type, parse_type(lexer_, check_));
      result_types_.push_back(std::move(type));
    } while (several && lexer_.accept(","));
    if (several && !lexer_.accept(")")) return lexer_.expected("',' or ')'");
    if (!f_->result_names.empty()) f_->result_names.resize(result_types_.size());
    return {};
  }

  Status body() {
    for (;;) {
      Token token = lexer_.peek();
      if (token.is("}")) {
        if (group_ < 0)
          return lexer_.error(token, "function '@" + f_->name + "' has no return",
                              "end it with 'return' and its results");
        if (f_->ops.empty() || f_->ops.back().group != group_) return lexer_.error(token, "this group is empty");
        lexer_.next();
        group_ = -1;
      } else if (token.is_ident("return")) {
        if (group_ >= 0) return lexer_.error(token, "expected '}' to close the group before 'return'");
        lexer_.next();
        FRIT_TRY(return_list(token));
        return lexer_.expect("}");
      } else if (token.is_ident("group")) {
        lexer_.next();
        FRIT_TRY(open_group(token));
      } else {
        FRIT_TRY(statement());
      }
    }
  }

  // Reads the program of a lowered function, which stands in place of its ops.
  Status lowered() {
    FRIT_ASSIGN_OR_RETURN(named, parse_program(lexer_));
    f_->program = std::make_shared<Program>(std::move(named.program));
    if (f_->program->result_types != result_types_)
      return lexer_.error(lexer_.peek(),
                          "the program of '@" + f_->name + "' has other results than its function declares");
    return lexer_.expect("}");
  }

  Status open_group(const Token& at) {
    if (group_ >= 0) return lexer_.error(at, "a group cannot stand inside a group");
    Token word = lexer_.peek();
    if (word.kind != TokenKind::Ident) return lexer_.expected("the kind of the group");
    lexer_.next();
    std::vector<std::string_view> known;
    for (GroupKind kind : kGroupKinds) {
      known.push_back(name(kind));
      if (word.text != known.back()) continue;
      group_ = static_cast<int32_t>(f_->groups.size());
      f_->groups.push_back({kind});
      return lexer_.expect("{");
    }
    return lexer_.error(word, "unknown kind of group '" + std::string(word.text) + "'" + did_you_mean(word.text, known),
                        "the kinds are loop, reduce, library, view, scatter and control");
  }

  struct Target {
    Token token;
    std::string name;
    Token type_token;
    Type type;
  };

  Status statement() {
    std::vector<Target> targets;
    if (lexer_.peek().kind == TokenKind::Value) {
      do {
        Target t;
        t.token = lexer_.peek();
        FRIT_ASSIGN_OR_RETURN(name, parse_value_name(lexer_));
        FRIT_TRY(lexer_.expect(":"));
        t.type_token = lexer_.peek();
        FRIT_ASSIGN_OR_RETURN(type, parse_type(lexer_, check_));
        t.name = std::move(name);
        t.type = std::move(type);
        targets.push_back(std::move(t));
      } while (lexer_.accept(","));
      FRIT_TRY(lexer_.expect("="));
    }
    Token word = lexer_.peek();
    if (word.kind != TokenKind::Ident) return lexer_.expected(targets.empty() ? "an op, 'return' or '}'" : "an op");
    lexer_.next();
    const OpDef* def = OpTable::instance().find(word.text);
    if (!def) {
      std::vector<std::string_view> known;
      for (const OpDef* row : OpTable::instance().all()) known.push_back(row->name);
      return lexer_.error(word, "unknown op '" + std::string(word.text) + "'" + did_you_mean(word.text, known));
    }
    std::vector<ValueId> operands;
    AttrMap data;
    if (def->kind == OpKind::Constant) {
      if (targets.size() != 1) return lexer_.error(word, "op '" + std::string(def->name) + "' gives one result");
      FRIT_ASSIGN_OR_RETURN(literal, parse_literal(lexer_, targets[0].type.dtype, targets[0].type.shape));
      data.set("value", std::move(literal));
      if (targets[0].type.rank() > 0) data.set("shape", Dims(targets[0].type.shape));
    } else if (lexer_.peek().kind == TokenKind::Value && on_line(word)) {
      FRIT_ASSIGN_OR_RETURN(values, value_list());
      operands = std::move(values);
    }
    const RegionParser region = [this](Lexer& lexer) { return FunctionParser(lexer, locate_, this).parse_region(); };
    FRIT_ASSIGN_OR_RETURN(attrs, parse_attrs(lexer_, *def, check_, region));
    for (const auto& [key, value] : data) attrs.set(key, value);
    return build(word, *def, std::move(operands), std::move(attrs), targets);
  }

  // Operands stand on the op's line, so `%x: ...` on the next line starts a statement even after an op without
  // operands.
  bool on_line(const Token& word) { return lexer_.peek().line == word.line; }

  Status build(const Token& word, const OpDef& def, std::vector<ValueId> operands, AttrMap attrs,
               std::vector<Target>& targets) {
    auto results = builder_.try_build(def, std::move(operands), std::move(attrs));
    if (!results.ok()) {
      results.error().loc = lexer_.loc(word);
      return std::move(results.error());
    }
    Op& op = f_->ops.back();
    op.group = group_;
    uint32_t line = lexer_.last_line();
    lexer_.peek();  // past the comment that may give the op's location
    if (auto loc = lexer_.location_on(line))
      op.loc = *loc;
    else if (locate_)
      op.loc = lexer_.loc(word);
    if (targets.size() != results->size())
      return lexer_.error(word, "op '" + std::string(def.name) + "' gives " + std::to_string(results->size()) +
                                    (results->size() == 1 ? " result" : " results") + ", but " +
                                    std::to_string(targets.size()) + (targets.size() == 1 ? " is" : " are") + " named");
    for (size_t i = 0; i < targets.size(); ++i) {
      Target& t = targets[i];
      Type& type = f_->values[(*results)[i]].type;
      if (type.dtype != t.type.dtype || !same_shape(type.shape, t.type.shape, f_->facts))
        return lexer_.error(t.type_token, "op '" + std::string(def.name) + "' gives " + type.str() + ", but '%" +
                                              t.name + "' is declared " + t.type.str());
      type = std::move(t.type);
      FRIT_TRY(located(check_type(type), t.type_token));
      FRIT_TRY(define(t.token, t.name, (*results)[i]));
    }
    return {};
  }

  Result<std::vector<ValueId>> value_list() {
    std::vector<ValueId> values;
    do {
      Token token = lexer_.peek();
      FRIT_ASSIGN_OR_RETURN(name, parse_value_name(lexer_));
      auto it = scope_.find(name);
      if (it == scope_.end()) {
        std::vector<std::string_view> known;
        // Of names of one or two letters any is near.
        for (const auto& [other, value] : scope_)
          if (name.size() > 2 && other.size() > 2) known.push_back(other);
        return lexer_.error(token, "'%" + name + "' is used before it is defined" + did_you_mean(name, known));
      }
      values.push_back(it->second);
    } while (lexer_.accept(","));
    return values;
  }

  Status return_list(const Token& word) {
    if (lexer_.peek().kind == TokenKind::Value) {
      FRIT_ASSIGN_OR_RETURN(values, value_list());
      f_->results = std::move(values);
    }
    if (f_->results.size() != result_types_.size())
      return lexer_.error(word, "function '@" + f_->name + "' is declared with " +
                                    std::to_string(result_types_.size()) +
                                    (result_types_.size() == 1 ? " result" : " results") + ", but returns " +
                                    std::to_string(f_->results.size()));
    for (size_t i = 0; i < result_types_.size(); ++i) {
      const Type &declared = result_types_[i], &type = f_->type(f_->results[i]);
      if (type.dtype != declared.dtype || !same_shape(type.shape, declared.shape, f_->facts))
        return lexer_.error(result_tokens_[i], "function '@" + f_->name + "' is declared to return " + declared.str() +
                                                   ", but returns " + type.str());
    }
    return {};
  }

  Status define(const Token& token, const std::string& name, ValueId id) {
    if (scope_.emplace(name, id).second) return {};
    return lexer_.error(token, "'%" + name + "' is defined twice");
  }

  Status located(Status status, const Token& at) const {
    if (!status.ok()) status.error().loc = lexer_.loc(at);
    return status;
  }

  Lexer& lexer_;
  bool locate_;  // ops without a location get that of their text
  std::unique_ptr<Function> f_ = std::make_unique<Function>();
  Builder builder_;
  std::unordered_map<std::string, ValueId> scope_;
  std::set<std::string, std::less<>> symbols_;
  SymbolCheck check_;
  std::vector<Token> result_tokens_;
  std::vector<Type> result_types_;
  int32_t group_ = -1;  // the open group
  int depth_ = 0;       // of a region: how many functions are around it
};

}  // namespace

Result<std::unique_ptr<Module>> parse(std::string_view text, const char* file_name, bool locate) {
  const char* file = intern_file_name(file_name ? file_name : "");
  constexpr size_t kMaxText = size_t{1} << 31;  // lines and columns are 32 bits wide
  if (text.size() > kMaxText) return Diagnostic("this text is longer than 2 GiB", {file, 0, 0});
  Lexer lexer(text, file);
  auto module = std::make_unique<Module>();
  std::set<std::string, std::less<>> names;
  if (lexer.accept_ident("frit")) {
    Token token = lexer.peek();
    if (token.kind != TokenKind::Number) return lexer.expected("the version of the text");
    lexer.next();
    if (token.text != kTextVersion)
      return lexer.error(token,
                         "this text has version " + std::string(token.text) + ", and only version " +
                             std::string(kTextVersion) + " is known",
                         "read it with the frit that wrote it, or a later one");
  }
  if (lexer.accept_ident("weights")) {
    Token token = lexer.peek();
    if (token.kind != TokenKind::String) return lexer.expected("the weights' file in quotes");
    lexer.next();
    FRIT_ASSIGN_OR_RETURN(path, lexer.unquote(token));
    if (path.empty()) return lexer.error(token, "the weights' file has no name");
    module->weights = std::move(path);
  }
  if (lexer.accept_ident("metadata")) {
    Token token = lexer.peek();
    if (token.kind != TokenKind::String) return lexer.expected("the metadata in quotes");
    lexer.next();
    FRIT_ASSIGN_OR_RETURN(metadata, lexer.unquote(token));
    module->metadata = std::move(metadata);
  }
  while (lexer.peek().kind != TokenKind::End) {
    if (!lexer.accept_ident("func")) return lexer.expected("'func'");
    Token token = lexer.peek();
    FRIT_ASSIGN_OR_RETURN(f, FunctionParser(lexer, locate).parse());
    if (!names.insert(f->name).second) return lexer.error(token, "function '@" + f->name + "' is defined twice");
    module->functions.push_back(std::move(f));
  }
  return module;
}

}  // namespace frit::ir
