// The line of a Python program that an operation of a trace comes from: the innermost frame outside of this package.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/frit/detail/binding.h"
#include "frontend/python/core/bind.h"

namespace frit::python {

namespace {

// The folder of the package, with a slash behind it.
std::string& package_folder() {
  static auto& folder = *new std::string;
  return folder;
}

// Functions of the interpreter that the stable ABI leaves out. Every interpreter has them, so a library for the stable
// ABI finds them by name; a version without one gives null.
#if defined(Py_LIMITED_API)
template <class F>
F* function_named(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}
bool has_interpreter() {
  static const auto check = function_named<int()>("PyGILState_Check");
  return check && check();
}
PyFrameObject* outer_frame(PyFrameObject* frame) {
  static const auto get = function_named<PyFrameObject*(PyFrameObject*)>("PyFrame_GetBack");
  return get ? get(frame) : nullptr;
}
std::optional<int> instruction_in(PyFrameObject* frame) {
  static const auto get = function_named<int(PyFrameObject*)>("PyFrame_GetLasti");
  return get ? std::optional(get(frame)) : std::nullopt;
}
#else
bool has_interpreter() { return PyGILState_Check(); }
PyFrameObject* outer_frame(PyFrameObject* frame) { return PyFrame_GetBack(frame); }
#if PY_VERSION_HEX >= 0x030b0000
std::optional<int> instruction_in(PyFrameObject* frame) { return PyFrame_GetLasti(frame); }
#else
// The interpreter finds a line there by itself.
std::optional<int> instruction_in(PyFrameObject*) { return std::nullopt; }
#endif
#endif

// An attribute of a code object; null, without an error, where it has none.
nb::object part_of(PyObject* code, const char* name) {
  nb::object part = nb::steal(PyObject_GetAttrString(code, name));
  if (!part.is_valid()) PyErr_Clear();
  return part;
}

// The name of a file in the form that lives as long as the process; null for files of this package. The objects are
// held, so that no other name comes to lie at the address of one.
const char* user_file(PyObject* name) {
  static auto& known = *new std::unordered_map<PyObject*, const char*>;
  const auto [found, added] = known.try_emplace(name, nullptr);
  if (!added) return found->second;
  Py_INCREF(name);
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(name, &size);
  if (!text) {
    PyErr_Clear();
    return nullptr;
  }
  const std::string_view file(text, static_cast<size_t>(size));
  if (!file.starts_with(package_folder())) found->second = text;
  return found->second;
}

// The lines of one long function by instruction. The interpreter walks its own table from the start for each question,
// which for thousands of lines takes longer than the operation. Holds the code.
struct LineTable {
  nb::object code;
  std::vector<std::pair<int, int>> lines;  // the first instruction, and the line
};
constexpr Py_ssize_t kLong = 512;  // bytes of the interpreter's table

bool read_lines(nb::handle code, LineTable& table) {
  table.lines.clear();
  try {
    for (const nb::handle range : code.attr("co_lines")()) {
      const nb::object line = range[2];
      table.lines.emplace_back(nb::cast<int>(range[0]), line.is_none() ? 0 : nb::cast<int>(line));
    }
  } catch (const std::exception&) {
    return false;
  }
  return !table.lines.empty();
}

int line_of(PyFrameObject* frame, nb::handle code) {
  const std::optional<int> at = instruction_in(frame);
  const nb::object own = at ? part_of(code.ptr(), "co_linetable") : nb::object();
  if (!own.is_valid() || PyObject_Size(own.ptr()) < kLong) return PyFrame_GetLineNumber(frame);
  static auto& tables = *new std::array<LineTable, 4>;
  static size_t next = 0;
  auto table = std::find_if(tables.begin(), tables.end(), [&](const LineTable& t) { return t.code.is(code); });
  if (table == tables.end()) {
    table = tables.begin() + next++ % tables.size();
    table->code.reset();
    if (!read_lines(code, *table)) return PyFrame_GetLineNumber(frame);
    table->code = nb::borrow(code);
  }
  auto behind = std::upper_bound(table->lines.begin(), table->lines.end(), *at,
                                 [](int i, const std::pair<int, int>& line) { return i < line.first; });
  return behind == table->lines.begin() ? 0 : std::prev(behind)->second;
}

detail::UserLine find_line(bool wait) {
  std::optional<LockTaken> lock;
  if (!has_interpreter()) {
    if (!wait) return {};
    lock.emplace();
  }
  // Without the interpreter's lock, threads share the tables.
  static auto& mutex = *new nb::ft_mutex;
  const nb::ft_lock_guard guard(mutex);
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(reinterpret_cast<PyObject*>(frame));
  while (frame) {
    const nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(frame)));
    const nb::object name = part_of(code.ptr(), "co_filename");
    const char* file = name.is_valid() ? user_file(name.ptr()) : nullptr;
    const int line = file ? line_of(frame, code) : 0;
    PyFrameObject* outer = file ? nullptr : outer_frame(frame);
    Py_DECREF(reinterpret_cast<PyObject*>(frame));
    if (file) return {file, static_cast<unsigned>(line > 0 ? line : 0)};
    frame = outer;
  }
  return {};
}

}  // namespace

void bind_places(nb::module_& m) {
  const auto file = nb::cast<std::string>(m.attr("__file__"));
  package_folder() = file.substr(0, file.rfind('/') + 1);
  detail::set_user_line(find_line);
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] { detail::set_user_line(nullptr); }));
}

}  // namespace frit::python
