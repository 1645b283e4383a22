// Memory that a kernel reads for the last time while it writes a result, place by place.
#pragma once

#include <vector>

#include "ir/kernel/program.h"

namespace frit::passes {

// For each step, whether it runs at most once.
std::vector<bool> outside_of_loops(const ir::Program& p);

// For each buffer that is an output, the input whose memory it may take: its last reader is the first kernel that
// writes the output. Later kernels may change the output: updates of a copy go into the input itself.
// `behind_routines`: the kernel may be behind a routine, which calls it once for each row, while other rows are
// computed. kNone for the others.
std::vector<uint32_t> donors_of(ir::Program& p, bool behind_routines);

// A temporary that the first kernel of a result reads last, each element before the result's is written there, becomes
// that result: first for outputs, then for temporaries.
// `donors`: as of donors_of.
void put_temps_in_results(ir::Program& p, const std::vector<uint32_t>& donors);

}  // namespace frit::passes
