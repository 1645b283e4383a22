// Short-lived memory of one thread: kernel scratch and small workspaces.
//
// Each thread keeps a few blocks and lends them out; a block that is lent is not lent again until it comes back, so
// nested use is safe. A block that is too large to keep comes from memory that a LentScratch offers, else from the
// buffer pool, and goes back to it.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/memory/memory.h"

namespace frit::runtime {

// Blocks of at least so many bytes are not kept by threads.
inline constexpr size_t kLeastLent = (size_t{512} << 10) + 1;

// Bytes [begin, end) of some memory, at multiples of 64.
struct ScratchRange {
  size_t begin, end;
};

// Memory that blocks of this thread come from while the object lives: bytes of a workspace that nobody needs meanwhile.
// Blocks may come back on other threads, and do so before its end.
class LentScratch {
 public:
  LentScratch(void* memory, const std::vector<ScratchRange>& ranges);
  ~LentScratch();
  LentScratch(const LentScratch&) = delete;
  LentScratch& operator=(const LentScratch&) = delete;

  // The most bytes in blocks of this thread at once, and in those of them that no range had room for.
  size_t most() const { return most_; }
  size_t most_missed() const { return most_missed_; }

 private:
  friend class Scratch;
  // Null where no range has so many bytes left.
  void* take(size_t bytes);
  void give_back(void* block);
  // A block that take() had no room for is gone.
  void forget(size_t bytes);

  char* const memory_;
  LentScratch* const before_;
  std::mutex mutex_;
  std::vector<ScratchRange> free_;
  std::vector<ScratchRange> lent_;
  size_t now_ = 0, most_ = 0, missed_ = 0, most_missed_ = 0;
};

class Scratch {
 public:
  Scratch() = default;
  // `bytes` of memory aligned to 64 bytes; data() is null for no bytes, and when memory is exhausted.
  explicit Scratch(size_t bytes);
  ~Scratch();
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&& other) noexcept;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  size_t kept_ = 0;  // size of a block that the thread lends; 0 for one of the pool
  size_t size_ = 0;  // of a block of the pool
  LentScratch* lender_ = nullptr;
  std::shared_ptr<Buffer> buffer_;
};

}  // namespace frit::runtime
