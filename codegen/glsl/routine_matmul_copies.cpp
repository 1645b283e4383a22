// Copies of a product's operands whose lines begin at multiples of 16 bytes and end with zeros, for products that take
// no other ones. A workgroup writes a part of one line.
#include "codegen/glsl/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr uint32_t kInvocations = 256;

constexpr const char* kText = R"(#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = $THREADS$) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Word { uint data; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Words { uvec4 data; };
// One of the two: lines of `extent` elements, `stride` apart, and those of its copy.
struct Operand {
  uint64_t from, to;
  int64_t groups, lines, extent, stride, all_lines, pitch, sizes[4], steps[4];
};
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments { Operand operands[2]; };
layout(push_constant, std430) uniform Push { Arguments args; };
const int unit = 16 / $SIZE$;
// `count` elements from an address on.
uvec4 elements(uint64_t at, int count) {
  uvec4 words = uvec4(0u);
$READ$  return words;
}
void main() {
  uint64_t group = uint64_t(gl_WorkGroupID.y) * uint64_t(gl_NumWorkGroups.x) + uint64_t(gl_WorkGroupID.x);
  const int which = group < uint64_t(args.operands[0].groups) ? 0 : 1;
  if (which == 1) group -= uint64_t(args.operands[0].groups);
  if (group >= uint64_t(args.operands[which].groups)) return;
  const int64_t length = args.operands[which].extent, pitch = args.operands[which].pitch;
  const uint64_t parts = uint64_t(pitch + $THREADS$ * unit - 1) / uint64_t($THREADS$ * unit);
  const uint64_t line = group / parts, all = uint64_t(args.operands[which].all_lines);
  const int64_t at = int64_t((group - line * parts) * $THREADS$UL + uint64_t(gl_LocalInvocationID.x)) * unit;
  uint64_t batch = line / all;
  const int64_t own = int64_t(line - batch * all);
  int64_t first = own * args.operands[which].stride + at;
  for (int i = 3; i >= 0; --i) {
    const uint64_t size = uint64_t(args.operands[which].sizes[i]), next = batch / size;
    first += int64_t(batch - next * size) * args.operands[which].steps[i];
    batch = next;
  }
  if (at >= pitch) return;
  uvec4 words = uvec4(0u);
  if (own < args.operands[which].lines && at < length)
    words = elements(args.operands[which].from + uint64_t(first) * $SIZE$UL, int(min(length - at, int64_t(unit))));
  Words(args.operands[which].to + (line * uint64_t(pitch) + uint64_t(at)) * $SIZE$UL).data = words;
}
)";

constexpr const char* kReadWords = R"(  [[unroll]] for (int i = 0; i < 4; ++i)
    if (i < count) words[i] = Word(at + uint64_t(4 * i)).data;
)";

// The words around the elements, shifted.
constexpr const char* kReadHalves = R"(  const uint64_t first = at & ~3UL;
  const int odd = int(uint(at) >> 1) & 1;
  uint w[5];
  [[unroll]] for (int i = 0; i < 5; ++i) {
    w[i] = 0u;
    if (2 * i - odd < count) w[i] = Word(first + uint64_t(4 * i)).data;
  }
  [[unroll]] for (int i = 0; i < 4; ++i) {
    words[i] = odd == 1 ? w[i] >> 16 | w[i + 1] << 16 : w[i];
    if (2 * i + 1 >= count) words[i] &= 2 * i >= count ? 0u : 0xffffu;
  }
)";

}  // namespace

std::vector<Shader> with_copies(const RoutineStep& s, Dtype t, const FormSizes& sizes, bool whole, Shader product) {
  Shader copies;
  copies.text = fill(fill(kText, {{"READ", t.size == 2 ? kReadHalves : kReadWords}}),
                     {{"SIZE", std::to_string(t.size)}, {"THREADS", std::to_string(kInvocations)}});
  copies.kernel.name = s.name() + "_copies";
  copies.kernel.group_size = kInvocations;
  copies.kernel.routine = copies_form(s.number, sizes, whole, int64_t{kInvocations} * 16 / t.size);
  auto& suited = copies.kernel.routine->suited;
  suited.insert(suited.end(), product.kernel.routine->suited.begin(), product.kernel.routine->suited.end());
  std::vector<Shader> both;
  both.push_back(std::move(copies));
  both.push_back(std::move(product));
  return both;
}

}  // namespace frit::codegen::glsl
