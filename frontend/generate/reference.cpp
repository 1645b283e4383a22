// The reference page of the public API, docs/api.md.
#include "frontend/generate/api.h"

namespace frit::generate {

namespace {

std::string form_text(const Function& f, const Form& form) {
  std::string text = f.full_name() + "(";
  const auto add = [&](const std::string& part) { text += (text.ends_with("(") ? "" : ", ") + part; };
  for (const Parameter& p : form.parameters)
    add(p.name + ": " + p.type + (p.fallback.empty() ? "" : " = " + p.fallback));
  if (f.stream) add("s: where = default");
  return text + ")" + (form.result == "void" ? "" : " -> " + form.result);
}

}  // namespace

std::string reference(const std::vector<Group>& groups) {
  std::string text =
      "# Reference of the public API\n\n"
      "Written by `frontend/generate` from `frontend/api` and the rows of the operation registry; do not edit. Names, orders and defaults follow MLX. `array?` is "
      "an\narray that may be absent, `size` a number or an open size ([shapeless.md](shapeless.md)), `shape` a list of sizes, `ints` a list of numbers, `where` a "
      "stream\nor a device. Every error is a `frit::Error` with one sentence, the caller's source line, and a note with the cure.\n";
  for (const Group& group : groups) {
    text += "\n## " + group.title + "\n\n" + group.text + "\n";
    for (const Function& f : group.functions) {
      text += "\n### " + f.full_name() + "\n\n```\n";
      for (const Form& form : f.forms) text += form_text(f, form) + "\n";
      text += "```\n\n" + f.text + "\n";
      if (!f.fields.empty()) text += "\n";
      for (const Field& field : f.fields) text += "- *" + field.name + "*: " + field.text + "\n";
    }
  }
  return text;
}

}  // namespace frit::generate
