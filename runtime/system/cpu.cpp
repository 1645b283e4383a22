// Asks the processor and the system for features, caches and levels.
#include "runtime/system/cpu.h"

#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <thread>

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__linux__)
#include <sys/auxv.h>

#include <fstream>
#endif

namespace frit::runtime {

namespace {

void append(std::string& text, const char* name, uint64_t value) {
  static constexpr char kDigits[] = "0123456789abcdef";
  text += text.empty() ? "" : " ";
  text += name;
  text += '=';
  bool begun = false;
  for (int shift = 60; shift >= 0; shift -= 4) {
    const auto digit = static_cast<unsigned>(value >> shift) & 15;
    begun |= digit != 0 || shift == 0;
    if (begun) text += kDigits[digit];
  }
}

#if defined(__x86_64__)

struct Leaf {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  Leaf(uint32_t leaf, uint32_t sub = 0) { __cpuid_count(leaf, sub, a, b, c, d); }
};

// The registers that the system saves between processes, where it uses xsave.
uint64_t saved_registers() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}

// The leaves that list instructions. Fields that differ from one core to the next (identifiers in leaf 1)
// are left out.
void append_features(std::string& text) {
  const Leaf vendor(0);
  append(text, "vendor", uint64_t{vendor.b} << 32 | vendor.d);
  append(text, "vendor2", vendor.c);
  const Leaf model(1);
  append(text, "model", model.a);
  append(text, "f1", uint64_t{model.c} << 32 | model.d);
  if (vendor.a >= 7) {
    const Leaf first(7);
    append(text, "f7b", first.b);
    append(text, "f7", uint64_t{first.c} << 32 | first.d);
    if (first.a >= 1) {
      const Leaf second(7, 1);
      append(text, "f7.1a", uint64_t{second.a} << 32 | second.b);
      append(text, "f7.1", uint64_t{second.c} << 32 | second.d);
    }
  }
  if (vendor.a >= 0xd) append(text, "save", Leaf(0xd, 1).a);
  if (vendor.a >= 0x14) append(text, "trace", Leaf(0x14).b);
  if (vendor.a >= 0x19) append(text, "lock", Leaf(0x19).b);
  if (vendor.a >= 0x24) append(text, "avx10", Leaf(0x24).b);
  const uint32_t extended = Leaf(0x80000000).a;
  if (extended >= 0x80000001) {
    const Leaf more(0x80000001);
    append(text, "x1", uint64_t{more.c} << 32 | more.d);
  }
  if (extended >= 0x80000008) append(text, "x8", Leaf(0x80000008).b);
  if (model.c & (1u << 27)) {
    // Which registers the system saves decides which features may be used.
    append(text, "registers", saved_registers());
  }
}

// Of the cache of the highest level that this processor uses: each level tells its ways, partitions, line and sets. The
// C library's answer counts the caches of all of a socket's chiplets together on some processors.
int64_t cache_bytes() {
  int64_t found = 0;
  uint32_t level = 0;
  for (uint32_t leaf : {4u, 0x8000001du}) {
    if (Leaf(leaf & 0x80000000).a < leaf) continue;
    for (uint32_t i = 0; i < 16; ++i) {
      const Leaf cache(leaf, i);
      if ((cache.a & 31) == 0) break;
      if ((cache.a >> 5 & 7) < level) continue;
      level = cache.a >> 5 & 7;
      found = int64_t{(cache.b >> 22) + 1} * ((cache.b >> 12 & 0x3ff) + 1) * ((cache.b & 0xfff) + 1) *
              (int64_t{cache.c} + 1);
    }
  }
  return level >= 3 ? found : 0;
}

// The levels of the System V ABI, each with those below it. Wide registers count only where the system saves them.
int level_of_processor() {
  const auto all = [](uint32_t word, std::initializer_list<int> bits) {
    return std::all_of(bits.begin(), bits.end(), [&](int bit) { return word >> bit & 1; });
  };
  if (Leaf(0x80000000).a < 0x80000001) return 1;
  const Leaf model(1), more(0x80000001);
  // sse3, ssse3, cmpxchg16b, sse4.1, sse4.2, popcnt; lahf
  if (!all(model.c, {0, 9, 13, 19, 20, 23}) || !all(more.c, {0})) return 1;
  // fma, movbe, xsave and its use by the system, avx, f16c; lzcnt
  if (!all(model.c, {12, 22, 26, 27, 28, 29}) || !all(more.c, {5}) || Leaf(0).a < 7) return 2;
  const Leaf features(7);
  const uint64_t saved = saved_registers();
  if (!all(features.b, {3, 5, 8}) || (saved & 0x6) != 0x6) return 2;  // bmi1, avx2, bmi2
  // avx512f, dq, cd, bw, vl; masks and both halves of the 512-bit registers
  return all(features.b, {16, 17, 28, 30, 31}) && (saved & 0xe6) == 0xe6 ? 4 : 3;
}

#elif defined(__linux__)

void append_features(std::string& text) {
  append(text, "hwcap", getauxval(AT_HWCAP));
  append(text, "hwcap2", getauxval(AT_HWCAP2));
  // Code generation knows cores by these lines.
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line) && !line.empty();)
    if (line.starts_with("CPU ") && !line.starts_with("CPU revision")) text += " " + line;
}

int64_t cache_bytes() {
#if defined(_SC_LEVEL3_CACHE_SIZE)
  return sysconf(_SC_LEVEL3_CACHE_SIZE);
#else
  return 0;
#endif
}

#else

void append_features(std::string&) {}
int64_t cache_bytes() { return 0; }

#endif

int read_threads() {
  const char* text = std::getenv("FRIT_NUM_THREADS");
  if (!text || !*text) return usable_cpus();
  char* end = nullptr;
  errno = 0;
  long n = std::strtol(text, &end, 10);
  if (errno || *end || n < 1 || n > kMaxThreads) {
    std::fprintf(stderr, "frit: FRIT_NUM_THREADS=%s is not a number from 1 to %d; using %d threads\n", text,
                 kMaxThreads, usable_cpus());
    return usable_cpus();
  }
  return static_cast<int>(n);
}

std::string describe() {
  std::string text;
  append_features(text);
  append(text, "cache", static_cast<uint64_t>(last_level_cache_bytes()));
  append(text, "threads", static_cast<uint64_t>(starting_threads()));
  if (chosen_cpu() != "native") text.append(" chosen=").append(chosen_cpu());
  return text;
}

}  // namespace

int usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                      : static_cast<int>(std::thread::hardware_concurrency());
  return std::clamp(n, 1, kMaxThreads);
}

int starting_threads() {
  static const int count = read_threads();
  return count;
}

std::string_view chosen_cpu() {
  static const std::string* name = [] {
    const char* set = secure_getenv("FRIT_CPU");
    return new std::string(set && *set ? set : "native");
  }();
  return *name;
}

const std::string& cpu_identity() {
  static const std::string* text = new std::string(describe());
  return *text;
}

// A virtual machine is told the cache of its host's whole socket, most of which holds the work of others. No processor
// has much more for each of its threads than the bound here, and the least bound is the cache of a few cores.
int64_t last_level_cache_bytes() {
  static const int64_t bytes = [] {
    constexpr int64_t kUnknown = int64_t{32} << 20, kForEachProcessor = int64_t{8} << 20;
    const int64_t found = cache_bytes(), processors = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
    return found > 0 ? std::min(found, std::max(kUnknown, kForEachProcessor * processors)) : kUnknown;
  }();
  return bytes;
}

bool cpu_runs(std::string_view level) {
#if defined(__x86_64__)
  constexpr std::string_view kLevels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  // From 1; 0 for another name.
  const auto number = [&](std::string_view name) {
    const auto* found = std::find(std::begin(kLevels), std::end(kLevels), name);
    return found == std::end(kLevels) ? 0 : static_cast<int>(found - std::begin(kLevels)) + 1;
  };
  static const int here = [&] {
    const int processor = level_of_processor(), chosen = number(chosen_cpu());
    return chosen == 0 ? processor : std::min(processor, chosen);
  }();
  return number(level) != 0 && number(level) <= here;
#elif defined(__aarch64__)
  return level == "aarch64";
#else
  (void)level;
  return false;
#endif
}

}  // namespace frit::runtime
