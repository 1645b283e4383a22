// Attention in the two forms that programs for MLX know: with and without `force_fused` before the stream.
#ifdef FRIT_C_FORCE_FUSED
// The header declares the other form under the same name.
#define mlx_fast_scaled_dot_product_attention mlx_fast_scaled_dot_product_attention_plain
#include "mlx/c/fast.h"
#undef mlx_fast_scaled_dot_product_attention
#endif

#include "frontend/c/convert.h"

namespace frit::c {

extern "C" int mlx_fast_scaled_dot_product_attention(mlx_array* res, const mlx_array queries, const mlx_array keys,
                                                     const mlx_array values, float scale, const char* mask_mode,
                                                     const mlx_array mask_arr, const mlx_array sinks,
#ifdef FRIT_C_FORCE_FUSED
                                                     bool force_fused,
#endif
                                                     const mlx_stream s) {
#ifndef FRIT_C_FORCE_FUSED
  constexpr bool force_fused = false;
#endif
  return call("mlx_fast_scaled_dot_product_attention", [&] {
    put(res, fast::scaled_dot_product_attention(in(queries, "queries"), in(keys, "keys"), in(values, "values"), scale,
                                                in(mask_mode, "mask_mode"), maybe(mask_arr, "mask_arr"),
                                                maybe(sinks, "sinks"), force_fused, in(s, "s")));
  });
}

}  // namespace frit::c
