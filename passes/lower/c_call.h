// A library step as calls of a function of a C library, such as cblas. Code generators write the calls without knowing
// the routine.
#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::passes {

struct CCall {
  // A constant of an enumeration, by value and by name.
  struct Constant {
    int value;
    std::string_view name;
  };
  // An int, raised to 1 where the library wants it so and the size may be less.
  struct Size {
    Dim value;
    bool at_least_one = false;
  };
  // A number of the element type; complex ones go by address.
  struct Number {
    bool one;  // 1, else 0
  };
  // The address of the first element that the call works on.
  struct Array {
    const ir::Window* window;
    bool written = false;
  };
  using Argument = std::variant<Constant, Size, Number, Array>;

  std::string_view function;      // "cblas_sgemm"
  std::string_view declarations;  // C text with the declarations that calls of this library need
  Dtype dtype = float32;
  std::vector<Argument> arguments;
  // Leading axes of the result that take a call for each position; arrays move along with their windows' strides.
  ir::Dims batch;
  Dim elements = 0;  // of the result: no call is made where there are none
};

}  // namespace frit::passes
