// Control flow: the rows of cond, while_loop and scan.
#include "ir/graph/control.h"
#include "ir/ops/rules.h"

namespace frit::ir {
namespace {

std::string counted(size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

std::string who(std::string_view op, std::string_view region) {
  return "op '" + std::string(op) + "': its '" + std::string(region) + "'";
}

bool same_type(const Type& a, const Type& b, const DimFacts& facts) {
  return a.dtype == b.dtype && same_shape(a.shape, b.shape, facts);
}

// Whether a region takes values of these types.
Status check_params(const std::string& subject, const Function& region, std::span<const Type> given,
                    const DimFacts& facts) {
  if (region.params.size() != given.size())
    return Diagnostic(
        subject + " takes " + counted(region.params.size(), "value") + ", but is given " + std::to_string(given.size()),
        {}, "give the region one parameter for each operand that it is run on");
  for (size_t i = 0; i < given.size(); ++i)
    if (const Type& takes = region.type(region.params[i]); !same_type(takes, given[i], facts))
      return Diagnostic(
          subject + " takes " + takes.str() + " as value " + std::to_string(i) + ", but is given " + given[i].str(), {},
          "make the types equal with 'astype' and 'broadcast_to'");
  return {};
}

// Whether the first results of a region have the types of a loop's state.
Status check_state(const std::string& subject, const Function& region, std::span<const Type> state,
                   const DimFacts& facts) {
  if (region.results.size() < state.size())
    return Diagnostic(subject + " gives " + counted(region.results.size(), "result") + " for a state of " +
                          counted(state.size(), "value"),
                      {}, "give the next value of each value of the state");
  for (size_t i = 0; i < state.size(); ++i)
    if (const Type& next = region.type(region.results[i]); !same_type(next, state[i], facts))
      return Diagnostic(subject + " changes value " + std::to_string(i) + " of the state from " + state[i].str() +
                            " to " + next.str(),
                        {}, "keep the type with 'astype' and the shape with 'broadcast', or begin with the other type");
  return {};
}

// The division of the operands, which must fit their number.
Result<LoopParts> parts_of(std::string_view op, const InferArgs& args) {
  for (const char* name : {"carried", "scanned"}) {
    const Dim n = args.attrs.get_dim(name);
    if (!n.is_const() || n.value() < 0 || n.value() > static_cast<int64_t>(args.operands.size()))
      return Diagnostic("op '" + std::string(op) + "' has " + n.str() + " operands that are '" + name + "' among " +
                        std::to_string(args.operands.size()));
  }
  const LoopParts parts(args.attrs, args.operands.size());
  if (parts.carried + parts.scanned > args.operands.size())
    return Diagnostic("op '" + std::string(op) + "' divides " + std::to_string(args.operands.size()) +
                      " operands into more parts");
  return parts;
}

std::vector<Type> result_types_of(const Function& region, size_t first, size_t count) {
  std::vector<Type> types;
  for (size_t i = first; i < first + count; ++i) types.push_back(region.type(region.results[i]));
  return types;
}

Result<std::vector<Type>> infer_cond(const InferArgs& args) {
  if (args.operands.empty() || args.operands[0] != Type{bool_, {}})
    return Diagnostic("op 'cond' needs a predicate of type bool[]" +
                          (args.operands.empty() ? std::string() : ", but got " + args.operands[0].str()),
                      {}, "compare with a number, and reduce with 'all' or 'any'");
  const Function &yes = args.attrs.get_region("then"), &no = args.attrs.get_region("else");
  FRIT_TRY(check_params(who("cond", "then"), yes, args.operands.subspan(1), args.facts));
  FRIT_TRY(check_params(who("cond", "else"), no, args.operands.subspan(1), args.facts));
  if (yes.results.size() != no.results.size())
    return Diagnostic("op 'cond': its 'then' gives " + counted(yes.results.size(), "result") + ", and its 'else' " +
                          std::to_string(no.results.size()),
                      {}, "give the same results in both");
  for (size_t i = 0; i < yes.results.size(); ++i) {
    const Type &a = yes.type(yes.results[i]), &b = no.type(no.results[i]);
    if (!same_type(a, b, args.facts))
      return Diagnostic(
          "op 'cond': result " + std::to_string(i) + " of its 'then' is " + a.str() + ", and of its 'else' " + b.str(),
          {}, "make the types equal with 'astype' and 'broadcast_to'");
  }
  return result_types_of(yes, 0, yes.results.size());
}

Result<std::vector<Type>> infer_while(const InferArgs& args) {
  FRIT_ASSIGN_OR_RETURN(parts, parts_of("while_loop", args));
  const Function &cond = args.attrs.get_region("cond"), &body = args.attrs.get_region("body");
  FRIT_TRY(check_params(who("while_loop", "cond"), cond, args.operands, args.facts));
  FRIT_TRY(check_params(who("while_loop", "body"), body, args.operands, args.facts));
  if (cond.results.size() != 1 || cond.type(cond.results[0]) != Type{bool_, {}}) {
    std::string gives;
    for (ValueId r : cond.results) gives += (gives.empty() ? "" : ", ") + cond.type(r).str();
    return Diagnostic("op 'while_loop': its 'cond' must give one bool[], but gives " +
                          (gives.empty() ? std::string("nothing") : gives),
                      {}, "compare with a number, and reduce with 'all' or 'any'");
  }
  const auto state = args.operands.first(parts.carried);
  FRIT_TRY(check_state(who("while_loop", "body"), body, state, args.facts));
  if (body.results.size() != parts.carried)
    return Diagnostic("op 'while_loop': its 'body' gives " + counted(body.results.size(), "result") +
                          " for a state of " + counted(parts.carried, "value"),
                      {}, "give the next value of each value of the state");
  return std::vector<Type>(state.begin(), state.end());
}

Result<std::vector<Type>> infer_region_scan(const InferArgs& args) {
  FRIT_ASSIGN_OR_RETURN(parts, parts_of("scan", args));
  const Dim length = args.attrs.get_dim("length");
  if (args.facts.range(length).low < 0)
    return Diagnostic("op 'scan' has length " + length.str() + ", which may be negative");
  std::vector<Type> given(args.operands.begin(), args.operands.end());
  for (size_t i = parts.carried; i < parts.first_captured(); ++i) {
    if (given[i].rank() == 0 || !rules::same_size(given[i].shape[0], length, args.facts))
      return Diagnostic("op 'scan' runs over " + length.str() + " positions, but operand " + std::to_string(i) +
                            " is " + given[i].str(),
                        {}, "give arrays of that size along axis 0");
    given[i] = element_of(given[i]);
  }
  const Function& body = args.attrs.get_region("body");
  FRIT_TRY(check_params(who("scan", "body"), body, given, args.facts));
  const auto state = args.operands.first(parts.carried);
  FRIT_TRY(check_state(who("scan", "body"), body, state, args.facts));
  std::vector<Type> types(state.begin(), state.end());
  for (const Type& element : result_types_of(body, parts.carried, body.results.size() - parts.carried))
    types.push_back(stacked(element, length));
  return types;
}

AttrSpec region(std::string_view name, std::string_view doc) {
  return {.name = name, .kind = AttrKind::Region, .doc = doc};
}
AttrSpec number(std::string_view name, std::string_view doc) {
  return {.name = name, .kind = AttrKind::Int, .doc = doc};
}

const RegisterOps control_rows({
    {.name = "cond",
     .kind = OpKind::Control,
     .arity = -1,
     .traits = kExpensive,
     .doc = "The results of region 'then' if the first operand is true, else those of region 'else'. Both take the "
            "other operands and give results of the same types. Only one of them runs.",
     .attrs = {region("else", "runs if the predicate is false"), region("then", "runs if the predicate is true")},
     .control = ControlForm::Cond,
     .infer = infer_cond},
    {.name = "while_loop",
     .kind = OpKind::Control,
     .arity = -1,
     .traits = kExpensive,
     .doc = "Replaces the state, the first operands, by the results of region 'body' as long as region 'cond' gives "
            "true, and gives the last state. Both regions take the state and then the other operands, which are the "
            "same in each iteration.",
     .attrs = {region("body", "gives the next state"), number("carried", "how many operands are the state"),
               region("cond", "gives whether to go on")},
     .control = ControlForm::While,
     .infer = infer_while},
    {.name = "scan",
     .kind = OpKind::Control,
     .arity = -1,
     .traits = kExpensive,
     .doc = "Runs region 'body' for each position of axis 0 of the scanned operands, in order, or from the last to the "
            "first with reverse=true. The body takes the state, the position of each scanned operand, and the other "
            "operands, which are the same in each iteration. It gives the next state, and elements that are stacked "
            "along axis 0 at the position. The results are the last state and the stacked elements.",
     .attrs = {region("body", "gives the next state, then elements"),
               number("carried", "how many operands are the state"),
               number("length", "the number of positions"),
               {.name = "reverse",
                .kind = AttrKind::Bool,
                .required = false,
                .fallback = false,
                .doc = "from the last position to the first"},
               number("scanned", "how many of the following operands have an axis 0 of positions")},
     .control = ControlForm::Scan,
     .infer = infer_region_scan},
});

}  // namespace
}  // namespace frit::ir
