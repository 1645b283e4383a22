// Comparing calls with entries, and describing entries, for explanations.
#include "frontend/compile/explain.h"

#include <algorithm>
#include <set>

#include "codegen/core/backend.h"
#include "frontend/compile/argument_names.h"
#include "frontend/eager/code_store.h"
#include "ir/text/printer.h"
#include "passes/fuse/kept_values.h"

namespace frit::detail {

namespace {

std::string type_of(Dtype dtype, const Shape& shape) { return ir::Type{dtype, {shape.begin(), shape.end()}}.str(); }

std::string_view name_of(size_t i, const CompiledEntry& entry) {
  const ir::Function& f = entry.traced().function;
  return f.values[f.params[i]].name;
}
std::string argument(size_t i, const CompiledEntry& entry) {
  return "argument " + std::to_string(i) + " '" + std::string(name_of(i, entry)) + "'";
}

// "axis 0", "axes 0 and 2"
std::string axes_text(const std::vector<size_t>& axes) {
  std::string text = axes.size() == 1 ? "axis " : "axes ";
  for (size_t i = 0; i < axes.size(); ++i)
    text += (i == 0 ? "" : i + 1 == axes.size() ? " and " : ", ") + std::to_string(axes[i]);
  return text;
}

std::string line_of(const SourceLoc& loc) {
  return loc.known() && loc.line ? std::string(loc.file) + ":" + std::to_string(loc.line) : std::string();
}

// How a call with another number of arrays differs, with the name of one that is new where the structure has names.
std::string other_count(const Call& call, const CompiledEntry& entry) {
  const ir::Function& f = entry.traced().function;
  std::string text = "there are " + std::to_string(call.arrays.size()) + " arrays, there were " +
                     std::to_string(entry.signature().arguments.size());
  std::set<std::string_view> before;
  for (ir::ValueId p : f.params) before.insert(f.values[p].name);
  for (const std::string& name : argument_names(call, {}))
    if (name.find('.') != name.npos && !before.count(name)) return text + "; '" + name + "' is new";
  return text;
}

// The first assumption about sizes that the call breaks.
Difference broken_assumption(const Call& call, const CompiledEntry& entry) {
  Difference d;
  d.sizes_only = true;
  d.distance = 1;
  d.what = "a size differs from what the trace assumes";
  const auto& sources = entry.sizes()->sources();
  const auto value_of = [&](const std::string& symbol) -> std::optional<int64_t> {
    const auto found = sources.find(symbol);
    if (found == sources.end()) return std::nullopt;
    const auto [input, axis] = found->second;
    return node_of(*call.arrays[input])->shape[axis];
  };
  const auto readable = [&](const Dim& dim) {
    return dim.substitute([&](const std::string& symbol) -> std::optional<Dim> {
      const auto found = sources.find(symbol);
      if (found == sources.end() || entry.sizes()->is_declared(symbol)) return std::nullopt;
      return Dim::symbol(std::string(name_of(found->second.first, entry)) + ".dim(" +
                         std::to_string(found->second.second) + ")");
    });
  };
  for (const Assumption& a : entry.sizes()->assumptions()) {
    const auto x = a.a.evaluate(value_of), y = a.b.evaluate(value_of);
    if (!x || !y) continue;
    const bool holds = a.kind == Assumption::Kind::Equal    ? *x == *y
                       : a.kind == Assumption::Kind::AtMost ? *x <= *y
                                                            : *y > 0 && *x % *y == 0;
    if (holds) continue;
    Assumption shown = a;
    shown.a = readable(a.a);
    shown.b = readable(a.b);
    const bool number = a.b.is_const() && a.kind == Assumption::Kind::Equal;
    d.where = line_of(a.where);
    d.what = a.op + (d.where.empty() ? "" : " at " + d.where) + " assumed " + shown.str() + ", but " +
             (a.b.is_const()   ? "it is " + std::to_string(*x)
              : a.a.is_const() ? "it is " + std::to_string(*y)
                               : "they are " + std::to_string(*x) + " and " + std::to_string(*y));
    d.cure = number && (a.op == "shape" || a.op == "value") ? "read the size with dim() instead of shape() there" : "";
    return d;
  }
  return d;
}

}  // namespace

Difference difference(const Call& call, const CompiledEntry& entry) {
  const Signature& s = entry.signature();
  Difference d;
  const bool same = s.fn == call.fn && same_but_for_numbers(s.structure, structure_of(call));
  const auto numbers = numbers_of(structure_of(call)), numbers_were = numbers_of(s.structure);
  if (same)
    for (size_t i = 0; i < numbers.size(); ++i)
      if (numbers[i].kind != numbers_were[i].kind) {
        d.distance = 1;
        d.what = "argument " + std::to_string(numbers[i].argument) + " is an input now, was the constant " +
                 numbers_were[i].text;
        return d;
      }
  if (!same || s.arguments.size() != call.arrays.size()) {
    d.distance = 1000;
    d.what = s.arguments.size() != call.arrays.size() ? other_count(call, entry)
                                                      : std::string("the arguments have another structure");
    d.cure = "a trace serves one structure";
    return d;
  }
  if (matches(s, call) && s.open && entry.sizes()) return broken_assumption(call, entry);
  const auto add = [&](int distance, const std::string& what, std::string cure) {
    d.distance += distance;
    d.what += (d.what.empty() ? "" : "; ") + what;
    if (d.cure.empty()) d.cure = std::move(cure);
  };
  int index = 0, changed = 0;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const bool for_array = numbers[i].kind != Part::Kind::number;
    if (numbers[i].text != numbers_were[i].text) {
      ++changed;
      if (numbers[i].kind == Part::Kind::constant) d.number = index;
      add(2,
          "argument " + std::to_string(numbers[i].argument) + " is the " + numbers[i].type + " " + numbers[i].text +
              ", was " + numbers_were[i].text,
          for_array ? "" : "take it as an array to make it an input");
    }
    index += for_array;
  }
  const int by_numbers = d.distance;
  for (size_t i = 0; i < s.arguments.size(); ++i) {
    const auto& [dtype, shape] = s.arguments[i];
    const Node& node = *node_of(*call.arrays[i]);
    const std::string was = s.declared.empty() ? type_of(dtype, shape) : s.declared[i];
    const std::string what = argument(i, entry) + " is " + type_of(node.dtype, node.shape) + ", was " + was;
    if (node.dtype != dtype) {
      add(20, what, "a trace serves one dtype; convert with astype before the call");
    } else if (node.shape.size() != shape.size()) {
      add(20, what, "a trace serves one rank");
    } else if (node.shape != shape && s.open) {
      add(5, what, entry.fixed_because);
    } else if (node.shape != shape) {
      std::vector<size_t> axes;
      for (size_t k = 0; k < shape.size(); ++k)
        if (shape[k] != node.shape[k]) axes.push_back(k);
      add(5, what,
          "for one trace that serves every size compile with shapeless, or declare " + axes_text(axes) + " of '" +
              std::string(name_of(i, entry)) + "' open in the signature");
    }
  }
  d.number_only = changed == 1 && d.number >= 0 && d.distance == by_numbers;
  return d;
}

std::string ordinal(size_t n) {
  const size_t last = n % 10;
  const bool teen = n % 100 / 10 == 1;
  return std::to_string(n) + (teen ? "th" : last == 1 ? "st" : last == 2 ? "nd" : last == 3 ? "rd" : "th");
}

std::string describe(const CompiledEntry& entry) {
  const ir::Function& f = entry.traced().function;
  std::string text = ir::print(f);
  // The first line is the signature with its facts.
  text = text.substr(0, text.find('\n'));
  if (text.ends_with(" {")) text.resize(text.size() - 2);
  text += '\n';
  if (!entry.fixed_because.empty()) text += "    for these sizes alone: " + entry.fixed_because + "\n";
  if (!entry.sizes()) return text;
  for (const Assumption& a : entry.sizes()->assumptions()) {
    const std::string where = line_of(a.where);
    text += "    " + a.str() + ": assumed by " + a.op + (where.empty() ? "" : " at " + where) + "\n";
  }
  return text;
}

std::string describe_kept(const CompiledEntry& entry) {
  ir::Function f = entry.traced().function;
  if (std::none_of(f.ops.begin(), f.ops.end(), [](const ir::Op& op) { return op.loc.backward; })) return "";
  const codegen::Target target = target_of(entry.device_type());
  auto backend = codegen::find_backend(target.backend);
  if (!backend.ok()) return "";
  auto traits = (*backend)->traits(target);
  if (!traits.ok()) return "";
  passes::Pipeline to_fusion;
  for (const passes::PassInfo* pass : passes::Pipeline::standard().passes) {
    to_fusion.passes.push_back(pass);
    if (pass->gives == passes::Level::Fused) break;
  }
  passes::PassContext context;
  context.target = *std::move(traits);
  context.fuse = entry.mode() != CompileMode::no_fuse;
  context.collect_remarks = true;
  if (!passes::run(to_fusion, f, context).ok()) return "";
  std::string text;
  for (const passes::Remark& r : context.remarks) {
    if (!r.text.starts_with(passes::kKeptRemark) && !r.text.starts_with(passes::kAgainRemark)) continue;
    const std::string where = line_of(r.loc);
    text += "    " + r.text + (where.empty() ? "" : " (" + where + ")") + "\n";
  }
  return text;
}

}  // namespace frit::detail
