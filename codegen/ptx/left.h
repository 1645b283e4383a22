// The left operand of a product, whose elements a warp group holds in registers: four of 32 bits for each 16 steps
// along k, in the order of the matrix units. Element pairs 2t and 2t + 8 of rows g and g + 8 are thread 4g + t's.
#pragma once

#include <memory>

#include "codegen/ptx/product.h"
#include "codegen/ptx/ring.h"

namespace frit::codegen::ptx {

// Values that all parts of a kernel use.
struct ProductFrame {
  Writer& w;
  Value thread, group;              // a thread's number, and its warp group's
  Value lane, in_line, warp, line;  // in its warp, of the four of a line (t), in its group; the first of its lines
  Value m, k;
};

struct Tile {
  Value batch, row, column;  // its first row and column
  Value matrix;              // of the results, or of the sums of all parts of k
  Value first, end;          // steps along k
};

class Left {
 public:
  virtual ~Left() = default;
  // Pieces of 16 steps after which its registers come in turn again.
  virtual uint32_t pieces() const = 0;
  virtual void start(const Tile& tile) = 0;
  // The registers of piece `number` of pieces(); may wait for it.
  virtual std::vector<Value> fragment(uint32_t number) = 0;
  // Once the piece is being multiplied, and the one before it has been.
  virtual void after(uint32_t number) = 0;
};

class Rows;

// Loaded from memory, 16 bytes at a time along k, several turns of 32 steps ahead: as many as `turns` say, two at
// least. A thread's 16 bytes stand for the elements that it must have, so step s of a piece of 16 is another one of the
// 32 around it. The right operand is copied in that order, or, with `exchanged`, keeps its own and the four threads of
// a line exchange what they loaded.
std::unique_ptr<Left> loaded_left(const ProductFrame& frame, std::unique_ptr<Rows> rows, uint32_t turns,
                                  bool exchanged);
// From a ring in shared memory, which copies fill with parts of the operand's columns.
std::unique_ptr<Left> ring_left(const ProductFrame& frame, Ring& ring);

// The four threads of a line exchange words: word i of thread t becomes word t of thread i.
class Exchange {
 public:
  Exchange(Writer& w, const Value& in_line);
  void run(Value* words) const;

 private:
  void swap(Value& a, Value& b, const Value& keep, const char* distance) const;
  Writer& w_;
  Value odd_, upper_;
};

}  // namespace frit::codegen::ptx
