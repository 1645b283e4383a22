// Pipelines as text: "default", "none", or pass names with commas; checks names and the order of levels.
#include <algorithm>
#include <array>

#include "passes/manager/standard.h"

namespace frit::passes {
namespace {

constexpr std::array<std::string_view, 23> kStandard{"expand_composites",
                                                     "expand_libraries",
                                                     "convolution_phases",
                                                     "canonicalize",
                                                     "constant_fold",
                                                     "cse",
                                                     "dce",
                                                     "hoist",
                                                     "sink",
                                                     "attention",
                                                     "blocked_rows",
                                                     "fuse",
                                                     "lower_to_kernels",
                                                     "expand_routines",
                                                     "merge_kernels",
                                                     "schedule",
                                                     "stream_rows",
                                                     "stream_columns",
                                                     "join_kernels",
                                                     "expand_functions",
                                                     "plan_buffers",
                                                     "sum_sizes",
                                                     "share_sizes"};

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t')) s.remove_suffix(1);
  return s;
}

std::string quoted(std::string_view s) { return "'" + std::string(s) + "'"; }

std::string known_passes() {
  std::string text = "passes are";
  const char* separator = " ";
  for (const PassInfo* p : all_passes()) {
    text += separator + std::string(p->name);
    separator = ", ";
  }
  return text;
}

// The first pass in default order that brings a function to `level` or beyond.
const PassInfo* giver_of(Level level) {
  for (const PassInfo* p : all_passes())
    if (p->gives >= level && p->needs < level) return p;
  return nullptr;
}

Status check_levels(const std::vector<const PassInfo*>& passes) {
  Level level = Level::Graph;
  const PassInfo* raised_by = nullptr;
  for (const PassInfo* p : passes) {
    FRIT_TRY(check_level(*p, level, raised_by));
    if (p->gives > level) {
      level = p->gives;
      raised_by = p;
    }
  }
  return {};
}

Pipeline registered_standard() {
  Pipeline pipeline;
  for (std::string_view name : kStandard)
    if (const PassInfo* p = find_pass(name)) pipeline.passes.push_back(p);
  return pipeline;
}

}  // namespace

std::span<const std::string_view> standard_order() { return kStandard; }

Status check_level(const PassInfo& pass, Level level, const PassInfo* raised_by) {
  if (level < pass.needs) {
    std::string message = "pass " + quoted(pass.name) + " needs level " + std::string(name(pass.needs)) +
                          ", and the function is at level " + std::string(name(level));
    const PassInfo* giver = giver_of(pass.needs);
    return Diagnostic(std::move(message), {}, giver ? "put " + quoted(giver->name) + " before it" : std::string());
  }
  if (level > pass.most) {
    std::string message = "pass " + quoted(pass.name) + " works up to level " + std::string(name(pass.most)) +
                          ", and the function is at level " + std::string(name(level));
    return Diagnostic(std::move(message), {}, raised_by ? "put it before " + quoted(raised_by->name) : std::string());
  }
  return {};
}

Result<Pipeline> Pipeline::parse(std::string_view text) {
  text = trim(text);
  if (text == "none") return Pipeline{};
  if (text == "default") {
    const Pipeline& pipeline = standard();
    if (pipeline.passes.size() != kStandard.size()) {
      for (std::string_view name : kStandard)
        if (!find_pass(name))
          return Diagnostic("internal error: pass " + quoted(name) + " of the default pipeline is not built in");
    }
    return pipeline;
  }
  Pipeline pipeline;
  for (size_t begin = 0; begin <= text.size();) {
    size_t end = std::min(text.find(',', begin), text.size());
    std::string_view item = trim(text.substr(begin, end - begin));
    if (item.empty())
      return Diagnostic("empty pass name in pipeline " + quoted(text), {},
                        "write 'default', 'none', or pass names with commas");
    const PassInfo* pass = find_pass(item);
    if (!pass) return Diagnostic("unknown pass " + quoted(item) + " in pipeline " + quoted(text), {}, known_passes());
    pipeline.passes.push_back(pass);
    begin = end + 1;
  }
  FRIT_TRY(check_levels(pipeline.passes));
  return pipeline;
}

const Pipeline& Pipeline::standard() {
  // Never destroyed: static destructors may compile.
  static const Pipeline& pipeline = *new Pipeline(registered_standard());
  return pipeline;
}

}  // namespace frit::passes
