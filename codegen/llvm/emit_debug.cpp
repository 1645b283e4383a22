// Debug locations: lines of the printed kernel for listings, lines of the user's source for debuggers.
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>

#include "codegen/llvm/emitter.h"
#include "ir/kernel/origin.h"

namespace frit::codegen {

namespace {

bool is_line(const SourceLoc& loc) { return loc.known() && *loc.file && loc.line; }

// A file by its folder and name, as debuggers look for it.
llvm::DIFile* file_of(llvm::LLVMContext& context, std::string_view path) {
  const size_t slash = path.rfind('/');
  const std::string_view folder = slash == path.npos ? "." : path.substr(0, std::max<size_t>(slash, 1));
  return llvm::DIFile::get(context, llvm::StringRef(slash == path.npos ? path : path.substr(slash + 1)),
                           llvm::StringRef(folder));
}

}  // namespace

void KernelEmitter::keep_lines(const std::vector<const ir::Instr*>& lines) {
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i]) lines_[lines[i]] = static_cast<unsigned>(i + 1);
}

void KernelEmitter::keep_sources() {
  for (const auto& [op, loc] : kernel_.op_locs) sources_ = sources_ || is_line(loc);
}

void KernelEmitter::open_scope(const std::string& symbol) {
  if (lines_.empty() && !sources_) return;
  SourceLoc first;
  for (const auto& [op, loc] : kernel_.op_locs)
    if (!is_line(first)) first = loc;
  llvm::DIBuilder info(module_);
  llvm::DIFile* file = sources_ ? file_of(context_, first.file) : info.createFile(kernel_.name, ".");
  const unsigned line = sources_ ? first.line : 1;
  info.createCompileUnit(llvm::dwarf::DW_LANG_C, file, "frit", true, "", 0, "",
                         sources_ ? llvm::DICompileUnit::LineTablesOnly : llvm::DICompileUnit::DebugDirectivesOnly);
  scope_ =
      info.createFunction(file, symbol, symbol, file, line, info.createSubroutineType(info.getOrCreateTypeArray({})),
                          line, llvm::DINode::FlagZero, llvm::DISubprogram::SPFlagDefinition);
  function_->setSubprogram(scope_);
  info.finalize();
  files_[sources_ ? first.file : ""] = scope_;
  builder_.SetCurrentDebugLocation(llvm::DILocation::get(context_, line, 0, scope_));
}

// An instruction without a line belongs to the one around it.
void KernelEmitter::locate(const ir::Instr& instr) {
  if (!scope_) return;
  if (!sources_) {
    if (const auto line = lines_.find(&instr); line != lines_.end())
      builder_.SetCurrentDebugLocation(llvm::DILocation::get(context_, line->second, 0, scope_));
    return;
  }
  const SourceLoc loc = ir::source_of(kernel_, instr);
  if (!is_line(loc)) return;
  llvm::DILocalScope*& scope = files_[loc.file];
  if (!scope) scope = llvm::DILexicalBlockFile::get(context_, scope_, file_of(context_, loc.file), 0);
  builder_.SetCurrentDebugLocation(llvm::DILocation::get(context_, loc.line, 0, scope));
}

}  // namespace frit::codegen
