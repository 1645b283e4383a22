// The shaders of convolutions and of their derivatives for the weights: products of matrices whose elements are found
// in the arrays as they are read.
//
// A convolution multiplies the windows of positions (rows) by the weights of features (columns); steps along k are taps
// and channels. The derivative for the weights multiplies the cotangent's features (rows) by the windows (columns);
// steps along k are positions. Channels of a tap are filled up to whole loads of 16 bytes with zeros.
#pragma once

#include <array>
#include <optional>

#include "codegen/glsl/products/product.h"

namespace frit::codegen::glsl {

constexpr size_t kConvolutionSpace = 3;             // most axes of space
constexpr int64_t kMostSteps32 = int64_t{1} << 30;  // of what is counted in 32 bits

// Sizes of a convolution; axes of space that are not there have size one.
struct ConvolutionDims {
  Dim batch = 1, channels = 1, features = 1, groups = 1;  // channels and features of a group
  std::array<Dim, kConvolutionSpace> in{1, 1, 1}, out{1, 1, 1}, kernel{1, 1, 1};

  Dim positions() const { return batch * out[0] * out[1] * out[2]; }
  Dim taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

// How a shader's workgroups divide the work.
struct ConvolutionTile {
  int rows, columns, depth, invocations;
  int64_t least_groups = 0;  // below which the form does not suit
  int64_t most_columns = 0;  // of the product beyond which the form does not suit; zero: any number
  bool split = false;        // steps along k go to several workgroups, whose sums lie in working memory
};

// The sums of several workgroups for each tile: where they lie, and how many there are.
struct ConvolutionParts {
  explicit ConvolutionParts(const Dim& count);  // in the first block of working memory
  ConvolutionParts(const Dim& memory, const Dim& count) : memory(memory), count(count) {}
  Dim memory, count;
};

// Fields that follow `count` others, so that there are as many as lie in memory.
std::string argument_filling(size_t count);

// The numbers of a step, as text and as programs, which all of its shaders share.
class ConvolutionStep {
 public:
  ConvolutionStep(const RoutineStep& step, bool of_weights);

  // Whether a shader can be written: few enough axes, and channels.
  bool possible() const;
  const RoutineStep& step() const { return s_; }
  bool of_weights() const { return of_weights_; }
  Dtype type() const { return type_; }
  int unit() const { return 16 / type_.size(); }
  const ConvolutionDims& known() const { return known_; }
  // Whether weights lie side by side along their channels, or else along their features.
  bool along_channels() const { return along_channels_; }
  bool along_features() const { return along_features_; }
  // Whether channels of the input (and features of the cotangent) lie side by side.
  bool dense_channels() const;

  // Arguments of a shader, the numbers as names, and functions over them; replaces the words of a text too.
  std::string head() const;
  // Statements that find, fetch and keep the elements of an operand, `a` or `b`. Words of the text.
  std::map<std::string, std::string> words(const ConvolutionTile& tile, const std::string& store) const;

  // False where it is known that a launch would not take the form.
  bool suits(const ConvolutionTile& tile) const;
  runtime::RoutineForm form(const ConvolutionTile& tile) const;
  // Workgroups that share a tile's steps.
  Dim splits(const ConvolutionTile& tile) const { return splits(slots_, tile); }
  // Of any shader with the arguments of head(): `steps` of each workgroup; with `parts`, workgroups store sums of their
  // own into working memory, and sums_form follows.
  runtime::RoutineForm plain_form(const Dim& groups, const Dim& steps, const std::optional<Dim>& parts) const;
  // Without arguments.
  runtime::RoutineForm bare_form(const Dim& groups) const;
  // The form that adds the sums of several workgroups, with the epilogue.
  runtime::RoutineForm sums_form(const ConvolutionParts& parts) const;
  // The sizes as a launch knows them.
  const ConvolutionDims& slots() const { return slots_; }
  // Axes of space, and their strides, dilations and elements of padding before the first one.
  size_t space() const { return space_; }
  int64_t stride(size_t axis) const { return strides_[axis]; }
  int64_t dilation(size_t axis) const { return dilations_[axis]; }
  Dim low(size_t axis) const;
  // Elements between neighbours along an axis of the input and of the weights: images or features, space, channels.
  Dim input_stride(size_t axis) const;
  Dim weight_stride(size_t axis) const;

 private:
  Dim rows(const ConvolutionDims& d) const { return of_weights_ ? d.features : d.positions(); }
  Dim columns(const ConvolutionDims& d) const { return of_weights_ ? d.taps() * padded(d) : d.features; }
  Dim steps(const ConvolutionDims& d) const { return of_weights_ ? d.positions() : d.taps() * padded(d); }
  Dim result_size() const;
  Dim padded(const ConvolutionDims& d) const { return ceil_div(d.channels, unit()) * Dim(unit()); }
  Dim tiles(const ConvolutionDims& d, const ConvolutionTile& t) const;
  Dim splits(const ConvolutionDims& d, const ConvolutionTile& t) const;
  std::vector<Dim> conditions(const ConvolutionDims& d, const ConvolutionTile& t) const;
  void number(const std::string& name, const Dim& known, const Dim& slot, bool stride);
  void size_numbers();
  void stride_numbers();
  std::vector<DimProgram> wide_x() const;
  std::vector<DimProgram> wide_other() const;

  const RoutineStep& s_;
  const bool of_weights_;
  const Dtype type_;
  size_t space_ = 0;
  size_t w_ = 1, y_ = 2;  // windows of the weights and of the result's side; the input is window 0
  bool along_channels_ = false, along_features_ = false;
  ConvolutionDims known_, slots_;
  std::array<int64_t, kConvolutionSpace> strides_{1, 1, 1}, dilations_{1, 1, 1};
  std::string fields_, defines_;
  std::vector<Dim> arguments_;
};

// Of any elements, in registers.
std::vector<Shader> tiled_convolutions(const ConvolutionStep& step, const FusedEpilogue& fused);
// Of float16 and bfloat16 by matrix units.
std::vector<Shader> matrix_convolutions(const ConvolutionStep& step, bool narrow, const FusedEpilogue& fused);
// Of float16 and bfloat16 as PTX.
std::vector<Shader> ptx_convolutions(const ConvolutionStep& step);
runtime::RoutineForm::Trial ptx_convolution_trial(const ConvolutionStep& step, bool split, bool packed);
// Of few channels in many groups: an invocation computes neighbouring positions of a channel.
std::vector<Shader> direct_convolutions(const ConvolutionStep& step, const FusedEpilogue& fused);
// Adds the sums of several workgroups.
Shader convolution_sums(const ConvolutionStep& step, const ConvolutionParts& parts, const std::string& name,
                        const FusedEpilogue& fused);

}  // namespace frit::codegen::glsl
