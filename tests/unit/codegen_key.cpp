// Keys of compiled code: the properties that they depend on, and those that they do not.
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <set>

#include "codegen/core/cache_key.h"
#include "ir/read/parser.h"
#include "runtime/system/build_identity.h"
#include "runtime/system/cpu.h"
#include "runtime/system/plugin.h"

namespace frit::codegen {
namespace {

ir::Function parse(const std::string& text) {
  auto module = ir::parse(text, "test");
  if (!module.ok()) {
    ADD_FAILURE() << module.error().render(text);
    return {};
  }
  ir::Function f = *(*module)->functions[0];
  f.canonicalize_order();
  return f;
}

std::string key(const ir::Function& f, std::string_view options = "", const Target& target = {}) {
  return cache_key(f, options, target).value_or("none");
}

// x + constant, with the constant's bits.
ir::Function with_constant(Dtype dtype, uint64_t bits) {
  ir::Function f;
  f.name = "f";
  ir::Builder b(f);
  std::vector<std::byte> bytes(dtype.size());
  std::memcpy(bytes.data(), &bits, dtype.size());
  f.results = {b.constant(ir::Literal(dtype, bytes))};
  f.canonicalize_order();
  return f;
}

TEST(CacheKey, names_and_places_do_not_count) {
  const std::string a = key(parse(R"(func @one(%x: f32[n], %y: f32[n]) -> f32[n] {
    %0: f32[n] = add %x, %y  // loc "a.cpp":1
    return %0
  })"));
  EXPECT_EQ(a, key(parse(R"(func @two(%left: f32[n], %0: f32[n]) -> f32[n] {
    %7: f32[n] = multiply %left, %left
    %1: f32[n] = add %left, %0  // loc "b.cpp":2
    return %1
  })")));
  EXPECT_NE(a, key(parse("func @one(%x: f32[n], %y: f32[n]) -> f32[n] {\n %0: f32[n] = add %y, %x\n return %0\n}")));
  EXPECT_NE(
      a,
      key(parse(
          "func @one(%x: f32[n], %y: f32[n]) -> f32[n] where n % 2 == 0 {\n %0: f32[n] = add %x, %y\n return %0\n}")));
  EXPECT_NE(a, key(parse("func @one(%x: f32[4], %y: f32[4]) -> f32[4] {\n %0: f32[4] = add %x, %y\n return %0\n}")));
}

TEST(CacheKey, constants_count_by_their_bits) {
  std::set<std::string> keys;
  size_t made = 0;
  auto add = [&](Dtype t, uint64_t bits) {
    keys.insert(key(with_constant(t, bits)));
    ++made;
  };
  for (uint64_t bits : {0x00000000u, 0x80000000u, 0x3f800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u,
                        0x7fc00001u, 0x7f800001u, 0x00000001u})
    add(float32, bits);
  for (uint64_t bits :
       {uint64_t{0}, uint64_t{1} << 63, uint64_t{0x7ff8} << 48, (uint64_t{0x7ff8} << 48) + 1, uint64_t{0x3ff0} << 48})
    add(float64, bits);
  for (uint64_t bits : {0x0000, 0x8000, 0x7e00, 0x7e01, 0x3c00}) add(float16, bits);
  for (uint64_t bits : {0x0000, 0x8000, 0x7fc0, 0x7fc1, 0x3f80}) add(bfloat16, bits);
  for (Dtype t : {bool_, uint8, uint16, uint32, uint64, int8, int16, int32, int64})
    for (uint64_t bits : {0, 1}) add(t, bits);
  add(complex64, 0);
  add(complex64, uint64_t{1} << 63);
  EXPECT_EQ(keys.size(), made);
}

TEST(CacheKey, compilers_count) {
  const ir::Function f = parse("func @f(%x: f32[4]) -> f32[4] {\n %0: f32[4] = exp %x\n return %0\n}");
  EXPECT_EQ(key(f), key(f));
  EXPECT_NE(key(f, "mode a"), key(f, "mode b"));
  EXPECT_NE(key(f, "", {"llvm", "native"}), key(f, "", {"llvm", "x86-64"}));
  const std::string& identity = compiler_identity({});
  for (const char* part : {"libfrit_codegen_llvm.so:", "cache="})
    EXPECT_NE(identity.find(part), std::string::npos) << part << " in\n" << identity;
}

// The paths of the loaded files that are frit's, as the system lists them.
std::set<std::string> loaded_libraries() {
  std::set<std::string> paths;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = line.substr(slash);
    if (path.rfind(runtime::library_folder() + "/libfrit", 0) == 0) paths.insert(path);
  }
  return paths;
}

TEST(CacheKey, every_library_of_frit_counts) {
  const std::string& identity = compiler_identity({});
  const std::set<std::string> libraries = loaded_libraries();
  EXPECT_GE(libraries.size(), 5u);  // base, ir, passes, runtime, codegen
  for (const std::string& path : libraries) {
    const std::string own = runtime::file_identity(path);
    EXPECT_NE(identity.find(own.substr(own.find(':'), 41)), std::string::npos) << path << " in\n" << identity;
  }
}

TEST(CacheKey, a_library_that_only_a_backend_needs_counts) {
  // All that the plugin needs is part of its identity, whether it is loaded or not.
  const std::string identity = runtime::file_identity(backend_file("llvm"));
  for (const std::string& path : loaded_libraries()) {
    const std::string own = runtime::file_identity(path);
    EXPECT_NE(identity.find(own.substr(own.find(':'), 41)), std::string::npos) << path << " in\n" << identity;
  }
}

TEST(CacheKey, large_constants_have_none) {
  ir::Function f;
  ir::Builder b(f);
  f.results = {b.constant(ir::Literal(uint8, std::vector<std::byte>(kMaxKeyConstants + 1)),
                          {Dim(int64_t{kMaxKeyConstants + 1})})};
  EXPECT_FALSE(cache_key(f, "", {}).has_value());
}

TEST(BuildIdentity, is_the_build_id_of_the_file) {
  const std::string plugin = backend_file("llvm");
  ASSERT_FALSE(plugin.empty());
  const std::string identity = runtime::file_identity(plugin);
  const size_t colon = identity.find(':'), end = identity.find(' ');
  EXPECT_EQ(identity.substr(0, colon), "libfrit_codegen_llvm.so");
  const std::string id = identity.substr(colon + 1, end - colon - 1);
  EXPECT_EQ(id.size(), 40u) << identity;
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos) << identity;
  // Asked for after loading, the identity is the same.
  ASSERT_TRUE(find_backend("llvm").ok());
  EXPECT_EQ(runtime::file_identity(plugin), identity);
  EXPECT_EQ(runtime::file_identity("/nowhere"), "");
  EXPECT_EQ(runtime::file_identity("/proc/self/cmdline").find("cmdline:0@"), 0u);  // not an ELF file: size and time
  EXPECT_EQ(runtime::cpu_identity(), runtime::cpu_identity());
}

}  // namespace
}  // namespace frit::codegen
