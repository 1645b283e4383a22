// The code cache above the disk: the origin of code, the entries kept in memory, and the disk entries that it refuses.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "codegen/core/cache_key.h"
#include "frontend/eager/code_cache.h"
#include "ir/read/parser.h"
#include "runtime/load/disk_cache.h"
#include "runtime/load/plan_file.h"

namespace frit::detail {
namespace {

namespace fs = std::filesystem;

// Runs before the cache's first use, at which it reads its settings once.
struct Folder {
  std::string path = fs::temp_directory_path() / "frit-code-test-XXXXXX";
  Folder() {
    if (!mkdtemp(path.data())) std::abort();
    setenv("FRIT_CACHE", "on", 1);
    setenv("FRIT_CACHE_DIR", path.c_str(), 1);
    unsetenv("FRIT_CACHE_SIZE");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
} folder;

ir::Function parse(const std::string& text) {
  auto module = ir::parse(text, "test");
  if (!module.ok()) {
    ADD_FAILURE() << module.error().render(text);
    return {};
  }
  return *(*module)->functions[0];
}
// x * factor
ir::Function scale(int factor, const std::string& name = "scale") {
  return parse("func @" + name + "(%x: f32[4]) -> f32[4] {\n %0: f32[] = constant " + std::to_string(factor) +
               ".0\n %1: f32[4] = broadcast %0 {shape=[4]}\n %2: f32[4] = multiply %x, %1\n return %2\n}");
}

struct Got {
  ExecutablePtr code;
  CodeOrigin origin;
};
Got get(ir::Function f, CompileMode mode = CompileMode::enabled) {
  Got got{nullptr, CodeOrigin::Memory};
  auto code = code_for(std::move(f), mode, &got.origin);
  if (!code.ok())
    ADD_FAILURE() << code.error().str();
  else
    got.code = *code;
  return got;
}

// The factor that the code applies, measured on (1, 2, 3, 4).
float factor_of(const Got& got) {
  auto buffer = *runtime::Buffer::allocate(16);
  for (int i = 0; i < 4; ++i) static_cast<float*>(buffer->data())[i] = static_cast<float>(i + 1);
  const runtime::Tensor x{buffer, float32, {4}, {1}, 0};
  auto results = got.code->run({&x, 1});
  if (!results.ok()) {
    ADD_FAILURE() << results.error().str();
    return 0;
  }
  const float* y = static_cast<const float*>((*results)[0].buffer->data());
  EXPECT_EQ(y[3], 4 * y[0]);
  return y[0];
}

// Empties the cache, as in a process that has just started.
void forget() {
  const size_t bound = set_code_cache_bytes(0);
  static int next = 1000;
  get(scale(next++));
  set_code_cache_bytes(bound);
}

class CodeCache : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& e : fs::directory_iterator(folder.path)) fs::remove(e.path());
    forget();
  }
};

TEST_F(CodeCache, looks_in_memory_then_on_disk_then_compiles) {
  const CodeCacheStats before = code_cache_stats();
  EXPECT_EQ(get(scale(2)).origin, CodeOrigin::Compiled);
  EXPECT_EQ(get(scale(2, "other")).origin, CodeOrigin::Memory);
  forget();
  const Got again = get(scale(2, "third"));
  EXPECT_EQ(again.origin, CodeOrigin::Disk);
  EXPECT_EQ(again.code->plan().name, "third");
  EXPECT_EQ(factor_of(again), 2);
  EXPECT_EQ(get(scale(2)).origin, CodeOrigin::Memory);
  EXPECT_EQ(get(scale(3)).origin, CodeOrigin::Compiled);
  EXPECT_EQ(get(scale(2), CompileMode::no_fuse).origin, CodeOrigin::Compiled);
  const CodeCacheStats stats = code_cache_stats();
  EXPECT_EQ(stats.hits - before.hits, 2u);
  EXPECT_EQ(stats.disk_hits - before.disk_hits, 1u);
  EXPECT_EQ(stats.misses - before.misses, 4u);  // with the one that `forget` compiles
  EXPECT_EQ(stats.disk_misses - before.disk_misses, 4u);
}

TEST_F(CodeCache, is_bounded_in_bytes) {
  const size_t bound = set_code_cache_bytes(0);
  const size_t one = (get(scale(2)), code_cache_stats().bytes);
  EXPECT_EQ(code_cache_stats().entries, 1u);  // the newest entry stays
  EXPECT_GT(one, 500u);
  set_code_cache_bytes(3 * one + one / 2);
  for (int i = 3; i <= 10; ++i) {
    get(scale(i));
    EXPECT_LE(code_cache_stats().bytes, 3 * one + one / 2);
    EXPECT_EQ(get(scale(2)).origin, CodeOrigin::Memory) << i;  // used again, so it is now the newest
  }
  EXPECT_EQ(code_cache_stats().entries, 3u);
  EXPECT_EQ(get(scale(9)).origin, CodeOrigin::Memory);
  EXPECT_EQ(get(scale(8)).origin, CodeOrigin::Disk);
  set_code_cache_bytes(bound);
  EXPECT_EQ(code_cache_stats().entries, 3u);
}

TEST_F(CodeCache, threads_that_ask_at_once_compile_once) {
  std::vector<std::thread> threads;
  std::atomic<int> compiled{0}, right{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&] {
      const Got got = get(scale(5));
      compiled += got.origin == CodeOrigin::Compiled;
      right += factor_of(got) == 5;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(compiled, 1);
  EXPECT_EQ(right, 8);
}

// Complete entries under the right key with useless contents: another program's format, another function, code that
// cannot be loaded.
TEST_F(CodeCache, what_does_not_fit_is_compiled_and_written_again) {
  ir::Function f = scale(7);
  f.canonicalize_order();
  const std::string key = codegen::cache_key(f, "enabled", {}).value();
  runtime::DiskCacheOptions options;
  options.folder = folder.path;
  runtime::DiskCache disk(options);
  ASSERT_EQ(get(scale(7)).origin, CodeOrigin::Compiled);
  const auto good = disk.load(key);
  ASSERT_TRUE(good.has_value()) << "the key is another one";

  runtime::Image other = *runtime::read_image(*good);
  other.inputs[0].dtype = int32;
  runtime::Image rank = *runtime::read_image(*good);
  rank.plan.results[0].shape.emplace_back(1), rank.plan.results[0].strides.emplace_back(1);
  runtime::Image broken = *runtime::read_image(*good);
  broken.objects[0].object.resize(broken.objects[0].object.size() / 2);
  size_t misses = code_cache_stats().misses;
  for (const std::string& payload :
       {std::string("nonsense"), std::string(), good->substr(1), *good + "x", runtime::write_image(other),
        runtime::write_image(rank), runtime::write_image(broken)}) {
    disk.store(key, payload);
    forget();
    const Got got = get(scale(7));
    EXPECT_EQ(got.origin, CodeOrigin::Compiled);
    EXPECT_EQ(factor_of(got), 7);
    EXPECT_EQ(disk.load(key), good);
    EXPECT_EQ(code_cache_stats().misses, misses += 2);
  }
  forget();
  EXPECT_EQ(get(scale(7)).origin, CodeOrigin::Disk);
}

// Constants come back to the bit, and so does everything computed from them.
TEST_F(CodeCache, programs_from_the_disk_give_the_same_bits) {
  const std::string text =
      R"(func @many(%x: f32[n, 5], %s: f32[]) -> (f32[n], f32[n, 5], f32[3], f32[5, n]) where n in [1, 100] {
    %0: f32[n, 5] = exp %x
    %1: f32[n] = sum %0 {axes=[1]}
    %2: f32[n, 5] = broadcast %s {shape=[n, 5]}
    %3: f32[n, 5] = remainder %x, %2
    %4: f32[3] = constant [1.5, -0.0, nan]
    %5: f32[5, n] = transpose %x {axes=[1, 0]}
    %6: f32[n, n] = matmul %x, %5
    %7: f32[n, 5] = matmul %6, %x
    %8: f32[n, 5] = add %7, %3
    return %1, %8, %4, %5
  })";
  auto run = [](const Got& got) {
    std::string bits;
    for (int64_t n : {1, 3, 17}) {
      auto x = *runtime::Buffer::allocate(static_cast<size_t>(n) * 20), s = *runtime::Buffer::allocate(4);
      for (int64_t i = 0; i < n * 5; ++i) static_cast<float*>(x->data())[i] = static_cast<float>(i % 7) - 2.5f;
      *static_cast<float*>(s->data()) = 0.75f;
      const runtime::Tensor inputs[] = {{x, float32, {n, 5}, {5, 1}, 0}, {s, float32, {}, {}, 0}};
      auto results = got.code->run(inputs);
      if (!results.ok()) {
        ADD_FAILURE() << results.error().str();
        continue;
      }
      for (const runtime::Tensor& t : *results) {
        size_t count = 1;
        for (int64_t d : t.shape) {
          count *= static_cast<size_t>(d);
          bits += std::to_string(d) + ",";
        }
        for (int64_t d : t.strides) bits += std::to_string(d) + ";";
        bits.append(static_cast<const char*>(t.buffer->data()) + t.offset * 4, count * 4);
      }
    }
    return bits;
  };
  const Got first = get(parse(text));
  EXPECT_EQ(first.origin, CodeOrigin::Compiled);
  forget();
  const Got second = get(parse(text));
  EXPECT_EQ(second.origin, CodeOrigin::Disk);
  EXPECT_EQ(run(first), run(second));
}

}  // namespace
}  // namespace frit::detail
