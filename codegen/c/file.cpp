// Whole files of C: functions with their checks, and the kernels that they call.
#include "codegen/c/file.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "codegen/c/c_call.h"
#include "codegen/c/control.h"
#include "codegen/c/data.h"
#include "codegen/c/emitter.h"
#include "codegen/package/c_interface.h"
#include "ir/base/dim_atoms.h"
#include "ir/text/kernel_printer.h"
#include "runtime/memory/dense.h"

namespace frit::codegen::c {
namespace {

using namespace ir;

constexpr std::string_view kHead = R"(
/*
 * C11, with nothing but the C library: memcpy, and of <math.h> what IEEE 754 defines to the last bit (sqrt, fma, fmod, floor, rint, ..).
 * Results are the same bits whatever the machine and the compiler, as long as arithmetic is IEEE 754's: do not compile it with -ffast-math or with
 * parts of it (-Ofast, -funsafe-math-optimizations, -ffinite-math-only), and on x86 of 32 bits compile with -msse2 -mfpmath=sse.
 * -O3 -march=native makes it fast; -std=c11 keeps products and sums apart without the pragmas below.
 */
)";

constexpr std::string_view kPrelude = R"(
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ + 0 > 0) || defined(__ASSOCIATIVE_MATH__) || \
    defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "this file needs IEEE 754 arithmetic: compile it without -ffast-math and its parts"
#endif
/* 0, and by ISO/IEC TS 18661-3 also 16 and 32: each type in itself. 1 and 64: float as double, which rounds the same. */
#if !defined(FLT_EVAL_METHOD) || \
    (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 && FLT_EVAL_METHOD != 16 && FLT_EVAL_METHOD != 32 && FLT_EVAL_METHOD != 64)
#error "this file needs arithmetic in the type that it is written in: on x86 of 32 bits compile it with -msse2 -mfpmath=sse"
#endif
#if FLT_RADIX != 2 || FLT_MANT_DIG != 24 || DBL_MANT_DIG != 53
#error "this file needs IEEE 754 binary32 and binary64 for float and double"
#endif
#if defined(__clang__) || !defined(__GNUC__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off", "no-math-errno")
#endif
)";

class FileEmitter {
 public:
  Result<std::string> run(std::span<const Function* const> functions, std::span<const CInterface> interfaces,
                          const NativeOptions& options, const CWeights& weights) {
    static_workspace_ = options.static_workspace;
    weights_ = &weights;
    if (weights.in_file()) taken_.insert({weights.type(), weights.open(), weights.open() + "_header"});
    for (const CInterface& c : interfaces) {
      taken_.insert({c.name, c.workspace_name(), c.name + "_check"});
      for (const CParam& p : c.params) taken_.insert(p.name);
    }
    for (const char* own : {"why", "code"}) taken_.insert(own);
    batch_ = fresh("batch");
    add_weights();
    for (size_t i = 0; i < functions.size(); ++i) FRIT_TRY(function(*functions[i], interfaces[i]));
    const std::string many = functions.size() == 1 ? " array function" : " array functions";
    const std::string s = "/* " + options.name + ".c: " + std::to_string(functions.size()) + many +
                          " with a C interface, which " + options.name + ".h describes. */" + std::string(kHead);
    std::string declarations;
    for (const std::string_view d : declarations_) declarations += d;
    return s + "#include \"" + options.name + ".h\"\n" + std::string(kPrelude) + declarations + helpers_.text() + text_;
  }

  bool calls_libraries() const { return !declarations_.empty(); }

  Result<std::string> kernels(const Program& p) {
    FRIT_TRY(emit_kernels(p));
    return helpers_.text() + text_;
  }

 private:
  // Definitions of the weights that are inside, or the function that opens a file of them.
  void add_weights() {
    if (weights_->in_file()) text_ += open_weights_text(*weights_);
    for (const CWeight& w : weights_->all()) {
      if (weights_->in_file()) break;
      const auto* data = static_cast<const std::byte*>(w.data->buffer->data()) + w.data->offset * w.data->dtype.size();
      weight_names_.push_back(define(w.tensor, w.data->dtype, std::span(data, runtime::dense_bytes(*w.data))));
    }
  }

  std::string define(std::string_view wish, Dtype dtype, std::span<const std::byte> bytes) {
    const ArrayText array = constant_array(fresh(wish), dtype, bytes, helpers_);
    text_ += array.definition;
    return array.use;
  }

  std::string fresh(std::string_view wish) {
    const std::string base = c_identifier(wish);
    std::string name = base;
    for (int n = 2; !taken_.insert(name).second; ++n) name = base + "_" + std::to_string(n);
    return name;
  }

  Status emit_kernels(const Program& p) {
    kernel_names_.clear();
    for (const Kernel& k : p.kernels) {
      kernel_names_.push_back(fresh(k.name));
      KernelEmitter emitter(k, kernel_names_.back(), helpers_);
      FRIT_ASSIGN_OR_RETURN(text, emitter.run());
      text_ += "\n" + text;
    }
    return {};
  }

  Status function(const Function& f, const CInterface& c) {
    const Program& p = *f.program;
    FRIT_TRY(emit_kernels(p));
    constants_.clear();
    for (const ProgramBuffer& b : p.buffers)
      constants_.push_back(b.role == BufferRole::Constant
                               ? define(c.name + "_" + b.name, b.dtype, {b.data.data(), b.data.nbytes()})
                               : std::string());
    positions_ = std::make_unique<Positions>(helpers_);
    for (const CParam& param : c.params)
      if (param.kind == CParam::Kind::Symbol) positions_->names[c.symbols[param.index]] = param.name;
    facts_ = f.facts;
    fixed_ = c.workspace_bytes.is_const();
    const bool own_memory = static_workspace_ && fixed_ && !c.workspace_bytes.is(0);
    checks(c);
    text_ += "\n" + c.workspace_declaration() + " {\n";
    if (has_checks_)
      text_ += "  const char* why;\n  if (" + call_check(c) + " != FRIT_CALL_OK) return SIZE_MAX;\n";
    else
      for (const CParam& param : c.params)
        if (param.kind == CParam::Kind::Symbol) text_ += "  (void)" + param.name + ";\n";
    text_ += "  return (size_t)" + wrapped(own_memory ? Dim(0) : c.workspace_bytes) + ";\n}\n";
    return entry(f, c, own_memory);
  }

  std::string wrapped(const Dim& d) {
    const std::string s = positions_->text(d, facts_);
    return s.find_first_of(" -") == std::string::npos ? s : "(" + s + ")";
  }

  // A size in arithmetic that sticks at the ends of its range, as DimProgram has it.
  std::string careful(const CInterface& c, const Dim& d) {
    std::vector<std::string> stack;
    const DimProgram program = c.program(d);
    for (const DimProgram::Instr& i : program.code()) {
      if (i.op == DimProgram::Op::Const) {
        stack.push_back(positions_->text(Dim(i.value), facts_));
        continue;
      }
      if (i.op == DimProgram::Op::Slot) {
        stack.push_back(positions_->names[c.symbols[static_cast<size_t>(i.value)]]);
        continue;
      }
      std::string b = std::move(stack.back());
      stack.pop_back();
      const char* name = i.op == DimProgram::Op::Add        ? "frit_add_size"
                         : i.op == DimProgram::Op::Mul      ? "frit_mul_size"
                         : i.op == DimProgram::Op::FloorDiv ? "frit_floor_div"
                         : i.op == DimProgram::Op::Mod      ? "frit_mod"
                         : i.op == DimProgram::Op::Min      ? "frit_min_size"
                                                            : "frit_max_size";
      stack.back() = helpers_.need(name) + "(" + stack.back() + ", " + b + ")";
    }
    return stack.empty() ? "0" : stack.back();
  }

  // The condition under which the check fails.
  std::string fails(const CInterface& c, const CCheck& check) {
    if (check.kind == CCheck::Kind::Zero) return careful(c, check.value) + " != 0";
    if (check.kind == CCheck::Kind::Fits) return careful(c, check.value) + " >= PTRDIFF_MAX";
    // A lone symbol beside a number is compared as it stands.
    const DimPoly* poly = check.value.poly();
    if (poly && poly->terms.size() == 1 && poly->terms[0].atoms.size() == 1 &&
        poly->terms[0].atoms[0]->kind == AtomKind::Symbol &&
        (poly->terms[0].coefficient == 1 || poly->terms[0].coefficient == -1) && poly->constant != INT64_MIN) {
      const std::string name = positions_->names[poly->terms[0].atoms[0]->name];
      const bool up = poly->terms[0].coefficient == 1;
      return name + (up ? " < " : " > ") + positions_->text(Dim(up ? -poly->constant : poly->constant), facts_);
    }
    return careful(c, check.value) + " < 0";
  }

  std::string call_check(const CInterface& c) const {
    std::string s = c.name + "_check(";
    for (const CParam& p : c.params)
      if (p.kind == CParam::Kind::Symbol) s += p.name + ", ";
    return s + "&why)";
  }

  void checks(const CInterface& c) {
    has_checks_ = !c.checks.empty();
    if (!has_checks_) return;
    std::string head = "\nstatic int " + c.name + "_check(", body;
    std::set<std::string> used;
    for (const CCheck& check : c.checks) {
      std::vector<std::string> symbols;
      check.value.collect_symbols(symbols);
      used.insert(symbols.begin(), symbols.end());
      body += "  if (" + fails(c, check) + ") {\n    *why = " + quoted(check.message) + ";\n    return ";
      body += std::string(constant_name(check.code)) + ";\n  }\n";
    }
    for (const CParam& p : c.params)
      if (p.kind == CParam::Kind::Symbol) head += "int64_t " + p.name + ", ";
    text_ += head + "const char** why) {\n";
    for (const CParam& p : c.params)
      if (p.kind == CParam::Kind::Symbol && !used.count(c.symbols[p.index])) text_ += "  (void)" + p.name + ";\n";
    text_ += body + "  return FRIT_CALL_OK;\n}\n";
  }

  Status entry(const Function& f, const CInterface& c, bool own_memory) {
    const Program& p = *f.program;
    const bool workspace = !own_memory && !c.workspace_bytes.is(0);
    std::string body;
    auto refuse = [&](const std::string& condition, const std::string& message, CallCode code) {
      body += "  if (code == FRIT_CALL_OK && " + condition + ") {\n    why = " + quoted(message) + ";\n    code = ";
      body += std::string(constant_name(code)) + ";\n  }\n";
    };
    body += "  const char* why = NULL;\n  int code = " + (has_checks_ ? call_check(c) : std::string("FRIT_CALL_OK")) +
            ";\n";
    for (const CNullCheck& check : c.null_checks) {
      const CParam& param = c.params[check.param];
      if (param.elements.is(0)) continue;
      const bool never_empty = facts_.range(param.elements).low > 0;
      refuse((never_empty ? "" : wrapped(param.elements) + " > 0 && ") + param.name + " == NULL", check.message,
             CallCode::NullArray);
    }
    for (const CParam& param : c.params)
      if (param.kind == CParam::Kind::Weights)
        refuse("(" + param.name + " == NULL || " + param.name + "->file == NULL)", c.no_weights, CallCode::BadWeights);
    if (workspace) {
      const std::string needed = fixed_ ? "" : wrapped(c.workspace_bytes) + " > 0 && ";
      refuse(needed + "workspace == NULL", c.no_workspace, CallCode::BadWorkspace);
      refuse(needed + "(uintptr_t)workspace % " + std::to_string(kWorkspaceAlignment) + " != 0", c.misaligned_workspace,
             CallCode::BadWorkspace);
    }
    body += "  if (code != FRIT_CALL_OK) {\n    if (message != NULL) *message = why;\n    return code;\n  }\n";
    std::string statics, launches;
    const std::string moving = begin_control(p, c, own_memory, statics);
    for (const Step& step : p.steps) {
      if (const auto* library = std::get_if<LibraryStep>(&step)) {
        const Dtype t = is_complex(library->dtypes[0]) ? float32 : library->dtypes[0];
        FRIT_ASSIGN_OR_RETURN(
            call, c_call_text(f, *library, *positions_, batch_, helpers_, [&](uint32_t buffer, bool written) {
              const std::string s = pointer(p, c, buffer, {"", t, 0, written, true}, own_memory, statics);
              const bool plain = c.buffers[buffer].kind != CBuffer::Kind::Workspace || own_memory;
              return plain ? s : "(" + std::string(memory_type(t)) + "*)" + s;
            }));
        launches += call.statements;
        if (std::find(declarations_.begin(), declarations_.end(), call.declarations) == declarations_.end())
          declarations_.push_back(call.declarations);
        continue;
      }
      if (const auto* flow = std::get_if<ControlStep>(&step)) {
        launches += control_->statements(*flow);
        continue;
      }
      const auto& launch = std::get<KernelStep>(step);
      const Kernel& k = p.kernels[launch.kernel];
      std::string args;
      for (size_t i = 0; i < launch.buffers.size(); ++i)
        args += (args.empty() ? "" : ", ") + pointer(p, c, launch.buffers[i], k.buffers[i], own_memory, statics);
      for (size_t i = 0; i < k.locals.size(); ++i)
        args += (args.empty() ? "" : ", ") + local(c, launch.kernel, i, k.locals[i], own_memory, statics);
      for (size_t i = 0; i < k.symbols.size(); ++i) {
        const Dim size = size_at(p, launch, i);
        std::vector<std::string> names;
        size.collect_symbols(names);
        for (const std::string& name : names) used_.insert(positions_->names[name]);
        args += (args.empty() ? "" : ", ") + positions_->text(size, facts_);
      }
      launches += "  " + kernel_names_[launch.kernel] + "(" + args + ");\n";
    }
    slots_.clear();
    text_ += "\n" + c.declaration() + " {\n" + statics + body;
    if (!workspace) text_ += "  (void)workspace;\n";
    for (const CParam& param : c.params) {
      const bool array = param.kind == CParam::Kind::Input || param.kind == CParam::Kind::Output;
      if (array ? !used_.count(param.name)
                : param.kind == CParam::Kind::Symbol && !has_checks_ && !used_.count(param.name))
        text_ += "  (void)" + param.name + ";\n";
    }
    used_.clear();
    text_ += moving + launches + "  return FRIT_CALL_OK;\n}\n";
    return {};
  }

  // The declarations of what moves; `statics` outlives the walk over the steps.
  std::string begin_control(const Program& p, const CInterface& c, bool own_memory, std::string& statics) {
    control_.emplace(
        p, *positions_, facts_, [this](std::string_view wish) { return fresh(wish); },
        [this, &p, &c, own_memory, &statics](uint32_t buffer) {
          const ProgramBuffer& b = p.buffers[buffer];
          const bool written = b.role == BufferRole::Temp || b.role == BufferRole::Output;
          return place(p, c, buffer, {"", is_complex(b.dtype) ? float32 : b.dtype, 0, written, true}, own_memory,
                       statics);
        });
    return control_->declarations();
  }

  // A static array in the place of memory of the workspace: one for each slot and element type.
  std::string own_array(const std::string& wish, Dtype t, const Dim& elements, std::string& statics) {
    const std::string name = fresh(wish);
    statics += "  static " + std::string(memory_type(t)) + " " + name + "[" +
               std::to_string(std::max<int64_t>(1, elements.value())) + "];\n";
    return name;
  }

  std::string pointer(const Program& p, const CInterface& c, uint32_t buffer, const KernelBuffer& as, bool own_memory,
                      std::string& statics) {
    const std::string moving = control_->variable(buffer);
    if (moving.empty()) return place(p, c, buffer, as, own_memory, statics);
    return "(" + std::string(as.written ? "" : "const ") + std::string(memory_type(as.dtype)) + "*)" + moving;
  }

  // Of a buffer that stays where it is.
  std::string place(const Program& p, const CInterface& c, uint32_t buffer, const KernelBuffer& as, bool own_memory,
                    std::string& statics) {
    const ProgramBuffer& b = p.buffers[buffer];
    const std::string type = (as.written ? "" : "const ") + std::string(memory_type(as.dtype)) + "*";
    switch (c.buffers[buffer].kind) {
      case CBuffer::Kind::Param: {
        const CParam& param = c.params[c.buffers[buffer].param];
        used_.insert(param.name);
        return param.type == type || param.type == std::string(memory_type(as.dtype)) + "*"
                   ? param.name
                   : "(" + type + ")" + param.name;
      }
      case CBuffer::Kind::Workspace: {
        if (!own_memory) return at(c.buffers[buffer].offset);
        const Dtype t = is_complex(b.dtype) ? float32 : b.dtype;
        auto [it, added] = slots_.try_emplace({b.slot, std::string(memory_type(t))});
        if (added)
          it->second = own_array("slot" + std::to_string(b.slot) + "_" + std::string(short_name(t)), t,
                                 largest(p, b.slot, t), statics);
        return it->second;
      }
      case CBuffer::Kind::Constant: return constants_[buffer];
      case CBuffer::Kind::Weight: return weight(c, c.buffers[buffer].weight, type);
      case CBuffer::Kind::Unused: break;
    }
    return "NULL";
  }

  std::string weight(const CInterface& c, uint32_t number, const std::string& type) const {
    const CWeight& w = weights_->all()[number];
    if (!weights_->in_file()) {
      const Dtype t = w.data->dtype;
      const bool same = type == "const " + std::string(memory_type(t)) + "*";
      return (same ? "" : "(" + type + ")") + weight_names_[number];
    }
    for (const CParam& param : c.params)
      if (param.kind == CParam::Kind::Weights)
        return "(" + type + ")(const void*)((const unsigned char*)" + param.name + "->file + " +
               std::to_string(w.offset) + ")";
    return {};
  }

  // Elements of type t that temporaries in a slot have at most.
  static Dim largest(const Program& p, uint32_t slot, Dtype t) {
    Dim most = 0;
    for (const ProgramBuffer& b : p.buffers) {
      const bool pairs = is_complex(b.dtype);
      if (b.slot == slot && memory_type(pairs ? float32 : b.dtype) == memory_type(t))
        most = max(most, b.size * Dim(pairs ? 2 : 1));
    }
    return most;
  }

  std::string local(const CInterface& c, uint32_t kernel, size_t i, const KernelBuffer& b, bool own_memory,
                    std::string& statics) {
    if (!own_memory) return at(c.scratch_offset + c.locals[kernel][i]);
    auto [it, added] = slots_.try_emplace({~kernel, std::to_string(i)});
    if (added) it->second = own_array(kernel_names_[kernel] + "_" + b.name, b.dtype, b.size, statics);
    return it->second;
  }

  std::string at(const Dim& offset) {
    if (offset.is(0)) return "workspace";
    return helpers_.need("frit_at") + "(workspace, " + positions_->text(offset, facts_) + ")";
  }

  bool static_workspace_ = false;
  const CWeights* weights_ = nullptr;
  std::vector<std::string> weight_names_;  // C: the arrays of weights that are inside
  Helpers helpers_;
  std::set<std::string> taken_, used_;
  std::vector<std::string> kernel_names_, constants_;
  std::unique_ptr<Positions> positions_;
  std::optional<ControlWriter> control_;
  std::map<std::pair<uint32_t, std::string>, std::string> slots_;  // arrays of own memory
  DimFacts facts_;
  bool has_checks_ = false, fixed_ = false;
  std::vector<std::string_view> declarations_;  // of the libraries that are called
  std::string batch_;                           // C: the number of a product of a batch
  std::string text_;
};

}  // namespace

Result<std::vector<NativeFile>> emit_files(std::span<const Function* const> functions, const NativeOptions& options) {
  CWeights weights(options.weights, options.name);
  FRIT_ASSIGN_OR_RETURN(interfaces, make_c_interfaces(functions, &weights));
  for (size_t i = 0; i < functions.size(); ++i) add_c_call_checks(*functions[i], interfaces[i]);
  FileEmitter emitter;
  FRIT_ASSIGN_OR_RETURN(source, emitter.run(functions, interfaces, options, weights));
  std::string notes = options.name + ".c is to be linked with -lm";
  notes += emitter.calls_libraries() ? " and, for cblas_*, -lopenblas or another library that has them." : ".";
  return std::vector<NativeFile>{{".c", std::move(source)},
                                 {".h", c_header(interfaces, options.name, notes, &weights)}};
}

Result<std::string> emit_kernels(const Program& program) { return FileEmitter().kernels(program); }

}  // namespace frit::codegen::c
