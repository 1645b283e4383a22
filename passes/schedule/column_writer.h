// Loops over the columns of rows, cut in two: instructions in front of a loop, and loops of constants behind it.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>

#include "ir/kernel/program.h"

namespace frit::passes {

// Whether `index` is a position within the row of an iteration: `row` * length + column.
bool is_column_at(const Dim& index, const Dim& column, const std::string& row, const Dim& length);
uint64_t converted_bits(Dtype to, Dtype from, uint64_t bits);
// Whether the loop takes all columns of a row, one after the other, without masks.
bool takes_columns(const ir::Loop& loop, const Dim& length);
// The one loop that the kernel consists of, or null.
ir::Loop* row_loop(ir::Kernel& k);

class ColumnWriter {
 public:
  ColumnWriter(ir::Kernel& k, ir::Body& to) : k_(k), to_(to) {}

  ir::Reg scalar(ir::ScalarOp op, Dtype type, std::array<ir::Reg, 3> args, uint64_t imm = 0);
  ir::Reg number(Dtype type, uint64_t bits);
  ir::Reg binary(ir::ScalarOp op, Dtype type, ir::Reg a, ir::Reg b);
  ir::Reg index(const Dim& at);
  // A name for the value, which lies in [0, most].
  Dim bind(const std::string& hint, ir::Reg value, const Dim& most);
  // Stores `bits` where `like` stores at the columns [begin, end) of its loop.
  void fill(const ir::Loop& like, const ir::StoreInstr& store, uint64_t bits, const Dim& begin, const Dim& end);

 private:
  ir::Kernel& k_;
  ir::Body& to_;
  std::set<std::string> names_;  // that are not in the kernel yet
};

}  // namespace frit::passes
