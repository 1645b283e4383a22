// Copies of a product's operands whose lines begin at multiples of 16 bytes and end with zeros, for products that take
// no other ones. A workgroup writes a part of one line.
#include "codegen/glsl/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr uint32_t kInvocations = 256, kWords = 2;

constexpr const char* kText = R"(layout(local_size_x = $THREADS$) in;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer From { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer To { uvec4 data; };
// One of the two: lines of `extent` elements, `stride` apart, and those of its copy.
struct Operand {
  uint64_t from, to;
  int64_t groups, lines, extent, stride, all_lines, pitch, sizes[4], steps[4];
};
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments { Operand operands[2]; };
layout(push_constant, std430) uniform Push { Arguments args; };
const int unit = 16 / $SIZE$, words = $WORDS$;  // elements of a word; words of an invocation
// Most are small, and then this is several times as fast.
uint64_t quotient(uint64_t x, uint64_t y) { return ((x | y) >> 32) == 0UL ? uint64_t(uint(x) / uint(y)) : x / y; }
// `count` elements from an address on: the aligned words around them, shifted.
uvec4 elements(uint64_t at, int count) {
  const uint64_t first = at & ~15UL;
  const uint past = uint(at) & 15u;
  uvec4 low = From(first).data, high = uvec4(0u);
  if (int(past) + count * $SIZE$ > 16) high = From(first + 16UL).data;
  if ((past & 8u) != 0u) low = uvec4(low.zw, high.xy), high = uvec4(high.zw, 0u, 0u);
  if ((past & 4u) != 0u) low = uvec4(low.yzw, high.x), high.x = high.y;
$SHIFT$  return low;
}
void main() {
  uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const int which = group < uint64_t(args.operands[0].groups) ? 0 : 1;
  if (which == 1) group -= uint64_t(args.operands[0].groups);
  if (group >= uint64_t(args.operands[which].groups)) return;
  const int64_t length = args.operands[which].extent, pitch = args.operands[which].pitch;
  const uint64_t parts = quotient(uint64_t(pitch + $THREADS$ * unit * words - 1), uint64_t($THREADS$ * unit * words));
  const uint64_t line = quotient(group, parts), all = uint64_t(args.operands[which].all_lines);
  const int64_t begin = int64_t((group - line * parts) * uint64_t($THREADS$ * words) + uint64_t(gl_LocalInvocationID.x)) * unit;
  uint64_t batch = quotient(line, all);
  const int64_t own = int64_t(line - batch * all);
  int64_t first = own * args.operands[which].stride;
  if (batch != 0UL)
    for (int i = 3; i >= 0; --i) {
      const uint64_t size = uint64_t(args.operands[which].sizes[i]), next = quotient(batch, size);
      first += int64_t(batch - next * size) * args.operands[which].steps[i];
      batch = next;
    }
  const uint64_t from = args.operands[which].from + uint64_t(first) * $SIZE$UL,
                 to = args.operands[which].to + line * uint64_t(pitch) * $SIZE$UL;
  const bool there = own < args.operands[which].lines;
  uvec4 copied[words];
  [[unroll]] for (int w = 0; w < words; ++w) {
    const int64_t at = begin + w * ($THREADS$ * unit);
    copied[w] = uvec4(0u);
    if (there && at < length) copied[w] = elements(from + uint64_t(at) * $SIZE$UL, int(min(length - at, int64_t(unit))));
  }
  [[unroll]] for (int w = 0; w < words; ++w) {
    const int64_t at = begin + w * ($THREADS$ * unit);
    if (at < pitch) To(to + uint64_t(at) * $SIZE$UL).data = copied[w];
  }
}
)";

// Elements past the count are zero.
constexpr const char* kShiftWords = R"(  [[unroll]] for (int i = 0; i < 4; ++i)
    if (i >= count) low[i] = 0u;
)";

constexpr const char* kShiftHalves = R"(  if ((past & 2u) != 0u) low = low >> 16 | uvec4(low.yzw, high.x) << 16;
  [[unroll]] for (int i = 0; i < 4; ++i)
    if (2 * i + 1 >= count) low[i] &= 2 * i >= count ? 0u : 0xffffu;
)";

}  // namespace

std::vector<Shader> with_copies(const RoutineStep& s, Dtype t, const FormSizes& sizes, bool whole, Shader product) {
  Shader copies;
  copies.text = fill(
      fill(kText, {{"SHIFT", t.size == 2 ? kShiftHalves : kShiftWords}}),
      {{"SIZE", std::to_string(t.size)}, {"THREADS", std::to_string(kInvocations)}, {"WORDS", std::to_string(kWords)}});
  copies.kernel.name = s.name() + "_copies";
  copies.kernel.group_size = kInvocations;
  copies.kernel.routine = copies_form(s.number, sizes, whole, int64_t{kInvocations} * kWords * 16 / t.size);
  auto& suited = copies.kernel.routine->suited;
  suited.insert(suited.end(), product.kernel.routine->suited.begin(), product.kernel.routine->suited.end());
  std::vector<Shader> both;
  both.push_back(std::move(copies));
  both.push_back(std::move(product));
  return both;
}

}  // namespace frit::codegen::glsl
