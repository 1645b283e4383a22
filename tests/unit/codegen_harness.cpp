// Guarded memory, interesting values, and the comparison of generated code with the interpreter.
#include "codegen_harness.h"

#include <sys/mman.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "ir/interpret/interpret_kernel.h"
#include "ir/read/kernel_parser.h"
#include "ir/text/kernel_printer.h"

namespace frit::test {

namespace {

constexpr size_t kPage = 4096;

bool is_nan_bits(Dtype t, uint64_t bits) { return is_float(t) && std::isnan(ir::bits_to_double(t, bits)); }

uint64_t read(const std::byte* at, Dtype t) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, t.size());
  return bits;
}

}  // namespace

GuardedMemory::GuardedMemory(size_t bytes) : bytes_(bytes) {
  size_t body = (bytes + kPage - 1) / kPage * kPage;
  mapped_ = body + 2 * kPage;
  void* map = mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) std::abort();
  map_ = static_cast<std::byte*>(map);
  if (body) mprotect(map_ + kPage, body, PROT_READ | PROT_WRITE);
  data_ = map_ + kPage + body - bytes;
}

GuardedMemory::~GuardedMemory() { munmap(map_, mapped_); }

codegen::Backend& backend() {
  auto found = codegen::find_backend("llvm");
  if (!found) {
    ADD_FAILURE() << found.error().str();
    std::abort();
  }
  return **found;
}

uint64_t interesting_bits(Dtype type, Random& random) {
  static const double numbers[] = {0.0,
                                   -0.0,
                                   1.0,
                                   -1.0,
                                   0.5,
                                   -0.5,
                                   1.5,
                                   2.5,
                                   -2.5,
                                   3.0,
                                   7.0,
                                   100.0,
                                   -128.0,
                                   127.0,
                                   128.0,
                                   255.0,
                                   256.0,
                                   32767.0,
                                   32768.0,
                                   -32768.0,
                                   65535.0,
                                   65504.0,
                                   65520.0,
                                   2147483648.0,
                                   -2147483648.0,
                                   4294967296.0,
                                   9223372036854775808.0,
                                   -9223372036854775808.0,
                                   18446744073709551616.0,
                                   1e-8,
                                   6e-8,
                                   6.1e-5,
                                   1e30,
                                   -1e30,
                                   1e300,
                                   1e-300,
                                   1e-40,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
  uint64_t mask = type == bool_ ? 1 : type.size() == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * type.size())) - 1;
  switch (random() % 4) {
    case 0:
      return is_float(type)
                 ? ir::double_to_bits(type, numbers[random() % std::size(numbers)])
                 : ((uint64_t{1} << random() % 64) * (random() % 2 ? 1 : ~uint64_t{0}) + random() % 3 - 1) & mask;
    case 1: return random() & mask;
    case 2: return ir::double_to_bits(type, static_cast<double>(static_cast<int64_t>(random() % 21)) - 10.0) & mask;
    default:
      return is_float(type) ? ir::double_to_bits(type, (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 8)
                            : random() % 70 & mask;
  }
}

void fill(std::byte* memory, int64_t count, Dtype type, Random& random) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t bits = interesting_bits(type, random);
    std::memcpy(memory + i * type.size(), &bits, type.size());
  }
}

ir::Program program_of(ir::Kernel kernel) {
  ir::Program p;
  p.symbols = kernel.symbols;
  p.kernels.push_back(std::move(kernel));
  return p;
}

Compiled::Compiled(ir::Kernel kernel, const std::string& cpu) : kernel_(std::move(kernel)) {
  auto code = codegen::load(program_of(kernel_), {"llvm", cpu});
  if (!code) {
    ADD_FAILURE() << code.error().str();
    return;
  }
  code_ = *code;
  auto entry = code_->entry(kernel_.name);
  if (!entry)
    ADD_FAILURE() << entry.error().str();
  else
    fn_ = *entry;
}

void Compiled::check(const std::vector<int64_t>& symbols, int parts, const Fill& values) {
  if (!fn_) return;
  auto lookup = [&](const std::string& name) -> std::optional<int64_t> {
    for (size_t i = 0; i < kernel_.symbols.size(); ++i)
      if (kernel_.symbols[i] == name) return symbols[i];
    return std::nullopt;
  };
  std::vector<std::vector<std::byte>> expected;
  std::vector<std::unique_ptr<GuardedMemory>> actual;
  std::vector<ir::BufferSpan> spans;
  std::vector<void*> pointers;
  for (const ir::KernelBuffer& b : kernel_.buffers) {
    int64_t count = *b.size.evaluate(lookup);
    auto memory = std::make_unique<GuardedMemory>(static_cast<size_t>(count) * b.dtype.size());
    if (b.read)
      fill(memory->data(), count, b.dtype, random_);
    else
      std::memset(memory->data(), b.dtype == bool_ ? 1 : 0xa5, memory->bytes());
    if (values)
      for (int64_t i = 0; i < count; ++i)
        if (auto bits = values(b.name, i)) std::memcpy(memory->data() + i * b.dtype.size(), &*bits, b.dtype.size());
    expected.emplace_back(memory->data(), memory->data() + memory->bytes());
    pointers.push_back(memory->data());
    actual.push_back(std::move(memory));
  }
  for (auto& e : expected) spans.push_back({e.data(), e.size()});
  Status status = ir::interpret(kernel_, spans, symbols);
  ASSERT_TRUE(status.ok()) << status.error().str();

  int64_t scratch_bytes = 0;
  for (const ir::KernelBuffer& local : kernel_.locals)
    scratch_bytes += (*local.size.evaluate(lookup) * local.dtype.size() + 63) / 64 * 64;
  std::vector<std::byte> scratch(static_cast<size_t>(scratch_bytes) + 64);
  void* aligned = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  const ir::Loop* loop = ir::parallel_loop(kernel_);
  int64_t extent = loop ? *loop->extent.evaluate(lookup) : 1;
  if (!loop) parts = 1;
  for (int p = parts; p-- > 0;)
    fn_(pointers.data(), symbols.data(), extent * p / parts, extent * (p + 1) / parts, aligned);

  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    const ir::KernelBuffer& b = kernel_.buffers[i];
    int64_t count = static_cast<int64_t>(expected[i].size()) / b.dtype.size();
    for (int64_t j = 0; j < count; ++j) {
      uint64_t want = read(expected[i].data() + j * b.dtype.size(), b.dtype);
      uint64_t got = read(actual[i]->data() + j * b.dtype.size(), b.dtype);
      if (want == got || (is_nan_bits(b.dtype, want) && is_nan_bits(b.dtype, got))) continue;
      std::string inputs;
      for (size_t k = 0; k < kernel_.buffers.size(); ++k)
        if (kernel_.buffers[k].read && j * kernel_.buffers[k].dtype.size() < static_cast<int64_t>(expected[k].size())) {
          char text[64];
          std::snprintf(text, sizeof text, " %s=%llx", kernel_.buffers[k].name.c_str(),
                        static_cast<unsigned long long>(
                            read(expected[k].data() + j * kernel_.buffers[k].dtype.size(), kernel_.buffers[k].dtype)));
          inputs += text;
        }
      ADD_FAILURE()
          << "kernel @" << kernel_.name << ", " << (symbols.empty() ? 0 : symbols[0]) << " elements: " << b.name << "["
          << j << "] is " << std::hex << got << ", interpreted " << want << ";" << inputs
          << (loop ? " (vector " + std::to_string(loop->vector) + " unroll " + std::to_string(loop->unroll) + ")" : "");
      return;
    }
  }
}

ir::Kernel parse(const std::string& text) {
  auto kernel = ir::parse_kernel(text);
  if (!kernel) {
    ADD_FAILURE() << kernel.error().render(text);
    return {};
  }
  return *kernel;
}

namespace {
void set_vector(ir::Body& body, const std::string& var, int vector, int unroll) {
  for (ir::Instr& i : body) {
    auto* loop = std::get_if<ir::Loop>(&i.node);
    if (!loop) continue;
    if (loop->var == var) loop->vector = vector, loop->unroll = unroll;
    set_vector(loop->body, var, vector, unroll);
  }
}
}  // namespace

void set_vector(ir::Kernel& k, const std::string& var, int vector, int unroll) {
  set_vector(k.body, var, vector, unroll);
}

}  // namespace frit::test
