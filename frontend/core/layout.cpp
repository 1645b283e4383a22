// Classes of layouts, and the parameter layouts that code is compiled for.
#include "frontend/core/layout.h"

namespace frit::detail {

namespace {

// The stride where code is specialised on it, a number that no such stride has otherwise. The memory of an argument
// begins at its first element in a plan of known sizes, so strides that run backwards stay symbols.
constexpr int64_t kFew = 16, kOpen = kFew + 1;
int64_t class_of(int64_t stride, bool much_work) {
  return 0 <= stride && stride <= (much_work ? kFew : 1) ? stride : kOpen;
}

}  // namespace

void append_layout(std::string& key, std::span<const int64_t> strides, bool much_work) {
  for (int64_t stride : strides) key += static_cast<char>('a' + class_of(stride, much_work));
}

void append_layout(std::vector<int64_t>& key, std::span<const int64_t> strides, bool much_work) {
  key.push_back(static_cast<int64_t>(strides.size()));
  for (int64_t stride : strides) key.push_back(class_of(stride, much_work));
}

ir::ParamLayout param_layout(std::span<const int64_t> strides, bool much_work, size_t index, DimFacts& facts) {
  ir::ParamLayout layout;
  for (size_t axis = 0; axis < strides.size(); ++axis) {
    if (const int64_t known = class_of(strides[axis], much_work); known != kOpen) {
      layout.emplace_back(known);
      continue;
    }
    const std::string name = "s" + std::to_string(index) + "_" + std::to_string(axis);
    // Strides may be negative. Symbols are sizes by default, which may not.
    facts.set_range(name, {-DimFacts::kMaxSize, DimFacts::kMaxSize});
    layout.push_back(Dim::symbol(name));
  }
  return layout;
}

}  // namespace frit::detail
