// The parser of kernels.
#include "ir/read/kernel_parser.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "ir/text/text.h"
#include "ir/verify/kernel_verifier.h"

namespace frit::ir {

namespace {

// A bound on nesting, so that no text exhausts the stack.
constexpr int kMaxLoopDepth = 64;

std::optional<Combine> parse_combine(std::string_view text) {
  for (Combine c : {Combine::Sum, Combine::Prod, Combine::Max, Combine::Min, Combine::And, Combine::Or, Combine::ArgMax,
                    Combine::ArgMin})
    if (name(c) == text) return c;
  return std::nullopt;
}

class KernelParser {
 public:
  explicit KernelParser(Lexer& lexer) : lexer_(lexer) {
    known_ = [this](const Token& t) -> Status {
      if (symbols_.contains(std::string(t.text))) return {};
      return lexer_.error(t, "'" + std::string(t.text) + "' is not a symbol, loop variable or binding here");
    };
  }

  Result<Kernel> kernel() {
    Token start = lexer_.peek();
    if (!lexer_.accept_ident("kernel")) return lexer_.expected("'kernel'");
    FRIT_ASSIGN_OR_RETURN(name, parse_global_name(lexer_));
    k_.name = std::move(name);
    FRIT_TRY(signature());
    FRIT_TRY(lexer_.expect("{"));
    while (lexer_.accept_ident("local")) {
      FRIT_ASSIGN_OR_RETURN(local, buffer());
      k_.locals.push_back(std::move(local));
    }
    FRIT_TRY(instructions(k_.body, 0));
    if (Status s = verify(k_); !s) {
      s.error().loc = lexer_.loc(start);
      return std::move(s.error());
    }
    return std::move(k_);
  }

 private:
  Status signature() {
    FRIT_TRY(lexer_.expect("("));
    if (!lexer_.peek().is(")") && !lexer_.peek().is(";")) {
      do {
        FRIT_ASSIGN_OR_RETURN(b, buffer());
        k_.buffers.push_back(std::move(b));
      } while (lexer_.accept(","));
    }
    if (lexer_.accept(";")) {
      do {
        FRIT_ASSIGN_OR_RETURN(symbol, identifier("a symbol"));
        symbols_.insert(symbol);
        k_.symbols.push_back(std::move(symbol));
      } while (lexer_.accept(","));
    }
    FRIT_TRY(lexer_.expect(")"));
    if (lexer_.accept_ident("where")) FRIT_TRY(parse_facts(lexer_, k_.facts, known_));
    if (lexer_.accept_ident("from")) FRIT_TRY(locations());
    return {};
  }

  Status locations() {
    do {
      FRIT_ASSIGN_OR_RETURN(file, parse_string(lexer_));
      SourceLoc loc{intern_file_name(file)};
      uint32_t column = 0;
      FRIT_TRY(lexer_.expect(":"));
      FRIT_TRY(count(loc.line));
      if (lexer_.accept(":")) FRIT_TRY(count(column));
      loc.column = std::min(column, SourceLoc::kMostColumn);
      k_.locs.push_back(loc);
    } while (lexer_.accept(","));
    return {};
  }

  // name: type[size] access
  Result<KernelBuffer> buffer() {
    KernelBuffer b;
    FRIT_ASSIGN_OR_RETURN(name, parse_value_name(lexer_));
    b.name = std::move(name);
    FRIT_TRY(lexer_.expect(":"));
    FRIT_ASSIGN_OR_RETURN(type, parse_dtype(lexer_));
    b.dtype = type;
    FRIT_TRY(lexer_.expect("["));
    FRIT_ASSIGN_OR_RETURN(size, parse_dim(lexer_));
    b.size = std::move(size);
    FRIT_TRY(lexer_.expect("]"));
    bool both = lexer_.accept_ident("inout");
    b.read = both || lexer_.accept_ident("in");
    b.written = both || (!b.read && lexer_.accept_ident("out"));
    return b;
  }

  Result<std::string> identifier(std::string_view what) {
    if (lexer_.peek().kind != TokenKind::Ident) return lexer_.expected(what);
    return std::string(lexer_.next().text);
  }

  // Reads a number that fits T and is not negative.
  template <class T>
  Status count(T& into) {
    Token at = lexer_.peek();
    FRIT_ASSIGN_OR_RETURN(value, parse_integer(lexer_));
    if (value < 0 || value > static_cast<int64_t>(std::min<uint64_t>(std::numeric_limits<T>::max(), INT64_MAX)))
      return lexer_.error(at, "the number " + std::to_string(value) + " is out of range here");
    into = static_cast<T>(value);
    return {};
  }

  // Instructions up to the closing brace. Registers stay known; the caller ends their scope.
  Status instructions(Body& into, int depth) {
    std::vector<std::string> bound;
    while (!lexer_.accept("}")) {
      Token t = lexer_.peek();
      if (t.kind == TokenKind::Value) {
        FRIT_TRY(definition(into));
      } else if (t.is_ident("store")) {
        FRIT_TRY(store(into));
      } else if (t.is_ident("bind")) {
        FRIT_TRY(bind(into, bound));
      } else if (t.is_ident("for") || t.is_ident("parallel")) {
        FRIT_TRY(loop(into, depth));
      } else {
        return lexer_.expected("an instruction or '}'");
      }
    }
    for (const std::string& n : bound) symbols_.erase(n);
    return {};
  }

  Result<Reg> define(const Token& at, const std::string& name, Dtype type) {
    if (registers_.contains(name)) return lexer_.error(at, "register %" + name_text(name) + " is defined twice");
    Reg r = k_.new_reg(type);
    registers_[name] = r;
    defined_.push_back(name);
    return r;
  }

  Result<Reg> reg() {
    Token at = lexer_.peek();
    FRIT_ASSIGN_OR_RETURN(name, parse_value_name(lexer_));
    auto it = registers_.find(name);
    if (it == registers_.end()) return lexer_.error(at, "register %" + name_text(name) + " is not defined here");
    return it->second;
  }

  // Reads a register, or a constant of `type`, which becomes an instruction of its own before the current one.
  Result<Reg> operand(Body& into, std::optional<Dtype> type) {
    if (lexer_.peek().kind == TokenKind::Value) return reg();
    if (!type) return lexer_.expected("a register");
    FRIT_ASSIGN_OR_RETURN(bits, parse_number(lexer_, *type));
    Reg r = k_.new_reg(*type);
    into.push_back({ScalarInstr{r, ScalarOp::Const, *type, {kNoReg, kNoReg, kNoReg}, bits}});
    return r;
  }

  Status definition(Body& into) {
    Token at = lexer_.peek();
    FRIT_ASSIGN_OR_RETURN(result_name, parse_value_name(lexer_));
    FRIT_TRY(lexer_.expect(":"));
    FRIT_ASSIGN_OR_RETURN(type, parse_dtype(lexer_));
    FRIT_TRY(lexer_.expect("="));
    Token word = lexer_.peek();
    if (word.kind != TokenKind::Ident) return lexer_.expected("an instruction");
    lexer_.next();
    Instr instr;
    if (word.text == "load") {
      LoadInstr x{};
      FRIT_TRY(element(x.buffer, x.index));
      FRIT_TRY(mask(x.mask));
      FRIT_ASSIGN_OR_RETURN(r, define(at, result_name, type));
      x.result = r;
      instr.node = std::move(x);
    } else if (word.text == "index") {
      IndexInstr x{};
      Lexer::ArithmeticScope scope(lexer_);
      FRIT_TRY(lexer_.expect("("));
      FRIT_ASSIGN_OR_RETURN(index, parse_dim(lexer_, known_));
      x.index = std::move(index);
      FRIT_TRY(lexer_.expect(")"));
      FRIT_ASSIGN_OR_RETURN(r, define(at, result_name, type));
      x.result = r;
      instr.node = std::move(x);
    } else {
      FRIT_ASSIGN_OR_RETURN(x, scalar(into, word, type));
      FRIT_ASSIGN_OR_RETURN(r, define(at, result_name, type));
      x.result = r;
      instr.node = x;
    }
    into.push_back(std::move(instr));
    return {};
  }

  Result<ScalarInstr> scalar(Body& into, const Token& word, Dtype type) {
    std::optional<ScalarOp> op = parse_scalar_op(word.text);
    if (!op || *op == ScalarOp::Input)
      return lexer_.error(word, "there is no instruction '" + std::string(word.text) + "'");
    ScalarInstr s{kNoReg, *op, type};
    if (*op == ScalarOp::Const) {
      FRIT_ASSIGN_OR_RETURN(bits, parse_number(lexer_, type));
      s.imm = bits;
      return s;
    }
    if (is_comparison(*op)) {
      FRIT_TRY(comparison_operands(into, s));
      return s;
    }
    bool typed = *op != ScalarOp::Cast && *op != ScalarOp::Bitcast;
    for (size_t i = 0; i < static_cast<size_t>(arity(*op)); ++i) {
      if (i) FRIT_TRY(lexer_.expect(","));
      std::optional<Dtype> expected;
      if (typed) expected = *op == ScalarOp::Select && i == 0 ? bool_ : type;
      FRIT_ASSIGN_OR_RETURN(r, operand(into, expected));
      s.args[i] = r;
    }
    return s;
  }

  // A constant takes the type of the other side, which may follow it.
  Status comparison_operands(Body& into, ScalarInstr& s) {
    if (lexer_.peek().kind == TokenKind::Value) {
      FRIT_ASSIGN_OR_RETURN(a, reg());
      s.args[0] = a;
      FRIT_TRY(lexer_.expect(","));
      FRIT_ASSIGN_OR_RETURN(b, operand(into, k_.reg_types[a]));
      s.args[1] = b;
      return {};
    }
    Lexer ahead = lexer_;
    while (ahead.peek().kind != TokenKind::Value && ahead.peek().kind != TokenKind::End) {
      if (ahead.next().is(",")) break;
    }
    FRIT_ASSIGN_OR_RETURN(name, parse_value_name(ahead));
    auto other = registers_.find(name);
    if (other == registers_.end()) return lexer_.expected("a register on one side of the comparison");
    FRIT_ASSIGN_OR_RETURN(a, operand(into, k_.reg_types[other->second]));
    s.args[0] = a;
    FRIT_TRY(lexer_.expect(","));
    FRIT_ASSIGN_OR_RETURN(b, reg());
    s.args[1] = b;
    return {};
  }

  // %buffer[index]
  Status element(uint32_t& buffer, Dim& index) {
    Token at = lexer_.peek();
    FRIT_ASSIGN_OR_RETURN(wanted, parse_value_name(lexer_));
    uint32_t count = static_cast<uint32_t>(k_.buffers.size() + k_.locals.size());
    for (buffer = 0; buffer < count && k_.buffer(buffer).name != wanted;) ++buffer;
    if (buffer == count) return lexer_.error(at, "there is no buffer %" + name_text(wanted));
    FRIT_TRY(lexer_.expect("["));
    FRIT_ASSIGN_OR_RETURN(position, parse_dim(lexer_, known_));
    index = std::move(position);
    return lexer_.expect("]");
  }

  Status mask(Reg& into) {
    if (!lexer_.accept_ident("mask")) return {};
    FRIT_ASSIGN_OR_RETURN(r, reg());
    into = r;
    return {};
  }

  Status store(Body& into) {
    lexer_.next();
    StoreInstr x{};
    x.stream = lexer_.accept_ident("stream");
    FRIT_TRY(element(x.buffer, x.index));
    FRIT_TRY(lexer_.expect(","));
    FRIT_ASSIGN_OR_RETURN(value, operand(into, k_.buffer(x.buffer).dtype));
    x.value = value;
    FRIT_TRY(mask(x.mask));
    into.push_back({std::move(x)});
    return {};
  }

  Status bind(Body& into, std::vector<std::string>& bound) {
    lexer_.next();
    BindInstr x{};
    FRIT_ASSIGN_OR_RETURN(name, identifier("a name"));
    FRIT_TRY(lexer_.expect("="));
    FRIT_ASSIGN_OR_RETURN(value, reg());
    if (!lexer_.accept_ident("in")) return lexer_.expected("'in' and a range");
    FRIT_TRY(lexer_.expect("["));
    FRIT_ASSIGN_OR_RETURN(low, parse_dim(lexer_, known_));
    FRIT_TRY(lexer_.expect(","));
    FRIT_ASSIGN_OR_RETURN(high, parse_dim(lexer_, known_));
    FRIT_TRY(lexer_.expect("]"));
    if (symbols_.insert(name).second) bound.push_back(name);
    x.name = std::move(name);
    x.value = value;
    x.low = std::move(low), x.high = std::move(high);
    into.push_back({std::move(x)});
    return {};
  }

  // The names that an accumulator gives before its body has been read.
  struct Pending {
    Token at;
    std::string result, value, position;
    Dtype type = float32;
    Combine combine;
  };

  // "%0: f32 =".
  Status typed_register(std::string& name, Dtype& type) {
    FRIT_ASSIGN_OR_RETURN(found, parse_value_name(lexer_));
    name = std::move(found);
    FRIT_TRY(lexer_.expect(":"));
    FRIT_ASSIGN_OR_RETURN(dtype, parse_dtype(lexer_));
    type = dtype;
    return lexer_.expect("=");
  }

  Status accumulators(std::vector<Pending>& pending) {
    do {
      Pending p;
      p.at = lexer_.peek();
      FRIT_TRY(typed_register(p.result, p.type));
      Token word = lexer_.peek();
      auto combine = word.kind == TokenKind::Ident ? parse_combine(word.text) : std::nullopt;
      if (!combine) return lexer_.expected("sum, prod, max, min, and, or, argmax or argmin");
      lexer_.next();
      p.combine = *combine;
      FRIT_ASSIGN_OR_RETURN(value, parse_value_name(lexer_));
      p.value = std::move(value);
      if (lexer_.accept_ident("at")) {
        FRIT_ASSIGN_OR_RETURN(position, parse_value_name(lexer_));
        p.position = std::move(position);
      }
      pending.push_back(std::move(p));
    } while (lexer_.accept(","));
    return {};
  }

  // The same for a carry.
  struct PendingCarry {
    Token at;
    std::string value, next;
    Dtype type = float32;
    uint64_t initial;
  };

  Status carries(std::vector<PendingCarry>& carried) {
    do {
      PendingCarry c;
      c.at = lexer_.peek();
      FRIT_TRY(typed_register(c.value, c.type));
      FRIT_ASSIGN_OR_RETURN(bits, parse_number(lexer_, c.type));
      c.initial = bits;
      if (!lexer_.accept_ident("next")) return lexer_.expected("'next' and a register");
      FRIT_ASSIGN_OR_RETURN(next, parse_value_name(lexer_));
      c.next = std::move(next);
      carried.push_back(std::move(c));
    } while (lexer_.accept(","));
    return {};
  }

  Result<Reg> find(const Token& at, const std::string& name) {
    auto it = registers_.find(name);
    if (it == registers_.end())
      return lexer_.error(at, "register %" + name_text(name) + " is not defined in the loop's body");
    return it->second;
  }

  Status loop(Body& into, int depth) {
    Token start = lexer_.peek();
    if (depth >= kMaxLoopDepth) return lexer_.error(start, "loops are nested too deeply");
    Loop x;
    if (lexer_.accept_ident("parallel")) x.kind = LoopKind::Parallel;
    if (!lexer_.accept_ident("for")) return lexer_.expected("'for'");
    FRIT_ASSIGN_OR_RETURN(var, identifier("a loop variable"));
    x.var = std::move(var);
    if (!lexer_.accept_ident("in")) return lexer_.expected("'in'");
    FRIT_ASSIGN_OR_RETURN(extent, parse_dim(lexer_, known_));
    x.extent = std::move(extent);
    if (lexer_.accept_ident("vector")) FRIT_TRY(count(x.vector));
    if (lexer_.accept_ident("unroll")) FRIT_TRY(count(x.unroll));
    if (lexer_.accept_ident("lanes")) FRIT_TRY(count(x.lanes));
    if (lexer_.accept_ident("grain")) {
      FRIT_ASSIGN_OR_RETURN(grain, parse_dim(lexer_, known_));
      x.grain = std::move(grain);
    }
    std::vector<Pending> pending;
    if (lexer_.accept_ident("acc")) FRIT_TRY(accumulators(pending));
    std::vector<PendingCarry> carried;
    if (lexer_.accept_ident("carry")) FRIT_TRY(carries(carried));
    FRIT_TRY(lexer_.expect("{"));
    bool fresh = symbols_.insert(x.var).second;
    std::vector<std::string> outer = std::move(defined_);
    defined_.clear();
    for (const PendingCarry& c : carried) {
      FRIT_ASSIGN_OR_RETURN(r, define(c.at, c.value, c.type));
      x.carries.push_back({c.type, c.initial, r});
    }
    FRIT_TRY(loop_body(x, pending, depth));
    for (size_t i = 0; i < carried.size(); ++i) {
      FRIT_ASSIGN_OR_RETURN(next, find(carried[i].at, carried[i].next));
      x.carries[i].next = next;
    }
    for (const std::string& n : defined_) registers_.erase(n);
    defined_ = std::move(outer);
    if (fresh) symbols_.erase(x.var);
    for (size_t i = 0; i < pending.size(); ++i) {
      FRIT_ASSIGN_OR_RETURN(r, define(pending[i].at, pending[i].result, pending[i].type));
      x.accumulators[i].result = r;
    }
    into.push_back({std::move(x)});
    return {};
  }

  // The values of accumulators are looked up while the registers of the body are still known.
  Status loop_body(Loop& x, const std::vector<Pending>& pending, int depth) {
    FRIT_TRY(instructions(x.body, depth + 1));
    for (const Pending& p : pending) {
      Accumulator a{p.combine, p.type, kNoReg, kNoReg};
      FRIT_ASSIGN_OR_RETURN(value, find(p.at, p.value));
      a.value = value;
      a.type = k_.reg_types[value];
      if (!p.position.empty()) {
        FRIT_ASSIGN_OR_RETURN(position, find(p.at, p.position));
        a.position = position;
      }
      x.accumulators.push_back(a);
    }
    return {};
  }

  Lexer& lexer_;
  Kernel k_;
  SymbolCheck known_;
  std::set<std::string> symbols_;         // in scope
  std::map<std::string, Reg> registers_;  // in scope
  std::vector<std::string> defined_;      // those of registers_ that belong to the innermost body
};

}  // namespace

Result<Kernel> parse_kernel(Lexer& lexer) { return KernelParser(lexer).kernel(); }

Result<Kernel> parse_kernel(std::string_view text, const char* file_name) {
  Lexer lexer(text, file_name);
  FRIT_ASSIGN_OR_RETURN(k, parse_kernel(lexer));
  if (lexer.peek().kind != TokenKind::End) return lexer.expected("the end of the text");
  return k;
}

}  // namespace frit::ir
