// Readers and writers of bytes: files and memory.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "frontend/frit/error.h"
#include "frontend/frit/io.h"

namespace frit::io {

namespace {

[[noreturn]] void ends_early(const std::string& label) {
  throw RuntimeError("read: '" + label + "' ends early", "the file is cut short");
}

// The place that a seek leads to.
size_t place(int64_t off, std::ios_base::seekdir way, size_t at, size_t end) {
  const int64_t from = way == std::ios_base::beg ? 0 : static_cast<int64_t>(way == std::ios_base::cur ? at : end);
  return static_cast<size_t>(std::max<int64_t>(from + off, 0));
}

int origin_of(std::ios_base::seekdir way) {
  return way == std::ios_base::beg ? SEEK_SET : way == std::ios_base::cur ? SEEK_CUR : SEEK_END;
}

}  // namespace

ParallelFileReader::ParallelFileReader(std::string file_path)
    : fd_(::open(file_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), label_(std::move(file_path)) {}
ParallelFileReader::~ParallelFileReader() {
  if (fd_ >= 0) ::close(fd_);
}
bool ParallelFileReader::is_open() const { return fd_ >= 0; }
bool ParallelFileReader::good() const { return is_open() && good_; }
size_t ParallelFileReader::tell() { return static_cast<size_t>(std::max<off_t>(::lseek(fd_, 0, SEEK_CUR), 0)); }
void ParallelFileReader::seek(int64_t off, std::ios_base::seekdir way) {
  if (::lseek(fd_, off, origin_of(way)) < 0) good_ = false;
}
void ParallelFileReader::read(char* data, size_t n) {
  const size_t at = tell();
  read(data, n, at);
  seek(static_cast<int64_t>(at + n));
}
void ParallelFileReader::read(char* data, size_t n, size_t offset) {
  for (size_t at = 0; at < n;) {
    const ssize_t got = ::pread(fd_, data + at, n - at, static_cast<off_t>(offset + at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) ends_early(label_);
    at += static_cast<size_t>(got);
  }
}
std::string ParallelFileReader::label() const { return "file " + label_; }

FileWriter::~FileWriter() {
  if (fd_ >= 0) ::close(fd_);
}
void FileWriter::open() {
  if (fd_ < 0 && !file_path_.empty()) fd_ = ::open(file_path_.c_str(), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
}
bool FileWriter::is_open() const { return fd_ >= 0; }
bool FileWriter::good() const { return is_open(); }
size_t FileWriter::tell() {
  check_open();
  return static_cast<size_t>(std::max<off_t>(::lseek(fd_, 0, SEEK_CUR), 0));
}
void FileWriter::seek(int64_t off, std::ios_base::seekdir way) {
  check_open();
  ::lseek(fd_, off, origin_of(way));
}
void FileWriter::write(const char* data, size_t n) {
  check_open();
  for (size_t at = 0; at < n;) {
    const ssize_t put = ::write(fd_, data + at, n - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0)
      throw RuntimeError("write: '" + label() + "' cannot be written", "see whether there is room and leave to write");
    at += static_cast<size_t>(put);
  }
}
std::string FileWriter::label() const { return "file " + file_path_; }
void FileWriter::check_open() const {
  if (!is_open()) throw RuntimeError("write: '" + label() + "' is not open", "call open, and see whether it is there");
}

MemoryReader::MemoryReader(std::string bytes, std::string label) : bytes_(std::move(bytes)), label_(std::move(label)) {}
void MemoryReader::seek(int64_t off, std::ios_base::seekdir way) { at_ = place(off, way, at_, bytes_.size()); }
void MemoryReader::read(char* data, size_t n) {
  read(data, n, at_);
  at_ += n;
}
void MemoryReader::read(char* data, size_t n, size_t offset) {
  if (offset > bytes_.size() || n > bytes_.size() - offset) {
    good_ = false;
    ends_early(label_);
  }
  if (n) std::memcpy(data, bytes_.data() + offset, n);
}

void MemoryWriter::seek(int64_t off, std::ios_base::seekdir way) { at_ = place(off, way, at_, bytes_.size()); }
void MemoryWriter::write(const char* data, size_t n) {
  if (at_ + n > bytes_.size()) bytes_.resize(at_ + n);
  if (n) std::memcpy(bytes_.data() + at_, data, n);
  at_ += n;
}

}  // namespace frit::io
