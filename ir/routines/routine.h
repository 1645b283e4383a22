// Routines: operations that are more than a loop nest, such as products of matrices. Each has one record.
//
// ir/routines/<routine>.cpp holds the record and the row of the operation: its types, attributes, derivative and
// documentation. The layers above add their own part in a file of the routine: kernels and calls of C libraries in
// passes/lower/routine_<routine>.cpp, shaders in codegen/glsl/routine_<routine>.cpp. These parts register under the
// record. A device's library registers its function under the record's name (runtime/execute/library.h). So a new
// routine is new files, and no code compares a routine's name.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ir/base/dim_facts.h"
#include "ir/base/result.h"
#include "ir/graph/op.h"
#include "ir/routines/host_window.h"

namespace frit::ir {

// Elementwise work that a routine applies to its own result.
enum class RoutineEpilogue : uint8_t {
  None,
  FirstResult,  // on elements of results[0], of its shape, which may read nothing of the other results
};

// The operands that a routine has a result for. Tests draw such ones.
enum class OperandKind : uint8_t {
  Any,
  Definite,  // matrices for which the routine succeeds if they are symmetric and their diagonal dominates
};

// The arguments of a reference implementation. Operands and results may lie in memory with any strides; `attrs` has
// numbers for all sizes. `workspace` has as many bytes as the record's rule gives, with undefined contents.
struct ReferenceCall {
  std::span<const HostWindow> operands, results;
  const AttrMap& attrs;
  std::span<std::byte> workspace;
};

// How a call lies in memory: what the size of its workspace may depend on.
struct RoutineLayouts {
  std::span<const Dtype> dtypes;  // of operands, then results
  std::span<const Layout> operands, results;
  const AttrMap& attrs;
};

inline constexpr int kAnyNumber = -1;

struct Routine {
  std::string_view name;          // in steps, plans and device libraries
  int operands = 1, results = 1;  // or kAnyNumber
  // The type rule, which the operation's row names too.
  OpDef::Infer infer = nullptr;
  // Computes the results one element at a time, for the interpreters. Floating sums are in double.
  Status (*reference)(const ReferenceCall&) = nullptr;
  RoutineEpilogue epilogue = RoutineEpilogue::None;
  // Some rows of the result, [.., m, n], are the same routine of these rows of the first operand, [.., m, k], and the
  // whole of the second (ir/kernel/row_stream.h).
  bool takes_rows = false;
  // The results follow from the operands to the bit, whatever computes them.
  bool exact = false;
  // Whether the first operand may have elements of this type, where the row's domain has more types.
  bool (*takes)(Dtype) = nullptr;
  OperandKind operand_kind = OperandKind::Any;
  // Bit i is set where result i follows from the operands, up to rounding. The other results are one choice of many,
  // such as the signs of eigenvectors.
  uint32_t determined = ~0u;
  // passes/lower has kernels of it. Code without a runtime takes these where the row has an expansion, too.
  bool has_kernels = false;
  // A call names an object of this process, so that its code serves no other one.
  bool in_process = false;
  // A call acts beyond the program, on other processes or on objects of the caller: such calls keep their order.
  bool in_order = false;
  // Bytes of scratch memory that a call needs; null where it needs none.
  Dim (*workspace)(const RoutineLayouts&) = nullptr;
  // The floating-point operations of a call, or its comparisons where it orders elements: the leading term of the usual
  // algorithm. Nothing where a size without a value leaves them open. Null where a call computes nothing.
  std::optional<Dim> (*flops)(const RoutineLayouts&) = nullptr;
};

// Null where there is no routine of that name.
const Routine* find_routine(std::string_view name);
std::vector<const Routine*> all_routines();  // sorted by name

// Registers a record, which must outlive the process's use of it; the name must be new.
struct RegisterRoutine {
  explicit RegisterRoutine(const Routine& routine);
};

}  // namespace frit::ir
