// Tensors of `frit run`: random ones, dense copies, and printing and writing of results.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/execute/executable.h"

namespace frit::cli {

// Uniform in [-1, 1) for floats, small integers for the others; the same numbers on every machine.
runtime::Tensor random_tensor(Dtype dtype, const std::vector<int64_t>& shape, uint64_t seed);

// The same elements in row-major order. Copies only where they do not lie so.
runtime::Tensor row_major(const runtime::Tensor& t);

// "[2, 3]"
std::string shape_text(const std::vector<int64_t>& shape);

// One line with the first elements, on standard output.
void print_result(size_t index, const runtime::Tensor& t);

// Writes 0.npy, 1.npy, ... into a folder, which is made where missing: all files or none.
void write_results(const std::string& output, const std::vector<runtime::Tensor>& results);

}  // namespace frit::cli
