// Locals of a row that lie nowhere: an element is computed again where it is read, from memory that the kernel only
// reads. That takes less than a row of its own in memory for each workgroup, which pushes the operands out of the
// cache.
#include <algorithm>
#include <map>

#include "codegen/glsl/emitter.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

namespace {

// Work beyond which memory is quicker.
constexpr size_t kMostInstructions = 96, kMostLoads = 3;

// The instructions that give each register, of a body without those of its loops.
void add_results(const ir::Body& body, std::map<ir::Reg, const ir::Instr*>& results) {
  for (const ir::Instr& i : body) {
    if (auto* s = std::get_if<ir::ScalarInstr>(&i.node)) results[s->result] = &i;
    if (auto* x = std::get_if<ir::IndexInstr>(&i.node)) results[x->result] = &i;
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) results[l->result] = &i;
    if (auto* loop = std::get_if<ir::Loop>(&i.node))
      for (const ir::Accumulator& a : loop->accumulators) results[a.result] = &i;
  }
}

// The loads and stores of a local, each with the loop around it and the loops around that.
struct Access {
  const ir::Instr* instr;
  std::vector<const ir::Loop*> around;
};
void find_accesses(const ir::Body& body, uint32_t buffer, std::vector<const ir::Loop*>& around,
                   std::vector<Access>& accesses) {
  for (const ir::Instr& i : body) {
    const auto* l = std::get_if<ir::LoadInstr>(&i.node);
    const auto* s = std::get_if<ir::StoreInstr>(&i.node);
    if ((l && l->buffer == buffer) || (s && s->buffer == buffer)) accesses.push_back({&i, around});
    if (auto* loop = std::get_if<ir::Loop>(&i.node)) {
      around.push_back(loop);
      find_accesses(loop->body, buffer, around, accesses);
      around.pop_back();
    }
  }
}

// Registers of the loop's body that `r` follows from, and those from outside of it.
void add_needed(ir::Reg r, const std::map<ir::Reg, const ir::Instr*>& inside, std::set<const ir::Instr*>& needed,
                std::set<ir::Reg>& outside) {
  const auto found = inside.find(r);
  if (found == inside.end()) {
    outside.insert(r);
    return;
  }
  if (!needed.insert(found->second).second) return;
  if (auto* s = std::get_if<ir::ScalarInstr>(&found->second->node))
    for (int i = 0; i < ir::arity(s->op); ++i) add_needed(s->args[static_cast<size_t>(i)], inside, needed, outside);
}

std::set<const ir::Instr*> slice_of(const ir::Loop& loop, ir::Reg value, std::set<ir::Reg>& outside) {
  std::map<ir::Reg, const ir::Instr*> inside;
  add_results(loop.body, inside);
  std::set<const ir::Instr*> needed;
  add_needed(value, inside, needed, outside);
  return needed;
}

// Whether the loop stores to more than locals. Such a store may take over the memory of a buffer that the loop reads
// (passes/schedule/plan_buffers.cpp); of buffers that other loops read, none may.
bool stores_results(const ir::Loop& loop, size_t buffers) {
  return std::any_of(loop.body.begin(), loop.body.end(), [&](const ir::Instr& i) {
    const auto* s = std::get_if<ir::StoreInstr>(&i.node);
    return s && s->buffer < buffers;
  });
}

bool uses_any(const Dim& d, const std::vector<const ir::Loop*>& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const ir::Loop* l) { return d.uses(l->var); });
}

}  // namespace

// The locals whose elements can be computed again at every load: each is stored once, at a position that counts with
// the loop's variable, and follows from that position, from values of the row and from buffers that are only read.
void KernelEmitter::find_producers(const ir::Body& row, const ir::Loop* rows) {
  std::map<ir::Reg, const ir::Instr*> of_row;
  add_results(row, of_row);
  if (rows) add_results(k_.body, of_row);
  for (size_t i = 0; i < k_.locals.size(); ++i) {
    const auto local = static_cast<uint32_t>(k_.buffers.size() + i);
    std::vector<const ir::Loop*> around;
    std::vector<Access> accesses;
    find_accesses(row, local, around, accesses);
    const auto is_store = [](const Access& a) { return std::holds_alternative<ir::StoreInstr>(a.instr->node); };
    const auto stored = std::find_if(accesses.begin(), accesses.end(), is_store);
    if (stored == accesses.end() || std::count_if(accesses.begin(), accesses.end(), is_store) != 1) continue;
    const auto& store = std::get<ir::StoreInstr>(stored->instr->node);
    if (store.mask != ir::kNoReg || stored->around.empty()) continue;
    const ir::Loop& loop = *stored->around.back();
    const auto along = store.index.affine_in(loop.var);
    if (!along || !along->coefficient.is(1) || stores_results(loop, k_.buffers.size())) continue;
    std::set<ir::Reg> outside;
    const std::set<const ir::Instr*> slice = slice_of(loop, store.value, outside);
    bool possible = slice.size() <= kMostInstructions &&
                    std::all_of(outside.begin(), outside.end(), [&](ir::Reg r) { return of_row.count(r) != 0; });
    size_t loads = 0;
    const Dim before = Dim::symbol(loop.var) - store.index;
    for (const ir::Instr* part : slice) {
      auto* l = std::get_if<ir::LoadInstr>(&part->node);
      auto* x = std::get_if<ir::IndexInstr>(&part->node);
      possible = possible && !std::holds_alternative<ir::Loop>(part->node);
      if (l) {
        ++loads;
        const bool kept =
            l->buffer < k_.buffers.size() ? !k_.buffers[l->buffer].written : producers_.count(l->buffer) != 0;
        possible = possible && kept && l->mask == ir::kNoReg;
      }
      const std::string at = "#";
      if (l || x)
        possible = possible &&
                   !uses_any((l ? l->index : x->index).substitute(loop.var, before + Dim::symbol(at)), stored->around);
    }
    for (const Access& a : accesses)
      possible = possible && (is_store(a) || (std::get<ir::LoadInstr>(a.instr->node).mask == ir::kNoReg &&
                                              !a.around.empty() && a.around.back() != &loop));
    if (possible && loads <= kMostLoads) producers_[local] = {&loop, &store};
  }
}

bool KernelEmitter::can_compute_again(uint32_t local) const { return producers_.count(local) != 0; }

// Whether a load of the buffer computes here.
bool KernelEmitter::is_computed_again(uint32_t buffer) const {
  return memories_[buffer].again && (!memories_[buffer].registers || beyond_);
}

const KernelEmitter::Again& KernelEmitter::again_of(const ir::LoadInstr& load) {
  const auto [found, added] = agains_.try_emplace(&load);
  Again& again = found->second;
  if (!added) return again;
  const Producer& producer = producers_.at(load.buffer);
  std::set<ir::Reg> outside;
  const std::set<const ir::Instr*> slice = slice_of(*producer.loop, producer.store->value, outside);
  const std::string& var = producer.loop->var;
  const Dim place = Dim::symbol(var) - producer.store->index + load.index;
  for (const ir::Instr& i : producer.loop->body) {
    if (!slice.count(&i)) continue;
    again.instrs.push_back(&i);
    if (std::holds_alternative<ir::ScalarInstr>(i.node)) continue;
    ir::Instr moved = i;
    if (auto* l = std::get_if<ir::LoadInstr>(&moved.node)) l->index = l->index.substitute(var, place);
    if (auto* x = std::get_if<ir::IndexInstr>(&moved.node)) x->index = x->index.substitute(var, place);
    again.own.push_back(std::move(moved));
    again.instrs.back() = &again.own.back();
  }
  again.value = producer.store->value;
  return again;
}

// Computes the element that a load asks for. The registers of the producer's loop have other values in here.
void KernelEmitter::compute_again(const ir::LoadInstr& load) {
  const Again& again = again_of(load);
  const Dtype t = k_.reg_types[load.result];
  const std::string result = name_of(load.result);
  line((is_float(t) ? "precise " : "") + std::string(register_type(t)) + " " + result + ";");
  open("{");
  for (const ir::Instr* i : again.instrs) emit(*i, Context::Invocation);
  line(result + " = " + regs_[again.value] + ";");
  close();
  regs_[load.result] = result;
}

// The loads for such an element come before the work on a vector.
void KernelEmitter::plan_again(VectorLoop& v, const ir::LoadInstr& load, bool ahead) {
  for (const ir::Instr* i : again_of(load).instrs) {
    auto* l = std::get_if<ir::LoadInstr>(&i->node);
    if (!l) continue;
    if (is_computed_again(l->buffer)) {
      plan_again(v, *l, ahead);
      continue;
    }
    const bool single = ahead && v.vector == 1 && l->buffer < k_.buffers.size() && l->index.uses(v.loop.var);
    if (single || is_wide(l->buffer, l->index, v.loop, v.vector))
      v.again.push_back({i, l->buffer, &l->index, name_of(l->result) + "g" + std::to_string(v.again.size()),
                         ahead ? v.base : "", single ? 1 : v.vector});
  }
}

}  // namespace frit::codegen::glsl
