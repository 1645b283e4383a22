// Loops over the columns of rows, cut in two.
#include "passes/schedule/column_writer.h"

#include <utility>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/merged_kernels.h"
#include "passes/schedule/operands.h"

namespace frit::passes {

using namespace ir;

bool is_column_at(const Dim& index, const Dim& column, const std::string& row, const Dim& length) {
  const auto along = index.affine_in(row);
  return along && along->coefficient == length && along->rest == column;
}

uint64_t converted_bits(Dtype to, Dtype from, uint64_t bits) {
  const Dtype types[]{from};
  const uint64_t args[]{bits};
  return evaluate(ScalarOp::Cast, to, types, args);
}

bool takes_columns(const Loop& loop, const Dim& length) {
  return loop.kind == LoopKind::Serial && loop.carries.empty() && loop.extent == length &&
         is_straight_line(loop.body) && !loads_under_mask(loop.body);
}

Loop* row_loop(Kernel& k) { return k.body.size() == 1 ? std::get_if<Loop>(&k.body[0].node) : nullptr; }

Reg ColumnWriter::scalar(ScalarOp op, Dtype type, std::array<Reg, 3> args, uint64_t imm) {
  const Reg r = k_.new_reg(type);
  to_.push_back({ScalarInstr{r, op, type, args, imm}});
  return r;
}

Reg ColumnWriter::number(Dtype type, uint64_t bits) {
  return scalar(ScalarOp::Const, type, {kNoReg, kNoReg, kNoReg}, bits);
}

Reg ColumnWriter::binary(ScalarOp op, Dtype type, Reg a, Reg b) { return scalar(op, type, {a, b, kNoReg}); }

Reg ColumnWriter::index(const Dim& at) {
  const Reg r = k_.new_reg(int64);
  to_.push_back({IndexInstr{r, at}});
  return r;
}

Dim ColumnWriter::bind(const std::string& hint, Reg value, const Dim& most) {
  std::string name = unlike_all(k_, hint);
  while (!names_.insert(name).second) name += '_';
  to_.push_back({BindInstr{name, value, 0, most}});
  return Dim::symbol(name);
}

void ColumnWriter::fill(const Loop& like, const StoreInstr& store, uint64_t bits, const Dim& begin, const Dim& end) {
  Loop loop;
  loop.var = unlike_all(k_, like.var + "h");
  while (!names_.insert(loop.var).second) loop.var += '_';
  loop.extent = end - begin;
  loop.vector = like.vector;
  loop.unroll = like.unroll;
  StoreInstr at = store;
  at.index = store.index.substitute(like.var, Dim::symbol(loop.var) + begin);
  at.value = k_.new_reg(k_.reg_types[store.value]);
  at.stream = false;
  loop.body.push_back(
      {ScalarInstr{at.value, ScalarOp::Const, k_.reg_types[store.value], {kNoReg, kNoReg, kNoReg}, bits}});
  loop.body.push_back({at});
  to_.push_back({std::move(loop)});
}

}  // namespace frit::passes
