// Readers and writers whose bytes come from and go to callbacks of the program.
#include "frontend/c/files.h"

#include <cstdio>

namespace frit::c {

namespace {

int whence_of(std::ios_base::seekdir way) {
  return way == std::ios_base::beg ? SEEK_SET : way == std::ios_base::cur ? SEEK_CUR : SEEK_END;
}

// The callbacks with the descriptor that they get. `descriptor` is released with it.
class Callbacks {
 public:
  Callbacks(void* descriptor, const mlx_io_vtable& table) : descriptor_(descriptor), table_(table) {}
  ~Callbacks() {
    if (table_.free) table_.free(descriptor_);
  }
  Callbacks(const Callbacks&) = delete;
  Callbacks& operator=(const Callbacks&) = delete;

  bool is_open() const { return table_.is_open(descriptor_); }
  bool good() const { return table_.good(descriptor_); }
  size_t tell() const { return table_.tell(descriptor_); }
  void seek(int64_t off, std::ios_base::seekdir way) const { table_.seek(descriptor_, off, whence_of(way)); }
  void read(char* data, size_t n) const { table_.read(descriptor_, data, n); }
  void read(char* data, size_t n, size_t offset) const { table_.read_at_offset(descriptor_, data, n, offset); }
  void write(const char* data, size_t n) const { table_.write(descriptor_, data, n); }
  std::string label() const {
    const char* label = table_.label ? table_.label(descriptor_) : nullptr;
    return label ? label : "callbacks";
  }

 private:
  void* descriptor_;
  mlx_io_vtable table_;
};

class CallbackReader : public io::Reader {
 public:
  CallbackReader(void* descriptor, const mlx_io_vtable& table) : callbacks_(descriptor, table) {}
  bool is_open() const override { return callbacks_.is_open(); }
  bool good() const override { return callbacks_.good(); }
  size_t tell() override { return callbacks_.tell(); }
  void seek(int64_t off, std::ios_base::seekdir way) override { callbacks_.seek(off, way); }
  void read(char* data, size_t n) override { callbacks_.read(data, n); }
  void read(char* data, size_t n, size_t offset) override { callbacks_.read(data, n, offset); }
  std::string label() const override { return callbacks_.label(); }

 private:
  Callbacks callbacks_;
};

class CallbackWriter : public io::Writer {
 public:
  CallbackWriter(void* descriptor, const mlx_io_vtable& table) : callbacks_(descriptor, table) {}
  bool is_open() const override { return callbacks_.is_open(); }
  bool good() const override { return callbacks_.good(); }
  size_t tell() override { return callbacks_.tell(); }
  void seek(int64_t off, std::ios_base::seekdir way) override { callbacks_.seek(off, way); }
  void write(const char* data, size_t n) override { callbacks_.write(data, n); }
  std::string label() const override { return callbacks_.label(); }

 private:
  Callbacks callbacks_;
};

// Throws where one of the callbacks is null.
void check_callbacks(std::initializer_list<std::pair<bool, const char*>> callbacks) {
  for (const auto& [there, name] : callbacks)
    if (!there) throw InvalidArgument(std::string("the callback '") + name + "' is a null pointer");
}

}  // namespace

ReaderObject reader_of(void* descriptor, mlx_io_vtable t) {
  check_callbacks({{t.is_open, "is_open"},
                   {t.good, "good"},
                   {t.tell, "tell"},
                   {t.seek, "seek"},
                   {t.read, "read"},
                   {t.read_at_offset, "read_at_offset"}});
  return {std::make_shared<CallbackReader>(descriptor, t), descriptor};
}

WriterObject writer_of(void* descriptor, mlx_io_vtable t) {
  check_callbacks({{t.is_open, "is_open"}, {t.good, "good"}, {t.tell, "tell"}, {t.seek, "seek"}, {t.write, "write"}});
  return {std::make_shared<CallbackWriter>(descriptor, t), descriptor};
}

void close_exporter(mlx_function_exporter exporter) {
  if (!exporter.ctx) return;
  ExporterObject file = std::move(object(exporter, "xfunc"));
  release(exporter, "xfunc");
  if (file.has_trace) file.value.close();
}

array array_at(const GGUFLoad& file, const char* key) {
  const std::string name = in(key, "key");
  const auto found = file.first.find(name);
  if (found == file.first.end()) throw InvalidArgument("there is no array '" + name + "'");
  return found->second;
}

void throw_no_fact(const std::string& key, const char* kind) {
  throw InvalidArgument("there is no fact '" + key + "' that is a " + kind);
}

}  // namespace frit::c
