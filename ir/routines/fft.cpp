// Fourier transforms along the last axis: the rows and routine records of `fft`, `rfft` and `irfft`.
#include <numbers>

#include "ir/ops/rules.h"
#include "ir/routines/cost.h"
#include "ir/routines/host_rows.h"
#include "ir/routines/routine.h"

namespace frit::ir {
namespace {

using Values = std::span<const ValueId>;
using Number = std::complex<double>;

Diagnostic refuse(std::string_view op, const Type& x, std::string_view needs, std::string_view cure) {
  return Diagnostic("op '" + std::string(op) + "' needs " + std::string(needs) + ", but got " + x.str(), {},
                    std::string(cure));
}

Status check(std::string_view op, const InferArgs& args, Dtype dtype) {
  const Type& x = args.operands[0];
  const int64_t norm = args.attrs.get_int("norm");
  if (norm < 0 || norm > 2)
    return Diagnostic("op '" + std::string(op) + "' has norm=" + std::to_string(norm) + ", which is not 0, 1 or 2");
  if (x.dtype != dtype)
    return refuse(op, x, "elements of type " + std::string(short_name(dtype)), "convert with 'astype'");
  if (x.rank() == 0 || !rules::at_most(1, x.shape.back(), args.facts))
    return refuse(op, x, "a last axis with at least one element", "give an array with elements");
  return {};
}

Result<std::vector<Type>> infer_fft(const InferArgs& args) {
  FRIT_TRY(check("fft", args, complex64));
  return std::vector<Type>{args.operands[0]};
}

Result<std::vector<Type>> infer_rfft(const InferArgs& args) {
  FRIT_TRY(check("rfft", args, float32));
  Type out{complex64, args.operands[0].shape};
  out.shape.back() = floor_div(out.shape.back(), 2) + Dim(1);
  return std::vector<Type>{out};
}

Result<std::vector<Type>> infer_irfft(const InferArgs& args) {
  FRIT_TRY(check("irfft", args, complex64));
  const Type& x = args.operands[0];
  const Dim n = args.attrs.get_dim("n");
  if (!rules::at_most(1, n, args.facts) || !rules::same_size(floor_div(n, 2) + Dim(1), x.shape.back(), args.facts))
    return Diagnostic("op 'irfft' gives n=" + n.str() +
                          " numbers, for which it needs n // 2 + 1 in the last axis, but got " + x.str(),
                      {}, "cut or pad the operand");
  Type out{float32, x.shape};
  out.shape.back() = n;
  return std::vector<Type>{out};
}

double scale_of(const ReferenceCall& call, int64_t n) {
  const int64_t norm = call.attrs.get_int("norm");
  return norm == 0 ? 1 : norm == 1 ? 1 / std::sqrt(static_cast<double>(n)) : 1 / static_cast<double>(n);
}

// Sums of n terms for each element of a row, by the definition. row(j) gives element j, and set(k, sum) takes `count`
// sums.
template <class Row, class Set>
void transform(int64_t n, int64_t count, bool inverse, double scale, const Row& row, const Set& set) {
  std::vector<Number> roots;
  for (int64_t k = 0; k < n; ++k)
    roots.push_back(
        std::polar(1.0, (inverse ? 2 : -2) * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n)));
  for (int64_t k = 0; k < count; ++k) {
    Number sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += row(j) * roots[static_cast<size_t>(j * k % n)];
    set(k, sum * scale);
  }
}

// fft and rfft.
Status forward(const ReferenceCall& call) {
  const HostWindow &x = call.operands[0], &out = call.results[0];
  const HostRows from(x), to(out);
  const bool inverse = call.attrs.get_bool("inverse");
  for (int64_t row = 0; row < from.count(); ++row)
    transform(
        from.length(), to.length(), inverse, scale_of(call, from.length()),
        [&](int64_t j) { return x.number(from.at(row, j)); },
        [&](int64_t k, Number sum) { out.set_number(to.at(row, k), sum); });
  return {};
}

// The other half of the spectrum is that of a real row. The imaginary parts of its first and, for an even length, of
// its last element count for nothing.
Status inverse_real(const ReferenceCall& call) {
  const HostWindow &x = call.operands[0], &out = call.results[0];
  const HostRows from(x), to(out);
  const int64_t n = to.length();
  for (int64_t row = 0; row < from.count(); ++row)
    transform(
        n, n, true, scale_of(call, n),
        [&](int64_t j) {
          const Number v = x.number(from.at(row, std::min(j, n - j)));
          if (j == 0 || 2 * j == n) return Number(v.real());
          return 2 * j < n ? v : std::conj(v);
        },
        [&](int64_t k, Number sum) { out.set_number(to.at(row, k), sum.real()); });
  return {};
}

// ---- derivatives ----

// The transform is its own transpose, and a cotangent meets the conjugate of the multiplier.
std::vector<ValueId> vjp_fft(Builder& b, const Op& op, Values, Values, Values cotangents) {
  return {b.build("fft", {cotangents[0]},
                  {{"inverse", !op.attrs.get_bool("inverse")}, {"norm", Dim(op.attrs.get_int("norm"))}})};
}

// The cotangent of element j is the real part of the sum of g[k] exp(2 pi i j k / n): that half of a spectrum with
// zeros behind it.
std::vector<ValueId> vjp_rfft(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Dim n = b.type(operands[0]).shape.back();
  const Shape half = b.type(cotangents[0]).shape;
  Dims low(half.size(), 0), high(half.size(), 0);
  high.back() = n - half.back();
  const ValueId zero = b.scalar(complex64, 0);
  const ValueId whole = b.build("pad", {cotangents[0], zero}, {{"low", low}, {"high", high}});
  const ValueId sums = b.build("fft", {whole}, {{"inverse", true}, {"norm", Dim(op.attrs.get_int("norm"))}});
  return {b.build("real", {sums})};
}

// The transform of the cotangent; elements that stand for two of the spectrum count twice.
std::vector<ValueId> vjp_irfft(Builder& b, const Op& op, Values operands, Values, Values cotangents) {
  const Type half = b.type(operands[0]);
  const ValueId g = b.build("rfft", {cotangents[0]}, {{"norm", Dim(op.attrs.get_int("norm"))}});
  // Once: the first, and the last one of an even length, whose double is n.
  const Type number{int64, half.shape};
  const ValueId k =
      b.build("iota", {}, {{"shape", Dims(half.shape)}, {"axis", Dim(half.rank() - 1)}, {"dtype", int64}});
  const ValueId n = b.broadcast(rules::count(b, op.attrs.get_dim("n"), int64), half.shape);
  const ValueId first = b.build("equal", {k, b.splat(0, number)}), last = b.build("equal", {b.build("add", {k, k}), n});
  const ValueId once = b.build("logical_or", {first, last});
  return {b.build("select", {once, g, b.build("add", {g, g})})};
}

bool is_complex_type(Dtype t) { return is_complex(t); }
bool is_float32(Dtype t) { return t == float32; }

// 5 n log2(n) for a complex row, half of it for a real one.
std::optional<Dim> flops_of_fft(const Layout& row, double factor) {
  const std::optional<Dim> one = cost::n_log_n(row.shape.back(), factor);
  return one ? std::optional(cost::leading(row.shape, 1) * *one) : std::nullopt;
}
std::optional<Dim> flops_fft(const RoutineLayouts& call) { return flops_of_fft(call.operands[0], 5); }
std::optional<Dim> flops_rfft(const RoutineLayouts& call) { return flops_of_fft(call.operands[0], 2.5); }
std::optional<Dim> flops_irfft(const RoutineLayouts& call) { return flops_of_fft(call.results[0], 2.5); }

constinit const Routine kFft{
    .name = "fft", .infer = infer_fft, .reference = forward, .takes = is_complex_type, .flops = flops_fft};
constinit const Routine kRfft{
    .name = "rfft", .infer = infer_rfft, .reference = forward, .takes = is_float32, .flops = flops_rfft};
constinit const Routine kIrfft{
    .name = "irfft", .infer = infer_irfft, .reference = inverse_real, .takes = is_complex_type, .flops = flops_irfft};

const RegisterRoutine fft_records[] = {RegisterRoutine(kFft), RegisterRoutine(kRfft), RegisterRoutine(kIrfft)};

const AttrSpec kNorm{.name = "norm",
                     .kind = AttrKind::Int,
                     .required = false,
                     .fallback = Dim(0),
                     .doc = "1 divides the sums by the root of their length, 2 by their length"};

const RegisterOps fft_rows({
    {.name = "fft",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoFold,
     .doc = "The sums of x[j] exp(-2 pi i j k / n) along the last axis; with inverse=true of x[j] exp(2 pi i j k / n).",
     .attrs = {{.name = "inverse",
                .kind = AttrKind::Bool,
                .required = false,
                .fallback = false,
                .doc = "the other sign in the exponent"},
               kNorm},
     .routine = &kFft,
     .infer = infer_fft,
     .vjp = vjp_fft},
    {.name = "rfft",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoFold,
     .doc = "The first n // 2 + 1 sums of 'fft' for real numbers, from which the others follow.",
     .attrs = {kNorm},
     .routine = &kRfft,
     .infer = infer_rfft,
     .vjp = vjp_rfft},
    {.name = "irfft",
     .kind = OpKind::Library,
     .arity = 1,
     .traits = kStacked | kExpensive | kNoFold,
     .doc = "The n real numbers whose spectrum begins with the operand's n // 2 + 1 numbers, times n: the inverse of "
            "'rfft' with norm=2.",
     .attrs = {{.name = "n", .kind = AttrKind::Int, .doc = "the length of the result"}, kNorm},
     .routine = &kIrfft,
     .infer = infer_irfft,
     .vjp = vjp_irfft},
});

}  // namespace
}  // namespace frit::ir
