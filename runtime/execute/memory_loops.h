// Loops over memory on frit's threads whose speed is the machine's limit, for benchmarks and reports.
#pragma once

#ifdef __x86_64__
#include <emmintrin.h>
#endif
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "runtime/execute/parallel.h"

namespace frit::runtime {

// Touched memory, in huge pages if the system gives them. A limit measured on small pages would flatter code that uses
// large ones.
class Pages {
 public:
  explicit Pages(size_t bytes) : size_(std::max<size_t>(bytes, 1)) {
    data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (data_ == MAP_FAILED) throw std::bad_alloc();
    madvise(data_, size_, MADV_HUGEPAGE);
    std::memset(data_, 1, size_);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(data_, size_); }
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  size_t size_;
};

// Calls part(begin, end) for parts of kPart bytes (the last may be smaller) on frit's threads, which exist already.
template <class F>
void in_parallel(size_t bytes, F part) {
  static constexpr size_t kPart = size_t{1} << 18;
  struct Context {
    size_t bytes;
    F& part;
  } context{bytes, part};
  const auto run = [](void* data, int64_t begin, int64_t end) {
    Context& c = *static_cast<Context*>(data);
    c.part(static_cast<size_t>(begin) * kPart, std::min(c.bytes, static_cast<size_t>(end) * kPart));
  };
  parallel_for(static_cast<int64_t>((bytes + kPart - 1) / kPart), 1, run, &context);
}

// Copies `bytes` between places aligned to 16 bytes, with non-temporal stores. The C library's memcpy uses those only
// above the cache size that it detects, which in a virtual machine may be the whole socket's; below that size it is up
// to a half slower.
inline void copy_past_caches(char* to, const char* from, size_t bytes) {
  size_t done = 0;
#ifdef __x86_64__
  for (; done + sizeof(__m128i) <= bytes; done += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + done),
                     _mm_load_si128(reinterpret_cast<const __m128i*>(from + done)));
  _mm_sfence();
#endif
  std::memcpy(to + done, from + done, bytes - done);
}

// Copies `bytes` on all threads, for sizes far above the caches.
inline void parallel_copy(void* to, const void* from, size_t bytes) {
  in_parallel(bytes, [=](size_t begin, size_t end) {
    copy_past_caches(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
  });
}

// Reads `bytes`, without the last bytes of a partial 64.
inline void read_all(const char* from, size_t bytes) {
  using Line __attribute__((vector_size(64), aligned(16), may_alias)) = float;
  const Line* lines = reinterpret_cast<const Line*>(from);
  const size_t n = bytes / sizeof(Line);
  Line a = {}, b = {}, c = {}, d = {};
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a += lines[i];
    b += lines[i + 1];
    c += lines[i + 2];
    d += lines[i + 3];
  }
  for (; i < n; ++i) a += lines[i];
  Line total = a + b + c + d;
  asm volatile("" : : "g"(&total) : "memory");
}

// The same on all threads.
inline void parallel_read(const void* from, size_t bytes) {
  in_parallel(bytes, [=](size_t begin, size_t end) { read_all(static_cast<const char*>(from) + begin, end - begin); });
}

}  // namespace frit::runtime
