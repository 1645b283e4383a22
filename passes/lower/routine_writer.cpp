// The shared parts of routines that are written as one kernel.
#include "passes/lower/routine_writer.h"

#include <algorithm>

namespace frit::passes {

using namespace ir;

RoutineWriter::RoutineWriter(const RoutineKernels& r, size_t inner, const std::string& name)
    : r_(r), k_(std::make_unique<KernelBuilder>(r.f, *r.f.program, name)) {
  const Shape& shape = r.step.operands[0].layout.shape;
  outer_.assign(shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(inner));
}

RoutineWriter::Stack RoutineWriter::stack(const Window& w, Dtype dtype, bool written) {
  return {k_->buffer(w.buffer, written), w.layout, dtype};
}
RoutineWriter::Stack RoutineWriter::operand(size_t i) { return stack(r_.step.operands[i], r_.step.dtypes[i], false); }
RoutineWriter::Stack RoutineWriter::result(size_t i) {
  return stack(r_.step.results[i], r_.step.dtypes[r_.step.operands.size() + i], true);
}

void RoutineWriter::open_stack() {
  Dim rest = Dim::symbol(k_->open_loop("p", simplify(product(outer_)), {.kind = LoopKind::Parallel}));
  positions_.assign(outer_.size(), 0);
  // Where an axis has no positions, nothing runs; a division by its size must not stand in the kernel even so.
  const bool none = std::any_of(outer_.begin(), outer_.end(), [](const Dim& d) { return d.is(0); });
  for (size_t i = outer_.size(); i-- > 0 && !none;) {
    positions_[i] = i == 0 ? rest : simplify(mod(rest, outer_[i]));
    if (i > 0) rest = simplify(floor_div(rest, outer_[i]));
  }
}

Dim RoutineWriter::at(const Stack& s, const std::vector<Dim>& inner) const {
  Dim p = s.layout.offset;
  const size_t outer = s.layout.strides.size() - inner.size();
  for (size_t i = 0; i < outer; ++i) p += positions_[i] * s.layout.strides[i];
  for (size_t i = 0; i < inner.size(); ++i) p += inner[i] * s.layout.strides[outer + i];
  return simplify(p);
}

// Inside of a loop over nothing, a number of elements may come out below 0.
Dim RoutineWriter::trips(const Dim& extent) const {
  const Dim d = simplify(extent);
  return d.is_const() && d.value() < 0 ? Dim(0) : d;
}

Dim RoutineWriter::open(const std::string& name, const Dim& extent) {
  return Dim::symbol(k_->open_loop(name, trips(extent), {}));
}
Dim RoutineWriter::open_vector(const std::string& name, const Dim& extent) {
  return Dim::symbol(
      k_->open_loop(name, trips(extent), {.vector = std::max(1, r_.target.vector_bytes / float64.size())}));
}
Dim RoutineWriter::open_sum(const std::string& name, const Dim& extent) {
  const int lanes = r_.target.reduction_lanes;
  const int width = std::min(lanes, std::max(1, r_.target.vector_bytes / float64.size()));
  return Dim::symbol(
      k_->open_loop(name, trips(extent), {.vector = width, .unroll = std::min(4, lanes / width), .lanes = lanes}));
}
void RoutineWriter::open_if(Reg condition) { open("once", bound("holds", cast(condition, int64), 2)); }
void RoutineWriter::close(int loops) {
  while (loops--) k_->close_loop();
}
Dim RoutineWriter::bound(const std::string& name, Reg value, const Dim& extent) {
  return Dim::symbol(k_->bind(name, value, extent));
}

Reg RoutineWriter::number(double v) const {
  return k_->scalar(ScalarOp::Const, float64, {}, double_to_bits(float64, v));
}
Reg RoutineWriter::integer(int64_t v, Dtype type) const {
  const uint64_t mask = type.size() == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * type.size())) - 1;
  return k_->scalar(ScalarOp::Const, type, {}, static_cast<uint64_t>(v) & mask);
}
Reg RoutineWriter::index(const Dim& d) const { return k_->index(simplify(d)); }
Reg RoutineWriter::op(ScalarOp o, Reg a) const { return k_->scalar(o, type(a), {a, kNoReg, kNoReg}); }
Reg RoutineWriter::op(ScalarOp o, Reg a, Reg b) const {
  return k_->scalar(o, is_comparison(o) ? bool_ : type(a), {a, b, kNoReg});
}
Reg RoutineWriter::select(Reg condition, Reg yes, Reg no) const {
  return k_->scalar(ScalarOp::Select, type(yes), {condition, yes, no});
}
Reg RoutineWriter::cast(Reg r, Dtype type) const { return k_->cast(r, type); }

// No element of a stack without elements is reached, and the kernel must not name one.
bool RoutineWriter::is_empty(const Stack& s) {
  return std::any_of(s.layout.shape.begin(), s.layout.shape.end(), [](const Dim& d) { return d.is(0); });
}

Reg RoutineWriter::load(const Stack& s, const Dim& at, int part, Reg mask) const {
  if (is_empty(s)) return k_->scalar(ScalarOp::Const, k_->element_type(s.buffer), {}, 0);
  const Dim p = is_complex(s.dtype) ? at * Dim(2) + Dim(part) : at;
  return k_->load(s.buffer, k_->element_type(s.buffer), simplify(p), mask);
}
void RoutineWriter::store(const Stack& s, const Dim& at, Reg value, int part) const {
  if (is_empty(s)) return;
  const Dim p = is_complex(s.dtype) ? at * Dim(2) + Dim(part) : at;
  k_->store(s.buffer, simplify(p), k_->cast(value, k_->element_type(s.buffer)));
}
uint32_t RoutineWriter::scratch(const std::string& name, Dtype type, const Dim& elements) {
  // Never empty: two scratch memories are never at one address.
  const Dim size = simplify(elements);
  return k_->local(name, type, size.is(0) ? Dim(1) : size);
}
Reg RoutineWriter::get(uint32_t local, const Dim& at, Reg mask) const {
  return k_->load(local, k_->element_type(local), simplify(at), mask);
}
void RoutineWriter::put(uint32_t local, const Dim& at, Reg value) const { k_->store(local, simplify(at), value); }

RoutineWriter::Matrix RoutineWriter::matrix(const std::string& name, const Dim& rows, const Dim& columns,
                                            bool complex) {
  return {scratch(name, float64, rows * columns * Dim(complex ? 2 : 1)), columns, complex};
}
RoutineWriter::Num RoutineWriter::get(const Matrix& m, const Dim& row, const Dim& column) const {
  const Dim p = row * m.columns + column;
  if (!m.complex) return {get(m.local, p), kNoReg};
  return {get(m.local, p * Dim(2)), get(m.local, p * Dim(2) + Dim(1))};
}
void RoutineWriter::put(const Matrix& m, const Dim& row, const Dim& column, Num v) const {
  const Dim p = row * m.columns + column;
  if (!m.complex) return put(m.local, p, v.re);
  put(m.local, p * Dim(2), v.re);
  put(m.local, p * Dim(2) + Dim(1), v.im);
}
RoutineWriter::Num RoutineWriter::get(const Stack& s, const Dim& at) const {
  Num v{cast(load(s, at, 0), float64), kNoReg};
  if (is_complex(s.dtype)) v.im = cast(load(s, at, 1), float64);
  return v;
}
void RoutineWriter::put(const Stack& s, const Dim& at, Num v) const {
  store(s, at, v.re, 0);
  if (is_complex(s.dtype)) store(s, at, v.im == kNoReg ? number(0) : v.im, 1);
}
RoutineWriter::Num RoutineWriter::real(double v, bool complex) const {
  Num out{number(v), kNoReg};
  if (complex) out.im = number(0);
  return out;
}
RoutineWriter::Num RoutineWriter::plus(Num a, Num b) const {
  Num out{add(a.re, b.re), kNoReg};
  if (a.im != kNoReg) out.im = add(a.im, b.im);
  return out;
}
RoutineWriter::Num RoutineWriter::minus(Num a, Num b) const {
  Num out{sub(a.re, b.re), kNoReg};
  if (a.im != kNoReg) out.im = sub(a.im, b.im);
  return out;
}
RoutineWriter::Num RoutineWriter::times(Num a, Num b) const {
  // One after the other: the order in which arguments are evaluated differs between compilers.
  const Reg re = mul(a.re, b.re);
  if (a.im == kNoReg) return {re, kNoReg};
  const Reg im_im = mul(a.im, b.im), difference = sub(re, im_im);
  const Reg cross = mul(a.re, b.im), im_re = mul(a.im, b.re);
  return {difference, add(cross, im_re)};
}
RoutineWriter::Num RoutineWriter::scaled(Num a, Reg by) const {
  Num out{mul(a.re, by), kNoReg};
  if (a.im != kNoReg) out.im = mul(a.im, by);
  return out;
}
RoutineWriter::Num RoutineWriter::conjugate(Num a) const {
  return {a.re, a.im == kNoReg ? kNoReg : op(ScalarOp::Neg, a.im)};
}
Reg RoutineWriter::norm(Num a) const {
  const Reg re = mul(a.re, a.re);
  if (a.im == kNoReg) return re;
  const Reg im = mul(a.im, a.im);
  return add(re, im);
}
RoutineWriter::Num RoutineWriter::select(Reg condition, Num yes, Num no) const {
  Num out{select(condition, yes.re, no.re), kNoReg};
  if (yes.im != kNoReg) out.im = select(condition, yes.im, no.im);
  return out;
}

}  // namespace frit::passes
