// Random functions.
#include <algorithm>

#include "ir/graph/control.h"
#include "ir/graph/expression.h"
#include "ir/routines/routine.h"
#include "passes/lower/routine.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {

using namespace ir;

namespace {

class Generator {
 public:
  Generator(Random& random, const GraphOptions& options)
      : random_(random), options_(options), builder_(graph_.function) {}

  RandomGraph run() {
    Function& f = graph_.function;
    f.name = "random";
    if (chance(random_, 60)) main_type_ = all_dtypes()[random_() % all_dtypes().size()];
    choose_sizes();
    Shape base;
    for (int64_t i = chance(random_, 10) ? 0 : between(random_, 1, 3); i > 0; --i) base.push_back(size());
    for (int64_t i = between(random_, 1, 4), k = 0; k < i; ++k) {
      Type t{dtype(), i == 1 || chance(random_, 60) ? base : variant(base)};
      if (f.params.empty())
        for (const Dim& symbol : symbols_) t.shape.push_back(symbol);  // every symbol is declared
      if (t.rank() > 4 || !small(t))
        t.shape.erase(t.shape.begin(), t.shape.end() - static_cast<int64_t>(symbols_.size()));
      f.add_param("p" + std::to_string(k), t);
    }
    const int wanted = static_cast<int>(between(random_, 1, options_.max_ops));
    grow(wanted);
    // Unused values become results, up to a few; now and then a value twice, or a parameter.
    std::vector<uint32_t> uses = f.use_counts();
    for (size_t v = uses.size(); v-- > f.params.size() && f.results.size() < 6;)
      if (uses[v] == 0) f.results.push_back(static_cast<ValueId>(v));
    if (f.results.empty() || chance(random_, 20)) f.results.push_back(any());
    f.canonicalize_order();
    return std::move(graph_);
  }

 private:
  // The body of a region of `around` with parameters of these types.
  Generator(const Generator& around, const std::vector<Type>& params)
      : random_(around.random_),
        options_(around.options_),
        depth_(around.depth_ + 1),
        builder_(graph_.function),
        symbols_(around.symbols_),
        main_type_(around.main_type_) {
    graph_.calls = around.graph_.calls;
    f().facts = around.graph_.function.facts;
    for (const Type& t : params) f().add_param("p" + std::to_string(f().params.size()), t);
    grow(static_cast<int>(between(random_, 1, 5)));
  }

  Function& f() { return graph_.function; }
  void grow(int wanted) {
    for (int tries = 0; static_cast<int>(f().ops.size()) < wanted && tries < wanted * 20; ++tries)
      options_.control&& depth_ < 2 && chance(random_, 15) ? add_control() : add(*row());
  }
  ValueId any() {
    size_t n = f().values.size();
    size_t recent = std::min<size_t>(n, 4);
    return static_cast<ValueId>(chance(random_, 60) ? n - 1 - random_() % recent : random_() % n);
  }
  // One type more often than the others, as in programs.
  Dtype dtype() { return chance(random_, 65) ? main_type_ : all_dtypes()[random_() % all_dtypes().size()]; }

  // A row; the kinds have weights, so that the many elementwise rows do not crowd out the rest.
  const OpDef* row() {
    static const std::pair<OpKind, uint64_t> kWeights[] = {
        {OpKind::Elementwise, 52}, {OpKind::Reduction, 16}, {OpKind::Index, 20},
        {OpKind::Composite, 5},    {OpKind::Scatter, 2},    {OpKind::Scan, 2},
        {OpKind::Library, 2},      {OpKind::Iota, 1},       {OpKind::Constant, 1}};
    uint64_t pick = options_.empty && chance(random_, 70) ? 70 : random_() % 101;
    OpKind kind = OpKind::Elementwise;
    for (const auto& [k, weight] : kWeights) {
      kind = k;
      if (pick < weight) break;
      pick -= weight;
    }
    // Most elementwise rows take one operand; rows that join values make the graphs interesting.
    const bool joins = kind == OpKind::Elementwise && chance(random_, 50);
    std::vector<const OpDef*> rows;
    for (const OpDef* r : OpTable::instance().all())
      if (r->kind == kind && (!joins || r->arity > 1) &&
          !(r->routine && r->routine->operand_kind != OperandKind::Any) &&
          !(options_.native && r->routine && !r->expand && !passes::kernels_of(*r->routine)))
        rows.push_back(r);
    return rows[random_() % rows.size()];
  }

  void choose_sizes() {
    if (!options_.symbolic) {
      graph_.calls.emplace_back();
      return;
    }
    const int count = static_cast<int>(between(random_, 1, 2));
    graph_.calls.resize(3);
    for (int i = 0; i < count; ++i) {
      std::string name(1, "nm"[i]);
      DimRange range{between(random_, 0, 3), between(random_, 8, 40)};
      int64_t multiple = chance(random_, 25) ? between(random_, 2, 4) : 1;
      range.low = range.low / multiple * multiple;
      f().facts.set_range(name, range);
      if (multiple > 1) f().facts.set_multiple(name, multiple);
      symbols_.push_back(Dim::symbol(name));
      for (size_t k = 0; k < graph_.calls.size(); ++k) {
        int64_t v = k == 0 ? range.low : between(random_, range.low, range.high);
        graph_.calls[k][name] = v / multiple * multiple;
      }
    }
    if (count == 2 && chance(random_, 40)) state_condition();
  }

  // A fact about both sizes, if it holds at each call.
  void state_condition() {
    const Dim n = symbols_[0], m = symbols_[1], room = chance(random_, 50) ? m - n : n - m;
    const Dim rest = mod(chance(random_, 50) ? n * m : n + m, between(random_, 2, 3));
    const bool bound = chance(random_, 50);
    for (const auto& call : graph_.calls) {
      auto v = (bound ? room : rest).evaluate([&](const std::string& name) -> std::optional<int64_t> {
        return call.at(name);
      });
      if (bound ? *v < 0 : *v != 0) return;
    }
    bound ? f().facts.assume_nonnegative(room) : f().facts.assume_zero(rest);
  }

  Dim size() {
    static const int64_t kSizes[] = {1, 2, 3, 5, 7, 8, 16, 19, 33};
    if (!symbols_.empty() && chance(random_, 50)) return symbols_[random_() % symbols_.size()];
    if (chance(random_, options_.empty ? 40 : 3)) return 0;
    return kSizes[random_() % std::size(kSizes)];
  }

  // Broadcastable to `base`, or of its own.
  Shape variant(const Shape& base) {
    Shape out = base;
    if (!out.empty() && chance(random_, 40)) out.erase(out.begin());
    for (Dim& d : out)
      if (chance(random_, 30)) d = 1;
    if (chance(random_, 15)) out.push_back(size());
    return out;
  }

  bool small(const Type& t) {
    for (const SymbolValues& call : graph_.calls) {
      int64_t count = 1;
      for (const Dim& d : t.shape) {
        auto v = d.evaluate([&](const std::string& s) -> std::optional<int64_t> {
          auto it = call.find(s);
          return it == call.end() ? std::nullopt : std::optional(it->second);
        });
        if (!v || *v < 0 || *v > options_.max_elements) return false;
        count *= std::max<int64_t>(*v, 1);
        if (count > options_.max_elements) return false;
      }
    }
    return t.rank() <= 6;
  }

  // Some ops are not defined for every size that the facts allow.
  bool defined(const OpDef& def, const std::vector<Type>& types, const AttrMap& attrs) {
    for (const SymbolValues& call : graph_.calls) {
      std::vector<Type> fixed;
      for (const Type& t : types) fixed.push_back(at_call(t, call));
      if (!call.empty() && !infer(def, {fixed, at_call(attrs, call), {}}).ok()) return false;
    }
    return true;
  }

  // Adds an op through the row's own rule. A refused or too large op leaves nothing behind.
  std::optional<ValueId> build(const OpDef& def, std::vector<ValueId> operands, AttrMap attrs) {
    fill_defaults(def, attrs);
    std::vector<Type> types;
    for (ValueId v : operands) types.push_back(f().type(v));
    auto results = infer(def, {types, attrs, f().facts});
    if (!results.ok() || !std::all_of(results->begin(), results->end(), [&](const Type& t) { return small(t); }))
      return std::nullopt;
    if (!defined(def, types, attrs)) return std::nullopt;
    size_t values = f().values.size();
    auto built = builder_.try_build(def, std::move(operands), std::move(attrs));
    if (!built.ok()) return std::nullopt;
    if (options_.exact && !is_exact(f(), f().ops.back())) {
      f().ops.pop_back();
      f().values.resize(values);
      return std::nullopt;
    }
    return built->front();
  }
  std::optional<ValueId> build(std::string_view row, std::vector<ValueId> operands, AttrMap attrs = {}) {
    return build(op(row), std::move(operands), std::move(attrs));
  }

  std::optional<ValueId> as(ValueId v, Dtype t) {
    return f().type(v).dtype == t ? v : build("astype", {v}, {{"dtype", t}});
  }

  // A value of `type`, made from an existing one.
  std::optional<ValueId> fitting(const Type& type) {
    for (int i = 0; i < 6; ++i) {
      ValueId v = any();
      const Shape& from = f().type(v).shape;
      if (from == type.shape) return as(v, type.dtype);
      AttrMap attrs{{"shape", Dims(type.shape)}};
      auto spread = chance(random_, 70) ? build("broadcast", {v}, attrs) : build("reshape", {v}, attrs);
      if (spread) return as(*spread, type.dtype);
    }
    auto scalar = build("constant", {}, {{"value", constant(type.dtype)}});
    if (!scalar || type.shape.empty()) return scalar;
    return build("broadcast", {*scalar}, {{"shape", Dims(type.shape)}});
  }

  Literal constant(Dtype t) {
    uint64_t bits = random_bits(t, chance(random_, 30) ? Values::Special : Values::Ordinary, random_);
    // The numbers that rules look for.
    if (chance(random_, 40))
      return Literal::scalar(
          t, static_cast<double>(between(random_, is_unsigned(t) || t == bool_ ? 0 : -1, t == bool_ ? 1 : 2)));
    auto* p = reinterpret_cast<const std::byte*>(&bits);
    return {t, std::vector<std::byte>(p, p + t.size())};
  }

  // The bits of a NaN result are not specified, so they must not be used.
  bool shows_bits(const OpDef& def, Dtype from, const Type& to) {
    if (!is_inexact(from) || def.kind == OpKind::Index) return false;
    if (def.kind == OpKind::Composite) return def.has(kNoGradient) && from != to.dtype;
    if (def.kind != OpKind::Elementwise) return false;
    auto program = meaning(def, {{from}}, to.dtype);
    if (!program.ok() || def.arity != 1) return false;
    return std::any_of(program->nodes.begin(), program->nodes.end(),
                       [&](const ScalarNode& n) { return n.op == ScalarOp::Bitcast; }) &&
           !is_inexact(to.dtype);
  }

  void add(const OpDef& def) {
    ValueId v = any();
    Type type = f().type(v);
    if (!admits(def.domain, type.dtype)) {
      Dtype t = dtype();
      while (!admits(def.domain, t)) t = all_dtypes()[random_() % all_dtypes().size()];
      auto cast = as(v, t);
      if (!cast) return;
      v = *cast, type = f().type(v);
    }
    auto call = draw_call(def, type, dtype(), f().facts, random_);
    if (!call || !std::all_of(call->results.begin(), call->results.end(), [&](const Type& t) { return small(t); }))
      return;
    if (def.arity == 1 && shows_bits(def, type.dtype, call->results[0])) {
      if (is_complex(type.dtype)) return;
      auto nan = build("isnan", {v});
      auto zero = build("constant", {}, {{"value", Literal::scalar(type.dtype, 0)}});
      if (zero && !type.shape.empty()) zero = build("broadcast", {*zero}, {{"shape", Dims(type.shape)}});
      if (!nan || !zero) return;
      auto clean = build("select", {*nan, *zero, v});
      if (!clean) return;
      v = *clean;
    }
    std::vector<ValueId> operands;
    bool used = false;
    for (const Type& t : call->operands) {
      if (!used && t == type) {
        operands.push_back(v);
        used = true;
        continue;
      }
      if (t == type && chance(random_, 15)) {
        operands.push_back(v);
        continue;
      }
      auto o = fitting(t);
      if (!o) return;
      operands.push_back(*o);
    }
    if (!used && !operands.empty() && operands.size() == 1) {
      // One axis was asked for.
      auto flat = build("reshape", {v}, {{"shape", Dims(call->operands[0].shape)}});
      if (!flat) return;
      operands[0] = *flat;
    }
    build(def, std::move(operands), call->attrs);
  }

  // ---- Control flow

  std::vector<Type> types_of(const std::vector<ValueId>& values) {
    std::vector<Type> types;
    for (ValueId v : values) types.push_back(f().type(v));
    return types;
  }

  // One bool from any value.
  std::optional<ValueId> truth() {
    const auto v = as(any(), bool_);
    if (!v) return std::nullopt;
    Dims axes;
    for (int axis = 0; axis < f().type(*v).rank(); ++axis) axes.push_back(axis);
    return axes.empty() ? v : build(chance(random_, 50) ? "any" : "all", {*v}, {{"axes", axes}});
  }

  // A region that gives values of `results` and then up to `more` of any type.
  std::optional<Region> region(const std::vector<Type>& params, const std::vector<Type>& results, int64_t more) {
    Generator inside(*this, params);
    for (const Type& t : results) {
      const auto v = inside.fitting(t);
      if (!v) return std::nullopt;
      inside.f().results.push_back(*v);
    }
    for (int64_t k = between(random_, 0, more); k > 0; --k) inside.f().results.push_back(inside.any());
    return closed(std::move(inside.f()));
  }

  void add_control() {
    static constexpr ControlForm kForms[] = {ControlForm::Cond, ControlForm::While, ControlForm::Scan,
                                             ControlForm::Scan};
    const ControlForm form = kForms[random_() % std::size(kForms)];
    std::vector<ValueId> state, captured;
    for (int64_t k = between(random_, form == ControlForm::Scan ? 0 : 1, 3); k > 0; --k) state.push_back(any());
    for (int64_t k = between(random_, 1, 2); k > 0; --k) captured.push_back(any());
    form == ControlForm::Cond    ? add_cond(captured, state)
    : form == ControlForm::While ? add_while(state, captured)
                                 : add_scan(state, captured);
  }

  void add_cond(const std::vector<ValueId>& given, const std::vector<ValueId>& like) {
    const auto predicate = truth();
    const auto yes = region(types_of(given), types_of(like), 0), no = region(types_of(given), types_of(like), 0);
    if (!predicate || !yes || !no) return;
    std::vector<ValueId> operands = given;
    operands.insert(operands.begin(), *predicate);
    build(ir::op("cond"), operands, {{"else", *no}, {"then", *yes}});
  }

  // Up to three iterations, which a counter bounds.
  void add_while(std::vector<ValueId> state, const std::vector<ValueId>& captured) {
    const auto zero = build("constant", {}, {{"value", Literal::scalar(int32, 0)}});
    state.insert(state.begin(), *zero);
    std::vector<ValueId> operands = state;
    operands.insert(operands.end(), captured.begin(), captured.end());
    Generator cond(*this, types_of(operands)), body(*this, types_of(operands));
    const auto number = [&](Generator& g, int64_t n) {
      return g.builder_.build("constant", {}, {{"value", Literal::scalar(int32, static_cast<double>(n))}});
    };
    ValueId more = cond.builder_.build("less", {cond.f().params[0], number(cond, between(random_, 0, 3))});
    if (const auto other = cond.truth(); other && chance(random_, 30))
      more = cond.builder_.build("logical_and", {more, *other});
    cond.f().results = {more};
    body.f().results = {body.builder_.build("add", {body.f().params[0], number(body, 1)})};
    for (size_t i = 1; i < state.size(); ++i) {
      const auto next = body.fitting(f().type(state[i]));
      if (!next) return;
      body.f().results.push_back(*next);
    }
    build(ir::op("while_loop"), operands,
          {{"body", closed(std::move(body.f()))},
           {"carried", Dim(static_cast<int64_t>(state.size()))},
           {"cond", closed(std::move(cond.f()))}});
  }

  void add_scan(const std::vector<ValueId>& state, const std::vector<ValueId>& captured) {
    std::vector<ValueId> operands = state;
    Dim length = between(random_, 0, 3);
    for (int64_t k = between(random_, 0, 6), scanned = 0; k > 0; --k) {
      const ValueId v = any();
      const Shape& shape = f().type(v).shape;
      if (shape.empty() || (scanned++ && !(shape[0] == length))) continue;
      length = shape[0];
      operands.push_back(v);
    }
    const size_t scanned = operands.size() - state.size();
    operands.insert(operands.end(), captured.begin(), captured.end());
    std::vector<Type> params = types_of(operands);
    for (size_t i = state.size(); i < state.size() + scanned; ++i) params[i] = element_of(params[i]);
    const auto body = region(params, types_of(state), 3);
    if (!body || (state.empty() && body->function().results.empty())) return;
    build(ir::op("scan"), operands,
          {{"body", *body},
           {"carried", Dim(static_cast<int64_t>(state.size()))},
           {"length", length},
           {"reverse", chance(random_, 40)},
           {"scanned", Dim(static_cast<int64_t>(scanned))}});
  }

  Random& random_;
  const GraphOptions options_;
  int depth_ = 0;  // in regions
  RandomGraph graph_;
  Builder builder_;
  std::vector<Dim> symbols_;
  Dtype main_type_ = float32;
};

}  // namespace

RandomGraph random_graph(Random& random, const GraphOptions& options) { return Generator(random, options).run(); }

}  // namespace frit::test
