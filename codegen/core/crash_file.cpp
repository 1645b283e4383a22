// Graph files that show why a compilation failed.
#include "codegen/core/crash_file.h"

#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "codegen/core/facts.h"
#include "ir/text/printer.h"
#include "runtime/files/file.h"

namespace frit::codegen {

std::string new_reproducer(const std::string& folder, const std::string& function) {
  static std::atomic<int> count{0};
  std::error_code ignored;  // writing says why the folder is of no use
  std::filesystem::create_directories(folder, ignored);
  std::string name;
  for (char c : function.substr(0, 60)) name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' ? c : '_';
  return folder + "/" + name + "-" + std::to_string(getpid()) + "-" + std::to_string(++count) + ".frit";
}

CrashFile::CrashFile(const ir::Function& f, const CompileOptions& options) {
  static const char* const folder = secure_getenv("FRIT_CRASH_DIR");
  if (!folder || !*folder) return;
  ir::Module module;
  module.functions.push_back(std::make_unique<ir::Function>(f));
  graph_ = ir::print(module);
  path_ = new_reproducer(folder, f.name);
  command_ = "frit report '" + path_ + "' --no-run --json";
  const BackendFacts* facts = facts_of(options.target.backend);
  if (facts && !facts->device.empty() && facts->device != "cpu") command_ += " --device=" + facts->device;
  if (options.target.cpu != "native") command_ += " --cpu=" + options.target.cpu;
  if (!options.fuse) command_ += " --no-fuse";
  write("the process ended in the compilation of this function");
}

CrashFile::~CrashFile() {
  std::error_code ignored;
  if (!path_.empty() && !keep_) std::filesystem::remove(path_, ignored);
}

void CrashFile::failed(const Diagnostic& why) {
  if (path_.empty()) return;
  keep_ = true;
  std::string line = why.message;
  for (char& c : line)
    if (c == '\n') c = ' ';
  write("the compilation of this function fails: " + line);
  if (!path_.empty())
    std::fprintf(stderr, "frit: the graph is in '%s'; shown by: %s\n", path_.c_str(), command_.c_str());
}

void CrashFile::write(const std::string& said) {
  const Status s = runtime::write_file(path_, "// " + said + "\n// shown by: " + command_ + "\n" + graph_);
  if (s.ok()) return;
  std::fprintf(stderr, "frit: FRIT_CRASH_DIR: %s\n", s.error().message.c_str());
  path_.clear();
}

}  // namespace frit::codegen
