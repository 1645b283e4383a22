// Lowering of one fused group: a function for each kind of group that has code.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph/scan_order.h"
#include "passes/lower/kernel_emitter.h"
#include "passes/manager/pass.h"

namespace frit::passes {

// A group's ops in order, and which of its values others need.
struct GroupView {
  const ir::Function& f;
  std::span<const ir::Op> ops;
  std::vector<ir::ValueId> outputs;  // in order of definition; not yet placed
  std::string name;                  // of the kernel
};

// A new buffer, named by `prefix` and its number.
uint32_t add_buffer(ir::Program& program, const char* prefix, ir::BufferRole role, Dtype dtype, Dim size,
                    ir::Literal data = {});

struct Lowering {
  ir::Program& program;
  Placements& placements;  // of every value in memory so far
  PassContext& context;
  std::set<uint32_t>& moving;  // buffers that loops swap; no result of the program may lie there
  const std::unordered_set<std::string>& input_names;  // of the program
  std::unordered_map<ir::ValueId, uint32_t> wanted{};  // the dense buffers that values shall be in
  // Buffers of a region's parameters that something outside of it reads, or its next iteration.
  std::set<uint32_t> kept{};

  uint32_t add_buffer(const char* prefix, ir::BufferRole role, Dtype dtype, Dim size);
  uint32_t add_temp(Dtype dtype, Dim size) { return add_buffer("t", ir::BufferRole::Temp, dtype, std::move(size)); }
  // Whether the one reader of a value of `f` may overwrite its memory: nothing else reads that.
  bool may_overwrite(const ir::Function& f, ir::ValueId v) const;
  // A dense buffer for `v`: a new one, or the wanted one.
  uint32_t allocate(const ir::Function& f, ir::ValueId v);
};

// Appends the steps of a fused function, whose parameters have placements.
Status lower_groups(Lowering& l, const ir::Function& f);

Status lower_loop_group(Lowering& l, const GroupView& g);
Status lower_reduce_group(Lowering& l, const GroupView& g);
Status lower_library_group(Lowering& l, const GroupView& g);
Status lower_scatter_group(Lowering& l, const GroupView& g);
Status lower_control_group(Lowering& l, const GroupView& g);

// For each op of the group, whether it is computed at the very position of the outputs: reached from them through
// elementwise ops and scans alone.
std::vector<bool> at_output_positions(const GroupView& g);

// The members of a loop group at one position, in order of definition, so that no value is computed by deep recursion
// and each output is stored as soon as it is known. `scan` gives the value of a scan there.
void emit_members(KernelEmitter& e, const GroupView& g, const std::vector<uint32_t>& buffers,
                  const std::vector<Dim>& at, const std::function<Regs(const ir::Op&)>& scan);

// A running value of the innermost loop: in front of a place and at it, in the compute type of the scan's result.
struct RunningValue {
  Regs before, after;
};
RunningValue run_scan(KernelEmitter& e, const ir::Op& scan, Dtype result, Regs value);
// The scan's step from a running value in front of `value` to the one behind it.
Regs step_scan(KernelEmitter& e, const ir::Op& scan, Dtype result, Regs before, Regs value);

// The steps of a loop group whose scan goes in blocks (ir/graph/scan_order.h). `buffers`: of the outputs.
void lower_scan_blocks(Lowering& l, const GroupView& g, const ir::ScanLoop& loop, const std::vector<uint32_t>& buffers);
// Those of one with lanes.
void lower_scan_groups(Lowering& l, const GroupView& g, const ir::ScanLoop& loop, const std::vector<uint32_t>& buffers);

// The steps of a scatter to `buffer` whose updates are sorted by their destination; false where that is no way to apply
// them. Without a buffer, one is made, to which the steps also write the elements that no update changes; false where
// they would not reach all of these. `disjoint`: the axes of the updates along which no two of them meet.
bool lower_sorted_scatter(Lowering& l, const GroupView& g, const ir::Op& op, const std::vector<bool>& disjoint,
                          std::optional<uint32_t>& buffer);

// Whether the window is all of its buffer, in row-major order.
bool is_whole(const ir::Program& program, const Placement& p, const ir::Type& t, const DimFacts& facts);

// A kernel of one loop per axis that copies the value into a buffer of its own, which becomes its placement; or into a
// given buffer, dense.
void copy_out(Lowering& l, const ir::Function& f, ir::ValueId v, std::string name);
void copy_to(Lowering& l, const ir::Function& f, ir::ValueId v, uint32_t buffer, std::string name);

// The element of a dense value at a position.
Dim row_major_element(const ir::Shape& shape, const std::vector<Dim>& at);

}  // namespace frit::passes
