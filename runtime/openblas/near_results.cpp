// Counts the scopes of results that lie in the thread's cache.
#include "runtime/openblas/near_results.h"

namespace frit::runtime::openblas {

namespace {
thread_local int scopes = 0;
}  // namespace

NearResults::NearResults() { ++scopes; }
NearResults::~NearResults() { --scopes; }
bool NearResults::hold() { return scopes > 0; }

}  // namespace frit::runtime::openblas
