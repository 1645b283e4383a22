// What frit tells about its own work: lines on standard error, or to a function of yours.
//
// Topics: "recompiles" (every trace of a compiled function after its first, with the reason and the cure), "cache"
// (code found, made, kept and dropped, in memory and on disk), "passes" (time of each pass for each code generation).
// The environment variable FRIT_LOG sets them at start: FRIT_LOG=recompiles,cache.
#pragma once

#include <functional>
#include <string_view>

namespace frit {

// Replaces the topics: names separated by commas, "all", or nothing. Lines go to `sink`, from any thread, one at a
// time; without a sink to standard error. Throws InvalidArgument for a topic that does not exist.
void set_log(std::string_view topics, std::function<void(std::string_view line)> sink = {});

}  // namespace frit
