// Builds one kernel, instruction by instruction.
#include "passes/lower/kernel_builder.h"

#include <algorithm>

namespace frit::passes {

using namespace ir;

namespace {

void collect_symbols(const Body& body, std::vector<std::string>& names) {
  for (const Instr& i : body) {
    if (auto* l = std::get_if<LoadInstr>(&i.node)) l->index.collect_symbols(names);
    if (auto* s = std::get_if<StoreInstr>(&i.node)) s->index.collect_symbols(names);
    if (auto* x = std::get_if<IndexInstr>(&i.node)) x->index.collect_symbols(names);
    if (auto* b = std::get_if<BindInstr>(&i.node)) b->low.collect_symbols(names), b->high.collect_symbols(names);
    if (auto* loop = std::get_if<Loop>(&i.node)) {
      loop->extent.collect_symbols(names);
      collect_symbols(loop->body, names);
    }
  }
}

}  // namespace

KernelBuilder::KernelBuilder(const Function& f, Program& program, std::string name)
    : f_(f), program_(program), facts_(f.facts) {
  kernel_.name = std::move(name);
  scopes_.emplace_back();
}

std::string KernelBuilder::fresh(const std::string& hint) {
  // Names are never given back, so the search goes on where it ended.
  int& next = next_[hint];
  std::string name;
  do {
    name = next == 0 ? hint : hint + std::to_string(next);
    ++next;
  } while (is_symbol(name) || !taken_.insert(name).second);
  return name;
}

bool KernelBuilder::is_symbol(const std::string& name) const {
  return std::binary_search(program_.symbols.begin(), program_.symbols.end(), name);  // as Function::symbols gives them
}

std::string KernelBuilder::open_loop(const std::string& hint, const Dim& extent, LoopOptions options) {
  Loop loop;
  loop.var = fresh(hint);
  loop.extent = extent;
  loop.kind = options.kind;
  loop.vector = options.vector;
  loop.unroll = options.unroll;
  loop.lanes = options.lanes;
  facts_.set_loop(loop.var, loop.extent);
  scopes_.emplace_back();
  scopes_.back().loop = std::move(loop);
  var_depth_[scopes_.back().loop->var] = innermost();
  return scopes_.back().loop->var;
}

void KernelBuilder::declare(const std::string& var, const Dim& extent) { facts_.set_loop(var, extent); }

Reg KernelBuilder::accumulate(Combine combine, Dtype type, Reg value, Reg position) {
  const bool arg = combine == Combine::ArgMax || combine == Combine::ArgMin;
  const Reg result = new_reg(arg ? int64 : type, innermost() - 1);
  scopes_.back().loop->accumulators.push_back({combine, type, value, result, position});
  return result;
}

Reg KernelBuilder::carry(Dtype type, uint64_t initial) {
  const Reg value = new_reg(type, innermost());
  scopes_.back().loop->carries.push_back({type, initial, value});
  return value;
}

void KernelBuilder::set_next(Reg carry, Reg next) {
  for (Carry& c : scopes_.back().loop->carries)
    if (c.value == carry) c.next = next;
}

void KernelBuilder::close_loop() {
  Scope scope = std::move(scopes_.back());
  scopes_.pop_back();
  scope.loop->body = std::move(scope.body);
  scopes_.back().body.push_back({std::move(*scope.loop)});
}

uint32_t KernelBuilder::buffer(uint32_t program_buffer, bool written) {
  auto [it, added] = slots_.try_emplace(program_buffer, static_cast<uint32_t>(kernel_.buffers.size()));
  if (added) {
    const ProgramBuffer& b = program_.buffers[program_buffer];
    const bool complex = is_complex(b.dtype);
    kernel_.buffers.push_back({b.name, complex ? float32 : b.dtype, complex ? b.size * Dim(2) : b.size});
    bound_.push_back(program_buffer);
  }
  (written ? kernel_.buffers[it->second].written : kernel_.buffers[it->second].read) = true;
  return it->second;
}

uint32_t KernelBuilder::local(const std::string& name, Dtype dtype, const Dim& elements) {
  const bool complex = is_complex(dtype);
  kernel_.locals.push_back({name, complex ? float32 : dtype, complex ? elements * Dim(2) : elements, true, true});
  return kLocalBase + static_cast<uint32_t>(kernel_.locals.size() - 1);
}

Dtype KernelBuilder::element_type(uint32_t buffer) const {
  return is_local(buffer) ? kernel_.locals[buffer - kLocalBase].dtype : kernel_.buffers[buffer].dtype;
}

Reg KernelBuilder::new_reg(Dtype type, int depth) {
  reg_depth_.push_back(depth == kInnermost ? innermost() : depth);
  const Reg r = kernel_.new_reg(type);
  kernel_.set_origin(r, origin_);
  return r;
}

Reg KernelBuilder::scalar(ScalarOp op, Dtype type, std::array<Reg, 3> args, uint64_t imm, int depth) {
  const Reg r = new_reg(type, depth);
  body(depth).push_back({ScalarInstr{r, op, type, args, imm}});
  return r;
}

Reg KernelBuilder::cast(Reg r, Dtype type, int depth) {
  return reg_type(r) == type ? r : scalar(ScalarOp::Cast, type, {r, kNoReg, kNoReg}, 0, depth);
}

Reg KernelBuilder::index(const Dim& d, int depth) {
  const Reg r = new_reg(int64, depth);
  body(depth).push_back({IndexInstr{r, d}});
  return r;
}

std::string KernelBuilder::bind(const std::string& hint, Reg value, const Dim& extent, int depth) {
  // Where there are no positions, nothing that uses the name runs. The range must have one even so, and hold the value.
  const bool none = extent.is(0);
  BindInstr bind{fresh(hint), none ? index(0, depth) : value, 0, none ? Dim(0) : extent - Dim(1)};
  add_binding(facts_, bind);
  var_depth_[bind.name] = depth == kInnermost ? innermost() : depth;
  body(depth).push_back({bind});
  return bind.name;
}

Reg KernelBuilder::load(uint32_t buffer, Dtype type, const Dim& at, Reg mask, int depth) {
  const Reg r = new_reg(type, depth);
  body(depth).push_back({LoadInstr{r, buffer, at, mask}});
  return r;
}

void KernelBuilder::store(uint32_t buffer, const Dim& at, Reg value, Reg mask) {
  body(kInnermost).push_back({StoreInstr{buffer, at, value, mask, false}});
}

const Loop* KernelBuilder::loop(int depth) const {
  const Scope& scope = scopes_[static_cast<size_t>(depth)];
  return scope.loop ? &*scope.loop : nullptr;
}

int KernelBuilder::depth_of(const Dim& d) const {
  std::vector<std::string> names;
  d.collect_symbols(names);
  int depth = 0;
  for (const std::string& n : names)
    if (auto it = var_depth_.find(n); it != var_depth_.end()) depth = std::max(depth, it->second);
  return depth;
}

void KernelBuilder::renumber_locals(Body& body) const {
  const auto first = static_cast<uint32_t>(kernel_.buffers.size());
  auto renumber = [&](uint32_t& buffer) {
    if (is_local(buffer)) buffer = buffer - kLocalBase + first;
  };
  for (Instr& i : body) {
    if (auto* l = std::get_if<LoadInstr>(&i.node)) renumber(l->buffer);
    if (auto* s = std::get_if<StoreInstr>(&i.node)) renumber(s->buffer);
    if (auto* loop = std::get_if<Loop>(&i.node)) renumber_locals(loop->body);
  }
}

KernelStep KernelBuilder::finish() {
  kernel_.body = std::move(scopes_[0].body);
  renumber_locals(kernel_.body);
  for (KernelBuffer& local : kernel_.locals) {
    auto taken = [&](const KernelBuffer& b) { return &b != &local && b.name == local.name; };
    while (std::any_of(kernel_.buffers.begin(), kernel_.buffers.end(), taken) ||
           std::any_of(kernel_.locals.begin(), kernel_.locals.end(), taken))
      local.name += "_";
  }
  // The symbols that positions, extents and sizes use, apart from loop variables.
  std::vector<std::string> names;
  collect_symbols(kernel_.body, names);
  for (const auto* list : {&kernel_.buffers, &kernel_.locals})
    for (const KernelBuffer& b : *list) b.size.collect_symbols(names);
  for (const std::string& n : names)
    if (is_symbol(n)) kernel_.symbols.push_back(n);
  kernel_.facts = f_.facts;
  std::vector<uint32_t> ops;
  for (uint32_t op : kernel_.origins)
    if (op != Kernel::kNoOp) ops.push_back(op);
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  for (uint32_t op : ops)
    if (const SourceLoc& loc = f_.ops[op].loc; loc.known()) {
      kernel_.locs.push_back(loc);
      kernel_.op_locs.emplace_back(op, loc);
    }
  program_.kernels.push_back(std::move(kernel_));
  return {static_cast<uint32_t>(program_.kernels.size() - 1), bound_};
}

}  // namespace frit::passes
