// Turns the cache on disk off for a test program that is started by hand, unless somebody asks for it.
#include <cstdlib>

namespace {
[[maybe_unused]] const int set = setenv("FRIT_CACHE", "off", 0);
}
