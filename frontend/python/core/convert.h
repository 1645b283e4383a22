// Arrays from Python objects, and Python objects from arrays.
#pragma once

#include "frontend/python/core/common.h"

namespace frit::python {

// A Python integer. Throws RuntimeError for one that 64 bits do not hold.
int64_t integer_of(nb::handle h);
// A Python number as a complex one.
complex64_t complex_of(nb::handle h);

// Numbers, nested lists and tuples of numbers and arrays, arrays, and what array_from_protocol takes. Throws
// InvalidArgument for anything else and for lists of unequal lengths.
array array_from_object(nb::handle h, std::optional<Dtype> dtype);
array array_from_list(nb::handle list, std::optional<Dtype> dtype);

// Whose memory an array has: its own, the other library's where that lies in rows, or the other library's or an error.
enum class Memory { Own, SharedIfRows, Shared };

// Objects with __mlx_array__, DLPack or the buffer protocol; nothing for other objects. float64 becomes float32 where
// no type is given.
MaybeArray array_from_protocol(nb::handle h, std::optional<Dtype> dtype, Memory memory = Memory::Own);

// The elements of an evaluated array, of which those that were filled with one value get memory now; null without any.
const void* memory_of(const array& a);

// A number, or nested lists of numbers.
nb::object to_list(const array& a);
nb::object item_of(const array& a);

}  // namespace frit::python
