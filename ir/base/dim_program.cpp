// Compiles Dims to postfix programs, checks programs that were read, and evaluates them.
#include "ir/base/dim_program.h"

#include <algorithm>

#include "ir/base/dim_atoms.h"

namespace frit {

DimProgram::DimProgram(int64_t constant) : code_{{Op::Const, constant}}, depth_(1) {}

DimProgram::DimProgram(const Dim& d, const std::function<int(const std::string&)>& slot_of) {
  emit(d, slot_of);
  int depth = 0;
  for (const Instr& i : code_) {
    depth += i.op == Op::Const || i.op == Op::Slot ? 1 : -1;
    depth_ = std::max(depth_, depth);
  }
}

std::optional<DimProgram> DimProgram::from(std::vector<Instr> code, int slots) {
  DimProgram program;
  int depth = 0;
  for (const Instr& i : code) {
    if (i.op > Op::Max) return std::nullopt;
    if (i.op == Op::Const || i.op == Op::Slot) {
      if (i.op == Op::Slot && (i.value < 0 || i.value >= slots)) return std::nullopt;
      program.depth_ = std::max(program.depth_, ++depth);
    } else {
      if (i.value != 0 || depth < 2) return std::nullopt;
      --depth;
    }
  }
  if (!code.empty() && depth != 1) return std::nullopt;
  program.code_ = std::move(code);
  return program;
}

void DimProgram::emit(const Dim& d, const std::function<int(const std::string&)>& slot_of) {
  if (d.is_const()) {
    code_.push_back({Op::Const, d.value()});
    return;
  }
  bool first = true;
  if (d.poly()->constant) {
    code_.push_back({Op::Const, d.poly()->constant});
    first = false;
  }
  for (const DimTerm& t : d.poly()->terms) {
    bool first_factor = t.coefficient == 1;
    if (!first_factor) code_.push_back({Op::Const, t.coefficient});
    for (const auto& atom : t.atoms) {
      if (atom->kind == AtomKind::Symbol) {
        code_.push_back({Op::Slot, slot_of(atom->name)});
      } else {
        emit(atom->args[0], slot_of);
        emit(atom->args[1], slot_of);
        Op op = atom->kind == AtomKind::FloorDiv ? Op::FloorDiv
                : atom->kind == AtomKind::Mod    ? Op::Mod
                : atom->kind == AtomKind::Min    ? Op::Min
                                                 : Op::Max;
        code_.push_back({op, 0});
      }
      if (!first_factor) code_.push_back({Op::Mul, 0});
      first_factor = false;
    }
    if (!first) code_.push_back({Op::Add, 0});
    first = false;
  }
}

DimProgram DimProgram::with_slots(const std::function<int64_t(int64_t)>& to) const {
  DimProgram other = *this;
  for (Instr& i : other.code_)
    if (i.op == Op::Slot) i.value = to(i.value);
  return other;
}

int64_t DimProgram::evaluate(const int64_t* slots) const {
  if (code_.empty()) return 0;
  if (code_.size() == 1) return code_[0].op == Op::Const ? code_[0].value : slots[code_[0].value];
  constexpr int kInline = 32;
  int64_t inline_stack[kInline];
  inline_stack[0] = 0;
  std::vector<int64_t> heap_stack;
  int64_t* stack = inline_stack;
  if (depth_ > kInline) {
    heap_stack.resize(depth_);
    stack = heap_stack.data();
  }
  int top = -1;
  for (const Instr& i : code_) {
    if (i.op == Op::Const) {
      stack[++top] = i.value;
      continue;
    }
    if (i.op == Op::Slot) {
      stack[++top] = slots[i.value];
      continue;
    }
    int64_t b = stack[top--];
    int64_t& a = stack[top];
    switch (i.op) {
      case Op::Add: a = add_int(a, b); break;
      case Op::Mul: a = mul_int(a, b); break;
      case Op::FloorDiv: a = b ? floor_div_int(a, b) : 0; break;
      case Op::Mod: a = b ? mod_int(a, b) : 0; break;
      case Op::Min: a = std::min(a, b); break;
      case Op::Max: a = std::max(a, b); break;
      case Op::Const:
      case Op::Slot: break;
    }
  }
  return stack[0];
}

}  // namespace frit
