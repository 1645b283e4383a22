// A plan that does not fit its code is refused when it is loaded, or at the call that does not fit.
#include <gtest/gtest.h>

#include "runtime/load/plan_check.h"

namespace frit::runtime::plan_check_test {
namespace {

using Role = BufferPlan::Role;

DimProgram size(const Dim& d) {
  return DimProgram(d, [](const std::string& s) { return s == "n" ? 0 : -1; });
}
const Dim n = Dim::symbol("n");

// y = second(first(x)), where a temp lies between; and a routine with an epilogue.
struct Sample {
  Plan plan;
  std::vector<KernelNeeds> kernels;

  Sample() {
    plan.name = "sample";
    plan.symbol_names = {"n"};
    plan.symbols = {{0, 0, false}};
    plan.slots = {size(n * 4), size(64)};
    BufferPlan constant{Role::Constant, float32, size(8)};
    constant.constant = *Buffer::allocate(8);
    plan.buffers = {{Role::Input, float32, size(n * 4), 0},
                    {Role::Temp, float32, size(n * 4), 0},
                    {Role::Output, float32, size(n * 4)},
                    constant,
                    {Role::Temp, float32, size(64), 1}};
    const WindowPlan row{2, float32, {size(n)}, {size(1)}, size(0)};
    const KernelPlan first{"first", nullptr, {0, 3, 1}, {0}, true, size(n), size(16), size(0)};
    const KernelPlan second{"second", nullptr, {1, 2}, {0}, true, size(n), size(16), size(128)};
    const KernelPlan after{"after", nullptr, {2, 4}, {0}, true, size(n), size(1), size(0)};
    plan.steps = {first, second, LibraryPlan{"routine", "{}", {row}, {row}, after}};
    plan.results = {row, {4, float32, {size(4), size(4)}, {size(4), size(1)}, size(0)}};
    kernels = {{"first", {{size(n * 4)}, {size(8)}, {size(n * 4), true}}, {0}, true, size(n), size(16), size(0)},
               {"second", {{size(n * 4)}, {size(n * 4), true}}, {0}, true, size(n), size(16), size(128)},
               {"after", {{size(n * 4), true}, {size(64), true}}, {0}, true, size(n), size(1), size(0)}};
  }
  KernelPlan& kernel(size_t i) { return std::get<KernelPlan>(plan.steps[i]); }
  LibraryPlan& library() { return std::get<LibraryPlan>(plan.steps[2]); }
};

TEST(PlanCheck, accepts_a_plan_that_fits_and_leaves_nothing_to_calls) {
  Sample s;
  const Status ok = check_plan(s.plan, s.kernels);
  ASSERT_TRUE(ok.ok()) << ok.error().str();
  EXPECT_TRUE(s.plan.checks.empty());
}

template <class Change>
void expect_refused(Change&& change, const std::string& why) {
  Sample s;
  change(s);
  const Status checked = check_plan(s.plan, s.kernels);
  ASSERT_FALSE(checked.ok()) << why;
  EXPECT_NE(checked.error().message.find(why), std::string::npos) << checked.error().message;
}

// A plan whose first kernel is launched again for a second size.
struct Shared : Sample {
  const DimProgram m = DimProgram(Dim::symbol("m") * Dim(4), [](const std::string&) { return 1; });
  Shared() {
    plan.symbol_names.push_back("m");
    plan.symbols.push_back({0, 0, true});
    plan.buffers.push_back({Role::Input, float32, m, 0});
    plan.buffers.push_back({Role::Output, float32, m});
    KernelPlan again = kernel(0);
    again.buffers = {5, 3, 6};
    again.symbols = {1};
    again.extent = DimProgram(Dim::symbol("m"), [](const std::string&) { return 1; });
    plan.steps.emplace_back(again);
  }
};

TEST(PlanCheck, launches_of_one_kernel_take_sizes_of_their_own) {
  Shared s;
  const Status ok = check_plan(s.plan, s.kernels);
  ASSERT_TRUE(ok.ok()) << ok.error().str();
  EXPECT_TRUE(s.plan.checks.empty());
  const auto refused = [](auto&& change, const std::string& why) {
    Shared s;
    change(s);
    const Status checked = check_plan(s.plan, s.kernels);
    ASSERT_FALSE(checked.ok()) << why;
    EXPECT_NE(checked.error().message.find(why), std::string::npos) << checked.error().message;
  };
  refused([](Shared& s) { s.kernel(3).symbols[0] = 0; }, "another number of iterations");
  refused([](Shared& s) { s.kernel(3).extent = s.kernel(0).extent; }, "another number of iterations");
  refused(
      [](Shared& s) {
        s.kernels[0].symbols = {0, 0};
        s.kernel(0).symbols = {0, 0};
      },
      "takes one size twice");
  // A routine's kernel is compared with the routine's sizes.
  refused(
      [](Shared& s) {
        s.library().epilogue->symbols = {1};
        s.library().epilogue->extent = s.kernel(3).extent;
      },
      "takes other sizes");
  // The second size is not the buffer's: a call has to compare them.
  Shared other;
  other.kernel(3).buffers[0] = 0;
  ASSERT_TRUE(check_plan(other.plan, other.kernels).ok());
  EXPECT_EQ(other.plan.checks.size(), 1u);
}

TEST(PlanCheck, sums_that_kernels_take_are_not_negative) {
  const auto checked = [](const Dim& sum) {
    Shared s;
    s.plan.sums = {DimProgram(sum, [](const std::string& name) { return name == "n" ? 0 : 1; })};
    s.kernel(3).symbols[0] = 2;
    s.kernel(3).extent = DimProgram(Dim::symbol("sum"), [](const std::string&) { return 2; });
    const Status status = check_plan(s.plan, s.kernels);
    return status.ok() ? std::to_string(s.plan.checks.size()) + " checks" : status.error().message;
  };
  // Both arguments are compared with their buffers at each call.
  EXPECT_EQ(checked(n * 2 + n * n + 1), "2 checks");
  const std::string refused = "a plan does not fit its code: a kernel is given a sum that may be negative";
  EXPECT_EQ(checked(n - 1), refused);
  EXPECT_EQ(checked(-n), refused);
  EXPECT_EQ(checked(floor_div(n, 2)), refused);
  EXPECT_EQ(checked(n + Dim::symbol("a stride")), refused);
}

TEST(PlanCheck, refuses_launches_that_do_not_fit_their_kernel) {
  expect_refused([](Sample& s) { s.kernel(0).name = "third"; }, "kernel @third is not described");
  expect_refused([](Sample& s) { s.kernel(0).name = "second"; }, "takes 2 buffers, not 3");
  expect_refused([](Sample& s) { s.kernel(0).buffers.pop_back(); }, "takes 3 buffers, not 2");
  expect_refused([](Sample& s) { s.kernel(0).symbols.clear(); }, "takes other sizes");
  expect_refused([](Sample& s) { s.kernel(0).extent = size(n + 1); }, "another number of iterations");
  expect_refused([](Sample& s) { s.kernel(0).grain = size(8); }, "another number of iterations");
  expect_refused([](Sample& s) { s.kernel(0).parallel = false; }, "another number of iterations");
  expect_refused([](Sample& s) { s.kernel(1).scratch_bytes = size(64); }, "other scratch memory");
  expect_refused([](Sample& s) { s.kernels.push_back(s.kernels[0]); }, "two kernels are called @first");
}

TEST(PlanCheck, refuses_writes_to_inputs_and_constants) {
  expect_refused([](Sample& s) { s.kernel(0).buffers[2] = 0; }, "argument 2 of kernel @first is written");
  expect_refused([](Sample& s) { s.kernel(1).buffers[1] = 3; }, "argument 1 of kernel @second is written");
  expect_refused([](Sample& s) { s.plan.buffers[2].role = Role::Input; }, "is written");
  expect_refused([](Sample& s) { s.library().results[0].buffer = 0; }, "'routine' writes an input or a constant");
}

TEST(PlanCheck, refuses_sizes_that_are_too_small) {
  expect_refused([](Sample& s) { s.plan.buffers[3].bytes = size(4); }, "argument 1 of kernel @first needs 8 bytes");
  expect_refused([](Sample& s) { s.plan.slots[1] = size(60); }, "buffer 4 needs 64 bytes, but has 60");
  expect_refused([](Sample& s) { s.plan.buffers[4].bytes = size(-1); }, "buffer 4 has -1 bytes");
  expect_refused([](Sample& s) { s.plan.results[1].shape[0] = size(5); }, "result 1 reaches past its buffer");
  expect_refused([](Sample& s) { s.plan.results[1].offset = size(1); }, "result 1 reaches past its buffer");
  expect_refused([](Sample& s) { s.plan.buffers[2].bytes = size(n * 8); }, "is not that of its epilogue");
}

TEST(PlanCheck, leaves_open_sizes_to_the_call) {
  Sample s;
  s.plan.slots[0] = size(1024);
  s.plan.buffers[0].bytes = size(n * 2);
  ASSERT_TRUE(check_plan(s.plan, s.kernels).ok());
  ASSERT_EQ(s.plan.checks.size(), 2u);
  EXPECT_EQ(s.plan.checks[0].what, "buffer 1");
  EXPECT_EQ(s.plan.checks[0].available, size(1024));
  EXPECT_EQ(s.plan.checks[1].what, "argument 0 of kernel @first");
  EXPECT_EQ(s.plan.checks[1].needed, size(n * 4));
}

// Two products with a kernel on rows between them.
struct Rows : Sample {
  Rows() {
    plan.buffers.push_back({Role::Rows, float32, size(n * 4)});
    plan.buffers.push_back({Role::Rows, float32, size(n * 4)});
    const WindowPlan whole{0, float32, {size(1), size(n)}, {size(n), size(1)}, size(0)};
    library().operands = {whole, whole, whole};
    library().between = {{"rows", nullptr, {5, 6}, {0}, true, size(n), size(1), size(0)}};
    library().scores = 5, library().weights = 6;
    kernels.push_back(
        {"rows", {{size(n * 4), false, true}, {size(n * 4), true, true}}, {0}, true, size(n), size(1), size(0)});
  }
};

template <class Change>
std::string refused(Change&& change) {
  Rows s;
  change(s);
  const Status checked = check_plan(s.plan, s.kernels);
  return checked.ok() ? "" : checked.error().message;
}

TEST(PlanCheck, refuses_rows_outside_of_their_routine) {
  const auto has = [](const std::string& message, const char* why) {
    EXPECT_NE(message.find(why), std::string::npos) << message;
  };
  EXPECT_EQ(refused([](Rows&) {}), "");
  has(refused([](Rows& s) { s.kernel(0).buffers[2] = 5; }), "is written, but");
  has(refused([](Rows& s) { s.kernel(1).buffers[0] = 5; }), "rows are used outside");
  has(refused([](Rows& s) { s.plan.results[0].buffer = 5; }), "rows are used outside");
  has(refused([](Rows& s) { s.library().operands[0].buffer = 6; }), "rows are used outside");
  has(refused([](Rows& s) { s.library().operands.pop_back(); }), "is no two products");
  has(refused([](Rows& s) { s.library().weights = 2; }), "are whole");
  has(refused([](Rows& s) { s.kernels[3].arguments[0].by_rows = false; }), "does not work on rows");
  has(refused([](Rows& s) { s.plan.buffers[5].bytes = size(n * 8); }), "does not work on rows");
}

}  // namespace
}  // namespace frit::runtime::plan_check_test
