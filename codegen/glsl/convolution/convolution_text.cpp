// Text that the shaders of convolutions share: windows and taps, the loads of a product's operands, and places of the
// result.
#include "codegen/glsl/convolution/convolution.h"

namespace frit::codegen::glsl {
namespace {

// `x`: elements from the first one of the input to where the window begins, which may lie before it. `y`: to the
// position in the cotangent.
constexpr const char* kPlaces = R"(const int unit = $UNIT$;
#define PADDED ((N_C + unit - 1) / unit * unit)
#define TAPS (N_K0 * N_K1 * N_K2)
#define POSITIONS (N_BATCH * N_O0 * N_O1 * N_O2)
struct Window { ivec3 first; int64_t x, y; };
Window window_of(uint p) {
  const uint lines = p / uint(N_O2), planes = lines / uint(N_O1), n = planes / uint(N_O0);
  const ivec3 at = ivec3(planes - n * uint(N_O0), lines - planes * uint(N_O1), p - lines * uint(N_O2));
  Window w;
  w.first = at * ivec3(N_T0, N_T1, N_T2) - ivec3(N_L0, N_L1, N_L2);
  w.x = int64_t(n) * S_XN + int64_t(w.first.x) * S_X0 + int64_t(w.first.y) * S_X1 + int64_t(w.first.z) * S_X2;
  w.y = int64_t(n) * S_YN + int64_t(at.x) * S_Y0 + int64_t(at.y) * S_Y1 + int64_t(at.z) * S_Y2;
  return w;
}
// A tap and a channel: the way from a window's first element, elements of the input and of the weights, and how many
// channels are left.
struct Tap { ivec3 by; int64_t x, w; int left; };
Tap tap_of(uint k) {
  const uint number = k / uint(PADDED), c = k - number * uint(PADDED);
  const uint lines = number / uint(N_K2), planes = lines / uint(N_K1);
  const ivec3 at = ivec3(planes, lines - planes * uint(N_K1), number - lines * uint(N_K2));
  Tap t;
  t.by = at * ivec3(N_D0, N_D1, N_D2);
  t.x = int64_t(t.by.x) * S_X0 + int64_t(t.by.y) * S_X1 + int64_t(t.by.z) * S_X2 + int64_t(c) * S_XC;
  t.w = int64_t(at.x) * S_W0 + int64_t(at.y) * S_W1 + int64_t(at.z) * S_W2 + int64_t(c) * S_WC;
  t.left = number < uint(TAPS) ? N_C - int(c) : 0;
  return t;
}
bool meets(ivec3 at) { return all(lessThan(uvec3(at), uvec3(N_I0, N_I1, N_I2))); }
)";

// The place of a workgroup's tile: i0, j0, its group of channels, and its steps along k.
constexpr const char* kTilePlace = R"(  uint place = flat_group();
  const uint across = uint(COLUMNS + $TN$ - 1) / $TN$u, down = uint(ROWS + $TM$ - 1) / $TM$u;
  const uint rest = place / across, higher = rest / down, group = higher % uint(N_G), part = higher / uint(N_G);
  const int j0 = int(place - rest * across) * $TN$, i0 = int(rest - higher * down) * $TM$;
  const int first_step = int(part) * int(args.steps), last_step = min(first_step + int(args.steps), STEPS);
  if (part >= uint(args.parts)) return;
)";

// Operands of a convolution: windows by their channels; weights by their channels, or by features. `number` counts the
// loads of a tile.
constexpr const char* kWindows = R"(  Window a_from[a_parts];
  bool a_there[a_parts];
  [[unroll]] for (int i = 0; i < a_parts; ++i) {
    const int p = i0 + (me + i * invocations) / (depth / unit);
    a_there[i] = me + i * invocations < $TM$ * depth / unit && p < POSITIONS;
    a_from[i] = window_of(uint(min(p, POSITIONS - 1)));
    a_from[i].x += int64_t(group) * int64_t(N_C) * S_XC;
  }
)";
constexpr const char* kFetchWindows = R"(  const Tap tap = tap_of(uint(k0 + me % (depth / unit) * unit)); \
  [[unroll]] for (int i = 0; i < a_parts; ++i) \
    LOAD(a_part[i], args.x, a_from[i].x + tap.x, a_there[i] && meets(a_from[i].first + tap.by) ? clamp(tap.left, 0, unit) : 0, S_XC, a_wide) \
)";
constexpr const char* kFeatures = R"(  int64_t b_from[b_parts];
  bool b_there[b_parts];
  [[unroll]] for (int i = 0; i < b_parts; ++i) {
    const int f = j0 + (me + i * invocations) / (depth / unit);
    b_there[i] = me + i * invocations < $TN$ * depth / unit && f < N_F;
    b_from[i] = (int64_t(group) * int64_t(N_F) + int64_t(f)) * S_WN;
  }
)";
constexpr const char* kFetchFeatures = R"(  [[unroll]] for (int i = 0; i < b_parts; ++i) \
    LOAD(b_part[i], args.other, b_from[i] + tap.w, b_there[i] ? clamp(tap.left, 0, unit) : 0, S_WC, b_wide) \
)";
constexpr const char* kFeatureLines = R"(  int64_t b_from[b_parts];
  int b_left[b_parts];
  [[unroll]] for (int i = 0; i < b_parts; ++i) {
    const int f = j0 + (me + i * invocations) % ($TN$ / unit) * unit;
    b_left[i] = me + i * invocations < $TN$ * depth / unit ? clamp(N_F - f, 0, unit) : 0;
    b_from[i] = (int64_t(group) * int64_t(N_F) + int64_t(f)) * S_WN;
  }
)";
constexpr const char* kFetchFeatureLines = R"(  [[unroll]] for (int i = 0; i < b_parts; ++i) { \
    const Tap line = tap_of(uint(k0 + (me + i * invocations) / ($TN$ / unit))); \
    LOAD(b_part[i], args.other, b_from[i] + line.w, line.left > 0 ? b_left[i] : 0, S_WN, b_wide) \
  } \
)";
// Operands of the derivative for the weights: the cotangent by its features, windows by their channels.
constexpr const char* kCotangent = R"(  int64_t a_from[a_parts];
  int a_left[a_parts];
  [[unroll]] for (int i = 0; i < a_parts; ++i) {
    const int f = i0 + (me + i * invocations) % ($TM$ / unit) * unit;
    a_left[i] = me + i * invocations < $TM$ * depth / unit ? clamp(N_F - f, 0, unit) : 0;
    a_from[i] = (int64_t(group) * int64_t(N_F) + int64_t(f)) * S_YC;
  }
)";
constexpr const char* kFetchCotangent = R"(  [[unroll]] for (int i = 0; i < a_parts; ++i) { \
    const int p = k0 + (me + i * invocations) / ($TM$ / unit); \
    LOAD(a_part[i], args.other, a_from[i] + window_of(uint(p)).y, p < last_step ? a_left[i] : 0, S_YC, a_wide) \
  } \
)";
constexpr const char* kTaps = R"(  Tap b_tap[b_parts];
  [[unroll]] for (int i = 0; i < b_parts; ++i) {
    b_tap[i] = tap_of(uint(j0 + (me + i * invocations) % ($TN$ / unit) * unit));
    b_tap[i].left = me + i * invocations < $TN$ * depth / unit ? clamp(b_tap[i].left, 0, unit) : 0;
    b_tap[i].x += int64_t(group) * int64_t(N_C) * S_XC;
  }
)";
constexpr const char* kFetchTaps = R"(  [[unroll]] for (int i = 0; i < b_parts; ++i) { \
    const int p = k0 + (me + i * invocations) / ($TN$ / unit); \
    const Window w = window_of(uint(p)); \
    LOAD(b_part[i], args.x, w.x + b_tap[i].x, p < last_step && meets(w.first + b_tap[i].by) ? b_tap[i].left : 0, S_XC, b_wide) \
  } \
)";

// Whether row r and column c of a product are an element of the result, and which.
constexpr const char* kResult = R"(#define ROWS POSITIONS
#define COLUMNS N_F
#define STEPS (TAPS * PADDED)
bool is_there(int r, int c) { return r < POSITIONS && c < N_F; }
uint64_t place_of(int r, int c, uint group) { return uint64_t(uint(r)) * uint64_t(N_G * N_F) + uint64_t(group * uint(N_F) + uint(c)); }
)";
constexpr const char* kResultWeights = R"(#define ROWS N_F
#define COLUMNS (TAPS * PADDED)
#define STEPS POSITIONS
bool is_there(int r, int c) { return r < N_F && c < TAPS * PADDED && c % PADDED < N_C; }
uint64_t place_of(int r, int c, uint group) {
  const uint tap = uint(c) / uint(PADDED);
  return (uint64_t(group * uint(N_F) + uint(r)) * uint64_t(TAPS) + uint64_t(tap)) * uint64_t(N_C) + uint64_t(uint(c) - tap * uint(PADDED));
}
)";

constexpr const char* kSums = R"($EXTENSIONS$$REFERENCES$layout(local_size_x = 256) in;
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = $SUM_SIZE$) readonly buffer Sum { $COMPUTE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t result, sums;
  int64_t count, parts;
$UNUSED$$ARGUMENTS$};
layout(push_constant, std430) uniform Push { Arguments args; };
$PRELUDE$
void main() {
  const uint64_t group = uint64_t(flat_group());
  const uint64_t e = group * 256UL + uint64_t(gl_LocalInvocationIndex);
  const bool mine = e < uint64_t(args.count);
  $COMPUTE$ sum = $COMPUTE$(0);
  if (mine)
    for (int part = 0; part < int(args.parts); ++part)
      sum += Sum(args.sums + (uint64_t(uint(part)) * uint64_t(args.count) + e) * $SUM_SIZE$UL).data;
$STORE$}
)";
}  // namespace

std::map<std::string, std::string> ConvolutionStep::words(const ConvolutionTile& t, const std::string& store) const {
  const auto text = [](int v) { return std::to_string(v); };
  const auto parts = [&](int lines) { return text((lines * t.depth / unit() + t.invocations - 1) / t.invocations); };
  const bool a_along = !of_weights_, b_along = !of_weights_ && !along_features_;
  return {{"HEAD", head() + kPlaces + (of_weights_ ? kResultWeights : kResult)},
          {"PLACE", kTilePlace},
          {"A_SETUP", of_weights_ ? kCotangent : kWindows},
          {"A_FETCH", of_weights_ ? kFetchCotangent : kFetchWindows},
          {"B_SETUP", of_weights_ ? kTaps
                      : b_along   ? kFeatures
                                  : kFeatureLines},
          {"B_FETCH", of_weights_ ? kFetchTaps
                      : b_along   ? kFetchFeatures
                                  : kFetchFeatureLines},
          {"A_ALONG", a_along ? "true" : "false"},
          {"B_ALONG", b_along ? "true" : "false"},
          {"STORE", store},
          {"A_PARTS", parts(t.rows)},
          {"B_PARTS", parts(t.columns)},
          {"TM", text(t.rows)},
          {"TN", text(t.columns)},
          {"DEPTH", text(t.depth)},
          {"UNIT", text(unit())},
          {"SUM_SIZE", type_ == float64 ? "8" : "4"},
          {"THREADS", text(t.invocations)}};
}

Shader convolution_sums(const ConvolutionStep& step, const ConvolutionParts& parts, const std::string& name,
                        const FusedEpilogue& fused) {
  const ProductText text(step.type(), step.step().features, fused);
  Shader shader;
  shader.text = text.fill_in(fill(kSums, {{"STORE", text.one_element("args.result", "e")},
                                          {"SUM_SIZE", step.type() == float64 ? "8" : "4"},
                                          {"UNUSED", argument_filling(4)}}),
                             {{"PARTS", "1"}});
  shader.kernel.name = name;
  shader.kernel.group_size = 256;
  shader.kernel.routine = step.sums_form(parts);
  shader.kernel.routine->epilogue = text.epilogue() != nullptr;
  return shader;
}

}  // namespace frit::codegen::glsl
