// Row text read as scalar arithmetic: gives every expression a type and appends scalar nodes.
#include <map>
#include <mutex>
#include <tuple>

#include "ir/graph/expression.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {
namespace {

// Shorthands: parameters, and text over them that is expanded at each call.
struct Shorthand {
  std::string_view name;
  std::vector<std::string_view> params;
  std::string_view text;
};

const Shorthand* find_shorthand(std::string_view name) {
  // Never destroyed: static destructors may compile.
  static const auto& all = *new std::vector<Shorthand>{
      {"copysign", {"a", "b"}, "float_of(bits(abs(a)) | (bits(b) & bits(-cast(0, compute))))"},
      // |a + bi| without intermediate overflow, of the number times a power of 2. One step corrects the root by what
      // the squares, their sum and the root lost in rounding, so that it is rounded as C rounds it.
      {"hypot",
       {"a", "b"},
       "m = max(abs(a), abs(b)); large = m > 1e15; small = m < 1e-15;"
       "k = select(large, 8.271806125530277e-25, select(small, 1.2676506002282294e30, 1.0));"
       "l = select(large, 1208925819614629174706176.0, select(small, 7.888609052210118e-31, 1.0));"
       "u = a * k; v = b * k; p = u * u; q = v * v; s = p + q; h = sqrt(s);"
       "e = fma(-h, h, s) + ((min(p, q) - (s - max(p, q))) + (fma(u, u, -p) + fma(v, v, -q)));"
       "select(abs(a) == inf | abs(b) == inf, inf, select(m == 0, m, (h + e / (h + h)) * l))"},
      // log |a + bi|; near the unit circle through log1p, where the logarithm of a rounded absolute value loses its
      // digits. Where the absolute value would overflow or be subnormal, it is taken of the number times 2^-64 or 2^64,
      // and 64 ln 2 is put back.
      {"log_hypot",
       {"a", "b"},
       "m = max(abs(a), abs(b)); n = min(abs(a), abs(b)); big = m > 1.8446744e19; small = m < 5.421011e-20;"
       "s = select(big, 5.421010862427522e-20, select(small, 18446744073709551616.0, 1)); h = hypot(a * s, b * s);"
       "select(h > 0.5 & h < 2 & s == 1, 0.5 * log1p((m - 1) * (m + 1) + n * n),"
       "log(h) + select(big, 44.3614195558365, select(small, -44.3614195558365, 0)))"},
      // log |1 + a + bi|.
      {"log1p_hypot",
       {"a", "b"},
       "select(max(abs(a), abs(b)) < 0.5, 0.5 * log1p(a * (2 + a) + b * b), log_hypot(1 + a, b))"},
      // The parts of the inverse tangent; with a and b exchanged, those of the inverse hyperbolic one. atan_log is
      // log(1 + 4 a / (b^2 + (1 - a)^2)) / 4 and odd in a. Close to a branch point the quotient would overflow: there
      // it is log(2 / h) / 2.
      {"atan_angle",
       {"a", "b"},
       "select(abs(a) == inf, copysign(1.5707963267948966, a), 0.5 * atan2(a, 0.5 * ((1 - b) * (1 + b) - a * a)))"},
      {"atan_log",
       {"a", "b"},
       "t = abs(a); h = hypot(b, 1 - t); l = 0.25 * log1p(4 * (t / h) / h);"
       "near = 0.34657359027997264 - 0.5 * log(h);"
       "copysign(select(h < 1e-15, near, select(t == inf | abs(b) == inf, 0, l)), a)"},
      // The principal square root: the larger part by a sum without cancellation, the other by division. Very large and
      // very small numbers are scaled by a power of four.
      {"csqrt_root",
       {"a", "b"},
       "m = max(abs(a), abs(b)); big = m > 1e38; small = m < 1e-30;"
       "s = select(big, 0.0625, select(small, 16777216.0, 1)); p = a * s; q = b * s;"
       "sqrt(0.5 * hypot(p, q) + 0.5 * abs(p)) * select(big, 4, select(small, 0.000244140625, 1))"},
      {"csqrt_re",
       {"a", "b"},
       "t = csqrt_root(a, b); select(abs(b) == inf, inf, select(t == 0, t, select(a >= 0, t, 0.5 * (abs(b) / t))))"},
      {"csqrt_im",
       {"a", "b"},
       "t = csqrt_root(a, b);"
       "select(abs(b) == inf, b, select(t == 0, b, select(a >= 0, 0.5 * (b / t), copysign(t, b))))"},
  };
  for (const Shorthand& s : all)
    if (s.name == name) return &s;
  return nullptr;
}

Dtype unsigned_of_width(int bytes) { return bytes == 1 ? uint8 : bytes == 2 ? uint16 : bytes == 4 ? uint32 : uint64; }

using Names = std::map<std::string, uint32_t, std::less<>>;

class Instantiator {
 public:
  Instantiator(const OpDef& def, std::span<const Dtype> operands, Dtype result)
      : def_(def), operands_(operands), builder_(program_.nodes) {
    main_ = bool_;
    for (Dtype t : operands)
      if (main_ == bool_) main_ = t;
    compute_ = is_complex(main_) ? float32 : compute_type(main_);
    out_ = is_complex(result) ? float32 : result;
    result_is_complex_ = is_complex(result);
    for (Dtype t : operands) {
      program_.inputs.push_back(is_complex(t) ? float32 : t);
      if (is_complex(t)) program_.inputs.push_back(float32);
    }
  }

  Result<ScalarProgram> run() {
    const Meaning* meaning = nullptr;
    for (const Meaning& m : def_.meanings)
      if (!meaning && applies(m.for_types, main_)) meaning = &m;
    if (!meaning) return fail("has no meaning for " + std::string(short_name(main_)));
    bind_operands();
    FRIT_TRY(add_result(meaning->text));
    if (result_is_complex_) {
      if (meaning->imag.empty()) return fail("has no imaginary part for " + std::string(short_name(main_)));
      FRIT_TRY(add_result(meaning->imag));
    }
    drop_unused();
    return std::move(program_);
  }

 private:
  Diagnostic fail(std::string text) const { return Diagnostic(std::string(def_.name) + ": " + std::move(text)); }

  // ---- nodes ----

  // Deduplicates nodes, so that the two parts of a complex result share common nodes.
  uint32_t unique(uint32_t node) {
    const ScalarNode& n = program_.nodes[node];
    auto key = std::make_tuple(n.op, n.type.val(), n.args, n.imm);
    auto [it, is_new] = seen_.emplace(key, node);
    if (!is_new && node + 1 == program_.nodes.size() && it->second != node) program_.nodes.pop_back();
    return it->second;
  }

  Dtype type(uint32_t node) const { return program_.nodes[node].type; }

  uint32_t cast(Dtype t, uint32_t node) {
    if (t == type(node)) return node;
    // Widening to the compute type and rounding back is the identity.
    const ScalarNode& n = program_.nodes[node];
    if (n.op == ScalarOp::Cast && is_low_precision(t) && n.type == float32 && type(n.args[0]) == t) return n.args[0];
    return unique(builder_.cast(t, node));
  }

  // Binds every operand to its name, widened for arithmetic; raw_ keeps the node before widening.
  void bind_operands() {
    static constexpr std::string_view kNames[] = {"x", "y", "z", "w"};
    uint32_t input = 0;
    for (size_t i = 0; i < operands_.size() && i < std::size(kNames); ++i) {
      std::string name(kNames[i]);
      if (is_complex(operands_[i])) {
        names_[name + "r"] = unique(builder_.input(float32, input++));
        names_[name + "i"] = unique(builder_.input(float32, input++));
      } else {
        uint32_t node = unique(builder_.input(operands_[i], input++));
        raw_[name] = node;
        names_[name] = cast(compute_type(operands_[i]), node);
      }
    }
  }

  Status add_result(std::string_view text) {
    auto parsed = parse_row_text(text);
    if (!parsed.ok()) return fail(parsed.error().message);
    FRIT_ASSIGN_OR_RETURN(node, body(*parsed, names_, compute_type(out_)));
    if (type(node) != out_) {
      if (type(node) != compute_type(out_))
        return fail("gives " + std::string(short_name(type(node))) + " where the result is " +
                    std::string(short_name(out_)));
      node = cast(out_, node);
    }
    program_.results.push_back(node);
    return {};
  }

  Result<uint32_t> body(const RowText& text, Names& names, Dtype want) {
    for (const auto& [name, value] : text.lets) {
      FRIT_ASSIGN_OR_RETURN(node, emit(value, names, compute_));
      names[name] = node;
    }
    return emit(text.result, names, want);
  }

  // ---- expressions ----

  static bool is_constant_name(std::string_view n) {
    return n == "inf" || n == "nan" || n == "pi" || n == "eps" || n == "count_mask";
  }

  // A number, or arithmetic on numbers alone, has no type of its own. It takes the type of its neighbour.
  static bool untyped(const Expr& e, const Names& names) {
    switch (e.kind) {
      case Expr::Kind::Number: return true;
      case Expr::Kind::Name: return !names.contains(e.name) && is_constant_name(e.name);
      case Expr::Kind::Call: break;
    }
    auto op = parse_scalar_op(e.name);
    if (!op || is_comparison(*op) || *op == ScalarOp::Cast || *op == ScalarOp::Bitcast) return false;
    for (size_t i = *op == ScalarOp::Select ? 1 : 0; i < e.args.size(); ++i)
      if (!untyped(e.args[i], names)) return false;
    return true;
  }

  Result<uint32_t> emit(const Expr& e, Names& names, Dtype want) {
    switch (e.kind) {
      case Expr::Kind::Number: return number(e, want);
      case Expr::Kind::Name: return named(e, names, want);
      case Expr::Kind::Call: return call(e, names, want);
    }
    return fail("empty expression");
  }

  Result<uint32_t> number(const Expr& e, Dtype want) {
    if (is_int(want)) {
      if (!e.is_integer) return fail("a fraction where " + std::string(short_name(want)) + " is expected");
      return unique(builder_.constant_int(want, static_cast<int64_t>(e.number)));
    }
    return unique(builder_.constant(want, e.number));
  }

  Result<uint32_t> named(const Expr& e, Names& names, Dtype want) {
    if (auto it = names.find(e.name); it != names.end()) return it->second;
    if (e.name == "true" || e.name == "false") return unique(builder_.constant_bits(bool_, e.name == "true"));
    if (!is_constant_name(e.name)) return fail("unknown name '" + e.name + "'");
    if (e.name == "count_mask" && is_int(want))
      return unique(builder_.constant_int(want, size_of(want) == 8 ? 63 : 31));
    if (!is_float(want) || e.name == "count_mask")
      return fail("'" + e.name + "' where " + std::string(short_name(want)) + " is expected");
    double value = e.name == "inf"   ? std::numeric_limits<double>::infinity()
                   : e.name == "nan" ? std::numeric_limits<double>::quiet_NaN()
                   : e.name == "pi"  ? 3.14159265358979323846
                   : want == float64 ? 0x1p-52
                                     : 0x1p-23;
    return unique(builder_.constant(want, value));
  }

  Result<Dtype> dtype_argument(const Expr& e) const {
    if (e.name == "compute") return compute_;
    if (e.name == "out") return out_;
    auto t = parse_short_name(e.name);
    if (!t || is_complex(*t)) return fail("unknown element type '" + e.name + "'");
    return *t;
  }

  Result<uint32_t> call(const Expr& e, Names& names, Dtype want) {
    auto takes = [&](size_t n) -> Status {
      if (e.args.size() == n) return {};
      return fail("'" + e.name + "' takes " + std::to_string(n) + " operands, not " + std::to_string(e.args.size()));
    };
    if (e.name == "cast" || e.name == "bitcast") {
      FRIT_TRY(takes(2));
      FRIT_ASSIGN_OR_RETURN(t, dtype_argument(e.args[1]));
      FRIT_ASSIGN_OR_RETURN(value, emit(e.args[0], names, t));
      return e.name == "cast" ? cast(t, value) : bitcast(t, value);
    }
    if (e.name == "bits" || e.name == "float_of") {
      FRIT_TRY(takes(1));
      FRIT_ASSIGN_OR_RETURN(value, emit(e.args[0], names, compute_));
      bool to_bits = e.name == "bits";
      if (to_bits != is_float(type(value))) return fail("'" + e.name + "' of " + std::string(short_name(type(value))));
      int width = type(value).size();
      return bitcast(to_bits ? unsigned_of_width(width) : width == 8 ? float64 : float32, value);
    }
    if (e.name == "as_out") {
      FRIT_TRY(takes(2));
      FRIT_ASSIGN_OR_RETURN(real, emit(e.args[0], names, compute_));
      if (out_ != bool_) return cast(out_, real);
      FRIT_ASSIGN_OR_RETURN(imag, emit(e.args[1], names, compute_));
      uint32_t zero = unique(builder_.constant(compute_, 0));
      uint32_t a = unique(builder_.binary(ScalarOp::Ne, real, zero));
      return unique(builder_.binary(ScalarOp::Or, a, unique(builder_.binary(ScalarOp::Ne, imag, zero))));
    }
    if (e.name == "raw") {
      FRIT_TRY(takes(1));
      auto it = raw_.find(e.args[0].name);
      if (it == raw_.end()) return fail("'raw' takes the name of an operand that is not complex");
      return it->second;
    }
    if (e.name == "ipow") {
      FRIT_TRY(takes(2));
      FRIT_ASSIGN_OR_RETURN(base, emit(e.args[0], names, want));
      FRIT_ASSIGN_OR_RETURN(exponent, emit(e.args[1], names, type(base)));
      return integer_power(base, exponent);
    }
    if (const Shorthand* s = find_shorthand(e.name)) {
      FRIT_TRY(takes(s->params.size()));
      Names inner;
      for (size_t i = 0; i < e.args.size(); ++i) {
        FRIT_ASSIGN_OR_RETURN(value, emit(e.args[i], names, compute_));
        inner[std::string(s->params[i])] = value;
      }
      FRIT_ASSIGN_OR_RETURN(text, parse_row_text(s->text));
      return body(text, inner, compute_);
    }
    auto op = parse_scalar_op(e.name);
    if (!op || arity(*op) == 0) return fail("unknown function '" + e.name + "'");
    FRIT_TRY(takes(static_cast<size_t>(arity(*op))));
    return scalar_op(*op, e, names, want);
  }

  // The operands have one type, the condition of select aside: the type of the first operand that has one, else `want`.
  Result<uint32_t> scalar_op(ScalarOp op, const Expr& e, Names& names, Dtype want) {
    std::array<uint32_t, 3> args{};
    size_t first = op == ScalarOp::Select ? 1 : 0, typed = e.args.size();
    for (size_t i = e.args.size(); i-- > first;)
      if (!untyped(e.args[i], names)) typed = i;
    Dtype operand = is_comparison(op) ? compute_ : want;
    if (typed < e.args.size()) {
      FRIT_ASSIGN_OR_RETURN(node, emit(e.args[typed], names, want));
      args[typed] = node;
      operand = type(node);
    }
    for (size_t i = 0; i < e.args.size(); ++i) {
      if (i == typed) continue;
      FRIT_ASSIGN_OR_RETURN(node, emit(e.args[i], names, i < first ? bool_ : operand));
      args[i] = node;
    }
    std::array<Dtype, 3> types{float32, float32, float32};
    for (size_t i = 0; i < e.args.size(); ++i) types[i] = type(args[i]);
    Dtype result = is_comparison(op) ? bool_ : types[first];
    if (is_low_precision(types[first]) || !types_fit(op, result, std::span(types).first(e.args.size()))) {
      std::string list;
      for (size_t i = 0; i < e.args.size(); ++i) list += (i ? ", " : "") + std::string(short_name(types[i]));
      return fail("'" + e.name + "' does not take " + list);
    }
    if (e.args.size() == 1) return unique(builder_.unary(op, args[0]));
    if (e.args.size() == 2) return unique(builder_.binary(op, args[0], args[1]));
    if (op == ScalarOp::Select) return unique(builder_.select(args[0], args[1], args[2]));
    return unique(builder_.ternary(op, args[0], args[1], args[2]));
  }

  Result<uint32_t> bitcast(Dtype t, uint32_t value) {
    if (t.size() != type(value).size())
      return fail("bitcast from " + std::string(short_name(type(value))) + " to " + std::string(short_name(t)) +
                  ", which has another width");
    return t == type(value) ? value : unique(builder_.bitcast(t, value));
  }

  // base^exponent by squaring. A negative exponent gives the truncated exact quotient: 1 / base^n is a whole number
  // only for 1 and -1; otherwise, also for base 0, the result is 0.
  Result<uint32_t> integer_power(uint32_t base, uint32_t exponent) {
    Dtype t = type(base);
    if (!is_int(t) || type(exponent) != t) return fail("'ipow' takes two integers of one type");
    auto binary = [&](ScalarOp op, uint32_t a, uint32_t b) { return unique(builder_.binary(op, a, b)); };
    uint32_t zero = unique(builder_.constant_int(t, 0)), one = unique(builder_.constant_int(t, 1));
    uint32_t power = one, square = base, of_few = one;
    int bits = 8 * t.size() - (is_signed_int(t) ? 1 : 0);
    // Machine code goes past the steps behind these where no exponent needs them.
    constexpr int kFewBits = 6, kManyBits = 31;
    for (int i = 0; i < bits; ++i) {
      if (i == kFewBits) of_few = power;
      uint32_t bit = binary(ScalarOp::And, exponent, unique(builder_.constant_bits(t, uint64_t{1} << i)));
      uint32_t is_set = binary(ScalarOp::Ne, bit, zero);
      power = unique(builder_.select(is_set, binary(ScalarOp::Mul, power, square), power));
      if (i + 1 < bits) square = binary(ScalarOp::Mul, square, square);
    }
    if (bits >= kManyBits) {
      uint32_t most = unique(builder_.constant_int(t, int64_t{1} << kFewBits));
      power = unique(builder_.select(binary(ScalarOp::Ge, exponent, most), power, of_few));
    }
    if (!is_signed_int(t)) return power;
    uint32_t minus_one = unique(builder_.constant_int(t, -1));
    uint32_t odd = binary(ScalarOp::Ne, binary(ScalarOp::And, exponent, one), zero);
    uint32_t of_minus_one = unique(builder_.select(odd, minus_one, one));
    uint32_t quotient = unique(builder_.select(binary(ScalarOp::Eq, base, minus_one), of_minus_one, zero));
    quotient = unique(builder_.select(binary(ScalarOp::Eq, base, one), one, quotient));
    return unique(builder_.select(binary(ScalarOp::Lt, exponent, zero), quotient, power));
  }

  void drop_unused() {
    std::vector<ScalarNode>& nodes = program_.nodes;
    std::vector<bool> used(nodes.size(), false);
    for (uint32_t r : program_.results) used[r] = true;
    for (size_t i = nodes.size(); i-- > 0;)
      if (used[i])
        for (int a = 0; a < arity(nodes[i].op); ++a) used[nodes[i].args[a]] = true;
    std::vector<uint32_t> moved(nodes.size(), 0);
    uint32_t next = 0;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!used[i]) continue;
      ScalarNode n = nodes[i];
      for (int a = 0; a < arity(n.op); ++a) n.args[a] = moved[n.args[a]];
      moved[i] = next;
      nodes[next++] = n;
    }
    nodes.resize(next);
    for (uint32_t& r : program_.results) r = moved[r];
  }

  const OpDef& def_;
  std::span<const Dtype> operands_;
  ScalarProgram program_;
  ScalarBuilder builder_;
  Dtype main_ = float32, compute_ = float32, out_ = float32;
  bool result_is_complex_ = false;
  Names names_, raw_;
  std::map<std::tuple<ScalarOp, Dtype::Val, std::array<uint32_t, 3>, uint64_t>, uint32_t> seen_;
};

}  // namespace

Result<ScalarProgram> meaning(const OpDef& def, std::span<const Dtype> operands, Dtype result) {
  // Only rows of the table are cached: their addresses stay valid.
  bool keep = OpTable::instance().find(def.name) == &def;
  static std::mutex mutex;
  // Never destroyed: static destructors may compile.
  static auto& cache = *new std::map<std::pair<const OpDef*, std::string>, ScalarProgram>;
  std::string types(1, static_cast<char>(result.val()));
  for (Dtype t : operands) types += static_cast<char>(t.val());
  std::pair<const OpDef*, std::string> key(&def, std::move(types));
  if (keep) {
    std::lock_guard lock(mutex);
    if (auto it = cache.find(key); it != cache.end()) return it->second;
  }
  FRIT_ASSIGN_OR_RETURN(program, Instantiator(def, operands, result).run());
  if (keep) {
    std::lock_guard lock(mutex);
    cache.emplace(std::move(key), program);
  }
  return program;
}

}  // namespace frit::ir
