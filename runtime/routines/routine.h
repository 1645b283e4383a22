// Shared parts of routines that frit computes with its own code on the CPU: options of a call, rows of a tensor, loops
// over rows.
//
// A routine's file registers its function under the record's name (ir/routines) with Registered. The functions are part
// of the runtime library, so that packages run them without any plugin.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/execute/library.h"
#include "runtime/execute/parallel.h"

namespace frit::runtime::routines {

struct Registered {
  Registered(std::string_view name, LibraryFn fn) { register_library(name, fn); }
};

// The attributes of a call, which LibraryCall::options holds as text. A plan from a file may have any text there.
class Options {
 public:
  explicit Options(const LibraryCall& call) : call_(call) {}
  // Nothing where the attribute is absent or of another kind.
  std::optional<int64_t> integer(std::string_view name) const;
  bool flag(std::string_view name) const { return value(name).starts_with("true"); }
  // The text that begins with the value; "" where it is absent.
  std::string_view value(std::string_view name) const;

 private:
  const LibraryCall& call_;
};

// "f32[2,3]".
std::string text(const LibraryTensor& t);

// A tensor of at least one axis as rows along its last axis, the others in row-major order.
class Rows {
 public:
  explicit Rows(const LibraryTensor& t);
  int64_t count() const { return count_; }
  int64_t length() const { return t_.shape.back(); }
  int64_t step() const { return t_.strides.back(); }  // in elements
  // Whether all elements lie one after the other.
  bool dense() const;
  template <class T>
  T* start(int64_t row) const {
    return static_cast<T*>(t_.data) + (even_ ? row * apart_ : offset(row));
  }

 private:
  int64_t offset(int64_t row) const;
  const LibraryTensor& t_;
  int64_t count_ = 1;
  // Whether all rows lie `apart_` elements from the next one, as most do: divisions take as long as a short row.
  bool even_ = true;
  int64_t apart_ = 0;
};

int64_t element_count(const LibraryTensor& t);

// Calls body(begin, end) for ranges that cover [0, total), on the threads of the pool. Ranges have at least `grain`
// indices, but for the last one.
template <class Body>
void for_ranges(int64_t total, int64_t grain, const Body& body) {
  if (total <= 0) return;
  const Body* context = &body;
  parallel_for(
      total, grain < 1 ? 1 : grain,
      [](void* at, int64_t begin, int64_t end) { (**static_cast<const Body**>(at))(begin, end); }, &context);
}

}  // namespace frit::runtime::routines
