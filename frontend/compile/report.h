// Pages about compiled functions: on request, and at the end of a program that runs with FRIT_REPORT=folder.
#pragma once

#include <memory>
#include <string>

namespace frit::detail {

class CompiledEntry;
class CompiledState;

// Writes the page of the trace that was used last, with the history of all. `path` ends in .json for the document
// instead. Throws InvalidArgument where nothing is traced yet, and RuntimeError where the file cannot be written; a
// trace that does not compile gives a page that says so.
void write_report(const CompiledState& state, const std::string& path);

// With FRIT_REPORT: remembers the function for the pages at exit.
void remember_for_report(const std::shared_ptr<CompiledState>& state);

// After a run on a GPU: the pages are written before the driver's exit handlers. It registers some of them while it
// compiles an entry's shaders, and handlers run in the reverse order, so each entry registers the pages once more.
void report_before_driver_ends(const CompiledEntry& entry);

}  // namespace frit::detail
