// Code for GPUs as bytes: shaders and the forms of routines are read back as they were written, and damage is an error.
#include <gtest/gtest.h>

#include "runtime/execute/gpu.h"

namespace frit::runtime {
namespace {

DimProgram number(size_t slot) {
  return *DimProgram::from({{DimProgram::Op::Slot, static_cast<int64_t>(slot)}}, static_cast<int>(slot) + 1);
}

GpuCode sample() {
  GpuKernel plain{"plain", std::string(12, 'x'), 64, 4, true, true, {0, 2}, {1}, 4, {}};
  GpuKernel form{"form", std::string(8, 'y'), 256, 1, false, false, {}, {}, 1, RoutineForm(), "entry"};
  RoutineForm& r = *form.routine;
  r.step = 3;
  r.windows = 2;
  r.arguments = {number(RoutineForm::slot(1, RoutineForm::kRows)), DimProgram(7)};
  r.groups = number(RoutineForm::batch_slot(2));
  r.agree = {DimProgram(0)};
  r.suited = {number(RoutineForm::size_slot(2, 3))};
  r.variant = {{}, {DimProgram(0), DimProgram(1)}};
  r.scratch = {DimProgram(64), number(RoutineForm::scratch_slot(2, 1))};
  r.own = {1, 0};
  r.turns = number(RoutineForm::batch_slot(2));
  r.joined = true;
  r.epilogue = true;
  r.trial = {std::vector<int64_t>(RoutineForm::slots(2), 5), {3, 4}};
  GpuKernel other{"other", "text", 256, 2048, false, false, {1}, {0}, 8, {}, "elements"};
  other.stands_in = GpuKernel::StandIn{"plain", 1 << 21, 1 << 30, 256, {"", std::string(512, 'r')}};
  return {{plain, form, other}};
}

TEST(GpuCode, reads_back_what_was_written) {
  const std::string bytes = write_gpu_code(sample());
  auto read = read_gpu_code(bytes);
  ASSERT_TRUE(read.ok()) << read.error().str();
  EXPECT_EQ(write_gpu_code(*read), bytes);
  ASSERT_EQ(read->kernels.size(), 3u);
  EXPECT_EQ(read->kernels[0].aligned_buffers, (std::vector<uint32_t>{0, 2}));
  EXPECT_FALSE(read->kernels[0].routine.has_value());
  const GpuCode written = sample();
  const RoutineForm &a = *written.kernels[1].routine, &b = *read->kernels[1].routine;
  EXPECT_EQ(b.step, 3u);
  EXPECT_EQ(b.windows, 2u);
  EXPECT_EQ(a.arguments, b.arguments);
  EXPECT_EQ(a.groups, b.groups);
  EXPECT_EQ(a.own, b.own);
  EXPECT_EQ(a.turns, b.turns);
  EXPECT_EQ(a.agree, b.agree);
  EXPECT_EQ(a.suited, b.suited);
  EXPECT_EQ(a.variant, b.variant);
  EXPECT_EQ(a.scratch, b.scratch);
  EXPECT_TRUE(b.joined);
  EXPECT_TRUE(b.epilogue);
  EXPECT_EQ(a.trial, b.trial);
  EXPECT_EQ(read->kernels[1].entry, "entry");
  EXPECT_FALSE(read->kernels[0].is_ptx());
  EXPECT_FALSE(read->kernels[1].stands_in.has_value());
  EXPECT_EQ(read->kernels[2].stands_in, written.kernels[2].stands_in);
}

TEST(GpuCode, a_stand_in_is_ptx_with_a_trial) {
  GpuCode code = sample();
  code.kernels[2].entry.clear();
  EXPECT_FALSE(read_gpu_code(write_gpu_code(code)).ok());
  for (const int64_t size : {int64_t{0}, int64_t{-1}, int64_t{1} << 40}) {
    code = sample();
    code.kernels[2].stands_in->trial = size;
    EXPECT_FALSE(read_gpu_code(write_gpu_code(code)).ok());
  }
}

TEST(GpuCode, numbers_must_be_those_of_its_windows) {
  GpuCode code = sample();
  code.kernels[1].routine->groups = number(RoutineForm::slots(2));
  EXPECT_FALSE(read_gpu_code(write_gpu_code(code)).ok());
  code = sample();
  code.kernels[1].routine->windows = 1;
  EXPECT_FALSE(read_gpu_code(write_gpu_code(code)).ok());
  code = sample();
  code.kernels[1].routine->scratch.assign(RoutineForm::kScratch + 1, DimProgram(8));
  EXPECT_FALSE(read_gpu_code(write_gpu_code(code)).ok());
  for (const std::vector<uint32_t>& own :
       {std::vector<uint32_t>{1}, std::vector<uint32_t>{RoutineForm::kOwnAxes + 1, 0}}) {
    code = sample();
    code.kernels[1].routine->own = own;
    EXPECT_FALSE(read_gpu_code(write_gpu_code(code)).ok());
  }
  code = sample();
  code.kernels[0].per_group = 0;
  EXPECT_FALSE(read_gpu_code(write_gpu_code(code)).ok());
}

TEST(GpuCode, what_is_cut_short_is_an_error) {
  const std::string good = write_gpu_code(sample());
  for (size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(read_gpu_code(good.substr(0, size)).ok()) << size;
  EXPECT_FALSE(read_gpu_code(good + '\0').ok());
}

}  // namespace
}  // namespace frit::runtime
