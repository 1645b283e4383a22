// expand_functions: replaces the math functions in kernels by their expansions over the primitive scalar ops (ir/math).
// A target without fused multiply-add gets its own expansions.
//
// It also drops scalar instructions whose results have no use. Constants are shared within a body and with the bodies
// inside it.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "ir/kernel/reads.h"
#include "passes/simplify/fold.h"

namespace frit::passes {
namespace {

using namespace ir;

// Finds the values that are numbers of a 16-bit type, and those that are only rounded to one.
class NarrowValues {
 public:
  explicit NarrowValues(const Kernel& kernel) : from_(kernel.reg_types.size(), float32), to_(kernel.reg_types.size()) {
    each_read(kernel.body, [&](Reg r, const Instr& by) {
      const auto* scalar = std::get_if<ScalarInstr>(&by.node);
      const bool cast = scalar && scalar->op == ScalarOp::Cast;
      if (cast && is_narrow(kernel.reg_types[r])) from_[scalar->result] = kernel.reg_types[r];
      const Dtype as = cast && is_narrow(scalar->type) ? scalar->type : float32;
      to_[r] = !to_[r] || *to_[r] == as ? as : float32;
    });
  }

  // The type that the operands of `call` come from and to which its result is rounded; else f32.
  Dtype of(const ScalarInstr& call) const {
    const std::optional<Dtype> to = to_[call.result];
    if (!to || call.type != float32) return float32;
    for (int i = 0; i < arity(call.op); ++i)
      if (from_[call.args[static_cast<size_t>(i)]] != *to) return float32;
    return *to;
  }

 private:
  static bool is_narrow(Dtype type) { return type == float16 || type == bfloat16; }

  std::vector<Dtype> from_;
  std::vector<std::optional<Dtype>> to_;
};

class FunctionExpander {
 public:
  FunctionExpander(Kernel& kernel, Arithmetic arithmetic) : kernel_(kernel), arithmetic_(arithmetic), narrow_(kernel) {}

  // Returns the number of functions expanded.
  size_t run() {
    expand(kernel_.body);
    return expanded_;
  }

 private:
  using Constants = std::map<std::pair<Dtype::Val, uint64_t>, Reg>;

  // `constants_` holds the constants defined so far by this body and those around it.
  void expand(Body& body) {
    Constants outer = constants_;
    Body result;
    result.reserve(body.size());
    for (Instr& instr : body) {
      if (auto* loop = std::get_if<Loop>(&instr.node)) {
        expand(loop->body);
      } else if (auto* scalar = std::get_if<ScalarInstr>(&instr.node)) {
        if (is_expanded(scalar->op)) {
          expand_call(*scalar, result);
          continue;
        }
        if (scalar->op == ScalarOp::Const) constants_.try_emplace({scalar->type.val(), scalar->imm}, scalar->result);
      }
      result.push_back(std::move(instr));
    }
    body = std::move(result);
    constants_ = std::move(outer);
  }

  void expand_call(const ScalarInstr& call, Body& out) {
    std::vector<ScalarNode> nodes;
    ScalarBuilder builder(nodes);
    std::vector<uint32_t> args;
    for (int i = 0; i < arity(call.op); ++i)
      args.push_back(builder.input(kernel_.reg_types[call.args[static_cast<size_t>(i)]], static_cast<uint32_t>(i)));
    uint32_t last = expand_function(builder, call.op, args, arithmetic_, narrow_.of(call));
    std::vector<Reg> regs(nodes.size());
    for (uint32_t i = 0; i <= last; ++i) {
      const ScalarNode& node = nodes[i];
      if (node.op == ScalarOp::Input) {
        regs[i] = call.args[node.imm];
        continue;
      }
      if (node.op == ScalarOp::Const && i != last) {
        auto [known, added] = constants_.try_emplace({node.type.val(), node.imm}, kNoReg);
        if (added) {
          known->second = kernel_.new_reg(node.type);
          kernel_.set_origin(known->second, kernel_.origin(call.result));
          out.push_back({ScalarInstr{known->second, ScalarOp::Const, node.type, {kNoReg, kNoReg, kNoReg}, node.imm}});
        }
        regs[i] = known->second;
        continue;
      }
      ScalarInstr instr{
          i == last ? call.result : kernel_.new_reg(node.type), node.op, node.type, {kNoReg, kNoReg, kNoReg}, node.imm};
      for (size_t k = 0; k < static_cast<size_t>(arity(node.op)); ++k) instr.args[k] = regs[node.args[k]];
      regs[i] = instr.result;
      kernel_.set_origin(instr.result, kernel_.origin(call.result));
      out.push_back({instr});
    }
    ++expanded_;
  }

  Kernel& kernel_;
  Arithmetic arithmetic_;
  NarrowValues narrow_;
  Constants constants_;
  size_t expanded_ = 0;
};

// Walks backwards, so that one walk finds all dead instructions: registers are defined before they are used.
class DeadScalars {
 public:
  explicit DeadScalars(Kernel& kernel) : kernel_(kernel), used_(kernel.reg_types.size()) {}

  size_t run() {
    sweep(kernel_.body);
    return removed_;
  }

 private:
  void use(Reg r) {
    if (r != kNoReg) used_[r] = true;
  }

  // Records the registers that a live instruction uses; returns false for a dead one.
  bool keep(Instr& instr) {
    if (auto* scalar = std::get_if<ScalarInstr>(&instr.node)) {
      if (!used_[scalar->result]) return false;
      for (Reg r : scalar->args) use(r);
    } else if (auto* index = std::get_if<IndexInstr>(&instr.node)) {
      return used_[index->result];
    } else if (auto* bind = std::get_if<BindInstr>(&instr.node)) {
      use(bind->value);
    } else if (auto* load = std::get_if<LoadInstr>(&instr.node)) {
      use(load->mask);
    } else if (auto* store = std::get_if<StoreInstr>(&instr.node)) {
      use(store->value);
      use(store->mask);
    } else if (auto* loop = std::get_if<Loop>(&instr.node)) {
      for (const Accumulator& a : loop->accumulators) {
        use(a.value);
        use(a.position);
      }
      for (const Carry& c : loop->carries) use(c.next);
      sweep(loop->body);
    }
    return true;
  }

  void sweep(Body& body) {
    Body kept;
    kept.reserve(body.size());
    for (size_t i = body.size(); i-- > 0;) {
      if (keep(body[i]))
        kept.push_back(std::move(body[i]));
      else
        ++removed_;
    }
    std::reverse(kept.begin(), kept.end());
    body = std::move(kept);
  }

  Kernel& kernel_;
  std::vector<bool> used_;
  size_t removed_ = 0;
};

Result<bool> run_expand_functions(Function& f, PassContext& context) {
  bool changed = false;
  for (Kernel& kernel : f.program->kernels) {
    size_t expanded = FunctionExpander(kernel, arithmetic_of(context.target)).run();
    size_t removed = DeadScalars(kernel).run();
    changed = changed || expanded > 0 || removed > 0;
  }
  return changed;
}

const RegisterPass expand_functions_pass({
    .name = "expand_functions",
    .doc = "replaces math functions in kernels by primitive scalar ops",
    .needs = Level::Scheduled,
    .most = Level::Scheduled,
    .gives = Level::Legal,
    .run = run_expand_functions,
});

}  // namespace
}  // namespace frit::passes
