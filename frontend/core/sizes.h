// Sizes while a function is traced for any shape.
//
// Each axis of an argument is a symbol, and every node's sizes are expressions over them. The trace has the sizes of
// the call that caused it as hints. Where an operation needs to know how two sizes compare, the known facts decide, and
// else the hints do; then the outcome becomes a fact, with the user's line, and holds for the rest of the trace. A call
// may use the trace when all its facts hold for the call's sizes.
//
// A function that is traced without data has no hints: its open sizes are unknown. Two of them are equal only where the
// facts prove it. An unknown size is taken to be at least any number that it is compared with, which becomes a fact; a
// comparison that its growth does not decide is an error that names both sizes.
//
// Outside of such a trace every size is a number, nothing is recorded and the functions below are plain comparisons:
// operations have one code path.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/core/node.h"
#include "frontend/frit/error.h"
#include "ir/base/dim_facts.h"

namespace frit::detail {

// An assumption in the symbols of the arguments, for explanations.
struct Assumption {
  enum class Kind : uint8_t { Equal, AtMost, Multiple } kind;  // a == b, a <= b, a % b == 0
  Dim a, b;
  std::string op;
  SourceLoc where;
  std::string str() const;  // "x_0 == y_0"
};

// Thrown where the rule of an operation cannot be shown to hold for every size that the trace stands for: the function
// is then traced for its numbers.
class NotProven : public InvalidArgument {
 public:
  using InvalidArgument::InvalidArgument;
};
[[noreturn]] void throw_not_proven(const Diagnostic& d, const Where& where);
// Throws it, and leaves it in the trace: on the way through a closure in another language an exception loses its class.
[[noreturn]] void throw_not_proven(NotProven e);

class SizeTrace {
 public:
  // `has_data`: every symbol has a hint, the size of a real argument; otherwise none has.
  SizeTrace(std::string function, bool has_data) : function_(std::move(function)), has_data_(has_data) {
    facts_.take_changed_symbols();  // from here on
  }

  // A symbol for the size of an axis of an argument, with its hint; the first axis of a name is its source.
  Dim add(const std::string& name, std::optional<int64_t> hint, uint32_t input, uint32_t axis);
  // Facts that hold by declaration, of a symbol that the user named.
  void declare(const std::string& name, DimRange range, int64_t multiple);
  bool is_declared(const std::string& name) const { return declared_.count(name) != 0; }
  const std::map<std::string, std::pair<uint32_t, uint32_t>>& sources() const { return sources_; }

  const std::string& function() const { return function_; }
  bool has_data() const { return has_data_; }
  const DimFacts& facts() const { return facts_; }
  const std::vector<Assumption>& assumptions() const { return assumptions_; }
  // Nothing for an unknown size.
  std::optional<int64_t> hint(const Dim& d) const;
  // With what is known so far: equal sizes have one form, fixed ones are numbers.
  Dim simplify(const Dim& d) const;

  // Each makes a fact of what the hints say is so.
  void assume_equal(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where);
  void assume_at_most(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where);
  void assume_multiple(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where);

  // The last rule that could not be shown to hold; null while all could.
  const NotProven* not_proven() const { return not_proven_ ? &*not_proven_ : nullptr; }
  void set_not_proven(const NotProven& e) { not_proven_.emplace(e); }

  // Throws InvalidArgument: the size has no value in a trace without data.
  [[noreturn]] void refuse_unknown(const Dim& d, std::string_view op, const std::source_location& where) const;

 private:
  // Without the symbols that are replaced.
  Dim known(const Dim& d) const;
  // Those that are not replaced, once each, in the order of the arguments.
  std::vector<std::string> in_order(std::vector<std::string> symbols) const;
  void replace(const std::string& symbol, const Dim& value);
  void settle();

  std::string function_;
  bool has_data_;
  std::map<std::string, int64_t> hints_;
  std::map<std::string, std::pair<uint32_t, uint32_t>> sources_;  // input and axis
  std::set<std::string> declared_;
  std::map<std::string, size_t> place_;  // of each symbol among the arguments' sizes
  // Symbols that are others' expressions or numbers. An expression may hold symbols that were replaced after it.
  mutable std::map<std::string, Dim> replaced_;
  DimFacts facts_;
  std::vector<Assumption> assumptions_;
  std::optional<NotProven> not_proven_;
};

// Of the trace that the calling thread is in; null outside of traces for any shape.
SizeTrace* current_sizes();

// The sizes of an array in the form that is known now.
ir::Dims sizes_of(const array& a);
Dim size_of(const array& a, int axis);  // 0 <= axis < ndim
Dim element_count_of(const array& a);
ir::Dims sizes_of(const Sizes& sizes);
inline Dim simplify(const Dim& d) { return d.is_const() || !current_sizes() ? d : current_sizes()->simplify(d); }
const DimFacts& current_facts();

// The value for the arguments traced with, and nothing for an unknown size. For choosing between ways that are right
// under facts that are assumed after; never a result by itself.
std::optional<int64_t> hint(const Dim& d);

// Whether it is so. A yes that the facts do not prove is assumed from here on; a no is for an error, or for looking at
// the next case: nothing is recorded.
bool require_equal(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where);
bool require_at_most(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where);  // a <= b
bool require_multiple(const Dim& a, const Dim& b, std::string_view op,
                      const std::source_location& where);  // b > 0 and a % b == 0

// Which it is, for going one way or the other: the answer is assumed from here on whatever it is.
bool decide_equal(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where);
bool decide_at_most(const Dim& a, const Dim& b, std::string_view op, const std::source_location& where);

// "(2,3)"; open sizes with their hint, where they have one: "(x_0=2,3)". Specialises nothing.
std::string shape_text(const ir::Dims& shape);

}  // namespace frit::detail
