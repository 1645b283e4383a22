// Runs a ScalarProgram over arrays, a block of elements per node, fast enough to try a function on every float.
//
// One evaluator serves one thread at a time. It knows only the types that ir/math computes in: bool, i32, u32, i64,
// u64, f32, f64.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ir/scalar/scalar.h"

namespace frit::accuracy {

class BlockEvaluator {
 public:
  static constexpr size_t kBlock = 512;

  // `program` has only primitive nodes. It is copied, so it need not outlive the call.
  explicit BlockEvaluator(const ir::ScalarProgram& program);

  // Computes the first result for `count` elements (at most kBlock); inputs[i] and result point to elements
  // of the program's types.
  void run(std::span<const void* const> inputs, void* result, size_t count);

 private:
  using Step = void (*)(void* out, const void* a, const void* b, const void* c, size_t count);
  struct Instruction {
    Step step;
    uint32_t out, a, b, c;
  };
  void* slot(uint32_t node) { return storage_.data() + size_t{node} * kBlock; }

  ir::ScalarProgram program_;
  std::vector<Instruction> instructions_;
  std::vector<uint64_t> storage_;
};

}  // namespace frit::accuracy
