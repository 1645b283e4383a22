// shader half_0_add_select_astype
// kernel @half_0_add_select_astype(%x: f16[6144] in, %b: f16[96] in, %keep: bool[6144] in, %t3: f16[6144] out, %t4: bf16[6144] out) {
//   parallel for i in 6144 vector 4 {
//     %0: f16 = load %x[i]
//     %1: f16 = load %b[(i % 96)]
//     %2: f32 = cast %0
//     %3: f32 = cast %1
//     %4: f32 = add %2, %3
//     %5: f16 = cast %4
//     %6: bool = load %keep[i]
//     %7: f32 = cast %5
//     %8: f32 = select %6, %7, %2
//     %9: f16 = cast %8
//     store %t3[i], %9
//     %10: f32 = cast %9
//     %11: bf16 = cast %10
//     store %t4[i], %11
//   }
// }
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(constant_id = 12) const bool lines_of_groups = true;
uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : gl_WorkGroupID.x; }
uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }
layout(local_size_x = 128) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 2) buffer ref_bf16 { uint16_t data[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer ref_bf16x4 { uvec2 data[]; };
layout(buffer_reference, std430, buffer_reference_align = 1) buffer ref_bool { uint8_t data[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ref_boolx4 { uint data[]; };
layout(buffer_reference, std430, buffer_reference_align = 2) buffer ref_f16 { uint16_t data[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) buffer ref_f16x4 { uvec2 data[]; };
layout(push_constant, std430) uniform Arguments {
  ref_f16 b_x;
  ref_f16 b_b;
  ref_bool b_keep;
  ref_f16 b_t3;
  ref_bf16 b_t4;
};
float f16_to_f32(uint h) {
  uint m = h & 0x7fffu;
  uint bits = m >= 0x7c00u ? (m << 13) | 0x7f800000u : m >= 0x400u ? (m << 13) + 0x38000000u : floatBitsToUint(float(m) * 5.96046448e-08);
  return uintBitsToFloat(bits | (h & 0x8000u) << 16);
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
uint bf16_above(float x) {
  uint b = floatBitsToUint(x);
  return (b & 0x7fffffffu) > 0x7f800000u ? b | 0x400000u : b + 0x7fffu + ((b >> 16) & 1u);
}
void main() {
  const uint group = flat_group();
  const int i_i = (int(group) * 128 + int(gl_LocalInvocationID.x)) * 4;
  if (!lines_of_groups || i_i < 6144) {
    uint r0v[4];  // %0: f16 = load %x[i]
    uint r1v[4];  // %1: f16 = load %b[(i % 96)]
    bool r6v[4];  // %6: bool = load %keep[i]
    if (aligned) {
      {
        uvec2 w0 = ref_f16x4(b_x).data[((i_i) >> 2)]; r0v[0] = bitfieldExtract(w0.x, 0, 16); r0v[1] = bitfieldExtract(w0.x, 16, 16); r0v[2] = bitfieldExtract(w0.y, 0, 16); r0v[3] = bitfieldExtract(w0.y, 16, 16);
      }
      {
        uvec2 w0 = ref_f16x4(b_b).data[((int(uint(i_i) % uint(96))) >> 2)]; r1v[0] = bitfieldExtract(w0.x, 0, 16); r1v[1] = bitfieldExtract(w0.x, 16, 16); r1v[2] = bitfieldExtract(w0.y, 0, 16); r1v[3] = bitfieldExtract(w0.y, 16, 16);
      }
      {
        uint w0 = ref_boolx4(b_keep).data[((i_i) >> 2)]; r6v[0] = bitfieldExtract(w0, 0, 8) != 0u; r6v[1] = bitfieldExtract(w0, 8, 8) != 0u; r6v[2] = bitfieldExtract(w0, 16, 8) != 0u; r6v[3] = bitfieldExtract(w0, 24, 8) != 0u;
      }
    } else {
      [[unroll]] for (int k = 0; k < 4; ++k) {
        r0v[k] = uint(b_x.data[(i_i + k)]);
        r1v[k] = uint(b_b.data[int(uint((i_i + k)) % uint(96))]);
        r6v[k] = uint(b_keep.data[(i_i + k)]) != 0u;
      }
    }
    uint s0[4];
    uint s1[4];
    [[unroll]] for (int k = 0; k < 4; ++k) {
      precise float r2 = f16_to_f32(r0v[k]);  // %2: f32 = cast %0
      precise float r3 = f16_to_f32(r1v[k]);  // %3: f32 = cast %1
      precise float r4 = r2 + r3;  // %4: f32 = add %2, %3
      uint r5 = f32_to_f16(r4);  // %5: f16 = cast %4
      precise float r7 = f16_to_f32(r5);  // %7: f32 = cast %5
      precise float r8 = r6v[k] ? r7 : r2;  // %8: f32 = select %6, %7, %2
      uint r9 = f32_to_f16(r8);  // %9: f16 = cast %8
      s0[k] = r9;
      precise float r10 = f16_to_f32(r9);  // %10: f32 = cast %9
      const uint r11h = bf16_above(r10);  // %11: bf16 = cast %10
      s1[k] = (r11h >> 16);
    }
    if (aligned) {
      ref_f16x4(b_t3).data[((i_i) >> 2)] = uvec2(s0[0] | s0[1] << 16, s0[2] | s0[3] << 16);  // store %t3[i], %9
    } else {
      [[unroll]] for (int k = 0; k < 4; ++k) {
        b_t3.data[(i_i + k)] = uint16_t(s0[k]);
      }
    }
    if (aligned) {
      ref_bf16x4(b_t4).data[((i_i) >> 2)] = uvec2(s1[0] | s1[1] << 16, s1[2] | s1[3] << 16);  // store %t4[i], %11
    } else {
      [[unroll]] for (int k = 0; k < 4; ++k) {
        b_t4.data[(i_i + k)] = uint16_t(s1[k]);
      }
    }
  }
}
