// Joins rows of a few vectors, and cuts rows that repeat others.
#include "passes/schedule/narrow_rows.h"

#include <algorithm>
#include <numeric>

#include "ir/base/dim.h"
#include "passes/lower/loop_nest.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kMinRows = 64;
constexpr int64_t kMaxRowVectors = 8;  // of a row that is joined with others
constexpr int64_t kMinWrapped = 8;     // elements of a row that repeats: shorter ones are shuffled in registers
constexpr int64_t kBlock = 1024;       // elements that the inner loop takes, at least
constexpr int64_t kBlocksAtOnce = 8;   // blocks of one iteration of the parallel loop
constexpr int64_t kMostRepeats = 16;   // of an element: the vectors of a step
constexpr int64_t kFewVectors = 4;     // of a step
constexpr int64_t kRun = 8192;         // elements of repeated ones that a thread takes at once

// Adds the moduli of `var` in `d` to `found`; returns false where `var` is part of another division.
bool collect_moduli(const Dim& d, const std::string& var, std::vector<Dim>& found) {
  if (d.is_const()) return true;
  for (const DimTerm& term : d.poly()->terms)
    for (const auto& atom : term.atoms) {
      if (atom->kind == AtomKind::Symbol) continue;
      const bool uses = std::any_of(atom->args.begin(), atom->args.end(), [&](const Dim& a) { return a.uses(var); });
      if (!uses) continue;
      const std::string* whole = atom->args[0].as_symbol();
      if (!atom->divides() || !whole || *whole != var) return false;
      found.push_back(atom->args[1]);
    }
  return true;
}

// How a position follows the rows of a nest, of `n` elements.
enum class Order { Same, Row, Repeat, None };

struct RowAccess {
  Order order = Order::None;
  int64_t times = 1;  // Repeat
  Dim rest;
};

RowAccess access(const Dim& d, const Loop& rows, const Loop& columns) {
  const int64_t n = columns.extent.value();
  if (const auto along = d.affine_in(columns.var)) {
    const auto across = along->rest.affine_in(rows.var);
    if (!across || !along->coefficient.is(1)) return {};
    if (across->coefficient.is(n)) return {Order::Same, 1, across->rest};
    if (across->coefficient.is(0)) return {Order::Row, 1, across->rest};
    return {};
  }
  std::vector<Dim> divisors;
  if (!collect_moduli(d, columns.var, divisors) || divisors.size() != 1 || !divisors[0].is_const()) return {};
  const int64_t q = divisors[0].value();
  if (q < 2 || n % q != 0) return {};
  const Dim each = floor_div(Dim::symbol(columns.var), q);
  const auto across = (d - each).affine_in(rows.var);
  if (!across || across->rest.uses(columns.var) || !across->coefficient.is(n / q)) return {};
  return {Order::Repeat, q, across->rest};
}

bool is_invariant(const Instr& i) { return std::holds_alternative<ScalarInstr>(i.node); }

// The number of times that positions repeat each element along `loop`, if they all do so alike; else 1.
int64_t repeats_along(const Body& body, const std::string& var) {
  std::vector<Dim> divisors;
  int64_t times = 1;
  bool alike = true;
  for_each_dim(body, [&](const Dim& d) {
    if (d.affine_in(var)) return;
    divisors.clear();
    const bool plain = collect_moduli(d, var, divisors) && divisors.size() == 1 && divisors[0].is_const();
    const int64_t q = plain ? divisors[0].value() : 0;
    alike = alike && q >= 2 && (times == 1 || q == times) &&
            (d - floor_div(Dim::symbol(var), q)).affine_in(var).has_value();
    times = q;
  });
  return alike ? times : 1;
}

}  // namespace

bool cut_where_wrapped(const Kernel& k, Loop& nest, const std::string& var) {
  Loop* innermost = &nest;
  while (Loop* next = inner_of_nest(innermost->body)) innermost = next;
  if (innermost == &nest || contains_loop(innermost->body) || innermost->kind != LoopKind::Serial) return false;
  std::vector<Dim> lengths;
  bool known = true;
  for_each_dim(innermost->body, [&](const Dim& d) { known = known && collect_moduli(d, innermost->var, lengths); });
  if (!known || lengths.empty()) return false;
  const Dim n = lengths[0];
  if (std::any_of(lengths.begin(), lengths.end(), [&](const Dim& other) { return !(other == n); })) return false;
  if (k.facts.less_equal(kMinWrapped, n) != Tri::Yes || !k.facts.simplify(mod(innermost->extent, n)).is(0))
    return false;
  Loop inner;
  inner.var = innermost->var;
  inner.extent = n;
  DimFacts facts = k.facts;
  const Dim times = facts.simplify(floor_div(innermost->extent, n));
  facts.set_loop(inner.var, n);
  facts.set_loop(var, times);
  const auto cut = [&](const Dim& d) {
    return facts.simplify(d.substitute(inner.var, Dim::symbol(var) * n + Dim::symbol(inner.var)));
  };
  bool even = true;
  for_each_dim(innermost->body, [&](const Dim& d) { even = even && cut(d).affine_in(inner.var); });
  if (!even) return false;
  inner.body = std::move(innermost->body);
  rewrite_dims(inner.body, cut);
  innermost->var = var;
  innermost->extent = times;
  innermost->body.clear();
  innermost->body.push_back({std::move(inner)});
  return true;
}

int64_t vectors_of_repeats(const Body& body, const std::string& var, int64_t lanes) {
  const int64_t q = repeats_along(body, var);
  if (q == 1 || q > kMostRepeats) return 1;
  int64_t vectors = q / std::gcd(q, lanes);
  while (vectors * 2 <= kFewVectors) vectors *= 2;
  return vectors;
}

bool has_repeats(Loop& nest, const DimFacts& facts) {
  Loop* columns = inner_of_nest(nest.body);
  if (!columns) {
    const int64_t q = repeats_along(nest.body, nest.var);
    return q > 1 && q <= kMostRepeats && facts.range(nest.extent).high >= kMinRows;
  }
  if (nest.body.size() != 1 || !columns->extent.is_const() || columns->extent.uses(nest.var)) return false;
  const int64_t q = repeats_along(columns->body, columns->var), n = columns->extent.value();
  if (q == 1 || q > kMostRepeats || n % q != 0) return false;
  bool flat = true;
  for_each_dim(columns->body, [&](const Dim& d) {
    const Order order = access(d, nest, *columns).order;
    flat = flat && (order == Order::Same || order == Order::Repeat || !(d.uses(nest.var) || d.uses(columns->var)));
  });
  return flat;
}

void join_repeats(Kernel& k, Loop& nest, int64_t lanes, const std::string& var) {
  if (Loop* inner = inner_of_nest(nest.body)) {
    const Loop columns = std::move(*inner);
    const std::string rows = nest.var;
    const Dim e = Dim::symbol(rows);
    Body body = columns.body;
    rewrite_dims(body, [&](const Dim& d) {
      const RowAccess a = access(d, nest, columns);
      if (a.order == Order::Same) return a.rest + e;
      return a.order == Order::Repeat ? a.rest + floor_div(e, a.times) : d;
    });
    nest.body = std::move(body);
    nest.extent = k.facts.simplify(nest.extent * columns.extent);
  }
  const int64_t vectors = vectors_of_repeats(nest.body, nest.var, lanes), step = lanes * vectors;
  strip(nest, step * std::max<int64_t>(1, kRun / step), var, k.facts);
  Loop& elements = std::get<Loop>(nest.body[0].node);
  elements.vector = static_cast<int>(lanes);
  elements.unroll = static_cast<int>(vectors);
}

bool has_narrow_rows(Loop& rows, int lanes, const DimFacts& facts) {
  const Loop* columns = inner_of_nest(rows.body);
  if (!columns || !columns->extent.is_const() || columns->extent.uses(rows.var)) return false;
  if (facts.range(rows.extent).high < kMinRows) return false;
  const int64_t n = columns->extent.value();
  if (n <= lanes || n % lanes == 0 || n > kMaxRowVectors * lanes) return false;
  // Values of a row other than constants would be needed for each element.
  if (!std::all_of(rows.body.begin(), rows.body.end() - 1, is_invariant)) return false;
  return std::all_of(columns->body.begin(), columns->body.end(), [&](const Instr& i) {
    if (const auto* l = std::get_if<LoadInstr>(&i.node))
      return l->mask == kNoReg && access(l->index, rows, *columns).order != Order::None;
    if (const auto* s = std::get_if<StoreInstr>(&i.node))
      return s->mask == kNoReg && access(s->index, rows, *columns).order == Order::Same;
    return is_invariant(i);
  });
}

void join_narrow_rows(Kernel& k, Loop& rows, int lanes) {
  Loop columns = std::move(std::get<Loop>(rows.body.back().node));
  rows.body.pop_back();
  const int64_t n = columns.extent.value();
  const int64_t steps = 4 * lanes / std::gcd(n, int64_t{4} * lanes);  // rows that are whole steps of four vectors
  const int64_t together = steps * ((kBlock + steps * n - 1) / (steps * n)), at_once = together * kBlocksAtOnce;
  const Dim all = rows.extent, first = Dim::symbol(rows.var) * Dim(at_once);

  Loop blocks, elements;
  blocks.var = unlike_symbols(k, "j");
  elements.var = unlike_symbols(k, "e");
  const Dim block = first + Dim::symbol(blocks.var) * Dim(together);
  DimFacts facts = k.facts;
  const Dim count = k.facts.simplify(ceil_div(all, at_once));
  facts.set_loop(rows.var, count);
  blocks.extent = facts.simplify(ceil_div(min(Dim(at_once), all - first), together));
  facts.set_loop(blocks.var, blocks.extent);
  elements.extent = facts.simplify(min(Dim(together), all - block) * Dim(n));

  Body body = std::move(rows.body);
  std::vector<std::pair<std::pair<uint32_t, Dim>, uint32_t>> repeated;  // locals by what they repeat
  for (Instr& i : columns.body) {
    auto* load = std::get_if<LoadInstr>(&i.node);
    auto* store = std::get_if<StoreInstr>(&i.node);
    if (!load && !store) continue;
    Dim& index = load ? load->index : store->index;
    const RowAccess a = access(index, rows, columns);
    const Dim e = Dim::symbol(elements.var);
    if (a.order == Order::Same) index = facts.simplify(a.rest + block * Dim(n) + e);
    if (a.order == Order::Repeat) index = facts.simplify(a.rest + block * Dim(n / a.times) + floor_div(e, a.times));
    if (a.order != Order::Row) continue;
    const auto known = std::find_if(repeated.begin(), repeated.end(), [&](const auto& r) {
      return r.first.first == load->buffer && r.first.second == a.rest;
    });
    if (known != repeated.end()) {
      load->buffer = known->second;
    } else {
      const uint32_t source = load->buffer;
      const Dtype dtype = k.reg_types[load->result];
      const uint32_t local = add_local(k, "row", dtype, together * n);
      Loop copy, row;
      copy.var = unlike_symbols(k, "p" + std::to_string(repeated.size()));
      row.var = unlike_symbols(k, "q" + std::to_string(repeated.size()));
      copy.extent = together;
      row.extent = n;
      const Reg value = k.new_reg(dtype);
      row.body.push_back({LoadInstr{value, source, a.rest + Dim::symbol(row.var), kNoReg}});
      row.body.push_back({StoreInstr{local, Dim::symbol(copy.var) * Dim(n) + Dim::symbol(row.var), value, kNoReg}});
      row.vector = lanes;
      copy.body.push_back({std::move(row)});
      body.push_back({std::move(copy)});
      repeated.push_back({{source, a.rest}, local});
      load->buffer = local;
    }
    index = e;
  }
  elements.body = std::move(columns.body);
  elements.vector = lanes;
  elements.unroll = 4;
  blocks.body.push_back({std::move(elements)});
  body.push_back({std::move(blocks)});
  rows.body = std::move(body);
  rows.extent = count;
}

}  // namespace frit::passes
