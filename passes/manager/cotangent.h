// The parameters of a derivative that hold cotangents. vjp marks the operations that follow from them, in their
// locations (SourceLoc::backward); of a graph that was read without locations, passes know its backward part by these.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph/graph.h"

namespace frit::passes {

inline constexpr std::string_view kCotangent = "cotangent";

// The name of the cotangent of result `i`.
inline std::string cotangent_name(size_t i) { return std::string(kCotangent) + std::to_string(i); }

inline bool is_cotangent(const ir::Value& param) { return param.name.starts_with(kCotangent); }

}  // namespace frit::passes
