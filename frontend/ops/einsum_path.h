// The subscripts of an einsum, and the order in which its operands are contracted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "frontend/core/build.h"

namespace frit::detail {

// A letter, or for the axes of an ellipsis a number past all letters that counts them from the end.
using Label = int;
using Labels = std::vector<Label>;

struct Subscripts {
  std::vector<Labels> inputs;
  Labels output;
  std::map<Label, Dim> sizes;  // of 1 only where every operand has 1
  std::string text;            // "ij,jk->ik"
};

// Checks everything about the text and the operands. Throws InvalidArgument.
Subscripts parse_subscripts(std::string_view op, const std::string& text, const std::vector<array>& operands,
                            const StreamOrDevice& s);

// Which operands are contracted together, step by step: positions in the list of what is left, ascending. The result of
// a step goes to the end of the list. At most two at a time, save where everything is contracted at once.
using ContractionPath = std::vector<std::vector<int>>;
ContractionPath greedy_path(const Subscripts& subscripts);

// The labels that the result of contracting `positions` of `inputs` keeps: those of the output and of other inputs.
Labels kept_labels(const std::vector<Labels>& inputs, const std::vector<int>& positions, const Labels& output);

// The text about a path and its cost, as NumPy prints it.
std::string path_text(const Subscripts& subscripts, const ContractionPath& path);

}  // namespace frit::detail
