// Makes plans ready for calls, and looks up the functions that their steps name.
#include "runtime/execute/prepared_plan.h"

#include <algorithm>

namespace frit::runtime {

Window::Window(const WindowPlan& w) : buffer(w.buffer), dtype(w.dtype), offset(w.offset) {
  for (const DimProgram& d : w.shape) shape.emplace_back(d);
  for (const DimProgram& d : w.strides) strides.emplace_back(d);
}

bool Window::fills(int64_t bytes, const int64_t* symbols) const {
  int64_t dense = dtype.size();
  for (size_t i = shape.size(); i-- > 0;) {
    const int64_t n = shape[i].get(symbols);
    if (n != 1 && strides[i].get(symbols) != dense / dtype.size()) return false;
    if (n < 0 || __builtin_mul_overflow(dense, n, &dense)) return false;
  }
  return offset.get(symbols) == 0 && dense == bytes;
}

Kernel::Kernel(const KernelPlan& p, size_t number, size_t symbols)
    : plan(&p),
      step(number),
      fn(p.fn),
      same_symbols(p.symbols.size() <= symbols),
      extent(p.extent),
      grain(p.grain),
      scratch(p.scratch_bytes) {
  for (size_t i = 0; i < p.symbols.size(); ++i) same_symbols &= p.symbols[i] == i;
}

namespace {

PreparedPlan::Memory memory_of(const BufferPlan& b) {
  PreparedPlan::Memory m{b.role, b.index, b.donor, 0, Value(b.bytes)};
  if (b.role != BufferPlan::Role::Temp) return m;
  m.whole = b.whole;
  m.at = static_cast<size_t>(b.at.evaluate(nullptr));
  return m;
}

}  // namespace

PreparedPlan::PreparedPlan(Plan plan) : plan_(std::move(plan)) {
  for (const BufferPlan& b : plan_.buffers) buffers_.push_back(memory_of(b));
  for (const WindowPlan& w : plan_.results) results_.emplace_back(w);
  // A temp that a result shows must outlive the call.
  for (const Window& w : results_)
    if (buffers_[w.buffer].role == BufferPlan::Role::Temp) buffers_[w.buffer].role = BufferPlan::Role::Output;
  for (Memory& b : buffers_)
    if (b.role == BufferPlan::Role::Output) b.owner = static_cast<uint32_t>(outputs_++);
  for (uint32_t i = 0; i < buffers_.size(); ++i)
    if (buffers_[i].role == BufferPlan::Role::Temp && buffers_[i].whole != ~0u) inside_outputs_.push_back(i);
  std::vector<size_t> users(buffers_.size(), 0);
  for (const Window& w : results_) ++users[w.buffer];
  for (const Window& w : results_) {
    const Memory& b = buffers_[w.buffer];
    whole_.push_back(users[w.buffer] == 1 && b.role == BufferPlan::Role::Output ? b.owner : ~0u);
  }
  for (const DimProgram& s : plan_.slots) slots_.emplace_back(s);
  add_steps();
  mark_used();
  if (!plan_.device_code) places_.prepare(*this, kCpuAlign);
}

void PreparedPlan::mark_used() {
  const auto windows = [&](const std::vector<WindowPlan>& list) {
    for (const WindowPlan& w : list) buffers_[w.buffer].used = true;
  };
  const auto kernel = [&](const KernelPlan& k) {
    for (uint32_t b : k.buffers) buffers_[b].used = true;
  };
  windows(plan_.results);
  for (const auto& step : plan_.steps) {
    if (const auto* k = std::get_if<KernelPlan>(&step)) {
      kernel(*k);
      continue;
    }
    if (const auto* control = std::get_if<ControlPlan>(&step)) {
      if (control->flag != ~0u) buffers_[control->flag].used = true;
      for (const auto& [a, b] : control->swaps) buffers_[a].used = buffers_[b].used = true;
      continue;
    }
    const auto& library = std::get<LibraryPlan>(step);
    windows(library.operands);
    windows(library.results);
    if (library.epilogue) kernel(*library.epilogue);
    for (const KernelPlan& k : library.between) kernel(k);
    if (library.workspace != ~0u) buffers_[library.workspace].used = true;
  }
  // Wholes are earlier buffers.
  for (size_t b = plan_.buffers.size(); b-- > 0;)
    if (plan_.buffers[b].role == BufferPlan::Role::Part) buffers_[plan_.buffers[b].whole].used = true;
}

void PreparedPlan::add_steps() {
  const size_t symbols = plan_.symbols.size();
  for (size_t i = 0; i < plan_.steps.size(); ++i) {
    if (const auto* kernel = std::get_if<KernelPlan>(&plan_.steps[i])) {
      const bool joins =
          kernel->beside && !steps_.empty() && std::holds_alternative<std::vector<Kernel>>(steps_.back());
      if (!joins) steps_.emplace_back(std::vector<Kernel>());
      std::get<std::vector<Kernel>>(steps_.back()).emplace_back(*kernel, i, symbols);
      continue;
    }
    if (const auto* control = std::get_if<ControlPlan>(&plan_.steps[i])) {
      add_control(*control);
      continue;
    }
    const auto& step = std::get<LibraryPlan>(plan_.steps[i]);
    Library library{&step, i, nullptr, {}, {}, {}};
    for (const WindowPlan& w : step.operands) library.operands.emplace_back(w);
    for (const WindowPlan& w : step.results) library.results.emplace_back(w);
    if (step.epilogue) library.epilogue.emplace(*step.epilogue, i, symbols);
    for (const KernelPlan& k : step.between) library.between.emplace_back(k, i, symbols);
    for (const DimProgram& size : step.sizes) library.sizes.emplace_back(size);
    if (step.workspace != ~0u) library.workspace = Value(plan_.buffers[step.workspace].bytes);
    steps_.emplace_back(std::move(library));
  }
}

void PreparedPlan::add_control(const ControlPlan& plan) {
  using Kind = ControlPlan::Kind;
  const size_t at = steps_.size();
  Control control{&plan, Value(plan.count), ~size_t{0}, ~size_t{0}, {}};
  const auto opener = [&]() -> Control& { return std::get<Control>(steps_[blocks_.back()]); };
  switch (plan.kind) {
    case Kind::Repeat:
      for (uint32_t b = 0; b < plan_.buffers.size(); ++b) {
        const BufferPlan& part = plan_.buffers[b];
        if (part.role == BufferPlan::Role::Part && part.index == plan.counter)
          control.parts.push_back(
              {b, part.whole, Value(part.at), Value(part.bytes), Value(plan_.buffers[part.whole].bytes)});
      }
      [[fallthrough]];
    case Kind::Loop:
    case Kind::If: blocks_.push_back(at); break;
    case Kind::Leave: control.other = blocks_.back(); break;
    case Kind::Else:
      control.other = blocks_.back();
      opener().other = at;
      break;
    case Kind::End: {
      Control& first = opener();
      first.end = at;
      if (first.plan->kind != Kind::If)
        control.other = blocks_.back();
      else if (first.other == ~size_t{0})
        first.other = at;
      // Those that waited for the End.
      for (size_t i = blocks_.back() + 1; i < at; ++i)
        if (auto* c = std::get_if<Control>(&steps_[i]);
            c && c->end == ~size_t{0} && c->other == blocks_.back() && c->plan->kind != Kind::End)
          c->end = at;
      blocks_.pop_back();
      break;
    }
  }
  steps_.emplace_back(std::move(control));
}

Status PreparedPlan::resolve_once() const {
  std::lock_guard lock(resolving_);
  if (resolved_.load(std::memory_order_relaxed)) return {};
  auto look_up = [&](Kernel& k) -> Status {
    if (k.fn) return {};
    if (!plan_.code) return Diagnostic("kernel '" + k.plan->name + "' has no code");
    auto entry = plan_.code->entry(k.plan->name);
    if (!entry.ok()) return entry.error();
    k.fn = *entry;
    return {};
  };
  for (Step& step : steps_) {
    if (auto* kernels = std::get_if<std::vector<Kernel>>(&step)) {
      for (Kernel& kernel : *kernels) FRIT_TRY(look_up(kernel));
      continue;
    }
    if (std::holds_alternative<Control>(step)) continue;
    auto& library = std::get<Library>(step);
    std::string why;
    if (!library.fn) library.fn = find_library(library.plan->name, why);
    if (!library.fn)
      return Diagnostic("the routine '" + library.plan->name + "' is not installed: " + why, {},
                        "install frit's runtime plugins, or name their folder in FRIT_PLUGIN_DIR");
    if (library.epilogue) FRIT_TRY(look_up(*library.epilogue));
    for (Kernel& k : library.between) FRIT_TRY(look_up(k));
  }
  resolved_.store(true, std::memory_order_release);
  return {};
}

Status PreparedPlan::check_all(const int64_t* symbols) const {
  for (const SizeCheck& c : plan_.checks) {
    const int64_t needed = c.needed.evaluate(symbols), available = c.available.evaluate(symbols);
    if (needed > available)
      return Diagnostic(c.what + " of '" + plan_.name + "' needs " + std::to_string(needed) + " bytes, but has " +
                            std::to_string(available),
                        {}, "the plan does not fit its code; compile the function again");
  }
  return {};
}

Diagnostic PreparedPlan::too_large(const char* what, int64_t bytes) const {
  return Diagnostic("cannot allocate " + std::to_string(bytes) + " bytes for " + what + " of '" + plan_.name + "'", {},
                    "call it with smaller arrays");
}

Diagnostic PreparedPlan::no_workspace(size_t bytes) const {
  return Diagnostic("cannot allocate the workspace of '" + plan_.name + "' of " + std::to_string(bytes) + " bytes", {},
                    "free arrays or raise the limit with set_memory_limit");
}

Diagnostic PreparedPlan::short_input(uint32_t index, int64_t needed) const {
  return Diagnostic("input " + std::to_string(index) + " of '" + plan_.name + "' has less memory than the " +
                        std::to_string(needed) + " bytes that are read",
                    {}, "pass an array whose memory holds all its elements, or compile the function again");
}

Diagnostic PreparedPlan::outside(const char* what, size_t index, std::span<const int64_t> shape) const {
  std::string text;
  int64_t elements = 1;
  bool large = false;
  for (int64_t n : shape) {
    text += (text.empty() ? "" : ", ") + std::to_string(n);
    large |= __builtin_mul_overflow(elements, n, &elements) || elements > kMostElements;
  }
  const std::string who = what + (" " + std::to_string(index)) + " of '" + plan_.name + "'";
  if (large) return Diagnostic(who + " has more than 2^48 elements: [" + text + "]", {}, "call it with smaller arrays");
  return Diagnostic(who + ", [" + text + "], reaches past its buffer", {},
                    "the plan is damaged; compile the function again");
}

}  // namespace frit::runtime
