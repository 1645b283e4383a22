// The devices that can run programs here, with their abilities. Facts about the machine; nothing is started or opened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace frit::runtime {

struct CacheInfo {
  int level;
  std::string type;  // "data", "instruction", "unified"
  size_t bytes;
  int shared_by;  // CPUs that share one such cache
};

struct DeviceInfo {
  std::string name;               // "AMD EPYC 7R13 Processor"
  std::string kind;               // "cpu"
  int threads = 0;                // that loops are spread over now
  int cpus = 0;                   // that this process may use
  size_t memory_bytes = 0;        // that this process may use
  std::vector<std::string> simd;  // from narrow to wide: "sse4.2", "avx2", "fma", "avx512f", ...
  int vector_bits = 0;            // the widest of them
  std::vector<CacheInfo> caches;  // by level
  size_t memory_limit = 0, cache_limit = 0;
  bool huge_pages = false;  // whether large buffers get huge pages
};

// The CPU first.
std::vector<DeviceInfo> list_devices();

}  // namespace frit::runtime
