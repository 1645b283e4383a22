// A compiled program as bytes: its plan and the object with its kernels. What the disk holds, and what a program
// without a compiler loads.
//
// The format is versioned, little-endian with fixed widths, and the same for the same program. Reading takes any bytes:
// what is not a whole and consistent image of this version is an error. It carries no checksum: whoever keeps it adds
// one.
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
    Dtype dtype;
    uint32_t rank;
    friend bool operator==(const Input&, const Input&) = default;
  };
  std::vector<Input> inputs;
  Plan plan;                         // without code and entry points
  std::vector<KernelNeeds> kernels;  // what each kernel's code takes for granted
  std::vector<ObjectCode> objects;   // with the kernels of the plan
  // What the code takes for granted of a call's sizes. Empty where the caller is the only one who checks them: in the
  // caches of one process and of one user.
  Guard guard;
};

inline constexpr uint32_t kImageVersion = 3;

std::string write_image(const Image& image);
Result<Image> read_image(std::string_view bytes);

// Checks the plan against its kernels, loads the object and makes the plan ready to run.
Result<std::shared_ptr<Executable>> load_image(Image image);

}  // namespace frit::runtime
