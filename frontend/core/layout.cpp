#include "frontend/core/layout.h"

namespace frit::detail {

namespace {

enum class Step : char { Any = 'a', Zero = '0', One = '1' };

Step step_class(int64_t stride, bool innermost) {
  if (stride == 0) return Step::Zero;
  return innermost && stride == 1 ? Step::One : Step::Any;
}

}  // namespace

void append_layout(std::string& key, std::span<const int64_t> strides) {
  for (size_t axis = 0; axis < strides.size(); ++axis)
    key += static_cast<char>(step_class(strides[axis], axis + 1 == strides.size()));
}

ir::ParamLayout param_layout(std::span<const int64_t> strides, size_t index, DimFacts& facts) {
  ir::ParamLayout layout;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    switch (step_class(strides[axis], axis + 1 == strides.size())) {
      case Step::Zero: layout.emplace_back(0); break;
      case Step::One: layout.emplace_back(1); break;
      case Step::Any: {
        const std::string name = "s" + std::to_string(index) + "_" + std::to_string(axis);
        // Strides may be negative; sizes, which symbols are by default, may not.
        facts.set_range(name, {-DimFacts::kMaxSize, DimFacts::kMaxSize});
        layout.push_back(Dim::symbol(name));
        break;
      }
    }
  }
  return layout;
}

}  // namespace frit::detail
