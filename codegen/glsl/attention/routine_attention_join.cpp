// Joins what workgroups made of the parts of a row's keys: each part has a result that is not divided yet, the maximum
// that its exponentials are relative to, and their sum. An invocation computes one element, from the first part on.
#include "codegen/glsl/attention/attention.h"

namespace frit::codegen::glsl {
namespace {

constexpr uint32_t kInvocations = 128;

constexpr const char* kText = R"($EXTENSIONS$layout(local_size_x = $THREADS$) in;
layout(buffer_reference, std430, buffer_reference_align = 4) readonly restrict buffer Part { float data; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly restrict buffer Stats { vec2 data; };
layout(buffer_reference, std430, buffer_reference_align = $SIZE$) buffer Result { $STORAGE$ data; };
layout(push_constant, std430) uniform Push {
  uint64_t parts, stats, result;
  int64_t m, e, count;
} args;
$PRELUDE$const int ahead = 8;  // parts that are loaded at once
void main() {
  const uint64_t group = uint64_t(flat_group());
  const uint64_t number = group * $THREADS$UL + uint64_t(gl_LocalInvocationID.x);
  const uint64_t all = uint64_t(args.m * args.e);
  if (number >= all) return;
  const uint64_t row = (number | uint64_t(args.e)) >> 32 == 0UL ? uint64_t(uint(number) / uint(args.e)) : number / uint64_t(args.e);
  const int count = int(args.count);
  float top = -3e38, sum = 0.0, joined = 0.0;
  for (int s = 0; s < count; s += ahead) {
    vec2 stats[ahead];
    float part[ahead];
    [[unroll]] for (int i = 0; i < ahead; ++i) {
      const uint64_t from = uint64_t(min(s + i, count - 1));
      stats[i] = Stats(args.stats + (from * uint64_t(args.m) + row) * 8UL).data;
      part[i] = Part(args.parts + (from * all + number) * 4UL).data;
    }
    float next = top;
    [[unroll]] for (int i = 0; i < ahead; ++i) next = max(next, stats[i].x);
    const float change = exp2(top - next);
    sum *= change;
    joined *= change;
    [[unroll]] for (int i = 0; i < ahead; ++i)
      if (s + i < count) {
        const float weight = exp2(stats[i].x - next);
        sum += weight * stats[i].y;
        joined += weight * part[i];
      }
    top = next;
  }
  const float value = joined / sum;
  Result(args.result + number * $SIZE$UL).data = $STORED$;
}
)";

}  // namespace

std::vector<Shader> with_join(const RoutineStep& s, const AttentionText& t, const AttentionSizes& sizes, Shader part) {
  Prelude prelude(s.features.converts16);
  const bool low = is_low_precision(t.type);
  const std::string stored = low ? "uint16_t(" + cast_expression(prelude, t.type, float32, "value") + ")" : "value";
  std::string extensions = prelude.half_modes();
  if (low) extensions += "#extension GL_EXT_shader_16bit_storage : require\n";
  Shader join;
  join.text = fill(kText, {{"EXTENSIONS", extensions},
                           {"PRELUDE", prelude.text()},
                           {"THREADS", std::to_string(kInvocations)},
                           {"SIZE", std::to_string(t.type.size())},
                           {"STORAGE", low ? "uint16_t" : "float"},
                           {"STORED", stored}});
  join.kernel.name = part.kernel.name + "_join";
  join.kernel.group_size = kInvocations;
  join.kernel.routine = attention_join_form(t, sizes, s.number, kInvocations);
  part.kernel.routine->joined = true;
  std::vector<Shader> both;
  both.push_back(std::move(part));
  both.push_back(std::move(join));
  return both;
}

}  // namespace frit::codegen::glsl
