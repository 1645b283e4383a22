// The table of routines that have shaders, and the epilogues that they apply.
#include "codegen/glsl/routine.h"

#include <algorithm>

namespace frit::codegen::glsl {

namespace {

std::map<const ir::Routine*, EmitForms>& table() {
  static auto* const forms = new std::map<const ir::Routine*, EmitForms>;
  return *forms;
}

// Instructions for an element, where rounding to 16 bits takes a dozen.
int work_of(const ir::Kernel& kernel) {
  int work = 0;
  if (const ir::Loop* loop = ir::parallel_loop(kernel))
    for (const ir::Instr& i : loop->body)
      if (auto* s = std::get_if<ir::ScalarInstr>(&i.node))
        if (s->op != ir::ScalarOp::Const) work += s->op == ir::ScalarOp::Cast && is_low_precision(s->type) ? 12 : 1;
  return work;
}

bool is_used_elsewhere(const ir::Program& program, size_t number, uint32_t buffer,
                       std::span<const uint32_t> makers = {}) {
  auto has = [&](const std::vector<ir::Window>& windows) {
    return std::any_of(windows.begin(), windows.end(), [&](const ir::Window& w) { return w.buffer == buffer; });
  };
  auto among = [&](const std::vector<uint32_t>& all) { return std::find(all.begin(), all.end(), buffer) != all.end(); };
  if (has(program.results)) return true;
  for (size_t i = 0; i < program.steps.size(); ++i) {
    if (i == number || std::find(makers.begin(), makers.end(), i) != makers.end()) continue;
    if (const auto* control = std::get_if<ir::ControlStep>(&program.steps[i])) {
      if (control->flag == buffer || std::any_of(control->swaps.begin(), control->swaps.end(), [&](const auto& pair) {
            return pair.first == buffer || pair.second == buffer;
          }))
        return true;
      continue;
    }
    if (const auto* kernel = std::get_if<ir::KernelStep>(&program.steps[i])) {
      if (among(kernel->buffers)) return true;
      continue;
    }
    const auto& library = std::get<ir::LibraryStep>(program.steps[i]);
    if (has(library.operands) || has(library.results) || (library.epilogue && among(library.epilogue->buffers)))
      return true;
  }
  return false;
}

}  // namespace

std::string fill(std::string text, const std::map<std::string, std::string>& words) {
  for (const auto& [name, value] : words) {
    const std::string mark = "$" + name + "$";
    for (size_t at = 0; (at = text.find(mark, at)) != std::string::npos; at += value.size())
      text.replace(at, mark.size(), value);
  }
  return text;
}

std::string group_functions() {
  return "layout(constant_id = " + std::to_string(runtime::GpuKernel::kLinesConstant) +
         ") const bool lines_of_groups = true;\n"
         "uint flat_group() { return lines_of_groups ? gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x : "
         "gl_WorkGroupID.x; }\n"
         "uint group_step(uint most) { return lines_of_groups ? gl_NumWorkGroups.x * gl_NumWorkGroups.y : most; }\n";
}

std::string with_head(const std::string& text) {
  constexpr std::string_view kExtension = "#extension ";
  const size_t last = text.rfind(kExtension);
  const size_t behind = last == std::string::npos ? 0 : text.find('\n', last) + 1;
  return kShaderHead + text.substr(0, behind) + group_functions() + text.substr(behind);
}

std::string unroll(std::string text) {
  for (size_t begin; (begin = text.find("@for ")) != std::string::npos;) {
    const size_t name_at = begin + 5, count_at = text.find(' ', name_at) + 1, body_at = text.find('@', count_at) + 1;
    const std::string name = text.substr(name_at, count_at - 1 - name_at), end = "@end " + name + "@";
    const int count = std::stoi(text.substr(count_at, body_at - 1 - count_at));
    const size_t body_end = text.find(end, body_at);
    const std::string body = text.substr(body_at, body_end - body_at), mark = "@" + name + "@";
    std::string all;
    for (int i = 0; i < count; ++i) {
      std::string one = body;
      const std::string number = std::to_string(i);
      for (size_t at = 0; (at = one.find(mark, at)) != std::string::npos; at += number.size())
        one.replace(at, mark.size(), number);
      all += one;
    }
    text.replace(begin, body_end + end.size() - begin, all);
  }
  return text;
}

Diagnostic RoutineStep::refuse(const std::string& why, const std::string& cure) const {
  return Diagnostic("op '" + std::string(step.routine->name) + "' of " + std::string(long_name(step.dtypes.back())) +
                        " has no form for this gpu: " + why,
                    {}, cure + "run the function on the cpu");
}

FusedEpilogue fuse_epilogue(const RoutineStep& s) {
  FusedEpilogue fused;
  if (!s.step.epilogue) return fused;
  const std::vector<uint32_t>& buffers = s.step.epilogue->buffers;
  const uint32_t result = s.step.results[0].buffer;
  const auto raw = static_cast<uint32_t>(std::find(buffers.begin(), buffers.end(), result) - buffers.begin());
  const ir::Kernel& kernel = s.program.kernels[s.step.epilogue->kernel];
  fused.work = work_of(kernel);
  if (raw < buffers.size()) fused.function = KernelEmitter(kernel, s.features, s.comments).run_epilogue(raw);
  if (fused.function) fused.keep = !kernel.buffers[raw].written && is_used_elsewhere(s.program, s.number, result);
  return fused;
}

namespace {

// Whether a launch reads the window 16 bytes at a time, whatever the addresses of the run are.
bool lies_in_words(const ir::Window& w, Dtype t) {
  const Dim unit(16 / t.size());
  const auto whole = [&](const Dim& d) { return d.is_const() && mod(d, unit).is(0); };
  const ir::Layout& l = w.layout;
  const size_t rank = l.shape.size();
  if (rank < 2 || !whole(l.offset)) return false;
  const size_t along = l.strides[rank - 1].is(1) ? rank - 1 : rank - 2;
  if (!l.strides[along].is(1) || !whole(l.shape[along])) return false;
  for (size_t i = 0; i < rank; ++i)
    if (i != along && !whole(l.strides[i])) return false;
  return true;
}

// The kernel that stores `buffer` last before step `number`, with no step of control between them.
std::optional<size_t> maker_of(const ir::Program& program, size_t number, uint32_t buffer) {
  for (size_t i = number; i-- > 0 && !std::holds_alternative<ir::ControlStep>(program.steps[i]);) {
    const auto* launch = std::get_if<ir::KernelStep>(&program.steps[i]);
    for (size_t b = 0; launch && b < launch->buffers.size(); ++b)
      if (launch->buffers[b] == buffer && program.kernels[launch->kernel].buffers[b].written) return i;
  }
  return std::nullopt;
}

// Whether the memory of a program's buffer is as it was at the begin of the run until its end.
bool stays(const ir::Program& program, uint32_t buffer) {
  const ir::BufferRole role = program.buffers[buffer].role;
  return role == ir::BufferRole::Constant ||
         (role == ir::BufferRole::Input && std::none_of(program.buffers.begin(), program.buffers.end(),
                                                        [&](const ir::ProgramBuffer& b) { return b.donor == buffer; }));
}

// The launches that lead to a buffer before step `number`, that of the buffer itself first.
class Makers {
 public:
  Makers(const ir::Program& program, size_t number) : p_(program), number_(number) {}

  bool find(uint32_t buffer) {
    // Straight-line code of many kernels is no longer short.
    constexpr size_t kMost = 8;
    const std::optional<size_t> maker = maker_of(p_, number_, buffer);
    if (!maker || p_.buffers[buffer].role != ir::BufferRole::Temp || steps_.size() == kMost) return false;
    if (std::find(steps_.begin(), steps_.end(), *maker) != steps_.end()) return true;
    const auto& launch = std::get<ir::KernelStep>(p_.steps[*maker]);
    const ir::Kernel& kernel = p_.kernels[launch.kernel];
    steps_.push_back(static_cast<uint32_t>(*maker));
    makers_.push_back({&kernel, launch.buffers});
    for (size_t i = 0; i < launch.buffers.size(); ++i) {
      const uint32_t other = launch.buffers[i];
      if (kernel.buffers[i].written ? p_.buffers[other].role != ir::BufferRole::Temp
                                    : !stays(p_, other) && !find(other))
        return false;
    }
    return true;
  }

  // Whether a step beside them and the routine uses what they store.
  bool have_other_readers() const {
    for (const OperandMaker& m : makers_)
      for (size_t i = 0; i < m.buffers.size(); ++i)
        if (m.kernel->buffers[i].written && is_used_elsewhere(p_, number_, m.buffers[i], steps_)) return true;
    return false;
  }

  const std::vector<uint32_t>& steps() const { return steps_; }
  const std::vector<OperandMaker>& makers() const { return makers_; }

 private:
  const ir::Program& p_;
  const size_t number_;
  std::vector<uint32_t> steps_;
  std::vector<OperandMaker> makers_;
};

}  // namespace

FusedPrologue fuse_prologue(const RoutineStep& s, size_t operand) {
  const ir::Window& w = s.step.operands[operand];
  const ir::ProgramBuffer& made = s.program.buffers[w.buffer];
  for (size_t i = 0; i < s.step.operands.size(); ++i)
    if (i != operand && s.step.operands[i].buffer == w.buffer) return {};
  Makers makers(s.program, s.number);
  if (!made.size.is_const() || !lies_in_words(w, made.dtype) || !makers.find(w.buffer) || makers.have_other_readers())
    return {};
  FusedPrologue fused{makers.steps(), write_prologue(makers.makers(), w.buffer, s.features, s.comments)};
  return fused.function ? fused : FusedPrologue();
}

RegisterRoutineShaders::RegisterRoutineShaders(const ir::Routine& routine, EmitForms emit) { table()[&routine] = emit; }

RegisterRoutineShaders::RegisterRoutineShaders(std::string_view routine, EmitForms emit)
    : RegisterRoutineShaders(*ir::find_routine(routine), emit) {}

// Shaders of routines count in 64 bits.
std::vector<const ir::Routine*> routines_with_shaders(const runtime::GpuFeatures& features) {
  std::vector<const ir::Routine*> all;
  if (!features.int64 || features.group_size < 256) return all;
  for (const auto& [routine, emit] : table()) all.push_back(routine);
  return all;
}

Result<std::vector<Shader>> emit_routine(const ir::Program& program, size_t number,
                                         const runtime::GpuFeatures& features, bool comments) {
  const auto& step = std::get<ir::LibraryStep>(program.steps[number]);
  const RoutineStep s{program, number, step, features, comments};
  const auto found = table().find(step.routine);
  if (found == table().end()) return std::vector<Shader>();
  FRIT_ASSIGN_OR_RETURN(forms, found->second(s));
  for (Shader& form : forms)
    if (form.kernel.entry.empty()) form.text = with_head(form.text);
  return in_reach(step, std::move(forms));
}

}  // namespace frit::codegen::glsl
