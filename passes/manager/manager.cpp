// Runs a pipeline on a function: checks levels, verifies between passes, prints, dumps, times and counts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "ir/graph/composite.h"
#include "ir/graph/control.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "ir/verify/kernel_verifier.h"
#include "ir/verify/verifier.h"
#include "passes/manager/standard.h"

namespace frit::passes {
namespace {

#ifdef NDEBUG
constexpr bool kAlwaysVerify = false;
#else
constexpr bool kAlwaysVerify = true;
#endif

// The level of a function before `first`. A lowered function read from text shows no trace of schedule and later
// passes, so it gets the level that its first pass needs.
Level starting_level(const ir::Function& f, const PassInfo& first) {
  if (f.program) return std::max(Level::Lowered, first.needs);
  if (!f.groups.empty()) return Level::Fused;
  for (const ir::Op& op : f.ops) {
    if (ir::stands_for_others(f, op)) return Level::Graph;
    for (std::string_view name : ir::regions_of(op))
      if (starting_level(op.attrs.get_region(name), first) == Level::Graph) return Level::Graph;
  }
  return Level::Expanded;
}

std::string text_of(const ir::Function& f) { return f.program ? ir::print(*f.program, f.name) : ir::print(f); }

Status verify_level(const ir::Function& f) { return f.program ? ir::verify(*f.program) : ir::verify(f); }

// The number of tensor ops before lowering, of instructions in all kernels after it.
size_t count_instructions(const ir::Body& body) {
  size_t count = 0;
  for (const ir::Instr& instr : body) {
    ++count;
    if (const auto* loop = std::get_if<ir::Loop>(&instr.node)) count += count_instructions(loop->body);
  }
  return count;
}

size_t count_ops(const ir::Function& f) {
  size_t count = 0;
  if (!f.program) {
    for (const ir::Op& op : f.ops)
      for (std::string_view name : ir::regions_of(op)) count += count_ops(op.attrs.get_region(name));
    return count + f.ops.size();
  }
  for (const ir::Kernel& kernel : f.program->kernels) count += count_instructions(kernel.body);
  return count;
}

// The number of launches of a call; 0 before fuse.
size_t count_kernels(const ir::Function& f) {
  if (f.program) return f.program->steps.size();
  size_t count = 0;
  for (const ir::Group& group : f.groups) count += group.kind != ir::GroupKind::View;
  return count;
}

Status dump(const std::string& folder, size_t number, std::string_view pass, const std::string& text) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) return Diagnostic("cannot create the dump folder '" + folder + "': " + error.message());
  char prefix[16];
  std::snprintf(prefix, sizeof prefix, "%02zu-", number);
  std::string path = folder + "/" + prefix + std::string(pass) + ".frit";
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.flush();
  if (!file) return Diagnostic("cannot write the dump file '" + path + "'");
  return {};
}

std::string dump_folder(const ir::Function& f, const PassContext& context, const RunOptions& options) {
  bool many = context.module && context.module->functions.size() > 1;
  return many ? options.dump_dir + "/" + f.name : options.dump_dir;
}

// Blames `pass` for the error that the verifier found after it.
Diagnostic blame(const PassInfo& pass, const ir::Function& f, Diagnostic found) {
  found.message = "internal error: pass '" + std::string(pass.name) + "' left function '" + f.name +
                  "' malformed: " + found.message;
  return found;
}

// A pass that reports no change must have changed nothing. Lowered functions have no graph left to hash.
Status check_unchanged(const PassInfo& pass, const ir::Function& f, const Hash128& before) {
  if (f.program || ir::structural_hash(f) == before) return {};
  return Diagnostic("internal error: pass '" + std::string(pass.name) + "' changed function '" + f.name +
                    "' and reported no change");
}

}  // namespace

Result<bool> run(const PassInfo& pass, ir::Function& f, PassContext& context) {
  bool changed = false;
  if (!f.program && pass.gives < Level::Lowered)
    for (size_t i = 0; i < f.ops.size(); ++i)
      for (std::string_view name : ir::regions_of(f.ops[i])) {
        ir::Function inside = ir::opened(std::get<ir::Region>(*f.ops[i].attrs.find(name)), f);
        inside.name = f.name + "." + std::string(name);
        FRIT_ASSIGN_OR_RETURN(inside_changed, run(pass, inside, context));
        if (!inside_changed) continue;
        f.ops[i].attrs.set(name, ir::closed(std::move(inside)));
        changed = true;
      }
  FRIT_ASSIGN_OR_RETURN(own, pass.run(f, context));
  return changed || own;
}

Status run(const Pipeline& pipeline, ir::Function& f, PassContext& context, const RunOptions& options) {
  using Clock = std::chrono::steady_clock;
  const bool verify_each = options.verify_each || kAlwaysVerify;
  const bool dumps = !options.dump_dir.empty();
  const std::string folder = dumps ? dump_folder(f, context, options) : std::string();
  if (verify_each) FRIT_TRY(verify_level(f));
  if (dumps) FRIT_TRY(dump(folder, 0, "input", text_of(f)));

  size_t count = pipeline.passes.size();
  if (options.stop_after >= 0) count = std::min(count, static_cast<size_t>(options.stop_after));
  Level level = count ? starting_level(f, *pipeline.passes[0]) : Level::Graph;
  const PassInfo* raised_by = nullptr;
  for (size_t i = 0; i < count; ++i) {
    const PassInfo& pass = *pipeline.passes[i];
    FRIT_TRY(check_level(pass, level, raised_by));
    context.pass = pass.name;
    size_t ops_before = options.timings ? count_ops(f) : 0;
    Hash128 hash_before = verify_each && !f.program ? ir::structural_hash(f) : Hash128{};
    bool had_program = f.program != nullptr;

    auto start = Clock::now();
    Result<bool> changed = run(pass, f, context);
    double milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (!changed) return std::move(changed.error());

    if (options.timings)
      options.timings->push_back(
          {std::string(pass.name), milliseconds, ops_before, count_ops(f), count_kernels(f), *changed});
    if (options.after) options.after(pass, f, milliseconds, *changed);
    if (verify_each) {
      if (Status status = verify_level(f); !status) return blame(pass, f, std::move(status.error()));
      if (!*changed && !had_program) FRIT_TRY(check_unchanged(pass, f, hash_before));
    }
    bool prints = options.print_to && (options.print_after == "all" || options.print_after == pass.name ||
                                       (options.print_after == "changed" && *changed));
    if (prints) {
      *options.print_to << "// after " << pass.name << (*changed ? "" : " (no change)") << "\n" << text_of(f);
    }
    if (dumps) FRIT_TRY(dump(folder, i + 1, pass.name, text_of(f)));
    if (pass.gives > level) {
      level = pass.gives;
      raised_by = &pass;
    }
  }
  context.pass.clear();
  return {};
}

}  // namespace frit::passes
