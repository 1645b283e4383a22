// Dense copies of tensors.
#include "runtime/memory/dense.h"

#include <cstring>

namespace frit::runtime {

int64_t element_count(const Sizes& shape) {
  int64_t n = 1;
  for (int64_t s : shape) n *= s;
  return n;
}

Sizes row_major(const Sizes& shape) {
  Sizes strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= std::max<int64_t>(shape[i], 1)) strides[i] = stride;
  return strides;
}

bool is_dense(const Tensor& t) {
  if (element_count(t.shape) == 0) return true;
  int64_t stride = 1;
  for (size_t i = t.shape.size(); i-- > 0; stride *= t.shape[i])
    if (t.shape[i] != 1 && t.strides[i] != stride) return false;
  return true;
}

size_t dense_bytes(const Tensor& t) { return static_cast<size_t>(element_count(t.shape)) * t.dtype.size(); }

Status copy_dense(const Tensor& t, void* to) {
  if (element_count(t.shape) == 0) return {};
  const auto* data = static_cast<const std::byte*>(t.buffer->data());
  if (!data) return Diagnostic("a result is in memory of a gpu that cannot be read", {}, "load the package again");
  data += t.offset * static_cast<int64_t>(t.dtype.size());
  if (is_dense(t)) {
    std::memcpy(to, data, dense_bytes(t));
    return {};
  }
  auto* at = static_cast<std::byte*>(to);
  auto put = [&](const std::byte* from, size_t bytes) {
    std::memcpy(at, from, bytes);
    at += bytes;
    return true;
  };
  each_run(t, data, put);
  return {};
}

Result<Tensor> dense(const Tensor& t) {
  if (is_dense(t)) return t;
  FRIT_ASSIGN_OR_RETURN(memory, Buffer::allocate(dense_bytes(t)));
  FRIT_TRY(copy_dense(t, memory->data()));
  return Tensor{std::move(memory), t.dtype, t.shape, row_major(t.shape), 0};
}

}  // namespace frit::runtime
