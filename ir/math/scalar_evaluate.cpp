// Scalar operations on bits: a table of functions, one per operation and operand type, filled at compile time.
#include <cmath>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "ir/base/per_thread.h"
#include "ir/math/expand.h"
#include "ir/math/scalar_libm.h"
#include "ir/scalar/scalar.h"
#include "ir/scalar/scalar_value.h"

namespace frit::ir {

namespace {

constexpr int kTypeCount = static_cast<int>(kAllDtypes.size());
constexpr int kPrimitiveCount = static_cast<int>(ScalarOp::Madd);

// The nearest float towards zero, with its last bit set when that lost anything: a later rounding to fewer bits
// then gives what one rounding of the exact value would have given.
float round_to_odd(double value) {
  float near = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(near) == value) return near;
  uint32_t bits = std::bit_cast<uint32_t>(near);
  if (std::fabs(static_cast<double>(near)) > std::fabs(value)) --bits;
  return std::bit_cast<float>(bits | 1u);
}

// The same from 64 to 53 bits.
double round_to_odd(uint64_t magnitude) {
  if (magnitude >> 53) magnitude = (magnitude & ~uint64_t{0xfff}) | ((magnitude & 0xfff) ? 0x800u : 0u);
  return static_cast<double>(magnitude);
}

template <class To, class From>
To float_to_int(From value) {
  if (std::isnan(value)) return 0;
  // 2^digits and its negative are exact in every float type; max() need not be.
  From limit = std::ldexp(From{1}, std::numeric_limits<To>::digits);
  if (value >= limit) return std::numeric_limits<To>::max();
  if constexpr (std::is_signed_v<To>) {
    if (value < -limit) return std::numeric_limits<To>::min();
  } else {
    if (value <= 0) return 0;
  }
  return static_cast<To>(value);
}

template <class To, class From>
To cast_value(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (kIsHalf<From>) {
    return cast_value<To>(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (kIsHalf<To>) {
    if constexpr (std::is_same_v<From, float>)
      return To(value);
    else if constexpr (std::is_same_v<From, double>)
      return To(round_to_odd(value));
    else if constexpr (std::is_signed_v<From>) {
      uint64_t wide = static_cast<uint64_t>(static_cast<int64_t>(value));
      double magnitude = round_to_odd(value < 0 ? 0 - wide : wide);
      return To(round_to_odd(value < 0 ? -magnitude : magnitude));
    } else {
      return To(round_to_odd(round_to_odd(static_cast<uint64_t>(value))));
    }
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return float_to_int<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

constexpr bool is_unary(ScalarOp op) {
  return op == ScalarOp::Neg || op == ScalarOp::Abs || op == ScalarOp::Not ||
         (op >= ScalarOp::Floor && op <= ScalarOp::Sqrt);
}

template <ScalarOp op, class T>
uint64_t apply_int(const uint64_t* a) {
  constexpr int width = 8 * static_cast<int>(sizeof(T));
  T x = from_bits<T>(a[0]);
  T y = is_unary(op) ? T{0} : from_bits<T>(a[1]);
  // Modulo 2^64 first: narrow types would be promoted to int, where overflow is undefined.
  uint64_t ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
  [[maybe_unused]] bool negative = false, overflow = false;
  if constexpr (std::is_signed_v<T>) {
    negative = x < 0;
    overflow = x == std::numeric_limits<T>::min() && y == T(-1);
  }
  auto wrap = [](uint64_t v) { return to_bits(static_cast<T>(v)); };
  if constexpr (op == ScalarOp::Add)
    return wrap(ux + uy);
  else if constexpr (op == ScalarOp::Sub)
    return wrap(ux - uy);
  else if constexpr (op == ScalarOp::Mul)
    return wrap(ux * uy);
  else if constexpr (op == ScalarOp::Div)
    return y == 0 ? 0 : overflow ? to_bits(x) : to_bits(static_cast<T>(x / y));
  else if constexpr (op == ScalarOp::Rem)
    return y == 0 || overflow ? 0 : to_bits(static_cast<T>(x % y));
  else if constexpr (op == ScalarOp::Neg)
    return wrap(0 - ux);
  else if constexpr (op == ScalarOp::Abs)
    return negative ? wrap(0 - ux) : to_bits(x);
  else if constexpr (op == ScalarOp::Not)
    return to_bits(static_cast<T>(~x));
  else if constexpr (op == ScalarOp::Shl)
    return uy < width ? wrap(ux << uy) : 0;
  else {
    static_assert(op == ScalarOp::Shr);
    return uy < width ? to_bits(static_cast<T>(x >> uy)) : to_bits(static_cast<T>(negative ? -1 : 0));
  }
}

template <ScalarOp op, class T>
uint64_t apply_float(const uint64_t* a) {
  T x = from_bits<T>(a[0]);
  [[maybe_unused]] T y = is_unary(op) ? T{0} : from_bits<T>(a[1]);
  if constexpr (op == ScalarOp::Add)
    return to_bits<T>(x + y);
  else if constexpr (op == ScalarOp::Sub)
    return to_bits<T>(x - y);
  else if constexpr (op == ScalarOp::Mul)
    return to_bits<T>(x * y);
  else if constexpr (op == ScalarOp::Div)
    return to_bits<T>(x / y);
  else if constexpr (op == ScalarOp::Rem)
    return to_bits<T>(std::fmod(x, y));
  else if constexpr (op == ScalarOp::Neg)
    return a[0] ^ (uint64_t{1} << (8 * sizeof(T) - 1));
  else if constexpr (op == ScalarOp::Abs)
    return a[0] & ~(uint64_t{1} << (8 * sizeof(T) - 1));
  else if constexpr (op == ScalarOp::Floor)
    return to_bits<T>(std::floor(x));
  else if constexpr (op == ScalarOp::Ceil)
    return to_bits<T>(std::ceil(x));
  else if constexpr (op == ScalarOp::Trunc)
    return to_bits<T>(std::trunc(x));
  else if constexpr (op == ScalarOp::Round)
    return to_bits<T>(std::nearbyint(x));
  else if constexpr (op == ScalarOp::Sqrt)
    return to_bits<T>(std::sqrt(x));
  else {
    static_assert(op == ScalarOp::Fma);
    return to_bits<T>(std::fma(x, y, from_bits<T>(a[2])));
  }
}

// One operation on operands of C++ type T (for Select, of the chosen values).
template <ScalarOp op, class T>
uint64_t apply(const uint64_t* a) {
  if constexpr (op == ScalarOp::Select) {
    return a[0] ? a[1] : a[2];
  } else if constexpr (is_comparison(op) || op == ScalarOp::Min || op == ScalarOp::Max) {
    T x = from_bits<T>(a[0]), y = from_bits<T>(a[1]);
    if constexpr (op == ScalarOp::Eq)
      return x == y;
    else if constexpr (op == ScalarOp::Ne)
      return x != y;
    else if constexpr (op == ScalarOp::Lt)
      return x < y;
    else if constexpr (op == ScalarOp::Le)
      return x <= y;
    else if constexpr (op == ScalarOp::Gt)
      return x > y;
    else if constexpr (op == ScalarOp::Ge)
      return x >= y;
    else if constexpr (op == ScalarOp::Min)
      return x < y || x != x ? a[0] : a[1];
    else
      return x > y || x != x ? a[0] : a[1];
  } else if constexpr (op == ScalarOp::And) {
    return a[0] & a[1];
  } else if constexpr (op == ScalarOp::Or) {
    return a[0] | a[1];
  } else if constexpr (op == ScalarOp::Xor) {
    return a[0] ^ a[1];
  } else if constexpr (op == ScalarOp::Not && std::is_same_v<T, bool>) {
    return a[0] ^ 1;
  } else if constexpr (std::is_integral_v<T>) {
    return apply_int<op, T>(a);
  } else {
    return apply_float<op, T>(a);
  }
}

template <ScalarOp op, class T>
constexpr bool defined() {
  if constexpr (std::is_void_v<T>) return false;
  constexpr bool boolean = std::is_same_v<T, bool>;
  constexpr bool integer = std::is_integral_v<T> && !boolean;
  constexpr bool real = std::is_floating_point_v<T>;
  if (op == ScalarOp::Select) return true;
  if (op == ScalarOp::Const || op == ScalarOp::Input || op == ScalarOp::Cast || op == ScalarOp::Bitcast) return false;
  if (is_comparison(op) || op == ScalarOp::Min || op == ScalarOp::Max) return boolean || integer || real;
  if (op >= ScalarOp::Floor && op <= ScalarOp::Fma) return real;
  if (op >= ScalarOp::And && op <= ScalarOp::Not) return boolean || integer;
  if (op == ScalarOp::Shl || op == ScalarOp::Shr) return integer;
  return integer || real;
}

template <class To, class From>
uint64_t apply_cast(const uint64_t* a) {
  return to_bits(cast_value<To>(from_bits<From>(a[0])));
}

uint64_t keep_bits(const uint64_t* a) { return a[0]; }
uint64_t nonzero(const uint64_t* a) { return a[0] != 0; }

template <size_t i>
constexpr PrimitiveFunction table_entry() {
  constexpr auto op = static_cast<ScalarOp>(i / kTypeCount);
  using T = Storage<static_cast<Dtype::Val>(i % kTypeCount)>;
  if constexpr (defined<op, T>())
    return &apply<op, T>;
  else
    return nullptr;
}

template <size_t i>
constexpr PrimitiveFunction cast_entry() {
  using To = Storage<static_cast<Dtype::Val>(i / kTypeCount)>;
  using From = Storage<static_cast<Dtype::Val>(i % kTypeCount)>;
  if constexpr (std::is_void_v<To> || std::is_void_v<From>)
    return nullptr;
  else
    return &apply_cast<To, From>;
}

template <size_t... i>
constexpr auto make_table(std::index_sequence<i...>) {
  return std::array<PrimitiveFunction, sizeof...(i)>{table_entry<i>()...};
}
template <size_t... i>
constexpr auto make_casts(std::index_sequence<i...>) {
  return std::array<PrimitiveFunction, sizeof...(i)>{cast_entry<i>()...};
}

constexpr auto kTable = make_table(std::make_index_sequence<static_cast<size_t>(kPrimitiveCount* kTypeCount)>());
constexpr auto kCasts = make_casts(std::make_index_sequence<static_cast<size_t>(kTypeCount* kTypeCount)>());

// A node of an expansion with its function looked up, so that running one costs a call per node.
struct Step {
  PrimitiveFunction function;  // null: a constant or an input
  std::array<uint32_t, 3> args;
  uint64_t imm;
  bool is_input;
};

std::vector<Step> resolve(std::span<const ScalarNode> nodes) {
  std::vector<Step> steps;
  steps.reserve(nodes.size());
  for (const ScalarNode& n : nodes) {
    Step s{nullptr, n.args, n.imm, n.op == ScalarOp::Input};
    if (n.op != ScalarOp::Input && n.op != ScalarOp::Const) {
      Dtype operand = nodes[n.args[n.op == ScalarOp::Select ? 1 : 0]].type;
      s.function = primitive_function(n.op, n.type, operand);
      if (!s.function) std::abort();  // an expansion holds primitive operations only
    }
    steps.push_back(s);
  }
  return steps;
}

struct Values {
  std::vector<uint64_t> of_steps;
};

uint64_t run(const std::vector<Step>& steps, uint32_t result, std::span<const uint64_t> inputs) {
  std::vector<uint64_t>& values = PerThread<Values>::get().of_steps;
  if (values.size() < steps.size()) values.resize(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step& s = steps[i];
    if (!s.function) {
      values[i] = s.is_input ? inputs[s.imm] : s.imm;
      continue;
    }
    uint64_t args[3] = {values[s.args[0]], values[s.args[1]], values[s.args[2]]};
    values[i] = s.function(args);
  }
  return values[result];
}

struct Expansion {
  std::once_flag once;
  std::vector<Step> steps;
  uint32_t result = 0;
};

uint64_t evaluate_expansion(ScalarOp op, Dtype type, std::span<const uint64_t> args) {
  static std::array<std::array<Expansion, 2>, kScalarOpCount - kPrimitiveCount> cache;
  Expansion& e = cache[static_cast<size_t>(op) - kPrimitiveCount][type == float64];
  std::call_once(e.once, [&] {
    std::vector<ScalarNode> nodes;
    ScalarBuilder b(nodes);
    std::array<uint32_t, 3> inputs{};
    size_t n = static_cast<size_t>(arity(op));
    for (uint32_t i = 0; i < n; ++i) inputs[i] = b.input(type, i);
    e.result = expand_function(b, op, std::span(inputs).first(n));
    e.steps = resolve(nodes);
  });
  return run(e.steps, e.result, args);
}

}  // namespace

PrimitiveFunction primitive_function(ScalarOp op, Dtype result, Dtype operand) {
  if (is_expanded(op)) return nullptr;
  if (op == ScalarOp::Bitcast) return result == bool_ ? &nonzero : &keep_bits;
  size_t from = static_cast<size_t>(operand.val()), to = static_cast<size_t>(result.val());
  if (op == ScalarOp::Cast) return kCasts[to * kTypeCount + from];
  return kTable[static_cast<size_t>(op) * kTypeCount + from];
}

uint64_t evaluate(ScalarOp op, Dtype result, std::span<const Dtype> types, std::span<const uint64_t> args, uint64_t imm,
                  FunctionSource source) {
  if (op == ScalarOp::Const) return imm & width_mask(result);
  if (!types_fit(op, result, types) || args.size() != types.size() || op == ScalarOp::Input) std::abort();
  if (is_expanded(op)) {
    return source == FunctionSource::Libm && is_function(op) ? evaluate_libm(op, result, args)
                                                             : evaluate_expansion(op, result, args);
  }
  return primitive_function(op, result, types[op == ScalarOp::Select ? 1 : 0])(args.data());
}

std::vector<uint64_t> evaluate(const ScalarProgram& program, std::span<const uint64_t> inputs, FunctionSource source) {
  std::vector<uint64_t> values(program.nodes.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const ScalarNode& n = program.nodes[i];
    if (n.op == ScalarOp::Input) {
      values[i] = inputs[n.imm];
      continue;
    }
    std::array<Dtype, 3> types{float32, float32, float32};
    std::array<uint64_t, 3> args{};
    size_t count = static_cast<size_t>(arity(n.op));
    for (size_t a = 0; a < count; ++a) {
      types[a] = program.nodes[n.args[a]].type;
      args[a] = values[n.args[a]];
    }
    values[i] = evaluate(n.op, n.type, std::span(types).first(count), std::span(args).first(count), n.imm, source);
  }
  std::vector<uint64_t> results;
  for (uint32_t r : program.results) results.push_back(values[r]);
  return results;
}

}  // namespace frit::ir
