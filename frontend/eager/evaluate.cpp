// Evaluation of the lazy graph: a walk in dependency order with an explicit stack, then one operation after the other.
#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "frontend/core/node.h"
#include "frontend/eager/eager.h"
#include "frontend/frit/error.h"
#include "frontend/frit/transforms.h"
#include "runtime/execute/interrupt.h"

namespace frit::detail {

std::vector<NodePtr> inputs_of(Operation& operation) {
  std::lock_guard<SpinLock> guard(operation.lock);
  return operation.inputs;
}

namespace {

void publish(Operation& operation, std::span<runtime::Tensor> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    NodePtr node = operation.results[i].lock();
    if (!node) continue;
    node->tensor = std::move(tensors[i]);
    node->ready.store(true, std::memory_order_release);
    OperationPtr dropped;
    {
      std::lock_guard<SpinLock> guard(node->lock);
      dropped = std::move(node->operation);
    }
  }
}

// The value of a node that nobody else holds.
runtime::Tensor taken_from(Node& node) {
  if (std::unique_ptr<const runtime::Tensor> copy{node.spread.exchange(nullptr, std::memory_order_acq_rel)})
    return *copy;
  return std::move(node.tensor);
}

bool is_on_host(const runtime::Tensor& t) { return t.buffer && !t.buffer->gpu(); }

// Gives filled results that were named their memory before anybody reads them: later it would stand beside that of one
// element. Where there is none, settle says so.
void spread_wanted(Operation& operation, std::span<runtime::Tensor> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    const NodePtr node = operation.results[i].lock();
    if (!node || !node->wanted.load(std::memory_order_relaxed) || !is_on_host(tensors[i]) || !is_uniform(tensors[i]))
      continue;
    try {
      tensors[i] = dense(tensors[i]);
    } catch (const Error&) {
    }
  }
}

// Runs an operation that the caller has claimed.
void run_claimed(Operation& operation) {
  const size_t count = operation.inputs.size();
  // The results, then the inputs: one allocation. Inputs are copied because a donated one is handed over.
  std::vector<runtime::Tensor> tensors(operation.results.size() + count);
  const std::span<runtime::Tensor> outputs(tensors.data(), operation.results.size());
  const std::span<runtime::Tensor> inputs(tensors.data() + outputs.size(), count);
  // Most operations have few inputs.
  bool donated_small[8] = {};
  std::unique_ptr<bool[]> donated_large;
  bool* donated = donated_small;
  if (count > 8) {
    donated_large = std::make_unique<bool[]>(count);
    donated = donated_large.get();
  }
  try {
    for (size_t i = 0; i < count; ++i) {
      const NodePtr& node = operation.inputs[i];
      if (!node->is_ready()) throw_no_memory();
      // A value that only this operation holds is donated: its memory may become the result's.
      donated[i] = node.use_count() == 1;
      inputs[i] = donated[i] ? taken_from(*node) : node->value();
    }
    operation.run(inputs, std::span<const bool>(donated, count), outputs);
    spread_wanted(operation, outputs);
    for (runtime::Tensor& t : inputs) t.buffer.reset();
    std::vector<NodePtr> finished;
    {
      std::lock_guard<SpinLock> guard(operation.lock);
      finished = std::move(operation.inputs);
      operation.inputs.clear();
    }
    publish(operation, outputs);
  } catch (...) {
    for (size_t i = 0; i < count; ++i)
      if (donated[i]) operation.inputs[i]->tensor = std::move(inputs[i]);
    operation.state.store(OperationState::Pending, std::memory_order_release);
    operation.state.notify_all();
    throw;
  }
  operation.state.store(OperationState::Done, std::memory_order_release);
  operation.state.notify_all();
}

// Runs the operation, or waits until another thread has run it. All inputs are ready.
void run_or_wait(Operation& operation) {
  for (;;) {
    OperationState expected = OperationState::Pending;
    if (operation.state.compare_exchange_strong(expected, OperationState::Running, std::memory_order_acq_rel)) {
      run_claimed(operation);
      return;
    }
    if (expected == OperationState::Done) return;
    operation.state.wait(OperationState::Running, std::memory_order_acquire);
  }
}

// Whether nothing has to run before the operation. Nothing is added to inputs, and those that are ready stay so.
bool are_inputs_ready(Operation& operation) {
  std::lock_guard<SpinLock> guard(operation.lock);
  return std::all_of(operation.inputs.begin(), operation.inputs.end(),
                     [](const NodePtr& input) { return input->is_ready(); });
}

void check_interrupt() {
  if (runtime::interrupted()) throw_runtime(runtime::interruption(), Where());
}

struct EvaluationFrame {
  OperationPtr operation;
  std::vector<NodePtr> inputs;
  size_t next = 0;
};

}  // namespace

const runtime::Tensor& addressable(Node& node) {
  const runtime::Tensor& value = node.value();
  if (!is_uniform(value)) return value;
  auto copy = std::make_unique<const runtime::Tensor>(dense(value));
  const runtime::Tensor* expected = nullptr;
  // Another thread may have been faster; all threads must see one address.
  if (node.spread.compare_exchange_strong(expected, copy.get(), std::memory_order_acq_rel)) expected = copy.release();
  return *expected;
}

void evaluate_named(const NodePtr& node) {
  Node& named = known(*node);
  if (named.is_ready()) return;
  if (named.filled) named.wanted.store(true, std::memory_order_relaxed);
  evaluate(node);
}

void settle(const NodePtr& node) {
  Node& named = known(*node);
  wait_for(named.value());
  if (named.filled && is_on_host(named.value())) addressable(named);
}

void evaluate(std::span<const NodePtr> nodes) {
  std::vector<EvaluationFrame> stack;
  for (const NodePtr& root : nodes) {
    const NodePtr node = value_of(root);
    OperationPtr operation = node->current_operation();
    if (!operation) {
      if (!node->is_ready()) throw_no_memory();
      continue;
    }
    if (are_inputs_ready(*operation)) {
      check_interrupt();
      run_or_wait(*operation);
      continue;
    }
    std::vector<NodePtr> inputs = inputs_of(*operation);
    stack.push_back({std::move(operation), std::move(inputs), 0});
    while (!stack.empty()) {
      EvaluationFrame& top = stack.back();
      OperationPtr next;
      while (top.next < top.inputs.size() && !next) {
        const NodePtr& input = top.inputs[top.next++];
        next = input->current_operation();
      }
      if (next && are_inputs_ready(*next)) {
        check_interrupt();
        run_or_wait(*next);
        continue;
      }
      if (next) {
        std::vector<NodePtr> inputs = inputs_of(*next);
        stack.push_back({std::move(next), std::move(inputs), 0});
        continue;
      }
      check_interrupt();
      OperationPtr finished = std::move(top.operation);
      stack.pop_back();
      run_or_wait(*finished);
    }
  }
}

}  // namespace frit::detail

namespace frit {

InterruptCheck set_interrupt_check(InterruptCheck check) { return runtime::set_interrupt_check(check); }

void eval(const std::vector<array>& outputs) {
  for (const array& a : outputs) detail::evaluate_named(detail::node_of(a));
  for (const array& a : outputs) detail::settle(detail::node_of(a));
}

}  // namespace frit
