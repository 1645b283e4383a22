// Compiles graphs for the GPU, fills their inputs, and times files of them.
#include "bench/vulkan/subject.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "codegen/core/backend.h"
#include "ir/read/parser.h"

namespace {

using namespace frit;
using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

uint64_t next(uint64_t& state) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

void fill(std::vector<std::byte>& data, const ir::Type& t, int64_t below, uint64_t state) {
  const size_t size = t.dtype.size();
  if (t.dtype == float32 || t.dtype == complex64) {
    for (size_t i = 0; i < data.size(); i += 4) {
      const float x = static_cast<float>(next(state) >> 40) * 0x1p-23f - 1;
      std::memcpy(data.data() + i, &x, 4);
    }
  } else if (is_float(t.dtype)) {
    std::vector<uint64_t> table(65536);  // a conversion for each element would take seconds
    for (uint64_t& bits : table)
      bits = ir::double_to_bits(t.dtype, static_cast<double>(next(state) >> 11) * 0x1p-52 - 1);
    for (size_t i = 0; i < data.size(); i += size) std::memcpy(data.data() + i, &table[next(state) >> 48], size);
  } else {
    for (size_t i = 0; i < data.size(); i += size) {
      uint64_t bits = next(state) >> 8;
      if (below) bits %= static_cast<uint64_t>(below);
      if (t.dtype == bool_) bits &= 1;
      std::memcpy(data.data() + i, &bits, size);
    }
  }
}

Result<runtime::Tensor> random_input(runtime::Gpu& gpu, const ir::Type& t, int64_t below, uint64_t seed) {
  runtime::Tensor tensor;
  tensor.dtype = t.dtype;
  tensor.shape.resize(t.shape.size());
  tensor.strides.resize(t.shape.size());
  int64_t count = 1;
  for (size_t i = t.shape.size(); i-- > 0; count *= tensor.shape[i])
    tensor.shape[i] = t.shape[i].value(), tensor.strides[i] = count;
  std::vector<std::byte> data(static_cast<size_t>(count) * t.dtype.size());
  fill(data, t, below, seed * 0x9e3779b97f4a7c15u);
  auto memory = gpu.allocate(std::max<size_t>(16, data.size()));
  if (!memory.ok()) return memory.error();
  tensor.buffer = *memory;
  if (Status s = gpu.write(*tensor.buffer, 0, data.data(), data.size()); !s.ok()) return s.error();
  return tensor;
}

struct Listed {
  std::string name, text;
  std::vector<int64_t> below;
};

std::vector<Listed> listed(const std::string& file) {
  std::ifstream in(file);
  std::vector<Listed> all;
  for (std::string line; std::getline(in, line);) {
    if (line.rfind("# below", 0) == 0 && !all.empty()) {
      std::istringstream numbers(line.substr(7));
      for (int64_t n; numbers >> n;) all.back().below.push_back(n);
    } else if (line.rfind("# ", 0) == 0) {
      all.push_back({line.substr(2), "", {}});
    } else if (!all.empty()) {
      all.back().text += line + "\n";
    }
  }
  return all;
}

struct Timed {
  std::string name;
  Subject subject;
};

// The time of the whole as the share of many runs, as PyTorch's captured graphs are timed, and those of each step by
// name: timestamps between steps take microseconds of their own.
void time_one(runtime::Gpu& gpu, const Timed& t, int repeat) {
  std::vector<double> whole;
  std::vector<std::pair<std::string, std::vector<double>>> steps;
  for (const runtime::GpuTimes kept : {runtime::GpuTimes::Share, runtime::GpuTimes::Steps}) {
    gpu.keep_times(kept);
    for (int i = 0; i < repeat + 2; ++i) {
      if (Status s = run_subject(gpu, t.subject); !s.ok()) {
        std::printf("failed\t%s\t%s\n", t.name.c_str(), s.error().str().c_str());
        return;
      }
      const std::vector<runtime::GpuTime> times = gpu.last_times();
      if (kept == runtime::GpuTimes::Share) {
        whole.push_back(times.empty() ? 0 : times[0].milliseconds);
        continue;
      }
      steps.resize(times.size());
      for (size_t k = 0; k < times.size(); ++k) {
        steps[k].first = times[k].step;
        steps[k].second.push_back(times[k].milliseconds);
      }
    }
  }
  const auto median = [](std::vector<double>& v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
  };
  std::printf("%.5f\t%s\t", median(whole), t.name.c_str());
  for (auto& [name, times] : steps) std::printf(" %s %.4f", name.c_str(), median(times));
  std::printf("\n");
  std::fflush(stdout);
}

constexpr double kBusyMs = 40, kFirstBusy = 15;  // the latter times the warm-up
constexpr const char* kBusy = R"(func @busy(%x: f32[2048, 2048]) -> f32[2048, 2048] {
  %0: f32[2048, 2048] = matmul %x, %x
  return %0
}
)";

}  // namespace

Result<Subject> compile_subject(runtime::Gpu& gpu, const std::string& graph, const std::vector<int64_t>& below) {
  auto module = ir::parse(graph, "bench");
  if (!module.ok()) return module.error();
  ir::Function& f = *(*module)->functions.at(0);
  std::vector<ir::Type> types;
  for (ir::ValueId p : f.params) types.push_back(f.type(p));
  codegen::CompileOptions options;
  options.target.backend = "glsl";
  auto code = codegen::compile(f, options);
  if (!code.ok()) return code.error();
  Subject s;
  s.code = *code;
  const auto start = Clock::now();
  for (size_t i = 0; i < types.size(); ++i) {
    auto input = random_input(gpu, types[i], i < below.size() ? below[i] : 0, i + 1);
    if (!input.ok()) return input.error();
    s.inputs.push_back(*input);
  }
  s.input_ms = since(start);
  return s;
}

Status run_subject(runtime::Gpu& gpu, const Subject& s) {
  if (auto results = s.code->run(s.inputs); !results.ok()) return results.error();
  return gpu.synchronize();
}

void time_graphs(const std::string& file, double warm, int repeat) {
  runtime::Gpu& gpu = *value(runtime::find_gpu());
  std::vector<Timed> all;
  for (const Listed& l : listed(file)) {
    auto subject = compile_subject(gpu, l.text, l.below);
    Status ran = subject.ok() ? run_subject(gpu, *subject) : Status(subject.error());
    if (ran.ok())
      all.push_back({l.name, *std::move(subject)});
    else
      std::printf("failed\t%s\t%s\n", l.name.c_str(), ran.error().str().c_str());
  }
  // In turns: a driver compiles a shader better in the background once it has run.
  for (const auto begun = Clock::now(); since(begun) < warm;)
    for (const Timed& t : all) (void)run_subject(gpu, t.subject);
  // A device lowers its clock while it waits for small kernels: work that fills it comes before each graph. It takes
  // seconds to raise it from where it was idle.
  auto busy = compile_subject(gpu, kBusy, {});
  for (const Timed& t : all) {
    const double filled = &t == all.data() ? kFirstBusy * warm : kBusyMs;
    for (const auto begun = Clock::now(); busy.ok() && since(begun) < filled;) (void)run_subject(gpu, *busy);
    time_one(gpu, t, repeat);
  }
}
