// The operation registry: one row per tensor operation, which holds everything about the operation.
//
// Rows live in ir/ops, one file per family, and those of routines in ir/routines; each file fills a table and registers
// it (RegisterOps). A pass, a backend or a tool asks a row for its traits and rules and does not compare names.
// Algebraic rules (passes/simplify) do name rows.
//
// Elementwise and reduction rows are data: a meaning as text over the closed scalar set and a derivative as text over
// elementwise rows. The text is a sequence of assignments and a last expression, e.g. "r = rem(x, y); select(r < 0, r +
// y, r)":
//   operands are x, y, z; literals take the type of their neighbours; operators are C's (+ - * / % < <= > >= == != & |
//   ^ ~ << >> !); every scalar op is a function of its lower-case name (exp(x), select(c, a, b), fma(a, b, c)); cast(v,
//   T) with T a short dtype name, `compute` (the row's compute type) or `out` (the result's); bits(v) and float_of(v)
//   bitcast to and from the unsigned integer of the same width; inf, nan, pi, eps are constants of the compute type.
// A meaning is chosen by the class of the first operand type other than bool: the first in the row's list that fits.
// Complex operands are xr, xi, yr, yi; a complex result takes a second text for its imaginary part, which may use the
// names assigned in the first. ir/graph/expression.h has the grammar. An empty derivative text means zero.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/base/dim_facts.h"
#include "ir/base/result.h"
#include "ir/graph/attr.h"
#include "ir/graph/type.h"
#include "ir/scalar/scalar.h"

namespace frit::ir {

struct Op;
struct OpDef;
struct Routine;    // ir/routines/routine.h
struct BatchCall;  // ir/graph/batch.h
class Builder;
using ValueId = uint32_t;

enum class OpKind : uint8_t {
  Constant,     // literal data: attr "value" and, where not a scalar, attr "shape" (constant sizes)
  Elementwise,  // same-shaped operands; `meaning` per element
  Reduction,    // `combine` over the axes in attr "axes"; keepdims in attr "keepdims"
  Index,        // each result element is one operand element (or a fill): `index`; reshape, slice, gather, ...
  Scatter,      // operand 0 with updates, the last operand, put at positions that `index` gives
  Scan,         // running values along attr "axis"; attrs "reverse" and "inclusive"
  Iota,         // a function of the position: `index_value`
  Composite,    // defined by `expand` into other rows
  Library,      // more than a loop nest: `routine` (matmul)
  Control,      // runs functions that are its attributes: `control` (ir/graph/control.h)
};

// How an operation of kind Control runs its regions.
enum class ControlForm : uint8_t {
  None,
  Cond,   // one of two regions
  While,  // a region as long as another one says so
  Scan,   // a region once for each position of an axis
};

enum Trait : uint32_t {
  kCommutative = 1u << 0,
  kIdempotent = 1u << 1,  // f(f(x)) == f(x)
  kInvolution = 1u << 2,  // f(f(x)) == x
  kView = 1u << 3,        // the result can share the operand's memory: `view`
  kNoGradient = 1u << 4,  // derivative is zero or not defined
  kExpensive = 1u << 5,   // worth keeping rather than computing twice
  kNoFold = 1u << 6,      // constant_fold leaves it alone
  kSideEffect = 1u << 7,  // dce keeps it
  kStacked = 1u << 8,     // a further leading axis of every operand is one of every result (ir/graph/batch.h)
};

// The operand types that a row takes, and the conversion that the frontend inserts to reach one.
enum class TypeClass : uint8_t {
  Any,        // all fourteen
  Number,     // all but bool
  Real,       // all but complex64
  Integer,    // integers and bool
  Shiftable,  // integers; the frontend casts bool to uint8
  Inexact,    // floats and complex64; the frontend casts others to float32
  Float,      // floats only; the frontend casts integers to float32
  Bool,       // the frontend casts to bool
};
enum class ResultType : uint8_t {
  Same,
  Bool,
  RealPart,
  Complex,
  Widened,  // sums and products: bool, i8 and i16 give i32, u8 and u16 give u32; else the same
  FromRule,
};

// A meaning for one class of operands: the types that it is for, and its text (two texts for complex64).
enum class MeaningFor : uint8_t { Any, Float, Int, Signed, Unsigned, Bool, Complex };
struct Meaning {
  MeaningFor for_types;
  std::string_view text;
  std::string_view imag = {};
};

enum class Combine : uint8_t { Sum, Prod, Max, Min, And, Or, ArgMax, ArgMin };
std::string_view name(Combine c);
std::string_view name(AttrKind kind);  // for messages: "an integer", "a list of integers"

// How an attribute speaks of the axes of the operands, so that it can be rewritten for a further leading axis. A list
// that is left out says the same of every axis.
enum class AxisUse : uint8_t {
  None,
  Axis,   // the number of an axis, or a list of numbers
  Order,  // the numbers of all axes in another order
  Sizes,  // an entry for each axis: the size where the axis is taken whole
  Zeros,  // likewise: 0 where the axis is taken whole
  Ones,   // likewise: 1 where the axis is taken whole
};

// If an attribute is not required and its fallback has its kind, Builder writes the fallback into the op, so that rules
// always find it. A fallback of another kind means that the attribute may be absent.
struct AttrSpec {
  std::string_view name;
  AttrKind kind;
  bool required = true;
  Attr fallback = false;  // where not required; left out of the text when equal
  std::string_view doc = {};
  AxisUse axes = AxisUse::None;
};

// The source of a result element, for Index rows. The rule gives one source per operand that may supply it, in order.
// The first source whose `within` holds supplies the element; if none does, operand `fill` (a scalar) does. Without a
// fill some source always holds. An operand may be read only where its source holds.
struct IndexSource {
  int operand = 0;
  std::vector<Dim> index;                   // position in the operand
  std::vector<std::pair<Dim, Dim>> within;  // condition: for each (d, extent) 0 <= d < extent; empty: always
};
// A position that is read from data: the integer of operand `operand` at `index`. A negative one counts from the end of
// `extent`; the result is then moved into [0, extent - window], so nothing outside is ever reached. The type rule has
// shown that this range is not empty. Positions of sources name lookup k lookup_symbol(k).
struct Lookup {
  int operand;
  std::vector<Dim> index;  // position in the operand
  Dim extent, window = 1;
};
Dim lookup_symbol(size_t k);  // no symbol of a function has this name

// For Scatter rows: `at` is a position of the updates, and the only source gives the result's element that it changes.
// Updates are applied in row-major order.
struct IndexRule {
  std::vector<IndexSource> sources;
  int fill = -1;
  std::vector<Lookup> lookups = {};
};

// A strided window on a buffer, in elements.
struct Layout {
  Shape shape;
  Dims strides;
  Dim offset = 0;
  friend bool operator==(const Layout&, const Layout&) = default;
};

struct InferArgs {
  std::span<const Type> operands;
  const AttrMap& attrs;
  const DimFacts& facts;
};

struct OpDef {
  std::string_view name;
  OpKind kind;
  int arity;  // -1: any number
  uint32_t traits = 0;
  std::string_view doc;  // one paragraph: what it computes, NaN and edge cases, source of the algorithm
  std::vector<AttrSpec> attrs = {};

  // Elementwise (and the type rule of others that share it)
  TypeClass domain = TypeClass::Any;
  ResultType result = ResultType::Same;
  std::vector<Meaning> meanings = {};
  // d out / d operand, one text per operand: over elementwise rows, x y z and `out` (the result), without the
  // cotangent.
  std::vector<std::string_view> derivatives = {};

  // Reduction; of a Scan: its first running value is the identity.
  Combine combine = Combine::Sum;
  // Scatter and Scan: the elementwise row that combines the old value with the next one. Empty in a Scatter row: the
  // update replaces the element.
  std::string_view step = {};
  bool real_identity = false;  // of a Scan on complex numbers: the identity has no imaginary part

  // Library: its record
  const Routine* routine = nullptr;

  ControlForm control = ControlForm::None;

  // Rules; null where the kind supplies it.
  using Infer = Result<std::vector<Type>> (*)(const InferArgs&);
  Infer infer = nullptr;
  using Index = IndexRule (*)(const Op&, std::span<const Type> operands, const Type& result, std::span<const Dim> at);
  Index index = nullptr;
  // Iota rows: the element at a position as an affine function of it, computed in i64 then cast (arange, eye, tri: see
  // ops/create.cpp).
  using IndexValue = Dim (*)(const Op&, const Type& result, std::span<const Dim> at);
  IndexValue index_value = nullptr;
  // kView rows: the result's window on an operand whose layout is `in`, or nothing if only a copy is possible.
  using View = std::optional<Layout> (*)(const Op&, const Layout& in, const Type& result, const DimFacts& facts);
  View view = nullptr;
  // Composite rows: the same computation in simpler rows. The types were inferred; a failure is a bug.
  using Expand = std::vector<ValueId> (*)(Builder&, const Op&, std::span<const ValueId> operands);
  Expand expand = nullptr;
  // Structural derivative rules: cotangents of operands from cotangents of results. kNone (ir/graph/graph.h) for an
  // operand of positions, which has none.
  using Vjp = std::vector<ValueId> (*)(Builder&, const Op&, std::span<const ValueId> operands,
                                       std::span<const ValueId> results, std::span<const ValueId> cotangents);
  Vjp vjp = nullptr;
  // Tangents of results from tangents of operands, kNone for an operand that has none, in the place of `cotangents`.
  // Only where `vjp` is not written with rows that are linear in the cotangents, whose transpose it would be otherwise.
  Vjp jvp = nullptr;
  // The sum over a further leading axis of every operand, as one operation. A loop that adds up such results can store
  // the operands instead, and compute the sum behind itself.
  using StackedSum = ValueId (*)(Builder&, std::span<const ValueId> operands);
  StackedSum stacked_sum = nullptr;
  // The results for operands that have a batch axis, where neither the kind nor kStacked says it.
  using Batch = Result<std::vector<ValueId>> (*)(const BatchCall&);
  Batch batch = nullptr;

  bool has(Trait t) const { return traits & t; }
};

// All rows. Static initialisers of ir/ops and ir/routines add the rows of a family; names must be new.
class OpTable {
 public:
  static OpTable& instance();
  void add(std::vector<OpDef> rows);
  const OpDef* find(std::string_view name) const;  // null when there is none
  std::vector<const OpDef*> all() const;           // sorted by name
};
const OpDef& op(std::string_view name);  // must exist

struct RegisterOps {
  explicit RegisterOps(std::vector<OpDef> rows) { OpTable::instance().add(std::move(rows)); }
};

// Known names, required ones present, kinds right.
Status check_attrs(const OpDef& def, const AttrMap& attrs);
// Whether the text leaves this attribute out.
bool is_default(const OpDef& def, std::string_view name, const Attr& value);
void fill_defaults(const OpDef& def, AttrMap& attrs);

// Whether the shapes are equal as far as the facts can prove.
bool same_shape(const Shape& a, const Shape& b, const DimFacts& facts);

// The result types of `def` on these operands, after check_attrs and the number of operands. Where the row has no rule
// of its own: an elementwise row needs operands of one shape and element type; a reduction needs ascending axes within
// the rank and argmax and argmin give u32; a constant needs as many elements as its shape. Fails with a sentence that
// names the op, the types and the cure.
Result<std::vector<Type>> infer(const OpDef& def, const InferArgs& args);

// The scalar meaning of an elementwise row for operands of these types; complex operands take two inputs. f16 and bf16
// operands are cast to f32 first and the result is rounded once to the result's type.
Result<ScalarProgram> meaning(const OpDef& def, std::span<const Dtype> operands, Dtype result);

// Builds d(result)/d(operand i) as graph ops from the row's derivative text.
ValueId derivative(Builder& b, const OpDef& def, int i, std::span<const ValueId> operands, ValueId result);

}  // namespace frit::ir
