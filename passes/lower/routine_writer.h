// A routine as one kernel: a parallel loop over the rows or matrices of its operands, with plain loops and scratch
// memory inside. The parts that all such kernels share: windows, loops, scalar arithmetic, and numbers that may be
// complex.
//
// Routines of linear algebra and Fourier transforms compute in f64 whatever their element type is, and round once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "passes/lower/kernel_builder.h"
#include "passes/lower/routine.h"

namespace frit::passes {

class RoutineWriter {
 protected:
  // `inner`: how many of the last axes of the first operand belong to one row (1) or one matrix (2). The axes in front
  // of them are the kernel's parallel loop.
  RoutineWriter(const RoutineKernels& r, size_t inner) : RoutineWriter(r, inner, r.name) {}
  RoutineWriter(const RoutineKernels& r, size_t inner, const std::string& name);

  // ---- windows ----

  // The rows, vectors or matrices of an operand or a result.
  struct Stack {
    uint32_t buffer = 0;
    ir::Layout layout;
    Dtype dtype = float32;
    const Dim& size(size_t from_last) const { return layout.shape[layout.shape.size() - 1 - from_last]; }
  };
  Stack operand(size_t i);
  Stack result(size_t i);

  // Opens the parallel loop over the rows or matrices.
  void open_stack();
  // The position of an element of the row or matrix that the parallel loop is at.
  Dim at(const Stack& s, const std::vector<Dim>& inner) const;

  // ---- loops ----

  // Opens a loop and gives its variable. Close it with close().
  Dim open(const std::string& name, const Dim& extent);
  // A loop whose iterations are independent and touch neighbours, so that vectors may take them.
  Dim open_vector(const std::string& name, const Dim& extent);
  // A loop that sums f64 over neighbours, in lanes.
  Dim open_sum(const std::string& name, const Dim& extent);
  // A loop of one iteration where the condition holds, and of none elsewhere.
  void open_if(ir::Reg condition);
  void close(int loops = 1);
  // The value as a position: it lies in [0, extent).
  Dim bound(const std::string& name, ir::Reg value, const Dim& extent);

  // ---- scalars ----

  ir::Reg number(double v) const;  // f64
  ir::Reg integer(int64_t v, Dtype type = int64) const;
  ir::Reg index(const Dim& d) const;  // i64
  ir::Reg op(ir::ScalarOp op, ir::Reg a) const;
  ir::Reg op(ir::ScalarOp op, ir::Reg a, ir::Reg b) const;  // comparisons give bool
  ir::Reg select(ir::Reg condition, ir::Reg yes, ir::Reg no) const;
  ir::Reg cast(ir::Reg r, Dtype type) const;
  ir::Reg add(ir::Reg a, ir::Reg b) const { return op(ir::ScalarOp::Add, a, b); }
  ir::Reg sub(ir::Reg a, ir::Reg b) const { return op(ir::ScalarOp::Sub, a, b); }
  ir::Reg mul(ir::Reg a, ir::Reg b) const { return op(ir::ScalarOp::Mul, a, b); }
  ir::Reg div(ir::Reg a, ir::Reg b) const { return op(ir::ScalarOp::Div, a, b); }
  ir::Reg less(ir::Reg a, ir::Reg b) const { return op(ir::ScalarOp::Lt, a, b); }
  ir::Reg equal(ir::Reg a, ir::Reg b) const { return op(ir::ScalarOp::Eq, a, b); }
  ir::Reg both(ir::Reg a, ir::Reg b) const { return op(ir::ScalarOp::And, a, b); }
  ir::Reg sum(ir::Reg v) const { return k_->accumulate(ir::Combine::Sum, type(v), v); }

  // Elements of memory as they are. Those of complex stacks are two f32, which `part` names.
  ir::Reg load(const Stack& s, const Dim& at, int part = 0, ir::Reg mask = ir::kNoReg) const;
  void store(const Stack& s, const Dim& at, ir::Reg value, int part = 0) const;
  // Of scratch memory.
  uint32_t scratch(const std::string& name, Dtype type, const Dim& elements);
  ir::Reg get(uint32_t local, const Dim& at, ir::Reg mask = ir::kNoReg) const;
  void put(uint32_t local, const Dim& at, ir::Reg value) const;

  // ---- numbers in f64, which are pairs where `complex` is set ----

  struct Num {
    ir::Reg re = ir::kNoReg, im = ir::kNoReg;  // im: none of a real number
  };
  // A matrix in scratch memory, row by row.
  struct Matrix {
    uint32_t local;
    Dim columns;
    bool complex;
  };
  Matrix matrix(const std::string& name, const Dim& rows, const Dim& columns, bool complex = false);
  Num get(const Matrix& m, const Dim& row, const Dim& column) const;
  void put(const Matrix& m, const Dim& row, const Dim& column, Num v) const;
  Num get(const Stack& s, const Dim& at) const;
  void put(const Stack& s, const Dim& at, Num v) const;
  Num real(double v, bool complex) const;
  Num plus(Num a, Num b) const;
  Num minus(Num a, Num b) const;
  Num times(Num a, Num b) const;
  Num scaled(Num a, ir::Reg by) const;
  Num conjugate(Num a) const;
  ir::Reg norm(Num a) const;  // the square of the absolute value
  Num sum(Num a) const { return {sum(a.re), a.im == ir::kNoReg ? ir::kNoReg : sum(a.im)}; }
  Num select(ir::Reg condition, Num yes, Num no) const;

  Dim simplify(const Dim& d) const { return k_->facts().simplify(d); }
  Dtype type(ir::Reg r) const { return k_->reg_type(r); }
  KernelBuilder& kernel() { return *k_; }
  const ir::AttrMap& attrs() const { return r_.step.attrs; }
  std::vector<ir::KernelStep> finished() { return {k_->finish()}; }

 private:
  Dim trips(const Dim& extent) const;
  static bool is_empty(const Stack& s);
  Stack stack(const ir::Window& w, Dtype dtype, bool written);

  const RoutineKernels& r_;
  std::unique_ptr<KernelBuilder> k_;
  ir::Shape outer_;             // the sizes of the parallel loop's axes
  std::vector<Dim> positions_;  // the coordinates of the parallel loop on them
};

// Registers a routine whose kernels a class writes: Writer(r).write().
template <class Writer>
Result<std::vector<ir::KernelStep>> write_with(const RoutineKernels& r) {
  return Writer(r).write();
}

}  // namespace frit::passes
