// The shaders of rows between products: softmax(scale * a b + mask) c.
#pragma once

#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

// The wishes of a step, as text of its shaders.
struct AttentionText {
  explicit AttentionText(const RoutineStep& step);

  Dtype type;
  bool causal, masked;
  bool hides;             // the mask is of bools
  double scale;           // of scores whose exponentials have base two
  bool hidden_is_finite;  // a row without any other score is a mean
  std::map<std::string, std::string> words;

  // The score of what is hidden, where scores are not scaled yet.
  std::string hidden_before_scale() const;

 private:
  double hidden_;
};

// Words of every text. DECLARED: the arguments. PLACE: the place of a workgroup, i0 and e0, and first addresses a_base,
// b_base, c_base, mask_base and out_base; words TM, TE and SIZE. KEYS: the number of columns of scores to go over.
extern const char* const kAttentionArguments;
extern const char* const kAttentionPlace;

struct AttentionSizes {
  int64_t rows, columns;     // of the result that a workgroup computes
  int64_t least_groups = 0;  // below which the form does not suit
};
// For any operands.
runtime::RoutineForm attention_form(const AttentionText& text, const AttentionSizes& sizes, size_t step);

// Statements that hide the score of row i and column j of a tile, or add a mask to it: `value` is the mask's element as
// a float, `bits` as it lies in memory, which may be read where `there` holds.
std::string mask_text(const AttentionText& text, const std::string& there, const std::string& value,
                      const std::string& bits);

// Of float16 and bfloat16 by matrix units.
constexpr uint32_t kAttentionMatrixShared = 40960;  // bytes of shared memory
std::vector<Shader> attention_matrices(const RoutineStep& step, const AttentionText& text);

}  // namespace frit::codegen::glsl
