// Asks the binding, if there is one.
#include "frontend/core/user_place.h"

#include <atomic>
#include <string_view>

#include "frontend/frit/detail/binding.h"

namespace frit::detail {

namespace {

std::atomic<FindUserLine> g_find{nullptr};
thread_local SourceLoc t_caller;
thread_local bool t_backward = false;

// Programs in another language have no lines of C++ of their own. Lines of files that were read, and those that an
// operation of a transform has from the operation it belongs to, stay.
bool is_frit(std::string_view file) { return file.ends_with(".cpp") || file.ends_with(".h"); }

}  // namespace

void set_user_line(FindUserLine find) { g_find.store(find, std::memory_order_release); }

CallerLine::CallerLine(const std::source_location& at) : outermost_(!t_caller.known()) {
  if (outermost_ && at.line() != 0) t_caller = {at.file_name(), at.line(), at.column()};
}
CallerLine::~CallerLine() {
  if (outermost_) t_caller = {};
}

BackwardPass::BackwardPass(bool backward) : around_(t_backward) { t_backward = t_backward || backward; }
BackwardPass::~BackwardPass() { t_backward = around_; }

namespace {

SourceLoc line_of(const SourceLoc& own, bool wait) {
  const SourceLoc& given = t_caller.known() ? t_caller : own;
  const FindUserLine find = g_find.load(std::memory_order_acquire);
  if (!find || (given.known() && !is_frit(given.file))) return given;
  const UserLine at = find(wait);
  return {at.file, at.line, 0};
}

}  // namespace

SourceLoc user_place(const SourceLoc& own, bool wait) {
  SourceLoc place = line_of(own, wait);
  place.backward = own.backward || t_backward;
  return place;
}

SourceLoc outside_of_frit(const SourceLoc& given) {
  const bool binding = g_find.load(std::memory_order_acquire) != nullptr;
  return binding && given.known() && is_frit(given.file) ? SourceLoc() : given;
}

}  // namespace frit::detail
