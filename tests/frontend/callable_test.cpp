// Compiled functions as objects: null and empty ones, ones that destroy themselves, and exceptions that pass through.
#include "helpers.h"

using namespace frit;

namespace {

using List = std::vector<array>;

struct Derived : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct OwnOfUser : InvalidArgument {
  using InvalidArgument::InvalidArgument;
  int detail = 7;
};

}  // namespace

TEST(Callable, NullFunctionsAreRefused) {
  EXPECT_TRUE(contains(thrown<InvalidArgument>([] { compile(nullptr); }), "compile: the function is null"));
  EXPECT_THROW(compile(std::function<List(const List&)>()), InvalidArgument);
  EXPECT_THROW(compile(std::function<array(array)>()), InvalidArgument);
  List (*list)(const List&) = nullptr;
  EXPECT_THROW(compile(list), InvalidArgument);
  array (*one)(array) = nullptr;
  EXPECT_THROW(compile(one, true), InvalidArgument);
  EXPECT_THROW(compile(one, CompileOptions{.name = "f"}), InvalidArgument);
  EXPECT_THROW(CompiledFunction(nullptr, {}), InvalidArgument);
  EXPECT_THROW(export_function("/tmp/never.frit", ArgsFunction(), Args{array(1)}), InvalidArgument);
  EXPECT_THROW(exporter("/tmp/never.frit", ArgsKwargsFunction()), InvalidArgument);
}

TEST(Callable, AnEmptyOneCanBeAssigned) {
  decltype(compile(nullptr)) f;
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f({array(1)}); }), "empty"));
  EXPECT_THROW(f.stats(), InvalidArgument);
  f = compile([](const List& x) { return List{x[0] + x[0]}; });
  EXPECT_EQ(f({array(2)})[0].item<int>(), 4);
}

TEST(Callable, AFunctionMayDestroyItsOwnCompiledFunction) {
  CompiledFunction f;
  f = compile([&f](const List& x) {
    f = CompiledFunction();
    return List{x[0] + x[0]};
  });
  EXPECT_EQ(f({array(2)})[0].item<int>(), 4);
  EXPECT_THROW(f({array(2)}), InvalidArgument);

  using Function = std::function<array(array)>;
  using Typed = decltype(compile(Function()));
  std::unique_ptr<Typed> holder;
  holder = std::make_unique<Typed>(compile(Function([&holder](array x) {
    holder.reset();
    return x * x;
  })));
  EXPECT_EQ((*holder)(array(3)).item<int>(), 9);
}

TEST(Callable, FunctionsOfStateMayDestroyThemselvesToo) {
  array total(0);
  CompiledFunction f;
  CompileOptions options;
  options.inputs.add(total);
  options.outputs.add(total);
  f = compile(
      [&](const List& x) {
        f = CompiledFunction();
        total = total + x[0];
        return List{total};
      },
      options);
  EXPECT_EQ(f({array(2)})[0].item<int>(), 2);
  EXPECT_EQ(total.item<int>(), 2);
}

TEST(Callable, ExceptionsOfUsersPassUnchanged) {
  const auto thrown_by = [](auto exception) {
    auto f = compile([=](array x) {
      if (x.ndim() == 0) throw exception;
      return x;
    });
    try {
      f(array(1));
    } catch (const std::exception& e) {
      return std::string(typeid(e) == typeid(exception) ? "same: " : "other: ") + e.what();
    }
    return std::string("nothing");
  };
  EXPECT_EQ(thrown_by(std::invalid_argument("bad")), "same: bad");
  EXPECT_EQ(thrown_by(std::out_of_range("far")), "same: far");
  EXPECT_EQ(thrown_by(std::runtime_error("late")), "same: late");
  EXPECT_EQ(thrown_by(std::logic_error("odd")), "same: odd");
  EXPECT_EQ(thrown_by(Derived("mine")), "same: mine");
  EXPECT_EQ(thrown_by(OwnOfUser("mine")), "same: mine");
  EXPECT_TRUE(contains(thrown_by(InvalidArgument("frit's")), "raised while 'compiled' was traced"));
}

TEST(Callable, StructuresDifferByNamesCountsTypesAndValues) {
  int traces = 0;
  auto f = compile([&](std::map<std::string, std::vector<array>> named, std::optional<array> more, double scale) {
    ++traces;
    array sum = more.value_or(array(0.0f));
    for (const auto& [name, list] : named)
      for (const array& a : list) sum = sum + a;
    return std::pair<array, int>(sum * static_cast<float>(scale), static_cast<int>(named.size()));
  });
  const array one(1.0f);
  const auto call = [&](auto named, std::optional<array> more, double scale) {
    auto [sum, n] = f(std::map<std::string, std::vector<array>>(named), more, scale);
    return sum.template item<float>() + static_cast<float>(100 * n);
  };
  using Named = std::map<std::string, std::vector<array>>;
  EXPECT_EQ(call(Named{{"a", {one, one}}}, std::nullopt, 2.0), 104);
  EXPECT_EQ(call(Named{{"a", {one, one}}}, std::nullopt, 2.0), 104);
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(call(Named{{"b", {one, one}}}, std::nullopt, 2.0), 104);  // another name
  EXPECT_EQ(call(Named{{"a", {one}}}, one, 2.0), 104);                // the same leaves, placed otherwise
  EXPECT_EQ(call(Named{{"a", {one}}, {"b", {one}}}, std::nullopt, 2.0), 204);
  EXPECT_EQ(call(Named{{"a", {one, one}}}, std::nullopt, -0.0), 100);
  EXPECT_EQ(call(Named{{"a", {one, one}}}, std::nullopt, 0.0), 100);
  EXPECT_EQ(traces, 6);
  EXPECT_EQ(call(Named{{"ab", {}}, {"c", {}}}, std::nullopt, 0.0), 200);
  EXPECT_EQ(call(Named{{"a", {}}, {"bc", {}}}, std::nullopt, 0.0), 200);  // the same letters, cut otherwise
  EXPECT_EQ(traces, 8);
}

// Runs when the statics of this file go, after those of the libraries that they were made before.
namespace {
struct AtExit {
  ~AtExit() {
    const array y = compile([](array x) { return exp(x) + tanh(x); })(array({0.0f, 1.0f}));
    if (y.data<float>()[0] != 1.0f) std::abort();
  }
};
}  // namespace

TEST(Callable, CompilesInAStaticDestructor) {
  // In a process of its own: a fork has no workers, and to the address sanitizer their memory is lost.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        static const AtExit late;  // made before frit's own, so destroyed behind them
        const array y = compile([](array x) { return sin(x) + x; })(array({1.0f}));
        y.eval();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}
