// Records of the emitter that hold no part of it: accesses of tiles, running values, quotients, lanes, prefetches.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/Value.h>

#include <cstdint>
#include <map>
#include <vector>

#include "ir/kernel/kernel.h"

namespace frit::codegen {

struct TileAccess {
  const ir::LoadInstr* load;    // or
  const ir::StoreInstr* store;  // one of them
  Dim index, rest;              // the position, and without the loop's variable
  int64_t step;                 // elements from iteration to iteration
  int64_t place = 0;            // in the elements of an iteration
  uint32_t buffer() const { return load ? load->buffer : store->buffer; }
};

// Accesses that share the elements of `step` iterations' places, and the elements of a lane that are read at once.
struct TileRun {
  std::vector<TileAccess> accesses;
  int64_t places = 0;
  Dtype type = float32;
};

struct Tiles {
  std::vector<TileRun> runs;
  int64_t together = 0;  // iterations; 0: no tiles
};

// Stores of elements side by side.
struct StorePairs {
  struct Kept {
    const ir::StoreInstr* first;
    llvm::SmallVector<llvm::Value*, 4> values;  // by copy
  };
  std::map<const ir::StoreInstr*, const ir::StoreInstr*> seconds;  // by the first of both
  std::map<const ir::StoreInstr*, Kept> kept;                      // by the second, which writes them
};

// A running value between the steps of a vector loop.
struct RunningValue {
  llvm::Value* slot = nullptr;  // of the stack, a part (lanes_of_part) of equal lanes
  ir::Reg narrow = ir::kNoReg;  // the 16-bit float behind the value; the slot has integers of its order
  bool from_zero = false;       // a sum that begins at zero
};

// Integers that were divided, in all copies.
struct Quotient {
  llvm::SmallVector<llvm::Value*, 8> of;  // dividends, then divisors
  llvm::BasicBlock* block = nullptr;      // in which the results are known
  llvm::SmallVector<llvm::Value*, 4> quotients, remainders;
};

// One accumulator for each lane (or vector of lanes), on the stack.
struct LaneMemory {
  llvm::Type* value_type = nullptr;
  llvm::Type* position_type = nullptr;
  llvm::Value* value = nullptr;
  llvm::Value* position = nullptr;
};

// Of a buffer, at a position.
struct Prefetch {
  uint32_t buffer;
  Dim index;
  bool write = false;
  bool straddles = false;  // the last element lies in another line than those that the steps between begin in
};

}  // namespace frit::codegen
