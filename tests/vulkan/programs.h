// The fixture of tests that compare a program on the GPU with the interpreter of the same program.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/read/parser.h"
#include "runtime/execute/gpu.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {

using namespace ir;

// The text with every element type T replaced.
inline std::string with_type(std::string text, const std::string& type) {
  for (size_t at; (at = text.find("T[")) != std::string::npos;) text.replace(at, 1, type);
  return text;
}

class Programs : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(on_gpu()) << "run it with FRIT_TEST_TARGET=vulkan";
    if (std::string why = why_not_here(); !why.empty()) GTEST_SKIP() << why;
  }

  Function function(const std::string& text) {
    auto module = ir::parse(text, "test");
    if (!module.ok()) ADD_FAILURE() << module.error().render(text);
    return module.ok() ? *(*module)->functions.at(0) : Function{};
  }

  // `shift` moves every input by that many elements from the start of its memory. Results of real numbers may be `ulp`
  // off; zeros keep their sign.
  void check(const std::string& text, const SymbolValues& symbols = {}, Values values = Values::Ordinary,
             int64_t shift = 0, bool donate = false, double ulp = 0) {
    Function f = function(text);
    auto planned = plan(f, true);
    ASSERT_TRUE(planned.ok()) << planned.error().str();
    auto code = codegen::build(*planned, target());
    ASSERT_TRUE(code.ok()) << code.error().str();
    std::vector<ir::Tensor> inputs = random_inputs(f, symbols, values, random_);
    auto arguments = place(f, inputs, random_);
    ASSERT_TRUE(arguments.ok()) << arguments.error().str();
    Result<std::vector<ir::Tensor>> want = std::vector<ir::Tensor>{};
    if (is_compared(inputs)) want = run_program(*planned, *arguments);
    ASSERT_TRUE(want.ok()) << want.error().str();
    if (shift) {
      auto gpu = runtime::find_gpu();
      ASSERT_TRUE(gpu.ok());
      for (runtime::Tensor& t : arguments->tensors) {
        const size_t size = t.dtype.size(), bytes = t.buffer->bytes();
        auto memory = (*gpu)->allocate(bytes + static_cast<size_t>(shift) * size);
        ASSERT_TRUE(memory.ok());
        ASSERT_TRUE((*gpu)->write(**memory, static_cast<size_t>(shift) * size, t.buffer->data(), bytes).ok());
        t.buffer = *memory;
        t.offset += shift;
      }
    }
    auto got = run_code(**code, *arguments, donate);
    ASSERT_TRUE(got.ok()) << got.error().str();
    for (size_t i = 0; ulp > 0 && i < want->size(); ++i)
      for (int64_t e = 0; e < (*want)[i].size(); ++e) {
        const double w = (*want)[i].at(e), g = (*got)[i].at(e);
        // Devices may flush subnormal numbers to zero.
        if (w != 0 && std::fabs(w) <= static_cast<double>(std::numeric_limits<float>::min())) continue;
        ASSERT_LE(ulp_distance((*want)[i].dtype, w, g), ulp) << w << " and " << g << " at " << e << " of\n" << text;
        ASSERT_TRUE(w != 0 || g != 0 || std::signbit(w) == std::signbit(g)) << "at " << e << " of\n" << text;
      }
    for (size_t i = 0; ulp == 0 && i < want->size(); ++i)
      EXPECT_EQ(difference((*want)[i], (*got)[i]), "") << "result " << i << " of\n" << text;
  }

  // A sanitizer makes the interpreter many times slower and looks at the emitter, the driver and the runtime, so it
  // leaves the numbers of large programs to other builds.
  static bool is_compared([[maybe_unused]] const std::vector<ir::Tensor>& inputs) {
#ifdef FRIT_SANITIZED
    int64_t elements = 0;
    for (const ir::Tensor& t : inputs) elements += t.size();
    return elements <= 4096;
#else
    return true;
#endif
  }

  Random random_{7};
};

// Programs whose launches are counted.
class TimedPrograms : public Programs {
 protected:
  void SetUp() override {
    Programs::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    (*runtime::find_gpu())->keep_times(runtime::GpuTimes::Steps);
  }
  void TearDown() override {
    if (auto gpu = runtime::find_gpu(); gpu.ok()) (*gpu)->keep_times(runtime::GpuTimes::None);
  }
  // Launches of the last run.
  static size_t launches() { return (*runtime::find_gpu())->last_times().size(); }
  int pick(std::initializer_list<int> all) { return all.begin()[random_() % all.size()]; }
};

}  // namespace frit::test
