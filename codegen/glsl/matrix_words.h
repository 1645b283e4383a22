// SPIR-V of matrices for units that multiply them.
#pragma once

#include <string>

namespace frit::codegen::glsl {

// The element type of the matrices of a shader.
enum class MatrixType { None, Float16, Bfloat16 };

// The number of the specialization constant that a shader writes as the rows of a matrix: it says what the matrix is
// for.
inline constexpr int kLeftMatrix = 1000, kRightMatrix = 1001, kSumMatrix = 1002;

// From a module that glslang wrote with GL_NV_cooperative_matrix to one with SPV_KHR_cooperative_matrix, which more
// devices have and for which drivers write better code; glslang 12 does not know it. Rows of a matrix are the constant
// of one of the numbers above, and its layout a literal. With Bfloat16, every f16 of the module is bf16 instead
// (SPV_KHR_bfloat16).
std::string with_khr_matrices(const std::string& spirv, MatrixType type);

}  // namespace frit::codegen::glsl
