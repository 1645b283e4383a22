// The traces of one compiled function: how a call finds its trace, when a new one is made, and why.
//
// Shared by the copies of the function. A call looks its signature up under a shared lock; among the entries with that
// signature the first whose facts about sizes hold serves it. Threads that miss with equal signatures wait for one of
// them to trace. Traces are bounded in number; those not used for longest go.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "frontend/compile/compiled_entry.h"
#include "frontend/core/own_functions.h"

namespace frit::detail {

// A std::function<std::vector<array>(const std::vector<array>&)> as a ClosureFn. A list has no structure but its
// length.
void call_list(const void* closure, Reader& in, std::vector<array>& results, Structure& structure);

class CompiledState {
 public:
  CompiledState(std::shared_ptr<const void> closure, CompileOptions options);

  const std::string& name() const { return options_.name; }
  bool has_state() const { return has_state_; }
  bool is_own() const { return own_; }
  const CompileOptions& options() const { return options_; }
  uint64_t promoted() const { return promoted_.load(std::memory_order_relaxed); }

  // Calls the function itself, without a trace.
  std::vector<array> call_closure(const Call& call, Structure& structure) const;

  // The entry for a call (arrays of captured state behind its own), traced by this thread or another; fills in the
  // values of its symbols.
  std::shared_ptr<CompiledEntry> entry_for(const Call& call, SymbolValues& symbols);
  // The entry for arguments without data.
  std::shared_ptr<CompiledEntry> entry_ahead(ClosureFn fn, std::span<const ShapeDtype> arguments);

  // The entries that are held, in the order in which they were made.
  std::vector<std::shared_ptr<CompiledEntry>> entries() const;
  void clear();
  size_t cache_size() const;
  size_t trace_count() const { return counters_->traces.load(std::memory_order_relaxed); }
  void count_call() { counters_->calls.fetch_add(1, std::memory_order_relaxed); }
  FunctionStats stats() const;
  std::string explain() const;
  // Why each trace after the first was made; the latest ones.
  std::vector<std::string> misses() const;

 private:
  // The start of a trace: the signature, and the type of each argument.
  struct Request {
    Signature signature;
    std::vector<ir::Type> types;
    std::vector<std::string> names;    // of the arguments
    std::unique_ptr<SizeTrace> sizes;  // null when no size is open
  };

  std::shared_ptr<CompiledEntry> find(uint64_t hash, const Call& call, SymbolValues& symbols);
  std::shared_ptr<CompiledEntry> make_entry(Request request, std::unique_lock<std::shared_mutex>& guard);
  std::shared_ptr<CompiledEntry> trace(Request&& request);  // the sizes stay in `request` where it throws
  // Traces with open sizes, or with the numbers of this call where an operation cannot be shown to fit every size.
  std::shared_ptr<CompiledEntry> trace_open_or_fixed(Request request);
  Request request_for(const Call& call) const;
  Request request_ahead(ClosureFn fn, std::span<const ShapeDtype> arguments) const;
  ir::Type open_type(const array& a, size_t index, const std::string& name, SizeTrace& sizes) const;
  const DimDeclaration* declaration(const std::string& name) const;
  void check_declared(const Call& call) const;
  // Logs, counts and, where the options say so, refuses one more trace for `call`.
  void account_for_miss(const Call& call);
  void drop_oldest();

  const std::shared_ptr<const void> closure_;
  CompileOptions options_;
  const bool own_ = OwnFunctions::made_here();
  bool has_state_ = false;
  bool open_ = false;  // sizes are not part of signatures

  mutable std::shared_mutex mutex_;
  std::condition_variable_any traced_;
  std::vector<const Signature*> tracing_;
  std::unordered_multimap<uint64_t, std::shared_ptr<CompiledEntry>> entries_;
  std::atomic<uint64_t> clock_{0};
  std::shared_ptr<FunctionCounters> counters_ = std::make_shared<FunctionCounters>();
  std::deque<std::string> misses_;                    // the latest explanations
  std::unordered_map<uint32_t, int> number_changes_;  // of a number argument: traces made for a new value alone
  std::atomic<uint64_t> promoted_{0};
};

}  // namespace frit::detail
