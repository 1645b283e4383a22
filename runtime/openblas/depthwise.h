// Convolutions with one channel and one feature a group: lanes across channels.
//
// Lines of the input are converted to floats once, padded with zeros, in blocks of channels that stay in the caches.
// The sums of the taps read them there. The channels of a position that are fewer than a block lie dense, so that
// vectors may span positions.
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
  int64_t lines, taps;
  int64_t step, tap_step;  // floats between the windows of neighbouring sums, and between neighbouring taps
  float* weights;          // weight_step floats for each tap
  int64_t weight_step;
  int64_t positions, channels, pitch;
  // Sums that are computed together: `width` floats for each of `groups` groups of positions, out_step apart. The last
  // vector of a group may reach into the next group, and past the last one.
  int64_t groups, width, out_step;
  float* out;
};
// The loops of one instruction set for elements of one type. Positions in memory lie `step` elements apart, and `pitch`
// floats.
struct DepthwiseKernels {
  int64_t lanes;
  void (*widen)(const void* from, int64_t step, int64_t positions, int64_t channels, float* to, int64_t pitch);
  void (*sum)(const DepthwiseLine& g);
  void (*add)(const DepthwiseLine& g);
  void (*round)(const float* from, int64_t pitch, int64_t positions, int64_t channels, void* to, int64_t step);
};
// Null where the CPU lacks the instructions, and for types that are not summed in float.
const DepthwiseKernels* avx512_depthwise(Dtype t);
const DepthwiseKernels* avx2_depthwise(Dtype t);

}  // namespace frit::runtime::openblas
