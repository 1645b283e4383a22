// Two kernels are apart by ranges of positions, or of what is left of them modulo the length of a row: pieces of rows
// of w elements store to w * row + (a number below w) each, and these numbers have ranges of their own.
#include "codegen/core/stores.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <variant>
#include <vector>

#include "ir/base/dim_atoms.h"
#include "ir/base/dim_facts.h"

namespace frit::codegen {

namespace {

// The positions of a kernel's stores to a buffer, and what is known about its loops.
struct Stores {
  std::vector<Dim> positions;
  DimFacts facts;

  Stores(const ir::Kernel& k, uint32_t buffer) { add(k.body, buffer); }

 private:
  void add(const ir::Body& body, uint32_t buffer) {
    for (const ir::Instr& i : body) {
      if (const auto* loop = std::get_if<ir::Loop>(&i.node)) {
        facts.set_loop(loop->var, loop->extent);
        add(loop->body, buffer);
      } else if (const auto* store = std::get_if<ir::StoreInstr>(&i.node); store && store->buffer == buffer) {
        positions.push_back(store->index);
      }
    }
  }
};

// The lengths that rows may have: those by which positions lie apart.
void add_lengths(const Stores& s, std::set<int64_t>& lengths) {
  for (const Dim& position : s.positions)
    for (const DimTerm& t : to_poly(position).terms)
      if (t.coefficient > 1) lengths.insert(t.coefficient);
}

// The positions within rows of `length` elements; nothing where one may lie in the next row. 0: there is one row.
std::optional<DimRange> within(const Stores& s, int64_t length) {
  std::optional<DimRange> all;
  for (const Dim& position : s.positions) {
    Dim rest = Dim(to_poly(position).constant);
    for (const DimTerm& t : to_poly(position).terms)
      if (!length || t.coefficient % length) rest += Dim::from_term(t);
    const DimRange r = s.facts.range(rest);
    if (length && (r.low < 0 || r.high >= length)) return std::nullopt;
    all = all ? DimRange{std::min(all->low, r.low), std::max(all->high, r.high)} : r;
  }
  return all;
}

}  // namespace

bool copies(const ir::Body& body) {
  std::map<ir::Reg, const ir::LoadInstr*> loaded;
  for (const ir::Instr& instr : body) {
    if (const auto* loop = std::get_if<ir::Loop>(&instr.node)) {
      if (!loop->accumulators.empty() || !loop->carries.empty() || !copies(loop->body)) return false;
    } else if (const auto* load = std::get_if<ir::LoadInstr>(&instr.node)) {
      loaded[load->result] = load;
    } else if (const auto* store = std::get_if<ir::StoreInstr>(&instr.node)) {
      const auto from = loaded.find(store->value);
      if (store->buffer != 1 || from == loaded.end() || from->second->buffer != 0 ||
          !(from->second->index == store->index) || from->second->mask != store->mask)
        return false;
    } else {
      return false;
    }
  }
  return true;
}

bool stores_are_separate(const ir::Kernel& a, uint32_t a_buffer, const ir::Kernel& b, uint32_t b_buffer) {
  const Stores of_a(a, a_buffer), of_b(b, b_buffer);
  std::set<int64_t> lengths{0};
  add_lengths(of_a, lengths);
  add_lengths(of_b, lengths);
  for (const int64_t length : lengths) {
    const std::optional<DimRange> in_a = within(of_a, length), in_b = within(of_b, length);
    if (in_a && in_b && (in_a->high < in_b->low || in_b->high < in_a->low)) return true;
  }
  return false;
}

}  // namespace frit::codegen
