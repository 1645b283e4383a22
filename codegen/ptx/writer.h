// Writes the text of PTX modules: one kernel each, in registers that are numbered as they are asked for.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace frit::codegen::ptx {

// An operand as it stands in an instruction: a register, a number, a label.
using Value = std::string;
inline Value number(uint64_t n) { return std::to_string(n); }
// Values in braces.
Value list(const std::vector<Value>& values);
// The memory at an address.
inline Value at(const Value& address, uint64_t offset = 0) {
  return "[" + address + (offset ? "+" + number(offset) : "") + "]";
}

class Writer {
 public:
  enum Kind { Predicate, Bits16, Bits32, Bits64, Float32, Float64 };

  // A fresh register.
  Value reg(Kind kind);
  Value label() { return "L" + number(labels_++); }

  // `op operands;`, under a predicate (or its opposite) where one is given.
  void op(std::string_view instruction, std::initializer_list<Value> operands);
  void op_if(const Value& predicate, std::string_view instruction, std::initializer_list<Value> operands);
  void place(const Value& label) { text_ += label + ":\n"; }
  void jump(const Value& label) { op("bra", {label}); }
  void jump_if(const Value& predicate, const Value& label) { op_if(predicate, "bra", {label}); }

  // The result of an instruction in a fresh register.
  Value u32(std::string_view instruction, std::initializer_list<Value> operands) {
    return result(Bits32, instruction, operands);
  }
  Value u64(std::string_view instruction, std::initializer_list<Value> operands) {
    return result(Bits64, instruction, operands);
  }
  Value test(std::string_view instruction, std::initializer_list<Value> operands) {
    return result(Predicate, instruction, operands);
  }

  // Parameter `index` of the kernel, of 64 bits, and its low half.
  Value parameter(size_t index);
  Value low_parameter(size_t index) { return u32("cvt.u32.u64", {parameter(index)}); }

  struct Kernel {
    std::string target, entry;
    size_t parameters;
    uint32_t threads;
    uint32_t shared_bytes, shared_align;  // of `kShared`
    uint32_t groups = 1;                  // workgroups of a multiprocessor that registers leave room for
  };
  static constexpr const char* kShared = "memory";
  // The module with all that was written.
  std::string finish(const Kernel& kernel) const;

 private:
  Value result(Kind kind, std::string_view instruction, std::initializer_list<Value> operands);

  std::string text_;
  std::array<size_t, 6> registers_{};
  size_t labels_ = 0;
};

}  // namespace frit::codegen::ptx
