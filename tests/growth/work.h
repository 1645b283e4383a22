// Work that can be counted: bytes asked of the allocator. Unlike time it is the same on every run of a program in one
// thread, and whatever copies or rebuilds a list for each element of a list shows in it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace frit::test {

// Bytes that all threads have asked for with operator new so far.
uint64_t bytes_asked_for();
uint64_t bytes_asked_for(const std::function<void()>& action);

// How the work of `action(n)` grows: the exponent e of work ~ n^e between the last two of `sizes`. The first size is
// run twice, so that what is made once counts for none.
struct Growth {
  double exponent;
  std::string text;  // each size with its work
};
Growth growth(const std::vector<int>& sizes, const std::function<void(int)>& action);
Growth growth_of(const std::vector<int>& sizes, const std::vector<double>& work);

// Linear, with room for tables that double and for n log n.
inline constexpr double kLinear = 1.3;

}  // namespace frit::test
