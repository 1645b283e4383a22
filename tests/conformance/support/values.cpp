// Random tensors, guarded memory, and comparison by bits and ulp.
#include "values.h"

#include <sys/mman.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "ir/scalar/scalar.h"

namespace frit::test {

namespace {

constexpr size_t kPage = 4096;

uint64_t mask_of(Dtype t) {
  return t == bool_ ? 1 : t.size() == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * t.size())) - 1;
}

uint64_t special_float(Dtype type, Random& random) {
  static const double kNumbers[] = {0.0,
                                    -0.0,
                                    1.0,
                                    -1.0,
                                    0.5,
                                    -0.5,
                                    1.5,
                                    2.5,
                                    -2.5,
                                    3.0,
                                    100.0,
                                    -128.0,
                                    127.5,
                                    255.0,
                                    256.0,
                                    32767.0,
                                    32768.0,
                                    -32768.0,
                                    65504.0,
                                    65520.0,
                                    2147483648.0,
                                    -2147483648.0,
                                    4294967296.0,
                                    9223372036854775808.0,
                                    -9223372036854775808.0,
                                    18446744073709551616.0,
                                    1e-8,
                                    6e-8,
                                    6.1e-5,
                                    1e30,
                                    -1e30,
                                    1e300,
                                    1e-300,
                                    1e-40,
                                    3.0e38,
                                    88.8,
                                    -104.0,
                                    710.0,
                                    -745.5,
                                    0x1p-126,
                                    0x1p-1022,
                                    0.9999999,
                                    1.0000001,
                                    std::numeric_limits<double>::infinity(),
                                    -std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN()};
  if (chance(random, 60)) return ir::double_to_bits(type, kNumbers[random() % std::size(kNumbers)]);
  return random() & mask_of(type);
}

uint64_t special_int(Dtype type, Random& random) {
  uint64_t power = uint64_t{1} << random() % (8 * type.size());
  if (chance(random, 40)) return random() & mask_of(type);
  return (power * (random() % 2 ? 1 : ~uint64_t{0}) + random() % 3 - 1) & mask_of(type);
}

bool subnormals_are_zeros = false;

bool is_subnormal_or_zero(Dtype type, uint64_t bits) {
  switch (type.val()) {
    case Dtype::Val::float32: return (bits & 0x7f800000u) == 0;
    case Dtype::Val::bfloat16: return (bits & 0x7f80u) == 0;
    case Dtype::Val::float64: return (bits & 0x7ff0000000000000u) == 0;
    default: return false;
  }
}

}  // namespace

void compare_subnormals_as_zeros(bool on) { subnormals_are_zeros = on; }

void flush_subnormals(ir::Tensor& t) {
  if (!subnormals_are_zeros || !is_inexact(t.dtype)) return;
  for (int64_t i = 0, n = t.size(); i < n; ++i) {
    uint64_t bits = t.bits(i);
    if (is_complex(t.dtype)) {
      if (is_subnormal_or_zero(float32, bits & 0xffffffffu)) bits &= 0xffffffff80000000u;
      if (is_subnormal_or_zero(float32, bits >> 32)) bits &= 0x80000000ffffffffu;
    } else if (is_subnormal_or_zero(t.dtype, bits)) {
      bits &= uint64_t{1} << (8 * t.dtype.size() - 1);
    }
    t.set_bits(i, bits);
  }
}

uint64_t random_bits(Dtype type, Values values, Random& random) {
  if (is_complex(type)) {
    uint64_t re = random_bits(float32, values, random);
    return re | random_bits(float32, values, random) << 32;
  }
  if (type == bool_) return random() % 2;
  const int64_t small = between(random, is_unsigned(type) ? 0 : -9, 9);
  if (values == Values::Special && chance(random, 50))
    return is_float(type) ? special_float(type, random) : special_int(type, random);
  if (!is_float(type)) return static_cast<uint64_t>(small) & mask_of(type);
  if (values == Values::Exact) return ir::double_to_bits(type, static_cast<double>(between(random, -2, 2)));
  if (chance(random, 30)) return ir::double_to_bits(type, static_cast<double>(small));
  return ir::double_to_bits(type, (static_cast<double>(random() >> 11) * 0x1p-53 - 0.5) * 16);
}

ir::Tensor random_tensor(Dtype type, const std::vector<int64_t>& shape, Values values, Random& random) {
  ir::Tensor t(type, shape);
  for (int64_t i = 0, n = t.size(); i < n; ++i) t.set_bits(i, random_bits(type, values, random));
  return t;
}

void make_definite(ir::Tensor& t) {
  const int64_t rows = t.shape[t.shape.size() - 2], columns = t.shape.back(), all = rows * columns;
  const auto set = [&](int64_t at, double v) {
    t.set_bits(at,
               is_complex(t.dtype) ? std::bit_cast<uint32_t>(static_cast<float>(v)) : ir::double_to_bits(t.dtype, v));
  };
  for (int64_t at = 0; at < t.size() && is_complex(t.dtype); ++at) set(at, t.at(at));
  for (int64_t first = 0; first < t.size(); first += all) {
    for (int64_t i = 0; i < rows && rows == columns; ++i)
      for (int64_t j = 0; j < i; ++j) set(first + i * columns + j, t.at(first + j * columns + i));
    for (int64_t i = 0; i < std::min(rows, columns); ++i) {
      double sum = 1;
      for (int64_t j = 0; j < columns; ++j) sum += std::fabs(t.at(first + i * columns + j));
      // No two rows alike, so that eigenvalues differ.
      set(first + i * columns + i, 2 * sum + static_cast<double>(3 * i));
    }
  }
}

std::shared_ptr<runtime::Buffer> guarded_buffer(size_t bytes) {
  size_t body = (bytes + kPage - 1) / kPage * kPage, mapped = body + kPage;
  void* map = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) std::abort();
  auto* base = static_cast<std::byte*>(map);
  mprotect(base + body, kPage, PROT_NONE);
  return runtime::Buffer::adopt(base + body - bytes, bytes, [=](void*) { munmap(map, mapped); });
}

bool same_bits(Dtype type, uint64_t a, uint64_t b) {
  if (a == b) return true;
  if (subnormals_are_zeros && is_subnormal_or_zero(type, a) && is_subnormal_or_zero(type, b)) return true;
  if (is_complex(type)) {
    auto low = [](uint64_t v) { return v & 0xffffffffu; };
    return same_bits(float32, low(a), low(b)) && same_bits(float32, a >> 32, b >> 32);
  }
  return is_float(type) && std::isnan(ir::bits_to_double(type, a)) && std::isnan(ir::bits_to_double(type, b));
}

std::string element_text(Dtype type, uint64_t bits) {
  char text[96];
  if (is_complex(type))
    return "(" + element_text(float32, bits & 0xffffffffu) + ", " + element_text(float32, bits >> 32) + ")";
  std::snprintf(text, sizeof text, "%.9g (%llx)", ir::bits_to_double(type, bits),
                static_cast<unsigned long long>(bits));
  return text;
}

namespace {

// The bits of an element with 0 in place of -0, in both parts of a complex number.
uint64_t without_signed_zeros(Dtype t, uint64_t bits) {
  if (is_complex(t)) {
    const uint64_t low = bits & 0xffffffffu, high = bits >> 32;
    return without_signed_zeros(float32, low) | without_signed_zeros(float32, high) << 32;
  }
  if (!is_float(t)) return bits;
  const uint64_t sign = uint64_t{1} << (8 * t.size() - 1);
  return bits == sign ? 0 : bits;
}

}  // namespace

std::string difference(const ir::Tensor& want, const ir::Tensor& got, Zeros zeros) {
  if (want.dtype != got.dtype || want.shape != got.shape) {
    auto type = [](const ir::Tensor& t) { return ir::Type{t.dtype, ir::Shape(t.shape.begin(), t.shape.end())}.str(); };
    return "expected type " + type(want) + ", got " + type(got);
  }
  const auto plain = [&](const ir::Tensor& t, int64_t i) {
    return zeros == Zeros::Equal ? without_signed_zeros(t.dtype, t.bits(i)) : t.bits(i);
  };
  for (int64_t i = 0, n = want.size(); i < n; ++i)
    if (!same_bits(want.dtype, plain(want, i), plain(got, i)))
      return "element " + std::to_string(i) + " of " + std::to_string(n) + ": expected " +
             element_text(want.dtype, want.bits(i)) + ", got " + element_text(want.dtype, got.bits(i));
  return {};
}

double ulp_distance(Dtype type, double want, double got, double floor) {
  if (want == got || (std::isnan(want) && std::isnan(got))) return 0;
  if (!std::isfinite(want) || !std::isfinite(got)) return std::numeric_limits<double>::infinity();
  Dtype t = is_complex(type) ? float32 : type;
  int digits = t == float64 ? 52 : t == float32 ? 23 : t == float16 ? 10 : 7;
  int lowest = t == float64 ? -1022 : t == float16 ? -14 : -126;
  double magnitude = std::max(std::fabs(want), floor);
  int exponent = std::max(magnitude > 0 ? std::ilogb(magnitude) : lowest, lowest);
  return std::fabs(want - got) / std::ldexp(1.0, exponent - digits);
}

}  // namespace frit::test
