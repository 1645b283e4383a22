// Rows between products as PTX for matrix units: softmax(scale * a b + mask) c without the scores in memory.
#pragma once

#include "codegen/ptx/product.h"

namespace frit::codegen::ptx {

enum class Element { Half, Bfloat, Single };
enum class AttentionMask { None, Hides, Half, Bfloat, Single };  // of bools that keep a score, or added to scores

// A workgroup computes `rows()` rows of the result. `row_warps` warps share the rows; `key_warps` times as many share
// the keys of each tile, and join what they have at the end. With `groups`, four warps multiply together (wgmma): the
// elements have 16 bits, rows are longer than 32, key_warps and high are 1, and row_warps is a multiple of 4.
struct Attention {
  bool groups;
  Element element;
  AttentionMask mask;
  bool causal;
  uint32_t longest;  // of rows of the left and of the last operand, which are filled up with zeros: 32, 64, 128
  uint32_t row_warps, key_warps, high;  // high: blocks of 16 rows of a warp
  uint32_t tile, stages;                // keys of a tile, and tiles in shared memory
  uint32_t rows() const { return 16 * high * row_warps; }
  uint32_t threads() const { return 32 * row_warps * key_warps; }
  uint32_t element_bytes() const { return element == Element::Single ? 4 : 2; }
};

// Parameters of the kernel. Steps and pitches are bytes; scale and hidden are the bits of floats.
struct AttentionParameter {
  enum : size_t {
    kOfA,  // addresses
    kOfB,
    kOfC,
    kOfMask,
    kOfResult,
    kRowCount,
    kDepth,
    kKeyCount,
    kBreadth,
    kPitchA,
    kPitchB,  // between keys
    kPitchC,
    kMaskRow,
    kMaskColumn,
    kBatchSizes,  // four, and four steps of each operand
    kStepsA = kBatchSizes + 4,
    kStepsB = kStepsA + 4,
    kStepsC = kStepsB + 4,
    kStepsMask = kStepsC + 4,
    kScale = kStepsMask + 4,  // of scores whose exponentials have base two
    kHidden,                  // the score of what is hidden, with a mask; without one, hidden scores have no weight
    kHiddenIsFinite,          // rows without another score are means of all then
    kCount,
    // Where the keys are split: lines of float32 that are not divided yet go to kOfResult, and for each the maximum
    // that its exponentials are relative to, and their sum, to kStats.
    kStats = kCount,
    kEach,  // keys of a part
    kParts,
    kSplitCount
  };
};

// Workgroups: for each matrix of the batch, as many as blocks of rows.
Module attention_module(const Attention& attention);
// Of at most 8 rows of 16-bit elements, without a mask. In the causal form keys are at least as many as rows.
// Workgroups: for each matrix of the batch, one; with `split`, as many for each part of the keys.
struct FewAttention {
  Element element;
  bool causal;
  uint32_t longest, rows;  // rows: 1, 2, 4 or 8, at least as many as there are
  bool split;
  uint32_t threads() const { return rows > 2 ? 256 : 512; }
  uint32_t teams() const { return threads() / (longest / 8); }
  uint32_t ahead() const { return rows > 2 ? 4 : 8; }  // keys of a team at once
  uint32_t keys() const { return teams() * ahead(); }  // of all teams at once
};
Module few_attention_module(const FewAttention& attention);

uint32_t attention_shared(const Attention& attention);  // bytes of shared memory, at most kProductShared

}  // namespace frit::codegen::ptx
