// Kernel IR: what a fused group becomes. Loops, loads, stores, accumulations and scalar arithmetic; no tensors.
//
// A Kernel reads and writes flat buffers; element positions are Dims over its symbols (sizes, launch arguments),
// its loop variables and index bindings. Registers are assigned once; a register defined inside a loop is visible to
// the rest of that body and to inner loops only; an accumulator's result is visible after its loop.
//
// The outermost loop may be `parallel`: its iterations are independent, and a launch runs any sub-range [begin, end) of
// it. Ops before or after the parallel loop in the top body are not allowed (verifier rule K7), so a kernel is one
// parallel loop, or a body without one.
//
// `lower_to_kernels` writes plain loops; `schedule` then sets `vector`/`unroll` and may split or reorder. A loop with
// lanes > 0 deals its iterations to that many accumulators in turn and folds them by halves (ir/graph/graph.h states
// the order); this is part of the meaning, and a schedule must keep it. A vector loop's width is not: it never changes
// a result.
//
// The order, exactly: with L = max(lanes, 1), every accumulator has L states s[0] .. s[L-1], each the combine's
// identity at first; iteration i does s[i % L] = combine(s[i % L], value). After the loop, for h = L/2, L/4, .., 1:
// s[j] = combine(s[j], s[j + h]) for every j < h; the result is s[0]. combine(a, b) is the scalar op with these
// operands in this order: Sum add(a, b), Prod mul(a, b), Max max(a, b), Min min(a, b), And and(a, b), Or or(a, b).
// Identities: Sum 0 (+0.0), Prod 1, Max the type's least value (-inf, false), Min its greatest, And all ones, Or zero.
// ArgMax and ArgMin keep a (value, position) pair: b replaces a when b's value is more extreme (a NaN is more extreme
// than any number; -0.0 equals 0.0), or equally extreme (both NaN included) at a lower position; the state at first is
// (the identity of Max or Min, the largest i64).
//
// Reading: a bool in memory is a byte, true when not zero; a store writes 0 or 1. Within one iteration of the parallel
// loop (of the whole kernel, where there is none) steps happen in the order written, with inner loops from 0 upwards.
// Locals hold nothing at its start: an element of a local is written before it is read. Launch buffers may share memory
// only as passes/plan_buffers arranges it (an output over an input that dies). Positions are computed in i64 and never
// overflow.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ir/graph/op.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {

using Reg = uint32_t;
inline constexpr Reg kNoReg = ~0u;

struct KernelBuffer {
  std::string name;
  Dtype dtype;
  Dim size;  // elements; positions outside [0, size) are out of bounds (interpreter and verifier check)
  bool written = false;
  bool read = false;
};

// Registers %r = op args; args past arity(op) mean nothing. Const uses imm; Input does not occur.
struct ScalarInstr {
  Reg result;
  ScalarOp op;
  Dtype type;
  std::array<Reg, 3> args{kNoReg, kNoReg, kNoReg};
  uint64_t imm = 0;
};

// %r: i64 = the value of `index`.
struct IndexInstr {
  Reg result;
  Dim index;
};

// From here to the end of the body, inner loops included, the symbol `name` in positions stands for register `value`
// (i64): data-dependent indexing.
struct BindInstr {
  std::string name;
  Reg value;
  DimRange range;  // what is known of it
};

// %r = buffer[index]; where `mask` is a register, lanes in which it is false read nothing and give zero.
struct LoadInstr {
  Reg result;
  uint32_t buffer;
  Dim index;
  Reg mask = kNoReg;
};

struct StoreInstr {
  uint32_t buffer;
  Dim index;
  Reg value;
  Reg mask = kNoReg;
  // A hint: the data is not read again soon, so full vectors may go past the caches. The buffer then starts at a
  // multiple of 64 bytes and each full vector of the loop at a multiple of its own size.
  bool stream = false;
};

// An accumulator of a loop: starts at the combine's identity for `type`, takes in `value` (of `type`, a register
// visible at the end of the loop's own body: defined there or further out) at each iteration, and is `result`
// afterwards. ArgMax and ArgMin also take the position `position` (an i64 register alike), keep the lowest one among
// equals, count a NaN as the extreme, and give the i64 position in `result`. Sum and Prod are of integers, f32 and f64;
// Max, Min, ArgMax and ArgMin of those and bool; And and Or of bool and integers.
struct Accumulator {
  Combine combine;
  Dtype type;
  Reg value;
  Reg result;
  Reg position = kNoReg;
};

struct Instr;
using Body = std::vector<Instr>;

enum class LoopKind : uint8_t { Serial, Parallel };
struct Loop {
  std::string var;  // no other loop, binding or symbol of the kernel has this name
  Dim extent;       // var runs over [0, extent), never negative
  LoopKind kind = LoopKind::Serial;
  int vector = 0;  // lanes processed at once; 0: one at a time
  int unroll = 1;  // vectors per step; of a loop that is not in vectors itself but has nothing in it than one that is:
                   // how many of its turns go through that one side by side
  int lanes = 0;   // 0 or a power of two: see the head of this file; only with accumulators
  Dim grain = 1;   // parallel: iterations below which splitting does not pay; a multiple of it is a chunk. Over the
                   // kernel's symbols; evaluated at each launch, where less than 1 means 1
  std::vector<Accumulator> accumulators;
  Body body;
};

struct Instr {
  std::variant<ScalarInstr, IndexInstr, BindInstr, LoadInstr, StoreInstr, Loop> node;
};

struct Kernel {
  std::string name;
  std::vector<std::string> symbols;   // launch arguments, in order, i64
  std::vector<KernelBuffer> buffers;  // launch buffers, in order
  std::vector<KernelBuffer> locals;   // scratch of one running chunk; buffer numbers go on after `buffers`
  Body body;
  std::vector<Dtype> reg_types;  // indexed by Reg
  DimFacts facts;                // of the symbols; loops add theirs
  std::vector<SourceLoc> locs;   // of the graph ops it came from

  Reg new_reg(Dtype type) {
    reg_types.push_back(type);
    return static_cast<Reg>(reg_types.size() - 1);
  }
  const KernelBuffer& buffer(uint32_t i) const { return i < buffers.size() ? buffers[i] : locals[i - buffers.size()]; }
};

// Whether two kernels are the same but for the numbers of their registers and their locations.
bool equal(const Kernel& a, const Kernel& b);

// The scalar op that a combine other than ArgMax and ArgMin applies (for those two, that of their values: Max, Min),
// and the bits it starts from.
ScalarOp combine_op(Combine combine);
uint64_t combine_identity(Combine combine, Dtype type);

// The parallel loop, or null.
const Loop* parallel_loop(const Kernel& k);

// Floating-point operations and bytes moved by one launch, as expressions over the symbols (each buffer counted once).
struct KernelCost {
  Dim flops, bytes_read, bytes_written;
};
KernelCost cost(const Kernel& k);

}  // namespace frit::ir
