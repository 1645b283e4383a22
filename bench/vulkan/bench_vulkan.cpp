// Kernels on the GPU by timestamps, each beside the bandwidth of a plain copy that was measured in the same run.
//
//   bench_vulkan [--scale N] [--repeat N] [--warm MS] [--only TEXT] [--json FILE]
//   bench_vulkan --routines sort:1000x64,fft:5x4096 [--repeat N] [--warm MS]
//   bench_vulkan --graphs FILE [--repeat N] [--warm MS]
//   bench_vulkan --check N [--seed S] [--only TEXT]
//
// `--graphs` times the graphs of a file (subject.h), as bench/sweep/gpu.py writes one: the whole as a run's share of 20
// in one submission, then each step by itself. `--check` draws N graphs and
// compares what the GPU computes with the graph interpreter (check.h).
//
// `--scale` divides the sizes; 1 gives those of docs/performance/gpu.md. Times are medians by the GPU's own clock, from
// the begin of the first step to the end of the last one, in milliseconds, after `--warm` milliseconds of warm-up runs
// (1000); in brackets the steps of one more run, with timestamps between them. "launch" is the time on the host from
// submission to the fence of a small kernel, "cold" the time from a graph to a pipeline that has run once.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/vulkan/check.h"
#include "bench/vulkan/graphs.h"
#include "bench/vulkan/routine_graphs.h"
#include "bench/vulkan/subject.h"
#include "runtime/execute/gpu.h"

namespace {

using namespace frit;

struct Options {
  int64_t scale = 1;
  int repeat = 20;
  double warm = 1000;
  std::string only, json, routines, graphs;
  int check = 0;
  uint64_t seed = 1;
};

struct Row {
  std::string name;
  double milliseconds = 0, bytes = 0, flops = 0;
  std::string steps;
};

using Clock = std::chrono::steady_clock;
double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

class Bench {
 public:
  explicit Bench(Options o) : o_(std::move(o)), gpu_(*value(runtime::find_gpu())) {
    gpu_.keep_times(runtime::GpuTimes::Steps);
    const runtime::GpuInfo& i = gpu_.info();
    std::printf("%s (%s), driver %s, Vulkan %s\n", i.name.c_str(), i.kind.c_str(), i.driver.c_str(), i.api.c_str());
  }

  bool wanted(const std::string& name) const { return o_.only.empty() || name.find(o_.only) != std::string::npos; }

  // `bytes` is the traffic that the work must cause, `flops` its arithmetic.
  void run(const std::string& name, const std::string& graph, double bytes, double flops = 0) {
    if (!wanted(name) && name != "copy") return;
    Subject c = compile(graph);
    std::vector<double> times;
    std::string steps;
    // Drivers compile a shader quickly at first and better while it runs.
    const auto begun = Clock::now();
    for (int i = 0; i < 3 || milliseconds_since(begun) < o_.warm; ++i) run(c);
    gpu_.keep_times(runtime::GpuTimes::Whole);
    for (int i = 0; i < o_.repeat; ++i) {
      run(c);
      const std::vector<runtime::GpuTime> whole = gpu_.last_times();
      times.push_back(whole.empty() ? 0 : whole[0].milliseconds);
    }
    gpu_.keep_times(runtime::GpuTimes::Steps);
    run(c);
    for (const runtime::GpuTime& t : gpu_.last_times()) {
      char text[64];
      std::snprintf(text, sizeof text, " %.4f", t.milliseconds);
      steps += (steps.empty() ? "" : ",") + std::string(text);
    }
    Row row{name, median(times), bytes, flops, steps};
    if (name == "copy") copy_ = bytes / row.milliseconds;
    print(row);
    rows_.push_back(row);
  }

  void launch(const std::string& graph) {
    if (!wanted("launch")) return;
    Subject c = compile(graph);
    std::vector<double> times, device;
    const auto begun = Clock::now();
    while (milliseconds_since(begun) < o_.warm) run(c);
    for (int i = 0; i < 1000; ++i) {
      run(c);
      const std::vector<runtime::GpuTime> steps = gpu_.last_times();
      device.push_back(steps.empty() ? 0 : steps[0].milliseconds);
    }
    gpu_.keep_times(runtime::GpuTimes::None);
    for (int i = 0; i < 1000; ++i) {
      auto start = Clock::now();
      run(c);
      times.push_back(milliseconds_since(start));
    }
    std::printf("%-34s %10.4f ms on the host, %.4f ms on the gpu\n", "launch of a small kernel", median(times),
                median(device));
    std::vector<double> rows;
    for (int i = 0; i < 50; ++i) {
      auto start = Clock::now();
      for (int j = 0; j < 100; ++j) value(c.code->run(c.inputs));
      const double handed = milliseconds_since(start) / 100;
      if (Status s = gpu_.synchronize(); !s.ok()) fail(s.error());
      rows.push_back(milliseconds_since(start) / 100);
      device[static_cast<size_t>(i)] = handed;
    }
    device.resize(50);
    std::printf("%-34s %10.4f ms each, %.4f ms of the host\n", "a hundred, waited for at the end", median(rows),
                median(device));
    gpu_.keep_times(runtime::GpuTimes::Steps);
    rows_.push_back({"launch", median(times), 0, 0, ""});
    rows_.push_back({"launches", median(rows), 0, 0, ""});
  }

  void cold(const std::string& graph) {
    if (!wanted("cold")) return;
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) {
      // A unique constant makes each shader a new one.
      std::string text = graph;
      const std::string mark = "0.5";
      text.replace(text.find(mark), mark.size(),
                   "0.50" + std::to_string(1 + i + 10 * (Clock::now().time_since_epoch().count() % 1000)));
      auto start = Clock::now();
      Subject c = compile(text);
      double made = milliseconds_since(start);
      start = Clock::now();
      run(c);
      times.push_back(made - c.input_ms + milliseconds_since(start));
    }
    std::printf("%-34s %10.1f ms, first %.1f ms\n", "cold compile of gelu to its result", median(times), times[0]);
    rows_.push_back({"cold", median(times), 0, 0, ""});
  }

  void write_json() const {
    if (o_.json.empty()) return;
    std::ofstream out(o_.json);
    out << "{\"device\": \"" << gpu_.info().name << "\", \"driver\": \"" << gpu_.info().driver
        << "\", \"scale\": " << o_.scale << ", \"rows\": [\n";
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Row& r = rows_[i];
      out << "  {\"name\": \"" << r.name << "\", \"ms\": " << r.milliseconds << ", \"bytes\": " << r.bytes
          << ", \"flops\": " << r.flops
          << ", \"of_copy\": " << (r.bytes && copy_ ? r.bytes / r.milliseconds / copy_ : 0) << "}"
          << (i + 1 < rows_.size() ? "," : "") << "\n";
    }
    out << "]}\n";
  }

 private:
  Subject compile(const std::string& graph) { return value(compile_subject(gpu_, graph)); }

  void run(const Subject& s) {
    if (Status done = run_subject(gpu_, s); !done.ok()) fail(done.error());
  }

  void print(const Row& r) const {
    std::printf("%-34s %10.4f ms", r.name.c_str(), r.milliseconds);
    if (r.flops)
      std::printf("  %8.2f TFLOP/s", r.flops / r.milliseconds * 1e-9);
    else
      std::printf("  %8.3f TB/s  %5.1f %% of copy", r.bytes / r.milliseconds * 1e-9,
                  copy_ ? 100 * r.bytes / r.milliseconds / copy_ : 0);
    std::printf("   (%s )\n", r.steps.c_str());
    std::fflush(stdout);
  }

  Options o_;
  runtime::Gpu& gpu_;
  std::vector<Row> rows_;
  double copy_ = 0;  // bytes per millisecond
};

void attentions(Bench& bench, int64_t n) {
  for (const char* type : {"f16", "bf16", "f32"})
    for (const Shape& p : {Shape{16, n, 64, n}, {16, n, 128, n}, {16, n / 8, 64, n / 8}})
      for (const char* mode : {"", "causal", "mask"}) {
        const std::string name = std::string("attention ") + type + " " + std::to_string(p.batch) + "x" +
                                 std::to_string(p.m) + "x" + std::to_string(p.k) + (*mode ? " " : "") + mode;
        bench.run(name, attention(type, p, mode), 0,
                  (mode == std::string("causal") ? 2.0 : 4.0) * static_cast<double>(p.batch * p.m * p.k * p.n));
      }
}

// One query for each head, whose heads have keys of their own or share them four at a time.
void decodes(Bench& bench, int64_t n) {
  for (const char* type : {"f16", "bf16", "f32"})
    for (const Shape& p : {Shape{32, 1, 128, n}, {8, 4, 128, n}, {16, 1, 64, n}}) {
      const double keys = static_cast<double>(2 * p.batch * p.k * p.n), bytes = type == std::string("f32") ? 4 : 2;
      bench.run(std::string("decode ") + type + " " + std::to_string(p.batch) + "x" + std::to_string(p.m) + "x" +
                    std::to_string(p.n) + "x" + std::to_string(p.k),
                attention(type, p, ""), bytes * keys);
    }
}

void convolutions(Bench& bench, int64_t scale) {
  const int64_t batch = std::max<int64_t>(1, 8 / scale);
  const ConvolutionShape all[] = {
      {batch, 56, 64, 64, 3},           {batch, 28, 128, 128, 3},       {batch, 14, 256, 256, 3},
      {batch, 56, 61, 93, 3},           {batch, 56, 128, 128, 3, 2},    {batch, 112, 3, 64, 7, 2},
      {batch, 56, 192, 192, 5, 1, 192}, {batch, 56, 128, 128, 3, 1, 4}, {batch, 4096, 128, 128, 5, 1, 1, 1},
      {batch, 16, 64, 64, 3, 1, 1, 3}};
  for (const char* type : {"f32", "f16", "bf16"})
    for (ConvolutionShape c : all)
      for (const bool of_weights : {false, true}) {
        c.of_weights = of_weights;
        const std::string name = std::string("convolution") + (of_weights ? "_weights " : " ") + type + " " +
                                 std::to_string(c.space) + "d " + std::to_string(c.batch) + "x" +
                                 std::to_string(c.side) + "x" + std::to_string(c.channels) + " to " +
                                 std::to_string(c.features) + " by " + std::to_string(c.kernel) + "/" +
                                 std::to_string(c.stride) + (c.groups > 1 ? " groups " + std::to_string(c.groups) : "");
        bench.run(name, convolution(type, c), 0, 2 * c.products());
      }
}

// None where one is unknown.
std::optional<Options> read_options(int argc, char** argv) {
  Options o;
  if (argc % 2 == 0) return std::nullopt;  // each option has a value
  for (int i = 1; i + 1 < argc; i += 2) {
    std::string name = argv[i];
    if (name == "--scale")
      o.scale = std::max(1LL, std::atoll(argv[i + 1]));
    else if (name == "--repeat")
      o.repeat = std::max(1, std::atoi(argv[i + 1]));
    else if (name == "--warm")
      o.warm = std::atof(argv[i + 1]);
    else if (name == "--only")
      o.only = argv[i + 1];
    else if (name == "--json")
      o.json = argv[i + 1];
    else if (name == "--routines")
      o.routines = argv[i + 1];
    else if (name == "--graphs")
      o.graphs = argv[i + 1];
    else if (name == "--check")
      o.check = std::atoi(argv[i + 1]);
    else if (name == "--seed")
      o.seed = std::strtoull(argv[i + 1], nullptr, 10);
    else
      return std::nullopt;
  }
  return o;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> read = read_options(argc, argv);
  if (!read)
    return std::fprintf(stderr,
                        "usage: bench_vulkan [--scale N] [--repeat N] [--warm MS] [--only TEXT] [--json FILE] "
                        "[--routines LIST] [--graphs FILE] [--check N] [--seed S]\n"),
           2;
  const Options& o = *read;
  runtime::set_gpu_notice(
      [](std::string_view text) { std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data()); });
  if (o.check) return check_graphs(o.check, o.seed, o.only) ? 0 : 1;
  if (!o.graphs.empty()) return time_graphs(o.graphs, o.warm, o.repeat), 0;
  Bench bench(o);
  if (!o.routines.empty()) {
    for (const RoutineGraph& r : listed_routine_graphs(o.routines)) bench.run(r.name, r.text, r.bytes);
    return 0;
  }
  const int64_t rows = std::max<int64_t>(1, 16384 / o.scale), m = 4096,
                gelu_rows = std::max<int64_t>(1, 32000 / o.scale);
  const auto cells = static_cast<double>(rows * m);
  const int64_t flat = gelu_rows * m;
  bench.run("copy", sized(kCopy, {{"n", flat}}), 8.0 * static_cast<double>(flat));
  bench.run("gelu f32 (32, 1000, 4096)", sized(kGelu, {{"n", gelu_rows}, {"m", m}}), 8.0 * static_cast<double>(flat));
  bench.run("softmax f32 (16384, 4096)", sized(kSoftmax, {{"n", rows}, {"m", m}}), 8 * cells);
  bench.run("rms_norm f32 (16384, 4096)", sized(kRmsNorm, {{"n", rows}, {"m", m}}), 8 * cells);
  bench.run("swiglu f32 2 x (16384, 4096)", sized(kSwiglu, {{"n", rows}, {"m", m}}), 12 * cells);
  bench.run("sum f32 of all", sized(kSum, {{"n", flat}}), 4.0 * static_cast<double>(flat));
  bench.run("sum f32 of columns (16384, 4096)", sized(kColumns, {{"n", rows}, {"m", m}}), 4 * cells);
  bench.run("transpose f32 (16384, 4096)", sized(kTranspose, {{"n", rows}, {"m", m}}), 8 * cells);
  const int64_t n = std::max<int64_t>(64, 4096 / o.scale);
  const double flops = 2.0 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  bench.run("matmul f32 4096^3", sized(matmul("f32"), {{"n", n}}), 0, flops);
  bench.run("matmul f16 4096^3", sized(matmul("f16"), {{"n", n}}), 0, flops);
  bench.run("matmul bf16 4096^3", sized(matmul("bf16"), {{"n", n}}), 0, flops);
  bench.run("matmul f32 4096^3 + bias + silu", sized(layer("f32"), {{"n", n}}), 0, flops);
  bench.run("matmul f16 4096^3 + bias + silu", sized(layer("f16"), {{"n", n}}), 0, flops);
  for (const char* type : {"f16", "bf16"}) {
    const std::string t = type;
    bench.run("gelu " + t + " (16384, 4096)", typed(sized(kGelu, {{"n", rows}, {"m", m}}), t), 4 * cells);
    bench.run("softmax " + t + " (16384, 4096)", typed(sized(kSoftmax, {{"n", rows}, {"m", m}}), t), 4 * cells);
    bench.run("rms_norm " + t + " (16384, 4096)", typed(sized(kRmsNorm, {{"n", rows}, {"m", m}}), t), 4 * cells);
  }
  for (const auto& [count, length] : {std::pair<int64_t, int64_t>{2, 128}, {64, 8}, {16, 40}, {8, 300}}) {
    const auto n_rows = rows * count;
    const std::string shape = " (" + std::to_string(n_rows) + ", " + std::to_string(length) + ")";
    const auto all = static_cast<double>(n_rows * length);
    for (const char* type : {"f32", "f16", "bf16"})
      bench.run("softmax " + std::string(type) + shape, typed(sized(kSoftmax, {{"n", n_rows}, {"m", length}}), type),
                type[1] == '3' ? 8 * all : 4 * all);
    bench.run("sum of squares f32" + shape, sized(kRows, {{"n", n_rows}, {"m", length}}),
              4 * all + 4.0 * static_cast<double>(n_rows));
  }
  bench.run("softmax f32 of columns (16384, 4096)", sized(kSoftmaxColumns, {{"n", rows}, {"m", m}}), 8 * cells);
  bench.run("argmax f32 (16384, 4096)", sized(kArgmax, {{"n", rows}, {"m", m}}), 4 * cells);
  const Shape shapes[] = {{1, n - 96, n - 93, n - 99}, {1, 16, n, n},      {1, 16, n, n, true},   {1, 1, n, n},
                          {1, 1, n, n, true},          {1, n, n, 1},       {1, 128, n, n},        {256, 128, 128, 128},
                          {1, 1000, 1000, 1000},       {1, n, n, n, true}, {32, 1, 128, n, true}, {32, 1, n, 128}};
  for (const char* type : {"f32", "f16", "bf16"})
    for (const Shape& p : shapes) {
      const double size = type == std::string("f32") ? 4 : 2;
      const auto batch = static_cast<double>(p.batch), x = static_cast<double>(p.m), y = static_cast<double>(p.k),
                 z = static_cast<double>(p.n);
      const std::string name = std::string("matmul ") + type + " " + std::to_string(p.batch) + "x" +
                               std::to_string(p.m) + "x" + std::to_string(p.k) + "x" + std::to_string(p.n) +
                               (p.transposed ? " nt" : "");
      // Few rows take as long as their memory; others as long as their arithmetic.
      const bool few = std::min(p.m, p.n) <= 32;
      bench.run(name, product(type, p), few ? size * batch * (x * y + y * z + x * z) : 0,
                few ? 0 : 2 * batch * x * y * z);
    }
  attentions(bench, n);
  decodes(bench, n);
  convolutions(bench, o.scale);
  for (const RoutineGraph& r : all_routine_graphs(o.scale)) bench.run(r.name, r.text, r.bytes);
  bench.launch(sized(kSwiglu, {{"n", 16}, {"m", 64}}));
  bench.cold(sized(kGelu, {{"n", 64}, {"m", 64}}));
  bench.write_json();
  return 0;
}
