// Results of products that lie in the thread's cache, as of some rows between two products.
#pragma once

namespace frit::runtime::openblas {

// This thread's products write such results while one lives.
class NearResults {
 public:
  NearResults();
  ~NearResults();
  NearResults(const NearResults&) = delete;
  NearResults& operator=(const NearResults&) = delete;

  static bool hold();
};

}  // namespace frit::runtime::openblas
