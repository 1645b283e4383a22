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

enum class BufferRole : uint8_t { Input, Output, Temp, Constant };

struct ProgramBuffer {
  std::string name;
  BufferRole role;
  Dtype dtype;
  Dim size;                // elements
  Literal data = {};       // of a Constant
  uint32_t param = kNone;  // of an Input: its parameter
  // Set by plan_buffers.
  uint32_t slot = kNone;   // of a Temp: its slot of the workspace
  uint32_t donor = kNone;  // of an Output: the Input buffer whose memory it takes over if the caller donates it
};

struct Window {
  uint32_t buffer;
  Layout layout;
};

struct KernelStep {
  uint32_t kernel;
  // one per Kernel::buffers; the kernel's symbols are the program's symbols of the same names
  std::vector<uint32_t> buffers;
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
};

using Step = std::variant<KernelStep, LibraryStep>;

// Bytes that the routine asks for, over the program's symbols; 0 where it needs no workspace.
Dim workspace_bytes(const LibraryStep& step);

struct Program {
  std::vector<std::string> symbols;
  std::vector<Kernel> kernels;
  std::vector<ProgramBuffer> buffers;
  std::vector<Step> steps;
  std::vector<Window> results;
  std::vector<Type> result_types;
  std::vector<Dim> slots;  // bytes of each workspace slot; set by plan_buffers
};

}  // namespace frit::ir
