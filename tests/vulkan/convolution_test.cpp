// Convolutions and their derivatives for the weights on a GPU, over random shapes, against the graph interpreter, which
// sums in double.
#include <gtest/gtest.h>

#include <cmath>

#include "ir/interpret/interpreter.h"
#include "ir/kernel/program.h"
#include "ir/read/parser.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

struct DrawnConvolution {
  std::string type = "f32";
  std::vector<int64_t> in{9, 8}, kernel{3, 3}, stride{1, 1}, dilation{1, 1}, low{1, 1}, high{1, 1};
  int64_t batch = 2, groups = 1, channels = 8, features = 8;  // of a group
  bool of_weights = false, open = false, epilogue = false;
  bool turned_x = false, turned_w = false;  // channels lie first, or weights by their features
  std::string attributes() const {
    const auto list = [](const std::vector<int64_t>& v) {
      std::string text;
      for (int64_t n : v) text += (text.empty() ? "[" : ", ") + std::to_string(n);
      return text + "]";
    };
    return "{strides=" + list(stride) + ", low=" + list(low) +
           (of_weights ? ", kernel=" + list(kernel) : ", high=" + list(high)) + ", dilation=" + list(dilation) +
           ", groups=" + std::to_string(groups) + "}";
  }
};

std::string typed_text(const std::string& type, const Shape& shape) {
  std::string text;
  for (const Dim& d : shape) text += (text.empty() ? "" : ", ") + d.str();
  return type + "[" + text + "]";
}

// The last axis first, behind `keep` others.
Shape turned_shape(Shape s, size_t keep) {
  s.insert(s.begin() + static_cast<std::ptrdiff_t>(keep), s.back());
  s.pop_back();
  return s;
}

std::string convolution_graph(const DrawnConvolution& c, const std::string& type) {
  Shape x{c.open ? Dim::symbol("n") : Dim(c.batch)}, w{c.groups * c.features}, y = x;
  for (size_t i = 0; i < c.in.size(); ++i) {
    x.push_back(c.open && i == 0 ? Dim::symbol("h") : Dim(c.in[i]));
    w.emplace_back(c.kernel[i]);
    const int64_t span = (c.kernel[i] - 1) * c.dilation[i] + 1;
    y.push_back(floor_div(x.back() + Dim(c.low[i] + c.high[i] - span), c.stride[i]) + Dim(1));
  }
  x.emplace_back(c.groups * c.channels), w.emplace_back(c.channels), y.emplace_back(c.groups * c.features);
  const Shape& other = c.of_weights ? y : w;
  const Shape& out = c.of_weights ? w : y;
  const size_t rank = x.size();
  const auto axes = [&](size_t keep) {
    std::string text;
    for (size_t i = 0; i < rank; ++i) {
      const size_t from = i < keep ? i : i + 1 < rank ? i + 1 : keep;
      text += (i ? ", " : "") + std::to_string(from);
    }
    return "{axes=[" + text + "]}";
  };
  // Weights by their features: the first axis lies last.
  Shape by_features = other;
  by_features.push_back(by_features.front());
  by_features.erase(by_features.begin());
  std::string last_first = std::to_string(rank - 1);
  for (size_t i = 0; i + 1 < rank; ++i) last_first += ", " + std::to_string(i);
  const bool turned_other = c.turned_w && !c.of_weights;
  std::string text = "func @f(%x: " + typed_text(type, c.turned_x ? turned_shape(x, 1) : x) +
                     ", %o: " + typed_text(type, turned_other ? by_features : other) +
                     (c.epilogue ? ", %b: " + typed_text(type, {out.back()}) : "") + ") -> " + typed_text(type, out) +
                     (c.open ? " where n in [1, 100], h in [" + std::to_string(c.in[0]) + ", 1000]" : "") + " {\n";
  std::string left = "%x", right = "%o";
  if (c.turned_x) text += "  %xt: " + typed_text(type, x) + " = transpose %x " + axes(1) + "\n", left = "%xt";
  if (turned_other)
    text += "  %ot: " + typed_text(type, other) + " = transpose %o {axes=[" + last_first + "]}\n", right = "%ot";
  const std::string result = typed_text(type, out);
  text += "  %0: " + result + " = " + (c.of_weights ? "convolution_weights " : "convolution ") + left + ", " + right +
          " " + c.attributes() + "\n";
  if (!c.epilogue) return text + "  return %0\n}";
  std::string shape = result.substr(result.find('['));
  text += "  %bb: " + result + " = broadcast %b {shape=" + shape + "}\n  %1: " + result +
          " = add %0, %bb\n  %2: " + result + " = tanh %1\n";
  return text + "  return %2\n}";
}

class Convolution : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(on_gpu()) << "run it with FRIT_TEST_TARGET=vulkan";
    if (std::string why = why_not_here(); !why.empty()) GTEST_SKIP() << why;
  }

  void check(const DrawnConvolution& c) {
    const std::string text = convolution_graph(c, c.type);
    auto module = ir::parse(text, "test");
    ASSERT_TRUE(module.ok()) << module.error().render(text);
    const Function& f = *(*module)->functions.at(0);
    auto planned = plan(f, true);
    ASSERT_TRUE(planned.ok()) << planned.error().str();
    size_t routines = 0;
    for (const Step& s : planned->program->steps) routines += std::holds_alternative<LibraryStep>(s);
    EXPECT_EQ(routines, 1u) << text;
    auto code = codegen::build(*planned, target());
    ASSERT_TRUE(code.ok()) << code.error().str() << text;
    const SymbolValues symbols = c.open ? SymbolValues{{"n", c.batch}, {"h", c.in[0]}} : SymbolValues{};
    std::vector<ir::Tensor> inputs = random_inputs(f, symbols, Values::Ordinary, random_);
    auto arguments = place(f, inputs, random_);
    ASSERT_TRUE(arguments.ok()) << arguments.error().str();
    const std::string exact = convolution_graph(c, "f32");
    auto reference = ir::parse(exact, "test");
    ASSERT_TRUE(reference.ok()) << reference.error().str();
    std::vector<ir::Tensor> numbers, sizes;
    for (const ir::Tensor& t : inputs) {
      numbers.emplace_back(float32, t.shape, t.values());
      std::vector<double> positive = t.values();
      for (double& v : positive) v = std::fabs(v);
      sizes.emplace_back(float32, t.shape, positive);
    }
    auto want = interpret(*(*reference)->functions.at(0), numbers);
    ASSERT_TRUE(want.ok()) << want.error().str();
    // The sums of magnitudes, by which the error of a sum is measured.
    DrawnConvolution plain = c;
    plain.epilogue = false;
    auto bare = ir::parse(convolution_graph(plain, "f32"), "test");
    ASSERT_TRUE(bare.ok());
    sizes.resize(2);
    auto magnitude = interpret(*(*bare)->functions.at(0), sizes);
    ASSERT_TRUE(magnitude.ok()) << magnitude.error().str();
    auto got = run_code(**code, *arguments);
    ASSERT_TRUE(got.ok()) << got.error().str();
    const ir::Tensor &x = want->at(0), &y = got->at(0);
    ASSERT_EQ(x.size(), y.size());
    const double rounding = c.type == "f16" ? 1.0 / 1024 : c.type == "bf16" ? 1.0 / 128 : 0;
    for (int64_t e = 0; e < x.size(); ++e) {
      const double most = magnitude->at(0).at(e);
      const double allowed = c.type == "f64"
                                 ? 1e-5 * most + 1e-6
                                 : 4e-6 * most + rounding * (std::fabs(x.at(e)) + (c.epilogue ? most + 4 : 0)) + 1e-6;
      ASSERT_LE(std::fabs(x.at(e) - y.at(e)), allowed) << x.at(e) << " and " << y.at(e) << " at " << e << " of\n"
                                                       << text;
    }
  }

  DrawnConvolution draw(int i) {
    const auto pick = [&](std::initializer_list<int> all) { return all.begin()[random_() % all.size()]; };
    DrawnConvolution c;
    c.type = i % 4 == 0 ? "f16" : i % 4 == 1 ? "bf16" : i % 8 == 2 ? "f64" : "f32";
    const size_t space = static_cast<size_t>(pick({1, 2, 2, 2, 3}));
    c.in.clear(), c.kernel.clear(), c.stride.clear(), c.dilation.clear(), c.low.clear(), c.high.clear();
    for (size_t k = 0; k < space; ++k) {
      c.kernel.push_back(pick({1, 2, 3, 3, 5}));
      c.stride.push_back(pick({1, 1, 2, 3}));
      c.dilation.push_back(pick({1, 1, 2}));
      c.low.push_back(pick({0, 1, 2, 3}));
      c.high.push_back(pick({0, 1, 2}));
      const int64_t least = std::max<int64_t>(5, (c.kernel[k] - 1) * c.dilation[k] + 1);
      c.in.push_back(between(random_, static_cast<int>(least), space == 3 ? 10 : space == 2 ? 20 : 300));
    }
    c.batch = pick({1, 2, 3});
    c.groups = pick({1, 1, 1, 2, 3, 7});
    const int few = pick({1, 2, 0});
    c.channels = few ? few : pick({3, 8, 13, 16, 32, 33, 40});
    c.features = c.groups > 1 && chance(random_, 50) ? 1 : pick({1, 4, 8, 13, 24, 33, 64, 65});
    c.of_weights = chance(random_, 40);
    c.open = chance(random_, 30);
    c.epilogue = !c.of_weights && chance(random_, 40);
    c.turned_x = chance(random_, 20);
    c.turned_w = chance(random_, 30);
    return c;
  }

  Random random_{23};
};

TEST_F(Convolution, RandomShapes) {
  for (int i = 0; i < 24; ++i) {
    check(draw(i));
    if (HasFatalFailure()) return;
  }
}

// Long sums of few results, whose steps several workgroups share.
TEST_F(Convolution, LongSums) {
  for (const char* type : {"f32", "f16", "bf16"})
    for (const bool of_weights : {false, true})
      for (const int64_t channels : {40, 61}) {
        DrawnConvolution c;
        c.type = type, c.of_weights = of_weights, c.channels = channels, c.features = 24;
        if (of_weights) c.in = {30, 40}, c.channels = 11;
        c.epilogue = !of_weights;
        c.open = channels == 61;
        check(c);
        if (HasFatalFailure()) return;
      }
}

// Many channels of their own, in and beside whole lines of invocations.
TEST_F(Convolution, Depthwise) {
  for (const char* type : {"f32", "f16", "bf16"})
    for (const bool of_weights : {false, true})
      for (const int64_t groups : {64, 77}) {
        DrawnConvolution c;
        c.type = type, c.of_weights = of_weights, c.groups = groups, c.channels = 1, c.features = groups == 64 ? 1 : 2;
        c.kernel = groups == 64 ? std::vector<int64_t>{5, 5} : std::vector<int64_t>{3, 3};
        c.low = c.high = {c.kernel[0] / 2, c.kernel[1] / 2};
        c.in = {17, 23};
        c.stride = groups == 64 ? std::vector<int64_t>{1, 1} : std::vector<int64_t>{2, 1};
        c.epilogue = !of_weights && groups == 77;
        check(c);
        if (HasFatalFailure()) return;
        c.open = true;
        check(c);
        if (HasFatalFailure()) return;
      }
}

// So many of 16 bits that an invocation takes two channels, and the rest of a line of an odd number of strips.
TEST_F(Convolution, DepthwisePairs) {
  for (const char* type : {"f16", "bf16"})
    for (const bool strided : {false, true}) {
      DrawnConvolution c;
      c.type = type, c.batch = 1, c.groups = 130, c.channels = c.features = 1;
      c.in = strided ? std::vector<int64_t>{140, 129} : std::vector<int64_t>{70, 123};
      c.stride = strided ? std::vector<int64_t>{2, 1} : std::vector<int64_t>{1, 1};
      c.dilation = strided ? std::vector<int64_t>{1, 2} : std::vector<int64_t>{1, 1};
      c.low = c.high = c.dilation;
      c.epilogue = strided;
      check(c);
      if (HasFatalFailure()) return;
    }
}

}  // namespace
}  // namespace frit::test
