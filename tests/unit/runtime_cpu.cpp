// The levels of x86-64 and AArch64 that this processor belongs to, and its caches.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "runtime/system/cpu.h"

namespace frit::runtime {
namespace {

TEST(Cpu, RunsTheLevelsWhoseInstructionsItHas) {
  for (const char* name : {"", "native", "x86-64-v5", "x86-64-", "znver3", "AARCH64"})
    EXPECT_FALSE(cpu_runs(name)) << name;
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool v2 =
      __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt");
  const bool v3 = v2 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vl");
  EXPECT_TRUE(cpu_runs("x86-64"));
  // FRIT_CPU holds the answers to its level; names that are no level leave them alone.
  const std::string_view chosen = chosen_cpu();
  const bool held = chosen.starts_with("x86-64");
  EXPECT_EQ(cpu_runs("x86-64-v2"), v2 && (!held || chosen >= "x86-64-v2"));
  EXPECT_EQ(cpu_runs("x86-64-v3"), v3 && (!held || chosen >= "x86-64-v3"));
  EXPECT_EQ(cpu_runs("x86-64-v4"), v4 && (!held || chosen >= "x86-64-v4"));
  EXPECT_FALSE(cpu_runs("aarch64"));
#elif defined(__aarch64__)
  EXPECT_TRUE(cpu_runs("aarch64"));
  EXPECT_FALSE(cpu_runs("x86-64"));
#endif
}

// A machine of few processors may be told the cache of a host that has many.
TEST(Cpu, CountsOnNoMoreCacheThanItsProcessorsCanFill) {
  const int64_t each = int64_t{8} << 20, least = int64_t{32} << 20;
  EXPECT_GT(last_level_cache_bytes(), 0);
  EXPECT_LE(last_level_cache_bytes(), std::max<int64_t>(least, each * sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace
}  // namespace frit::runtime
