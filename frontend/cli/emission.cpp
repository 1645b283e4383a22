// Chooses the backend and the form of `frit compile` from its options and from the facts of installed backends.
#include "frontend/cli/emission.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

namespace frit::cli {
namespace {

using codegen::BackendFacts;
using codegen::Emission;

// The forms of the command first, then those of each backend.
std::vector<Form> all_forms() {
  std::vector<Form> forms{{nullptr, {kArtifact, ".fritpkg", true, false}}, {nullptr, {kIr, ".frit", false, false}}};
  for (const BackendFacts& b : codegen::backends())
    for (const Emission& e : b.emissions) forms.push_back({&b, e});
  return forms;
}

const BackendFacts* target_of(const std::vector<std::string>& targets) {
  return targets.empty() ? codegen::backend_of_device("cpu") : codegen::backend_of_target(targets[0]);
}

// Of the forms that `fits` accepts, one of the chosen target comes before those of others.
template <class Fits>
const Form* find(const std::vector<Form>& forms, const std::vector<std::string>& targets, Fits&& fits) {
  const BackendFacts* target = target_of(targets);
  const Form* found = nullptr;
  for (const Form& f : forms) {
    if (!fits(f.emission)) continue;
    if (!f.backend || f.backend == target) return &f;
    if (!found) found = &f;
  }
  return found;
}

const Form& checked(const Form* form, const std::vector<std::string>& targets) {
  if (form->backend && !targets.empty() && form->backend->target != targets[0])
    throw CLI::ValidationError("--emit", "target " + targets[0] + " has no '" + form->emission.name + "'; target " +
                                             form->backend->target + " has it");
  return *form;
}

template <class Name>
std::vector<std::string> unique_names(Name&& name) {
  std::vector<std::string> names;
  for (const Form& f : all_forms())
    if (std::string n = name(f); !n.empty() && std::find(names.begin(), names.end(), n) == names.end())
      names.push_back(std::move(n));
  return names;
}

}  // namespace

Form choose_form(const std::string& emit, const std::string& output, const std::vector<std::string>& targets) {
  const std::vector<Form> forms = all_forms();
  if (!emit.empty()) return checked(find(forms, targets, [&](const Emission& e) { return e.name == emit; }), targets);
  const std::string ending = std::filesystem::path(output).extension().string();
  if (!ending.empty()) {
    const Form* form = find(forms, targets, [&](const Emission& e) { return e.ending == ending; });
    if (!form)
      throw CLI::ValidationError("--output", "the ending of '" + output + "' names no form; endings are " +
                                                 endings_text() + ", and --emit names a form for any other");
    return checked(form, targets);
  }
  const BackendFacts* target = target_of(targets);
  if (!target || target->emissions.empty())
    throw CLI::ValidationError("--target", "the target has no form to write; --emit=" + std::string(kArtifact) +
                                               " or --emit=" + kIr + " needs none");
  return {target, target->emissions[0]};
}

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const BackendFacts& b : codegen::backends())
    if (std::find(names.begin(), names.end(), b.target) == names.end()) names.push_back(b.target);
  return names;
}

std::vector<std::string> emission_names() {
  return unique_names([](const Form& f) { return f.emission.name; });
}

std::string endings_text() {
  std::string text;
  for (const std::string& e : unique_names([](const Form& f) { return f.emission.ending; }))
    text += (text.empty() ? "" : ", ") + e;
  return text;
}

}  // namespace frit::cli
