// Compiles and runs one function for test_cache.py, and prints its cost to the process: "<right or wrong> <graphs
// compiled> <llvm or nothing>". The arguments name the function and give a factor that makes it another function.
#include <frit/frit.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  frit::CompileOptions options;
  options.name = argc > 1 ? argv[1] : "gelu";
  const float factor = argc > 2 ? std::strtof(argv[2], nullptr) : 1;
  auto gelu = frit::compile([factor](frit::array x) { return x * (1 + erf(x * 0.70710678f)) / 2 * factor; }, options);
  const float values[] = {-1.0f, 0.5f, 3.0f};
  frit::array y = gelu(frit::array(values, {3}));
  eval(y);
  bool right = true;
  for (int i = 0; i < 3; ++i) {
    const float x = values[i];
    right &= std::abs(y.data<float>()[i] - x * (1 + std::erf(x * 0.70710678f)) / 2 * factor) < 1e-4f;
  }
  bool llvm = false;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) llvm |= line.find("libfrit_codegen_llvm") != std::string::npos;
  std::printf("%s %zu %s\n", right ? "right" : "wrong", frit::compile_stats().compilations, llvm ? "llvm" : "nothing");
  return right ? 0 : 1;
}
