// Damaged inputs: IR text, JSON, kernel text and .npy files are cut, spliced and overwritten at random.
//
// fuzz_text [--seed N] [--count M] [--seconds S]
//
// A reader must refuse the input with a message or give a valid value whose own text reads back. Nothing may crash,
// hang or take memory without bound.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "ir/read/json.h"
#include "ir/read/kernel_parser.h"
#include "ir/read/parser.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "ir/verify/kernel_verifier.h"
#include "ir/verify/verifier.h"
#include "runtime/files/npy.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

constexpr double kSlow = 5;  // seconds; inputs are a few kilobytes

std::string damaged(std::string s, const std::string& other, Random& random) {
  static const char* const kPieces[] = {"0",
                                        "-1",
                                        "9223372036854775807",
                                        "99999999999999999999",
                                        "1e999",
                                        "nan",
                                        "%",
                                        "@",
                                        "{",
                                        "}",
                                        "[",
                                        "]",
                                        "(",
                                        ")",
                                        ",",
                                        ":",
                                        "\"",
                                        "//",
                                        "\n",
                                        "min(",
                                        "n",
                                        "* n",
                                        " // 0",
                                        "% 0",
                                        "f32[",
                                        "strides [",
                                        "group loop {",
                                        "return",
                                        "where n in [5, 1]",
                                        "where n*n % 4 == 0, n <= 9",
                                        "== 3",
                                        "<= n",
                                        "func",
                                        "null",
                                        "true",
                                        "\\x00",
                                        "[[[[[[[[[[[[",
                                        "((((((((",
                                        "-"};
  for (int64_t edits = between(random, 1, 4); edits > 0 && !s.empty(); --edits) {
    size_t at = random() % s.size(), n = std::min<size_t>(s.size() - at, 1 + random() % 12);
    switch (random() % 7) {
      case 0: s.erase(at, n); break;
      case 1: s.insert(at, kPieces[random() % std::size(kPieces)]); break;
      case 2: s[at] = static_cast<char>(random()); break;
      case 3: s.insert(at, s.substr(random() % s.size(), random() % 40)); break;
      case 4: s.resize(at); break;
      case 5:
        if (!other.empty()) s.replace(at, n, other.substr(random() % other.size(), random() % 60));
        break;
      case 6: {  // another number in the place of one
        size_t digit = s.find_first_of("0123456789", at);
        if (digit != std::string::npos)
          s.replace(digit, 1, random() % 2 ? std::to_string(random() % 100) : kPieces[random() % 5]);
        break;
      }
    }
  }
  return s;
}

std::string check_module(Result<std::unique_ptr<Module>> read) {
  if (!read.ok()) return read.error().message.empty() ? "refused without a message" : "";
  if (Status s = verify(**read); !s.ok()) return "accepted, but not valid: " + s.error().str();
  std::string text = print(**read);
  auto again = parse(text, "printed");
  if (!again.ok()) return "accepted, but its text is refused: " + again.error().str() + "\n" + text;
  if (print(**again) != text)
    return "accepted, but its text reads back as another:\n" + text + "then\n" + print(**again);
  return {};
}

std::string check_program(Result<NamedProgram> read) {
  if (!read.ok()) return read.error().message.empty() ? "refused without a message" : "";
  if (Status s = verify(read->program); !s.ok()) return "accepted, but not valid: " + s.error().str();
  std::string text = print(read->program, read->name);
  auto again = parse_program(text);
  if (!again.ok()) return "accepted, but its text is refused: " + again.error().str() + "\n" + text;
  if (print(again->program, again->name) != text) return "accepted, but its text reads back as another:\n" + text;
  return {};
}

class Files {
 public:
  Files() : folder_(std::filesystem::temp_directory_path() / ("frit_fuzz_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ / "x.npy"; }

 private:
  std::filesystem::path folder_;
};

std::string npy_bytes(const Files& files, Random& random) {
  std::vector<int64_t> shape, strides;
  for (int64_t i = between(random, 0, 3); i > 0; --i) shape.push_back(between(random, 0, 5));
  Dtype t = all_dtypes()[random() % all_dtypes().size()];
  strides.assign(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  ir::Tensor data = random_tensor(t, shape, Values::Special, random);
  auto buffer = runtime::Buffer::allocate(data.data.size());
  std::copy(data.data.begin(), data.data.end(), static_cast<std::byte*>((*buffer)->data()));
  if (!runtime::write_npy(files.path(), {*buffer, t, shape, strides, 0}).ok()) return {};
  std::ifstream in(files.path(), std::ios::binary);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string check_npy(const Files& files, const std::string& bytes) {
  std::ofstream(files.path(), std::ios::binary | std::ios::trunc) << bytes;
  auto read = runtime::read_npy(files.path());
  if (!read.ok()) return read.error().message.empty() ? "refused without a message" : "";
  int64_t count = 1, reach = 0;
  for (size_t i = 0; i < read->shape.size(); ++i) {
    if (read->shape[i] < 0) return "accepted with a negative size";
    count *= read->shape[i];
    reach += (read->shape[i] - 1) * read->strides[i];
  }
  if (count && (reach + 1 + read->offset) * read->dtype.size() > static_cast<int64_t>(read->buffer->bytes()))
    return "accepted with more elements than bytes";
  return {};
}

std::string printable(const std::string& s) {
  std::string out;
  for (unsigned char c : s.substr(0, 4000)) {
    char hex[8];
    std::snprintf(hex, sizeof hex, "\\x%02x", c);
    out += c == '\n' || (c >= 32 && c < 127) ? std::string(1, static_cast<char>(c)) : hex;
  }
  return out;
}

struct Options {
  uint64_t seed = 1, count = 200;
  double seconds = 1e9;
};

int run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  auto elapsed = [](Clock::time_point since) { return std::chrono::duration<double>(Clock::now() - since).count(); };
  auto start = Clock::now();
  Files files;
  int failures = 0;
  uint64_t done = 0;
  std::string previous;
  for (; done < options.count && elapsed(start) < options.seconds && failures < 10; ++done) {
    const uint64_t seed = options.seed + done;
    Random random(seed);
    GraphOptions graph;
    graph.symbolic = seed % 2;
    Module m;
    m.functions.push_back(std::make_unique<Function>(random_graph(random, graph).function));
    const Function& f = *m.functions[0];
    std::string text = print(m), json = to_json(m), npy = npy_bytes(files, random), program;
    if (auto planned = plan(f, true); planned.ok()) program = print(*planned->program, planned->name);
    for (int round = 0; round < 24; ++round) {
      const int kind = round % 4;
      const std::string& whole = kind == 0 ? text : kind == 1 ? json : kind == 2 ? program : npy;
      std::string bad = damaged(whole, previous, random),
                  shown = "seed " + std::to_string(seed) + "\n" + printable(bad);
      now_testing(shown);
      auto began = Clock::now();
      std::string what = kind == 0   ? check_module(parse(bad, "damaged"))
                         : kind == 1 ? check_module(from_json(bad, "damaged"))
                         : kind == 2 ? check_program(parse_program(bad))
                                     : check_npy(files, bad);
      if (what.empty() && elapsed(began) > kSlow) what = "took " + std::to_string(elapsed(began)) + " s";
      if (what.empty()) continue;
      std::printf("%s\n%s\n\n", what.c_str(), shown.c_str());
      std::fflush(stdout);
      ++failures;
    }
    previous = text + program;
  }
  std::printf("%llu inputs from seed %llu, %d failures\n", static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(options.seed), failures);
  return failures ? 1 : 0;
}

}  // namespace
}  // namespace frit::test

int main(int argc, char** argv) {
  frit::test::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view name = argv[i];
    if (name == "--seed")
      options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--count")
      options.count = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--seconds")
      options.seconds = std::strtod(argv[i + 1], nullptr);
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  return frit::test::run(options);
}
