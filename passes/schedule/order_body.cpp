// The instructions of a loop's body, farthest from its results first.
#include "passes/schedule/order_body.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace frit::passes {

using namespace ir;

void use_values_early(Body& body) {
  std::map<Reg, int> distance;  // of each register, from the results
  std::vector<int> far(body.size());
  for (size_t at = body.size(); at-- > 0;) {
    const auto* scalar = std::get_if<ScalarInstr>(&body[at].node);
    const auto* load = std::get_if<LoadInstr>(&body[at].node);
    const auto* index = std::get_if<IndexInstr>(&body[at].node);
    if (!scalar && !index && (!load || load->mask != kNoReg)) return;
    const int own = distance[scalar ? scalar->result : load ? load->result : index->result];
    far[at] = own;
    if (!scalar) continue;
    for (int i = 0; i < arity(scalar->op); ++i) {
      int& of = distance[scalar->args[static_cast<size_t>(i)]];
      of = std::max(of, own + 1);
    }
  }
  std::vector<size_t> order(body.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return far[a] > far[b]; });
  Body sorted;
  sorted.reserve(body.size());
  for (const size_t at : order) sorted.push_back(std::move(body[at]));
  body = std::move(sorted);
}

}  // namespace frit::passes
