// Parts of a row while its loops are written: accesses that go through shared memory, loads that are kept, running
// values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ir/kernel/kernel.h"

namespace frit::codegen::glsl {

// A buffer whose rows, of `length` elements from element `offset` on, go through shared memory.
struct Stage {
  uint32_t buffer = 0;
  bool store = false;
  int64_t length = 0, offset = 0;
  std::vector<Dim> indices = {};  // of its accesses
  int last = -1;                  // the last loop that has one
  std::string array = {};
  bool shared_by = false;  // results lie in the array as well
  bool packed = false;     // a word has two elements
  int64_t words() const { return packed ? length / 2 : length; }
  // Words between rows in shared memory, an odd number: neighbouring rows lie in other banks.
  int64_t pitch() const { return words() | 1; }
};

// A load that several loops over a row make alike, with "#" for their variables, and the array that keeps its
// elements.
struct LoadKey {
  uint32_t buffer;
  Dim index;
  friend bool operator<(const LoadKey& a, const LoadKey& b) {
    return a.buffer != b.buffer ? a.buffer < b.buffer : Dim::compare(a.index, b.index) < 0;
  }
};

// One carry of a scan while its loop is written.
struct Running {
  const ir::Carry& carry;
  const ir::ScalarInstr* step;
  std::string type, state, places, before;  // `places`: an array of an invocation's running values
  // Whether the order in which the step joins values changes no bit of the result.
  bool takes_any_order() const {
    return step->op == ir::ScalarOp::Max || step->op == ir::ScalarOp::Min || !is_float(step->type);
  }
};

}  // namespace frit::codegen::glsl
