// Which kernels may write a result over an operand, and the temporaries that give their place to a result.
#include "passes/schedule/in_place.h"

#include <algorithm>
#include <numeric>

#include "ir/kernel/row_stream.h"
#include "passes/schedule/body_work.h"
#include "passes/schedule/early_loads.h"

namespace frit::passes {

using namespace ir;

namespace {

size_t count_stores(const Body& body, uint32_t buffer) {
  size_t count = 0;
  for (const Instr& i : body) {
    if (const auto* s = std::get_if<StoreInstr>(&i.node)) count += s->buffer == buffer;
    if (const auto* loop = std::get_if<Loop>(&i.node)) count += count_stores(loop->body, buffer);
  }
  return count;
}

bool reads(const Instr& i, uint32_t buffer) {
  if (const auto* l = std::get_if<LoadInstr>(&i.node)) return l->buffer == buffer;
  const auto* loop = std::get_if<Loop>(&i.node);
  return loop && std::any_of(loop->body.begin(), loop->body.end(), [&](const Instr& in) { return reads(in, buffer); });
}

// Code finds the place of an extreme by running the body again on the block that has it.
bool runs_twice(const Loop& loop) {
  return std::any_of(loop.accumulators.begin(), loop.accumulators.end(), finds_position);
}

// Whether kernel buffer `in` is read only at the positions where `out` is written, before the write, in the same
// iterations. `any`: it is read at all.
bool same_positions(const Body& body, uint32_t in, uint32_t out, bool& any) {
  const Dim* written = nullptr;
  for (size_t i = body.size(); i-- > 0;) {
    if (auto* s = std::get_if<StoreInstr>(&body[i].node)) {
      if (s->buffer == out) {
        if (written) return false;
        written = &s->index;
      }
    } else if (auto* l = std::get_if<LoadInstr>(&body[i].node)) {
      if (l->buffer != in) continue;
      // The store must follow in the same body, at the same index.
      if (!written || !(*written == l->index)) return false;
      any = true;
    } else if (auto* loop = std::get_if<Loop>(&body[i].node)) {
      if (written) return false;
      if (runs_twice(*loop) && count_stores(loop->body, out) > 0) return false;
      if (!same_positions(loop->body, in, out, any)) return false;
    }
  }
  return true;
}

// Whether each iteration of the parallel loop reads a row of `in` and writes the same row of `out` behind that.
bool same_rows(const Kernel& k, uint32_t in, uint32_t out, bool& any) {
  const std::optional<Dim> length = length_of_rows(k, in, true);
  if (!length || length_of_rows(k, out, true) != length) return false;
  const Body& row = parallel_loop(k)->body;
  bool behind = false;
  for (const Instr& i : row) {
    const bool read = reads(i, in), last = count_stores({i}, out) > 0;
    any = any || read;
    if (read && behind) return false;
    if (read && last && !same_positions({i}, in, out, any)) return false;
    behind = behind || last;
  }
  return true;
}

// Whether the kernel, launched with `buffers`, may write buffer `out` over the memory of buffer `in`: it reads each
// element before it writes the one in its place, or with `rows` each row before it writes that row. A launch may bind a
// buffer more than once.
bool may_replace(const Kernel& k, const std::vector<uint32_t>& buffers, uint32_t in, uint32_t out, bool rows) {
  const auto written = static_cast<uint32_t>(std::find(buffers.begin(), buffers.end(), out) - buffers.begin());
  // The input may be read after the first of several stores.
  if (count_stores(k.body, written) > 1) return false;
  bool any = false;
  for (uint32_t i = 0; i < buffers.size(); ++i)
    if (buffers[i] == in && !same_positions(k.body, i, written, any) && (!rows || !same_rows(k, i, written, any)))
      return false;
  return any;
}

// The kernel of this step that reads `in` and writes `out`: a launch, or the kernel behind a routine, where the routine
// leaves both alone or `in` is its result, of which the kernel gets finished rows. Of a stream, the kernel may work on
// memory of its own.
const KernelStep* only_kernel(const Program& p, const Step& step, uint32_t in, uint32_t out) {
  if (const auto* launch = std::get_if<KernelStep>(&step)) return launch;
  const auto* library = std::get_if<LibraryStep>(&step);
  if (!library || !library->epilogue || is_marked(step)) return nullptr;
  const auto of_out = [&](const Window& w) { return p.root(w.buffer) == out; };
  const auto of_both = [&](const Window& w) { return p.root(w.buffer) == in || of_out(w); };
  if (library->workspace == in || library->workspace == out ||
      std::any_of(library->operands.begin(), library->operands.end(), of_both) ||
      std::any_of(library->results.begin(), library->results.end(), of_out))
    return nullptr;
  return &*library->epilogue;
}

// Whether nothing but kernels works on the buffer in its life. A routine may refuse its operands, and then the caller's
// memory must be as it was.
bool only_kernels(Program& p, uint32_t buffer, const BufferLife& life) {
  return std::all_of(p.steps.begin() + static_cast<std::ptrdiff_t>(life.first),
                     p.steps.begin() + static_cast<std::ptrdiff_t>(life.last) + 1, [&](Step& step) {
                       bool touches = std::holds_alternative<ControlStep>(step);
                       if (std::holds_alternative<LibraryStep>(step))
                         each_buffer(step, [&](uint32_t b) { touches = touches || p.root(b) == buffer; });
                       return !touches;
                     });
}

// The buffers that have their place for other reasons: rows of streams, state of loops, outputs that have parts.
std::vector<bool> fixed_places(const Program& p) {
  std::vector<bool> fixed(p.buffers.size(), false);
  for (const RowStream& stream : row_streams(p))
    for (uint32_t b : stream.rows) fixed[b] = true;
  for (const ProgramBuffer& b : p.buffers)
    if (b.whole != kNone && p.buffers[b.whole].role != BufferRole::Temp) fixed[b.whole] = true;
  for (const Step& step : p.steps)
    if (const auto* control = std::get_if<ControlStep>(&step))
      for (const auto& [a, b] : control->swaps) fixed[a] = fixed[b] = true;
  return fixed;
}

// The same once loads come before writes; the kernel is changed then.
bool may_replace_reordered(Kernel& k, const std::vector<uint32_t>& buffers, uint32_t in, uint32_t out) {
  // Most kernels have no such load: they are not copied.
  const auto is_late = [&](uint32_t i) { return buffers[i] == in && has_late_loads(k, i); };
  uint32_t late = 0;
  while (late < buffers.size() && !is_late(late)) ++late;
  if (late == buffers.size()) return false;
  Kernel changed = k;
  bool any = false;
  for (uint32_t i = 0; i < buffers.size(); ++i)
    if (buffers[i] == in) any = load_before_writes(changed, i) || any;
  if (!any || !may_replace(changed, buffers, in, out, true)) return false;
  k = std::move(changed);
  return true;
}

std::vector<bool> wholes_of_parts(const Program& p) {
  std::vector<bool> wholes(p.buffers.size(), false);
  for (const ProgramBuffer& b : p.buffers)
    if (b.whole != kNone) wholes[b.whole] = true;
  return wholes;
}

// Whether the kernel works on a part of one of two buffers.
bool uses_parts(const Program& p, const KernelStep& kernel, uint32_t a, uint32_t b) {
  return std::any_of(kernel.buffers.begin(), kernel.buffers.end(), [&](uint32_t buffer) {
    const uint32_t root = p.root(buffer);
    return root != buffer && (root == a || root == b);
  });
}

class InPlace {
 public:
  explicit InPlace(Program& p)
      : p_(p),
        lives_(buffer_lives(p)),
        once_(outside_of_loops(p)),
        fixed_(fixed_places(p)),
        wholes_(wholes_of_parts(p)),
        to_(p.buffers.size()),
        read_(p.steps.size()) {
    std::iota(to_.begin(), to_.end(), 0u);
    for (uint32_t t = 0; t < p.buffers.size(); ++t)
      if (p.buffers[t].role == BufferRole::Temp && lives_[t].used && !fixed_[t]) read_[lives_[t].last].push_back(t);
  }

  // Of several outputs that may be updates of an argument, each has no memory of its own, and the temporaries share
  // some, if their sizes are known. One such output costs as much as its temporary.
  void run(const std::vector<uint32_t>& donors) {
    std::vector<uint32_t> updates;
    for (uint32_t b = 0; b < p_.buffers.size(); ++b)
      if (p_.buffers[b].role == BufferRole::Output && donors[b] != kNone && p_.buffers[b].size.is_const() &&
          find(b, BufferRole::Output) != kNone)
        updates.push_back(b);
    for (uint32_t b = 0; b < p_.buffers.size(); ++b)
      if (updates.size() < 2 || !std::binary_search(updates.begin(), updates.end(), b)) take(b, BufferRole::Output);
    std::vector<uint32_t> temps;
    for (uint32_t b = 0; b < p_.buffers.size(); ++b)
      if (p_.buffers[b].role == BufferRole::Temp) temps.push_back(b);
    // A temporary that was taken gives the life that it has with those before it.
    std::stable_sort(temps.begin(), temps.end(),
                     [&](uint32_t a, uint32_t b) { return lives_[a].first < lives_[b].first; });
    for (uint32_t b : temps) take(b, BufferRole::Temp);
    rename();
  }

 private:
  // Steps and parts get the buffers that became one. Wholes stand before their parts, so the first of several
  // temporaries stands for all.
  void rename() {
    std::vector<uint32_t> name(to_.size());
    std::vector<uint32_t> first(to_.size(), kNone);
    for (uint32_t b = 0; b < to_.size(); ++b) {
      uint32_t& last = name[b] = b;
      while (to_[last] != last) last = to_[last];
      if (first[last] == kNone) first[last] = p_.buffers[last].role == BufferRole::Temp ? b : last;
    }
    for (uint32_t& n : name) n = first[n];
    for (Step& step : p_.steps) each_buffer(step, [&](uint32_t& b) { b = name[b]; });
    for (ProgramBuffer& b : p_.buffers)
      if (b.whole != kNone) b.whole = name[b.whole];
  }

  // The temporary that gives its place to `out`, or kNone. A kernel that reads a row of it once more behind its writes
  // is changed to read that first.
  uint32_t find(uint32_t out, BufferRole role) {
    const ProgramBuffer& o = p_.buffers[out];
    if (o.role != role || !lives_[out].used || fixed_[out]) return kNone;
    const Step& step = p_.steps[lives_[out].first];
    const std::vector<uint32_t>& read = read_[lives_[out].first];
    const auto found = std::find_if(read.begin(), read.end(), [&](uint32_t t) {
      const ProgramBuffer& b = p_.buffers[t];
      if (t == out || b.dtype != o.dtype || !(b.size == o.size) || !may_hold(t, role)) return false;
      const KernelStep* kernel = only_kernel(p_, step, t, out);
      return kernel && !uses_parts(p_, *kernel, t, out) &&
             (role == BufferRole::Temp || std::holds_alternative<KernelStep>(step)) &&
             (may_replace(p_.kernels[kernel->kernel], kernel->buffers, t, out, true) ||
              may_replace_reordered(p_.kernels[kernel->kernel], kernel->buffers, t, out));
    });
    return found == read.end() ? kNone : *found;
  }

  void take(uint32_t out, BufferRole role) {
    const uint32_t temp = find(out, role);
    if (temp == kNone) return;
    to_[temp] = out;
    std::erase(read_[lives_[out].first], temp);
    lives_[out].first = lives_[temp].first;
  }

  // Kernels alone work on a temporary in an output: a routine may want its results apart from other memory.
  bool may_hold(uint32_t temp, BufferRole role) const {
    return role == BufferRole::Temp ||
           (!wholes_[temp] && once_[lives_[temp].first] && only_kernels(p_, temp, lives_[temp]));
  }

  Program& p_;
  std::vector<BufferLife> lives_;
  const std::vector<bool> once_, fixed_, wholes_;
  std::vector<uint32_t> to_;                 // the buffer that a temporary became
  std::vector<std::vector<uint32_t>> read_;  // by the step that reads them last: temporaries
};

}  // namespace

std::vector<bool> outside_of_loops(const Program& p) {
  const std::vector<uint32_t> match = matching_steps(p);
  std::vector<bool> once(p.steps.size(), true);
  for (size_t end = 0; end < p.steps.size(); ++end) {
    const auto* control = std::get_if<ControlStep>(&p.steps[end]);
    if (control && control->kind == ControlKind::End && match[end] != kNone)
      std::fill(once.begin() + match[end], once.begin() + static_cast<std::ptrdiff_t>(end), false);
  }
  return once;
}

std::vector<uint32_t> donors_of(Program& p, bool behind_routines) {
  const std::vector<BufferLife> life = buffer_lives(p);
  std::vector<uint32_t> donors(p.buffers.size(), kNone);
  const std::vector<bool> once = outside_of_loops(p);
  std::vector<bool> kept(p.buffers.size(), false);
  for (const Window& w : p.results) kept[w.buffer] = true;
  // By the step that reads them last: the inputs whose memory may be taken.
  std::vector<std::vector<uint32_t>> inputs(p.steps.size());
  for (uint32_t in = 0; in < p.buffers.size(); ++in)
    // A result that is a window on the input must keep it whole.
    if (p.buffers[in].role == BufferRole::Input && life[in].used && !kept[in]) inputs[life[in].last].push_back(in);
  for (uint32_t out = 0; out < p.buffers.size(); ++out) {
    const ProgramBuffer& o = p.buffers[out];
    if (o.role != BufferRole::Output || !life[out].used || !once[life[out].first]) continue;
    const Step& step = p.steps[life[out].first];
    const bool is_launch = std::holds_alternative<KernelStep>(step);
    if (!is_launch && !behind_routines) continue;
    BufferLife later = life[out];
    later.first += is_launch ? 0 : 1;
    if (!only_kernels(p, out, later)) continue;
    std::vector<uint32_t>& last_read = inputs[life[out].first];
    // Other outputs of the kernel are fine: they have memory of their own.
    const auto donor = std::find_if(last_read.begin(), last_read.end(), [&](uint32_t in) {
      const ProgramBuffer& i = p.buffers[in];
      const KernelStep* kernel = only_kernel(p, step, in, out);
      return kernel && i.dtype.size() == o.dtype.size() && i.size == o.size &&
             may_replace(p.kernels[kernel->kernel], kernel->buffers, in, out, false);
    });
    if (donor == last_read.end()) continue;
    donors[out] = *donor;
    last_read.erase(donor);
  }
  return donors;
}

void put_temps_in_results(Program& p, const std::vector<uint32_t>& donors) { InPlace(p).run(donors); }

}  // namespace frit::passes
