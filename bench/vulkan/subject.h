// A graph that was compiled for the GPU, with inputs of random numbers there.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "ir/base/result.h"
#include "ir/graph/type.h"
#include "runtime/execute/gpu.h"

[[noreturn]] inline void fail(const frit::Diagnostic& d) {
  std::fprintf(stderr, "%s\n", d.str().c_str());
  std::exit(1);
}

template <class T>
T value(frit::Result<T> r) {
  if (!r.ok()) fail(r.error());
  return *std::move(r);
}

struct Subject {
  std::shared_ptr<frit::runtime::Executable> code;
  std::vector<frit::runtime::Tensor> inputs;
  double input_ms = 0;
};

// Integers of parameter i are smaller than `below[i]`; floats lie between -1 and 1.
frit::Result<Subject> compile_subject(frit::runtime::Gpu& gpu, const std::string& graph,
                                      const std::vector<int64_t>& below = {});

// Runs it and waits for the end.
frit::Status run_subject(frit::runtime::Gpu& gpu, const Subject& s);

// The graphs of a file, each behind a line "# NAME" and, where parameters have bounds, a line "# below 0 4000". All are
// compiled, then run in turns for `warm` milliseconds, then timed one by one. Prints for each its milliseconds, its
// name and its steps with a tab between them, or "failed", its name and the reason.
void time_graphs(const std::string& file, double warm, int repeat);
