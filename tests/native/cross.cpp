// Runs libraries for 64-bit Arm in an emulator.
#include "cross.h"
#include "tests/environment.h"

#include <cstring>
#include <fstream>
#include <sstream>

namespace frit::test {
namespace {

void append(std::string& bytes, uint64_t value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); }

// The bytes of an output in this call.
ir::Tensor empty_result(const CrossCall& call, const codegen::CParam& p) {
  const ir::Type type = at_call(call.planned->program->result_types[p.index], call.arguments->symbols);
  ir::Tensor t;
  t.dtype = type.dtype;
  size_t count = 1;
  for (const Dim& d : type.shape) {
    t.shape.push_back(d.value());
    count *= static_cast<size_t>(d.value());
  }
  t.data.resize(count * type.dtype.size());
  return t;
}

void append_call(std::string& bytes, const CrossCall& call) {
  using Kind = codegen::CParam::Kind;
  append(bytes, call.c->name.size());
  bytes += call.c->name;
  append(bytes, call.c->params.size());
  for (const codegen::CParam& p : call.c->params) {
    append(bytes, static_cast<uint64_t>(p.kind));
    if (p.kind == Kind::Input) {
      const ir::Literal& memory = call.arguments->memory[p.index];
      append(bytes, memory.nbytes());
      bytes.append(reinterpret_cast<const char*>(memory.data()), memory.nbytes());
    } else if (p.kind == Kind::Output) {
      append(bytes, empty_result(call, p).data.size());
    } else if (p.kind == Kind::Symbol) {
      append(bytes, static_cast<uint64_t>(call.arguments->symbols.at(call.c->symbols[p.index])));
    }
  }
}

}  // namespace

std::string why_no_arm() {
  static const std::string why = [] {
    for (const char* program : {"qemu-aarch64", "aarch64-linux-gnu-gcc"})
      if (!has_program(program)) return std::string("there is no ") + program;
    if (!std::filesystem::exists("/usr/aarch64-linux-gnu/lib/libc.so.6"))
      return std::string("there is no C library for it");
    return std::string();
  }();
  return why;
}

Result<std::vector<std::vector<ir::Tensor>>> run_on_arm(const Folder& folder, const std::string& library,
                                                        const std::vector<CrossCall>& calls) {
  int status = 0;
  const std::string driver = folder.file("driver"), source = source_folder() + "/tests/native/driver.c";
  if (!std::filesystem::exists(driver)) {
    const std::string said =
        output_of("aarch64-linux-gnu-gcc -O1 -Wall -Wextra -std=c11 '" + source + "' -o '" + driver + "' -ldl", status);
    if (status) return Diagnostic("the driver does not compile: " + said);
  }
  std::string bytes;
  for (const CrossCall& call : calls) append_call(bytes, call);
  write_file(folder.file("calls"), bytes);
  const std::string said = output_of("qemu-aarch64 -L /usr/aarch64-linux-gnu '" + driver + "' '" + library + "' '" +
                                         folder.file("calls") + "' '" + folder.file("results") + "'",
                                     status);
  if (status) return Diagnostic("the emulator ended with status " + std::to_string(status) + ": " + said);
  std::stringstream read;
  read << std::ifstream(folder.file("results"), std::ios::binary).rdbuf();
  const std::string text = read.str();
  size_t at = 0;
  const auto take = [&](void* to, size_t count) {
    if (at + count > text.size()) return false;
    if (count) std::memcpy(to, text.data() + at, count);
    at += count;
    return true;
  };
  std::vector<std::vector<ir::Tensor>> results;
  for (const CrossCall& call : calls) {
    uint64_t code = 0;
    if (!take(&code, sizeof code)) return Diagnostic("results are missing");
    if (code) return Diagnostic("@" + call.c->name + " gave code " + std::to_string(code) + ": " + said);
    std::vector<ir::Tensor>& own = results.emplace_back();
    for (const codegen::CParam& p : call.c->params) {
      if (p.kind != codegen::CParam::Kind::Output) continue;
      ir::Tensor t = empty_result(call, p);
      if (!take(t.data.data(), t.data.size())) return Diagnostic("results are missing");
      own.push_back(std::move(t));
    }
  }
  return results;
}

}  // namespace frit::test
