// Classes of layouts, and the parameter layouts that code is compiled for.
#include "frontend/core/layout.h"

namespace frit::detail {

Step step_of(std::span<const int64_t> strides, size_t axis) {
  if (strides[axis] == 0) return Step::Zero;
  return axis + 1 == strides.size() && strides[axis] == 1 ? Step::One : Step::Any;
}

void append_layout(std::string& key, std::span<const int64_t> strides) {
  for (size_t axis = 0; axis < strides.size(); ++axis) key += static_cast<char>(step_of(strides, axis));
}

void append_layout(std::vector<int64_t>& key, std::span<const int64_t> strides) {
  key.push_back(static_cast<int64_t>(strides.size()));
  for (size_t axis = 0; axis < strides.size(); ++axis) key.push_back(static_cast<int64_t>(step_of(strides, axis)));
}

ir::ParamLayout param_layout(std::span<const int64_t> strides, size_t index, DimFacts& facts) {
  ir::ParamLayout layout;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    switch (step_of(strides, axis)) {
      case Step::Zero: layout.emplace_back(0); break;
      case Step::One: layout.emplace_back(1); break;
      case Step::Any: {
        const std::string name = "s" + std::to_string(index) + "_" + std::to_string(axis);
        // Strides may be negative. Symbols are sizes by default, which may not.
        facts.set_range(name, {-DimFacts::kMaxSize, DimFacts::kMaxSize});
        layout.push_back(Dim::symbol(name));
        break;
      }
    }
  }
  return layout;
}

}  // namespace frit::detail
