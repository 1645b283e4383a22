// Settings and places that every test program shares.
#include "tests/environment.h"

#include <cstdlib>

namespace {
// Turns the cache on disk off for a test program started by hand, unless the environment asks for it.
[[maybe_unused]] const int set = setenv("FRIT_CACHE", "off", 0);
}  // namespace

std::string source_folder() { return FRIT_SOURCE_DIR; }
