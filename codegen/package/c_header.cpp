// The header that callers include: what stands above the declarations, the declarations, and the codes that calls
// return.
#include <array>

#include "codegen/package/c_interface.h"

namespace frit::codegen {
namespace {

struct CodeRow {
  CallCode code;
  std::string_view name, what;
};
constexpr std::array<CodeRow, 5> kCodes{{
    {CallCode::Ok, "FRIT_CALL_OK", "the outputs are written"},
    {CallCode::BadSizes, "FRIT_CALL_BAD_SIZES", "a size is not what the function is for"},
    {CallCode::TooLarge, "FRIT_CALL_TOO_LARGE", "an array of these sizes does not fit in memory"},
    {CallCode::NullArray, "FRIT_CALL_NULL_ARRAY", "an array that is not empty is NULL"},
    {CallCode::BadWorkspace, "FRIT_CALL_BAD_WORKSPACE", "the workspace is needed and NULL, or not aligned"},
}};

// Text inside a comment of C.
std::string comment(std::string_view text) {
  std::string s = "/* ";
  for (size_t i = 0; i < text.size(); ++i) {
    const bool ends =
        i + 1 < text.size() && ((text[i] == '*' && text[i + 1] == '/') || (text[i] == '/' && text[i + 1] == '*'));
    s += text[i];
    if (ends) s += ' ';
    if (text[i] == '\n' && i + 1 < text.size()) s += text[i + 1] == '\n' ? " *" : " * ";
  }
  while (!s.empty() && s.back() == '\n') s.pop_back();
  return s + " */\n";
}

std::string upper(std::string s) {
  for (char& c : s)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return s;
}

std::string symbol_list(const CInterface& c) {
  std::string s;
  for (const CParam& p : c.params)
    if (p.kind == CParam::Kind::Symbol) s += (s.empty() ? "" : ", ") + p.type + " " + p.name;
  return s.empty() ? "void" : s;
}

}  // namespace

std::string_view constant_name(CallCode code) { return kCodes[static_cast<size_t>(code)].name; }

std::string CInterface::declaration() const {
  std::string s = "int " + name + "(";
  for (const CParam& p : params) s += (&p == params.data() ? "" : ", ") + p.type + " " + p.name;
  return s + ")";
}

std::string CInterface::workspace_declaration() const {
  return "size_t " + workspace_name() + "(" + symbol_list(*this) + ")";
}

DimProgram CInterface::program(const Dim& d) const {
  return DimProgram(d, [&](const std::string& name) {
    for (size_t i = 0; i < symbols.size(); ++i)
      if (symbols[i] == name) return static_cast<int>(i);
    return -1;
  });
}

std::string c_header(std::span<const CInterface> functions, std::string_view name, std::string_view notes) {
  const std::string guard = upper(c_identifier(name)) + "_H";
  std::string head =
      std::string(name) +
      ".h: array functions with a C interface.\n\n"
      "A call returns FRIT_CALL_OK, or says why it did nothing: a code below and, where `message` is not NULL, a text in\n"
      "*message that lives as long as the program. Calls keep no state, allocate nothing and may run at the same time on\n"
      "any threads, each with its own workspace and outputs. Arrays are dense and row-major where nothing else is said,\n"
      "outputs overlap no other array, and the caller answers for their sizes. name_workspace gives the bytes of workspace\n"
      "that a call with these sizes needs; SIZE_MAX for sizes that the function refuses.";
  if (!notes.empty()) head += "\n\n" + std::string(notes);
  std::string s =
      comment(head) + "#ifndef " + guard + "\n#define " + guard + "\n\n#include <stddef.h>\n#include <stdint.h>\n\n";
  s += "#ifndef FRIT_CALL_OK\n";
  for (const CodeRow& c : kCodes)
    s += "#define " + std::string(c.name) + " " + std::to_string(static_cast<int>(c.code)) +
         std::string(26 - c.name.size(), ' ') + "/* " + std::string(c.what) + " */\n";
  s += "#endif\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (const CInterface& c : functions)
    s += "\n" + comment(c.comment) + c.workspace_declaration() + ";\n" + c.declaration() + ";\n";
  return s + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace frit::codegen
