// Hooks of a binding for programs in another language: lines of the user's source, names of parameters, and axes of
// results whose structure is known once a function has run.
#pragma once

#include <cstddef>
#include <functional>
#include <source_location>
#include <string>
#include <vector>

#include "frit/detail/compiled.h"

namespace frit::detail {

// A line of the user's program. The file's name lives as long as the process; null where no line is known.
struct UserLine {
  const char* file = nullptr;
  unsigned line = 0;
};
// The line that the calling thread is in. Called for each operation of a trace, so it must be fast, and it must not
// throw. Only with `wait` may it wait for another thread. Null takes the binding away.
using FindUserLine = UserLine (*)(bool wait);
void set_user_line(FindUserLine find);

// The parameters of the function that the calling thread calls, by a binding whose calls have `fn`: `count` of them, ""
// where there is no name.
using ParameterNames = std::vector<std::string> (*)(size_t count);
void set_parameter_names(ClosureFn fn, ParameterNames names);

// vmap(fun, in_axes, out_axes)(inputs), where `out_axes` is asked for after `fun` has been traced.
std::vector<array> mapped(const std::function<std::vector<array>(const std::vector<array>&)>& fun,
                          const std::vector<int>& in_axes, const std::function<std::vector<int>()>& out_axes,
                          const std::vector<array>& inputs,
                          const std::source_location& where = std::source_location::current());

}  // namespace frit::detail
