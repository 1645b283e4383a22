// Counts what is asked of operator new, for the whole process.
#include "work.h"

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
std::atomic<uint64_t> g_bytes{0};

void* counted_or_null(std::size_t size, std::size_t alignment) noexcept {
  g_bytes.fetch_add(size, std::memory_order_relaxed);
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  return alignment > alignof(std::max_align_t) ? std::aligned_alloc(alignment, rounded) : std::malloc(size ? size : 1);
}

void* counted(std::size_t size, std::size_t alignment) {
  void* p = counted_or_null(size, alignment);
  if (!p) throw std::bad_alloc();
  return p;
}
}  // namespace

void* operator new(std::size_t size) { return counted(size, 1); }
void* operator new[](std::size_t size) { return counted(size, 1); }
void* operator new(std::size_t size, std::align_val_t a) { return counted(size, static_cast<std::size_t>(a)); }
void* operator new[](std::size_t size, std::align_val_t a) { return counted(size, static_cast<std::size_t>(a)); }
// The C++ library's nothrow forms need not call the ones above, and a sanitizer's do not.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted_or_null(size, 1); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }

namespace frit::test {

uint64_t bytes_asked_for() { return g_bytes.load(std::memory_order_relaxed); }

uint64_t bytes_asked_for(const std::function<void()>& action) {
  const uint64_t before = bytes_asked_for();
  action();
  return bytes_asked_for() - before;
}

Growth growth_of(const std::vector<int>& sizes, const std::vector<double>& work) {
  Growth g{0, {}};
  for (size_t i = 0; i < sizes.size(); ++i)
    g.text += std::to_string(sizes[i]) + ": " + std::to_string(static_cast<int64_t>(work[i])) + "  ";
  const size_t last = sizes.size() - 1;
  g.exponent = std::log(work[last] / work[last - 1]) / std::log(static_cast<double>(sizes[last]) / sizes[last - 1]);
  g.text += "exponent " + std::to_string(g.exponent);
  return g;
}

Growth growth(const std::vector<int>& sizes, const std::function<void(int)>& action) {
  action(sizes[0]);
  std::vector<double> work;
  for (int n : sizes) work.push_back(static_cast<double>(bytes_asked_for([&] { action(n); })));
  return growth_of(sizes, work);
}

}  // namespace frit::test
