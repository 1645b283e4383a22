// Runs the limit of a work: a copy or read of the bytes it must move, the bare product by the library, or its bare
// products by frit.
#pragma once

#include <cblas.h>

#include <memory>

#include "machine.h"
#include "work.h"

namespace bench {

class LimitRun {
 public:
  explicit LimitRun(const Work& work) : limit_(work.limit) {
    const Limit& limit = limit_;
    if (limit.kind == Limit::kNone) return;
    if (limit.kind == Limit::kBare) {
      bare_ = [compiled = frit::compile(limit.bare), inputs = work.inputs()]() mutable {
        frit::eval(compiled(inputs));
      };
      return;
    }
    if (limit.kind == Limit::kProduct) {
      const auto floats = [](int rows, int cols) {
        return sizeof(float) * static_cast<size_t>(rows) * static_cast<size_t>(cols);
      };
      from_ = std::make_unique<Pages>(floats(limit.m, limit.k));
      with_ = std::make_unique<Pages>(floats(limit.k, limit.n));
      to_ = std::make_unique<Pages>(floats(limit.m, limit.n));
      return;
    }
    from_ = std::make_unique<Pages>(limit.bytes);
    if (limit.kind == Limit::kCopy) to_ = std::make_unique<Pages>(limit.bytes);
  }

  void operator()() const {
    switch (limit_.kind) {
      case Limit::kNone: return;
      case Limit::kCopy: return parallel_copy(to_->data(), from_->data(), limit_.bytes);
      case Limit::kRead: return parallel_read(from_->data(), limit_.bytes);
      case Limit::kProduct: return product();
      case Limit::kBare: return bare_();
    }
  }

 private:
  void product() const {
    // frit runs the library in frit's own threads with one thread each; here it may use all.
    openblas_set_num_threads(static_cast<int>(threads()));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, limit_.m, limit_.n, limit_.k, 1.0f,
                static_cast<const float*>(from_->data()), limit_.k, static_cast<const float*>(with_->data()), limit_.n,
                0.0f, static_cast<float*>(to_->data()), limit_.n);
    openblas_set_num_threads(1);
  }

  Limit limit_;
  std::unique_ptr<Pages> from_, with_, to_;
  std::function<void()> bare_;
};

}  // namespace bench
