// Convolutions. Part of ops.h; the declarations are written from frontend/api/convolution.api.
#pragma once

#include <tuple>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit {

// ---- Written from frontend/api: convolution

// A convolution with every option. Each list has one number for each axis of space, or one for all; without numbers
// stride and dilations are 1, and padding is 0. The input gets `input_dilation` - 1 zeros between neighbours and
// padding at both ends, which may be negative. Groups of channels are convolved by themselves.
// Shape: along each axis, (length of the padded input - span of the kernel) / stride + 1.
// Types: real floats; promoted to a common type.
// Algorithm: a matrix product for each position of the kernel; one sum of products where a group has few channels.
// Throws InvalidArgument when shapes, types or numbers do not fit.
array conv_general(array input, array weight, std::vector<int> stride = {}, std::vector<int> padding_lo = {},
                   std::vector<int> padding_hi = {}, std::vector<int> kernel_dilation = {},
                   std::vector<int> input_dilation = {}, int groups = 1, bool flip = false, StreamOrDevice s = {});
array conv_general(const array& input, const array& weight, std::vector<int> stride = {}, std::vector<int> padding = {},
                   std::vector<int> kernel_dilation = {}, std::vector<int> input_dilation = {}, int groups = 1,
                   bool flip = false, StreamOrDevice s = {});

// A convolution along one axis, with the same padding at both ends.
// Shape: (batch, length, features).
// Types: real floats; promoted to a common type.
// Throws InvalidArgument when shapes, types or numbers do not fit.
array conv1d(const array& input, const array& weight, int stride = 1, int padding = 0, int dilation = 1, int groups = 1,
             StreamOrDevice s = {});

// A convolution along two axes, with the same padding at both ends.
// Shape: (batch, height, width, features).
// Types: real floats; promoted to a common type.
// Throws InvalidArgument when shapes, types or numbers do not fit.
array conv2d(const array& input, const array& weight, const std::pair<int, int>& stride = {1, 1},
             const std::pair<int, int>& padding = {0, 0}, const std::pair<int, int>& dilation = {1, 1}, int groups = 1,
             StreamOrDevice s = {});

// A convolution along three axes, with the same padding at both ends.
// Shape: (batch, depth, height, width, features).
// Types: real floats; promoted to a common type.
// Throws InvalidArgument when shapes, types or numbers do not fit.
array conv3d(const array& input, const array& weight, const std::tuple<int, int, int>& stride = {1, 1, 1},
             const std::tuple<int, int, int>& padding = {0, 0, 0},
             const std::tuple<int, int, int>& dilation = {1, 1, 1}, int groups = 1, StreamOrDevice s = {});

// The transpose of conv1d: each element of the input spreads the kernel over the result.
// Shape: (batch, length, features) with length (n - 1) * stride - 2 * padding + dilation * (k - 1) + output_padding +
// 1.
// Types: real floats; promoted to a common type.
// Throws InvalidArgument when shapes, types or numbers do not fit.
array conv_transpose1d(const array& input, const array& weight, int stride = 1, int padding = 0, int dilation = 1,
                       int output_padding = 0, int groups = 1, StreamOrDevice s = {});

// The transpose of conv2d.
// Shape: (batch, height, width, features), each length as for conv_transpose1d.
// Types: real floats; promoted to a common type.
// Throws InvalidArgument when shapes, types or numbers do not fit.
array conv_transpose2d(const array& input, const array& weight, const std::pair<int, int>& stride = {1, 1},
                       const std::pair<int, int>& padding = {0, 0}, const std::pair<int, int>& dilation = {1, 1},
                       const std::pair<int, int>& output_padding = {0, 0}, int groups = 1, StreamOrDevice s = {});

// The transpose of conv3d.
// Shape: (batch, depth, height, width, features), each length as for conv_transpose1d.
// Types: real floats; promoted to a common type.
// Throws InvalidArgument when shapes, types or numbers do not fit.
array conv_transpose3d(const array& input, const array& weight, const std::tuple<int, int, int>& stride = {1, 1, 1},
                       const std::tuple<int, int, int>& padding = {0, 0, 0},
                       const std::tuple<int, int, int>& dilation = {1, 1, 1},
                       const std::tuple<int, int, int>& output_padding = {0, 0, 0}, int groups = 1,
                       StreamOrDevice s = {});

// ---- End of frontend/api: convolution

}  // namespace frit
