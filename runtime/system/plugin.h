// Where frit's plugins lie, what they say of themselves, and how they are opened.
//
// A plugin is lib<name>.so in FRIT_PLUGIN_DIR, where that is set, or in the folder `frit` beside the library that holds
// this code. Where both folders have a file of one name, FRIT_PLUGIN_DIR's is taken. Plugins stay loaded for the life
// of the process.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/base/result.h"

// FRIT_PLUGIN_FACTS("statement; statement") at file scope writes the text into the plugin's file, where it can be read
// without loading the plugin. Each kind of plugin has its own statements: runtime/execute/gpu.h, codegen/core/facts.h.
#define FRIT_PLUGIN_FACTS(text)                                                              \
  asm(".pushsection .note.frit,\"a\",@note\n.balign 4\n.long 5, 2f-1f, 1\n.asciz \"frit\"\n" \
      ".balign 4\n1: .ascii \"" text "\"\n2: .balign 4\n.popsection\n");

namespace frit::runtime {

// The folder of the library that holds this code.
std::string library_folder();
// The folders that plugins are looked for in, the first to be asked first.
std::vector<std::string> plugin_folders();
// The same for messages: "a, b".
std::string plugin_folders_text();

// Paths of the installed plugins whose name begins with `prefix` ("frit_runtime_"), sorted by name.
std::vector<std::string> plugin_files(std::string_view prefix);

// The words of each statement that the plugin makes with FRIT_PLUGIN_FACTS; none where it makes no statement.
std::vector<std::vector<std::string>> plugin_facts(const std::string& path);

// Opens a plugin and gives the address of `symbol`, or null when it has no such symbol. Fails with the loader's reason.
Result<void*> plugin_entry(const std::string& path, const char* symbol);

}  // namespace frit::runtime
