// Structural hash and structural equality of functions.
#include <algorithm>

#include "ir/graph/graph.h"
#include "ir/graph/order.h"
#include "ir/kernel/program.h"
#include "ir/text/kernel_printer.h"

namespace frit::ir {
namespace {

// A function without its names and its building order: positions in the canonical order stand for values and groups.
struct Canonical {
  std::vector<uint32_t> order;
  std::vector<uint32_t> number;  // by value
  std::vector<int32_t> group;    // by group

  explicit Canonical(const Function& f)
      : order(canonical_order(f)), number(f.values.size(), kNone), group(f.groups.size(), -1) {
    uint32_t next = 0;
    int32_t next_group = 0;
    for (ValueId v : f.params) number[v] = next++;
    for (uint32_t op : order) {
      for (ValueId v : f.ops[op].results) number[v] = next++;
      if (int32_t g = f.ops[op].group; g >= 0 && group[g] < 0) group[g] = next_group++;
    }
  }
  int32_t group_of(const Op& op) const { return op.group < 0 ? -1 : group[op.group]; }
};

// A symbol without facts equals a symbol whose facts are stated at their defaults.
struct SymbolFacts {
  DimRange range;
  int64_t multiple;
  SymbolFacts(const DimFacts& facts, const std::string& symbol)
      : range(facts.range(Dim::symbol(symbol))), multiple(facts.multiple(symbol)) {}
};

ParamLayout layout_of(const Function& f, size_t i) { return f.layouts.empty() ? ParamLayout() : f.layouts[i]; }

// The text of the program of a lowered function, which is canonical; "" before lowering.
std::string program_text(const Function& f) { return f.program ? print(*f.program, "") : std::string(); }

// Attributes at their default count as absent.
template <class Each>
void each_attr(const Op& op, Each&& each) {
  for (const auto& [name, value] : op.attrs)
    if (!is_default(*op.def, name, value)) each(name, value);
}

bool equal_attrs(const Op& a, const Op& b) {
  if (a.attrs == b.attrs) return true;
  using Entry = std::pair<const std::string*, const Attr*>;
  std::vector<Entry> x, y;
  each_attr(a, [&](const std::string& n, const Attr& v) { x.emplace_back(&n, &v); });
  each_attr(b, [&](const std::string& n, const Attr& v) { y.emplace_back(&n, &v); });
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const Entry& p, const Entry& q) { return *p.first == *q.first && equal(*p.second, *q.second); });
}

}  // namespace

Hash128 structural_hash(const Function& f) {
  Canonical c(f);
  Hasher h;
  h.add(static_cast<uint64_t>(f.params.size()));
  for (size_t i = 0; i < f.params.size(); ++i) {
    f.type(f.params[i]).hash_into(h);
    ParamLayout layout = layout_of(f, i);
    h.add(static_cast<uint64_t>(layout.size()));
    for (const Dim& d : layout) d.hash_into(h);
  }
  for (const std::string& symbol : f.symbols()) {
    SymbolFacts facts(f.facts, symbol);
    h.add(std::string_view(symbol)).add(facts.range.low).add(facts.range.high).add(facts.multiple);
  }
  h.add(static_cast<uint64_t>(f.facts.conditions().size()));
  for (const DimCondition& c : f.facts.conditions()) {
    h.add(c.kind);
    c.dim.hash_into(h);
  }
  h.add(std::string_view(program_text(f)));
  h.add(static_cast<uint64_t>(c.order.size()));
  for (uint32_t index : c.order) {
    const Op& op = f.ops[index];
    h.add(op.def->name).add(static_cast<uint64_t>(op.operands.size()));
    for (ValueId v : op.operands) h.add(c.number[v]);
    each_attr(op, [&](const std::string& name, const Attr& value) {
      h.add('a').add(std::string_view(name));
      hash_into(h, value);
    });
    h.add('r').add(static_cast<uint64_t>(op.results.size()));
    for (ValueId v : op.results) f.type(v).hash_into(h);
    h.add(c.group_of(op));
    if (op.group >= 0) h.add(f.groups[op.group].kind);
  }
  h.add(static_cast<uint64_t>(f.results.size()));
  for (ValueId v : f.results) h.add(c.number[v]);
  return h.finish();
}

bool structurally_equal(const Function& a, const Function& b) {
  if (&a == &b) return true;
  if (a.params.size() != b.params.size() || a.results.size() != b.results.size()) return false;
  for (size_t i = 0; i < a.params.size(); ++i)
    if (a.type(a.params[i]) != b.type(b.params[i]) || layout_of(a, i) != layout_of(b, i)) return false;
  std::vector<std::string> symbols = a.symbols();
  if (symbols != b.symbols()) return false;
  for (const std::string& symbol : symbols) {
    SymbolFacts x(a.facts, symbol), y(b.facts, symbol);
    if (x.range.low != y.range.low || x.range.high != y.range.high || x.multiple != y.multiple) return false;
  }
  if (a.facts.conditions() != b.facts.conditions()) return false;
  if ((a.program || b.program) && program_text(a) != program_text(b)) return false;
  Canonical ca(a), cb(b);
  if (ca.order.size() != cb.order.size()) return false;
  auto same_values = [&](const std::vector<ValueId>& x, const std::vector<ValueId>& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [&](ValueId v, ValueId w) { return ca.number[v] == cb.number[w]; });
  };
  for (size_t i = 0; i < ca.order.size(); ++i) {
    const Op &x = a.ops[ca.order[i]], &y = b.ops[cb.order[i]];
    if (x.def != y.def || !same_values(x.operands, y.operands) || !equal_attrs(x, y)) return false;
    if (x.results.size() != y.results.size() || ca.group_of(x) != cb.group_of(y)) return false;
    if (x.group >= 0 && a.groups[x.group].kind != b.groups[y.group].kind) return false;
    for (size_t r = 0; r < x.results.size(); ++r)
      if (a.type(x.results[r]) != b.type(y.results[r])) return false;
  }
  return same_values(a.results, b.results);
}

}  // namespace frit::ir
