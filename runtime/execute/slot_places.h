// Where the slots of a workspace lie, and which of its bytes a step leaves alone.
//
// The lives of temporaries count the groups of steps that run together, and are known when the plan is prepared. Where
// sizes are open, slots that are never in use together share bytes, and each call that brings new sizes places them
// anew. Bytes that no temporary needs during a step are scratch memory of that step. A step may want more than any gap
// holds: from the next call on, temporaries lie around a gap that does, where that is less memory in all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/execute/scratch.h"

namespace frit::runtime {

class PreparedPlan;

// Safe to use from several threads.
class SlotPlaces {
 public:
  struct Placed {
    std::vector<size_t> sizes, starts;  // of slots; behind the starts the bytes in all
    // By buffer, where temporaries have places of their own: a temporary's first byte. Else it is where its slot says.
    std::vector<size_t> at;
    // By group of steps: the bytes that it leaves alone, where they are worth lending. Empty where none are.
    std::vector<std::vector<ScratchRange>> idle;
    std::vector<size_t> wanted;  // by group, where calls missed scratch memory: the most that they wanted
  };
  // Scratch memory that a group of steps wanted in a call, in bytes, and what of it was no part of the workspace.
  struct Wanted {
    size_t group, most, missed;
  };

  // Looks at the steps of a plan that is prepared but for this. `align`: slots begin at multiples of it.
  void prepare(const PreparedPlan& plan, size_t align);

  // Whether places depend on the sizes: else slots lie one behind the other.
  bool are_open() const { return open_; }
  // The places for these sizes of the slots, whose sum fits.
  std::shared_ptr<const Placed> find(const size_t* sizes) const;
  // Of fixed sizes; null where the workspace is small.
  const Placed* fixed() const { return fixed_.load(std::memory_order_acquire); }
  // Notes the wants of a call with these places. Later calls may get others.
  void learn(const Placed& used, const std::vector<Wanted>& wanted) const;

 private:
  // The groups of steps during which the memory is needed.
  struct Life {
    size_t first = ~size_t{0}, last = 0;
    bool used() const { return first <= last; }
    bool meets(const Life& other) const { return first <= other.last && other.first <= last; }
    void use(size_t at) { first = at < first ? at : first, last = at > last ? at : last; }
    bool join(const Life& other);
  };
  struct Temp {
    uint32_t buffer, slot;
    size_t at, bytes;  // in its slot; the slot's bytes where a size is open
    Life life;
  };

  void collect(const PreparedPlan& plan);
  void extend_over_loops(const PreparedPlan& plan, const std::vector<std::vector<uint32_t>>& uses,
                         const std::vector<uint32_t>& number);
  bool any_apart() const;
  std::shared_ptr<const Placed> placed(const size_t* sizes) const;
  // Temporaries around the scratch memory that groups want.
  std::shared_ptr<Placed> placed_around(const Placed& used, std::vector<size_t> wanted) const;
  void add_idle(Placed& placed) const;

  bool open_ = false;
  size_t align_ = 1, groups_ = 0;
  std::vector<Temp> temps_;
  std::vector<Life> lives_;  // by slot
  size_t buffers_ = 0;
  mutable std::atomic<const Placed*> fixed_{nullptr};
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const Placed>> known_;  // of the latest calls; all that fixed sizes had
  mutable size_t next_ = 0;                                   // the one to replace
};

}  // namespace frit::runtime
