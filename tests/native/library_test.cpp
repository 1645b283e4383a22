// The files themselves: their dependencies and exports, the same bytes on every run, a small size.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <sstream>

#include "ir/read/parser.h"
#include "runtime/execute/parallel.h"
#include "support.h"
#include "tests/environment.h"

namespace frit::test {
namespace {

std::vector<ir::Function> example(const std::string& name) {
  std::stringstream text;
  text << std::ifstream(source_folder() + "/examples/graphs/" + name + ".frit").rdbuf();
  auto module = ir::parse(text.str(), "example");
  EXPECT_TRUE(module.ok()) << module.error().str();
  std::vector<ir::Function> functions;
  for (auto& f : (*module)->functions) functions.push_back(std::move(*f));
  return functions;
}

Result<std::string> shared(const std::vector<ir::Function>& functions, const std::string& cpu,
                           const std::string& emission = "shared") {
  std::vector<ir::Function> planned;
  for (const ir::Function& f : functions) {
    FRIT_ASSIGN_OR_RETURN(p, plan_native(f, {"llvm", cpu}));
    planned.push_back(std::move(p));
  }
  return emit_code(planned, {"llvm", cpu}, emission, {.name = "made"});
}

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find(part) != std::string::npos) found.push_back(line);
  return found;
}

constexpr const char* kCpus[] = {"native", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64"};

TEST(SharedLibrary, NeedsLibcAndLibmAloneAndShowsItsEntries) {
  if (!has_program("readelf")) GTEST_SKIP() << "there is no readelf";
  Folder folder;
  for (const char* cpu : kCpus)
    for (const char* name : {"gelu", "softmax", "layer_norm"}) {
      SCOPED_TRACE(std::string(name) + " for " + cpu);
      auto code = shared(example(name), cpu);
      ASSERT_TRUE(code.ok()) << code.error().str();
      EXPECT_LT(code->size(), 64u << 10);
      write_file(folder.file("made.so"), *code);
      int status = 0;
      const std::string text =
          output_of("LC_ALL=C readelf -hldSrsW --dyn-syms '" + folder.file("made.so") + "'", status);
      ASSERT_EQ(status, 0) << text;
      EXPECT_EQ(text.find("Warning"), std::string::npos) << text;
      EXPECT_EQ(text.find("Error"), std::string::npos) << text;
      for (const std::string& line : lines_with(text, "(NEEDED)"))
        EXPECT_TRUE(line.find("[libc.so.6]") != std::string::npos || line.find("[libm.so.6]") != std::string::npos)
            << line;
      EXPECT_EQ(lines_with(text, "[made.so]").size(), 1u) << text;
      EXPECT_EQ(lines_with(text, "GNU_RELRO").size(), 1u) << text;
      EXPECT_EQ(
          lines_with(text, " RWE ").size() + lines_with(text, "TEXTREL").size() + lines_with(text, "PATH)").size(), 0u)
          << text;
      EXPECT_EQ(lines_with(text, "BIND_NOW").size(), 1u) << text;
      const auto stack = lines_with(text, "GNU_STACK");
      ASSERT_EQ(stack.size(), 1u);
      EXPECT_NE(stack[0].find(" RW "), std::string::npos) << stack[0];
      const size_t from = text.find("Symbol table '.dynsym'"), to = text.find("Symbol table '.symtab'");
      ASSERT_LT(from, to);
      size_t defined = 0;
      for (const std::string& line : lines_with(text.substr(from, to - from), " GLOBAL ")) {
        if (line.find(" UND ") != std::string::npos) continue;
        ++defined;
        EXPECT_TRUE(line.ends_with(std::string(" ") + name) || line.ends_with(std::string(" ") + name + "_workspace"))
            << line;
      }
      EXPECT_EQ(defined, 2u);
    }
}

TEST(SharedLibrary, TheDynamicLinkerFindsAllItNeeds) {
  if (!has_program("ldd")) GTEST_SKIP() << "there is no ldd";
  Folder folder;
  // C's exact remainder, and copies of unknown length.
  auto code = shared(
      {parse_one("func @rest(%x: f32[n], %y: f32[n]) -> f32[n] {\n  %0: f32[n] = remainder %x, %y\n  return %0\n}")},
      "x86-64-v2");
  ASSERT_TRUE(code.ok()) << code.error().str();
  write_file(folder.file("made.so"), *code);
  int status = 0;
  const std::string text = output_of("ldd -r '" + folder.file("made.so") + "'", status);
  EXPECT_EQ(status, 0) << text;
  EXPECT_NE(text.find("libm.so.6"), std::string::npos) << text;
  EXPECT_EQ(text.find("undefined"), std::string::npos) << text;
  for (const char* unwanted : {"stdc++", "LLVM", "frit", "libgcc"})
    EXPECT_EQ(text.find(std::string("lib") + unwanted), std::string::npos) << text;
}

// Any threads, any folder, any compilations before it.
TEST(SharedLibrary, TheSameFunctionsGiveTheSameBytes) {
  const auto functions = example("softmax");
  const int threads = runtime::num_threads();
  Folder one, two;
  const auto here = std::filesystem::current_path();
  for (const char* cpu : kCpus)
    for (const char* emission : {"shared", "object"}) {
      SCOPED_TRACE(std::string(emission) + " for " + cpu);
      std::filesystem::current_path(one.path());
      runtime::set_num_threads(1);
      auto first = shared(functions, cpu, emission);
      auto other = shared(example("gelu"), cpu, emission);
      std::filesystem::current_path(two.path());
      runtime::set_num_threads(2);
      auto second = shared(functions, cpu, emission);
      ASSERT_TRUE(first.ok() && second.ok() && other.ok()) << (first.ok() ? "" : first.error().str());
      EXPECT_EQ(*first, *second);
      EXPECT_NE(*first, *other);
      for (const std::string& path : {one.path().string(), here.string(), source_folder()})
        EXPECT_EQ(first->find(path), std::string::npos) << path;
    }
  runtime::set_num_threads(threads);
  std::filesystem::current_path(here);
}

// Tables are part of the library, in read-only memory.
TEST(SharedLibrary, HoldsConstants) {
  std::string numbers;
  for (int i = 0; i < 3000; ++i) numbers += (i ? ", " : "") + std::to_string(i * 3);
  const ir::Function f = parse_one("func @table(%x: i32[3000]) -> i32[3000] {\n  %0: i32[3000] = constant [" + numbers +
                                   "]\n  %1: i32[3000] = add %x, %0\n  return %1\n}");
  for (const char* emission : {"shared", "object"}) {
    auto code = shared({f}, "native", emission);
    ASSERT_TRUE(code.ok()) << code.error().str();
    EXPECT_GT(code->size(), 12000u);
    EXPECT_LT(code->size(), 24000u);
  }
  auto code = shared({f}, "native");
  Folder folder;
  write_file(folder.file("made.so"), *code);
  auto library = Library::open(folder.file("made.so"));
  ASSERT_TRUE(library.ok()) << library.error().str();
  auto* call = reinterpret_cast<int (*)(const int32_t*, int32_t*, void*, const char**)>((*library)->find("table"));
  ASSERT_TRUE(call);
  std::vector<int32_t> x(3000, 7), out(3000);
  ASSERT_EQ(call(x.data(), out.data(), nullptr, nullptr), 0);
  for (int i = 0; i < 3000; ++i) ASSERT_EQ(out[static_cast<size_t>(i)], 7 + 3 * i);
}

// Several functions in one library, one of them twice: kernels with equal names, and names reserved in C.
TEST(SharedLibrary, HoldsManyFunctions) {
  std::vector<ir::Function> functions;
  for (const char* name : {"int", "f", "f", "f_workspace", "a b"}) {
    functions.push_back(parse_one("func @g(%x: i32[4]) -> i32[4] {\n  %0: i32[4] = negative %x\n  return %0\n}"));
    functions.back().name = name;
  }
  std::vector<ir::Function> planned;
  for (const ir::Function& f : functions) {
    auto p = plan_native(f, {});
    ASSERT_TRUE(p.ok()) << p.error().str();
    planned.push_back(std::move(*p));
  }
  std::vector<const ir::Function*> pointers;
  for (const ir::Function& f : planned) pointers.push_back(&f);
  auto interfaces = codegen::make_c_interfaces(pointers);
  ASSERT_TRUE(interfaces.ok()) << interfaces.error().str();
  auto code = emit_code(planned, {}, "shared", {.name = "made"});
  ASSERT_TRUE(code.ok()) << code.error().str();
  Folder folder;
  write_file(folder.file("made.so"), *code);
  auto library = Library::open(folder.file("made.so"));
  ASSERT_TRUE(library.ok()) << library.error().str();
  for (const codegen::CInterface& c : *interfaces) {
    SCOPED_TRACE(c.name);
    auto* call = reinterpret_cast<int (*)(const int32_t*, int32_t*, void*, const char**)>((*library)->find(c.name));
    ASSERT_TRUE(call);
    int32_t x[4] = {1, -2, 3, INT32_MIN}, out[4] = {};
    ASSERT_EQ(call(x, out, nullptr, nullptr), 0);
    EXPECT_EQ(out[1], 2);
    EXPECT_EQ(out[3], INT32_MIN);
  }
}

}  // namespace
}  // namespace frit::test
