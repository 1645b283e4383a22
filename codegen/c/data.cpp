// Constants and weights as definitions of C.
#include "codegen/c/data.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "codegen/package/c_interface.h"
#include "ir/graph/attr.h"

namespace frit::codegen::c {
namespace {

// Items between braces, in lines of about a hundred characters.
class List {
 public:
  void add(const std::string& item) {
    column_ += item.size() + 2;
    const bool wraps = column_ > 110 || text_.empty();
    if (wraps) column_ = item.size();
    text_ += (text_.empty() ? "" : ",") + std::string(wraps ? "\n  " : " ") + item;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  size_t column_ = 0;
};

}  // namespace

// Text inside a string of C: printable and without trigraphs.
std::string quoted(std::string_view text) {
  std::string s = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?')
      s += '\\', s += c;
    else if (byte >= 32 && byte < 127)
      s += c;
    else
      s += "\\" + std::string{static_cast<char>('0' + byte / 64), static_cast<char>('0' + byte / 8 % 8),
                              static_cast<char>('0' + byte % 8)};
  }
  return s + "\"";
}

ArrayText constant_array(const std::string& name, Dtype dtype, std::span<const std::byte> bytes, Helpers& helpers) {
  const Dtype t = is_complex(dtype) ? float32 : dtype;
  const size_t count = bytes.size() / t.size();
  const ir::Literal flat = count ? ir::Literal(t, std::vector<std::byte>(bytes.begin(), bytes.end())) : ir::Literal();
  bool nan = false;
  for (size_t i = 0; i < count && !nan; ++i)
    nan = (t == float32 || t == float64) && std::isnan(ir::bits_to_double(t, flat.bits(i)));
  // A NaN is no constant expression: where there is one, all are written by their bits.
  const Dtype as = !nan ? t : t == float32 ? uint32 : uint64;
  List values;
  for (size_t i = 0; i < count; ++i)
    values.add(t == bool_ ? (flat.bits(i) ? "1" : "0") : constant(as, flat.bits(i), helpers));
  if (!count) values.add("0");
  const std::string size = std::to_string(std::max<size_t>(count, 1)), type(memory_type(t));
  if (!nan) return {"\nstatic const " + type + " " + name + "[" + size + "] = {" + values.text() + "\n};\n", name};
  return {"\nstatic const union {\n  " + std::string(memory_type(as)) + " bits[" + size + "];\n  " + type + " value[" +
              size + "];\n} " + name + " = {{" + values.text() + "\n}};\n",
          name + ".value"};
}

std::string open_weights_text(const CWeights& w) {
  List header;
  for (const unsigned char byte : w.header()) header.add(std::to_string(byte));
  const OpenMessages texts = open_messages(w);
  std::string s = "\nstatic const unsigned char " + w.open() + "_header[" + std::to_string(w.header().size()) +
                  "] = {" + header.text() + "\n};\n\n" + w.open_declaration() +
                  " {\n  const uint16_t one = 1;\n  unsigned char low = 0;\n  const char* why = NULL;\n"
                  "  int code = FRIT_CALL_OK;\n  memcpy(&low, &one, 1);\n";
  const auto refuse = [&](const std::string& condition, const std::string& text, CallCode code) {
    s += "  if (code == FRIT_CALL_OK && " + condition + ") {\n    why = " + quoted(text) +
         ";\n    code = " + std::string(constant_name(code)) + ";\n  }\n";
  };
  refuse("(weights == NULL || file == NULL)", texts.null, CallCode::NullArray);
  refuse("low != 1", w.open() + ": the elements of the file have their lowest byte first, and this machine has it last",
         CallCode::BadWeights);
  refuse("(uintptr_t)file % " + std::to_string(kWeightsAlignment) + " != 0", texts.misaligned, CallCode::BadWeights);
  refuse("bytes < " + std::to_string(w.file_bytes()), texts.too_short, CallCode::BadWeights);
  refuse("memcmp(file, " + w.open() + "_header, sizeof " + w.open() + "_header) != 0", texts.other,
         CallCode::BadWeights);
  return s + "  if (code != FRIT_CALL_OK) {\n    if (message != NULL) *message = why;\n    return code;\n  }\n" +
         "  weights->file = file;\n  return FRIT_CALL_OK;\n}\n";
}

}  // namespace frit::codegen::c
