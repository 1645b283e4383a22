// FRIT_CRASH_DIR=folder: a graph whose compilation fails, or ends the process, stays there as a file.
#pragma once

#include <string>

#include "codegen/core/backend.h"

namespace frit::codegen {

// Writes the graph when compilation begins, so that the file is there if the process ends in it, and removes it with
// its own life unless `failed` was called. Does nothing without FRIT_CRASH_DIR. The folder is made where it is missing;
// one that cannot be written gives a line on stderr, and the compilation goes on.
class CrashFile {
 public:
  CrashFile(const ir::Function& f, const CompileOptions& options);
  ~CrashFile();
  CrashFile(const CrashFile&) = delete;
  CrashFile& operator=(const CrashFile&) = delete;

  void failed(const Diagnostic& why);

 private:
  void write(const std::string& said);
  std::string path_, graph_, command_;
  bool keep_ = false;
};

// A new file name in `folder`, made of the process, a counter and the function's name; makes the folder.
std::string new_reproducer(const std::string& folder, const std::string& function);

}  // namespace frit::codegen
