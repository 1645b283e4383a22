// A server's loop: requests of different sizes wait in a queue; threads take them and compute, each with its own
// workspace. All computation is in classify.so; the program includes and links nothing of frit.
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <vector>

#include "classify.h"

namespace {

constexpr int64_t kFeatures = 64, kClasses = 10;

struct Request {
  int64_t rows;
  std::vector<float> x, scores;
  std::string error;  // the message of a failed call
};

struct Model {
  std::vector<float> weight, bias;
};

// Memory that starts at a multiple of 64 bytes and grows when a request needs more.
class Workspace {
 public:
  void* of(size_t bytes) {
    if (bytes > bytes_) {
      bytes_ = (bytes + 63) / 64 * 64;
      memory_.reset(std::aligned_alloc(64, bytes_));
    }
    return memory_.get();
  }

 private:
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> memory_;
  size_t bytes_ = 0;
};

void serve(const Model& model, Request& r, Workspace& workspace) {
  const size_t bytes = classify_workspace(r.rows);
  const char* message = nullptr;
  // There is no workspace for a size that the function refuses; the call then says what is wrong with it.
  void* memory = bytes == SIZE_MAX ? nullptr : workspace.of(bytes);
  if (classify(r.x.data(), model.weight.data(), model.bias.data(), r.scores.data(), r.rows, memory, &message) !=
      FRIT_CALL_OK)
    r.error = message;
}

class Queue {
 public:
  void push(Request* r) {
    std::lock_guard lock(mutex_);
    waiting_.push(r);
    changed_.notify_one();
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  // Null when no request will come.
  Request* pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return nullptr;
    Request* r = waiting_.front();
    waiting_.pop();
    return r;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<Request*> waiting_;
  bool closed_ = false;
};

float number(int64_t i) { return static_cast<float>((i * 7919 + 13) % 1000) / 1000 - 0.5f; }

}  // namespace

int main() {
  Model model;
  for (int64_t i = 0; i < kFeatures * kClasses; ++i) model.weight.push_back(number(i));
  for (int64_t i = 0; i < kClasses; ++i) model.bias.push_back(number(3 * i));

  std::vector<Request> requests;
  for (int64_t i = 0; i < 200; ++i) {
    Request r{i % 33, {}, {}, {}};
    for (int64_t k = 0; k < r.rows * kFeatures; ++k) r.x.push_back(number(i + k));
    r.scores.resize(static_cast<size_t>(r.rows * kClasses));
    requests.push_back(std::move(r));
  }

  Queue queue;
  std::vector<std::thread> threads;
  const auto start = std::chrono::steady_clock::now();
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Workspace workspace;
      while (Request* r = queue.pop()) serve(model, *r, workspace);
    });
  for (Request& r : requests) queue.push(&r);
  queue.close();
  for (std::thread& t : threads) t.join();
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();

  int64_t rows = 0;
  for (const Request& r : requests) {
    if (!r.error.empty()) return std::fprintf(stderr, "%s\n", r.error.c_str()), 1;
    rows += r.rows;
    for (int64_t row = 0; row < r.rows; ++row) {
      float sum = 0;
      for (int64_t c = 0; c < kClasses; ++c) sum += r.scores[static_cast<size_t>(row * kClasses + c)];
      if (std::fabs(sum - 1) > 1e-5f)
        return std::fprintf(stderr, "the scores of a row sum to %g\n", static_cast<double>(sum)), 1;
    }
  }
  // A request past the model's limit is refused with a message.
  Request large{5000, {}, {}, {}};
  Workspace workspace;
  serve(model, large, workspace);
  if (large.error.empty()) return std::fprintf(stderr, "5000 rows were taken\n"), 1;
  std::printf("%zu requests of %lld rows on 4 threads in %.1f ms; refused: %s\n", requests.size(),
              static_cast<long long>(rows), ms, large.error.c_str());
}
