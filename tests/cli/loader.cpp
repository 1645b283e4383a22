// Links the runtime alone: loads a package, runs a function on ones, and prints the libraries that the process has
// loaded.
#include <dlfcn.h>
#include <link.h>

#include <chrono>
#include <cstdio>

#include "frit/runtime.h"

int main(int argc, char** argv) {
  try {
    const auto start = std::chrono::steady_clock::now();
    const frit::runtime::LoadedFunction f =
        frit::runtime::load(argv[1], argc > 3 ? argv[3] : "cpu").find(argc > 2 ? argv[2] : "");
    std::vector<frit::runtime::Array> inputs;
    for (size_t i = 0; i < frit_rt_input_count(f.handle()); ++i) {
      frit_rt_value_info info;
      frit_rt_input_info(f.handle(), i, &info);
      inputs.emplace_back(info.dtype, std::vector<int64_t>(static_cast<size_t>(info.rank), 16));
      for (size_t k = 0; info.dtype == FRIT_RT_F32 && k < inputs[i].size(); ++k) inputs[i].data<float>()[k] = 1;
    }
    const auto results = f(std::vector<frit::runtime::View>(inputs.begin(), inputs.end()));
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    std::printf("%s %zu\nload and first call %.3f ms\n", f.machine().c_str(), results.size(), taken.count());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void*) {
        std::puts(info->dlpi_name);
        return 0;
      },
      nullptr);
  return 0;
}
