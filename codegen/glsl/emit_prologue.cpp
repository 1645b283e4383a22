// Kernels that compute an operand of a routine, as functions of the routine's shader, which calls them where it would
// have read the operand's memory.
//
// An access of the routine takes 16 bytes of the operand, which are several iterations of the kernel. All of them
// become straight-line code, and so do the kernels whose results that one alone reads: a load or a value that elements
// share is there once, so that the codes of a packed word are taken apart in registers. Loads and arithmetic are
// functions of their own, as a routine's loads are on their way while it works on earlier ones.
#include <algorithm>
#include <tuple>

#include "codegen/glsl/emitter.h"
#include "ir/base/dim_atoms.h"

namespace frit::codegen::glsl {

namespace {

constexpr int kAccess = 16;  // bytes

// With g dividing d and 0 <= r < g: (g * x + r) // d is x // (d / g), and (g * x + r) % d is g * (x % (d / g)) + r.
Dim without_low_part(const Dim& d) {
  return map_atoms(d, [&](const Atom& a) -> Dim {
    if (a.kind == AtomKind::Symbol) return Dim::symbol(a.name);
    const Dim p = without_low_part(a.args[0]), q = without_low_part(a.args[1]);
    if (!a.divides() || p.is_const() || !q.is_const() || q.value() <= 0) return apply(a.kind, p, q);
    const int64_t g = gcd_int(content(p), q.value()), r = mod_int(p.poly()->constant, g);
    if (g <= 1) return apply(a.kind, p, q);
    const auto x = divide_exactly(p - Dim(r), Dim(g));
    if (!x) return apply(a.kind, p, q);
    const Dim divisor(q.value() / g);
    return a.kind == AtomKind::FloorDiv ? floor_div(*x, divisor) : Dim(g) * mod(*x, divisor) + Dim(r);
  });
}

// Straight-line code for `parts` neighbouring elements of the operand: the bodies of the kernels that lead to it, each
// with its own position in the place of its loop's variable.
class Parts {
 public:
  Parts(std::span<const OperandMaker> makers, int parts) : makers_(makers), parts_(parts) {}

  // Nothing where a kernel does more than to compute each element of its results from other buffers.
  std::optional<ir::Kernel> run(uint32_t operand, uint32_t stored) {
    for (const OperandMaker& m : makers_) {
      const ir::Loop* loop = ir::parallel_loop(*m.kernel);
      if (!loop || passes::has_rows(*m.kernel) || passes::tile_of(*m.kernel).row || !m.kernel->symbols.empty())
        return std::nullopt;
      first_buffer_.push_back(static_cast<uint32_t>(made_.buffers.size()));
      made_.buffers.insert(made_.buffers.end(), m.kernel->buffers.begin(), m.kernel->buffers.end());
    }
    made_.name = makers_[0].kernel->name;
    made_.locs = makers_[0].kernel->locs;
    ir::Loop all = *ir::parallel_loop(*makers_[0].kernel);
    all.extent = floor_div(all.extent, Dim(parts_));
    all.body.clear();
    body_ = &all.body;
    facts_.set_loop(all.var, all.extent);
    for (int part = 0; part < parts_; ++part) {
      const Dim place = Dim(parts_) * Dim::symbol(all.var) + Dim(part);
      const std::optional<ir::Reg> value = value_at(0, operand, place);
      if (!value) return std::nullopt;
      body_->push_back({ir::StoreInstr{stored, place, *value}});
    }
    made_.body.push_back({std::move(all)});
    return std::move(made_);
  }

 private:
  struct DimLess {
    bool operator()(const Dim& a, const Dim& b) const { return Dim::compare(a, b) < 0; }
  };
  using Scalar = std::tuple<ir::ScalarOp, Dtype::Val, std::array<ir::Reg, 3>, uint64_t>;
  using ByPosition = std::map<Dim, ir::Reg, DimLess>;
  // An iteration of one kernel.
  struct Element {
    size_t maker;
    const std::string& var;
    const Dim& place;
    std::map<ir::Reg, ir::Reg> regs = {};  // by the kernel's own
  };

  // Of an element of a buffer that the maker stores.
  std::optional<ir::Reg> value_at(size_t maker, uint32_t buffer, const Dim& place) {
    ByPosition& known = values_[buffer];
    if (const auto found = known.find(place); found != known.end()) return found->second;
    const ir::Loop& loop = *ir::parallel_loop(*makers_[maker].kernel);
    Element e{maker, loop.var, place};
    for (const ir::Instr& i : loop.body)
      if (!std::visit([&](const auto& node) { return add(e, node); }, i.node)) return std::nullopt;
    const auto found = known.find(place);
    return found == known.end() ? std::nullopt : std::optional(found->second);
  }

  Dim position(const Element& e, const Dim& d) const {
    return facts_.simplify(without_low_part(d.substitute(e.var, e.place)));
  }

  // The register of an equal instruction; where there is none, `make` appends one for a new register.
  template <class Known, class Key, class Make>
  bool once(Element& e, Known& known, const Key& key, ir::Reg result, Make make) {
    auto [found, fresh] = known.try_emplace(key, ir::kNoReg);
    if (fresh) {
      found->second = made_.new_reg(makers_[e.maker].kernel->reg_types[result]);
      body_->push_back({make(found->second)});
    }
    e.regs[result] = found->second;
    return true;
  }

  bool add(Element& e, const ir::ScalarInstr& s) {
    ir::ScalarInstr own = s;
    for (int i = 0; i < 3; ++i) {
      ir::Reg& r = own.args[static_cast<size_t>(i)];
      r = i < ir::arity(s.op) ? e.regs.at(r) : ir::kNoReg;
    }
    if (s.op != ir::ScalarOp::Const) own.imm = 0;
    return once(e, scalars_, Scalar{own.op, own.type.val(), own.args, own.imm}, s.result, [&](ir::Reg r) {
      own.result = r;
      return own;
    });
  }
  bool add(Element& e, const ir::IndexInstr& x) {
    const Dim index = position(e, x.index);
    return once(e, indices_, index, x.result, [&](ir::Reg r) { return ir::IndexInstr{r, index}; });
  }
  bool add(Element& e, const ir::LoadInstr& l) {
    const OperandMaker& maker = makers_[e.maker];
    if (l.mask != ir::kNoReg || l.buffer >= maker.kernel->buffers.size() || maker.kernel->buffers[l.buffer].written)
      return false;
    const Dim index = position(e, l.index);
    const uint32_t buffer = maker.buffers[l.buffer];
    for (size_t m = 0; m < makers_.size(); ++m)
      if (stores(makers_[m], buffer)) {
        const std::optional<ir::Reg> value = value_at(m, buffer, index);
        if (value) e.regs[l.result] = *value;
        return value.has_value();
      }
    return once(e, loads_[buffer], index, l.result,
                [&](ir::Reg r) { return ir::LoadInstr{r, first_buffer_[e.maker] + l.buffer, index}; });
  }
  bool add(Element& e, const ir::StoreInstr& s) {
    const OperandMaker& maker = makers_[e.maker];
    if (s.mask != ir::kNoReg || s.buffer >= maker.buffers.size() || s.index != Dim::symbol(e.var)) return false;
    return values_[maker.buffers[s.buffer]].emplace(e.place, e.regs.at(s.value)).second;
  }
  bool add(Element&, const ir::BindInstr&) { return false; }
  bool add(Element&, const ir::Loop&) { return false; }

  static bool stores(const OperandMaker& maker, uint32_t buffer) {
    for (size_t i = 0; i < maker.buffers.size(); ++i)
      if (maker.buffers[i] == buffer && maker.kernel->buffers[i].written) return true;
    return false;
  }

  const std::span<const OperandMaker> makers_;
  const int parts_;
  ir::Kernel made_;
  DimFacts facts_;
  ir::Body* body_ = nullptr;
  std::vector<uint32_t> first_buffer_;     // of each maker, among those of `made_`
  std::map<uint32_t, ByPosition> values_;  // by the program's buffer
  std::map<Scalar, ir::Reg> scalars_;
  ByPosition indices_;
  std::map<uint32_t, ByPosition> loads_;  // by the program's buffer
};

}  // namespace

std::optional<Prologue> write_prologue(std::span<const OperandMaker> makers, uint32_t operand,
                                       const runtime::GpuFeatures& features, bool comments) {
  const std::span<const uint32_t> buffers = makers[0].buffers;
  const auto stored = static_cast<uint32_t>(std::find(buffers.begin(), buffers.end(), operand) - buffers.begin());
  const Dtype type = makers[0].kernel->buffers[stored].dtype;
  if (type.size() < 2 || type.size() > 4) return std::nullopt;
  const auto parts = Parts(makers, kAccess / type.size()).run(operand, stored);
  return parts ? KernelEmitter(*parts, features, comments).run_prologue(stored) : std::nullopt;
}

std::optional<Prologue> KernelEmitter::run_prologue(uint32_t stored) {
  const ir::Loop& loop = *ir::parallel_loop(k_);
  check_features();
  prefix_ = "p";
  declare_names();
  enter(loop);
  Name& name = names_.at(loop.var);
  name.text = "at";
  const std::string position = index_type(name.wide);
  std::string fields = "  " + position + " at;\n";
  const std::string place =
      "(address - uint64_t(" + memories_[stored].name + ")) / " + std::to_string(kAccess) + "UL);";
  line("Fetched w;");
  line("const " + position + " at = " + position + "(" + place);
  line("w.at = at;");
  for (const ir::Instr& i : loop.body)
    if (auto* load = std::get_if<ir::LoadInstr>(&i.node)) {
      const std::string field = name_of(load->result);
      fields += "  " + std::string(register_type(k_.buffer(load->buffer).dtype)) + " " + field + ";\n";
      line("w." + field + " = " + load_text(load->buffer, load->index) + ";" + comment(i));
      ahead_[load] = "w." + field;
    }
  line("return w;");
  const std::string fetch = std::exchange(text_, {});
  line("const " + position + " at = w.at;");
  const Dtype type = k_.buffer(stored).dtype;
  std::set<ir::Reg> ends;  // elements
  for (const ir::Instr& i : loop.body)
    if (auto* store = std::get_if<ir::StoreInstr>(&i.node)) ends.insert(store->value);
  std::vector<std::string> elements;
  std::map<ir::Reg, std::string> singles;  // elements in f32, where the device converts two at once
  for (const ir::Instr& i : loop.body) {
    const auto* s = std::get_if<ir::ScalarInstr>(&i.node);
    if (auto* store = std::get_if<ir::StoreInstr>(&i.node))
      elements.push_back(singles.count(store->value) ? singles[store->value] : regs_[store->value]);
    else if (s && features_.converts16 && type == float16 && ends.count(s->result) && s->op == ir::ScalarOp::Cast &&
             k_.reg_types[s->args[0]] == float32)
      singles[s->result] = regs_[s->args[0]];
    else
      emit(i, Context::Invocation);
  }
  if (!error_.empty()) return std::nullopt;
  // The elements are computed alike, so that all of them end so or none.
  const bool pairs = !singles.empty();
  if (pairs && singles.size() != ends.size()) return std::nullopt;
  if (pairs) prelude_.use("f16_pair");
  std::string words;
  for (size_t i = 0; i < 4; ++i)
    words += (i ? ", " : "") + (pairs              ? "f16_pair(" + elements[2 * i] + ", " + elements[2 * i + 1] + ")"
                                : type.size() == 2 ? elements[2 * i] + " | " + elements[2 * i + 1] + " << 16"
                                : type == float32  ? "floatBitsToUint(" + elements[i] + ")"
                                                   : "uint(" + elements[i] + ")");
  line("return uvec4(" + words + ");");
  size_t count = 0;
  Prologue p;
  p.arguments = argument_fields(count);
  p.functions = argument_names() + "struct Fetched {\n" + fields + "};\nFetched fetched(uint64_t address) {\n" + fetch +
                "}\nuvec4 words_of(Fetched w) {\n" + text_ + "}\n";
  p.references = float_modes();
  for (auto& [unused, declaration] : references_) p.references += declaration + "\n";
  p.extensions = extensions_;
  p.prelude = std::move(prelude_);
  return p;
}

}  // namespace frit::codegen::glsl
