// Copies tiles of a product's operand of 32 or 64 bits to shared memory.
#pragma once

#include <functional>
#include <vector>

#include "codegen/ptx/operand_copies.h"

namespace frit::codegen::ptx {

// A tile in shared memory: `lines` elements of `bytes` for each of `depth` steps. Lines lie side by side and steps
// behind one another. Where `turns` allows it and the operand lies so, steps lie side by side.
struct SharedTile {
  uint32_t bytes, lines, depth;
  uint32_t first;      // byte of a place where it begins
  bool turns = false;  // for elements of 8 bytes
  // Four elements more keep lanes that read or write several steps from the same banks.
  uint32_t pitch() const { return (lines + 4) * bytes; }
  uint32_t size() const { return depth * pitch(); }

  // Steps side by side. Two steps change places with others, so that four neighbouring lines lie in all banks.
  uint32_t line_bytes() const { return depth * bytes; }
  Value exchanged(Writer& w, const Value& line) const;  // the bits of a pair's number that change in this line
};

// By all threads of a workgroup. Elements side by side whose addresses allow it are copied 16 bytes at a time, others
// one by one, neighbours along the axis that lies side by side.
class TileCopies : public OperandCopies {
 public:
  // The operand's parameters begin at `first`.
  TileCopies(Writer& w, const SharedTile& tile, uint32_t threads, size_t first);
  void start(const Start& at) override;
  void copy(const Value& place, const Value& left) override;
  uint32_t size() const override { return tile_.size(); }
  const SharedTile& tile() const { return tile_; }
  // Whether steps lie side by side; where the tile turns.
  const Value& turned() const { return along_; }

 private:
  struct Piece {
    Value from, to, step, size;  // addresses, the step within the tile, and bytes that are there
  };
  // A piece's address, and where it goes: elements of `line` from `step` on.
  void put(const Piece& piece, const Value& line, const Value& step, const Value& to);
  void start_lines();
  void start_steps();
  void start_elements();
  void copy_pieces(const Value& place, uint32_t bytes, const std::function<Value(const Piece&)>& size);
  uint32_t count(uint32_t bytes) const { return tile_.lines * tile_.depth * tile_.bytes / (bytes * threads_); }

  Writer& w_;
  const SharedTile tile_;
  const uint32_t threads_;
  const size_t first_;
  Value thread_, base_, line_, lines_, step_;
  Value line_bytes_, step_bytes_, tile_bytes_, wide_, along_;
  std::vector<Piece> pieces_;
};

}  // namespace frit::codegen::ptx
