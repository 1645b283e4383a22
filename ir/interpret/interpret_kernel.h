// Reference interpreters of kernels and programs; the code of every target must equal them bit for bit.
//
// They run one iteration at a time, in the order of the text. vector, unroll and grain change nothing; lanes follow
// ir/kernel/kernel.h. Functions are those of ir/math. Every access is checked: an access out of bounds, an overflow, or
// a read of a local's element that was not written in this iteration is a Diagnostic that names the kernel, the
// instruction and the position. Nothing here is fast, and nothing is undefined.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/base/result.h"
#include "ir/kernel/kernel.h"
#include "ir/kernel/program.h"
#include "ir/routines/routine.h"

namespace frit::ir {

// Runs `k` on `buffers` (one per Kernel::buffers, at least as large as declared) with `symbols` (the values of
// Kernel::symbols). Fails if the kernel breaks a verifier rule, the arguments do not fit, or an access is not allowed;
// by then it may have done some stores.
Status interpret(const Kernel& k, std::span<const BufferSpan> buffers, std::span<const int64_t> symbols);

// Computes a routine in place of its reference implementation.
using LibraryCall = std::function<Status(const Routine&, const ReferenceCall&)>;

// Runs `p`. `symbols` are the values of Program::symbols; `inputs` hold the memory of each parameter's buffer, indexed
// by ProgramBuffer::param. Temps share memory as their slots say, and outputs take over a copy of their donors, so that
// a wrong plan gives wrong results here too. Memory that nothing wrote holds the byte 0xa5. Returns each result's
// elements in row-major order. If `library` is empty, routines compute their reference.
Result<std::vector<Literal>> interpret(const Program& p, std::span<const int64_t> symbols,
                                       std::span<const Literal> inputs, const LibraryCall& library = {});

}  // namespace frit::ir
