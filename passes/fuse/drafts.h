// The groups that `fuse` is making: their ops, the group that computes each value, and the values that a group reads.
//
// Groups are numbered in the order in which they run. A value has a home, the group that computes it, or floats: its op
// is copied into every group that uses it. The values that a floating one reads from memory are known with it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/scan_order.h"
#include "passes/fuse/reduction_shape.h"
#include "passes/fuse/regroup.h"

namespace frit::passes {

struct Draft {
  ir::GroupKind kind;
  ir::Shape space;                 // Loop, Library
  ReductionShape reduction;        // Reduce
  std::vector<uint32_t> ops = {};  // members
  int merged_into = -1;            // a later group that has taken this one's ops
  int cost = 0;
  // Of each level of reductions: the values of earlier levels that its loop computes again, and the work of all of
  // them.
  std::set<std::pair<int, ir::ValueId>> again = {};
  int again_cost = 0;
  int levels = 0;                         // of reductions
  std::set<ir::ValueId> inputs = {};      // values read from memory
  size_t outputs = 0;                     // results of the function
  bool split = false;                     // a reduction over blocks
  bool arg = false;                       // argmax/argmin: alone among reductions
  std::optional<ir::ScanLoop> scan = {};  // of the scans of a Loop, which all run alike
  std::vector<int> readers = {};          // groups that read a result of this one from memory
  std::vector<int> index_readers = {};    // those of them that read at other positions

  const ir::Shape& iteration_space() const { return kind == ir::GroupKind::Reduce ? reduction.space : space; }
};

class Drafts {
 public:
  explicit Drafts(ir::Function& f);

  Draft& operator[](int g) { return groups_[static_cast<size_t>(g)]; }
  const Draft& operator[](int g) const { return groups_[static_cast<size_t>(g)]; }
  const ir::Shape& shape(ir::ValueId v) const { return f_.type(v).shape; }

  // The group that took over `g`, or `g`.
  int resolve(int g) const;
  // The group that computes `v`, or -1 for parameters and floating values.
  int home(ir::ValueId v) const { return resolve(home_[v]); }
  // Whether `v` was given to a group at all.
  bool has_home(ir::ValueId v) const { return home_[v] >= 0; }
  // The latest group that must have run before `v`, or all operands of `op`, can be read; or -1.
  int reach(ir::ValueId v) const;
  int max_reach(const ir::Op& op) const;

  bool is_floating(ir::ValueId v) const { return f_.def_of(v) && floating_[f_.values[v].op]; }
  // How many floating ops stand above `v`.
  int depth(ir::ValueId v) const { return depth_[v]; }
  // The values in memory that computing `op` at a position may read, sorted.
  std::vector<ir::ValueId> reads_of(const ir::Op& op) const;
  const std::vector<ir::ValueId>& reads(ir::ValueId floating) const { return reads_[floating]; }
  void make_floating(uint32_t op);

  // A new group, the last to run, with one op.
  int start(ir::GroupKind kind, uint32_t op, ir::Shape space, ReductionShape reduction = {});
  void join(uint32_t op, int g);
  // Whether a group has reached a limit of work, of work done again, of inputs or of results, and which: "96 inputs".
  bool is_full(int g) const;
  std::string fullness(int g) const;
  // Moves group `from` behind all groups up to `to` and makes them one, when that keeps the order of reads.
  bool merge(int from, int to);
  // The rule that keeps the two apart; null where there is none.
  const char* why_apart(int from, int to) const;
  // The latest group over `space` that reads `v`, or -1.
  int reader(ir::ValueId v, const ir::Shape& space) const;

  // A copy of a floating value's op in a group of its own, after all groups so far. The original stays floating: groups
  // that were made before go on computing it for themselves.
  ir::ValueId copy_to_own_group(ir::ValueId v, ir::GroupKind kind);

  // Once all ops have their groups: lets groups compute cheap values of earlier groups again from what these store
  // anyway (recompute.cpp). Gives the values that are not stored then.
  std::set<ir::ValueId> recompute(const TargetTraits& target);

  // Writes the groups into the function. The number there of the group that a draft became is `numbers[draft]`, where
  // the caller asks for them.
  void finish(std::vector<int>* numbers = nullptr);

 private:
  // A copy of the op that gives `v`, in no group.
  ir::ValueId copy(ir::ValueId v);
  // The level of `op`, new in group `g`, and what the loop of a reduction's level computes again.
  void note_level(const ir::Op& op, int g);
  void note_again(ir::ValueId v, int level, int g);
  friend class Recompute;

  struct ReaderKey {
    ir::ValueId value;
    ir::Shape space;
    friend bool operator==(const ReaderKey&, const ReaderKey&) = default;
  };
  struct ReaderHash {
    size_t operator()(const ReaderKey& k) const;
  };

  ir::Function& f_;
  std::vector<Draft> groups_;
  std::vector<int> home_;                        // group that the value was given to, or -1
  std::vector<std::vector<ir::ValueId>> reads_;  // of floating values
  std::vector<int> depth_;
  std::vector<int> level_;       // how many reductions of its group stand in a row above the value
  std::vector<bool> expensive_;  // values with expensive work at their own level
  std::vector<bool> floating_;   // ops
  std::vector<bool> returned_;   // values
  std::unordered_map<ReaderKey, int, ReaderHash> readers_;
};

}  // namespace frit::passes
