// Draws of attributes and operand types for one row.
#include <algorithm>

#include "ir/graph/expression.h"
#include "support/generate.h"

namespace frit::test {

using namespace ir;

namespace {

// A random size. Its bound is known, so draws with symbols are accepted often.
Dim any_size(Random& random) {
  static const int64_t kSizes[] = {1, 1, 2, 3, 4, 5, 8, 17, 0};
  return kSizes[random() % std::size(kSizes)];
}

Dims subset(int rank, Random& random) {
  Dims axes;
  for (int i = 0; i < rank; ++i)
    if (chance(random, 50)) axes.push_back(i);
  if (axes.empty() && rank > 0 && chance(random, 80)) axes.push_back(between(random, 0, rank - 1));
  return axes;
}

Dims permutation(int rank, Random& random) {
  Dims axes;
  for (int i = 0; i < rank; ++i) axes.push_back(i);
  for (size_t i = axes.size(); i > 1; --i) std::swap(axes[i - 1], axes[random() % i]);
  return axes;
}

// Another shape with the same number of elements: axes merged, cut (if constant), ones added or dropped, or one axis.
Dims reshaped(const Shape& from, Random& random) {
  Dims out;
  for (const Dim& d : from) {
    if (!out.empty() && chance(random, 35))
      out.back() = out.back() * d;
    else if (!(d.is(1) && chance(random, 50)))
      out.push_back(d);
    if (!out.empty() && out.back().is_const() && chance(random, 50))
      for (int64_t p : {2, 3, 5})
        if (out.back().value() > p && out.back().value() % p == 0) {
          out.back() = out.back().value() / p;
          out.push_back(p);
          break;
        }
    if (chance(random, 15)) out.push_back(1);
  }
  if (chance(random, 10)) out = {product(from)};
  return out;
}

Dims stretched(const Shape& from, Random& random) {
  Dims out;
  for (int lead = static_cast<int>(random() % 3); lead > 0; --lead) out.push_back(any_size(random));
  for (const Dim& d : from) out.push_back(d.is(1) && chance(random, 70) ? any_size(random) : d);
  return out;
}

Dims drawn_shape(size_t operands, const Shape& first, Random& random) {
  if (operands == 0 || chance(random, 10)) {
    Dims out;
    for (int i = static_cast<int>(random() % 4); i > 0; --i) out.push_back(any_size(random));
    return out;
  }
  return chance(random, 50) ? reshaped(first, random) : stretched(first, random);
}

Literal drawn_literal(const AttrMap& so_far, Dtype dtype, Random& random) {
  int64_t count = 1;
  for (const Dim& d : so_far.get_dims("shape")) count *= d.is_const() ? d.value() : 1;
  std::vector<std::byte> bytes;
  for (int64_t i = 0; i < count; ++i) {
    uint64_t v = random_bits(dtype, Values::Ordinary, random);
    auto* p = reinterpret_cast<const std::byte*>(&v);
    bytes.insert(bytes.end(), p, p + dtype.size());
  }
  return {dtype, std::move(bytes)};
}

// A list with an entry for each axis, of the kind that its name suggests.
Dims per_axis(std::string_view name, const Shape& shape, const Shape* part, const AttrMap& so_far, Random& random) {
  Dims out;
  const Dims &start = so_far.get_dims("start"), &strides = so_far.get_dims("strides");
  for (size_t i = 0; i < shape.size(); ++i) {
    const Dim& n = shape[i];
    bool down = i < strides.size() && strides[i].is_const() && strides[i].value() < 0;
    if (name == "strides") {
      out.push_back(chance(random, 70) ? between(random, 1, 3) : -between(random, 1, 3));
    } else if (name == "start") {
      if (down)
        out.push_back(n - Dim(between(random, 1, 2)));
      else
        out.push_back(n.is_const() ? between(random, 0, std::max<int64_t>(n.value(), 0)) : between(random, 0, 1));
    } else if (name == "slice_sizes") {
      out.push_back(n.is_const() ? Dim(between(random, std::min<int64_t>(n.value(), 1), n.value())) : n);
    } else if (name == "stop" && part) {
      // Just past the last element of a part of the operand's shape.
      const Dim from = i < start.size() ? start[i] : Dim(0), step = i < strides.size() ? strides[i] : Dim(1);
      const Dim& m = (*part)[i];
      out.push_back(m.is(0) ? from : from + (m - Dim(1)) * step + Dim(down ? -1 : 1));
    } else if (name == "stop") {
      Dim from = i < start.size() ? start[i] : Dim(0);
      if (down)
        out.push_back(chance(random, 60) ? Dim(-1) : min(Dim(0), from));
      else if (from.is_const() && n.is_const())
        out.push_back(between(random, std::min(from.value(), n.value()), n.value()));
      else
        out.push_back(chance(random, 70) ? n : chance(random, 50) ? n - Dim(1) : from + Dim(1));
    } else {
      out.push_back(chance(random, 50) ? 0 : between(random, name == "low" || name == "high" ? -1 : 0, 3));
    }
  }
  return out;
}

// A list with an entry for each axis between the first and the last.
Dims over_space(std::string_view name, const Shape& shape, Random& random) {
  Dims out;
  for (size_t i = 1; i + 1 < shape.size(); ++i)
    out.push_back(name == "low" || name == "high" ? between(random, -1, 3) : between(random, 1, 3));
  return out;
}

// How many leading axes the operand and its positions share.
int64_t shared_axes(std::span<const Type> operands) {
  if (operands.empty()) return 0;
  const Shape& first = operands[0].shape;
  if (operands.size() == 1) return static_cast<int64_t>(first.size());
  const Shape& second = operands[1].shape;
  const size_t most = std::min(first.size(), second.size());
  size_t shared = 0;
  while (shared < most && first[shared] == second[shared]) ++shared;
  return static_cast<int64_t>(shared);
}

Attr drawn(const OpDef& def, const AttrSpec& spec, std::span<const Type> operands, const AttrMap& so_far, Dtype dtype,
           Random& random) {
  const Shape first = operands.empty() ? Shape{} : operands[0].shape;
  const int rank = static_cast<int>(first.size());
  switch (spec.kind) {
    case AttrKind::Bool: return chance(random, 50);
    case AttrKind::Float: return static_cast<double>(between(random, -6, 6)) / 2;
    case AttrKind::Dtype: return dtype;
    case AttrKind::String: return std::string();
    case AttrKind::Literal: return drawn_literal(so_far, dtype, random);
    case AttrKind::Region: break;  // drawn_rows() has no row with one
    case AttrKind::Int: {
      if (spec.name == "axis")
        return Dim(between(random, -1, std::max(rank, static_cast<int>(so_far.get_dims("shape").size())) - 1));
      if (spec.name == "kth")
        return rank > 0 && first.back().is_const() ? Dim(between(random, 0, first.back().value())) : Dim(0);
      // A group of this process alone.
      if (spec.name == "group" || spec.name == "peer" || (spec.name == "rank" && !spec.required)) return Dim(0);
      if (spec.name == "processes") return Dim(1);
      if (spec.name == "norm") return Dim(between(random, 0, 2));
      if (spec.name == "n")  // of a spectrum's first half
        return rank > 0 ? first.back() * Dim(2) - Dim(between(random, 1, 2)) : Dim(1);
      if (spec.name == "k") return rank > 0 ? min(first.back(), Dim(between(random, 0, 9))) : Dim(0);
      if (spec.name == "batch") {
        const int64_t most = shared_axes(operands);
        return Dim(chance(random, 70) ? most : between(random, 0, most));
      }
      if (spec.name == "size") return Dim(between(random, 0, 40));
      if (spec.name == "groups") return Dim(between(random, 1, 3));
      return Dim(between(random, -3, 5));
    }
    case AttrKind::Ints: {
      if (spec.name == "axes" && def.kind != OpKind::Index && def.kind != OpKind::Scatter) return subset(rank, random);
      if (spec.name == "axes") {
        const int64_t batch = so_far.get_int("batch");
        Dims axes = permutation(rank - static_cast<int>(batch), random);
        for (Dim& axis : axes) axis += batch;
        // Operands of positions have an axis each.
        const size_t positions = operands.size() - (def.kind == OpKind::Scatter ? 2 : 1);
        if (operands.size() > 1 && positions < axes.size()) axes.resize(positions);
        return axes;
      }
      if (spec.name == "shape") return drawn_shape(operands.size(), first, random);
      if (spec.name == "strides" && so_far.has("shape")) {
        Dims out;
        for (size_t i = 0; i < so_far.get_dims("shape").size(); ++i) out.push_back(between(random, -1, 3));
        return out;
      }
      if (const int64_t batch = so_far.get_int("batch"); batch > 0)
        return per_axis(spec.name, Shape(first.begin() + batch, first.end()), nullptr, so_far, random);
      if (def.kind == OpKind::Library && rank > 2) return over_space(spec.name, first, random);
      const bool has_part = operands.size() == 2 && operands[1].rank() == rank;
      return per_axis(spec.name, first, has_part ? &operands[1].shape : nullptr, so_far, random);
    }
  }
  return false;
}

}  // namespace

AttrMap draw_attrs(const OpDef& def, std::span<const Type> operands, Dtype dtype, Random& random) {
  AttrMap attrs;
  // Shapes, strides and batch axes first: others depend on them.
  std::vector<const AttrSpec*> order;
  for (const AttrSpec& s : def.attrs) order.push_back(&s);
  auto rank = [](const AttrSpec* s) {
    return s->name == "shape" ? 0 : s->name == "strides" || s->name == "batch" ? 1 : 2;
  };
  std::stable_sort(order.begin(), order.end(), [&](auto* a, auto* b) { return rank(a) < rank(b); });
  for (const AttrSpec* s : order)
    if (s->required || chance(random, 50)) attrs.set(s->name, drawn(def, *s, operands, attrs, dtype, random));
  return attrs;
}

namespace {

Dtype any_integer(Random& random) {
  static const Dtype kIntegers[] = {uint8, uint16, uint32, uint64, int8, int16, int32, int64};
  return kIntegers[random() % std::size(kIntegers)];
}

std::optional<std::vector<Type>> with_positions(const OpDef& def, const Type& type, bool updates, Random& random) {
  const int64_t least = updates ? 2 : 1, fixed = def.arity - least;
  if (def.arity >= 0 && fixed < 1) return std::nullopt;
  const int64_t count = def.arity >= 0 ? fixed : between(random, 0, std::min(2, type.rank()));
  // The first axes are the operand's where the row has batch axes.
  const auto batch = static_cast<long>(chance(random, 30) ? between(random, 0, type.rank()) : 0);
  Shape shape(type.shape.begin(), type.shape.begin() + batch);
  for (int64_t i = between(random, 0, 2); i > 0; --i) shape.push_back(any_size(random));
  std::vector<Type> out{type};
  for (int64_t i = 0; i < count; ++i) out.push_back({any_integer(random), shape});
  if (!updates) return out;
  Type last{type.dtype, count ? shape : Shape(type.shape.begin(), type.shape.begin() + batch)};
  for (const Dim& n : std::span(type.shape).subspan(static_cast<size_t>(batch)))
    last.shape.push_back(n.is_const() ? Dim(between(random, std::min<int64_t>(n.value(), 1), n.value())) : n);
  out.push_back(std::move(last));
  return out;
}

}  // namespace

std::optional<std::vector<Type>> draw_operands(const OpDef& def, const Type& type, int form, Random& random) {
  const size_t n = def.arity >= 0 ? static_cast<size_t>(def.arity) : static_cast<size_t>(between(random, 1, 4));
  std::vector<Type> out(n, type);
  switch (form) {
    case 0: return out;
    case 1:  // a condition first
      if (n < 3) return std::nullopt;
      out[0].dtype = bool_;
      return out;
    case 2:  // the others without axes
      if (n < 2) return std::nullopt;
      for (size_t i = 1; i < n; ++i) out[i].shape = {};
      return out;
    case 3:  // matrices that can be multiplied
      if (n < 2 || type.rank() < 2) return std::nullopt;
      std::swap(out[n - 1].shape[type.shape.size() - 2], out[n - 1].shape[type.shape.size() - 1]);
      if (chance(random, 50)) out[n - 1].shape.back() = any_size(random);
      for (size_t i = 0; i + 2 < n; ++i) out[i].shape.back() = out[n - 1].shape.back();
      return out;
    case 4:  // one axis
      if (n < 1) return std::nullopt;
      for (Type& t : out) t.shape = {t.is_static() || t.shape.empty() ? t.size() : t.shape.back()};
      return out;
    case 6:  // a square matrix first
      if (n < 1 || type.rank() < 2) return std::nullopt;
      out[0].shape.back() = out[0].shape[out[0].shape.size() - 2];
      return out;
    case 5:  // differing along one axis
      if (n < 2 || type.rank() < 1) return std::nullopt;
      for (size_t i = 1, axis = random() % type.shape.size(); i < n; ++i) out[i].shape[axis] = any_size(random);
      return out;
    case 7:  // positions of one shape, for some axes
    case 8:  // the same, and updates
      return with_positions(def, type, form == 8, random);
    case 9: {  // positions along one axis, and updates
      if (n < 2 || n > 3 || type.rank() < 1) return std::nullopt;
      out[1].dtype = any_integer(random);
      const size_t axis = random() % type.shape.size();
      for (size_t i = 1; i < n; ++i) out[i].shape[axis] = i == 1 ? any_size(random) : out[1].shape[axis];
      return out;
    }
    case 10:  // a part
      if (n != 2) return std::nullopt;
      for (Dim& d : out[1].shape)
        if (d.is_const()) d = between(random, 0, d.value());
      return out;
    case 11: {  // two products in a row, and an element for each of the first one's
      if (n < 3 || n > 4 || type.rank() < 2) return std::nullopt;
      const size_t row = type.shape.size() - 2, column = row + 1;
      const Dim keys = any_size(random);
      out[1].shape[row] = type.shape[column], out[1].shape[column] = keys;
      out[2].shape[row] = keys, out[2].shape[column] = any_size(random);
      if (n == 4) out[3].shape[column] = keys;
      if (n == 4 && chance(random, 50)) out[3].dtype = bool_;
      return out;
    }
    case 12:  // kernels over the axes between the first and the last, whose channels one group or more have
    case 13:  // a batch over other axes
      if (n != 2 || type.rank() < 3) return std::nullopt;
      for (size_t i = 0; i + 1 < type.shape.size(); ++i)
        if (i > 0 || form == 12) out[1].shape[i] = between(random, 1, 3);
      if (form == 13) out[1].shape.back() = between(random, 1, 3);
      if (const Dim& d = type.shape.back(); form == 12 && d.is_const() && d.value() > 1 && chance(random, 50)) {
        out[1].shape[0] = d;
        out[1].shape.back() = 1;
      }
      return out;
    case 14: {  // two stacks of matrices that can be multiplied, and positions in them
      if (n < 4 || type.rank() < 2 || type.rank() > 3) return std::nullopt;
      if (type.rank() == 2) out[0].shape.insert(out[0].shape.begin(), any_size(random));
      out[1].shape = {any_size(random), type.shape.back(), any_size(random)};
      const Dim pairs = any_size(random);
      for (size_t i = 2; i < n; ++i) out[i] = {any_integer(random), {pairs}};
      return out;
    }
  }
  return std::nullopt;
}

std::optional<Call> draw_call(const OpDef& def, const Type& type, Dtype dtype, const DimFacts& facts, Random& random) {
  for (int attempt = 0; attempt < 40 * kOperandForms; ++attempt) {
    auto operands = draw_operands(def, type, attempt % kOperandForms, random);
    if (!operands) continue;
    AttrMap attrs = draw_attrs(def, *operands, dtype, random);
    fill_defaults(def, attrs);
    auto results = infer(def, {*operands, attrs, facts});
    if (results.ok()) return Call{std::move(*operands), std::move(attrs), std::move(*results)};
    if (operands->empty() && attempt > 60) break;
  }
  return std::nullopt;
}

std::vector<const OpDef*> drawn_rows() {
  std::vector<const OpDef*> rows = OpTable::instance().all();
  std::erase_if(rows, [](const OpDef* def) { return def->kind == OpKind::Control; });
  return rows;
}

std::span<const Dtype> all_dtypes() {
  static const Dtype kAll[] = {bool_, uint8, uint16,  uint32,   uint64,  int8,    int16,
                               int32, int64, float16, bfloat16, float32, float64, complex64};
  return kAll;
}

std::vector<Tensor> random_inputs(const Function& f, const SymbolValues& symbols, Values values, Random& random) {
  std::vector<Tensor> out;
  for (ValueId p : f.params) {
    std::vector<int64_t> shape;
    for (const Dim& d : f.type(p).shape)
      shape.push_back(d.evaluate([&](const std::string& s) -> std::optional<int64_t> {
                         auto it = symbols.find(s);
                         if (it == symbols.end()) return std::nullopt;
                         return it->second;
                       }).value_or(0));
    out.push_back(random_tensor(f.type(p).dtype, shape, values, random));
  }
  return out;
}

}  // namespace frit::test
