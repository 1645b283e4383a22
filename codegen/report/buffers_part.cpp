// The buffer plan: the size of each buffer, the steps between which it lives, shared slots, donations, the peak.
#include <algorithm>
#include <set>

#include "codegen/report/parts.h"
#include "ir/kernel/row_stream.h"

namespace frit::codegen::report {

namespace {

using namespace ir;

struct Life {
  int64_t first = -1, last = -1;
  void touch(int64_t step) {
    if (first < 0) first = step;
    last = std::max(last, step);
  }
};

std::vector<Life> lives_of(const Program& p) {
  std::vector<Life> lives(p.buffers.size());
  const auto launch = [&](const KernelStep& k, int64_t step) {
    for (uint32_t b : k.buffers) lives[b].touch(step);
  };
  for (size_t s = 0; s < p.steps.size(); ++s) {
    const auto step = static_cast<int64_t>(s);
    if (const auto* k = std::get_if<KernelStep>(&p.steps[s])) {
      launch(*k, step);
      continue;
    }
    if (const auto* control = std::get_if<ControlStep>(&p.steps[s])) {
      if (control->flag != kNone) lives[control->flag].touch(step);
      for (const auto& [a, b] : control->swaps) lives[a].touch(step), lives[b].touch(step);
      continue;
    }
    const auto& library = std::get<LibraryStep>(p.steps[s]);
    for (const Window& w : library.operands) lives[w.buffer].touch(step);
    for (const Window& w : library.results) lives[w.buffer].touch(step);
    if (library.workspace != kNone) lives[library.workspace].touch(step);
    if (library.epilogue) launch(*library.epilogue, step);
  }
  // Arguments and results belong to the caller.
  const auto end = static_cast<int64_t>(p.steps.size());
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const BufferRole role = p.buffers[i].role;
    if (role == BufferRole::Input || role == BufferRole::Constant) lives[i] = {0, end};
    if (role == BufferRole::Output) lives[i].touch(end);
  }
  return lives;
}

const char* role_name(BufferRole role) {
  switch (role) {
    case BufferRole::Input: return "input";
    case BufferRole::Output: return "output";
    case BufferRole::Temp: return "temporary";
    case BufferRole::Constant: return "constant";
    case BufferRole::Part: return "part";
  }
  return "";
}

}  // namespace

void add_buffers(Json& doc, const Compilation& c) {
  const Program& p = *c.planned->program;
  const std::vector<Life> lives = lives_of(p);
  std::vector<double> at_step(p.steps.size(), 0);
  std::set<size_t> rows;  // of which only those in work are in memory
  for (const RowStream& s : row_streams(p)) rows.insert(s.rows.begin(), s.rows.end());
  bool known = true;
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const ProgramBuffer& b = p.buffers[i];
    const Dim bytes = b.size * Dim(int64_t{b.dtype.size()});
    Json j{{"name", b.name}, {"role", role_name(b.role)}, {"type", std::string(short_name(b.dtype))}};
    j["bytes"] = number(bytes, c.sizes);
    j["bytes_text"] = bytes.str();
    j["slot"] = b.slot == kNone ? Json() : Json(b.slot);
    if (b.role == BufferRole::Temp && b.whole != kNone) j["in"] = p.buffers[b.whole].name;
    if (b.role == BufferRole::Temp && b.at.is_const()) j["at"] = b.at.value();
    j["donor"] = b.donor == kNone ? Json() : Json(p.buffers[b.donor].name);
    j["first"] = lives[i].first;
    j["last"] = lives[i].last;
    if (j["bytes"].is_null()) {
      known = false;
    } else if (lives[i].first >= 0 && !rows.contains(i)) {
      for (int64_t s = lives[i].first; s <= std::min(lives[i].last, static_cast<int64_t>(p.steps.size()) - 1); ++s)
        at_step[static_cast<size_t>(s)] += j["bytes"].get<double>();
    }
    doc["buffers"].push_back(std::move(j));
  }
  Json slots = Json::array();
  for (const Dim& s : p.slots) slots.push_back({{"bytes", number(s, c.sizes)}, {"bytes_text", s.str()}});
  doc["slots"] = std::move(slots);
  if (known) doc["memory"] = at_step;
}

}  // namespace frit::codegen::report
