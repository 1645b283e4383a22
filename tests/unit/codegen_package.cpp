// Packages: a written package loads, the fitting variant is taken, and no damaged package is half accepted.
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "codegen/package/package.h"
#include "frit/frit_runtime.h"
#include "frit/runtime.h"
#include "ir/read/parser.h"
#include "runtime/execute/parallel.h"
#include "runtime/load/package.h"
#include "runtime/system/cpu.h"

namespace frit::codegen {
namespace {

namespace fs = std::filesystem;
using runtime::Package;
using runtime::PackageFile;

constexpr char kText[] = R"(func @scale(%x: f32[m, n], %w: f32[4] = "w") -> (%y: f32[m, n], f32[4]) where n % 4 == 0 {
  %0: f32[] = constant 2
  %1: f32[m, n] = broadcast %0 {shape=[m, n]}
  %2: f32[m, n] = multiply %x, %1
  return %2, %w
}

func @rows(%x: f32[b, n]) -> f32[b] where b in [1, 64] {
  %0: f32[b] = sum %x {axes=[1]}
  return %0
}

func @product(%a: f32[4, 4], %b: f32[4, 4]) -> f32[4, 4] {
  %0: f32[4, 4] = matmul %a, %b
  return %0
}
)";

runtime::Tensor tensor(std::vector<int64_t> shape, float first = 0) {
  int64_t n = 1;
  for (int64_t s : shape) n *= s;
  runtime::Tensor t{*runtime::Buffer::allocate(static_cast<size_t>(n) * 4), float32, runtime::Sizes(shape),
                    runtime::Sizes(shape.size()), 0};
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) t.strides[i] = stride;
  for (int64_t i = 0; i < n; ++i) static_cast<float*>(t.buffer->data())[i] = first + static_cast<float>(i);
  return t;
}
const float* data(const runtime::Tensor& t) { return static_cast<const float*>(t.buffer->data()) + t.offset; }

class PackageTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "frit-package-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = (folder_ / "p.fritpkg").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  static runtime::PackageContents contents(std::vector<Target> targets) {
    auto module = ir::parse(kText, "kText");
    EXPECT_TRUE(module.ok()) << module.error().str();
    runtime::NamedTensors weights;
    weights.emplace("w", tensor({4}, 10));
    auto made = make_package(**module, std::move(weights), {std::move(targets)});
    EXPECT_TRUE(made.ok()) << made.error().str();
    return *std::move(made);
  }
  void write(std::vector<Target> targets) {
    auto written = runtime::write_package(path_, contents(std::move(targets)));
    ASSERT_TRUE(written.ok()) << written.error().str();
  }
  std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void put(const std::string& bytes) const { std::ofstream(path_, std::ios::binary) << bytes; }
  std::shared_ptr<const Package> load() const {
    auto package = Package::load(path_, "cpu");
    EXPECT_TRUE(package.ok()) << package.error().str();
    return package.ok() ? *package : nullptr;
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(PackageTest, RunsWithWeightsAndChecksCalls) {
  write({{"llvm", "native"}});
  auto package = load();
  auto f = package->find("scale");
  ASSERT_TRUE(f.ok()) << f.error().str();
  EXPECT_EQ((*f)->machine(), "native");
  const runtime::Tensor x = tensor({2, 8});
  auto results = (*f)->run(std::span(&x, 1));
  ASSERT_TRUE(results.ok()) << results.error().str();
  for (int i = 0; i < 16; ++i) EXPECT_EQ(data((*results)[0])[i], 2.0f * static_cast<float>(i));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(data((*results)[1])[i], 10.0f + static_cast<float>(i));

  const runtime::Tensor odd = tensor({2, 7});
  auto refused = (*f)->run(std::span(&odd, 1));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().message, "function @scale needs that n is a multiple of 4, but 'x' is f32[2, 7]");
  EXPECT_FALSE((*f)->run({}).ok());
  const runtime::Tensor flat = tensor({8});
  EXPECT_FALSE((*f)->run(std::span(&flat, 1)).ok());
  EXPECT_FALSE(package->find("none").ok());
}

TEST_F(PackageTest, OperandsOfAnyStridesAndMemoryOfTheCaller) {
  write({{"llvm", "native"}});
  auto f = *load()->find("scale");
  runtime::Tensor x = tensor({4, 8});
  x.shape = {8, 4};
  x.strides = {1, 8};  // transposed
  alignas(64) static float memory[33];
  for (const int shift : {0, 1}) {  // aligned, and not
    std::vector<std::shared_ptr<runtime::Buffer>> into{runtime::Buffer::adopt(memory + shift, 128, {}), nullptr};
    std::vector<runtime::Tensor> results(2);
    auto status = f->run(std::span(&x, 1), into, results);
    ASSERT_TRUE(status.ok()) << status.error().str();
    EXPECT_EQ(results[0].buffer, into[0]);
    for (int i = 0; i < 8; ++i)
      for (int j = 0; j < 4; ++j) EXPECT_EQ(memory[shift + i * 4 + j], 2.0f * static_cast<float>(j * 8 + i));
  }
  // A result that is an input is copied to the requested place.
  std::vector<std::shared_ptr<runtime::Buffer>> into{nullptr, runtime::Buffer::adopt(memory, 16, {})};
  std::vector<runtime::Tensor> results(2);
  ASSERT_TRUE(f->run(std::span(&x, 1), into, results).ok());
  for (int i = 0; i < 4; ++i) EXPECT_EQ(memory[i], 10.0f + static_cast<float>(i));
}

TEST_F(PackageTest, EveryLevelOfProcessorsThatRunsHereGivesTheSameBits) {
  std::vector<std::vector<float>> answers;
  for (const char* level : {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"}) {
    if (!runtime::cpu_runs(level)) continue;
    write({{"llvm", level}});
    auto package = load();
    auto rows = package->find("rows"), product = package->find("product");
    ASSERT_TRUE(rows.ok() && product.ok());
    EXPECT_EQ((*rows)->machine(), level);
    const runtime::Tensor x = tensor({3, 1001}, 0.1f);
    auto sums = (*rows)->run(std::span(&x, 1));
    ASSERT_TRUE(sums.ok()) << sums.error().str();
    std::vector<float> answer(data((*sums)[0]), data((*sums)[0]) + 3);
    const runtime::Tensor ab[] = {tensor({4, 4}), tensor({4, 4}, 1)};
    auto products = (*product)->run(ab);
    ASSERT_TRUE(products.ok()) << products.error().str();
    answer.insert(answer.end(), data((*products)[0]), data((*products)[0]) + 16);
    answers.push_back(answer);
    EXPECT_EQ(answer, answers[0]) << level;
  }
  if (answers.empty()) GTEST_SKIP() << "this processor runs no level of x86-64";
}

TEST_F(PackageTest, TheFirstVariantThatRunsIsTaken) {
  if (!runtime::cpu_runs("x86-64-v3")) GTEST_SKIP() << "this processor does not run x86-64-v3";
  write({{"llvm", "aarch64"}, {"llvm", "x86-64-v3"}, {"llvm", "x86-64-v2"}});
  EXPECT_EQ((*load()->find("rows"))->machine(), "x86-64-v3");
  write({{"llvm", "x86-64-v2"}, {"llvm", "x86-64-v3"}});
  EXPECT_EQ((*load()->find("rows"))->machine(), "x86-64-v2");
}

TEST_F(PackageTest, CompilesWhereNothingFits) {
  if (!runtime::cpu_runs("x86-64")) GTEST_SKIP() << "the package below fits this processor";
  write({{"llvm", "aarch64"}});
  auto package = load();
  auto f = package->find("rows");
  ASSERT_TRUE(f.ok()) << f.error().str();
  EXPECT_EQ((*f)->machine(), "compiled here");
  const runtime::Tensor x = tensor({2, 3});
  EXPECT_EQ(data((*(*f)->run(std::span(&x, 1)))[0])[1], 12.0f);
  const auto& variant = package->file().functions()[0].variants[0];
  EXPECT_EQ(runtime::unfit(variant), "this processor does not run aarch64");
}

TEST_F(PackageTest, TheSameContentsGiveTheSameBytes) {
  write({{"llvm", "x86-64-v3"}, {"llvm", "x86-64-v2"}, {"glsl", "baseline"}});
  const std::string first = bytes();
  runtime::set_num_threads(1);
  write({{"llvm", "x86-64-v3"}, {"llvm", "x86-64-v2"}, {"glsl", "baseline"}});
  runtime::set_num_threads(0);
  EXPECT_EQ(bytes(), first);
}

TEST_F(PackageTest, EveryCutIsRefused) {
  write({{"llvm", "x86-64-v2"}});
  const std::string good = bytes();
  for (size_t n = 0; n < good.size(); n += n < 80 ? 1 : 97) {
    put(good.substr(0, n));
    EXPECT_FALSE(Package::load(path_, "cpu").ok()) << n;
  }
  put(good + "x");
  EXPECT_FALSE(Package::load(path_, "cpu").ok());
}

// Each flipped bit gives an error or the very same contents. The code of a changed package never runs.
TEST_F(PackageTest, EveryFlippedBitIsRefusedOrWithoutMeaning) {
  write({{"llvm", "x86-64-v2"}});
  const std::string good = bytes();
  const auto whole = load();
  std::mt19937 random(1);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    const size_t at = i < 512 ? static_cast<size_t>(i) / 8 : random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 << (i % 8)));
    put(bad);
    auto file = PackageFile::open(path_);
    bool all = file.ok();
    for (size_t s = 0; all && s < (*file)->sections().size(); ++s) all = (*file)->section(s).ok();
    if (!all) ++refused;
    if (!all) continue;
    // The bit lies between the sections or in the reserved part of the header.
    EXPECT_EQ((*file)->manifest(), whole->file().manifest());
    for (size_t s = 0; s < (*file)->sections().size(); ++s) EXPECT_EQ(*(*file)->section(s), *whole->file().section(s));
  }
  EXPECT_GT(refused, 2000);
}

TEST_F(PackageTest, OtherVersionsAndOtherFilesAreNamed) {
  write({{"llvm", "x86-64-v2"}});
  std::string other = bytes();
  other[8] = 9;
  put(other);
  auto refused = Package::load(path_);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.error().message.find("version 9 of the format"), std::string::npos) << refused.error().message;
  put("func @f() {\n  return\n}\n");
  EXPECT_NE(Package::load(path_).error().message.find("not a package"), std::string::npos);
  fs::remove(path_);
  EXPECT_NE(Package::load(path_).error().message.find("No such file"), std::string::npos);
  EXPECT_FALSE(Package::load(folder_.string()).ok());
  EXPECT_FALSE(Package::load(path_, "tpu").ok());
}

TEST_F(PackageTest, WeightsBesideMustBeThereAndFit) {
  auto c = contents({{"llvm", "native"}});
  c.weights_file = "w.safetensors";
  ASSERT_TRUE(runtime::write_package(path_, c).ok());
  auto absent = load()->find("scale");
  ASSERT_FALSE(absent.ok());
  EXPECT_NE(absent.error().message.find("w.safetensors"), std::string::npos) << absent.error().message;
  const std::string beside = (folder_ / "w.safetensors").string();
  ASSERT_TRUE(runtime::write_safetensors(beside, {{"w", tensor({5})}}).ok());
  auto wrong = load()->find("scale");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message.find("its weight 'w' is f32[5], but function @scale takes f32[4]"), std::string::npos)
      << wrong.error().message;
  ASSERT_TRUE(runtime::write_safetensors(beside, c.weights).ok());
  EXPECT_TRUE(load()->find("scale").ok());
  EXPECT_TRUE(load()->find("rows").ok());
  c.weights_file = "../w.safetensors";
  ASSERT_TRUE(runtime::write_package(path_, c).ok());
  EXPECT_NE(load()->find("scale").error().message.find("not in its folder"), std::string::npos);
}

TEST_F(PackageTest, StatedStridesAreTakenAsTheyLieOrCopied) {
  auto module = ir::parse(
      "func @f(%x: f32[n, 3] strides [s, 1]) -> f32[n, 3] where s in [3, 8] {\n  %0: f32[n, 3] = add %x, %x\n"
      "  return %0\n}\n",
      "strided");
  ASSERT_TRUE(module.ok()) << module.error().str();
  auto made = make_package(**module, {}, {{{"llvm", "native"}}});
  ASSERT_TRUE(made.ok()) << made.error().str();
  ASSERT_TRUE(runtime::write_package(path_, *made).ok());
  const runtime::LoadedFunction f = runtime::load(path_, "cpu").find("f");
  std::vector<float> x(12);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  // Row-major, in rows of five of which three count, and by columns: the last is copied.
  const std::pair<std::vector<int64_t>, std::vector<float>> cases[] = {
      {{3, 1}, {0, 2, 4, 6, 8, 10}}, {{5, 1}, {0, 2, 4, 10, 12, 14}}, {{1, 2}, {0, 4, 8, 2, 6, 10}}};
  for (const auto& [strides, want] : cases) {
    const std::vector<runtime::Array> y = f({runtime::View(x.data(), {2, 3}, strides)});
    EXPECT_EQ(std::vector<float>(y[0].data<float>(), y[0].data<float>() + 6), want);
  }
  EXPECT_THROW(f({runtime::View(x.data(), {2, 3}, {int64_t{1} << 62, 1})}), runtime::LoadError);
}

TEST_F(PackageTest, TheRuntimesInterfaceInCAndCpp) {
  write({{"llvm", "native"}});
  const runtime::LoadedPackage package = runtime::load(path_, "cpu");
  EXPECT_EQ(package.functions(), (std::vector<std::string>{"scale", "rows", "product"}));
  EXPECT_THROW(package.find(), runtime::LoadError);
  const runtime::LoadedFunction f = package.find("rows");
  EXPECT_EQ(f.signature(), "func @rows(%x: f32[b, n]) -> f32[b] where b in [1, 64]");
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const std::vector<runtime::Array> sums = f({{x.data(), {2, 3}}});
  ASSERT_EQ(sums[0].shape(), std::vector<int64_t>{2});
  EXPECT_EQ(sums[0].data<float>()[0], 6.0f);
  EXPECT_EQ(sums[0].data<float>()[1], 15.0f);
  EXPECT_THROW(sums[0].data<int>(), runtime::LoadError);
  // By columns, without a copy by the caller.
  const std::vector<runtime::Array> columns = f({runtime::View(x.data(), {3, 2}, {1, 3})});
  EXPECT_EQ(columns[0].data<float>()[2], 9.0f);
  float mine[2] = {0, 0};
  f.run({{x.data(), {2, 3}}}, {{mine, {2}}});
  EXPECT_EQ(mine[1], 15.0f);
  EXPECT_THROW(f.run({{x.data(), {2, 3}}}, {{mine, {3}}}), runtime::LoadError);
  EXPECT_THROW(f({}), runtime::LoadError);
  const std::vector<double> wrong{1, 2};
  try {
    f({{wrong.data(), {1, 2}}});
    FAIL();
  } catch (const runtime::LoadError& e) {
    EXPECT_EQ(e.status(), FRIT_RT_BAD_ARGUMENT);
    EXPECT_NE(std::string(e.what()).find("takes 'x' as f32[b, n], but f64[1, 2] is given"), std::string::npos)
        << e.what();
  }
  EXPECT_THROW(runtime::load("absent.fritpkg"), runtime::LoadError);

  frit_rt_value_info info;
  EXPECT_EQ(frit_rt_input_info(f.handle(), 0, &info), FRIT_RT_OK);
  EXPECT_STREQ(info.name, "x");
  EXPECT_STREQ(info.sizes[1], "n");
  EXPECT_EQ(frit_rt_input_info(f.handle(), 1, &info), FRIT_RT_BAD_ARGUMENT);
  EXPECT_EQ(frit_rt_load(nullptr, nullptr, nullptr), FRIT_RT_BAD_ARGUMENT);
  EXPECT_EQ(frit_rt_run(nullptr, nullptr, nullptr), FRIT_RT_BAD_ARGUMENT);
  EXPECT_EQ(frit_rt_run(f.handle(), nullptr, nullptr), FRIT_RT_BAD_ARGUMENT);
  const int64_t shape[2] = {-1, 3};
  const frit_rt_tensor negative{mine, FRIT_RT_F32, 2, shape, nullptr};
  int64_t out[1];
  EXPECT_EQ(frit_rt_output_shape(f.handle(), &negative, 0, out), FRIT_RT_BAD_ARGUMENT);
  const frit_rt_tensor deep{mine, FRIT_RT_F32, 99, shape, nullptr};
  EXPECT_EQ(frit_rt_output_shape(f.handle(), &deep, 0, out), FRIT_RT_BAD_ARGUMENT);
  EXPECT_NE(std::string(frit_rt_error()).find("FRIT_RT_MAX_RANK"), std::string::npos);
  EXPECT_EQ(frit_rt_input_info(f.handle(), 0, nullptr), FRIT_RT_BAD_ARGUMENT);
  EXPECT_NE(std::string(frit_rt_error()).find("is null"), std::string::npos);
  EXPECT_EQ(frit_rt_output_info(f.handle(), 0, nullptr), FRIT_RT_BAD_ARGUMENT);
  frit_rt_package* none = nullptr;
  EXPECT_EQ(frit_rt_load(path_.c_str(), "fast", &none), FRIT_RT_BAD_ARGUMENT);
  // Arrays without elements may be null, and operands may be read backwards or repeatedly.
  const frit_rt_function* scale = package.find("scale").handle();
  const int64_t empty_shape[2] = {0, 4}, small_shape[2] = {2, 4}, four[1] = {4};
  float weights[4], many[8];
  const frit_rt_tensor empty{nullptr, FRIT_RT_F32, 2, empty_shape, nullptr};
  frit_rt_tensor outputs[2] = {empty, {weights, FRIT_RT_F32, 1, four, nullptr}};
  EXPECT_EQ(frit_rt_run(scale, &empty, outputs), FRIT_RT_OK) << frit_rt_error();
  EXPECT_EQ(weights[3], 13.0f);
  const int64_t backwards[2] = {-1, 0};
  const frit_rt_tensor windows{mine + 1, FRIT_RT_F32, 2, small_shape, backwards};
  outputs[0] = {many, FRIT_RT_F32, 2, small_shape, nullptr};
  EXPECT_EQ(frit_rt_run(scale, &windows, outputs), FRIT_RT_OK) << frit_rt_error();
  for (int i = 0; i < 8; ++i) EXPECT_EQ(many[i], 2 * mine[i < 4 ? 1 : 0]);
  outputs[0].data = nullptr;
  EXPECT_EQ(frit_rt_run(scale, &windows, outputs), FRIT_RT_BAD_ARGUMENT);
  frit_rt_free(nullptr);
}

TEST_F(PackageTest, ThreadsShareAPackage) {
  write({{"llvm", "native"}});
  const auto package = load();
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        auto f = package->find(i % 2 ? "scale" : "rows");
        const runtime::Tensor x = tensor({2, 4}, static_cast<float>(t));
        auto results = f.ok() ? (*f)->run(std::span(&x, 1)) : Result<std::vector<runtime::Tensor>>(f.error());
        if (!results.ok() ||
            data((*results)[0])[0] != (i % 2 ? 2.0f * static_cast<float>(t) : 4.0f * static_cast<float>(t) + 6.0f))
          ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace frit::codegen
