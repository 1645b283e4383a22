// One trace for every shape, and frit's log when it must trace again. Run it with FRIT_LOG=recompiles.
#include <frit/frit.h>

#include <exception>
#include <iostream>

using namespace frit;

namespace {

// Adds its position to each element of a row and normalises the rows.
array scores(array x) { return softmax(x + arange(x.dim(-1), float32), -1); }

// The same, but the number of columns leaves the trace as an int.
array scores_by_number(array x) { return softmax(x + arange(x.shape(-1)), -1); }

}  // namespace

int main() try {
  auto f = compile(scores, {.name = "scores", .shapeless = true});
  for (Shape shape : {Shape{2, 3}, {1, 5}, {64, 128}}) f(ones(shape)).eval();
  std::cout << f.explain() << "\n";

  auto g = compile(scores_by_number, {.name = "by_number", .shapeless = true});
  g(ones({2, 3})).eval();
  g(ones({9, 3})).eval();  // other rows, the same columns: no trace
  g(ones({2, 5})).eval();  // traced again
  std::cout << g.explain() << "\n";

  // Compiled before there is data: a server's first request finds its code.
  auto h = compile(
      scores,
      {.name = "declared", .dims = {{"b", 1, 64}, {"n", Dim::multiple_of(16)}}, .signature = {{{"b", "n"}, float32}}});
  h.compile_ahead();
  h(ones({8, 32})).eval();
  try {
    h(ones({8, 33})).eval();
  } catch (const InvalidArgument& e) {
    std::cout << e.what() << "\n";
  }
} catch (const std::exception& e) {
  std::cerr << "error: " << e.what() << "\n";
  return 1;
}
