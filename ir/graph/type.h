// The type of a tensor value: an element type and a shape whose sizes may be symbolic.
#pragma once

#include <string>
#include <vector>

#include "ir/base/dim.h"
#include "ir/base/dtype.h"

namespace frit::ir {

using Shape = std::vector<Dim>;

struct Type {
  Dtype dtype = float32;
  Shape shape;

  int rank() const { return static_cast<int>(shape.size()); }
  Dim size() const { return product(shape); }  // elements
  Dim bytes() const { return size() * Dim(int64_t{dtype.size()}); }
  bool is_static() const;
  std::string str() const;  // "f32[b, 4]"
  void hash_into(Hasher& hasher) const;
  friend bool operator==(const Type&, const Type&) = default;
};

std::string shape_text(const Shape& shape);  // "[b, 4]"

// The element strides of a dense row-major layout.
Shape row_major_strides(const Shape& shape);

}  // namespace frit::ir
