// The parser of programs.
#include <algorithm>
#include <map>
#include <set>

#include "ir/read/kernel_parser.h"
#include "ir/routines/routine.h"
#include "ir/text/text.h"
#include "ir/verify/kernel_verifier.h"

namespace frit::ir {

namespace {

std::optional<AttrKind> parse_kind(std::string_view word) {
  if (word == "bool") return AttrKind::Bool;
  if (word == "int") return AttrKind::Int;
  if (word == "float") return AttrKind::Float;
  if (word == "dtype") return AttrKind::Dtype;
  if (word == "string") return AttrKind::String;
  if (word == "ints") return AttrKind::Ints;
  if (word == "literal") return AttrKind::Literal;
  return std::nullopt;
}

class ProgramParser {
 public:
  explicit ProgramParser(Lexer& lexer) : lexer_(lexer) {
    known_ = [this](const Token& t) -> Status {
      if (names_.contains(t.text)) return {};
      return lexer_.error(t, "'" + std::string(t.text) + "' is not a symbol of the program");
    };
    known_or_counter_ = [this](const Token& t) -> Status {
      if (std::find(p_.counters.begin(), p_.counters.end(), t.text) != p_.counters.end()) return {};
      return known_(t);
    };
  }

  Result<NamedProgram> program() {
    Token start = lexer_.peek();
    if (!lexer_.accept_ident("program")) return lexer_.expected("'program'");
    FRIT_ASSIGN_OR_RETURN(name, parse_global_name(lexer_));
    FRIT_TRY(symbols());
    FRIT_TRY(lexer_.expect("{"));
    while (!blocks_.empty() || !lexer_.accept("}")) FRIT_TRY(item());
    FRIT_TRY(resolve());
    if (Status s = verify(p_); !s) {
      s.error().loc = lexer_.loc(start);
      return std::move(s.error());
    }
    return NamedProgram{std::move(name), std::move(p_)};
  }

 private:
  // A launch and a donor may name a kernel and a buffer that are defined further down.
  struct Launch {
    Token at;
    std::string kernel;
    size_t step;
    bool epilogue;
  };
  // The buffer that gives `buffer` its memory, as donor or as host.
  struct Donor {
    Token at;
    std::string name;
    size_t buffer;
    bool is_host;
  };

  Status symbols() {
    FRIT_TRY(lexer_.expect("("));
    if (lexer_.accept(")")) return {};
    for (std::vector<std::string>* names : {&p_.symbols, &p_.counters}) {
      if (names == &p_.symbols && lexer_.peek().is(";")) continue;
      if (names == &p_.counters && !lexer_.accept(";")) break;
      do {
        if (lexer_.peek().kind != TokenKind::Ident) return lexer_.expected("a symbol");
        names->emplace_back(lexer_.next().text);
        if (names == &p_.symbols) names_.insert(names->back());
      } while (lexer_.accept(","));
    }
    return lexer_.expect(")");
  }

  Status item() {
    if (lexer_.accept_ident("buffer")) return buffer();
    if (lexer_.accept_ident("slot")) {
      FRIT_ASSIGN_OR_RETURN(bytes, parse_dim(lexer_, known_));
      p_.slots.push_back(std::move(bytes));
      return {};
    }
    if (lexer_.accept_ident("launch")) {
      FRIT_ASSIGN_OR_RETURN(step, launch(false));
      p_.steps.emplace_back(std::move(step));
      return {};
    }
    if (lexer_.accept_ident("library")) return library();
    if (const Token at = lexer_.peek(); at.is_ident("repeat") || at.is_ident("loop") || at.is_ident("leave") ||
                                        at.is_ident("if") || (at.is("}") && !blocks_.empty()))
      return control(lexer_.next());
    if (lexer_.accept_ident("return")) return results();
    if (lexer_.peek().is_ident("kernel")) {
      FRIT_ASSIGN_OR_RETURN(k, parse_kernel(lexer_));
      p_.kernels.push_back(std::move(k));
      return {};
    }
    return lexer_.expected("buffer, slot, launch, library, repeat, loop, leave, if, return, kernel or '}'");
  }

  Result<uint32_t> counter_reference() {
    const Token name = lexer_.next();
    const auto found = std::find(p_.counters.begin(), p_.counters.end(), name.text);
    if (found == p_.counters.end())
      return lexer_.error(name, "'" + std::string(name.text) + "' is not a counter of the program");
    return static_cast<uint32_t>(found - p_.counters.begin());
  }

  // A step of control flow, behind its first word.
  Status control(const Token& word) {
    ControlStep s;
    if (word.is("}")) {
      if (blocks_.back() == ControlKind::If && lexer_.accept_ident("else")) {
        s.kind = blocks_.back() = ControlKind::Else;
        p_.steps.emplace_back(std::move(s));
        return lexer_.expect("{");
      }
      s.kind = ControlKind::End;
      blocks_.pop_back();
      while (lexer_.accept_ident("swap")) {
        FRIT_TRY(lexer_.expect("("));
        FRIT_ASSIGN_OR_RETURN(a, buffer_reference());
        FRIT_TRY(lexer_.expect(","));
        FRIT_ASSIGN_OR_RETURN(b, buffer_reference());
        FRIT_TRY(lexer_.expect(")"));
        s.swaps.emplace_back(a, b);
      }
      p_.steps.emplace_back(std::move(s));
      return {};
    }
    if (word.is_ident("leave")) {
      s.kind = ControlKind::Leave;
      if (!lexer_.accept_ident("unless")) return lexer_.expected("'unless'");
    } else if (word.is_ident("if")) {
      s.kind = ControlKind::If;
    } else if (word.is_ident("loop")) {
      s.kind = ControlKind::Loop;
    } else {
      s.kind = ControlKind::Repeat;
      FRIT_ASSIGN_OR_RETURN(counter, counter_reference());
      s.counter = counter;
      FRIT_TRY(lexer_.expect("<"));
      FRIT_ASSIGN_OR_RETURN(count, parse_dim(lexer_, known_));
      s.count = std::move(count);
    }
    if (s.kind == ControlKind::Leave || s.kind == ControlKind::If) {
      FRIT_ASSIGN_OR_RETURN(flag, buffer_reference());
      s.flag = flag;
    }
    const bool opens = s.kind != ControlKind::Leave;
    if (opens) blocks_.push_back(s.kind);
    p_.steps.emplace_back(std::move(s));
    return opens ? lexer_.expect("{") : Status();
  }

  Result<uint32_t> number() {
    Token at = lexer_.peek();
    FRIT_ASSIGN_OR_RETURN(value, parse_integer(lexer_));
    if (value < 0 || value >= int64_t{kNone}) return lexer_.error(at, "the number is out of range here");
    return static_cast<uint32_t>(value);
  }

  Status buffer() {
    ProgramBuffer b;
    FRIT_ASSIGN_OR_RETURN(name, parse_value_name(lexer_));
    b.name = std::move(name);
    FRIT_TRY(lexer_.expect(":"));
    FRIT_ASSIGN_OR_RETURN(dtype, parse_dtype(lexer_));
    b.dtype = dtype;
    FRIT_TRY(lexer_.expect("["));
    FRIT_ASSIGN_OR_RETURN(size, parse_dim(lexer_, known_));
    b.size = std::move(size);
    FRIT_TRY(lexer_.expect("]"));
    FRIT_TRY(role(b));
    p_.buffers.push_back(std::move(b));
    return {};
  }

  Status role(ProgramBuffer& b) {
    if (lexer_.accept_ident("input")) {
      b.role = BufferRole::Input;
      FRIT_ASSIGN_OR_RETURN(param, number());
      b.param = param;
    } else if (lexer_.accept_ident("output")) {
      b.role = BufferRole::Output;
    } else if (lexer_.accept_ident("temp")) {
      b.role = BufferRole::Temp;
    } else if (lexer_.accept_ident("part")) {
      b.role = BufferRole::Part;
      if (!lexer_.accept_ident("of")) return lexer_.expected("'of'");
      FRIT_ASSIGN_OR_RETURN(whole, buffer_reference());
      b.whole = whole;
      if (!lexer_.accept_ident("at")) return lexer_.expected("'at'");
      FRIT_ASSIGN_OR_RETURN(at, parse_dim(lexer_, known_or_counter_));
      b.at = std::move(at);
      if (!lexer_.accept_ident("in")) return lexer_.expected("'in'");
      FRIT_ASSIGN_OR_RETURN(counter, counter_reference());
      b.counter = counter;
    } else if (lexer_.accept_ident("constant")) {
      b.role = BufferRole::Constant;
      if (!b.size.is_const()) return lexer_.expected("a size that is a number for a constant");
      Shape shape{b.size};
      FRIT_ASSIGN_OR_RETURN(data, parse_literal(lexer_, b.dtype, shape));
      b.data = std::move(data);
    } else {
      return lexer_.expected("input, output, temp, constant or part");
    }
    if (lexer_.peek().is_ident("slot") && b.role == BufferRole::Temp) {
      lexer_.next();
      FRIT_ASSIGN_OR_RETURN(slot, number());
      b.slot = slot;
    }
    const bool is_host = b.role == BufferRole::Temp && b.slot == kNone && lexer_.peek().is_ident("in");
    if (is_host || lexer_.peek().is_ident("donor")) {
      lexer_.next();
      Token at = lexer_.peek();
      FRIT_ASSIGN_OR_RETURN(donor, parse_value_name(lexer_));
      donors_.push_back({at, std::move(donor), p_.buffers.size(), is_host});
    }
    if (b.role == BufferRole::Temp && lexer_.accept_ident("at")) {
      FRIT_ASSIGN_OR_RETURN(at, parse_dim(lexer_, known_));
      b.at = std::move(at);
    }
    return {};
  }

  Result<uint32_t> find_buffer(const Token& at, const std::string& name) const {
    for (size_t i = 0; i < p_.buffers.size(); ++i)
      if (p_.buffers[i].name == name) return static_cast<uint32_t>(i);
    return lexer_.error(at, "there is no buffer %" + name_text(name));
  }
  Result<uint32_t> buffer_reference() {
    Token at = lexer_.peek();
    FRIT_ASSIGN_OR_RETURN(name, parse_value_name(lexer_));
    return find_buffer(at, name);
  }

  Result<KernelStep> launch(bool epilogue) {
    Token at = lexer_.peek();
    FRIT_ASSIGN_OR_RETURN(kernel, parse_global_name(lexer_));
    launches_.push_back({at, std::move(kernel), p_.steps.size(), epilogue});
    KernelStep step{kNone, {}};
    FRIT_TRY(lexer_.expect("("));
    if (lexer_.accept(")")) return step;
    do {
      FRIT_ASSIGN_OR_RETURN(buffer, buffer_reference());
      step.buffers.push_back(buffer);
    } while (lexer_.accept(","));
    if (lexer_.accept(";")) FRIT_TRY(launch_sizes(step.sizes));
    FRIT_TRY(lexer_.expect(")"));
    return step;
  }

  Status launch_sizes(std::vector<Dim>& into) {
    do {
      FRIT_ASSIGN_OR_RETURN(size, parse_dim(lexer_, known_));
      into.push_back(std::move(size));
    } while (lexer_.accept(","));
    return {};
  }

  Status window(Window& w, Type& type) {
    FRIT_ASSIGN_OR_RETURN(buffer, buffer_reference());
    w.buffer = buffer;
    FRIT_TRY(lexer_.expect(":"));
    FRIT_ASSIGN_OR_RETURN(parsed, parse_type(lexer_, known_));
    type = std::move(parsed);
    w.layout = {type.shape, row_major_strides(type.shape), 0};
    if (lexer_.accept_ident("strides")) {
      FRIT_ASSIGN_OR_RETURN(strides, parse_dims(lexer_, known_));
      w.layout.strides = std::move(strides);
    }
    if (lexer_.accept_ident("offset")) {
      FRIT_ASSIGN_OR_RETURN(offset, parse_dim(lexer_, known_));
      w.layout.offset = std::move(offset);
    }
    return {};
  }

  Status windows(std::vector<Window>& into, std::vector<Dtype>& dtypes) {
    FRIT_TRY(lexer_.expect("("));
    if (lexer_.accept(")")) return {};
    do {
      Window w;
      Type type;
      FRIT_TRY(window(w, type));
      into.push_back(std::move(w));
      dtypes.push_back(type.dtype);
    } while (lexer_.accept(","));
    return lexer_.expect(")");
  }

  Status library() {
    LibraryStep s;
    Token at = lexer_.peek();
    FRIT_ASSIGN_OR_RETURN(name, parse_string(lexer_));
    s.routine = find_routine(name);
    if (!s.routine) return lexer_.error(at, "there is no routine '" + name + "'");
    FRIT_TRY(windows(s.operands, s.dtypes));
    FRIT_TRY(lexer_.expect("->"));
    FRIT_TRY(windows(s.results, s.dtypes));
    FRIT_TRY(attributes(s.attrs));
    if (lexer_.accept_ident("workspace")) {
      FRIT_ASSIGN_OR_RETURN(workspace, buffer_reference());
      s.workspace = workspace;
    }
    if (lexer_.accept_ident("epilogue")) {
      FRIT_ASSIGN_OR_RETURN(epilogue, launch(true));
      s.epilogue = std::move(epilogue);
    }
    p_.steps.emplace_back(std::move(s));
    return {};
  }

  // {name: kind = value, ...}
  Status attributes(AttrMap& attrs) {
    if (!lexer_.accept("{")) return {};
    do {
      if (lexer_.peek().kind != TokenKind::Ident) return lexer_.expected("an attribute's name");
      Token at = lexer_.next();
      if (attrs.has(at.text)) return lexer_.error(at, "attribute '" + std::string(at.text) + "' is given twice");
      FRIT_TRY(lexer_.expect(":"));
      auto kind = parse_kind(lexer_.peek().text);
      if (!kind) return lexer_.expected("bool, int, float, dtype, string, ints or literal");
      lexer_.next();
      FRIT_TRY(lexer_.expect("="));
      if (*kind == AttrKind::Literal) {
        FRIT_ASSIGN_OR_RETURN(type, parse_type(lexer_));
        if (!type.is_static()) return lexer_.error(at, "a literal's size is a number");
        FRIT_ASSIGN_OR_RETURN(literal, parse_literal(lexer_, type.dtype, type.shape));
        attrs.set(at.text, std::move(literal));
      } else {
        FRIT_ASSIGN_OR_RETURN(value, parse_attr(lexer_, *kind, known_));
        attrs.set(at.text, std::move(value));
      }
    } while (lexer_.accept(","));
    return lexer_.expect("}");
  }

  Status results() {
    if (lexer_.peek().kind != TokenKind::Value) return {};
    do {
      Window w;
      Type type;
      FRIT_TRY(window(w, type));
      p_.results.push_back(std::move(w));
      p_.result_types.push_back(std::move(type));
    } while (lexer_.accept(","));
    return {};
  }

  Status resolve() {
    for (const Launch& l : launches_) {
      auto it = std::find_if(p_.kernels.begin(), p_.kernels.end(), [&](const Kernel& k) { return k.name == l.kernel; });
      if (it == p_.kernels.end()) return lexer_.error(l.at, "there is no kernel @" + name_text(l.kernel));
      uint32_t index = static_cast<uint32_t>(it - p_.kernels.begin());
      Step& step = p_.steps[l.step];
      (l.epilogue ? *std::get<LibraryStep>(step).epilogue : std::get<KernelStep>(step)).kernel = index;
    }
    for (const Donor& d : donors_) {
      FRIT_ASSIGN_OR_RETURN(donor, find_buffer(d.at, d.name));
      (d.is_host ? p_.buffers[d.buffer].whole : p_.buffers[d.buffer].donor) = donor;
    }
    return {};
  }

  Lexer& lexer_;
  Program p_;
  std::set<std::string, std::less<>> names_;  // of its symbols
  SymbolCheck known_, known_or_counter_;
  std::vector<ControlKind> blocks_;  // those that are open
  std::vector<Launch> launches_;
  std::vector<Donor> donors_;
};

}  // namespace

Result<NamedProgram> parse_program(Lexer& lexer) { return ProgramParser(lexer).program(); }

Result<NamedProgram> parse_program(std::string_view text, const char* file_name) {
  Lexer lexer(text, file_name);
  FRIT_ASSIGN_OR_RETURN(p, parse_program(lexer));
  if (lexer.peek().kind != TokenKind::End) return lexer.expected("the end of the text");
  return p;
}

}  // namespace frit::ir
