// The reference interpreter of programs: buffers, slots and donors, and the steps in order.
#include <cstring>

#include "ir/interpret/interpret_kernel.h"
#include "ir/verify/kernel_verifier.h"

namespace frit::ir {

namespace {

constexpr std::byte kUnwritten{0xa5};
constexpr int64_t kMaxBytes = int64_t{1} << 34;

class ProgramRun {
 public:
  ProgramRun(const Program& p, std::span<const int64_t> symbols, const LibraryCall& library)
      : p_(p), symbols_(symbols), library_(library) {}

  Result<std::vector<Literal>> run(std::span<const Literal> inputs) {
    if (symbols_.size() != p_.symbols.size())
      return Diagnostic("program: takes " + std::to_string(p_.symbols.size()) + " symbols, but was given " +
                        std::to_string(symbols_.size()));
    counters_.resize(p_.counters.size());
    counts_.resize(p_.counters.size());
    match_ = matching_steps(p_);
    FRIT_TRY(allocate(inputs));
    for (size_t at = 0; at < p_.steps.size(); ++at) {
      const Step& step = p_.steps[at];
      if (const auto* launch = std::get_if<KernelStep>(&step)) {
        FRIT_TRY(run_kernel(*launch));
      } else if (const auto* library = std::get_if<LibraryStep>(&step)) {
        FRIT_TRY(run_library(*library));
      } else {
        FRIT_ASSIGN_OR_RETURN(next, run_control(std::get<ControlStep>(step), at));
        at = next;
      }
    }
    std::vector<Literal> results;
    for (size_t i = 0; i < p_.results.size(); ++i) {
      FRIT_ASSIGN_OR_RETURN(window, resolve(p_.results[i], p_.result_types[i].dtype));
      results.push_back(gather(window));
    }
    return results;
  }

 private:
  Result<int64_t> number(const Dim& d) const {
    auto value = d.evaluate([this](const std::string& name) -> std::optional<int64_t> {
      for (size_t i = 0; i < p_.symbols.size(); ++i)
        if (p_.symbols[i] == name) return symbols_[i];
      for (size_t i = 0; i < p_.counters.size(); ++i)
        if (p_.counters[i] == name) return counters_[i];
      return std::nullopt;
    });
    if (!value) return Diagnostic("program: the size " + d.str() + " has a divisor below 1");
    return *value;
  }

  // The byte count of `elements` elements of `size` bytes each.
  Result<size_t> bytes(const Dim& elements, int64_t size) const {
    FRIT_ASSIGN_OR_RETURN(n, number(elements));
    int64_t total = 0;
    if (n < 0 || __builtin_mul_overflow(n, size, &total) || total > kMaxBytes)
      return Diagnostic("program: " + elements.str() + " = " + std::to_string(n) + " is negative or too large");
    return static_cast<size_t>(total);
  }

  BufferSpan make(size_t size) {
    storage_.emplace_back(size, kUnwritten);
    return {storage_.back().data(), size};
  }

  Status allocate(std::span<const Literal> inputs) {
    std::vector<BufferSpan> slots;
    for (const Dim& d : p_.slots) {
      FRIT_ASSIGN_OR_RETURN(size, bytes(d, 1));
      slots.push_back(make(size));
    }
    memory_.resize(p_.buffers.size());
    for (size_t i = 0; i < p_.buffers.size(); ++i) {
      const ProgramBuffer& b = p_.buffers[i];
      FRIT_ASSIGN_OR_RETURN(size, bytes(b.size, b.dtype.size()));
      if (b.role == BufferRole::Input) {
        if (b.param >= inputs.size()) return Diagnostic("program: input " + std::to_string(b.param) + " is missing");
        FRIT_TRY(fill(i, inputs[b.param], size));
      } else if (b.role == BufferRole::Constant) {
        FRIT_TRY(fill(i, b.data, size));
      } else if (b.role == BufferRole::Part || (b.role == BufferRole::Temp && b.whole != kNone)) {
        continue;  // its loop places it, or its host does
      } else if (b.slot != kNone) {
        FRIT_TRY(lie_in(slots[b.slot], i, size));
      } else {
        memory_[i] = make(size);
      }
    }
    for (size_t i = 0; i < p_.buffers.size(); ++i) {
      const ProgramBuffer& b = p_.buffers[i];
      if (b.role != BufferRole::Temp || b.whole == kNone) continue;
      FRIT_ASSIGN_OR_RETURN(size, bytes(b.size, b.dtype.size()));
      FRIT_TRY(lie_in(memory_[b.whole], i, size));
    }
    for (size_t i = 0; i < p_.buffers.size(); ++i) {
      uint32_t donor = p_.buffers[i].donor;
      if (donor != kNone && memory_[donor].bytes >= memory_[i].bytes) memory_[i].data = memory_[donor].data;
    }
    return {};
  }

  // A temp in a slot or in the memory of an output.
  Status lie_in(const BufferSpan& memory, size_t temp, size_t size) {
    FRIT_ASSIGN_OR_RETURN(at, bytes(p_.buffers[temp].at, 1));
    if (memory.bytes < at || memory.bytes - at < size)
      return Diagnostic("program: there is too little memory for '" + p_.buffers[temp].name + "'");
    memory_[temp] = {memory.data + at, size};
    return {};
  }

  Status fill(size_t buffer, const Literal& data, size_t needed) {
    const ProgramBuffer& b = p_.buffers[buffer];
    if (data.nbytes() < needed || (data.nbytes() && data.dtype() != b.dtype))
      return Diagnostic("program: '" + b.name + "' needs " + std::to_string(needed) + " bytes of " +
                        std::string(short_name(b.dtype)) + ", but was given " + std::to_string(data.nbytes()) + " of " +
                        std::string(short_name(data.dtype())));
    memory_[buffer] = make(data.nbytes());
    if (data.nbytes()) std::memcpy(memory_[buffer].data, data.data(), data.nbytes());
    return {};
  }

  // Gives the step that was the last one: the walk goes on behind it.
  Result<size_t> run_control(const ControlStep& s, size_t at) {
    switch (s.kind) {
      case ControlKind::Repeat: {
        FRIT_ASSIGN_OR_RETURN(count, number(s.count));
        counters_[s.counter] = 0;
        counts_[s.counter] = count;
        if (count <= 0) return size_t{match_[at]};
        FRIT_TRY(place_parts(s.counter));
        return at;
      }
      case ControlKind::Loop: return at;
      case ControlKind::Leave: return holds(s.flag) ? at : size_t{match_[at]};
      case ControlKind::If: {
        if (holds(s.flag)) return at;
        const size_t end = match_[at];
        for (size_t i = at + 1; i < end; ++i)
          if (const auto* other = std::get_if<ControlStep>(&p_.steps[i]);
              other && other->kind == ControlKind::Else && match_[i] == end)
            return i;
        return end;
      }
      case ControlKind::Else: return size_t{match_[at]};
      case ControlKind::End: break;
    }
    if (match_[at] == kNone) return at;
    for (const auto& [a, b] : s.swaps) std::swap(memory_[a], memory_[b]);
    const auto& loop = std::get<ControlStep>(p_.steps[match_[at]]);
    if (loop.kind == ControlKind::Loop) return size_t{match_[at]};
    if (++counters_[loop.counter] >= counts_[loop.counter]) return at;
    FRIT_TRY(place_parts(loop.counter));
    return size_t{match_[at]};
  }

  bool holds(uint32_t flag) const { return memory_[flag].bytes > 0 && memory_[flag].data[0] != std::byte{0}; }

  // The parts that move with a counter.
  Status place_parts(uint32_t counter) {
    for (size_t i = 0; i < p_.buffers.size(); ++i) {
      const ProgramBuffer& b = p_.buffers[i];
      if (b.role != BufferRole::Part || b.counter != counter) continue;
      FRIT_ASSIGN_OR_RETURN(first, number(b.at));
      FRIT_ASSIGN_OR_RETURN(size, bytes(b.size, b.dtype.size()));
      const BufferSpan& whole = memory_[b.whole];
      const __int128 begin = static_cast<__int128>(first) * b.dtype.size();
      if (begin < 0 || begin + static_cast<__int128>(size) > static_cast<__int128>(whole.bytes))
        return Diagnostic("program: '" + b.name + "' reaches outside '" + p_.buffers[b.whole].name + "'");
      memory_[i] = {whole.data + static_cast<ptrdiff_t>(begin), size};
    }
    return {};
  }

  Status run_kernel(const KernelStep& s) {
    const Kernel& k = p_.kernels[s.kernel];
    std::vector<BufferSpan> buffers;
    for (uint32_t b : s.buffers) buffers.push_back(memory_[b]);
    std::vector<int64_t> symbols;
    for (size_t i = 0; i < k.symbols.size(); ++i) {
      FRIT_ASSIGN_OR_RETURN(value, number(size_at(p_, s, i)));
      symbols.push_back(value);
    }
    return interpret(k, buffers, symbols);
  }

  // Fails if an element would lie outside the buffer.
  Result<HostWindow> resolve(const Window& w, Dtype dtype) const {
    HostWindow out{memory_[w.buffer], dtype, {}, {}, 0};
    FRIT_ASSIGN_OR_RETURN(offset, number(w.layout.offset));
    out.offset = offset;
    __int128 low = offset, high = offset;
    bool empty = false;
    for (size_t i = 0; i < w.layout.shape.size(); ++i) {
      FRIT_ASSIGN_OR_RETURN(extent, number(w.layout.shape[i]));
      FRIT_ASSIGN_OR_RETURN(stride, number(w.layout.strides[i]));
      if (extent < 0) return Diagnostic("program: a window on '" + p_.buffers[w.buffer].name + "' has a negative size");
      empty |= extent == 0;
      (stride < 0 ? low : high) += static_cast<__int128>(extent - 1) * stride;
      out.shape.push_back(extent);
      out.strides.push_back(stride);
    }
    if (!empty && (low < 0 || (high + 1) * dtype.size() > static_cast<__int128>(out.memory.bytes)))
      return Diagnostic("program: a window reaches outside '" + p_.buffers[w.buffer].name + "'");
    return out;
  }

  Attr concrete(const Attr& a, Status& status) const {
    auto value = [&](const Dim& d) {
      Result<int64_t> n = number(d);
      if (!n) status = n.error();
      return n ? Dim(*n) : d;
    };
    if (const auto* d = std::get_if<Dim>(&a)) return value(*d);
    const auto* list = std::get_if<Dims>(&a);
    if (!list) return a;
    Dims out;
    for (const Dim& d : *list) out.push_back(value(d));
    return out;
  }

  Status run_library(const LibraryStep& s) {
    std::vector<HostWindow> operands, results;
    for (size_t i = 0; i < s.operands.size() + s.results.size(); ++i) {
      bool operand = i < s.operands.size();
      FRIT_ASSIGN_OR_RETURN(window, resolve(operand ? s.operands[i] : s.results[i - s.operands.size()], s.dtypes[i]));
      (operand ? operands : results).push_back(std::move(window));
    }
    AttrMap attrs;
    Status status;
    for (const AttrMap::Entry& e : s.attrs) attrs.set(e.first, concrete(e.second, status));
    FRIT_TRY(std::move(status));
    const BufferSpan workspace = s.workspace == kNone ? BufferSpan() : memory_[s.workspace];
    const ReferenceCall call{operands, results, attrs, {workspace.data, workspace.bytes}};
    if (!library_ && !s.routine->reference)
      return Diagnostic("program: routine '" + std::string(s.routine->name) + "' has no reference implementation");
    FRIT_TRY(library_ ? library_(*s.routine, call) : s.routine->reference(call));
    if (s.epilogue) FRIT_TRY(run_kernel(*s.epilogue));
    return {};
  }

  static Literal gather(const HostWindow& w) {
    size_t count = 1, size = w.dtype.size();
    for (int64_t extent : w.shape) count *= static_cast<size_t>(extent);
    std::vector<std::byte> out(count * size);
    std::vector<int64_t> at(w.shape.size(), 0);
    int64_t position = w.offset;
    for (size_t n = 0; n < count; ++n) {
      std::memcpy(out.data() + n * size, w.memory.data + position * static_cast<int64_t>(size), size);
      for (size_t axis = at.size(); axis-- > 0;) {
        position += w.strides[axis];
        if (++at[axis] < w.shape[axis]) break;
        position -= w.shape[axis] * w.strides[axis];
        at[axis] = 0;
      }
    }
    return Literal(w.dtype, std::move(out));
  }

  const Program& p_;
  std::span<const int64_t> symbols_;
  const LibraryCall& library_;
  std::vector<std::vector<std::byte>> storage_;
  std::vector<BufferSpan> memory_;  // by buffer
  std::vector<int64_t> counters_, counts_;
  std::vector<uint32_t> match_;
};

}  // namespace

Result<std::vector<Literal>> interpret(const Program& p, std::span<const int64_t> symbols,
                                       std::span<const Literal> inputs, const LibraryCall& library) {
  FRIT_TRY(verify(p));
  return ProgramRun(p, symbols, library).run(inputs);
}

}  // namespace frit::ir
