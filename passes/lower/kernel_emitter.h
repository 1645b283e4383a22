// Computes graph values at positions, inside the loops of one kernel.
//
// A scalar or a load is hoisted to the outermost open body in which everything that it depends on is defined, but never
// out of the parallel loop. Every inner body finds it there again, so an invariant of an inner loop is computed once.
// Complex values are pairs of f32 registers over interleaved storage.
#pragma once

#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/lower/kernel_builder.h"

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

// Names a computation whose registers can be used again: a value at a position, a scalar operation, a position as a
// number, or a load.
class MemoKey {
 public:
  static MemoKey value(ir::ValueId v, std::vector<Dim> at, ir::Reg mask) {
    return MemoKey(Kind::Value, {v, mask}, std::move(at));
  }
  static MemoKey scalar(ir::ScalarOp op, Dtype type, const std::array<ir::Reg, 3>& args, uint64_t imm) {
    return MemoKey(Kind::Scalar,
                   {static_cast<uint64_t>(op), static_cast<uint64_t>(type.val()), args[0], args[1], args[2], imm}, {});
  }
  static MemoKey index(Dim d) { return MemoKey(Kind::Index, {}, {std::move(d)}); }
  static MemoKey load(uint32_t buffer, Dim at, ir::Reg mask) {
    return MemoKey(Kind::Load, {buffer, mask}, {std::move(at)});
  }

  friend bool operator==(const MemoKey& a, const MemoKey& b) {
    return a.hash_ == b.hash_ && a.kind_ == b.kind_ && a.numbers_ == b.numbers_ && a.dims_ == b.dims_;
  }
  struct Hash {
    size_t operator()(const MemoKey& k) const { return k.hash_; }
  };

 private:
  enum class Kind : uint8_t { Value, Scalar, Index, Load };
  using Numbers = std::array<uint64_t, 6>;
  MemoKey(Kind kind, Numbers numbers, std::vector<Dim> dims);

  Kind kind_;
  Numbers numbers_;
  std::vector<Dim> dims_;
  size_t hash_;
};

class KernelEmitter {
 public:
  // `placements` holds every value that is in memory; dense constants are added to it when they are first read.
  KernelEmitter(const ir::Function& f, ir::Program& program, Placements& placements, std::string name);

  std::string fresh(const std::string& hint) { return b_.fresh(hint); }
  std::string open_loop(const std::string& hint, const Dim& extent, ir::LoopKind kind, int lanes = 0);
  void declare(const std::string& var, const Dim& extent) { b_.declare(var, extent); }
  ir::Reg accumulate(ir::Combine combine, Dtype type, ir::Reg value, ir::Reg position = ir::kNoReg) {
    return b_.accumulate(combine, type, value, position);
  }
  ir::Reg carry(Dtype type, uint64_t initial) { return b_.carry(type, initial); }
  void set_next(ir::Reg carry, ir::Reg next) { b_.set_next(carry, next); }
  void close_loop();

  // From now on positions written in `axes` of `c` are rewritten to its variable.
  void collapse(CollapsedAxes c) { collapsed_.push_back(std::move(c)); }
  void uncollapse() { collapsed_.pop_back(); }

  // A value that the kernel has computed otherwise: visible from here to the end of the open body.
  void define(ir::ValueId v, const std::vector<Dim>& at, Regs regs);

  Regs value_at(ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask = ir::kNoReg);
  void store(uint32_t program_buffer, Dtype dtype, const Dim& element, Regs value, ir::Reg mask = ir::kNoReg);
  // An element of a buffer that this kernel also writes.
  Regs load_written(uint32_t program_buffer, Dtype dtype, const Dim& element);
  Regs load_buffer(uint32_t program_buffer, Dtype dtype, const Dim& element, ir::Reg mask = ir::kNoReg);
  uint32_t add_local(const std::string& name, Dtype dtype, const Dim& elements) {
    return b_.local(name, dtype, elements);
  }
  void store_local(uint32_t local, Dtype dtype, const Dim& element, Regs value) {
    store_element(local, dtype, element, value);
  }
  Regs load_local(uint32_t local, Dtype dtype, const Dim& element) {
    return load_element(local, dtype, element, ir::kNoReg);
  }

  // A name in positions for `value`, which lies in [0, extent).
  Dim bind(const std::string& hint, ir::Reg value, const Dim& extent);

  // The positions that the rule of `op` reads from data: loaded, moved into their range, bound, and put into the rule.
  ir::IndexRule bind_lookups(const ir::Op& op, ir::IndexRule rule, ir::Reg mask = ir::kNoReg);
  // A scalar program on registers; complex values are two inputs and two results.
  Regs apply(const ir::ScalarProgram& program, const std::vector<ir::Reg>& inputs);
  ir::Reg cast(ir::Reg r, Dtype type);
  ir::Reg index_value(const Dim& d);  // i64
  ir::Reg scalar(ir::ScalarOp op, Dtype type, std::array<ir::Reg, 3> args, uint64_t imm = 0);
  Dtype reg_type(ir::Reg r) const { return b_.reg_type(r); }
  DimFacts& facts() { return b_.facts(); }
  Dim resolve(const Dim& d) const;  // coordinates rewritten to loop variables, simplified

  // Conditions of index ops that the kernel tests: pairs of which the first must be at most the second.
  const std::vector<std::pair<Dim, Dim>>& undecided() const { return undecided_; }

  // The finished kernel and the program buffers it is bound to.
  ir::KernelStep finish() { return b_.finish(); }

 private:
  using Memo = std::unordered_map<MemoKey, Regs, MemoKey::Hash>;

  int clamp_depth(int depth) const;  // never above the parallel loop
  // The outermost depths at which a load may stand.
  int load_floor() const;
  int existence_floor(const ir::Dims& shape) const;
  Regs zero(Dtype dtype);
  ir::Reg load(uint32_t buffer, Dtype type, const Dim& index, ir::Reg mask, int floor);
  Regs load_element(uint32_t buffer, Dtype dtype, const Dim& element, ir::Reg mask, int floor = 0);
  void store_element(uint32_t buffer, Dtype dtype, const Dim& element, Regs value, ir::Reg mask = ir::kNoReg);
  Regs compute(ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask);
  Dim look_up(const ir::Op& op, const ir::Lookup& lookup, ir::Reg mask);
  Regs elementwise(const ir::Op& op, ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask);
  Regs indexed(const ir::Op& op, ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask);
  Regs iota(const ir::Op& op, ir::ValueId v, const std::vector<Dim>& at);
  Regs literal(const ir::Op& op, ir::ValueId v, const std::vector<Dim>& at, ir::Reg mask);
  Regs select(ir::Reg condition, Regs a, Regs b);
  ir::Reg within(const std::vector<std::pair<Dim, Dim>>& bounds, bool& never);  // kNoReg: always true
  const Regs* find_memo(const MemoKey& key) const;
  void memoize(MemoKey key, int depth, Regs regs) { memos_[static_cast<size_t>(depth)][std::move(key)] = regs; }

  const ir::Function& f_;
  ir::Program& program_;
  KernelBuilder b_;
  std::vector<Memo> memos_;  // by depth
  Placements& placements_;
  std::vector<CollapsedAxes> collapsed_;
  std::unordered_map<ir::Reg, std::string> bound_;  // registers that have a name in positions
  std::vector<std::pair<Dim, Dim>> undecided_;
};

}  // namespace frit::passes
