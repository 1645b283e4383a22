// The rules of programs, P1 to P10.
#include <algorithm>
#include <set>

#include "ir/base/dim_atoms.h"
#include "ir/kernel/program_loops.h"
#include "ir/routines/routine.h"
#include "ir/text/kernel_printer.h"
#include "ir/verify/kernel_verifier.h"

namespace frit::ir {

namespace {

// The live range of a buffer, in step numbers.
struct Life {
  size_t first_write = SIZE_MAX, first_use = SIZE_MAX, last_use = 0;
  void use(size_t step) {
    first_use = std::min(first_use, step);
    last_use = std::max(last_use, step);
  }
};

struct Access {
  const Body* body;
  size_t place;
  const Dim* index;
};

void collect(const Body& body, uint32_t buffer, bool stores, std::vector<Access>& out) {
  for (size_t i = 0; i < body.size(); ++i) {
    if (const auto* store = std::get_if<StoreInstr>(&body[i].node); store && stores && store->buffer == buffer)
      out.push_back({&body, i, &store->index});
    if (const auto* load = std::get_if<LoadInstr>(&body[i].node); load && !stores && load->buffer == buffer)
      out.push_back({&body, i, &load->index});
    if (const auto* loop = std::get_if<Loop>(&body[i].node)) collect(loop->body, buffer, stores, out);
  }
}

// Whether `k` may run with its buffers `in` and `out` in one memory: each element is read only just before it is
// overwritten.
bool overwrites_in_place(const Kernel& k, uint32_t in, uint32_t out) {
  std::vector<Access> loads, stores;
  collect(k.body, in, false, loads);
  collect(k.body, out, true, stores);
  if (stores.size() != 1) return false;
  return std::all_of(loads.begin(), loads.end(), [&](const Access& a) {
    return a.body == stores[0].body && a.place < stores[0].place && *a.index == *stores[0].index;
  });
}

class ProgramVerifier {
 public:
  explicit ProgramVerifier(const Program& p) : p_(p), lives_(p.buffers.size()) {}

  Status run() {
    FRIT_TRY(check_names());
    for (const Kernel& k : p_.kernels) FRIT_TRY(check_kernel(k));
    for (const ProgramBuffer& b : p_.buffers) FRIT_TRY(check_buffer(b));
    FRIT_TRY(check_blocks());
    for (const Dim& slot : p_.slots) FRIT_TRY(check_symbols("P1", slot, "a slot's size"));
    for (step_ = 0; step_ < p_.steps.size(); ++step_) {
      if (const auto* launch = std::get_if<KernelStep>(&p_.steps[step_]))
        FRIT_TRY(check_launch(*launch));
      else if (const auto* library = std::get_if<LibraryStep>(&p_.steps[step_]))
        FRIT_TRY(check_library(*library));
      else
        FRIT_TRY(check_control(std::get<ControlStep>(p_.steps[step_])));
    }
    // From here on with loops as a whole.
    const std::vector<BufferLife> whole = buffer_lives(p_);
    for (size_t b = 0; b < lives_.size(); ++b)
      if (whole[b].used) lives_[b].first_use = whole[b].first, lives_[b].last_use = whole[b].last;
    FRIT_TRY(check_results());
    FRIT_TRY(check_slots());
    return check_donors();
  }

 private:
  static Diagnostic fail(const char* rule, const std::string& message) {
    return Diagnostic("program: " + message + " (" + rule + ")");
  }
  Diagnostic fail_step(const char* rule, const std::string& message) const {
    return fail(rule, "step " + std::to_string(step_) + ": " + message);
  }

  Status check_names() {
    std::set<std::string> buffers, kernels;
    for (const std::string& s : p_.symbols)
      if (!symbols_.insert(s).second) return fail("P1", "symbol '" + s + "' is named twice");
    for (const std::string& s : p_.counters)
      if (symbols_.contains(s) || !counters_.insert(s).second) return fail("P1", "'" + s + "' is named twice");
    for (const ProgramBuffer& b : p_.buffers) {
      if (b.name.empty()) return fail("P1", "a buffer has no name");
      if (!buffers.insert(b.name).second) return fail("P1", "two buffers are named '" + b.name + "'");
    }
    for (const Kernel& k : p_.kernels)
      if (!kernels.insert(k.name).second) return fail("P1", "two kernels are named '" + k.name + "'");
    return {};
  }

  Status check_symbols(const char* rule, const Dim& d, const std::string& what) const {
    std::vector<std::string> names;
    d.collect_symbols(names);
    for (const std::string& n : names)
      if (!symbols_.contains(n)) return fail(rule, what + " uses '" + n + "', which is not a symbol of the program");
    if (divides_by_nothing(d)) return fail("P10", what + ", " + d.str() + ", divides by a constant below 1");
    return {};
  }

  // P11: blocks, and which of them a Part may be used in.
  Status check_blocks() {
    struct Block {
      ControlKind kind;
      uint32_t counter;
    };
    std::vector<Block> open;
    std::vector<bool> used(p_.counters.size(), false), running(p_.counters.size(), false);
    for (step_ = 0; step_ < p_.steps.size(); ++step_) {
      Status inside;
      each_buffer(p_.steps[step_], [&](uint32_t b) {
        if (b >= p_.buffers.size() || p_.buffers[b].role != BufferRole::Part || running[p_.buffers[b].counter]) return;
        inside = fail_step("P11", "'" + p_.buffers[b].name + "' is used outside of its loop");
      });
      FRIT_TRY(inside);
      const auto* s = std::get_if<ControlStep>(&p_.steps[step_]);
      if (!s) continue;
      switch (s->kind) {
        case ControlKind::Repeat:
          if (s->counter >= p_.counters.size() || used[s->counter])
            return fail_step("P11", "a loop needs a counter of its own");
          used[s->counter] = running[s->counter] = true;
          open.push_back({s->kind, s->counter});
          break;
        case ControlKind::Loop:
        case ControlKind::If: open.push_back({s->kind, kNone}); break;
        case ControlKind::Leave:
          if (open.empty() || open.back().kind != ControlKind::Loop)
            return fail_step("P11", "'leave' stands outside of a loop");
          break;
        case ControlKind::Else:
          if (open.empty() || open.back().kind != ControlKind::If) return fail_step("P11", "'else' without 'if'");
          open.back().kind = ControlKind::Else;
          break;
        case ControlKind::End:
          if (open.empty()) return fail_step("P11", "no block is open");
          if (open.back().counter != kNone) running[open.back().counter] = false;
          if (!s->swaps.empty() && open.back().kind != ControlKind::Repeat && open.back().kind != ControlKind::Loop)
            return fail_step("P11", "only a loop swaps buffers");
          open.pop_back();
          break;
      }
    }
    return open.empty() ? Status() : Status(fail("P11", "a block is not closed"));
  }

  // P12: what a step of control flow reads and swaps.
  Status check_control(const ControlStep& s) {
    if (s.kind == ControlKind::Repeat) FRIT_TRY(check_symbols("P12", s.count, "the count of a loop"));
    if (s.kind == ControlKind::Leave || s.kind == ControlKind::If) {
      if (s.flag >= p_.buffers.size()) return fail_step("P12", "its flag does not exist");
      const ProgramBuffer& b = p_.buffers[s.flag];
      if (b.dtype != bool_ || !b.size.is(1)) return fail_step("P12", "its flag '" + b.name + "' is not one bool");
      FRIT_TRY(access(s.flag, true, false));
    }
    for (const auto& [x, y] : s.swaps) {
      if (x >= p_.buffers.size() || y >= p_.buffers.size() || x == y)
        return fail_step("P12", "it swaps a buffer that does not exist, or one with itself");
      const ProgramBuffer &a = p_.buffers[x], &b = p_.buffers[y];
      if (a.role != BufferRole::Temp || b.role != BufferRole::Temp || a.dtype != b.dtype || !(a.size == b.size))
        return fail_step("P12", "it swaps '" + a.name + "' and '" + b.name + "', which are not two temps of one type");
      FRIT_TRY(access(x, true, false));
      FRIT_TRY(access(y, true, false));
    }
    return {};
  }

  Status check_part(size_t index) const {
    const ProgramBuffer& b = p_.buffers[index];
    const std::string what = "buffer '" + b.name + "'";
    if (b.whole >= index || p_.buffers[b.whole].dtype != b.dtype)
      return fail("P3", what + " is no part of an earlier buffer of its type");
    if (b.counter >= p_.counters.size()) return fail("P3", what + " is in no loop");
    std::vector<std::string> names;
    b.at.collect_symbols(names);
    for (const std::string& n : names)
      if (!symbols_.contains(n) && !counters_.contains(n))
        return fail("P3", "the place of " + what + " uses '" + n + "', which is no symbol and no counter");
    if (divides_by_nothing(b.at)) return fail("P10", what + ", " + b.at.str() + ", divides by a constant below 1");
    return {};
  }

  Status check_kernel(const Kernel& k) const {
    FRIT_TRY(verify(k));
    for (const std::string& s : k.symbols)
      if (!symbols_.contains(s))
        return fail("P2", "kernel '" + k.name + "' takes '" + s + "', which is not a symbol of the program");
    return {};
  }

  Status check_buffer(const ProgramBuffer& b) const {
    std::string what = "buffer '" + b.name + "'";
    FRIT_TRY(check_symbols("P3", b.size, "the size of " + what));
    if (facts_.less(b.size, 0) == Tri::Yes) return fail("P3", what + " has a negative size");
    if (b.role == BufferRole::Part) FRIT_TRY(check_part(static_cast<size_t>(&b - p_.buffers.data())));
    if ((b.param != kNone) != (b.role == BufferRole::Input))
      return fail("P3", what + ": an input names a parameter, other buffers do not");
    if (b.slot != kNone && b.role != BufferRole::Temp) return fail("P3", what + " is not a temp but has a slot");
    if (b.role == BufferRole::Temp) FRIT_TRY(check_symbols("P3", b.at, "the place of " + what));
    if (b.donor != kNone && b.role != BufferRole::Output) return fail("P3", what + " is not an output but has a donor");
    if (b.role != BufferRole::Constant)
      return b.data.nbytes() ? Status(fail("P3", what + " is not a constant but has data")) : Status();
    if (b.data.count() && b.data.dtype() != b.dtype) return fail("P3", what + " holds data of another type");
    if (!b.size.is(static_cast<int64_t>(b.data.count())))
      return fail("P3", what + " has " + b.size.str() + " elements but data for " + std::to_string(b.data.count()));
    return {};
  }

  // Records that the step reads or writes a buffer, and checks that it may.
  Status access(uint32_t buffer, bool read, bool written) {
    if (p_.buffers[buffer].role == BufferRole::Part) {
      lives_[buffer].use(step_);
      if (written) lives_[buffer].first_write = std::min(lives_[buffer].first_write, step_);
      return access(p_.buffers[buffer].whole, read, written);
    }
    const ProgramBuffer& b = p_.buffers[buffer];
    Life& life = lives_[buffer];
    bool given = b.role == BufferRole::Input || b.role == BufferRole::Constant;
    if (written && given) return fail_step("P5", "writes '" + b.name + "', which is an input or a constant");
    if (read && !given && life.first_write == SIZE_MAX && facts_.range(b.size).high > 0)
      return fail_step("P5", "reads '" + b.name + "', which no earlier step wrote");
    life.use(step_);
    if (written) life.first_write = std::min(life.first_write, step_);
    return {};
  }

  Status check_launch(const KernelStep& s) {
    if (s.kernel >= p_.kernels.size()) return fail_step("P4", "the kernel does not exist");
    const Kernel& k = p_.kernels[s.kernel];
    if (s.buffers.size() != k.buffers.size())
      return fail_step("P4", "kernel '" + k.name + "' takes " + std::to_string(k.buffers.size()) + " buffers, not " +
                                 std::to_string(s.buffers.size()));
    FRIT_TRY(check_symbols_of(s));
    for (size_t i = 0; i < s.buffers.size(); ++i) {
      if (s.buffers[i] >= p_.buffers.size()) return fail_step("P4", "a buffer does not exist");
      const ProgramBuffer& b = p_.buffers[s.buffers[i]];
      const KernelBuffer& wanted = k.buffers[i];
      // Kernels see a complex number as two floats.
      bool complex = is_complex(b.dtype);
      if ((complex ? float32 : b.dtype) != wanted.dtype)
        return fail_step("P4", "buffer '" + b.name + "' is " + std::string(short_name(b.dtype)) + ", but '" +
                                   wanted.name + "' of kernel '" + k.name + "' is " +
                                   std::string(short_name(wanted.dtype)));
      Dim held = complex ? b.size * Dim(2) : b.size;
      const Dim needed = at_launch(p_, s, wanted.size);
      if (facts_.less(held, needed) == Tri::Yes)
        return fail_step("P4", "buffer '" + b.name + "' holds " + held.str() + " elements, but kernel '" + k.name +
                                   "' needs " + needed.str());
    }
    // Reads first: an element that the launch itself writes was not written before it.
    for (size_t i = 0; i < s.buffers.size(); ++i)
      if (k.buffers[i].read && !written_earlier_or_here(s, i)) FRIT_TRY(access(s.buffers[i], true, false));
    for (size_t i = 0; i < s.buffers.size(); ++i) FRIT_TRY(access(s.buffers[i], false, k.buffers[i].written));
    return {};
  }

  Status check_symbols_of(const KernelStep& s) const {
    const Kernel& k = p_.kernels[s.kernel];
    if (s.sizes.empty()) return {};
    if (s.sizes.size() != k.symbols.size())
      return fail_step("P4", "kernel '" + k.name + "' takes " + std::to_string(k.symbols.size()) + " symbols, not " +
                                 std::to_string(s.sizes.size()));
    for (const Dim& d : s.sizes) {
      FRIT_TRY(check_symbols("P4", d, "a size that a launch of '" + k.name + "' gives"));
      if (!is_sum_of_sizes(d))
        return fail_step("P4", "kernel '" + k.name + "' is given " + d.str() + ", which is no sum of sizes");
    }
    return {};
  }

  // Symbols, products of them and numbers, none with a minus: whatever the sizes are, it is none below zero.
  static bool is_sum_of_sizes(const Dim& d) {
    if (d.is_const()) return d.value() >= 0;
    if (d.poly()->constant < 0) return false;
    const std::vector<DimTerm>& terms = d.poly()->terms;
    return std::all_of(terms.begin(), terms.end(), [](const DimTerm& t) {
      return t.coefficient > 0 && std::all_of(t.atoms.begin(), t.atoms.end(),
                                              [](const auto& atom) { return atom->kind == AtomKind::Symbol; });
    });
  }

  // A kernel may read back what it wrote itself.
  bool written_earlier_or_here(const KernelStep& s, size_t i) const {
    return p_.kernels[s.kernel].buffers[i].written || lives_[s.buffers[i]].first_write != SIZE_MAX;
  }

  Status check_window(const char* rule, const Window& w, Dtype dtype, const std::string& what) const {
    if (w.buffer >= p_.buffers.size()) return fail(rule, what + " names a buffer that does not exist");
    const ProgramBuffer& b = p_.buffers[w.buffer];
    if (b.dtype != dtype)
      return fail(rule, what + " is " + std::string(short_name(dtype)) + " on '" + b.name + "', which is " +
                            std::string(short_name(b.dtype)));
    if (w.layout.shape.size() != w.layout.strides.size()) return fail(rule, what + " needs one stride per axis");
    // The least and the greatest position, if the signs of the strides are known.
    Dim low = w.layout.offset, high = w.layout.offset;
    FRIT_TRY(check_symbols(rule, w.layout.offset, what));
    bool known = true, empty = false;
    for (size_t i = 0; i < w.layout.shape.size(); ++i) {
      FRIT_TRY(check_symbols(rule, w.layout.shape[i], what));
      FRIT_TRY(check_symbols(rule, w.layout.strides[i], what));
      Dim span = (w.layout.shape[i] - Dim(1)) * w.layout.strides[i];
      bool up = facts_.less_equal(0, w.layout.strides[i]) == Tri::Yes,
           down = facts_.less(w.layout.strides[i], 0) == Tri::Yes;
      known = known && (up || down);
      empty = empty || facts_.less_equal(1, w.layout.shape[i]) != Tri::Yes;
      (down ? low : high) += span;
    }
    if (known && !empty && (facts_.less(low, 0) == Tri::Yes || facts_.less_equal(b.size, high) == Tri::Yes))
      return fail(rule, what + " reaches outside the " + b.size.str() + " elements of '" + b.name + "'");
    return {};
  }

  Status check_library(const LibraryStep& s) {
    if (!s.routine) return fail_step("P6", "it names no routine");
    const std::string name(s.routine->name), what = "step " + std::to_string(step_) + ": a window of '" + name + "'";
    if (s.dtypes.size() != s.operands.size() + s.results.size())
      return fail_step("P6", "'" + name + "' does not say the type of each window");
    FRIT_TRY(check_count(name, s.operands.size(), s.routine->operands, "operand"));
    FRIT_TRY(check_count(name, s.results.size(), s.routine->results, "result"));
    size_t d = 0;
    for (const Window& w : s.operands) FRIT_TRY(check_window("P6", w, s.dtypes[d++], what));
    for (const Window& w : s.results) FRIT_TRY(check_window("P6", w, s.dtypes[d++], what));
    for (const Window& w : s.operands) FRIT_TRY(access(w.buffer, true, false));
    for (const Window& w : s.results) FRIT_TRY(access(w.buffer, false, true));
    FRIT_TRY(check_workspace(s));
    if (!s.epilogue) return {};
    if (s.routine->epilogue == RoutineEpilogue::None) return fail_step("P6", "'" + name + "' takes no epilogue");
    FRIT_TRY(check_launch(*s.epilogue));
    if (s.results.empty() || !parallel_loop(p_.kernels[s.epilogue->kernel]))
      return fail_step("P6", "an epilogue runs over the first result of '" + name + "', in a parallel loop");
    return {};
  }

  Status check_count(const std::string& name, size_t given, int wanted, const char* what) const {
    if (wanted == kAnyNumber || given == static_cast<size_t>(wanted)) return {};
    return fail_step("P6", "'" + name + "' has " + std::to_string(wanted) + " " + what + (wanted == 1 ? "" : "s") +
                               ", not " + std::to_string(given));
  }

  Status check_workspace(const LibraryStep& s) {
    const std::string name(s.routine->name);
    if ((s.workspace != kNone) != (s.routine->workspace != nullptr))
      return fail_step("P6", "'" + name + (s.routine->workspace ? "' lacks its workspace" : "' takes no workspace"));
    if (s.workspace == kNone) return {};
    if (s.workspace >= p_.buffers.size()) return fail_step("P6", "the workspace of '" + name + "' does not exist");
    const ProgramBuffer& b = p_.buffers[s.workspace];
    if (b.role != BufferRole::Temp || b.dtype != uint8)
      return fail_step("P6", "the workspace '" + b.name + "' of '" + name + "' is not a temp of bytes");
    for (const std::vector<Window>* windows : {&s.operands, &s.results})
      for (const Window& w : *windows)
        if (w.buffer == s.workspace) return fail_step("P6", "'" + name + "' has a window on its own workspace");
    const Dim needed = workspace_bytes(s);
    if (facts_.less(b.size, needed) == Tri::Yes)
      return fail_step("P6", "the workspace '" + b.name + "' holds " + b.size.str() + " bytes, but '" + name +
                                 "' needs " + needed.str());
    return access(s.workspace, false, true);
  }

  Status check_results() {
    if (p_.results.size() != p_.result_types.size()) return fail("P7", "results and their types differ in number");
    for (size_t i = 0; i < p_.results.size(); ++i) {
      const Window& w = p_.results[i];
      std::string what = "result " + std::to_string(i);
      FRIT_TRY(check_window("P7", w, p_.result_types[i].dtype, what));
      if (w.layout.shape != p_.result_types[i].shape)
        return fail(
            "P7", what + " has shape " + shape_text(w.layout.shape) + ", but its type is " + p_.result_types[i].str());
      const ProgramBuffer& b = p_.buffers[w.buffer];
      if (b.role == BufferRole::Temp || b.role == BufferRole::Part)
        return fail("P7", what + " lies in the temp '" + b.name + "', which does not outlive the program");
      if (b.role == BufferRole::Output && lives_[w.buffer].first_write == SIZE_MAX &&
          facts_.less_equal(b.size, 0) != Tri::Yes)
        return fail("P7", what + " lies in '" + b.name + "', which no step writes");
    }
    return {};
  }

  Status check_slots() const {
    const std::vector<size_t> begins = before_loops(p_);
    for (size_t i = 0; i < p_.buffers.size(); ++i) {
      const ProgramBuffer& a = p_.buffers[i];
      if (a.role != BufferRole::Temp || (a.slot == kNone && a.whole == kNone)) continue;
      if (a.slot != kNone && a.slot >= p_.slots.size())
        return fail("P8", "the slot of '" + a.name + "' does not exist");
      if (a.slot == kNone) FRIT_TRY(check_host(i, begins));
      const Dim bytes = a.slot == kNone ? bytes_of(p_.buffers[a.whole]) : p_.slots[a.slot];
      const std::string where =
          a.slot == kNone ? "'" + p_.buffers[a.whole].name + "'" : "slot " + std::to_string(a.slot);
      if (facts_.less(bytes, a.at + bytes_of(a)) == Tri::Yes || facts_.less(a.at, 0) == Tri::Yes)
        return fail("P8", where + " has " + bytes.str() + " bytes, too few for '" + a.name + "'");
      for (size_t j = 0; j < i; ++j) {
        const ProgramBuffer& b = p_.buffers[j];
        if (b.role != BufferRole::Temp || b.slot != a.slot || b.whole != a.whole) continue;
        const Life &x = lives_[i], &y = lives_[j];
        const bool both = x.first_use != SIZE_MAX && y.first_use != SIZE_MAX && x.first_use <= y.last_use &&
                          y.first_use <= x.last_use;
        if (both && facts_.less_equal(a.at + bytes_of(a), b.at) != Tri::Yes &&
            facts_.less_equal(b.at + bytes_of(b), a.at) != Tri::Yes)
          return fail("P8", "'" + b.name + "' and '" + a.name + "' share " + where + " while both are in use");
      }
    }
    return {};
  }

  // A temp in an output's memory, which no input may give, is through before the output is written, and before the
  // loops that write it.
  Status check_host(size_t temp, const std::vector<size_t>& begins) const {
    const ProgramBuffer& t = p_.buffers[temp];
    if (t.whole >= p_.buffers.size() || p_.buffers[t.whole].role != BufferRole::Output ||
        p_.buffers[t.whole].donor != kNone)
      return fail("P8", "'" + t.name + "' lies in the memory of a buffer that is not an output of its own memory");
    const size_t use = lives_[t.whole].first_use, first = use == SIZE_MAX ? use : begins[use];
    if (lives_[temp].first_use != SIZE_MAX && lives_[temp].last_use >= first)
      return fail("P8",
                  "'" + t.name + "' is in use when '" + p_.buffers[t.whole].name + "', in whose memory it lies, is");
    return {};
  }

  static Dim bytes_of(const ProgramBuffer& b) { return b.size * Dim(int64_t{b.dtype.size()}); }

  Status check_donors() const {
    std::set<uint32_t> taken;
    for (uint32_t i = 0; i < p_.buffers.size(); ++i) {
      const ProgramBuffer& out = p_.buffers[i];
      if (out.donor == kNone) continue;
      std::string what = "'" + out.name + "' over the memory of ";
      if (out.donor >= p_.buffers.size() || p_.buffers[out.donor].role != BufferRole::Input)
        return fail("P9", what + "a buffer that is not an input");
      const ProgramBuffer& in = p_.buffers[out.donor];
      what += "'" + in.name + "'";
      if (!taken.insert(out.donor).second) return fail("P9", what + ", which another output has taken over");
      Dim needed = out.size * Dim(int64_t{out.dtype.size()}), held = in.size * Dim(int64_t{in.dtype.size()});
      if (facts_.less(held, needed) == Tri::Yes) return fail("P9", what + ", which is too small");
      bool returned =
          std::any_of(p_.results.begin(), p_.results.end(), [&](const Window& w) { return w.buffer == out.donor; });
      if (returned) return fail("P9", what + ", which is a result itself");
      FRIT_TRY(check_takeover(i, out.donor, what));
    }
    return {};
  }

  // The donor is not read after the first write of the output. A step that does both proceeds element by element.
  Status check_takeover(uint32_t out, uint32_t in, const std::string& what) const {
    const Life &o = lives_[out], &i = lives_[in];
    if (o.first_write == SIZE_MAX || i.first_use == SIZE_MAX || i.last_use < o.first_write) return {};
    if (i.last_use > o.first_write) return fail("P9", what + ", which is read later");
    const auto* launch = std::get_if<KernelStep>(&p_.steps[o.first_write]);
    if (const auto* library = std::get_if<LibraryStep>(&p_.steps[o.first_write])) {
      // The kernel behind a routine writes rows while the routine reads its operands for others.
      const auto shows = [&](const Window& w) { return w.buffer == in || w.buffer == out; };
      if (library->epilogue && library->workspace != in && library->workspace != out &&
          std::none_of(library->operands.begin(), library->operands.end(), shows) &&
          std::none_of(library->results.begin(), library->results.end(), shows))
        launch = &*library->epilogue;
    }
    if (!launch) return fail("P9", what + ", which the routine that writes it still reads");
    const Kernel& k = p_.kernels[launch->kernel];
    for (uint32_t a = 0; a < launch->buffers.size(); ++a)
      for (uint32_t b = 0; b < launch->buffers.size(); ++b)
        if (launch->buffers[a] == in && launch->buffers[b] == out && k.buffers[a].read && !overwrites_in_place(k, a, b))
          return fail("P9", what + "; kernel '" + k.name + "' reads its elements after overwriting them");
    return {};
  }

  const Program& p_;
  DimFacts facts_;  // none but that sizes are not negative
  std::set<std::string> symbols_, counters_;
  std::vector<Life> lives_;
  size_t step_ = 0;
};

}  // namespace

Status verify(const Program& p) { return ProgramVerifier(p).run(); }

}  // namespace frit::ir
