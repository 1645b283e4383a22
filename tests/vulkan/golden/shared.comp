// shader shared_0_multiply
// kernel @shared_0_multiply(%x: bf16[104000] in, %y: bf16[1000] in, %t5: bf16[104000] out) {
//   parallel for i in 104000 vector 2 {
//     %0: bf16 = load %y[(i // 104)]
//     %1: f32 = cast %0
//     %2: bf16 = load %x[i]
//     %3: f32 = cast %2
//     %4: f32 = mul %3, %1
//     %5: bf16 = cast %4
//     store %t5[i], %5
//   }
// }
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 2) buffer ref_bf16 { uint16_t data[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ref_bf16x2 { uint data[]; };
layout(push_constant, std430) uniform Arguments {
  ref_bf16 b_x;
  ref_bf16 b_y;
  ref_bf16 b_t5;
};
float bf16_near(float x) {
  uint b = floatBitsToUint(x);
  return (b & 0x7fffffffu) > 0x7f800000u ? x : uintBitsToFloat((b + 0x7fffu + ((b >> 16) & 1u)) & 0xffff0000u);
}
void main() {
  const uint group = flat_group();
  const int i_i = (int(group) * 256 + int(gl_LocalInvocationID.x)) * 2;
  if (i_i < 104000) {
    uint r0o[1];  // %0: bf16 = load %y[(i // 104)]
    uint r2v[2];  // %2: bf16 = load %x[i]
    r0o[0] = uint(b_y.data[int(uint(i_i) / uint(104))]);
    if (aligned) {
      {
        uint w0 = ref_bf16x2(b_x).data[((i_i) >> 1)]; r2v[0] = bitfieldExtract(w0, 0, 16); r2v[1] = bitfieldExtract(w0, 16, 16);
      }
    } else {
      [[unroll]] for (int k = 0; k < 2; ++k) {
        r2v[k] = uint(b_x.data[(i_i + k)]);
      }
    }
    uint s0[2];
    [[unroll]] for (int k = 0; k < 2; ++k) {
      precise float r1 = uintBitsToFloat(r0o[0] << 16);  // %1: f32 = cast %0
      precise float r3 = uintBitsToFloat(r2v[k] << 16);  // %3: f32 = cast %2
      precise float r4 = r3 * r1;  // %4: f32 = mul %3, %1
      const float r5h = bf16_near(r4);  // %5: bf16 = cast %4
      s0[k] = (floatBitsToUint(r5h) >> 16);
    }
    if (aligned) {
      ref_bf16x2(b_t5).data[((i_i) >> 1)] = s0[0] | s0[1] << 16;  // store %t5[i], %5
    } else {
      [[unroll]] for (int k = 0; k < 2; ++k) {
        b_t5.data[(i_i + k)] = uint16_t(s0[k]);
      }
    }
  }
}

// shader shared_1_max
// kernel @shared_1_max(%p: f16[800000] in, %t6: f16[400000] out) {
//   parallel for i in 400000 vector 1 {
//     for r1 in 2 vector 2 lanes 2 acc %0: f32 = max %2 {
//       %1: f16 = load %p[2*i + r1]
//       %2: f32 = cast %1
//     }
//     %3: f16 = cast %0
//     store %t6[i], %3
//   }
// }
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 256) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 2) buffer ref_f16 { uint16_t data[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ref_f16x2 { uint data[]; };
layout(push_constant, std430) uniform Arguments {
  ref_f16 b_p;
  ref_f16 b_t6;
};
shared float fold_float0[2];
float f16_to_f32(uint h) {
  uint m = h & 0x7fffu;
  uint bits = m >= 0x7c00u ? (m << 13) | 0x7f800000u : m >= 0x400u ? (m << 13) + 0x38000000u : floatBitsToUint(float(m) * 5.96046448e-08);
  return uintBitsToFloat(bits | (h & 0x8000u) << 16);
}
bool is_nan_f32(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
float max_f32(float x, float y) {
  const bool is_nan = is_nan_f32(x);
  return is_nan ? x : (x > y ? x : y);
}
uint f32_to_f16(float x) {
  uint b = floatBitsToUint(x), m = b & 0x7fffffffu, sign = (b >> 16) & 0x8000u, h;
  if (m > 0x7f800000u) h = 0x7e00u;
  else if (m >= 0x477ff000u) h = 0x7c00u;
  else if (m >= 0x38800000u) h = (m - 0x38000000u + 0xfffu + ((m >> 13) & 1u)) >> 13;
  else {
    // A subnormal half: the significand moved right, with half of what is lost added, less one where it would round up to odd.
    uint e = m >> 23;
    uint s = 126u - e, f = (m & 0x7fffffu) | 0x800000u;
    h = e < 102u ? 0u : (f + ((1u << (s - 1u)) - 1u) + ((f >> s) & 1u)) >> s;
  }
  return sign | h;
}
void main() {
  const uint group = flat_group();
  const int lane = 0;
  const int i_i = int(group) * 256 + int(int(gl_LocalInvocationID.x) / 1);
  if (i_i < 400000) {
    // for r1 in 2 vector 2 lanes 2 acc %0: f32 = max %2 {
    precise float r0a[2];
    [[unroll]] for (int k = 0; k < 2; ++k) r0a[k] = uintBitsToFloat(0xff800000u);
    {
      const int turn = 0;
      const int i_r1 = turn * 2 + lane * 2;
      uint r1v[2];  // %1: f16 = load %p[2*i + r1]
      if (aligned) {
        {
          uint w0 = ref_f16x2(b_p).data[(((2 * i_i + i_r1)) >> 1)]; r1v[0] = bitfieldExtract(w0, 0, 16); r1v[1] = bitfieldExtract(w0, 16, 16);
        }
      } else {
        [[unroll]] for (int k = 0; k < 2; ++k) {
          r1v[k] = uint(b_p.data[(2 * i_i + (i_r1 + k))]);
        }
      }
      [[unroll]] for (int k = 0; k < 2; ++k) {
        precise float r2 = f16_to_f32(r1v[k]);  // %2: f32 = cast %1
        r0a[k] = max_f32(r0a[k], r2);
      }
    }
    r0a[0] = max_f32(r0a[0], r0a[1]);
    const float r0 = r0a[0];
    uint r3 = f32_to_f16(r0);  // %3: f16 = cast %0
    if (lane == 0) b_t6.data[i_i] = uint16_t(r3);  // store %t6[i], %3
  }
}

// shader shared_2_sum
// kernel @shared_2_sum(%e: f32[2776000] in, %t7: f32[8000] out) {
//   parallel for i in 8000 vector 1 {
//     for r1 in 347 vector 1 unroll 16 lanes 512 acc %0: f32 = sum %1 {
//       %1: f32 = load %e[347*i + r1]
//     }
//     store %t7[i], %0
//   }
// }
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 32) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ref_f32 { float data[]; };
layout(push_constant, std430) uniform Arguments {
  ref_f32 b_e;
  ref_f32 b_t7;
};
shared float fold_float0[32];
void main() {
  const uint group = flat_group();
  const int lane = int(gl_LocalInvocationID.x);
  const int i_i = int(group);
  if (i_i < 8000) {
    // for r1 in 347 vector 1 unroll 16 lanes 512 acc %0: f32 = sum %1 {
    precise float r0a[16];
    [[unroll]] for (int k = 0; k < 16; ++k) r0a[k] = 0.0;
    [[unroll]] for (int turn = 0; turn < 11; ++turn) {
      const int i_r1 = turn * 32 + lane;
      if (turn < 10 || i_r1 < 347) {
        [[unroll]] for (int k = 0; k < 1; ++k) {
          precise float r1 = b_e.data[(347 * i_i + (i_r1 + k))];  // %1: f32 = load %e[347*i + r1]
          r0a[turn % 16 * 1 + k] = r0a[turn % 16 * 1 + k] + r1;
        }
      }
    }
    r0a[0] = r0a[0] + r0a[8];
    r0a[1] = r0a[1] + r0a[9];
    r0a[2] = r0a[2] + r0a[10];
    r0a[3] = r0a[3] + r0a[11];
    r0a[4] = r0a[4] + r0a[12];
    r0a[5] = r0a[5] + r0a[13];
    r0a[6] = r0a[6] + r0a[14];
    r0a[7] = r0a[7] + r0a[15];
    r0a[0] = r0a[0] + r0a[4];
    r0a[1] = r0a[1] + r0a[5];
    r0a[2] = r0a[2] + r0a[6];
    r0a[3] = r0a[3] + r0a[7];
    r0a[0] = r0a[0] + r0a[2];
    r0a[1] = r0a[1] + r0a[3];
    r0a[0] = r0a[0] + r0a[1];
    [[unroll]] for (int k = 0; k < 1; ++k) { fold_float0[k * 32 + lane] = r0a[k]; }
    barrier();
    for (int h = 16; h > 0; h >>= 1) {
      if (lane < h) {
        [[unroll]] for (int k = 0; k < 1; ++k) {
          r0a[k] = r0a[k] + fold_float0[k * 32 + lane + h];
          fold_float0[k * 32 + lane] = r0a[k];
        }
      }
      barrier();
    }
    [[unroll]] for (int k = 0; k < 1; ++k) { r0a[k] = fold_float0[k * 32]; }
    barrier();
    if (lane == 0) b_t7.data[i_i] = r0a[0];  // store %t7[i], %0
  }
}

// shader shared_3_sum
// kernel @shared_3_sum(%u: f32[3456000] in, %t8: f32[8000] out) {
//   parallel for i in 8000 vector 1 {
//     for r1 in 432 vector 4 unroll 8 lanes 512 acc %0: f32 = sum %1 {
//       %1: f32 = load %u[432*i + r1]
//     }
//     store %t8[i], %0
//   }
// }
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 16) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ref_f32 { float data[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) buffer ref_f32x4 { vec4 data[]; };
layout(push_constant, std430) uniform Arguments {
  ref_f32 b_u;
  ref_f32 b_t8;
};
shared float fold_float0[64];
void main() {
  const uint group = flat_group();
  const int lane = int(gl_LocalInvocationID.x);
  const int i_i = int(group);
  if (i_i < 8000) {
    // for r1 in 432 vector 4 unroll 8 lanes 512 acc %0: f32 = sum %1 {
    precise float r0a[32];
    [[unroll]] for (int k = 0; k < 32; ++k) r0a[k] = 0.0;
    {
      const int turn = 0;
      const int i_r1 = turn * 64 + lane * 4;
      if (turn < 6 || i_r1 < 432) {
        float r1v[4];  // %1: f32 = load %u[432*i + r1]
        if (aligned) {
          {
            vec4 w0 = ref_f32x4(b_u).data[(((432 * i_i + i_r1)) >> 2)]; r1v[0] = w0.x; r1v[1] = w0.y; r1v[2] = w0.z; r1v[3] = w0.w;
          }
        } else {
          [[unroll]] for (int k = 0; k < 4; ++k) {
            r1v[k] = b_u.data[(432 * i_i + (i_r1 + k))];
          }
        }
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r0a[turn % 8 * 4 + k] = r0a[turn % 8 * 4 + k] + r1v[k];
        }
      }
    }
    {
      const int turn = 1;
      const int i_r1 = turn * 64 + lane * 4;
      if (turn < 6 || i_r1 < 432) {
        float r1v[4];  // %1: f32 = load %u[432*i + r1]
        if (aligned) {
          {
            vec4 w0 = ref_f32x4(b_u).data[(((432 * i_i + i_r1)) >> 2)]; r1v[0] = w0.x; r1v[1] = w0.y; r1v[2] = w0.z; r1v[3] = w0.w;
          }
        } else {
          [[unroll]] for (int k = 0; k < 4; ++k) {
            r1v[k] = b_u.data[(432 * i_i + (i_r1 + k))];
          }
        }
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r0a[turn % 8 * 4 + k] = r0a[turn % 8 * 4 + k] + r1v[k];
        }
      }
    }
    {
      const int turn = 2;
      const int i_r1 = turn * 64 + lane * 4;
      if (turn < 6 || i_r1 < 432) {
        float r1v[4];  // %1: f32 = load %u[432*i + r1]
        if (aligned) {
          {
            vec4 w0 = ref_f32x4(b_u).data[(((432 * i_i + i_r1)) >> 2)]; r1v[0] = w0.x; r1v[1] = w0.y; r1v[2] = w0.z; r1v[3] = w0.w;
          }
        } else {
          [[unroll]] for (int k = 0; k < 4; ++k) {
            r1v[k] = b_u.data[(432 * i_i + (i_r1 + k))];
          }
        }
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r0a[turn % 8 * 4 + k] = r0a[turn % 8 * 4 + k] + r1v[k];
        }
      }
    }
    {
      const int turn = 3;
      const int i_r1 = turn * 64 + lane * 4;
      if (turn < 6 || i_r1 < 432) {
        float r1v[4];  // %1: f32 = load %u[432*i + r1]
        if (aligned) {
          {
            vec4 w0 = ref_f32x4(b_u).data[(((432 * i_i + i_r1)) >> 2)]; r1v[0] = w0.x; r1v[1] = w0.y; r1v[2] = w0.z; r1v[3] = w0.w;
          }
        } else {
          [[unroll]] for (int k = 0; k < 4; ++k) {
            r1v[k] = b_u.data[(432 * i_i + (i_r1 + k))];
          }
        }
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r0a[turn % 8 * 4 + k] = r0a[turn % 8 * 4 + k] + r1v[k];
        }
      }
    }
    {
      const int turn = 4;
      const int i_r1 = turn * 64 + lane * 4;
      if (turn < 6 || i_r1 < 432) {
        float r1v[4];  // %1: f32 = load %u[432*i + r1]
        if (aligned) {
          {
            vec4 w0 = ref_f32x4(b_u).data[(((432 * i_i + i_r1)) >> 2)]; r1v[0] = w0.x; r1v[1] = w0.y; r1v[2] = w0.z; r1v[3] = w0.w;
          }
        } else {
          [[unroll]] for (int k = 0; k < 4; ++k) {
            r1v[k] = b_u.data[(432 * i_i + (i_r1 + k))];
          }
        }
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r0a[turn % 8 * 4 + k] = r0a[turn % 8 * 4 + k] + r1v[k];
        }
      }
    }
    {
      const int turn = 5;
      const int i_r1 = turn * 64 + lane * 4;
      if (turn < 6 || i_r1 < 432) {
        float r1v[4];  // %1: f32 = load %u[432*i + r1]
        if (aligned) {
          {
            vec4 w0 = ref_f32x4(b_u).data[(((432 * i_i + i_r1)) >> 2)]; r1v[0] = w0.x; r1v[1] = w0.y; r1v[2] = w0.z; r1v[3] = w0.w;
          }
        } else {
          [[unroll]] for (int k = 0; k < 4; ++k) {
            r1v[k] = b_u.data[(432 * i_i + (i_r1 + k))];
          }
        }
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r0a[turn % 8 * 4 + k] = r0a[turn % 8 * 4 + k] + r1v[k];
        }
      }
    }
    {
      const int turn = 6;
      const int i_r1 = turn * 64 + lane * 4;
      if (turn < 6 || i_r1 < 432) {
        float r1v[4];  // %1: f32 = load %u[432*i + r1]
        if (aligned) {
          {
            vec4 w0 = ref_f32x4(b_u).data[(((432 * i_i + i_r1)) >> 2)]; r1v[0] = w0.x; r1v[1] = w0.y; r1v[2] = w0.z; r1v[3] = w0.w;
          }
        } else {
          [[unroll]] for (int k = 0; k < 4; ++k) {
            r1v[k] = b_u.data[(432 * i_i + (i_r1 + k))];
          }
        }
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r0a[turn % 8 * 4 + k] = r0a[turn % 8 * 4 + k] + r1v[k];
        }
      }
    }
    r0a[0] = r0a[0] + r0a[16];
    r0a[1] = r0a[1] + r0a[17];
    r0a[2] = r0a[2] + r0a[18];
    r0a[3] = r0a[3] + r0a[19];
    r0a[4] = r0a[4] + r0a[20];
    r0a[5] = r0a[5] + r0a[21];
    r0a[6] = r0a[6] + r0a[22];
    r0a[7] = r0a[7] + r0a[23];
    r0a[8] = r0a[8] + r0a[24];
    r0a[9] = r0a[9] + r0a[25];
    r0a[10] = r0a[10] + r0a[26];
    r0a[11] = r0a[11] + r0a[27];
    r0a[12] = r0a[12] + r0a[28];
    r0a[13] = r0a[13] + r0a[29];
    r0a[14] = r0a[14] + r0a[30];
    r0a[15] = r0a[15] + r0a[31];
    r0a[0] = r0a[0] + r0a[8];
    r0a[1] = r0a[1] + r0a[9];
    r0a[2] = r0a[2] + r0a[10];
    r0a[3] = r0a[3] + r0a[11];
    r0a[4] = r0a[4] + r0a[12];
    r0a[5] = r0a[5] + r0a[13];
    r0a[6] = r0a[6] + r0a[14];
    r0a[7] = r0a[7] + r0a[15];
    r0a[0] = r0a[0] + r0a[4];
    r0a[1] = r0a[1] + r0a[5];
    r0a[2] = r0a[2] + r0a[6];
    r0a[3] = r0a[3] + r0a[7];
    [[unroll]] for (int k = 0; k < 4; ++k) { fold_float0[k * 16 + lane] = r0a[k]; }
    barrier();
    for (int h = 8; h > 0; h >>= 1) {
      if (lane < h) {
        [[unroll]] for (int k = 0; k < 4; ++k) {
          r0a[k] = r0a[k] + fold_float0[k * 16 + lane + h];
          fold_float0[k * 16 + lane] = r0a[k];
        }
      }
      barrier();
    }
    [[unroll]] for (int k = 0; k < 4; ++k) { r0a[k] = fold_float0[k * 16]; }
    r0a[0] = r0a[0] + r0a[2];
    r0a[1] = r0a[1] + r0a[3];
    r0a[0] = r0a[0] + r0a[1];
    barrier();
    if (lane == 0) b_t8.data[i_i] = r0a[0];  // store %t8[i], %0
  }
}
