// The arithmetic of an elementwise kernel as PTX, for two neighbouring elements at a time: two numbers of 16 bits share
// a register, one instruction rounds both, and sums, differences and products of such numbers are one instruction too.
#pragma once

#include <array>
#include <map>
#include <utility>

#include "codegen/glsl/known_digits.h"
#include "codegen/ptx/writer.h"
#include "ir/kernel/kernel.h"

namespace frit::codegen::glsl {

// Registers of a kernel that hold no more than one pair of elements at a time.
class PtxPairs {
 public:
  // Both elements of a register of 32 bits, or of a bool.
  using Lanes = std::array<ptx::Value, 2>;

  PtxPairs(ptx::Writer& w, const ir::Kernel& kernel);

  // Whether the instruction has a text here.
  static bool knows(const ir::Kernel& kernel, const ir::ScalarInstr& s);

  // The elements of the next pair.
  void start();
  // The elements of a load: two of 16 bits in one register, or each in one of 32 bits.
  void put(ir::Reg r, const ptx::Value& packed) { packed_[r] = packed; }
  void put(ir::Reg r, const Lanes& lanes) { lanes_[r] = lanes; }
  void emit(const ir::ScalarInstr& s);
  // The elements that a store takes, in the same way.
  ptx::Value packed(ir::Reg r) { return packed_as(r, k_.reg_types[r]); }
  Lanes lanes(ir::Reg r);

 private:
  // Calls `each` with the lane's number and gives what it makes of both.
  template <class F>
  Lanes both(F&& each) {
    const ptx::Value first = each(size_t{0});
    return {first, each(size_t{1})};
  }
  ptx::Value number(ir::Reg r, size_t lane) { return lanes(r)[lane]; }
  ptx::Value constant(Dtype type, uint64_t bits);
  ptx::Value result(Dtype type, std::string_view instruction, std::initializer_list<ptx::Value> operands);
  ptx::Value packed_as(ir::Reg r, Dtype t);
  Dtype operand(const ir::ScalarInstr& s) const;
  Lanes unpack(Dtype from, const ptx::Value& packed);
  Lanes convert(const ir::ScalarInstr& s);
  void round(const ir::ScalarInstr& s);
  void choose(const ir::ScalarInstr& s);
  ptx::Value extreme(const ir::ScalarInstr& s, const ptx::Value& x, const ptx::Value& y);
  ptx::Value quotient(const ir::ScalarInstr& s, size_t lane);

  ptx::Writer& w_;
  const ir::Kernel& k_;
  KnownDigits known_;
  std::map<ir::Reg, Lanes> lanes_;                           // of this pair
  std::map<ir::Reg, ptx::Value> packed_;                     // of 16 bits
  std::map<ir::Reg, std::pair<Dtype, ptx::Value>> rounded_;  // f32 that equal a pair of 16 bits
};

}  // namespace frit::codegen::glsl
