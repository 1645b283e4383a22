// Blocks of a few columns: one loop along the rows of a block visits all of them.
//
// The elements of a block follow each other in memory then. As lanes of vectors, blocks are read in runs of several
// rows, which are transposed in registers.
#include "passes/schedule/joined_columns.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/body_work.h"
#include "passes/schedule/operands.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kTileBytes = 16;     // of a lane's run; the columns of a row have fewer
constexpr int64_t kLeastSteps = 4;     // of a loop along the rows
constexpr int64_t kMuchWork = 48;      // operations of a column, beside which reading it costs little
constexpr int64_t kMostWritten = 512;  // operations of a row, all columns together
constexpr int64_t kRunning = 4;        // registers of a column with a running value: its elements are there, too

// Copies a body for each of `n` values of a loop's variable; loops inside are one for all of them.
class WrittenOut {
 public:
  WrittenOut(Kernel& k, std::string var, int64_t n)
      : k_(k), var_(std::move(var)), n_(n), names_(static_cast<size_t>(n)) {}

  Body run(const Body& body) {
    Body out;
    for (const Instr& i : body) {
      if (const auto* loop = std::get_if<Loop>(&i.node)) {
        out.push_back({together(*loop)});
        continue;
      }
      if (is_common(i))
        out.push_back(i);
      else
        for (int64_t c = 0; c < n_; ++c) out.push_back(copy(i, c));
    }
    return out;
  }

 private:
  // Whether the value is the same for all columns.
  bool is_common(const Instr& i) const {
    const auto* s = std::get_if<ScalarInstr>(&i.node);
    return s && std::none_of(s->args.begin(), s->args.end(), [&](Reg r) { return names_[0].count(r) > 0; });
  }

  Loop together(const Loop& loop) {
    Loop all = loop;
    all.accumulators.clear();
    all.carries.clear();
    for (int64_t c = 0; c < n_; ++c)
      for (Carry carry : loop.carries) {
        carry.value = fresh(carry.value, c);
        all.carries.push_back(carry);
      }
    all.body = run(loop.body);
    for (size_t i = 0; i < all.carries.size(); ++i)
      all.carries[i].next = of(all.carries[i].next, static_cast<int64_t>(i / loop.carries.size()));
    for (int64_t c = 0; c < n_; ++c)
      for (Accumulator a : loop.accumulators) {
        a.value = of(a.value, c);
        if (a.position != kNoReg) a.position = of(a.position, c);
        a.result = fresh(a.result, c);
        all.accumulators.push_back(a);
      }
    return all;
  }

  Instr copy(const Instr& i, int64_t c) {
    Body own{i};
    for_each_operand(own[0], [&](Reg& r) { r = of(r, c); });
    if (Reg* result = defined_by(own[0])) *result = fresh(*result, c);
    rewrite_dims(own, [&](const Dim& d) { return k_.facts.simplify(d.substitute(var_, Dim(c))); });
    return std::move(own[0]);
  }

  Reg of(Reg r, int64_t c) const {
    const auto& names = names_[static_cast<size_t>(c)];
    const auto own = names.find(r);
    return own == names.end() ? r : own->second;
  }

  Reg fresh(Reg r, int64_t c) {
    const Reg own = k_.new_reg(k_.reg_types[r]);
    k_.set_origin(own, k_.origin(r));
    return names_[static_cast<size_t>(c)][r] = own;
  }

  Kernel& k_;
  std::string var_;
  int64_t n_;
  std::vector<std::map<Reg, Reg>> names_;  // by column
};

// The bytes of an element that `i` reads or writes where its positions are those of all columns, row by row; 0 of an
// instruction that accesses no memory, or none that depends on the row; nothing for others.
std::optional<int64_t> bytes_in_order(const Kernel& k, const Instr& i, const Loop& rows, const Loop& columns) {
  const auto* l = std::get_if<LoadInstr>(&i.node);
  const auto* s = std::get_if<StoreInstr>(&i.node);
  if (!l && !s) return is_straight(i) ? std::optional<int64_t>(0) : std::nullopt;
  const Dim& index = l ? l->index : s->index;
  if ((l ? l->mask : s->mask) != kNoReg) return std::nullopt;
  if (l && !index.uses(rows.var)) return 0;
  const auto across = index.affine_in(columns.var);
  const auto along = across ? across->rest.affine_in(rows.var) : std::nullopt;
  if (!along || !across->coefficient.is(1) || !along->coefficient.is(columns.extent.value())) return std::nullopt;
  return k.buffer(l ? l->buffer : s->buffer).dtype.size();
}

}  // namespace

void take_constants_inside(Loop& blocks) {
  const auto is_constant = [](const Instr& i) { return std::holds_alternative<ScalarInstr>(i.node); };
  auto* columns = blocks.body.empty() ? nullptr : std::get_if<Loop>(&blocks.body.back().node);
  if (!columns || !std::all_of(blocks.body.begin(), blocks.body.end() - 1, is_constant)) return;
  Loop inner = std::move(*columns);
  blocks.body.pop_back();
  inner.body.insert(inner.body.begin(), blocks.body.begin(), blocks.body.end());
  blocks.body.clear();
  blocks.body.push_back({std::move(inner)});
}

int lanes_of_joined_columns(const Kernel& k, Loop& blocks, int lanes, int accumulators) {
  const Loop* columns = blocks.body.size() == 1 ? inner_of_nest(blocks.body) : nullptr;
  if (!columns || !columns->extent.is_const() || columns->extent.uses(blocks.var)) return 0;
  const int64_t n = columns->extent.value(), most = k.facts.range(blocks.extent).high;
  if (n < 2 || n * innermost_accumulators(columns->body) > accumulators || n * leaf_work(columns->body) > kMostWritten)
    return 0;
  // Of rows that are whole runs, vectors of columns are an alternative, in which lanes are idle.
  const bool fills_little = (leaf_work(columns->body) > kMuchWork ? 2 : 3) * n <= lanes;
  int64_t narrowest = 0;
  for (const Instr& i : columns->body) {
    const auto* rows = std::get_if<Loop>(&i.node);
    if (!rows) continue;
    // Tiles of running values have no iterations left behind them.
    if (rows->extent.uses(blocks.var) || (!rows->carries.empty() && !rows->extent.is_const())) return 0;
    if (kRunning * n * static_cast<int64_t>(rows->carries.size()) > accumulators) return 0;
    if (k.facts.range(rows->extent).high < kLeastSteps) return 0;
    for (const Instr& j : rows->body) {
      const auto bytes = bytes_in_order(k, j, *rows, *columns);
      if (!bytes || (n * *bytes >= kTileBytes && !fills_little)) return 0;
      if (*bytes > 0) narrowest = narrowest == 0 ? *bytes : std::min(narrowest, *bytes);
    }
  }
  if (narrowest == 0) return 0;
  const int64_t least = kTileBytes / narrowest;
  int64_t together = std::max<int64_t>(lanes, least);
  while (together > most && together / 2 >= least) together /= 2;
  return together <= most ? static_cast<int>(together) : 0;
}

void put_joined_columns_in_lanes(Kernel& k, Loop& blocks, int lanes, const std::string& var) {
  strip(blocks, lanes, var, k.facts);
  Loop& rows = std::get<Loop>(blocks.body[0].node);
  const Loop columns = std::move(std::get<Loop>(rows.body[0].node));
  rows.vector = lanes;
  rows.body = WrittenOut(k, columns.var, columns.extent.value()).run(columns.body);
}

bool reads_runs_of_rows(const Loop& rows) {
  return std::any_of(rows.body.begin(), rows.body.end(), [&](const Instr& i) {
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && std::any_of(loop->body.begin(), loop->body.end(), [&](const Instr& j) {
             const auto* l = std::get_if<LoadInstr>(&j.node);
             const auto along = l ? l->index.affine_in(loop->var) : std::nullopt;
             const auto across = along ? along->rest.affine_in(rows.var) : std::nullopt;
             return across && along->coefficient.is(1) && !across->coefficient.is(0) && !across->coefficient.is(1);
           });
  });
}

int lanes_of_runs(const Kernel& k, const Loop& rows, int lanes) {
  return reads_runs_of_rows(rows) ? std::max(lanes, static_cast<int>(kTileBytes / narrowest(k, rows.body))) : lanes;
}

}  // namespace frit::passes
