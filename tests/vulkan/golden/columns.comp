// shader columns_0_max
// kernel @columns_0_max(%x: f32[38400] in, %t1: f32[128] out) {
//   parallel for i in 128 vector 1 {
//     for b in 2 acc %0: f32 = max %1 {
//       for r1 in min(-256*b + 300, 256) acc %1: f32 = max %2 {
//         %2: f32 = load %x[32768*b + i + 128*r1]
//       }
//     }
//     store %t1[i], %0
//   }
// }
#version 460
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(constant_id = 0) const bool aligned = false;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer ref_f32 { float data[]; };
layout(push_constant, std430) uniform Arguments {
  ref_f32 b_x;
  ref_f32 b_t1;
};
bool is_nan_f32(float x) { return (floatBitsToUint(x) & 0x7fffffffu) > 0x7f800000u; }
float max_f32(float x, float y) {
  const bool is_nan = is_nan_f32(x);
  return is_nan ? x : (x > y ? x : y);
}
void main() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const int i_i = (int(group) * 32 + int(gl_LocalInvocationID.x));
  if (i_i < 128) {
    // for b in 2 acc %0: f32 = max %1 {
    precise float r0 = uintBitsToFloat(0xff800000u);
    for (int i_b = 0; i_b < 2; ++i_b) {
      // for r1 in min(-256*b + 300, 256) acc %1: f32 = max %2 {
      precise float r1 = uintBitsToFloat(0xff800000u);
      int i_r1_from = 0;
      for (; i_r1_from + 64 <= min((-256 * i_b + 300), 256); i_r1_from += 64) {
        {
          float r2v[64];  // %2: f32 = load %x[32768*b + i + 128*r1]
          [[unroll]] for (int k = 0; k < 64; ++k) {
            const int i_r1 = i_r1_from + k;
            r2v[k] = b_x.data[(32768 * i_b + i_i + 128 * i_r1)];
          }
          [[unroll]] for (int k = 0; k < 64; ++k) {
            const int i_r1 = i_r1_from + k;
            r1 = max_f32(r1, r2v[k]);
          }
        }
      }
      for (; i_r1_from < min((-256 * i_b + 300), 256); i_r1_from += 16) {
        {
          float r2v[16];  // %2: f32 = load %x[32768*b + i + 128*r1]
          [[unroll]] for (int k = 0; k < 16; ++k) {
            const int i_r1 = min(i_r1_from + k, min((-256 * i_b + 300), 256) - 1);
            r2v[k] = b_x.data[(32768 * i_b + i_i + 128 * i_r1)];
          }
          [[unroll]] for (int k = 0; k < 16; ++k) {
            const int i_r1 = i_r1_from + k;
            if (i_r1 < min((-256 * i_b + 300), 256)) {
              r1 = max_f32(r1, r2v[k]);
            }
          }
        }
      }
      r0 = max_f32(r0, r1);
    }
    b_t1.data[i_i] = r0;  // store %t1[i], %0
  }
}
