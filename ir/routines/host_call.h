// Calls of objects of this process: operations that the program defines itself.
//
// The op is in no table, so that no graph file names it: it stands in a function that is traced and compiled in this
// process alone. The layer that traces keeps the objects by number, and registers the routine's function with the
// runtime.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::ir {

// Any number of operands and results. Attributes: "object", its number; "name", for readers; "dtypes", "ranks" and
// "sizes", the types of the results: element types as numbers of Dtype::Val, ranks, and the sizes of all one after the
// other.
const OpDef& host_call();
// The attributes for results of these types.
AttrMap host_call_attrs(int64_t object, std::string name, std::span<const Type> results);

// The first operation of `f`, its regions included, that calls an object of the process; null where there is none. Code
// for such a function serves this process alone.
const Op* find_host_call(const Function& f);

}  // namespace frit::ir
