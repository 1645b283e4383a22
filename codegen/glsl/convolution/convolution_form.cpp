// The numbers of a convolution's shaders: their names in the text, and how the shaders are launched.
#include <algorithm>

#include "codegen/glsl/convolution/convolution.h"
#include "codegen/glsl/form_numbers.h"
#include "ir/routines/convolution.h"

namespace frit::codegen::glsl {
namespace {

using Form = runtime::RoutineForm;

constexpr size_t kX = 0, kWindows = 3;
constexpr int64_t kWantedGroups = 264;  // workgroups that fill a device
constexpr int64_t kManySteps = 32;      // tiles along k from which several workgroups share them
constexpr int64_t kLeastSteps = 8;      // tiles along k of such a workgroup

// Size and stride of axis `axis` of a window of `rank` axes of its own.
Dim size_slot(size_t window, size_t rank, size_t axis) {
  if (axis + 2 >= rank) return form_number(window, axis + 2 == rank ? Form::kRows : Form::kColumns);
  return form_number(window, Form::kOuterSizes + axis);
}
Dim stride_slot(size_t window, size_t rank, size_t axis) {
  if (axis + 2 >= rank) return form_number(window, axis + 2 == rank ? Form::kRowStride : Form::kColumnStride);
  return form_number(window, Form::kOuterStrides + axis);
}

const ir::Layout& layout_of(const ir::LibraryStep& step, size_t window) {
  return window < 2 ? step.operands[window].layout : step.results[0].layout;
}

// The number of a call's decided attribute, entry `axis` of the list `name` (codegen/core/options.h has their order).
size_t decided(const ir::AttrMap& attrs, std::string_view name, size_t axis) {
  size_t count = 0;
  for (const auto& [key, value] : attrs) {
    if (const auto* one = std::get_if<Dim>(&value)) count += !one->is_const();
    const auto* list = std::get_if<ir::Dims>(&value);
    for (size_t i = 0; list && i < list->size(); ++i) {
      if (key == name && i == axis) return count;
      count += !(*list)[i].is_const();
    }
  }
  return count;
}

// Few arguments would be push constants; all shaders here read them from memory.
constexpr size_t kArguments = kMaxPushArguments + 1;

void fill_up(Form& form) {
  while (form.arguments.size() < kArguments) form.arguments.push_back(DimProgram(0));
}

}  // namespace

ConvolutionParts::ConvolutionParts(const Dim& count)
    : ConvolutionParts(form_number(Form::scratch_slot(kWindows, 0)), count) {}

std::string argument_filling(size_t count) {
  return count < kArguments ? "  int64_t unused[" + std::to_string(kArguments - count) + "];\n" : "";
}

ConvolutionStep::ConvolutionStep(const RoutineStep& step, bool of_weights)
    : s_(step), of_weights_(of_weights), type_(step.step.dtypes.back()) {
  if (of_weights_) w_ = 2, y_ = 1;
  const size_t rank = layout_of(s_.step, kX).shape.size();
  space_ = rank - 2;
  if (space_ > kConvolutionSpace) return;
  const auto set = [&](ConvolutionDims& d, auto size) {
    d.batch = size(kX, 0);
    d.channels = size(w_, rank - 1);
    d.groups = floor_div(size(kX, rank - 1), max(d.channels, 1));
    d.features = floor_div(size(w_, 0), max(d.groups, 1));
    for (size_t i = 0; i < space_; ++i)
      d.in[i] = size(kX, i + 1), d.kernel[i] = size(w_, i + 1), d.out[i] = size(y_, i + 1);
  };
  set(known_, [&](size_t window, size_t axis) { return layout_of(s_.step, window).shape[axis]; });
  set(slots_, [&](size_t window, size_t axis) { return size_slot(window, rank, axis); });
  const ir::Layout& w = layout_of(s_.step, w_);
  along_channels_ = w.strides.back().is(1);
  along_features_ = !along_channels_ && w.strides[0].is(1);
  for (size_t window : {kX, size_t{1}, size_t{2}}) arguments_.push_back(form_number(window, Form::kAddress));
  size_numbers();
  stride_numbers();
}

bool ConvolutionStep::possible() const { return space_ <= kConvolutionSpace && !known_.channels.is(0); }

bool ConvolutionStep::dense_channels() const {
  return layout_of(s_.step, kX).strides.back().is(1) && (!of_weights_ || layout_of(s_.step, y_).strides.back().is(1));
}

// A number that is known is a constant of the text, by which compilers divide quickly.
void ConvolutionStep::number(const std::string& name, const Dim& known, const Dim& slot, bool stride) {
  std::string text;
  if (known.is_const() && known.value() <= kMostSteps32 && known.value() >= -kMostSteps32) {
    text = std::to_string(known.value()) + (stride ? "L" : "");
  } else {
    fields_ += "  int64_t " + name + ";\n";
    arguments_.push_back(slot);
    text = stride ? "args." + name : "int(args." + name + ")";
  }
  defines_ += "#define " + std::string(stride ? "S" : "N") + name + " (" + text + ")\n";
}

Dim ConvolutionStep::low(size_t axis) const {
  const Dim known = ir::convolution_axis(s_.step.attrs, axis).low;
  return known.is_const() ? known : form_number(Form::attribute_slot(kWindows, decided(s_.step.attrs, "low", axis)));
}

Dim ConvolutionStep::input_stride(size_t axis) const { return stride_slot(kX, space_ + 2, axis); }
Dim ConvolutionStep::weight_stride(size_t axis) const { return stride_slot(w_, space_ + 2, axis); }

void ConvolutionStep::size_numbers() {
  number("_BATCH", known_.batch, slots_.batch, false);
  number("_C", known_.channels, slots_.channels, false);
  number("_F", known_.features, slots_.features, false);
  number("_G", known_.groups, slots_.groups, false);
  for (size_t i = 0; i < kConvolutionSpace; ++i) {
    const std::string axis = std::to_string(i);
    number("_I" + axis, known_.in[i], slots_.in[i], false);
    number("_O" + axis, known_.out[i], slots_.out[i], false);
    number("_K" + axis, known_.kernel[i], slots_.kernel[i], false);
    const ir::ConvolutionAxis a = i < space_ ? ir::convolution_axis(s_.step.attrs, i) : ir::ConvolutionAxis();
    strides_[i] = a.stride, dilations_[i] = a.dilation;
    number("_T" + axis, a.stride, a.stride, false);
    number("_D" + axis, a.dilation, a.dilation, false);
    number("_L" + axis, a.low, form_number(Form::attribute_slot(kWindows, decided(s_.step.attrs, "low", i))), false);
  }
}

void ConvolutionStep::stride_numbers() {
  const size_t rank = space_ + 2;
  const auto stride = [&](const std::string& name, size_t window, size_t axis) {
    number(name, layout_of(s_.step, window).strides[axis], stride_slot(window, rank, axis), true);
  };
  const std::pair<const char*, size_t> windows[] = {{"_X", kX}, {"_W", w_}, {"_Y", y_}};
  for (const auto& [name, window] : windows) {
    const std::string of = name;
    stride(of + "N", window, 0);
    stride(of + "C", window, rank - 1);
    for (size_t i = 0; i < kConvolutionSpace; ++i)
      if (i < space_)
        stride(of + std::to_string(i), window, i + 1);
      else
        number(of + std::to_string(i), 0, 0, true);
  }
}

Dim ConvolutionStep::tiles(const ConvolutionDims& d, const ConvolutionTile& t) const {
  return d.groups * ceil_div(rows(d), t.rows) * ceil_div(columns(d), t.columns);
}

Dim ConvolutionStep::splits(const ConvolutionDims& d, const ConvolutionTile& t) const {
  if (!t.split) return 1;
  return max(
      min(floor_div(Dim(kWantedGroups), max(tiles(d, t), 1)), floor_div(ceil_div(steps(d), t.depth), kLeastSteps)), 1);
}

// Zero where a launch takes the form.
std::vector<Dim> ConvolutionStep::conditions(const ConvolutionDims& d, const ConvolutionTile& t) const {
  std::vector<Dim> all;
  for (const Dim& n : {rows(d), columns(d), steps(d), d.in[0], d.in[1], d.in[2], d.groups * d.features})
    all.push_back(max(n - Dim(kMostSteps32), 0));
  all.push_back(shortfall(d.channels, 1));
  if (t.least_groups) all.push_back(shortfall(tiles(d, t), t.least_groups));
  if (t.most_columns) all.push_back(max(columns(d) - Dim(t.most_columns), 0));
  if (t.split) {
    all.push_back(shortfall(ceil_div(steps(d), t.depth), kManySteps));
    all.push_back(shortfall(splits(d, t), 2));
  }
  return all;
}

bool ConvolutionStep::suits(const ConvolutionTile& tile) const {
  const std::vector<Dim> all = conditions(known_, tile);
  return std::none_of(all.begin(), all.end(), [](const Dim& d) { return d.is_const() && d.value() != 0; });
}

// Zero where the input can be read 16 bytes at a time along its channels.
std::vector<DimProgram> ConvolutionStep::wide_x() const {
  const size_t rank = space_ + 2;
  const int64_t n = unit();
  Dim odd =
      mod(form_number(kX, Form::kAddress), 16) + distance(stride_slot(kX, rank, rank - 1), 1) + mod(slots_.channels, n);
  for (size_t i = 0; i + 1 < rank; ++i) odd += mod(stride_slot(kX, rank, i), n);
  return {form_program(odd)};
}

// The same of the weights, or of the cotangent.
std::vector<DimProgram> ConvolutionStep::wide_other() const {
  const size_t rank = space_ + 2, window = 1;
  const int64_t n = unit();
  const bool first = !of_weights_ && along_features_;  // the axis that lies side by side
  const size_t side = first ? 0 : rank - 1;
  Dim odd = mod(form_number(window, Form::kAddress), 16) + distance(stride_slot(window, rank, side), 1) +
            mod(of_weights_ || first ? slots_.features : slots_.channels, n);
  for (size_t i = 0; i < rank; ++i)
    if (i != side) odd += mod(stride_slot(window, rank, i), n);
  return {form_program(odd)};
}

Dim ConvolutionStep::result_size() const {
  const Dim features = slots_.groups * slots_.features;
  return of_weights_ ? features * slots_.taps() * slots_.channels : slots_.positions() * features;
}

runtime::RoutineForm ConvolutionStep::bare_form(const Dim& groups) const {
  Form form;
  form.step = static_cast<uint32_t>(s_.number);
  form.windows = kWindows;
  form.own.assign(kWindows, static_cast<uint32_t>(space_ + 2));
  const size_t rank = space_ + 2;
  const Dim features = slots_.groups * slots_.features;
  for (const Dim& d :
       {slots_.groups * slots_.channels - size_slot(kX, rank, rank - 1), features - size_slot(w_, rank, 0),
        features - size_slot(y_, rank, rank - 1), size_slot(kX, rank, 0) - size_slot(y_, rank, 0)})
    form.agree.push_back(form_program(d));
  form.groups = form_program(groups);
  return form;
}

runtime::RoutineForm ConvolutionStep::plain_form(const Dim& groups, const Dim& steps,
                                                 const std::optional<Dim>& parts) const {
  Form form = bare_form(groups);
  for (const Dim& d : arguments_) form.arguments.push_back(form_program(d));
  for (const Dim& d : {steps, parts.value_or(1), parts ? form_number(Form::scratch_slot(kWindows, 0)) : Dim(0)})
    form.arguments.push_back(form_program(d));
  fill_up(form);
  if (!parts) return form;
  form.scratch = {form_program(*parts * result_size() * Dim(int64_t{type_ == float64 ? 8 : 4}))};
  form.joined = true;
  return form;
}

runtime::RoutineForm ConvolutionStep::form(const ConvolutionTile& tile) const {
  const Dim count = splits(tile), depth = tile.depth;
  Form form = plain_form(tiles(slots_, tile) * count, ceil_div(ceil_div(steps(slots_), depth), count) * depth,
                         tile.split ? std::optional(count) : std::nullopt);
  for (const Dim& d : conditions(slots_, tile)) form.suited.push_back(form_program(d));
  const std::vector<DimProgram> x = wide_x(), other = wide_other();
  form.variant = of_weights_ ? std::vector{other, x} : std::vector{x, other};
  return form;
}

runtime::RoutineForm ConvolutionStep::sums_form(const ConvolutionParts& parts) const {
  Form form = bare_form(ceil_div(result_size(), 256));
  form.arguments = {form_program(form_number(2, Form::kAddress)), form_program(parts.memory),
                    form_program(result_size()), form_program(parts.count)};
  fill_up(form);
  return form;
}

std::string ConvolutionStep::head() const {
  return "layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {\n"
         "  uint64_t x, other, result;\n" +
         fields_ + "  int64_t steps, parts;\n  uint64_t sums;\n" + argument_filling(arguments_.size() + 3) +
         "$ARGUMENTS$};\n"
         "layout(push_constant, std430) uniform Push { Arguments args; };\n" +
         defines_;
}

}  // namespace frit::codegen::glsl
