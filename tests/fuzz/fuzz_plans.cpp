// Packages with valid hashes and hostile plans: each is refused, or runs in the memory that it was given.
//
//   fuzz_plans [--seed N] [--count M] [--only I]
//
// Real functions are compiled to a package, their plans and signatures are edited at random, and the package is written
// anew, so that its hashes fit. A child process loads and calls it. Inputs lie in read-only pages, and inputs and
// results end at pages that nobody may touch; a child that a signal ends is a failure.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "codegen/package/package.h"
#include "ir/read/parser.h"
#include "plan_mutations.h"
#include "runtime/execute/parallel.h"
#include "runtime/load/package.h"
#include "runtime/memory/dense.h"

namespace frit::test {
namespace {

using namespace runtime;

constexpr char kFunctions[] = R"(
func @scale(%x: f32[m, n], %y: f32[n]) -> (%z: f32[m, n], %s: f32[m]) where m in [1, 64], n % 4 == 0 {
  %0: f32[] = constant 2
  %1: f32[m, n] = broadcast %0 {shape=[m, n]}
  %2: f32[m, n] = multiply %x, %1
  %3: f32[m, n] = broadcast %y {shape=[m, n]}
  %4: f32[m, n] = add %2, %3
  %5: f32[m] = sum %4 {axes=[1]}
  return %4, %5
}

func @softmax(%x: f32[n, m]) -> (%y: f32[n, m]) where m in [1, 64] {
  %0: f32[n, 1] = max %x {axes=[1], keepdims=true}
  %1: f32[n, m] = broadcast %0 {shape=[n, m]}
  %2: f32[n, m] = subtract %x, %1
  %3: f32[n, m] = exp %2
  %4: f32[n, 1] = sum %3 {axes=[1], keepdims=true}
  %5: f32[n, m] = broadcast %4 {shape=[n, m]}
  %6: f32[n, m] = divide %3, %5
  return %6
}

func @product(%a: f32[12, 16], %b: f32[16, 20], %c: f32[20]) -> (%y: f32[12, 20], %t: f32[20, 12]) {
  %0: f32[12, 20] = matmul %a, %b
  %1: f32[12, 20] = broadcast %c {shape=[12, 20]}
  %2: f32[12, 20] = add %0, %1
  %3: f32[20, 12] = transpose %2 {axes=[1, 0]}
  return %2, %3
}

func @open(%a: f32[m, k], %b: f32[k, n]) -> (%y: f32[m, n]) where m in [1, 64], k in [1, 64], n in [1, 64] {
  %0: f32[m, n] = matmul %a, %b
  %1: f32[m, n] = sigmoid %0
  %2: f32[m] = sum %1 {axes=[1]}
  %3: f32[m, 1] = reshape %2 {shape=[m, 1]}
  %4: f32[m, n] = broadcast %3 {shape=[m, n]}
  %5: f32[m, n] = divide %1, %4
  return %5
}

func @constants(%x: f32[8]) -> (%y: f32[8]) {
  %0: f32[8] = constant [1, 2, 3, 4, 5, 6, 7, 8]
  %1: f32[8] = multiply %x, %0
  return %1
}
)";

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "fuzz_plans: %s\n", why.c_str());
  std::exit(1);
}

// Memory that ends at a page which may not be touched, and begins behind one; 64 bytes are the unit where `aligned`.
std::shared_ptr<Buffer> fenced(size_t bytes, bool aligned, int protection) {
  const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  const size_t inside = (bytes + page - 1) / page * page + page;
  auto* at = static_cast<std::byte*>(mmap(nullptr, inside + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (at == MAP_FAILED || mprotect(at + page, inside, protection) != 0) stop("no memory for fences");
  const size_t unit = aligned ? 64 : 4;
  return Buffer::adopt(at + page + inside - (bytes + unit - 1) / unit * unit, bytes, {});
}

Tensor fenced_tensor(const Signature::Value& v, const std::vector<int64_t>& symbols) {
  Tensor t;
  t.dtype = v.dtype;
  for (const DimProgram& d : v.shape) t.shape.push_back(std::clamp<int64_t>(d.evaluate(symbols.data()), 0, 64));
  t.strides = row_major(t.shape);
  t.buffer = fenced(dense_bytes(t), false, PROT_READ);
  return t;
}

// A call in a process of its own; by its end, 0: refused, 1: run.
int call(const std::string& path, const std::string& function, const Signature& good, uint64_t seed) {
  alarm(5);
  std::mt19937_64 random(seed);
  auto package = Package::load(path, "cpu");
  if (!package.ok()) return 0;
  auto found = (*package)->find(function);
  if (!found.ok()) return 0;
  bool ran = false;
  for (int round = 0; round < 2; ++round) {
    std::vector<int64_t> symbols;
    for (size_t i = 0; i < good.guard.symbol_names.size(); ++i)
      symbols.push_back(4 * static_cast<int64_t>(1 + random() % 10));
    std::vector<Tensor> inputs, results((*found)->signature().outputs.size());
    for (const Signature::Input& i : good.inputs) inputs.push_back(fenced_tensor(i, symbols));
    auto checked = (*found)->check(inputs);
    if (!checked.ok()) continue;
    std::vector<std::shared_ptr<Buffer>> into;
    for (const Sizes& shape : (*found)->output_shapes(*checked)) {
      const Signature::Value& v = (*found)->signature().outputs[into.size()];
      int64_t bytes = v.dtype.size();
      for (int64_t n : shape)
        if (n < 0 || __builtin_mul_overflow(bytes, n, &bytes) || bytes > 1 << 20) bytes = 1 << 20;
      into.push_back(round ? fenced(static_cast<size_t>(bytes), true, PROT_READ | PROT_WRITE) : nullptr);
    }
    if (!(*found)->run(*std::move(checked), into, results).ok()) continue;
    ran = true;
    // Every element of a result can be read.
    for (const Tensor& t : results)
      if (dense_bytes(t) <= 1 << 20) {
        std::vector<std::byte> copy(dense_bytes(t));
        if (!copy_dense(t, copy.data()).ok()) stop("a result cannot be read");
      }
  }
  return ran;
}

struct Counts {
  size_t refused = 0, ran = 0, slow = 0;
};

bool try_one(const PackageContents& contents, const std::string& path, size_t which, uint64_t seed, Counts& counts) {
  if (Status s = write_package(path, contents); !s.ok()) stop(s.error().str());
  const PackageContents::Function& f = contents.functions[which];
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    set_num_threads(1);
    _exit(call(path, f.signature.name, f.signature, seed));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) stop("no process for a call");
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    ++counts.slow;
  else if (!WIFEXITED(status) || WEXITSTATUS(status) > 1)
    return false;
  else
    ++(WEXITSTATUS(status) ? counts.ran : counts.refused);
  return true;
}

int run(uint64_t seed, uint64_t count, int64_t only) {
  auto module = ir::parse(kFunctions, "kFunctions");
  if (!module.ok()) stop(module.error().str());
  auto good = codegen::make_package(**module, {}, {{{"llvm", "native"}}});
  if (!good.ok()) stop(good.error().str());
  std::string folder = (std::filesystem::temp_directory_path() / "frit-plans-XXXXXX").string();
  if (!mkdtemp(folder.data())) stop("packages cannot be written");
  Counts counts;
  bool failed = false;
  const size_t functions = good->functions.size();
  for (uint64_t i = 0; i < count + functions && !failed; ++i) {
    if (only >= 0 && static_cast<int64_t>(i) != only) continue;
    std::mt19937_64 random(seed * 1000003 + i);
    const size_t which = i % functions;
    PackageContents edited;
    edited.producer = good->producer;
    edited.ir = good->ir;
    edited.functions = {good->functions[which]};
    PackageContents::Function& f = edited.functions[0];
    Image image = *read_image(f.variants[0].image);
    // The first packages are good ones.
    if (i >= functions && random() % 4 == 0) {
      f.variants[0].image = edit_byte(f.variants[0].image, image, random);
    } else if (i >= functions) {
      for (uint64_t edits = 1 + random() % 3; edits > 0; --edits) edit_plan(image, f.signature, random);
      f.variants[0].image = write_image(image);
    }
    const size_t ran = counts.ran;
    failed = !try_one(edited, folder + "/p", 0, random(), counts) || (i < functions && counts.ran == ran);
    if (failed)
      std::fprintf(stderr, "fuzz_plans: @%s: %s; again with --seed %llu --count %llu --only %llu\n",
                   f.signature.name.c_str(), i < functions ? "a good package does not run" : "memory was touched",
                   static_cast<unsigned long long>(seed), static_cast<unsigned long long>(count),
                   static_cast<unsigned long long>(i));
  }
  std::filesystem::remove_all(folder);
  std::printf("%zu plans refused, %zu run, %zu stopped for their time\n", counts.refused, counts.ran, counts.slow);
  return failed;
}

}  // namespace
}  // namespace frit::test

int main(int argc, char** argv) {
  // Each call is in a forked process, in which the thread sanitizer allows no new threads.
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  uint64_t seed = 1, count = 2000;
  int64_t only = -1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const uint64_t v = std::strtoull(argv[i + 1], nullptr, 10);
    if (!std::strcmp(argv[i], "--seed")) seed = v;
    if (!std::strcmp(argv[i], "--count")) count = v;
    if (!std::strcmp(argv[i], "--only")) only = static_cast<int64_t>(v);
  }
  return frit::test::run(seed, count, only);
}
