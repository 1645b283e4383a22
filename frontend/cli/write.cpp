// Writes several files whole or not at all.
#include "frontend/cli/write.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "frontend/cli/command.h"
#include "runtime/files/file.h"

namespace frit::cli {
namespace {

namespace fs = std::filesystem;

// A folder that exists, or a name that only a folder can have.
bool is_folder(const fs::path& path) {
  std::error_code absent;
  if (fs::exists(path, absent)) return fs::is_directory(path, absent);
  return !path.has_filename() || path.extension().empty();
}

// Names of kernels may have characters that a file's name should not have.
std::string file_name(const std::string& shader, std::set<std::string>& taken) {
  std::string base;
  for (const char c : shader) base += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' ? c : '_';
  std::string name = base;
  for (int n = 2; !taken.insert(name).second; ++n) name = base + "_" + std::to_string(n);
  return name;
}

}  // namespace

void write_files(const std::vector<NamedFile>& files) {
  std::vector<runtime::FileWriter> writers;
  for (const NamedFile& f : files) {
    writers.push_back(value_or_fail(runtime::FileWriter::create(f.path)));
    check(writers.back().write(f.bytes));
  }
  for (size_t i = 0; i < writers.size(); ++i) {
    const Status done = writers[i].commit();
    if (done.ok()) continue;
    std::error_code ignored;
    for (size_t j = 0; j < i; ++j) fs::remove(files[j].path, ignored);
    check(done);
  }
}

void write_parts(const std::string& output, const codegen::Emission& emission,
                 const std::vector<codegen::Backend::Part>& parts) {
  const bool shaders = !parts.empty() && !parts[0].name.empty();
  const bool standard = output.empty() || output == "-";
  if (shaders && !standard && is_folder(output)) {
    std::error_code error;
    const bool made = fs::create_directories(output, error);
    if (error) fail({"cannot make the folder '" + output + "': " + error.message()});
    std::vector<NamedFile> files;
    std::set<std::string> taken;
    for (const auto& part : parts)
      files.push_back({(fs::path(output) / (file_name(part.name, taken) + emission.ending)).string(), part.bytes});
    try {
      write_files(files);
    } catch (...) {
      if (made) fs::remove(output, error);
      throw;
    }
    return;
  }
  if (parts.size() > 1 && (!standard || emission.binary)) {
    constexpr size_t kNamed = 3;
    std::string names;
    for (size_t i = 0; i < std::min(parts.size(), kNamed); ++i) names += (i ? ", " : "") + parts[i].name;
    if (parts.size() > kNamed) names += ", ...";
    fail({"the function has " + std::to_string(parts.size()) + " shaders (" + names + "), and " +
              (standard ? "standard output" : "'" + output + "'") + " takes one as " + emission.name,
          {},
          "give a folder, which gets one file for each: -o DIR"});
  }
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : "\n") + part.bytes;
  write_output(output, text);
}

}  // namespace frit::cli
