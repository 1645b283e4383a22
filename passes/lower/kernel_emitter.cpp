#include "passes/lower/kernel_emitter.h"

#include <algorithm>

#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

// Local buffers are numbered after all launch buffers, whose count is known only at the end; until then they stand from
// here on.
constexpr uint32_t kLocalBase = 1u << 24;

Dim linear(const std::vector<Dim>& at, const Layout& layout) {
  Dim d = layout.offset;
  for (size_t i = 0; i < at.size(); ++i) d += at[i] * layout.strides[i];
  return d;
}

// `d` with the coordinates of `c` rewritten to its variable: directly when they enter as one row-major position, else
// by division.
Dim rewrite(const Dim& d, const CollapsedAxes& c) {
  bool used = false;
  for (const std::string& axis : c.axes) used |= d.uses(axis);
  if (!used) return d;
  Dim position = Dim::symbol(c.var) + c.var_offset;
  Dim rest = d;
  std::optional<Dim> inner;  // coefficient that the next axis outwards must have
  bool row_major = true;
  for (size_t i = c.axes.size(); i-- > 0;) {
    if (c.extents[i].is(1)) {
      rest = rest.substitute(c.axes[i], Dim(0));
      continue;
    }
    auto affine = rest.affine_in(c.axes[i]);
    if (!affine || (inner && !(affine->coefficient == *inner))) {
      row_major = false;
      break;
    }
    if (!inner) inner = affine->coefficient;
    rest = affine->rest;
    inner = *inner * c.extents[i];
  }
  if (row_major) {
    for (size_t i = c.axes.size(); i-- > 0;) {
      if (c.extents[i].is(1)) continue;
      auto affine = d.affine_in(c.axes[i]);
      return rest + affine->coefficient * position;
    }
    return rest;
  }
  return d.substitute([&](const std::string& name) -> std::optional<Dim> {
    Dim below = 1;
    for (size_t i = c.axes.size(); i-- > 0;) {
      if (c.axes[i] == name) {
        Dim digit = floor_div(position, below);
        // The outermost digit needs no remainder.
        return i == 0 ? digit : mod(digit, c.extents[i]);
      }
      below = below * c.extents[i];
    }
    return std::nullopt;
  });
}

}  // namespace

KernelEmitter::KernelEmitter(const Function& f, Program& program, Placements& placements, std::string name)
    : f_(f),
      program_(program),
      facts_(f.facts),
      reserved_(program.symbols.begin(), program.symbols.end()),
      placements_(placements) {
  kernel_.name = std::move(name);
  scopes_.emplace_back();
}

std::string KernelEmitter::fresh(const std::string& hint) {
  // Names are never given back, so the search goes on where it ended.
  int& next = next_[hint];
  std::string name;
  do {
    name = next == 0 ? hint : hint + std::to_string(next);
    ++next;
  } while (!reserved_.insert(name).second);
  return name;
}

std::string KernelEmitter::open_loop(const std::string& hint, const Dim& extent, LoopKind kind, int lanes) {
  Loop loop;
  loop.var = fresh(hint);
  loop.extent = resolve(extent);
  loop.kind = kind;
  loop.lanes = lanes;
  facts_.set_loop(loop.var, loop.extent);
  scopes_.emplace_back();
  scopes_.back().loop = std::move(loop);
  var_depth_[scopes_.back().loop->var] = innermost();
  return scopes_.back().loop->var;
}

void KernelEmitter::declare(const std::string& var, const Dim& extent) { facts_.set_loop(var, extent); }

Reg KernelEmitter::accumulate(Combine combine, Dtype type, Reg value, Reg position) {
  bool arg = combine == Combine::ArgMax || combine == Combine::ArgMin;
  // The result is visible in the body around the loop.
  Reg result = new_reg(arg ? int64 : type, innermost() - 1);
  scopes_.back().loop->accumulators.push_back({combine, type, value, result, position});
  return result;
}

void KernelEmitter::close_loop() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  scope.loop->body = std::move(scope.body);
  scopes_.back().body.push_back({std::move(*scope.loop)});
}

int KernelEmitter::clamp_depth(int depth) const {
  // Depth 0 is the top; when a parallel loop is open (always at depth 1), nothing goes above it.
  bool parallel = scopes_.size() > 1 && scopes_[1].loop && scopes_[1].loop->kind == LoopKind::Parallel;
  return std::min(std::max(depth, parallel ? 1 : 0), innermost());
}

int KernelEmitter::depth_of(const Dim& d) const {
  std::vector<std::string> names;
  d.collect_symbols(names);
  int depth = 0;
  for (const std::string& n : names)
    if (auto it = var_depth_.find(n); it != var_depth_.end()) depth = std::max(depth, it->second);
  return depth;
}

// A loop of at most one turn has no variable in positions, and may have no turn: what is read in it exists in it only.
int KernelEmitter::load_floor() const {
  for (int depth = innermost(); depth > 0; --depth) {
    DimRange turns = facts_.range(scopes_[static_cast<size_t>(depth)].loop->extent);
    if (turns.high <= 1 && turns.low <= 0) return depth;
  }
  return 0;
}

Regs KernelEmitter::zero(Dtype dtype) {
  if (!is_complex(dtype)) return {scalar(ScalarOp::Const, dtype, {kNoReg, kNoReg, kNoReg}, 0)};
  Reg r = scalar(ScalarOp::Const, float32, {kNoReg, kNoReg, kNoReg}, 0);
  return {r, r};
}

Reg KernelEmitter::new_reg(Dtype type, int depth) {
  Reg r = kernel_.new_reg(type);
  reg_depth_.push_back(depth);
  return r;
}

Dim KernelEmitter::resolve(const Dim& d) const {
  Dim out = d;
  for (size_t i = collapsed_.size(); i-- > 0;) out = rewrite(out, collapsed_[i]);
  return facts_.simplify(out);
}

uint32_t KernelEmitter::buffer_slot(uint32_t program_buffer, bool written) {
  auto [it, added] = slots_.try_emplace(program_buffer, static_cast<uint32_t>(kernel_.buffers.size()));
  if (added) {
    const ProgramBuffer& b = program_.buffers[program_buffer];
    bool complex = is_complex(b.dtype);
    kernel_.buffers.push_back({b.name, complex ? float32 : b.dtype, complex ? b.size * Dim(2) : b.size});
    bound_.push_back(program_buffer);
  }
  (written ? kernel_.buffers[it->second].written : kernel_.buffers[it->second].read) = true;
  return it->second;
}

std::string KernelEmitter::key(ValueId v, const std::vector<Dim>& at, Reg mask) const {
  std::string k = "v" + std::to_string(v);
  for (const Dim& d : at) k += "," + d.str();
  if (mask != kNoReg) k += "?" + std::to_string(mask);
  return k;
}

const Regs* KernelEmitter::find_memo(const std::string& key) const {
  for (size_t i = scopes_.size(); i-- > 0;)
    if (auto it = scopes_[i].memo.find(key); it != scopes_[i].memo.end()) return &it->second;
  return nullptr;
}

void KernelEmitter::memoize(const std::string& key, int depth, Regs regs) { scopes_[depth].memo[key] = regs; }

void KernelEmitter::define(ValueId v, const std::vector<Dim>& at, Regs regs) {
  std::vector<Dim> resolved;
  for (const Dim& d : at) resolved.push_back(resolve(d));
  memoize(key(v, resolved, kNoReg), innermost(), regs);
}

Reg KernelEmitter::scalar(ScalarOp op, Dtype type, std::array<Reg, 3> args, uint64_t imm) {
  int depth = 0;
  std::string k = "s" + std::to_string(static_cast<int>(op)) + std::string(short_name(type));
  for (Reg a : args) {
    if (a != kNoReg) depth = std::max(depth, depth_of(a));
    k += "," + std::to_string(a);
  }
  k += "#" + std::to_string(imm);
  if (const Regs* found = find_memo(k)) return found->re;
  depth = clamp_depth(depth);
  Reg r = new_reg(type, depth);
  scopes_[depth].body.push_back({ScalarInstr{r, op, type, args, imm}});
  memoize(k, depth, {r});
  return r;
}

Reg KernelEmitter::cast(Reg r, Dtype type) {
  if (reg_type(r) == type) return r;
  return scalar(ScalarOp::Cast, type, {r, kNoReg, kNoReg});
}

Reg KernelEmitter::index_value(const Dim& d) {
  Dim resolved = resolve(d);
  std::string k = "i" + resolved.str();
  if (const Regs* found = find_memo(k)) return found->re;
  int depth = clamp_depth(depth_of(resolved));
  Reg r = new_reg(int64, depth);
  scopes_[depth].body.push_back({IndexInstr{r, resolved}});
  memoize(k, depth, {r});
  return r;
}

Reg KernelEmitter::load(uint32_t buffer, Dtype type, const Dim& index, Reg mask) {
  bool local = buffer >= kLocalBase;
  std::string k = "l" + std::to_string(buffer) + "," + index.str() + "?" + std::to_string(mask);
  // Locals are written inside the kernel, and outputs may be too: their loads stay where they are asked for.
  bool movable = !local && !kernel_.buffers[buffer].written;
  if (movable)
    if (const Regs* found = find_memo(k)) return found->re;
  int depth = movable ? clamp_depth(std::max({depth_of(index), depth_of(mask), load_floor()})) : innermost();
  Reg r = new_reg(type, depth);
  scopes_[depth].body.push_back({LoadInstr{r, buffer, index, mask}});
  if (movable) memoize(k, depth, {r});
  return r;
}

Regs KernelEmitter::load_element(uint32_t buffer, Dtype dtype, const Dim& element, Reg mask) {
  Dim index = resolve(element);
  if (!is_complex(dtype)) return {load(buffer, dtype, index, mask)};
  return {load(buffer, float32, index * Dim(2), mask), load(buffer, float32, index * Dim(2) + Dim(1), mask)};
}

void KernelEmitter::store_element(uint32_t buffer, Dtype dtype, const Dim& element, Regs value) {
  Dim index = resolve(element);
  Body& body = scopes_.back().body;
  if (is_complex(dtype)) {
    body.push_back({StoreInstr{buffer, index * Dim(2), value.re}});
    body.push_back({StoreInstr{buffer, index * Dim(2) + Dim(1), value.im}});
  } else {
    body.push_back({StoreInstr{buffer, index, value.re}});
  }
}

Regs KernelEmitter::load_buffer(uint32_t program_buffer, Dtype dtype, const Dim& element) {
  return load_element(buffer_slot(program_buffer, false), dtype, element, kNoReg);
}

void KernelEmitter::store(uint32_t program_buffer, Dtype dtype, const Dim& element, Regs value) {
  store_element(buffer_slot(program_buffer, true), dtype, element, value);
}

uint32_t KernelEmitter::add_local(const std::string& name, Dtype dtype, const Dim& elements) {
  bool complex = is_complex(dtype);
  kernel_.locals.push_back({name, complex ? float32 : dtype, complex ? elements * Dim(2) : elements, true, true});
  return static_cast<uint32_t>(kernel_.locals.size() - 1);
}

void KernelEmitter::store_local(uint32_t local, Dtype dtype, const Dim& element, Regs value) {
  store_element(kLocalBase + local, dtype, element, value);
}

Regs KernelEmitter::load_local(uint32_t local, Dtype dtype, const Dim& element) {
  return load_element(kLocalBase + local, dtype, element, kNoReg);
}

Regs KernelEmitter::select(Reg condition, Regs a, Regs b) {
  Regs out;
  out.re = scalar(ScalarOp::Select, reg_type(a.re), {condition, a.re, b.re});
  if (a.im != kNoReg) out.im = scalar(ScalarOp::Select, float32, {condition, a.im, b.im});
  return out;
}

Reg KernelEmitter::within(const std::vector<std::pair<Dim, Dim>>& bounds, bool& never) {
  Reg all = kNoReg;
  never = false;
  auto require = [&](const Dim& low, const Dim& high) {  // low <= high
    Dim a = resolve(low), b = resolve(high);
    Tri t = facts_.less_equal(a, b);
    never |= t == Tri::No;
    if (t == Tri::Yes || never) return;
    undecided_.emplace_back(a, b);
    Reg c = scalar(ScalarOp::Le, bool_, {index_value(a), index_value(b), kNoReg});
    all = all == kNoReg ? c : scalar(ScalarOp::And, bool_, {all, c, kNoReg});
  };
  for (const auto& [d, extent] : bounds) {
    require(0, d);
    require(d + Dim(1), extent);
  }
  return all;
}

Regs KernelEmitter::indexed(const Op& op, ValueId v, const std::vector<Dim>& at, Reg mask) {
  std::vector<Type> types;
  for (ValueId o : op.operands) types.push_back(f_.type(o));
  IndexRule rule = op.def->index(op, types, f_.type(v), at);
  if (rule.sources.size() == 1 && rule.sources[0].within.empty())
    return value_at(op.operands[rule.sources[0].operand], rule.sources[0].index, mask);

  // The sources in order, each read only where its condition holds and no earlier one did: built from the last to the
  // first.
  struct Candidate {
    Reg condition;
    Regs value;
  };
  std::vector<Candidate> candidates;
  bool covered = false;
  for (const IndexSource& source : rule.sources) {
    bool never = false;
    Reg condition = within(source.within, never);
    if (never) continue;
    Reg read_mask = condition;
    if (mask != kNoReg)
      read_mask = condition == kNoReg ? mask : scalar(ScalarOp::And, bool_, {condition, mask, kNoReg});
    candidates.push_back({condition, value_at(op.operands[source.operand], source.index, read_mask)});
    if (condition == kNoReg) {
      covered = true;
      break;
    }
  }
  Regs result;
  if (covered) {
    result = candidates.back().value;
    candidates.pop_back();
  } else if (rule.fill >= 0) {
    result = value_at(op.operands[rule.fill], {}, mask);
  } else if (candidates.empty()) {
    result = zero(f_.type(v).dtype);  // the value has no elements
  } else {
    // Some source holds at every position, so the last one needs no test; its reads keep theirs.
    result = candidates.back().value;
    candidates.pop_back();
  }
  while (!candidates.empty()) {
    result = select(candidates.back().condition, candidates.back().value, result);
    candidates.pop_back();
  }
  return result;
}

Regs KernelEmitter::elementwise(const Op& op, ValueId v, const std::vector<Dim>& at, Reg mask) {
  std::vector<Dtype> dtypes;
  std::vector<Reg> inputs;
  for (ValueId o : op.operands) {
    dtypes.push_back(f_.type(o).dtype);
    Regs r = value_at(o, at, mask);
    inputs.push_back(r.re);
    if (r.im != kNoReg) inputs.push_back(r.im);
  }
  auto program = meaning(*op.def, dtypes, f_.type(v).dtype);
  if (!program.ok()) return {};  // the verifier has rejected it
  std::vector<Reg> regs;
  regs.reserve(program->nodes.size());
  for (const ScalarNode& n : program->nodes) {
    if (n.op == ScalarOp::Input) {
      regs.push_back(inputs[n.imm]);
      continue;
    }
    std::array<Reg, 3> args{kNoReg, kNoReg, kNoReg};
    for (int i = 0; i < arity(n.op); ++i) args[i] = regs[n.args[i]];
    regs.push_back(scalar(n.op, n.type, args, n.imm));
  }
  Regs out;
  out.re = regs[program->results[0]];
  if (program->results.size() > 1) out.im = regs[program->results[1]];
  return out;
}

Regs KernelEmitter::literal(const Op& op, ValueId v, const std::vector<Dim>& at, Reg mask) {
  const Literal& data = std::get<Literal>(*op.attrs.find("value"));
  const Type& type = f_.type(v);
  if (data.count() == 1) {
    uint64_t bits = data.bits();
    if (!is_complex(type.dtype)) return {scalar(ScalarOp::Const, type.dtype, {kNoReg, kNoReg, kNoReg}, bits)};
    return {scalar(ScalarOp::Const, float32, {kNoReg, kNoReg, kNoReg}, bits & 0xffffffffu),
            scalar(ScalarOp::Const, float32, {kNoReg, kNoReg, kNoReg}, bits >> 32)};
  }
  auto it = placements_.find(v);
  if (it == placements_.end()) {
    uint32_t buffer = add_buffer(program_, "c", BufferRole::Constant, type.dtype, type.size(), data);
    it = placements_.emplace(v, Placement{buffer, {type.shape, row_major_strides(type.shape), 0}}).first;
  }
  return load_element(buffer_slot(it->second.buffer, false), type.dtype, linear(at, it->second.layout), mask);
}

Regs KernelEmitter::iota(const Op& op, ValueId v, const std::vector<Dim>& at) {
  return {cast(index_value(op.def->index_value(op, f_.type(v), at)), f_.type(v).dtype)};
}

Regs KernelEmitter::value_at(ValueId v, const std::vector<Dim>& at, Reg mask) {
  std::vector<Dim> resolved;
  resolved.reserve(at.size());
  for (const Dim& d : at) resolved.push_back(resolve(d));
  std::string k = key(v, resolved, kNoReg);
  if (const Regs* found = find_memo(k)) return *found;
  std::string masked = mask == kNoReg ? k : key(v, resolved, mask);
  if (mask != kNoReg)
    if (const Regs* found = find_memo(masked)) return *found;

  Regs out;
  if (auto it = placements_.find(v); it != placements_.end()) {
    const Type& type = f_.type(v);
    // Loops over nothing read nothing, but what does not depend on their variable would be read outside of them.
    if (facts_.range(type.size()).high <= 0) {
      out = zero(type.dtype);
    } else {
      out = load_element(buffer_slot(it->second.buffer, false), type.dtype, linear(at, it->second.layout), mask);
    }
  } else {
    const Op& op = *f_.def_of(v);
    switch (op.def->kind) {
      case OpKind::Constant: out = literal(op, v, at, mask); break;
      case OpKind::Iota: out = iota(op, v, at); break;
      case OpKind::Index: out = indexed(op, v, at, mask); break;
      case OpKind::Elementwise: out = elementwise(op, v, at, mask); break;
      case OpKind::Reduction:
      case OpKind::Composite:
      case OpKind::Library: break;  // computed elsewhere: placed or defined before they are asked for
    }
  }
  int depth = std::max(depth_of(out.re), depth_of(out.im));
  memoize(masked, clamp_depth(depth), out);
  return out;
}

KernelStep KernelEmitter::finish() {
  kernel_.body = std::move(scopes_[0].body);
  uint32_t locals_from = static_cast<uint32_t>(kernel_.buffers.size());
  auto renumber = [&](auto&& self, Body& body) -> void {
    for (Instr& i : body) {
      if (auto* l = std::get_if<LoadInstr>(&i.node)) {
        if (l->buffer >= kLocalBase) l->buffer = l->buffer - kLocalBase + locals_from;
      } else if (auto* s = std::get_if<StoreInstr>(&i.node)) {
        if (s->buffer >= kLocalBase) s->buffer = s->buffer - kLocalBase + locals_from;
      } else if (auto* loop = std::get_if<Loop>(&i.node)) {
        self(self, loop->body);
      }
    }
  };
  renumber(renumber, kernel_.body);

  // The symbols that positions and extents use, apart from the loop variables.
  std::vector<std::string> names;
  auto collect = [&](auto&& self, const Body& body) -> void {
    for (const Instr& i : body) {
      if (auto* l = std::get_if<LoadInstr>(&i.node)) l->index.collect_symbols(names);
      if (auto* s = std::get_if<StoreInstr>(&i.node)) s->index.collect_symbols(names);
      if (auto* x = std::get_if<IndexInstr>(&i.node)) x->index.collect_symbols(names);
      if (auto* loop = std::get_if<Loop>(&i.node)) {
        loop->extent.collect_symbols(names);
        self(self, loop->body);
      }
    }
  };
  collect(collect, kernel_.body);
  for (const auto* list : {&kernel_.buffers, &kernel_.locals})
    for (const KernelBuffer& b : *list) b.size.collect_symbols(names);
  for (const std::string& n : names)
    if (std::find(program_.symbols.begin(), program_.symbols.end(), n) != program_.symbols.end())
      kernel_.symbols.push_back(n);
  kernel_.facts = f_.facts;
  program_.kernels.push_back(std::move(kernel_));
  return {static_cast<uint32_t>(program_.kernels.size() - 1), bound_};
}

}  // namespace frit::passes
