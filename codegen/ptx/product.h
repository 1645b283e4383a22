// Products of matrices of float16 or bfloat16 as PTX for matrix units that read the right operand from shared memory
// (wgmma of sm_90a).
#pragma once

#include <cstdint>
#include <string>

namespace frit::codegen::ptx {

struct Product {
  bool bfloat;       // the elements are bfloat16
  bool a_columns;    // the left operand lies side by side down its columns, not along its rows
  bool b_columns;    // the same of the right operand
  uint32_t columns;  // of the tile of a workgroup: 256, or 128 for results of fewer tiles
};

struct Module {
  std::string text, entry;
  uint32_t threads;
};

constexpr uint32_t kProductRows = 128;      // of the tile of a workgroup
constexpr uint32_t kProductDepth = 16;      // steps along k of a piece of it
constexpr uint32_t kProductShared = 49152;  // bytes of shared memory, at most
constexpr uint32_t kProductMaps = 256;      // bytes of working memory
// Whether the product must have whole 32 steps along k, and the right operand one matrix, or matrices that lie behind
// one another with whole 64 steps.
bool needs_dense_right(const Product& product);

// Describes both operands in working memory. Parameters: the addresses of the left and the right operand and of the
// working memory, m, n, k, the bytes between lines of each operand, their numbers of matrices, the bytes between those.
Module product_maps(const Product& product);
constexpr size_t kMapsParameters = 12;

// Multiplies. Parameters: the addresses of the working memory and of the result, m, n, k, the number of matrices, and
// of each operand whether it has as many (1) or one for all (0); of the left one the address, the bytes between lines,
// and the bytes between matrices.
Module product_module(const Product& product);
constexpr size_t kProductParameters = 11;

}  // namespace frit::codegen::ptx
