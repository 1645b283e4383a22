// Ops that stand for a user's rules in a function that a transform reads.
//
// `custom_mark` follows the ops of a user's function: its operands are the function's arguments and then its results,
// and its results are those results again. Where the user gave a rule for a transform, the derivative goes from the
// mark straight to the arguments, through one `custom_rule`; otherwise it goes through the function's own ops. Both are
// in no table: whoever traced the function keeps the rules by number, and puts what a rule makes in the place of a
// `custom_rule` before the function is compiled, printed or written.
#pragma once

#include "ir/graph/graph.h"

namespace frit::ir {

enum class CustomRule : uint8_t { Vjp, Jvp, Vmap };

// Attributes of both: "rule", the number of the user's rules; "arguments", how many of the operands are arguments.
// Of a mark: "vjp", "jvp" and "vmap", whether there is such a rule; in a batch without a rule for it, "batched", 0 for
// each argument with the batch axis and -1 for the others, and "size", that of the axis.
const OpDef& custom_mark();

// Operands: arguments, results, then the cotangents of all results, or the tangents of the arguments that "moving"
// numbers. Results: cotangents of all arguments, or tangents of all results. For a batch: arguments, zeros of the types
// of the results, and the results with the batch axis. Attributes: "kind", a CustomRule as an integer; "results", how
// many of the operands are results; "moving"; "batched" and "size" as of a mark.
const OpDef& custom_rule();

// How many of the first operands of `op` its jvp rule reads tangents of.
size_t operands_with_tangents(const Op& op);

// How many of the first operands of `op` its batching reads.
size_t operands_with_batch(const Op& op);

}  // namespace frit::ir
