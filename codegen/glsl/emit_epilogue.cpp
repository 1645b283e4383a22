// A kernel over the elements of a routine's result as a function of the routine's shader, which calls it with `parts`
// elements at a time.
#include <algorithm>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

std::optional<Epilogue> KernelEmitter::run_epilogue(uint32_t raw) {
  const ir::Loop* loop = ir::parallel_loop(k_);
  if (!loop || passes::has_rows(k_) || passes::tile_of(k_).row) return std::nullopt;
  // The kernel must be straight-line code that reads the result only at the element that it is called with.
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
  // All loads come before the first store: a compiler must assume that a store writes the memory of a later load.
  const bool bound = std::any_of(loop->body.begin(), loop->body.end(),
                                 [](auto& i) { return std::holds_alternative<ir::BindInstr>(i.node); });
  const std::string each = "[[unroll]] for (int k = 0; k < parts; ++k) {",
                    place = "const " + position + " at = places[k];";
  for (const ir::Instr& i : loop->body) {
    auto* load = std::get_if<ir::LoadInstr>(&i.node);
    if (!load || load->buffer == raw || load->mask != ir::kNoReg || bound) continue;
    const std::string array = name_of(load->result) + "v";
    line(std::string(register_type(k_.buffer(load->buffer).dtype)) + " " + array + "[parts];" + comment(i));
    open(each);
    line(place);
    line("if (there[k]) " + array + "[k] = " + load_text(load->buffer, load->index) + ";");
    close();
    ahead_[load] = array + "[k]";
  }
  open(each);
  line(place);
  line("const " + element + " element = elements[k];");
  open("if (there[k]) {");
  emit_body(loop->body, Context::Invocation);
  close();
  close();
  if (!error_.empty()) return std::nullopt;
  size_t count = 0;
  std::string arguments = argument_fields(count), references;
  const std::string parameters =
      "const " + position + " places[parts], const " + element + " elements[parts], const bool there[parts]";
  const std::string function = "void epilogue(" + parameters + ") {\n" + text_ + "}\n";
  for (auto& [type, declaration] : references_) references += declaration + "\n";
  std::set<std::string> extensions = extensions_;
  return Epilogue{float_modes() + references, std::move(arguments), argument_names() + function, position, element,
                  std::move(extensions),      std::move(prelude_)};
}

}  // namespace frit::codegen::glsl
