// Graphs as pictures, in the DOT language of Graphviz.
#pragma once

#include <string>

#include "ir/graph/graph.h"

namespace frit::ir {

// Draws one node per parameter, op and result, named as in the text form. Edges carry types; fused groups are boxes.
// The function must keep the verifier's rules. A lowered function is drawn as its signature alone.
std::string to_dot(const Function& f);
std::string to_dot(const Module& m);  // one graph, a box per function

}  // namespace frit::ir
