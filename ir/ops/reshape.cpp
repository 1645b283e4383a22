// Positions and layouts of reshape.
#include "ir/ops/reshape.h"

#include "ir/ops/rules.h"

namespace frit::ir::rules {
namespace {

// Axes from[a..) and to[b..) that hold equally many elements. Axes of size 1 are in no run.
struct Run {
  std::vector<size_t> from, to;
};

std::vector<size_t> wide_axes(const Shape& shape) {
  std::vector<size_t> axes;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].is(1)) axes.push_back(i);
  return axes;
}

std::vector<Run> runs(const Shape& from, const Shape& to) {
  const std::vector<size_t> a = wide_axes(from), b = wide_axes(to);
  std::vector<Run> out;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    size_t count_i = a.size() - i, count_j = b.size() - j;  // what is left matches, if nothing shorter does
    for (size_t total = 2; total < count_i + count_j; ++total) {
      bool found = false;
      Dim left = 1;
      for (size_t n = 1; n < total && n <= a.size() - i && !found; ++n) {
        left = left * from[a[i + n - 1]];
        size_t m = total - n;
        if (m > b.size() - j) continue;
        Dim right = 1;
        for (size_t k = 0; k < m; ++k) right = right * to[b[j + k]];
        if (left != right) continue;
        count_i = n, count_j = m;
        found = true;
      }
      if (found) break;
    }
    out.push_back({{a.begin() + static_cast<ptrdiff_t>(i), a.begin() + static_cast<ptrdiff_t>(i + count_i)},
                   {b.begin() + static_cast<ptrdiff_t>(j), b.begin() + static_cast<ptrdiff_t>(j + count_j)}});
    i += count_i, j += count_j;
  }
  return out;
}

}  // namespace

std::vector<Dim> reshape_index(const Shape& from, const Shape& to, std::span<const Dim> at) {
  std::vector<Dim> index(from.size(), 0);
  if (product(from).is(0)) return index;  // nothing lies there, and no position divides by a size of 0
  for (const Run& run : runs(from, to)) {
    Dim flat = 0;
    for (size_t axis : run.to) flat = flat * to[axis] + at[axis];
    for (size_t k = run.from.size(); k-- > 0;) {
      const Dim& n = from[run.from[k]];
      index[run.from[k]] = k == 0 ? flat : mod(flat, n);
      if (k > 0) flat = floor_div(flat, n);
    }
  }
  return index;
}

std::optional<Layout> reshape_layout(const Layout& in, const Shape& to, const DimFacts& facts) {
  Layout out{to, Dims(to.size(), 0), in.offset};
  if (product(to).is(0)) {
    out.strides = row_major_strides(to);
    return out;
  }
  for (const Run& run : runs(in.shape, to)) {
    if (run.from.empty()) return std::nullopt;  // the sizes were proven equal by facts that runs do not see
    for (size_t k = 0; k + 1 < run.from.size(); ++k) {
      size_t outer = run.from[k], inner = run.from[k + 1];
      if (!same_size(in.strides[outer], in.strides[inner] * in.shape[inner], facts)) return std::nullopt;
    }
    Dim stride = in.strides[run.from.back()];
    for (size_t k = run.to.size(); k-- > 0;) {
      out.strides[run.to[k]] = stride;
      stride = stride * to[run.to[k]];
    }
  }
  // An axis of size 1 may have any stride: the one that a dense layout would have.
  for (size_t i = to.size(); i-- > 0;)
    if (to[i].is(1)) out.strides[i] = i + 1 < to.size() ? out.strides[i + 1] * to[i + 1] : Dim(1);
  return out;
}

}  // namespace frit::ir::rules
