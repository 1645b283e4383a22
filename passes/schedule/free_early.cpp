// Units of steps, what they depend on, and their order.
#include "passes/schedule/free_early.h"

#include <algorithm>
#include <utility>

#include "ir/kernel/row_stream.h"
#include "ir/routines/routine.h"

namespace frit::passes {

using namespace ir;

namespace {

// The time grows with the square of their number where many are ready.
constexpr size_t kMostUnits = 2048;
// Units that run for a buffer that they all use, at most.
constexpr size_t kMostTogether = 16;
// The least part of the peak that an order must save.
constexpr int64_t kLeastSaved = 64;

// Steps that stay together: a loop, a choice, the launches of a row stream, or one step.
struct Unit {
  size_t first, end;
  std::vector<uint32_t> uses, writes;  // roots of buffers, each once
  std::vector<uint32_t> behind;        // units that depend on this one
  uint32_t waits_for = 0;              // how many units this one depends on
  bool in_order = false;               // stays behind others of which this holds
};

void add_once(std::vector<uint32_t>& list, uint32_t value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

class FreeEarly {
 public:
  FreeEarly(Program& p, const std::vector<uint32_t>& donors) : p_(p), donors_(donors) {}

  void run() {
    if (!collect()) return;
    connect();
    std::vector<uint32_t> given(units_.size());
    for (uint32_t i = 0; i < given.size(); ++i) given[i] = i;
    const int64_t before = peak_of(given);
    const std::vector<uint32_t> order = ordered(before);
    const int64_t after = peak_of(order);
    if (after > before - before / kLeastSaved - 1) return;
    std::vector<Step> steps;
    steps.reserve(p_.steps.size());
    for (uint32_t u : order)
      for (size_t i = units_[u].first; i < units_[u].end; ++i) steps.push_back(std::move(p_.steps[i]));
    p_.steps = std::move(steps);
  }

 private:
  // False where there are too many units, or sizes that nobody knows.
  bool collect() {
    for (const ProgramBuffer& b : p_.buffers)
      if ((b.role == BufferRole::Temp || b.role == BufferRole::Output) && !b.size.is_const()) return false;
    std::vector<size_t> ends(p_.steps.size(), 0);  // of streams, by their first step
    for (const RowStream& s : row_streams(p_)) ends[s.first] = s.last + 1;
    const std::vector<uint32_t> matching = matching_steps(p_);
    for (size_t i = 0; i < p_.steps.size();) {
      size_t end = std::max(i + 1, ends[i]);
      for (size_t k = i; k < end; ++k)
        if (std::holds_alternative<ControlStep>(p_.steps[k]) && matching[k] != kNone && matching[k] >= k)
          end = std::max(end, size_t{matching[k]} + 1);
      units_.push_back({i, end, {}, {}, {}});
      i = end;
    }
    if (units_.size() < 3 || units_.size() > kMostUnits) return false;
    for (Unit& u : units_)
      for (size_t i = u.first; i < u.end; ++i) {
        each_buffer(p_.steps[i], [&](uint32_t b) { add_once(u.uses, p_.root(b)); });
        each_written(p_.steps[i], [&](uint32_t b) { add_once(u.writes, p_.root(b)); });
        const auto* library = std::get_if<LibraryStep>(&p_.steps[i]);
        u.in_order = u.in_order || (library && library->routine->in_order);
      }
    users_.resize(p_.buffers.size());
    for (uint32_t u = 0; u < units_.size(); ++u)
      for (uint32_t b : units_[u].uses) users_[b].push_back(u);
    return true;
  }

  template <class Visit>
  void each_written(const Step& step, Visit&& visit) const {
    const auto kernel = [&](const KernelStep& s) {
      for (size_t i = 0; i < s.buffers.size(); ++i)
        if (p_.kernels[s.kernel].buffers[i].written) visit(s.buffers[i]);
    };
    if (const auto* launch = std::get_if<KernelStep>(&step)) return kernel(*launch);
    if (const auto* control = std::get_if<ControlStep>(&step)) {
      for (const auto& [a, b] : control->swaps) visit(a), visit(b);
      return;
    }
    const auto& library = std::get<LibraryStep>(step);
    for (const Window& w : library.results) visit(w.buffer);
    if (library.workspace != kNone) visit(library.workspace);
    if (library.epilogue) kernel(*library.epilogue);
  }

  void depend(uint32_t before, uint32_t after) {
    if (before == after) return;
    std::vector<uint32_t>& behind = units_[before].behind;
    if (!behind.empty() && behind.back() == after) return;
    behind.push_back(after);
    ++units_[after].waits_for;
  }

  // A unit comes behind the last writer of what it uses, and behind all that read what it writes.
  void connect() {
    std::vector<uint32_t> writer(p_.buffers.size(), kNone);
    std::vector<std::vector<uint32_t>> readers(p_.buffers.size());
    uint32_t last_in_order = kNone;
    for (uint32_t u = 0; u < units_.size(); ++u) {
      if (units_[u].in_order) {
        if (last_in_order != kNone) depend(last_in_order, u);
        last_in_order = u;
      }
      for (uint32_t b : units_[u].uses)
        if (writer[b] != kNone) depend(writer[b], u);
      for (uint32_t b : units_[u].writes) {
        for (uint32_t r : readers[b]) depend(r, u);
        if (donors_[b] != kNone)
          for (uint32_t r : readers[donors_[b]]) depend(r, u);
      }
      for (uint32_t b : units_[u].uses) readers[b].push_back(u);
      for (uint32_t b : units_[u].writes) {
        writer[b] = u;
        readers[b].clear();
      }
    }
  }

  int64_t bytes(uint32_t b) const {
    const ProgramBuffer& buffer = p_.buffers[b];
    const bool counts = buffer.role == BufferRole::Temp || (buffer.role == BufferRole::Output && donors_[b] == kNone);
    return counts ? buffer.size.value() * int64_t{buffer.dtype.size()} : 0;
  }

  // Memory in use while units run one after the other.
  struct Use {
    std::vector<uint32_t> left;  // by buffer: units that still use it
    std::vector<bool> there;
    std::vector<bool> done;  // by unit
    int64_t now = 0, most = 0;
  };

  Use start() const {
    Use use{std::vector<uint32_t>(p_.buffers.size(), 0), std::vector<bool>(p_.buffers.size(), false),
            std::vector<bool>(units_.size(), false)};
    for (const Unit& u : units_)
      for (uint32_t b : u.uses) ++use.left[b];
    for (const Window& w : p_.results) ++use.left[p_.root(w.buffer)];
    return use;
  }

  // The bytes that a unit takes, and these less those that it frees: behind unit `before`, if there is one.
  std::pair<int64_t, int64_t> change(const Unit& u, const Use& use, const Unit* before = nullptr) const {
    int64_t taken = 0, freed = 0;
    for (uint32_t b : u.uses) {
      const bool used = before && std::find(before->uses.begin(), before->uses.end(), b) != before->uses.end();
      if (!use.there[b] && !used) taken += bytes(b);
      if (use.left[b] == 1u + used && p_.buffers[b].role == BufferRole::Temp) freed += bytes(b);
    }
    return {taken, taken - freed};
  }

  void run(const Unit& u, Use& use) const {
    const auto [taken, net] = change(u, use);
    use.most = std::max(use.most, use.now + taken);
    use.now += net;
    for (uint32_t b : u.uses) {
      use.there[b] = true;
      --use.left[b];
    }
  }

  int64_t peak_of(const std::vector<uint32_t>& order) const {
    Use use = start();
    for (uint32_t u : order) run(units_[u], use);
    return use.most;
  }

  // The order in which a unit that frees memory, by itself or with one that then can run, comes as soon as it can.
  std::vector<uint32_t> ordered(int64_t most) const {
    Use use = start();
    std::vector<uint32_t> waits, order, ready;
    for (const Unit& u : units_) waits.push_back(u.waits_for);
    for (uint32_t u = 0; u < units_.size(); ++u)
      if (waits[u] == 0) ready.push_back(u);
    const auto take = [&](uint32_t u) {
      run(units_[u], use);
      use.done[u] = true;
      order.push_back(u);
      ready.erase(std::find(ready.begin(), ready.end(), u));
      for (uint32_t v : units_[u].behind)
        if (--waits[v] == 0) ready.insert(std::lower_bound(ready.begin(), ready.end(), v), v);
    };
    while (order.size() < units_.size()) {
      auto found = std::find_if(ready.begin(), ready.end(), [&](uint32_t u) { return frees(u, use, most); });
      if (found == ready.end())
        found = std::find_if(ready.begin(), ready.end(),
                             [&](uint32_t u) { return frees_with_others(u, use, waits, most); });
      take(found != ready.end() ? *found : ready.front());
    }
    return order;
  }

  bool frees(uint32_t u, const Use& use, int64_t most) const {
    const auto [taken, net] = change(units_[u], use);
    return use.now + taken <= most && net <= 0 && net < taken;
  }

  // With the next unit, or with those that use a buffer, too.
  bool frees_with_others(uint32_t u, const Use& use, const std::vector<uint32_t>& waits, int64_t most) const {
    const auto [taken, net] = change(units_[u], use);
    if (use.now + taken > most) return false;
    for (uint32_t v : units_[u].behind) {
      if (waits[v] != 1) continue;
      const auto [more, last] = change(units_[v], use, &units_[u]);
      if (use.now + net + more <= most && net + last <= 0 && last < more) return true;
    }
    return std::any_of(units_[u].uses.begin(), units_[u].uses.end(),
                       [&](uint32_t b) { return frees_together(b, use, waits, most); });
  }

  // Whether all units that still use a buffer can run, and free memory together.
  bool frees_together(uint32_t b, const Use& use, const std::vector<uint32_t>& waits, int64_t most) const {
    if (p_.buffers[b].role != BufferRole::Temp || !use.there[b] || use.left[b] < 2 || users_[b].size() > kMostTogether)
      return false;
    int64_t net = -bytes(b), highest = 0, now = 0;
    for (uint32_t v : users_[b]) {
      if (use.done[v]) continue;
      if (waits[v] != 0) return false;
      const auto [taken, left] = change(units_[v], use);
      highest = std::max(highest, now + taken);
      now += left;
      net += left;
    }
    return net <= 0 && use.now + highest <= most;
  }

  Program& p_;
  const std::vector<uint32_t>& donors_;
  std::vector<Unit> units_;
  std::vector<std::vector<uint32_t>> users_;  // by buffer: units
};

}  // namespace

void free_early(Program& p, const std::vector<uint32_t>& donors) { FreeEarly(p, donors).run(); }

}  // namespace frit::passes
