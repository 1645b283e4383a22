// Convolutions of float16 and bfloat16 as PTX, for devices that take it: products of windows, which the threads that
// multiply load from the input as they go, and of weights (codegen/ptx/rows.h). Operands whose channels are odd or do
// not lie side by side are packed first: channels of each position, or of each feature's tap, filled up to units of
// eight with zeros.
#include <utility>

#include "codegen/glsl/convolution/convolution.h"
#include "codegen/glsl/products/product_copy.h"
#include "codegen/glsl/products/ptx_form.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

constexpr size_t kX = 0, kW = 1, kY = 2, kWindows = 3;
constexpr int64_t kUnit = 8;                      // channels
constexpr int64_t kMostBytes = int64_t{1} << 30;  // of an image, and units of a packed operand
constexpr int64_t kReciprocal = int64_t{1} << 32;
// The time of a convolution's shader in hundredths of that of a product: where its loads are wide, and where they are
// shifted.
constexpr int64_t kWidePercent = 120, kShiftedPercent = 200;
constexpr uint32_t kPackers = 256;

constexpr const char* kPack = R"(layout(local_size_x = $THREADS$) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer From { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer To { uvec4 data; };
// One of the two: `count` units of eight channels. Sizes of the three axes of space, strides of all five axes.
struct Operand { uint64_t from, to; int64_t groups, count, units, channels, sizes[3], strides[5]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments { Operand operands[2]; };
layout(push_constant, std430) uniform Push { Arguments args; };
void main() {
  int group = int(flat_group());
  const int which = group < int(args.operands[0].groups) ? 0 : 1;
  if (which == 1) group -= int(args.operands[0].groups);
  const int number = group * $THREADS$ + int(gl_LocalInvocationID.x);
  if (number >= int(args.operands[which].count)) return;
  const int line = number / int(args.operands[which].units), channel = (number - line * int(args.operands[which].units)) * 8;
  int64_t first = int64_t(channel) * args.operands[which].strides[4];
  int rest = line;
  [[unroll]] for (int axis = 2; axis >= 0; --axis) {
    const int next = rest / int(args.operands[which].sizes[axis]);
    first += int64_t(rest - next * int(args.operands[which].sizes[axis])) * args.operands[which].strides[axis + 1];
    rest = next;
  }
  first += int64_t(rest) * args.operands[which].strides[0];
  const int left = int(args.operands[which].channels) - channel;
  uint packed[4] = {0u, 0u, 0u, 0u};
  [[unroll]] for (int j = 0; j < 8; ++j) {
    const uint64_t at = args.operands[which].from + uint64_t(first + int64_t(min(j, left - 1)) * args.operands[which].strides[4]) * 2UL;
    const uint half_word = From(at & ~3UL).data >> ((uint(at) & 2u) * 8u) & 0xffffu;
    packed[j / 2] |= j < left ? half_word << (j % 2 * 16) : 0u;
  }
  To(args.operands[which].to + uint64_t(number) * 16UL).data = uvec4(packed[0], packed[1], packed[2], packed[3]);
}
)";

// An operand of five axes: images or features, space (or taps), channels. Axes of space that are not there are the
// first ones, of size one.
struct Operand {
  Dim address, channels;
  std::array<Dim, kConvolutionSpace + 1> sizes{1, 1, 1, 1}, strides{0, 0, 0, 0};
  Dim channel_stride;

  Dim units() const { return ceil_div(channels, kUnit); }
  Dim lines() const { return sizes[0] * sizes[1] * sizes[2] * sizes[3]; }
  // Zero where 16-byte loads along channels take it.
  Dim odd() const {
    Dim odd = mod(address, 16) + distance(channel_stride, 1) + mod(channels, kUnit);
    for (const Dim& s : strides) odd += mod(s, kUnit) + shortfall(s, 0);
    return odd;
  }
  // Zero where taps and channels of a feature lie behind one another.
  Dim loose() const {
    Dim loose = 0, next = channels;
    for (size_t axis = strides.size(); axis-- > 1;) {
      loose += max(strides[axis] - next, next - strides[axis]) * (sizes[axis] - Dim(1));
      next = next * sizes[axis];
    }
    return loose;
  }
};

// One of the kernels as a form, with operands that are packed where they are odd.
class PtxConvolution {
 public:
  PtxConvolution(const ConvolutionStep& step, const PtxTiles& tiles, bool packed)
      : step_(step),
        packed_(packed),
        tiles_(tiles),
        product_{step.type() == bfloat16, ptx::LeftWay::Windows, true, tiles.columns, tiles.split},
        work_(1, step.slots().positions(), step.slots().features,
              step.slots().taps() * ceil_div(step.slots().channels, kUnit) * Dim(kUnit), step.step().features) {
    const size_t space = step.space(), skipped = kConvolutionSpace - space;
    const ConvolutionDims& d = step.slots();
    for (const bool weights : {false, true}) {
      Operand& o = weights ? w_ : x_;
      const auto stride = [&](size_t axis) { return weights ? step.weight_stride(axis) : step.input_stride(axis); };
      o.address = form_number(weights ? kW : kX, Form::kAddress);
      o.channels = d.channels;
      o.channel_stride = stride(space + 1);
      o.sizes[0] = weights ? d.features : d.batch;
      o.strides[0] = stride(0);
      for (size_t i = 0; i < space; ++i) {
        o.sizes[1 + skipped + i] = weights ? d.kernel[i] : d.in[i];
        o.strides[1 + skipped + i] = stride(i + 1);
      }
    }
    odd_x_ = sign(x_.odd());
    odd_w_ = sign(w_.odd() + w_.loose());
    if (!packed_) return;
    pack(x_, from_x_, odd_x_, kX);
    pack(w_, from_w_, odd_w_, kW);
  }

  // Whether the sizes that are known allow any form.
  bool possible() const {
    const ConvolutionDims& d = step_.known();
    return !d.groups.is_const() || d.groups.is(1);
  }

  // An epilogue is a kernel of its own, as the trial would apply it to memory of other sizes.
  void add_to(std::vector<Shader>& shaders) const {
    const std::string name = ptx_name(tiles_) + (packed_ ? "_packed" : "");
    Form form = product_form();
    form.joined = tiles_.split;
    Form::Trial trial = ptx_convolution_trial(step_, tiles_.split, packed_);
    if (packed_) {
      Form packs = pack_form();
      packs.agree = form.agree;
      packs.suited = form.suited;
      packs.scratch = form.scratch;
      packs.trial = std::move(trial);
      shaders.push_back(pack_shader(name, std::move(packs)));
    } else {
      form.trial = std::move(trial);
    }
    shaders.push_back(ptx_shader(step_.step(), name, ptx_text(product_, nullptr).product, kWindows, std::move(form)));
    if (!tiles_.split) return;
    const std::string sums_name = step_.step().name() + "_ptx" + name + "_sums";
    shaders.push_back(convolution_sums(step_, {sums(), work_.parts(tiles_)}, sums_name, FusedEpilogue()));
  }

 private:
  // Working memory: packed operands, then descriptions of the weights, then sums of parts.
  static constexpr size_t kMaps = 2;
  Dim maps() const { return form_number(Form::scratch_slot(kWindows, kMaps)); }
  Dim sums() const { return maps() + work_.maps_bytes(); }

  // Replaces an operand by its packed form where `odd` is one, and keeps where it comes from.
  static void pack(Operand& o, Operand& from, const Dim& odd, size_t window) {
    from = o;
    const Dim all = from.units() * Dim(kUnit);
    o.address = choose(odd, form_number(Form::scratch_slot(kWindows, window)), from.address);
    o.channels = all;
    Dim next = all;
    for (size_t axis = o.strides.size(); axis-- > 0;) {
      o.strides[axis] = choose(odd, next, from.strides[axis]);
      next = next * from.sizes[axis];
    }
    o.channel_stride = 1;
  }
  static Dim bytes(const Operand& from, const Dim& odd) { return odd * from.lines() * from.units() * Dim(2 * kUnit); }

  Form product_form() const {
    Form form = step_.bare_form(work_.groups(tiles_));
    const Dim pitch = w_.strides[0] * Dim(2);
    put_programs(form.arguments, {maps(), tiles_.split ? sums() : form_number(kY, Form::kAddress), work_.m, work_.n,
                                  work_.k, Dim(1), w_.address, pitch, Dim(0), Dim(1), work_.part_steps(tiles_),
                                  work_.parts(tiles_), work_.n, x_.address, x_.units(), reciprocal(x_.units())});
    const size_t skipped = kConvolutionSpace - step_.space();
    const auto each = [&](const Dim& missing, auto value) {
      for (size_t i = 0; i < kConvolutionSpace; ++i)
        put_programs(form.arguments, {i < skipped ? missing : value(i - skipped)});
    };
    const std::array<Dim, 2> taps{w_.sizes[2], w_.sizes[3]};
    for (const Dim& d : taps) put_programs(form.arguments, {d});
    for (const Dim& d : taps) put_programs(form.arguments, {reciprocal(d)});
    each(1, [&](size_t i) { return step_.slots().out[i]; });
    for (const Dim& stride : x_.strides) put_programs(form.arguments, {stride * Dim(2)});
    each(1, [&](size_t i) { return Dim(step_.stride(i)); });
    each(0, [&](size_t i) { return step_.low(i); });
    each(1, [&](size_t i) { return Dim(step_.dilation(i)); });
    each(1, [&](size_t i) { return step_.slots().in[i]; });
    put_programs(form.scratch, {bytes(from_x_, odd_x_), bytes(from_w_, odd_w_),
                                work_.maps_bytes() + (tiles_.split ? work_.sums_bytes(tiles_, work_.n) : Dim(0))});
    suit(form);
    return form;
  }
  static Dim reciprocal(const Dim& d) { return ceil_div(Dim(kReciprocal), max(d, 1)); }

  void suit(Form& form) const {
    if (packed_)
      put_programs(form.suited, {Dim(1) - sign(odd_x_ + odd_w_), past(from_x_.lines() * from_x_.units(), kMostBytes),
                                 past(from_w_.lines() * from_w_.units(), kMostBytes)});
    else
      put_programs(form.suited, {odd_x_, odd_w_});
    const Dim image = x_.sizes[1] * x_.strides[1] + x_.sizes[2] * x_.strides[2] + x_.sizes[3] * x_.strides[3];
    put_programs(form.suited,
                 {step_.slots().groups - Dim(1), shortfall(x_.channels, 1),
                  past(step_.slots().taps() * x_.units(), ptx::kMostUnits), past(image * Dim(2), kMostBytes)});
    for (size_t i = 0; i < step_.space(); ++i)
      put_programs(form.suited,
                   {past((step_.slots().kernel[i] - Dim(1)) * Dim(step_.dilation(i)), ptx::kMostReach - 1)});
    const Dim before = packed_ ? ptx_copy_time(bytes(from_x_, odd_x_) + bytes(from_w_, odd_w_)) : Dim(0);
    for (DimProgram& p : work_.suited(tiles_, before, packed_ ? kShiftedPercent : kWidePercent))
      form.suited.push_back(std::move(p));
  }

  Form pack_form() const {
    const Dim groups_x = packers(from_x_, odd_x_), groups_w = packers(from_w_, odd_w_);
    Form form = step_.bare_form(groups_x + groups_w);
    form.joined = true;
    const auto put = [&](const Operand& from, const Operand& to, const Dim& groups, const Dim& odd) {
      put_programs(form.arguments, {from.address, to.address, groups, odd * from.lines() * from.units(), from.units(),
                                    from.channels, from.sizes[1], from.sizes[2], from.sizes[3]});
      for (const Dim& stride : from.strides) put_programs(form.arguments, {stride});
      put_programs(form.arguments, {from.channel_stride});
    };
    put(from_x_, x_, groups_x, odd_x_);
    put(from_w_, w_, groups_w, odd_w_);
    return form;
  }
  static Dim packers(const Operand& from, const Dim& odd) {
    return odd * ceil_div(from.lines() * from.units(), int64_t{kPackers});
  }

  Shader pack_shader(const std::string& name, Form form) const {
    Shader shader;
    shader.text = fill(kPack, {{"THREADS", std::to_string(kPackers)}});
    shader.kernel.name = step_.step().name() + "_pack" + name;
    shader.kernel.group_size = kPackers;
    shader.kernel.routine = std::move(form);
    return shader;
  }

  const ConvolutionStep& step_;
  const bool packed_;
  const PtxTiles tiles_;
  const ptx::Product product_;
  const PtxWork work_;
  Operand x_, w_, from_x_, from_w_;
  Dim odd_x_, odd_w_;
};

}  // namespace

std::vector<Shader> ptx_convolutions(const ConvolutionStep& step) {
  std::vector<Shader> shaders;
  for (const bool packed : {false, true})
    for (const PtxTiles& tiles : ptx_tiles()) {
      const PtxConvolution convolution(step, tiles, packed);
      if (convolution.possible()) convolution.add_to(shaders);
    }
  return shaders;
}

}  // namespace frit::codegen::glsl
