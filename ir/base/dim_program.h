// A Dim compiled to postfix form over numbered slots; a launch evaluates it without the IR.
//
// A program is a list of instructions for a stack machine. Each operation pops its two operands and pushes its result.
// A program never reads outside its slots or its stack and never traps: division by zero gives 0, and results past 64
// bits saturate.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "ir/base/dim.h"

namespace frit {

class DimProgram {
 public:
  enum class Op : uint8_t { Const, Slot, Add, Mul, FloorDiv, Mod, Min, Max };
  struct Instr {
    Op op;
    int64_t value;  // the number of a Const, the index of a Slot, 0 for the others
    friend bool operator==(const Instr&, const Instr&) = default;
  };

  DimProgram() = default;  // gives 0
  explicit DimProgram(int64_t constant);
  // `slot_of` gives the slot of each symbol of `d`, or -1 for an unknown symbol, which is a bug of the caller.
  DimProgram(const Dim& d, const std::function<int(const std::string&)>& slot_of);
  // Accepts the result of `code()` if it is a valid program over `slots` slots: known operations, operands for each,
  // one result. Empty code is DimProgram().
  static std::optional<DimProgram> from(std::vector<Instr> code, int slots);

  // The program that reads slot `to(s)` where this one reads slot s. `to` gives no negative number.
  DimProgram with_slots(const std::function<int64_t(int64_t)>& to) const;

  bool is_const() const { return code_.size() == 1 && code_[0].op == Op::Const; }
  int64_t evaluate(const int64_t* slots) const;
  const std::vector<Instr>& code() const { return code_; }
  friend bool operator==(const DimProgram&, const DimProgram&) = default;

 private:
  void emit(const Dim& d, const std::function<int(const std::string&)>& slot_of);

  std::vector<Instr> code_;
  int depth_ = 0;
};

}  // namespace frit
