// Where frit's plugins lie and how they are opened.
//
// A plugin is lib<name>.so in the folder `frit` beside the library that holds this code, or in FRIT_PLUGIN_DIR when
// that is set. Plugins stay loaded for the life of the process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.h"

namespace frit::runtime {

// The folder of the library that holds this code.
std::string library_folder();
std::string plugin_folder();

// Paths of the installed plugins whose name begins with `prefix` ("frit_runtime_"), sorted by name.
std::vector<std::string> plugin_files(std::string_view prefix);

// Opens a plugin and gives the address of `symbol`, or null when it has no such symbol. Fails with the loader's reason.
Result<void*> plugin_entry(const std::string& path, const char* symbol);

}  // namespace frit::runtime
