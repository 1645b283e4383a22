// Writes modules as JSON.
#include <bit>
#include <nlohmann/json.hpp>

#include "ir/kernel/program.h"
#include "ir/read/json.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "ir/text/text.h"

namespace frit::ir {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson dim(const Dim& d) { return d.is_const() ? OrderedJson(d.value()) : OrderedJson(d.str()); }

OrderedJson dims(const Dims& list) {
  OrderedJson out = OrderedJson::array();
  for (const Dim& d : list) out.push_back(dim(d));
  return out;
}

OrderedJson type(const Type& t) { return {{"dtype", short_name(t.dtype)}, {"shape", dims(t.shape)}}; }

// A number if JSON has one for it, else its text. A float is written by its own shortest decimal, not by its value as a
// double.
OrderedJson number(Dtype dtype, uint64_t bits) {
  if (is_complex(dtype)) return {number(float32, bits & 0xffffffffu), number(float32, bits >> 32)};
  std::string text = number_text(dtype, bits);
  if (text == "-0") return OrderedJson(-0.0);  // JSON readers take -0 for the integer 0
  return OrderedJson::accept(text) ? OrderedJson::parse(text) : OrderedJson(text);
}

OrderedJson literal(const Literal& l) {
  OrderedJson data = OrderedJson::array();
  for (size_t i = 0; i < l.count(); ++i) data.push_back(number(l.dtype(), l.bits(i)));
  return {{"dtype", short_name(l.dtype())}, {"data", std::move(data)}};
}

OrderedJson function(const Function& f);

OrderedJson attr(const Attr& a) {
  switch (kind_of(a)) {
    case AttrKind::Bool: return std::get<bool>(a);
    case AttrKind::Int: return dim(std::get<Dim>(a));
    case AttrKind::Float: return number(float64, std::bit_cast<uint64_t>(std::get<double>(a)));
    case AttrKind::Dtype: return short_name(std::get<Dtype>(a));
    case AttrKind::String: return std::get<std::string>(a);
    case AttrKind::Ints: return dims(std::get<Dims>(a));
    case AttrKind::Literal: return literal(std::get<Literal>(a));
    case AttrKind::Region: return function(std::get<Region>(a).function());
  }
  return {};
}

// Values are numbered densely: parameters, then results in the order of ops.
std::vector<uint32_t> number_values(const Function& f) {
  std::vector<uint32_t> numbers(f.values.size(), kNone);
  uint32_t next = 0;
  for (ValueId v : f.params) numbers[v] = next++;
  for (const Op& op : f.ops)
    for (ValueId v : op.results) numbers[v] = next++;
  return numbers;
}

OrderedJson function(const Function& f) {
  std::vector<uint32_t> numbers = number_values(f);
  auto list = [&](const std::vector<ValueId>& values) {
    OrderedJson out = OrderedJson::array();
    for (ValueId v : values) out.push_back(numbers[v]);
    return out;
  };
  OrderedJson out{{"name", f.name}, {"params", OrderedJson::array()}};
  for (size_t i = 0; i < f.params.size(); ++i) {
    OrderedJson param{{"name", f.values[f.params[i]].name}, {"type", type(f.type(f.params[i]))}};
    if (i < f.layouts.size() && !f.layouts[i].empty()) param["strides"] = dims(f.layouts[i]);
    if (!f.weight(i).empty()) param["weight"] = f.weight(i);
    out["params"].push_back(std::move(param));
  }
  if (std::string facts = facts_text(f.facts, f.symbols()); !facts.empty()) out["where"] = facts;
  if (!f.result_names.empty()) out["result_names"] = f.result_names;
  if (f.program) {
    out["result_types"] = OrderedJson::array();
    for (const Type& t : result_types(f)) out["result_types"].push_back(type(t));
    out["program"] = print(*f.program, f.name, {.locations = true});
    return out;
  }
  out["ops"] = OrderedJson::array();
  for (const Op& op : f.ops) {
    OrderedJson item{{"op", op.def->name}, {"operands", list(op.operands)}, {"results", OrderedJson::array()}};
    for (ValueId v : op.results) item["results"].push_back(type(f.type(v)));
    OrderedJson attrs = OrderedJson::object();
    for (const auto& [name, value] : op.attrs)
      if (!is_default(*op.def, name, value)) attrs[name] = attr(value);
    if (!attrs.empty()) item["attrs"] = std::move(attrs);
    if (op.group >= 0) item["group"] = op.group;
    if (op.loc.backward) item["backward"] = true;
    if (op.loc.known())
      item["loc"] = {{"file", op.loc.file}, {"line", op.loc.line}, {"column", uint32_t{op.loc.column}}};
    out["ops"].push_back(std::move(item));
  }
  if (!f.groups.empty()) {
    out["groups"] = OrderedJson::array();
    for (const Group& g : f.groups) out["groups"].push_back(name(g.kind));
  }
  out["results"] = list(f.results);
  return out;
}

}  // namespace

std::string to_json(const Module& m) {
  OrderedJson out{{"format", "frit"}, {"version", 1}};
  if (!m.weights.empty()) out["weights"] = m.weights;
  if (!m.metadata.empty()) out["metadata"] = m.metadata;
  out["functions"] = OrderedJson::array();
  for (const auto& f : m.functions) out["functions"].push_back(function(*f));
  return out.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace frit::ir
