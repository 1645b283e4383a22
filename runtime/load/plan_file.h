// A compiled program as bytes: its plan and the objects with its kernels. The cache on disk holds it, and a program
// without a compiler loads it.
//
// The format is versioned, little-endian with fixed widths, and the same for the same program. Reading takes any bytes;
// anything but a whole and consistent image of this version is an error. The format has no checksum; the cache and the
// package that keep an image add one.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.h"
#include "runtime/execute/executable.h"
#include "runtime/execute/guard.h"
#include "runtime/load/object_loader.h"
#include "runtime/load/plan_check.h"

namespace frit::runtime {

struct Image {
  struct Input {
    Dtype dtype = float32;
    uint32_t rank;
    friend bool operator==(const Input&, const Input&) = default;
  };
  std::vector<Input> inputs;
  Plan plan;  // without code and entry points
  std::vector<KernelNeeds> kernels;
  std::vector<ObjectCode> objects;  // with the kernels of the plan
  // The sizes that the code was made for. A package compares it with the guard of the signature. It is empty in the
  // caches, where the program that made the code checks its calls itself.
  Guard guard;
};

inline constexpr uint32_t kImageVersion = 8;

std::string write_image(const Image& image);
Result<Image> read_image(std::string_view bytes);

// Checks the plan against its kernels, loads the object and makes the plan ready to run.
Result<std::shared_ptr<Executable>> load_image(Image image);

}  // namespace frit::runtime
