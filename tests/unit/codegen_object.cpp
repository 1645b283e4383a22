// Objects of the code generator: the loader takes them, and no damage to one crashes it.
#include <random>

#include "codegen_harness.h"
#include "runtime/load/object_loader.h"

namespace frit::test {
namespace {

constexpr const char* kKernel = R"(kernel @rows(%x: f32[n] in, %y: f32[n] out; n) {
  parallel for i in n vector 8 {
    %0: f32 = load %x[i]
    %2: f32 = mul %0, 1.5
    %3: f32 = rem %2, %0
    store %y[i], %3
  }
})";

TEST(Object, is_the_same_for_the_same_program) {
  auto a = backend().objects(program_of(parse(kKernel)), {}), b = backend().objects(program_of(parse(kKernel)), {});
  ASSERT_TRUE(a.ok() && b.ok());
  ASSERT_EQ(a->size(), 1u);
  EXPECT_EQ((*a)[0].object, (*b)[0].object);
  ASSERT_EQ((*a)[0].entries.size(), 1u);
  EXPECT_EQ((*a)[0].entries[0].kernel, "rows");
}

// A compiler makes many objects, one after the other: none has a trace of the one before.
TEST(Object, does_not_depend_on_what_was_compiled_before) {
  const auto object_of = [](const char* text) {
    auto made = backend().objects(program_of(parse(text)), {});
    EXPECT_TRUE(made.ok());
    return made.ok() ? made->at(0).object : std::string();
  };
  // With constants in vectors, branches, calls and a part of the stack.
  constexpr const char* kOther = R"(kernel @other(%x: f64[n] in, %y: f64[n] out, %z: f64[1] out; n) {
    parallel for p in 1 {
      for i in n vector 8 lanes 16 acc %3: f64 = sum %2 {
        %0: f64 = load %x[i]
        %1: f64 = const 0.123
        %2: f64 = rem %0, %1
        store %y[i], %2
      }
      store %z[0], %3
    }
  })";
  const std::string first = object_of(kKernel), other = object_of(kOther);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(object_of(kKernel), first) << round;
    EXPECT_EQ(object_of(kOther), other) << round;
  }
}

TEST(Object, for_another_processor_is_not_run) {
  EXPECT_TRUE(backend().runs_here({}).ok());
  if (backend().runs_here({"llvm", "x86-64-v4"}).ok() && backend().runs_here({"llvm", "sapphirerapids"}).ok())
    GTEST_SKIP();
  auto code = codegen::load(program_of(parse(kKernel)), {"llvm", "sapphirerapids"});
  ASSERT_FALSE(code.ok());
  EXPECT_NE(code.error().message.find("cannot run on this machine"), std::string::npos);
}

TEST(Object, no_damage_crashes_the_loader) {
  auto made = backend().objects(program_of(parse(kKernel)), {});
  ASSERT_TRUE(made.ok()) << made.error().str();
  const std::vector<runtime::ObjectCode::Entry>& entries = (*made)[0].entries;
  const std::string good = (*made)[0].object;
  ASSERT_TRUE(runtime::load_object(good, entries).ok());
  for (size_t size = 0; size < good.size(); size += 1 + size % 7)
    EXPECT_FALSE(runtime::load_object(std::string(good, 0, size), entries).ok()) << size;
  Random random(3);
  std::string damaged = good;
  for (int round = 0; round < 4000; ++round) {
    const size_t at = random() % good.size();
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    (void)runtime::load_object(damaged, entries).ok();
    if (round % 4 == 0) damaged = good;
  }
}

}  // namespace
}  // namespace frit::test
