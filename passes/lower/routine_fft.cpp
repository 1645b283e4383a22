// Fourier transforms along the last axis as kernels: `fft`, `rfft` and `irfft`.
//
// Rows of a length that is known to be a power of two take Stockham's transform: passes between two pieces of scratch
// memory, which leave the sums in order. Any other length n takes Bluestein's: with c[j] = exp(-i pi j j / n), element
// k of the spectrum is c[k] times the convolution of x[j] c[j] with 1 / c[j], which transforms of a power of two of at
// least 2n - 1 elements compute. (Bluestein 1970; Stockham's form as in Van Loan 1992, section 1.7.)
//
// A first kernel writes the tables that follow from the length alone. An inverse transform exchanges real and imaginary
// parts in front and behind.
#include <bit>
#include <numbers>

#include "passes/lower/routine_writer.h"

namespace frit::passes {
namespace {

using namespace ir;

// Tables that follow from the length alone, in temporaries of the program.
struct Tables {
  uint32_t roots;   // exp(-2 pi i k / m) for k < m / 2
  uint32_t chirp;   // c[j] for j < n
  uint32_t filter;  // the transform of 1 / c
};

// How long the rows are, and the transforms that compute their spectrum.
struct Lengths {
  Dim n;
  bool direct;  // n is a power of two
  // The least power of two that does, or a number that it surely does not exceed.
  Dim most;
  explicit Lengths(const Dim& length) : n(length) {
    direct = n.is_const() && std::has_single_bit(static_cast<uint64_t>(n.value()));
    most = n * Dim(4);
    if (n.is_const())
      most = static_cast<int64_t>(
          std::bit_ceil(direct ? static_cast<uint64_t>(n.value()) : 2 * static_cast<uint64_t>(n.value()) - 1));
  }
};

class FftWriter : public RoutineWriter {
 public:
  FftWriter(const RoutineKernels& r, const std::string& name, const Lengths& lengths, const Tables& tables)
      : RoutineWriter(r, 1, name), lengths_(lengths), tables_(tables) {
    re_ = scratch("re", float64, lengths.most * Dim(2));
    im_ = scratch("im", float64, lengths.most * Dim(2));
  }

 protected:
  // The length m of the transforms and the number of their passes.
  void find_length() {
    if (lengths_.n.is_const()) {
      m_ = lengths_.most;
      stages_ = std::countr_zero(static_cast<uint64_t>(m_.value()));
      end_ = stages_.value() % 2 ? m_ : Dim(0);
    } else {
      const Reg least = index(lengths_.n * Dim(2) - Dim(1));
      const Dim bit = open("bit", 62);
      const Reg bits = sum(cast(less(op(ScalarOp::Shl, integer(1), index(bit)), least), int64));
      close();
      const Reg m = op(ScalarOp::Shl, integer(1), bits);
      m_ = bound("m", m, lengths_.most);
      stages_ = bound("stages", bits, 63);
      end_ = bound("end", mul(both(bits, integer(1)), m), lengths_.most);
    }
  }

  Num scratch_at(const Dim& at) const { return {get(re_, at), get(im_, at)}; }
  void put_scratch(const Dim& at, Num v) const {
    put(re_, at, v.re);
    put(im_, at, v.im);
  }
  // Pairs in a temporary of the program.
  Num table(uint32_t t, const Dim& at) {
    const uint32_t b = kernel().buffer(t, false);
    return {get(b, at * Dim(2)), get(b, at * Dim(2) + Dim(1))};
  }
  void put_table(uint32_t t, const Dim& at, Num v) {
    const uint32_t b = kernel().buffer(t, true);
    put(b, at * Dim(2), v.re);
    put(b, at * Dim(2) + Dim(1), v.im);
  }

  // The transform of the first m elements of scratch memory, which ends at end_.
  void transform() {
    const Dim s = open("pass", stages_);
    const Reg number = index(s), all = index(m_);
    const Reg group = op(ScalarOp::Shl, integer(1), number), parity = both(number, integer(1));
    const Reg from_reg = mul(parity, all);
    const Dim from = bound("from", from_reg, m_ + Dim(1)), to = bound("to", sub(all, from_reg), m_ + Dim(1));
    const Dim width = bound("width", group, m_ + Dim(1));
    const Dim groups = bound("groups", op(ScalarOp::Shr, all, add(number, integer(1))), m_ + Dim(1));
    const Dim half = bound("half", op(ScalarOp::Shr, all, integer(1)), m_ + Dim(1));
    const Dim j = open("j", groups), first = j * width;
    const Num root = table(tables_.roots, first);
    const Dim k = open_vector("k", width);
    const Num a = scratch_at(from + first + k), b = scratch_at(from + first + k + half);
    put_scratch(to + first * Dim(2) + k, plus(a, b));
    put_scratch(to + first * Dim(2) + k + width, times(root, minus(a, b)));
    close(3);
  }

  const Lengths& lengths_;
  const Tables& tables_;
  uint32_t re_, im_;
  Dim m_ = 0, stages_ = 0, end_ = 0;
};

class TableWriter : public FftWriter {
 public:
  using FftWriter::FftWriter;
  KernelStep write() {
    find_length();
    const Dim k = open("k", floor_div(m_, 2));
    put_table(tables_.roots, k, unit(mul(number(-2 * std::numbers::pi), div(real(k), real(m_)))));
    close();
    if (!lengths_.direct) {
      const Dim n = lengths_.n, j = open("j", n);
      // The angle repeats after 2n.
      const Reg square = op(ScalarOp::Rem, mul(index(j), index(j)), index(n * Dim(2)));
      put_table(tables_.chirp, j, unit(mul(number(-std::numbers::pi), div(cast(square, float64), real(n)))));
      close();
      write_filter();
    }
    return finished().front();
  }

 private:
  Reg real(const Dim& d) const { return cast(index(d), float64); }
  Num unit(Reg angle) const { return {op(ScalarOp::Cos, angle), op(ScalarOp::Sin, angle)}; }

  void write_filter() {
    const Dim n = lengths_.n;
    const Dim z = open_vector("z", m_);
    put_scratch(z, {number(0), number(0)});
    close();
    const Dim j = open("j", n);
    const Num c = conjugate(table(tables_.chirp, j));
    put_scratch(j, c);
    close();
    // Negative positions stand at the end.
    const Dim i = open("i", n - Dim(1));
    put_scratch(m_ - Dim(1) - i, conjugate(table(tables_.chirp, i + Dim(1))));
    close();
    transform();
    const Dim k = open("k", m_);
    put_table(tables_.filter, k, scratch_at(end_ + k));
    close();
  }
};

// Which numbers of a row are transformed, and which of the sums are kept.
enum class Rows : uint8_t { Complex, RealIn, RealOut };

template <Rows kRows>
class RowsWriter : public FftWriter {
 public:
  RowsWriter(const RoutineKernels& r, const Lengths& lengths, const Tables& tables)
      : FftWriter(r, r.name, lengths, tables), x_(operand(0)), out_(result(0)) {
    inverse_ = kRows == Rows::RealOut || (kRows == Rows::Complex && attrs().get_bool("inverse"));
  }

  KernelStep write() {
    const Dim n = lengths_.n;
    open_stack();
    find_length();
    const Dim j = open("j", n);
    const Num x = exchanged(element(j));
    put_scratch(j, lengths_.direct ? x : times(x, table(tables_.chirp, j)));
    close();
    if (!lengths_.direct) {
      const Dim z = n + open_vector("z", m_ - n);
      put_scratch(z, {number(0), number(0)});
      close();
    }
    transform();
    if (!lengths_.direct) convolve();
    const Dim k = open("k", out_.size(0));
    Num sum = scratch_at(end_ + k);
    if (!lengths_.direct) {
      const Num c = table(tables_.chirp, k);
      sum = times(scaled({sum.im, sum.re}, div(number(1), cast(index(m_), float64))), c);
    }
    store_sum(k, exchanged(sum));
    close(2);
    return finished().front();
  }

 private:
  Num exchanged(Num v) const { return inverse_ ? Num{v.im, v.re} : v; }

  Num element(const Dim& j) {
    if constexpr (kRows == Rows::Complex) return get(x_, at(x_, {j}));
    if constexpr (kRows == Rows::RealIn) return {get(x_, at(x_, {j})).re, number(0)};
    // The other half of the spectrum is that of a real row.
    const Dim n = lengths_.n;
    const Num v = get(x_, at(x_, {min(j, n - j)}));
    const Reg twice = index(j * Dim(2)), all = index(n);
    const Reg alone = op(ScalarOp::Or, equal(twice, integer(0)), equal(twice, all));
    const Reg im = select(less(twice, all), v.im, op(ScalarOp::Neg, v.im));
    return {v.re, select(alone, number(0), im)};
  }

  // The product with the filter, transformed back up to an exchange of the parts and the factor m.
  void convolve() {
    const Dim k = open("k", m_);
    const Num p = times(scratch_at(end_ + k), table(tables_.filter, k));
    put_scratch(k, {p.im, p.re});
    close();
    transform();
  }

  void store_sum(const Dim& k, Num sum) {
    const int64_t norm = attrs().get_int("norm");
    if (norm) {
      const Reg n = cast(index(lengths_.n), float64);
      sum = scaled(sum, div(number(1), norm == 1 ? op(ScalarOp::Sqrt, n) : n));
    }
    put(out_, at(out_, {k}), sum);
  }

  const Stack x_, out_;
  bool inverse_ = false;
};

uint32_t add_table(const RoutineKernels& r, const char* what, const Dim& pairs) {
  std::vector<ProgramBuffer>& all = r.f.program->buffers;
  all.push_back({.name = r.name + "_" + what, .role = BufferRole::Temp, .dtype = float64, .size = pairs * Dim(2)});
  return static_cast<uint32_t>(all.size() - 1);
}

template <Rows kRows>
Result<std::vector<KernelStep>> write_fft(const RoutineKernels& r) {
  const Lengths lengths(kRows == Rows::RealOut ? r.step.attrs.get_dim("n") : r.step.operands[0].layout.shape.back());
  Tables tables{};
  tables.roots = add_table(r, "roots", lengths.most);
  if (!lengths.direct) {
    tables.chirp = add_table(r, "chirp", lengths.n);
    tables.filter = add_table(r, "filter", lengths.most);
  }
  const KernelStep first = TableWriter(r, r.name + "_tables", lengths, tables).write();
  return std::vector<KernelStep>{first, RowsWriter<kRows>(r, lengths, tables).write()};
}

const RegisterRoutineLowering routine_fft_kernels[] = {
    {"fft", write_fft<Rows::Complex>},
    {"rfft", write_fft<Rows::RealIn>},
    {"irfft", write_fft<Rows::RealOut>},
};

}  // namespace
}  // namespace frit::passes
