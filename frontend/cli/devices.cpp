// frit devices: what can run here.
#include <iostream>

#include "frontend/cli/command.h"
#include "runtime/device.h"

namespace frit::cli {

void add_devices(CLI::App& app) {
  CLI::App* c = app.add_subcommand("devices", "list what can run here, with limits");
  c->callback([] {
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    for (const runtime::DeviceInfo& d : runtime::list_devices()) {
      std::cout << d.kind << ": " << d.name << "\n";
      std::cout << "  threads: " << d.threads << " of " << d.cpus << " CPUs\n";
      std::cout << "  memory: " << static_cast<double>(d.memory_bytes) / kGiB << " GiB, limit "
                << static_cast<double>(d.memory_limit) / kGiB << " GiB, cache limit " << static_cast<double>(d.cache_limit) / kGiB
                << " GiB" << (d.huge_pages ? ", huge pages" : "") << "\n";
      std::cout << "  vectors: " << d.vector_bits << " bits (";
      for (size_t i = 0; i < d.simd.size(); ++i) std::cout << (i ? " " : "") << d.simd[i];
      std::cout << ")\n";
      for (const auto& cache : d.caches)
        std::cout << "  L" << cache.level << " " << cache.type << ": " << cache.bytes / 1024 << " KiB, shared by " << cache.shared_by
                  << "\n";
    }
    std::cout << "code generators:";
    for (const std::string& name : codegen::backend_names()) std::cout << " " << name;
    std::cout << "\n";
  });
}

}  // namespace frit::cli
