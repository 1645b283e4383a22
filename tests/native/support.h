// Native forms in tests: planned, emitted, written to a folder of their own, opened and called as a C program calls
// them.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "codegen/core/backend.h"
#include "codegen/package/c_interface.h"
#include "support/ways.h"

namespace frit::test {

// A folder that is deleted with the object.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

void write_file(const std::string& path, std::string_view bytes);
// The command's output on both streams; its status in `status`.
std::string output_of(const std::string& command, int& status);
bool has_program(const std::string& name);

codegen::Backend& llvm();
ir::Function parse_one(const std::string& text);

// Through the standard pipeline with the traits for native forms, verified after each pass.
Result<ir::Function> plan_native(const ir::Function& f, const codegen::Target& target,
                                 const codegen::NativeOptions& options = {});

// The code of an emission, and the header in `header`.
Result<std::string> emit_code(std::span<const ir::Function> planned, const codegen::Target& target,
                              std::string_view emission, const codegen::NativeOptions& options,
                              std::string* header = nullptr);

// An opened shared library.
class Library {
 public:
  static Result<std::unique_ptr<Library>> open(const std::string& path);
  ~Library();
  void* find(const std::string& name) const;

 private:
  explicit Library(void* handle) : handle_(handle) {}
  void* handle_;
};

// Calls a function all of whose arguments are pointers and int64_t.
int call_entry(void* function, const std::vector<uint64_t>& arguments);
uint64_t call_workspace(void* function, const std::vector<uint64_t>& symbols);

// Runs the function on arguments as a C caller would: outputs and workspace on memory that ends at an inaccessible
// page.
Result<std::vector<ir::Tensor>> run_native(const Library& library, const ir::Function& planned,
                                           const codegen::CInterface& c, const Arguments& arguments);

}  // namespace frit::test
