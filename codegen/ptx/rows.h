// Rows of a left operand as their loads find them: 16 bytes at a time along k, two rows of each thread.
#pragma once

#include <array>
#include <memory>

#include "codegen/ptx/left.h"

namespace frit::codegen::ptx {

constexpr uint32_t kTurn = 32;  // steps along k that a line of four threads loads at once

class Rows {
 public:
  struct Load {
    Value there, from;  // a predicate, and the address of 16 bytes
  };

  virtual ~Rows() = default;
  virtual void start(const Tile& tile) = 0;
  // The loads of both rows for the next kTurn steps.
  virtual std::array<Load, 2> next() = 0;
};

// Rows of matrices. Parameters: the address, the bytes between rows, the bytes between matrices, and their number.
constexpr size_t kDenseParameters = 4;
std::unique_ptr<Rows> dense_rows(const ProductFrame& frame, size_t parameters);

// Windows of a convolution's input, one for each position of its result. Steps along k are taps and, within a tap,
// channels in units of eight. The threads that multiply write first where each unit lies to a table in shared memory,
// from byte `table` on. Sizes along three axes of space each:
struct WindowParameters {
  enum : size_t {
    kAddress,
    kUnits,            // of a tap
    kUnitsReciprocal,  // 2^32 over that, rounded up
    kTaps,             // along the last two axes
    kTapsReciprocal = kTaps + 2,
    kOut = kTapsReciprocal + 2,  // positions
    kImage = kOut + 3,           // bytes between images
    kBytes,                      // between neighbours
    kStride = kBytes + 3,
    kLow = kStride + 3,  // elements of padding before the first one
    kDilation = kLow + 3,
    kIn = kDilation + 3,  // elements
    kCount = kIn + 3
  };
};
std::unique_ptr<Rows> window_rows(const ProductFrame& frame, size_t parameters, uint32_t table);

}  // namespace frit::codegen::ptx
