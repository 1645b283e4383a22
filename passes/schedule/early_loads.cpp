// Which instructions of a row move in front of its first write.
#include "passes/schedule/early_loads.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "passes/schedule/operands.h"

namespace frit::passes {

using namespace ir;

namespace {

bool writes(const Kernel& k, const Instr& i) {
  if (const auto* s = std::get_if<StoreInstr>(&i.node)) return s->buffer < k.buffers.size();
  const auto* loop = std::get_if<Loop>(&i.node);
  return loop && std::any_of(loop->body.begin(), loop->body.end(), [&](const Instr& in) { return writes(k, in); });
}

size_t first_write(const Kernel& k, const Body& body) {
  const auto found = std::find_if(body.begin(), body.end(), [&](const Instr& i) { return writes(k, i); });
  return static_cast<size_t>(found - body.begin());
}

bool loads(const Instr& i, uint32_t buffer) {
  const auto* load = std::get_if<LoadInstr>(&i.node);
  return load && load->buffer == buffer;
}

// The instructions of a row and where its registers and bound names come from.
class Row {
 public:
  Row(const Kernel& k, Body& body) : k_(k), body_(body), first_(first_write(k, body)), moves_(body.size(), false) {
    for (size_t i = 0; i < body.size(); ++i) {
      if (const Reg* r = defined_by(body[i])) from_[*r] = i;
      if (const auto* bind = std::get_if<BindInstr>(&body[i].node)) names_[bind->name] = i;
      if (const auto* loop = std::get_if<Loop>(&body[i].node))
        for (const Accumulator& a : loop->accumulators) from_[a.result] = i;
    }
  }

  bool move_loads(uint32_t in) {
    bool any = false;
    for (size_t i = first_; i < body_.size(); ++i) {
      if (!loads(body_[i], in)) continue;
      if (!mark(i)) return false;
      any = true;
    }
    if (!any) return false;
    Body ordered;
    ordered.reserve(body_.size());
    for (const auto part : {0, 1, 2})
      for (size_t i = 0; i < body_.size(); ++i)
        if (part == (i < first_ ? 0 : moves_[i] ? 1 : 2)) ordered.push_back(std::move(body_[i]));
    body_ = std::move(ordered);
    return true;
  }

 private:
  // Whether the instruction and all that it needs may stand in front of the first write.
  bool mark(size_t root) {
    std::vector<size_t> open{root};
    while (!open.empty()) {
      const size_t at = open.back();
      open.pop_back();
      if (at < first_ || moves_[at]) continue;
      moves_[at] = true;
      Instr& i = body_[at];
      const auto* load = std::get_if<LoadInstr>(&i.node);
      const auto* index = std::get_if<IndexInstr>(&i.node);
      if (std::holds_alternative<Loop>(i.node) || std::holds_alternative<StoreInstr>(i.node)) return false;
      if (load && (load->buffer >= k_.buffers.size() || k_.buffers[load->buffer].written)) return false;
      for_each_operand(i, [&](Reg r) { need(from_, r, open); });
      if (load || index) {
        std::vector<std::string> names;
        (load ? load->index : index->index).collect_symbols(names);
        for (const std::string& n : names) need(names_, n, open);
      }
    }
    return true;
  }

  template <class Map, class Key>
  static void need(const Map& map, const Key& key, std::vector<size_t>& open) {
    if (const auto found = map.find(key); found != map.end()) open.push_back(found->second);
  }

  const Kernel& k_;
  Body& body_;
  const size_t first_;       // the first write
  std::vector<bool> moves_;  // by instruction
  std::map<Reg, size_t> from_;
  std::map<std::string, size_t> names_;
};

}  // namespace

bool has_late_loads(const Kernel& k, uint32_t in) {
  const Loop* loop = parallel_loop(k);
  if (!loop) return false;
  const auto first = loop->body.begin() + static_cast<std::ptrdiff_t>(first_write(k, loop->body));
  return std::any_of(first, loop->body.end(), [&](const Instr& i) { return loads(i, in); });
}

bool load_before_writes(Kernel& k, uint32_t in) {
  for (Instr& i : k.body)
    if (auto* loop = std::get_if<Loop>(&i.node); loop && loop->kind == LoopKind::Parallel)
      return Row(k, loop->body).move_loads(in);
  return false;
}

}  // namespace frit::passes
