// Reads facts about the machine from the system.
#include "runtime/execute/device.h"

#include <algorithm>
#include <fstream>
#include <sstream>

#include "runtime/execute/parallel.h"
#include "runtime/memory/memory.h"
#include "runtime/system/cpu.h"

namespace frit::runtime {
namespace {

std::string read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return "cpu";
}

// "0-3,8" is five.
int count_cpus(const std::string& list) {
  int n = 0;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) {
    int low = 0, high = 0;
    char dash = 0;
    std::istringstream range(part);
    if (!(range >> low)) continue;
    n += range >> dash >> high ? high - low + 1 : 1;
  }
  return std::max(n, 1);
}

// "512K" is 524288.
size_t parse_size(const std::string& text) {
  std::istringstream in(text);
  size_t value = 0;
  char unit = 0;
  in >> value >> unit;
  return unit == 'K' ? value << 10 : unit == 'M' ? value << 20 : unit == 'G' ? value << 30 : value;
}

std::vector<CacheInfo> cpu_caches() {
  std::vector<CacheInfo> caches;
  for (int i = 0;; ++i) {
    std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    std::string level = read_line(folder + "level");
    if (level.empty() || level[0] < '0' || level[0] > '9') break;
    std::string type = read_line(folder + "type");
    std::transform(type.begin(), type.end(), type.begin(), [](unsigned char c) { return std::tolower(c); });
    caches.push_back({level[0] - '0', type, parse_size(read_line(folder + "size")),
                      count_cpus(read_line(folder + "shared_cpu_list"))});
  }
  std::stable_sort(caches.begin(), caches.end(), [](auto& a, auto& b) { return a.level < b.level; });
  return caches;
}

void fill_simd(DeviceInfo& d) {
#if defined(__x86_64__)
  d.vector_bits = 128;
  d.simd.push_back("sse2");
  auto add = [&](bool has, const char* name, int bits) {
    if (!has) return;
    d.simd.push_back(name);
    d.vector_bits = std::max(d.vector_bits, bits);
  };
  __builtin_cpu_init();
  add(__builtin_cpu_supports("sse4.2"), "sse4.2", 128);
  add(__builtin_cpu_supports("avx"), "avx", 256);
  add(__builtin_cpu_supports("avx2"), "avx2", 256);
  add(__builtin_cpu_supports("fma"), "fma", 256);
  add(__builtin_cpu_supports("avx512f"), "avx512f", 512);
  add(__builtin_cpu_supports("avx512bw"), "avx512bw", 512);
  add(__builtin_cpu_supports("avx512vnni"), "avx512vnni", 512);
  add(__builtin_cpu_supports("avx512bf16"), "avx512bf16", 512);
#elif defined(__aarch64__)
  d.vector_bits = 128;
  d.simd.push_back("neon");
#endif
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  DeviceInfo cpu;
  cpu.name = cpu_name();
  cpu.kind = "cpu";
  cpu.threads = num_threads();
  cpu.cpus = usable_cpus();
  cpu.memory_bytes = physical_memory();
  fill_simd(cpu);
  cpu.caches = cpu_caches();
  cpu.memory_limit = memory_limit();
  cpu.cache_limit = cache_limit();
  std::string huge = read_line("/sys/kernel/mm/transparent_hugepage/enabled");
  cpu.huge_pages = !huge.empty() && huge.find("[never]") == std::string::npos;
  return {cpu};
}

}  // namespace frit::runtime
