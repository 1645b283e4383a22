// How a workgroup transforms lines of a known length in shared memory: the factors of its steps, its invocations and
// lines, and where numbers lie between the steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace frit::codegen::glsl {

// A line's length, and the places of its numbers in memory.
struct FftWork {
  int64_t n = 1;                             // numbers of a line
  int64_t lines = 0;                         // of the whole work; zero where they are not known
  bool load_across = false;                  // neighbours in memory belong to lines that follow one another
  bool store_across = false;                 // the same of the results
  bool load_pairs = false;                   // numbers i and n - i are loaded together
  bool store_pairs = false;                  // and stored
  int64_t padded = 0;                        // a convolution of rows of this length; zero: none
  bool turned = false;                       // numbers are multiplied with roots when they are loaded
  int64_t most_threads = 0, most_bytes = 0;  // of a workgroup, and of shared memory
};

enum class FftUnit { kStep, kNumber, kPair };

// A part of the work between two exchanges through shared memory. Its units are dealt to the invocations, `blocks` to
// each: transforms of `radix` numbers, single numbers, or pairs of them.
struct FftStage {
  FftUnit unit = FftUnit::kStep;
  int64_t radix = 1, done = 1;  // of a step: its factor, and the product of those before it
  int64_t each = 1;             // units of a line
  bool across = false;          // units that follow one another belong to lines that do
  int64_t width() const { return unit == FftUnit::kStep ? radix : unit == FftUnit::kPair ? 2 : 1; }
};

// Where numbers lie between two stages: in blocks of `block` numbers.
struct FftTile {
  int64_t block = 1, pitch = 1, line = 1;  // pitches of blocks and of lines
};

struct FftPlan {
  int64_t n = 1, threads = 32, lines = 1;
  bool halves = false;  // real and imaginary parts share their place in shared memory
  std::vector<FftStage> stages = {};
  std::vector<FftTile> tiles = {};  // behind each stage but the last
  double cost = 0;                  // instructions for a number of the work
  // Of a convolution (Bluestein), whose n is the padded length: numbers of a row, the first stage of the transform
  // back, and how often a workgroup goes on with other lines. Its filter stays in registers.
  int64_t row = 1;
  size_t middle = 0;
  int64_t turns = 1;
  int64_t blocks(const FftStage& s) const { return (lines * s.each + threads - 1) / threads; }
  int64_t tile_numbers() const;
};

// The cheapest plan, without tiles; none where the length has a large prime factor or does not fit.
std::optional<FftPlan> plan_fft(const FftWork& work);
// The same for a length with a large prime factor, as a convolution in one launch.
std::optional<FftPlan> plan_convolution(FftWork work);
// The plan's tiles: those with the fewest conflicts of banks.
void lay_out(FftPlan& plan, int64_t most_bytes);

}  // namespace frit::codegen::glsl
