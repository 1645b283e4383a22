// Primitives, and MLX's macros that declare their usual members.
#pragma once

#include "frit/primitive.h"

// Each stands among the public members of a class that is derived from Primitive. DEFINE_VMAP and DEFINE_GRADS declare
// members that the class defines elsewhere.
#define DEFINE_VMAP()                                                                                \
  std::pair<std::vector<frit::array>, std::vector<int>> vmap(const std::vector<frit::array>& inputs, \
                                                             const std::vector<int>& axes) override;

#define DEFINE_GRADS()                                                                                              \
  std::vector<frit::array> jvp(const std::vector<frit::array>& primals, const std::vector<frit::array>& tangents,   \
                               const std::vector<int>& argnums) override;                                           \
  std::vector<frit::array> vjp(const std::vector<frit::array>& primals, const std::vector<frit::array>& cotangents, \
                               const std::vector<int>& argnums, const std::vector<frit::array>& outputs) override;

// The name is the argument as text.
#define DEFINE_NAME(PRIMITIVE) \
  const char* name() const override { return #PRIMITIVE; }

// Objects of the class are all alike.
#define DEFINE_DEFAULT_IS_EQUIVALENT() \
  bool is_equivalent(const frit::Primitive&) const override { return true; }

// The one result has the shape of the first input.
#define DEFINE_INPUT_OUTPUT_SHAPE()                                                         \
  std::vector<frit::Shape> output_shapes(const std::vector<frit::array>& inputs) override { \
    return {inputs[0].shape()};                                                             \
  }
