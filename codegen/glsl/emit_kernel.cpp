// The frame of a shader: declarations, arguments, the mappings, and straight-line code.
#include <algorithm>
#include <bit>

#include "codegen/glsl/emitter.h"
#include "codegen/glsl/positions.h"
#include "ir/text/kernel_printer.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

namespace {

constexpr int kElementGroup = 128, kFewGroup = 32;
constexpr int64_t kFew = 1 << 14;  // invocations
// Up to this size, an index fits into an int even where the grid reaches past the end.
constexpr int64_t kNarrowExtent = int64_t{1} << 30;

// A name that is no keyword of GLSL, without the two underscores in a row that GLSL reserves.
std::string identifier(std::string_view prefix, std::string_view name) {
  std::string text(prefix);
  for (char c : name) {
    bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain)
      text += c;
    else if (text.back() != '_')
      text += '_';
  }
  return text;
}

}  // namespace

KernelEmitter::KernelEmitter(const ir::Kernel& kernel, const runtime::GpuFeatures& features, bool comments,
                             bool barriers)
    : k_(kernel),
      features_(features),
      comments_(comments),
      barriers_(barriers),
      prelude_(features.converts16),
      known_(kernel),
      facts_(kernel.facts),
      whole_(kernel.facts),
      regs_(kernel.reg_types.size()),
      narrow_(kernel.reg_types.size()) {}

void KernelEmitter::fail(std::string message) {
  if (error_.empty()) error_ = std::move(message);
}

void KernelEmitter::line(const std::string& text) {
  text_.append(static_cast<size_t>(2 * indent_), ' ');
  text_ += text;
  text_ += '\n';
}
void KernelEmitter::open(const std::string& text) {
  line(text);
  ++indent_;
}
void KernelEmitter::close(const std::string& text) {
  --indent_;
  line(text);
}

std::string KernelEmitter::comment(const ir::Instr& instr) const {
  return comments_ ? "  // " + ir::instr_text(k_, instr) : "";
}

std::string KernelEmitter::name_of(ir::Reg r) const {
  return "r" + (comments_ ? ir::reg_text(k_, r).substr(1) : std::to_string(r));
}

void KernelEmitter::define(ir::Reg r, const std::string& value, const ir::Instr& instr) {
  Dtype t = k_.reg_types[r];
  regs_[r] = name_of(r);
  const char* exact = t == float32 || t == float64 ? "precise " : "";
  line(exact + std::string(register_type(t)) + " " + regs_[r] + " = " + value + ";" + comment(instr));
  invert(r);
}

Result<Shader> KernelEmitter::run() {
  shader_.kernel.name = k_.name;
  check_features();
  const ir::Loop* parallel = ir::parallel_loop(k_);
  const bool rows = passes::has_rows(k_);
  const passes::GridTile tile = passes::tile_of(k_);
  // Few invocations that go through memory on their own are dealt out to many processors.
  const bool few =
      parallel && !tile.row && passes::contains_loop(parallel->body) && facts_.range(parallel->extent).high <= kFew;
  group_ = rows ? passes::row_invocations(k_) : parallel ? few ? kFewGroup : kElementGroup : 1;
  group_ = std::min<int>(group_, static_cast<int>(features_.group_size));
  declare_names();
  if (rows && parallel) find_inverses(parallel->body, nullptr);
  if (rows)
    emit_rows(parallel);
  else if (tile.row)
    emit_tiles(*parallel, tile);
  else
    emit_elements(parallel);
  shader_.kernel.group_size = static_cast<uint32_t>(group_ * rows_);
  shader_.kernel.rows = rows;
  shader_.kernel.scratch = scratch_;
  if (error_.empty()) shader_.text = assemble();
  // Only a text that uses 64-bit integers needs a device that has them.
  if (!features_.int64 && error_.empty() && shader_.text.find("int64_t") != std::string::npos)
    fail("it needs 64-bit integers to tell where its memory lies, and the device has no shaderInt64");
  if (!error_.empty())
    return Diagnostic("kernel @" + k_.name + " cannot run on this gpu: " + error_, {}, cure_ + "run it on the cpu");
  return std::move(shader_);
}

void KernelEmitter::check_features() {
  auto check = [&](Dtype t) {
    if (t == float64 && !features_.float64) {
      fail("it computes in float64, and the device has no shaderFloat64");
      cure_ = "cast to float32, or ";
    }
    if ((t == int64 || t == uint64) && !features_.int64) {
      fail("it computes in 64-bit integers, and the device has no shaderInt64");
      cure_ = "cast to int32, or ";
    }
  };
  const std::vector<bool> positions = compared_positions(k_);
  for (size_t r = 0; r < positions.size(); ++r)
    if (!positions[r]) check(k_.reg_types[r]);
  for (const ir::KernelBuffer& b : k_.buffers) {
    if (b.dtype.size() == 1 && !features_.storage8) {
      fail("buffer '" + b.name + "' has elements of 8 bits, and the device has no storageBuffer8BitAccess");
      cure_ = "cast to int32 on the cpu first, or ";
    }
    if (b.dtype.size() == 2 && !features_.storage16) {
      fail("buffer '" + b.name + "' has elements of 16 bits, and the device has no storageBuffer16BitAccess");
      cure_ = "cast to " + std::string(is_low_precision(b.dtype) ? "float32" : "int32") + " on the cpu first, or ";
    }
  }
}

void KernelEmitter::declare_names() {
  auto unique = [&](std::string text) {
    while (!identifiers_.insert(text).second) text += "q";
    return text;
  };
  for (const ir::KernelBuffer& b : k_.buffers) memories_.push_back({unique(identifier(prefix_ + "b_", b.name))});
  for (const std::string& s : k_.symbols) {
    const bool wide = features_.int64 && facts_.range(Dim::symbol(s)).high > INT32_MAX;
    names_[s] = {unique(identifier(prefix_ + "n_", s)), wide};
  }
  auto loops = [&](auto&& self, const ir::Body& body) -> void {
    for (const ir::Instr& i : body) {
      if (auto* bind = std::get_if<ir::BindInstr>(&i.node)) {
        names_[bind->name] = {unique(identifier("k_", bind->name)), true};
        bound_.insert(bind->name);
      }
      if (auto* loop = std::get_if<ir::Loop>(&i.node)) {
        names_[loop->var] = {unique(identifier("i_", loop->var)), true};
        whole_.set_loop(loop->var, loop->extent);
        self(self, loop->body);
      }
    }
  };
  loops(loops, k_.body);
}

// Makes the variable of `loop` known and gives its name; it is an int where its extent is well below 2^31.
std::string KernelEmitter::enter(const ir::Loop& loop) {
  Name& name = names_.at(loop.var);
  name.wide = features_.int64 && facts_.range(loop.extent).high > kNarrowExtent;
  facts_.set_loop(loop.var, loop.extent);
  return name.text;
}

void KernelEmitter::emit_body(const ir::Body& body, Context context) {
  for (const ir::Instr& i : body) {
    if (!error_.empty()) return;
    emit(i, context);
  }
}

void KernelEmitter::emit(const ir::Instr& instr, Context context) {
  if (elsewhere_.count(&instr)) return;
  if (auto* s = std::get_if<ir::ScalarInstr>(&instr.node)) {
    known_.note(*s);
    if (auto joined = joined_.find(&instr); joined != joined_.end()) return emit_joined(*s, joined->second, instr);
    if (s->op == ir::ScalarOp::Const) {
      regs_[s->result] = literal(s->type, s->imm);
      const auto value = static_cast<int64_t>(s->imm);
      if (s->type == int64 && value >= -INT32_MAX && value <= INT32_MAX)
        narrow_[s->result] = literal(int32, s->imm & 0xffffffffu);
      return;
    }
    // A literal divisor becomes a factor.
    if (const uint64_t* known = s->op == ir::ScalarOp::Cast ? known_.constant(s->result) : nullptr) {
      regs_[s->result] = literal(float32, *known);
      return;
    }
    if (emit_half(*s, instr)) return;
    std::vector<std::string> args;
    const int count = ir::arity(s->op);
    for (int i = 0; i < count; ++i) args.push_back(regs_[s->args[static_cast<size_t>(i)]]);
    Dtype operand = args.empty() ? s->type : k_.reg_types[s->args[s->op == ir::ScalarOp::Select ? 1 : 0]];
    // Positions that fit into an int are compared and converted as such.
    auto small = [&](int i) { return !narrow_[s->args[static_cast<size_t>(i)]].empty(); };
    if (operand == int64 &&
        ((ir::is_comparison(s->op) && small(0) && small(1)) || (s->op == ir::ScalarOp::Cast && small(0)))) {
      for (int i = 0; i < count; ++i) args[static_cast<size_t>(i)] = narrow_[s->args[static_cast<size_t>(i)]];
      operand = int32;
    }
    // A number of few bits is exact in f32, so that nothing must keep a driver from dropping the conversion.
    if (s->op == ir::ScalarOp::Cast && s->type == float32 && few_bits_.count(s->args[0]))
      return define(s->result, "float(" + args[0] + ")", instr);
    if (s->op == ir::ScalarOp::And && is_int(s->type))
      for (size_t i : {0, 1})
        if (const uint64_t* mask = known_.constant(s->args[i]); mask && *mask < (1u << 24)) few_bits_.insert(s->result);
    std::string value =
        scaled_.count(s) && inverses_.count(s->args[1])
            ? prelude_.use("times_inverse") + "(" + args[0] + ", " + args[1] + ", " + inverses_[s->args[1]] + ")"
        : features_.converts16 && known_.may_be_near(*s)
            ? prelude_.use("near_quotient") + "(" + args[0] + ", " + args[1] + ")"
            : scalar_expression(prelude_, features_, s->op, s->type, operand, args);
    // Mesa's software renderer compares an int64 that comes from an int16 wrongly. The narrow value is cheaper as well.
    if (s->op == ir::ScalarOp::Cast && s->type == int64 && is_int(operand) && (operand.size() < 4 || operand == int32))
      narrow_[s->result] = is_unsigned(operand) ? "int(" + args[0] + ")" : args[0];
    if (value.empty())
      return fail(std::string(ir::name(s->op)) +
                  " must be expanded before code is generated (pass expand_functions does)");
    define(s->result, value, instr);
  } else if (auto* x = std::get_if<ir::IndexInstr>(&instr.node)) {
    if (!narrow(x->index)) return define(x->result, dim(x->index, true), instr);
    narrow_[x->result] = name_of(x->result);
    regs_[x->result] = "int64_t(" + narrow_[x->result] + ")";
    line("int " + narrow_[x->result] + " = " + dim(x->index, false) + ";" + comment(instr));
  } else if (auto* b = std::get_if<ir::BindInstr>(&instr.node)) {
    Name& name = names_.at(b->name);
    add_binding(facts_, *b);
    const DimRange range = facts_.range(Dim::symbol(b->name));
    name.wide = features_.int64 && (range.low < -INT32_MAX || range.high > INT32_MAX);
    line("const " + index_type(name.wide) + " " + name.text + " = " + index_type(name.wide) + "(" + regs_[b->value] +
         ");" + comment(instr));
  } else if (auto* l = std::get_if<ir::LoadInstr>(&instr.node)) {
    emit_load(*l, context, instr);
  } else if (auto* s = std::get_if<ir::StoreInstr>(&instr.node)) {
    if (s->buffer >= k_.buffers.size() && is_computed_again(s->buffer)) return;
    if (context == Context::Group) touch({instr}, false);
    std::string condition = owned(s->mask == ir::kNoReg ? "" : regs_[s->mask]);
    if (context == Context::Group) condition = condition.empty() ? "lane == 0" : "lane == 0 && " + condition;
    const std::string value = keeps_floats(s->buffer) ? float_of(s->value) : regs_[s->value];
    line((condition.empty() ? "" : "if (" + condition + ") ") + store_text(s->buffer, s->index, value) +
         comment(instr));
  } else {
    emit_loop(std::get<ir::Loop>(instr.node), context, instr);
  }
}

// The shared arrays that the loops with lanes need, by type.
void KernelEmitter::count_folds(const ir::Body& body) {
  for (const ir::Instr& i : body) {
    auto* loop = std::get_if<ir::Loop>(&i.node);
    if (!loop) continue;
    if (loop->lanes > 0) {
      fold_elements_ = std::max(fold_elements_, loop->carries.empty() ? loop->lanes / loop->unroll : group_);
      std::map<std::string, int> used, most;
      for (size_t a = 0; a < loop->accumulators.size(); ++a) {
        const ir::Accumulator& acc = loop->accumulators[a];
        if (a % static_cast<size_t>(fold_together_) == 0) used.clear();
        ++used[state_type(acc)];
        if (is_arg(acc)) ++used[position_type(*loop, acc)];
        for (auto& [type, n] : used) most[type] = std::max(most[type], n);
      }
      for (const ir::Carry& c : loop->carries) most[std::string(register_type(c.type))] = 1;
      for (auto& [type, n] : most) folds_[type] = std::max(folds_[type], n);
    }
    count_folds(loop->body);
  }
}

// Rows of a known size go to shared memory while there is room, the others to memory of the workgroup's own.
void KernelEmitter::place_locals() {
  int64_t fold_bytes = 0, left = -1;
  // Accumulators that find no room together are folded one group after the other.
  for (fold_together_ = kMostTogether; left < 0 && fold_together_ > 0; fold_together_ /= 2) {
    folds_.clear();
    count_folds(k_.body);
    fold_bytes = 0;
    // Types are counted apart, so the arrays of two loops may add up.
    for (auto& [type, n] : folds_)
      fold_bytes +=
          int64_t{n} * fold_elements_ * (across_ ? rows_ : 1) * (type == "double" || type.ends_with("64_t") ? 8 : 4);
    left = static_cast<int64_t>(features_.shared_bytes) - fold_bytes;
    if (left >= 0) break;
  }
  if (left < 0) return fail("its reductions need " + std::to_string(fold_bytes) + " bytes of shared memory");
  Dim offset = 0, total = 0;
  for (size_t i = 0; i < k_.locals.size(); ++i) {
    const ir::KernelBuffer& local = k_.locals[i];
    total += floor_div(local.size * Dim(int64_t{local.dtype.size()}) + Dim(63), 64) * Dim(64);
  }
  for (size_t i = 0; i < k_.locals.size(); ++i) {
    const ir::KernelBuffer& local = k_.locals[i];
    std::string name = identifier("l_", local.name);
    while (!identifiers_.insert(name).second) name += "q";
    const auto buffer = static_cast<uint32_t>(k_.buffers.size() + i);
    if (in_registers_.count(buffer)) {
      memories_.push_back({name, false, true, resident_});
      continue;
    }
    Dim bytes = floor_div(local.size * Dim(int64_t{local.dtype.size()}) + Dim(63), 64) * Dim(64);
    constexpr int kSwizzle = 4;
    // An array of GLSL has an element; a row of none is never touched.
    const int64_t part =
        local.size.is_const() ? std::max<int64_t>((local.size.value() + kSwizzle - 1) / kSwizzle, 1) : 0;
    const int64_t need = part * kSwizzle * std::max<int64_t>(4, local.dtype.size());
    if (local.size.is_const() && need <= left) {
      left -= need;
      shader_.text += "shared " + std::string(register_type(local.dtype)) + " " + name + "[" +
                      std::to_string(part * kSwizzle) + "];\n";
      memories_.push_back({name, true, false, false, kSwizzle, part});
    } else if (can_compute_again(buffer)) {
      memories_.push_back({name, false, false, true});
    } else {
      scratch_ = true;
      std::string type = reference(local.dtype, 1);
      line(type + " " + name + " = " + type + "(scratch + uint64_t(group) * uint64_t(" + dim(total, true) +
           ") + uint64_t(" + dim(offset, true) + "));");
      memories_.push_back({name});
    }
    offset += bytes;
  }
}

std::string KernelEmitter::argument_fields(size_t& count) {
  std::string fields;
  auto argument = [&](const std::string& type, const std::string& name) {
    fields += "  " + type + " " + name + ";\n", ++count;
  };
  for (size_t i = 0; i < k_.buffers.size(); ++i) argument(reference(k_.buffers[i].dtype, 1), memories_[i].name);
  if (scratch_) argument("uint64_t", "scratch");
  for (const std::string& s : k_.symbols) {
    const Name& name = names_.at(s);
    argument(name.wide ? "int64_t" : "int", name.text);
    if (!name.wide) fields += "  int " + name.text + "high;\n";  // an argument is 8 bytes
  }
  return fields;
}

std::string KernelEmitter::argument_names() const {
  std::string names;
  for (const Memory& m : memories_) names += "#define " + m.name + " (args." + m.name + ")\n";
  for (const std::string& s : k_.symbols)
    names += "#define " + names_.at(s).text + " (args." + names_.at(s).text + ")\n";
  return names;
}

// Execution modes that ask the device to keep special values and rounding, if it has such modes.
std::string KernelEmitter::float_modes() const {
  const bool controls = features_.keeps_specials32 || features_.keeps_specials64 || features_.keeps_subnormals32 ||
                        features_.keeps_subnormals64 || features_.rounds_to_even32 || features_.rounds_to_even64;
  const bool doubles = std::find(k_.reg_types.begin(), k_.reg_types.end(), float64) != k_.reg_types.end();
  std::string text = prelude_.half_modes();
  if (!controls) return text;
  text += "#extension GL_EXT_spirv_intrinsics : require\n";
  auto mode = [&](bool has, int capability, int number, int width) {
    if (!has || (width == 64 && !doubles)) return;
    text += execution_mode(capability, number, width);
  };
  mode(features_.keeps_subnormals32, 4464, 4459, 32);
  mode(features_.keeps_subnormals64, 4464, 4459, 64);
  mode(features_.keeps_specials32, 4466, 4461, 32);
  mode(features_.keeps_specials64, 4466, 4461, 64);
  mode(features_.rounds_to_even32, 4467, 4462, 32);
  mode(features_.rounds_to_even64, 4467, 4462, 64);
  return text;
}

std::string KernelEmitter::assemble() {
  std::string text;
  if (comments_) {
    std::string ir = ir::print(k_);
    for (size_t begin = 0; begin < ir.size();) {
      size_t end = std::min(ir.find('\n', begin), ir.size());
      text += "// " + ir.substr(begin, end - begin) + "\n";
      begin = end + 1;
    }
  }
  size_t count = 0;
  const std::string arguments = argument_fields(count);
  const bool many = count > kMaxPushArguments;
  text += kShaderHead;
  for (const std::string& e : extensions_) text += "#extension " + e + " : require\n";
  if (shuffles_) text += "#extension GL_KHR_shader_subgroup_shuffle_relative : require\n";
  if (shuffles_) text += "#extension GL_KHR_shader_subgroup_shuffle : require\n";
  text += group_functions();
  text += float_modes();
  text += "layout(local_size_x = " + std::to_string(group_ * rows_) + ") in;\n";
  text += "layout(constant_id = 0) const bool aligned = false;\n";
  for (auto& [name, declaration] : references_) text += declaration + "\n";
  if (!arguments.empty()) {
    if (many) {
      text += "layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Arguments {\n" + arguments +
              "};\n";
      text += "layout(push_constant, std430) uniform Push { Arguments arguments; };\n";
      size_t i = 0;
      for (const Memory& m : memories_)
        if (i++ < k_.buffers.size()) text += "#define " + m.name + " (arguments." + m.name + ")\n";
      if (scratch_) text += "#define scratch (arguments.scratch)\n";
      for (const std::string& s : k_.symbols)
        text += "#define " + names_.at(s).text + " (arguments." + names_.at(s).text + ")\n";
    } else {
      text += "layout(push_constant, std430) uniform Arguments {\n" + arguments + "};\n";
    }
  }
  for (auto& [type, n] : folds_)
    for (int i = 0; i < n; ++i)
      text += "shared " + type + " fold_" + type + std::to_string(i) + "[" +
              std::to_string(fold_elements_ * (across_ ? rows_ : 1)) + "];\n";
  text += shader_.text + prelude_.text();
  return text + "void main() {\n" + text_ + "}\n";
}

Result<Shader> emit_kernel(const ir::Kernel& kernel, const runtime::GpuFeatures& features, bool comments) {
  ir::Kernel fitting = kernel;
  passes::limit_invocations(fitting, static_cast<int>(std::bit_floor(features.group_size)));
  KernelEmitter one(fitting, features, comments);
  auto shader = one.run();
  return one.lacks_barriers() ? KernelEmitter(fitting, features, comments, true).run() : std::move(shader);
}

}  // namespace frit::codegen::glsl
