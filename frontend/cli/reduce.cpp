// frit reduce: makes a graph that fails smaller while it still fails. frit bisect: the first pass behind which results
// differ.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>

#include "codegen/core/interpreter_tensor.h"
#include "codegen/core/signature.h"
#include "frontend/cli/command.h"
#include "frontend/cli/inputs.h"
#include "ir/interpret/interpret_kernel.h"
#include "ir/reduce/distance.h"
#include "ir/reduce/shrink.h"
#include "ir/text/printer.h"
#include "ir/verify/verifier.h"
#include "runtime/execute/gpu.h"
#include "runtime/files/file.h"

namespace frit::cli {
namespace {

struct ReduceOptions {
  std::string file, function, check, against, output = "-";
  InputOptions inputs;
  double max_ulp = 256;
};

ir::Module module_of(const ir::Function& f) {
  ir::Module m;
  m.functions.push_back(std::make_unique<ir::Function>(f));
  return m;
}

// Random inputs, dense; sizes that nothing gives are drawn.
std::vector<runtime::Tensor> draw(const ir::Function& f, const runtime::NamedTensors& weights, InputOptions options) {
  if (!options.random) options.random = 1;
  const runtime::Signature signature = value_or_fail(codegen::make_signature(f));
  return make_inputs(signature, options, &weights);
}

std::vector<ir::Tensor> as_ir(const std::vector<runtime::Tensor>& tensors) {
  std::vector<ir::Tensor> out;
  for (const runtime::Tensor& t : tensors) out.push_back(value_or_fail(codegen::to_interpreter(t)));
  return out;
}

runtime::Tensor as_runtime(const ir::Tensor& t) {
  runtime::Tensor out;
  out.dtype = t.dtype;
  int64_t stride = 1;
  out.shape = t.shape;
  out.strides.resize(t.shape.size());
  for (size_t i = t.shape.size(); i-- > 0;) out.strides[i] = stride, stride *= t.shape[i];
  out.buffer = value_or_fail(runtime::Buffer::allocate(t.data.size()));
  std::copy(t.data.begin(), t.data.end(), static_cast<std::byte*>(out.buffer->data()));
  return out;
}

double worst(const std::vector<ir::Tensor>& want, const std::vector<ir::Tensor>& got) {
  double most = want.size() == got.size() ? 0 : INFINITY;
  for (size_t i = 0; i < std::min(want.size(), got.size()); ++i) most = std::max(most, distance(want[i], got[i]));
  return most;
}

Result<std::vector<ir::Tensor>> run_compiled(ir::Function f, const std::vector<ir::Tensor>& inputs,
                                             const std::string& device, bool fuse) {
  codegen::CompileOptions options;
  options.target = codegen::target_for(device);
  options.fuse = fuse;
  FRIT_ASSIGN_OR_RETURN(code, codegen::compile(f, options));
  runtime::Gpu* gpu = nullptr;
  if (device != "cpu") {
    FRIT_ASSIGN_OR_RETURN(found, runtime::find_gpu(device));
    gpu = found;
  }
  std::vector<runtime::Tensor> arguments;
  for (const ir::Tensor& t : inputs) {
    arguments.push_back(as_runtime(t));
    if (!gpu) continue;
    FRIT_ASSIGN_OR_RETURN(there, runtime::to_gpu(arguments.back(), *gpu));
    arguments.back() = std::move(there);
  }
  FRIT_ASSIGN_OR_RETURN(results, code->run(arguments));
  std::vector<ir::Tensor> out;
  for (const runtime::Tensor& t : results) {
    if (!gpu) {
      out.push_back(value_or_fail(codegen::to_interpreter(t)));
      continue;
    }
    FRIT_ASSIGN_OR_RETURN(here, runtime::to_host(t, *gpu));
    out.push_back(value_or_fail(codegen::to_interpreter(here)));
  }
  return out;
}

enum class Outcome { Right, Differs, Fails, Ends };

// Compares compiled code with what the options name. The code runs in a process of its own, so that a crash is a
// failure too.
Outcome outcome(const ir::Case& c, const ReduceOptions& o) {
  std::cout.flush();
  const pid_t child = fork();
  if (child < 0) fail({"cannot start a process"});
  if (child == 0) {
    const std::string device = o.against == "vulkan" ? "vulkan" : "cpu";
    const auto got = run_compiled(c.function, c.inputs, device, true);
    const auto want =
        o.against == "eager" ? run_compiled(c.function, c.inputs, "cpu", false) : ir::interpret(c.function, c.inputs);
    Outcome said = Outcome::Right;
    // A case that nothing else runs either shows no fault of the compiler.
    if (want.ok() && !got.ok()) said = Outcome::Fails;
    if (want.ok() && got.ok() && !(worst(*want, *got) <= (o.against == "eager" ? 0 : o.max_ulp)))
      said = Outcome::Differs;
    _exit(static_cast<int>(said));
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) <= static_cast<int>(Outcome::Fails)
             ? static_cast<Outcome>(WEXITSTATUS(status))
             : Outcome::Ends;
}

// Fails where there is no GPU. Another process looks: one with an open driver cannot start processes that use it.
void check_gpu() {
  int ends[2];
  if (pipe(ends)) fail({"cannot start a process"});
  const pid_t child = fork();
  if (child < 0) fail({"cannot start a process"});
  if (child == 0) {
    const auto gpu = runtime::find_gpu("vulkan");
    const std::string why = gpu.ok() ? "" : gpu.error().message;
    const ssize_t written = write(ends[1], why.data(), why.size());
    _exit(gpu.ok() && written >= 0 ? 0 : 1);
  }
  close(ends[1]);
  std::string why;
  char part[256];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) why.append(part, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status) fail({why.empty() ? "the driver of the gpu ends the process" : why});
}

// Runs the user's command on files.
class Command {
 public:
  explicit Command(std::string command) : command_(std::move(command)) {
    std::string folder = (std::filesystem::temp_directory_path() / "frit-reduce.XXXXXX").string();
    if (!mkdtemp(folder.data())) fail({"cannot make a folder in '" + folder + "'"});
    folder_ = folder;
  }
  ~Command() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  bool fails(const ir::Function& f) const {
    const std::string path = folder_ + "/case.frit";
    cli::check(runtime::write_file(path, ir::print(module_of(f))));
    std::string line = command_;
    const size_t mark = line.find("{}");
    if (mark == std::string::npos)
      line += " '" + path + "'";
    else
      line.replace(mark, 2, "'" + path + "'");
    const int status = std::system(("( " + line + " ) >/dev/null 2>&1").c_str());
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) fail({"the command cannot be run: " + command_});
    return status != 0;
  }

 private:
  std::string command_, folder_;
};

ir::Function without_ops() {
  ir::Function f;
  f.name = "nothing";
  f.results = {f.add_param("x", {float32, {Dim(1)}})};
  return f;
}

void reduce(ReduceOptions o) {
  if (o.check.empty() == o.against.empty()) throw CLI::ValidationError("--check", "give either --check or --against");
  if (o.against.find_first_not_of("0123456789") == std::string::npos && !o.against.empty()) {
    o.inputs.random = std::stoull(o.against);
    o.against = "interpreter";
  }
  Source source = read_graph(o.file);
  ir::Case start{pick_function(*source.module, o.function), {}};
  std::function<bool(const ir::Case&)> fails;
  std::optional<Command> command;
  std::string shows;
  if (!o.check.empty()) {
    command.emplace(o.check);
    fails = [&](const ir::Case& c) { return ir::verify(c.function).ok() && command->fails(c.function); };
    if (!command->fails(start.function))
      fail({"the command does not fail on '" + source.name + "'",
            {},
            "it has to end with another status than 0 where the fault shows"});
    if (command->fails(without_ops()))
      fail({"the command fails on a function without ops, too",
            {},
            "it has to end with status 0 where the fault does not show"});
    shows = o.check;
  } else {
    if (o.against == "vulkan") check_gpu();
    start.inputs = as_ir(draw(start.function, read_weights(source), o.inputs));
    // The same fault to the end: wrong results do not become a refusal.
    const Outcome first = outcome(start, o);
    fails = [&o, first](const ir::Case& c) { return ir::verify(c.function).ok() && outcome(c, o) == first; };
    if (first == Outcome::Right)
      fail({"results do not differ from those of the " + (o.against == "eager" ? o.against : "interpreter") +
                (o.against == "vulkan" ? " on the gpu" : "") + " on these inputs",
            {},
            "give other ones with --random, --set or --input"});
    shows =
        "frit reduce --against=" + o.against + (o.inputs.random ? " --random=" + std::to_string(*o.inputs.random) : "");
  }
  const size_t before = start.function.ops.size();
  Progress progress("reducing");
  const ir::Case small = ir::shrink(std::move(start), fails);
  write_output(o.output, "// " + std::to_string(small.function.ops.size()) + " of " + std::to_string(before) +
                             " ops are left; shown by: " + shows + "\n" + ir::print(module_of(small.function)));
}

Result<std::vector<ir::Tensor>> run_program(const ir::Function& f, const ir::SymbolValues& symbols,
                                            const std::vector<ir::Tensor>& inputs) {
  const ir::Program& p = *f.program;
  std::vector<int64_t> values;
  for (const std::string& name : p.symbols) values.push_back(symbols.at(name));
  std::vector<ir::Literal> memory;
  for (const ir::Tensor& t : inputs) memory.emplace_back(t.dtype, t.data);
  FRIT_ASSIGN_OR_RETURN(literals, ir::interpret(p, values, memory));
  std::vector<ir::Tensor> out;
  for (size_t i = 0; i < literals.size(); ++i) {
    ir::Tensor t;
    t.dtype = literals[i].dtype();
    for (const Dim& d : p.result_types[i].shape)
      t.shape.push_back(
          d.evaluate([&](const std::string& name) { return std::optional(symbols.at(name)); }).value_or(0));
    t.data.assign(literals[i].data(), literals[i].data() + literals[i].nbytes());
    out.push_back(std::move(t));
  }
  return out;
}

class Bisection {
 public:
  Bisection(const ir::Function& f, std::vector<ir::Tensor> inputs, double max_ulp)
      : f_(f), inputs_(std::move(inputs)), max_ulp_(max_ulp) {
    symbols_ = value_or_fail(ir::bind_symbols(f_, inputs_));
    want_ = value_or_fail(ir::interpret(f_, inputs_));
    codegen::Backend* backend = value_or_fail(codegen::find_backend(codegen::cpu_backend()));
    traits_ = value_or_fail(backend->traits({}));
  }

  // Says the first pass behind which results differ; true where there is one.
  bool run() {
    const auto& passes = passes::Pipeline::standard().passes;
    ir::Function before = f_;
    for (size_t i = 0; i < passes.size(); ++i) {
      ir::Function after = f_;
      if (Status s = run_passes(after, 0, i + 1); !s) return said(i, "fails: " + s.error().message);
      const auto got = results(after, inputs_);
      if (!got.ok()) return said(i, "leaves a function that the interpreter refuses: " + got.error().message);
      if (const double d = worst(want_, *got); !(d <= max_ulp_)) {
        said(i, "changes results, by " + amount(d));
        if (!before.groups.empty() && !before.program) name_group(before, i);
        return true;
      }
      before = std::move(after);
    }
    const auto got = run_compiled(f_, inputs_, "cpu", true);
    if (got.ok() && worst(want_, *got) <= max_ulp_) return false;
    std::cout << "code generation: every pass keeps the results, and the code "
              << (got.ok() ? "gives other ones, by " + amount(worst(want_, *got)) : "fails: " + got.error().message)
              << "\n";
    return true;
  }

 private:
  static std::string amount(double d) { return std::isinf(d) ? "other values" : std::to_string(d) + " ulp"; }

  Status run_passes(ir::Function& f, size_t first, size_t end) const {
    passes::PassContext context;
    context.target = traits_;
    passes::Pipeline some;
    const auto& all = passes::Pipeline::standard().passes;
    some.passes.assign(all.begin() + static_cast<ptrdiff_t>(first), all.begin() + static_cast<ptrdiff_t>(end));
    return passes::run(some, f, context);
  }

  Result<std::vector<ir::Tensor>> results(const ir::Function& f, const std::vector<ir::Tensor>& inputs) const {
    return f.program ? run_program(f, symbols_, inputs) : ir::interpret(f, inputs);
  }

  static bool said(size_t pass, const std::string& what) {
    std::cout << "pass " << passes::Pipeline::standard().passes[pass]->name << " (" << pass + 1 << ") " << what << "\n";
    return true;
  }

  // The first group whose own results differ behind the pass.
  void name_group(const ir::Function& fused, size_t pass) const {
    for (size_t g = 0; g < fused.groups.size(); ++g) {
      ir::Function one = fused;
      one.results.clear();
      one.result_names.clear();
      for (const ir::Op& op : fused.ops)
        if (op.group == static_cast<int32_t>(g)) one.results = {op.results.back()};
      one.canonicalize_order();
      const auto want = ir::interpret(one, inputs_);
      ir::Function after = one;
      if (!want.ok() || !run_passes(after, pass, pass + 1)) continue;
      const auto got = results(after, inputs_);
      if (got.ok() && worst(*want, *got) <= max_ulp_) continue;
      std::cout << "group " << g << " (" << ir::name(fused.groups[g].kind) << "):\n";
      for (const ir::Op& op : fused.ops)
        if (op.group == static_cast<int32_t>(g)) std::cout << "  " << op.def->name << " " << to_string(op.loc) << "\n";
      return;
    }
  }

  const ir::Function& f_;
  std::vector<ir::Tensor> inputs_;
  double max_ulp_;
  ir::SymbolValues symbols_;
  std::vector<ir::Tensor> want_;
  passes::TargetTraits traits_;
};

void bisect(const ReduceOptions& o) {
  Source source = read_graph(o.file);
  const ir::Function& f = pick_function(*source.module, o.function);
  const auto inputs = as_ir(draw(f, read_weights(source), o.inputs));
  if (!Bisection(f, inputs, o.max_ulp).run()) {
    std::cout.flush();
    fail({"no pass changes the results by more than " + std::to_string(static_cast<int64_t>(o.max_ulp)) +
              " ulp, and neither does the code",
          {},
          "give other inputs with --random, --set or --input, or a smaller --max-ulp"});
  }
}

void add_common(CLI::App& c, ReduceOptions& o) {
  c.add_option("FILE", o.file, "graph file (.frit or JSON), - for standard input")->required();
  c.add_option("--function", o.function, "which function, when the file holds several");
  add_input_options(c, o.inputs);
  c.add_option("--max-ulp", o.max_ulp, "the largest difference that is no failure")->capture_default_str();
}

}  // namespace

void add_reduce(CLI::App& app) {
  auto o = std::make_shared<ReduceOptions>();
  CLI::App* c = app.add_subcommand("reduce", "make a graph that fails smaller while it still fails");
  add_common(*c, *o);
  c->add_option(
      "--check", o->check,
      "a command that gets a graph file, in the place of {} or behind it, and ends with a status other than 0 "
      "where the fault shows");
  c->add_option("--against", o->against,
                "the fault: compiled code fails or differs from the interpreter, from eager evaluation (every op "
                "alone), or on a GPU from the interpreter; a number is the interpreter with --random of that seed")
      ->check(CLI::IsMember({"interpreter", "eager", "vulkan"}) | CLI::Range(uint64_t{0}, ~uint64_t{0}));
  c->add_option("-o,--output", o->output, "the smaller graph; standard output without it");
  c->callback([o] { reduce(*o); });
}

void add_bisect(CLI::App& app) {
  auto o = std::make_shared<ReduceOptions>();
  CLI::App* c = app.add_subcommand("bisect", "name the first pass behind which results differ, and the fused group");
  add_common(*c, *o);
  c->add_option("--against", o->against, "what results are compared with")
      ->check(CLI::IsMember({"interpreter"}))
      ->default_str("interpreter");
  c->callback([o] { bisect(*o); });
}

}  // namespace frit::cli
