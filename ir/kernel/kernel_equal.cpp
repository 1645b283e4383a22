// Equality of kernels up to the numbering of registers.
//
// Both kernels are walked in step. Each register of one is paired with the register of the other that is defined at the
// same place.
#include <algorithm>

#include "ir/kernel/kernel.h"

namespace frit::ir {

namespace {

class Matcher {
 public:
  Matcher(const Kernel& a, const Kernel& b, Constants constants)
      : a_(a), b_(b), constants_(constants), pairs_(a.reg_types.size(), kNoReg) {}

  bool bodies(const Body& a, const Body& b) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i].node.index() != b[i].node.index()) return false;
      bool same = std::visit([&](const auto& x) { return match(x, std::get<std::decay_t<decltype(x)>>(b[i].node)); },
                             a[i].node);
      if (!same) return false;
    }
    return true;
  }

 private:
  bool define(Reg a, Reg b) {
    if (a >= pairs_.size() || b >= b_.reg_types.size() || a_.reg_types[a] != b_.reg_types[b]) return false;
    pairs_[a] = b;
    return true;
  }
  bool use(Reg a, Reg b) const {
    if (a == kNoReg || b == kNoReg) return a == b;
    return a < pairs_.size() && pairs_[a] == b;
  }

  bool match(const ScalarInstr& a, const ScalarInstr& b) {
    if (a.op != b.op || a.type != b.type) return false;
    const bool free = constants_ == Constants::Ignored && a.op == ScalarOp::Const;
    if (!free && a.imm != b.imm) return false;
    for (size_t i = 0; i < static_cast<size_t>(arity(a.op)); ++i)
      if (!use(a.args[i], b.args[i])) return false;
    return define(a.result, b.result);
  }
  bool match(const IndexInstr& a, const IndexInstr& b) { return a.index == b.index && define(a.result, b.result); }
  bool match(const BindInstr& a, const BindInstr& b) {
    return a.name == b.name && use(a.value, b.value) && a.low == b.low && a.high == b.high;
  }
  bool match(const LoadInstr& a, const LoadInstr& b) {
    return a.buffer == b.buffer && a.index == b.index && use(a.mask, b.mask) && define(a.result, b.result);
  }
  bool match(const StoreInstr& a, const StoreInstr& b) {
    return a.buffer == b.buffer && a.index == b.index && a.stream == b.stream && use(a.value, b.value) &&
           use(a.mask, b.mask);
  }
  bool match(const Loop& a, const Loop& b) {
    if (a.var != b.var || !(a.extent == b.extent) || a.kind != b.kind || a.vector != b.vector || a.unroll != b.unroll ||
        a.lanes != b.lanes || !(a.grain == b.grain) || a.accumulators.size() != b.accumulators.size() ||
        a.carries.size() != b.carries.size())
      return false;
    for (size_t i = 0; i < a.carries.size(); ++i)
      if (a.carries[i].initial != b.carries[i].initial || !define(a.carries[i].value, b.carries[i].value)) return false;
    if (!bodies(a.body, b.body)) return false;
    for (size_t i = 0; i < a.carries.size(); ++i)
      if (!use(a.carries[i].next, b.carries[i].next)) return false;
    for (size_t i = 0; i < a.accumulators.size(); ++i) {
      const Accumulator &x = a.accumulators[i], &y = b.accumulators[i];
      if (x.combine != y.combine || x.type != y.type || !use(x.value, y.value) || !use(x.position, y.position) ||
          !define(x.result, y.result))
        return false;
    }
    return true;
  }

  const Kernel &a_, &b_;
  Constants constants_;
  std::vector<Reg> pairs_;  // indexed by a's registers
};

bool same_buffers(const std::vector<KernelBuffer>& a, const std::vector<KernelBuffer>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (a[i].name != b[i].name || a[i].dtype != b[i].dtype || !(a[i].size == b[i].size) ||
        a[i].written != b[i].written || a[i].read != b[i].read)
      return false;
  return true;
}

// The conditions about the kernel's own symbols. The body implies the others, which passes wrote there.
std::vector<DimCondition> conditions(const Kernel& k) {
  std::vector<DimCondition> out;
  for (const DimCondition& c : k.facts.conditions())
    if (c.uses_only(k.symbols)) out.push_back(c);
  return out;
}

bool same_facts(const Kernel& a, const Kernel& b) {
  return conditions(a) == conditions(b) && std::all_of(a.symbols.begin(), a.symbols.end(), [&](const std::string& n) {
           DimRange x = a.facts.range(Dim::symbol(n)), y = b.facts.range(Dim::symbol(n));
           return x.low == y.low && x.high == y.high && a.facts.multiple(n) == b.facts.multiple(n);
         });
}

// Hashes operations, types and positions. Registers are left out, as their numbers are free.
class StructureHasher {
 public:
  void body(const Body& body) {
    for (const Instr& i : body) {
      hasher_.add(i.node.index());
      std::visit([&](const auto& x) { add(x); }, i.node);
    }
    hasher_.add(body.size());
  }
  void add(const std::vector<KernelBuffer>& buffers) {
    for (const KernelBuffer& b : buffers) {
      hasher_.add(short_name(b.dtype));
      b.size.hash_into(hasher_);
    }
  }
  uint64_t finish() const { return hasher_.finish().low; }

 private:
  void add(const ScalarInstr& s) {
    hasher_.add(s.op);
    hasher_.add(short_name(s.type));
  }
  void add(const IndexInstr& s) { s.index.hash_into(hasher_); }
  void add(const BindInstr& s) { hasher_.add(std::string_view(s.name)); }
  void add(const LoadInstr& s) {
    hasher_.add(s.buffer);
    s.index.hash_into(hasher_);
  }
  void add(const StoreInstr& s) {
    hasher_.add(s.buffer);
    s.index.hash_into(hasher_);
  }
  void add(const Loop& l) {
    hasher_.add(std::string_view(l.var));
    l.extent.hash_into(hasher_);
    for (const Accumulator& a : l.accumulators) hasher_.add(a.combine);
    body(l.body);
  }

  Hasher hasher_;
};

}  // namespace

bool equal(const Kernel& a, const Kernel& b, Constants constants) {
  return a.name == b.name && a.symbols == b.symbols && same_buffers(a.buffers, b.buffers) &&
         same_buffers(a.locals, b.locals) && same_facts(a, b) && Matcher(a, b, constants).bodies(a.body, b.body);
}

uint64_t structure_hash(const Kernel& k) {
  StructureHasher hasher;
  hasher.add(k.buffers);
  hasher.add(k.locals);
  hasher.body(k.body);
  return hasher.finish();
}

}  // namespace frit::ir
