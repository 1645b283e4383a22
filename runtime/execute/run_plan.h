// One run of a plan, the same for all devices: which memory each buffer takes (inputs, workspace, donated memory, the
// caller's memory, new memory), the walk over the steps, and the views that are the results.
//
// A Device is what differs. It has
//   using Address;                                           what its kernels know memory by
//   static constexpr bool kStops;                            whether a run may end between two steps
//   static constexpr size_t kAlign;                          of buffers in the workspace
//   static constexpr bool kLends;                            whether steps may take scratch from the workspace
//   Status workspace(size_t bytes, Address& first);          memory for the call alone
//   Address advance(Address, size_t bytes);
//   Result<std::shared_ptr<Buffer>> allocate(size_t bytes);
//   bool can_take(Buffer&);                                  whether an output may take over a donated buffer
//   const std::shared_ptr<Buffer>& constant(size_t buffer);
//   bool place(const Buffer&, bool written, Address&);       where a buffer begins that the run reads or writes
//   Diagnostic unreadable();                                 why place() failed
//   Status kernels(const std::vector<Kernel>&, const Frame<Address>&);
//   Status library(const Library&, std::span<const View<Address>>, const Frame<Address>&);   operands, then results
//   Result<bool> flag(Address);                               of a bool, once the steps before it are done
//   Status finish();                                         after the last step
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "runtime/execute/interrupt.h"
#include "runtime/execute/prepared_plan.h"

namespace frit::runtime {

// A list of known length, on the stack when it is short.
template <class T, size_t kInline = 32>
class Array {
 public:
  explicit Array(size_t n) : data_(inline_) {
    if (n > kInline) {
      heap_ = std::make_unique<T[]>(n);
      data_ = heap_.get();
    }
  }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T* data() { return data_; }

 private:
  std::unique_ptr<T[]> heap_;
  T inline_[kInline];
  T* data_;
};

// The state that the steps of a run share: addresses of the plan's buffers, values of its symbols.
template <class Address>
struct Frame {
  const Address* buffers;
  const int64_t* symbols;
};

// Whether the kernel copies memory to itself: an output has taken over the input.
template <class Address>
bool does_nothing(const Kernel& kernel, const Frame<Address>& frame) {
  const KernelPlan& plan = *kernel.plan;
  return plan.copies && frame.buffers[plan.buffers[0]] == frame.buffers[plan.buffers[1]];
}

// A window of a library step in one run.
template <class Address>
struct View {
  Address first;  // of the first element
  Dtype dtype = float32;
  Sizes shape, strides;
};

// Hidden and inlined: through a library's table of exported functions a small call would take a third longer.
template <class Device>
class PlanRun {
 public:
  using Address = typename Device::Address;
  using Role = BufferPlan::Role;

  [[gnu::always_inline]] PlanRun(const PreparedPlan& plan, Device& device, std::span<const Tensor> inputs,
                                 std::span<const bool> donated)
      : p_(plan),
        device_(device),
        inputs_(inputs),
        donated_(donated),
        symbols_(plan.plan().sizes() + plan.plan().counters),
        counts_(plan.plan().counters),
        starts_(plan.slots().size()),
        addresses_(plan.buffers().size()),
        owners_(plan.outputs()) {}

  [[gnu::visibility("hidden")]] Status run(std::span<Tensor> results, std::span<const std::shared_ptr<Buffer>> into) {
    p_.read_symbols(inputs_, symbols_.data());
    FRIT_TRY(p_.check(symbols_.data()));
    FRIT_TRY(open_workspace());
    take_given(into);
    for (size_t i = 0; i < p_.buffers().size(); ++i)
      if (!place(i)) return std::move(*failure_);
    for (const uint32_t i : p_.inside_outputs()) {
      const PreparedPlan::Memory& b = p_.buffers()[i];
      addresses_[i] = device_.advance(addresses_[b.whole], static_cast<int64_t>(b.at));
    }
    const Frame<Address> frame{addresses_.data(), symbols_.data()};
    const std::vector<PreparedPlan::Step>& steps = p_.steps();
    for (size_t at = 0; at < steps.size(); ++at) {
      const PreparedPlan::Step& step = steps[at];
      // Donated memory may hold a part of the results: such a run could not be repeated.
      if constexpr (Device::kStops)
        if (at > 0 && !took_donated_ && interrupted()) return interruption();
      [[maybe_unused]] std::optional<LentScratch> lent;
      if constexpr (Device::kLends)
        if (placed_ && !placed_->idle.empty() && (std::holds_alternative<Library>(step) || !placed_->idle[at].empty()))
          lent.emplace(workspace_, placed_->idle[at]);
      if (const auto* kernels = std::get_if<std::vector<Kernel>>(&step))
        FRIT_TRY(device_.kernels(*kernels, frame));
      else if (const auto* routine = std::get_if<Library>(&step))
        FRIT_TRY(library(*routine, frame));
      else
        FRIT_TRY(control(std::get<Control>(step), at));
      if constexpr (Device::kLends)
        if (lent && lent->most_missed() != 0) wanted_.push_back({at, lent->most(), lent->most_missed()});
    }
    FRIT_TRY(device_.finish());
    if (!wanted_.empty()) p_.places().learn(*placed_, wanted_);
    for (size_t i = 0; i < results.size(); ++i)
      if (!show(i, results[i])) return std::move(*failure_);
    return {};
  }

 private:
  // The hot functions give false and leave their error here: a Status is large to hand back.
  [[gnu::noinline, gnu::cold]] bool fail(Diagnostic error) {
    failure_ = std::move(error);
    return false;
  }

  [[gnu::always_inline]] Status open_workspace() {
    size_t bytes = 0;
    for (size_t i = 0; i < p_.slots().size(); ++i) {
      const int64_t slot = p_.slots()[i].get(symbols_.data());
      if (slot < 0 || slot > kMostBytes || bytes > static_cast<size_t>(kMostBytes))
        return p_.too_large("the workspace", slot);
      starts_[i] = bytes;
      bytes += (static_cast<size_t>(slot) + Device::kAlign - 1) & ~(Device::kAlign - 1);
    }
    if (p_.places().are_open())
      bytes = place_slots();
    else if constexpr (Device::kLends)
      bytes = fixed_places(bytes);
    return bytes ? device_.workspace(bytes, workspace_) : Status();
  }

  // Gives the bytes in all, which are `bytes` where slots lie one behind the other.
  size_t fixed_places(size_t bytes) {
    placed_ = p_.places().fixed();
    return placed_ ? placed_->starts.back() : bytes;
  }

  // Places that open sizes share; gives the bytes in all.
  [[gnu::noinline]] size_t place_slots() {
    const size_t n = p_.slots().size();
    Array<size_t> sizes(n);
    for (size_t i = 0; i < n; ++i) sizes[i] = static_cast<size_t>(p_.slots()[i].get(symbols_.data()));
    held_ = p_.places().find(sizes.data());
    placed_ = held_.get();
    for (size_t i = 0; i < n; ++i) starts_[i] = placed_->starts[i];
    return placed_->starts[n];
  }

  // Memory of the caller for whole results.
  [[gnu::always_inline]] void take_given(std::span<const std::shared_ptr<Buffer>> into) {
    for (size_t i = 0; i < into.size(); ++i) {
      const uint32_t output = into[i] ? p_.own_output(i) : ~0u;
      if (output == ~0u || reinterpret_cast<uintptr_t>(into[i]->data()) % Device::kAlign) continue;
      const Window& w = p_.results()[i];
      const int64_t bytes = p_.buffers()[w.buffer].bytes.get(symbols_.data());
      if (bytes <= static_cast<int64_t>(into[i]->bytes()) && w.fills(bytes, symbols_.data())) owners_[output] = into[i];
    }
  }

  [[gnu::always_inline]] bool place(size_t i) {
    const PreparedPlan::Memory& b = p_.buffers()[i];
    switch (b.role) {
      case Role::Input: {
        if (!b.used) return true;
        const Tensor& t = inputs_[b.index];
        const int64_t needed = b.bytes.get(symbols_.data()), before = t.offset * static_cast<int64_t>(t.dtype.size());
        if (needed > 0 && (before < 0 || needed > static_cast<int64_t>(t.buffer->bytes()) - before))
          return fail(p_.short_input(b.index, needed));
        if (!device_.place(*t.buffer, false, addresses_[i])) return fail(device_.unreadable());
        addresses_[i] = device_.advance(addresses_[i], before);
        return true;
      }
      case Role::Constant:
        return device_.place(*device_.constant(i), false, addresses_[i]) || fail(device_.unreadable());
      case Role::Temp:
        if (b.whole == ~0u) {
          const bool apart = placed_ && !placed_->at.empty();
          addresses_[i] =
              device_.advance(workspace_, static_cast<int64_t>(apart ? placed_->at[i] : starts_[b.index] + b.at));
        }
        return true;
      case Role::Output: return place_output(b, addresses_[i]);
      case Role::Part: return true;  // its loop places it
      case Role::Rows: return true;  // the routine that works on them has the memory
    }
    return true;
  }

  // The walk goes on behind the step `at`.
  [[gnu::visibility("hidden")]] Status control(const Control& step, size_t& at) {
    const ControlPlan& plan = *step.plan;
    switch (plan.kind) {
      case ControlPlan::Kind::Repeat:
        symbol(plan.counter) = 0;
        counts_[plan.counter] = step.count.get(symbols_.data());
        if (counts_[plan.counter] <= 0) {
          at = step.end;
          return {};
        }
        return place_parts(step) ? Status() : Status(std::move(*failure_));
      case ControlPlan::Kind::Loop: return {};
      case ControlPlan::Kind::Leave:
      case ControlPlan::Kind::If: {
        FRIT_ASSIGN_OR_RETURN(holds, device_.flag(addresses_[plan.flag]));
        if (!holds) at = plan.kind == ControlPlan::Kind::If ? step.other : step.end;
        return {};
      }
      case ControlPlan::Kind::Else: at = step.end; return {};
      case ControlPlan::Kind::End: break;
    }
    if (step.other == ~size_t{0}) return {};
    for (const auto& [a, b] : plan.swaps) std::swap(addresses_[a], addresses_[b]);
    const auto& loop = std::get<Control>(p_.steps()[step.other]);
    if (loop.plan->kind == ControlPlan::Kind::Repeat) {
      if (++symbol(loop.plan->counter) >= counts_[loop.plan->counter]) return {};
      if (!place_parts(loop)) return std::move(*failure_);
    }
    at = step.other;
    return {};
  }

  int64_t& symbol(uint32_t counter) { return symbols_[p_.plan().sizes() + counter]; }

  bool place_parts(const Control& loop) {
    for (const Part& part : loop.parts) {
      const int64_t first = part.at.get(symbols_.data()), bytes = part.bytes.get(symbols_.data());
      const int64_t whole = part.whole_bytes.get(symbols_.data());
      if (first < 0 || bytes < 0 || first > whole || bytes > whole - first)
        return fail(p_.outside("a part of buffer", part.whole, {}));
      addresses_[part.buffer] = device_.advance(addresses_[part.whole], first);
    }
    return true;
  }

  [[gnu::always_inline]] bool place_output(const PreparedPlan::Memory& b, Address& address) {
    const int64_t needed = b.bytes.get(symbols_.data());
    if (needed < 0 || needed > kMostBytes) return fail(p_.too_large("a result", needed));
    const auto bytes = static_cast<size_t>(needed);
    std::shared_ptr<Buffer>& owner = owners_[b.owner];
    if (!owner && b.donor < donated_.size() && donated_[b.donor]) {
      const Tensor& t = inputs_[b.donor];
      // One reference is the caller's tensor. Memory much larger than needed would be held for nothing.
      if (t.offset == 0 && t.buffer.use_count() == 1 && t.buffer->bytes() >= bytes && t.buffer->bytes() / 2 <= bytes &&
          device_.can_take(*t.buffer)) {
        owner = t.buffer;
        took_donated_ = true;
      }
    }
    if (!owner) {
      auto buffer = device_.allocate(bytes);
      if (!buffer.ok()) return fail(std::move(buffer.error()));
      owner = *std::move(buffer);
    }
    return device_.place(*owner, true, address) || fail(device_.unreadable());
  }

  Status library(const Library& step, const Frame<Address>& frame) {
    const size_t operands = step.operands.size();
    Array<View<Address>, 4> views(operands + step.results.size());
    for (size_t i = 0; i < operands + step.results.size(); ++i) {
      const Window& w = i < operands ? step.operands[i] : step.results[i - operands];
      View<Address>& v = views[i];
      v.dtype = w.dtype;
      w.sizes(frame.symbols, v.shape, v.strides);
      const int64_t offset = w.offset.get(frame.symbols);
      if (!within(w, v.shape, v.strides, offset)) return p_.outside("a view of step", step.step, v.shape);
      v.first = device_.advance(frame.buffers[w.buffer], offset * static_cast<int64_t>(w.dtype.size()));
    }
    return device_.library(step, {views.data(), operands + step.results.size()}, frame);
  }

  // Whether a window stays inside its buffer. A window of an input counts from the input's first element, and its
  // strides may be negative: it may show any part of the memory that the input lies in.
  [[gnu::always_inline]] bool within(const Window& w, const Sizes& shape, const Sizes& strides, int64_t offset) {
    const PreparedPlan::Memory& b = p_.buffers()[w.buffer];
    if (b.role != Role::Input) return lies_within(shape, strides, offset, w.dtype.size(), b.bytes.get(symbols_.data()));
    const Tensor& t = inputs_[b.index];
    const auto element = static_cast<int64_t>(w.dtype.size()), before = t.offset * static_cast<int64_t>(t.dtype.size());
    int64_t first;
    return before % element == 0 && !__builtin_add_overflow(offset, before / element, &first) &&
           lies_within(shape, strides, first, w.dtype.size(), static_cast<int64_t>(t.buffer->bytes()));
  }

  [[gnu::always_inline]] bool show(size_t i, Tensor& t) {
    const Window& w = p_.results()[i];
    const PreparedPlan::Memory& b = p_.buffers()[w.buffer];
    t.dtype = w.dtype;
    w.sizes(symbols_.data(), t.shape, t.strides);
    t.offset = w.offset.get(symbols_.data());
    if (!within(w, t.shape, t.strides, t.offset)) return fail(p_.outside("result", i, t.shape));
    switch (b.role) {
      case Role::Input:
        t.buffer = inputs_[b.index].buffer;
        // The window counts from the input's first element.
        t.offset += inputs_[b.index].offset;
        break;
      case Role::Constant: t.buffer = device_.constant(w.buffer); break;
      case Role::Output:
      case Role::Part:  // never: its loop is over
      case Role::Rows:  // never: check_plan refuses it
      case Role::Temp: t.buffer = owners_[b.owner]; break;
    }
    return true;
  }

  const PreparedPlan& p_;
  Device& device_;
  std::span<const Tensor> inputs_;
  std::span<const bool> donated_;
  Array<int64_t> symbols_;    // then the sums and the counters
  Array<int64_t, 4> counts_;  // of iterations, by counter
  Array<size_t, 8> starts_;
  Address workspace_{};
  const SlotPlaces::Placed* placed_ = nullptr;  // where places are open, or the workspace is large
  std::vector<SlotPlaces::Wanted> wanted_;      // scratch memory that the workspace had no gap for
  std::shared_ptr<const SlotPlaces::Placed> held_;
  Array<Address> addresses_;
  Array<std::shared_ptr<Buffer>, 4> owners_;
  bool took_donated_ = false;
  std::optional<Diagnostic> failure_;
};

}  // namespace frit::runtime
