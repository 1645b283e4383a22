// Positions and sizes.
#include "codegen/c/emitter.h"
#include "ir/base/dim_atoms.h"

namespace frit::codegen::c {
namespace {

std::string number(int64_t v) {
  if (v == INT64_MIN) return "INT64_MIN";
  std::string s = v > INT32_MAX || v < -INT32_MAX ? "INT64_C(" + std::to_string(v < 0 ? -v : v) + ")"
                                                  : std::to_string(v < 0 ? -v : v);
  return v < 0 ? "-" + s : s;
}

}  // namespace

std::string Positions::factor(const Dim& d, const DimFacts& facts) {
  std::string s = text(d, facts);
  const bool plain = s.find_first_of(" -") == std::string::npos;
  return plain ? s : "(" + s + ")";
}

std::string Positions::atom(const Atom& a, const DimFacts& facts) {
  if (a.kind == AtomKind::Symbol) {
    auto it = names.find(a.name);
    const std::string name = it == names.end() ? std::string() : it->second;
    used.insert(name);
    return name;
  }
  if (auto it = known.find(to_dim(std::make_shared<const Atom>(a))); it != known.end()) return it->second;
  auto call = [&](std::string_view function) {
    return helpers_.need(function) + "(" + text(a.args[0], facts) + ", " + text(a.args[1], facts) + ")";
  };
  const bool plain = facts.range(a.args[0]).low >= 0 && facts.range(a.args[1]).low >= 1;
  switch (a.kind) {
    case AtomKind::FloorDiv:
      return plain ? "(" + factor(a.args[0], facts) + " / " + factor(a.args[1], facts) + ")" : call("frit_floor_div");
    case AtomKind::Mod:
      return plain ? "(" + factor(a.args[0], facts) + " % " + factor(a.args[1], facts) + ")" : call("frit_mod");
    case AtomKind::Min: return call("frit_min_size");
    case AtomKind::Max: return call("frit_max_size");
    case AtomKind::Symbol: break;
  }
  return {};
}

std::string Positions::text(const Dim& d, const DimFacts& facts) {
  if (d.is_const()) return number(d.value());
  std::string s;
  for (const DimTerm& t : d.poly()->terms) {
    const bool minus = t.coefficient < 0;
    s += s.empty() ? (minus ? "-" : "") : minus ? " - " : " + ";
    const int64_t size = t.coefficient == INT64_MIN ? INT64_MAX : minus ? -t.coefficient : t.coefficient;
    bool first = size == 1;
    if (!first) s += number(size);
    for (const auto& a : t.atoms) {
      s += (first ? "" : " * ") + atom(*a, facts);
      first = false;
    }
  }
  const int64_t c = d.poly()->constant;
  if (c) s += (c < 0 ? " - " : " + ") + number(c < 0 ? -c : c);
  return s;
}

}  // namespace frit::codegen::c
