// Builds one kernel: opens and closes loops, and computes graph values at positions.
//
// An emitter holds a stack of open bodies. A scalar or a load is placed in the outermost open body in which everything
// it depends on is defined (so what does not change in an inner loop is computed once), but never outside the parallel
// loop; what was computed there is found again by every inner body. Complex values are pairs of f32 registers over
// interleaved storage.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::passes {

struct Regs {
  ir::Reg re = ir::kNoReg, im = ir::kNoReg;
};

// Where a graph value lies in memory, for loads: a program buffer and a layout over the value's axes.
struct Placement {
  uint32_t buffer;  // of the program
  ir::Layout layout;
};
using Placements = std::unordered_map<ir::ValueId, Placement>;

// Several coordinates that run as one loop variable in row-major order.
struct CollapsedAxes {
  std::string var;                // the loop variable
  Dim var_offset = 0;             // added to it: the start of a block
  std::vector<std::string> axes;  // the coordinates it stands for
  std::vector<Dim> extents;
};

class KernelEmitter {
 public:
  // `placements` holds every value that is in memory; dense constants are added to it when they are first read.
  KernelEmitter(const ir::Function& f, ir::Program& program, Placements& placements, std::string name);

  // A fresh loop-variable or coordinate name, not a symbol of the function.
  std::string fresh(const std::string& hint);

  // Opens a loop over [0, extent) and returns its variable; `close_loop` returns the finished loop's place for
  // accumulators.
  std::string open_loop(const std::string& hint, const Dim& extent, ir::LoopKind kind, int lanes = 0);
  void declare(const std::string& var, const Dim& extent);  // a coordinate that is not a loop of its own
  ir::Reg accumulate(ir::Combine combine, Dtype type, ir::Reg value, ir::Reg position = ir::kNoReg);
  void close_loop();

  // From now on positions written in `axes` of `c` are rewritten to its variable.
  void collapse(CollapsedAxes c) { collapsed_.push_back(std::move(c)); }
  void uncollapse() { collapsed_.pop_back(); }

  // A value that the kernel has computed otherwise: visible from here to the end of the open body.
  void define(ir::ValueId v, const std::vector<Dim>& at, Regs regs);

  Regs value_at(ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask = ir::kNoReg);
  void store(uint32_t program_buffer, Dtype dtype, const Dim& element, Regs value);
  void store_local(uint32_t local, Dtype dtype, const Dim& element, Regs value);
  Regs load_local(uint32_t local, Dtype dtype, const Dim& element);
  Regs load_buffer(uint32_t program_buffer, Dtype dtype, const Dim& element);
  uint32_t add_local(const std::string& name, Dtype dtype, const Dim& elements);  // returns its number among locals

  ir::Reg cast(ir::Reg r, Dtype type);
  ir::Reg index_value(const Dim& d);  // i64
  ir::Reg scalar(ir::ScalarOp op, Dtype type, std::array<ir::Reg, 3> args, uint64_t imm = 0);
  Dtype reg_type(ir::Reg r) const { return kernel_.reg_types[r]; }
  DimFacts& facts() { return facts_; }
  Dim resolve(const Dim& d) const;  // coordinates rewritten to loop variables, simplified

  // What conditions of index ops had to be tested: pairs of which the first must be at most the second.
  const std::vector<std::pair<Dim, Dim>>& undecided() const { return undecided_; }

  // The finished kernel and the program buffers it is bound to.
  ir::KernelStep finish();

 private:
  struct Scope {
    ir::Body body;
    std::optional<ir::Loop> loop;  // none for the top
    std::unordered_map<std::string, Regs> memo;
  };

  uint32_t buffer_slot(uint32_t program_buffer, bool written);
  int depth_of(const Dim& d) const;
  int depth_of(ir::Reg r) const { return r == ir::kNoReg ? 0 : reg_depth_[r]; }
  int innermost() const { return static_cast<int>(scopes_.size()) - 1; }
  int clamp_depth(int depth) const;  // never above the parallel loop
  int load_floor() const;
  ir::Reg new_reg(Dtype type, int depth);
  Regs zero(Dtype dtype);
  ir::Reg load(uint32_t buffer, Dtype type, const Dim& index, ir::Reg mask);
  Regs load_element(uint32_t buffer, Dtype dtype, const Dim& element, ir::Reg mask);
  void store_element(uint32_t buffer, Dtype dtype, const Dim& element, Regs value);
  Regs elementwise(const ir::Op& op, ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask);
  Regs indexed(const ir::Op& op, ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask);
  Regs iota(const ir::Op& op, ir::ValueId v, const std::vector<Dim>& at);
  Regs literal(const ir::Op& op, ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask);
  Regs select(ir::Reg condition, Regs a, Regs b);
  ir::Reg within(const std::vector<std::pair<Dim, Dim>>& bounds, bool& never);  // kNoReg: always true
  std::string key(ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask) const;
  const Regs* find_memo(const std::string& key) const;
  void memoize(const std::string& key, int depth, Regs regs);

  const ir::Function& f_;
  ir::Program& program_;
  ir::Kernel kernel_;
  DimFacts facts_;
  std::vector<Scope> scopes_;
  std::vector<int> reg_depth_;
  std::map<std::string, int> var_depth_;
  std::unordered_set<std::string> reserved_;
  std::map<std::string, int> next_;     // number that the next name of each kind gets
  std::vector<uint32_t> bound_;         // program buffer of each kernel buffer
  std::map<uint32_t, uint32_t> slots_;  // program buffer -> kernel buffer
  Placements& placements_;
  std::vector<CollapsedAxes> collapsed_;
  std::vector<std::pair<Dim, Dim>> undecided_;
};

}  // namespace frit::passes
