// Random well-typed graphs through everything: text and JSON and back, every pass, the interpreters and generated code.
//
// fuzz_graphs [--seed N] [--count M] [--seconds S] [--kind exact|any|symbolic|empty|control] [--show 1] fuzz_graphs
// --files FOLDER checks each function of the .frit files there instead, which earlier runs found
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ir/read/json.h"
#include "ir/read/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "passes/manager/pass.h"
#include "support/generate.h"
#include "support/shrink.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

// Law 1; JSON also keeps everything.
std::string text_fault(const Function& f) {
  if (Status s = verify(f); !s.ok()) return "not valid: " + s.error().str();
  std::string text = print(f);
  auto parsed = parse(text, "printed");
  if (!parsed.ok()) return "its text is refused: " + parsed.error().str();
  const Function& back = *(*parsed)->functions.at(0);
  if (!structurally_equal(f, back) || structural_hash(f) != structural_hash(back))
    return "its text reads back as another function:\n" + print(back);
  if (print(back) != text) return "its text prints differently once read:\n" + print(back);
  Module m;
  m.functions.push_back(std::make_unique<Function>(f));
  auto read = from_json(to_json(m), "json");
  if (!read.ok()) return "its JSON is refused: " + read.error().str();
  if (print(*(*read)->functions.at(0)) != text)
    return "its JSON reads back as another function:\n" + print(*(*read)->functions.at(0));
  return {};
}

// Law 2: each pass leaves a valid function, reports truly whether it changed it, and does nothing the second time.
std::string pass_fault(Function f) {
  passes::PassContext context;
  auto text = [](const Function& g) { return g.program ? std::string() : print(g); };
  for (const passes::PassInfo* pass : passes::Pipeline::standard().passes) {
    context.pass = pass->name;
    std::string before = text(f), name(pass->name);
    auto changed = passes::run(*pass, f, context);
    if (!changed.ok()) return name + " failed: " + changed.error().str();
    if (Status s = verify(f); !s.ok()) return name + " left it malformed: " + s.error().str();
    if (!*changed && text(f) != before) return name + " changed it and did not say so";
    if (pass->gives > pass->most) continue;  // may not run twice
    std::string once = text(f);
    auto again = passes::run(*pass, f, context);
    if (!again.ok()) return name + " failed when run again: " + again.error().str();
    if (*again || text(f) != once) return name + " changes it again:\n" + once + "then\n" + text(f);
  }
  return {};
}

struct Options {
  uint64_t seed = 1, count = 100;
  double seconds = 1e9;
  std::string kind;
  bool show = false;  // only print the functions
};

std::string fault(const Case& c, uint64_t seed) {
  Random random(seed);
  std::string s = text_fault(c.function);
  if (s.empty()) s = pass_fault(c.function);
  if (s.empty()) s = disagreement(c.function, c.inputs, random, {});
  return s;
}

// Some parameters get strides that are bound at the call.
void lay_out(Function& f, Random& random) {
  f.layouts.resize(f.params.size());
  for (size_t p = 0; p < f.params.size(); ++p) {
    if (chance(random, 30)) continue;
    for (int axis = 0; axis < f.type(f.params[p]).rank(); ++axis) {
      std::string name = "s" + std::to_string(p) + "_" + std::to_string(axis);
      f.layouts[p].push_back(Dim::symbol(name));
      f.facts.set_range(name, {0, 1 << 20});
    }
  }
}

// Returns whether all checks passed.
bool run_one(uint64_t seed, const std::string& kind, bool show) {
  Random random(seed);
  GraphOptions options;
  options.exact = kind.empty() ? seed % 3 == 0 : kind == "exact";
  options.empty = kind.empty() ? seed % 7 == 0 : kind == "empty";
  options.symbolic = kind == "empty" ? seed % 3 == 0 : kind.empty() ? seed % 2 == 0 : kind == "symbolic";
  options.control = kind.empty() ? seed % 5 == 0 : kind == "control";
  if (kind == "control") options.exact = seed % 2 == 0, options.symbolic = seed % 3 == 0;
  options.max_ops = static_cast<int>(between(random, 1, 20));
  RandomGraph graph = random_graph(random, options);
  if (chance(random, 20)) lay_out(graph.function, random);
  if (show)
    return std::printf("// seed %llu\n%s\n", static_cast<unsigned long long>(seed), print(graph.function).c_str()) > 0;
  for (const SymbolValues& call : graph.calls) {
    Values values = chance(random, 50) ? Values::Special : Values::Ordinary;
    Case c{graph.function, random_inputs(graph.function, call, values, random)};
    now_testing("seed " + std::to_string(seed) + "\n" + case_text(c));
    std::string what = fault(c, seed);
    if (what.empty()) continue;
    Case small = shrink(c, [&](const Case& smaller) {
      now_testing("seed " + std::to_string(seed) + ", shrinking\n" + case_text(smaller));
      return !fault(smaller, seed).empty();
    });
    std::printf("seed %llu: %s\nshrunk to\n%s%s\n\n", static_cast<unsigned long long>(seed), what.c_str(),
                case_text(small).c_str(), fault(small, seed).c_str());
    std::fflush(stdout);
    return false;
  }
  return true;
}

// Runs every function of every file of `folder` on a few inputs. Returns whether all checks passed.
bool check_files(const std::string& folder) {
  bool good = true;
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream in(path);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    auto module = parse(text, path.c_str());
    if (!module.ok()) return std::printf("%s\n", module.error().render(text).c_str()), false;
    for (const auto& f : (*module)->functions)
      for (uint64_t seed = 1; seed <= 3; ++seed) {
        Random random(seed);
        SymbolValues sizes;
        for (const std::string& s : f->symbols()) sizes[s] = between(random, 1, 40);
        Case c{*f, random_inputs(*f, sizes, Values::Special, random)};
        now_testing(case_text(c));
        if (std::string what = fault(c, seed); !what.empty())
          good = std::printf("%s\n%s\n", what.c_str(), case_text(c).c_str()) < 0;
      }
  }
  return good;
}

int run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  auto start = Clock::now();
  uint64_t failures = 0, done = 0;
  for (; done < options.count; ++done) {
    if (std::chrono::duration<double>(Clock::now() - start).count() > options.seconds) break;
    failures += !run_one(options.seed + done, options.kind, options.show);
    if (failures >= 10) break;
  }
  std::printf("%llu graphs from seed %llu, %llu failed\n", static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(failures));
  return failures ? 1 : 0;
}

}  // namespace
}  // namespace frit::test

int main(int argc, char** argv) {
  if (std::string why = frit::test::why_not_here(); !why.empty()) {
    std::printf("skipped: %s\n", why.c_str());
    return 0;
  }
  frit::test::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string_view name = argv[i];
    if (name == "--seed")
      options.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--count")
      options.count = std::strtoull(argv[i + 1], nullptr, 10);
    else if (name == "--seconds")
      options.seconds = std::strtod(argv[i + 1], nullptr);
    else if (name == "--kind")
      options.kind = argv[i + 1];
    else if (name == "--files")
      return frit::test::check_files(argv[i + 1]) ? 0 : 1;
    else if (name == "--show")
      options.show = true;
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  return frit::test::run(options);
}
