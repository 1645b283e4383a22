// The line of a Python program that an operation of a trace comes from: the innermost frame outside of this package.
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

#if PY_VERSION_HEX >= 0x030b0000
// The lines of one long function by instruction. The interpreter walks its own table from the start for each question,
// which for thousands of lines takes longer than the operation. Holds the code.
struct LineTable {
  PyCodeObject* code = nullptr;
  std::vector<std::pair<int, int>> lines;  // the first instruction, and the line
};
constexpr Py_ssize_t kLong = 512;  // bytes of the interpreter's table

bool read_lines(PyCodeObject* code, LineTable& table) {
  table.lines.clear();
  PyObject* all = PyObject_CallMethod(reinterpret_cast<PyObject*>(code), "co_lines", nullptr);
  PyObject* each = all ? PyObject_GetIter(all) : nullptr;
  Py_XDECREF(all);
  while (PyObject* range = each ? PyIter_Next(each) : nullptr) {
    PyObject *start = PyTuple_GET_ITEM(range, 0), *line = PyTuple_GET_ITEM(range, 2);
    table.lines.emplace_back(PyLong_AsLong(start), line == Py_None ? 0 : PyLong_AsLong(line));
    Py_DECREF(range);
  }
  Py_XDECREF(each);
  if (!PyErr_Occurred()) return !table.lines.empty();
  PyErr_Clear();
  return false;
}

int line_of(PyFrameObject* frame, PyCodeObject* code) {
  if (PyBytes_GET_SIZE(code->co_linetable) < kLong) return PyFrame_GetLineNumber(frame);
  static auto& tables = *new std::array<LineTable, 4>;
  static size_t next = 0;
  auto table = std::find_if(tables.begin(), tables.end(), [&](const LineTable& t) { return t.code == code; });
  if (table == tables.end()) {
    table = tables.begin() + next++ % tables.size();
    PyCodeObject* before = std::exchange(table->code, nullptr);
    if (!read_lines(code, *table)) return PyFrame_GetLineNumber(frame);
    Py_INCREF(code);
    table->code = code;
    Py_XDECREF(before);
  }
  const int at = PyFrame_GetLasti(frame);
  auto behind = std::upper_bound(table->lines.begin(), table->lines.end(), at,
                                 [](int i, const std::pair<int, int>& line) { return i < line.first; });
  return behind == table->lines.begin() ? 0 : std::prev(behind)->second;
}
#else
int line_of(PyFrameObject* frame, PyCodeObject*) { return PyFrame_GetLineNumber(frame); }
#endif

detail::UserLine find_line(bool wait) {
  std::optional<nb::gil_scoped_acquire> lock;
  if (!PyGILState_Check()) {
    if (!wait) return {};
    lock.emplace();
  }
  PyFrameObject* frame = PyEval_GetFrame();
  Py_XINCREF(frame);
  while (frame) {
    PyCodeObject* code = PyFrame_GetCode(frame);
    const char* file = user_file(code->co_filename);
    const int line = file ? line_of(frame, code) : 0;
    Py_DECREF(code);
    PyFrameObject* outer = file ? nullptr : PyFrame_GetBack(frame);
    Py_DECREF(frame);
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
