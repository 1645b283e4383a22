// Runs kernels through the code generator and through the reference interpreter on the same memory, and compares every
// byte.
//
// Buffers of the generated code end at an inaccessible page, so that an access past the end ends the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "codegen/core/backend.h"
#include "ir/kernel/kernel.h"

namespace frit::test {

using Random = std::mt19937_64;

// Memory whose last byte is followed by an inaccessible page.
class GuardedMemory {
 public:
  explicit GuardedMemory(size_t bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  std::byte* data() const { return data_; }
  size_t bytes() const { return bytes_; }

 private:
  std::byte* map_ = nullptr;
  size_t mapped_ = 0, bytes_ = 0;
  std::byte* data_ = nullptr;
};

codegen::Backend& backend();

// Bits of a value that is often a special one: zeros, infinities, NaN, extremes, halves, subnormals.
uint64_t interesting_bits(Dtype type, Random& random);
// Fills `memory` with interesting values of `type`.
void fill(std::byte* memory, int64_t count, Dtype type, Random& random);

// Gives the bits of element `i` of buffer `name`, or nothing for an interesting value.
using Fill = std::function<std::optional<uint64_t>(const std::string& name, int64_t i)>;

// The generated code of one kernel.
class Compiled {
 public:
  explicit Compiled(ir::Kernel kernel, const std::string& cpu = "native");
  // Runs it and the interpreter with these values of the kernel's symbols. If `parts` > 1, the parallel loop runs in
  // that many pieces. Two NaNs are equal; everything else must agree to the bit, bytes that nothing writes included.
  void check(const std::vector<int64_t>& symbols, int parts = 1, const Fill& values = {});
  bool ok() const { return fn_ != nullptr; }
  const ir::Kernel& kernel() const { return kernel_; }

 private:
  ir::Kernel kernel_;
  std::shared_ptr<runtime::Code> code_;
  runtime::KernelFn fn_ = nullptr;
  Random random_{42};
};

// Parses a kernel; a failure fails the test.
ir::Kernel parse(const std::string& text);
// Sets `vector` and `unroll` of the loop over `var`.
void set_vector(ir::Kernel& k, const std::string& var, int vector, int unroll);
ir::Program program_of(ir::Kernel kernel);

}  // namespace frit::test
