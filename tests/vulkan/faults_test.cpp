// Failures of a GPU are errors that name the work and the cause, and unaffected work goes on. Functions of the driver
// are replaced by failing ones in the table through which every call goes.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "frontend/frit/frit.h"
#include "runtime/execute/gpu.h"
#include "runtime/system/plugin.h"
#include "runtime/vulkan/api.h"

namespace frit {
namespace {

using runtime::vulkan::Api;

// The table of the current device.
Api* api() {
  for (const std::string& path : runtime::plugin_files("frit_runtime_vulkan")) {
    auto entry = runtime::plugin_entry(path, "frit_vulkan_api");
    if (entry.ok() && *entry) return reinterpret_cast<Api* (*)()>(*entry)();
  }
  return nullptr;
}

// Replaces a function of the driver for the current device; a device opened later has its own table.
template <class F>
class Replaced {
 public:
  Replaced(F Api::* member, F with) : table_(api()), member_(member), before_(table_->*member) {
    table_->*member_ = with;
  }
  ~Replaced() { table_->*member_ = before_; }

 private:
  Api* table_;
  F Api::* member_;
  F before_;
};

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_available(Device::gpu)) GTEST_SKIP() << "there is no gpu here";
    ASSERT_NE(api(), nullptr);
    set_default_device(Device::gpu);
  }
  void TearDown() override { set_default_device(Device::cpu); }

  runtime::Gpu& gpu() { return **runtime::find_gpu(); }

  // Checks that everything else still works.
  void expect_usable() {
    array x = arange(0, 100, 1, float32);
    EXPECT_EQ(sum(x * x).item<float>(), 328350);
  }
};

// The message of the exception that `f` throws.
template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

#define EXPECT_SAYS(text, part) EXPECT_NE(std::string(text).find(part), std::string::npos) << text

VKAPI_ATTR VkResult VKAPI_CALL lose(VkQueue, uint32_t, const VkSubmitInfo*, VkFence) { return VK_ERROR_DEVICE_LOST; }
VKAPI_ATTR VkResult VKAPI_CALL hang(VkDevice, const VkSemaphoreWaitInfo*, uint64_t) { return VK_TIMEOUT; }
VKAPI_ATTR VkResult VKAPI_CALL lose_in_wait(VkDevice, const VkSemaphoreWaitInfo*, uint64_t) {
  return VK_ERROR_DEVICE_LOST;
}
VKAPI_ATTR VkResult VKAPI_CALL nothing_done(VkDevice, VkSemaphore, uint64_t* value) { return *value = 0, VK_SUCCESS; }
VKAPI_ATTR VkResult VKAPI_CALL no_memory(VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*,
                                         VkDeviceMemory*) {
  return VK_ERROR_OUT_OF_DEVICE_MEMORY;
}
VKAPI_ATTR VkResult VKAPI_CALL no_pipeline(VkDevice, VkPipelineCache, uint32_t, const VkComputePipelineCreateInfo*,
                                           const VkAllocationCallbacks*, VkPipeline*) {
  return VK_ERROR_UNKNOWN;
}
VKAPI_ATTR VkResult VKAPI_CALL no_commands(VkCommandBuffer, const VkCommandBufferBeginInfo*) {
  return VK_ERROR_OUT_OF_HOST_MEMORY;
}

std::atomic<int> barriers{0};
PFN_vkCmdPipelineBarrier pipeline_barrier = nullptr;
VKAPI_ATTR void VKAPI_CALL count_barrier(VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
                                         VkDependencyFlags flags, uint32_t memories, const VkMemoryBarrier* memory,
                                         uint32_t buffers, const VkBufferMemoryBarrier* buffer, uint32_t images,
                                         const VkImageMemoryBarrier* image) {
  ++barriers;
  pipeline_barrier(commands, from, to, flags, memories, memory, buffers, buffer, images, image);
}

// Barriers that the commands of f's first run have.
int barriers_of(const std::function<array(const array&, const array&)>& f) {
  const auto compiled = compile([&](const std::vector<array>& x) { return std::vector<array>{f(x[0], x[1])}; });
  const std::vector<array> inputs = {ones({40, 40}), ones({40, 40})};
  for (const array& x : inputs) x.eval();
  pipeline_barrier = api()->CmdPipelineBarrier;
  barriers = 0;
  Replaced counted(&Api::CmdPipelineBarrier, &count_barrier);
  for (const array& x : compiled(inputs)) x.eval();
  return barriers;
}

// A launch waits for those before it where they access the same memory, and only there.
TEST_F(Faults, IndependentProductsDoNotWaitForEachOther) {
  const int beside = barriers_of([](const array& x, const array& y) { return matmul(matmul(x, y), matmul(y, x)); });
  const int behind = barriers_of([](const array& x, const array& y) { return matmul(matmul(matmul(x, y), x), y); });
  EXPECT_EQ(behind, beside + 1);
}

TEST_F(Faults, ALostDeviceIsAnErrorAndIsOpenedAnew) {
  array kept = exp(zeros({4}));
  kept.eval();
  runtime::Gpu* before = &gpu();
  {
    Replaced submit(&Api::QueueSubmit, &lose);
    array x = sin(ones({10}));
    const std::string text = message_of([&] { x.eval(); });
    EXPECT_SAYS(text, "the device was lost while it ran");
  }
  // Its memory is gone, with the reason; the same work on a new device succeeds.
  EXPECT_SAYS(message_of([&] { cos(kept).eval(); }), "is in memory of a gpu that was lost");
  EXPECT_NE(&gpu(), before);
  expect_usable();
}

TEST_F(Faults, WorkThatDoesNotEndNamesItsKernel) {
  array x = ones({1000}) + zeros({1000});  // of the GPU: nothing is copied for the call
  x.eval();
  auto f = compile([](array v) { return tanh(v) * array(3.0f); }, CompileOptions{.name = "endless"});
  f(x).eval();
  {
    Replaced wait(&Api::WaitSemaphores, &hang);
    Replaced value(&Api::GetSemaphoreCounterValue, &nothing_done);
    array y = f(x);
    const std::string text = message_of([&] { y.eval(); });
    EXPECT_SAYS(text, "it took too long while it ran kernel @endless");
    EXPECT_SAYS(text, "FRIT_VULKAN_TIMEOUT");
    // Its values are lost, and a read names the reason.
    EXPECT_SAYS(message_of([&] { (void)y.data<float>(); }), "kernel @endless");
  }
  array fresh = ones({1000});
  EXPECT_NEAR(sum(f(fresh)).item<float>(), 2284.78, 0.1);
  expect_usable();
}

TEST_F(Faults, ALossWhileWaitingIsAnError) {
  array x = ones({64, 64});
  x.eval();
  {
    Replaced wait(&Api::WaitSemaphores, &lose_in_wait);
    Replaced value(&Api::GetSemaphoreCounterValue, &nothing_done);
    array y = sqrt(x) + array(2.0f);
    EXPECT_SAYS(message_of([&] { y.eval(); }), "the device was lost while it ran");
  }
  expect_usable();
}

TEST_F(Faults, ExhaustedMemoryLeavesTheRest) {
  array kept = arange(0, 1000, 1, float32) * array(2.0f);
  kept.eval();
  {
    Replaced allocate(&Api::AllocateMemory, &no_memory);
    array large = broadcast_to(array(1.0f), {3000, 4000}) + array(1.0f);
    const std::string text = message_of([&] { large.eval(); });
    EXPECT_SAYS(text, "device memory is exhausted");
    EXPECT_SAYS(text, "free arrays");
  }
  EXPECT_EQ(sum(kept).item<float>(), 999000);
  array large = broadcast_to(array(1.0f), {3000, 4000}) + array(1.0f);
  EXPECT_EQ(max(large).item<float>(), 2);
  expect_usable();
}

TEST_F(Faults, TheLimitOfMemoryIsKept) {
  gpu().clear_cache();
  const runtime::Gpu::Memory now = gpu().memory();
  const uint64_t before = gpu().set_memory_limit(now.active + now.cached + (uint64_t{64} << 20));
  array small = ones({1 << 20}) + array(1.0f);
  small.eval();
  const std::string text = message_of([&] { (broadcast_to(array(1.0f), {32, 1 << 20}) + array(1.0f)).eval(); });
  EXPECT_SAYS(text, "and the memory limit is");
  EXPECT_SAYS(text, "FRIT_VULKAN_MEMORY_LIMIT");
  EXPECT_EQ(max(small).item<float>(), 2);
  expect_usable();
  gpu().set_memory_limit(before);
  EXPECT_EQ(max(broadcast_to(array(1.0f), {32, 1 << 20}) + array(1.0f)).item<float>(), 2);
}

TEST_F(Faults, AnArrayPastTheLargestAllocation) {
  const uint64_t most = gpu().info().max_allocation;
  const auto elements = static_cast<int>(most / 4 / (1 << 16) + 1);
  if (elements < 0) GTEST_SKIP() << "the device allocates any size";
  const std::string text = message_of([&] { (broadcast_to(array(1.0f), {elements, 1 << 16}) + array(1.0f)).eval(); });
  EXPECT_SAYS(text, "is larger than what the gpu allocates at once");
  expect_usable();
}

TEST_F(Faults, AShaderThatTheDriverRefuses) {
  auto f = compile([](array v) { return v * array(7.25f) - array(1.0f); }, CompileOptions{.name = "refused"});
  array x = ones({10});
  x.eval();
  {
    Replaced make(&Api::CreateComputePipelines, &no_pipeline);
    EXPECT_SAYS(message_of([&] { f(x).eval(); }), "cannot compile the shader of kernel @refused");
  }
  EXPECT_EQ(sum(f(x)).item<float>(), 62.5f);
}

TEST_F(Faults, CommandsThatCannotBeRecorded) {
  array x = ones({10});
  x.eval();
  {
    Replaced begin(&Api::BeginCommandBuffer, &no_commands);
    EXPECT_SAYS(message_of([&] { (x - array(0.5f)).eval(); }), "cannot record: host memory is exhausted");
  }
  EXPECT_EQ(sum(x - array(0.5f)).item<float>(), 5);
}

// Nobody reuses arrays of a lost device that threads hold; threads that lose it at once get one new device.
TEST_F(Faults, ManyThreadsMeetALoss) {
  std::atomic<int> told{0};
  {
    Replaced submit(&Api::QueueSubmit, &lose);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&told] {
        if (message_of([] { (ones({100}) * array(2.0f)).eval(); }).find("lost") != std::string::npos) ++told;
      });
    for (std::thread& t : threads) t.join();
  }
  EXPECT_GE(told.load(), 1);
  expect_usable();
}

}  // namespace
}  // namespace frit
