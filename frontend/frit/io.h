// Arrays in files: .npy, .safetensors and .gguf, from and to files, streams and memory. The declarations are written
// from frontend/api/arrays_in_files.api.
#pragma once

#include <cstddef>
#include <fstream>
#include <functional>
#include <future>
#include <ios>
#include <memory>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "frit/array.h"

namespace frit {

// A number or a list of numbers, a text, or a list of texts. Nothing stands for a fact of another kind.
using GGUFMetaData = std::variant<std::monostate, array, std::string, std::vector<std::string>>;
using GGUFLoad = std::pair<std::unordered_map<std::string, array>, std::unordered_map<std::string, GGUFMetaData>>;
using SafetensorsLoad = std::pair<std::unordered_map<std::string, array>, std::unordered_map<std::string, std::string>>;

namespace io {

// Where bytes come from. Programs may derive from it; reading begins where the reader stands.
class Reader {
 public:
  virtual bool is_open() const = 0;
  virtual bool good() const = 0;
  virtual size_t tell() = 0;
  virtual void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) = 0;
  virtual void read(char* data, size_t n) = 0;
  virtual void read(char* data, size_t n, size_t offset) = 0;
  virtual std::string label() const = 0;  // for messages
  virtual ~Reader() = default;
};

// Where bytes go to.
class Writer {
 public:
  virtual bool is_open() const = 0;
  virtual bool good() const = 0;
  virtual size_t tell() = 0;
  virtual void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) = 0;
  virtual void write(const char* data, size_t n) = 0;
  virtual std::string label() const = 0;
  // Called before arrays are written; there for writers that open late.
  virtual void open() {}
  virtual ~Writer() = default;
};

// Threads that begin tasks in the order in which they were given. A pool without threads runs them in `enqueue`.
class ThreadPool {
 public:
  // Throws RuntimeError where the system gives no thread.
  explicit ThreadPool(size_t threads);
  // Waits for the tasks that were given.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs f(args...) on a thread of the pool. The future has its result, or what it threw.
  template <class F, class... Args>
  auto enqueue(F&& f, Args&&... args) -> std::future<std::invoke_result_t<F, Args...>> {
    auto task = std::make_shared<std::packaged_task<std::invoke_result_t<F, Args...>()>>(
        std::bind(std::forward<F>(f), std::forward<Args>(args)...));
    auto result = task->get_future();
    add([task] { (*task)(); });
    return result;
  }

 private:
  struct Queue;
  void add(std::function<void()> task);
  std::unique_ptr<Queue> queue_;
};

// Four threads for reading files, made at the first call. It lives as long as the process.
ThreadPool& thread_pool();

// A file. Reading at an offset may be done by several threads at once.
class ParallelFileReader : public Reader {
 public:
  explicit ParallelFileReader(std::string file_path);
  ~ParallelFileReader() override;
  ParallelFileReader(const ParallelFileReader&) = delete;
  ParallelFileReader& operator=(const ParallelFileReader&) = delete;
  bool is_open() const override;
  bool good() const override;
  size_t tell() override;
  void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) override;
  void read(char* data, size_t n) override;
  void read(char* data, size_t n, size_t offset) override;
  std::string label() const override;

 private:
  int fd_;
  bool good_ = true;
  std::string label_;
};

// A new file, or one that is written over, from `open` on. Bytes are in the file at once. `tell`, `seek` and
// `write` throw RuntimeError before that.
class FileWriter : public Writer {
 public:
  explicit FileWriter() = default;
  explicit FileWriter(std::string file_path) : file_path_(std::move(file_path)) {}
  ~FileWriter() override;
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  FileWriter(FileWriter&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)), file_path_(std::exchange(other.file_path_, {})) {}
  void open() override;
  bool is_open() const override;
  bool good() const override;
  size_t tell() override;
  void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) override;
  void write(const char* data, size_t n) override;
  std::string label() const override;

 private:
  void check_open() const;
  int fd_ = -1;
  std::string file_path_;
};

// Bytes in memory, as a reader of them.
class MemoryReader : public Reader {
 public:
  explicit MemoryReader(std::string bytes, std::string label = "memory");
  bool is_open() const override { return true; }
  bool good() const override { return good_; }
  size_t tell() override { return at_; }
  void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) override;
  void read(char* data, size_t n) override;
  void read(char* data, size_t n, size_t offset) override;
  std::string label() const override { return label_; }

 private:
  std::string bytes_, label_;
  size_t at_ = 0;
  bool good_ = true;
};

// Bytes in memory, as a writer of them.
class MemoryWriter : public Writer {
 public:
  bool is_open() const override { return true; }
  bool good() const override { return true; }
  size_t tell() override { return at_; }
  void seek(int64_t off, std::ios_base::seekdir way = std::ios_base::beg) override;
  void write(const char* data, size_t n) override;
  std::string label() const override { return "memory"; }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t at_ = 0;
};

}  // namespace io

// ---- Written from frontend/api: arrays_in_files

// Writes one array as .npy.
// Types: any; bfloat16 is written as raw elements of two bytes.
// Throws RuntimeError when nothing can be written.
void save(std::string file, array a);
void save(std::shared_ptr<io::Writer> out_stream, array a);

// Reads one array from .npy.
// Throws RuntimeError when the file is not there or damaged.
array load(std::string file, StreamOrDevice s = {});
array load(std::shared_ptr<io::Reader> in_stream, StreamOrDevice s = {});

// Writes arrays with names, and texts with names.
// Types: any.
// Throws RuntimeError when nothing can be written.
void save_safetensors(std::string file, std::unordered_map<std::string, array> arrays,
                      std::unordered_map<std::string, std::string> metadata = {});
void save_safetensors(std::shared_ptr<io::Writer> out_stream, std::unordered_map<std::string, array> arrays,
                      std::unordered_map<std::string, std::string> metadata = {});

// Reads the arrays and texts of a .safetensors file.
// Throws RuntimeError when the file is not there or damaged.
SafetensorsLoad load_safetensors(const std::string& file, StreamOrDevice s = {});
SafetensorsLoad load_safetensors(std::shared_ptr<io::Reader> in_stream, StreamOrDevice s = {});

// Writes arrays with names, and facts about a model.
// Types: real floats and signed integers. Facts are numbers, lists of numbers, texts or lists of texts.
// Throws RuntimeError when nothing can be written, an array has another type, or a fact holds nothing.
void save_gguf(std::string file, std::unordered_map<std::string, array> arrays,
               std::unordered_map<std::string, GGUFMetaData> metadata = {});

// Reads the arrays and facts of a .gguf file of version 2 or 3. Blocks of q4_0, q4_1 and q8_0 become quantised arrays
// with groups of 32: packed words, and float16 "name.scales" and "name.biases".
// Throws InvalidArgument when the file cannot be opened, RuntimeError when it is damaged or has another element type.
GGUFLoad load_gguf(const std::string& file, StreamOrDevice s = {});

// ---- End of frontend/api: arrays_in_files

}  // namespace frit
