// The operation table, its queries, and the names of its enumerators.
#include "ir/graph/op.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

namespace frit::ir {
namespace {

// Rows live behind pointers, so that references to them stay valid while rows are added.
using Rows = std::map<std::string_view, std::unique_ptr<const OpDef>>;

Rows& rows() {
  // Never destroyed: functions with static storage may otherwise outlive this table.
  static Rows& rows = *new Rows;
  return rows;
}

[[noreturn]] void die(std::string_view what, std::string_view name) {
  std::fprintf(stderr, "frit: internal error: %.*s '%.*s'\n", int(what.size()), what.data(), int(name.size()),
               name.data());
  std::abort();
}

}  // namespace

std::string_view name(Combine c) {
  switch (c) {
    case Combine::Sum: return "sum";
    case Combine::Prod: return "prod";
    case Combine::Max: return "max";
    case Combine::Min: return "min";
    case Combine::And: return "and";
    case Combine::Or: return "or";
    case Combine::ArgMax: return "argmax";
    case Combine::ArgMin: return "argmin";
  }
  return {};
}

std::string_view name(AttrKind kind) {
  switch (kind) {
    case AttrKind::Bool: return "true or false";
    case AttrKind::Int: return "an integer";
    case AttrKind::Float: return "a number";
    case AttrKind::Dtype: return "an element type";
    case AttrKind::String: return "a string";
    case AttrKind::Ints: return "a list of integers";
    case AttrKind::Literal: return "data";
    case AttrKind::Region: return "a function";
  }
  return {};
}

Dim lookup_symbol(size_t k) { return Dim::symbol("@" + std::to_string(k)); }

OpTable& OpTable::instance() {
  // Never destroyed: static destructors may compile.
  static OpTable& table = *new OpTable;
  return table;
}

void OpTable::add(std::vector<OpDef> defs) {
  for (OpDef& def : defs) {
    auto row = std::make_unique<const OpDef>(std::move(def));
    std::string_view key = row->name;
    if (!rows().emplace(key, std::move(row)).second) die("two rows for op", key);
  }
}

const OpDef* OpTable::find(std::string_view name) const {
  auto it = rows().find(name);
  return it == rows().end() ? nullptr : it->second.get();
}

std::vector<const OpDef*> OpTable::all() const {
  std::vector<const OpDef*> out;
  out.reserve(rows().size());
  for (const auto& [name, row] : rows()) out.push_back(row.get());
  return out;
}

const OpDef& op(std::string_view name) {
  const OpDef* def = OpTable::instance().find(name);
  if (!def) die("no row for op", name);
  return *def;
}

}  // namespace frit::ir
