// Lowering of one fused group: a function for each kind of group that has code.
#pragma once

#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

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
  std::unordered_map<ir::ValueId, uint32_t> wanted{};  // the dense buffers that values shall be in

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

// Whether the window is all of its buffer, in row-major order.
bool is_whole(const ir::Program& program, const Placement& p, const ir::Type& t, const DimFacts& facts);

// A kernel of one loop per axis that copies the value into a buffer of its own, which becomes its placement; or into a
// given buffer, dense.
void copy_out(Lowering& l, const ir::Function& f, ir::ValueId v, std::string name);
void copy_to(Lowering& l, const ir::Function& f, ir::ValueId v, uint32_t buffer, std::string name);

// The element of a dense value at a position.
Dim row_major_element(const ir::Shape& shape, const std::vector<Dim>& at);

}  // namespace frit::passes
