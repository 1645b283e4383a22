// Eager joining and padding: parts are copied into their windows of the result.
#include <algorithm>
#include <cstring>

#include "frontend/eager/eager.h"
#include "frontend/eager/rows.h"
#include "ir/base/dim.h"
#include "runtime/execute/parallel.h"

namespace frit::detail {

namespace {

// Elements [from, from + shape) of an operand, at `to` of the result, `step` apart along each axis there.
struct Window {
  int operand;
  runtime::Sizes from, to, shape, step;
};

// One axis of a window: element i of the operand is at `first` + i * `step` of the result.
struct Spacing {
  int64_t first, step;
};

// Reads it off the position in the operand: the one in the result less a constant, the other way round, or that divided
// by the distance between two elements.
std::optional<Spacing> spacing_of(const Dim& position, const Dim& at) {
  const auto along = [&at](const Dim& d) -> std::optional<Spacing> {
    if (const Dim first = at - d; first.is_const()) return Spacing{first.value(), 1};
    if (const Dim first = at + d; first.is_const()) return Spacing{first.value(), -1};
    return std::nullopt;
  };
  if (const auto dense = along(position)) return dense;
  if (position.is_const() || position.poly()->terms.size() != 1) return std::nullopt;
  const DimTerm& term = position.poly()->terms[0];
  const Atom& atom = *term.atoms[0];
  if (term.coefficient != 1 || term.atoms.size() != 1 || atom.kind != AtomKind::FloorDiv || !atom.args[1].is_const())
    return std::nullopt;
  const auto inner = along(atom.args[0]);
  const int64_t distance = atom.args[1].value();
  if (!inner || distance < 1) return std::nullopt;
  const int64_t step = inner->step * distance;
  return Spacing{inner->first - position.poly()->constant * step, step};
}

// Whether the condition keeps just the positions whose distance from the first is a multiple of the step.
bool keeps_steps(const std::pair<Dim, Dim>& condition, const Dim& at, const Spacing& spacing) {
  const Dim along = spacing.step > 0 ? at - Dim(spacing.first) : Dim(spacing.first) - at;
  return condition.second.is(1) && condition.first == mod(along, std::abs(spacing.step));
}

// Reads the window of one source off its index: along each axis the position less a constant. Nothing when the source
// is not such a window.
std::optional<Window> window_of(const ir::IndexSource& source, std::span<const Dim> at,
                                std::span<const runtime::Tensor> operands, const ir::Type& result) {
  const runtime::Tensor& t = operands[static_cast<size_t>(source.operand)];
  const size_t rank = at.size();
  if (source.index.size() != rank || t.shape.size() != rank) return std::nullopt;
  Window w{source.operand, runtime::Sizes(rank), runtime::Sizes(rank), runtime::Sizes(rank), runtime::Sizes(rank)};
  std::vector<Spacing> spacings;
  for (size_t d = 0; d < rank; ++d) {
    const auto spacing = spacing_of(source.index[d], at[d]);
    if (!spacing) return std::nullopt;
    spacings.push_back(*spacing);
    const int64_t n = t.shape[d], size = result.shape[d].value(), first = spacing->first, step = spacing->step;
    w.step[d] = step;
    if (step == 1) {
      w.to[d] = std::max<int64_t>(0, first);
      w.from[d] = w.to[d] - first;
      w.shape[d] = std::max<int64_t>(0, std::min(size, first + n) - w.to[d]);
      continue;
    }
    // Elements that are spread apart lie inside of the result, all of them.
    if (const int64_t last = first + (n - 1) * step;
        n > 0 && (std::min(first, last) < 0 || std::max(first, last) >= size))
      return std::nullopt;
    w.to[d] = first;
    w.shape[d] = n;
  }
  std::vector<bool> spread(rank, false);
  for (const auto& condition : source.within) {
    // A condition that cuts nothing but what lies outside of the operand, or between its elements.
    bool known = false;
    for (size_t d = 0; d < rank; ++d) {
      known = known || (condition.first == source.index[d] && condition.second.is(t.shape[d]));
      if (std::abs(spacings[d].step) == 1 || !keeps_steps(condition, at[d], spacings[d])) continue;
      known = spread[d] = true;
    }
    if (!known) return std::nullopt;
  }
  for (size_t d = 0; d < rank; ++d)
    if (!spread[d] && std::abs(spacings[d].step) != 1) return std::nullopt;
  return w;
}

// One axis of a copy.
struct Axis {
  int64_t size, to, from;  // strides in elements
};

// The axes of a copy, outermost first: those of size 1 left out, those that continue each other made one. There are at
// least two.
std::vector<Axis> axes_of(const Window& w, const runtime::Sizes& to, const runtime::Sizes& from) {
  std::vector<Axis> axes;
  for (size_t d = 0; d < w.shape.size(); ++d) {
    const int64_t n = w.shape[d], step = to[d] * w.step[d];
    if (n == 1) continue;
    if (!axes.empty() && axes.back().to == step * n && axes.back().from == from[d] * n)
      axes.back() = {axes.back().size * n, step, from[d]};
    else
      axes.push_back({n, step, from[d]});
  }
  while (axes.size() < 2) axes.insert(axes.begin(), {1, 1, 1});
  return axes;
}

template <class T>
void copy_elements(std::byte* to, const std::byte* from, const Axis& axis, int64_t count) {
  T* target = reinterpret_cast<T*>(to);
  const T* source = reinterpret_cast<const T*>(from);
  if (axis.to == 1 && axis.from == 0) return (void)std::fill(target, target + count, *source);
  for (int64_t i = 0; i < count; ++i) target[i * axis.to] = source[i * axis.from];
}

// Rows of `bytes` bytes, at least one and at most two words, `to_step` and `from_step` bytes apart: two words that may
// overlap.
template <size_t kWord>
void copy_words(std::byte* to, const std::byte* from, int64_t rows, int64_t to_step, int64_t from_step, size_t bytes) {
  for (int64_t row = 0; row < rows; ++row, to += to_step, from += from_step) {
    std::byte first[kWord], last[kWord];
    std::memcpy(first, from, kWord);
    std::memcpy(last, from + bytes - kWord, kWord);
    std::memcpy(to, first, kWord);
    std::memcpy(to + bytes - kWord, last, kWord);
  }
}

void copy_dense_rows(std::byte* to, const std::byte* from, int64_t rows, int64_t to_step, int64_t from_step,
                     size_t bytes) {
  if (bytes > 64)
    for (int64_t row = 0; row < rows; ++row) std::memcpy(to + row * to_step, from + row * from_step, bytes);
  else if (bytes >= 32)
    copy_words<32>(to, from, rows, to_step, from_step, bytes);
  else if (bytes >= 16)
    copy_words<16>(to, from, rows, to_step, from_step, bytes);
  else if (bytes >= 8)
    copy_words<8>(to, from, rows, to_step, from_step, bytes);
  else if (bytes >= 4)
    copy_words<4>(to, from, rows, to_step, from_step, bytes);
  else if (bytes >= 2)
    copy_words<2>(to, from, rows, to_step, from_step, bytes);
  else
    copy_words<1>(to, from, rows, to_step, from_step, bytes);
}

struct Copy {
  std::vector<Axis> axes;  // at least two
  std::byte* to;
  const std::byte* from;
  size_t bytes;  // of an element

  // Elements [begin, end) in the order of the axes.
  void run(int64_t begin, int64_t end) const {
    const int64_t size = axes.back().size, rows = axes[axes.size() - 2].size;
    for (int64_t at = begin; at < end;) {
      const int64_t row = at / size, first = at % size;
      // Whole rows along the next axis are copied together.
      const int64_t whole = first == 0 ? std::min(rows - row % rows, (end - at) / size) : 0;
      const int64_t last = whole > 0 ? size : std::min(size, first + (end - at));
      copy_rows(row, std::max<int64_t>(1, whole), first, last);
      at += std::max<int64_t>(1, whole) * (last - first);
    }
  }

 private:
  // Elements [first, last) of rows [row, row + count), which lie on the axis before the innermost one.
  void copy_rows(int64_t row, int64_t count, int64_t first, int64_t last) const {
    const Axis &inner = axes.back(), &outer = axes[axes.size() - 2];
    int64_t target = first * inner.to, source = first * inner.from, rest = row;
    for (size_t d = axes.size() - 1; d-- > 0;) {
      target += rest % axes[d].size * axes[d].to;
      source += rest % axes[d].size * axes[d].from;
      rest /= axes[d].size;
    }
    const auto width = static_cast<int64_t>(bytes);
    std::byte* const at = to + target * width;
    const std::byte* const here = from + source * width;
    if (inner.to == 1 && inner.from == 1)
      return copy_dense_rows(at, here, count, outer.to * width, outer.from * width,
                             static_cast<size_t>((last - first) * width));
    for (int64_t i = 0; i < count; ++i)
      copy_run(at + i * outer.to * width, here + i * outer.from * width, inner, last - first);
  }

  void copy_run(std::byte* at, const std::byte* here, const Axis& axis, int64_t count) const {
    switch (bytes) {
      case 1: return copy_elements<uint8_t>(at, here, axis, count);
      case 2: return copy_elements<uint16_t>(at, here, axis, count);
      case 4: return copy_elements<uint32_t>(at, here, axis, count);
      default: return copy_elements<uint64_t>(at, here, axis, count);
    }
  }
};

void copy_window(const Window& w, runtime::Tensor source, runtime::Tensor& result) {
  // Threads share a copy in portions of this size.
  constexpr int64_t kPortionBytes = int64_t{256} << 10;
  // Compiled code reads a large operand that lies across faster.
  constexpr int64_t kFewElements = 1 << 14;
  int64_t elements = 1;
  for (int64_t n : w.shape) elements *= n;
  if (elements == 0) return;
  Copy copy{axes_of(w, result.strides, source.strides), nullptr, nullptr, result.dtype.size()};
  if (elements > kFewElements && copy.axes.back().from != 1 && copy.axes.back().from != 0) {
    source = dense(source);
    copy.axes = axes_of(w, result.strides, source.strides);
  }
  int64_t to = 0, from = 0;
  for (size_t d = 0; d < w.shape.size(); ++d) {
    to += w.to[d] * result.strides[d];
    from += w.from[d] * source.strides[d];
  }
  const auto bytes = static_cast<int64_t>(copy.bytes);
  wait_for(source);
  copy.to = static_cast<std::byte*>(result.buffer->data()) + to * bytes;
  copy.from = data_of(source) + from * bytes;
  const auto portion = [](void* context, int64_t begin, int64_t end) {
    static_cast<const Copy*>(context)->run(begin, end);
  };
  runtime::parallel_for(elements, kPortionBytes / bytes, portion, &copy);
}

// Writes the element of a scalar into a part of the result.
void fill(const runtime::Tensor& value, const runtime::Sizes& first, const runtime::Sizes& shape,
          runtime::Tensor& result) {
  const size_t rank = shape.size();
  runtime::Tensor spread{value.buffer, value.dtype, shape, runtime::Sizes(rank), value.offset};
  Window part{0, runtime::Sizes(rank), first, shape, runtime::Sizes(rank)};
  std::fill(part.step.begin(), part.step.end(), 1);
  copy_window(part, std::move(spread), result);
}

// The same around a window: along each axis before and behind it, where the axes before this one are inside of it.
void fill_around(const Window& w, const runtime::Tensor& value, runtime::Tensor& result) {
  runtime::Sizes first(w.shape.size()), shape = result.shape;
  for (size_t d = 0; d < w.shape.size(); ++d) {
    const int64_t behind = w.to[d] + w.shape[d];
    shape[d] = w.to[d];
    fill(value, first, shape, result);
    first[d] = behind;
    shape[d] = result.shape[d] - behind;
    fill(value, first, shape, result);
    first[d] = w.to[d];
    shape[d] = w.shape[d];
  }
}

// Whether the last source is a donated operand that the result can be written over: all of it, as it lies.
bool can_write_over(const RowCall& call, const ir::IndexRule& rule, const Window& w) {
  const auto operand = static_cast<size_t>(w.operand);
  if (rule.fill >= 0 || operand >= call.donated.size() || !call.donated[operand]) return false;
  const runtime::Tensor& t = call.operands[operand];
  const ir::Type& type = call.types[0];
  for (size_t d = 0; d < w.shape.size(); ++d)
    if (w.to[d] != 0 || w.from[d] != 0 || w.step[d] != 1 || !type.shape[d].is(w.shape[d]) || t.shape[d] != w.shape[d])
      return false;
  // Memory of a GPU may be seen as a copy alone; memory much larger than needed would be held for nothing.
  const size_t bytes = t.dtype.size() * static_cast<size_t>(std::max<int64_t>(1, type.size().value()));
  return t.dtype == type.dtype && t.offset == 0 && is_row_major(t) && t.buffer.use_count() == 1 && t.buffer->owned() &&
         !t.buffer->gpu() && t.buffer->bytes() / 2 <= bytes;
}

}  // namespace

bool run_windows(const RowCall& call, runtime::Tensor& result) {
  // A GPU's memory is written by its own code alone.
  if (call.def.kind != ir::OpKind::Index || !call.def.index || running_device() == Device::gpu) return false;
  std::vector<Dim> at;
  for (size_t d = 0; d < call.types[0].shape.size(); ++d) at.push_back(Dim::symbol("p" + std::to_string(d)));
  ir::Op op;
  op.def = &call.def;
  op.attrs = call.attrs;
  std::vector<ir::Type> operands;
  operands.reserve(call.operands.size());
  for (const runtime::Tensor& t : call.operands) operands.push_back({t.dtype, {t.shape.begin(), t.shape.end()}});
  const ir::IndexRule rule = call.def.index(op, operands, call.types[0], at);
  if (!rule.lookups.empty()) return false;
  std::vector<Window> windows;
  windows.reserve(rule.sources.size());
  for (const ir::IndexSource& source : rule.sources) {
    auto window = window_of(source, at, call.operands, call.types[0]);
    if (!window) return false;
    windows.push_back(*std::move(window));
  }
  if (!windows.empty() && can_write_over(call, rule, windows.back())) {
    // An update writes its part alone.
    auto& donor = const_cast<runtime::Tensor&>(call.operands[static_cast<size_t>(windows.back().operand)]);
    result = std::move(donor);
    windows.pop_back();
    try {
      wait_for(result);
      for (size_t i = windows.size(); i-- > 0;)
        copy_window(windows[i], call.operands[static_cast<size_t>(windows[i].operand)], result);
    } catch (...) {
      donor = std::move(result);
      throw;
    }
    return true;
  }
  // Compiled code spreads elements faster, where it writes the whole result.
  for (const Window& w : windows)
    if (std::any_of(w.step.begin(), w.step.end(), [](int64_t step) { return step != 1; })) return false;
  result = allocate(call.types[0].dtype, to_shape(call.types[0].shape));
  if (rule.fill >= 0) {
    const runtime::Tensor& value = call.operands[static_cast<size_t>(rule.fill)];
    if (windows.size() == 1)
      fill_around(windows[0], value, result);
    else
      fill(value, runtime::Sizes(result.shape.size()), result.shape, result);
  }
  // Where windows meet, the first source counts.
  for (size_t i = windows.size(); i-- > 0;)
    copy_window(windows[i], call.operands[static_cast<size_t>(windows[i].operand)], result);
  return true;
}

}  // namespace frit::detail
