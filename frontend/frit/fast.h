// Common parts of neural networks in namespace frit::fast, with the names, argument order and defaults of MLX. The
// declarations are written from frontend/api/fast.api.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "frit/array.h"
#include "frit/compile_options.h"

namespace frit {

namespace fast {

using TemplateArg = std::variant<int, bool, Dtype>;
using ScalarArg = std::variant<bool, int, float>;
using CustomKernelFunction = std::function<std::vector<array>(
    const std::vector<array>&, const std::vector<Shape>&, const std::vector<Dtype>&, std::tuple<int, int, int>,
    std::tuple<int, int, int>, std::vector<std::pair<std::string, TemplateArg>>, std::optional<float>, bool,
    StreamOrDevice)>;

}  // namespace fast

// ---- Written from frontend/api: fast

namespace fast {
// Each row over the last axis divided by the root of its mean square plus `eps`, times the weight.
// Shape: that of `x`; the weight has the size of its last axis.
// Types: real floats; promoted to a common type.
// Throws InvalidArgument when `x` has no axis or another type, or the weight does not fit.
array rms_norm(const array& x, const std::optional<array>& weight, float eps, StreamOrDevice s = {});

// Each row over the last axis without its mean, divided by the root of its variance plus `eps`, times the weight, plus
// the bias.
// Shape: that of `x`; weight and bias have the size of its last axis.
// Types: real floats; promoted to a common type. A bias without a weight is converted to the type of `x`.
// Throws InvalidArgument when `x` has no axis or another type, or a parameter does not fit.
array layer_norm(const array& x, const std::optional<array>& weight, const std::optional<array>& bias, float eps,
                 StreamOrDevice s = {});

// Rotary positions: pairs of the first `dims` elements of a row turn by (position + offset) * scale / frequency. A pair
// is two neighbours if `traditional`, else an element and the one half of `dims` behind it. The frequencies are
// base^(2i / dims), or `freqs`. An offset is one number, or one for each element of the batch.
// Shape: that of `x`: (batch, ..., positions, elements).
// Types: real floats, kept.
// Throws InvalidArgument when `x` has fewer than three axes or another type, `dims` is odd or too large, not exactly
// one of base and frequencies is given, or an operand does not fit.
array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale, int offset,
           const std::optional<array>& freqs = std::nullopt, StreamOrDevice s = {});
array rope(const array& x, int dims, bool traditional, std::optional<float> base, float scale, const array& offset,
           const std::optional<array>& freqs = std::nullopt, StreamOrDevice s = {});

// softmax(scale * queries @ keys^T + mask) @ values. Each head of the keys serves as many heads of the queries. With
// the mask "causal" a query sees the keys up to its own position, counted from the end. A bool mask keeps what is true,
// any other is added. Sinks are one more score in each row, without a value.
// Shape: (batch, heads, positions, elements of the values).
// Types: real floats; promoted to a common type.
// Algorithm: two products with the scores between them, on a GPU one kernel without scores in memory; `force_fused`
// changes nothing.
// Throws InvalidArgument when shapes or types do not fit, or the mask does not exist.
array scaled_dot_product_attention(const array& queries, const array& keys, const array& values, float scale,
                                   const std::string& mask_mode = "",
                                   const std::optional<array>& mask_arr = std::nullopt,
                                   const std::optional<array>& sinks = std::nullopt, bool force_fused = false,
                                   StreamOrDevice s = {});

// A function that stands for the kernel. Kernels in the source of Metal are not to be had: a call of the function
// throws RuntimeError.
// Throws nothing.
CustomKernelFunction metal_kernel(const std::string& name, const std::vector<std::string>& input_names,
                                  const std::vector<std::string>& output_names, const std::string& source,
                                  const std::string& header = "", bool ensure_row_contiguous = true,
                                  bool atomic_outputs = false, const CompileOptions& compile_options = {});

// Not to be had.
// Throws RuntimeError always.
CustomKernelFunction cuda_kernel(const std::string& name, const std::vector<std::string>& input_names,
                                 const std::vector<std::string>& output_names, const std::string& source,
                                 const std::string& header = "", bool ensure_row_contiguous = true,
                                 int shared_memory = 0);

// Not to be had.
// Throws RuntimeError always.
std::vector<array> precompiled_cuda_kernel(const std::string& name, const std::string& compiled_source,
                                           const std::vector<array>& inputs, const std::vector<Shape>& output_shapes,
                                           const std::vector<Dtype>& output_dtypes,
                                           const std::vector<ScalarArg>& scalars, std::tuple<int, int, int> grid,
                                           std::tuple<int, int, int> threadgroup, int shared_memory = 0,
                                           std::optional<float> init_value = std::nullopt,
                                           bool ensure_row_contiguous = false, StreamOrDevice s = {});

// logsumexp(logits) - logits[target] along the last axis.
// Shape: that of `targets`.
// Types: the result is float32; targets are integers.
// Throws InvalidArgument when the targets are not integers or have not one axis less than the logits.
array cross_entropy(const array& logits, const array& targets, StreamOrDevice s = {});

// The gated delta rule: for each time the state decays by the gate, moves by `beta` towards the value at the key, and
// is read at the query. Where the mask is false, the state stays and the output is 0.
// Shape: the outputs (batch, time, heads, elements of the values) and the last state (batch, heads, elements of the
// values, elements of the keys).
// Types: real floats; computed in float32. Outputs have the type of the values, the state that of the initial one.
// Throws InvalidArgument when the numbers of axes or of heads do not fit.
std::vector<array> gated_delta_update(const array& queries, const array& keys, const array& values, const array& gates,
                                      const array& beta, const std::optional<array>& initial_state = std::nullopt,
                                      const std::optional<array>& mask = std::nullopt, StreamOrDevice s = {});

}  // namespace fast

// ---- End of frontend/api: fast

}  // namespace frit
