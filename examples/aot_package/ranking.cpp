// Loads a package and scores candidates, on the CPU or on a GPU as its argument says.
//   ranking score.fritpkg [cpu|vulkan]
#include <frit/runtime.h>

#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

using namespace frit::runtime;

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: ranking PACKAGE [cpu|vulkan]\n");
    return 2;
  }
  try {
    const LoadedPackage package = load(argv[1], argc > 2 ? argv[2] : "");
    const LoadedFunction score = package.find("score");
    std::printf("%s\nruns code for %s\n", score.signature().c_str(), score.machine().c_str());

    const int64_t n = 256;
    std::vector<float> weights(n);
    for (int64_t i = 0; i < n; ++i) weights[i] = 0.01f * static_cast<float>(i % 17);
    double worst = 0;
    for (const int64_t candidates : {1, 7, 1000}) {  // any number of candidates, the same code
      std::vector<float> features(candidates * n);
      for (size_t i = 0; i < features.size(); ++i) features[i] = static_cast<float>(i * 7919 % 1000) / 1000;
      const std::vector<Array> probability = score({{features.data(), {candidates, n}}, {weights.data(), {n}}});
      for (int64_t b = 0; b < candidates; ++b) {
        const float* row = &features[b * n];
        const double length = std::sqrt(std::inner_product(row, row + n, row, 1e-6));
        const double want = 1 / (1 + std::exp(-std::inner_product(row, row + n, weights.begin(), 0.0) / length));
        worst = std::fmax(worst, std::fabs(probability[0].data<float>()[b] - want));
      }
    }
    std::printf("largest error: %.2g\n", worst);
    return worst < 1e-5 ? 0 : 1;
  } catch (const LoadError& e) {
    std::fprintf(stderr, "error: %s\n", e.what());
    return 1;
  }
}
