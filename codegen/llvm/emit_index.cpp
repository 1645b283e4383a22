// Positions: Dims as i64 values, each part hoisted above the outermost loop it does not depend on.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "codegen/llvm/emitter.h"
#include "ir/base/dim_atoms.h"

namespace frit::codegen {

using llvm::Value;

bool KernelEmitter::varies(const Dim& d, const VectorScope& scope) const {
  if (d.uses(scope.var)) return true;
  return std::any_of(scope.varying_names.begin(), scope.varying_names.end(),
                     [&](const std::string& n) { return d.uses(n); });
}

bool KernelEmitter::varies(const Dim& d) const { return vector_ && varies(d, *vector_); }

// Whether `d` varies only through the variables of the vector loop and its rows, not through a binding that differs
// from lane to lane.
bool KernelEmitter::varies_by_variable_only(const Dim& d) const {
  return std::none_of(vector_->varying_names.begin(), vector_->varying_names.end(),
                      [&](const std::string& n) { return n != vector_->rows && d.uses(n); });
}

// The vector variable: base + 0, 1, 2, ... in each copy. The copies follow each other, unless they are rows.
KernelEmitter::Val KernelEmitter::lane_numbers() {
  Val v;
  v.varying = true;
  v.depth = vector_->depth;
  At at(*this, v.depth);
  for (int c = 0; c < vector_->copies; ++c) {
    llvm::SmallVector<llvm::Constant*, 32> lanes;
    for (int i = 0; i < vector_->width; ++i)
      lanes.push_back(builder_.getInt64(static_cast<uint64_t>((vector_->rows.empty() ? c * vector_->width : 0) + i)));
    Value* base = splat(vector_->base, v.depth);
    v.copies.push_back(builder_.CreateAdd(base, llvm::ConstantVector::get(lanes)));
  }
  return v;
}

// For each copy the differences of a position with divisions from that in lane 0, where they are constants; else
// nothing.
std::vector<LaneOffsets> KernelEmitter::constant_offsets(const Dim& d) const {
  std::vector<LaneOffsets> result;
  if (!vector_ || vector_->alignment == 0 || !d.uses(vector_->var) || !varies_by_variable_only(d) ||
      d.affine_in(vector_->var))
    return result;
  for (int c = 0; c < copies(); ++c) {
    auto lanes = lane_offsets(
        d, {vector_->var, vector_->width, vector_->alignment, int64_t{c} * vector_->width % vector_->alignment},
        facts_);
    if (!lanes) return {};
    result.push_back(std::move(*lanes));
  }
  return result;
}

// For the lanes of all copies together the differences of a position from that in lane 0 of the first; nothing where
// they are no constants.
std::vector<int64_t> KernelEmitter::constant_offsets_of_step(const Dim& d) const {
  const int64_t total = int64_t{vector_->width} * vector_->copies;
  if (vector_->copies < 2 || vector_->alignment == 0 || vector_->alignment % total != 0 || !vector_->rows.empty() ||
      !varies_by_variable_only(d))
    return {};
  auto lanes = lane_offsets(d, {vector_->var, static_cast<int>(total), vector_->alignment, 0}, facts_);
  return lanes ? std::move(lanes->offsets) : std::vector<int64_t>();
}

// The position in lane 0 of a copy.
KernelEmitter::Val KernelEmitter::first_lane(const Dim& d, int copy) {
  const std::string name = vector_->var + "#" + std::to_string(copy);
  const Val base = uniform(vector_->base, vector_->depth), step = uniform(i64(int64_t{copy} * vector_->width), 0);
  names_[name] = pure({&base, &step}, [&](llvm::ArrayRef<Value*> v) { return builder_.CreateAdd(v[0], v[1]); });
  facts_.set_range(name, facts_.range(Dim::symbol(vector_->var)));
  return eval(d.substitute(vector_->var, Dim::symbol(name)));
}

// A position as that in lane 0 and the constant differences of the other lanes. Where these differ from copy to copy,
// the remainder has others.
KernelEmitter::Val KernelEmitter::eval_lanes(const Dim& d, const std::vector<LaneOffsets>& lanes) {
  Val v;
  v.varying = true;
  const bool fixed = vector_->alignment == vector_->width;
  v.depth = fixed && lanes[0].first ? 0 : depth();
  for (int c = 0; c < copies(); ++c) {
    const LaneOffsets& own = lanes[static_cast<size_t>(c)];
    llvm::SmallVector<llvm::Constant*, 32> numbers;
    for (int64_t offset : own.offsets)
      numbers.push_back(llvm::cast<llvm::Constant>(i64(own.first.value_or(0) + offset)));
    Value* vector = llvm::ConstantVector::get(numbers);
    if (!own.first) {
      const Val first = first_lane(d, c);
      vector = builder_.CreateAdd(splat(first.scalar(), first.depth), vector);
    }
    v.copies.push_back(vector);
  }
  return v;
}

KernelEmitter::Val KernelEmitter::eval(const Dim& d) {
  if (d.is_const()) return uniform(i64(d.value()), 0);
  if (const auto lanes = constant_offsets(d); !lanes.empty()) return eval_lanes(d, lanes);
  constexpr size_t kLong = 8;
  if (d.poly()->terms.size() < kLong) return eval_terms(d);
  DimSum sizes, others(d.poly()->constant);
  size_t count = 0;
  for (const DimTerm& t : d.poly()->terms) {
    const bool of_sizes = std::all_of(t.atoms.begin(), t.atoms.end(), [&](const auto& atom) {
      return std::binary_search(sorted_symbols_.begin(), sorted_symbols_.end(), atom->name);
    });
    (of_sizes ? sizes : others).add(t);
    count += of_sizes;
  }
  if (count < kLong) return eval_terms(d);
  const Dim rest = others.total();
  const Val sum = eval_sizes(sizes.total());
  if (rest.is(0)) return sum;
  const Val more = eval(rest);
  return pure({&sum, &more}, [&](llvm::ArrayRef<Value*> v) { return builder_.CreateAdd(v[0], v[1]); });
}

// A long sum of sizes is computed once, and from one of the last ones where they share most of their terms: the parts
// of a joined array begin behind ever more sizes.
KernelEmitter::Val KernelEmitter::eval_sizes(const Dim& sum) {
  if (const auto found = size_sums_.find(sum); found != size_sums_.end()) return found->second;
  constexpr size_t kLast = 8;
  const auto length = [](const Dim& d) { return d.is_const() ? 0 : d.poly()->terms.size(); };
  Dim rest = sum;
  const Val* known = nullptr;
  for (const Dim& other : last_size_sums_)
    if (Dim difference = sum - other; length(difference) < length(rest)) {
      rest = std::move(difference);
      known = &size_sums_.at(other);
    }
  Val value;
  if (known) {
    const Val from = *known, more = eval(rest);
    value = pure({&from, &more}, [&](llvm::ArrayRef<Value*> v) { return builder_.CreateAdd(v[0], v[1]); });
  } else {
    value = eval_terms(sum);
  }
  size_sums_.emplace(sum, value);
  if (last_size_sums_.size() == kLast) last_size_sums_.erase(last_size_sums_.begin());
  last_size_sums_.push_back(sum);
  return value;
}

KernelEmitter::Val KernelEmitter::eval_terms(const Dim& d) {
  auto multiply = [&](const Val& a, const Val& b) {
    return pure({&a, &b}, [&](llvm::ArrayRef<Value*> v) { return builder_.CreateMul(v[0], v[1]); });
  };
  std::vector<Val> terms;
  if (d.poly()->constant) terms.push_back(uniform(i64(d.poly()->constant), 0));
  for (const DimTerm& t : d.poly()->terms) {
    std::vector<Val> factors;
    for (const auto& atom : t.atoms) factors.push_back(eval_atom(*atom));
    // Outer factors first, so that their product is hoisted.
    std::stable_sort(factors.begin(), factors.end(), [](const Val& a, const Val& b) { return a.depth < b.depth; });
    Val product = factors[0];
    for (size_t i = 1; i < factors.size(); ++i) product = multiply(product, factors[i]);
    if (t.coefficient != 1) product = multiply(product, uniform(i64(t.coefficient), 0));
    terms.push_back(std::move(product));
  }
  std::stable_sort(terms.begin(), terms.end(), [](const Val& a, const Val& b) {
    return std::pair(a.varying, a.depth) < std::pair(b.varying, b.depth);
  });
  Val sum = terms[0];
  for (size_t i = 1; i < terms.size(); ++i)
    sum = pure({&sum, &terms[i]}, [&](llvm::ArrayRef<Value*> v) { return builder_.CreateAdd(v[0], v[1]); });
  return sum;
}

KernelEmitter::Val KernelEmitter::eval_atom(const Atom& atom) {
  switch (atom.kind) {
    case AtomKind::Symbol: {
      if (vector_ && atom.name == vector_->var) return lane_numbers();
      auto found = names_.find(atom.name);
      if (found != names_.end()) return found->second;
      fail("a position uses '" + atom.name + "', which is neither a symbol of the kernel nor a loop variable in scope");
      return uniform(i64(0), 0);
    }
    case AtomKind::FloorDiv:
    case AtomKind::Mod: return eval_divide(atom);
    case AtomKind::Min:
    case AtomKind::Max: {
      Val a = eval(atom.args[0]), b = eval(atom.args[1]);
      auto id = atom.kind == AtomKind::Min ? llvm::Intrinsic::smin : llvm::Intrinsic::smax;
      return pure({&a, &b}, [&](llvm::ArrayRef<Value*> v) { return builder_.CreateBinaryIntrinsic(id, v[0], v[1]); });
    }
  }
  return uniform(i64(0), 0);
}

// Floor division and remainder by a positive divisor. A divisor that is not positive (a size of zero) gives 0 instead
// of a trap.
KernelEmitter::Val KernelEmitter::eval_divide(const Atom& atom) {
  const bool quotient = atom.kind == AtomKind::FloorDiv;
  const Dim& divisor = atom.args[1];
  Val a = eval(atom.args[0]);
  if (divisor.is_const()) {
    int64_t d = divisor.value();
    if (d <= 0)  // not in what the verifier passes
      return pure({&a}, [&](llvm::ArrayRef<Value*> v) { return llvm::Constant::getNullValue(v[0]->getType()); });
    if ((d & (d - 1)) == 0) {
      // In two's complement, shifts and masks already round towards minus infinity.
      uint64_t log = static_cast<uint64_t>(__builtin_ctzll(static_cast<uint64_t>(d)));
      return pure({&a}, [&](llvm::ArrayRef<Value*> v) {
        return quotient ? builder_.CreateAShr(v[0], log) : builder_.CreateAnd(v[0], static_cast<uint64_t>(d - 1));
      });
    }
  }
  Val b = eval(divisor);
  DimRange numerator = facts_.range(atom.args[0]), denominator = facts_.range(divisor);
  const bool unsigned_only = numerator.low >= 0;
  const bool small = unsigned_only && numerator.high < (int64_t{1} << 31) && denominator.low >= 1 &&
                     denominator.high < (int64_t{1} << 31);
  return pure({&a, &b}, [&](llvm::ArrayRef<Value*> v) -> Value* {
    llvm::Type* type = v[0]->getType();
    if (small) {
      // 32-bit division is several times as fast, and vectors of it need no scalar code if the divisor is constant.
      llvm::Type* narrow = like(v[0], builder_.getInt32Ty());
      Value* x = builder_.CreateTrunc(v[0], narrow);
      Value* y = builder_.CreateTrunc(v[1], narrow);
      if (type->isVectorTy() && !divisor.is_const()) {
        // Exact: see divide() in emit_scalar.cpp.
        llvm::Type* real = like(v[0], builder_.getDoubleTy());
        Value* q = builder_.CreateFPToSI(
            builder_.CreateFDiv(builder_.CreateSIToFP(x, real), builder_.CreateSIToFP(y, real)), narrow);
        return builder_.CreateZExt(quotient ? q : builder_.CreateSub(x, builder_.CreateMul(q, y)), type);
      }
      return builder_.CreateZExt(quotient ? builder_.CreateUDiv(x, y) : builder_.CreateURem(x, y), type);
    }
    Value* zero = llvm::Constant::getNullValue(type);
    Value* bad = nullptr;
    Value* y = v[1];
    if (denominator.low < 1) {
      bad = builder_.CreateICmpSLE(y, zero);
      y = builder_.CreateSelect(bad, llvm::ConstantInt::get(type, 1), y);
    }
    Value* result;
    if (unsigned_only) {
      result = quotient ? builder_.CreateUDiv(v[0], y) : builder_.CreateURem(v[0], y);
    } else {
      Value* rest = builder_.CreateSRem(v[0], y);
      Value* negative = builder_.CreateICmpSLT(rest, zero);
      if (quotient) {
        Value* q = builder_.CreateSDiv(v[0], y);
        result = builder_.CreateAdd(q, builder_.CreateSExt(negative, type));
      } else {
        result = builder_.CreateAdd(rest, builder_.CreateSelect(negative, y, zero));
      }
    }
    return bad ? builder_.CreateSelect(bad, zero, result) : result;
  });
}

}  // namespace frit::codegen
