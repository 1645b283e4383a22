// Plans, emits, opens and calls native forms.
#include "support.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "ir/read/parser.h"

namespace frit::test {

Folder::Folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "frit_native_XXXXXX").string();
  if (!mkdtemp(pattern.data())) std::abort();
  path_ = pattern;
}
Folder::~Folder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string output_of(const std::string& command, int& status) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part;
  for (size_t n; (n = fread(part.data(), 1, part.size(), pipe)) > 0;) text.append(part.data(), n);
  const int ended = pclose(pipe);
  status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  return text;
}

bool has_program(const std::string& name) {
  int status = 0;
  output_of("command -v " + name, status);
  return status == 0;
}

codegen::Backend& llvm() {
  auto found = codegen::find_backend("llvm");
  if (!found.ok()) {
    ADD_FAILURE() << found.error().str();
    std::abort();
  }
  return **found;
}

ir::Function parse_one(const std::string& text) {
  auto module = ir::parse(text, "test");
  if (!module.ok()) {
    ADD_FAILURE() << module.error().str();
    std::abort();
  }
  return std::move(*(*module)->functions.at(0));
}

Result<ir::Function> plan_native(const ir::Function& f, const codegen::Target& target,
                                 const codegen::NativeOptions& options) {
  ir::Function out = f;
  passes::PassContext context;
  FRIT_ASSIGN_OR_RETURN(traits, llvm().native_traits(target, options));
  context.target = traits;
  passes::RunOptions verified;
  verified.verify_each = true;
  FRIT_TRY(passes::run(passes::Pipeline::standard(), out, context, verified));
  return out;
}

Result<std::string> emit_code(std::span<const ir::Function> planned, const codegen::Target& target,
                              std::string_view emission, const codegen::NativeOptions& options, std::string* header) {
  std::vector<const ir::Function*> pointers;
  for (const ir::Function& f : planned) pointers.push_back(&f);
  FRIT_ASSIGN_OR_RETURN(files, llvm().emit_native(pointers, target, emission, options));
  std::string code;
  for (codegen::NativeFile& file : files) {
    if (file.suffix == ".h" && header)
      *header = std::move(file.bytes);
    else if (file.suffix != ".h")
      code = std::move(file.bytes);
  }
  return code;
}

Result<std::unique_ptr<Library>> Library::open(const std::string& path) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) return Diagnostic(dlerror());
  return std::unique_ptr<Library>(new Library(handle));
}
Library::~Library() { dlclose(handle_); }
void* Library::find(const std::string& name) const { return dlsym(handle_, name.c_str()); }

namespace {

constexpr size_t kMostArguments = 40;

template <class R, size_t... I>
R call_with(void* function, const std::vector<uint64_t>& a, std::index_sequence<I...>) {
  return reinterpret_cast<R (*)(decltype(static_cast<uint64_t>(I))...)>(function)(a[I]...);
}

// The calling conventions of these processors pass pointers and 64-bit numbers alike.
template <class R, size_t N = 0>
R call_any(void* function, const std::vector<uint64_t>& a) {
  if (a.size() == N) return call_with<R>(function, a, std::make_index_sequence<N>());
  if constexpr (N < kMostArguments) return call_any<R, N + 1>(function, a);
  ADD_FAILURE() << a.size() << " arguments are more than tests can pass";
  return R{};
}

}  // namespace

int call_entry(void* function, const std::vector<uint64_t>& arguments) { return call_any<int>(function, arguments); }
uint64_t call_workspace(void* function, const std::vector<uint64_t>& symbols) {
  return call_any<uint64_t>(function, symbols);
}

Result<std::vector<ir::Tensor>> run_native(const Library& library, const ir::Function& planned,
                                           const codegen::CInterface& c, const Arguments& arguments) {
  void *entry = library.find(c.name), *workspace_of = library.find(c.workspace_name());
  if (!entry || !workspace_of) return Diagnostic("the library has no '" + c.name + "'");
  std::vector<uint64_t> symbols;
  for (const std::string& name : c.symbols) symbols.push_back(static_cast<uint64_t>(arguments.symbols.at(name)));
  const uint64_t needed = call_workspace(workspace_of, symbols);
  if (needed == UINT64_MAX) return Diagnostic("'" + c.workspace_name() + "' refuses the sizes");
  // The end is at a page; 64 extra bytes let the start be a multiple of 64.
  auto memory = guarded_buffer((needed + 63) / 64 * 64);
  const char* message = nullptr;
  std::vector<uint64_t> values;
  std::vector<std::shared_ptr<runtime::Buffer>> outputs;
  std::vector<ir::Tensor> results;
  for (const codegen::CParam& p : c.params) {
    switch (p.kind) {
      case codegen::CParam::Kind::Input: {
        const runtime::Tensor& t = arguments.tensors[p.index];
        values.push_back(
            reinterpret_cast<uint64_t>(static_cast<std::byte*>(t.buffer->data()) + t.offset * t.dtype.size()));
        break;
      }
      case codegen::CParam::Kind::Output: {
        const ir::Type type = at_call(planned.program->result_types[p.index], arguments.symbols);
        ir::Tensor t;
        t.dtype = type.dtype;
        size_t count = 1;
        for (const Dim& d : type.shape) {
          t.shape.push_back(d.value());
          count *= static_cast<size_t>(d.value());
        }
        outputs.push_back(guarded_buffer(count * type.dtype.size()));
        std::memset(outputs.back()->data(), 0xa5, count * type.dtype.size());
        t.data.resize(count * type.dtype.size());
        results.push_back(std::move(t));
        values.push_back(reinterpret_cast<uint64_t>(outputs.back()->data()));
        break;
      }
      case codegen::CParam::Kind::Symbol: values.push_back(symbols[p.index]); break;
      case codegen::CParam::Kind::Weights: return Diagnostic("tests pass weights as inputs");
      case codegen::CParam::Kind::Workspace:
        values.push_back(needed ? reinterpret_cast<uint64_t>(memory->data()) : 0);
        break;
      case codegen::CParam::Kind::Message: values.push_back(reinterpret_cast<uint64_t>(&message)); break;
    }
  }
  if (needed) std::memset(memory->data(), 0x7f, needed);
  if (const int code = call_entry(entry, values))
    return Diagnostic("code " + std::to_string(code) + ": " + (message ? message : "no message"));
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].data.empty()) std::memcpy(results[i].data.data(), outputs[i]->data(), results[i].data.size());
  return results;
}

}  // namespace frit::test
