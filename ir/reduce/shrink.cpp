// Shrinks failing functions by dropping results and ops, by fixing values, and by making sizes and constants smaller.
#include "ir/reduce/shrink.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <set>

#include "ir/graph/control.h"
#include "ir/graph/resize.h"
#include "ir/text/printer.h"

namespace frit::ir {

namespace {

Case only(const Case& c, ValueId result) {
  Case out = c;
  out.function.results = {result};
  out.function.result_names.clear();
  out.function.canonicalize_order();
  return out;
}

// The ops of `from` behind those that `to` has, but for the one that defines `without`. `map` leads from values of the
// one to those of the other.
bool copy_ops(const Function& from, Function& to, std::vector<ValueId>& map, ValueId without = kNone) {
  Builder b(to);
  for (const Op& op : from.ops) {
    if (!op.results.empty() && op.results[0] == without) continue;
    std::vector<ValueId> operands;
    for (ValueId o : op.operands) operands.push_back(map[o]);
    b.loc = op.loc;
    auto built = b.try_build(*op.def, operands, op.attrs);
    if (!built.ok()) return false;
    for (size_t i = 0; i < op.results.size(); ++i) map[op.results[i]] = (*built)[i];
  }
  for (ValueId r : from.results) to.results.push_back(map[r]);
  to.canonicalize_order();
  return true;
}

// Turns the results of an op into parameters. Nothing if their values cannot be had.
std::optional<Case> cut(const Case& c, const Op& op) {
  Case out;
  out.inputs = c.inputs;
  if (!c.inputs.empty() || c.function.params.empty()) {
    Function wanted = c.function;
    wanted.results = op.results;
    auto values = interpret(wanted, c.inputs);
    if (!values.ok()) return std::nullopt;
    std::move(values->begin(), values->end(), std::back_inserter(out.inputs));
  }
  Function& f = out.function;
  f.name = c.function.name;
  f.facts = c.function.facts;
  std::vector<ValueId> map(c.function.values.size(), kNone);
  for (ValueId p : c.function.params) map[p] = f.add_param(c.function.values[p].name, c.function.type(p));
  for (ValueId v : op.results) {
    std::string name = "cut";
    while (std::any_of(f.params.begin(), f.params.end(), [&](ValueId p) { return f.values[p].name == name; }))
      name += "_";
    map[v] = f.add_param(std::move(name), c.function.type(v));
  }
  return copy_ops(c.function, f, map, op.results[0]) ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Case> without_layouts(const Case& c) {
  if (c.function.layouts.empty()) return std::nullopt;
  Case dense = c;
  dense.function.layouts.clear();
  dense.function.facts = facts_about(c.function.facts, dense.function.symbols());
  return dense;
}

// Without the parameters that nothing reads.
std::optional<Case> without_unused(const Case& c) {
  const std::vector<uint32_t> uses = c.function.use_counts();
  Case out;
  Function& f = out.function;
  f.name = c.function.name;
  std::vector<ValueId> map(c.function.values.size(), kNone);
  for (size_t i = 0; i < c.function.params.size(); ++i) {
    const ValueId p = c.function.params[i];
    if (!uses[p]) continue;
    map[p] = f.add_param(c.function.values[p].name, c.function.type(p));
    if (!c.inputs.empty()) out.inputs.push_back(c.inputs[i]);
  }
  if (f.params.size() == c.function.params.size()) return std::nullopt;
  f.facts = facts_about(c.function.facts, f.symbols());
  return copy_ops(c.function, f, map) ? std::optional(std::move(out)) : std::nullopt;
}

// The first elements along each axis.
std::optional<Tensor> window(const Tensor& t, const Type& type) {
  std::vector<int64_t> shape;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (!type.shape[i].is_const() || type.shape[i].value() > t.shape[i]) return std::nullopt;
    shape.push_back(type.shape[i].value());
  }
  Tensor out(t.dtype, shape);
  std::vector<int64_t> at(shape.size(), 0);
  for (int64_t k = 0; k < out.size(); ++k) {
    int64_t from = 0;
    for (size_t i = 0; i < at.size(); ++i) from = from * t.shape[i] + at[i];
    out.set_bits(k, t.bits(from));
    for (size_t i = at.size(); i-- > 0;) {
      if (++at[i] < shape[i]) break;
      at[i] = 0;
    }
  }
  return out;
}

std::optional<Case> resized(const Case& c, const std::function<Dim(const Dim&)>& change) {
  auto f = with_sizes(c.function, change);
  if (!f.ok()) return std::nullopt;
  Case out{*std::move(f), {}};
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    // Sizes that stay open keep their inputs.
    const Type& type = out.function.type(out.function.params[i]);
    const bool open = std::any_of(type.shape.begin(), type.shape.end(), [](const Dim& d) { return !d.is_const(); });
    auto t = open ? std::optional(c.inputs[i]) : window(c.inputs[i], type);
    if (!t) return std::nullopt;
    out.inputs.push_back(*std::move(t));
  }
  return out;
}

void collect_sizes(const Function& f, std::set<int64_t>& sizes) {
  for (const Value& v : f.values)
    for (const Dim& d : v.type.shape)
      if (d.is_const() && d.value() > 1) sizes.insert(d.value());
}

class Shrinker {
 public:
  Shrinker(Case c, const std::function<bool(const Case&)>& fails) : c_(std::move(c)), fails_(fails) {}

  Case run() {
    if (auto dense = without_layouts(c_)) take(std::move(*dense));
    if (!c_.function.layouts.empty()) return std::move(c_);
    if (!c_.function.weights.empty()) {
      Case free = c_;
      free.function.weights.clear();
      take(std::move(free));
    }
    for (int rounds = 0; rounds < 60; ++rounds)
      if (!fewer_results() && !earlier_result() && !fewer_ops() && !smaller_sizes() && !plainer_constants()) break;
    return std::move(c_);
  }

 private:
  bool take(std::optional<Case> smaller) {
    if (!smaller || !fails_(*smaller)) return false;
    c_ = std::move(*smaller);
    return true;
  }

  bool fewer_results() {
    if (c_.function.results.size() < 2) return false;
    for (ValueId r : std::vector<ValueId>(c_.function.results))
      if (take(only(c_, r))) return true;
    return false;
  }

  // The first op that shows the fault.
  bool earlier_result() {
    for (const Op& op : c_.function.ops) {
      if (op.results.empty() || (c_.function.results.size() == 1 && op.results[0] == c_.function.results[0])) break;
      Case one = only(c_, op.results[0]);
      if (one.function.ops.size() < c_.function.ops.size() && take(std::move(one))) return true;
    }
    return false;
  }

  bool fewer_ops() {
    for (size_t i = c_.function.ops.size(); i-- > 0;) {
      if (c_.function.ops[i].results.empty()) continue;
      auto smaller = cut(c_, c_.function.ops[i]);
      if (smaller && smaller->function.ops.size() < c_.function.ops.size() && take(std::move(smaller))) return true;
    }
    return take(without_unused(c_));
  }

  // Symbols become numbers first: those of the inputs, or 2 and 8.
  bool smaller_sizes() {
    for (const std::string& symbol : c_.function.symbols()) {
      std::vector<int64_t> tried{2, 8};
      if (auto values = bind_symbols(c_.function, c_.inputs); !c_.inputs.empty() && values.ok())
        tried = {2, values->at(symbol)};
      for (int64_t n : tried)
        if (take(resized(c_, [&](const Dim& d) { return d.substitute(symbol, Dim(n)); }))) return true;
    }
    std::set<int64_t> sizes;
    collect_sizes(c_.function, sizes);
    for (int64_t size : sizes)
      for (int64_t n : {int64_t{1}, int64_t{2}, size / 2, size - 1}) {
        if (n >= size || n < 1) continue;
        if (take(resized(c_, [&](const Dim& d) { return d.is(size) ? Dim(n) : d; }))) return true;
      }
    return false;
  }

  // Zero or one in the place of other constants.
  bool plainer_constants() {
    for (size_t i = 0; i < c_.function.ops.size(); ++i) {
      const Op& op = c_.function.ops[i];
      if (op.def->kind != OpKind::Constant) continue;
      const Type type = c_.function.type(op.results[0]);
      if (is_complex(type.dtype)) continue;
      for (double plain : {0.0, 1.0}) {
        const uint64_t bits = double_to_bits(type.dtype, plain);
        const auto count = static_cast<size_t>(std::get<Literal>(*op.attrs.find("value")).count());
        std::vector<std::byte> bytes(count * type.dtype.size());
        for (size_t k = 0; k < count; ++k) std::memcpy(&bytes[k * type.dtype.size()], &bits, type.dtype.size());
        const Literal literal(type.dtype, std::move(bytes));
        const Literal& old = std::get<Literal>(*op.attrs.find("value"));
        const bool same = old.nbytes() == literal.nbytes() && !std::memcmp(old.data(), literal.data(), old.nbytes());
        // One that is plain already stays, so that the search ends.
        if (same) break;
        Case c = c_;
        c.function.ops[i].attrs.set("value", literal);
        if (take(std::move(c))) return true;
      }
    }
    return false;
  }

  Case c_;
  const std::function<bool(const Case&)>& fails_;
};

}  // namespace

Case shrink(Case start, const std::function<bool(const Case&)>& fails) {
  return Shrinker(std::move(start), fails).run();
}

}  // namespace frit::ir
