// Code for derivatives that are asked for again and again outside of traces.
//
// A transform traces its closure at each call, because the graph may depend on anything. Where a graph was the same
// often enough, and its arrays are small on the average, its derivative becomes one compiled function: making and
// running its operations one by one costs more than their work. Results are the same to the bit, as those of eager and
// compiled functions are.
#pragma once

#include <memory>
#include <vector>

#include "frontend/compile/compiled_entry.h"
#include "ir/graph/graph.h"

namespace frit::detail {

enum class Derivative : uint8_t { Vjp, Jvp };

// The function of the derivative of `f` by parameters `sources` (passes/transform/transform.h).
Result<ir::Function> derivative(Derivative kind, const ir::Function& f, const std::vector<size_t>& sources);

// Code for that function, or null where its operations are to be made one by one: inside of traces, on a GPU, without
// compile(), until a function was asked for often enough, and for one that is long or has large arrays on the average.
// `f` has no open sizes and no marks of custom rules. Any thread may call.
std::shared_ptr<CompiledEntry> code_of_derivative(Derivative kind, const ir::Function& f,
                                                  const std::vector<size_t>& sources);

// The results of a call, lazy.
std::vector<array> call_derivative(const std::shared_ptr<CompiledEntry>& code, const std::vector<array>& inputs,
                                   const std::vector<array>& further);

}  // namespace frit::detail
