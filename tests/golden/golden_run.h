// Runs one golden file and compares, or rewrites it when FRIT_BLESS is set.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace frit::golden {

// What went wrong, one message each; empty when the file holds. Besides the expectations it checks that what is read
// prints to a text that reads back equal, that the verifier passes after every pass, and that a second run of a single
// pass changes nothing. With `bless` the expectations are rewritten and only the laws can fail.
std::vector<std::string> run_golden(const std::filesystem::path& path, bool bless);

}  // namespace frit::golden
