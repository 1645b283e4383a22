// Which backend and which of its forms `frit compile` writes.
#pragma once

#include <string>
#include <vector>

#include "codegen/core/facts.h"

namespace frit::cli {

// The forms that are the command's own rather than a backend's.
inline constexpr char kArtifact[] = "artifact", kIr[] = "ir";

struct Form {
  const codegen::BackendFacts* backend = nullptr;  // null for kIr and for kArtifact
  codegen::Emission emission;

  bool is(std::string_view name) const { return emission.name == name; }
};

// --emit names the form, else the ending of the output, else it is the default of the first target. `targets` are those
// that were given: none, or names of installed backends. Fails as wrong usage for an ending that no form has, and for a
// form that the target does not have.
Form choose_form(const std::string& emit, const std::string& output, const std::vector<std::string>& targets);

// For --help: the targets and emissions of the installed backends.
std::vector<std::string> target_names();
std::vector<std::string> emission_names();
std::string endings_text();

}  // namespace frit::cli
