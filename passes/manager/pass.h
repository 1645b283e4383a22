// Passes, pipelines and remarks.
//
// A pass is one file. Its name is the file's name, its spelling on the command line and its folder under tests/golden.
// A pass file defines one PassInfo and registers it; passes find each other only through pipelines.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/kernel/program.h"

namespace frit::passes {

// The level of a function. A pass needs a level from `needs` to `most`, and leaves `gives` or the level before, if that
// is higher.
enum class Level : uint8_t {
  Graph,      // any rows
  Expanded,   // no Composite rows
  Fused,      // every op in a group
  Lowered,    // a Program of kernels with plain loops
  Scheduled,  // vector widths, lanes and chunks chosen
  Legal,      // only scalar ops that every target must have (functions expanded)
  Planned,    // temporaries have slots
};
std::string_view name(Level level);

struct Remark {
  std::string pass, function, text;  // text: "not fused: %7 has two users with different shapes"
  SourceLoc loc;
};

// Why two groups of a fused function are two: `to` reads a result of `from` from memory. Numbers of Function::groups.
struct GroupEdge {
  uint32_t from, to;
  std::string why;
};

// The target of the code, as far as passes care. These traits change no result, except for the ones that say so.
struct TargetTraits {
  int vector_bytes = 32;
  int64_t cache_bytes = 1 << 20;    // of one core
  int threads = 0;                  // that are busy at once; 0 where that is not known
  int64_t stream_bytes = 32 << 20;  // results of at least this size are written with non-temporal stores
  bool has_fma = true;
  // Loops are spread over a grid of invocations in workgroups instead of threads with vectors
  // (passes/schedule/grid_schedule.h).
  bool grid = false;
  std::vector<const ir::Routine*> grid_routines = {};  // those that the device of a grid has
  // These are part of a reduction's meaning on this target (ir/graph/graph.h): the accumulators along the operand's
  // last axis, and the elements of a block along that axis and along other axes.
  int reduction_lanes = ir::kReductionLanes;
  int64_t reduction_block = ir::kReductionBlock, column_block = ir::kColumnBlock;
  // Needs of code that is called with the caller's own memory, without a runtime.
  bool dense_results = false;   // each result is a separate output, dense and row-major: no view, no input, not shared
  bool own_routines = false;    // routines of the library are kernels of the program ...
  bool cblas_routines = false;  // ... except those that cblas takes, which are calls (passes/lower/c_call.h)
};

struct PassContext {
  ir::Module* module = nullptr;  // null for a function without a module
  TargetTraits target;
  bool fuse = true;  // false: every op in its own group (eager, and --pipeline comparisons)
  bool collect_remarks = false;
  std::vector<Remark> remarks;
  std::vector<GroupEdge> edges;  // with collect_remarks: set by fuse
  std::string pass;              // the running pass
  void remark(const ir::Function& f, std::string text, SourceLoc loc = {}) {
    if (collect_remarks) remarks.push_back({pass, f.name, std::move(text), loc});
  }
};

struct PassInfo {
  std::string_view name;
  std::string_view doc;
  Level needs, most, gives;
  Result<bool> (*run)(ir::Function&, PassContext&);  // returns whether it changed anything
};

const PassInfo* find_pass(std::string_view name);
std::vector<const PassInfo*> all_passes();  // in default pipeline order, then the others by name
struct RegisterPass {
  explicit RegisterPass(const PassInfo& info);
};

struct Pipeline {
  std::vector<const PassInfo*> passes;
  // Parses "default", "none", or pass names with commas. Fails on an unknown name or an order whose levels do not fit.
  static Result<Pipeline> parse(std::string_view text);
  static const Pipeline& standard();
};

struct PassTiming {
  std::string pass;
  double milliseconds;
  size_t ops_before, ops_after, kernels_after;
  bool changed;
};

struct RunOptions {
  bool verify_each = false;
  int stop_after = -1;      // run only the first N passes
  std::string print_after;  // "", "all", "changed" or a pass name
  std::ostream* print_to = nullptr;
  std::string dump_dir;  // numbered files, one per pass
  std::vector<PassTiming>* timings = nullptr;
  // Called after each pass, with the milliseconds that it took and whether it changed the function.
  std::function<void(const PassInfo&, const ir::Function&, double, bool)> after = nullptr;
};

Status run(const Pipeline& pipeline, ir::Function& f, PassContext& context, const RunOptions& options = {});

// Runs one pass on a function and on the regions in it, which stay at the level of the function around them. Lowering
// to kernels takes the regions with the function. Gives whether the pass changed anything.
Result<bool> run(const PassInfo& pass, ir::Function& f, PassContext& context);

}  // namespace frit::passes
