// The LLVM backend's output and its errors, and the folders in which plugins are sought.
#include <iostream>
#include <thread>

#include "codegen_harness.h"
#include "runtime/load/elf_object.h"
#include "runtime/load/object_loader.h"
#include "runtime/load/relocate.h"
#include "runtime/system/cpu.h"

namespace frit::test {
namespace {

const char* const kScale = R"(kernel @scale(%x: f32[n] in, %y: f32[n] out; n) {
  parallel for i in n vector 8 unroll 4 {
    %0: f32 = load %x[i]
    %1: f32 = mul %0, 3
    store %y[i], %1
  }
})";

TEST(Emit, NamesTheKernelAndIsDeterministic) {
  for (std::string_view emission : {"asm", "llvm-ir", "object"}) {
    auto first = backend().emit(program_of(parse(kScale)), {}, emission);
    auto second = backend().emit(program_of(parse(kScale)), {}, emission);
    ASSERT_TRUE(first.ok()) << first.error().str();
    ASSERT_TRUE(second.ok());
    EXPECT_EQ(*first, *second) << emission;
    EXPECT_NE(first->find("frit_scale"), std::string::npos) << emission;
  }
}

TEST(Emit, RefusesWhatItDoesNotKnow) {
  auto text = backend().emit(program_of(parse(kScale)), {}, "glsl");
  ASSERT_FALSE(text.ok());
  EXPECT_NE(text.error().message.find("cannot emit 'glsl'"), std::string::npos);
  auto cpu = backend().emit(program_of(parse(kScale)), {"llvm", "z80"}, "asm");
  ASSERT_FALSE(cpu.ok());
  EXPECT_NE(cpu.error().message.find("'z80' is not a cpu"), std::string::npos);
}

TEST(Emit, FunctionsMustBeExpanded) {
  auto k = parse(R"(kernel @f(%x: f32[n] inout; n) {
    parallel for i in n vector 8 {
      %0: f32 = load %x[i]
      %1: f32 = exp %0
      store %x[i], %1
    }
  })");
  auto code = codegen::load(program_of(k), {});
  ASSERT_FALSE(code.ok());
  EXPECT_NE(code.error().message.find("exp must be expanded"), std::string::npos) << code.error().str();
}

TEST(Emit, OtherProcessors) {
  for (const char* cpu : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    auto text = backend().emit(program_of(parse(kScale)), {"llvm", cpu}, "asm");
    ASSERT_TRUE(text.ok()) << text.error().str();
    EXPECT_NE(text->find("frit_scale"), std::string::npos);
  }
}

size_t prefetches_in(const std::string& kernel) {
  auto text = backend().emit(program_of(parse(kernel)), {"llvm", "x86-64-v4"}, "llvm-ir");
  EXPECT_TRUE(text.ok());
  size_t count = 0;
  for (size_t at = 0; text.ok() && (at = text->find("call void @llvm.prefetch", at)) != std::string::npos; ++at)
    ++count;
  return count;
}

// Two loops over pieces of operands: of large ones, each loop prefetches what the other reads first, two lines of each.
TEST(Emit, LoopsPrefetchTheOperandsOfOthers) {
  const auto kernel = [](const std::string& n) {
    std::string text = R"(kernel @pieces(%x: f32[N] in, %y: f32[N] in, %z: f32[N] out) {
  local %part: f32[2048] inout
  parallel for i in 7 {
    for c in 2048 vector 16 unroll 2 {
      %0: f32 = load %x[2048*i + c]
      %1: f32 = mul %0, 3
      store %part[c], %1
    }
    for d in 2048 vector 16 unroll 2 {
      %2: f32 = load %y[2048*i + d]
      %3: f32 = load %part[d]
      %4: f32 = add %2, %3
      store %z[2048*i + d], %4
    }
  }
})";
    for (size_t at; (at = text.find('N')) != std::string::npos;) text.replace(at, 1, n);
    return text;
  };
  EXPECT_EQ(prefetches_in(kernel("1200000")), 4u);
  EXPECT_EQ(prefetches_in(kernel("400000")), 2u) << "of less, the rows that come next alone";
  EXPECT_EQ(prefetches_in(kernel("14336")), 0u);
}

// Short rows that are turned, and a loop over them: it prefetches those of the next iteration, four lines in each step.
TEST(Emit, BlocksOfRowsArePrefetched) {
  EXPECT_EQ(prefetches_in(R"(kernel @rows(%x: f32[1728000] in, %z: f32[64000] out) {
  local %turned: f32[2048] inout
  parallel for i in 1000 {
    for place in 27 unroll 16 {
      for row in 64 vector 16 {
        %0: f32 = load %x[1728*i + place + 27*row]
        store %turned[64*place + row], %0
      }
    }
    for w in 64 vector 16 unroll 4 {
      for r in 27 acc %1: f32 = max %2 {
        %2: f32 = load %turned[64*r + w]
      }
      store %z[64*i + w], %1
    }
  }
})"),
            4u);
}

// A loop with much work for each element of a large operand prefetches what comes later of the same run, a line for
// each vector. Little work leaves that to the processor, and so do operands that stay in cache.
TEST(Emit, LaterElementsOfARunArePrefetched) {
  const auto kernel = [](int rows, int work) {
    std::string body;
    for (int i = 1; i <= work; ++i)
      body += "      %" + std::to_string(i) + ": f32 = mul %" + std::to_string(i - 1) + ", %0\n";
    return "kernel @runs(%x: f32[" + std::to_string(1024 * rows) + "] in, %y: f32[" + std::to_string(rows) +
           "] out) {\n  parallel for i in " + std::to_string(rows) +
           " {\n    for j in 1024 vector 16 unroll 2 lanes 32 " + "acc %50: f32 = sum %" + std::to_string(work) +
           " {\n      %0: f32 = load %x[1024*i + j]\n" + body + "    }\n    store %y[i], %50\n  }\n}";
  };
  EXPECT_EQ(prefetches_in(kernel(4096, 12)), 2u);
  EXPECT_EQ(prefetches_in(kernel(4096, 3)), 0u);
  EXPECT_EQ(prefetches_in(kernel(256, 12)), 0u);
}

// Pieces of far rows, each behind the one that was taken before: two lines of the next piece in each step, none of
// those of pieces that share a line.
TEST(Emit, NextPiecesOfFarRowsArePrefetched) {
  const auto kernel = [](int n) {
    const std::string piece = std::to_string(n), row = std::to_string(n * 60), column = std::to_string(n * 900);
    return "kernel @swap(%x: f32[1080000] in, %y: f32[1080000] out) {\n  parallel for b in 14 {\n    for i in 60 {\n"
           "      for f in 64 {\n        for c in " +
           piece + " vector 16 unroll 2 {\n          %0: f32 = load %x[" + row + "*f + " + std::to_string(n * 3840) +
           "*b + " + piece + "*i + c]\n          store %y[" + piece + "*f + " + column + "*i + " +
           std::to_string(n * 64) + "*b + c], %0\n        }\n      }\n    }\n  }\n}";
  };
  EXPECT_EQ(prefetches_in(kernel(20)), 2u);
  EXPECT_EQ(prefetches_in(kernel(5)), 0u);
}

// Objects for processors that may not be this one: position-independent, for the right machine, the same every time.
TEST(Emit, ObjectsForOtherProcessors) {
  for (const char* cpu :
       {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "znver4", "aarch64", "cortex-a72", "neoverse-v1"}) {
    SCOPED_TRACE(cpu);
    const codegen::Target target{"llvm", cpu};
    auto first = backend().objects(program_of(parse(kScale)), target);
    auto second = backend().objects(program_of(parse(kScale)), target);
    const bool arm = std::string_view(cpu)[0] != 'x' && std::string_view(cpu)[0] != 'z';
    if (arm && !first.ok() && first.error().message.find("has no code generator") != std::string::npos) {
      std::cout << "not tested for " << cpu << ": " << first.error().message << "\n";
      continue;
    }
    ASSERT_TRUE(first.ok()) << first.error().str();
    ASSERT_TRUE(second.ok());
    ASSERT_EQ(first->size(), 1u);
    EXPECT_EQ((*first)[0].object, (*second)[0].object);
    auto elf = runtime::ElfObject::read((*first)[0].object);
    ASSERT_TRUE(elf.ok()) << elf.error().str();
    EXPECT_EQ(elf->machine, arm ? EM_AARCH64 : EM_X86_64);
    for (size_t i = 0; i < elf->sections.size(); ++i) {
      if (!elf->sections[i].loaded()) continue;
      auto relocations = elf->relocations(i);
      ASSERT_TRUE(relocations.ok());
      for (const auto& r : *relocations) {
        const runtime::Relocation* known = runtime::find_relocation(elf->machine, r.type);
        ASSERT_TRUE(known) << r.type;
        EXPECT_NE(known->form, runtime::Relocation::Form::Word64)
            << "an absolute address in code that may lie anywhere";
      }
    }
    auto here = backend().runs_here(target);
    const bool level = std::string_view(cpu).starts_with("x86-64") || std::string_view(cpu) == "aarch64";
    if (level) {
      EXPECT_EQ(here.ok(), runtime::cpu_runs(cpu));
    }
    if (here.ok()) {
      EXPECT_TRUE(runtime::load_objects(*first).ok());
    }
  }
}

TEST(Load, FromManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 5; ++i) Compiled(parse(kScale)).check({100});
    });
  for (std::thread& t : threads) t.join();
}

TEST(Plugin, AMissingOneSaysWhereItWasLookedFor) {
  auto none = codegen::find_backend("none");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("libfrit_codegen_none.so does not exist"), std::string::npos)
      << none.error().message;
  EXPECT_FALSE(codegen::find_backend("../llvm").ok());
  EXPECT_NE(codegen::facts_of("llvm"), nullptr);
  EXPECT_EQ(codegen::facts_of("none"), nullptr);
}

}  // namespace
}  // namespace frit::test
