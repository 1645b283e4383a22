// Convolutions with one channel and one feature a group: lanes across channels.
//
// Lines of the input are converted to floats once, padded with zeros, in blocks of channels that stay in the caches.
// The sums of the taps read them there.
#pragma once

#include "ir/base/dtype.h"
#include "runtime/openblas/windows.h"

namespace frit::runtime::openblas {

bool is_depthwise(const LibraryCall& call, const ConvolutionSizes& s);
Status depthwise(const LibraryCall& call, const ConvolutionSizes& s);
Status depthwise_weights(const LibraryCall& call, const ConvolutionSizes& s);

// Channels that are computed together.
inline constexpr int64_t kBlockChannels = 64;

// A line of the result: lines of the input that its windows meet, and the weights, or their sums, by tap.
struct DepthwiseLine {
  const float* const* line;
  int64_t lines, taps, stride, dilation;
  float* weights;
  int64_t positions, channels;
  float* out;  // positions by kBlockChannels
};
// The loops of one instruction set for elements of one type. Positions in memory lie `step` elements apart.
struct DepthwiseKernels {
  void (*widen)(const void* from, int64_t step, int64_t positions, int64_t channels, float* to);
  void (*sum)(const DepthwiseLine& g);
  void (*add)(const DepthwiseLine& g);
  void (*round)(const float* from, int64_t positions, int64_t channels, void* to, int64_t step);
};
// Null where the CPU lacks the instructions, and for types that are not summed in float.
const DepthwiseKernels* avx512_depthwise(Dtype t);
const DepthwiseKernels* avx2_depthwise(Dtype t);

}  // namespace frit::runtime::openblas
