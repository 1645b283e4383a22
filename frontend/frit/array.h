// The array: an n-dimensional value, computed lazily.
//
// An array is a shared handle on a node of a graph: either data, or an operation on other arrays that has not run yet.
// Copying an array copies the handle. Nothing runs until `eval`, `item`, `data` or printing asks for a value; then the
// node drops its inputs. A node's value never changes: in-place operators such as += make the variable name another
// node. Handles of one node may be used from many threads at once.
#pragma once

#include <compare>
#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <iterator>
#include <memory>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/allocator.h"
#include "frit/dtype.h"
#include "frit/error.h"
#include "frit/size.h"
#include "frit/stream.h"

namespace frit {

namespace runtime {
class Buffer;
}  // namespace runtime
// The lists that shapes and strides are kept in, by MLX's name.
template <class T, size_t kInPlace = 10, class Allocator = std::allocator<T>>
using SmallVector = std::vector<T, Allocator>;
using Strides = std::vector<int64_t>;
using Deleter = allocator::Deleter;

namespace detail {
struct Node;
struct ArrayAccess;
}  // namespace detail
class Event;  // frit/event.h
class Operand;
class Primitive;  // frit/primitive.h

class array {
 public:
  // A scalar of rank 0. `dtype` defaults to the value's own type, float32 for double.
  template <class T>
    requires detail::is_scalar<T>
  explicit array(T value, Dtype dtype = TypeToDtype<T>())
      : array(Shape{}, dtype, &value, detail::storage_dtype<T>(), 1) {}

  // One axis, from a list of values; an empty list gives an empty float32 array unless a dtype is given. `{}` behind
  // the list is a shape without axes, no dtype.
  template <class T>
    requires detail::is_scalar<T>
  array(std::initializer_list<T> data) : array(data, Dtype(TypeToDtype<T>())) {}
  template <class T, std::convertible_to<Dtype> D>
    requires detail::is_scalar<T>
  array(std::initializer_list<T> data, D dtype)
      : array(Shape{static_cast<ShapeElem>(data.size())}, dtype, data.begin(), detail::storage_dtype<T>(),
              data.size()) {}
  array(std::initializer_list<float> data)
      : array(Shape{static_cast<ShapeElem>(data.size())}, float32, data.begin(), float32, data.size()) {}
  template <std::convertible_to<Dtype> D>
  array(std::initializer_list<int> data, D dtype)
      : array(Shape{static_cast<ShapeElem>(data.size())}, dtype, data.begin(), int32, data.size()) {}

  // Values in row-major order. Throws InvalidArgument when their number is not the shape's.
  template <class T>
    requires detail::is_scalar<T>
  array(std::initializer_list<T> data, Shape shape, Dtype dtype = TypeToDtype<T>())
      : array(std::move(shape), dtype, data.begin(), detail::storage_dtype<T>(), data.size()) {}

  // As many values as `shape` has elements, read from `first` on.
  template <std::input_iterator It>
  array(It first, Shape shape, Dtype dtype = TypeToDtype<std::iter_value_t<It>>()) {
    using T = std::iter_value_t<It>;
    const size_t n = count(shape);
    if constexpr (std::contiguous_iterator<It>) {
      *this = array(std::move(shape), dtype, n ? std::to_address(first) : nullptr, detail::storage_dtype<T>(), n);
    } else {
      auto values = std::make_unique<T[]>(n);
      for (size_t i = 0; i < n; ++i, ++first) values[i] = *first;
      *this = array(std::move(shape), dtype, values.get(), detail::storage_dtype<T>(), n);
    }
  }

  // Takes over memory that holds the elements in row-major order, without a copy; `deleter` is called with `data` when
  // the last user of the memory has gone. The pointer must be aligned to the element size.
  explicit array(void* data, Shape shape, Dtype dtype, const std::function<void(void*)>& deleter);
  // The same for memory of allocator::malloc.
  explicit array(allocator::Buffer data, Shape shape, Dtype dtype, Deleter deleter = allocator::free);
  explicit array(allocator::Data&& data, Shape shape, Dtype dtype);

  // The result of an operation of the program (frit/primitive.h) on `inputs`, of this shape and type, computed when it
  // is needed. With null: an array that waits for set_data or copy_shared_buffer, as primitives use for what they
  // compute on the way; reading it before that throws RuntimeError.
  explicit array(Shape shape, Dtype dtype, std::shared_ptr<Primitive> primitive, std::vector<array> inputs,
                 std::source_location where = std::source_location::current());
  // The results of an operation that has several. Throws InvalidArgument for null, and where there are not as many
  // types as shapes.
  static std::vector<array> make_arrays(std::vector<Shape> shapes, const std::vector<Dtype>& dtypes,
                                        const std::shared_ptr<Primitive>& primitive, const std::vector<array>& inputs,
                                        std::source_location where = std::source_location::current());

  array(const array&) = default;
  array(array&&) noexcept = default;
  array& operator=(const array&) & = default;
  array& operator=(array&&) & noexcept = default;

  Dtype dtype() const;
  // Sizes as numbers. In a function that is traced for any shape, reading them specialises the trace: a call with other
  // sizes traces again, and the explanation names the line `where`. `dim` leaves the sizes open. Both throw
  // InvalidArgument when the function is traced without data.
  const Shape& shape(std::source_location where = std::source_location::current()) const;
  // The size of one axis; negative axes count from the end. Throws OutOfRange.
  ShapeElem shape(int axis, std::source_location where = std::source_location::current()) const;
  size_t size(std::source_location where = std::source_location::current()) const;  // elements
  size_t nbytes(std::source_location where = std::source_location::current()) const { return size(where) * itemsize(); }
  // The size of one axis as an expression that stays open in a trace for any shape; elsewhere a number. Throws
  // OutOfRange.
  Size dim(int axis, std::source_location where = std::source_location::current()) const;
  Sizes dims(std::source_location where = std::source_location::current()) const;
  size_t ndim() const;
  size_t itemsize() const { return dtype().size(); }  // bytes of an element

  // In elements. Before evaluation: the row-major strides of the shape.
  Strides strides(std::source_location where = std::source_location::current()) const;
  int64_t strides(int axis, std::source_location where = std::source_location::current()) const;

  // Computes the value, in the calling thread. Does nothing when it is there.
  void eval() const;
  // Waits for an evaluation under way, or starts one.
  void wait() const { eval(); }

  // The value of an array with one element, converted to `T`. Evaluates. Throws InvalidArgument for any other size.
  template <class T>
  T item() const {
    T value;
    read_item(&value, detail::storage_dtype<T>());
    return value;
  }

  // The first element's place in memory; `strides` and `flags` say how to go on. Evaluates. `T` must have the element's
  // size.
  template <class T>
  const T* data() const {
    return static_cast<const T*>(raw_data(sizeof(T)));
  }
  template <class T>
  T* data() {
    return static_cast<T*>(raw_data(sizeof(T)));
  }

  // Nobody asked for the value yet, its work was handed over, or it is there.
  enum Status { unscheduled, evaluated, available };
  Status status() const;
  bool is_available() const { return status() == available; }
  // Brings the array to a status: `evaluated` hands its work to the default stream, `available` computes the value.
  // Throws InvalidArgument for `unscheduled` once the work was handed over.
  void set_status(Status s) const;
  // The evaluation of this array as an object to wait for.
  Event event() const;
  // Waits for an event, so that nobody reads the value before it.
  void attach_event(const Event& event) const;
  // Does nothing: an array has no event beside its own evaluation.
  void detach_event() const {}
  // True for an argument of a function that is being traced, and for every value computed from one.
  bool is_tracer() const;
  // Throws InvalidArgument where is_tracer() says otherwise: a trace makes its tracers.
  void set_tracer(bool is_tracer);

  struct Flags {
    bool contiguous;      // no gaps between the elements, in some order of axes
    bool row_contiguous;  // dense, last axis fastest
    bool col_contiguous;  // dense, first axis fastest
  };
  Flags flags() const;
  // The elements of memory that the array spans: one for a scalar that is broadcast, size() for a dense array. Before
  // evaluation: size().
  size_t data_size() const;

  // The block of memory that the value lies in, which stays the array's; views of one array share it. The first element
  // lies `offset` bytes behind its begin. These evaluate.
  allocator::Buffer buffer() const;
  size_t buffer_size() const;  // bytes
  int64_t offset() const;
  // The owner of that block, by which holders can be counted and compared; null before the value is there.
  using Data = runtime::Buffer;
  const std::shared_ptr<Data>& data_shared_ptr() const;
  // Whether the value is there and nobody else holds the array or its memory, so that an operation may put its result
  // there.
  bool is_donatable() const;
  // Makes this handle name a value in the given memory, with the shape and the type of the array; other handles keep
  // what they name. `data_size`, strides and offset are counted in elements, `flags` follow from the strides.
  void set_data(allocator::Buffer data, Deleter deleter = allocator::free);
  void set_data(allocator::Buffer data, size_t data_size, Strides strides, Flags flags,
                Deleter deleter = allocator::free);
  void set_data(allocator::Buffer data, size_t data_size, Strides strides, Flags flags, int64_t offset,
                Deleter deleter = allocator::free);
  void set_data(allocator::Data&& data);
  void set_data(allocator::Data&& data, size_t data_size, Strides strides, Flags flags, int64_t offset = 0);
  // The same in the memory of another array, whose first element is the origin of `offset`. Throws InvalidArgument
  // where the strides lead out of it.
  void copy_shared_buffer(const array& other);
  void copy_shared_buffer(const array& other, const Strides& strides, Flags flags, size_t data_size,
                          int64_t offset = 0);
  // Another array in the same memory, without the graph behind it. Evaluates.
  static array unsafe_weak_copy(const array& other);
  // Makes this handle name what `other` names.
  void overwrite_descriptor(const array& other) { node_ = other.node_; }
  // Computes the value, so that nothing is left of the graph behind it.
  void detach() { eval(); }

  // Equal for two handles of one node.
  std::uintptr_t id() const { return reinterpret_cast<std::uintptr_t>(node_.get()); }

  // The operation that computes the array (frit/primitive.h), which is gone once the array is evaluated.
  bool has_primitive() const;
  Primitive& primitive() const;                      // throws InvalidArgument where there is none
  std::shared_ptr<Primitive> primitive_ptr() const;  // keeps the operation; null where there is none
  std::uintptr_t primitive_id() const;               // equal for the results of one operation; 0 where there is none
  std::vector<array> inputs() const;                 // of the operation; none where there is none
  std::vector<array> siblings() const;               // the other results of the operation that somebody still holds
  std::vector<array> outputs() const;                // all of them in order, this one included
  int sibling_position() const;                      // which result of the operation this is
  // The results of an operation know each other from make_arrays on. Throws InvalidArgument where `siblings` are not
  // siblings() in order, or `position` is not sibling_position().
  void set_siblings(const std::vector<array>& siblings, uint16_t position);
  // The operations on the longest path from a value that is known to this one; 0 for an array that is evaluated.
  size_t graph_depth() const;

  // Sub-arrays along the first axis. Borrows the array.
  class ArrayIterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = array;
    using reference = array;
    using pointer = void;
    using difference_type = std::ptrdiff_t;

    ArrayIterator() = default;
    explicit ArrayIterator(const array& a, difference_type index = 0) : array_(&a), index_(index) {}
    array operator*() const;
    array operator[](difference_type n) const { return *(*this + n); }
    ArrayIterator& operator+=(difference_type n) {
      index_ += n;
      return *this;
    }
    ArrayIterator& operator-=(difference_type n) { return *this += -n; }
    ArrayIterator& operator++() { return *this += 1; }
    ArrayIterator& operator--() { return *this += -1; }
    ArrayIterator operator++(int) { return std::exchange(*this, *this + 1); }
    ArrayIterator operator--(int) { return std::exchange(*this, *this - 1); }
    friend ArrayIterator operator+(ArrayIterator i, difference_type n) { return i += n; }
    friend ArrayIterator operator+(difference_type n, ArrayIterator i) { return i += n; }
    friend ArrayIterator operator-(ArrayIterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const ArrayIterator& a, const ArrayIterator& b) { return a.index_ - b.index_; }
    friend bool operator==(const ArrayIterator& a, const ArrayIterator& b) { return a.index_ == b.index_; }
    friend auto operator<=>(const ArrayIterator& a, const ArrayIterator& b) { return a.index_ <=> b.index_; }

   private:
    const array* array_ = nullptr;
    difference_type index_ = 0;
  };
  using Iterator = ArrayIterator;
  ArrayIterator begin() const;  // throws InvalidArgument for an array of rank 0
  ArrayIterator end() const;

  // Operators broadcast and promote like the function named beside each; a C++ scalar takes part as a rank-0 array of
  // its own dtype, and in a division as float32 (complex64 where it is complex).
  friend array operator-(const Operand& a);                     // negative
  friend array operator!(const Operand& a);                     // logical_not
  friend array operator~(const Operand& a);                     // bitwise_invert
  friend array operator+(const Operand& a, const Operand& b);   // add
  friend array operator-(const Operand& a, const Operand& b);   // subtract
  friend array operator*(const Operand& a, const Operand& b);   // multiply
  friend array operator/(const Operand& a, const Operand& b);   // divide
  friend array operator%(const Operand& a, const Operand& b);   // remainder
  friend array operator==(const Operand& a, const Operand& b);  // equal
  friend array operator!=(const Operand& a, const Operand& b);  // not_equal
  friend array operator<(const Operand& a, const Operand& b);   // less
  friend array operator<=(const Operand& a, const Operand& b);  // less_equal
  friend array operator>(const Operand& a, const Operand& b);   // greater
  friend array operator>=(const Operand& a, const Operand& b);  // greater_equal
  friend array operator&&(const Operand& a, const Operand& b);  // logical_and
  friend array operator||(const Operand& a, const Operand& b);  // logical_or
  friend array operator&(const Operand& a, const Operand& b);   // bitwise_and
  friend array operator|(const Operand& a, const Operand& b);   // bitwise_or
  friend array operator^(const Operand& a, const Operand& b);   // bitwise_xor
  friend array operator<<(const Operand& a, const Operand& b);  // left_shift
  friend array operator>>(const Operand& a, const Operand& b);  // right_shift
  friend array& operator+=(array& a, const Operand& b);
  friend array& operator-=(array& a, const Operand& b);
  friend array& operator*=(array& a, const Operand& b);
  friend array& operator/=(array& a, const Operand& b);

  // array([1, 2, 3], dtype=int32). Evaluates.
  friend std::ostream& operator<<(std::ostream& os, const array& a);

 private:
  friend struct detail::ArrayAccess;
  explicit array(std::shared_ptr<detail::Node> node) : node_(std::move(node)) {}
  array(Shape shape, Dtype dtype, const void* data, Dtype data_type, size_t count);
  static size_t count(const Shape& shape);
  void* raw_data(size_t element_size) const;
  void read_item(void* to, Dtype type) const;

  std::shared_ptr<detail::Node> node_;
};

// Whether a type is array, const and references aside; whether all are.
template <class T>
inline constexpr bool is_array_v = std::is_same_v<std::remove_cvref_t<T>, array>;
template <class... T>
inline constexpr bool is_arrays_v = (is_array_v<T> && ...);
template <class... T>
using enable_for_arrays_t = std::enable_if_t<is_arrays_v<T...>>;

// Whether a type is a list such as shapes and strides are kept in.
template <class T>
inline constexpr bool is_vector_v = false;
template <class T, class Allocator>
inline constexpr bool is_vector_v<std::vector<T, Allocator>> = true;

// An operand of an operator: an array or a C++ scalar, and the source line of the expression.
class Operand {
 public:
  Operand(const array& a, std::source_location where = std::source_location::current()) : value_(a), where_(where) {}
  template <class T>
    requires detail::is_scalar<T>
  Operand(T scalar, std::source_location where = std::source_location::current())
      : value_(scalar), where_(where), number_(true) {}

  const array& value() const { return value_; }
  bool is_number() const { return number_; }  // a C++ scalar
  const std::source_location& where() const { return where_; }

 private:
  array value_;
  std::source_location where_;
  bool number_ = false;
};

}  // namespace frit
