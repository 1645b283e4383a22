// Kernel IR: the loops, loads, stores, accumulations and scalar arithmetic of a fused group; no tensors.
//
// A Kernel reads and writes flat buffers. Element positions are Dims over its symbols (sizes, launch arguments), its
// loop variables and its index bindings. Registers are assigned once. A register defined inside a loop is visible to
// the rest of that body and to inner loops only; an accumulator's result is visible after its loop.
//
// The outermost loop may be `parallel`: its iterations are independent, and a launch runs any sub-range [begin, end) of
// it. No instruction stands beside the parallel loop in the top body (verifier rule K7), so a kernel is one parallel
// loop, or a body without one.
//
// `lower_to_kernels` writes plain loops; `schedule` then sets `vector` and `unroll` and may split or reorder loops. A
// loop with lanes > 0 deals its iterations to that many accumulators in turn and folds them by halves (ir/graph/graph.h
// states the order). Lanes are part of the meaning, and a schedule must keep them. The width of a vector loop is not
// part of the meaning: it never changes a result.
//
// The exact order: with L = max(lanes, 1), every accumulator has L states s[0] .. s[L-1], which start at the combine's
// identity; iteration i does s[i % L] = combine(s[i % L], value). After the loop, for h = L/2, L/4, .., 1: s[j] =
// combine(s[j], s[j + h]) for every j < h; the result is s[0]. combine(a, b) is the scalar op with these operands in
// this order: Sum add(a, b), Prod mul(a, b), Max max(a, b), Min min(a, b), And and(a, b), Or or(a, b). Identities: Sum
// 0 (+0.0), Prod 1, Max the type's least value (-inf, false), Min its greatest, And all ones, Or zero.
//
// ArgMax and ArgMin keep a (value, position) pair. b replaces a if b's value is more extreme, or equally extreme at a
// lower position. A NaN is more extreme than any number, two NaNs are equally extreme, and -0.0 equals 0.0. The state
// starts at (the identity of Max or Min, the largest i64).
//
// Reading: a bool in memory is a byte, true if not zero; a store writes 0 or 1. Within one iteration of the parallel
// loop (of the whole kernel, if there is none) steps happen in the order written, with inner loops from 0 upwards.
// Locals are uninitialised at its start: an element of a local is written before it is read. Launch buffers share
// memory only as passes/schedule/plan_buffers.cpp arranges it (an output over an input that dies). Positions are
// computed in i64 and never overflow.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/graph/op.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {

using Reg = uint32_t;
inline constexpr Reg kNoReg = ~0u;

struct KernelBuffer {
  std::string name;
  Dtype dtype = float32;
  Dim size;  // elements; the interpreter and the verifier reject positions outside [0, size)
  bool written = false;
  bool read = false;
};

// Registers: %r = op args. Args past arity(op) have no meaning. Const uses imm; Input does not occur.
struct ScalarInstr {
  Reg result;
  ScalarOp op;
  Dtype type = float32;
  std::array<Reg, 3> args{kNoReg, kNoReg, kNoReg};
  uint64_t imm = 0;
};

// %r: i64 = the value of `index`.
struct IndexInstr {
  Reg result;
  Dim index;
};

// Data-dependent indexing: from here to the end of the body, inner loops included, the symbol `name` in positions
// stands for register `value` (i64).
struct BindInstr {
  std::string name;
  Reg value;
  Dim low, high;  // the known range of `value`, inclusive
};
// Makes the range of the binding's name known to `facts`.
void add_binding(DimFacts& facts, const BindInstr& bind);

// %r = buffer[index]. `mask` is a lane mask, if it is a register: lanes in which it is false read nothing and give
// zero.
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
  // A hint: the data is not read again soon, so full vectors may be non-temporal stores. The buffer then starts at a
  // multiple of 64 bytes and each full vector of the loop at a multiple of its own size.
  bool stream = false;
};

// An accumulator of a loop. It starts at the combine's identity for `type`, combines `value` at each iteration, and is
// `result` after the loop. `value` is a register of `type` that is visible at the end of the loop's own body: defined
// there or further out. ArgMax and ArgMin also take the i64 register `position`, visible there too; they keep the
// lowest position among equals, count a NaN as the extreme, and give the i64 position in `result`. Sum and Prod take
// integers, f32 and f64; Max, Min, ArgMax and ArgMin take those and bool; And and Or take bool and integers.
struct Accumulator {
  Combine combine;
  Dtype type = float32;
  Reg value;
  Reg result;
  Reg position = kNoReg;
};

// A running value of a loop: `value` is visible in the loop's body. It is `initial` in the first iteration, and in
// every other one `next` of the iteration before. `next` is visible at the end of the loop's own body.
struct Carry {
  Dtype type = float32;
  uint64_t initial;
  Reg value;
  Reg next = kNoReg;
};

struct Instr;
using Body = std::vector<Instr>;

enum class LoopKind : uint8_t { Serial, Parallel };
struct Loop {
  std::string var;  // unique: no other loop, binding or symbol of the kernel has this name
  Dim extent;       // the trip count; var runs over [0, extent); never negative
  LoopKind kind = LoopKind::Serial;
  int vector = 0;  // elements of a vector; 0: one element at a time
  // vectors per step; in a scalar loop whose body is one vector loop: iterations that share the vector loop's registers
  int unroll = 1;
  int lanes = 0;  // 0 or a power of two, as at the head of this file; only with accumulators
  // of a parallel loop: the least trip count that is worth splitting. Chunks are multiples of it. It is an expression
  // over the kernel's symbols that each launch evaluates; less than 1 means 1
  Dim grain = 1;
  std::vector<Accumulator> accumulators;
  std::vector<Carry> carries;  // only in a serial loop without lanes that is no vector loop
  Body body;
};

struct Instr {
  std::variant<ScalarInstr, IndexInstr, BindInstr, LoadInstr, StoreInstr, Loop> node;
};

struct Kernel {
  std::string name;
  std::vector<std::string> symbols;   // launch arguments, in order, i64
  std::vector<KernelBuffer> buffers;  // launch buffers, in order
  std::vector<KernelBuffer> locals;   // scratch memory of one running chunk; numbered after `buffers`
  Body body;
  std::vector<Dtype> reg_types;  // indexed by Reg
  DimFacts facts;                // about the symbols; loops add theirs
  std::vector<SourceLoc> locs;   // of the graph ops that the kernel came from
  // By register: the op of the fused function that it was computed for (Function::ops), kNoOp where nothing says so. It
  // may be shorter than `reg_types`. Reports alone read it; text does not have it.
  std::vector<uint32_t> origins;
  static constexpr uint32_t kNoOp = ~0u;
  // The source lines of the ops in `origins`, ascending by op. Text does not have them.
  std::vector<std::pair<uint32_t, SourceLoc>> op_locs;

  Reg new_reg(Dtype type) {
    reg_types.push_back(type);
    return static_cast<Reg>(reg_types.size() - 1);
  }
  uint32_t origin(Reg r) const { return r < origins.size() ? origins[r] : kNoOp; }
  void set_origin(Reg r, uint32_t op) {
    if (r == kNoReg || op == kNoOp) return;
    if (r >= origins.size()) origins.resize(reg_types.size(), kNoOp);
    origins[r] = op;
  }
  const KernelBuffer& buffer(uint32_t i) const { return i < buffers.size() ? buffers[i] : locals[i - buffers.size()]; }
};

// Whether two kernels are equal up to register numbers and locations; constants may be left out of the comparison.
enum class Constants : uint8_t { Compared, Ignored };
bool equal(const Kernel& a, const Kernel& b, Constants constants = Constants::Compared);

// Equal for kernels that are equal up to constants, names of buffers, and their own name.
uint64_t structure_hash(const Kernel& k);

// The scalar op of a combine, and the bits it starts from. For ArgMax and ArgMin these are the ones of their values:
// Max, Min.
ScalarOp combine_op(Combine combine);
uint64_t combine_identity(Combine combine, Dtype type);

// The running value that a scan row starts from, in the bits of its parts.
std::array<uint64_t, 2> scan_identity(const OpDef& def, Dtype type);

// Whether the iterations of a serial loop must run in order: the loop has accumulators or carries, or two iterations
// may store at one position, which does not use the loop's variable or is bound in its body.
bool is_ordered(const Loop& loop);

// The parallel loop, or null.
const Loop* parallel_loop(const Kernel& k);

// The floating-point operations and the bytes moved by one launch, as expressions over the symbols. Each buffer is
// counted once.
struct KernelCost {
  Dim flops, bytes_read, bytes_written;
};
KernelCost cost(const Kernel& k);

}  // namespace frit::ir
