// Functions of several operations that eager evaluation runs as one compiled function.
//
// Inside a trace the operations become part of the trace, and nothing is left of the function around them. Outside, the
// function is compiled and kept by its name and key, so that an eager call costs as much as one operation: once for
// every size, or once for each set of sizes where proofs about open ones cost more than another trace.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "frontend/core/build.h"
#include "frontend/frit/ops.h"

namespace frit::detail {

// Numbers that a composed function depends on besides its inputs: axes, element types, switches.
using ComposedKey = std::vector<int64_t>;
inline int64_t key_of(Dtype t) { return static_cast<int64_t>(t.val()); }
int64_t key_of(float v);

enum class ComposedSizes : uint8_t { Open, Fixed };

// `fn` may depend on nothing but its inputs, `name` and `key`, and must not fail: the caller has checked everything.
std::vector<array> composed_all(std::string_view name, ComposedKey key,
                                const std::function<std::vector<array>(const std::vector<array>&)>& fn,
                                const std::vector<array>& inputs, const StreamOrDevice& s,
                                ComposedSizes sizes = ComposedSizes::Open);
array composed(std::string_view name, ComposedKey key, const std::function<array(const std::vector<array>&)>& fn,
               const std::vector<array>& inputs, const StreamOrDevice& s, ComposedSizes sizes = ComposedSizes::Open);

// An array without elements that carries sizes into a composed function, as an input.
array sizes_carrier(const ir::Dims& sizes);
ir::Dims carried_sizes(const array& carrier);

}  // namespace frit::detail
