// Graph IR: Module > Function > Op > Value, in SSA form over tensors.
//
// A Function owns its values and ops in flat tables. Ops are kept in a topological order (operands before users);
// passes walk that order and either edit in place or rebuild with a Builder. Ids are indices and stay valid until the
// function is rebuilt or compacted.
//
// Meaning of operations:
// - An elementwise operation computes in compute_type(dtype) and rounds once to the result's type. ir/scalar/scalar.h
//   has the scalar rules.
// - A reduction numbers the elements of each maximal run of adjacent reduced axes in row-major order and cuts them into
//   blocks. In the run that holds the operand's last axis, a block has kReductionBlock elements, which are dealt in
//   turn to kReductionLanes accumulators; these are then folded by halves (0 with L/2, 1 with L/2 + 1, ...). In any
//   other run a block has kColumnBlock elements, which are accumulated in order. Blocks are combined in order, and so
//   are the results of an inner run in an outer run.
// - Sums and products of f16 and bf16 accumulate in f32 and round once.
// - The order of a reduction never depends on the thread count, the machine or fusion. A backend for another kind of
//   device may replace the numbers (passes/manager/pass.h, TargetTraits).
// - A scan accumulates in compute_type(dtype), in the order that ir/graph/scan_order.h states, and rounds each running
//   value to the result's type. A scatter applies its updates in row-major order and rounds after each.
// - A reduction over nothing gives the combine's identity: sum 0, prod 1, max -inf, min +inf or the type's extreme, and
//   true, or false. argmax and argmin of nothing are errors.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph/op.h"

namespace frit::ir {

inline constexpr int kReductionLanes = 32;
inline constexpr int64_t kReductionBlock = 1 << 16, kColumnBlock = 256;

inline constexpr uint32_t kNone = ~0u;

struct Program;  // a lowered function: ir/kernel/program.h

struct Value {
  Type type;
  uint32_t op = kNone;  // the defining op; kNone for parameters
  uint32_t index = 0;   // index of the result, or of the parameter
  std::string name;     // parameters only; results are numbered when printed
};

struct Op {
  const OpDef* def = nullptr;
  std::vector<ValueId> operands;
  AttrMap attrs;
  std::vector<ValueId> results;
  SourceLoc loc;
  int32_t group = -1;  // index of the fused group in Function::groups; -1 before fuse
};

// The decision of `fuse`: the ops of one group become one kernel, or one library call with its epilogue.
enum class GroupKind : uint8_t {
  Loop,     // elementwise and index ops over one iteration space
  Reduce,   // reductions with prologue and epilogue; row-wise chains
  Library,  // one library op and its epilogue
  View,     // no code: results share an operand's memory
  Scatter,  // one scatter op
  Control,  // one op with regions, whose groups are those of the regions
};
std::string_view name(GroupKind k);
struct Group {
  GroupKind kind;
};

// The memory layout of a parameter. Empty: dense row-major. Otherwise one stride per axis, a constant or a symbol bound
// at the call. One trace serves contiguous and strided callers by lowering twice.
using ParamLayout = Dims;

struct Function {
  std::string name;
  std::vector<ValueId> params;
  std::vector<ParamLayout> layouts;  // empty, or one per parameter
  std::vector<ValueId> results;
  std::vector<Value> values;
  std::vector<Op> ops;
  std::vector<Group> groups;  // after fuse; the ops of a group are adjacent
  DimFacts facts;             // about the symbols in the signature
  // Names that callers outside the process use; nothing else depends on them. `weights` is empty, or has for each
  // parameter the tensor in the module's file of weights that it is bound to, "" for an argument. `result_names` is
  // empty, or has a name or "" for each result.
  std::vector<std::string> weights, result_names;
  std::shared_ptr<Program> program;  // after lower_to_kernels; the graph then keeps only its signature

  const Type& type(ValueId v) const { return values[v].type; }
  const Op* def_of(ValueId v) const { return values[v].op == kNone ? nullptr : &ops[values[v].op]; }
  ValueId add_param(std::string name, Type type);
  // Every symbol of the signature's shapes and layouts, sorted and without repeats.
  std::vector<std::string> symbols() const;
  // Every symbol of the types and attributes of values and ops, those of the signature included.
  std::vector<std::string> used_symbols() const;
  // The weight that parameter i is bound to; "" for an argument.
  std::string_view weight(size_t i) const {
    return i < weights.size() ? std::string_view(weights[i]) : std::string_view();
  }
  std::string_view result_name(size_t i) const {
    return i < result_names.size() ? std::string_view(result_names[i]) : std::string_view();
  }
  // The number of uses of each value as an operand or a result.
  std::vector<uint32_t> use_counts() const;
  // Drops ops that are not reachable from the results (unless kSideEffect), puts the others into depth-first operand
  // order from the results, and renumbers values densely with parameters first. Printing and hashing use this canonical
  // order. The ops of a group stay adjacent.
  void canonicalize_order();
};

struct Module {
  std::vector<std::unique_ptr<Function>> functions;
  std::string weights;   // the file that holds the bound weights, relative to the module's own file; "" without weights
  std::string metadata;  // a text of the module's author for its readers; the compiler does not look into it
  Function* find(std::string_view name) const;
};

// Appends ops to a function and infers their types. It inserts no op on its own.
class Builder {
 public:
  explicit Builder(Function& f) : f_(f) {}
  SourceLoc loc;  // for the ops built next

  Result<std::vector<ValueId>> try_build(const OpDef& def, std::vector<ValueId> operands, AttrMap attrs = {});
  // For ops that cannot fail because their types were checked. Otherwise aborts with the diagnostic.
  ValueId build(std::string_view op_name, std::vector<ValueId> operands, AttrMap attrs = {});
  ValueId build(const OpDef& def, std::vector<ValueId> operands, AttrMap attrs = {});

  ValueId constant(Literal literal, Shape shape = {});
  ValueId scalar(Dtype dtype, double value);         // rank 0
  ValueId splat(double value, const Type& type);     // constant + broadcast
  ValueId broadcast(ValueId v, const Shape& shape);  // returns `v` if it already has that shape
  ValueId cast(ValueId v, Dtype dtype);              // likewise
  const Type& type(ValueId v) const { return f_.type(v); }
  Function& function() { return f_; }

 private:
  Function& f_;
};

// A 128-bit structural identity. It depends on types, attributes, literals, facts, layouts, parameter order and
// results, but not on names, locations or the order in which ops were built. Equal hashes are trusted only together
// with `structurally_equal`.
Hash128 structural_hash(const Function& f);
bool structurally_equal(const Function& a, const Function& b);

}  // namespace frit::ir
