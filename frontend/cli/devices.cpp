// frit devices: lists the devices of this machine and the installed code generators.
#include <algorithm>
#include <iostream>

#include "frontend/cli/command.h"
#include "runtime/execute/device.h"
#include "runtime/execute/gpu.h"

namespace frit::cli {

namespace {

void list_gpu_lines(const std::string& device) {
  auto gpus = runtime::list_gpus(device);
  if (!gpus.ok()) {
    std::cout << "gpu: none: " << gpus.error().message << "\n";
    return;
  }
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  for (const runtime::GpuInfo& g : *gpus) {
    const runtime::GpuFeatures& f = g.features;
    std::cout << "gpu: " << g.name << " (" << g.kind << ")\n";
    std::cout << "  driver: " << g.driver << ", Vulkan " << g.api << "\n";
    std::cout << "  memory: " << static_cast<double>(g.memory_bytes) / kGiB << " GiB, at most "
              << static_cast<double>(g.max_allocation) / kGiB << " GiB at once"
              << (g.host_visible ? ", shared with the CPU" : "") << "\n";
    std::cout << "  workgroups: " << f.group_size << " invocations, " << f.shared_bytes / 1024
              << " KiB of shared memory, subgroups of " << f.subgroup_size << "\n";
    std::cout << "  features:";
    auto say = [](bool has, const char* name) {
      if (has) std::cout << " " << name;
    };
    say(f.int64, "int64");
    say(f.float64, "float64");
    say(f.storage16, "storage16");
    say(f.storage8, "storage8");
    say(f.fused_fma, "fma");
    say(f.converts16, "converts16");
    say(f.matrix16, "matrix16");
    say(f.matrix_bfloat16, "matrix_bfloat16");
    say(f.shuffle, "shuffle");
    say(f.ptx, "ptx");
    say(f.keeps_specials32, "nan");
    say(f.keeps_subnormals32, "subnormals");
    say(f.rounds_to_even32, "rounding");
    std::cout << "\n";
  }
}

void list_code_generators() {
  std::vector<std::string> names;
  for (const codegen::BackendFacts& b : codegen::backends()) names.push_back(b.name);
  std::sort(names.begin(), names.end());
  std::cout << "code generators:";
  for (const std::string& name : names) std::cout << " " << name;
  std::cout << "\n";
  for (const std::string& name : names) {
    const codegen::BackendFacts& b = *codegen::facts_of(name);
    std::cout << "  " << name << ": --target=" << b.target << ", "
              << (b.device.empty() ? "runs elsewhere" : "runs on " + b.device) << "; writes";
    for (const codegen::Emission& e : b.emissions) std::cout << " " << e.name;
    std::cout << "\n";
  }
}

}  // namespace

void add_devices(CLI::App& app) {
  CLI::App* c =
      app.add_subcommand("devices", "list the devices of this machine with their limits, and the code generators");
  c->callback([] {
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    for (const runtime::DeviceInfo& d : runtime::list_devices()) {
      std::cout << d.kind << ": " << d.name << "\n";
      std::cout << "  threads: " << d.threads << " of " << d.cpus << " CPUs\n";
      std::cout << "  memory: " << static_cast<double>(d.memory_bytes) / kGiB << " GiB, limit "
                << static_cast<double>(d.memory_limit) / kGiB << " GiB, cache limit "
                << static_cast<double>(d.cache_limit) / kGiB << " GiB" << (d.huge_pages ? ", huge pages" : "") << "\n";
      std::cout << "  vectors: " << d.vector_bits << " bits (";
      for (size_t i = 0; i < d.simd.size(); ++i) std::cout << (i ? " " : "") << d.simd[i];
      std::cout << ")\n";
      for (const auto& cache : d.caches)
        std::cout << "  L" << cache.level << " " << cache.type << ": " << cache.bytes / 1024 << " KiB, shared by "
                  << cache.shared_by << "\n";
    }
    // Without a driver, the first call says where it was looked for.
    std::vector<std::string> drivers = runtime::gpu_devices();
    if (drivers.empty()) drivers.emplace_back();
    for (const std::string& driver : drivers) list_gpu_lines(driver);
    list_code_generators();
  });
}

}  // namespace frit::cli
