// The reference interpreter of graph functions.
#include "ir/interpret/interpreter.h"

#include "ir/graph/composite.h"
#include "ir/graph/control.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "ir/interpret/element_run.h"
#include "ir/interpret/moves.h"
#include "ir/routines/routine.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {
namespace {

std::complex<double> complex_at(const Tensor& t, int64_t i) {
  return is_complex(t.dtype) ? bits_to_complex(t.bits(i)) : t.at(i);
}

class Interpreter {
 public:
  Interpreter(const Function& f, const SymbolValues& symbols) : f_(f), symbols_(symbols), values_(f.values.size()) {}

  Result<std::vector<Tensor>> run(const std::vector<Tensor>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) values_[f_.params[i]] = inputs[i];
    for (const Op& op : f_.ops) FRIT_TRY(step(op));
    std::vector<Tensor> results;
    for (ValueId v : f_.results) results.push_back(values_[v]);
    return results;
  }

 private:
  Diagnostic fail(const Op& op, std::string what) const {
    return Diagnostic("op '" + std::string(op.def->name) + "': " + std::move(what), op.loc);
  }

  std::optional<int64_t> evaluate(const Dim& d) const {
    return d.evaluate([this](const std::string& name) -> std::optional<int64_t> {
      auto it = symbols_.find(name);
      if (it == symbols_.end()) return std::nullopt;
      return it->second;
    });
  }

  Result<std::vector<int64_t>> evaluate(const Op& op, const Shape& shape) const {
    std::vector<int64_t> out;
    for (const Dim& d : shape) {
      auto v = evaluate(d);
      if (!v) return fail(op, "the size " + d.str() + " is not known");
      if (*v < 0) return fail(op, "the size " + d.str() + " is " + std::to_string(*v));
      out.push_back(*v);
    }
    return out;
  }

  // The attributes and types of a row's rules, with every symbol replaced by its value.
  Dim concrete(const Dim& d) const {
    auto v = evaluate(d);
    return v ? Dim(*v) : d;
  }
  Type concrete(Type t) const {
    for (Dim& d : t.shape) d = concrete(d);
    return t;
  }
  Op concrete(Op op) const {
    AttrMap attrs;
    for (const auto& [name, value] : op.attrs) {
      Attr v = value;
      if (Dim* d = std::get_if<Dim>(&v)) *d = concrete(*d);
      if (Dims* dims = std::get_if<Dims>(&v))
        for (Dim& d : *dims) d = concrete(d);
      attrs.set(name, std::move(v));
    }
    op.attrs = std::move(attrs);
    return op;
  }

  Status step(const Op& op) {
    std::vector<Tensor> results;
    for (ValueId r : op.results) {
      const Type& type = f_.type(r);
      FRIT_ASSIGN_OR_RETURN(shape, evaluate(op, type.shape));
      results.emplace_back(type.dtype, std::move(shape));
    }
    std::vector<const Tensor*> operands;
    for (ValueId v : op.operands) operands.push_back(&values_[v]);
    switch (stands_for_others(f_, op) ? OpKind::Composite : op.def->kind) {
      case OpKind::Constant: constant(op, results[0]); break;
      case OpKind::Elementwise: FRIT_TRY(elementwise(op, operands, results[0])); break;
      case OpKind::Reduction: FRIT_TRY(reduction(op, *operands[0], results[0])); break;
      case OpKind::Index: FRIT_TRY(index(op, operands, results[0])); break;
      case OpKind::Scatter: FRIT_TRY(scatter(op, operands, results[0])); break;
      case OpKind::Scan: FRIT_TRY(scan(op, *operands[0], results[0])); break;
      case OpKind::Iota: FRIT_TRY(iota(op, results[0])); break;
      case OpKind::Composite: FRIT_TRY(composite(op, operands, results)); break;
      case OpKind::Library: FRIT_TRY(library(op, operands, results)); break;
      case OpKind::Control: FRIT_TRY(control(op, operands, results)); break;
    }
    for (size_t i = 0; i < results.size(); ++i) values_[op.results[i]] = std::move(results[i]);
    return {};
  }

  static void constant(const Op& op, Tensor& out) {
    const auto& value = std::get<Literal>(*op.attrs.find("value"));
    if (value.nbytes() > 0) std::memcpy(out.data.data(), value.data(), value.nbytes());
  }

  Status elementwise(const Op& op, const std::vector<const Tensor*>& operands, Tensor& out) {
    std::vector<Dtype> types;
    for (const Tensor* t : operands) types.push_back(t->dtype);
    FRIT_ASSIGN_OR_RETURN(program, meaning(*op.def, types, out.dtype));
    for (const Tensor* t : operands)
      if (t->shape != out.shape) return fail(op, "operands of different shapes");
    ElementRun run(program);
    std::vector<uint64_t> inputs;
    for (int64_t i = 0, n = out.size(); i < n; ++i) {
      inputs.clear();
      for (const Tensor* t : operands) {
        const uint64_t bits = t->bits(i);
        inputs.push_back(is_complex(t->dtype) ? bits & 0xffffffffu : bits);
        if (is_complex(t->dtype)) inputs.push_back(bits >> 32);
      }
      const std::span<const uint64_t> r = run(inputs);
      out.set_bits(i, r.size() == 2 ? r[0] | r[1] << 32 : r[0]);
    }
    return {};
  }

  // ---- reductions ----

  Status reduction(const Op& op, const Tensor& x, Tensor& out) {
    std::vector<bool> reduced(x.shape.size(), false);
    std::vector<int64_t> run;  // sizes of the reduced axes
    for (int64_t a : op.attrs.get_ints("axes")) {
      reduced[static_cast<size_t>(a)] = true;
      run.push_back(x.shape[static_cast<size_t>(a)]);
    }
    std::vector<int64_t> kept_shape;
    for (size_t i = 0; i < x.shape.size(); ++i)
      if (!reduced[i]) kept_shape.push_back(x.shape[i]);
    int64_t count = 1;
    for (int64_t n : run) count *= n;
    Combine c = op.def->combine;
    if ((c == Combine::ArgMax || c == Combine::ArgMin) && count == 0 && out.size() > 0)
      return fail(op, "the position of an extreme of an empty axis is not defined");
    const auto element = [&](const Position& kept, const Position& inner) {
      Position at;
      for (size_t i = 0, k = 0, m = 0; i < x.shape.size(); ++i) at.push_back(reduced[i] ? inner[m++] : kept[k++]);
      return flatten(at, x.shape);
    };
    // The elements of each run lie as those of the run at position 0.
    const Position origin(kept_shape.size(), 0), first(run.size(), 0);
    std::vector<int64_t> offsets(static_cast<size_t>(count)), elements(offsets.size());
    for (int64_t r = 0; r < count; ++r) offsets[static_cast<size_t>(r)] = element(origin, unflatten(r, run));
    for (int64_t o = 0, n = out.size(); o < n; ++o) {
      const int64_t base = element(unflatten(o, kept_shape), first);
      for (size_t r = 0; r < elements.size(); ++r) elements[r] = base + offsets[r];
      out.set_bits(o, combine(c, x, elements, out.dtype));
    }
    return {};
  }

  static uint64_t combine(Combine c, const Tensor& x, const std::vector<int64_t>& elements, Dtype out) {
    switch (c) {
      case Combine::Sum:
      case Combine::Prod: return accumulate(c, x, elements, out);
      case Combine::And:
      case Combine::Or: {
        bool all = true, any = false;
        for (int64_t i : elements) all = all && x.bits(i), any = any || x.bits(i);
        return c == Combine::And ? all : any;
      }
      case Combine::Max:
      case Combine::Min:
      case Combine::ArgMax:
      case Combine::ArgMin: break;
    }
    return extreme(c, x, elements, out);
  }

  static uint64_t accumulate(Combine c, const Tensor& x, const std::vector<int64_t>& elements, Dtype out) {
    bool sum = c == Combine::Sum;
    if (is_complex(out)) {
      std::complex<double> total = sum ? 0 : 1;
      for (int64_t i : elements) total = sum ? total + complex_at(x, i) : total * complex_at(x, i);
      return complex_to_bits(total);
    }
    if (is_float(out)) {
      // long double keeps the reference more exact than f64 results too.
      long double total = sum ? 0 : 1;
      for (int64_t i : elements) total = sum ? total + x.at(i) : total * x.at(i);
      return double_to_bits(out, static_cast<double>(total));
    }
    uint64_t total = sum ? 0 : 1;
    for (int64_t i : elements) {
      uint64_t bits = x.bits(i), v = ir::evaluate(ScalarOp::Cast, out, {&x.dtype, 1}, {&bits, 1});
      total = sum ? total + v : total * v;
    }
    Dtype wide = uint64;
    return ir::evaluate(ScalarOp::Cast, out, {&wide, 1}, {&total, 1});
  }

  static uint64_t extreme(Combine c, const Tensor& x, const std::vector<int64_t>& elements, Dtype out) {
    bool largest = c == Combine::Max || c == Combine::ArgMax;
    bool position = c == Combine::ArgMax || c == Combine::ArgMin;
    Dtype t = compute_type(x.dtype);
    auto widened = [&](int64_t i) {
      uint64_t bits = x.bits(i);
      return ir::evaluate(ScalarOp::Cast, t, {&x.dtype, 1}, {&bits, 1});
    };
    auto holds = [&](ScalarOp op, uint64_t a, uint64_t b) {
      const uint64_t args[] = {a, b};
      return primitive_function(op, bool_, t)(args) != 0;
    };
    if (elements.empty()) {
      if (t == bool_) return largest ? 0 : 1;
      if (is_float(t)) return double_to_bits(out, largest ? -HUGE_VAL : HUGE_VAL);
      uint64_t top = uint64_t{1} << (8 * t.size() - 1);  // the sign bit
      if (is_unsigned(t)) return largest ? 0 : top | (top - 1);
      return largest ? top : top - 1;
    }
    size_t best = 0;
    for (size_t k = 1; k < elements.size(); ++k) {
      uint64_t a = widened(elements[best]), b = widened(elements[k]);
      if (holds(ScalarOp::Ne, a, a)) break;  // a NaN is kept
      if (holds(ScalarOp::Ne, b, b) || holds(largest ? ScalarOp::Gt : ScalarOp::Lt, b, a)) best = k;
    }
    return position ? best : x.bits(elements[best]);
  }

  // ---- the other kinds ----

  Status index(const Op& symbolic, const std::vector<const Tensor*>& operands, Tensor& out) {
    return interpret_index(described(symbolic), operands, out);
  }

  Status scatter(const Op& symbolic, const std::vector<const Tensor*>& operands, Tensor& out) {
    return interpret_scatter(described(symbolic), operands, out);
  }

  Status scan(const Op& symbolic, const Tensor& x, Tensor& out) { return interpret_scan(described(symbolic), x, out); }

  // The op with its types, all symbols replaced.
  MovingOp described(const Op& symbolic) const {
    MovingOp m{concrete(symbolic), {}, concrete(f_.type(symbolic.results[0]))};
    for (ValueId v : symbolic.operands) m.operands.push_back(concrete(f_.type(v)));
    return m;
  }

  Status iota(const Op& symbolic, Tensor& out) {
    const Op op = concrete(symbolic);
    const Type result = concrete(f_.type(op.results[0]));
    Dtype from = int64;
    for (int64_t o = 0, n = out.size(); o < n; ++o) {
      Position position = unflatten(o, out.shape);
      std::vector<Dim> at(position.begin(), position.end());
      uint64_t bits = static_cast<uint64_t>(op.def->index_value(op, result, at).value());
      out.set_bits(o, ir::evaluate(ScalarOp::Cast, out.dtype, {&from, 1}, {&bits, 1}));
    }
    return {};
  }

  // Expands the op into a function of its own, whose parameters are the operands, and runs it.
  Status composite(const Op& symbolic, const std::vector<const Tensor*>& operands, std::vector<Tensor>& results) {
    const Op op = concrete(symbolic);
    Function inner;
    inner.name = std::string(op.def->name);
    std::vector<Tensor> inputs;
    std::vector<ValueId> params;
    for (size_t i = 0; i < operands.size(); ++i) {
      Type type{operands[i]->dtype, Shape(operands[i]->shape.begin(), operands[i]->shape.end())};
      params.push_back(inner.add_param("x" + std::to_string(i), std::move(type)));
      inputs.push_back(*operands[i]);
    }
    Builder b(inner);
    inner.results = op.def->expand(b, op, params);
    auto out = Interpreter(inner, {}).run(inputs);
    if (!out.ok()) return std::move(out.error());
    if (out->size() != results.size()) return fail(op, "the expansion has another number of results");
    for (size_t i = 0; i < results.size(); ++i) {
      if ((*out)[i].dtype != results[i].dtype || (*out)[i].shape != results[i].shape)
        return fail(op, "the expansion has another type");
      results[i] = std::move((*out)[i]);
    }
    return {};
  }

  // A whole tensor, as routines see it. Routines only read their operands.
  static HostWindow window(const Tensor& t) {
    HostWindow w{{const_cast<std::byte*>(t.data.data()), t.data.size()}, t.dtype, t.shape, t.shape, 0};
    int64_t stride = 1;
    for (size_t axis = w.strides.size(); axis-- > 0; stride *= t.shape[axis]) w.strides[axis] = stride;
    return w;
  }

  Status library(const Op& symbolic, const std::vector<const Tensor*>& operands, std::vector<Tensor>& results) {
    const Routine* routine = symbolic.def->routine;
    if (!routine || !routine->reference) return fail(symbolic, "its routine has no reference implementation");
    const Op op = concrete(symbolic);
    std::vector<HostWindow> in, out;
    for (const Tensor* t : operands) in.push_back(window(*t));
    for (const Tensor& t : results) out.push_back(window(t));
    std::vector<std::byte> workspace;
    if (routine->workspace) {
      const Dim bytes = concrete(workspace_bytes(*routine, op.attrs, in, out));
      if (!bytes.is_const() || bytes.value() < 0)
        return fail(op, "its workspace of " + bytes.str() + " bytes is no size");
      workspace.resize(static_cast<size_t>(bytes.value()));
    }
    Status done = routine->reference({in, out, op.attrs, workspace});
    return done.ok() ? Status() : Status(fail(op, done.error().message));
  }

  // The workspace of a call on tensors with known sizes.
  static Dim workspace_bytes(const Routine& routine, const AttrMap& attrs, const std::vector<HostWindow>& in,
                             const std::vector<HostWindow>& out) {
    std::vector<Dtype> dtypes;
    std::vector<Layout> layouts;
    for (const std::vector<HostWindow>* windows : {&in, &out})
      for (const HostWindow& w : *windows) {
        dtypes.push_back(w.dtype);
        layouts.push_back({Shape(w.shape.begin(), w.shape.end()), Dims(w.strides.begin(), w.strides.end()), 0});
      }
    const std::span<const Layout> all = layouts;
    return routine.workspace({dtypes, all.first(in.size()), all.subspan(in.size()), attrs});
  }

  // ---- regions ----

  Result<std::vector<Tensor>> run_region(const Op& op, std::string_view name, const std::vector<Tensor>& inputs) {
    return Interpreter(op.attrs.get_region(name), symbols_).run(inputs);
  }

  Status control(const Op& op, const std::vector<const Tensor*>& operands, std::vector<Tensor>& results) {
    std::vector<Tensor> values;
    for (const Tensor* t : operands) values.push_back(*t);
    switch (op.def->control) {
      case ControlForm::None: break;
      case ControlForm::Cond: {
        const bool yes = values[0].bits(0) != 0;
        values.erase(values.begin());
        FRIT_ASSIGN_OR_RETURN(given, run_region(op, yes ? "then" : "else", values));
        results = std::move(given);
        break;
      }
      case ControlForm::While: FRIT_TRY(while_loop(op, values, results)); break;
      case ControlForm::Scan: FRIT_TRY(scan_region(op, values, results)); break;
    }
    return {};
  }

  Status while_loop(const Op& op, std::vector<Tensor>& values, std::vector<Tensor>& results) {
    const LoopParts parts(op.attrs, values.size());
    for (;;) {
      FRIT_ASSIGN_OR_RETURN(more, run_region(op, "cond", values));
      if (!more[0].bits(0)) break;
      FRIT_ASSIGN_OR_RETURN(next, run_region(op, "body", values));
      for (size_t i = 0; i < parts.carried; ++i) values[i] = std::move(next[i]);
    }
    for (size_t i = 0; i < parts.carried; ++i) results[i] = std::move(values[i]);
    return {};
  }

  Status scan_region(const Op& op, std::vector<Tensor>& values, std::vector<Tensor>& results) {
    const LoopParts parts(op.attrs, values.size());
    const auto length = evaluate(op.attrs.get_dim("length"));
    if (!length) return fail(op, "its length is not known");
    std::vector<Tensor> inputs = values;
    for (int64_t step = 0; step < *length; ++step) {
      const int64_t at = op.attrs.get_bool("reverse") ? *length - 1 - step : step;
      for (size_t i = parts.carried; i < parts.first_captured(); ++i) inputs[i] = slice(values[i], at);
      FRIT_ASSIGN_OR_RETURN(next, run_region(op, "body", inputs));
      for (size_t i = parts.carried; i < next.size(); ++i)
        if (!next[i].data.empty())
          std::memcpy(results[i].data.data() + static_cast<size_t>(at) * next[i].data.size(), next[i].data.data(),
                      next[i].data.size());
      for (size_t i = 0; i < parts.carried; ++i) inputs[i] = std::move(next[i]);
    }
    for (size_t i = 0; i < parts.carried; ++i) results[i] = std::move(inputs[i]);
    return {};
  }

  // One position of axis 0.
  static Tensor slice(const Tensor& t, int64_t at) {
    Tensor part(t.dtype, {t.shape.begin() + 1, t.shape.end()});
    if (!part.data.empty())
      std::memcpy(part.data.data(), t.data.data() + static_cast<size_t>(at) * part.data.size(), part.data.size());
    return part;
  }

  const Function& f_;
  const SymbolValues& symbols_;
  std::vector<Tensor> values_;
};

}  // namespace

Tensor::Tensor(Dtype t, std::vector<int64_t> s) : dtype(t), shape(std::move(s)) {
  data.resize(static_cast<size_t>(size()) * dtype.size());
}

Tensor::Tensor(Dtype t, std::vector<int64_t> s, const std::vector<double>& values) : Tensor(t, std::move(s)) {
  for (size_t i = 0; i < values.size() && i < static_cast<size_t>(size()); ++i)
    set_bits(static_cast<int64_t>(i), Literal::scalar(dtype, values[i]).bits());
}

int64_t Tensor::size() const {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

uint64_t Tensor::bits(int64_t i) const {
  uint64_t bits = 0;
  std::memcpy(&bits, data.data() + i * dtype.size(), dtype.size());
  return bits;
}

void Tensor::set_bits(int64_t i, uint64_t bits) { std::memcpy(data.data() + i * dtype.size(), &bits, dtype.size()); }

double Tensor::at(int64_t i) const {
  if (is_complex(dtype)) return std::bit_cast<float>(static_cast<uint32_t>(bits(i)));
  return bits_to_double(dtype, bits(i));
}

std::vector<double> Tensor::values() const {
  std::vector<double> out;
  for (int64_t i = 0, n = size(); i < n; ++i) out.push_back(at(i));
  return out;
}

Result<SymbolValues> bind_symbols(const Function& f, const std::vector<Tensor>& inputs) {
  auto fail = [&](std::string what) { return Diagnostic("function '" + f.name + "': " + std::move(what)); };
  if (inputs.size() != f.params.size())
    return fail("takes " + std::to_string(f.params.size()) + " inputs, but got " + std::to_string(inputs.size()));
  SymbolValues symbols;
  // First bind the symbols that stand alone as a size; then every size must agree.
  for (bool bind : {true, false}) {
    for (size_t p = 0; p < inputs.size(); ++p) {
      const Value& param = f.values[f.params[p]];
      const Tensor& x = inputs[p];
      std::string got = "input '" + param.name + "' of type " + param.type.str() + " got " +
                        Type{x.dtype, Shape(x.shape.begin(), x.shape.end())}.str();
      if (x.dtype != param.type.dtype || x.shape.size() != param.type.shape.size()) return fail(got);
      for (size_t i = 0; i < x.shape.size(); ++i) {
        const Dim& d = param.type.shape[i];
        if (bind) {
          if (const std::string* name = d.as_symbol()) symbols.emplace(*name, x.shape[i]);
          continue;
        }
        auto value = d.evaluate([&](const std::string& name) -> std::optional<int64_t> {
          auto it = symbols.find(name);
          if (it == symbols.end()) return std::nullopt;
          return it->second;
        });
        if (!value)
          return fail("the size " + d.str() + " of input '" + param.name +
                      "' cannot be evaluated: none of its axes is a lone symbol");
        if (*value != x.shape[i]) return fail(got);
      }
    }
  }
  for (const auto& [name, range] : f.facts.ranges())
    if (auto it = symbols.find(name); it != symbols.end() && (it->second < range.low || it->second > range.high))
      return fail("the size " + name + " is " + std::to_string(it->second) + ", outside [" + std::to_string(range.low) +
                  ", " + std::to_string(range.high) + "]");
  for (const auto& [name, factor] : f.facts.multiples())
    if (auto it = symbols.find(name); it != symbols.end() && it->second % factor != 0)
      return fail("the size " + name + " is " + std::to_string(it->second) + ", not a multiple of " +
                  std::to_string(factor));
  for (const DimCondition& c : f.facts.conditions()) {
    auto value = c.dim.evaluate([&](const std::string& name) -> std::optional<int64_t> {
      auto it = symbols.find(name);
      return it == symbols.end() ? std::nullopt : std::optional(it->second);
    });
    if (value && (c.kind == DimCondition::Kind::Zero ? *value == 0 : *value >= 0)) continue;
    std::vector<std::string> names;
    c.dim.collect_symbols(names);
    std::string sizes;
    for (const std::string& name : names)
      if (auto it = symbols.find(name); it != symbols.end())
        sizes += (sizes.empty() ? "" : ", ") + name + " = " + std::to_string(it->second);
    return fail("'" + c.str() + "' does not hold for " + sizes);
  }
  return symbols;
}

Result<std::vector<Tensor>> interpret(const Function& f, const std::vector<Tensor>& inputs) {
  FRIT_ASSIGN_OR_RETURN(symbols, bind_symbols(f, inputs));
  return Interpreter(f, symbols).run(inputs);
}

}  // namespace frit::ir
