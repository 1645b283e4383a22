// The shaders of rows between products: softmax(scale * a b + mask) c.
#pragma once

#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

// The wishes of a step, as text of its shaders.
struct AttentionText {
  explicit AttentionText(const RoutineStep& step);

  Dtype type = float32;
  bool causal, masked;
  bool hides;             // the mask is of bools
  double scale;           // of scores whose exponentials have base two
  double hidden;          // the score of what is hidden
  bool hidden_is_finite;  // a row without any other score is a mean
  std::map<std::string, std::string> words;

  // Words of the place, the arguments and KEYS where a workgroup goes over all keys, and where it goes over a part.
  // FIRST is the first key. Results of a part begin at part_base, lines of float32 that are not divided yet. At
  // stats_base lie for each row the maximum that its exponentials are relative to, and their sum.
  static std::map<std::string, std::string> whole_words(), part_words();

  // The score of what is hidden, where scores are not scaled yet.
  std::string hidden_before_scale() const;
  // The same where they are.
  float hidden_after_scale() const;
};

// Words of every text. DECLARED: the arguments. PLACE: the place of a workgroup, i0 and e0, and first addresses a_base,
// b_base, c_base, mask_base and out_base; words TM, TE and SIZE, and those of whole_words or part_words. `keys`: the
// column of scores at which to end.
extern const char* const kAttentionArguments;
extern const char* const kAttentionPlace;

struct AttentionSizes {
  int64_t rows, columns;     // of the result that a workgroup computes
  int64_t least_groups = 0;  // below which the form does not suit
  // Where keys are split: workgroups that there should be, the fewest keys of a part and the unit of their number, and
  // the fewest parts. With slots, attention_join adds the parts.
  int64_t split_slots = 0, split_fewest = 1, split_unit = 1, least_parts = 2;
};
// For any operands.
runtime::RoutineForm attention_form(const AttentionText& text, const AttentionSizes& sizes, size_t step);

// A form whose keys are split, and the launch that joins its parts: rows with few blocks would leave much of a device
// idle. The sizes alone decide on the parts, which are joined in order.
std::vector<Shader> with_join(const RoutineStep& step, const AttentionText& text, const AttentionSizes& sizes,
                              Shader part);
runtime::RoutineForm attention_join_form(const AttentionText& text, const AttentionSizes& sizes, size_t step,
                                         int64_t per_group);

// Of few rows, which take as long as reading their keys.
std::vector<Shader> attention_few(const RoutineStep& step, const AttentionText& text);

// Statements that hide the score of row i and column j of a tile, or add a mask to it: `value` is the mask's element as
// a float, `bits` as it lies in memory, which may be read where `there` holds.
std::string mask_text(const AttentionText& text, const std::string& there, const std::string& value,
                      const std::string& bits);

// As PTX, where operands can be read 16 bytes at a time.
std::vector<Shader> attention_ptx(const RoutineStep& step, const AttentionText& text);
std::vector<Shader> few_attention_ptx(const RoutineStep& step, const AttentionText& text);

// Of float16 and bfloat16 by matrix units.
constexpr uint32_t kAttentionMatrixShared = 40960;  // bytes of shared memory
std::vector<Shader> attention_matrices(const RoutineStep& step, const AttentionText& text);

}  // namespace frit::codegen::glsl
