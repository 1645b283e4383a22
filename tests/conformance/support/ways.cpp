// Runs a function through the interpreters, generated code and the GPU, and compares.
#include "support/ways.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>

#include "codegen/core/options.h"
#include "ir/graph/control.h"
#include "ir/graph/resize.h"
#include "ir/interpret/interpret_kernel.h"
#include "ir/routines/routine.h"
#include "ir/text/printer.h"
#include "passes/manager/pass.h"
#include "runtime/execute/gpu.h"
#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"

namespace frit::test {

using namespace ir;

namespace {

codegen::Backend& backend() {
  static codegen::Backend* found = [] {
    auto b = codegen::find_backend(target().backend);
    if (!b.ok()) {
      std::fprintf(stderr, "%s\n", b.error().str().c_str());
      std::abort();
    }
    return *b;
  }();
  return *found;
}

std::vector<int64_t> positions(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides, int64_t offset) {
  int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  std::vector<int64_t> out(static_cast<size_t>(count)), at(shape.size(), 0);
  for (int64_t& p : out) {
    p = offset;
    for (size_t i = 0; i < at.size(); ++i) p += at[i] * strides[i];
    for (size_t i = at.size(); i-- > 0;) {
      if (++at[i] < shape[i]) break;
      at[i] = 0;
    }
  }
  return out;
}

ir::Tensor gather(const runtime::Tensor& t) {
  ir::Tensor out(t.dtype, t.shape);
  auto from = positions(t.shape, t.strides, t.offset);
  for (size_t i = 0; i < from.size(); ++i)
    std::memcpy(out.data.data() + i * t.dtype.size(),
                static_cast<const std::byte*>(t.buffer->data()) + from[i] * t.dtype.size(), t.dtype.size());
  return out;
}

std::optional<int64_t> value_of(const SymbolValues& symbols, const Dim& d) {
  return d.evaluate([&](const std::string& name) -> std::optional<int64_t> {
    auto it = symbols.find(name);
    if (it == symbols.end()) return std::nullopt;
    return it->second;
  });
}

Dim fixed(const Dim& d, const SymbolValues& symbols) {
  auto v = value_of(symbols, d);
  return v ? Dim(*v) : d;
}

// Distances for axes in a random order, with gaps; sometimes zero.
std::vector<int64_t> random_strides(const std::vector<int64_t>& shape, Random& random) {
  std::vector<size_t> order(shape.size());
  std::iota(order.begin(), order.end(), size_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  std::vector<int64_t> strides(shape.size(), 0);
  int64_t next = chance(random, 40) ? between(random, 2, 3) : 1;
  for (size_t axis : order) {
    if (chance(random, 15)) continue;
    strides[axis] = next;
    next = next * std::max<int64_t>(shape[axis], 1) + (chance(random, 40) ? between(random, 1, 3) : 0);
  }
  return strides;
}

Status call_library(const Routine& routine, const ReferenceCall& call) {
  std::string why;
  runtime::LibraryFn fn = runtime::find_library(routine.name, why);
  if (!fn) return Diagnostic(why);
  std::vector<runtime::LibraryTensor> in, out;
  for (const auto& [windows, tensors] : {std::pair{call.operands, &in}, std::pair{call.results, &out}})
    for (const HostWindow& w : windows)
      tensors->push_back({w.memory.data + w.offset * w.dtype.size(), w.dtype, w.shape, w.strides});
  ir::Dims open;
  FRIT_ASSIGN_OR_RETURN(attributes, codegen::options_text(call.attrs, open));
  return fn({in, out, attributes, {}, {}, nullptr, call.workspace});
}

}  // namespace

const codegen::Target& target() {
  static const codegen::Target found = [] {
    const char* set = std::getenv("FRIT_TEST_TARGET");
    codegen::Target t;
    if (set && std::string_view(set) == "vulkan") t.backend = "glsl";
    return t;
  }();
  return found;
}

bool on_gpu() { return target().backend == "glsl"; }

double target_ulp(const ir::Function& f, const ir::Op& op, Values values) {
  if (!on_gpu()) return 0;
  const std::string_view name = op.def->name;
  if (name == "sqrt" || name == "rsqrt") return 4;
  // Factors are rounded, and results may be small differences of large sums: of the largest number.
  if (name == "fft" || name == "rfft" || name == "irfft") return 16;
  const bool complex =
      std::any_of(op.operands.begin(), op.operands.end(), [&](ir::ValueId v) { return is_complex(f.type(v).dtype); });
  if (!complex) return 0;
  // A power multiplies the logarithm, with its error, by exponents of up to 8, and exp magnifies that.
  if (name == "power") return values == Values::Special ? std::numeric_limits<double>::infinity() : 128;
  return name == "abs" || name == "sign" ? 8 : 0;
}

std::string why_not_here() {
  if (!on_gpu()) return {};
  auto gpu = runtime::find_gpu();
  if (!gpu.ok()) return gpu.error().str();
  compare_subnormals_as_zeros(!(*gpu)->info().features.keeps_subnormals32);
  return {};
}

Result<Function> plan(const Function& f, bool fuse, std::optional<bool> has_fma) {
  Function out = f;
  passes::PassContext context;
  FRIT_ASSIGN_OR_RETURN(traits, backend().traits(target()));
  context.target = traits;
  if (has_fma) context.target.has_fma = *has_fma;
  context.fuse = fuse;
  passes::RunOptions options;
  options.verify_each = true;
  FRIT_TRY(passes::run(passes::Pipeline::standard(), out, context, options));
  return out;
}

Result<Arguments> place(const Function& f, std::vector<ir::Tensor>& inputs, Random& random) {
  Arguments out;
  FRIT_ASSIGN_OR_RETURN(symbols, bind_symbols(f, inputs));
  out.symbols = std::move(symbols);
  for (size_t i = 0; i < inputs.size(); ++i) {
    ir::Tensor& x = inputs[i];
    flush_subnormals(x);
    std::vector<int64_t> strides(x.shape.size(), 1);
    for (size_t axis = strides.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * x.shape[axis];
    int64_t offset = 0;
    if (i < f.layouts.size() && !f.layouts[i].empty()) {
      strides = random_strides(x.shape, random);
      for (size_t axis = 0; axis < strides.size(); ++axis) {
        if (const std::string* name = f.layouts[i][axis].as_symbol())
          strides[axis] = out.symbols.emplace(*name, strides[axis]).first->second;
        else
          strides[axis] = value_of(out.symbols, f.layouts[i][axis]).value_or(0);
      }
      offset = between(random, 0, 3);
    }
    auto to = positions(x.shape, strides, 0);
    int64_t span = to.empty() ? 0 : *std::max_element(to.begin(), to.end()) + 1;
    auto bytes = static_cast<size_t>(span + offset) * x.dtype.size();
    runtime::Tensor t{guarded_buffer(bytes), x.dtype, x.shape, strides, offset};
    std::memset(t.buffer->data(), x.dtype == bool_ ? 1 : 0x5a, bytes);
    auto* base = static_cast<std::byte*>(t.buffer->data()) + offset * x.dtype.size();
    for (size_t k = 0; k < to.size(); ++k)
      std::memcpy(base + to[k] * x.dtype.size(), x.data.data() + k * x.dtype.size(), x.dtype.size());
    // If several elements share memory, the last one written stays.
    for (size_t k = 0; k < to.size(); ++k)
      std::memcpy(x.data.data() + k * x.dtype.size(), base + to[k] * x.dtype.size(), x.dtype.size());
    out.memory.emplace_back(x.dtype, std::vector<std::byte>(base, base + span * x.dtype.size()));
    out.tensors.push_back(std::move(t));
  }
  return out;
}

Result<std::vector<ir::Tensor>> run_program(const Function& planned, const Arguments& arguments) {
  const Program& p = *planned.program;
  std::vector<int64_t> symbols;
  for (const std::string& name : p.symbols) {
    auto it = arguments.symbols.find(name);
    if (it == arguments.symbols.end()) return Diagnostic("the symbol '" + name + "' has no value");
    symbols.push_back(it->second);
  }
  FRIT_ASSIGN_OR_RETURN(literals, interpret(p, symbols, arguments.memory, call_library));
  std::vector<ir::Tensor> out;
  for (size_t i = 0; i < literals.size(); ++i) {
    std::vector<int64_t> shape;
    for (const Dim& d : p.result_types[i].shape) shape.push_back(value_of(arguments.symbols, d).value_or(-1));
    ir::Tensor t;
    t.dtype = literals[i].dtype();
    t.shape = shape;
    t.data.assign(literals[i].data(), literals[i].data() + literals[i].nbytes());
    if (t.size() != static_cast<int64_t>(literals[i].count()))
      return Diagnostic("a result has another size than its type says");
    out.push_back(std::move(t));
  }
  return out;
}

Result<std::vector<ir::Tensor>> run_code(const runtime::Executable& code, const Arguments& arguments, bool donate) {
  std::vector<runtime::Tensor> tensors = arguments.tensors;
  if (donate)
    for (runtime::Tensor& t : tensors) {
      FRIT_ASSIGN_OR_RETURN(copy, runtime::Buffer::allocate(t.buffer->bytes()));
      std::memcpy(copy->data(), t.buffer->data(), t.buffer->bytes());
      t.buffer = std::move(copy);
    }
  std::vector<char> flags(tensors.size(), donate);
  FRIT_ASSIGN_OR_RETURN(results,
                        code.run(tensors, {reinterpret_cast<const bool*>(flags.data()), donate ? flags.size() : 0}));
  std::vector<ir::Tensor> out;
  for (runtime::Tensor& t : results) {
    if (t.buffer->gpu()) {
      FRIT_ASSIGN_OR_RETURN(gpu, runtime::find_gpu());
      FRIT_ASSIGN_OR_RETURN(here, runtime::to_host(t, *gpu));
      t = std::move(here);
    }
    out.push_back(gather(t));
  }
  return out;
}

std::shared_ptr<runtime::Executable> with_finest_grain(const runtime::Executable& code) {
  runtime::Plan plan = code.plan();
  for (auto& step : plan.steps) {
    if (auto* kernel = std::get_if<runtime::KernelPlan>(&step))
      kernel->grain = DimProgram(int64_t{1});
    else if (auto* library = std::get_if<runtime::LibraryPlan>(&step); library && library->epilogue)
      library->epilogue->grain = DimProgram(int64_t{1});
  }
  return std::make_shared<runtime::Executable>(std::move(plan));
}

Result<std::vector<ir::Tensor>> run_stepwise(const Function& f, const std::vector<ir::Tensor>& inputs) {
  FRIT_ASSIGN_OR_RETURN(symbols, bind_symbols(f, inputs));
  FRIT_ASSIGN_OR_RETURN(numbers, specialise(f, symbols));
  std::vector<ir::Tensor> values(numbers.values.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[numbers.params[i]] = inputs[i];
  Random unused;
  for (const Op& op : numbers.ops) {
    Function one;
    one.name = "one";
    std::vector<ir::Tensor> operands;
    std::vector<ValueId> params;
    for (ValueId v : op.operands) {
      params.push_back(one.add_param("x" + std::to_string(params.size()), numbers.type(v)));
      operands.push_back(values[v]);
    }
    FRIT_ASSIGN_OR_RETURN(results, Builder(one).try_build(*op.def, params, op.attrs));
    one.results = results;
    FRIT_ASSIGN_OR_RETURN(planned, plan(one, false));
    FRIT_ASSIGN_OR_RETURN(arguments, place(one, operands, unused));
    FRIT_ASSIGN_OR_RETURN(out, run_program(planned, arguments));
    for (size_t i = 0; i < op.results.size(); ++i) values[op.results[i]] = std::move(out[i]);
  }
  std::vector<ir::Tensor> out;
  for (ValueId v : numbers.results) out.push_back(values[v]);
  return out;
}

Type at_call(Type type, const SymbolValues& symbols) {
  for (Dim& d : type.shape) d = fixed(d, symbols);
  return type;
}

AttrMap at_call(const AttrMap& attrs, const SymbolValues& symbols) {
  AttrMap out;
  for (const auto& [name, value] : attrs) {
    Attr v = value;
    if (Dim* d = std::get_if<Dim>(&v)) *d = fixed(*d, symbols);
    if (Dims* list = std::get_if<Dims>(&v))
      for (Dim& d : *list) d = fixed(d, symbols);
    out.set(name, std::move(v));
  }
  return out;
}

Result<Function> specialise(const Function& f, const SymbolValues& symbols) {
  return with_sizes(f, [&](const Dim& d) { return fixed(d, symbols); });
}

namespace {

// Whether all ops in the regions of an op are such.
bool all_inside(const Function& f, const Op& op, const std::function<bool(const Function&, const Op&)>& is) {
  for (std::string_view name : regions_of(op)) {
    const Function inside = opened(std::get<Region>(*op.attrs.find(name)), f);
    if (!std::all_of(inside.ops.begin(), inside.ops.end(), [&](const Op& o) { return is(inside, o); })) return false;
  }
  return true;
}

}  // namespace

bool is_exact(const Function& f, const Op& op) {
  const Type& result = f.type(op.results[0]);
  switch (op.def->kind) {
    case OpKind::Constant:
    case OpKind::Iota:
    case OpKind::Index: return true;
    case OpKind::Control: return all_inside(f, op, [](const Function& g, const Op& o) { return is_exact(g, o); });
    case OpKind::Library: return op.def->routine->exact;
    case OpKind::Scatter:
    case OpKind::Scan: {
      if (op.def->step.empty()) return true;
      const Dtype type = compute_type(result.dtype), types[] = {type, type};
      auto program = meaning(ir::op(op.def->step), types, type);
      return program.ok() && std::none_of(program->nodes.begin(), program->nodes.end(),
                                          [](const ScalarNode& n) { return is_expanded(n.op); });
    }
    case OpKind::Reduction: return !is_inexact(f.type(op.operands[0]).dtype) || !is_inexact(result.dtype);
    case OpKind::Elementwise: {
      std::vector<Dtype> types;
      for (ValueId v : op.operands) types.push_back(f.type(v).dtype);
      auto program = meaning(*op.def, types, result.dtype);
      return program.ok() && std::none_of(program->nodes.begin(), program->nodes.end(),
                                          [](const ScalarNode& n) { return is_expanded(n.op); });
    }
    case OpKind::Composite: {
      Function inner;
      inner.name = "inner";
      inner.facts = f.facts;
      std::vector<ValueId> params;
      for (ValueId v : op.operands) params.push_back(inner.add_param("x" + std::to_string(params.size()), f.type(v)));
      Builder b(inner);
      inner.results = op.def->expand(b, op, params);
      return std::all_of(inner.ops.begin(), inner.ops.end(), [&](const Op& o) { return is_exact(inner, o); });
    }
  }
  return false;
}

namespace {

// Whether a GPU may round the result differently: roots, sums along the rows of products, and complex functions, whose
// parts may be folded for parts that are known to be zero.
bool is_free(const Function& f, const Op& op) {
  if (!on_gpu()) return false;
  auto complex = [&](ValueId v) { return is_complex(f.type(v).dtype); };
  return op.def->kind == OpKind::Library || target_ulp(f, op, Values::Special) > 0 ||
         std::any_of(op.operands.begin(), op.operands.end(), complex) ||
         std::any_of(op.results.begin(), op.results.end(), complex) ||
         !all_inside(f, op, [](const Function& g, const Op& o) { return !is_free(g, o); });
}

// The same for elements where neither has a NaN.
std::string number_difference(const ir::Tensor& want, const ir::Tensor& got) {
  ir::Tensor a = want, b = got;
  const size_t size = a.dtype.size();
  auto is_nan = [size](const ir::Tensor& t, int64_t e) {
    float parts[2] = {0, 0};
    if (is_complex(t.dtype)) std::memcpy(parts, t.data.data() + static_cast<size_t>(e) * size, sizeof parts);
    return std::isnan(t.at(e)) || std::isnan(parts[1]);
  };
  for (int64_t e = 0; a.size() == b.size() && e < a.size(); ++e)
    if (is_nan(a, e) || is_nan(b, e))
      std::memcpy(b.data.data() + static_cast<size_t>(e) * size, a.data.data() + static_cast<size_t>(e) * size, size);
  return difference(a, b);
}

}  // namespace

std::string disagreement(const Function& f, std::vector<ir::Tensor> inputs, Random& random, const Ways& ways) {
  std::vector<std::pair<std::string, std::vector<ir::Tensor>>> all;
  std::string failure;
  auto add = [&](const std::string& name, Result<std::vector<ir::Tensor>> results) {
    if (!results.ok()) {
      if (failure.empty()) failure = name + " failed: " + results.error().str();
      return;
    }
    all.emplace_back(name, std::move(*results));
  };
  auto arguments = place(f, inputs, random);
  if (!arguments.ok()) return "inputs refused: " + arguments.error().str();
  bool exact = std::all_of(f.ops.begin(), f.ops.end(), [&](const Op& op) { return is_exact(f, op); });
  if (ways.reference && exact) add("graph interpreter", interpret(f, inputs));
  if (ways.stepwise) add("op by op", run_stepwise(f, inputs));
  for (bool fuse : {false, true}) {
    const std::string suffix = fuse ? ", fused" : ", not fused";
    auto planned = plan(f, fuse);
    if (!planned.ok()) return "pipeline" + suffix + " failed: " + planned.error().str();
    add("program interpreter" + suffix, run_program(*planned, *arguments));
    if (!ways.code || !failure.empty()) continue;
    auto code = codegen::build(*planned, target());
    if (!code.ok()) return "code generation" + suffix + " failed: " + code.error().str();
    runtime::set_num_threads(1);
    add("code" + suffix, run_code(**code, *arguments));
    add("code" + suffix + ", inputs donated", run_code(**code, *arguments, true));
    runtime::set_num_threads(2);
    add("code" + suffix + ", 2 threads", run_code(*with_finest_grain(**code), *arguments));
  }
  if (failure.empty() && !arguments->symbols.empty() && f.layouts.empty()) {
    auto fixed = specialise(f, arguments->symbols);
    if (!fixed.ok()) return "with its sizes as numbers: " + fixed.error().str();
    auto planned = plan(*fixed, true);
    if (!planned.ok()) return "pipeline with sizes as numbers failed: " + planned.error().str();
    add("program interpreter, fused, sizes as numbers", run_program(*planned, *arguments));
  }
  if (!failure.empty()) return failure;
  // Results that a GPU may round differently are compared only with its own.
  const bool free = std::any_of(f.ops.begin(), f.ops.end(), [&](const Op& op) { return is_free(f, op); });
  if (free) std::erase_if(all, [](const auto& way) { return !way.first.starts_with("code"); });
  if (all.empty()) return {};
  const auto& [name, want] = all.front();
  for (const auto& [other, got] : all)
    for (size_t i = 0; i < want.size(); ++i) {
      std::string d = i < got.size() ? difference(want[i], got[i]) : "missing";
      if (free && !d.empty() && i < got.size()) d = number_difference(want[i], got[i]);
      if (!d.empty()) return other + " against " + name + ", result " + std::to_string(i) + ", " + d;
    }
  return {};
}

namespace {
std::string current;
void on_crash(int signal) {
  const char head[] = "\nended by a signal while testing:\n";
  if (write(2, head, sizeof head - 1) < 0 || write(2, current.data(), current.size()) < 0) {
  }
  ::signal(signal, SIG_DFL);
  raise(signal);
}
}  // namespace

void now_testing(std::string text) {
  static const bool installed = [] {
    for (int s : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM}) ::signal(s, on_crash);
    return true;
  }();
  (void)installed;
  current = std::move(text);
}

}  // namespace frit::test
