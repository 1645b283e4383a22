// Runs one golden file and compares, or rewrites it if FRIT_BLESS is set.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace frit::golden {

// Returns one message per failure, none if the file holds. Besides the expectations it checks three laws: an accepted
// text prints to a text that reads back equal, the verifier passes after every pass, and a second run of a single pass
// changes nothing. With `bless` the expectations are rewritten and only the laws can fail.
std::vector<std::string> run_golden(const std::filesystem::path& path, bool bless);

}  // namespace frit::golden
