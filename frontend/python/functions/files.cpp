// Arrays in files: paths and Python file objects, .npy, .npz, .safetensors and .gguf.
#include <nanobind/stl/unordered_map.h>
#include <nanobind/stl/variant.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "frontend/python/core/tree.h"
#include "frontend/python/functions/families.h"

namespace frit::python {

namespace {

namespace fs = std::filesystem;

std::string path_of(nb::handle h) {
  const nb::object path = nb::steal(PyOS_FSPath(h.ptr()));
  if (!path.is_valid()) {
    PyErr_Clear();
    throw InvalidArgument(
        "a file is given as a value of type " + nb::cast<std::string>(nb::handle(h.type()).attr("__name__")),
        "give a path or an open file");
  }
  if (PyBytes_Check(path.ptr())) return nb::cast<nb::bytes>(path).c_str();
  return nb::cast<std::string>(path);
}
bool is_file(nb::handle h) { return nb::hasattr(h, "read") || nb::hasattr(h, "write"); }
bool is_path(nb::handle h) { return PyUnicode_Check(h.ptr()) || nb::hasattr(h, "__fspath__"); }

void require(nb::handle file, const char* who) {
  if (!is_path(file) && !is_file(file))
    throw InvalidArgument(std::string(who) + ": a file is given as a value of type " +
                              nb::cast<std::string>(nb::handle(file.type()).attr("__name__")),
                          "give a path or an open file");
}

// A path with the ending that MLX adds where it lacks one.
std::string with_ending(std::string path, const char* ending) { return path.ends_with(ending) ? path : path + ending; }

nb::bytes to_bytes(const io::MemoryWriter& w) { return nb::bytes(w.bytes().data(), w.bytes().size()); }
std::string read_all(nb::handle file) {
  const nb::object data = file.attr("read")();
  if (!PyBytes_Check(data.ptr())) throw InvalidArgument("load: the file is open for text", "open it with mode 'rb'");
  const auto bytes = nb::borrow<nb::bytes>(data);
  return std::string(bytes.c_str(), bytes.size());
}
std::shared_ptr<io::Reader> reader_of(std::string bytes) {
  return std::make_shared<io::MemoryReader>(std::move(bytes));
}

void save_array(nb::object file, const array& a) {
  require(file, "save");
  evaluate(a);
  if (!is_path(file)) {
    auto memory = std::make_shared<io::MemoryWriter>();
    save(memory, a);
    file.attr("write")(to_bytes(*memory));
    return;
  }
  save(with_ending(path_of(file), ".npy"), a);
}

// A value to write. The type of the exception is MLX's, here and for names and facts.
array array_value(nb::handle value, const char* who) {
  if (is_array(value)) return array_in(value);
  throw RuntimeError(std::string(who) + ": a value of type " +
                         nb::cast<std::string>(nb::handle(value.type()).attr("__name__")) + " is not an array",
                     "give arrays, such as those of tree_flatten");
}

std::string name_value(nb::handle name, const char* who) {
  if (PyUnicode_Check(name.ptr())) return nb::cast<std::string>(name);
  throw RuntimeError(std::string(who) + ": the name of an array is not a text", "give a dict with texts as keys");
}

using Arrays = std::unordered_map<std::string, array>;
Arrays named_arrays(nb::dict given, const char* who) {
  Arrays out;
  for (auto [name, a] : given) out.emplace(name_value(name, who), array_value(a, who));
  for (const auto& [name, a] : out) evaluate(a);
  return out;
}

// Evaluated arrays into an archive of zipfile, which is closed then.
void write_zip(const nb::object& zip, const nb::dict& named) {
  try {
    for (auto [name, a] : named) {
      auto memory = std::make_shared<io::MemoryWriter>();
      save(memory, array_in(a));
      zip.attr("writestr")(nb::str(name) + nb::str(".npy"), to_bytes(*memory));
    }
    zip.attr("close")();
  } catch (...) {
    // An archive that is still open fails once more when it is dropped, where nobody can catch it.
    try {
      zip.attr("close")();
    } catch (nb::python_error&) {
    }
    throw;
  }
}

// The arrays of f(file, x, y, name=z): name, arr_0, arr_1.
void save_zip(nb::object file, nb::args args, nb::kwargs kwargs, bool compressed) {
  require(file, "savez");
  const nb::module_ zipfile = nb::module_::import_("zipfile");
  nb::dict named;
  for (auto [name, a] : kwargs) named[name] = a;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string name = "arr_" + std::to_string(i);
    if (kwargs.contains(name.c_str()))
      throw InvalidArgument("savez: the name '" + name + "' stands for a positional array", "choose another keyword");
    named[name.c_str()] = args[i];
  }
  for (auto [name, a] : named) array_value(a, "savez");
  for (auto [name, a] : named) evaluate(array_in(a));
  const nb::object kind = zipfile.attr(compressed ? "ZIP_DEFLATED" : "ZIP_STORED");
  if (!is_path(file)) return write_zip(zipfile.attr("ZipFile")(file, "w", kind), named);
  const fs::path path = fs::weakly_canonical(with_ending(path_of(file), ".npz"));
  const bool exists = fs::exists(path);
  if (exists && !fs::is_regular_file(path)) return write_zip(zipfile.attr("ZipFile")(path.c_str(), "w", kind), named);
  // Under another name first: an archive that is there stays until the new one is whole.
  const std::string part = path.string() + ".part" + std::to_string(getpid());
  try {
    write_zip(zipfile.attr("ZipFile")(part.c_str(), "w", kind), named);
    if (exists) fs::permissions(part, fs::status(path).permissions());
    fs::rename(part, path);
  } catch (...) {
    std::error_code ignored;
    fs::remove(part, ignored);
    throw;
  }
}

nb::dict load_zip(nb::object file, StreamOrDevice s) {
  const nb::module_ zipfile = nb::module_::import_("zipfile");
  const nb::object source = is_path(file) ? nb::object(nb::str(path_of(file).c_str())) : file;
  nb::object zip;
  try {
    zip = zipfile.attr("ZipFile")(source);
  } catch (nb::python_error& e) {
    throw InvalidArgument("load: the .npz archive cannot be read: " + nb::cast<std::string>(nb::str(e.value())),
                          "give a file that savez or numpy.savez wrote");
  }
  nb::dict arrays;
  for (nb::handle name : zip.attr("namelist")()) {
    const auto text = nb::cast<std::string>(name);
    const auto bytes = nb::cast<nb::bytes>(zip.attr("read")(name));
    const std::string key = text.ends_with(".npy") ? text.substr(0, text.size() - 4) : text;
    arrays[key.c_str()] = load(reader_of(std::string(bytes.c_str(), bytes.size())), s);
  }
  return arrays;
}

nb::object metadata_object(const GGUFMetaData& m) {
  if (const auto* a = std::get_if<array>(&m)) return nb::cast(*a);
  if (const auto* t = std::get_if<std::string>(&m)) return nb::cast(*t);
  if (const auto* l = std::get_if<std::vector<std::string>>(&m)) return nb::cast(*l);
  return nb::none();
}

std::string format_of(nb::handle file, const std::optional<std::string>& format) {
  if (format) return *format;
  std::string name;
  if (is_path(file))
    name = path_of(file);
  else  // an AttributeError without it, as in MLX
    name = nb::cast<std::string>(nb::str(file.attr("name")));
  const size_t dot = name.rfind('.');
  if (dot == std::string::npos)
    throw InvalidArgument("load: the format of '" + name + "' is not known",
                          "give format as npy, npz, safetensors or gguf");
  return name.substr(dot + 1);
}

// An open file stands behind the array then, where another one may follow.
nb::object load_open(nb::handle file, StreamOrDevice s) {
  std::string bytes = read_all(file);
  const auto size = static_cast<int64_t>(bytes.size());
  const std::shared_ptr<io::Reader> reader = reader_of(std::move(bytes));
  const array a = load(reader, s);
  const int64_t left = size - static_cast<int64_t>(reader->tell());
  const bool may_seek =
      nb::hasattr(file, "seek") && (!nb::hasattr(file, "seekable") || nb::cast<bool>(file.attr("seekable")()));
  if (left > 0 && may_seek) file.attr("seek")(-left, SEEK_CUR);
  return nb::cast(a);
}

nb::object load_any(nb::object file, const std::optional<std::string>& given, bool return_metadata, StreamOrDevice s) {
  require(file, "load");
  const std::string format = format_of(file, given);
  if (format != "npy" && format != "npz" && format != "safetensors" && format != "gguf")
    throw InvalidArgument("load: '" + format + "' is not a format", "use npy, npz, safetensors or gguf");
  if (return_metadata && (format == "npy" || format == "npz"))
    throw InvalidArgument("load: a file of the format '" + format + "' has no metadata", "leave return_metadata out");
  const bool path = is_path(file);
  if (path && !std::filesystem::exists(path_of(file))) {
    const std::string message = "load: there is no file '" + path_of(file) + "'";
    if (format == "npz" || format == "gguf") throw InvalidArgument(message, "check the path");
    throw RuntimeError(message, "check the path");
  }
  const auto both = [&](nb::object arrays, nb::object metadata) {
    return return_metadata ? nb::object(nb::make_tuple(arrays, metadata)) : arrays;
  };
  if (format == "npy") {
    if (!path) return load_open(file, s);
    return nb::cast(load(std::make_shared<io::ParallelFileReader>(path_of(file)), s));
  }
  if (format == "npz") return load_zip(file, s);
  if (format == "safetensors") {
    SafetensorsLoad found = path ? load_safetensors(path_of(file), s) : load_safetensors(reader_of(read_all(file)), s);
    return both(nb::cast(std::move(found.first)), nb::cast(std::move(found.second)));
  }
  if (!path) throw InvalidArgument("load: a .gguf file is read from a path", "give its path");
  GGUFLoad found = load_gguf(path_of(file), s);
  nb::dict facts;
  for (const auto& [name, fact] : found.second) facts[name.c_str()] = metadata_object(fact);
  return both(nb::cast(std::move(found.first)), facts);
}

}  // namespace

void bind_files(nb::module_& m) {
  def(m, "save", &save_array, "file"_a, "arr"_a);
  def(
      m, "savez", [](nb::object f, nb::args a, nb::kwargs k) { save_zip(std::move(f), a, k, false); }, "file"_a,
      "args"_a, "kwargs"_a);
  def(
      m, "savez_compressed", [](nb::object f, nb::args a, nb::kwargs k) { save_zip(std::move(f), a, k, true); },
      "file"_a, "args"_a, "kwargs"_a);
  def(
      m, "save_safetensors",
      [](nb::object file, nb::dict named, const std::optional<nb::dict>& metadata) {
        require(file, "save_safetensors");
        const Arrays arrays = named_arrays(named, "save_safetensors");
        std::unordered_map<std::string, std::string> facts;
        for (auto [name, fact] : metadata.value_or(nb::dict())) {
          if (!PyUnicode_Check(name.ptr()) || !PyUnicode_Check(fact.ptr()))
            throw InvalidArgument("save_safetensors: the metadata holds a value that is not a text",
                                  "give a dict of texts");
          facts.emplace(nb::cast<std::string>(name), nb::cast<std::string>(fact));
        }
        if (is_path(file)) return save_safetensors(with_ending(path_of(file), ".safetensors"), arrays, facts);
        auto memory = std::make_shared<io::MemoryWriter>();
        save_safetensors(memory, arrays, facts);
        file.attr("write")(to_bytes(*memory));
      },
      "file"_a, "arrays"_a, "metadata"_a = nb::none());
  def(
      m, "save_gguf",
      [](nb::object file, nb::dict named, nb::dict metadata) {
        require(file, "save_gguf");
        const Arrays arrays = named_arrays(named, "save_gguf");
        std::unordered_map<std::string, GGUFMetaData> facts;
        for (auto [name, fact] : metadata) {
          GGUFMetaData value;
          if (is_array(fact))
            value = array_in(fact);
          else if (PyUnicode_Check(fact.ptr()))
            value = nb::cast<std::string>(fact);
          else if (PyList_Check(fact.ptr()) || PyTuple_Check(fact.ptr()))
            value = nb::cast<std::vector<std::string>>(fact);
          else
            throw RuntimeError("save_gguf: a fact is neither an array nor a text nor a list of texts",
                               "make an array of a number");
          facts.emplace(nb::cast<std::string>(name), std::move(value));
        }
        save_gguf(with_ending(path_of(file), ".gguf"), arrays, facts);
      },
      "file"_a, "arrays"_a, "metadata"_a = nb::dict());
  def(m, "load", &load_any, positional(), "format"_a = nb::none(), "return_metadata"_a = false, nb::kw_only(),
      FRIT_STREAM);
}

}  // namespace frit::python
