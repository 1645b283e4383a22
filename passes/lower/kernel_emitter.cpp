// Graph values as instructions of a kernel.
#include "passes/lower/kernel_emitter.h"

#include <algorithm>

#include "passes/lower/lower_groups.h"

namespace frit::passes {

using namespace ir;

namespace {

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

MemoKey::MemoKey(Kind kind, Numbers numbers, std::vector<Dim> dims)
    : kind_(kind), numbers_(numbers), dims_(std::move(dims)) {
  Hasher hasher;
  hasher.add(kind_);
  for (uint64_t n : numbers_) hasher.add(n);
  for (const Dim& d : dims_) d.hash_into(hasher);
  hash_ = hasher.finish().low;
}

KernelEmitter::KernelEmitter(const Function& f, Program& program, Placements& placements, std::string name)
    : f_(f), program_(program), b_(f, program, std::move(name)), memos_(1), placements_(placements) {}

std::string KernelEmitter::open_loop(const std::string& hint, const Dim& extent, LoopKind kind, int lanes) {
  memos_.emplace_back();
  return b_.open_loop(hint, resolve(extent), {.kind = kind, .lanes = lanes});
}

void KernelEmitter::close_loop() {
  memos_.pop_back();
  b_.close_loop();
}

int KernelEmitter::clamp_depth(int depth) const {
  // Depth 0 is the top; when a parallel loop is open (always at depth 1), nothing goes above it.
  bool parallel = b_.innermost() > 0 && b_.loop(1)->kind == LoopKind::Parallel;
  return std::min(std::max(depth, parallel ? 1 : 0), b_.innermost());
}

// The variable of a loop of at most one iteration is in no position. Such a loop may have no iteration, and then memory
// that it reads may not exist, so loads are not hoisted out of it.
int KernelEmitter::load_floor() const {
  for (int depth = b_.innermost(); depth > 0; --depth) {
    DimRange turns = b_.facts().range(b_.loop(depth)->extent);
    if (turns.high <= 1 && turns.low <= 0) return depth;
  }
  return 0;
}

// A load of an empty operand has no memory to read. Where it depends on no variable of a loop over the empty axis (its
// stride is 0), it would be hoisted out of that loop, so it stays in the outermost loop that shows each axis not empty.
int KernelEmitter::existence_floor(const Dims& shape) const {
  int floor = 0;
  for (const Dim& size : shape) {
    if (b_.facts().range(size).low > 0) continue;
    std::vector<std::string> names;
    size.collect_symbols(names);
    const auto shows = [&](int depth) {
      std::vector<std::string> there;
      b_.loop(depth)->extent.collect_symbols(there);
      return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
        return std::find(there.begin(), there.end(), name) != there.end();
      });
    };
    int depth = 1;
    while (depth < b_.innermost() && !shows(depth)) ++depth;
    floor = std::max(floor, depth);
  }
  return floor;
}

Regs KernelEmitter::zero(Dtype dtype) {
  if (!is_complex(dtype)) return {scalar(ScalarOp::Const, dtype, {kNoReg, kNoReg, kNoReg}, 0)};
  Reg r = scalar(ScalarOp::Const, float32, {kNoReg, kNoReg, kNoReg}, 0);
  return {r, r};
}

Dim KernelEmitter::resolve(const Dim& d) const {
  Dim out = d;
  for (size_t i = collapsed_.size(); i-- > 0;) out = rewrite(out, collapsed_[i]);
  return b_.facts().simplify(out);
}

const Regs* KernelEmitter::find_memo(const MemoKey& key) const {
  for (size_t i = memos_.size(); i-- > 0;)
    if (auto it = memos_[i].find(key); it != memos_[i].end()) return &it->second;
  return nullptr;
}

void KernelEmitter::define(ValueId v, const std::vector<Dim>& at, Regs regs) {
  std::vector<Dim> resolved;
  for (const Dim& d : at) resolved.push_back(resolve(d));
  // A value that is defined is the result of its own op, whatever the registers were made for.
  for (Reg r : {regs.re, regs.im}) b_.mark(r, f_.values[v].op);
  memoize(MemoKey::value(v, std::move(resolved), kNoReg), b_.innermost(), regs);
}

Reg KernelEmitter::scalar(ScalarOp op, Dtype type, std::array<Reg, 3> args, uint64_t imm) {
  MemoKey key = MemoKey::scalar(op, type, args, imm);
  if (const Regs* found = find_memo(key)) return found->re;
  int depth = 0;
  for (Reg a : args) depth = std::max(depth, b_.depth_of(a));
  depth = clamp_depth(depth);
  const Reg r = b_.scalar(op, type, args, imm, depth);
  memoize(std::move(key), depth, {r});
  return r;
}

Reg KernelEmitter::cast(Reg r, Dtype type) {
  if (reg_type(r) == type) return r;
  return scalar(ScalarOp::Cast, type, {r, kNoReg, kNoReg});
}

Reg KernelEmitter::index_value(const Dim& d) {
  const Dim resolved = resolve(d);
  MemoKey key = MemoKey::index(resolved);
  if (const Regs* found = find_memo(key)) return found->re;
  const int depth = clamp_depth(b_.depth_of(resolved));
  const Reg r = b_.index(resolved, depth);
  memoize(std::move(key), depth, {r});
  return r;
}

Reg KernelEmitter::load(uint32_t buffer, Dtype type, const Dim& index, Reg mask, int floor) {
  // Locals are written inside the kernel, and outputs may be too: their loads stay where they are asked for.
  if (b_.is_written(buffer)) return b_.load(buffer, type, index, mask);
  MemoKey key = MemoKey::load(buffer, index, mask);
  if (const Regs* found = find_memo(key)) return found->re;
  const int depth = clamp_depth(std::max({b_.depth_of(index), b_.depth_of(mask), load_floor(), floor}));
  const Reg r = b_.load(buffer, type, index, mask, depth);
  memoize(std::move(key), depth, {r});
  return r;
}

Regs KernelEmitter::load_element(uint32_t buffer, Dtype dtype, const Dim& element, Reg mask, int floor) {
  Dim index = resolve(element);
  if (!is_complex(dtype)) return {load(buffer, dtype, index, mask, floor)};
  return {load(buffer, float32, index * Dim(2), mask, floor),
          load(buffer, float32, index * Dim(2) + Dim(1), mask, floor)};
}

void KernelEmitter::store_element(uint32_t buffer, Dtype dtype, const Dim& element, Regs value, Reg mask) {
  Dim index = resolve(element);
  if (is_complex(dtype)) {
    b_.store(buffer, index * Dim(2), value.re, mask);
    b_.store(buffer, index * Dim(2) + Dim(1), value.im, mask);
  } else {
    b_.store(buffer, index, value.re, mask);
  }
}

Regs KernelEmitter::load_buffer(uint32_t program_buffer, Dtype dtype, const Dim& element, Reg mask) {
  return load_element(b_.buffer(program_buffer, false), dtype, element, mask);
}

Regs KernelEmitter::load_written(uint32_t program_buffer, Dtype dtype, const Dim& element) {
  b_.buffer(program_buffer, true);
  return load_element(b_.buffer(program_buffer, false), dtype, element, kNoReg);
}

void KernelEmitter::store(uint32_t program_buffer, Dtype dtype, const Dim& element, Regs value, Reg mask) {
  store_element(b_.buffer(program_buffer, true), dtype, element, value, mask);
}

Dim KernelEmitter::bind(const std::string& hint, Reg value, const Dim& extent) {
  return Dim::symbol(b_.bind(hint, value, b_.facts().simplify(extent), b_.depth_of(value)));
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
    Tri t = b_.facts().less_equal(a, b);
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

// A register has one name: it is bound where it is defined, so the name is visible wherever the register is.
Dim KernelEmitter::look_up(const Op& op, const Lookup& lookup, Reg mask) {
  const ValueId operand = op.operands[static_cast<size_t>(lookup.operand)];
  const Dtype dtype = f_.type(operand).dtype;
  Reg r = value_at(operand, lookup.index, mask).re;
  // More than an int64 holds is more than any size.
  if (dtype == uint64) {
    const Reg most = scalar(ScalarOp::Const, uint64, {kNoReg, kNoReg, kNoReg}, uint64_t{INT64_MAX});
    r = scalar(ScalarOp::Min, uint64, {r, most, kNoReg});
  }
  // Integers of 32 bits fill vectors twice as full. A negative number and a size have a sum of 32 bits.
  const Dim count = lookup.extent - lookup.window + Dim(1);
  const bool narrow = (dtype.size() < 4 || dtype == int32) && b_.facts().range(lookup.extent).high <= INT32_MAX;
  const Dtype type = narrow ? int32 : int64;
  const auto size = [&](const Dim& d) {
    const Dim known = resolve(d);
    if (!known.is_const() || !narrow) return cast(index_value(d), type);
    return scalar(ScalarOp::Const, type, {kNoReg, kNoReg, kNoReg}, static_cast<uint32_t>(known.value()));
  };
  r = cast(r, type);
  if (is_signed_int(dtype)) {
    const Reg zero = scalar(ScalarOp::Const, type, {kNoReg, kNoReg, kNoReg}, 0);
    const Reg from_end = scalar(ScalarOp::Add, type, {r, size(lookup.extent), kNoReg});
    const Reg negative = scalar(ScalarOp::Lt, bool_, {r, zero, kNoReg});
    r = scalar(ScalarOp::Select, type, {negative, from_end, r});
    r = scalar(ScalarOp::Max, type, {r, zero, kNoReg});
  }
  r = scalar(ScalarOp::Min, type, {r, size(count - Dim(1)), kNoReg});
  r = cast(r, int64);
  auto [name, added] = bound_.try_emplace(r);
  if (added) name->second = b_.bind("k", r, b_.facts().simplify(count), b_.depth_of(r));
  return Dim::symbol(name->second);
}

IndexRule KernelEmitter::bind_lookups(const Op& op, IndexRule rule, Reg mask) {
  if (rule.lookups.empty()) return rule;
  std::vector<Dim> found;
  for (const Lookup& lookup : rule.lookups) found.push_back(look_up(op, lookup, mask));
  auto bind = [&](Dim& d) {
    for (size_t k = 0; k < found.size(); ++k) d = d.substitute(*lookup_symbol(k).as_symbol(), found[k]);
  };
  for (IndexSource& source : rule.sources) {
    for (Dim& d : source.index) bind(d);
    for (auto& [d, extent] : source.within) bind(d), bind(extent);
  }
  rule.lookups.clear();
  return rule;
}

Regs KernelEmitter::indexed(const Op& op, ValueId v, const std::vector<Dim>& at, Reg mask) {
  std::vector<Type> types;
  for (ValueId o : op.operands) types.push_back(f_.type(o));
  const IndexRule rule = bind_lookups(op, op.def->index(op, types, f_.type(v), at), mask);
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
  return program.ok() ? apply(*program, inputs) : Regs{};  // the verifier has rejected it
}

Regs KernelEmitter::apply(const ScalarProgram& program, const std::vector<Reg>& inputs) {
  std::vector<Reg> regs;
  regs.reserve(program.nodes.size());
  for (const ScalarNode& n : program.nodes) {
    if (n.op == ScalarOp::Input) {
      regs.push_back(inputs[n.imm]);
      continue;
    }
    std::array<Reg, 3> args{kNoReg, kNoReg, kNoReg};
    for (int i = 0; i < arity(n.op); ++i) args[i] = regs[n.args[i]];
    regs.push_back(scalar(n.op, n.type, args, n.imm));
  }
  Regs out;
  out.re = regs[program.results[0]];
  if (program.results.size() > 1) out.im = regs[program.results[1]];
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
  return load_element(b_.buffer(it->second.buffer, false), type.dtype, linear(at, it->second.layout), mask);
}

Regs KernelEmitter::iota(const Op& op, ValueId v, const std::vector<Dim>& at) {
  return {cast(index_value(op.def->index_value(op, f_.type(v), at)), f_.type(v).dtype)};
}

Regs KernelEmitter::value_at(ValueId v, const std::vector<Dim>& at, Reg mask) {
  std::vector<Dim> resolved;
  resolved.reserve(at.size());
  for (const Dim& d : at) resolved.push_back(resolve(d));
  MemoKey key = MemoKey::value(v, resolved, kNoReg);
  if (const Regs* found = find_memo(key)) return *found;
  if (mask != kNoReg) {
    key = MemoKey::value(v, std::move(resolved), mask);
    if (const Regs* found = find_memo(key)) return *found;
  }
  const uint32_t around = f_.def_of(v) ? b_.set_origin(f_.values[v].op) : Kernel::kNoOp;
  const Regs out = compute(v, at, mask);
  if (f_.def_of(v)) b_.set_origin(around);
  memoize(std::move(key), clamp_depth(std::max(b_.depth_of(out.re), b_.depth_of(out.im))), out);
  return out;
}

Regs KernelEmitter::compute(ValueId v, const std::vector<Dim>& at, Reg mask) {
  if (auto it = placements_.find(v); it != placements_.end()) {
    const Type& type = f_.type(v);
    // A loop over nothing reads nothing, but a load that does not depend on its variable would be hoisted out of it.
    if (b_.facts().range(type.size()).high <= 0) return zero(type.dtype);
    return load_element(b_.buffer(it->second.buffer, false), type.dtype, linear(at, it->second.layout), mask,
                        existence_floor(type.shape));
  }
  const Op& op = *f_.def_of(v);
  switch (op.def->kind) {
    case OpKind::Constant: return literal(op, v, at, mask);
    case OpKind::Iota: return iota(op, v, at);
    case OpKind::Index: return indexed(op, v, at, mask);
    case OpKind::Elementwise: return elementwise(op, v, at, mask);
    case OpKind::Reduction:
    case OpKind::Scatter:
    case OpKind::Scan:
    case OpKind::Composite:
    case OpKind::Library:
    case OpKind::Control: break;  // computed elsewhere: placed or defined before they are asked for
  }
  return {};
}

}  // namespace frit::passes
