// Convolutions.
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

// One number for every axis, or a number for each.
template <int N>
std::vector<int> each(const Axes& a, const char* op, const char* what) {
  if (a.one) return std::vector<int>(N, a.list[0]);
  if (static_cast<int>(a.list.size()) != N)
    throw nb::type_error((std::string(op) + ": " + what + " has " + std::to_string(a.list.size()) + " numbers for " +
                          std::to_string(N) + " axes\n  note: give one number, or one for each axis")
                             .c_str());
  return a.list;
}
std::pair<int, int> two(const Axes& a, const char* op, const char* what) {
  const std::vector<int> v = each<2>(a, op, what);
  return {v[0], v[1]};
}
std::tuple<int, int, int> three(const Axes& a, const char* op, const char* what) {
  const std::vector<int> v = each<3>(a, op, what);
  return {v[0], v[1], v[2]};
}

array conv_of_any_rank(const array& input, const array& weight, const Axes& stride, nb::object padding,
                       const Axes& kernel_dilation, const Axes& input_dilation, int groups, bool flip,
                       StreamOrDevice s) {
  const size_t n = input.ndim() >= 2 ? input.ndim() - 2 : 0;
  const auto list = [&](const Axes& a) { return a.one ? std::vector<int>(n, a.list[0]) : a.list; };
  std::vector<int> low, high;
  Axes both;
  if (both.read(padding)) {
    low = high = list(both);
  } else {
    std::pair<std::vector<int>, std::vector<int>> sides;
    if (!nb::try_cast(padding, sides))
      throw nb::type_error("conv_general: give padding as a number, a list, or lists for both sides");
    low = sides.first;
    high = sides.second;
  }
  return conv_general(input, weight, list(stride), low, high, list(kernel_dilation), list(input_dilation), groups, flip,
                      s);
}

}  // namespace

void bind_convolutions(nb::module_& m) {
  def(
      m, "conv1d",
      [](const array& x, const array& w, int stride, int padding, int dilation, int groups, StreamOrDevice s) {
        return conv1d(x, w, stride, padding, dilation, groups, s);
      },
      positional(), positional(), "stride"_a = 1, "padding"_a = 0, "dilation"_a = 1, "groups"_a = 1, nb::kw_only(),
      FRIT_STREAM);
  def(
      m, "conv2d",
      [](const array& x, const array& w, const Axes& stride, const Axes& padding, const Axes& dilation, int groups,
         StreamOrDevice s) {
        return conv2d(x, w, two(stride, "conv2d", "stride"), two(padding, "conv2d", "padding"),
                      two(dilation, "conv2d", "dilation"), groups, s);
      },
      positional(), positional(), "stride"_a = 1, "padding"_a = 0, "dilation"_a = 1, "groups"_a = 1, nb::kw_only(),
      FRIT_STREAM);
  def(
      m, "conv3d",
      [](const array& x, const array& w, const Axes& stride, const Axes& padding, const Axes& dilation, int groups,
         StreamOrDevice s) {
        return conv3d(x, w, three(stride, "conv3d", "stride"), three(padding, "conv3d", "padding"),
                      three(dilation, "conv3d", "dilation"), groups, s);
      },
      positional(), positional(), "stride"_a = 1, "padding"_a = 0, "dilation"_a = 1, "groups"_a = 1, nb::kw_only(),
      FRIT_STREAM);
  def(
      m, "conv_transpose1d",
      [](const array& x, const array& w, int stride, int padding, int dilation, int out, int groups, StreamOrDevice s) {
        return conv_transpose1d(x, w, stride, padding, dilation, out, groups, s);
      },
      positional(), positional(), "stride"_a = 1, "padding"_a = 0, "dilation"_a = 1, "output_padding"_a = 0,
      "groups"_a = 1, nb::kw_only(), FRIT_STREAM);
  def(
      m, "conv_transpose2d",
      [](const array& x, const array& w, const Axes& stride, const Axes& padding, const Axes& dilation, const Axes& out,
         int groups, StreamOrDevice s) {
        const char* op = "conv_transpose2d";
        return conv_transpose2d(x, w, two(stride, op, "stride"), two(padding, op, "padding"),
                                two(dilation, op, "dilation"), two(out, op, "output_padding"), groups, s);
      },
      positional(), positional(), "stride"_a = 1, "padding"_a = 0, "dilation"_a = 1, "output_padding"_a = 0,
      "groups"_a = 1, nb::kw_only(), FRIT_STREAM);
  def(
      m, "conv_transpose3d",
      [](const array& x, const array& w, const Axes& stride, const Axes& padding, const Axes& dilation, const Axes& out,
         int groups, StreamOrDevice s) {
        const char* op = "conv_transpose3d";
        return conv_transpose3d(x, w, three(stride, op, "stride"), three(padding, op, "padding"),
                                three(dilation, op, "dilation"), three(out, op, "output_padding"), groups, s);
      },
      positional(), positional(), "stride"_a = 1, "padding"_a = 0, "dilation"_a = 1, "output_padding"_a = 0,
      "groups"_a = 1, nb::kw_only(), FRIT_STREAM);
  def(m, "conv_general", &conv_of_any_rank, positional(), positional(), "stride"_a = 1, "padding"_a = 0,
      "kernel_dilation"_a = 1, "input_dilation"_a = 1, "groups"_a = 1, "flip"_a = false, nb::kw_only(), FRIT_STREAM);
}

}  // namespace frit::python
