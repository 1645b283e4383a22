// A backend that frit knows nothing of: it writes a listing of the kernels, and says that it cannot run them.
#include "codegen/core/backend.h"
#include "ir/text/kernel_printer.h"

namespace {

using namespace frit;

class ListingBackend : public codegen::Backend {
 public:
  std::string_view name() const override { return "listing"; }
  Result<passes::TargetTraits> traits(const codegen::Target&) override { return passes::TargetTraits{}; }
  Status runs_here(const codegen::Target&) override { return Diagnostic("a listing does not run"); }
  Result<std::vector<runtime::ObjectCode>> objects(const ir::Program&, const codegen::Target& target) override {
    return runs_here(target).error();
  }
  Result<std::vector<Part>> emit_parts(const ir::Program& program, const codegen::Target& target,
                                       std::string_view emission) override {
    const std::string head = std::string(emission) + " for " + target.cpu + "\n";
    std::vector<Part> parts;
    if (emission == "listing") return std::vector<Part>{{"", head + ir::print(program, "program")}};
    for (const ir::Kernel& k : program.kernels) parts.push_back({k.name, head + ir::print(k)});
    return parts;
  }
};

}  // namespace

FRIT_BACKEND(ListingBackend, "target paper; emit listing .lst; emit pages .page; emit punched .cards binary")
