// Executables with kernels written by hand.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "runtime/execute/executable.h"
#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"

namespace frit::runtime {
namespace {

DimProgram size(int64_t n) { return DimProgram(n); }
// Symbols n and m have slots 0 and 1.
DimProgram size(const Dim& d) {
  return DimProgram(d, [](const std::string& s) { return s == "n" ? 0 : s == "m" ? 1 : -1; });
}
const Dim n = Dim::symbol("n"), m = Dim::symbol("m");

BufferPlan input(uint32_t i, DimProgram bytes = size(4)) { return {BufferPlan::Role::Input, float32, bytes, i}; }
BufferPlan output(DimProgram bytes, uint32_t donor = ~0u) {
  return {BufferPlan::Role::Output, float32, bytes, 0, donor};
}
BufferPlan temp(uint32_t slot, DimProgram bytes) { return {BufferPlan::Role::Temp, float32, bytes, slot}; }
WindowPlan window(uint32_t buffer, std::vector<DimProgram> shape, std::vector<DimProgram> strides,
                  DimProgram offset = size(0)) {
  return {buffer, float32, std::move(shape), std::move(strides), offset};
}
KernelPlan kernel(KernelFn fn, std::vector<uint32_t> buffers, DimProgram extent, std::vector<uint32_t> symbols = {},
                  int64_t grain = 4) {
  return {"k", fn, std::move(buffers), std::move(symbols), true, extent, DimProgram(grain), size(0)};
}

Tensor vector_of(std::vector<float> values) {
  auto b = *Buffer::allocate(values.size() * 4);
  std::copy(values.begin(), values.end(), static_cast<float*>(b->data()));
  return {b, float32, {static_cast<int64_t>(values.size())}, {1}, 0};
}
std::vector<float> values_of(const Tensor& t) {
  const float* p = static_cast<const float*>(t.buffer->data()) + t.offset;
  std::vector<float> v;
  for (int64_t i = 0; i < t.shape[0]; ++i) v.push_back(p[i * t.strides[0]]);
  return v;
}

void add_one(void* const* b, const int64_t*, int64_t begin, int64_t end, void*) {
  for (int64_t i = begin; i < end; ++i) static_cast<float*>(b[1])[i] = static_cast<float*>(b[0])[i] + 1;
}
void multiply(void* const* b, const int64_t*, int64_t begin, int64_t end, void*) {
  for (int64_t i = begin; i < end; ++i)
    static_cast<float*>(b[2])[i] = static_cast<float*>(b[0])[i] * static_cast<float*>(b[1])[i];
}

// out = (x + 1) * (x + 1 + 1), with n symbolic and two temps.
Plan two_temps(uint32_t donor = ~0u) {
  Plan p;
  p.name = "two_temps";
  p.symbol_names = {"n"};
  p.symbols = {{0, 0, false}};
  p.slots = {size(n * 4), size(n * 4)};
  p.buffers = {input(0, size(n * 4)), temp(0, size(n * 4)), temp(1, size(n * 4)), output(size(n * 4), donor)};
  p.steps = {kernel(add_one, {0, 1}, size(n)), kernel(add_one, {1, 2}, size(n)), kernel(multiply, {1, 2, 3}, size(n))};
  p.results = {window(3, {size(n)}, {size(1)})};
  return p;
}

TEST(Executable, runs_steps_in_order_through_temps) {
  Executable e(two_temps());
  EXPECT_EQ(e.kernel_count(), 3u);
  for (int64_t count : {0, 1, 3, 5, 1000, 300000}) {
    std::vector<float> x(static_cast<size_t>(count)), expected;
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 10);
    for (float v : x) expected.push_back((v + 1) * (v + 2));
    Tensor in = vector_of(x);
    auto r = e.run({&in, 1});
    ASSERT_TRUE(r.ok());
    ASSERT_EQ(r->size(), 1u);
    EXPECT_EQ((*r)[0].shape, (Sizes{count}));
    EXPECT_EQ(values_of((*r)[0]), expected);
    EXPECT_EQ(values_of(in), x);
  }
}

// out = x + 1 + 1 + 1 + 1 of n elements, and y + 1 + 1 of m, through a slot for each temp.
Plan chains() {
  Plan p;
  p.name = "chains";
  p.symbol_names = {"n", "m"};
  p.symbols = {{0, 0, false}, {1, 0, false}};
  p.slots = {size(n * 4), size(n * 4), size(n * 4), size(m * 4)};
  p.buffers = {input(0, size(n * 4)), input(1, size(m * 4)), temp(0, size(n * 4)), temp(1, size(n * 4)),
               temp(2, size(n * 4)),  temp(3, size(m * 4)),  output(size(n * 4)),  output(size(m * 4))};
  p.steps = {kernel(add_one, {0, 2}, size(n)), kernel(add_one, {2, 3}, size(n)), kernel(add_one, {3, 4}, size(n)),
             kernel(add_one, {4, 6}, size(n)), kernel(add_one, {1, 5}, size(m)), kernel(add_one, {5, 7}, size(m))};
  p.results = {window(6, {size(n)}, {size(1)}), window(7, {size(m)}, {size(1)})};
  return p;
}

// Whatever the sizes, and whether a call is the first with them.
TEST(Executable, slots_of_open_sizes_share_memory) {
  Executable e(chains());
  for (int round = 0; round < 2; ++round)
    for (int64_t a : {0, 1, 5, 1000, 1 << 20, 3 << 18})
      for (int64_t b : {1 << 21, 0, 7, 5}) {
        Tensor in[] = {vector_of(std::vector<float>(static_cast<size_t>(a), 1.0f)),
                       vector_of(std::vector<float>(static_cast<size_t>(b), 10.0f))};
        const size_t before = active_memory();
        reset_peak_memory();
        auto r = e.run(in);
        ASSERT_TRUE(r.ok());
        EXPECT_EQ(values_of((*r)[0]), std::vector<float>(static_cast<size_t>(a), 5.0f));
        EXPECT_EQ(values_of((*r)[1]), std::vector<float>(static_cast<size_t>(b), 12.0f));
        const auto most = static_cast<size_t>(4 * (a + b) + std::max(8 * a, 4 * b));
        EXPECT_LE(peak_memory() - before, most + 4096) << a << " " << b;
      }
}

TEST(Executable, takes_donated_memory_only_when_nobody_else_holds_it) {
  Executable e(two_temps(0));
  const bool yes[] = {true}, no[] = {false};
  Tensor in = vector_of({1, 2, 3});
  void* data = in.buffer->data();
  auto kept = e.run({&in, 1}, no);
  EXPECT_NE((*kept)[0].buffer->data(), data);
  {
    Tensor second = in;
    auto shared = e.run({&in, 1}, yes);
    EXPECT_NE((*shared)[0].buffer->data(), data);
  }
  auto taken = e.run({&in, 1}, yes);
  EXPECT_EQ((*taken)[0].buffer->data(), data);
  EXPECT_EQ(values_of((*taken)[0]), (std::vector<float>{6, 12, 20}));

  float foreign[] = {1, 2, 3};
  Tensor adopted{Buffer::adopt(foreign, sizeof foreign, {}), float32, {3}, {1}, 0};
  EXPECT_NE((*e.run({&adopted, 1}, yes))[0].buffer->data(), foreign);
  Tensor part = vector_of({0, 1, 2, 3});
  part.shape = {3};
  part.offset = 1;
  EXPECT_NE((*e.run({&part, 1}, yes))[0].buffer, part.buffer);
}

std::atomic<int> copied{0};
void copy_counted(void* const* b, const int64_t*, int64_t begin, int64_t end, void*) {
  copied += static_cast<int>(end - begin);
  for (int64_t i = begin; i < end; ++i) static_cast<float*>(b[1])[i] = static_cast<float*>(b[0])[i];
}

TEST(Executable, a_copy_to_memory_taken_over_does_nothing) {
  for (bool beside : {false, true}) {
    Plan p;
    p.symbol_names = {"n"};
    p.symbols = {{0, 0, false}};
    p.buffers = {input(0, size(n * 4)), output(size(n * 4), 0), output(size(n * 4))};
    KernelPlan copy = kernel(copy_counted, {0, 1}, size(n)), update = kernel(add_one, {1, 1}, size(1));
    copy.copies = true;
    p.steps = {copy, update};
    if (beside) {  // steps of one group
      copy.buffers[1] = 2;
      copy.beside = true;
      p.steps.insert(p.steps.begin() + 1, copy);
    }
    p.results = {window(1, {size(n)}, {size(1)})};
    Executable e(std::move(p));
    for (int64_t count : {3, 300}) {
      const int all = static_cast<int>(count);
      Tensor in = vector_of(std::vector<float>(static_cast<size_t>(count), 7));
      const bool yes[] = {true}, no[] = {false};
      std::vector<float> expected(static_cast<size_t>(count), 7);
      expected[0] = 8;
      copied = 0;
      EXPECT_EQ(values_of((*e.run({&in, 1}, no))[0]), expected);
      EXPECT_EQ(copied, beside ? 2 * all : all);
      copied = 0;
      EXPECT_EQ(values_of((*e.run({&in, 1}, yes))[0]), expected);
      EXPECT_EQ(copied, beside ? all : 0);
    }
  }
}

TEST(Executable, results_may_be_inputs_views_constants_and_shared) {
  Plan p;
  p.symbol_names = {"n", "m"};
  p.symbols = {{0, 0, false}, {0, 0, true}};
  auto constant = *Buffer::allocate(8);
  static_cast<float*>(constant->data())[0] = 3;
  static_cast<float*>(constant->data())[1] = 4;
  BufferPlan c{BufferPlan::Role::Constant, float32, size(8)};
  c.constant = constant;
  p.buffers = {input(0, size((n - Dim(1)) * m * Dim(4) + Dim(4))), c, output(size(n * 4)), temp(0, size(n * 4))};
  p.slots = {size(n * 4)};
  auto strided = [](void* const* b, const int64_t* s, int64_t begin, int64_t end, void*) {
    for (int64_t i = begin; i < end; ++i) static_cast<float*>(b[1])[i] = 10 * static_cast<float*>(b[0])[i * s[0]];
  };
  p.steps = {kernel(strided, {0, 2}, size(n), {1}), kernel(add_one, {2, 3}, size(n))};
  p.results = {window(0, {size(n)}, {size(m)}), window(2, {size(n)}, {size(1)}),
               window(2, {size(n)}, {size(-1)}, size(n - 1)), window(1, {size(2)}, {size(1)}),
               window(3, {size(n)}, {size(1)})};
  Executable e(std::move(p));
  Tensor in = vector_of({0, 1, 2, 3, 4, 5, 6});
  in.shape = {3};
  in.strides = {2};
  in.offset = 1;
  auto r = e.run({&in, 1});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ((*r)[0].buffer, in.buffer);
  EXPECT_EQ(values_of((*r)[0]), (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(values_of((*r)[1]), (std::vector<float>{10, 30, 50}));
  EXPECT_EQ((*r)[2].buffer, (*r)[1].buffer);
  EXPECT_EQ(values_of((*r)[2]), (std::vector<float>{50, 30, 10}));
  EXPECT_EQ(values_of((*r)[3]), (std::vector<float>{3, 4}));
  EXPECT_EQ(values_of((*r)[4]), (std::vector<float>{11, 31, 51}));
}

TEST(Executable, kernels_get_private_scratch_and_are_never_run_empty) {
  Plan p;
  p.symbol_names = {"n"};
  p.symbols = {{0, 0, false}};
  p.buffers = {input(0, size(n * 4)), output(size(n * 4))};
  auto through_scratch = [](void* const* b, const int64_t*, int64_t begin, int64_t end, void* scratch) {
    EXPECT_LT(begin, end);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(scratch) % 64, 0u);
    auto* s = static_cast<float*>(scratch);
    for (int round = 0; round < 3; ++round) {
      for (int64_t i = begin; i < end; ++i)
        s[i % 16] = static_cast<float*>(b[0])[i], static_cast<float*>(b[1])[i] = s[i % 16];
    }
  };
  KernelPlan k = kernel(through_scratch, {0, 1}, size(n), {}, 16);
  k.scratch_bytes = size(64);
  p.steps = {k};
  p.results = {window(1, {size(n)}, {size(1)})};
  Executable e(std::move(p));
  int before = num_threads();
  set_num_threads(6);
  for (size_t count : {0, 1, 16, 17, 10000}) {
    std::vector<float> x(count);
    for (size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i);
    Tensor in = vector_of(x);
    EXPECT_EQ(values_of((*e.run({&in, 1}))[0]), x);
  }
  set_num_threads(before);
}

TEST(Executable, runs_on_many_threads_at_once) {
  Executable e(two_temps(0));
  int before = num_threads();
  set_num_threads(3);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      const bool yes[] = {true};
      for (int i = 0; i < 100; ++i) {
        auto base = static_cast<float>(t * 100 + i);
        Tensor in = vector_of(std::vector<float>(static_cast<size_t>(1 + i * 7), base));
        auto r = e.run({&in, 1}, i % 2 ? std::span<const bool>(yes) : std::span<const bool>());
        ASSERT_TRUE(r.ok());
        for (float v : values_of((*r)[0])) ASSERT_EQ(v, (base + 1) * (base + 2));
      }
    });
  for (auto& t : threads) t.join();
  set_num_threads(before);
}

struct CountingCode : Code {
  std::atomic<int> asked{0};
  Result<KernelFn> entry(const std::string& name) override {
    ++asked;
    if (name == "missing") return Diagnostic("no kernel 'missing'");
    return add_one;
  }
};

TEST(Executable, entry_points_are_looked_up_once) {
  auto code = std::make_shared<CountingCode>();
  Plan p = two_temps();
  p.code = code;
  p.steps = {kernel(nullptr, {0, 3}, size(n))};
  Executable e(p);
  EXPECT_EQ(code->asked, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Tensor in = vector_of({1, 2});
      EXPECT_EQ(values_of((*e.run({&in, 1}))[0]), (std::vector<float>{2, 3}));
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(code->asked, 1);

  std::get<KernelPlan>(p.steps[0]).name = "missing";
  Executable broken(p);
  Tensor in = vector_of({1});
  auto r = broken.run({&in, 1});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().message, "no kernel 'missing'");
}

TEST(Executable, library_steps_see_windows_and_run_their_epilogue) {
  register_library("test_negate", [](const LibraryCall& call) -> Status {
    const LibraryTensor &a = call.operands[0], &c = call.results[0];
    EXPECT_EQ(call.options, "{\"x\": 1}");
    for (int64_t i = 0; i < a.shape[0]; ++i) {
      static_cast<float*>(c.data)[i * c.strides[0]] = -static_cast<float*>(a.data)[i * a.strides[0]];
      if (call.epilogue) call.epilogue(i, i + 1);  // rows of one element
    }
    return {};
  });
  Plan p = two_temps();
  KernelPlan epilogue = kernel(add_one, {1, 3}, size(n));
  p.steps = {LibraryPlan{"test_negate",
                         "{\"x\": 1}",
                         {window(0, {size(n)}, {size(-1)}, size(n - 1))},
                         {window(1, {size(n), size(1)}, {size(1), size(1)})},
                         epilogue}};
  Executable e(p);
  Tensor in = vector_of({1, 2, 3});
  auto r = e.run({&in, 1});
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(values_of((*r)[0]), (std::vector<float>{-2, -1, 0}));

  std::get<LibraryPlan>(p.steps[0]).name = "test_absent";
  Executable absent(p);
  auto failed = absent.run({&in, 1});
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message.find("the routine 'test_absent' is not installed"), std::string::npos);
  EXPECT_FALSE(failed.error().note.empty());
}

// Sizes of a plan are not trusted: a run stays in the memory that it is given.
TEST(Executable, inputs_must_have_the_memory_that_is_read) {
  Executable e(two_temps());
  Tensor in = vector_of({1, 2, 3});
  in.shape = {4};
  auto r = e.run({&in, 1});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().message, "input 0 of 'two_temps' has less memory than the 16 bytes that are read");
  in.shape = {3};
  in.offset = 1;
  EXPECT_FALSE(e.run({&in, 1}).ok());
  in.offset = -1;
  EXPECT_FALSE(e.run({&in, 1}).ok());
  in.shape = {2};
  in.offset = 1;
  EXPECT_TRUE(e.run({&in, 1}).ok());
}

TEST(Executable, views_must_lie_in_their_buffers) {
  const auto fails = [](WindowPlan w) {
    Plan p = two_temps();
    p.results = {std::move(w)};
    Executable e(std::move(p));
    Tensor in = vector_of({1, 2, 3});
    auto r = e.run({&in, 1});
    return !r.ok() && r.error().message.find("result 0 of 'two_temps'") != std::string::npos;
  };
  EXPECT_FALSE(fails(window(3, {size(n)}, {size(1)})));
  EXPECT_FALSE(fails(window(3, {size(0)}, {size(1)}, size(99))));
  EXPECT_TRUE(fails(window(3, {size(n + 1)}, {size(1)})));
  EXPECT_TRUE(fails(window(3, {size(n)}, {size(2)})));
  EXPECT_TRUE(fails(window(3, {size(n)}, {size(1)}, size(1))));
  EXPECT_TRUE(fails(window(3, {size(n)}, {size(-1)})));
  EXPECT_TRUE(fails(window(3, {size(-1)}, {size(1)})));
  EXPECT_TRUE(fails(window(3, {size(int64_t{1} << 62), size(8)}, {size(0), size(0)})));
  EXPECT_TRUE(fails(window(3, {size(2)}, {size(INT64_MAX)})));
  EXPECT_TRUE(fails(window(0, {size(n)}, {size(1)}, size(1))));
}

TEST(Executable, checks_of_its_plan_come_before_any_step) {
  Plan p = two_temps();
  p.checks = {{size(n * 4), size(12), "buffer 1"}};
  p.steps = {
      kernel([](void* const*, const int64_t* s, int64_t, int64_t, void*) { EXPECT_LE(s[0], 3); }, {0}, size(n), {0})};
  Executable e(std::move(p));
  Tensor in = vector_of({1, 2, 3});
  EXPECT_TRUE(e.run({&in, 1}).ok());
  in = vector_of({1, 2, 3, 4});
  auto r = e.run({&in, 1});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.error().message, "buffer 1 of 'two_temps' needs 16 bytes, but has 12");
}

TEST(Executable, results_come_into_memory_of_the_caller_that_is_large_enough) {
  Executable e(two_temps());
  Tensor in = vector_of({1, 2, 3});
  for (size_t bytes : {12, 11}) {
    const std::shared_ptr<Buffer> into = *Buffer::allocate(bytes);
    Tensor result;
    ASSERT_TRUE(e.run({&in, 1}, {}, {&result, 1}, {&into, 1}).ok());
    EXPECT_EQ(result.buffer == into, bytes == 12);
    EXPECT_EQ(values_of(result), (std::vector<float>{6, 12, 20}));
  }
}

TEST(Executable, running_out_of_memory_is_an_error) {
  Executable e(two_temps());
  Tensor in = vector_of({1});
  in.shape = {int64_t{1} << 44};
  auto r = e.run({&in, 1});
  ASSERT_FALSE(r.ok());
  EXPECT_NE(r.error().message.find("cannot allocate"), std::string::npos);
}

TEST(Sizes, behave_as_a_list) {
  Sizes s;
  EXPECT_TRUE(s.empty());
  for (int64_t i = 0; i < 20; ++i) {
    s.push_back(i);
    EXPECT_EQ(s.back(), i);
    Sizes copy = s, moved = std::move(copy);
    EXPECT_EQ(moved, s);
    EXPECT_TRUE(copy.empty());
    copy = moved;
    EXPECT_EQ(copy, s);
    copy = Sizes{1, 2};
    EXPECT_EQ(copy, (Sizes{1, 2}));
    moved = std::move(copy);
    EXPECT_EQ(moved, (Sizes{1, 2}));
  }
  std::vector<int64_t> v = s;
  EXPECT_EQ(Sizes(v), s);
  s.resize(3);
  EXPECT_EQ(s, (Sizes{0, 1, 2}));
  s.resize(8, 9);
  EXPECT_EQ(s[7], 9);
}

}  // namespace
}  // namespace frit::runtime
