// Convolutions of few channels in many groups (depthwise), and their derivatives for the weights, without products of
// matrices.
//
// A workgroup takes up to 64 features at a time, neighbours in memory, and strips of neighbouring positions along the
// last axis of space. An invocation goes over the elements that its strip's windows meet, and adds each to the sums
// that it belongs to: those of the strip's positions, or, for the weights, those of the taps. The text has a statement
// for each product, so that all sums stay in registers; hence the kernel's sizes have to be known and its taps few.
//
// Elements of 16 bits whose channels lie side by side are read two channels at a time: an invocation computes both.
//
// Loads have no conditions: elements outside of the image are read at the nearest place inside, and are zeros then.
// Drivers wait for a load behind a condition before they begin the next one.
#include <algorithm>

#include "codegen/glsl/convolution/convolution.h"
#include "codegen/glsl/form_numbers.h"

namespace frit::codegen::glsl {

namespace {

constexpr int64_t kMostFeatures = 4;   // of a group; a product of matrices would be mostly empty
constexpr int64_t kMostProducts = 64;  // taps times channels
constexpr int64_t kInvocations = 256;
constexpr size_t kMostLoads = 48;  // under way at once
constexpr int64_t kManyGroups = 528, kMostTurns = 8;
constexpr int64_t kPairGroups = 264;  // fewer ones wait less where invocations take a feature each

constexpr const char* kHead = R"($EXTENSIONS$$REFERENCES$layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) readonly restrict buffer Read { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = $SUM_SIZE$) buffer Sum { $COMPUTE$ data; };
$HEAD$$PRELUDE$
#define FROM_MEMORY(x) ($FROM$)
$COMPUTE$ element(uint64_t base, int64_t at) { return FROM_MEMORY(Read(base + uint64_t(at) * $SIZE$UL).data); }
const int products = $PRODUCTS$, strip = $STRIP$, width = $WIDTH$, together = 256 / width, each = $EACH$, wide = width * each;
shared $COMPUTE$ shared_sums[$SHARED$];
void main() {
  const int me = int(gl_LocalInvocationID.x), lane = me % width, turn = me / width;
  const uint place = flat_group(), blocks = uint(N_G * N_F + wide - 1) / uint(wide);
  const uint part = place / blocks, block = place - part * blocks;
  const uint per_line = uint(N_O2 + strip - 1) / uint(strip), strips = uint(N_BATCH * N_O0 * N_O1) * per_line;
  const int feature = int(block) * wide + lane * each, group = feature / N_F;
  const uint first_strip = part * uint(args.steps), last_strip = min(first_strip + uint(args.steps), strips);
  if (first_strip >= strips && part >= uint(args.parts)) return;
$BEFORE_STRIPS$  if (feature < N_G * N_F && turn < together)
    for (uint at = first_strip + uint(turn); at < last_strip; at += uint(together)) {
      const uint line = at / per_line;
      const int o2 = int(at - line * per_line) * strip;
      const Window from = window_of(line * uint(N_O2) + uint(o2));
      const int64_t base = from.x - int64_t(from.first.x) * S_X0 - int64_t(from.first.y) * S_X1 + int64_t(group) * int64_t(N_C) * S_XC;
$STRIP_TEXT$    }
$AFTER_STRIPS$}
)";

// Weights of the block's features, so that neighbours read neighbouring ones.
constexpr const char* kWeights = R"(  for (int i = me; i < products * wide; i += 256) {
    const int f = min(int(block) * wide + i % wide, N_G * N_F - 1), tap = i / wide / N_C, c = i / wide - tap * N_C;
    shared_sums[i] = element(args.other, int64_t(f) * S_WN + tap_of(uint(tap * PADDED + c)).w);
  }
  barrier();
)";
constexpr const char* kStore =
    R"(      const uint64_t to = args.result + (uint64_t(line * uint(N_O2) + uint(o2)) * uint64_t(N_G * N_F) + uint64_t(feature)) * $SIZE$UL;
      [[unroll]] for (int r = 0; r < strip * each; ++r) {
        const $COMPUTE$ sum = sums[r];
        if (o2 + r / each < N_O2) Element(to + uint64_t(r / each) * (uint64_t(N_G * N_F) * $SIZE$UL) + uint64_t(r % each) * $SIZE$UL).data = $STORED$;
      }
)";
constexpr const char* kEpilogue = R"(      $POSITION$ places[parts];
      $ELEMENT$ elements[parts];
      bool there[parts];
      [[unroll]] for (int r = 0; r < strip * each; ++r) {
        const $COMPUTE$ sum = sums[r];
        there[r] = o2 + r / each < N_O2;
        places[r] = $POSITION$(uint64_t(line * uint(N_O2) + uint(o2 + r / each)) * uint64_t(N_G * N_F) + uint64_t(feature + r % each));
        elements[r] = $SUM$;
      }
      epilogue(places, elements, there);
)";
// The sums of the strips, in order.
constexpr const char* kFold = R"(  [[unroll]] for (int k = 0; k < products; ++k) {
    barrier();
    shared_sums[me] = sums[k];
    barrier();
    if (turn == 0 && feature < N_G * N_F) {
      $COMPUTE$ sum = shared_sums[lane];
      [[unroll]] for (int i = 1; i < together; ++i) sum += shared_sums[i * width + lane];
      Sum(args.sums + ((uint64_t(part) * uint64_t(N_G * N_F) + uint64_t(feature)) * uint64_t(products) + uint64_t(k)) * $SUM_SIZE$UL).data = sum;
    }
  }
)";

class DirectWriter {
 public:
  // `each`: features of an invocation, 1 or 2.
  DirectWriter(const ConvolutionStep& step, const FusedEpilogue& fused, int64_t each)
      : step_(step), keep_(fused.keep), each_(each), text_(step.type(), step.step().features, fused) {
    const ConvolutionDims& d = step.known();
    for (size_t i = 0; i < kConvolutionSpace; ++i) kernel_[i] = d.kernel[i].value();
    channels_ = d.channels.value();
    products_ = d.taps().value() * channels_;
    strip_ = step.stride(2) == 1 && kernel_[2] > 1 ? 8 : 4;
    width_ = width();
  }

  std::vector<Shader> run() {
    const bool weights = step_.of_weights();
    const ConvolutionDims& d = step_.slots();
    const Dim blocks = ceil_div(d.groups * d.features, width_ * each_);
    const Dim strips = d.batch * d.out[0] * d.out[1] * ceil_div(d.out[2], strip_);
    // Strips of a workgroup, in whole turns: of the weights, as many as leave work for a device, as each stores sums.
    const int64_t together = kInvocations / width_;
    const Dim turns = ceil_div(strips, together);
    const Dim own = weights ? ceil_div(turns, max(floor_div(Dim(kManyGroups), max(blocks, 1)), 1))
                            : max(min(floor_div(turns * blocks, kManyGroups), kMostTurns), 1);
    const Dim parts = ceil_div(turns, max(own, 1));
    Shader shader;
    shader.text = text(weights);
    shader.kernel.name = step_.step().name() + (each_ > 1 ? "_direct_pairs" : "_direct");
    shader.kernel.group_size = 256;
    shader.kernel.routine =
        step_.plain_form(blocks * parts, own * Dim(together), weights ? std::optional(parts) : std::nullopt);
    for (const Dim& n : {strips, d.groups * d.features, d.in[0], d.in[1], d.in[2]})
      shader.kernel.routine->suited.push_back(form_program(max(n - Dim(kMostSteps32), 0)));
    for (const Dim& n : d.in) shader.kernel.routine->suited.push_back(form_program(max(Dim(1) - n, 0)));
    if (each_ > 1) suit_pairs(*shader.kernel.routine, blocks * turns);
    shader.kernel.routine->epilogue = text_.epilogue() != nullptr;
    std::vector<Shader> shaders;
    shaders.push_back(std::move(shader));
    if (weights)
      shaders.push_back(convolution_sums(step_, ConvolutionParts(parts), step_.step().name() + "_direct_sums", {}));
    return shaders;
  }

 private:
  // Two channels lie in one word, and there are many of them.
  void suit_pairs(runtime::RoutineForm& form, const Dim& groups) const {
    Dim odd = mod(form_number(0, runtime::RoutineForm::kAddress), 4);
    for (size_t axis = 0; axis <= step_.space(); ++axis) odd += mod(step_.input_stride(axis), each_);
    form.suited.push_back(form_program(odd));
    form.suited.push_back(form_program(shortfall(groups, kPairGroups)));
  }

  // Features of a workgroup, such that most of its invocations have one, or a pair.
  int64_t width() const {
    const Dim all = step_.known().groups * step_.known().features;
    int64_t best = 32, least = INT64_MAX;
    if (!all.is_const() || all.value() <= 0) return best;
    for (int64_t w = 64; w >= 16; --w) {
      const int64_t blocks = (all.value() + w * each_ - 1) / (w * each_), strips = kInvocations / w;
      const int64_t used = blocks * 1024 * kInvocations / strips;  // invocations for 1024 strips
      if (used < least) least = used, best = w;
    }
    return best;
  }

  std::string text(bool weights) {
    std::string strip_text, before, after;
    if (weights) {
      before = "  $COMPUTE$ sums[products];\n  [[unroll]] for (int k = 0; k < products; ++k) sums[k] = $COMPUTE$(0);\n";
      strip_text =
          "      $COMPUTE$ given[strip];\n      [[unroll]] for (int r = 0; r < strip; ++r) {\n"
          "        given[r] = element(args.other, from.y + int64_t(min(o2 + r, N_O2 - 1) - o2) * S_Y2 + int64_t(feature) * "
          "S_YC);\n        given[r] = o2 + r < N_O2 ? given[r] : $COMPUTE$(0);\n      }\n" +
          products(true);
      after = kFold;
    } else {
      before = kWeights;
      for (int64_t k = 0; k < products_; ++k)
        for (int64_t e = 0; e < each_; ++e)
          before += "  const $COMPUTE$ " + weight(k, e) + " = shared_sums[" + std::to_string(k) +
                    " * wide + lane * each + " + std::to_string(e) + "];\n";
      strip_text =
          "      $COMPUTE$ sums[strip * each];\n      [[unroll]] for (int r = 0; r < strip * each; ++r) sums[r] = "
          "$COMPUTE$(0);\n" +
          products(false) + (!text_.epilogue() || keep_ ? kStore : "") + (text_.epilogue() ? kEpilogue : "");
    }
    ConvolutionTile none{32, 32, 32, 256};
    const std::string head = step_.words(none, "").at("HEAD");
    std::string all = fill(kHead, {{"HEAD", head}});
    all = fill(all, {{"BEFORE_STRIPS", before}, {"STRIP_TEXT", strip_text}, {"AFTER_STRIPS", after}});
    return text_.fill_in(all, {{"PRODUCTS", std::to_string(products_)},
                               {"STRIP", std::to_string(strip_)},
                               {"EACH", std::to_string(each_)},
                               {"PARTS", std::to_string(strip_ * each_)},
                               {"UNIT", std::to_string(step_.unit())},
                               {"SUM_SIZE", step_.type() == float64 ? "8" : "4"},
                               {"WIDTH", std::to_string(width_)},
                               {"RAW", step_.type().size() == 2 ? "uint" : "$COMPUTE$"},
                               {"SHARED", std::to_string(weights ? kInvocations : products_ * width_ * each_)}});
  }

  // All products of a strip: the loads of some lines of taps, then the products of their elements in the order of their
  // places, so that sums run along the taps in order.
  std::string products(bool weights) const {
    std::string text, loads, uses;
    const std::vector<int64_t> all = places();
    for (int64_t s : all) {
      const std::string z = "from.first.z + " + std::to_string(s), number = std::to_string(s);
      text += "      const bool in" + number + " = uint(" + z + ") < uint(N_I2);\n      const uint64_t by" + number +
              " = uint64_t(int64_t(clamp(" + z + ", 0, N_I2 - 1) - from.first.z) * (S_X2 * $SIZE$L));\n";
    }
    const size_t each = all.size() * static_cast<size_t>(channels_);  // loads of a line
    size_t together = 0;
    for (int64_t line = 0; line < kernel_[0] * kernel_[1]; ++line) {
      if (together + each > kMostLoads) {
        text += loads + uses;
        loads.clear(), uses.clear(), together = 0;
      }
      together += each;
      const auto at = [&](const char* axis, int64_t k, size_t i) {
        return std::string("from.first.") + axis + " + " + std::to_string(k * step_.dilation(i));
      };
      const std::string y = at("x", line / kernel_[1], 0), z = at("y", line % kernel_[1], 1),
                        number = std::to_string(line);
      loads += "      const bool line" + number + " = uint(" + y + ") < uint(N_I0) && uint(" + z +
               ") < uint(N_I1);\n      const uint64_t row" + number + " = args.x + uint64_t(base + int64_t(clamp(" + y +
               ", 0, N_I0 - 1)) * S_X0 + int64_t(clamp(" + z + ", 0, N_I1 - 1)) * S_X1) * $SIZE$UL;\n";
      for (int64_t c = 0; c < channels_; ++c) add_line(weights, line, c, loads, uses);
    }
    return text + loads + uses;
  }

  // Where the elements of a line of taps lie that a strip meets, counted from its first one.
  std::vector<int64_t> places() const {
    std::vector<int64_t> all;
    for (int64_t s = 0; s <= (strip_ - 1) * step_.stride(2) + (kernel_[2] - 1) * step_.dilation(2); ++s)
      for (int64_t k2 = 0; k2 < kernel_[2] && (all.empty() || all.back() != s); ++k2)
        if (meets(s, k2)) all.push_back(s);
    return all;
  }

  // Whether tap k2 of a line meets place s at a position of the strip.
  bool meets(int64_t s, int64_t k2) const {
    const int64_t from = s - k2 * step_.dilation(2), stride = step_.stride(2);
    return from >= 0 && from % stride == 0 && from / stride < strip_;
  }

  static std::string weight(int64_t product, int64_t e) {
    return "w" + std::to_string(product) + "_" + std::to_string(e);
  }

  // The elements of a line of taps: their loads, and the products with them.
  void add_line(bool weights, int64_t line, int64_t channel, std::string& loads, std::string& uses) const {
    const std::string row = std::to_string(line), of = row + "_" + std::to_string(channel) + "_";
    for (int64_t s : places()) {
      const std::string place = std::to_string(s), x = "x" + of + place, raw = "m" + of + place;
      loads += "      const $RAW$ " + raw + " = $RAW$(" + (each_ > 1 ? "Word" : "Read") + "(row" + row + " + by" +
               place + " + uint64_t(" + std::to_string(channel) + "L * S_XC * $SIZE$L)).data);\n";
      for (int64_t e = 0; e < each_; ++e) {
        const std::string own = each_ == 1 ? raw : "(" + raw + (e ? " >> 16)" : " & 0xffffu)"),
                          name = x + "_" + std::to_string(e);
        uses += "      const $COMPUTE$ " + name + " = line" + row + " && in" + place + " ? FROM_MEMORY(" + own +
                ") : $COMPUTE$(0);\n";
        for (int64_t k2 = 0; k2 < kernel_[2]; ++k2)
          if (meets(s, k2)) uses += multiply(weights, name, (line * kernel_[2] + k2) * channels_ + channel, s, k2, e);
      }
    }
  }

  // The product of an element at place `s` with tap k2.
  std::string multiply(bool weights, const std::string& x, int64_t product, int64_t s, int64_t k2, int64_t e) const {
    const int64_t at = (s - k2 * step_.dilation(2)) / step_.stride(2);
    return "      " +
           (weights ? text_.multiply("sums[" + std::to_string(product) + "]", x, "given[" + std::to_string(at) + "]")
                    : text_.multiply("sums[" + std::to_string(at * each_ + e) + "]", x, weight(product, e))) +
           "\n";
  }

  const ConvolutionStep& step_;
  const bool keep_;
  const int64_t each_;
  ProductText text_;
  std::array<int64_t, kConvolutionSpace> kernel_{};
  int64_t channels_ = 1, products_ = 1, strip_ = 4, width_ = 32;
};

}  // namespace

std::vector<Shader> direct_convolutions(const ConvolutionStep& step, const FusedEpilogue& fused) {
  const ConvolutionDims& d = step.known();
  const Dim products = d.taps() * d.channels;
  const bool known = products.is_const() && d.features.is_const() && d.channels.is_const() &&
                     std::all_of(d.kernel.begin(), d.kernel.end(), [](const Dim& k) { return k.is_const(); });
  if (!known || d.groups.is(1) || products.value() > kMostProducts || d.features.value() > kMostFeatures) return {};
  std::vector<Shader> shaders;
  const bool pairs = !step.of_weights() && step.type().size() == 2 && step.dense_channels() && d.channels.is(1) &&
                     d.features.is(1) && d.groups.is_const() && d.groups.value() % 2 == 0;
  if (pairs) shaders = DirectWriter(step, fused, 2).run();
  for (Shader& shader : DirectWriter(step, fused, 1).run()) shaders.push_back(std::move(shader));
  return shaders;
}

}  // namespace frit::codegen::glsl
