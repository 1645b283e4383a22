// Forms of PTX text with a driver that only claims to take them: a function in its place computes what the arguments
// ask for, does nothing, refuses the text or loses the device. Whatever it does, results are right.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <random>
#include <string>
#include <vector>

#include "frontend/frit/frit.h"
#include "runtime/execute/gpu.h"
#include "runtime/system/plugin.h"
#include "runtime/vulkan/api.h"

namespace frit {
namespace {

using runtime::vulkan::Api;

enum class Mode { Computes, DoesNothing, Refuses, LosesDevice };
Mode mode = Mode::Computes;
int products = 0;  // that were launched
std::vector<std::string> notices;
Api original;

struct FakeModule {
  std::string text;
};
struct FakeFunction {
  std::string entry;
  bool bfloat, a_columns, b_columns;
  int64_t columns;  // of a tile
};
// A lost device's modules are not destroyed.
std::deque<FakeModule> modules;
std::deque<FakeFunction> functions;

uint64_t parameter(const VkCuLaunchInfoNVX& info, size_t i) { return *static_cast<const uint64_t*>(info.pParams[i]); }

struct Operands {
  uint64_t address[2], memory, pitch[2], count[2], step[2];
} described;

// Lavapipe's device addresses are the process's own.
void compute(const FakeFunction& f, const VkCuLaunchInfoNVX& info) {
  const auto m = static_cast<int64_t>(parameter(info, 2)), n = static_cast<int64_t>(parameter(info, 3)),
             k = static_cast<int64_t>(parameter(info, 4)), batches = static_cast<int64_t>(parameter(info, 5));
  ASSERT_EQ(parameter(info, 0), described.memory);
  ASSERT_EQ(parameter(info, 8), described.address[0]);
  ASSERT_EQ(parameter(info, 9), described.pitch[0]);
  EXPECT_EQ(static_cast<int64_t>(info.gridDimX), batches * ((m + 127) / 128) * ((n + f.columns - 1) / f.columns));
  for (size_t o = 0; o < 2; ++o) {
    EXPECT_EQ(described.count[o], parameter(info, 6 + o) ? static_cast<uint64_t>(batches) : 1u);
    EXPECT_EQ(described.address[o] % 16 + described.pitch[o] % 16 + described.step[o] % 16, 0u);
  }
  auto* result = reinterpret_cast<uint16_t*>(parameter(info, 1));
  // The operand `o` of batch `b`, dense and by rows.
  const auto operand = [&](size_t o, int64_t b, int64_t rows, int64_t columns, bool by_column) {
    const auto own = static_cast<uint64_t>(b) * (parameter(info, 6 + o) ? described.step[o] : 0);
    const auto* from = reinterpret_cast<const uint16_t*>(described.address[o] + own);
    const auto pitch = static_cast<int64_t>(described.pitch[o] / 2);
    std::vector<float> all;
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        const uint16_t bits = by_column ? from[j * pitch + i] : from[i * pitch + j];
        all.push_back(f.bfloat ? bfloat_bits_to_float(bits) : half_bits_to_float(bits));
      }
    return all;
  };
  std::vector<float> row(static_cast<size_t>(n));
  for (int64_t b = 0; b < batches; ++b) {
    const std::vector<float> left = operand(0, b, m, k, f.a_columns), right = operand(1, b, k, n, f.b_columns);
    for (int64_t i = 0; i < m; ++i) {
      std::fill(row.begin(), row.end(), 0.0f);
      for (int64_t s = 0; s < k; ++s) {
        const float x = left[static_cast<size_t>(i * k + s)];
        const float* y = right.data() + s * n;
        for (float& sum : row) sum += x * *y++;
      }
      for (const float sum : row) *result++ = f.bfloat ? float_to_bfloat_bits(sum) : float_to_half_bits(sum);
    }
  }
}

VKAPI_ATTR VkResult VKAPI_CALL create_module(VkDevice, const VkCuModuleCreateInfoNVX* info,
                                             const VkAllocationCallbacks*, VkCuModuleNVX* made) {
  if (mode == Mode::Refuses) return VK_ERROR_INITIALIZATION_FAILED;
  const auto* text = static_cast<const char*>(info->pData);
  EXPECT_EQ(text[info->dataSize - 1], '\0');
  *made = reinterpret_cast<VkCuModuleNVX>(&modules.emplace_back(FakeModule{text}));
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL create_function(VkDevice, const VkCuFunctionCreateInfoNVX* info,
                                               const VkAllocationCallbacks*, VkCuFunctionNVX* made) {
  const std::string& text = reinterpret_cast<FakeModule*>(info->module)->text;
  EXPECT_NE(text.find(".entry " + std::string(info->pName) + "("), std::string::npos);
  const auto has = [&](const char* part) { return text.find(part) != std::string::npos; };
  // The layouts show in the copies: only a left operand that lies down its columns passes through shared memory, and
  // the last word of a multiplication says how the right one lies.
  *made = reinterpret_cast<VkCuFunctionNVX>(&functions.emplace_back(FakeFunction{
      info->pName, has("f32.bf16.bf16"), has("ldmatrix"), has(", 1, 1, 0;\n"), has("m64n128") ? 128 : 256}));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL launch(VkCommandBuffer, const VkCuLaunchInfoNVX* info) {
  const auto& f = *reinterpret_cast<FakeFunction*>(info->function);
  if (f.entry == "product_maps") {
    ASSERT_EQ(info->paramCount, 12u);
    described.memory = parameter(*info, 2);
    for (size_t o = 0; o < 2; ++o) {
      described.address[o] = parameter(*info, o);
      described.pitch[o] = parameter(*info, 6 + o);
      described.count[o] = parameter(*info, 8 + o);
      described.step[o] = parameter(*info, 10 + o);
    }
    return;
  }
  ASSERT_EQ(info->paramCount, 11u);
  ++products;
  if (mode == Mode::Computes) compute(f, *info);
}

VKAPI_ATTR VkResult VKAPI_CALL extensions(VkPhysicalDevice device, const char* layer, uint32_t* count,
                                          VkExtensionProperties* properties) {
  uint32_t own = 0;
  original.EnumerateDeviceExtensionProperties(device, layer, &own, nullptr);
  if (!properties) return *count = own + 1, VK_SUCCESS;
  const VkResult r = original.EnumerateDeviceExtensionProperties(device, layer, &own, properties);
  std::strcpy(properties[own].extensionName, VK_NVX_BINARY_IMPORT_EXTENSION_NAME);
  *count = own + 1;
  return r;
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* callbacks, VkDevice* device) {
  VkDeviceCreateInfo without = *info;
  std::vector<const char*> names;
  for (uint32_t i = 0; i < info->enabledExtensionCount; ++i)
    if (std::strcmp(info->ppEnabledExtensionNames[i], VK_NVX_BINARY_IMPORT_EXTENSION_NAME) != 0)
      names.push_back(info->ppEnabledExtensionNames[i]);
  without.enabledExtensionCount = static_cast<uint32_t>(names.size());
  without.ppEnabledExtensionNames = names.data();
  return original.CreateDevice(physical, &without, callbacks, device);
}

VKAPI_ATTR VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo* info, VkFence fence) {
  static const auto real = original.QueueSubmit;
  return mode == Mode::LosesDevice && products ? VK_ERROR_DEVICE_LOST : real(queue, count, info, fence);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL address_of(VkDevice device, const char* name) {
  const std::string wanted = name;
  if (wanted == "vkCreateCuModuleNVX") return reinterpret_cast<PFN_vkVoidFunction>(&create_module);
  if (wanted == "vkCreateCuFunctionNVX") return reinterpret_cast<PFN_vkVoidFunction>(&create_function);
  if (wanted == "vkCmdCuLaunchKernelNVX") return reinterpret_cast<PFN_vkVoidFunction>(&launch);
  const PFN_vkVoidFunction found = original.GetDeviceProcAddr(device, name);
  if (wanted != "vkQueueSubmit") return found;
  original.QueueSubmit = reinterpret_cast<PFN_vkQueueSubmit>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(&submit);
}

class Ptx : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    for (const std::string& path : runtime::plugin_files("frit_runtime_vulkan")) {
      auto entry = runtime::plugin_entry(path, "frit_vulkan_driver");
      Api* const api = entry.ok() && *entry ? reinterpret_cast<Api* (*)()>(*entry)() : nullptr;
      if (!api) continue;
      original = *api;
      api->EnumerateDeviceExtensionProperties = &extensions;
      api->CreateDevice = &create_device;
      api->GetDeviceProcAddr = &address_of;
    }
    runtime::set_gpu_notice([](std::string_view text) { notices.emplace_back(text); });
  }
  void SetUp() override {
    if (!original.CreateDevice || !is_available(Device::gpu)) GTEST_SKIP() << "there is no gpu here";
    set_default_device(Device::gpu);
    ASSERT_TRUE((*runtime::find_gpu())->info().features.ptx);
    mode = Mode::Computes;
    products = 0;
    notices.clear();
  }
  void TearDown() override { set_default_device(Device::cpu); }

  // A product of small integers, whose sums are exact, on the GPU and by the CPU.
  struct Case {
    int batches, m, n, k;
    bool a_columns, b_columns, one_right = false;
  };
  static bool is_right(const Case& c, Dtype type) {
    std::mt19937 random(static_cast<uint32_t>(c.m + c.n * 3 + c.k * 7));
    const auto draw = [&](int batches, int rows, int columns, bool by_column) {
      std::vector<float> all(static_cast<size_t>(batches) * rows * columns);
      for (float& v : all) v = static_cast<float>(static_cast<int>(random() % 7) - 3);
      const Shape shape = by_column ? Shape{batches, columns, rows} : Shape{batches, rows, columns};
      array x = astype(array(all.begin(), shape, float32), type);
      x.eval();
      synchronize();
      return by_column ? swapaxes(x, 1, 2) : x;
    };
    const array a = draw(c.batches, c.m, c.k, c.a_columns),
                b = draw(c.one_right ? 1 : c.batches, c.k, c.n, c.b_columns);
    const array got = astype(matmul(a, b), float32);
    got.eval();
    set_default_device(Device::cpu);
    const array want = matmul(astype(a, float32), astype(b, float32));
    const bool right = all(equal(got, astype(astype(want, type), float32))).item<bool>();
    set_default_device(Device::gpu);
    return right;
  }
};

bool told(const char* part) {
  for (const std::string& text : notices)
    if (text.find(part) != std::string::npos) return true;
  return false;
}

TEST_F(Ptx, EveryLayoutPassesItsTrialAndIsLaunched) {
  const char* shared = std::getenv("FRIT_VULKAN_SHARED");
  if (shared && std::string(shared) == "0") GTEST_SKIP() << "the function would read before copies are there";
  for (const bool a_columns : {false, true})
    for (const bool b_columns : {false, true})
      for (const Dtype type : {float16, bfloat16}) {
        products = 0;
        EXPECT_TRUE(is_right({96, 40, 136, 64, a_columns, b_columns}, type));
        EXPECT_EQ(products, 2) << "a trial, and the product";
        products = 0;
        const int k = a_columns || b_columns ? 24 : 32;
        EXPECT_TRUE(is_right({1, 1200, 2496, k, a_columns, b_columns}, type));
        EXPECT_EQ(products, 1);
        products = 0;
        EXPECT_TRUE(is_right({1, 1000, 1016, k, a_columns, b_columns}, type));
        EXPECT_EQ(products, 2) << "the trial of narrow tiles, and the product";
        EXPECT_TRUE(is_right({100, 136, 40, k, a_columns, b_columns, true}, type));
        EXPECT_EQ(products, 3);
      }
  EXPECT_TRUE(notices.empty());
}

TEST_F(Ptx, OtherFormsTakeWhatCopiesCannot) {
  using Sizes = std::array<int, 3>;
  // The last steps of the right operand change places with steps past its end, whose elements may be NaN.
  for (const auto& [m, n, k] : {Sizes{1200, 2497, 32}, Sizes{1200, 2496, 19}, Sizes{64, 64, 64}, Sizes{1200, 2496, 24},
                                Sizes{1000, 1016, 72}}) {
    EXPECT_TRUE(is_right({1, m, n, k, false, false}, float16));
    EXPECT_EQ(products, 0) << m << " " << n << " " << k;
  }
  // Batches of the right operand between which a step of four would reach over.
  EXPECT_TRUE(is_right({96, 40, 136, 24, false, false}, float16));
  EXPECT_EQ(products, 0);
}

}  // namespace

// Texts are known to a device once they were taken, so these have devices of their own.
namespace {

void lose_device() {
  mode = Mode::LosesDevice;
  products = 1;
  EXPECT_THROW((ones({10}) + array(1.0f)).eval(), std::exception);
  products = 0;
}

TEST_F(Ptx, ARefusedTextIsPassedOver) {
  lose_device();
  mode = Mode::Refuses;
  EXPECT_TRUE(is_right({1, 1200, 2496, 32, false, false}, float16));
  EXPECT_EQ(products, 0);
  EXPECT_TRUE(told("cannot take the ptx"));
}

TEST_F(Ptx, AFormThatFailsItsTrialIsPassedOver) {
  lose_device();
  mode = Mode::DoesNothing;
  EXPECT_TRUE(is_right({1, 1200, 2496, 32, false, false}, bfloat16));
  EXPECT_EQ(products, 2) << "the trials of broad and of narrow tiles";
  EXPECT_TRUE(is_right({1, 1200, 2496, 32, false, false}, bfloat16));
  EXPECT_EQ(products, 2) << "neither is tried again";
  EXPECT_TRUE(told("gave wrong numbers"));
}

TEST_F(Ptx, ATrialThatLosesTheDeviceIsTheLast) {
  lose_device();
  mode = Mode::LosesDevice;
  EXPECT_THROW(is_right({1, 1200, 2496, 16, false, true}, float16), std::exception);
  EXPECT_EQ(products, 1);
  mode = Mode::Computes;
  products = 0;
  EXPECT_TRUE(is_right({1, 1200, 2496, 16, false, true}, float16));
  EXPECT_TRUE(is_right({1, 1200, 2496, 16, true, true}, bfloat16));
  EXPECT_EQ(products, 0);
}

}  // namespace
}  // namespace frit
