// Trees of Python objects as structures of a compiled function, and back.
#pragma once

#include <frit/detail/arguments.h>

#include "frontend/python/core/compile.h"

namespace frit::python {

// Writes a held tree: containers, keys and constants into the structure, arrays beside it.
// Borrows the arrays. Objects of other kinds are kept in `objects`; without it they throw InvalidArgument.
class Encoder {
 public:
  Encoder(detail::Structure& structure, std::vector<const array*>& arrays, ReturnedObjects* objects)
      : structure(structure), arrays(arrays), objects(objects) {}
  void add(nb::handle tree);

 private:
  void add_list(nb::handle list, bool is_tuple);
  void add_dict(nb::handle dict);

  detail::Structure& structure;
  std::vector<const array*>& arrays;
  ReturnedObjects* objects;
};

// Reads trees in the order in which they were written.
class Decoder {
 public:
  Decoder(const detail::Structure& structure, const std::vector<array>& arrays, ReturnedObjects& objects)
      : structure(structure), arrays(arrays), objects(objects) {}
  nb::object build();
  // Reads a tree into containers that exist: lists and dicts keep their identity, and get the arrays that were read.
  nb::object fill(nb::handle live);

 private:
  nb::object key();
  std::string_view text(size_t size);
  nb::object number(const detail::Part& part);

  const detail::Structure& structure;
  const std::vector<array>& arrays;
  ReturnedObjects& objects;
  size_t part_ = 0, array_ = 0, text_ = 0;
};

// Calls f(array, owner) for each array of captured state; the random state has one too.
void visit_state(nb::handle tree, const std::function<void(array&, nb::handle)>& f);

}  // namespace frit::python
