// Tensor types: text, sizes and strides.
#include "ir/graph/type.h"

#include <algorithm>

namespace frit::ir {

bool Type::is_static() const {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& d) { return d.is_const(); });
}

std::string Type::str() const { return std::string(short_name(dtype)) + shape_text(shape); }

void Type::hash_into(Hasher& hasher) const {
  hasher.add(dtype.val()).add(static_cast<uint64_t>(shape.size()));
  for (const Dim& d : shape) d.hash_into(hasher);
}

std::string shape_text(const Shape& shape) {
  std::string s = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i) s += ", ";
    s += shape[i].str();
  }
  return s + "]";
}

Shape row_major_strides(const Shape& shape) {
  Shape strides(shape.size());
  Dim stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

}  // namespace frit::ir
