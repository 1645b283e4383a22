// Exchange between processes in a group of one: what a program sees that is not started by mpirun.
#include "helpers.h"

namespace frit::test::distributed_test {
namespace {

using distributed::Group;

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.message();
  }
  return "nothing was refused";
}

TEST(Distributed, AGroupOfOnePassesArraysOn) {
  const Group world = distributed::init();
  EXPECT_EQ(world.rank(), 0);
  EXPECT_EQ(world.size(), 1);
  EXPECT_EQ(distributed::init().raw_group(), world.raw_group());
  const array x({1.0f, 2.0f});
  for (const array& y : {distributed::all_sum(x), distributed::all_max(x), distributed::all_min(x, world),
                         distributed::all_gather(x), distributed::sum_scatter(x)}) {
    EXPECT_EQ(y.id(), x.id());
  }
  EXPECT_EQ(distributed::all_gather(array(3.0f)).ndim(), 0u);
  const auto loss = [](const array& v) { return sum(distributed::all_sum(v * v)); };
  EXPECT_EQ(values<float>(grad(std::function<array(const array&)>(loss))(x)), (std::vector<float>{2, 4}));
  EXPECT_EQ(values<float>(compile([](const array& v) { return distributed::all_sum(v) + 1.0f; })(x)),
            (std::vector<float>{2, 3}));
}

TEST(Distributed, ClearedBackendsAreLookedForAgain) {
  const Group before = distributed::init();
  distributed::clear_backends();
  EXPECT_NE(distributed::init().raw_group(), before.raw_group());
  EXPECT_EQ(before.size(), 1);
}

TEST(Distributed, Errors) {
  const array x({1.0f, 2.0f});
  EXPECT_EQ(refusal([&] { distributed::send(x, 0); }), "send: a group of one process has nobody to exchange with");
  EXPECT_EQ(refusal([&] { distributed::recv({2}, float32, 0); }),
            "recv: a group of one process has nobody to exchange with");
  EXPECT_EQ(refusal([&] { distributed::recv_like(x, 0); }), "recv: a group of one process has nobody to exchange with");
  EXPECT_EQ(refusal([&] { distributed::init().split(0); }), "split: a group of one process cannot be split further");
  EXPECT_EQ(refusal([&] { distributed::init(false, "foo"); }), "init: there is no backend 'foo'");
  EXPECT_EQ(refusal([&] { distributed::init(true, "ring"); }), "init: frit has no backend 'ring'");
  EXPECT_EQ(distributed::init(false, "ring").size(), 1);
  EXPECT_FALSE(distributed::is_available("ring"));
  EXPECT_FALSE(distributed::is_available("foo"));
  EXPECT_EQ(distributed::is_available(), distributed::is_available("mpi"));
}

}  // namespace
}  // namespace frit::test::distributed_test
