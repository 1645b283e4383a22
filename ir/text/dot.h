// A graph as a picture: the DOT language of Graphviz.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace frit::ir {

// One node per parameter, op and result, named as in the text form; edges carry types; fused groups are boxes. The
// function must hold the verifier's rules; of a lowered function only the signature is drawn.
std::string to_dot(const Function& f);
std::string to_dot(const Module& m);  // one graph, a box per function

}  // namespace frit::ir
