// Marks of a user's rules in the regions of an operation: found, dropped, numbered.
#include "frontend/core/region_marks.h"

#include <algorithm>

#include "frontend/core/custom.h"

namespace frit::detail {
namespace {

ir::AttrMap with_regions(const ir::AttrMap& attrs, const std::function<ir::Function(const ir::Function&)>& change) {
  ir::AttrMap out = attrs;
  for (const auto& [name, attr] : attrs)
    if (const auto* region = std::get_if<ir::Region>(&attr)) out.set(name, ir::Region(change(region->function())));
  return out;
}

bool is_control(const ir::Op& op) { return op.def->kind == ir::OpKind::Control; }

}  // namespace

bool has_marks(const ir::AttrMap& attrs) {
  for (const auto& [name, attr] : attrs)
    if (const auto* region = std::get_if<ir::Region>(&attr)) {
      const std::vector<ir::Op>& ops = region->function().ops;
      if (std::any_of(ops.begin(), ops.end(),
                      [](const ir::Op& op) { return is_custom(op) || (is_control(op) && has_marks(op.attrs)); }))
        return true;
    }
  return false;
}

ir::Function without_marks(const ir::Function& f, const std::function<bool(const ir::Op&)>& drop) {
  ir::Function out = f;
  std::vector<ir::ValueId> same(f.values.size());
  for (ir::ValueId v = 0; v < same.size(); ++v) same[v] = v;
  std::vector<ir::Op> kept;
  for (ir::Op& op : out.ops) {
    for (ir::ValueId& v : op.operands) v = same[v];
    if (is_control(op) && has_marks(op.attrs))
      op.attrs = with_regions(op.attrs, [&](const ir::Function& region) { return without_marks(region, drop); });
    if (!is_custom(op) || !drop(op)) {
      for (ir::ValueId r : op.results) out.values[r].op = static_cast<uint32_t>(kept.size());
      kept.push_back(std::move(op));
      continue;
    }
    const auto arguments = static_cast<size_t>(op.attrs.get_int("arguments"));
    for (size_t r = 0; r < op.results.size(); ++r) same[op.results[r]] = op.operands[arguments + r];
  }
  out.ops = std::move(kept);
  for (ir::ValueId& r : out.results) r = same[r];
  return out;
}

ir::AttrMap without_marks(const ir::AttrMap& attrs) {
  return with_regions(
      attrs, [](const ir::Function& region) { return without_marks(region, [](const ir::Op&) { return true; }); });
}

ir::Function with_rules_from(size_t first, ir::Function f) {
  if (first == 0) return f;
  for (ir::Op& op : f.ops) {
    if (is_custom(op)) op.attrs.set("rule", op.attrs.get_dim("rule") + Dim(static_cast<int64_t>(first)));
    if (is_control(op)) op.attrs = with_rules_from(first, op.attrs);
  }
  return f;
}

ir::AttrMap with_rules_from(size_t first, const ir::AttrMap& attrs) {
  return with_regions(attrs, [first](const ir::Function& region) { return with_rules_from(first, region); });
}

}  // namespace frit::detail
