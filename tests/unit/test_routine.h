// A routine that exists in tests only: the first `count` elements of each row in descending order, and their positions.
// It has two results, a workspace and an attribute that may be a symbolic size.
#pragma once

#include <algorithm>
#include <cstring>
#include <numeric>

#include "ir/routines/routine.h"

namespace frit::testing {

// Sorts one row; `workspace` holds a position for each of its elements.
template <class Load, class Store>
void sort_row(int64_t length, int64_t count, int64_t* workspace, const Load& load, const Store& store) {
  std::iota(workspace, workspace + length, int64_t{0});
  std::stable_sort(workspace, workspace + length, [&](int64_t a, int64_t b) { return load(a) > load(b); });
  for (int64_t i = 0; i < count; ++i) store(i, load(workspace[i]), workspace[i]);
}

inline Result<std::vector<ir::Type>> infer_top(const ir::InferArgs& args) {
  const ir::Type& x = args.operands[0];
  if (x.dtype != float32 || x.rank() != 2)
    return Diagnostic("op 'test_top' needs a float32 matrix, but got " + x.str());
  ir::Type values = x;
  values.shape[1] = std::get<Dim>(*args.attrs.find("count"));
  return std::vector<ir::Type>{values, {int64, values.shape}};
}

inline Status top_reference(const ir::ReferenceCall& call) {
  const ir::HostWindow &x = call.operands[0], &values = call.results[0], &positions = call.results[1];
  const int64_t length = x.shape[1], count = std::get<Dim>(*call.attrs.find("count")).value();
  if (call.workspace.size() < static_cast<size_t>(8 * length)) return Diagnostic("the workspace is too small");
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    std::vector<int64_t> order(static_cast<size_t>(length));
    sort_row(
        length, count, order.data(),
        [&](int64_t i) { return x.number(x.offset + row * x.strides[0] + i * x.strides[1]).real(); },
        [&](int64_t i, double value, int64_t position) {
          values.set_number(values.offset + row * values.strides[0] + i * values.strides[1], value);
          positions.set_bits(positions.offset + row * positions.strides[0] + i * positions.strides[1],
                             static_cast<uint64_t>(position));
        });
    std::memcpy(call.workspace.data(), order.data(), static_cast<size_t>(8 * length));
  }
  return {};
}

inline Dim top_workspace(const ir::RoutineLayouts& layouts) { return layouts.operands[0].shape[1] * Dim(8); }

inline constexpr ir::Routine kTop{.name = "test_top",
                                  .operands = 1,
                                  .results = 2,
                                  .infer = infer_top,
                                  .reference = top_reference,
                                  .workspace = top_workspace};

inline const ir::RegisterRoutine top_record(kTop);
inline const ir::RegisterOps top_row({{
    .name = "test_top",
    .kind = ir::OpKind::Library,
    .arity = 1,
    .attrs = {{.name = "count", .kind = ir::AttrKind::Int}},
    .routine = &kTop,
    .infer = infer_top,
}});

// Work before and after the routine, which both of its results go into.
inline constexpr const char* kTopFunction =
    "func @f(%x: f32[m, n]) -> (f32[m, (n // 2)], i64[m, (n // 2)], f32[m, (n // 2)]) {\n"
    "  %0: f32[m, n] = negative %x\n"
    "  %1: f32[m, (n // 2)], %2: i64[m, (n // 2)] = test_top %0 {count=(n // 2)}\n"
    "  %3: f32[m, (n // 2)] = exp %1\n"
    "  %4: i64[m, (n // 2)] = negative %2\n"
    "  return %3, %4, %1\n"
    "}\n";

}  // namespace frit::testing
