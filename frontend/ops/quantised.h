// The formats of quantised numbers: codes of a few bits, packed into words, with scales for groups of a row.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/ops/composed.h"

namespace frit::detail {

enum class QuantMode : uint8_t { Affine, Mxfp4, Mxfp8, Nvfp4 };

struct QuantFormat {
  QuantMode mode = QuantMode::Affine;
  int group = 64, bits = 4;
  // Codes are taken apart as suits vectors of lanes, and halves are converted by an instruction.
  bool cpu = false;
  ComposedKey key() const { return {static_cast<int64_t>(mode), group, bits, cpu}; }
};

// Throws InvalidArgument for a mode, group size or number of bits that does not exist.
QuantFormat quant_format(std::string_view op, const std::string& mode, std::optional<int> group_size,
                         std::optional<int> bits, const StreamOrDevice& s);

// Throws where a derivative is taken of packed weights (RuntimeError) or of scales that are codes (InvalidArgument):
// integers that stand for rounded numbers have none.
void check_derivatives(std::string_view op, const array& packed, const array& scales, const StreamOrDevice& s);

// Throws RuntimeError: `message` says which operation has no derivative with respect to which operand.
[[noreturn]] void no_derivative(const std::string& message, const StreamOrDevice& s);

// The codes of packed words (..., words) as (..., groups, units, codes of a unit), in uint32. A unit is as many codes
// as fill whole bytes or words.
array unpack_codes(const array& packed, const QuantFormat& f);
// Packed words (..., words) of codes (..., elements), in uint32.
array pack_codes(const array& codes, const QuantFormat& f);

// The float32 numbers that codes stand for, before their group's scale and bias; and the scales in float32.
array decode_codes(const array& codes, const QuantFormat& f);
array decode_scales(const array& scales, const std::optional<array>& global_scale, const QuantFormat& f);

// float32 elements as (..., groups, units, codes of a unit). `biases` are those of Affine, `global_scale` of Nvfp4.
array dequantised(const array& packed, const array& scales, const std::optional<array>& biases,
                  const std::optional<array>& global_scale, const QuantFormat& f);

// x @ w^T in float32 for packed rows of w and few rows of x. Weights are unpacked in registers, and a scale and a bias
// are applied once for the codes of a few words.
array product_with_few_rows(const array& x, const array& packed, const array& scales,
                            const std::optional<array>& biases, const std::optional<array>& global_scale,
                            const QuantFormat& f);

// x @ w in float32 for packed rows of w and a known, small number of rows of x.
array product_across(const array& x, const array& packed, const array& scales, const std::optional<array>& biases,
                     const std::optional<array>& global_scale, const QuantFormat& f);

// Packed words and scales, and for Affine biases.
std::vector<array> quantised(const array& w, const std::optional<array>& global_scale, const QuantFormat& f);

// Floats of eight bits with four of exponent and three of significand (e4m3), as uint8; larger magnitudes become 448.
array encode_fp8(const array& x);
array decode_fp8(const array& codes);  // float32

}  // namespace frit::detail
