// Columns that are reduced row by row, with the values of a piece of the columns in scratch memory.
#include "passes/schedule/columns_by_rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/body_work.h"
#include "passes/schedule/operands.h"

namespace frit::passes {

using namespace ir;

namespace {

// Columns of a piece, whose accumulators stay in the innermost cache; fewer are worth no loop of their own.
constexpr int64_t kMostColumns = 1024, kFewColumns = 128;
constexpr int64_t kFewRows = 8;
// Bytes of a row that are read at once: shorter runs of far rows read memory at a third of its speed, which costs more
// than later visits that find a piece in a slower cache. Threads need some pieces.
constexpr int64_t kLeastRun = 1024, kLeastPieces = 8, kPiecesOfScan = 2;
// Rows that go on together, so that a sum is read and written once for them, and the work of all of them for a column,
// beyond which their values find no room in the registers.
constexpr int64_t kRowsTogether = 4, kWorkTogether = 32;
// Bytes of running values of a piece, which share the innermost cache with two rows.
constexpr int64_t kMostRunning = 16384;

Reg result_of(const Instr& i) {
  const Reg* place = defined_by(const_cast<Instr&>(i));
  return place ? *place : kNoReg;
}

// Constants and positions are computed again where they are used.
bool is_free(const Instr& i) {
  const auto* s = std::get_if<ScalarInstr>(&i.node);
  return std::holds_alternative<IndexInstr>(i.node) || (s && s->op == ScalarOp::Const);
}

class ByRows {
 public:
  // `together`: whether some rows may go on at once.
  ByRows(Kernel& k, const Loop& piece, int64_t columns, bool together)
      : k_(k), piece_(piece), columns_(columns), together_(together) {}

  Body run(Body body) {
    collect(body);
    Body out;
    rewrite(std::move(body), {}, out);
    return out;
  }

  std::set<std::string> rare() && { return std::move(rare_); }

 private:
  // Finds the values that another loop over columns uses than the one that computes them.
  void collect(Body& body) {
    for (Instr& i : body) {
      auto* rows = std::get_if<Loop>(&i.node);
      if (!rows) {
        for_each_operand(i, [&](Reg r) { use(r); });
        if (is_free(i)) free_.emplace(result_of(i), i);
        if (result_of(i) != kNoReg) home_[result_of(i)] = part_;
        continue;
      }
      ++part_;
      collect(rows->body);
      for (const Carry& c : rows->carries) slot(c.next);
      for (const Accumulator& a : rows->accumulators) {
        use(a.value);
        slot(a.result);
      }
      ++part_;
    }
  }

  void use(Reg r) {
    if (const auto at = home_.find(r); at != home_.end() && at->second != part_ && !free_.count(r)) slot(r);
  }

  // The instructions of a body, with those of `tail` behind them, in loops over the columns.
  void rewrite(Body body, Body tail, Body& out) {
    Body straight;
    for (Instr& i : body) {
      auto* rows = std::get_if<Loop>(&i.node);
      if (!rows) {
        straight.push_back(std::move(i));
        continue;
      }
      flush(straight, out);
      rows_loop(*rows, out);
    }
    std::move(tail.begin(), tail.end(), std::back_inserter(straight));
    flush(straight, out);
  }

  uint32_t slot(Reg r) {
    const auto [it, added] = slots_.try_emplace(r);
    if (added) it->second = add_local(k_, "column" + std::to_string(k_.locals.size()), k_.reg_types[r], Dim(columns_));
    return it->second;
  }

  Dim at() const { return Dim::symbol(piece_.var); }

  Loop over_columns() const {
    Loop loop;
    loop.var = unlike_symbols(k_, piece_.var + (count_ ? std::to_string(count_) : ""));
    ++count_;
    loop.extent = piece_.extent;
    return loop;
  }

  // A loop over the columns with these instructions, after what they need from elsewhere.
  void add_loop(Body instrs, Body& out) {
    Loop loop = over_columns();
    if (!each_row_) rare_.insert(loop.var);
    std::map<Reg, Reg> renamed;
    std::vector<Reg> own;
    for (const Instr& i : instrs) own.push_back(result_of(i));
    for (Instr& i : instrs)
      for_each_operand(i, [&](Reg& r) {
        if (std::find(own.begin(), own.end(), r) != own.end()) return;
        const auto known = renamed.find(r);
        if (known == renamed.end()) {
          const Reg fresh = k_.new_reg(k_.reg_types[r]);
          k_.set_origin(fresh, k_.origin(r));
          if (const auto again = free_.find(r); again != free_.end()) {
            Instr copy = again->second;
            if (auto* s = std::get_if<ScalarInstr>(&copy.node)) s->result = fresh;
            if (auto* x = std::get_if<IndexInstr>(&copy.node)) x->result = fresh;
            loop.body.push_back(std::move(copy));
          } else if (const auto kept = slots_.find(r); kept != slots_.end()) {
            loop.body.push_back({LoadInstr{fresh, kept->second, at()}});
          } else {
            return;  // of a loop around the piece
          }
          renamed[r] = fresh;
          r = fresh;
        } else {
          r = known->second;
        }
      });
    std::move(instrs.begin(), instrs.end(), std::back_inserter(loop.body));
    rewrite_dims(loop.body, [&](const Dim& d) { return d.substitute(piece_.var, Dim::symbol(loop.var)); });
    out.push_back({std::move(loop)});
  }

  // The instructions between two loops over rows; values that later loops use are stored.
  void flush(Body& straight, Body& out) {
    const bool idle = std::all_of(straight.begin(), straight.end(), is_free);
    if (!idle) {
      for (size_t n = straight.size(), i = 0; i < n; ++i)
        if (const auto kept = slots_.find(result_of(straight[i])); kept != slots_.end())
          straight.push_back({StoreInstr{kept->second, at(), kept->first}});
      add_loop(std::move(straight), out);
    }
    straight.clear();
  }

  void rows_loop(Loop& rows, Body& out) {
    Body start;
    // The slot of a running value is that of its next one, which a row leaves there.
    for (const Carry& c : rows.carries) {
      const Reg initial = k_.new_reg(c.type);
      ScalarInstr constant{initial, ScalarOp::Const, c.type};
      constant.imm = c.initial;
      start.push_back({constant});
      start.push_back({StoreInstr{slots_.at(c.next), at(), initial}});
      rows.body.insert(rows.body.begin(), {LoadInstr{c.value, slots_.at(c.next), at()}});
    }
    rows.carries.clear();
    if (!rows.accumulators.empty() || !start.empty()) {
      for (const Accumulator& a : rows.accumulators) {
        const Reg identity = k_.new_reg(a.type);
        ScalarInstr constant{identity, ScalarOp::Const, a.type};
        constant.imm = combine_identity(a.combine, a.type);
        start.push_back({constant});
        start.push_back({StoreInstr{slots_.at(a.result), at(), identity}});
      }
      add_loop(std::move(start), out);
    }
    const int64_t count = rows_together(rows);
    Loop rest = rows;
    if (count > 1) {
      const Dim extent = rows.extent;
      rows.extent = k_.facts.simplify(floor_div(extent, count));
      rest.extent = rows_left(extent, count);
      rest.var = unlike_all(k_, rows.var + "_");
      const Dim first = extent - rest.extent;
      rest.body = copied(rows.body, rows.var, k_.facts.simplify(first + Dim::symbol(rest.var)), rest.accumulators);
    }
    add_rows(std::move(rows), count, out);
    if (count > 1 && !rest.extent.is(0)) add_rows(std::move(rest), 1, out);
  }

  // The rows of a loop that go on together: those of sums, which lie in memory.
  int64_t rows_together(const Loop& rows) const {
    if (!together_ || rows.accumulators.empty() || contains_loop(rows.body)) return 1;
    if (k_.facts.range(rows.extent).high < 2 * kRowsTogether) return 1;
    int64_t count = kRowsTogether;
    while (count > 1 && count * straight_work(rows.body) > kWorkTogether) count /= 2;
    return count;
  }

  // The rows behind the last full turn of `count`. Blocks and a last block that are full turns leave none.
  Dim rows_left(const Dim& extent, int64_t count) const {
    const DimPoly* sum = extent.poly();
    if (sum && sum->constant == 0 && sum->terms.size() == 1 && sum->terms[0].coefficient == 1 &&
        sum->terms[0].atoms.size() == 1 && sum->terms[0].atoms[0]->kind == AtomKind::Min) {
      const std::vector<Dim>& parts = sum->terms[0].atoms[0]->args;
      if (std::all_of(parts.begin(), parts.end(), [&](const Dim& d) { return mod(d, count).is(0); })) return 0;
    }
    return k_.facts.simplify(mod(extent, count));
  }

  // The instructions of a row for another position, with registers of their own. The values of `sums` become theirs.
  Body copied(const Body& row, const std::string& var, const Dim& position, std::vector<Accumulator>& sums) {
    std::map<Reg, Reg> renamed;
    Body copy;
    for (Instr i : row) {
      for_each_operand(i, [&](Reg& r) {
        if (const auto own = renamed.find(r); own != renamed.end()) r = own->second;
      });
      if (Reg* result = defined_by(i)) {
        const Reg fresh = k_.new_reg(k_.reg_types[*result]);
        k_.set_origin(fresh, k_.origin(*result));
        renamed[*result] = fresh;
        *result = fresh;
      }
      copy.push_back(std::move(i));
    }
    rewrite_dims(copy, [&](const Dim& d) { return k_.facts.simplify(d.substitute(var, position)); });
    for (Accumulator& a : sums)
      if (const auto own = renamed.find(a.value); own != renamed.end()) a.value = own->second;
    return copy;
  }

  // A loop over rows, `count` at a time: sums are read before the first of them and written behind the last.
  void add_rows(Loop rows, int64_t count, Body& out) {
    Body body;
    std::vector<Reg> sums;
    for (const Accumulator& a : rows.accumulators) {
      sums.push_back(k_.new_reg(a.type));
      if (count > 1) body.push_back({LoadInstr{sums.back(), slots_.at(a.result), at()}});
    }
    Body tail;
    for (int64_t row = 0; row < count; ++row) {
      std::vector<Accumulator> values = rows.accumulators;
      Body next = count == 1 ? std::move(rows.body)
                             : copied(rows.body, rows.var, Dim(count) * Dim::symbol(rows.var) + Dim(row), values);
      std::move(next.begin(), next.end(), std::back_inserter(body));
      Body& to = count == 1 ? tail : body;
      for (size_t i = 0; i < values.size(); ++i) {
        const Accumulator& a = values[i];
        const Reg after = k_.new_reg(a.type);
        if (count == 1) to.push_back({LoadInstr{sums[i], slots_.at(a.result), at()}});
        to.push_back({ScalarInstr{after, combine_op(a.combine), a.type, {sums[i], a.value, kNoReg}}});
        sums[i] = after;
      }
    }
    for (size_t i = 0; i < sums.size(); ++i)
      tail.push_back({StoreInstr{slots_.at(rows.accumulators[i].result), at(), sums[i]}});
    rows.accumulators.clear();
    rows.body.clear();
    each_row_ = count == 1 && !contains_loop(body) && k_.facts.range(rows.extent).high >= kRowsTogether;
    rewrite(std::move(body), std::move(tail), rows.body);
    each_row_ = false;
    out.push_back({std::move(rows)});
  }

  Kernel& k_;
  const Loop& piece_;
  int64_t columns_;
  bool together_;
  std::map<Reg, Instr> free_;
  std::map<Reg, uint32_t> slots_;
  std::map<Reg, int> home_;  // the loop over columns that an instruction falls into, by number
  int part_ = 0;
  mutable int count_ = 0;
  bool each_row_ = false;       // a loop over columns runs for each row now
  std::set<std::string> rare_;  // the other loops over columns
};

}  // namespace

// Whether each running value, if there are any, follows from an operation of the row.
static bool keeps_running_values(const Loop& rows) {
  std::set<Reg> next;
  for (const Carry& c : rows.carries) next.insert(c.next);
  const auto made = std::count_if(rows.body.begin(), rows.body.end(),
                                  [&](const Instr& i) { return !is_free(i) && next.count(result_of(i)) > 0; });
  return next.size() == rows.carries.size() && static_cast<size_t>(made) == next.size() &&
         (next.empty() || !contains_loop(rows.body));
}

bool goes_by_rows(const Loop& columns, const DimFacts& facts) {
  if (facts.range(columns.extent).high < kFewColumns) return false;
  bool sums = false;
  const auto fits = [&](auto&& self, const Body& body) -> bool {
    return std::all_of(body.begin(), body.end(), [&](const Instr& i) {
      const auto* rows = std::get_if<Loop>(&i.node);
      if (!rows) return is_straight(i);
      if (rows->lanes || !keeps_running_values(*rows) || rows->extent.uses(columns.var)) return false;
      if (!contains_loop(rows->body) && facts.range(rows->extent).high < kFewRows) return false;
      sums = sums || !rows->accumulators.empty() || !rows->carries.empty();
      const bool by_position = std::any_of(rows->accumulators.begin(), rows->accumulators.end(),
                                           [](const Accumulator& a) { return a.position != kNoReg; });
      return !by_position && self(self, rows->body);
    });
  };
  return fits(fits, columns.body) && sums;
}

// Columns of pieces of which threads get equally many. Where their number is not known, eight may.
static int64_t even_pieces(const DimFacts& facts, const Dim& columns, int64_t widest, int threads) {
  const int64_t n = facts.range(columns).high, pieces = (n - 1) / kMostColumns + 1;
  const int64_t least = std::min(kMostColumns, std::max(kFewColumns, kLeastRun / widest));
  for (int64_t parts = threads > 0 ? threads : kLeastPieces;; parts /= 2) {
    const int64_t even = parts > 1 ? (pieces + parts - 1) / parts * parts : pieces, count = (n - 1) / even + 1;
    if (parts <= 1 || count >= least) return (count + 63) / 64 * 64;
  }
}

// Columns of a piece of a scan, which has no blocks of rows for threads: a piece for each thread where their number is
// known, as longer runs of a row take less time.
static int64_t columns_of_scan(const DimFacts& facts, const Loop& columns, int64_t running, int64_t widest,
                               int threads) {
  const int64_t pieces = threads > 0 ? threads : kPiecesOfScan;
  const int64_t most = threads > 0 ? std::max(kMostRunning / (running * widest), kMostColumns) : kMostColumns;
  const int64_t even = (facts.range(columns.extent).high + pieces - 1) / pieces;
  return std::clamp((even + 63) / 64 * 64, kLeastRun / widest, most);
}

std::set<std::string> run_by_rows(Kernel& k, Loop& columns, int threads, const std::string& var) {
  int64_t loops = 0, widest = 1;
  int64_t running = 0;  // values
  for (const Instr& i : columns.body)
    if (const auto* rows = std::get_if<Loop>(&i.node)) {
      const auto* inner = rows->body.empty() ? nullptr : std::get_if<Loop>(&rows->body.back().node);
      int64_t element = 1;
      for (const Instr& j : inner ? inner->body : rows->body)
        if (const auto* l = std::get_if<LoadInstr>(&j.node))
          element = std::max<int64_t>(element, k.buffer(l->buffer).dtype.size());
      ++loops;
      running += static_cast<int64_t>(rows->carries.size());
      widest = std::max(widest, element);
    }
  int64_t count = even_pieces(k.facts, columns.extent, widest, threads);
  if (running > 0) count = columns_of_scan(k.facts, columns, running, widest, threads);
  // Blocks of rows, which are read once and give the threads work.
  const bool blocks = loops == 1 && running == 0 && columns.kind != LoopKind::Parallel;
  const bool whole = blocks && columns.extent.is_const() && columns.extent.value() <= kWholeRow;
  if (whole) count = columns.extent.value();
  strip(columns, count, var, k.facts);
  Loop piece = std::move(std::get<Loop>(columns.body[0].node));
  Body body = std::move(piece.body);
  piece.body.clear();
  if (whole) piece.extent = count;
  // Several rows of 4 bytes an element and more come from memory slower than one.
  ByRows by_rows(k, piece, count, !whole || widest < 4);
  columns.body = by_rows.run(std::move(body));
  return std::move(by_rows).rare();
}

}  // namespace frit::passes
