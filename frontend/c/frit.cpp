// frit's additions to the C interface.
#include <sstream>

#include "frontend/c/closures.h"
#include "frontend/c/compiled.h"
#include "frontend/c/lists.h"

namespace frit::c {

namespace {

const CompiledFunction& compiled_in(mlx_closure closure) {
  const ClosureObject& found = object(closure, "compiled");
  if (!found.compiled)
    throw InvalidArgument("'compiled' is a closure that was not compiled", "make it with mlx_compile or frit_compile");
  return *found.compiled;
}

// "b, 128" as sizes.
std::vector<DeclaredSize> declared_shape(const std::string& text) {
  std::vector<DeclaredSize> shape;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const size_t first = part.find_first_not_of(' '), last = part.find_last_not_of(' ');
    if (first == std::string::npos) throw InvalidArgument("a size in the shape '" + text + "' is empty");
    part = part.substr(first, last - first + 1);
    if (part.find_first_not_of("0123456789") != std::string::npos)
      shape.emplace_back(part);
    else if (part.size() > 10)
      throw InvalidArgument("the size " + part + " in the shape '" + text + "' is too large");
    else
      shape.emplace_back(std::stoll(part));
  }
  return shape;
}

std::string form_of(Inspection inspection, frit_form form) {
  switch (form) {
    case FRIT_FORM_TRACED: return std::move(inspection.ir);
    case FRIT_FORM_OPTIMISED: return std::move(inspection.optimised);
    case FRIT_FORM_KERNELS: return std::move(inspection.kernels);
    case FRIT_FORM_ASSEMBLY: return std::move(inspection.assembly);
  }
  throw InvalidArgument("'form' is " + std::to_string(static_cast<int>(form)) + ", which is no frit_form");
}

}  // namespace

extern "C" {

frit_compile_options frit_compile_options_new() {
  return value_of("frit_compile_options_new", frit_compile_options{}, [] { return make<frit_compile_options>({}); });
}

int frit_compile_options_free(frit_compile_options options) {
  return call("frit_compile_options_free", [&] { release(options, "options"); });
}

int frit_compile_options_set_name(frit_compile_options options, const char* name) {
  return call("frit_compile_options_set_name", [&] { in(options, "options").name = in(name, "name"); });
}

int frit_compile_options_set_shapeless(frit_compile_options options, bool shapeless) {
  return call("frit_compile_options_set_shapeless", [&] { in(options, "options").shapeless = shapeless; });
}

int frit_compile_options_set_strict(frit_compile_options options, bool strict) {
  return call("frit_compile_options_set_strict", [&] { in(options, "options").strict = strict; });
}

int frit_compile_options_set_max_traces(frit_compile_options options, size_t most) {
  return call("frit_compile_options_set_max_traces", [&] { in(options, "options").max_traces = most; });
}

int frit_compile_options_set_device(frit_compile_options options, const mlx_device device) {
  return call("frit_compile_options_set_device", [&] { in(options, "options").device = usable(in(device, "device")); });
}

int frit_compile_options_add_dim(frit_compile_options options, const char* name, int64_t low, int64_t high,
                                 int64_t multiple) {
  return call("frit_compile_options_add_dim", [&] {
    DimDeclaration dim(in(name, "name"), low, high);
    dim.multiple = multiple;
    in(options, "options").dims.push_back(std::move(dim));
  });
}

int frit_compile_options_add_argument(frit_compile_options options, const char* shape, mlx_dtype dtype) {
  return call("frit_compile_options_add_argument", [&] {
    in(options, "options").signature.emplace_back(declared_shape(in(shape, "shape")), in(dtype, "dtype"));
  });
}

int frit_compile(mlx_closure* res, const mlx_closure fun, const frit_compile_options options) {
  return call("frit_compile", [&] {
    put_object(res, compiled_closure(object(fun, "fun"), options.ctx ? in(options, "options") : CompileOptions()));
  });
}

int frit_compile_ahead(const mlx_closure compiled) {
  return call("frit_compile_ahead", [&] { compiled_in(compiled).compile_ahead(); });
}

int frit_clear_traces(const mlx_closure compiled) {
  return call("frit_clear_traces", [&] { compiled_in(compiled).clear(); });
}

int frit_explain(mlx_string* res, const mlx_closure compiled) {
  return call("frit_explain", [&] { put(res, compiled_in(compiled).explain()); });
}

int frit_report(const mlx_closure compiled, const char* path) {
  return call("frit_report", [&] { compiled_in(compiled).report(in(path, "path")); });
}

int frit_lower(mlx_string* res, const mlx_closure compiled, frit_form form, const mlx_vector_array inputs) {
  return call("frit_lower", [&] { put(res, form_of(compiled_in(compiled).lower(in(inputs, "inputs")), form)); });
}

int frit_stats(frit_function_stats* res, const mlx_closure compiled) {
  return call("frit_stats", [&] {
    const FunctionStats s = compiled_in(compiled).stats();
    pointer(res, "res") = {s.calls, s.hits, s.traces, s.compiles, s.entries, s.trace_ms, s.compile_ms};
  });
}

int frit_save(const mlx_closure compiled, const char* path, const mlx_vector_string cpus, bool vulkan) {
  return call("frit_save", [&] {
    compiled_in(compiled).save(in(path, "path"), {maybe(cpus, "cpus").value_or(std::vector<std::string>()), vulkan});
  });
}

int frit_stats_of_process(frit_process_stats* res) {
  return call("frit_stats_of_process", [&] {
    const CompileStats s = compile_stats();
    pointer(res, "res") = {s.traces, s.compilations, s.shared, s.held, live_objects()};
  });
}

int frit_set_log(const char* topics, void (*sink)(const char* line, void* payload), void* payload,
                 void (*dtor)(void* payload)) {
  return call("frit_set_log", [&] {
    if (!sink) return set_log(in(topics, "topics"));
    auto kept = std::make_shared<Payload>(payload, dtor);
    set_log(in(topics, "topics"),
            [sink, kept](std::string_view line) { sink(std::string(line).c_str(), kept->data()); });
  });
}

int frit_num_threads(int* res) {
  return call("frit_num_threads", [&] { put(res, num_threads()); });
}

int frit_set_num_threads(int n) {
  return call("frit_set_num_threads", [&] { set_num_threads(n); });
}

const char* frit_last_error() { return last_message().c_str(); }

}  // extern "C"

}  // namespace frit::c
