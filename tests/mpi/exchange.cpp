// A program that mpirun starts: every exchange of frit::distributed, eager, compiled and differentiated.
#include <frit/frit.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

using namespace frit;
namespace dist = frit::distributed;

namespace {

int failures = 0;

void check(bool right, const std::string& what) {
  if (right) return;
  ++failures;
  std::cerr << "process " << dist::init().rank() << ": " << what << " is wrong\n";
}

void check_equal(const array& got, const array& wanted, const std::string& what) {
  const bool same =
      got.dtype() == wanted.dtype() && got.shape() == wanted.shape() && array_equal(got, wanted).item<bool>();
  check(same, what);
  if (!same) std::cerr << "got " << got << ", wanted " << wanted << "\n";
}

using Unary = std::function<array(const array&)>;

// Runs `f` as it is and compiled.
void check_both(const Unary& f, const array& x, const array& wanted, const std::string& what) {
  check_equal(f(x), wanted, what);
  check_equal(compile([&](const array& v) { return f(v); })(x), wanted, what + ", compiled");
}

void reductions(int rank, int size) {
  const float total = static_cast<float>(size * (size - 1)) / 2;
  for (Dtype t : {float32, float64, float16, bfloat16, int8, int16, int32, int64, uint8, uint16, uint32, uint64}) {
    std::ostringstream text;
    text << t;
    const std::string name = text.str();
    const array x = astype(array({1.0f, 2.0f, 3.0f}) + static_cast<float>(rank), t);
    check_both([](const array& v) { return dist::all_sum(v); }, x,
               astype(array({1.0f, 2.0f, 3.0f}) * static_cast<float>(size) + total, t), name + " all_sum");
    check_both([](const array& v) { return dist::all_max(v); }, x,
               astype(array({1.0f, 2.0f, 3.0f}) + static_cast<float>(size - 1), t), name + " all_max");
    check_both([](const array& v) { return dist::all_min(v); }, x, astype(array({1.0f, 2.0f, 3.0f}), t),
               name + " all_min");
  }
  const array flags({rank == 0, false, true});
  check_both([](const array& v) { return dist::all_sum(v); }, flags, array({true, false, true}), "all_sum of bool");
  check_both([](const array& v) { return dist::all_min(v); }, flags, array({size == 1, false, true}),
             "all_min of bool");
  const array z(complex64_t{1, static_cast<float>(rank)});
  check_both([](const array& v) { return dist::all_sum(v); }, z, array(complex64_t{static_cast<float>(size), total}),
             "all_sum of complex64");
  // A transposed operand, and work around the exchange.
  const array m = transpose(reshape(arange(0.0f, 6.0f, 1.0f), {2, 3}));
  check_both([](const array& v) { return dist::all_sum(v * 2.0f) + 1.0f; }, m,
             contiguous(m * static_cast<float>(2 * size) + 1.0f), "all_sum of a transposed array");
}

void parts(int rank, int size) {
  const array x = full({2, 2}, static_cast<float>(rank));
  std::vector<array> all;
  for (int r = 0; r < size; ++r) all.push_back(full({2, 2}, static_cast<float>(r)));
  check_both([](const array& v) { return dist::all_gather(v); }, x, concatenate(all, 0), "all_gather");
  check_both([](const array& v) { return dist::all_gather(v); }, array(rank), arange(0, size, 1), "all_gather of one");
  const array whole = reshape(arange(0.0f, static_cast<float>(size * 3), 1.0f), {size, 3});
  check_both([](const array& v) { return dist::sum_scatter(v); }, whole,
             slice(whole, {rank, 0}, {rank + 1, 3}) * static_cast<float>(size), "sum_scatter");
}

void pairs(int rank, int size) {
  // A ring: even processes send first.
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  const array x = array({1.0f, 2.0f}) + static_cast<float>(rank);
  array got = x;
  if (rank % 2 == 0) {
    eval(dist::send(x, next));
    got = dist::recv({2}, float32, previous);
    eval(got);
  } else {
    got = dist::recv_like(x, previous);
    eval(got);
    eval(dist::send(x, next));
  }
  check_equal(got, array({1.0f, 2.0f}) + static_cast<float>(previous), "a ring of send and recv");
  // The two halves of a swap in one compiled function, in the order that depends() gives.
  const int peer = rank ^ 1;
  const auto swap = compile([&](const array& v) {
    const array sent = rank < peer ? dist::send(v, peer) : v;
    const array received = dist::recv_like(depends({v}, {sent})[0], peer);
    return rank < peer ? received : depends({received}, {dist::send(depends({v}, {received})[0], peer)})[0];
  });
  for (int i = 0; i < 3; ++i) check_equal(swap(x), array({1.0f, 2.0f}) + static_cast<float>(peer), "a compiled swap");
}

void derivatives(int rank, int size) {
  const array x({1.0f, 2.0f});
  const float r = static_cast<float>(rank + 1), n = static_cast<float>(size);
  const Unary mean_of = [&](const array& v) { return sum(dist::all_sum(v * r)) / n; };
  check_equal(grad(mean_of)(x), full({2}, r / n), "the gradient of all_sum");
  check_equal(compile([&](const array& v) { return grad(mean_of)(v); })(x), full({2}, r / n),
              "the compiled gradient of all_sum");
  check_equal(jvp(Unary([](const array& v) { return dist::all_sum(v); }), x, ones_like(x)).second, full({2}, n),
              "the tangent of all_sum");
  const array weights = arange(0.0f, 2.0f * n, 1.0f);
  check_equal(grad(Unary([&](const array& v) { return sum(dist::all_gather(v) * weights); }))(x),
              array({0.0f, 1.0f}) + static_cast<float>(2 * rank), "the gradient of all_gather");
  const Unary largest = [&](const array& v) { return sum(dist::all_max(v * r)); };
  check_equal(grad(largest)(x), full({2}, rank == size - 1 ? r : 0.0f), "the gradient of all_max");
}

void groups(int rank, int size) {
  const dist::Group half = dist::init().split(rank % 2);
  check(half.size() == size / 2, "the size of a part");
  check(half.rank() == rank / 2, "the rank in a part");
  const float wanted =
      rank % 2 ? static_cast<float>((size / 2) * (size / 2)) : static_cast<float>(size / 2 * (size / 2 - 1));
  check_equal(dist::all_sum(array(static_cast<float>(rank)), half), array(wanted), "all_sum of a part");
  const dist::Group turned = dist::init().split(0, size - rank);
  check(turned.rank() == size - 1 - rank, "the rank by key");
}

void errors(int size) {
  const auto refused = [](const std::function<void()>& call) {
    try {
      call();
    } catch (const InvalidArgument&) {
      return true;
    }
    return false;
  };
  check(refused([&] { dist::send(array(1.0f), size); }), "the refusal of a process that is not there");
  check(refused([&] { dist::sum_scatter(ones({size + 1})); }), "the refusal of parts that do not divide");
}

}  // namespace

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? std::atoi(argv[1]) : 1;
  const dist::Group world = dist::init(true);
  check(world.size() == wanted, "the number of processes");
  check(dist::init(false, "mpi").size() == wanted, "the group by name");
  reductions(world.rank(), world.size());
  parts(world.rank(), world.size());
  pairs(world.rank(), world.size());
  derivatives(world.rank(), world.size());
  groups(world.rank(), world.size());
  errors(world.size());
  if (failures == 0 && world.rank() == 0) std::cout << "all exchanges of " << wanted << " processes are right\n";
  return failures != 0;
}
