// Programs: the kernels of a lowered function, and the list of launches that binds them to buffers.
//
// Steps run in order and see the effects of earlier steps. Buffer sizes are Dims over the program's symbols. Results
// name windows on buffers: without a copy, a result may be an input, share a buffer with another result, or be a view.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/kernel/kernel.h"

namespace frit::ir {

enum class BufferRole : uint8_t {
  Input,
  Output,
  Temp,
  Constant,
  Part,  // of an earlier buffer, at a place that changes in each iteration of a loop
};

struct ProgramBuffer {
  std::string name;
  BufferRole role;
  Dtype dtype = float32;
  Dim size;                  // elements
  Literal data = {};         // of a Constant
  uint32_t param = kNone;    // of an Input: its parameter
  uint32_t whole = kNone;    // of a Part: the buffer that it is in, an earlier one of its element type
  Dim at = 0;                // of a Part: its first element there, over the symbols and counters
  uint32_t counter = kNone;  // of a Part: the loop that places it, before each iteration
  // Set by plan_buffers. A Temp lies in its slot from byte `at` on, or in the Output `whole` before that is written.
  uint32_t slot = kNone;   // of a Temp: its slot of the workspace
  uint32_t donor = kNone;  // of an Output: the Input buffer whose memory it takes over if the caller donates it
};

struct Window {
  uint32_t buffer;
  Layout layout;
};

struct KernelStep {
  uint32_t kernel;
  // one per Kernel::buffers
  std::vector<uint32_t> buffers;
  // The groups of the fused function that it computes; empty where nothing says so. Reports alone read it.
  std::vector<uint32_t> groups = {};
  // The sizes that the kernel's symbols stand for, in the kernel's order, over the program's symbols; empty: those of
  // the same names.
  std::vector<Dim> sizes = {};
};

// A call of a routine. A device finds its own implementation by the routine's name.
struct LibraryStep {
  const Routine* routine = nullptr;  // never null
  AttrMap attrs;                     // sizes in them are Dims over the program's symbols
  std::vector<Dtype> dtypes;         // of operands, then results
  std::vector<Window> operands;
  std::vector<Window> results;
  // A temp of bytes that the routine may use during the call. It is there if the routine's record asks for one.
  uint32_t workspace = kNone;
  // The kernel fused behind the routine. Its parallel loop runs over the rows of results[0] (all axes but the last, in
  // row-major order). The device may call it on each range of rows as soon as the routine has finished them, while they
  // are in cache.
  std::optional<KernelStep> epilogue;
  std::vector<uint32_t> groups = {};  // as in KernelStep
};

// Control flow among the steps. Repeat, Loop and If open a block, which their End closes; blocks nest.
enum class ControlKind : uint8_t {
  Repeat,  // runs its block `count` times; the counter goes from 0
  Loop,    // runs its block again and again
  Leave,   // directly in a Loop: goes behind its End unless `flag` holds true
  If,      // runs its block if `flag` holds true, else the block behind Else
  Else,
  End,
};
struct ControlStep {
  ControlKind kind;
  uint32_t counter = kNone;  // Repeat: its number in Program::counters, which no other step has
  Dim count = 0;             // Repeat
  uint32_t flag = kNone;     // Leave and If: a buffer of one bool
  // End of Repeat and Loop: temps of one size that exchange their memory after an iteration.
  std::vector<std::pair<uint32_t, uint32_t>> swaps = {};
  std::vector<uint32_t> groups = {};  // as in KernelStep
};

using Step = std::variant<KernelStep, LibraryStep, ControlStep>;

// Bytes that the routine asks for, over the program's symbols; 0 where it needs no workspace.
Dim workspace_bytes(const LibraryStep& step);

struct Program {
  std::vector<std::string> symbols;
  std::vector<std::string> counters;  // of loops; the places of Part buffers may name them, nothing else
  std::vector<Kernel> kernels;
  std::vector<ProgramBuffer> buffers;
  std::vector<Step> steps;
  std::vector<Window> results;
  std::vector<Type> result_types;
  std::vector<Dim> slots;  // bytes of each workspace slot; set by plan_buffers

  // The buffer whose memory a buffer is in: the whole of a Part, through all levels.
  uint32_t root(uint32_t buffer) const {
    while (buffers[buffer].role == BufferRole::Part) buffer = buffers[buffer].whole;
    return buffer;
  }
};

// The size that a kernel's symbol stands for in a launch, over the program's symbols.
Dim size_at(const Program& p, const KernelStep& launch, size_t symbol);
// A size over the kernel's symbols as one over the program's.
Dim at_launch(const Program& p, const KernelStep& launch, const Dim& size);

// For each step, the End of its block: of Repeat, Loop, Leave, If and Else. Of an End: the step that opened its block,
// where that is a loop. kNone for the others. The blocks must be well formed (ir/verify).
std::vector<uint32_t> matching_steps(const Program& p);

// The steps during which the memory of a buffer is needed. A use of a Part is one of its whole. A buffer that is used
// inside of a loop and outside of it is needed during the whole loop, and buffers that are swapped as long as each
// other. The blocks must be well formed.
struct BufferLife {
  size_t first = ~size_t{0}, last = 0;
  bool used = false;
};
std::vector<BufferLife> buffer_lives(const Program& p);

// Calls visit(buffer) for each use of a buffer by a step; epilogues, workspaces, flags and swaps count. Both may change
// the numbers.
template <class AnyStep, class Visit>
void each_buffer(AnyStep& step, Visit&& visit) {
  if (auto* launch = std::get_if<KernelStep>(&step)) {
    for (auto& b : launch->buffers) visit(b);
  } else if (auto* library = std::get_if<LibraryStep>(&step)) {
    for (auto& w : library->operands) visit(w.buffer);
    for (auto& w : library->results) visit(w.buffer);
    if (library->workspace != kNone) visit(library->workspace);
    if (library->epilogue)
      for (auto& b : library->epilogue->buffers) visit(b);
  } else {
    auto& control = std::get<ControlStep>(step);
    if (control.flag != kNone) visit(control.flag);
    for (auto& [a, b] : control.swaps) visit(a), visit(b);
  }
}

}  // namespace frit::ir
