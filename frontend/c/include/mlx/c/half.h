/* The 16-bit floating-point types, where the compiler has them.
 *
 * Written by frontend/c/generate.py. */
#ifndef MLX_C_HALF_H
#define MLX_C_HALF_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__ARM_FEATURE_FP16_SCALAR_ARITHMETIC) || defined(__aarch64__)
#define HAS_FLOAT16
typedef __fp16 float16_t;
#endif
#if defined(__ARM_FEATURE_BF16) || defined(__aarch64__)
#define HAS_BFLOAT16
typedef __bf16 bfloat16_t;
#endif

#ifdef __cplusplus
}
#endif

#endif
