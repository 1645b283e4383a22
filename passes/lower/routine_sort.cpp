// Sorting along the last axis as kernels: `sort`, `argsort`, `partition`, `argpartition`, `topk` and `searchsorted`.
//
// A row is sorted by merging, from runs of one element to runs of the whole row, between two pieces of scratch memory
// that hold keys and positions. A key is an unsigned integer whose order is that of the elements (ir/routines/
// host_rows.h), so that NaN, zeros of both signs and complex numbers need no comparisons of their own.
#include <bit>

#include "passes/lower/routine_writer.h"

namespace frit::passes {
namespace {

using namespace ir;

class RowWriter : public RoutineWriter {
 protected:
  using RoutineWriter::RoutineWriter;

  static Dtype key_type(Dtype element) { return element.size() == 8 ? uint64 : uint32; }

  // Of one real float, as wide as the key.
  Reg float_key(Reg v) {
    const Dtype bits = type(v).size() == 8 ? uint64 : uint32;
    const int64_t top = int64_t{1} << (8 * bits.size() - 1);
    const Reg zero = kernel().scalar(ScalarOp::Const, type(v), {}, 0);
    const Reg plain = select(equal(v, zero), zero, v);
    const Reg word = kernel().scalar(ScalarOp::Bitcast, bits, {plain, kNoReg, kNoReg});
    const Reg negative = op(ScalarOp::Ge, word, integer(top, bits));
    const Reg flipped = op(ScalarOp::Not, word), marked = op(ScalarOp::Or, word, integer(top, bits));
    return select(op(ScalarOp::Ne, v, v), integer(-1, bits), select(negative, flipped, marked));
  }
  // Of an element of a stack.
  Reg key(const Stack& s, const Dim& at, Reg mask = kNoReg) {
    const Dtype t = s.dtype, bits = key_type(t);
    const Reg v = load(s, at, 0, mask);
    if (is_complex(t)) {
      const Reg w = load(s, at, 1, mask);
      const Reg high = op(ScalarOp::Shl, cast(float_key(v), uint64), integer(32, uint64));
      const Reg low = cast(float_key(w), uint64);
      const Reg nan = op(ScalarOp::Or, op(ScalarOp::Ne, v, v), op(ScalarOp::Ne, w, w));
      return select(nan, integer(-1, uint64), op(ScalarOp::Or, high, low));
    }
    if (is_float(t)) return float_key(t.size() < 4 ? cast(v, float32) : v);
    const Reg word = cast(v, bits);  // the sign fills the new bits
    return is_signed_int(t) ? op(ScalarOp::Xor, word, integer(int64_t{1} << (8 * bits.size() - 1), bits)) : word;
  }
};

class Sorter : public RowWriter {
 public:
  explicit Sorter(const RoutineKernels& r)
      : RowWriter(r, 1), x_(operand(0)), out_(result(0)), n_(x_.size(0)), length_(out_.size(0)) {
    for (int i = 0; i < 2; ++i) {
      keys_[i] = scratch(i ? "keys_b" : "keys_a", key_type(x_.dtype), n_);
      places_[i] = scratch(i ? "places_b" : "places_a", uint32, n_);
    }
  }

 protected:
  // Afterwards the positions of the row's elements in ascending order are places_[0].
  void sort_row() {
    const Dim i = open("i", n_);
    put(keys_[0], i, key(x_, at(x_, {i})));
    put(places_[0], i, cast(index(i), uint32));
    close();
    // Two passes a round: the result is where it was before. Past the whole row a pass copies.
    const int64_t rounds = n_.is_const()
                               ? (std::bit_width(static_cast<uint64_t>(std::max<int64_t>(n_.value() - 1, 0))) + 1) / 2
                               : 16;  // positions have 32 bits
    open("round", rounds);
    const Reg grown = kernel().carry(int64, 0), width = add(grown, integer(1));
    const Reg open_yet = less(width, index(n_));
    const Dim count = bound("count", select(open_yet, index(n_), integer(0)), n_ + Dim(1));
    merge(0, width, count);
    merge(1, mul(width, integer(2)), count);
    kernel().set_next(grown, sub(mul(width, integer(4)), integer(1)));
    close();
  }

  // The element of the operand that a position of the sorted row comes from.
  Dim place(const Dim& sorted) { return bound("place", cast(get(places_[0], sorted), int64), n_); }

  void copy(const Dim& from, const Dim& to) {
    const Dim source = at(x_, {from}), target = at(out_, {to});
    store(out_, target, load(x_, source));
    if (is_complex(x_.dtype)) store(out_, target, load(x_, source, 1), 1);
  }
  void put_place(const Dim& from, const Dim& to) { store(out_, at(out_, {to}), index(from)); }

  const Stack x_, out_;
  const Dim n_, length_;
  uint32_t keys_[2], places_[2];

 private:
  // Merges runs of `width` elements by twos.
  void merge(int from, Reg width, const Dim& count) {
    const Reg span = mul(width, integer(2)), n = index(n_);
    const Dim k = open("k", count);
    const Reg at = index(k), within = both(at, sub(span, integer(1))), base = sub(at, within);
    const Reg begins = equal(within, integer(0));
    const Reg middle = op(ScalarOp::Min, add(base, width), n), end = op(ScalarOp::Min, add(base, span), n);
    const Reg left_before = kernel().carry(int64, 0), right_before = kernel().carry(int64, 0);
    const Reg left = select(begins, base, left_before), right = select(begins, middle, right_before);
    const Reg has_left = less(left, middle), has_right = less(right, end);
    const Dim l = bound("left", left, n_ + Dim(1)), r = bound("right", right, n_ + Dim(1));
    const Reg left_key = get(keys_[from], l, has_left), right_key = get(keys_[from], r, has_right);
    const Reg earlier = op(ScalarOp::Or, op(ScalarOp::Not, has_left), less(right_key, left_key));
    const Reg take_right = both(has_right, earlier);
    put(keys_[1 - from], k, select(take_right, right_key, left_key));
    const Dim taken = bound("taken", select(take_right, right, left), n_ + Dim(1));
    put(places_[1 - from], k, get(places_[from], taken));
    const Reg step = cast(take_right, int64);
    kernel().set_next(left_before, add(left, sub(integer(1), step)));
    kernel().set_next(right_before, add(right, step));
    close();
  }
};

// sort, argsort and topk: the last elements of the sorted row.
template <bool kPositions>
class Sorted : public Sorter {
 public:
  using Sorter::Sorter;
  std::vector<KernelStep> write() {
    open_stack();
    sort_row();
    const Dim j = open("j", length_), from = place(j + (n_ - length_));
    kPositions ? put_place(from, j) : copy(from, j);
    close(2);
    return finished();
  }
};

// The elements in front of the kth and those behind it keep their order.
template <bool kPositions>
class Partitioned : public Sorter {
 public:
  using Sorter::Sorter;
  std::vector<KernelStep> write() {
    const uint32_t side = scratch("side", uint8, n_);  // 0 in front, 1 the kth itself, 2 behind
    open_stack();
    sort_row();
    const Dim j = open("j", n_), from = place(j);
    const Reg kth = index(attrs().get_dim("kth")), rank = index(j);
    const Reg behind = cast(op(ScalarOp::Ge, rank, kth), uint8), beyond = cast(op(ScalarOp::Gt, rank, kth), uint8);
    put(side, from, add(behind, beyond));
    close();
    const Dim i = open("i", n_);
    const Reg front = kernel().carry(int64, 0), back = kernel().carry(int64, 0);
    const Reg is = get(side, i), at_kth = index(attrs().get_dim("kth"));
    const Reg in_front = equal(is, integer(0, uint8)), is_behind = equal(is, integer(2, uint8));
    const Reg after = add(add(at_kth, integer(1)), back);
    const Dim to = bound("to", select(in_front, front, select(is_behind, after, at_kth)), n_);
    kPositions ? put_place(i, to) : copy(i, to);
    kernel().set_next(front, add(front, cast(in_front, int64)));
    kernel().set_next(back, add(back, cast(is_behind, int64)));
    close(2);
    return finished();
  }
};

// One binary search for each value, in the steps that ir/routines/searchsorted.cpp states.
class Searcher : public RowWriter {
 public:
  explicit Searcher(const RoutineKernels& r)
      : RowWriter(r, 1), row_(operand(0)), values_(operand(1)), out_(result(0)) {}
  std::vector<KernelStep> write() {
    const Dim n = row_.size(0);
    open_stack();
    // The axes of the values behind those of the rows.
    std::vector<Dim> inner;
    const size_t outer = row_.layout.shape.size() - 1;
    for (size_t i = outer; i < values_.layout.shape.size(); ++i) inner.push_back(open("v", values_.layout.shape[i]));
    const Reg wanted = key(values_, at(values_, inner));
    const int64_t steps = n.is_const() ? std::bit_width(static_cast<uint64_t>(n.value())) : 63;
    open("step", steps);
    const Reg first = kernel().carry(int64, 0), gone = kernel().carry(int64, 0);
    const Reg left = sub(index(n), gone), half = op(ScalarOp::Shr, left, integer(1));
    const Reg some = op(ScalarOp::Gt, left, integer(0));
    const Dim middle = bound("middle", add(first, half), n + Dim(1));
    const Reg found = key(row_, at(row_, {middle}), some);
    const Reg before = both(some, op(attrs().get_bool("right") ? ScalarOp::Le : ScalarOp::Lt, found, wanted));
    const Reg passed = add(half, integer(1));
    const Reg next = add(first, select(before, passed, integer(0)));
    kernel().set_next(first, next);
    // Of `left` elements, half or the lesser half stay.
    kernel().set_next(gone, add(gone, select(some, select(before, passed, sub(left, half)), integer(0))));
    const Reg last = kernel().accumulate(Combine::Max, int64, next);
    close();
    // Without steps the maximum is that of nothing.
    store(out_, at(out_, inner), op(ScalarOp::Max, last, integer(0)));
    close(static_cast<int>(inner.size()) + 1);
    return finished();
  }

 private:
  const Stack row_, values_, out_;
};

const RegisterRoutineLowering routine_sort_kernels[] = {
    {"sort", write_with<Sorted<false>>},
    {"argsort", write_with<Sorted<true>>},
    {"topk", write_with<Sorted<false>>},
    {"partition", write_with<Partitioned<false>>},
    {"argpartition", write_with<Partitioned<true>>},
    {"searchsorted", write_with<Searcher>},
};

}  // namespace
}  // namespace frit::passes
