// The records of an exported graph, for callbacks (frit/export.h).
#pragma once

#include <string>
#include <vector>

#include "frontend/compile/compiled_entry.h"
#include "frontend/frit/export.h"

namespace frit::detail {

// Calls `callback` with every record of a trace, whose last arguments were given by the names `keywords`.
void tell(const CompiledEntry& entry, const std::vector<std::string>& keywords, const ExportCallback& callback);

}  // namespace frit::detail
