// One trace of a compiled function, and the code it became.
//
// Immutable after construction but for `variants`: executables by the layouts of the arguments, made when a call first runs with them. The common case, all
// arguments dense, is one atomic load.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "frontend/code_cache.h"
#include "frontend/signature.h"
#include "frontend/trace.h"

namespace frit::detail {

class CompiledEntry {
 public:
  CompiledEntry(Signature signature, TracedFunction traced, CompileMode mode);

  const Signature& signature() const { return signature_; }
  const TracedFunction& traced() const { return traced_; }
  CompileMode mode() const { return mode_; }
  const std::vector<std::pair<Dtype, Shape>>& results() const { return results_; }
  size_t user_results = 0;  // the others are written state

  // Runs on arguments of the signature. Throws RuntimeError at `where`.
  void run(std::span<runtime::Tensor> arguments, std::span<const bool> donated, std::span<runtime::Tensor> outputs,
           const std::source_location& where);

  // Code for dense arguments.
  Result<ExecutablePtr> dense_code();

  std::atomic<uint64_t> last_used{0};

 private:
  // The layout of each argument, one character an axis; empty when all are dense.
  Result<ExecutablePtr> code_for_layouts(const std::string& key, std::span<const runtime::Tensor> arguments);

  Signature signature_;
  TracedFunction traced_;
  CompileMode mode_;
  std::vector<std::pair<Dtype, Shape>> results_;
  std::atomic<const runtime::Executable*> dense_{nullptr};
  std::mutex mutex_;
  std::vector<std::pair<std::string, ExecutablePtr>> variants_;
};

// A call of a compiled function.
struct CallOperation final : Operation {
  CallOperation(std::shared_ptr<CompiledEntry> entry, std::source_location where)
      : Operation(OperationKind::Call, where), entry(std::move(entry)) {}
  void run(std::span<runtime::Tensor> inputs, std::span<const bool> donated, std::span<runtime::Tensor> outputs) override {
    entry->run(inputs, donated, outputs, where);
  }
  std::string_view name() const override { return entry->traced().function.name; }
  std::shared_ptr<CompiledEntry> entry;
};

}  // namespace frit::detail
