// Compiled programs as bytes: written bytes read back the same, and no bytes crash the reader.
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "runtime/load/plan_file.h"
#include "runtime/system/bytes.h"

namespace frit::runtime::plan_test {
namespace {

DimProgram size(const Dim& d) {
  return DimProgram(d, [](const std::string& s) { return s == "n" ? 0 : s == "m" ? 1 : -1; });
}
const Dim n = Dim::symbol("n"), m = Dim::symbol("m");

std::shared_ptr<Buffer> bytes_of(std::string_view text) {
  auto b = *Buffer::allocate(text.size());
  std::memcpy(b->data(), text.data(), text.size());
  return b;
}

// A program with one of everything.
Image sample() {
  Image image;
  image.inputs = {{float32, 2}, {bfloat16, 1}};
  Plan& p = image.plan;
  p.name = "sample";
  p.symbol_names = {"n", "m"};
  p.symbols = {{0, 1, false}, {1, 0, true}};
  p.sums = {size(n * 2 + 1), size(n * n)};
  p.slots = {size(n * 4 + m), size(128)};
  BufferPlan constant{BufferPlan::Role::Constant, int8, size(5)};
  constant.constant = bytes_of(std::string_view("a\0b\0c", 5));
  p.buffers = {{BufferPlan::Role::Input, float32, size(n * 4), 0},
               {BufferPlan::Role::Output, float32, size(floor_div(n, 3) * 4), 0, 1},
               {BufferPlan::Role::Temp, float64, size(max(n, m)), 1},
               constant};
  image.objects = {{std::string("\x7f"
                                "ELF\0not an object",
                                18),
                    {{"first", "frit_first"}, {"second", "frit_second"}}},
                   {"another", {{"third", "frit_third"}}}};
  KernelPlan first{"first", nullptr, {0, 3, 1}, {1, 3}, true, size(n), size(mod(n, m) + 1), size(64)};
  KernelPlan second{"second", nullptr, {2}, {}, false, size(1), size(1), size(0)};
  WindowPlan window{1, float32, {size(n), size(2)}, {size(m), size(-1)}, size(min(n, 7))};
  LibraryPlan library{"matmul", "{\"a\":1}", {window, window}, {window}, second};
  p.steps = {first, library, second};
  p.results = {window, {3, int8, {}, {}, size(0)}};
  image.kernels = {{"first", {{size(n * 4), false}, {size(m), true}}, {1, 0}, true, size(n), size(1), size(64)}};
  image.guard = {{"n", "m"}, {{0, 1}, {1, 0}}, {Guard::Range{0, 1, 64, 2}, Guard::Size{0, 0, size(m + 1)}}};
  return image;
}

void expect_same(const DimProgram& a, const DimProgram& b) { EXPECT_EQ(a, b); }
void expect_same(const WindowPlan& a, const WindowPlan& b) {
  EXPECT_EQ(a.buffer, b.buffer);
  EXPECT_EQ(a.dtype, b.dtype);
  EXPECT_EQ(a.shape, b.shape);
  EXPECT_EQ(a.strides, b.strides);
  expect_same(a.offset, b.offset);
}
void expect_same(const KernelPlan& a, const KernelPlan& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.buffers, b.buffers);
  EXPECT_EQ(a.symbols, b.symbols);
  EXPECT_EQ(a.parallel, b.parallel);
  EXPECT_EQ(a.beside, b.beside);
  EXPECT_EQ(a.copies, b.copies);
  expect_same(a.extent, b.extent);
  expect_same(a.grain, b.grain);
  expect_same(a.scratch_bytes, b.scratch_bytes);
}

TEST(PlanFile, reads_back_what_was_written) {
  const Image a = sample();
  const std::string bytes = write_image(a);
  EXPECT_EQ(bytes, write_image(sample()));
  auto read = read_image(bytes);
  ASSERT_TRUE(read.ok()) << read.error().str();
  const Image& b = *read;
  EXPECT_EQ(write_image(b), bytes);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(b.plan.name, "sample");
  EXPECT_EQ(a.plan.symbol_names, b.plan.symbol_names);
  ASSERT_EQ(b.plan.symbols.size(), 2u);
  EXPECT_EQ(b.plan.symbols[0].axis, 1u);
  EXPECT_TRUE(b.plan.symbols[1].stride);
  EXPECT_EQ(a.plan.sums, b.plan.sums);
  EXPECT_EQ(a.plan.slots, b.plan.slots);
  ASSERT_EQ(b.plan.buffers.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(a.plan.buffers[i].role, b.plan.buffers[i].role);
    EXPECT_EQ(a.plan.buffers[i].dtype, b.plan.buffers[i].dtype);
    EXPECT_EQ(a.plan.buffers[i].index, b.plan.buffers[i].index);
    EXPECT_EQ(a.plan.buffers[i].donor, b.plan.buffers[i].donor);
    expect_same(a.plan.buffers[i].bytes, b.plan.buffers[i].bytes);
  }
  EXPECT_EQ(std::memcmp(b.plan.buffers[3].constant->data(), "a\0b\0c", 5), 0);
  ASSERT_EQ(b.plan.steps.size(), 3u);
  expect_same(std::get<KernelPlan>(a.plan.steps[0]), std::get<KernelPlan>(b.plan.steps[0]));
  expect_same(std::get<KernelPlan>(a.plan.steps[2]), std::get<KernelPlan>(b.plan.steps[2]));
  const auto &x = std::get<LibraryPlan>(a.plan.steps[1]), &y = std::get<LibraryPlan>(b.plan.steps[1]);
  EXPECT_EQ(x.name, y.name);
  EXPECT_EQ(x.options, y.options);
  ASSERT_EQ(y.operands.size(), 2u);
  expect_same(x.operands[1], y.operands[1]);
  ASSERT_EQ(y.results.size(), 1u);
  expect_same(x.results[0], y.results[0]);
  ASSERT_TRUE(y.epilogue.has_value());
  expect_same(*x.epilogue, *y.epilogue);
  ASSERT_EQ(b.plan.results.size(), 2u);
  expect_same(a.plan.results[0], b.plan.results[0]);
  expect_same(a.plan.results[1], b.plan.results[1]);
  ASSERT_EQ(b.objects.size(), 2u);
  ASSERT_EQ(b.objects[0].entries.size(), 2u);
  EXPECT_EQ(b.objects[0].entries[1].symbol, "frit_second");
  EXPECT_EQ(b.objects[0].object, a.objects[0].object);
  EXPECT_EQ(b.objects[1].entries[0].kernel, "third");
  EXPECT_EQ(a.kernels, b.kernels);
  EXPECT_EQ(a.guard, b.guard);
}

// A change of the format without a new version would make other processes misread it.
TEST(PlanFile, has_a_format_of_its_own_version) {
  Image image;
  image.inputs = {{float16, 1}};
  image.plan.name = "f";
  image.plan.symbol_names = {"n"};
  image.plan.symbols = {{0, 0, false}};
  image.plan.buffers = {{BufferPlan::Role::Input, float16, DimProgram(2), 0}};
  image.plan.results = {{0, float16, {DimProgram(1)}, {DimProgram(1)}, DimProgram(0)}};
  ByteWriter expected;
  expected.raw("FRITPLAN");
  expected.u32(8);
  auto constant = [&](uint64_t value) { expected.u32(1), expected.u8(0), expected.u64(value); };
  expected.u32(1), expected.u8(9), expected.u32(1);  // inputs
  expected.text("f");
  expected.u32(1), expected.text("n");                                // symbols
  expected.u32(1), expected.u32(0), expected.u32(0), expected.u8(0);  // and the places that they are read from
  expected.u32(0);                                                    // sums
  expected.u32(0);                                                    // counters of loops
  expected.u32(0);                                                    // slots
  expected.u32(1), expected.u8(0), expected.u8(9), constant(2), expected.u32(0), expected.u32(~0u);  // buffers
  expected.u32(0);                                                                                   // kernels
  expected.u32(0);                                                                                   // objects
  expected.u32(0);                                                                                   // steps
  expected.u32(1), expected.u32(0), expected.u8(9);                         // results: a window's buffer and type,
  expected.u32(1), constant(1), expected.u32(1), constant(1), constant(0);  // shape, strides, offset
  expected.u32(0), expected.u32(0), expected.u32(0);                        // the guard: names, sources, checks
  EXPECT_EQ(write_image(image), expected.bytes());
}

TEST(PlanFile, an_empty_program_needs_no_code) {
  auto read = read_image(write_image({}));
  ASSERT_TRUE(read.ok()) << read.error().str();
  auto executable = load_image(*std::move(read));
  ASSERT_TRUE(executable.ok());
  EXPECT_TRUE((*executable)->run({}).ok());
}

template <class Change>
void expect_error(Change&& change, const std::string& why) {
  Image image = sample();
  change(image);
  auto read = read_image(write_image(image));
  ASSERT_FALSE(read.ok()) << why;
  EXPECT_NE(read.error().message.find(why), std::string::npos) << read.error().message;
}

TEST(PlanFile, numbers_must_name_what_exists) {
  auto kernel = [](Image& i) -> KernelPlan& { return std::get<KernelPlan>(i.plan.steps[0]); };
  auto library = [](Image& i) -> LibraryPlan& { return std::get<LibraryPlan>(i.plan.steps[1]); };
  expect_error([](Image& i) { i.plan.symbols[0].input = 2; }, "a symbol is read from an axis");
  expect_error([](Image& i) { i.plan.symbols[0].axis = 2; }, "a symbol is read from an axis");
  expect_error([](Image& i) { i.plan.symbol_names.push_back("k"); }, "its symbols have other names");
  expect_error([](Image& i) { i.plan.buffers[0].index = 2; }, "an input that does not exist");
  expect_error([](Image& i) { i.plan.buffers[1].donor = 2; }, "the memory of an input");
  expect_error([](Image& i) { i.plan.buffers[2].index = 2; }, "a slot that does not exist");
  expect_error([](Image& i) { i.plan.results[0].buffer = 4; }, "a window is on a buffer");
  expect_error([](Image& i) { i.plan.results[0].strides.pop_back(); }, "one stride per axis");
  expect_error([&](Image& i) { kernel(i).buffers[1] = 4; }, "a kernel uses a buffer");
  expect_error([&](Image& i) { kernel(i).copies = true; }, "another number of buffers");
  expect_error([&](Image& i) { kernel(i).symbols[1] = 4; }, "a kernel uses a symbol");
  expect_error([](Image& i) { i.kernels[0].symbols[0] = 4; }, "a kernel needs a symbol");
  expect_error([](Image& i) { i.guard.sources[0].axis = 2; }, "a symbol is read from an axis");
  expect_error([](Image& i) { i.objects[1].entries[0].symbol = "frit_first"; }, "is there twice");
  expect_error([&](Image& i) { kernel(i).name = "fourth"; }, "a kernel that it does not have");
  expect_error([&](Image& i) { library(i).epilogue->buffers[0] = 9; }, "a kernel uses a buffer");
  expect_error([&](Image& i) { library(i).results.clear(); }, "a routine has no result");
  const auto slot = [](int number) { return DimProgram(Dim::symbol("k"), [&](const std::string&) { return number; }); };
  expect_error([&](Image& i) { kernel(i).extent = slot(4); }, "a size cannot be computed");
  expect_error([&](Image& i) { i.plan.sums[0] = slot(2); }, "a size cannot be computed");
}

TEST(PlanFile, no_damage_crashes_it) {
  const std::string good = write_image(sample());
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(read_image(std::string(good, 0, length)).ok()) << length;
  EXPECT_FALSE(read_image(good + '\0').ok());
  std::string damaged = good;
  auto survive = [&] {
    auto read = read_image(damaged);
    // An accepted image is complete: it can be written again and made ready.
    if (!read.ok()) return;
    EXPECT_EQ(write_image(*read), damaged);
    read->objects.clear();
    (void)load_image(*std::move(read)).ok();
  };
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      survive();
      damaged[i] = good[i];
    }
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    damaged = good;
    for (unsigned count = 1 + random() % 6; count-- > 0;)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 2 ? random() : random() % 2 ? 0xff : 0);
    survive();
  }
  // Counts that exceed the contents must not be believed.
  for (size_t i = 12; i + 4 <= good.size(); ++i) {
    damaged = good;
    std::memset(damaged.data() + i, 0xff, 4);
    survive();
  }
}

TEST(Bytes, are_little_endian_and_end_where_they_end) {
  ByteWriter out;
  out.u8(1);
  out.u32(0x05040302);
  out.u64(0x0d0c0b0a09080706);
  out.text("ab");
  EXPECT_EQ(out.bytes(), std::string("\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\2\0\0\0\0\0\0\0ab", 23));
  ByteReader in(out.bytes());
  EXPECT_EQ(in.u8(), 1);
  EXPECT_EQ(in.u32(), 0x05040302u);
  EXPECT_EQ(in.u64(), 0x0d0c0b0a09080706u);
  EXPECT_EQ(in.text(), "ab");
  EXPECT_TRUE(in.at_end());
  EXPECT_EQ(in.u32(), 0u);
  EXPECT_FALSE(in.ok());
}

}  // namespace
}  // namespace frit::runtime::plan_test
