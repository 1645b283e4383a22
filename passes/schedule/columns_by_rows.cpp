// Columns that are reduced row by row, with the values of a piece of the columns in scratch memory.
#include "passes/schedule/columns_by_rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "passes/lower/loop_nest.h"

namespace frit::passes {

using namespace ir;

namespace {

// Columns of a piece, whose accumulators stay in the innermost cache; fewer are worth no loop of their own.
constexpr int64_t kMostColumns = 1024, kFewColumns = 128;
constexpr int64_t kFewRows = 8;
// Bytes of a row that are read at once: shorter runs of far rows read memory at a third of its speed, which costs more
// than later visits that find a piece in a slower cache. Threads need some pieces.
constexpr int64_t kLeastRun = 1024, kLeastPieces = 8, kPiecesOfScan = 2;
// Bytes of running values of a piece, which share the innermost cache with two rows.
constexpr int64_t kMostRunning = 16384;

template <class Fn>
void for_each_use(Instr& i, Fn fn) {
  if (auto* s = std::get_if<ScalarInstr>(&i.node))
    for (int a = 0; a < arity(s->op); ++a) fn(s->args[static_cast<size_t>(a)]);
  if (auto* l = std::get_if<LoadInstr>(&i.node))
    if (l->mask != kNoReg) fn(l->mask);
  if (auto* s = std::get_if<StoreInstr>(&i.node)) {
    fn(s->value);
    if (s->mask != kNoReg) fn(s->mask);
  }
}

Reg result_of(const Instr& i) {
  if (const auto* s = std::get_if<ScalarInstr>(&i.node)) return s->result;
  if (const auto* x = std::get_if<IndexInstr>(&i.node)) return x->result;
  if (const auto* l = std::get_if<LoadInstr>(&i.node)) return l->result;
  return kNoReg;
}

// Constants and positions are computed again where they are used.
bool is_free(const Instr& i) {
  const auto* s = std::get_if<ScalarInstr>(&i.node);
  return std::holds_alternative<IndexInstr>(i.node) || (s && s->op == ScalarOp::Const);
}

class ByRows {
 public:
  ByRows(Kernel& k, const Loop& piece, int64_t columns) : k_(k), piece_(piece), columns_(columns) {}

  Body run(Body body) {
    collect(body);
    Body out;
    rewrite(std::move(body), {}, out);
    return out;
  }

 private:
  // Finds the values that another loop over columns uses than the one that computes them.
  void collect(Body& body) {
    for (Instr& i : body) {
      auto* rows = std::get_if<Loop>(&i.node);
      if (!rows) {
        for_each_use(i, [&](Reg r) { use(r); });
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
    std::map<Reg, Reg> renamed;
    std::vector<Reg> own;
    for (const Instr& i : instrs) own.push_back(result_of(i));
    for (Instr& i : instrs)
      for_each_use(i, [&](Reg& r) {
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
    Body tail;
    for (const Accumulator& a : rows.accumulators) {
      const Reg before = k_.new_reg(a.type), after = k_.new_reg(a.type);
      const uint32_t kept = slots_.at(a.result);
      tail.push_back({LoadInstr{before, kept, at()}});
      tail.push_back({ScalarInstr{after, combine_op(a.combine), a.type, {before, a.value, kNoReg}}});
      tail.push_back({StoreInstr{kept, at(), after}});
    }
    rows.accumulators.clear();
    Body body = std::move(rows.body);
    rows.body.clear();
    rewrite(std::move(body), std::move(tail), rows.body);
    out.push_back({std::move(rows)});
  }

  Kernel& k_;
  const Loop& piece_;
  int64_t columns_;
  std::map<Reg, Instr> free_;
  std::map<Reg, uint32_t> slots_;
  std::map<Reg, int> home_;  // the loop over columns that an instruction falls into, by number
  int part_ = 0;
  mutable int count_ = 0;
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

// Columns of pieces of which threads get equally many.
static int64_t even_pieces(const Dim& columns) {
  if (!columns.is_const()) return kMostColumns;
  const int64_t n = columns.value(), pieces = (n + kMostColumns - 1) / kMostColumns;
  for (int64_t threads : {8, 4, 2}) {
    const int64_t even = (pieces + threads - 1) / threads * threads;
    if (n / even >= kMostColumns / 2) return (n + even * 64 - 1) / (even * 64) * 64;
  }
  return kMostColumns;
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

void run_by_rows(Kernel& k, Loop& columns, int64_t cache_bytes, int threads, const std::string& var) {
  // Bytes of the rows of a column.
  int64_t bytes = 0, loops = 0, widest = 1;
  int64_t running = 0;  // values
  for (const Instr& i : columns.body)
    if (const auto* rows = std::get_if<Loop>(&i.node)) {
      const auto* inner = rows->body.empty() ? nullptr : std::get_if<Loop>(&rows->body.back().node);
      const auto most = [&](const Loop& loop) { return std::min<int64_t>(k.facts.range(loop.extent).high, 1 << 16); };
      int64_t element = 1;
      for (const Instr& j : inner ? inner->body : rows->body)
        if (const auto* l = std::get_if<LoadInstr>(&j.node))
          element = std::max<int64_t>(element, k.buffer(l->buffer).dtype.size());
      ++loops;
      running += static_cast<int64_t>(rows->carries.size());
      widest = std::max(widest, element);
      bytes = std::max(bytes, most(*rows) * (inner ? most(*inner) : 1) * element);
    }
  const int64_t fitting = loops > 1 ? cache_bytes / std::max<int64_t>(bytes, 1) / 64 * 64 : even_pieces(columns.extent);
  const int64_t shared = k.facts.range(columns.extent).high / kLeastPieces / 64 * 64;
  const int64_t least = std::max(kFewColumns, std::min(kLeastRun / widest, shared));
  int64_t count = std::clamp(fitting, least, kMostColumns);
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
  columns.body = ByRows(k, piece, count).run(std::move(body));
}

}  // namespace frit::passes
