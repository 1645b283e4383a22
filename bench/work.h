// The measured work, defined once: the benchmark programs run it beside its limit, bench/peers beside other libraries.
//
// Inputs are the same numbers everywhere (bench/peers/peer.py makes them in the same way), so results can be compared.
#pragma once

#include <frit/frit.h>

#include <functional>
#include <string>
#include <vector>

namespace bench {

using Arrays = std::vector<frit::array>;

// The least work of the machine or the library for the same result; measured by LimitRun (bench/limit.h).
struct Limit {
  enum Kind { kNone, kCopy, kRead, kProduct, kBare };
  Kind kind = kNone;
  size_t bytes = 0;         // kCopy, kRead: the number of bytes copied or read
  int m = 0, n = 0, k = 0;  // kProduct: f32 (m, k) x (k, n) by OpenBLAS on all threads
  // kBare: only the work's products, compiled in the same way, on its inputs
  std::function<Arrays(const Arrays&)> bare;
};

struct Work {
  std::string area, name;
  std::function<Arrays()> inputs;
  std::function<Arrays(const Arrays&)> graph;
  Limit limit;
};

// Numbers of [-scale, scale) that depend only on `seed` and the position.
frit::array numbers(const frit::Shape& shape, unsigned seed, float scale, frit::Dtype dtype = frit::float32);

const std::vector<Work>& works();

}  // namespace bench
