// The shader of one launch that transforms lines of a known length, by a plan.
#pragma once

#include <string>

#include "codegen/glsl/fft/fft_plan.h"

namespace frit::codegen::glsl {

// The work of a launch around the plan. `from(line)` and `into(line)` are the addresses of a line's first numbers.
struct FftLines {
  bool fetched = false;         // fetch(line, i) loads number i of a line; else at(address) loads one
  std::string step = "8UL";     // bytes from one number of the operand to the next
  int64_t store_step = 8;       // and of the result
  int64_t stored = 0;           // numbers of a whole row that are stored
  int64_t before = 1;           // lengths of the launches before, with whose roots turned_of(line) turns numbers
  bool conjugated = false;      // numbers are conjugated before the transform,
  bool conjugate_back = false;  // and results behind it
  bool real = false;            // the result has real parts alone
  double scale = 1;             // that results are multiplied with
};

// Roots of one, for all of the text.
extern const char* const kFftLineRoots;
// Transforms of registers, declarations of shared memory, and main().
std::string fft_lines_text(const FftPlan& plan, const FftLines& lines);

}  // namespace frit::codegen::glsl
