// Convolutions along one to three axes, and their transposes, as conv_general.
#include "frontend/core/build.h"
#include "frontend/frit/convolution_ops.h"

namespace frit {

using detail::fail;
using detail::size_of;
using detail::text;

using Numbers = std::vector<int>;

namespace {

void check_axes(const char* op, const array& input, size_t rank, const StreamOrDevice& s) {
  if (input.ndim() != rank + 2)
    fail(std::string(op) + ": " + text(input) + " has not " + std::to_string(rank + 2) + " axes",
         "give (batch, space..., channels)", s);
}

array convolve(const char* op, const array& input, const array& weight, const Numbers& stride, const Numbers& padding,
               const Numbers& dilation, int groups, const StreamOrDevice& s) {
  check_axes(op, input, stride.size(), s);
  return conv_general(input, weight, stride, padding, padding, dilation, {}, groups, false, s);
}

// The input with zeros between its elements meets the kernel turned round.
array convolve_back(const char* op, const array& input, const array& weight, const Numbers& stride,
                    const Numbers& padding, const Numbers& dilation, const Numbers& output_padding, int groups,
                    const StreamOrDevice& s) {
  check_axes(op, input, stride.size(), s);
  if (weight.ndim() != input.ndim())
    fail(std::string(op) + ": weights " + text(weight) + " do not fit " + text(input),
         "give (features, space..., channels)", s);
  const auto number = [&](int64_t n) {
    if (n != static_cast<int>(n))
      fail(std::string(op) + ": the padding " + std::to_string(n) + " of the spread input is too large",
           "give smaller dilations and paddings", s);
    return static_cast<int>(n);
  };
  Numbers low, high;
  for (size_t i = 0; i < stride.size(); ++i) {
    const int64_t k = Size(size_of(weight, static_cast<int>(i) + 1), s.where()).value();
    low.push_back(number(dilation[i] * (k - 1) - padding[i]));
    high.push_back(number(int64_t{low.back()} + output_padding[i]));
  }
  return conv_general(input, weight, Numbers(stride.size(), 1), low, high, dilation, stride, groups, true, s);
}

Numbers list(const std::pair<int, int>& p) { return {p.first, p.second}; }
Numbers list(const std::tuple<int, int, int>& t) { return {std::get<0>(t), std::get<1>(t), std::get<2>(t)}; }

}  // namespace

array conv1d(const array& input, const array& weight, int stride, int padding, int dilation, int groups,
             StreamOrDevice s) {
  return convolve("conv1d", input, weight, {stride}, {padding}, {dilation}, groups, s);
}
array conv2d(const array& input, const array& weight, const std::pair<int, int>& stride,
             const std::pair<int, int>& padding, const std::pair<int, int>& dilation, int groups, StreamOrDevice s) {
  return convolve("conv2d", input, weight, list(stride), list(padding), list(dilation), groups, s);
}
array conv3d(const array& input, const array& weight, const std::tuple<int, int, int>& stride,
             const std::tuple<int, int, int>& padding, const std::tuple<int, int, int>& dilation, int groups,
             StreamOrDevice s) {
  return convolve("conv3d", input, weight, list(stride), list(padding), list(dilation), groups, s);
}
array conv_transpose1d(const array& input, const array& weight, int stride, int padding, int dilation,
                       int output_padding, int groups, StreamOrDevice s) {
  return convolve_back("conv_transpose1d", input, weight, {stride}, {padding}, {dilation}, {output_padding}, groups, s);
}
array conv_transpose2d(const array& input, const array& weight, const std::pair<int, int>& stride,
                       const std::pair<int, int>& padding, const std::pair<int, int>& dilation,
                       const std::pair<int, int>& output_padding, int groups, StreamOrDevice s) {
  return convolve_back("conv_transpose2d", input, weight, list(stride), list(padding), list(dilation),
                       list(output_padding), groups, s);
}
array conv_transpose3d(const array& input, const array& weight, const std::tuple<int, int, int>& stride,
                       const std::tuple<int, int, int>& padding, const std::tuple<int, int, int>& dilation,
                       const std::tuple<int, int, int>& output_padding, int groups, StreamOrDevice s) {
  return convolve_back("conv_transpose3d", input, weight, list(stride), list(padding), list(dilation),
                       list(output_padding), groups, s);
}

}  // namespace frit
