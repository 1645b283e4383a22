// kernel @gelu_0_divide_erf_add_multiply(%x: f32[m*n] in, %t1: f32[m*n] out; m, n) {
//   parallel for i in m*n vector 4 {
//     %0: f32 = const 1.4142135
//     %1: f32 = const 1
//     %2: f32 = const 0.5
//     %3: f32 = load %x[i]
//     %4: f32 = div %3, %0
//     %5: f32 = const 3.93
//     %6: f32 = abs %4
//     %7: bool = lt %5, %6
//     %8: f32 = select %7, %5, %6
//     %9: f32 = fma 0.00017133917, %8, -0.0026022843
//     %10: f32 = fma %9, %8, 0.00022601595
//     %11: f32 = fma %10, %8, 0.03265619
//     %12: f32 = fma %11, %8, -0.24661915
//     %13: f32 = fma %12, %8, 0.28614914
//     %14: f32 = fma %13, %8, 0.12837917
//     %15: f32 = fma 0.013738795, %8, -0.03492911
//     %16: f32 = fma %15, %8, 0.23098105
//     %17: f32 = fma %16, %8, -0.25051168
//     %18: f32 = fma %17, %8, %1
//     %19: f32 = div %14, %18
//     %20: f32 = fma %8, %19, %8
//     %21: f32 = mul %20, -0.25
//     %22: f32 = fma %21, %20, %20
//     %23: i32 = bitcast %22
//     %24: i32 = bitcast %4
//     %25: i32 = and %24, -2147483648
//     %26: i32 = xor %23, %25
//     %27: f32 = bitcast %26
//     %28: f32 = add %27, %1
//     %29: f32 = mul %3, %28
//     %30: f32 = mul %29, %2
//     store %t1[i], %30
//   }
// }
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 128) in;
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
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const int64_t i_i = (int64_t(group) * 128 + int64_t(gl_LocalInvocationID.x)) * 4;
  if (i_i < n_m * n_n) {
    float r3v[4];  // %3: f32 = load %x[i]
    if (aligned && i_i + 4 <= n_m * n_n) {
      vec4 w0 = ref_f32x4(uint64_t(b_x) + uint64_t(i_i) * 4UL).data[0]; r3v[0] = w0.x; r3v[1] = w0.y; r3v[2] = w0.z; r3v[3] = w0.w;
    } else {
      [[unroll]] for (int k = 0; k < 4; ++k) {
        if (i_i + k < n_m * n_n) r3v[k] = ref_f32(uint64_t(b_x) + uint64_t((i_i + k)) * 4UL).data[0];
      }
    }
    float s0[4];
    [[unroll]] for (int k = 0; k < 4; ++k) {
      if (i_i + k < n_m * n_n) {
        precise float r4 = fma(r3v[k], 0.707106769, r3v[k] * 2.4203235e-08);  // %4: f32 = div %3, %0
        precise float r6 = abs(r4);  // %6: f32 = abs %4
        bool r7 = 3.93000007 < r6;  // %7: bool = lt %5, %6
        precise float r8 = r7 ? 3.93000007 : r6;  // %8: f32 = select %7, %5, %6
        precise float r9 = fma(0.000171339168, r8, (-0.00260228431));  // %9: f32 = fma 0.00017133917, %8, -0.0026022843
        precise float r10 = fma(r9, r8, 0.000226015953);  // %10: f32 = fma %9, %8, 0.00022601595
        precise float r11 = fma(r10, r8, 0.0326561891);  // %11: f32 = fma %10, %8, 0.03265619
        precise float r12 = fma(r11, r8, (-0.24661915));  // %12: f32 = fma %11, %8, -0.24661915
        precise float r13 = fma(r12, r8, 0.286149144);  // %13: f32 = fma %12, %8, 0.28614914
        precise float r14 = fma(r13, r8, 0.128379166);  // %14: f32 = fma %13, %8, 0.12837917
        precise float r15 = fma(0.0137387952, r8, (-0.0349291116));  // %15: f32 = fma 0.013738795, %8, -0.03492911
        precise float r16 = fma(r15, r8, 0.230981052);  // %16: f32 = fma %15, %8, 0.23098105
        precise float r17 = fma(r16, r8, (-0.250511676));  // %17: f32 = fma %16, %8, -0.25051168
        precise float r18 = fma(r17, r8, 1.0);  // %18: f32 = fma %17, %8, %1
        precise float r19 = r14 / r18;  // %19: f32 = div %14, %18
        precise float r20 = fma(r8, r19, r8);  // %20: f32 = fma %8, %19, %8
        precise float r21 = r20 * (-0.25);  // %21: f32 = mul %20, -0.25
        precise float r22 = fma(r21, r20, r20);  // %22: f32 = fma %21, %20, %20
        int r23 = floatBitsToInt(r22);  // %23: i32 = bitcast %22
        int r24 = floatBitsToInt(r4);  // %24: i32 = bitcast %4
        int r25 = r24 & (-2147483647 - 1);  // %25: i32 = and %24, -2147483648
        int r26 = r23 ^ r25;  // %26: i32 = xor %23, %25
        precise float r27 = intBitsToFloat(r26);  // %27: f32 = bitcast %26
        precise float r28 = r27 + 1.0;  // %28: f32 = add %27, %1
        precise float r29 = r3v[k] * r28;  // %29: f32 = mul %3, %28
        precise float r30 = r29 * 0.5;  // %30: f32 = mul %29, %2
        s0[k] = r30;
      }
    }
    if (aligned && i_i + 4 <= n_m * n_n) {
      ref_f32x4(uint64_t(b_t1) + uint64_t(i_i) * 4UL).data[0] = vec4(s0[0], s0[1], s0[2], s0[3]);  // store %t1[i], %30
    } else {
      [[unroll]] for (int k = 0; k < 4; ++k) {
        if (i_i + k < n_m * n_n) ref_f32(uint64_t(b_t1) + uint64_t((i_i + k)) * 4UL).data[0] = s0[k];
      }
    }
  }
}
