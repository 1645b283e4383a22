// Adds the parts of products that were split along k, and applies the epilogue. An invocation computes one element; the
// first part comes first, so that sums depend on the sizes alone.
#include <algorithm>

#include "codegen/glsl/products/product.h"

namespace frit::codegen::glsl {

namespace {

constexpr uint32_t kInvocations = 256;

constexpr const char* kText = R"($EXTENSIONS$$REFERENCES$layout(local_size_x = $THREADS$) in;
layout(buffer_reference, std430, buffer_reference_align = $PART_SIZE$) readonly restrict buffer Part { $COMPUTE$ data; };
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Element { $STORAGE$ data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {
  uint64_t parts, c;
  int64_t m, n, pitch, count, unused[11];
$ARGUMENTS$};
layout(push_constant, std430) uniform Push { Arguments args; };
$PRELUDE$const int ahead = 8;  // loads on their way at once
void main() {
  const uint number = flat_group() * $THREADS$u + gl_LocalInvocationID.x;
  const uint n = uint(args.n), row = number / n, column = number - row * n;
  const bool mine = int64_t(row) < args.m;
  const int count = int(args.count);
  const uint64_t first = args.parts + (uint64_t(mine ? row : 0u) * uint64_t(args.pitch) + uint64_t(column)) * $PART_SIZE$UL;
  const uint64_t apart = uint64_t(args.m * args.pitch) * $PART_SIZE$UL;
  $COMPUTE$ sum = $COMPUTE$(0);
  for (int s = 0; s < count; s += ahead) {
    $COMPUTE$ part[ahead];
    [[unroll]] for (int i = 0; i < ahead; ++i) part[i] = Part(first + uint64_t(min(s + i, count - 1)) * apart).data;
    [[unroll]] for (int i = 0; i < ahead; ++i)
      if (s + i < count) sum += part[i];
  }
$STORE$}
)";

}  // namespace

std::vector<Shader> with_sums(const RoutineStep& s, Dtype t, const ProductParts& parts, const FusedEpilogue& fused,
                              Shader part) {
  const ProductText text(t, s.features, fused);
  Shader sums;
  sums.text = text.fill_in(fill(kText, {{"STORE", text.one_element("args.c", "number")}}),
                           {{"PARTS", "1"},
                            {"THREADS", std::to_string(kInvocations)},
                            {"PART_SIZE", std::to_string(std::max<size_t>(t.size(), 4))}});
  sums.kernel.name = part.kernel.name + "_sums";
  sums.kernel.group_size = kInvocations;
  sums.kernel.routine = sums_form(parts, s.number, kInvocations);
  sums.kernel.routine->epilogue = text.epilogue() != nullptr;
  part.kernel.routine->joined = true;
  std::vector<Shader> both;
  both.push_back(std::move(part));
  both.push_back(std::move(sums));
  return both;
}

}  // namespace frit::codegen::glsl
