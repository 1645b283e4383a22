// The pool of freed blocks, limits and statistics.
#include "runtime/memory/memory.h"

#include "runtime/memory/capacity.h"
#include "runtime/memory/gpu_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <new>
#include <string>

namespace frit::runtime {

struct BufferAccess {
  // make_shared needs a public constructor.
  struct Constructible : Buffer {};
  static void* behind(const void* object) {
    return reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(object) + sizeof(Buffer) + 63) & ~uintptr_t{63});
  }
  static void fill(Buffer& b, void* data, size_t bytes, size_t block_bytes, bool owned) {
    b.data_ = data;
    b.bytes_ = bytes;
    b.block_bytes_ = block_bytes;
    b.owned_ = owned;
  }
};

namespace {

constexpr size_t kAlign = 64;
constexpr size_t kHuge = size_t{2} << 20;
constexpr size_t kPage = 4096;
// The C library gives the end of its heap back to the system as soon as it is free: smaller results too would fault
// their pages in at every call.
constexpr size_t kPooled = kPage;

// Whole pages, eight classes per doubling where that is more: a block is at most an eighth or a page larger than what
// was asked for.
struct SizeClass {
  size_t index, bytes;
};
SizeClass class_of(size_t bytes) {
  bytes = std::max(bytes, kPooled);
  int log = std::bit_width(bytes - 1) - 1;  // 2^log < bytes <= 2^(log + 1)
  size_t step = std::max(size_t{1} << (log - 3), bytes > kPage ? kPage : size_t{1});
  size_t base = size_t{1} << log;
  size_t part = (bytes - base + step - 1) / step;  // 1..8
  return {static_cast<size_t>(log) * 8 + part - 1, base + part * step};
}
constexpr size_t kClasses = 48 * 8;
constexpr size_t kLargest = size_t{1} << 47;

void* map_block(size_t bytes) {
  size_t slack = bytes >= kHuge ? kHuge - kPage : 0;
  void* raw = mmap(nullptr, bytes + slack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  if (!slack) return raw;
  auto start = reinterpret_cast<uintptr_t>(raw);
  uintptr_t aligned = (start + kHuge - 1) & ~(kHuge - 1);
  if (aligned > start) munmap(raw, aligned - start);
  uintptr_t tail = aligned + bytes, end = start + bytes + slack;
  if (end > tail) munmap(reinterpret_cast<void*>(tail), end - tail);
  void* data = reinterpret_cast<void*>(aligned);
  madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

// Stands in the first bytes of a cached block. Two lists run through it: its class's (newest first), and all blocks by
// age.
struct Cached {
  size_t bytes, index;
  Cached *class_next, *class_prev;
  Cached *older, *newer;
};

size_t read_limit_file(const char* path) {
  std::ifstream file(path);
  size_t value = 0;
  return file >> value ? value : SIZE_MAX;
}

// Never destroyed: buffers may be freed by destructors of statics that run at any time.
struct Pool {
  std::atomic<size_t> active{0}, peak{0}, cached{0};
  std::atomic<size_t> memory_limit{physical_memory()}, cache_limit{physical_memory() / 4};
  std::atomic<size_t> capacity{physical_memory()};
  // The bytes that may be active: a limit past the machine's memory counts on its swap space.
  size_t most() const {
    return std::max(memory_limit.load(std::memory_order_relaxed), capacity.load(std::memory_order_relaxed));
  }

  std::mutex mutex;  // guards all that follows
  Cached* classes[kClasses] = {};
  Cached *newest = nullptr, *oldest = nullptr;

  void unlink(Cached* c) {
    (c->class_prev ? c->class_prev->class_next : classes[c->index]) = c->class_next;
    if (c->class_next) c->class_next->class_prev = c->class_prev;
    (c->newer ? c->newer->older : newest) = c->older;
    (c->older ? c->older->newer : oldest) = c->newer;
    cached.fetch_sub(c->bytes, std::memory_order_relaxed);
  }

  void* take(SizeClass size) {
    std::lock_guard lock(mutex);
    Cached* c = classes[size.index];
    if (c) unlink(c);
    return c;
  }

  // Frees the oldest blocks until at most `keep` bytes are cached.
  void trim(size_t keep) {
    Cached* doomed = nullptr;
    {
      std::lock_guard lock(mutex);
      while (oldest && cached.load(std::memory_order_relaxed) > keep) {
        Cached* c = oldest;
        unlink(c);
        c->older = doomed;
        doomed = c;
      }
    }
    // Outside the lock: unmapping a large block takes long.
    while (doomed) {
      Cached* next = doomed->older;
      munmap(doomed, doomed->bytes);
      doomed = next;
    }
  }

  void put(void* block, size_t bytes) {
    size_t limit = cache_limit.load(std::memory_order_relaxed);
    if (bytes > limit) {
      munmap(block, bytes);
      return;
    }
    if (cached.load(std::memory_order_relaxed) + bytes > limit) trim(limit - bytes);
    {
      std::lock_guard lock(mutex);
      size_t index = class_of(bytes).index;
      Cached* c = new (block) Cached{bytes, index, classes[index], nullptr, newest, nullptr};
      if (c->class_next) c->class_next->class_prev = c;
      classes[index] = c;
      (newest ? newest->newer : oldest) = c;
      newest = c;
      cached.fetch_add(bytes, std::memory_order_relaxed);
    }
    // Another thread may have put a block since the check, or lowered the limit.
    limit = cache_limit.load(std::memory_order_relaxed);
    if (cached.load(std::memory_order_relaxed) > limit) trim(limit);
  }
};

Pool& pool() {
  static Pool* instance = new Pool;
  return *instance;
}

// Lets allocate_shared put `extra` bytes behind the Buffer that it makes.
template <class T>
struct BehindAllocator {
  using value_type = T;
  size_t extra;
  explicit BehindAllocator(size_t e) : extra(e) {}
  template <class U>
  BehindAllocator(const BehindAllocator<U>& other) : extra(other.extra) {}
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T) + extra)); }
  void deallocate(T* p, size_t) { ::operator delete(p); }
  template <class U>
  bool operator==(const BehindAllocator<U>&) const {
    return true;
  }
};

std::string megabytes(size_t bytes) { return std::to_string((bytes + (1 << 20) - 1) >> 20) + " MiB"; }

Diagnostic exhausted(size_t bytes, const Pool& p) {
  return {"cannot allocate " + std::to_string(bytes) + " bytes: " + megabytes(p.active) +
              " are in use and the memory limit is " + megabytes(p.most()),
          {},
          "free arrays, work on smaller pieces, or raise the limit with set_memory_limit"};
}

}  // namespace

Result<std::shared_ptr<Buffer>> Buffer::allocate(size_t bytes) {
  Pool& p = pool();
  const size_t limit = p.memory_limit.load(std::memory_order_relaxed), most = p.most();
  // First: a sum with a size past any limit could wrap around.
  if (bytes > most || bytes > kLargest) return exhausted(bytes, p);
  size_t active = p.active.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  auto give_up = [&] {
    p.active.fetch_sub(bytes, std::memory_order_relaxed);
    return exhausted(bytes, p);
  };
  if (active + p.cached.load(std::memory_order_relaxed) > limit) {
    p.trim(active > limit ? 0 : limit - active);
    if (active > most) return give_up();
  }

  std::shared_ptr<Buffer> buffer;
  if (bytes < kPooled) {
    BehindAllocator<BufferAccess::Constructible> allocator((bytes + 2 * kAlign - 1) & ~(kAlign - 1));
    buffer = std::allocate_shared<BufferAccess::Constructible>(allocator);
    BufferAccess::fill(*buffer, BufferAccess::behind(buffer.get()), bytes, 0, true);
  } else {
    SizeClass size = class_of(bytes);
    void* block = p.take(size);
    if (!block) {
      block = map_block(size.bytes);
      if (!block) {
        // The machine refuses: the cached blocks may be enough.
        p.trim(0);
        block = map_block(size.bytes);
      }
      if (!block) return give_up();
    }
    buffer = std::make_shared<BufferAccess::Constructible>();
    BufferAccess::fill(*buffer, block, bytes, size.bytes, true);
  }
  size_t peak = p.peak.load(std::memory_order_relaxed);
  while (active > peak && !p.peak.compare_exchange_weak(peak, active, std::memory_order_relaxed)) {
  }
  return buffer;
}

std::shared_ptr<Buffer> Buffer::adopt(void* data, size_t bytes, std::function<void(void*)> release) {
  auto buffer = std::make_shared<BufferAccess::Constructible>();
  BufferAccess::fill(*buffer, data, bytes, 0, false);
  static_cast<Buffer&>(*buffer).release_ = std::move(release);
  return buffer;
}

std::shared_ptr<Buffer> Buffer::of_gpu(std::shared_ptr<GpuMemory> memory, void* data, size_t bytes) {
  auto buffer = std::make_shared<BufferAccess::Constructible>();
  BufferAccess::fill(*buffer, data, bytes, 0, false);
  static_cast<Buffer&>(*buffer).gpu_ = std::move(memory);
  return buffer;
}

void* Buffer::gpu_copy() const { return gpu_->host_copy(); }

Buffer::~Buffer() {
  if (owned_) {
    Pool& p = pool();
    if (block_bytes_) p.put(data_, block_bytes_);
    p.active.fetch_sub(bytes_, std::memory_order_relaxed);
  } else if (release_) {
    release_(data_);
  }
}

size_t active_memory() { return pool().active; }
size_t peak_memory() { return pool().peak; }
void reset_peak_memory() { pool().peak = 0; }
size_t cache_memory() { return pool().cached; }

size_t set_memory_limit(size_t bytes) {
  Pool& p = pool();
  size_t previous = p.memory_limit.exchange(bytes);
  size_t active = p.active;
  p.trim(bytes > active ? bytes - active : 0);
  return previous;
}
size_t memory_limit() { return pool().memory_limit; }
size_t set_memory_capacity(size_t bytes) { return pool().capacity.exchange(bytes); }

size_t set_cache_limit(size_t bytes) {
  size_t previous = pool().cache_limit.exchange(bytes);
  pool().trim(bytes);
  return previous;
}
size_t cache_limit() { return pool().cache_limit; }

void clear_cache() { pool().trim(0); }

size_t physical_memory() {
  static const size_t bytes = [] {
    size_t machine = static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGE_SIZE));
    return std::min({machine, read_limit_file("/sys/fs/cgroup/memory.max"),
                     read_limit_file("/sys/fs/cgroup/memory/memory.limit_in_bytes")});
  }();
  return bytes;
}

}  // namespace frit::runtime
