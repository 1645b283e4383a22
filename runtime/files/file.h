// Files that appear whole or not at all, and files seen as memory.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/base/result.h"
#include "runtime/memory/memory.h"

namespace frit::runtime {

// Writes beside `path` and renames once all is there; a file that is not committed leaves nothing behind. A file that
// is replaced keeps its access rights. A link stays one, and the file that it names is replaced. A device or a pipe is
// written in place.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::string& path);
  FileWriter(FileWriter&& other) noexcept;
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();

  Status write(std::string_view bytes);
  // Closes the file and puts it in its place.
  Status commit();

 private:
  FileWriter() = default;
  Diagnostic failed(int reason);
  std::string path_, target_,
      temporary_;  // `temporary_` is empty where the file is written in place, and once it is committed
  int fd_ = -1;
};

Status write_file(const std::string& path, std::string_view bytes);

// A regular file in memory, read-only; anything else is refused at once. A process that reads a mapped file ends when
// the file is made shorter: replace files, do not rewrite them.
class MappedFile : public std::enable_shared_from_this<MappedFile> {
 public:
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);
  // The same view of bytes that came from elsewhere; `name` stands in for the path in messages.
  static std::shared_ptr<const MappedFile> of_bytes(std::string bytes, const std::string& name);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }
  // A part of it as a buffer, which keeps the mapping alive and must not be written.
  std::shared_ptr<Buffer> buffer(size_t offset, size_t bytes) const;

 private:
  MappedFile() = default;
  std::string path_;
  std::string own_;  // where no file is mapped
  void* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace frit::runtime
