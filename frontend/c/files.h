// Readers and writers with callbacks, the contents of .gguf files, and exporters for the C interface.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "frontend/c/convert.h"

namespace frit::c {

ReaderObject reader_of(void* descriptor, mlx_io_vtable callbacks);
WriterObject writer_of(void* descriptor, mlx_io_vtable callbacks);

inline void add_trace(ExporterObject& exporter, const Arrays& args, const Kwargs& kwargs = {}) {
  exporter.value(args, kwargs);
  exporter.has_trace = true;
}
// Writes the file, if there is a trace for it, and frees the handle, whether or not the file could be written.
void close_exporter(mlx_function_exporter exporter);

array array_at(const GGUFLoad& file, const char* key);

[[noreturn]] void throw_no_fact(const std::string& key, const char* kind);
template <class T>
constexpr const char* kFactKind = std::is_same_v<T, array>         ? "numbers"
                                  : std::is_same_v<T, std::string> ? "text"
                                                                   : "list of texts";
template <class T>
const T* fact_or_null(const GGUFLoad& file, const std::string& key) {
  const auto found = file.second.find(key);
  return found == file.second.end() ? nullptr : std::get_if<T>(&found->second);
}
template <class T>
const T& fact_at(const GGUFLoad& file, const char* key) {
  const std::string name = in(key, "key");
  const T* fact = fact_or_null<T>(file, name);
  if (!fact) throw_no_fact(name, kFactKind<T>);
  return *fact;
}
template <class T>
bool has_fact(const GGUFLoad& file, const char* key) {
  return fact_or_null<T>(file, in(key, "key")) != nullptr;
}

}  // namespace frit::c
