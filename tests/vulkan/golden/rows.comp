// shader rows_0_sum_divide
// kernel @rows_0_sum_divide(%x: f32[524288] in, %t1: f32[524288] out) {
//   parallel for i in 512 vector 1 {
//     for r1 in 1024 vector 4 lanes 1024 acc %0: f32 = sum %1 {
//       %1: f32 = load %x[1024*i + r1]
//     }
//     for r2 in 1024 vector 4 {
//       %2: f32 = load %x[1024*i + r2]
//       %3: f32 = div %2, %0
//       store %t1[1024*i + r2], %3
//     }
//   }
// }
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ref_f32 { float data[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer ref_f32x4 { vec4 data[]; };
layout(push_constant, std430) uniform Arguments {
  ref_f32 b_x;
  ref_f32 b_t1;
};
shared float fold_float0[1024];
void main() {
  const uint group = flat_group();
  const int lane = int(gl_LocalInvocationID.x);
  const int i_i = int(group);
  if (i_i < 512) {
    float keep0[4];
    // for r1 in 1024 vector 4 lanes 1024 acc %0: f32 = sum %1 {
    precise float r0a[4];
    [[unroll]] for (int k = 0; k < 4; ++k) r0a[k] = 0.0;
    {
      const int turn = 0;
      const int i_r1 = turn * 1024 + lane * 4;
      // %1: f32 = load %x[1024*i + r1]
      if (aligned) {
        {
          vec4 w0 = ref_f32x4(b_x).data[(((1024 * i_i + i_r1)) >> 2)]; keep0[turn * 4 + 0] = w0.x; keep0[turn * 4 + 1] = w0.y; keep0[turn * 4 + 2] = w0.z; keep0[turn * 4 + 3] = w0.w;
        }
      } else {
        [[unroll]] for (int k = 0; k < 4; ++k) {
          keep0[turn * 4 + k] = b_x.data[(1024 * i_i + (i_r1 + k))];
        }
      }
      [[unroll]] for (int k = 0; k < 4; ++k) {
        r0a[k] = r0a[k] + keep0[turn * 4 + k];
      }
    }
    [[unroll]] for (int k = 0; k < 4; ++k) { fold_float0[k * 256 + lane] = r0a[k]; }
    barrier();
    for (int h = 128; h > 0; h >>= 1) {
      if (lane < h) {
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r0a[k] = r0a[k] + fold_float0[k * 256 + lane + h];
          fold_float0[k * 256 + lane] = r0a[k];
        }
      }
      barrier();
    }
    [[unroll]] for (int k = 0; k < 4; ++k) { r0a[k] = fold_float0[k * 256]; }
    r0a[0] = r0a[0] + r0a[2];
    r0a[1] = r0a[1] + r0a[3];
    r0a[0] = r0a[0] + r0a[1];
    barrier();
    // for r2 in 1024 vector 4 {
    {
      const int turn = 0;
      const int i_r2 = turn * 1024 + lane * 4;
      float s0[4];
      [[unroll]] for (int k = 0; k < 4; ++k) {
        precise float r3 = keep0[turn * 4 + k] / r0a[0];  // %3: f32 = div %2, %0
        s0[k] = r3;
      }
      if (aligned) {
        ref_f32x4(b_t1).data[(((1024 * i_i + i_r2)) >> 2)] = vec4(s0[0], s0[1], s0[2], s0[3]);  // store %t1[1024*i + r2], %3
      } else {
        [[unroll]] for (int k = 0; k < 4; ++k) {
          b_t1.data[(1024 * i_i + (i_r2 + k))] = s0[k];
        }
      }
    }
  }
}

// shader rows_1_argmax
// kernel @rows_1_argmax(%x: f32[524288] in, %t2: u32[512] out) {
//   parallel for i in 512 vector 1 {
//     for r1 in 1024 vector 4 lanes 1024 acc %0: i64 = argmax %1 at %2 {
//       %1: f32 = load %x[1024*i + r1]
//       %2: i64 = index(r1)
//     }
//     %3: u32 = cast %0
//     store %t2[i], %3
//   }
// }
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ref_f32 { float data[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer ref_f32x4 { vec4 data[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ref_u32 { uint data[]; };
layout(push_constant, std430) uniform Arguments {
  ref_f32 b_x;
  ref_u32 b_t2;
};
shared int fold_int0[1024];
shared uint fold_uint0[1024];
uint rising_f32(float x) {
  const uint w = floatBitsToUint(x), magnitude = w & 0x7fffffffu;
  const uint order = magnitude == 0u ? 0x80000000u : w ^ (uint(int(w) >> 31) | 0x80000000u);
  return magnitude > 0x7f800000u ? 0xffffffffu : order;
}
void main() {
  const uint group = flat_group();
  const int lane = int(gl_LocalInvocationID.x);
  const int i_i = int(group);
  if (i_i < 512) {
    // for r1 in 1024 vector 4 lanes 1024 acc %0: i64 = argmax %1 at %2 {
    uint r0a[4];
    int r0ap[4];
    [[unroll]] for (int k = 0; k < 4; ++k) { r0ap[k] = 2147483647; r0a[k] = 0u; }
    for (int i_r1 = lane * 4; i_r1 < 1024; i_r1 += 1024) {
      float r1v[4];  // %1: f32 = load %x[1024*i + r1]
      if (aligned) {
        {
          vec4 w0 = ref_f32x4(b_x).data[(((1024 * i_i + i_r1)) >> 2)]; r1v[0] = w0.x; r1v[1] = w0.y; r1v[2] = w0.z; r1v[3] = w0.w;
        }
      } else {
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r1v[k] = b_x.data[(1024 * i_i + (i_r1 + k))];
        }
      }
      [[unroll]] for (int k = 0; k < 4; ++k) {
        int r2 = (i_r1 + k);  // %2: i64 = index(r1)
        {
          const uint key = rising_f32(r1v[k]);
          if (key > r0a[k]) { r0a[k] = key; r0ap[k] = r2; }
        }
      }
    }
    [[unroll]] for (int k = 0; k < 4; ++k) if (r0ap[k] == 2147483647 && (lane * 4 + k) < 1024) r0ap[k] = (lane * 4 + k);
    [[unroll]] for (int k = 0; k < 4; ++k) { fold_uint0[k * 256 + lane] = r0a[k]; fold_int0[k * 256 + lane] = r0ap[k]; }
    barrier();
    for (int h = 128; h > 0; h >>= 1) {
      if (lane < h) {
        [[unroll]] for (int k = 0; k < 4; ++k) {
          if ((uint(fold_uint0[k * 256 + lane + h] > r0a[k]) | uint(fold_uint0[k * 256 + lane + h] == r0a[k]) & uint(fold_int0[k * 256 + lane + h] < r0ap[k])) != 0u) { r0a[k] = fold_uint0[k * 256 + lane + h]; r0ap[k] = fold_int0[k * 256 + lane + h]; }
          fold_uint0[k * 256 + lane] = r0a[k]; fold_int0[k * 256 + lane] = r0ap[k];
        }
      }
      barrier();
    }
    [[unroll]] for (int k = 0; k < 4; ++k) { r0a[k] = fold_uint0[k * 256]; r0ap[k] = fold_int0[k * 256]; }
    if ((uint(r0a[2] > r0a[0]) | uint(r0a[2] == r0a[0]) & uint(r0ap[2] < r0ap[0])) != 0u) { r0a[0] = r0a[2]; r0ap[0] = r0ap[2]; }
    if ((uint(r0a[3] > r0a[1]) | uint(r0a[3] == r0a[1]) & uint(r0ap[3] < r0ap[1])) != 0u) { r0a[1] = r0a[3]; r0ap[1] = r0ap[3]; }
    if ((uint(r0a[1] > r0a[0]) | uint(r0a[1] == r0a[0]) & uint(r0ap[1] < r0ap[0])) != 0u) { r0a[0] = r0a[1]; r0ap[0] = r0ap[1]; }
    barrier();
    uint r3 = uint(r0ap[0]);  // %3: u32 = cast %0
    if (lane == 0) b_t2.data[i_i] = r3;  // store %t2[i], %3
  }
}
