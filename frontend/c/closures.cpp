// Calls of the program's functions.
#include "frontend/c/closures.h"

namespace frit::c {

void check_callback(const std::function<int()>& callback) {
  std::string before = std::exchange(last_message(), {});
  const int status = callback();
  if (status) {
    std::string note = std::exchange(last_message(), std::move(before));
    throw RuntimeError("the closure returned " + std::to_string(status),
                       note.empty() ? "" : "the last error in it was: " + std::move(note));
  }
  last_message() = std::move(before);
}

std::function<Arrays(const Arrays&)> closure_of_unary(int (*fun)(mlx_array*, const mlx_array)) {
  return [callback = Callback(fun)](const Arrays& inputs) {
    if (inputs.size() != 1)
      throw InvalidArgument("a closure of one argument was called with " + std::to_string(inputs.size()));
    Answer<mlx_array> result;
    const Lent<mlx_array> input({inputs[0], nullptr});
    callback(&result.handle, input.handle);
    return Arrays{std::move(result.value())};
  };
}

}  // namespace frit::c
