// Copies of a product's operands whose lines begin at multiples of 16 bytes and end with zeros, for products that take
// no other ones. Neighbouring invocations write neighbouring words of 16 bytes.
#include "codegen/glsl/products/product_copy.h"

namespace frit::codegen::glsl {

namespace {

constexpr uint32_t kInvocations = 256, kWords = kCopiedWords / kInvocations;

constexpr const char* kText = R"(layout(local_size_x = $THREADS$) in;
layout(buffer_reference, std430, buffer_reference_align = 16) readonly restrict buffer From { uvec4 data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer To { uvec4 data; };
// One of the two: lines of `extent` elements, `stride` apart, and those of its copy, `count` words of 16 bytes in all.
struct Operand {
  uint64_t from, to;
  int64_t groups, count, lines, extent, stride, all_lines, pitch, sizes[4], steps[4];
};
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments { Operand operands[2]; };
layout(push_constant, std430) uniform Push { Arguments args; };
const int unit = 16 / $SIZE$, words = $WORDS$;  // elements of a word; words of an invocation
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
  int group = int(flat_group());
  const int which = group < int(args.operands[0].groups) ? 0 : 1;
  if (which == 1) group -= int(args.operands[0].groups);
  if (group >= int(args.operands[which].groups)) return;
  const uint count = uint(args.operands[which].count), parts = uint(args.operands[which].pitch) / uint(unit), all = uint(args.operands[which].all_lines);
  const int length = int(args.operands[which].extent);
  uvec4 copied[words];
  [[unroll]] for (int w = 0; w < words; ++w) {
    const uint number = min(uint(group) * uint($THREADS$ * words) + uint(w * $THREADS$) + gl_LocalInvocationID.x, count - 1u);
    const uint line = number / parts;
    const int at = int(number - line * parts) * unit;
    uint batch = line / all;
    const uint own = line - batch * all;
    int64_t first = int64_t(own) * args.operands[which].stride;
    if (batch != 0u)
      for (int i = 3; i >= 0; --i) {
        const uint size = uint(args.operands[which].sizes[i]), next = batch / size;
        first += int64_t(batch - next * size) * args.operands[which].steps[i];
        batch = next;
      }
    copied[w] = uvec4(0u);
    if (own < uint(args.operands[which].lines) && at < length)
      copied[w] = elements(args.operands[which].from + uint64_t(first + int64_t(at)) * $SIZE$UL, min(length - at, unit));
  }
  [[unroll]] for (int w = 0; w < words; ++w) {
    const uint number = uint(group) * uint($THREADS$ * words) + uint(w * $THREADS$) + gl_LocalInvocationID.x;
    if (number < count) To(args.operands[which].to + uint64_t(number) * 16UL).data = copied[w];
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

std::vector<Shader> with_copies(const RoutineStep& s, Dtype t, runtime::RoutineForm form, Shader product) {
  Shader copies;
  copies.text = fill(fill(kText, {{"SHIFT", t.size() == 2 ? kShiftHalves : kShiftWords}}),
                     {{"SIZE", std::to_string(t.size())},
                      {"THREADS", std::to_string(kInvocations)},
                      {"WORDS", std::to_string(kWords)}});
  copies.kernel.name = product.kernel.name + "_copies";
  copies.kernel.group_size = kInvocations;
  form.step = static_cast<uint32_t>(s.number);
  copies.kernel.routine = std::move(form);
  auto& suited = copies.kernel.routine->suited;
  suited.insert(suited.end(), product.kernel.routine->suited.begin(), product.kernel.routine->suited.end());
  std::vector<Shader> both;
  both.push_back(std::move(copies));
  both.push_back(std::move(product));
  return both;
}

}  // namespace frit::codegen::glsl
