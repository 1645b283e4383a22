// The parts of every kernel of rows between products: its place, scores that become weights, and the end.
#pragma once

#include "codegen/ptx/attention.h"
#include "codegen/ptx/writer.h"

namespace frit::codegen::ptx {

class AttentionRows {
 public:
  using Words = std::vector<Value>;
  using P = AttentionParameter;

  // `own_keys`: those of a tile that a warp takes.
  AttentionRows(const Attention& a, uint32_t own_keys)
      : a_(a),
        single_(a.element == Element::Single),
        score_tiles_(own_keys / 8),
        result_tiles_(a.longest / 8),
        line_bytes_(a.longest * a.element_bytes()) {}

 protected:
  static constexpr const char* kUnseen = "0fFF800000";  // minus infinity

  Value f32(std::string_view instruction, std::initializer_list<Value> operands) {
    return w_.u32(instruction, operands);
  }
  std::vector<Words> registers(uint32_t count, uint32_t each);
  std::string type() const { return a_.element == Element::Bfloat ? "bf16" : "f16"; }

  // The place of a workgroup and of a thread in it.
  void begin();
  // First elements of the matrices of number `batch`.
  void addresses(const Value& batch);
  void clear_results();
  // Scores of `keys` columns from `first` on: hides columns that rows do not see and those that are not there, and
  // scales them and adds masks where there are masks.
  // The mask of these columns is loaded before.
  void load_mask(const Value& first);
  void finish_scores(const Value& first, uint32_t keys);
  // Moves the references of block `h` where a score passes one by much; the results so far are then to be scaled.
  struct Moved {
    Value yes;
    Words factors;  // of both rows
  };
  Moved move_references(uint32_t h);
  void scale_results(uint32_t h, const Moved& moved);
  // Scores become weights.
  void weigh(uint32_t h);
  // Weights of 16 keys become a left operand.
  void round_weights(uint32_t h, uint32_t step, const Words& to);
  void store();

  const Attention a_;
  const bool single_;
  const uint32_t score_tiles_, result_tiles_, line_bytes_;
  Writer w_;
  Value thread_, lane_, line_, in_line_, row_warp_, key_warp_;
  Value m_, d_, n_, e_, shift_, first_row_, own_row_, keys_, last_seen_, shared_;
  Value a_at_, b_at_, c_at_, scale_;
  std::vector<std::vector<Words>> scores_, results_;  // block of rows, eight columns, four registers
  std::vector<Words> references_, sums_;              // negated references; of both rows of a block

 private:
  void bounds();
  // Whether no row of the warp hides any of `keys` scores from `first` on.
  Value sees_all(const Value& first, uint32_t keys);
  void hide(const Value& first);
  uint32_t mask_bytes() const { return a_.mask == AttentionMask::Hides ? 1 : a_.mask == AttentionMask::Single ? 4 : 2; }
  void find_pairs();
  void load_alone(const Words& to, const Value& from, const Value& step, const Value& left, uint32_t column);
  void add_mask(uint32_t h, uint32_t half);
  Value added(const Words& words, uint32_t i);
  void store_row(uint32_t h, uint32_t half, const Value& line, const Value& there);

  Value batch_, infinite_;                // whether hidden scores are
  Value mask_at_, hidden_, paired_;       // whether two neighbours of a mask are loaded at once
  std::vector<std::vector<Words>> mask_;  // block of rows, pair of columns (of both rows), its registers
};

// The kernel of warps that multiply each for itself, and that of groups of four.
Module attention_of_warps(const Attention& attention);
Module attention_of_groups(const Attention& attention);
uint32_t shared_of_warps(const Attention& attention);
uint32_t shared_of_groups(const Attention& attention);

}  // namespace frit::codegen::ptx
