// Sizes of arrays as operations take them: numbers, or expressions over the sizes of arguments that a trace leaves
// open.
//
// array::dim gives a Size. Outside of a trace for any shape it is a number. Inside, it is an expression that works
// wherever a size is taken (reshape, arange, full, broadcast_to, slice bounds, ...), so that one trace serves every
// shape. A comparison of open Sizes is decided by the arguments that the function is traced with; every later call
// checks that the decision still holds, as for array::shape.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <vector>

#include "frit/dim.h"

namespace frit {

using ShapeElem = int32_t;
using Shape = std::vector<ShapeElem>;

class Size {
 public:
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  Size(T value) : dim_(static_cast<int64_t>(value)) {}
  explicit Size(Dim dim, std::source_location where = std::source_location::current())
      : dim_(std::move(dim)), where_(where) {}

  const Dim& dim() const { return dim_; }
  bool is_number() const { return dim_.is_const(); }
  const std::source_location& where() const { return where_; }
  // The number. An open size becomes a number for the rest of the trace, and calls with another size trace again.
  // Throws InvalidArgument when the function is traced without data.
  int64_t value() const;

  friend Size operator+(const Size& a, const Size& b);
  friend Size operator-(const Size& a, const Size& b);
  friend Size operator*(const Size& a, const Size& b);
  // Rounded towards minus infinity. Throw InvalidArgument when the divisor is not positive.
  friend Size operator/(const Size& a, const Size& b);
  friend Size operator%(const Size& a, const Size& b);
  friend Size min(const Size& a, const Size& b);
  friend Size max(const Size& a, const Size& b);

  friend bool operator==(const Size& a, const Size& b);
  friend bool operator<(const Size& a, const Size& b);
  friend bool operator!=(const Size& a, const Size& b) { return !(a == b); }
  friend bool operator>(const Size& a, const Size& b) { return b < a; }
  friend bool operator<=(const Size& a, const Size& b) { return !(b < a); }
  friend bool operator>=(const Size& a, const Size& b) { return !(a < b); }

 private:
  Dim dim_;
  std::source_location where_;  // the user's line that made it
};

// A list of sizes.
class Sizes {
 public:
  Sizes() = default;
  Sizes(std::initializer_list<Size> sizes) : sizes_(sizes) {}
  Sizes(std::vector<Size> sizes) : sizes_(std::move(sizes)) {}
  Sizes(const Shape& shape) : sizes_(shape.begin(), shape.end()) {}

  size_t size() const { return sizes_.size(); }
  bool empty() const { return sizes_.empty(); }
  const Size& operator[](size_t i) const { return sizes_[i]; }
  auto begin() const { return sizes_.begin(); }
  auto end() const { return sizes_.end(); }
  void push_back(Size size) { sizes_.push_back(std::move(size)); }

 private:
  std::vector<Size> sizes_;
};

}  // namespace frit
