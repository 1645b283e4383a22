// Random programs, run plainly and by frit.
#include "program.h"

using namespace frit;

namespace program {

namespace {

constexpr const char* kNames[] = {"binary",     "unary",     "reduce",      "arg",   "where",     "astype", "copy",
                                  "contiguous", "transpose", "reshape",     "slice", "broadcast", "expand", "squeeze",
                                  "flip",       "flatten",   "concatenate", "stack", "pad",       "repeat", "tile",
                                  "triangle",   "matmul",    "split",       "full",  "arange"};
constexpr const char* kBinaryNames[] = {"add",   "subtract",      "multiply",    "maximum",    "minimum",  "less",
                                        "equal", "greater_equal", "logical_and", "logical_or", "not_equal"};
constexpr const char* kUnaryNames[] = {"negative", "abs", "square", "logical_not", "sign"};
constexpr const char* kReduceNames[] = {"sum", "prod", "max", "min", "any", "all"};
constexpr const char* kModeNames[] = {"constant", "edge", "reflect", "symmetric"};
plain::Array scalar(Dtype t, int v) { return {t, {}, {static_cast<plain::Number>(v)}}; }

}  // namespace

Maybe plainly(const Step& s, const std::vector<plain::Array>& values) {
  const plain::Array& x = values[s.inputs[0]];
  const Ints& n = s.numbers;
  switch (s.op) {
    case kBinary: return plain::binary(kBinaryNames[n[0]], x, values[s.inputs[1]]);
    case kUnary: return plain::unary(kUnaryNames[n[0]], x);
    case kReduce: return plain::reduce(kReduceNames[n[0]], x, s.more, n[1]);
    case kArg: return plain::arg_extreme(n[0], x, n[1], n[2]);
    case kWhere: return plain::select(x, values[s.inputs[1]], values[s.inputs[2]]);
    case kAstype: return plain::convert(x, s.dtype);
    case kCopy:
    case kContiguous: return x;
    case kTranspose: return plain::transpose(x, s.more);
    case kReshape:
    case kExpand:
    case kSqueeze:
    case kFlatten: return plain::reshape(x, s.more);
    case kSlice: return plain::slice(x, n, s.more, s.others);
    case kBroadcast: return plain::broadcast(x, s.more);
    case kFlip: return plain::flip(x, n[0]);
    case kConcatenate:
    case kStack: {
      std::vector<plain::Array> parts;
      for (size_t i : s.inputs) parts.push_back(values[i]);
      return s.op == kStack ? plain::stack(parts, n[0]) : plain::concatenate(parts, n[0]);
    }
    case kPad: return plain::pad(x, n[0], n[1], n[2], n[3], kModeNames[n[4]]);
    case kRepeat: return plain::repeat(x, n[1], n[0]);
    case kTile: return plain::tile(x, s.more);
    case kTriangle: return plain::triangle(x, n[0], n[1]);
    case kMatmul: return plain::matmul(x, values[s.inputs[1]]);
    case kSplit: {
      Ints start(x.shape.size(), 0), strides(x.shape.size(), 1), stop = x.shape;
      (n[2] ? start : stop)[static_cast<size_t>(n[0])] = n[1];
      return plain::slice(x, start, stop, strides);
    }
    case kFull: return plain::broadcast(scalar(s.dtype, n[0]), s.more);
    case kArange: {
      plain::Array out{s.dtype, {n[1]}, {}};
      for (int i = 0; i < n[1]; ++i) out.values.push_back(n[0] + i * n[2]);
      return plain::checked(std::move(out));
    }
  }
  return std::nullopt;
}

Sizes sizes_of(const Ints& shape) {
  Sizes sizes;
  for (int d : shape) sizes.push_back(d);
  return sizes;
}

namespace {

array binary(std::string_view op, const array& x, const array& y) {
  if (op == "add") return add(x, y);
  if (op == "subtract") return subtract(x, y);
  if (op == "multiply") return multiply(x, y);
  if (op == "maximum") return maximum(x, y);
  if (op == "minimum") return minimum(x, y);
  if (op == "less") return less(x, y);
  if (op == "equal") return equal(x, y);
  if (op == "greater_equal") return greater_equal(x, y);
  if (op == "logical_and") return logical_and(x, y);
  if (op == "not_equal") return not_equal(x, y);
  return logical_or(x, y);
}

array unary(std::string_view op, const array& x) {
  if (op == "negative") return negative(x);
  if (op == "abs") return abs(x);
  if (op == "square") return square(x);
  if (op == "sign") return sign(x);
  return logical_not(x);
}

array reduce(std::string_view op, const array& x, const Ints& axes, bool keepdims) {
  if (op == "sum") return sum(x, axes, keepdims);
  if (op == "prod") return prod(x, axes, keepdims);
  if (op == "max") return max(x, axes, keepdims);
  if (op == "min") return min(x, axes, keepdims);
  if (op == "any") return any(x, axes, keepdims);
  return all(x, axes, keepdims);
}

}  // namespace

array by_frit(const Step& s, const std::vector<array>& values) {
  const array& x = values[s.inputs[0]];
  const Ints& n = s.numbers;
  switch (s.op) {
    case kBinary: return binary(kBinaryNames[n[0]], x, values[s.inputs[1]]);
    case kUnary: return unary(kUnaryNames[n[0]], x);
    case kReduce: return reduce(kReduceNames[n[0]], x, s.more, n[1]);
    case kArg: return n[0] ? argmax(x, n[1], n[2]) : argmin(x, n[1], n[2]);
    case kWhere: return where(x, values[s.inputs[1]], values[s.inputs[2]]);
    case kAstype: return astype(x, s.dtype);
    case kCopy: return copy(x);
    case kContiguous: return contiguous(x, n[0]);
    case kTranspose: return transpose(x, s.more);
    case kReshape: return reshape(x, program::sizes_of(s.more));
    case kExpand: return expand_dims(x, n[0]);
    case kSqueeze: return squeeze(x, n[0]);
    case kFlatten: return flatten(x, n[0], n[1]);
    case kSlice: return slice(x, sizes_of(n), program::sizes_of(s.more), s.others);
    case kBroadcast: return broadcast_to(x, program::sizes_of(s.more));
    case kFlip: return flip(x, n[0]);
    case kConcatenate:
    case kStack: {
      std::vector<array> parts;
      for (size_t i : s.inputs) parts.push_back(values[i]);
      return s.op == kStack ? stack(parts, n[0]) : concatenate(parts, n[0]);
    }
    case kPad: return pad(x, std::vector<int>{n[0]}, Sizes{n[1]}, Sizes{n[2]}, array(n[3]), kModeNames[n[4]]);
    case kRepeat: return repeat(x, n[1], n[0]);
    case kTile: return tile(x, program::sizes_of(s.more));
    case kTriangle: return n[1] ? tril(x, n[0]) : triu(x, n[0]);
    case kMatmul: return matmul(x, values[s.inputs[1]]);
    case kSplit: return split(x, Sizes{n[1]}, n[0])[static_cast<size_t>(n[2])];
    case kFull: return full(program::sizes_of(s.more), n[0], s.dtype);
    default: return arange(n[0], n[0] + n[1] * n[2], n[2], s.dtype);
  }
}

std::string shape_text(const Ints& shape) {
  std::string text = "(";
  for (int d : shape) text += std::to_string(d) + ",";
  return text + ")";
}

std::string text(const Program& p) {
  std::string s;
  for (size_t i = 0; i < p.values.size(); ++i) {
    s += "v" + std::to_string(i) + " = ";
    if (i >= p.arguments.size()) {
      const Step& step = p.steps[i - p.arguments.size()];
      s += std::string(kNames[step.op]) + " of";
      for (size_t k : step.inputs) s += " v" + std::to_string(k);
      s += " " + shape_text(step.numbers) + shape_text(step.more) + shape_text(step.others);
    }
    s += ": " + std::string(long_name(p.values[i].dtype)) + " " + shape_text(p.values[i].shape) + "\n";
  }
  return s;
}

namespace {

template <class T>
std::string difference_as(const plain::Array& want, const array& got) {
  const T* data = got.data<T>();
  for (size_t i = 0; i < want.values.size(); ++i) {
    const auto v = static_cast<plain::Number>(static_cast<double>(data[i]));
    if (v != want.values[i])
      return "element " + std::to_string(i) + " is " + std::to_string(static_cast<double>(v)) + ", not " +
             std::to_string(static_cast<double>(want.values[i]));
  }
  return "";
}

}  // namespace

std::string difference(const plain::Array& want, const array& given) {
  if (given.dtype() != want.dtype) return "the type is " + std::string(long_name(given.dtype()));
  if (given.shape() != Shape(want.shape.begin(), want.shape.end()))
    return "the shape is " + shape_text(Ints(given.shape().begin(), given.shape().end()));
  if (want.values.empty()) return "";
  const array got = contiguous(given);
  switch (want.dtype.val()) {
    case Dtype::Val::bool_: return difference_as<bool>(want, got);
    case Dtype::Val::uint8: return difference_as<uint8_t>(want, got);
    case Dtype::Val::int8: return difference_as<int8_t>(want, got);
    case Dtype::Val::int16: return difference_as<int16_t>(want, got);
    case Dtype::Val::int32: return difference_as<int32_t>(want, got);
    case Dtype::Val::uint32: return difference_as<uint32_t>(want, got);
    case Dtype::Val::int64: return difference_as<int64_t>(want, got);
    case Dtype::Val::float16: return difference_as<float16_t>(want, got);
    case Dtype::Val::bfloat16: return difference_as<bfloat16_t>(want, got);
    default: return difference_as<float>(want, got);
  }
}

}  // namespace program
