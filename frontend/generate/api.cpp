// Reads the descriptions in frontend/api.
#include "frontend/generate/api.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <set>

namespace frit::generate {

namespace {

constexpr std::array kTypes{
    TypeName{"array", "const array&", "array", "array"},
    TypeName{"array?", "const std::optional<array>&", "std::optional<array>", "std::optional<array>"},
    TypeName{"arrays", "const std::vector<array>&", "std::vector<array>", "std::vector<array>"},
    TypeName{"dtype", "Dtype", "Dtype", "Dtype"},
    TypeName{"dtype?", "std::optional<Dtype>", "std::optional<Dtype>", "std::optional<Dtype>"},
    TypeName{"category", "Dtype::Category", "Dtype::Category", "Dtype::Category"},
    TypeName{"kind", "Dtype::Kind", "Dtype::Kind", "Dtype::Kind"},
    TypeName{"bool", "bool", "bool", "bool"},
    TypeName{"int", "int", "int", "int"},
    TypeName{"int?", "std::optional<int>", "std::optional<int>", "std::optional<int>"},
    TypeName{"uint64", "uint64_t", "uint64_t", "uint64_t"},
    TypeName{"float", "float", "float", "float"},
    TypeName{"float?", "std::optional<float>", "std::optional<float>", "std::optional<float>"},
    TypeName{"double", "double", "double", "double"},
    TypeName{"string", "const std::string&", "std::string", "std::string"},
    TypeName{"string?", "const std::optional<std::string>&", "std::optional<std::string>",
             "std::optional<std::string>"},
    TypeName{"size", "const Size&", "Size", "Size"},      // a size, which may be open
    TypeName{"shape", "const Sizes&", "Sizes", "Sizes"},  // a list of sizes
    TypeName{"ints", "const Shape&", "Shape", "Shape"},   // a list of numbers, one for each axis
    TypeName{"axes", "const std::vector<int>&", "std::vector<int>", "std::vector<int>"},
    TypeName{"axes?", "const std::optional<std::vector<int>>&", "std::optional<std::vector<int>>",
             "std::optional<std::vector<int>>"},
    TypeName{"group", "const Group&", "Group", "Group"},  // of processes
    TypeName{"group?", "std::optional<Group>", "std::optional<Group>", "std::optional<Group>"},
    TypeName{"array_pair", "", "", "std::pair<array, array>"},
    TypeName{"contraction_path", "", "", "std::pair<std::vector<std::vector<int>>, std::string>"},
    TypeName{"strides", "Strides", "Strides", "Strides"},  // in elements
    TypeName{"count", "size_t", "size_t", "size_t"},       // of elements or bytes
    TypeName{"pair", "const std::pair<Size, Size>&", "std::pair<Size, Size>", "std::pair<Size, Size>"},
    TypeName{"pairs", "const std::vector<std::pair<Size, Size>>&", "std::vector<std::pair<Size, Size>>",
             "std::vector<std::pair<Size, Size>>"},
    TypeName{"device", "const Device&", "Device", "const Device&"},
    TypeName{"device_type", "Device::DeviceType", "Device::DeviceType", "Device::DeviceType"},
    TypeName{"stream", "Stream", "Stream", "Stream"},  // a stream itself
    TypeName{"streams", "const std::vector<Stream>&", "std::vector<Stream>", "std::vector<Stream>"},
    TypeName{"thread_stream", "ThreadLocalStream", "ThreadLocalStream", "ThreadLocalStream"},
    TypeName{"where", "const StreamOrDevice&", "StreamOrDevice", "StreamOrDevice"},  // a stream or a device
    TypeName{"function", "", "", ""},  // of arrays to arrays; every language has its own form
    TypeName{"named_arrays", "const Kwargs&", "Kwargs", "Kwargs"},
    TypeName{"fft_norm", "FFTNorm", "FFTNorm", "FFTNorm"},
    TypeName{"mode", "CompileMode", "CompileMode", "CompileMode"},
    TypeName{"counters", "const CompileStats&", "CompileStats", "CompileStats"},
    TypeName{"exporter", "FunctionExporter&", "FunctionExporter", "FunctionExporter"},
    TypeName{"imported_function", "const ImportedFunction&", "ImportedFunction", "ImportedFunction"},
    TypeName{"imported_module", "const ImportedModule&", "ImportedModule", "ImportedModule"},
    TypeName{"indices", "const std::vector<Index>&", "std::vector<Index>", "std::vector<Index>"},
    TypeName{"index_update", "IndexUpdate", "IndexUpdate", "IndexUpdate"},
    TypeName{"interrupt_check", "InterruptCheck", "InterruptCheck", "InterruptCheck"},
    TypeName{"text_out", "std::ostream&", "std::ostream&", "std::ostream&"},
    TypeName{"namer", "const NodeNamer&", "NodeNamer", "NodeNamer"},
    TypeName{"int_pair", "const std::pair<int, int>&", "std::pair<int, int>", "std::pair<int, int>"},
    TypeName{"int_triple", "const std::tuple<int, int, int>&", "std::tuple<int, int, int>",
             "std::tuple<int, int, int>"},
    TypeName{"reader", "std::shared_ptr<io::Reader>", "std::shared_ptr<io::Reader>", ""},
    TypeName{"writer", "std::shared_ptr<io::Writer>", "std::shared_ptr<io::Writer>", ""},
    TypeName{"array_map", "std::unordered_map<std::string, array>", "", ""},
    TypeName{"text_map", "std::unordered_map<std::string, std::string>", "", ""},
    TypeName{"gguf_facts", "std::unordered_map<std::string, GGUFMetaData>", "", ""},
    TypeName{"safetensors", "", "", "SafetensorsLoad"},
    TypeName{"gguf", "", "", "GGUFLoad"},
    TypeName{"strings", "const std::vector<std::string>&", "std::vector<std::string>", "std::vector<std::string>"},
    TypeName{"shapes", "const std::vector<Shape>&", "std::vector<Shape>", "std::vector<Shape>"},
    TypeName{"dtypes", "const std::vector<Dtype>&", "std::vector<Dtype>", "std::vector<Dtype>"},
    TypeName{"triple", "std::tuple<int, int, int>", "std::tuple<int, int, int>", "std::tuple<int, int, int>"},
    TypeName{"scalar_arguments", "const std::vector<ScalarArg>&", "", ""},
    TypeName{"kernel_function", "", "", "CustomKernelFunction"},
    TypeName{"compile_options", "const CompileOptions&", "CompileOptions", "CompileOptions"},
    TypeName{"print_options", "PrintOptions", "PrintOptions", "PrintOptions"},
    TypeName{"formatter", "PrintFormatter&", "PrintFormatter&", "PrintFormatter&"},
    TypeName{"device_facts", "const DeviceFacts&", "DeviceFacts", "const DeviceFacts&"},
    TypeName{"text", "const char*", "const char*", "const char*"},
    TypeName{"string_ref", "const std::string&", "std::string", "const std::string&"},
    TypeName{"void", "void", "void", "void"},
};
constexpr std::array<std::string_view, 7> kFields{"Shape", "Types", "Throws", "Algorithm", "Row", "Cpp", "Stream"};

const TypeName* find_type(std::string_view name) {
  const auto found = std::find_if(kTypes.begin(), kTypes.end(), [&](const TypeName& t) { return t.name == name; });
  return found == kTypes.end() ? nullptr : &*found;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return s;
}

class FileReader {
 public:
  explicit FileReader(const std::filesystem::path& path) : path_(path) { group_.name = path.stem().string(); }

  Group read() {
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) {
      ++line_;
      if (line.starts_with("#")) continue;
      if (trimmed(line).empty())
        open_ = false;
      else if (line.starts_with("  "))
        indented(std::string_view(line).substr(2));
      else
        heading(line);
    }
    for (const Function& f : group_.functions)
      if (f.text.empty()) fail("'" + f.name + "' has no text");
    for (Function& f : group_.functions) f.stream = f.stream && group_.stream, f.line = group_.line;
    if (group_.title.empty()) fail("the file has no line 'group NUMBER TITLE'");
    return std::move(group_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    std::cerr << path_.string() << ":" << line_ << ": " << what << "\n";
    std::exit(1);
  }

  void heading(std::string_view line) {
    if (line.starts_with("group ")) {
      line.remove_prefix(6);
      group_.place = std::atoi(std::string(line).c_str());
      group_.title = trimmed(line.substr(line.find(' ') + 1));
      return;
    }
    if (line == "stream none" || line == "stream line") {
      group_.stream = false;
      group_.line = line == "stream line";
      return;
    }
    const size_t open = line.find('('), arrow = line.rfind(" -> "), close = line.rfind(')', arrow);
    if (open == line.npos || arrow == line.npos || close == line.npos || close < open)
      fail("expected 'name(parameter: type, ...) -> type'");
    std::string_view name = line.substr(0, open), space;
    if (const size_t colons = name.rfind("::"); colons != name.npos) {
      space = name.substr(0, colons);
      name = name.substr(colons + 2);
    }
    if (!open_ || group_.functions.empty() || group_.functions.back().name != name ||
        group_.functions.back().space != space) {
      for (const Function& f : group_.functions)
        if (f.name == name && f.space == space) fail("'" + std::string(name) + "' is described twice");
      group_.functions.push_back({.name = std::string(name), .space = std::string(space)});
    }
    Form form{{}, std::string(trimmed(line.substr(arrow + 4)))};
    if (!find_type(form.result)) fail("there is no type '" + form.result + "'");
    parameters(line.substr(open + 1, close - open - 1), form);
    group_.functions.back().forms.push_back(std::move(form));
    open_ = true;
    field_ = nullptr;
  }

  void parameters(std::string_view text, Form& form) const {
    while (!trimmed(text).empty()) {
      size_t end = 0;
      for (int depth = 0; end < text.size() && (depth > 0 || text[end] != ','); ++end)
        depth += (text[end] == '(' || text[end] == '{') - (text[end] == ')' || text[end] == '}');
      std::string_view one = trimmed(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      Parameter p;
      if (const size_t equals = one.find(" = "); equals != one.npos) {
        p.fallback = one.substr(equals + 3);
        one = one.substr(0, equals);
      }
      const size_t colon = one.find(": ");
      if (colon == one.npos) fail("expected 'name: type' and not '" + std::string(one) + "'");
      p.name = one.substr(0, colon);
      one.remove_prefix(colon + 2);
      if (one.starts_with("own ")) {
        p.own = true;
        one.remove_prefix(4);
      }
      p.type = one;
      if (!find_type(p.type)) fail("there is no type '" + p.type + "'");
      form.parameters.push_back(std::move(p));
    }
  }

  void indented(std::string_view line) {
    if (group_.functions.empty()) {
      append(group_.text, line);
      return;
    }
    Function& f = group_.functions.back();
    if (line.starts_with("| ") || line == "|") {
      f.cpp.emplace_back(line.substr(std::min<size_t>(2, line.size())));
      return;
    }
    for (std::string_view name : kFields) {
      if (!line.starts_with(name) || !line.substr(name.size()).starts_with(": ")) continue;
      const std::string text(line.substr(name.size() + 2));
      if (name == "Row") {
        f.row = text;
        return;
      }
      if (name == "Cpp") {
        if (text != "verbatim") fail("the field Cpp is 'verbatim' or not there");
        f.verbatim = true;
        return;
      }
      if (name == "Stream") {
        if (text != "none") fail("the field Stream is 'none' or not there");
        f.stream = false;
        return;
      }
      f.fields.push_back({std::string(name), text});
      field_ = &f.fields.back().text;
      return;
    }
    append(field_ ? *field_ : f.text, line);
  }

  static void append(std::string& text, std::string_view line) {
    if (!text.empty()) text += ' ';
    text += trimmed(line);
  }

  std::filesystem::path path_;
  int line_ = 0;
  bool open_ = false;             // a further form may follow
  std::string* field_ = nullptr;  // the field that a line without a name goes on
  Group group_;
};

}  // namespace

const TypeName& type_of(std::string_view name) {
  const TypeName* type = find_type(name);
  if (!type) {
    std::cerr << "there is no type '" << name << "'\n";
    std::exit(1);
  }
  return *type;
}

std::vector<Group> read_api(const std::string& folder) {
  std::vector<Group> groups;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".api") groups.push_back(FileReader(entry.path()).read());
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.place < b.place; });
  groups.push_back(elementwise_group(groups));
  return groups;
}

std::string wrapped(std::string_view text, std::string_view prefix) {
  constexpr size_t kColumns = 120;
  std::string out, line(prefix);
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (line.size() + 1 + end > kColumns) {
      out += line + "\n";
      line = prefix;
    }
    if (line.size() > prefix.size() || !prefix.empty()) line += ' ';
    line += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out + line + "\n";
}

}  // namespace frit::generate
