// Attributes and literals: construction, comparison and conversion.
#include "ir/graph/attr.h"

#include <algorithm>
#include <cstring>

#include "frit/half.h"
#include "ir/graph/graph.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {
namespace {

Literal from_bits(Dtype dtype, uint64_t bits) {
  std::vector<std::byte> bytes(dtype.size());
  std::memcpy(bytes.data(), &bits, dtype.size());  // elements are little-endian in memory, as on the supported hosts
  return Literal(dtype, std::move(bytes));
}

uint64_t double_bits(double d) { return std::bit_cast<uint64_t>(d); }

}  // namespace

Literal Literal::scalar(Dtype dtype, double value) {
  if (is_complex(dtype)) return scalar_complex(static_cast<float>(value), 0.0f);
  return from_bits(dtype, double_to_bits(dtype, value));
}

Literal Literal::scalar_int(Dtype dtype, int64_t value) {
  if (dtype == bool_) return from_bits(dtype, value != 0);
  if (is_int(dtype)) return from_bits(dtype, static_cast<uint64_t>(value));
  return scalar(dtype, static_cast<double>(value));
}

Literal Literal::scalar_complex(float re, float im) {
  return from_bits(complex64, uint64_t{std::bit_cast<uint32_t>(im)} << 32 | std::bit_cast<uint32_t>(re));
}

uint64_t Literal::bits(size_t i) const {
  uint64_t bits = 0;
  std::memcpy(&bits, data() + i * dtype_.size(), dtype_.size());
  return bits;
}

double Literal::as_double(size_t i) const {
  if (is_complex(dtype_)) return std::bit_cast<float>(static_cast<uint32_t>(bits(i)));
  return bits_to_double(dtype_, bits(i));
}

int64_t Literal::as_int(size_t i) const {
  uint64_t b = bits(i);
  if (is_signed_int(dtype_)) {
    int shift = 64 - 8 * dtype_.size();
    return static_cast<int64_t>(b << shift) >> shift;
  }
  if (dtype_ == bool_) return b != 0;
  if (is_unsigned(dtype_)) return static_cast<int64_t>(b);
  double d = as_double(i);
  if (d != d) return 0;
  if (d >= 0x1p63) return INT64_MAX;
  if (d < -0x1p63) return INT64_MIN;
  return static_cast<int64_t>(d);
}

bool operator==(const Literal& a, const Literal& b) {
  if (a.dtype_ != b.dtype_ || a.nbytes() != b.nbytes()) return false;
  return a.data() == b.data() || a.nbytes() == 0 || std::memcmp(a.data(), b.data(), a.nbytes()) == 0;
}

bool equal(const Attr& a, const Attr& b) {
  if (a.index() != b.index()) return false;
  if (const double* x = std::get_if<double>(&a)) return double_bits(*x) == double_bits(std::get<double>(b));
  return a == b;
}

void hash_into(Hasher& hasher, const Attr& a) {
  hasher.add(kind_of(a));
  switch (kind_of(a)) {
    case AttrKind::Bool: hasher.add(std::get<bool>(a)); break;
    case AttrKind::Int: std::get<Dim>(a).hash_into(hasher); break;
    case AttrKind::Float: hasher.add(double_bits(std::get<double>(a))); break;
    case AttrKind::Dtype: hasher.add(std::get<Dtype>(a).val()); break;
    case AttrKind::String: hasher.add(std::string_view(std::get<std::string>(a))); break;
    case AttrKind::Ints: {
      const Dims& dims = std::get<Dims>(a);
      hasher.add(static_cast<uint64_t>(dims.size()));
      for (const Dim& d : dims) d.hash_into(hasher);
      break;
    }
    case AttrKind::Literal: {
      const Literal& l = std::get<Literal>(a);
      hasher.add(l.dtype().val());
      hasher.add(std::string_view(reinterpret_cast<const char*>(l.data()), l.nbytes()));
      break;
    }
    case AttrKind::Region: {
      const Hash128 hash = structural_hash(std::get<Region>(a).function());
      hasher.add(hash.low).add(hash.high);
      break;
    }
  }
}

void AttrMap::set(std::string_view name, Attr value) {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), name,
                             [](const Entry& e, std::string_view n) { return e.first < n; });
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::string(name), std::move(value));
  }
}

void AttrMap::erase(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& e) { return e.first == name; });
}

const Attr* AttrMap::find(std::string_view name) const {
  for (const Entry& e : entries_)
    if (e.first == name) return &e.second;
  return nullptr;
}

bool AttrMap::get_bool(std::string_view name, bool fallback) const {
  const Attr* a = find(name);
  return a ? std::get<bool>(*a) : fallback;
}

int64_t AttrMap::get_int(std::string_view name, int64_t fallback) const {
  const Attr* a = find(name);
  return a ? std::get<Dim>(*a).value() : fallback;
}

Dim AttrMap::get_dim(std::string_view name, Dim fallback) const {
  const Attr* a = find(name);
  return a ? std::get<Dim>(*a) : fallback;
}

double AttrMap::get_float(std::string_view name, double fallback) const {
  const Attr* a = find(name);
  return a ? std::get<double>(*a) : fallback;
}

const std::string& AttrMap::get_string(std::string_view name) const {
  static const std::string& empty = *new std::string;  // never destroyed: static destructors may compile
  const Attr* a = find(name);
  return a ? std::get<std::string>(*a) : empty;
}

const Dims& AttrMap::get_dims(std::string_view name) const {
  static const Dims& empty = *new Dims;
  const Attr* a = find(name);
  return a ? std::get<Dims>(*a) : empty;
}

const Function& AttrMap::get_region(std::string_view name) const { return std::get<Region>(*find(name)).function(); }

std::vector<int64_t> AttrMap::get_ints(std::string_view name) const {
  const Dims& dims = get_dims(name);
  std::vector<int64_t> values;
  values.reserve(dims.size());
  for (const Dim& d : dims) values.push_back(d.value());
  return values;
}

bool operator==(const AttrMap& a, const AttrMap& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return x.first == y.first && equal(x.second, y.second); });
}

void AttrMap::hash_into(Hasher& hasher) const {
  hasher.add(static_cast<uint64_t>(entries_.size()));
  for (const Entry& e : entries_) {
    hasher.add(std::string_view(e.first));
    ir::hash_into(hasher, e.second);
  }
}

namespace {

Region map_sizes(const Region& region, const std::function<Dim(const Dim&)>& f) {
  Function inner = region.function();
  for (Value& v : inner.values)
    for (Dim& d : v.type.shape) d = f(d);
  for (Op& op : inner.ops) op.attrs = ir::map_sizes(op.attrs, f);
  return Region(std::move(inner));
}

}  // namespace

AttrMap map_sizes(const AttrMap& attrs, const std::function<Dim(const Dim&)>& f) {
  AttrMap mapped = attrs;
  for (const auto& [name, value] : attrs) {
    if (const Dim* d = std::get_if<Dim>(&value)) {
      mapped.set(name, f(*d));
    } else if (const Dims* list = std::get_if<Dims>(&value)) {
      Dims all;
      for (const Dim& d : *list) all.push_back(f(d));
      mapped.set(name, std::move(all));
    } else if (const Region* region = std::get_if<Region>(&value)) {
      mapped.set(name, map_sizes(*region, f));
    }
  }
  return mapped;
}

Dims to_dims(const std::vector<int64_t>& values) { return Dims(values.begin(), values.end()); }
Dims to_dims(const std::vector<int>& values) { return Dims(values.begin(), values.end()); }

}  // namespace frit::ir
