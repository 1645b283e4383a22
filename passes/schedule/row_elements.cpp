// Writes the elements of short rows in their order in memory, where the rows are the lanes of vectors before that.
//
// Values of a row, such as its mean, are lanes of a vector over rows. The loop that applies them to the elements visits
// those of some rows together, a step of whole rows at a time. So its vectors are read and written as they lie, and the
// lanes of each step take the values of rows by the same shuffles.
#include <algorithm>
#include <numeric>
#include <set>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/body_work.h"
#include "passes/schedule/row_tails.h"
#include "passes/schedule/short_rows.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kMostOperations = 400;  // of a step over whole rows
constexpr size_t kMostValues = 4;         // of a row

int64_t vectors_of_step(int64_t n, int lanes) { return n / std::gcd(n, int64_t{lanes}); }

// Whether the elements of `places` are read and written in the order of rows, or are the same for each row.
bool is_in_order(const Kernel& k, const Loop& rows, const Loop& places) {
  const auto follows = [&](uint32_t buffer, const Dim& index, bool store) {
    if (buffer >= k.buffers.size()) return false;
    const auto along = index.affine_in(places.var);
    const auto across = along ? along->rest.affine_in(rows.var) : std::nullopt;
    if (!across || !along->coefficient.is(1)) return false;
    return across->coefficient == places.extent || (!store && across->coefficient.is(0));
  };
  return std::all_of(places.body.begin(), places.body.end(), [&](const Instr& i) {
    if (const auto* l = std::get_if<LoadInstr>(&i.node))
      return l->mask == kNoReg && follows(l->buffer, l->index, false);
    if (const auto* s = std::get_if<StoreInstr>(&i.node))
      return s->mask == kNoReg && follows(s->buffer, s->index, true);
    return std::holds_alternative<ScalarInstr>(i.node);
  });
}

// The registers that `places` reads and does not define.
std::set<Reg> values_of_row(const Loop& places) {
  std::set<Reg> defined, read;
  for (const Instr& i : places.body) {
    if (const auto* s = std::get_if<ScalarInstr>(&i.node)) {
      for (int a = 0; a < arity(s->op); ++a) read.insert(s->args[static_cast<size_t>(a)]);
      defined.insert(s->result);
    }
    if (const auto* l = std::get_if<LoadInstr>(&i.node)) defined.insert(l->result);
    if (const auto* s = std::get_if<StoreInstr>(&i.node)) read.insert(s->value);
  }
  std::erase_if(read, [&](Reg r) { return defined.contains(r); });
  return read;
}

}  // namespace

bool writes_in_order(const Kernel& k, const Loop& rows, int lanes) {
  const auto* places = rows.body.empty() ? nullptr : std::get_if<Loop>(&rows.body.back().node);
  if (!places || !places->extent.is_const() || !places->accumulators.empty() || !places->carries.empty()) return false;
  const int64_t n = places->extent.value();
  if (n < 2 || vectors_of_step(n, lanes) * leaf_work(places->body) > kMostOperations) return false;
  return is_in_order(k, rows, *places) && values_of_row(*places).size() <= kMostValues;
}

Loop take_elements(Kernel& k, Loop& head, int64_t count, int lanes) {
  Loop elements;
  elements.var = unlike_all(k, head.var + "_elements");
  elements.extent = head.extent;
  elements.body.push_back(std::move(head.body.back()));
  head.body.pop_back();
  rewrite_dims(elements.body, [&](const Dim& d) { return d.substitute(head.var, Dim::symbol(elements.var)); });
  hand_over(k, head, elements, count);
  const int64_t n = std::get<Loop>(elements.body.back().node).extent.value();
  DimFacts known = k.facts;
  known.set_loop(elements.var, elements.extent);
  merge(elements, known);
  elements.vector = lanes;
  elements.unroll = static_cast<int>(vectors_of_step(n, lanes));
  return elements;
}

}  // namespace frit::passes
