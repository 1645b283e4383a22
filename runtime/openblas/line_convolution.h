// Convolutions whose windows are read where they lie (lines.h), and when they pay.
#pragma once

#include "runtime/openblas/windows.h"

namespace frit::runtime::openblas {

// The sizes and the element type decide.
bool goes_by_lines(const LibraryCall& call, const ConvolutionSizes& s);
Status convolve_lines(const LibraryCall& call, const ConvolutionSizes& s);
// The same for few features a group, whose positions are lanes.
bool goes_by_planes(const LibraryCall& call, const ConvolutionSizes& s);
Status convolve_planes(const LibraryCall& call, const ConvolutionSizes& s);
bool weights_go_by_planes(const LibraryCall& call, const ConvolutionSizes& s);
Status convolve_plane_weights(const LibraryCall& call, const ConvolutionSizes& s);
bool weights_go_by_lines(const LibraryCall& call, const ConvolutionSizes& s);
Status convolve_line_weights(const LibraryCall& call, const ConvolutionSizes& s);
// The same for bf16 whose positions go in pairs.
bool weights_go_by_pairs(const LibraryCall& call, const ConvolutionSizes& s);
Status convolve_pair_weights(const LibraryCall& call, const ConvolutionSizes& s);

}  // namespace frit::runtime::openblas
