// The linker of shared libraries alone, on objects of the C compiler: accepted, refused and damaged objects.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "codegen/llvm/link_shared.h"
#include "support.h"

namespace frit::test {
namespace {

class Link : public testing::Test {
 protected:
  std::string object(const std::string& source, const std::string& flags = "") {
    const std::string c = folder_.file("a.c"), o = folder_.file("a.o");
    write_file(c, source);
    int status = 0;
    // As code generation does it: position-independent, no unwind tables.
    const std::string plain = " -O2 -fPIC -fno-asynchronous-unwind-tables -fno-builtin ";
    const std::string said = output_of(FRIT_CC + plain + flags + " -c '" + c + "' -o '" + o + "'", status);
    EXPECT_EQ(status, 0) << said;
    std::stringstream bytes;
    bytes << std::ifstream(o, std::ios::binary).rdbuf();
    return bytes.str();
  }

  std::string refusal(const std::vector<std::string>& objects, const std::string& name = "f") {
    auto linked = codegen::link_shared(objects, {"made.so", {name}});
    return linked.ok() ? "" : linked.error().message;
  }

  Folder folder_;
};

TEST_F(Link, ObjectsThatNeedEachOtherAndTheirLibraries) {
#if defined(__x86_64__)
  const std::string attribute = "__attribute__((visibility(\"hidden\"))) ";
  const std::vector<std::string> objects{object("double g(double); " + attribute +
                                                "extern const int table[4]; double fmod(double, double);\n"
                                                "double f(double x) { return g(x) + table[(int)x & 3] + fmod(x, 3); }"),
                                         object(attribute + "const int table[4] = {10, 20, 30, 40}; " + attribute +
                                                "double g(double x) { return 2 * x; }")};
  auto linked = codegen::link_shared(objects, {"made.so", {"f"}});
  ASSERT_TRUE(linked.ok()) << linked.error().str();
  write_file(folder_.file("made.so"), *linked);
  auto library = Library::open(folder_.file("made.so"));
  ASSERT_TRUE(library.ok()) << library.error().str();
  auto* f = reinterpret_cast<double (*)(double)>((*library)->find("f"));
  ASSERT_TRUE(f);
  EXPECT_EQ(f(5), 10.0 + 20 + 2);
  EXPECT_FALSE((*library)->find("g"));
  EXPECT_FALSE((*library)->find("table"));
#else
  GTEST_SKIP() << "written for x86-64";
#endif
}

TEST_F(Link, WhatNoLibraryOfKernelsHasIsRefused) {
  const std::string one = object("int f(void) { return 1; }");
  EXPECT_EQ(refusal({one}), "");
  EXPECT_EQ(refusal({}), "'made.so' cannot be linked: there is no object");
  EXPECT_EQ(refusal({one}, "g"), "'made.so' cannot be linked: nothing defines 'g'");
  EXPECT_EQ(refusal({one, one}), "'made.so' cannot be linked: 'f' is defined twice");
  EXPECT_EQ(refusal({object("int f(void) { static int calls; return ++calls; }")}),
            "'made.so' cannot be linked: it has writable data");
  EXPECT_EQ(refusal({object("static _Thread_local int calls; int f(void) { return ++calls; }")}),
            "'made.so' cannot be linked: it has writable data");
  const std::string foreign = refusal({object("int puts(const char*); int f(void) { return puts(\"\"); }")});
  EXPECT_NE(foreign.find("it needs 'puts', which no allowed library"), std::string::npos) << foreign;
  EXPECT_NE(refusal({object("int f(void) { return 1; }", "-g0 -m32")}).find("not a little-endian ELF file of 64 bits"),
            std::string::npos);
  if (has_program("aarch64-linux-gnu-gcc")) {
    write_file(folder_.file("b.c"), "int g(void) { return 1; }");
    int status = 0;
    output_of("aarch64-linux-gnu-gcc -O2 -c '" + folder_.file("b.c") + "' -o '" + folder_.file("b.o") + "'", status);
    ASSERT_EQ(status, 0);
    std::stringstream bytes;
    bytes << std::ifstream(folder_.file("b.o"), std::ios::binary).rdbuf();
    EXPECT_EQ(refusal({one, bytes.str()}), "'made.so' cannot be linked: its objects are for different machines");
  }
}

TEST_F(Link, DamagedObjectsAreErrorsOrLibraries) {
  const std::string whole = object(
      "double fma(double, double, double); static const double t[3] = {1, 2, 3};\n"
      "double f(double x, int i) { return fma(x, t[i], t[(i + 1) % 3]); }");
  ASSERT_EQ(refusal({whole}), "");
  for (size_t length = 0; length < whole.size(); length += 7)
    EXPECT_NE(refusal({whole.substr(0, length)}), "") << length;
  Random random(3);
  size_t refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string damaged = whole;
    for (int flips = 0; flips < 1 + i % 4; ++flips)
      damaged[random() % damaged.size()] ^= static_cast<char>(1 << random() % 8);
    refused += refusal({damaged}) != "";
  }
  EXPECT_GT(refused, 100u);
}

}  // namespace
}  // namespace frit::test
