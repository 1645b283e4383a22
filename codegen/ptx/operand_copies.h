// Copies of a product's operand to shared memory, a tile at a time, by all threads of a workgroup.
#pragma once

#include "codegen/ptx/writer.h"

namespace frit::codegen::ptx {

class OperandCopies {
 public:
  virtual ~OperandCopies() = default;
  struct Start {
    Value thread, base;       // base: the address of the operand's matrix
    Value line, lines, step;  // the tile's first line, of so many, and its first step
  };
  virtual void start(const Start& at) = 0;
  // Begins to copy the next tile to a place; steps from `left` on are zero.
  virtual void copy(const Value& place, const Value& left) = 0;
  virtual uint32_t size() const = 0;  // bytes of a place
  // Moves a tile that has come from its place to where multiplications read it. Most are read where they are.
  virtual void settle(const Value&, const Value&) {}
  virtual uint32_t settled_size() const { return 0; }
};

}  // namespace frit::codegen::ptx
