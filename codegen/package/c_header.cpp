// The header that callers include: its head, the codes that calls return, and the declarations.
#include <array>

#include "codegen/package/c_interface.h"

namespace frit::codegen {
namespace {

struct CodeRow {
  CallCode code;
  std::string_view name, what;
};
constexpr std::array<CodeRow, 6> kCodes{{
    {CallCode::Ok, "FRIT_CALL_OK", "the outputs are written"},
    {CallCode::BadSizes, "FRIT_CALL_BAD_SIZES", "a size is not what the function is for"},
    {CallCode::TooLarge, "FRIT_CALL_TOO_LARGE", "an array of these sizes does not fit in memory"},
    {CallCode::NullArray, "FRIT_CALL_NULL_ARRAY", "an array that is not empty is NULL"},
    {CallCode::BadWorkspace, "FRIT_CALL_BAD_WORKSPACE", "the workspace is needed and NULL, or not aligned"},
    {CallCode::BadWeights, "FRIT_CALL_BAD_WEIGHTS", "no weights are open, or the file of weights is another one"},
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

namespace {

// The type of open weights, and the function that opens them.
std::string open_text(const CWeights& w) {
  return "\n" +
         comment(
             "Weights in the bytes of a .safetensors file, which the caller has mapped or read. They must stay where\n"
             "they are, unchanged, while functions are called with them. Any number of files may be open.\n") +
         "typedef struct {\n  const void* file;\n} " + w.type() + ";\n\n" +
         comment(
             "Checks that the file's header is the one that the code was compiled for, byte by byte: the same names,\n"
             "element types, shapes and order of tensors; their elements may be others. Copies nothing.\n\n"
             "  weights  is filled\n"
             "  file     the file's bytes, at a multiple of " +
             std::to_string(kWeightsAlignment) +
             "\n"
             "  bytes    how many there are\n"
             "  message  NULL, or where a call that fails puts a static text that says why\n") +
         w.open_declaration() + ";\n";
}

}  // namespace

std::string c_header(std::span<const CInterface> functions, std::string_view name, std::string_view notes,
                     const CWeights* weights) {
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
  if (weights && weights->in_file()) s += open_text(*weights);
  for (const CInterface& c : functions)
    s += "\n" + comment(c.comment) + c.workspace_declaration() + ";\n" + c.declaration() + ";\n";
  return s + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

}  // namespace frit::codegen
