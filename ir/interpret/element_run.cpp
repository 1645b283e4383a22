// Looks up the function of every node once, and keeps the values of a program between elements.
#include "ir/interpret/element_run.h"

#include <cstdlib>

namespace frit::ir {

ElementRun::ElementRun(const ScalarProgram& program)
    : values_(program.nodes.size()), results_(program.results.size()), result_values_(program.results) {
  for (uint32_t i = 0; i < program.nodes.size(); ++i) {
    const ScalarNode& n = program.nodes[i];
    if (n.op == ScalarOp::Input) {
      inputs_.emplace_back(i, n.imm);
      continue;
    }
    if (n.op == ScalarOp::Const) {
      values_[i] = evaluate(n.op, n.type, {}, {}, n.imm);
      continue;
    }
    Step s{nullptr, n.op, static_cast<uint8_t>(arity(n.op)), n.type, {float32, float32, float32}, n.args, i};
    for (size_t a = 0; a < s.arity; ++a) s.types[a] = program.nodes[n.args[a]].type;
    if (!types_fit(n.op, n.type, std::span(s.types).first(s.arity))) std::abort();
    if (!is_expanded(n.op)) s.function = primitive_function(n.op, n.type, s.types[n.op == ScalarOp::Select ? 1 : 0]);
    steps_.push_back(s);
  }
}

std::span<const uint64_t> ElementRun::operator()(std::span<const uint64_t> inputs) {
  for (const auto& [value, input] : inputs_) values_[value] = inputs[input];
  for (const Step& s : steps_) {
    std::array<uint64_t, 3> args{};
    for (size_t a = 0; a < s.arity; ++a) args[a] = values_[s.args[a]];
    values_[s.result] = s.function ? s.function(args.data())
                                   : evaluate(s.op, s.type, std::span(s.types).first(s.arity),
                                              std::span(args).first(s.arity), 0, FunctionSource::Libm);
  }
  for (size_t r = 0; r < results_.size(); ++r) results_[r] = values_[result_values_[r]];
  return results_;
}

}  // namespace frit::ir
