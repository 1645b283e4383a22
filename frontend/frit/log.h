// The log: lines about frit's own work, on standard error or to a function of the user.
//
// Topics:
//   recompiles  every trace of a compiled function after its first, with the reason and the cure
//   cache       code that is found, made, kept and dropped, in memory and on disk
//   passes      the time of each pass for each code generation
//   random      compiled functions whose random numbers are the same at every call, a line for each
//   devices     operations on a GPU's arrays that the CPU computes: a line for the first call of each
// The environment variable FRIT_LOG sets the topics at the start: FRIT_LOG=recompiles,cache.
#pragma once

#include <functional>
#include <string_view>

namespace frit {

// Replaces the topics: names separated by commas, "all", or "" for none. Lines go to `sink`, or to standard error
// without one. The sink is called from any thread, but never from two at once. Throws InvalidArgument for a topic that
// does not exist.
void set_log(std::string_view topics, std::function<void(std::string_view line)> sink = {});

}  // namespace frit
