// Damaged files of every format that frit reads: packages, code images, signatures, weights, graphs, arrays.
//
// Built with clang and FRIT_LIBFUZZER=ON this is a libFuzzer target; `fuzz_files_corpus FOLDER` writes good files to
// start from. Otherwise it has its own driver: fuzz_files [--seed N] [--count M] [FILE...] reads M damaged variants of
// good files, and the named files as they are.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "file_formats.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  frit::test::read_any(data, size);
  return 0;
}

#if defined(FRIT_LIBFUZZER_CORPUS)
int main(int argc, char** argv) {
  const auto files = frit::test::good_files();
  for (size_t i = 0; argc > 1 && i < files.size(); ++i)
    std::ofstream(std::string(argv[1]) + "/good" + std::to_string(i), std::ios::binary) << files[i];
  return argc > 1 ? 0 : 2;
}
#elif !defined(FRIT_LIBFUZZER)
namespace {

using Random = std::mt19937_64;

std::string damaged(std::string s, const std::string& other, Random& random) {
  for (uint64_t edits = 1 + random() % 4; edits > 0 && s.size() > 1; --edits) {
    // The first byte selects the reader.
    const size_t at = 1 + random() % (s.size() - 1), n = std::min<size_t>(s.size() - at, 1 + random() % 16);
    switch (random() % 7) {
      case 0: s.erase(at, n); break;
      case 1: s[at] = static_cast<char>(s[at] ^ (1 << random() % 8)); break;
      case 2: s[at] = static_cast<char>(random()); break;
      case 3: s.insert(at, s.substr(1 + random() % (s.size() - 1), random() % 40)); break;
      case 4: s.resize(at); break;
      case 5:
        if (!other.empty()) s.replace(at, n, other.substr(random() % other.size(), random() % 60));
        break;
      case 6: {  // a number that is too large, or negative
        static constexpr uint64_t kNumbers[] = {
            ~uint64_t{0}, uint64_t{1} << 63, uint64_t{1} << 32, 0x7fffffff, 0xffffffff, 0, 1};
        const uint64_t v = kNumbers[random() % std::size(kNumbers)];
        const size_t width = std::min<size_t>(s.size() - at, random() % 2 ? 8 : 4);
        std::memcpy(s.data() + at, &v, width);
        break;
      }
    }
  }
  return s;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1, count = 20000;
  bool named = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--seed") && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 10);
    else if (!std::strcmp(argv[i], "--count") && i + 1 < argc)
      count = std::strtoull(argv[++i], nullptr, 10);
    else {
      named = true;
      std::ifstream in(argv[i], std::ios::binary);
      const std::string bytes{std::istreambuf_iterator<char>(in), {}};
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    }
  }
  if (named) return 0;
  const std::vector<std::string> good = frit::test::good_files();
  for (const std::string& g : good) LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(g.data()), g.size());
  Random random(seed);
  for (uint64_t i = 0; i < count; ++i) {
    const std::string bad = damaged(good[random() % good.size()], good[random() % good.size()], random);
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bad.data()), bad.size());
  }
  std::printf("%llu damaged files of %zu good ones\n", static_cast<unsigned long long>(count), good.size());
  return 0;
}
#endif
