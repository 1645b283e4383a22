// frit compile: functions as files that other programs link.
#include <algorithm>
#include <filesystem>

#include "codegen/package/c_interface.h"
#include "frontend/cli/compile.h"
#include "frontend/cli/write.h"
#include "runtime/memory/dense.h"

namespace frit::cli {
namespace {

// The files' name in front of their endings. Other dots belong to it, as in "gelu-1.5".
std::filesystem::path without_suffix(std::filesystem::path output, const std::string& ending) {
  if (output.extension() == ending || output.extension() == ".h") return output.replace_extension();
  return output;
}

// The most bytes of weights that go inside without being asked for.
constexpr size_t kMostInside = size_t{16} << 20;

codegen::NativeWeights weights_for(const CompileArguments& o, const Source& source) {
  using Place = codegen::NativeWeights::Place;
  codegen::NativeWeights w;
  const bool any = std::ranges::any_of(source.module->functions, [](const auto& f) {
    for (size_t i = 0; i < f->params.size(); ++i)
      if (!f->weight(i).empty()) return true;
    return false;
  });
  if (!any || o.weights == "arguments") return w;
  if (o.weights == "beside") {
    if (source.package)
      fail({"an artifact is compiled, and --weights=beside needs a file of weights", {}, "compile the graph file"});
    w = value_or_fail(codegen::weights_in_file(value_or_fail(runtime::beside(source.name, source.module->weights))));
  } else {
    w.place = Place::Inside;
    w.tensors = read_weights(source);
    size_t bytes = 0;
    for (const auto& [name, t] : w.tensors) bytes += runtime::dense_bytes(t);
    if (o.weights.empty() && bytes > kMostInside)
      fail({"the weights have " + std::to_string(bytes) + " bytes, and only " + std::to_string(kMostInside) +
                " go into the file without being asked for",
            {},
            "--weights=beside leaves them in their file, which the program opens; --weights=inside puts them in"});
  }
  check(codegen::check_weights(*source.module, w.tensors));
  return w;
}

}  // namespace

void write_library(const CompileArguments& o, Source& source, const Form& form) {
  const codegen::Target target = single_target(o, form);
  codegen::Backend* backend = value_or_fail(codegen::find_backend(target.backend));
  const bool to_standard_output = o.output.empty() || o.output == "-";
  const std::vector<ir::Function*> all = chosen(*source.module, o.function);
  const std::filesystem::path base = to_standard_output ? std::filesystem::path(codegen::c_identifier(all[0]->name))
                                                        : without_suffix(o.output, form.emission.ending);
  codegen::NativeOptions options;
  options.name = base.filename().string();
  if (options.name.empty())
    throw CLI::ValidationError("--output", "'" + o.output + "' is a folder; give the name of a file in it");
  if (options.name.find_first_of("\"\\\n") != std::string::npos)
    throw CLI::ValidationError(
        "--output", "'" + o.output + "' cannot be included by C: choose a name without quotes and backslashes");
  options.cblas = o.matmul == "cblas";
  options.static_workspace = o.workspace == "static";
  options.weights = weights_for(o, source);
  Progress progress("compiling");
  std::vector<const ir::Function*> functions;
  for (ir::Function* f : all) {
    progress.set("compiling " + f->name + " (" + std::to_string(functions.size() + 1) + " of " +
                 std::to_string(all.size()) + ")");
    passes::PassContext context;
    context.target = value_or_fail(backend->native_traits(target, options));
    check(passes::run(passes::Pipeline::standard(), *f, context));
    functions.push_back(f);
  }
  const std::vector<codegen::NativeFile> files =
      value_or_fail(backend->emit_native(functions, target, form.emission.name, options));
  if (to_standard_output) return write_output("-", files[0].bytes);
  std::vector<NamedFile> named;
  for (const codegen::NativeFile& f : files) named.push_back({base.string() + f.suffix, f.bytes});
  write_files(named);
}

}  // namespace frit::cli
