// Turns the cache on disk off for a test program started by hand, unless the environment asks for it.
#include <cstdlib>

namespace {
[[maybe_unused]] const int set = setenv("FRIT_CACHE", "off", 0);
}
