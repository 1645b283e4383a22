// Library routines: operations that the device runs through a tuned library, such as products of matrices.
//
// A function registers under the name of the routine's record (ir/routines). It may live in a plugin that is loaded on
// first need.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "ir/base/dtype.h"
#include "ir/base/result.h"

namespace frit::runtime {

struct LibraryTensor {
  void* data;  // of the first element (offset applied)
  Dtype dtype = float32;
  std::span<const int64_t> shape, strides;
};

// Work on rows between two products: the kernels that make rows of the second product's left operand (weights) of rows
// of the first product (scores).
struct RowWork {
  Dtype scores = float32, weights = float32;
  int64_t scores_stride = 0, weights_stride = 0;  // elements from row to row
  // For rows [begin, end) of all rows in row-major order, which begin at `scores` and `weights`. False where memory is
  // exhausted. From any thread.
  std::function<bool(int64_t begin, int64_t end, void* scores, void* weights)> run;
  // When set: how many scores of a row, from the first one on, any of the rows needs. The others may be left out.
  std::function<int64_t(int64_t begin, int64_t end)> needed;
};

struct LibraryCall {
  std::span<const LibraryTensor> operands, results;
  // JSON object text, "{}" when there are none. An integer that the call decides stands there as {"size": i}, which is
  // sizes[i].
  std::string_view options;
  // When set: to be called for ranges of results[0]'s elements, numbered in row-major order, each as soon as it is
  // final. The ranges are whole rows (of the last axis) and cover all elements exactly once, in any order, and may be
  // given from several threads at once.
  std::function<void(int64_t begin, int64_t end)> epilogue;
  std::span<const int64_t> sizes = {};
  const RowWork* rows = nullptr;        // of a routine that is two products
  std::span<std::byte> workspace = {};  // as large as the routine's record asks for, aligned to 64; contents undefined
};

using LibraryFn = Status (*)(const LibraryCall&);

void register_library(std::string_view name, LibraryFn fn);
// Null when no routine of that name can be had; `why` then says so.
LibraryFn find_library(std::string_view name, std::string& why);

// A device that has no form of a routine lets the CPU compute it. The notice is called for the first such call of each
// routine, from any thread; without a notice nobody is told.
using HostRoutineNotice = void (*)(std::string_view routine, std::string_view device);
void set_host_routine_notice(HostRoutineNotice notice);
void tell_host_routine(std::string_view routine, std::string_view device);

}  // namespace frit::runtime
