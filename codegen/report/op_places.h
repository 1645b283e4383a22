// Where the page draws each op inside of its box. An op that runs functions (ir/graph/control.h) is drawn around their
// ops.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"

namespace frit::codegen::report {

struct PlacedOp {
  const ir::Function* function = nullptr;  // that the op stands in
  uint32_t first = 0;                      // the number of that function's first op
  uint32_t op = 0;                         // its place in the function
  int64_t around = -1;                     // the number of the op whose region it stands in; -1 outside of regions
  double x = 0, y = 0;                     // from the corner of its box
  double width = 0, height = 0;
  struct Label {
    std::string region;
    double x = 0, y = 0;  // of the text's line, from the op's corner
  };
  std::vector<Label> labels;  // one for each region
};

class OpPlaces {
 public:
  explicit OpPlaces(const ir::Function& f);
  // Places some of the function's ops, and those in their regions, in a box of their own. Returns its size.
  std::pair<double, double> place(std::span<const uint32_t> members);
  // By number: the function's ops, then those of regions.
  const std::vector<PlacedOp>& ops() const { return ops_; }

 private:
  void measure(uint32_t number);
  std::pair<double, double> place_in(std::span<const uint32_t> numbers, double widest);

  std::vector<PlacedOp> ops_;
};

}  // namespace frit::codegen::report
