// A minimum cut by augmenting paths.
#include "passes/transform/saved_values.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kUsualSize = 64, kUnbounded = std::numeric_limits<int64_t>::max() / 4;

// Each value is an edge from its first node to its second one. Paths go from values that are costly to those that are
// wanted.
class Cut {
 public:
  Cut(const Function& f, const SaveRules& rules) : f_(f), rules_(rules), nodes_(2) {}

  void want(ValueId root) {
    if (rules_.source(root) == Source::AtHand) return;
    connect(add(root) + 1, kSink, kUnbounded);
    while (!open_.empty()) {
      const ValueId v = open_.back();
      open_.pop_back();
      const size_t node = node_.at(v);
      if (rules_.source(v) == Source::Costly) {
        connect(kSource, node, kUnbounded);
        continue;
      }
      for (ValueId o : f_.def_of(v)->operands)
        if (rules_.source(o) != Source::AtHand) connect(add(o) + 1, node, kUnbounded);
    }
  }

  std::vector<ValueId> least() {
    while (augment()) continue;
    // The last search reached all nodes in front of the cut.
    std::vector<ValueId> cut;
    for (const auto& [v, node] : node_)
      if (reached_[node] && !reached_[node + 1]) cut.push_back(v);
    std::sort(cut.begin(), cut.end());
    return cut;
  }

 private:
  static constexpr size_t kSource = 0, kSink = 1;
  struct Edge {
    size_t to;
    int64_t left;
  };

  int64_t bytes(ValueId v) const {
    if (rules_.is_stacked(v)) return 1;
    const auto usual = [](const std::string&) -> std::optional<int64_t> { return kUsualSize; };
    const Type& t = f_.type(v);
    return std::clamp<int64_t>(t.size().evaluate(usual).value_or(kUsualSize), 0, kUnbounded / 256) * t.dtype.size() + 2;
  }

  size_t add(ValueId v) {
    const auto [at, is_new] = node_.try_emplace(v, nodes_.size());
    if (!is_new) return at->second;
    nodes_.resize(nodes_.size() + 2);
    connect(at->second, at->second + 1, bytes(v));
    open_.push_back(v);
    return at->second;
  }

  // Edges come in pairs: one and its reverse.
  void connect(size_t from, size_t to, int64_t capacity) {
    nodes_[from].push_back(edges_.size());
    edges_.push_back({to, capacity});
    nodes_[to].push_back(edges_.size());
    edges_.push_back({from, 0});
  }

  // Sends what fits along a shortest path; false where none is left.
  bool augment() {
    reached_.assign(nodes_.size(), false);
    std::vector<size_t> queue{kSource}, by(nodes_.size(), 0);
    reached_[kSource] = true;
    for (size_t i = 0; i < queue.size() && !reached_[kSink]; ++i)
      for (size_t e : nodes_[queue[i]]) {
        const Edge& edge = edges_[e];
        if (edge.left == 0 || reached_[edge.to]) continue;
        reached_[edge.to] = true;
        by[edge.to] = e;
        queue.push_back(edge.to);
      }
    if (!reached_[kSink]) return false;
    int64_t most = kUnbounded;
    for (size_t n = kSink; n != kSource; n = edges_[by[n] ^ 1].to) most = std::min(most, edges_[by[n]].left);
    for (size_t n = kSink; n != kSource; n = edges_[by[n] ^ 1].to) {
      edges_[by[n]].left -= most;
      edges_[by[n] ^ 1].left += most;
    }
    return true;
  }

  const Function& f_;
  const SaveRules& rules_;
  std::unordered_map<ValueId, size_t> node_;  // the first of a value
  std::vector<std::vector<size_t>> nodes_;    // edges by node
  std::vector<Edge> edges_;
  std::vector<ValueId> open_;
  std::vector<bool> reached_;
};

}  // namespace

std::vector<ValueId> least_saved(const Function& f, const std::vector<ValueId>& wanted, const SaveRules& rules) {
  Cut cut(f, rules);
  for (ValueId v : wanted) cut.want(v);
  return cut.least();
}

}  // namespace frit::passes
