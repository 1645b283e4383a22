// Elements: an invocation takes neighbouring elements of a nest, those of one wide access or of several.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

namespace {

constexpr int kAccess = 16;    // bytes of a wide access
constexpr size_t kShort = 32;  // instructions of a short body

// The bytes of the widest element that a body moves.
int widest_access(const ir::Kernel& k, const ir::Body& body) {
  int bytes = 1;
  for (const ir::Instr& i : body) {
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) bytes = std::max<int>(bytes, k.buffer(l->buffer).dtype.size());
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) bytes = std::max<int>(bytes, k.buffer(s->buffer).dtype.size());
  }
  return bytes;
}

// How many vectors of a workgroup's elements an invocation takes: several where an access is so short that those of one
// would not fill the way to memory.
int element_turns(const ir::Kernel& k, const DimFacts& facts, const ir::Loop& loop, int vector) {
  constexpr int64_t kMany = 1 << 20;
  constexpr size_t kMostLoads = 4;
  if (passes::contains_loop(loop.body) || loop.body.size() > kShort || facts.range(loop.extent).low < kMany) return 1;
  const auto is_load = [](const ir::Instr& i) { return std::holds_alternative<ir::LoadInstr>(i.node); };
  const auto loads = static_cast<size_t>(std::count_if(loop.body.begin(), loop.body.end(), is_load));
  const int bytes = widest_access(k, loop.body);
  if (loads == 0 || loads > kMostLoads || bytes * vector >= kAccess) return 1;
  return std::min(kAccess / (bytes * vector), loads > 2 ? 2 : 4);
}

// The invocations of a workgroup. A device begins one workgroup after another: where each moves little, that takes
// longer than the way to memory. Of few elements, as many workgroups as there are processors have a part. Bodies that
// need many registers keep the workgroups small.
int element_group(const ir::Kernel& k, const DimFacts& facts, const ir::Loop& loop, int each) {
  constexpr int kLeast = 128, kWide = 256, kNarrow = 512;
  constexpr int64_t kProcessors = 128, kPastCaches = 1 << 24;
  constexpr size_t kLong = 64;
  if (passes::contains_loop(loop.body) || loop.body.size() > kLong) return kLeast;
  // Places that data gives are found line by line, and many of them beyond the caches.
  const bool found = std::any_of(loop.body.begin(), loop.body.end(),
                                 [](const ir::Instr& i) { return std::holds_alternative<ir::BindInstr>(i.node); });
  const bool narrow = !found && widest_access(k, loop.body) * each < kAccess && loop.body.size() <= kShort;
  if (found && !narrow && facts.range(loop.extent).high >= kPastCaches) return kLeast;
  int group = narrow ? kNarrow : kWide;
  while (group > kLeast && facts.range(loop.extent).high / each < group * kProcessors) group /= 2;
  return group;
}

// Begins the condition that an invocation has elements: none is needed where the workgroups of one axis take `each` of
// an extent that is a multiple of it, and loads that stand in no condition begin early.
std::string full_groups(const Dim& extent, int64_t each) {
  return extent.is_const() && extent.value() % each == 0 ? "!lines_of_groups || " : "";
}

}  // namespace

void KernelEmitter::emit_elements(const ir::Loop* loop) {
  line("const uint group = flat_group();");
  if (!loop) {
    open("if (group == 0u) {");
    emit_body(k_.body, Context::Invocation);
    close();
    return;
  }
  find_joined(loop->body);
  const std::string name = enter(*loop), type = index_type(names_.at(loop->var).wide);
  const bool wide = names_.at(loop->var).wide;
  const int vector = std::max(1, loop->vector);
  const int turns = element_turns(k_, facts_, *loop, vector);
  if (!passes::contains_loop(loop->body))
    group_ = std::min(element_group(k_, facts_, *loop, vector * turns), static_cast<int>(features_.group_size));
  if (turns > 1) return emit_element_turns(*loop, vector, turns);
  shader_.kernel.per_group = static_cast<uint32_t>(group_ * vector);
  line("const " + type + " " + name + " = (" + type + "(group) * " + std::to_string(group_) + " + " + type +
       "(gl_LocalInvocationID.x))" + (vector > 1 ? " * " + std::to_string(vector) : "") + ";");
  open("if (" + full_groups(loop->extent, group_ * vector) + name + " < " + dim(loop->extent, wide) + ") {");
  if (vector > 1)
    emit_vector(*loop, vector, name, {});
  else
    emit_body(loop->body, Context::Invocation);
  close();
}

// Elements that lie a workgroup's vectors apart, with the loads of all before the work on any.
void KernelEmitter::emit_element_turns(const ir::Loop& loop, int vector, int turns) {
  const bool wide = names_.at(loop.var).wide;
  const std::string name = names_.at(loop.var).text, from = name + "_from", type = index_type(wide),
                    extent = dim(loop.extent, wide), step = std::to_string(group_ * vector);
  shader_.kernel.per_group = static_cast<uint32_t>(group_ * vector * turns);
  line("const " + type + " " + from + " = " + type + "(group) * " + std::to_string(group_ * vector * turns) + " + " +
       type + "(gl_LocalInvocationID.x)" + (vector > 1 ? " * " + std::to_string(vector) : "") + ";");
  open("if (" + std::string(vector > 1 ? "aligned && " : "") + from + " + " +
       std::to_string(group_ * vector * (turns - 1) + vector) + " <= " + extent + ") {");
  if (vector > 1)
    emit_vector_ahead(loop, vector, name, {}, turns, true);
  else
    emit_round(loop, name, from, turns, false, group_);
  close("} else {");
  ++indent_;
  open("[[unroll]] for (int turn = 0; turn < " + std::to_string(turns) + "; ++turn) {");
  names_.at(loop.var).text = name;
  line("const " + type + " " + name + " = " + from + " + turn * " + step + ";");
  open("if (" + name + " < " + extent + ") {");
  if (vector > 1)
    emit_vector(loop, vector, name, {});
  else
    emit_body(loop.body, Context::Invocation);
  close();
  close();
  close();
}

}  // namespace frit::codegen::glsl
