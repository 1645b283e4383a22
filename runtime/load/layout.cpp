// Puts the inputs of a call where compiled code expects them.
#include <algorithm>

#include "runtime/load/signature.h"
#include "runtime/memory/dense.h"

namespace frit::runtime {
namespace {

class Layouts {
 public:
  Layouts(const Signature& s, std::vector<Tensor>& inputs, std::span<const int64_t> symbols)
      : s_(s), inputs_(inputs), values_(symbols.begin(), symbols.end()) {
    values_.resize(values_.size() + s.stride_symbols.size());
  }

  Status run() {
    // Values of stride symbols are read from the inputs as they lie at last.
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (s_.inputs[i].strides.empty() || (uses_stride_symbols(i) && !fits(i))) FRIT_TRY(make_dense(i));
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (!fits(i)) FRIT_TRY(copy(i));
    return {};
  }

 private:
  size_t first_stride_symbol() const { return s_.guard.symbol_names.size(); }

  bool uses_stride_symbols(size_t i) const {
    const auto& strides = s_.inputs[i].strides;
    return std::any_of(strides.begin(), strides.end(), [&](const DimProgram& d) {
      const auto& code = d.code();
      return std::any_of(code.begin(), code.end(), [&](const DimProgram::Instr& instr) {
        return instr.op == DimProgram::Op::Slot && static_cast<size_t>(instr.value) >= first_stride_symbol();
      });
    });
  }

  // The strides that the signature states, for the values that the inputs give now.
  Sizes stated(size_t i) {
    for (size_t k = 0; k < s_.stride_symbols.size(); ++k) {
      const Signature::StrideSymbol& symbol = s_.stride_symbols[k];
      values_[first_stride_symbol() + k] = inputs_[symbol.input].strides[symbol.axis];
    }
    Sizes strides;
    for (const DimProgram& d : s_.inputs[i].strides) strides.push_back(d.evaluate(values_.data()));
    return strides;
  }

  bool fits(size_t i) {
    if (s_.inputs[i].strides.empty()) return true;
    const Tensor& t = inputs_[i];
    if (element_count(t.shape) == 0) return true;
    const Sizes strides = stated(i);
    for (size_t axis = 0; axis < t.shape.size(); ++axis)
      if (t.shape[axis] > 1 && t.strides[axis] != strides[axis]) return false;
    for (const Signature::StrideSymbol& symbol : s_.stride_symbols) {
      const int64_t stride = inputs_[symbol.input].strides[symbol.axis];
      if (symbol.input == i && (stride < symbol.low || stride > symbol.high || stride % symbol.multiple != 0))
        return false;
    }
    return true;
  }

  Status make_dense(size_t i) {
    FRIT_ASSIGN_OR_RETURN(plain, dense(inputs_[i]));
    inputs_[i] = std::move(plain);
    return {};
  }

  // Elements at strides of the signature's own do not meet each other: every stride is past the span of the axes with
  // smaller ones.
  static bool is_injective(const Sizes& shape, const Sizes& strides) {
    std::vector<std::pair<int64_t, int64_t>> axes;
    for (size_t i = 0; i < shape.size(); ++i)
      if (shape[i] > 1) axes.emplace_back(strides[i], shape[i]);
    std::sort(axes.begin(), axes.end());
    int64_t span = 1;
    for (const auto& [stride, size] : axes) {
      int64_t reach;
      if (stride < span || __builtin_mul_overflow(stride, size - 1, &reach) ||
          __builtin_add_overflow(span, reach, &span) || span > int64_t{1} << 48)
        return false;
    }
    return true;
  }

  static void scatter(const std::byte*& from, std::byte* to, const Tensor& t, size_t axis) {
    const auto size = static_cast<int64_t>(t.dtype.size());
    if (axis == t.shape.size()) {
      std::copy_n(from, size, to);
      from += size;
      return;
    }
    for (int64_t i = 0; i < t.shape[axis]; ++i) scatter(from, to + i * t.strides[axis] * size, t, axis + 1);
  }

  Status copy(size_t i) {
    const Sizes strides = stated(i);
    if (uses_stride_symbols(i) || !is_injective(inputs_[i].shape, strides)) return refused(i, strides);
    FRIT_TRY(make_dense(i));
    Tensor t{nullptr, inputs_[i].dtype, inputs_[i].shape, strides, 0};
    int64_t span = 1;
    for (size_t axis = 0; axis < t.shape.size(); ++axis) span += (t.shape[axis] - 1) * strides[axis];
    FRIT_ASSIGN_OR_RETURN(memory, Buffer::allocate(static_cast<size_t>(span) * t.dtype.size()));
    const auto* from = static_cast<const std::byte*>(inputs_[i].buffer->data()) +
                       inputs_[i].offset * static_cast<int64_t>(t.dtype.size());
    scatter(from, static_cast<std::byte*>(memory->data()), t, 0);
    t.buffer = std::move(memory);
    inputs_[i] = std::move(t);
    return {};
  }

  static std::string text(const Sizes& sizes) {
    std::string s = "[";
    for (size_t i = 0; i < sizes.size(); ++i) s += (i ? ", " : "") + std::to_string(sizes[i]);
    return s + "]";
  }

  Diagnostic refused(size_t i, const Sizes& strides) const {
    std::string ranges;
    for (const Signature::StrideSymbol& symbol : s_.stride_symbols) {
      if (symbol.input != i) continue;
      ranges += (ranges.empty() ? " where " : ", ") + symbol.name + " is at least " + std::to_string(symbol.low) +
                " and at most " + std::to_string(symbol.high);
      if (symbol.multiple > 1) ranges += " and a multiple of " + std::to_string(symbol.multiple);
    }
    return Diagnostic("function @" + s_.name + " takes '" + s_.inputs[i].name + "' with strides " + text(strides) +
                          ranges + ", but strides " + text(inputs_[i].strides) + " are given",
                      {}, "it is " + s_.text);
  }

  const Signature& s_;
  std::vector<Tensor>& inputs_;
  std::vector<int64_t> values_;
};

}  // namespace

Status lay_out(const Signature& signature, std::vector<Tensor>& inputs, std::span<const int64_t> symbols) {
  return Layouts(signature, inputs, symbols).run();
}

}  // namespace frit::runtime
