// Files that are replaced whole, and files mapped into memory.
#include "runtime/files/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

namespace frit::runtime {

Result<FileWriter> FileWriter::create(const std::string& path) {
  FileWriter w;
  w.path_ = path;
  std::error_code ignored;
  std::filesystem::path target = std::filesystem::canonical(path, ignored);
  if (target.empty()) target = path;
  w.target_ = target.string();
  struct stat old;
  const bool exists = ::stat(w.target_.c_str(), &old) == 0;
  if (exists && !S_ISREG(old.st_mode)) {
    w.fd_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    const mode_t mode = exists ? old.st_mode & 0777 : 0666;
    static std::atomic<unsigned> counter{0};
    do {
      w.temporary_ = w.target_ + ".part" + std::to_string(getpid()) + "-" + std::to_string(counter++);
      w.fd_ = ::open(w.temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    } while (w.fd_ < 0 && errno == EEXIST);
    // The mask of the process is for new files; one that is replaced keeps its rights.
    if (exists && w.fd_ >= 0 && ::fchmod(w.fd_, mode) != 0) return w.failed(errno);
  }
  if (w.fd_ < 0) {
    const int reason = errno;
    w.temporary_.clear();
    return w.failed(reason);
  }
  return w;
}

FileWriter::FileWriter(FileWriter&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

FileWriter::~FileWriter() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Diagnostic FileWriter::failed(int reason) {
  return Diagnostic("cannot write '" + path_ + "': " + std::strerror(reason));
}

Status FileWriter::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed(n < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
  return {};
}

Status FileWriter::commit() {
  if (::close(std::exchange(fd_, -1)) != 0) return failed(errno);
  if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) return failed(errno);
  temporary_.clear();
  return {};
}

Status write_file(const std::string& path, std::string_view bytes) {
  FRIT_ASSIGN_OR_RETURN(file, FileWriter::create(path));
  FRIT_TRY(file.write(bytes));
  return file.commit();
}

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  const auto failed = [&](const std::string& why) { return Diagnostic("cannot read '" + path + "': " + why); };
  // Opening a pipe must not wait for someone who writes to it.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return failed(std::strerror(errno));
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = path;
  struct stat info;
  int reason = fstat(fd, &info) == 0 ? 0 : errno;
  const bool regular = reason == 0 && S_ISREG(info.st_mode);
  if (regular && info.st_size > 0) {
    void* at = mmap(nullptr, static_cast<size_t>(info.st_size), PROT_READ, MAP_PRIVATE, fd, 0);
    if (at == MAP_FAILED) {
      reason = errno;
    } else {
      file->data_ = at;
      file->size_ = static_cast<size_t>(info.st_size);
    }
  }
  ::close(fd);
  if (reason) return failed(std::strerror(reason));
  if (!regular)
    return failed(S_ISDIR(info.st_mode) ? "it is a folder, it is not a regular file" : "it is not a regular file");
  return std::shared_ptr<const MappedFile>(std::move(file));
}

std::shared_ptr<const MappedFile> MappedFile::of_bytes(std::string bytes, const std::string& name) {
  std::shared_ptr<MappedFile> file(new MappedFile);
  file->path_ = name;
  file->own_ = std::move(bytes);
  file->data_ = file->own_.data();
  file->size_ = file->own_.size();
  return std::shared_ptr<const MappedFile>(std::move(file));
}

MappedFile::~MappedFile() {
  if (data_ && data_ != own_.data()) munmap(data_, size_);
}

std::shared_ptr<Buffer> MappedFile::buffer(size_t offset, size_t bytes) const {
  return Buffer::adopt(static_cast<char*>(data_) + offset, bytes, [keep = shared_from_this()](void*) {});
}

}  // namespace frit::runtime
