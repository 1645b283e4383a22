// A closure as a function of the graph: the part that all transforms of closures share.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/compile/trace.h"
#include "frontend/core/build.h"
#include "frontend/frit/array.h"
#include "frontend/transforms/derivative_code.h"
#include "ir/base/result.h"

namespace frit::detail {

using Arrays = std::vector<array>;
using ListFunction = std::function<Arrays(const Arrays&)>;

ir::Type type_of(const array& a);
std::vector<ir::Type> types_of(const Arrays& arrays);

// Throws InvalidArgument for a null function; `op` is the transform that it was given to.
template <class F>
void check_function(std::string_view op, const F& fun, const Where& where) {
  if (!fun) throw_invalid(std::string(op) + ": the function is null", "give a function", where);
}

// A traced closure. Arrays that it refers to are parameters behind its arguments. The sizes of the trace around it hold
// inside.
class Closure {
 public:
  // Traces `fun` for `inputs`: it may read the values of arrays, which are those for the inputs. `op` names the
  // transform in errors and outlives this, and `where` is the line of errors that belong to no operation; `wrt` are the
  // arguments that derivatives are taken of.
  Closure(std::string_view op, const ListFunction& fun, const Arrays& inputs, const Where& where,
          std::span<const size_t> wrt = {});
  // The same for arguments of `types`, one for each input: the function sees a part of the input, without a value.
  Closure(std::string_view op, const ListFunction& fun, const Arrays& inputs, const std::vector<ir::Type>& types,
          const Where& where);

  const ir::Function& function() const { return traced_.function; }
  // The results of the closure. The function may have the random key as one more.
  size_t results() const { return function().results.size() - has_key_; }
  const ir::Type& result_type(size_t i) const { return function().type(function().results[i]); }
  // The user's line that made result i; that of the transform for an argument.
  SourceLoc line_of(size_t i) const;
  // Whether result i comes out of an operation that stops derivatives, so that it has no cotangent of its own.
  bool is_stopped(size_t i) const;

  // The results of what a transform made of the function: its parameters are the inputs, then the lifted arrays, then
  // `further`. Throws the failure of a transform under the name of `op`.
  // The random key behind the closure's results goes into the default sequence and is left out.
  Arrays run(const Result<ir::Function>& transformed, const Arrays& further) const;
  // The results of the function's vjp or jvp for `sources`, by indices of parameters.
  Arrays run_derivative(Derivative kind, const std::vector<size_t>& sources, const Arrays& further) const;
  // Those of run() for other arrays in the place of `inputs()`, once more: the default sequence keeps its key.
  Arrays run_again(const Result<ir::Function>& transformed, const Arrays& inputs, const Arrays& further) const;
  // Cotangents of the closure's results as the function's vjp takes them: with one for the random key.
  Arrays with_key(Arrays cotangents) const;
  // The inputs, then the lifted arrays.
  const Arrays& inputs() const { return inputs_; }
  // Of the marks in the function, by number.
  const std::vector<CustomRulesPtr>& rules() const { return traced_.rules; }

 private:
  enum class Values : uint8_t { None, OfInputs };
  Closure(std::string_view op, const ListFunction& fun, const Arrays& inputs, const std::vector<ir::Type>& types,
          const Where& where, Values values, std::span<const size_t> wrt);
  [[noreturn]] void fail(Diagnostic d) const;
  // Puts the random key behind the closure's results into the default sequence.
  Arrays without_key(Arrays all) const;
  Arrays replayed(const Result<ir::Function>& transformed, const Arrays& inputs, const Arrays& further) const;

  std::string_view op_;
  Where where_;
  TracedFunction traced_;
  Arrays inputs_;
  bool has_key_ = false;  // the function's last result is the random key that the closure left
};

}  // namespace frit::detail
