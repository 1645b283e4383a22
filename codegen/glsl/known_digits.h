// Facts about the floats of a kernel that its code is written from: constants, f32 that are numbers of 16 bits, and
// results of arithmetic.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "ir/kernel/kernel.h"

namespace frit::codegen::glsl {

// Learns the scalar operations of a kernel in the order in which they are written.
class KnownDigits {
 public:
  explicit KnownDigits(const ir::Kernel& kernel);

  void note(const ir::ScalarInstr& s);
  // The bits of a constant, none of any other register.
  const uint64_t* constant(ir::Reg r) const;
  // Whether a register's value is surely a number of the type `t`, which has 16 bits.
  bool holds(ir::Reg r, Dtype t) const;
  // Whether a register of f32 has the result of float arithmetic, perhaps with another sign. A device that has no
  // subnormal numbers gives none there.
  bool is_computed(ir::Reg r) const { return computed_.count(r) != 0; }
  // The sum, difference or product of f32 that a register has.
  const ir::ScalarInstr* sum(ir::Reg r) const;
  // Whether a quotient may be a few last digits of f32 off: all floats in memory have 16 bits, and it is not the
  // quotient of two such numbers, which is rounded like one.
  bool may_be_near(const ir::ScalarInstr& s) const;

 private:
  bool all_hold(const ir::ScalarInstr& s, Dtype t) const;
  bool only_computed(const ir::ScalarInstr& s) const;
  void note_float(const ir::ScalarInstr& s);
  void note_word(const ir::ScalarInstr& s);
  uint32_t possible_bits(ir::Reg r) const;

  const ir::Kernel& k_;
  bool narrow_memory_ = false;  // all floats in memory have 16 bits, and there are some
  std::map<ir::Reg, uint64_t> constants_;
  std::map<ir::Reg, Dtype> exact_;
  std::set<ir::Reg> computed_;        // f32, and integers that have the bits of one
  std::map<ir::Reg, uint32_t> bits_;  // of integers of 32 bits: those that may be set
  std::map<ir::Reg, const ir::ScalarInstr*> sums_;
};

}  // namespace frit::codegen::glsl
