// Compares functions compiled for any shape with themselves uncompiled, over several shapes.
#pragma once

#include <algorithm>
#include <functional>
#include <source_location>

#include "helpers.h"

namespace shapeless {

using frit::array;
using frit::Shape;
using Function = std::function<std::vector<array>(const std::vector<array>&)>;
using Shapes = std::vector<Shape>;

// Values that differ from element to element.
inline array sample(const Shape& shape, frit::Dtype dtype, size_t seed) {
  size_t count = 1;
  for (int n : shape) count *= static_cast<size_t>(n);
  std::vector<float> data(count);
  for (size_t i = 0; i < count; ++i)
    data[i] = static_cast<float>(static_cast<int>((i * 7 + seed * 5) % 23) - 9) * 0.75f;
  return frit::astype(array(data.begin(), shape), dtype);
}

// Types, sizes and bytes of the results, or "error".
inline std::string outcome(const std::function<std::vector<array>()>& call) {
  try {
    std::string all;
    for (const array& a : call()) {
      const array dense = frit::contiguous(a);
      std::ostringstream type;
      type << a.dtype();
      all += type.str();
      for (int n : a.shape()) all += "," + std::to_string(n);
      const array bytes = frit::view(frit::reshape(dense, {-1}), frit::uint8);
      all += ":" +
             (dense.size() ? std::string(reinterpret_cast<const char*>(bytes.data<uint8_t>()), dense.nbytes()) : "") +
             ";";
    }
    return all;
  } catch (const frit::InvalidArgument&) {
    return "error";
  }
}

// Calls a compiled function with arguments of each list of shapes in turn. Every call must give the bytes, or the
// error, of `fn` itself.
inline void compare(const frit::CompiledFunction& compiled, const Function& fn, const std::vector<Shapes>& calls,
                    frit::Dtype dtype) {
  for (const Shapes& shapes : calls) {
    std::vector<array> arguments;
    std::string text;
    for (const Shape& shape : shapes) {
      arguments.push_back(sample(shape, dtype, arguments.size()));
      text += "(";
      for (int n : shape) text += std::to_string(n) + ",";
      text += ")";
    }
    std::string message;
    const std::string expected = outcome([&] { return fn(arguments); });
    const std::string got = outcome([&] {
      try {
        return compiled(arguments);
      } catch (const frit::InvalidArgument& e) {
        message = e.what();
        throw;
      }
    });
    EXPECT_TRUE(got == expected) << "for " << text << " the function gives " << expected.size()
                                 << " bytes of results and the compiled one " << got.size() << ": " << message;
  }
}

// Compiles `fn` for any shape and compares it with `fn` over all the calls, which must take `traces` traces. In reverse
// order of the shapes the results must be the same; the number of traces may differ.
inline void agrees(const Function& fn, std::vector<Shapes> calls, size_t traces = 1, frit::Dtype dtype = frit::float32,
                   std::source_location where = std::source_location::current()) {
  testing::ScopedTrace at(where.file_name(), static_cast<int>(where.line()), "agrees");
  const auto compiled = frit::compile(fn, true);
  compare(compiled, fn, calls, dtype);
  EXPECT_EQ(compiled.trace_count(), traces) << compiled.explain();
  std::reverse(calls.begin(), calls.end());
  compare(frit::compile(fn, true), fn, calls, dtype);
}

// The same for functions of one array.
inline void agrees(const std::function<array(const array&)>& fn, const Shapes& shapes, size_t traces = 1,
                   frit::Dtype dtype = frit::float32, std::source_location where = std::source_location::current()) {
  std::vector<Shapes> calls;
  for (const Shape& shape : shapes) calls.push_back({shape});
  agrees([&](const std::vector<array>& in) { return std::vector<array>{fn(in[0])}; }, calls, traces, dtype, where);
}

// The same for functions of two arrays.
inline void agrees(const std::function<array(const array&, const array&)>& fn, const std::vector<Shapes>& calls,
                   size_t traces = 1, frit::Dtype dtype = frit::float32,
                   std::source_location where = std::source_location::current()) {
  agrees([&](const std::vector<array>& in) { return std::vector<array>{fn(in[0], in[1])}; }, calls, traces, dtype,
         where);
}

}  // namespace shapeless
