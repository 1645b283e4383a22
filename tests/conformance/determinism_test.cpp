// Law 4: the same function gives the same bytes, whatever the order in which it was built and the time of the request.
#include <gtest/gtest.h>

#include "ir/read/json.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

// The same graph with its ops appended in another valid order.
Function rebuilt(const Function& f, Random& random) {
  Function out;
  out.name = f.name;
  out.facts = f.facts;
  std::vector<ValueId> map(f.values.size(), kNone);
  for (ValueId p : f.params) map[p] = out.add_param(f.values[p].name, f.type(p));
  Builder b(out);
  std::vector<const Op*> left;
  for (const Op& op : f.ops) left.push_back(&op);
  while (!left.empty()) {
    std::vector<size_t> ready;
    for (size_t i = 0; i < left.size(); ++i)
      if (std::all_of(left[i]->operands.begin(), left[i]->operands.end(), [&](ValueId v) { return map[v] != kNone; }))
        ready.push_back(i);
    size_t pick = ready[random() % ready.size()];
    std::vector<ValueId> operands;
    for (ValueId v : left[pick]->operands) operands.push_back(map[v]);
    auto built = b.try_build(*left[pick]->def, operands, left[pick]->attrs);
    EXPECT_TRUE(built.ok()) << built.error().str();
    for (size_t i = 0; i < built->size(); ++i) map[left[pick]->results[i]] = (*built)[i];
    left.erase(left.begin() + static_cast<int64_t>(pick));
  }
  for (ValueId r : f.results) out.results.push_back(map[r]);
  return out;
}

TEST(Determinism, BuildingOrderDoesNotShow) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    GraphOptions options;
    options.symbolic = seed % 2;
    Function f = random_graph(random, options).function, g = rebuilt(f, random);
    EXPECT_EQ(structural_hash(f), structural_hash(g)) << print(f) << print(g);
    EXPECT_TRUE(structurally_equal(f, g)) << print(f) << print(g);
    g.canonicalize_order();
    EXPECT_EQ(print(f), print(g));
  }
}

TEST(Determinism, PlansAndCodeAreTheSameEachTime) {
  auto backend = codegen::find_backend("llvm");
  ASSERT_TRUE(backend.ok()) << backend.error().str();
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    GraphOptions options;
    options.symbolic = seed % 2;
    Function f = random_graph(random, options).function, g = rebuilt(f, random);
    g.canonicalize_order();
    auto a = plan(f, true), b = plan(g, true);
    ASSERT_TRUE(a.ok() && b.ok()) << print(f);
    EXPECT_EQ(print(*a->program, a->name), print(*b->program, b->name));
    for (const char* emission : {"llvm-ir", "object"}) {
      auto first = (*backend)->emit(*a->program, {}, emission), second = (*backend)->emit(*b->program, {}, emission);
      ASSERT_TRUE(first.ok() && second.ok()) << print(f);
      EXPECT_TRUE(*first == *second) << emission << " differs for\n" << print(f);
    }
  }
}

}  // namespace
}  // namespace frit::test
