// Runs functions through the passes and the program interpreter.
#include "passes_lowering_support.h"

#include <cmath>
#include <complex>
#include <cstring>
#include <random>

#include "ir/interpret/interpret_kernel.h"
#include "ir/read/parser.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "ir/verify/kernel_verifier.h"

namespace frit::testing {

using namespace ir;

namespace {

int64_t value_of(const Dim& d, const SymbolValues& symbols) {
  auto v = d.evaluate([&](const std::string& name) -> std::optional<int64_t> {
    auto it = symbols.find(name);
    if (it == symbols.end()) return std::nullopt;
    return it->second;
  });
  EXPECT_TRUE(v.has_value()) << d.str();
  return v.value_or(0);
}

std::vector<int64_t> sizes_of(const Shape& shape, const SymbolValues& symbols) {
  std::vector<int64_t> out;
  for (const Dim& d : shape) out.push_back(value_of(d, symbols));
  return out;
}

double tolerance(Dtype t) {
  if (t == bfloat16) return 0.06;
  if (t == float16) return 0.01;
  if (t == float32 || is_complex(t)) return 2e-4;
  if (t == float64) return 1e-9;
  return 0;
}

std::complex<double> value_at(const Tensor& t, int64_t i) {
  if (!is_complex(t.dtype)) return t.at(i);
  uint64_t bits = t.bits(i);
  return {std::bit_cast<float>(static_cast<uint32_t>(bits)), std::bit_cast<float>(static_cast<uint32_t>(bits >> 32))};
}

bool close(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * std::max({1.0, std::abs(a), std::abs(b)});
}

std::string difference(const Tensor& got, const Tensor& want) {
  if (got.dtype != want.dtype || got.shape != want.shape) return "another type";
  double tol = tolerance(want.dtype);
  for (int64_t i = 0; i < want.size(); ++i) {
    std::complex<double> a = value_at(got, i), b = value_at(want, i);
    bool same =
        tol == 0 ? got.bits(i) == want.bits(i) : close(a.real(), b.real(), tol) && close(a.imag(), b.imag(), tol);
    if (!same)
      return "element " + std::to_string(i) + " is " + std::to_string(a.real()) + ", not " + std::to_string(b.real());
  }
  return "";
}

}  // namespace

Function parse_function(const std::string& text) {
  auto m = parse(text, "test");
  if (!m.ok() || (*m)->functions.empty()) {
    ADD_FAILURE() << (m.ok() ? "no function" : m.error().str()) << "\n" << text;
    return {};
  }
  return std::move(*(*m)->functions[0]);
}

Result<Function> lower(const Function& f, const LowerOptions& options, passes::PassContext* context) {
  Function copy = f;
  passes::PassContext own;
  passes::PassContext& used = context ? *context : own;
  used.fuse = options.fuse;
  used.collect_remarks = true;
  used.target.threads = options.threads;
  FRIT_ASSIGN_OR_RETURN(pipeline, passes::Pipeline::parse(options.pipeline));
  passes::RunOptions run;
  run.verify_each = true;
  FRIT_TRY(passes::run(pipeline, copy, used, run));
  return copy;
}

std::vector<Tensor> make_inputs(const Function& f, const SymbolValues& symbols, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Tensor> out;
  for (ValueId p : f.params) {
    Tensor t(f.type(p).dtype, sizes_of(f.type(p).shape, symbols));
    for (int64_t i = 0; i < t.size(); ++i) {
      int64_t n = static_cast<int64_t>(random() % 33) - 16;
      if (t.dtype == bool_)
        t.set_bits(i, n > 0);
      else if (is_complex(t.dtype))
        t.set_bits(i,
                   Literal::scalar_complex(static_cast<float>(n) / 8, static_cast<float>(random() % 9) / 4 - 1).bits());
      else if (is_float(t.dtype))
        t.set_bits(i, Literal::scalar(t.dtype, static_cast<double>(n) / 8).bits());
      else
        t.set_bits(i, Literal::scalar_int(t.dtype, n).bits());
    }
    out.push_back(std::move(t));
  }
  return out;
}

Result<std::vector<Tensor>> run_program(const Function& f, const SymbolValues& symbols,
                                        const std::vector<Tensor>& inputs) {
  const Program& p = *f.program;
  std::vector<int64_t> values;
  for (const std::string& s : p.symbols) values.push_back(symbols.at(s));
  std::vector<Literal> literals;
  for (size_t k = 0; k < inputs.size(); ++k) {
    const Tensor& t = inputs[k];
    if (k >= f.layouts.size() || f.layouts[k].empty()) {
      literals.emplace_back(t.dtype, t.data);
      continue;
    }
    std::vector<int64_t> strides = sizes_of(f.layouts[k], symbols);
    int64_t span = t.size() > 0;
    for (size_t axis = 0; t.size() > 0 && axis < strides.size(); ++axis) span += (t.shape[axis] - 1) * strides[axis];
    std::vector<std::byte> bytes(static_cast<size_t>(span) * t.dtype.size(), std::byte{0x5a});
    for (int64_t i = 0; i < t.size(); ++i) {
      int64_t at = 0, rest = i;
      for (size_t axis = strides.size(); axis-- > 0; rest /= t.shape[axis]) at += rest % t.shape[axis] * strides[axis];
      std::memcpy(bytes.data() + at * t.dtype.size(), t.data.data() + i * t.dtype.size(), t.dtype.size());
    }
    literals.emplace_back(t.dtype, std::move(bytes));
  }
  FRIT_ASSIGN_OR_RETURN(results, interpret(p, values, literals));
  std::vector<Tensor> out;
  for (size_t i = 0; i < results.size(); ++i) {
    Tensor t(p.result_types[i].dtype, sizes_of(p.result_types[i].shape, symbols));
    if (t.data.size() != results[i].nbytes()) return Diagnostic("a result has another size");
    if (!t.data.empty()) std::memcpy(t.data.data(), results[i].data(), t.data.size());
    out.push_back(std::move(t));
  }
  return out;
}

void expect_lowering_agrees(const Function& f, const SymbolValues& symbols, uint64_t seed) {
  std::vector<Tensor> inputs = make_inputs(f, symbols, seed);
  auto want = interpret(f, inputs);
  ASSERT_TRUE(want.ok()) << want.error().str() << "\n" << print(f);
  for (bool fuse : {true, false}) {
    auto lowered = lower(f, {.fuse = fuse});
    ASSERT_TRUE(lowered.ok()) << lowered.error().str() << "\n" << print(f);
    auto shown = [&] {
      std::string text = print(f) + (fuse ? "fused:\n" : "not fused:\n") + print(*lowered->program, f.name);
      for (const auto& [name, value] : symbols) text += name + " = " + std::to_string(value) + "\n";
      return text;
    };
    auto got = run_program(*lowered, symbols, inputs);
    ASSERT_TRUE(got.ok()) << got.error().str() << "\n" << shown();
    ASSERT_EQ(got->size(), want->size());
    for (size_t i = 0; i < want->size(); ++i) {
      std::string text = difference((*got)[i], (*want)[i]);
      ASSERT_EQ(text, "") << "result " << i << "\n" << shown();
    }
  }
}

void expect_lowering_agrees(const std::string& text, const SymbolValues& symbols, uint64_t seed) {
  Function f = parse_function(text);
  if (!f.results.empty()) expect_lowering_agrees(f, symbols, seed);
}

StepCounts count_steps(const Program& p) {
  StepCounts n;
  for (const Step& s : p.steps) {
    if (auto* l = std::get_if<LibraryStep>(&s)) {
      ++n.libraries;
      n.epilogues += l->epilogue.has_value();
    } else {
      ++n.kernels;
    }
  }
  return n;
}

int64_t workspace_bytes(const Program& p, const SymbolValues& symbols) {
  int64_t n = 0;
  for (const Dim& d : p.slots) n += value_of(d, symbols);
  return n;
}

}  // namespace frit::testing
