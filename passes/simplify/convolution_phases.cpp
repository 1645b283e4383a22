// convolution_phases: a convolution of rows with zeros between them becomes one for each phase of its positions.
//
// The derivative of a convolution with strides and a transposed convolution meet an input whose neighbours have
// `spread` - 1 zeros between them. Positions that are equal modulo `spread` meet elements at the same places of the
// kernel and zeros at all others: each such phase is a convolution of the elements themselves with some of the weights,
// and the phases lie side by side in the result. Together they have as many products as the elements call for.
#include <algorithm>
#include <initializer_list>
#include <numeric>

#include "ir/ops/rules.h"
#include "ir/ops/windows.h"
#include "ir/routines/convolution.h"
#include "passes/manager/pass.h"
#include "passes/simplify/rewrite.h"

namespace frit::passes {
namespace {

using namespace ir;

// More phases than this are more code than they are worth.
constexpr int64_t kMostPhases = 16;

// One axis of space.
struct Axis {
  int64_t spread, dilation, low, size, kernel, out;
  int64_t rows() const { return (out + spread - 1) / spread; }  // of a phase
};

// The places of the kernel that a phase meets, along one axis: `count` of them from `first` on, `step` apart. Their
// elements are `dilation` apart, from `low` before the input on.
struct Places {
  int64_t first = 0, step = 1, count = 0, dilation = 1, low = 0;
};

Places places_of(const Axis& a, int64_t phase) {
  Places p;
  p.step = a.spread / std::gcd(a.spread, a.dilation);
  p.dilation = a.dilation * p.step / a.spread;
  for (p.first = 0; p.first < std::min(p.step, a.kernel); ++p.first) {
    const int64_t at = phase + p.first * a.dilation - a.low;
    if (at % a.spread != 0) continue;
    p.low = -at / a.spread;
    p.count = (a.kernel - p.first + p.step - 1) / p.step;
    break;
  }
  return p;
}

class Phases {
 public:
  Phases(Builder& b, const Op& op, ValueId x) : b_(b), op_(op), x_(x), y_(b.type(op.results[0])) {}

  // Whether `pad`, which fills between elements alone, puts zeros along axes of space, and the convolution has no
  // strides.
  bool read(const Function& f, const Op& pad) {
    const Type x = f.type(pad.operands[0]), w = f.type(op_.operands[1]);
    const Dims& interior = *fills_between(pad);
    if (splat_bits(f, pad.operands[1]) != uint64_t{0}) return false;
    if (!interior.front().is(0) || !interior.back().is(0)) return false;
    for (size_t i = 0; i + 2 < x.shape.size(); ++i) {
      const ConvolutionAxis a = convolution_axis(op_.attrs, i);
      for (const Dim* d : std::initializer_list<const Dim*>{&interior[i + 1], &a.low, &x.shape[i + 1], &w.shape[i + 1],
                                                            &y_.shape[i + 1]})
        if (!d->is_const()) return false;
      axes_.push_back({interior[i + 1].value() + 1, a.dilation, a.low.value(), x.shape[i + 1].value(),
                       w.shape[i + 1].value(), y_.shape[i + 1].value()});
      phases_ *= axes_.back().spread;
      if (a.stride != 1 || axes_.back().size < 1 || axes_.back().out < 1) return false;
    }
    return phases_ > 1 && phases_ <= kMostPhases;
  }

  ValueId build() {
    const ValueId all = along(0, {});
    Dims start(y_.shape.size(), 0), stop(y_.shape.begin(), y_.shape.end());
    return b_.type(all).shape == y_.shape ? all : b_.build("slice", {all}, {{"start", start}, {"stop", stop}});
  }

  int64_t count() const { return phases_; }

 private:
  // The results of all phases of the axes from `axis` on, side by side; those before it are in the phases `chosen`.
  ValueId along(size_t axis, std::vector<Places> chosen) {
    if (axis == axes_.size()) return phase(chosen);
    const int64_t spread = axes_[axis].spread;
    std::vector<ValueId> parts;
    chosen.emplace_back();
    for (int64_t r = 0; r < spread; ++r) {
      chosen.back() = places_of(axes_[axis], r);
      parts.push_back(along(axis + 1, chosen));
    }
    if (spread == 1) return parts[0];
    const Shape part = b_.type(parts[0]).shape;
    Shape apart = part, joined = part;
    apart.insert(apart.begin() + static_cast<ptrdiff_t>(axis) + 2, 1);
    joined[axis + 1] = part[axis + 1] * Dim(spread);
    for (ValueId& v : parts) v = rules::reshape(b_, v, apart);
    const ValueId stacked = b_.build("concatenate", parts, {{"axis", Dim(static_cast<int64_t>(axis) + 2)}});
    return rules::reshape(b_, stacked, joined);
  }

  ValueId phase(const std::vector<Places>& places) {
    const Type w = b_.type(op_.operands[1]);
    Shape out = y_.shape;
    Dims start{0}, stop{w.shape[0]}, steps{1}, strides, low, high, dilation;
    bool meets = true;
    for (size_t i = 0; i < axes_.size(); ++i) {
      const Places& p = places[i];
      out[i + 1] = axes_[i].rows();
      meets = meets && p.count > 0;
      start.emplace_back(p.first);
      stop.emplace_back(p.first + (p.count - 1) * p.step + 1);
      steps.emplace_back(p.step);
      strides.emplace_back(1);
      low.emplace_back(p.low);
      high.emplace_back(axes_[i].rows() - 1 + (p.count - 1) * p.dilation + 1 - axes_[i].size - p.low);
      dilation.emplace_back(p.dilation);
    }
    if (!meets) return b_.splat(0, {y_.dtype, out});
    start.emplace_back(0), stop.push_back(w.shape.back()), steps.emplace_back(1);
    const ValueId weights =
        b_.build("slice", {op_.operands[1]}, {{"start", start}, {"stop", stop}, {"strides", steps}});
    return b_.build("convolution", {x_, weights},
                    {{"strides", strides},
                     {"low", low},
                     {"high", high},
                     {"dilation", dilation},
                     {"groups", op_.attrs.get_dim("groups", 1)}});
  }

  Builder& b_;
  const Op& op_;
  ValueId x_;
  Type y_;
  std::vector<Axis> axes_;
  int64_t phases_ = 1;
};

Result<bool> run(Function& f, PassContext& context) {
  Rewriter rewriter(f);
  std::vector<std::optional<Op>> pads(f.values.size());
  for (Op& op : rewriter.old_ops()) {
    rewriter.resolve_operands(op);
    if (fills_between(op)) pads[op.results[0]] = op;
    const bool convolves = op.def->routine == &kConvolution && op.operands[0] < pads.size() && pads[op.operands[0]];
    if (convolves) {
      const Op& pad = *pads[op.operands[0]];
      Phases phases(rewriter.builder(), op, pad.operands[0]);
      if (phases.read(f, pad)) {
        rewriter.builder().loc = op.loc;
        rewriter.replace(op.results[0], phases.build());
        rewriter.builder().loc = {};
        rewriter.touch();
        context.remark(f,
                       "op '" + std::string(op.def->name) + "' of spread rows is " + std::to_string(phases.count()) +
                           " of the rows themselves",
                       op.loc);
        continue;
      }
    }
    rewriter.keep(std::move(op));
  }
  return rewriter.finish();
}

const RegisterPass registered({
    .name = "convolution_phases",
    .doc = "replaces convolutions of rows with zeros between them by one for each phase",
    .needs = Level::Expanded,
    .most = Level::Expanded,
    .gives = Level::Expanded,
    .run = run,
});

}  // namespace
}  // namespace frit::passes
