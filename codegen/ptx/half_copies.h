// Copies tiles of a product's operand of 16 bits to shared memory, where matrix units read them (ldmatrix).
#pragma once

#include <functional>
#include <vector>

#include "codegen/ptx/operand_copies.h"

namespace frit::codegen::ptx {

// A tile in rows along the axis whose elements lie side by side. Pieces of 16 bytes change places within a row, so that
// those of eight neighbouring rows lie in all banks.
struct HalfTile {
  bool along;             // rows are lines of the operand, along k; else steps
  bool odd;               // rows begin anywhere
  uint32_t lines, depth;  // elements of the tile
  uint32_t first;         // byte of a place where it begins
  uint32_t settled;       // the same of the memory of settled tiles

  uint32_t rows() const { return along ? lines : depth; }
  uint32_t row_bytes() const { return 2 * (along ? depth : lines); }
  uint32_t pieces() const { return row_bytes() / 16; }              // of a row
  uint32_t words() const { return odd ? pieces() + 1 : pieces(); }  // of 16 bytes, around a row's elements
  uint32_t size() const { return rows() * words() * 16; }
  uint32_t settled_size() const { return odd ? rows() * row_bytes() : 0; }
  // Where multiplications read it, behind the address that they get.
  uint32_t read_first() const { return odd ? settled : first; }
  // The bits of a piece's number that change in this row.
  Value exchanged(Writer& w, const Value& row) const;
};

// Odd rows are copied as the aligned words around them, and shifted when they have come.
class HalfCopies : public OperandCopies {
 public:
  HalfCopies(Writer& w, const HalfTile& tile, uint32_t threads, size_t first);
  void start(const Start& at) override;
  void copy(const Value& place, const Value& left) override;
  void settle(const Value& place, const Value& to) override;
  uint32_t size() const override { return tile_.size(); }
  uint32_t settled_size() const override { return tile_.settled_size(); }
  const HalfTile& tile() const { return tile_; }

 private:
  // A word of 16 bytes that this thread copies.
  struct Word {
    Value from;        // its address
    uint64_t further;  // bytes behind it
    uint32_t to;       // bytes behind the first word's place
    Value before;      // bytes of the row ahead of it
    Value full;        // bytes of a tile whose steps are all there
    Value any;         // whether there is such a word, where some threads have none
    uint32_t row;      // behind the first word's
  };
  void start_aligned(const Value& first);
  void start_odd(const Value& first);
  // Bytes that are there of a word with so many bytes of a row ahead of it.
  Value within(const Value& bytes, const Value& before);
  void copy_words(const Value& to, const std::function<Value(const Word&)>& size);
  Value in_place(const Value& row, const Value& piece, uint32_t first);
  uint32_t threads_of_row() const { return tile_.odd ? threads_ / tile_.rows() : tile_.words(); }

  Writer& w_;
  const HalfTile tile_;
  const uint32_t threads_;
  const size_t first_;
  Start at_;
  Value pitch_, advance_;  // bytes between rows, and to the next tile
  Value row_, piece_, to_;
  std::vector<Word> words_;
  Value from_, settled_, eight_, four_, halves_;  // of pieces that are shifted: places, and by how much
};

}  // namespace frit::codegen::ptx
