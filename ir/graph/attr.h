// Attributes: the compile-time arguments of an operation.
//
// An integer is a Dim, so that sizes inside attributes may be symbolic; a list of integers is a list of Dims.
#pragma once

#include <bit>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "frit/half.h"
#include "ir/base/dim.h"
#include "ir/base/dtype.h"

namespace frit::ir {

// The data of a `constant` op: elements in row-major order, shared and never written after construction.
class Literal {
 public:
  Literal() = default;
  Literal(Dtype dtype, std::vector<std::byte> bytes)
      : dtype_(dtype), bytes_(std::make_shared<const std::vector<std::byte>>(std::move(bytes))) {}
  // One element of `dtype`, converted from `value` (rounded once; integers wrap).
  static Literal scalar(Dtype dtype, double value);
  static Literal scalar_int(Dtype dtype, int64_t value);
  static Literal scalar_complex(float re, float im);

  Dtype dtype() const { return dtype_; }
  size_t count() const { return bytes_ ? bytes_->size() / dtype_.size() : 0; }
  const std::byte* data() const { return bytes_ ? bytes_->data() : nullptr; }
  size_t nbytes() const { return bytes_ ? bytes_->size() : 0; }
  double as_double(size_t i = 0) const;                        // real part for complex64
  int64_t as_int(size_t i = 0) const;                          // truncated for floats
  uint64_t bits(size_t i = 0) const;                           // the element's bytes, zero-extended
  friend bool operator==(const Literal& a, const Literal& b);  // by bits

 private:
  Dtype dtype_ = float32;
  std::shared_ptr<const std::vector<std::byte>> bytes_;
};

struct Function;

// A function that is a part of an operation, such as a loop's body: shared and never written after construction.
// Its values are its own. It may use the symbols of the function around it, whose facts hold inside; it has none
// itself.
class Region {
 public:
  Region() = default;
  explicit Region(Function function);
  const Function& function() const { return *function_; }
  friend bool operator==(const Region& a, const Region& b);  // by structure

 private:
  std::shared_ptr<const Function> function_;
};

using Dims = std::vector<Dim>;
using Attr = std::variant<bool, Dim, double, Dtype, std::string, Dims, Literal, Region>;

enum class AttrKind : uint8_t { Bool, Int, Float, Dtype, String, Ints, Literal, Region };
inline AttrKind kind_of(const Attr& a) { return static_cast<AttrKind>(a.index()); }
bool equal(const Attr& a, const Attr& b);  // floats by bits
void hash_into(Hasher& hasher, const Attr& a);

// A small map, sorted by name.
class AttrMap {
 public:
  using Entry = std::pair<std::string, Attr>;
  AttrMap() = default;
  AttrMap(std::initializer_list<Entry> entries) {
    for (const Entry& e : entries) set(e.first, e.second);
  }
  void set(std::string_view name, Attr value);
  void erase(std::string_view name);
  const Attr* find(std::string_view name) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  bool empty() const { return entries_.empty(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }

  // The value, or `fallback` if the attribute is absent. The verifier has already checked the kind.
  bool get_bool(std::string_view name, bool fallback = false) const;
  int64_t get_int(std::string_view name, int64_t fallback = 0) const;
  Dim get_dim(std::string_view name, Dim fallback = 0) const;
  double get_float(std::string_view name, double fallback = 0) const;
  const std::string& get_string(std::string_view name) const;  // "" if absent
  const Dims& get_dims(std::string_view name) const;           // empty if absent
  const Function& get_region(std::string_view name) const;     // must be there
  std::vector<int64_t> get_ints(std::string_view name) const;  // constants only
  friend bool operator==(const AttrMap& a, const AttrMap& b);
  void hash_into(Hasher& hasher) const;

 private:
  std::vector<Entry> entries_;
};

// The same attributes with every size `d` replaced by `f(d)`, in regions too.
AttrMap map_sizes(const AttrMap& attrs, const std::function<Dim(const Dim&)>& f);

Dims to_dims(const std::vector<int64_t>& values);
Dims to_dims(const std::vector<int>& values);

}  // namespace frit::ir
