// Sizes of aligned memory.
#pragma once

#include <cstddef>

namespace frit::runtime {

// The least multiple of `unit` that is not below `size`.
constexpr std::size_t round_up(std::size_t size, std::size_t unit) { return (size + unit - 1) / unit * unit; }

}  // namespace frit::runtime
