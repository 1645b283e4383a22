// The guarantees to a caller of a native form: codes and messages, no writes by a refused call, any number of threads,
// headers for C and C++, objects that link with a C program.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <iostream>
#include <thread>

#include "support.h"

namespace frit::test {
namespace {

// Two kernels with a temporary between them, and facts to break.
constexpr const char* kCentre = R"(func @centre(%x: f32[n, m]) -> f32[n, m] where m % 4 == 0, n in [0, 1000] {
  %0: f32[] = sum %x {axes=[0, 1], keepdims=false}
  %1: f32[n, m] = broadcast %0 {shape=[n, m]}
  %2: f32[n, m] = subtract %x, %1
  return %2
})";

constexpr const char* kSoftmax = R"(func @softmax(%x: f32[n, m]) -> f32[n, m] where m in [1, 1048576] {
  %0: f32[n, 1] = max %x {axes=[1], keepdims=true}
  %1: f32[n, m] = broadcast %0 {shape=[n, m]}
  %2: f32[n, m] = subtract %x, %1
  %3: f32[n, m] = exp %2
  %4: f32[n, 1] = sum %3 {axes=[1], keepdims=true}
  %5: f32[n, m] = broadcast %4 {shape=[n, m]}
  %6: f32[n, m] = divide %3, %5
  return %6
})";

class Native : public testing::Test {
 protected:
  void open(const std::string& text) {
    auto planned = plan_native(parse_one(text), {});
    ASSERT_TRUE(planned.ok()) << planned.error().str();
    planned_ = std::move(*planned);
    auto code = emit_code({&planned_, 1}, {}, "shared", {.name = "test"}, &header_);
    ASSERT_TRUE(code.ok()) << code.error().str();
    write_file(folder_.file("test.so"), *code);
    auto opened = Library::open(folder_.file("test.so"));
    ASSERT_TRUE(opened.ok()) << opened.error().str();
    library_ = std::move(*opened);
  }

  Folder folder_;
  ir::Function planned_;
  std::string header_;
  std::unique_ptr<Library> library_;
};

using Centre = int (*)(const float*, float*, int64_t, int64_t, void*, const char**);
using CentreWorkspace = size_t (*)(int64_t, int64_t);

TEST_F(Native, RefusedCallsSayWhyAndWriteNothing) {
  open(kCentre);
  auto call = reinterpret_cast<Centre>(library_->find("centre"));
  auto workspace_of = reinterpret_cast<CentreWorkspace>(library_->find("centre_workspace"));
  ASSERT_TRUE(call && workspace_of);
  alignas(64) std::byte workspace[256];
  ASSERT_GT(workspace_of(8, 2), 0u);
  ASSERT_LE(workspace_of(8, 2), sizeof workspace);
  float x[16], out[16];
  for (int i = 0; i < 16; ++i) x[i] = static_cast<float>(i);
  constexpr int64_t kLarge = int64_t{1} << 46;
  struct Bad {
    const float* x;
    float* out;
    int64_t m, n;
    void* workspace;
    int code;
    const char* says;
  };
  const Bad bad[] = {{x, out, -4, 2, workspace, 1, "'m' must be at least 0"},
                     {x, out, 8, -1, workspace, 1, "'n' must be at least 0"},
                     {x, out, 8, 1001, workspace, 1, "'n' must be at most 1000"},
                     {x, out, 7, 2, workspace, 1, "'m' must be a multiple of 4"},
                     {x, out, INT64_MIN, 2, workspace, 1, "'m' must be at least 0"},
                     {x, out, INT64_MAX - 3, 2, workspace, 2, "'m' must be at most"},
                     {x, out, kLarge * 2, 1000, workspace, 2, "does not fit"},
                     {nullptr, out, 8, 2, workspace, 3, "'x' is null"},
                     {x, nullptr, 8, 2, workspace, 3, "'out' is null"},
                     {x, out, 8, 2, nullptr, 4, "the workspace is null"},
                     {x, out, 8, 2, workspace + 4, 4, "multiple of 64"}};
  for (const Bad& b : bad) {
    SCOPED_TRACE(b.says);
    std::fill(std::begin(out), std::end(out), -7.0f);
    const char* message = nullptr;
    EXPECT_EQ(call(b.x, b.out, b.m, b.n, b.workspace, &message), b.code);
    ASSERT_TRUE(message);
    EXPECT_NE(std::string(message).find(b.says), std::string::npos) << message;
    EXPECT_EQ(std::string(message).find("centre: "), 0u) << message;
    EXPECT_EQ(call(b.x, b.out, b.m, b.n, b.workspace, nullptr), b.code);
    for (float v : out) EXPECT_EQ(v, -7.0f);
    if (b.code <= 2) {
      EXPECT_EQ(workspace_of(b.m, b.n), SIZE_MAX);
    }
  }
  const char* message = "untouched";
  ASSERT_EQ(call(x, out, 8, 2, workspace, &message), 0);
  EXPECT_STREQ(message, "untouched");
  for (int i = 0; i < 16; ++i) EXPECT_EQ(out[i], static_cast<float>(i) - 120.0f);
  // Arrays without elements may be null.
  EXPECT_EQ(call(nullptr, nullptr, 8, 0, workspace, &message), 0);
  EXPECT_EQ(call(nullptr, nullptr, 0, 5, workspace, &message), 0);
}

TEST_F(Native, ManyThreadsCallOneLibrary) {
  open(kSoftmax);
  auto c = codegen::make_c_interface(planned_);
  ASSERT_TRUE(c.ok());
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Random random(static_cast<uint64_t>(t));
      for (int i = 0; i < 25; ++i) {
        std::vector<ir::Tensor> inputs{random_tensor(float32, {1 + t + i % 5, 3 + i}, Values::Ordinary, random)};
        auto arguments = place(planned_, inputs, random);
        if (!arguments.ok()) {
          ++wrong;
          continue;
        }
        auto want = run_program(planned_, *arguments);
        auto got = run_native(*library_, planned_, *c, *arguments);
        if (!want.ok() || !got.ok() || !difference((*want)[0], (*got)[0]).empty()) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

constexpr const char* kCaller = R"(#include "test.h"
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  float x[6] = {0, 1, 2, 3, 3, 3}, out[6];
  const char* message = "";
  size_t bytes = softmax_workspace(3, 2);
  void* workspace = bytes == 0 ? NULL : aligned_alloc(64, (bytes + 63) / 64 * 64);
  int code = softmax(x, out, 3, 2, workspace, &message);
  free(workspace);
  if (code != FRIT_CALL_OK) return puts(message), 1;
  printf("%.6f %.6f %.6f %.6f", (double)out[0], (double)out[1], (double)out[2], (double)out[3]);
  return softmax(x, out, 0, 2, NULL, NULL) == FRIT_CALL_BAD_SIZES ? 0 : 2;
}
)";
constexpr const char* kSays = "0.090031 0.244728 0.665241 0.333333";

TEST_F(Native, HeadersServeCAndCxxAndObjectsLink) {
  open(kSoftmax);
  std::string object_header;
  auto object = emit_code({&planned_, 1}, {}, "object", {.name = "test"}, &object_header);
  ASSERT_TRUE(object.ok()) << object.error().str();
  write_file(folder_.file("test.o"), *object);
  write_file(folder_.file("test.h"), object_header);
  for (const auto& [compiler, standard, source] :
       {std::tuple(FRIT_CC, "-std=c11", "caller.c"), {FRIT_CXX, "-std=c++20", "caller.cpp"}}) {
    SCOPED_TRACE(compiler);
    write_file(folder_.file(source), kCaller);
    const std::string in = "cd '" + folder_.path().string() + "' && ";
    const std::string flags = std::string(" -Wall -Wextra -pedantic -Werror ") + standard + " " + source;
    int status = 0;
    std::string said = output_of(in + compiler + flags + " test.o -lm -o with_object && ./with_object", status);
    EXPECT_EQ(status, 0) << said;
    EXPECT_EQ(said, kSays);
    said =
        output_of(in + compiler + flags + " ./test.so -Wl,-rpath,'$ORIGIN' -o with_library && ./with_library", status);
    EXPECT_EQ(status, 0) << said;
    EXPECT_EQ(said, kSays);
  }
}

TEST_F(Native, TellsWhatItDoesNotEmit) {
  open(kSoftmax);
  auto unknown = emit_code({&planned_, 1}, {}, "rust", {.name = "test"});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().message, "backend llvm cannot emit 'rust'");
  auto cpu = emit_code({&planned_, 1}, {"llvm", "z80"}, "shared", {.name = "test"});
  ASSERT_FALSE(cpu.ok());
  EXPECT_NE(cpu.error().message.find("'z80' is not a cpu"), std::string::npos);
  // Planned for the runtime, which may return views and inputs.
  auto other = plan(parse_one("func @same(%x: f32[n]) -> f32[n] {\n  return %x\n}"), true);
  ASSERT_TRUE(other.ok());
  auto view = emit_code({&*other, 1}, {}, "shared", {.name = "test"});
  ASSERT_FALSE(view.ok());
  EXPECT_NE(view.error().message.find("result 0 is an input"), std::string::npos) << view.error().str();
}

}  // namespace
}  // namespace frit::test
