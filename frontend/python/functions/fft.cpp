// Fourier transforms.
#include "frontend/python/core/bind.h"
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

using fft::FFTNorm;

FFTNorm norm_of(const std::string& name) {
  if (name == "backward") return FFTNorm::Backward;
  if (name == "ortho") return FFTNorm::Ortho;
  if (name == "forward") return FFTNorm::Forward;
  throw InvalidArgument("fft: '" + name + "' is not a norm", "use backward, ortho or forward");
}

void check_axes(const array& a) {
  if (a.ndim() == 0) throw InvalidArgument("fft: an array without axes has no transform", "give one axis or more");
}

struct OneAxis {
  array (*plain)(const array&, int, FFTNorm, StreamOrDevice);
  array (*sized)(const array&, const Size&, int, FFTNorm, StreamOrDevice);
};
void def_one(nb::module_& f, const char* name, OneAxis t) {
  def(
      f, name,
      [t](const array& a, std::optional<int> n, int axis, const std::string& norm, StreamOrDevice s) {
        if (n) check_axes(a);
        return n ? t.sized(a, *n, axis, norm_of(norm), s) : t.plain(a, axis, norm_of(norm), s);
      },
      "a"_a, "n"_a = nb::none(), "axis"_a = -1, "norm"_a = "backward", FRIT_STREAM);
}

struct SomeAxes {
  array (*plain)(const array&, const std::vector<int>&, FFTNorm, StreamOrDevice);
  array (*sized)(const array&, const Sizes&, const std::vector<int>&, FFTNorm, StreamOrDevice);
};
void def_some(nb::module_& f, const char* name, SomeAxes t, bool two) {
  const auto call = [t](const array& a, const std::optional<ShapeList>& n, const std::optional<std::vector<int>>& axes,
                        const std::string& norm, StreamOrDevice s) {
    if (n || !axes || axes->empty()) check_axes(a);
    if (n && !axes) throw InvalidArgument("fft: sizes are given without their axes", "give axes too");
    std::vector<int> list;
    if (axes)
      list = *axes;
    else
      for (size_t i = 0; i < a.ndim(); ++i) list.push_back(static_cast<int>(i));
    return n ? t.sized(a, n->get(), list, norm_of(norm), s) : t.plain(a, list, norm_of(norm), s);
  };
  nb::object axes = nb::none();
  if (two) axes = nb::cast(std::vector<int>{-2, -1});
  def(f, name, call, "a"_a, "s"_a = nb::none(), "axes"_a.none() = axes, "norm"_a = "backward", FRIT_STREAM);
}

using Shift = array (*)(const array&, const std::vector<int>&, StreamOrDevice);
void def_shift(nb::module_& f, const char* name, Shift shift) {
  def(
      f, name,
      [shift](const array& a, const Axes& axes, StreamOrDevice s) {
        std::vector<int> list = axes.list;
        if (axes.none)
          for (size_t i = 0; i < a.ndim(); ++i) list.push_back(static_cast<int>(i));
        return shift(a, list, s);
      },
      "a"_a, "axes"_a = nb::none(), FRIT_STREAM);
}

}  // namespace

void bind_fft(nb::module_& m) {
  nb::module_ f = m.def_submodule("fft", documentation("fft").text);
  def_one(f, "fft.fft", {&fft::fft, &fft::fft});
  def_one(f, "fft.ifft", {&fft::ifft, &fft::ifft});
  def_one(f, "fft.rfft", {&fft::rfft, &fft::rfft});
  def_one(f, "fft.irfft", {&fft::irfft, &fft::irfft});
  def_some(f, "fft.fft2", {&fft::fftn, &fft::fftn}, true);
  def_some(f, "fft.ifft2", {&fft::ifftn, &fft::ifftn}, true);
  def_some(f, "fft.rfft2", {&fft::rfftn, &fft::rfftn}, true);
  def_some(f, "fft.irfft2", {&fft::irfftn, &fft::irfftn}, true);
  def_some(f, "fft.fftn", {&fft::fftn, &fft::fftn}, false);
  def_some(f, "fft.ifftn", {&fft::ifftn, &fft::ifftn}, false);
  def_some(f, "fft.rfftn", {&fft::rfftn, &fft::rfftn}, false);
  def_some(f, "fft.irfftn", {&fft::irfftn, &fft::irfftn}, false);
  def_shift(f, "fft.fftshift", &fft::fftshift);
  def_shift(f, "fft.ifftshift", &fft::ifftshift);
  def(
      f, "fft.fftfreq", [](int n, double d, StreamOrDevice s) { return fft::fftfreq(n, d, s); }, "n"_a, "d"_a = 1.0,
      FRIT_STREAM);
  def(
      f, "fft.rfftfreq", [](int n, double d, StreamOrDevice s) { return fft::rfftfreq(n, d, s); }, "n"_a, "d"_a = 1.0,
      FRIT_STREAM);
  def(
      f, "fft.stft",
      [](const array& x, int n, std::optional<int> hop, std::optional<int> width, const MaybeArray& window, bool center,
         const std::string& pad_mode, const std::string& norm, std::optional<bool> onesided, StreamOrDevice s) {
        return fft::stft(x, n, hop, width, window, center, pad_mode, norm_of(norm), onesided, s);
      },
      "x"_a, "n_fft"_a = 2048, "hop_length"_a = nb::none(), "win_length"_a = nb::none(), "window"_a = nb::none(),
      "center"_a = true, "pad_mode"_a = "reflect", "norm"_a = "backward", "onesided"_a = nb::none(), FRIT_STREAM);
  def(
      f, "fft.istft",
      [](const array& x, std::optional<int> n, std::optional<int> hop, std::optional<int> width,
         const MaybeArray& window, bool center, const std::string& norm, std::optional<bool> onesided,
         std::optional<int> length,
         StreamOrDevice s) { return fft::istft(x, n, hop, width, window, center, norm_of(norm), onesided, length, s); },
      "stft_matrix"_a, "n_fft"_a = nb::none(), "hop_length"_a = nb::none(), "win_length"_a = nb::none(),
      "window"_a = nb::none(), "center"_a = true, "norm"_a = "backward", "onesided"_a = nb::none(),
      "length"_a = nb::none(), FRIT_STREAM);
}

}  // namespace frit::python
