// A backend whose code is wrong on purpose. It hands programs to LLVM's, or built with FAULTY_GPU to that of the GPU;
// FRIT_FAULT says where the fault is: "code" (machine code subtracts where it should add), "fail" (it refuses), "crash"
// (the process ends), or the name of a pass, which then replaces an addition of the graph.
#include <cstdlib>
#include <string>

#include "codegen/core/backend.h"
#include "ir/graph/op.h"

namespace {

using namespace frit;

const std::string kFault = std::getenv("FRIT_FAULT") ? std::getenv("FRIT_FAULT") : "";

#ifdef FAULTY_GPU
constexpr std::string_view kBelow = "glsl";
#else
constexpr std::string_view kBelow = "llvm";
#endif

const passes::PassInfo* right = nullptr;

Result<bool> wrong(ir::Function& f, passes::PassContext& context) {
  FRIT_ASSIGN_OR_RETURN(changed, right->run(f, context));
  for (ir::Op& op : f.ops)
    if (op.def->name == "add") {
      op.def = ir::OpTable::instance().find("subtract");
      return true;
    }
  return changed;
}

// Passes are found by name alone, so the standard pipeline's entry is replaced by a twin with another function.
void spoil_pass() {
  for (const passes::PassInfo*& pass : const_cast<passes::Pipeline&>(passes::Pipeline::standard()).passes) {
    if (pass->name != kFault) continue;
    right = pass;
    static passes::PassInfo twin = *pass;
    twin.run = wrong;
    pass = &twin;
    return;
  }
}

void subtract(ir::Body& body) {
  for (ir::Instr& instr : body) {
    if (auto* scalar = std::get_if<ir::ScalarInstr>(&instr.node); scalar && scalar->op == ir::ScalarOp::Add)
      scalar->op = ir::ScalarOp::Sub;
    if (auto* loop = std::get_if<ir::Loop>(&instr.node)) subtract(loop->body);
  }
}

class FaultyBackend : public codegen::Backend {
 public:
  FaultyBackend() { spoil_pass(); }
  std::string_view name() const override { return "faulty"; }
  Result<passes::TargetTraits> traits(const codegen::Target& target) override {
    FRIT_ASSIGN_OR_RETURN(below, codegen::find_backend(kBelow));
    return below->traits(target);
  }
  Status runs_here(const codegen::Target&) override { return {}; }
  Result<std::vector<runtime::ObjectCode>> objects(const ir::Program& program, const codegen::Target& target) override {
    if (kFault == "fail") return Diagnostic("this backend fails on purpose");
    if (kFault == "crash") std::abort();
    FRIT_ASSIGN_OR_RETURN(below, codegen::find_backend(kBelow));
    ir::Program p = program;
    if (kFault == "code")
      for (ir::Kernel& k : p.kernels) subtract(k.body);
    return below->objects(p, target);
  }
  Result<std::vector<Part>> emit_parts(const ir::Program&, const codegen::Target&, std::string_view) override {
    return Diagnostic("this backend writes no text");
  }
};

}  // namespace

#ifdef FAULTY_GPU
FRIT_BACKEND(FaultyBackend, "target faulty; device vulkan; rank 900")
#else
FRIT_BACKEND(FaultyBackend, "target faulty; device cpu; rank 900")
#endif
