// Random tensors, dense copies, and printing and writing of results.
#include "frontend/cli/tensors.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <numeric>

#include "frontend/cli/command.h"
#include "runtime/files/npy.h"

namespace frit::cli {
namespace {

// A counter-based generator (the SplitMix64 finaliser): the same numbers on every machine.
uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

int64_t count_of(const std::vector<int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

runtime::Sizes dense_strides(const std::vector<int64_t>& shape) {
  runtime::Sizes strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

runtime::Tensor dense_tensor(Dtype dtype, const std::vector<int64_t>& shape) {
  runtime::Tensor t;
  t.buffer = value_or_fail(runtime::Buffer::allocate(static_cast<size_t>(count_of(shape)) * dtype.size()));
  t.dtype = dtype;
  t.shape = shape;
  t.strides = dense_strides(shape);
  return t;
}

// Walks a tensor in row-major order, calling `see(position)` with the element's place in its buffer, for at most
// `limit` elements.
template <class See>
void each_element(const runtime::Tensor& t, int64_t limit, See see) {
  std::vector<int64_t> at(t.shape.size(), 0);
  int64_t count = std::min(count_of(t.shape), limit);
  for (int64_t n = 0; n < count; ++n) {
    int64_t position = t.offset;
    for (size_t a = 0; a < at.size(); ++a) position += at[a] * t.strides[a];
    see(position);
    for (size_t a = at.size(); a-- > 0;) {
      if (++at[a] < t.shape[a]) break;
      at[a] = 0;
    }
  }
}

}  // namespace

runtime::Tensor random_tensor(Dtype dtype, const std::vector<int64_t>& shape, uint64_t seed) {
  runtime::Tensor t = dense_tensor(dtype, shape);
  int64_t count = count_of(shape);
  auto* bytes = static_cast<std::byte*>(t.buffer->data());
  bool complex = is_complex(dtype);
  Dtype part = complex ? float32 : dtype;
  for (int64_t i = 0; i < count * (complex ? 2 : 1); ++i) {
    uint64_t r = mix(seed * 0x2545f4914f6cdd1du + static_cast<uint64_t>(i));
    double v = is_inexact(part)    ? static_cast<double>(r >> 11) * 0x1p-52 - 1.0
               : part == bool_     ? static_cast<double>(r & 1)
               : is_unsigned(part) ? static_cast<double>(r % 100)
                                   : static_cast<double>(r % 199) - 99;
    uint64_t bits = ir::double_to_bits(part, v);
    std::copy_n(reinterpret_cast<const std::byte*>(&bits), part.size(), bytes + i * part.size());
  }
  return t;
}

runtime::Tensor row_major(const runtime::Tensor& t) {
  if (t.offset == 0 && std::ranges::equal(t.strides, dense_strides(t.shape))) return t;
  runtime::Tensor copy = dense_tensor(t.dtype, t.shape);
  auto* from = static_cast<const std::byte*>(t.buffer->data());
  auto* to = static_cast<std::byte*>(copy.buffer->data());
  each_element(t, count_of(t.shape), [&](int64_t position) {
    std::copy_n(from + position * t.dtype.size(), t.dtype.size(), to);
    to += t.dtype.size();
  });
  return copy;
}

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string s = "[";
  for (size_t i = 0; i < shape.size(); ++i) s += (i ? ", " : "") + std::to_string(shape[i]);
  return s + "]";
}

void print_result(size_t index, const runtime::Tensor& t) {
  constexpr int64_t kShown = 8;
  std::cout << "result " << index << ": " << short_name(t.dtype) << shape_text(t.shape) << " =";
  auto print_part = [&](Dtype d, size_t byte) {
    uint64_t bits = 0;
    std::copy_n(static_cast<const std::byte*>(t.buffer->data()) + byte, d.size(), reinterpret_cast<std::byte*>(&bits));
    if (is_inexact(d)) {
      std::cout << ir::bits_to_double(d, bits);
    } else if (is_unsigned(d) || d == bool_) {
      std::cout << bits;
    } else {
      int unused = 64 - 8 * d.size();
      std::cout << (static_cast<int64_t>(bits << unused) >> unused);
    }
  };
  each_element(t, kShown, [&](int64_t position) {
    size_t byte = static_cast<size_t>(position) * t.dtype.size();
    std::cout << " ";
    if (is_complex(t.dtype)) {
      std::cout << "(";
      print_part(float32, byte);
      std::cout << ", ";
      print_part(float32, byte + 4);
      std::cout << ")";
    } else {
      print_part(t.dtype, byte);
    }
  });
  std::cout << (count_of(t.shape) > kShown ? " ..." : "") << "\n";
}

void write_results(const std::string& output, const std::vector<runtime::Tensor>& results) {
  namespace fs = std::filesystem;
  std::error_code error;
  bool made = fs::create_directories(output, error);
  if (error) fail({"cannot make the folder '" + output + "': " + error.message()});
  std::string folder = output + "/results.XXXXXX";
  auto give_up = [&](const Diagnostic& d) {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
    if (made) fs::remove(output, ignored);
    fail(d);
  };
  if (!mkdtemp(folder.data())) {
    std::string reason = std::strerror(errno);
    if (made) fs::remove(output, error);
    fail({"cannot write to the folder '" + output + "': " + reason});
  }
  auto file = [](size_t i) { return "/" + std::to_string(i) + ".npy"; };
  for (size_t i = 0; i < results.size(); ++i)
    if (Status s = runtime::write_npy(folder + file(i), results[i]); !s.ok()) give_up(s.error());
  for (size_t i = 0; i < results.size(); ++i) {
    fs::rename(folder + file(i), output + file(i), error);
    if (error) give_up({"cannot write '" + output + file(i) + "': " + error.message()});
  }
  fs::remove(folder, error);
}

}  // namespace frit::cli
