// Evaluates the nodes of a ScalarProgram one after the other over blocks of elements.
#include "tests/accuracy/block_evaluator.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <type_traits>

namespace frit::accuracy {

namespace {

using ir::ScalarOp;
using Step = void (*)(void*, const void*, const void*, const void*, size_t);

template <class R, class T, class F>
void loop1(void* out, const void* a, size_t n, F f) {
  R* r = static_cast<R*>(out);
  const T* x = static_cast<const T*>(a);
  for (size_t i = 0; i < n; ++i) r[i] = f(x[i]);
}
template <class R, class T, class F>
void loop2(void* out, const void* a, const void* b, size_t n, F f) {
  R* r = static_cast<R*>(out);
  const T* x = static_cast<const T*>(a);
  const T* y = static_cast<const T*>(b);
  for (size_t i = 0; i < n; ++i) r[i] = f(x[i], y[i]);
}

#define FRIT_STEP1(R, T, expr)                                     \
  [](void* o, const void* a, const void*, const void*, size_t n) { \
    loop1<R, T>(o, a, n, [](T x) -> R { return expr; });           \
  }
#define FRIT_STEP2(R, T, expr)                                       \
  [](void* o, const void* a, const void* b, const void*, size_t n) { \
    loop2<R, T>(o, a, b, n, [](T x, T y) -> R { return expr; });     \
  }

template <class T>
Step float_step(ScalarOp op) {
  switch (op) {
    case ScalarOp::Add: return FRIT_STEP2(T, T, x + y);
    case ScalarOp::Sub: return FRIT_STEP2(T, T, x - y);
    case ScalarOp::Mul: return FRIT_STEP2(T, T, x * y);
    case ScalarOp::Div: return FRIT_STEP2(T, T, x / y);
    case ScalarOp::Neg: return FRIT_STEP1(T, T, -x);
    case ScalarOp::Abs: return FRIT_STEP1(T, T, std::fabs(x));
    case ScalarOp::Floor: return FRIT_STEP1(T, T, std::floor(x));
    case ScalarOp::Ceil: return FRIT_STEP1(T, T, std::ceil(x));
    case ScalarOp::Trunc: return FRIT_STEP1(T, T, std::trunc(x));
    case ScalarOp::Round: return FRIT_STEP1(T, T, std::nearbyint(x));
    case ScalarOp::Sqrt: return FRIT_STEP1(T, T, std::sqrt(x));
    case ScalarOp::Fma:
      return [](void* o, const void* a, const void* b, const void* c, size_t n) {
        T* r = static_cast<T*>(o);
        const T *x = static_cast<const T*>(a), *y = static_cast<const T*>(b), *z = static_cast<const T*>(c);
        for (size_t i = 0; i < n; ++i) r[i] = std::fma(x[i], y[i], z[i]);
      };
    default: return nullptr;
  }
}

template <class T>
Step integer_step(ScalarOp op) {
  using U = std::make_unsigned_t<T>;
  constexpr T width = 8 * sizeof(T);
  switch (op) {
    case ScalarOp::Add: return FRIT_STEP2(T, T, static_cast<T>(U(x) + U(y)));
    case ScalarOp::Sub: return FRIT_STEP2(T, T, static_cast<T>(U(x) - U(y)));
    case ScalarOp::Mul: return FRIT_STEP2(T, T, static_cast<T>(U(x) * U(y)));
    case ScalarOp::And: return FRIT_STEP2(T, T, static_cast<T>(x & y));
    case ScalarOp::Or: return FRIT_STEP2(T, T, static_cast<T>(x | y));
    case ScalarOp::Xor: return FRIT_STEP2(T, T, static_cast<T>(x ^ y));
    case ScalarOp::Not: return FRIT_STEP1(T, T, static_cast<T>(~x));
    case ScalarOp::Shl: return FRIT_STEP2(T, T, U(y) < U(width) ? static_cast<T>(U(x) << (y & (width - 1))) : T(0));
    case ScalarOp::Shr:
      return FRIT_STEP2(T, T,
                        U(y) < U(width) ? static_cast<T>(x >> (y & (width - 1))) : static_cast<T>(x < T(0) ? -1 : 0));
    default: return nullptr;
  }
}

Step bool_step(ScalarOp op) {
  switch (op) {
    case ScalarOp::And: return FRIT_STEP2(uint8_t, uint8_t, x& y);
    case ScalarOp::Or: return FRIT_STEP2(uint8_t, uint8_t, x | y);
    case ScalarOp::Xor: return FRIT_STEP2(uint8_t, uint8_t, x ^ y);
    case ScalarOp::Not: return FRIT_STEP1(uint8_t, uint8_t, !x);
    default: return nullptr;
  }
}

template <class T>
Step comparison_step(ScalarOp op) {
  switch (op) {
    case ScalarOp::Eq: return FRIT_STEP2(uint8_t, T, x == y);
    case ScalarOp::Ne: return FRIT_STEP2(uint8_t, T, x != y);
    case ScalarOp::Lt: return FRIT_STEP2(uint8_t, T, x < y);
    case ScalarOp::Le: return FRIT_STEP2(uint8_t, T, x <= y);
    case ScalarOp::Gt: return FRIT_STEP2(uint8_t, T, x > y);
    case ScalarOp::Ge: return FRIT_STEP2(uint8_t, T, x >= y);
    default: return nullptr;
  }
}

template <class T>
void select_step(void* o, const void* a, const void* b, const void* c, size_t n) {
  T* r = static_cast<T*>(o);
  const uint8_t* w = static_cast<const uint8_t*>(a);
  const T *x = static_cast<const T*>(b), *y = static_cast<const T*>(c);
  for (size_t i = 0; i < n; ++i) r[i] = w[i] ? x[i] : y[i];
}

template <class R, class T>
R cast_value(T x) {
  if constexpr (std::is_floating_point_v<T> && std::is_integral_v<R>) {
    // 2^digits is exact in T; the least value is too.
    const T above = std::ldexp(T(1), std::numeric_limits<R>::digits);
    if (x != x) return 0;
    if (x >= above) return std::numeric_limits<R>::max();
    if (x <= T(std::numeric_limits<R>::min())) return std::numeric_limits<R>::min();
  }
  return static_cast<R>(x);
}

template <class R, class T>
Step cast_from() {
  return FRIT_STEP1(R, T, (cast_value<R, T>(x)));
}
template <class R>
Step cast_step(Dtype from) {
  if (from == int32) return cast_from<R, int32_t>();
  if (from == uint32) return cast_from<R, uint32_t>();
  if (from == int64) return cast_from<R, int64_t>();
  if (from == uint64) return cast_from<R, uint64_t>();
  if (from == float32) return cast_from<R, float>();
  if (from == float64) return cast_from<R, double>();
  if (from == bool_) return cast_from<R, uint8_t>();
  return nullptr;
}

template <size_t Bytes>
void copy_step(void* o, const void* a, const void*, const void*, size_t n) {
  std::memcpy(o, a, n * Bytes);
}

Step step_of(ScalarOp op, Dtype type, Dtype operand) {
  if (op == ScalarOp::Bitcast) return type.size() == 4 ? copy_step<4> : copy_step<8>;
  if (op == ScalarOp::Select)
    return type.size() == 4 ? select_step<uint32_t> : type.size() == 8 ? select_step<uint64_t> : select_step<uint8_t>;
  if (op == ScalarOp::Cast) {
    if (type == int32) return cast_step<int32_t>(operand);
    if (type == uint32) return cast_step<uint32_t>(operand);
    if (type == int64) return cast_step<int64_t>(operand);
    if (type == uint64) return cast_step<uint64_t>(operand);
    if (type == float32) return cast_step<float>(operand);
    if (type == float64) return cast_step<double>(operand);
    return nullptr;
  }
  if (operand == bool_) return bool_step(op);
  auto typed = [&]<class T>(T) -> Step {
    if (is_comparison(op)) return comparison_step<T>(op);
    if constexpr (std::is_floating_point_v<T>)
      return float_step<T>(op);
    else
      return integer_step<T>(op);
  };
  if (operand == int32) return typed(int32_t{});
  if (operand == uint32) return typed(uint32_t{});
  if (operand == int64) return typed(int64_t{});
  if (operand == uint64) return typed(uint64_t{});
  if (operand == float32) return typed(float{});
  if (operand == float64) return typed(double{});
  return nullptr;
}

}  // namespace

BlockEvaluator::BlockEvaluator(const ir::ScalarProgram& program)
    : program_(program), storage_(program.nodes.size() * kBlock) {
  for (uint32_t i = 0; i < program_.nodes.size(); ++i) {
    const ir::ScalarNode& node = program_.nodes[i];
    if (node.op == ScalarOp::Input) continue;
    if (node.op == ScalarOp::Const) {
      size_t bytes = node.type == bool_ ? 1 : node.type.size();
      for (size_t k = 0; k < kBlock; ++k) std::memcpy(static_cast<char*>(slot(i)) + k * bytes, &node.imm, bytes);
      continue;
    }
    Dtype operand = program_.nodes[node.args[0]].type;
    Step step = step_of(node.op, node.type, operand);
    if (!step) {
      std::fprintf(stderr, "block evaluator: no %s of this type\n", std::string(ir::name(node.op)).c_str());
      std::abort();
    }
    instructions_.push_back({step, i, node.args[0], node.args[1], node.args[2]});
  }
}

void BlockEvaluator::run(std::span<const void* const> inputs, void* result, size_t count) {
  for (uint32_t i = 0; i < program_.nodes.size(); ++i)
    if (program_.nodes[i].op == ScalarOp::Input) {
      std::memcpy(slot(i), inputs[program_.nodes[i].imm], count * program_.nodes[i].type.size());
    }
  for (const Instruction& in : instructions_) in.step(slot(in.out), slot(in.a), slot(in.b), slot(in.c), count);
  uint32_t last = program_.results[0];
  std::memcpy(result, slot(last), count * program_.nodes[last].type.size());
}

}  // namespace frit::accuracy
