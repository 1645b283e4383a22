// Suggestions for misspelt names, by edit distance.
#include "ir/base/suggest.h"

#include <algorithm>
#include <numeric>

namespace frit::ir {
namespace {

// The number of insertions, deletions, substitutions and swaps of neighbours that turn `a` into `b`.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view name, const std::vector<std::string_view>& known) {
  constexpr size_t kLongest = 64;  // longer names are not taken for misspelt ones
  if (name.size() > kLongest) return {};
  size_t best = name.size() / 3 + 2;
  std::string_view found;
  for (std::string_view candidate : known) {
    if (candidate.size() > kLongest) continue;
    size_t distance = edit_distance(name, candidate);
    if (distance < best) best = distance, found = candidate;
  }
  return found.empty() ? std::string() : "; did you mean '" + std::string(found) + "'?";
}

}  // namespace frit::ir
