// shader long_rows_0_max_stop_gradient_subtract_exp_sum_divide
// kernel @long_rows_0_max_stop_gradient_subtract_exp_sum_divide(%x: f32[30154200] in, %t1: f32[30154200] out) {
//   local %row5: f32[50257] inout
//   parallel for i in 600 vector 1 {
//     for r1 in 50257 vector 1 unroll 4 lanes 1024 acc %0: f32 = max %1 {
//       %1: f32 = load %x[50257*i + r1]
//     }
//     for r2 in 50257 vector 1 unroll 4 lanes 1024 acc %2: f32 = sum %36 {
//       %3: f32 = load %x[50257*i + r2]
//       %4: f32 = sub %3, %0
//       %5: bool = gt -104, %4
//       %6: f32 = const 0
//       %7: f32 = const 0.0013782504
//       %8: f32 = const 89
//       %9: f32 = select %5, %6, %4
//       %10: bool = lt %8, %9
//       %11: f32 = select %10, %8, %9
//       %12: f32 = const 1.442695
//       %13: f32 = const 12583166
//       %14: f32 = fma %11, %12, %13
//       %15: f32 = sub %14, %13
//       %16: f32 = const 1.9046542e-09
//       %17: f32 = fma %15, -0.6931472, %11
//       %18: f32 = fma %15, %16, %17
//       %19: f32 = fma %7, %18, 0.008368675
//       %20: f32 = fma %19, %18, 0.041668963
//       %21: f32 = fma %20, %18, 0.16666521
//       %22: f32 = fma %21, %18, 0.4999999
//       %23: f32 = const 1
//       %24: f32 = fma %22, %18, %23
//       %25: f32 = fma %24, %18, %23
//       %26: u32 = bitcast %14
//       %27: u32 = shr %26, 1
//       %28: u32 = const 23
//       %29: u32 = shl %27, %28
//       %30: f32 = bitcast %29
//       %31: f32 = mul %25, %30
//       %32: u32 = sub %26, %27
//       %33: u32 = shl %32, %28
//       %34: f32 = bitcast %33
//       %35: f32 = mul %31, %34
//       %36: f32 = select %5, %6, %35
//       store %row5[r2], %36
//     }
//     for r3 in 50257 vector 1 unroll 4 {
//       %37: f32 = load %row5[r3]
//       %38: f32 = div %37, %2
//       store %t1[50257*i + r3], %38
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
layout(push_constant, std430) uniform Arguments {
  ref_f32 b_x;
  ref_f32 b_t1;
};
shared float fold_float0[256];
bool is_nan_f32(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
float max_f32(float x, float y) {
  const bool is_nan = is_nan_f32(x);
  return is_nan ? x : (x > y ? x : y);
}
void main() {
  const uint group = flat_group();
  const int lane = int(gl_LocalInvocationID.x);
  const int i_i = int(group);
  if (i_i < 600) {
    // for r1 in 50257 vector 1 unroll 4 lanes 1024 acc %0: f32 = max %1 {
    precise float r0a[4];
    [[unroll]] for (int k = 0; k < 4; ++k) r0a[k] = uintBitsToFloat(0xff800000u);
    int i_r1_from = lane;
    for (; i_r1_from + 3840 < 50257; i_r1_from += 4096) {
      float r1v[16];
      [[unroll]] for (int turn = 0; turn < 16; ++turn) {
        const int i_r1 = i_r1_from + turn * 256;
        // %1: f32 = load %x[50257*i + r1]
        r1v[turn * 1 + 0] = b_x.data[(50257 * i_i + i_r1)];
      }
      [[unroll]] for (int turn = 0; turn < 16; ++turn) {
        const int i_r1 = i_r1_from + turn * 256;
        [[unroll]] for (int k = 0; k < 1; ++k) {
          r0a[turn % 4 * 1 + k] = max_f32(r0a[turn % 4 * 1 + k], r1v[turn * 1 + k]);
        }
      }
    }
    for (; i_r1_from < 50257; i_r1_from += 1024) {
      [[unroll]] for (int turn = 0; turn < 4; ++turn) {
        const int i_r1 = i_r1_from + turn * 256;
        if (i_r1 < 50257) {
          [[unroll]] for (int k = 0; k < 1; ++k) {
            precise float r1 = b_x.data[(50257 * i_i + (i_r1 + k))];  // %1: f32 = load %x[50257*i + r1]
            r0a[turn % 4 * 1 + k] = max_f32(r0a[turn % 4 * 1 + k], r1);
          }
        }
      }
    }
    r0a[0] = max_f32(r0a[0], r0a[2]);
    r0a[1] = max_f32(r0a[1], r0a[3]);
    r0a[0] = max_f32(r0a[0], r0a[1]);
    [[unroll]] for (int k = 0; k < 1; ++k) { fold_float0[k * 256 + lane] = r0a[k]; }
    barrier();
    for (int h = 128; h > 0; h >>= 1) {
      if (lane < h) {
        [[unroll]] for (int k = 0; k < 1; ++k) {
          r0a[k] = max_f32(r0a[k], fold_float0[k * 256 + lane + h]);
          fold_float0[k * 256 + lane] = r0a[k];
        }
      }
      barrier();
    }
    [[unroll]] for (int k = 0; k < 1; ++k) { r0a[k] = fold_float0[k * 256]; }
    barrier();
    // for r2 in 50257 vector 1 unroll 4 lanes 1024 acc %2: f32 = sum %36 {
    precise float r2a[4];
    [[unroll]] for (int k = 0; k < 4; ++k) r2a[k] = 0.0;
    int i_r2_from = lane;
    for (; i_r2_from + 768 < 50257; i_r2_from += 1024) {
      float r3v[4];
      [[unroll]] for (int turn = 0; turn < 4; ++turn) {
        const int i_r2 = i_r2_from + turn * 256;
        // %3: f32 = load %x[50257*i + r2]
        r3v[turn * 1 + 0] = b_x.data[(50257 * i_i + i_r2)];
      }
      [[unroll]] for (int turn = 0; turn < 4; ++turn) {
        const int i_r2 = i_r2_from + turn * 256;
        [[unroll]] for (int k = 0; k < 1; ++k) {
          precise float r4 = r3v[turn * 1 + k] - r0a[0];  // %4: f32 = sub %3, %0
          bool r5 = (-104.0) > r4;  // %5: bool = gt -104, %4
          precise float r9 = r5 ? 0.0 : r4;  // %9: f32 = select %5, %6, %4
          bool r10 = 89.0 < r9;  // %10: bool = lt %8, %9
          precise float r11 = r10 ? 89.0 : r9;  // %11: f32 = select %10, %8, %9
          precise float r14 = fma(r11, 1.44269502, 12583166.0);  // %14: f32 = fma %11, %12, %13
          precise float r15 = r14 - 12583166.0;  // %15: f32 = sub %14, %13
          precise float r17 = fma(r15, (-0.693147182), r11);  // %17: f32 = fma %15, -0.6931472, %11
          precise float r18 = fma(r15, 1.90465421e-09, r17);  // %18: f32 = fma %15, %16, %17
          precise float r19 = fma(0.00137825042, r18, 0.00836867467);  // %19: f32 = fma %7, %18, 0.008368675
          precise float r20 = fma(r19, r18, 0.0416689627);  // %20: f32 = fma %19, %18, 0.041668963
          precise float r21 = fma(r20, r18, 0.166665211);  // %21: f32 = fma %20, %18, 0.16666521
          precise float r22 = fma(r21, r18, 0.499999911);  // %22: f32 = fma %21, %18, 0.4999999
          precise float r24 = fma(r22, r18, 1.0);  // %24: f32 = fma %22, %18, %23
          precise float r25 = fma(r24, r18, 1.0);  // %25: f32 = fma %24, %18, %23
          uint r26 = floatBitsToUint(r14);  // %26: u32 = bitcast %14
          uint r27 = r26 >> 1;  // %27: u32 = shr %26, 1
          uint r29 = r27 << 23;  // %29: u32 = shl %27, %28
          precise float r30 = uintBitsToFloat(r29);  // %30: f32 = bitcast %29
          precise float r31 = r25 * r30;  // %31: f32 = mul %25, %30
          uint r32 = r26 - r27;  // %32: u32 = sub %26, %27
          uint r33 = r32 << 23;  // %33: u32 = shl %32, %28
          precise float r34 = uintBitsToFloat(r33);  // %34: f32 = bitcast %33
          precise float r35 = r31 * r34;  // %35: f32 = mul %31, %34
          precise float r36 = r5 ? 0.0 : r35;  // %36: f32 = select %5, %6, %35
          r2a[turn % 4 * 1 + k] = r2a[turn % 4 * 1 + k] + r36;
        }
      }
    }
    for (; i_r2_from < 50257; i_r2_from += 1024) {
      [[unroll]] for (int turn = 0; turn < 4; ++turn) {
        const int i_r2 = i_r2_from + turn * 256;
        if (i_r2 < 50257) {
          [[unroll]] for (int k = 0; k < 1; ++k) {
            precise float r3 = b_x.data[(50257 * i_i + (i_r2 + k))];  // %3: f32 = load %x[50257*i + r2]
            precise float r4 = r3 - r0a[0];  // %4: f32 = sub %3, %0
            bool r5 = (-104.0) > r4;  // %5: bool = gt -104, %4
            precise float r9 = r5 ? 0.0 : r4;  // %9: f32 = select %5, %6, %4
            bool r10 = 89.0 < r9;  // %10: bool = lt %8, %9
            precise float r11 = r10 ? 89.0 : r9;  // %11: f32 = select %10, %8, %9
            precise float r14 = fma(r11, 1.44269502, 12583166.0);  // %14: f32 = fma %11, %12, %13
            precise float r15 = r14 - 12583166.0;  // %15: f32 = sub %14, %13
            precise float r17 = fma(r15, (-0.693147182), r11);  // %17: f32 = fma %15, -0.6931472, %11
            precise float r18 = fma(r15, 1.90465421e-09, r17);  // %18: f32 = fma %15, %16, %17
            precise float r19 = fma(0.00137825042, r18, 0.00836867467);  // %19: f32 = fma %7, %18, 0.008368675
            precise float r20 = fma(r19, r18, 0.0416689627);  // %20: f32 = fma %19, %18, 0.041668963
            precise float r21 = fma(r20, r18, 0.166665211);  // %21: f32 = fma %20, %18, 0.16666521
            precise float r22 = fma(r21, r18, 0.499999911);  // %22: f32 = fma %21, %18, 0.4999999
            precise float r24 = fma(r22, r18, 1.0);  // %24: f32 = fma %22, %18, %23
            precise float r25 = fma(r24, r18, 1.0);  // %25: f32 = fma %24, %18, %23
            uint r26 = floatBitsToUint(r14);  // %26: u32 = bitcast %14
            uint r27 = r26 >> 1;  // %27: u32 = shr %26, 1
            uint r29 = r27 << 23;  // %29: u32 = shl %27, %28
            precise float r30 = uintBitsToFloat(r29);  // %30: f32 = bitcast %29
            precise float r31 = r25 * r30;  // %31: f32 = mul %25, %30
            uint r32 = r26 - r27;  // %32: u32 = sub %26, %27
            uint r33 = r32 << 23;  // %33: u32 = shl %32, %28
            precise float r34 = uintBitsToFloat(r33);  // %34: f32 = bitcast %33
            precise float r35 = r31 * r34;  // %35: f32 = mul %31, %34
            precise float r36 = r5 ? 0.0 : r35;  // %36: f32 = select %5, %6, %35
            r2a[turn % 4 * 1 + k] = r2a[turn % 4 * 1 + k] + r36;
          }
        }
      }
    }
    r2a[0] = r2a[0] + r2a[2];
    r2a[1] = r2a[1] + r2a[3];
    r2a[0] = r2a[0] + r2a[1];
    [[unroll]] for (int k = 0; k < 1; ++k) { fold_float0[k * 256 + lane] = r2a[k]; }
    barrier();
    for (int h = 128; h > 0; h >>= 1) {
      if (lane < h) {
        [[unroll]] for (int k = 0; k < 1; ++k) {
          r2a[k] = r2a[k] + fold_float0[k * 256 + lane + h];
          fold_float0[k * 256 + lane] = r2a[k];
        }
      }
      barrier();
    }
    [[unroll]] for (int k = 0; k < 1; ++k) { r2a[k] = fold_float0[k * 256]; }
    barrier();
    // for r3 in 50257 vector 1 unroll 4 {
    int i_r3_from = lane;
    for (; i_r3_from + 3840 < 50257; i_r3_from += 4096) {
      float r3g0[16];
      [[unroll]] for (int turn = 0; turn < 16; ++turn) {
        const int i_r3 = i_r3_from + turn * 256;
        // %3: f32 = load %x[50257*i + r3]
        r3g0[turn * 1 + 0] = b_x.data[(50257 * i_i + i_r3)];
      }
      [[unroll]] for (int turn = 0; turn < 16; ++turn) {
        const int i_r3 = i_r3_from + turn * 256;
        [[unroll]] for (int k = 0; k < 1; ++k) {
          precise float r37;
          {
            precise float r4 = r3g0[turn * 1 + k] - r0a[0];  // %4: f32 = sub %3, %0
            bool r5 = (-104.0) > r4;  // %5: bool = gt -104, %4
            precise float r9 = r5 ? 0.0 : r4;  // %9: f32 = select %5, %6, %4
            bool r10 = 89.0 < r9;  // %10: bool = lt %8, %9
            precise float r11 = r10 ? 89.0 : r9;  // %11: f32 = select %10, %8, %9
            precise float r14 = fma(r11, 1.44269502, 12583166.0);  // %14: f32 = fma %11, %12, %13
            precise float r15 = r14 - 12583166.0;  // %15: f32 = sub %14, %13
            precise float r17 = fma(r15, (-0.693147182), r11);  // %17: f32 = fma %15, -0.6931472, %11
            precise float r18 = fma(r15, 1.90465421e-09, r17);  // %18: f32 = fma %15, %16, %17
            precise float r19 = fma(0.00137825042, r18, 0.00836867467);  // %19: f32 = fma %7, %18, 0.008368675
            precise float r20 = fma(r19, r18, 0.0416689627);  // %20: f32 = fma %19, %18, 0.041668963
            precise float r21 = fma(r20, r18, 0.166665211);  // %21: f32 = fma %20, %18, 0.16666521
            precise float r22 = fma(r21, r18, 0.499999911);  // %22: f32 = fma %21, %18, 0.4999999
            precise float r24 = fma(r22, r18, 1.0);  // %24: f32 = fma %22, %18, %23
            precise float r25 = fma(r24, r18, 1.0);  // %25: f32 = fma %24, %18, %23
            uint r26 = floatBitsToUint(r14);  // %26: u32 = bitcast %14
            uint r27 = r26 >> 1;  // %27: u32 = shr %26, 1
            uint r29 = r27 << 23;  // %29: u32 = shl %27, %28
            precise float r30 = uintBitsToFloat(r29);  // %30: f32 = bitcast %29
            precise float r31 = r25 * r30;  // %31: f32 = mul %25, %30
            uint r32 = r26 - r27;  // %32: u32 = sub %26, %27
            uint r33 = r32 << 23;  // %33: u32 = shl %32, %28
            precise float r34 = uintBitsToFloat(r33);  // %34: f32 = bitcast %33
            precise float r35 = r31 * r34;  // %35: f32 = mul %31, %34
            precise float r36 = r5 ? 0.0 : r35;  // %36: f32 = select %5, %6, %35
            r37 = r36;
          }
          precise float r38 = r37 / r2a[0];  // %38: f32 = div %37, %2
          b_t1.data[(50257 * i_i + (i_r3 + k))] = r38;  // store %t1[50257*i + r3], %38
        }
      }
    }
    for (; i_r3_from < 50257; i_r3_from += 1024) {
      [[unroll]] for (int turn = 0; turn < 4; ++turn) {
        const int i_r3 = i_r3_from + turn * 256;
        if (i_r3 < 50257) {
          [[unroll]] for (int k = 0; k < 1; ++k) {
            precise float r37;
            {
              precise float r3 = b_x.data[(50257 * i_i + (i_r3 + k))];  // %3: f32 = load %x[50257*i + r3]
              precise float r4 = r3 - r0a[0];  // %4: f32 = sub %3, %0
              bool r5 = (-104.0) > r4;  // %5: bool = gt -104, %4
              precise float r9 = r5 ? 0.0 : r4;  // %9: f32 = select %5, %6, %4
              bool r10 = 89.0 < r9;  // %10: bool = lt %8, %9
              precise float r11 = r10 ? 89.0 : r9;  // %11: f32 = select %10, %8, %9
              precise float r14 = fma(r11, 1.44269502, 12583166.0);  // %14: f32 = fma %11, %12, %13
              precise float r15 = r14 - 12583166.0;  // %15: f32 = sub %14, %13
              precise float r17 = fma(r15, (-0.693147182), r11);  // %17: f32 = fma %15, -0.6931472, %11
              precise float r18 = fma(r15, 1.90465421e-09, r17);  // %18: f32 = fma %15, %16, %17
              precise float r19 = fma(0.00137825042, r18, 0.00836867467);  // %19: f32 = fma %7, %18, 0.008368675
              precise float r20 = fma(r19, r18, 0.0416689627);  // %20: f32 = fma %19, %18, 0.041668963
              precise float r21 = fma(r20, r18, 0.166665211);  // %21: f32 = fma %20, %18, 0.16666521
              precise float r22 = fma(r21, r18, 0.499999911);  // %22: f32 = fma %21, %18, 0.4999999
              precise float r24 = fma(r22, r18, 1.0);  // %24: f32 = fma %22, %18, %23
              precise float r25 = fma(r24, r18, 1.0);  // %25: f32 = fma %24, %18, %23
              uint r26 = floatBitsToUint(r14);  // %26: u32 = bitcast %14
              uint r27 = r26 >> 1;  // %27: u32 = shr %26, 1
              uint r29 = r27 << 23;  // %29: u32 = shl %27, %28
              precise float r30 = uintBitsToFloat(r29);  // %30: f32 = bitcast %29
              precise float r31 = r25 * r30;  // %31: f32 = mul %25, %30
              uint r32 = r26 - r27;  // %32: u32 = sub %26, %27
              uint r33 = r32 << 23;  // %33: u32 = shl %32, %28
              precise float r34 = uintBitsToFloat(r33);  // %34: f32 = bitcast %33
              precise float r35 = r31 * r34;  // %35: f32 = mul %31, %34
              precise float r36 = r5 ? 0.0 : r35;  // %36: f32 = select %5, %6, %35
              r37 = r36;
            }
            precise float r38 = r37 / r2a[0];  // %38: f32 = div %37, %2
            b_t1.data[(50257 * i_i + (i_r3 + k))] = r38;  // store %t1[50257*i + r3], %38
          }
        }
      }
    }
  }
}
