// shader gelu_0_divide_erf_add_multiply
// kernel @gelu_0_divide_erf_add_multiply(%x: f32[m*n] in, %t1: f32[m*n] out; m, n) {
//   parallel for i in m*n vector 4 {
//     %0: f32 = const 1.4142135
//     %1: f32 = const 1
//     %2: f32 = const 0.5
//     %3: f32 = load %x[i]
//     %4: f32 = div %3, %0
//     %5: f32 = abs %4
//     %6: bool = gt %5, 3.9192
//     %7: f32 = fma 0.00017133917, %5, -0.0026022843
//     %8: f32 = fma %7, %5, 0.00022601595
//     %9: f32 = fma %8, %5, 0.03265619
//     %10: f32 = fma %9, %5, -0.24661915
//     %11: f32 = fma %10, %5, 0.28614914
//     %12: f32 = fma %11, %5, 0.12837917
//     %13: f32 = fma 0.013738795, %5, -0.03492911
//     %14: f32 = fma %13, %5, 0.23098105
//     %15: f32 = fma %14, %5, -0.25051168
//     %16: f32 = fma %15, %5, %1
//     %17: f32 = div %12, %16
//     %18: f32 = fma %5, %17, %5
//     %19: f32 = mul %18, -0.25
//     %20: f32 = fma %19, %18, %18
//     %21: f32 = select %6, %1, %20
//     %22: i32 = bitcast %21
//     %23: i32 = bitcast %4
//     %24: i32 = and %23, -2147483648
//     %25: i32 = xor %22, %24
//     %26: f32 = bitcast %25
//     %27: f32 = add %26, %1
//     %28: f32 = mul %3, %27
//     %29: f32 = mul %28, %2
//     store %t1[i], %29
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
  int64_t n_m;
  int64_t n_n;
};
void main() {
  const uint group = flat_group();
  const int64_t i_i = (int64_t(group) * 256 + int64_t(gl_LocalInvocationID.x)) * 4;
  if (i_i < n_m * n_n) {
    float r3v[4];  // %3: f32 = load %x[i]
    if (aligned && i_i + 4 <= n_m * n_n) {
      {
        vec4 w0 = ref_f32x4(uint64_t(b_x) + uint64_t(i_i) * 4UL).data[0]; r3v[0] = w0.x; r3v[1] = w0.y; r3v[2] = w0.z; r3v[3] = w0.w;
      }
    } else {
      [[unroll]] for (int k = 0; k < 4; ++k) {
        r3v[k] = ref_f32(uint64_t(b_x) + uint64_t(min(i_i + k, n_m * n_n - 1)) * 4UL).data[0];
      }
    }
    float s0[4];
    [[unroll]] for (int k = 0; k < 4; ++k) {
      precise float r4 = fma(r3v[k], 0.707106769, r3v[k] * 2.4203235e-08);  // %4: f32 = div %3, %0
      precise float r5 = abs(r4);  // %5: f32 = abs %4
      bool r6 = r5 > 3.91919994;  // %6: bool = gt %5, 3.9192
      precise float r7 = fma(0.000171339168, r5, (-0.00260228431));  // %7: f32 = fma 0.00017133917, %5, -0.0026022843
      precise float r8 = fma(r7, r5, 0.000226015953);  // %8: f32 = fma %7, %5, 0.00022601595
      precise float r9 = fma(r8, r5, 0.0326561891);  // %9: f32 = fma %8, %5, 0.03265619
      precise float r10 = fma(r9, r5, (-0.24661915));  // %10: f32 = fma %9, %5, -0.24661915
      precise float r11 = fma(r10, r5, 0.286149144);  // %11: f32 = fma %10, %5, 0.28614914
      precise float r12 = fma(r11, r5, 0.128379166);  // %12: f32 = fma %11, %5, 0.12837917
      precise float r13 = fma(0.0137387952, r5, (-0.0349291116));  // %13: f32 = fma 0.013738795, %5, -0.03492911
      precise float r14 = fma(r13, r5, 0.230981052);  // %14: f32 = fma %13, %5, 0.23098105
      precise float r15 = fma(r14, r5, (-0.250511676));  // %15: f32 = fma %14, %5, -0.25051168
      precise float r16 = fma(r15, r5, 1.0);  // %16: f32 = fma %15, %5, %1
      precise float r17 = r12 / r16;  // %17: f32 = div %12, %16
      precise float r18 = fma(r5, r17, r5);  // %18: f32 = fma %5, %17, %5
      precise float r19 = r18 * (-0.25);  // %19: f32 = mul %18, -0.25
      precise float r20 = fma(r19, r18, r18);  // %20: f32 = fma %19, %18, %18
      precise float r21 = r6 ? 1.0 : r20;  // %21: f32 = select %6, %1, %20
      int r22 = floatBitsToInt(r21);  // %22: i32 = bitcast %21
      int r23 = floatBitsToInt(r4);  // %23: i32 = bitcast %4
      int r24 = r23 & (-2147483647 - 1);  // %24: i32 = and %23, -2147483648
      int r25 = r22 ^ r24;  // %25: i32 = xor %22, %24
      precise float r26 = intBitsToFloat(r25);  // %26: f32 = bitcast %25
      precise float r27 = r26 + 1.0;  // %27: f32 = add %26, %1
      precise float r28 = r3v[k] * r27;  // %28: f32 = mul %3, %27
      precise float r29 = r28 * 0.5;  // %29: f32 = mul %28, %2
      s0[k] = r29;
    }
    if (aligned && i_i + 4 <= n_m * n_n) {
      ref_f32x4(uint64_t(b_t1) + uint64_t(i_i) * 4UL).data[0] = vec4(s0[0], s0[1], s0[2], s0[3]);  // store %t1[i], %29
    } else {
      [[unroll]] for (int k = 0; k < 4; ++k) {
        if (i_i + k < n_m * n_n) ref_f32(uint64_t(b_t1) + uint64_t((i_i + k)) * 4UL).data[0] = s0[k];
      }
    }
  }
}
