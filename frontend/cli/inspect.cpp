// frit inspect: shows the contents of an artifact.
#include <algorithm>
#include <iostream>

#include "codegen/core/backend.h"
#include "frontend/cli/command.h"
#include "runtime/load/package.h"

namespace frit::cli {
namespace {

struct InspectOptions {
  std::string file, function;
  bool manifest = false, ir = false, disassemble = false;
};

std::string kernels_text(const runtime::Image& image) {
  size_t kernels = 0, bytes = 0, constants = 0;
  for (const runtime::ObjectCode& o : image.objects) {
    kernels += o.entries.size();
    bytes += o.object.size();
  }
  for (const runtime::BufferPlan& b : image.plan.buffers)
    if (b.constant) constants += static_cast<size_t>(b.bytes.evaluate(nullptr));
  size_t routines = 0;
  for (const auto& step : image.plan.steps) routines += std::holds_alternative<runtime::LibraryPlan>(step);
  std::string text = std::to_string(image.plan.steps.size()) + (image.plan.steps.size() == 1 ? " step, " : " steps, ") +
                     std::to_string(kernels) + (kernels == 1 ? " kernel, " : " kernels, ") + std::to_string(bytes) +
                     " B of code";
  if (constants) text += ", " + std::to_string(constants) + " B of constants";
  if (routines) text += ", " + std::to_string(routines) + (routines == 1 ? " call" : " calls") + " of library routines";
  return text;
}

runtime::Image image_of(const runtime::PackageFile& file, const runtime::PackageFile::Variant& v) {
  return value_or_fail(runtime::read_image(value_or_fail(file.section(v.image))));
}

void summarise(const runtime::PackageFile& file, const runtime::PackageFile::Function& f) {
  const runtime::Signature s = value_or_fail(file.signature(f));
  std::cout << s.text << "\n";
  for (const std::string& needs : s.said) std::cout << "  needs that " << needs << "\n";
  for (const auto& v : f.variants) {
    const std::string why = runtime::unfit(v);
    std::cout << "  " << v.device << " " << v.machine << ": " << kernels_text(image_of(file, v))
              << (why.empty() ? "; runs here" : "; " + why) << "\n";
    for (size_t i = 0; i < v.needs.size(); ++i)
      std::cout << (i ? ", " : "    needs ") << v.needs[i] << (i + 1 == v.needs.size() ? "\n" : "");
  }
}

void disassemble(const runtime::PackageFile& file, const runtime::PackageFile::Function& f) {
  for (const auto& v : f.variants) {
    const codegen::Target target{codegen::target_for(v.device).backend, v.machine};
    codegen::Backend* backend = value_or_fail(codegen::find_backend(target.backend));
    const runtime::Image image = image_of(file, v);
    for (const runtime::ObjectCode& o : image.objects)
      std::cout << "; function " << f.name << " for " << v.device << " " << v.machine << "\n"
                << value_or_fail(backend->listing(o, target)) << "\n";
  }
}

void run(const InspectOptions& o) {
  auto file = value_or_fail(runtime::PackageFile::open(o.file));
  if (o.manifest) return write_output("-", file->manifest());
  if (o.ir) return write_output("-", value_or_fail(file->ir()));
  const auto& all = file->functions();
  if (!o.function.empty() && std::none_of(all.begin(), all.end(), [&](const auto& f) { return f.name == o.function; }))
    fail({"no function '" + o.function + "' in the file"});
  if (!o.disassemble) {
    std::cout << file->path() << ": made by " << file->producer() << ", format " << runtime::kPackageVersion << ", "
              << file->functions().size() << (file->functions().size() == 1 ? " function" : " functions") << "\n";
    if (!file->weights_file().empty()) std::cout << "weights in '" << file->weights_file() << "' beside it\n";
    size_t bytes = 0;
    for (const auto& w : file->weights_inside()) bytes += file->sections()[w.section].bytes;
    if (bytes) std::cout << file->weights_inside().size() << " weights inside, " << bytes << " B\n";
  }
  for (const auto& f : file->functions()) {
    if (!o.function.empty() && f.name != o.function) continue;
    if (o.disassemble) {
      disassemble(*file, f);
      continue;
    }
    std::cout << "\n";
    summarise(*file, f);
  }
}

}  // namespace

void add_inspect(CLI::App& app) {
  auto o = std::make_shared<InspectOptions>();
  CLI::App* c = app.add_subcommand("inspect", "show the contents of an artifact: signatures, code and sizes");
  c->add_option("FILE", o->file, "an artifact of 'frit compile'")->required();
  c->add_option("--function", o->function, "only this function");
  auto* manifest = c->add_flag("--manifest", o->manifest,
                               "print the manifest (JSON): buffers, steps, sections and their hashes too");
  auto* ir = c->add_flag("--ir", o->ir, "print the graphs");
  auto* code = c->add_flag("--disassemble", o->disassemble, "print the code of its kernels");
  manifest->excludes(ir)->excludes(code);
  ir->excludes(code);
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
