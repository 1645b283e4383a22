// The key of machine code as text: the function, the options of its compilation, and every library that takes part.
//
// Two functions have the same key when the compiler would give the same code for them: names of the function and of its
// parameters do not count, nor where it came from. Keys are compared whole; none leaves anything to a hash.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codegen/core/backend.h"
#include "ir/graph/graph.h"

namespace frit::codegen {

// `f` must be in canonical order. `options` are those of the compiler besides the target. Gives nothing for a
// function that is not worth a key: its constants are more than kMaxKeyConstants bytes.
std::optional<std::string> cache_key(const ir::Function& f, std::string_view options, const Target& target);

inline constexpr size_t kMaxKeyConstants = size_t{1} << 20;

// The part of a key that is the same for all functions: frit's own build, the backend's and its compiler's, the
// processor.
const std::string& compiler_identity(const Target& target);

}  // namespace frit::codegen
