// Builds one kernel: a stack of open loops with their bodies, and the kernel's registers, buffers, locals and names.
//
// Instructions go to the end of an open body, which its depth names: 0 is the kernel's own body, innermost() that of
// the loop opened last. Positions and extents are taken as they are given; facts() has the facts to simplify them with.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::passes {

class KernelBuilder {
 public:
  KernelBuilder(const ir::Function& f, ir::Program& program, std::string name);

  // A name of a loop variable or coordinate that nothing else in the kernel has.
  std::string fresh(const std::string& hint);

  struct LoopOptions {
    ir::LoopKind kind = ir::LoopKind::Serial;
    int vector = 0, unroll = 1, lanes = 0;
  };
  // Opens a loop over [0, extent) and returns its variable.
  std::string open_loop(const std::string& hint, const Dim& extent, LoopOptions options);
  void declare(const std::string& var, const Dim& extent);  // a coordinate that is not a loop of its own
  // An accumulator of the innermost loop; its result is visible in the body around the loop.
  ir::Reg accumulate(ir::Combine combine, Dtype type, ir::Reg value, ir::Reg position = ir::kNoReg);
  // A running value of the innermost loop, and the register that it takes for the next iteration.
  ir::Reg carry(Dtype type, uint64_t initial);
  void set_next(ir::Reg carry, ir::Reg next);
  void close_loop();

  // The kernel's number of a program's buffer, which it reads or writes. Complex elements are pairs of f32.
  uint32_t buffer(uint32_t program_buffer, bool written);
  // The number of a new local.
  uint32_t local(const std::string& name, Dtype dtype, const Dim& elements);
  bool is_local(uint32_t buffer) const { return buffer >= kLocalBase; }
  bool is_written(uint32_t buffer) const { return is_local(buffer) || kernel_.buffers[buffer].written; }
  Dtype element_type(uint32_t buffer) const;

  static constexpr int kInnermost = -1;
  ir::Reg scalar(ir::ScalarOp op, Dtype type, std::array<ir::Reg, 3> args, uint64_t imm = 0, int depth = kInnermost);
  ir::Reg cast(ir::Reg r, Dtype type, int depth = kInnermost);
  ir::Reg index(const Dim& d, int depth = kInnermost);  // i64
  // A name that stands for `value`, which lies in [0, extent), to the end of the body.
  std::string bind(const std::string& hint, ir::Reg value, const Dim& extent, int depth = kInnermost);
  ir::Reg load(uint32_t buffer, Dtype type, const Dim& at, ir::Reg mask = ir::kNoReg, int depth = kInnermost);
  void store(uint32_t buffer, const Dim& at, ir::Reg value, ir::Reg mask = ir::kNoReg);

  int innermost() const { return static_cast<int>(scopes_.size()) - 1; }
  const ir::Loop* loop(int depth) const;  // whose body it is; null at depth 0
  int depth_of(ir::Reg r) const { return r == ir::kNoReg ? 0 : reg_depth_[r]; }
  int depth_of(const Dim& d) const;  // of the innermost loop whose variable it uses
  Dtype reg_type(ir::Reg r) const { return kernel_.reg_types[r]; }
  DimFacts& facts() { return facts_; }
  const DimFacts& facts() const { return facts_; }

  // Adds the kernel to the program; the launch names the buffers that it is bound to.
  ir::KernelStep finish();

 private:
  // Locals are numbered after all buffers, whose count is known only at the end; until then they stand from here on.
  static constexpr uint32_t kLocalBase = 1u << 24;

  struct Scope {
    ir::Body body;
    std::optional<ir::Loop> loop;  // none for the top
  };

  ir::Reg new_reg(Dtype type, int depth);
  bool is_symbol(const std::string& name) const;

 public:
  // The op that registers are computed for from here on (Kernel::origins); returns the one before.
  uint32_t set_origin(uint32_t op) { return std::exchange(origin_, op); }
  void mark(ir::Reg r, uint32_t op) { kernel_.set_origin(r, op); }

 private:
  ir::Body& body(int depth) { return scopes_[static_cast<size_t>(depth == kInnermost ? innermost() : depth)].body; }
  void renumber_locals(ir::Body& body) const;

  const ir::Function& f_;
  ir::Program& program_;
  ir::Kernel kernel_;
  DimFacts facts_;
  std::vector<Scope> scopes_;
  std::vector<int> reg_depth_;
  uint32_t origin_ = ir::Kernel::kNoOp;
  std::map<std::string, int> var_depth_;
  std::unordered_set<std::string> taken_;  // names that are no symbols; a copy of these would grow with the program
  std::map<std::string, int> next_;        // number that the next name of each kind gets
  std::vector<uint32_t> bound_;            // program buffer of each kernel buffer
  std::map<uint32_t, uint32_t> slots_;     // program buffer -> kernel buffer
};

}  // namespace frit::passes
