// Reads the texts that LLVM writes, with debug locations whose lines are those of the printed kernel.
#include "codegen/llvm/kernel_code.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

#include <charconv>
#include <map>
#include <optional>

#include "codegen/llvm/assemble.h"
#include "codegen/llvm/compiler.h"
#include "runtime/execute/observe.h"

namespace frit::codegen {

namespace {

using CodeLine = Backend::CodeLine;
using KernelCode = Backend::KernelCode;

// Calls see(line) for each line of `text`.
template <class See>
void each_line(std::string_view text, See see) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    see(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

uint32_t number_at(std::string_view text) {
  uint32_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

// `, !dbg !12` at the end of an instruction names the metadata `!12 = !DILocation(line: 7, ...)` at the end of the
// module.
std::map<uint32_t, uint32_t> locations_of(std::string_view module) {
  std::map<uint32_t, uint32_t> lines;
  each_line(module, [&](std::string_view line) {
    if (!line.starts_with('!')) return;
    const size_t at = line.find("!DILocation(line: ");
    if (at != std::string_view::npos) lines[number_at(line.substr(1))] = number_at(line.substr(at + 18));
  });
  return lines;
}

void read_ir(std::string_view module, std::string_view symbol, KernelCode& code) {
  const std::map<uint32_t, uint32_t> locations = locations_of(module);
  bool inside = false;
  each_line(module, [&](std::string_view line) {
    inside = inside || (line.starts_with("define ") && line.find("@" + std::string(symbol) + "(") != line.npos);
    if (!inside) return;
    CodeLine out;
    if (const size_t mark = line.rfind(", !dbg !"); mark != std::string_view::npos) {
      const auto found = locations.find(number_at(line.substr(mark + 8)));
      if (found != locations.end()) out.from = found->second;
      line = line.substr(0, mark);
    }
    if (const size_t mark = line.rfind(" !dbg !"); mark != std::string_view::npos)
      line = std::string_view(line).substr(0, mark);
    out.text = line;
    code.lines.push_back(std::move(out));
    if (line == "}") inside = false;
  });
}

bool is_directive(std::string_view line) {
  static constexpr std::string_view kHidden[] = {".loc",     ".cfi_",    ".file", ".type",  ".size",   ".globl",
                                                 ".p2align", ".section", ".text", ".ident", ".addrsig"};
  for (std::string_view d : kHidden)
    if (line.starts_with(d)) return true;
  return false;
}

// Of "\t.loc\t1 7 0 ..." the line 7.
uint32_t line_of_loc(std::string_view loc) {
  loc = trimmed(loc.substr(4));
  const size_t space = loc.find(' ');
  return space == loc.npos ? 0 : number_at(loc.substr(space + 1));
}

void read_assembly(std::string_view text, std::string_view symbol, KernelCode& code) {
  bool inside = false;
  uint32_t from = 0;
  code.spills = 0;
  code.frame_bytes = 0;
  each_line(text, [&](std::string_view line) {
    const std::string_view said = trimmed(line);
    if (said.starts_with(std::string(symbol) + ":")) inside = true, from = 0;
    if (!inside || said.empty()) return;
    if (said.starts_with(".Lfunc_end")) {
      inside = false;
      return;
    }
    if (said.starts_with(".loc")) from = line_of_loc(said);
    if (is_directive(said)) return;
    const bool label = said.find(':') != said.npos && line[0] != '\t' && line[0] != ' ';
    if (label && (said.starts_with(".Ltmp") || said.starts_with(".Lfunc_begin"))) return;
    std::string kept(line);
    const size_t comment = kept.find('#');
    if (comment != kept.npos) {
      const bool spill = kept.find("Spill", comment) != kept.npos || kept.find("Reload", comment) != kept.npos;
      if (spill) ++*code.spills;
      if (!spill) kept = kept.substr(0, comment);
    }
    while (!kept.empty() && (kept.back() == ' ' || kept.back() == '\t')) kept.pop_back();
    if (kept.empty()) return;
    if (const size_t sub = kept.find("subq\t$"); sub != kept.npos && kept.ends_with(", %rsp"))
      *code.frame_bytes += number_at(std::string_view(kept).substr(sub + 6));
    code.lines.push_back({std::move(kept), label ? 0 : from});
  });
}

}  // namespace

Result<std::vector<KernelCode>> list_kernel(const ir::Kernel& kernel, const std::shared_ptr<const CpuTarget>& cpu,
                                            std::string* object) {
  const int64_t begin = runtime::now_ns();
  llvm::LLVMContext context;
  CompilerHandle compiler = acquire_compiler(cpu);
  FRIT_ASSIGN_OR_RETURN(module, compiler->emit({&kernel, 1}, context, Lines::Kernel));
  std::vector<KernelCode> forms(2);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << *module;
  forms[0].form = "llvm-ir";
  read_ir(text, symbol_name(kernel), forms[0]);
  const std::string assembly = compiler->generate(*module, true, true);
  forms[1].form = "asm";
  read_assembly(assembly, symbol_name(kernel), forms[1]);
  for (KernelCode& code : forms) code.kernel = kernel.name;
  if (object) {
    FRIT_ASSIGN_OR_RETURN(made, assemble(assembly, *cpu));
    *object = std::move(made);
  }
  forms[1].ms = static_cast<double>(runtime::now_ns() - begin) / 1e6;
  return forms;
}

}  // namespace frit::codegen
