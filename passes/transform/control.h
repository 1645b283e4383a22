// Transforms of operations that run regions: a transform of the operation runs the transforms of its regions.
#pragma once

#include <vector>

#include "ir/graph/batch.h"
#include "ir/graph/control.h"

namespace frit::passes {

// The tangents of the op's results from those of its operands, kNone where there is none. The op itself is changed: it
// computes the tangents beside its results, which keep their ids.
Result<std::vector<ir::ValueId>> control_jvp(ir::Builder& b, const ir::Op& op,
                                             const std::vector<ir::ValueId>& tangents);

// The cotangents of the operands that `active` says, from those of the results, kNone where there is none. A scan is
// changed: it saves what its reverse reads, in further results.
Result<std::vector<ir::ValueId>> control_vjp(ir::Builder& b, const ir::Op& op, const std::vector<bool>& active,
                                             const std::vector<ir::ValueId>& cotangents);

// The results for every position of a batch; all have the batch axis.
Result<std::vector<ir::ValueId>> control_batch(const ir::BatchCall& call);

// ---- Parts of these

// Which results depend on a parameter of `from`: by any operation, or only by those that derivatives flow through.
std::vector<bool> dependent_results(const ir::Function& region, const std::vector<bool>& from, bool derivatives);

// The places of the flags that are set.
std::vector<size_t> numbers_of(const std::vector<bool>& flags);

// The function of `outputs` for `inputs`, which are values of `f`; outputs depend on no other parameters.
ir::Function extracted(const ir::Function& f, const std::vector<ir::ValueId>& inputs,
                       const std::vector<ir::ValueId>& outputs);

// Gives op `index` other operands, attributes and results: kNone in `results` is a new one. Operands may be results of
// later ops, as whoever transforms a function orders it at the end.
Result<std::vector<ir::ValueId>> rewrite_op(ir::Function& f, uint32_t index, std::vector<ir::ValueId> operands,
                                            ir::AttrMap attrs, std::vector<ir::ValueId> results);

inline Dim count_of(size_t n) { return Dim(static_cast<int64_t>(n)); }

}  // namespace frit::passes
