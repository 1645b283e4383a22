// Random programs as data: operations of the public API on arguments and earlier values.
#pragma once

#include <string>
#include <vector>

#include "plain.h"

namespace program {

using frit::array;
using frit::Dtype;
using plain::Ints;
using plain::Maybe;

// One operation on earlier values, with what was drawn for it.
struct Step {
  int op;
  std::vector<size_t> inputs;
  Ints numbers, more, others;
  Dtype dtype = frit::float32;
};

struct Program {
  std::vector<plain::Array> arguments;
  std::vector<Step> steps;
  std::vector<plain::Array> values;  // of arguments and steps
};

enum Op {
  kBinary,
  kUnary,
  kReduce,
  kArg,
  kWhere,
  kAstype,
  kCopy,
  kContiguous,
  kTranspose,
  kReshape,
  kSlice,
  kBroadcast,
  kExpand,
  kSqueeze,
  kFlip,
  kFlatten,
  kConcatenate,
  kStack,
  kPad,
  kRepeat,
  kTile,
  kTriangle,
  kMatmul,
  kSplit,
  kFull,
  kArange,
  kOpCount
};
// How many operations kBinary, kUnary, kReduce and the modes of kPad choose from.
inline constexpr int kBinaryOps = 11, kUnaryOps = 5, kReduceOps = 6, kModes = 4;

// One step on the values so far; `by_frit` throws what the API throws.
Maybe plainly(const Step& s, const std::vector<plain::Array>& values);
array by_frit(const Step& s, const std::vector<array>& values);

frit::Sizes sizes_of(const Ints& shape);
std::string shape_text(const Ints& shape);
std::string text(const Program& p);
// Empty where the array is what is wanted, to the bit.
std::string difference(const plain::Array& want, const array& given);

}  // namespace program
