// Products of matrices of float16 or bfloat16 as PTX for matrix units that read the right operand from shared memory
// (wgmma of sm_90a).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace frit::codegen::ptx {

// How the left operand lies, and comes into registers (left.h).
enum class LeftWay : uint8_t {
  Columns,    // it lies side by side down its columns
  Permuted,   // along its rows; the right operand, which lies along its rows too, is copied in another order of k
  Exchanged,  // along its rows, for any right operand
  Windows     // its rows are windows of a convolution's input; the right operand lies down its columns
};

struct Product {
  bool bfloat;  // the elements are bfloat16
  LeftWay left;
  bool b_columns;      // the right operand lies side by side down its columns, not along its rows
  uint32_t columns;    // of the tile of a workgroup: 256; 128 or 64 for results of fewer tiles
  bool split = false;  // workgroups sum parts of k, as float32
};

struct Module {
  std::string text, entry;
  uint32_t threads;
};

constexpr uint32_t kProductRows = 128;      // of the tile of a workgroup
constexpr uint32_t kProductDepth = 16;      // steps along k of a piece of it
constexpr uint32_t kProductShared = 49152;  // bytes of shared memory, at most
constexpr uint32_t kProductMaps = 256;      // bytes of working memory of a workgroup
constexpr uint32_t kPartUnit = 64;          // steps along k of a part are multiples of this
constexpr uint32_t kMultiplyingThreads = 256;
constexpr uint32_t kMostUnits = 900;   // of eight channels, of all taps of a window
constexpr uint32_t kMostReach = 1024;  // elements of a window along an axis

// Any number of workgroups computes all tiles. Parameters are numbers of 64 bits: those below, then those of the left
// operand (rows.h). A permuted product has whole 32 steps along k, and one right matrix, or matrices behind one another
// with whole 64 steps. Sums of a part lie behind those of the parts before it, each matrix by rows.
struct ProductParameters {
  enum : size_t {
    kMemory,  // working memory
    kResult,  // or the sums of all parts
    kRows,
    kColumns,
    kSteps,
    kMatrices,
    kRight,          // of the right operand: the address,
    kRightPitch,     // bytes between lines,
    kRightStep,      // bytes between matrices,
    kRightMatrices,  // and their number: as many as of the result, or one for all
    kPartSteps,      // of a part of k; all where it is not split
    kParts,
    kPitch,  // of sums: elements between rows
    kLeft
  };
};
Module product_module(const Product& product);
size_t product_parameters(const Product& product);

}  // namespace frit::codegen::ptx
