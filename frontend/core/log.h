// The sending side of frit/log.h.
#pragma once

#include <string>

#include "frontend/frit/log.h"

namespace frit::detail {

enum class Topic : unsigned { Recompiles = 1, Cache = 2, Passes = 4, Devices = 8, Random = 16 };

// Cheap; ask before composing a line.
bool logs(Topic topic);
void log(Topic topic, const std::string& line);

}  // namespace frit::detail
