// A kernel that computes an operand of a routine, as functions of the routine's shader, which calls them where it would
// have read the operand's memory.
//
// An access of the routine takes 16 bytes of the operand, which are several iterations of the kernel. They become
// straight-line code for all of them: a load that they share is there once, so that the codes of a packed word are
// taken apart in registers. Loads and arithmetic are functions of their own, as a routine's loads are on their way
// while it works on earlier ones.
#include <algorithm>
#include <tuple>

#include "codegen/glsl/emitter.h"
#include "ir/base/dim_atoms.h"

namespace frit::codegen::glsl {

namespace {

constexpr int kAccess = 16;  // bytes

// With g dividing d and 0 <= r < g: (g * x + r) // d is x // (d / g), and (g * x + r) % d is g * (x % (d / g)) + r.
Dim without_low_part(const Dim& d, int64_t parts) {
  return map_atoms(d, [&](const Atom& a) -> Dim {
    if (a.kind == AtomKind::Symbol) return Dim::symbol(a.name);
    const Dim p = without_low_part(a.args[0], parts), q = without_low_part(a.args[1], parts);
    if ((a.kind != AtomKind::FloorDiv && a.kind != AtomKind::Mod) || p.is_const() || !q.is_const() || q.value() <= 0)
      return apply(a.kind, p, q);
    const int64_t g = gcd_int(content(p), q.value()), r = mod_int(p.poly()->constant, g);
    if (g <= 1) return apply(a.kind, p, q);
    const auto x = divide_exactly(p - Dim(r), Dim(g));
    if (!x) return apply(a.kind, p, q);
    const Dim divisor(q.value() / g);
    return a.kind == AtomKind::FloorDiv ? floor_div(*x, divisor) : Dim(g) * mod(*x, divisor) + Dim(r);
  });
}

// Straight-line code of `parts` iterations of a kernel's parallel loop.
class Parts {
 public:
  Parts(const ir::Kernel& k, const ir::Loop& loop, uint32_t stored, int parts)
      : made_(k), from_(loop), stored_(stored), parts_(parts), facts_(k.facts) {
    facts_.set_loop(loop.var, loop.extent);
  }

  // Nothing where an iteration does more than to compute its own element from other buffers.
  std::optional<ir::Kernel> run() {
    ir::Loop all = from_;
    all.extent = floor_div(from_.extent, Dim(parts_));
    all.body.clear();
    body_ = &all.body;
    for (part_ = 0; part_ < parts_; ++part_) {
      regs_.assign(made_.reg_types.size(), ir::kNoReg);
      stores_ = 0;
      for (const ir::Instr& i : from_.body)
        if (!std::visit([&](const auto& node) { return add(node); }, i.node)) return std::nullopt;
      if (stores_ != 1) return std::nullopt;
    }
    made_.body.clear();
    made_.body.push_back({std::move(all)});
    return std::move(made_);
  }

 private:
  struct DimLess {
    bool operator()(const Dim& a, const Dim& b) const { return Dim::compare(a, b) < 0; }
  };
  using Scalar = std::tuple<ir::ScalarOp, Dtype::Val, std::array<ir::Reg, 3>, uint64_t>;

  Dim at_part(const Dim& d) const {
    const Dim place = Dim(parts_) * Dim::symbol(from_.var) + Dim(part_);
    return facts_.simplify(without_low_part(d.substitute(from_.var, place), parts_));
  }

  // The register of an equal instruction; where there is none, `make` appends one for a new register.
  template <class Key, class Compare, class Make>
  bool once(std::map<Key, ir::Reg, Compare>& known, const Key& key, ir::Reg result, Make make) {
    auto [found, fresh] = known.try_emplace(key, ir::kNoReg);
    if (fresh) {
      const Dtype type = made_.reg_types[result];
      found->second = made_.new_reg(type);
      body_->push_back({make(found->second)});
    }
    regs_[result] = found->second;
    return true;
  }

  bool add(const ir::ScalarInstr& s) {
    ir::ScalarInstr own = s;
    for (int i = 0; i < 3; ++i) {
      ir::Reg& r = own.args[static_cast<size_t>(i)];
      r = i < ir::arity(s.op) ? regs_[r] : ir::kNoReg;
    }
    if (s.op != ir::ScalarOp::Const) own.imm = 0;
    return once(scalars_, Scalar{own.op, own.type.val, own.args, own.imm}, s.result, [&](ir::Reg r) {
      own.result = r;
      return own;
    });
  }
  bool add(const ir::IndexInstr& x) {
    const Dim index = at_part(x.index);
    return once(indices_, index, x.result, [&](ir::Reg r) { return ir::IndexInstr{r, index}; });
  }
  bool add(const ir::LoadInstr& l) {
    if (l.mask != ir::kNoReg || l.buffer == stored_ || l.buffer >= made_.buffers.size()) return false;
    const Dim index = at_part(l.index);
    return once(loads_[l.buffer], index, l.result, [&](ir::Reg r) { return ir::LoadInstr{r, l.buffer, index}; });
  }
  bool add(const ir::StoreInstr& s) {
    if (s.mask != ir::kNoReg || s.buffer != stored_ || s.index != Dim::symbol(from_.var)) return false;
    body_->push_back({ir::StoreInstr{s.buffer, Dim(parts_) * s.index + Dim(part_), regs_[s.value]}});
    ++stores_;
    return true;
  }
  bool add(const ir::BindInstr&) { return false; }
  bool add(const ir::Loop&) { return false; }

  ir::Kernel made_;
  const ir::Loop& from_;
  const uint32_t stored_;
  const int parts_;
  DimFacts facts_;
  ir::Body* body_ = nullptr;
  int part_ = 0, stores_ = 0;
  std::vector<ir::Reg> regs_;  // of this part, by the register of the kernel
  std::map<Scalar, ir::Reg, std::less<Scalar>> scalars_;
  std::map<Dim, ir::Reg, DimLess> indices_;
  std::map<uint32_t, std::map<Dim, ir::Reg, DimLess>> loads_;
};

}  // namespace

std::optional<Prologue> write_prologue(const ir::Kernel& kernel, uint32_t stored,
                                       const runtime::GpuFeatures& features, bool comments) {
  const ir::Loop* loop = ir::parallel_loop(kernel);
  const Dtype type = kernel.buffer(stored).dtype;
  if (!loop || passes::has_rows(kernel) || passes::tile_of(kernel).row || type.size < 2 || type.size > 4)
    return std::nullopt;
  const auto parts = Parts(kernel, *loop, stored, kAccess / type.size).run();
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
  std::vector<std::string> elements;
  for (const ir::Instr& i : loop.body) {
    if (auto* store = std::get_if<ir::StoreInstr>(&i.node))
      elements.push_back(regs_[store->value]);
    else
      emit(i, Context::Invocation);
  }
  if (!error_.empty()) return std::nullopt;
  const bool halves = k_.buffer(stored).dtype.size == 2, floats = k_.buffer(stored).dtype == float32;
  std::string words;
  for (size_t i = 0; i < 4; ++i)
    words += (i ? ", " : "") + (halves   ? elements[2 * i] + " | " + elements[2 * i + 1] + " << 16"
                                : floats ? "floatBitsToUint(" + elements[i] + ")"
                                         : "uint(" + elements[i] + ")");
  line("return uvec4(" + words + ");");
  size_t count = 0;
  Prologue p;
  p.arguments = argument_fields(count);
  for (const Memory& m : memories_) p.functions += "#define " + m.name + " (args." + m.name + ")\n";
  for (const std::string& s : k_.symbols)
    p.functions += "#define " + names_.at(s).text + " (args." + names_.at(s).text + ")\n";
  p.functions += "struct Fetched {\n" + fields + "};\nFetched fetched(uint64_t address) {\n" + fetch +
                 "}\nuvec4 words_of(Fetched w) {\n" + text_ + "}\n";
  p.references = float_modes();
  for (auto& [type, declaration] : references_) p.references += declaration + "\n";
  p.extensions = extensions_;
  p.prelude = std::move(prelude_);
  return p;
}

}  // namespace frit::codegen::glsl
