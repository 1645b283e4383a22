// A kernel over the elements of a product as a function of the product's shader, which calls it with each element before it leaves the registers.
#include <algorithm>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

std::optional<Epilogue> KernelEmitter::run_epilogue(uint32_t raw) {
  const ir::Loop* loop = ir::parallel_loop(k_);
  if (!loop || passes::has_rows(k_) || passes::tile_of(k_).row) return std::nullopt;
  // Straight-line code that reads of the product what it is called with.
  const Dim at = Dim::symbol(loop->var);
  for (const ir::Instr& i : loop->body) {
    if (std::holds_alternative<ir::Loop>(i.node)) return std::nullopt;
    if (auto* load = std::get_if<ir::LoadInstr>(&i.node))
      if (load->buffer == raw && (load->index != at || load->mask != ir::kNoReg)) return std::nullopt;
  }
  check_features();
  raw_ = raw;
  prefix_ = "e";
  declare_names();
  enter(*loop);
  Name& name = names_.at(loop->var);
  name.text = "at";
  const std::string position = index_type(name.wide);
  const std::string element(register_type(k_.buffer(raw).dtype));
  emit_body(loop->body, Context::Invocation);
  if (!error_.empty()) return std::nullopt;
  size_t count = 0;
  std::string arguments = argument_fields(count), references;
  std::string function = "void epilogue(const " + position + " at, const " + element + " element) {\n" + text_ + "}\n";
  for (auto& [type, declaration] : references_) references += declaration + "\n";
  std::string names;
  for (const Memory& m : memories_) names += "#define " + m.name + " (args." + m.name + ")\n";
  for (const std::string& s : k_.symbols) names += "#define " + names_.at(s).text + " (args." + names_.at(s).text + ")\n";
  std::set<std::string> extensions = extensions_;
  return Epilogue{float_modes() + references, std::move(arguments), names + function, position, std::move(extensions), std::move(prelude_)};
}

}  // namespace frit::codegen::glsl
