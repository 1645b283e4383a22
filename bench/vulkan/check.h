// Correctness on a machine with nothing but the driver: random graphs on the GPU beside the graph interpreter.
#pragma once

#include <cstdint>
#include <string>

// Draws `count` graphs of each family whose name contains `only`: sorts and selections, to the bit; Fourier transforms,
// products, attention and rows, within their bounds (docs/vulkan.md). Prints a line for each family and every
// difference; true where there was none.
bool check_graphs(int count, uint64_t seed, const std::string& only);
