// shader columns_0_max
// kernel @columns_0_max(%x: f32[38400] in, %t1: f32[128] out) {
//   parallel for i in 128 vector 1 {
//     for r1 in 300 vector 1 unroll 2 lanes 128 acc %0: f32 = max %1 {
//       %1: f32 = load %x[i + 128*r1]
//     }
//     store %t1[i], %0
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
  const int me = int(gl_LocalInvocationID.x), column = me % 4, lane = me / 4;
  const int i_i_first = int(group) * 4;
  if (i_i_first < 128) {
    const bool own = i_i_first + column < 128;
    const int i_i = min(i_i_first + column, 128 - 1);
    // for r1 in 300 vector 1 unroll 2 lanes 128 acc %0: f32 = max %1 {
    precise float r0a[2];
    [[unroll]] for (int k = 0; k < 2; ++k) r0a[k] = uintBitsToFloat(0xff800000u);
    int i_r1_from = lane;
    if (i_r1_from < 300) {
      {
        float r1v[5];  // %1: f32 = load %x[i + 128*r1]
        [[unroll]] for (int turn = 0; turn < 5; ++turn) {
          const int i_r1 = min(i_r1_from + turn * 64, 300 - 1);
          r1v[turn] = b_x.data[(i_i + 128 * i_r1)];
        }
        [[unroll]] for (int turn = 0; turn < 5; ++turn) {
          const int i_r1 = i_r1_from + turn * 64;
          if (turn < 4 || i_r1 < 300) {
            r0a[turn % 2] = max_f32(r0a[turn % 2], r1v[turn]);
          }
        }
      }
    }
    r0a[0] = max_f32(r0a[0], r0a[1]);
    fold_float0[me] = r0a[0];
    barrier();
    if (lane < 8) {
      {
        precise float t[8];
        t[0] = fold_float0[me + 0];
        t[1] = fold_float0[me + 32];
        t[2] = fold_float0[me + 64];
        t[3] = fold_float0[me + 96];
        t[4] = fold_float0[me + 128];
        t[5] = fold_float0[me + 160];
        t[6] = fold_float0[me + 192];
        t[7] = fold_float0[me + 224];
        t[0] = max_f32(t[0], t[4]);
        t[1] = max_f32(t[1], t[5]);
        t[2] = max_f32(t[2], t[6]);
        t[3] = max_f32(t[3], t[7]);
        t[0] = max_f32(t[0], t[2]);
        t[1] = max_f32(t[1], t[3]);
        t[0] = max_f32(t[0], t[1]);
        fold_float0[me] = t[0];
      }
    }
    barrier();
    precise float r0f[8];
    r0f[0] = fold_float0[column + 0];
    r0f[1] = fold_float0[column + 4];
    r0f[2] = fold_float0[column + 8];
    r0f[3] = fold_float0[column + 12];
    r0f[4] = fold_float0[column + 16];
    r0f[5] = fold_float0[column + 20];
    r0f[6] = fold_float0[column + 24];
    r0f[7] = fold_float0[column + 28];
    r0f[0] = max_f32(r0f[0], r0f[4]);
    r0f[1] = max_f32(r0f[1], r0f[5]);
    r0f[2] = max_f32(r0f[2], r0f[6]);
    r0f[3] = max_f32(r0f[3], r0f[7]);
    r0f[0] = max_f32(r0f[0], r0f[2]);
    r0f[1] = max_f32(r0f[1], r0f[3]);
    r0f[0] = max_f32(r0f[0], r0f[1]);
    barrier();
    if (lane == 0 && own) b_t1.data[i_i] = r0f[0];  // store %t1[i], %0
  }
}
