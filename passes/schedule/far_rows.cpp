// Short rows that are copied from far apart.
#include "passes/schedule/far_rows.h"

#include <utility>
#include <vector>

#include "passes/lower/loop_nest.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int64_t kShortRow = 512, kFarApart = 1024;  // bytes
constexpr int64_t kAtOnce = 64;                       // far rows: fewer than pages that the processor has at hand

std::vector<Loop*> loops_of(Loop& loop) {
  std::vector<Loop*> nest;
  for (Loop* l = &loop; l; l = inner_of_nest(l->body)) nest.push_back(l);
  return nest;
}

}  // namespace

bool has_far_rows(Loop& loop, const Kernel& k) {
  const std::vector<Loop*> nest = loops_of(loop);
  if (nest.size() < 3) return false;
  const Loop &near = *nest[nest.size() - 3], &far = *nest[nest.size() - 2], &row = *nest.back();
  if (k.facts.range(far.extent).high < 2 * kAtOnce || k.facts.range(near.extent).high < 2) return false;
  bool found = false;
  for (const Instr& i : row.body) {
    if (std::holds_alternative<BindInstr>(i.node)) return false;
    if (const auto* store = std::get_if<StoreInstr>(&i.node)) {
      const auto along = store->index.affine_in(row.var), across = store->index.affine_in(far.var);
      if (!along || !across || !along->coefficient.is(1) || !(across->coefficient == row.extent)) return false;
    }
    const auto* load = std::get_if<LoadInstr>(&i.node);
    if (!load || load->mask != kNoReg || load->buffer >= k.buffers.size()) continue;
    const int64_t size = k.buffers[load->buffer].dtype.size();
    if (k.facts.range(row.extent).high > kShortRow / size) return false;
    const auto along = load->index.affine_in(row.var), jump = load->index.affine_in(far.var),
               step = load->index.affine_in(near.var);
    if (!along || !jump || !step || !along->coefficient.is(1) || !(step->coefficient == row.extent)) continue;
    found = found || k.facts.less_equal(kFarApart / size, jump->coefficient) == Tri::Yes;
  }
  return found;
}

void near_rows(Loop& loop, const Kernel& k, const std::string& var) {
  const std::vector<Loop*> nest = loops_of(loop);
  Loop &near = *nest[nest.size() - 3], &far = *nest[nest.size() - 2];
  strip(far, kAtOnce, var, k.facts);
  std::swap(near.var, far.var);
  std::swap(near.extent, far.extent);
  for (size_t around = nest.size(); around > 3; --around) merge(loop, k.facts);
}

}  // namespace frit::passes
