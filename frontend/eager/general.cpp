// Eager reductions, index rows, composites and library calls: compiled for sizes that are symbols, operands as they
// lie.
#include <algorithm>
#include <limits>
#include <memory>

#include "frontend/core/layout.h"
#include "frontend/core/short_axes.h"
#include "frontend/eager/eager.h"
#include "frontend/eager/rows.h"
#include "ir/base/per_thread.h"

namespace frit::detail {

namespace {

// The sizes of all inputs, and what code takes for granted of them.
struct SizeRules {
  std::vector<SizeRule> rules;

  Dim dim(size_t i) const {
    return rules[i].fixed >= 0 ? Dim(rules[i].fixed) : Dim::symbol("d" + std::to_string(rules[i].symbol));
  }
};

// Short sizes and those up to `fixed` are numbers; of the others equal ones have one symbol: rules that need two sizes
// to be equal then see that they are.
SizeRules rules_for(std::span<const int64_t> sizes, const std::vector<bool>& is_short, int64_t fixed) {
  SizeRules r;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto first = static_cast<uint32_t>(std::find(sizes.begin(), sizes.end(), sizes[i]) - sizes.begin());
    if (sizes[i] == 1 || is_short[i] || sizes[i] <= fixed)
      r.rules.push_back({sizes[i], 0});
    else
      r.rules.push_back({-1, first});
  }
  return r;
}

// Strides that say nothing (of axes of size 1) are made the same, so that they make no structure of their own.
runtime::Tensor plain_strides(runtime::Tensor t) {
  for (size_t axis = 0; axis < t.shape.size(); ++axis)
    if (t.shape[axis] == 1) t.strides[axis] = 0;
  return t;
}

// Library routines take matrices as they lie when one of the last two axes is dense.
bool fits_library(const runtime::Tensor& t) {
  const size_t rank = t.shape.size();
  return rank >= 2 && (t.strides[rank - 1] == 1 || t.strides[rank - 2] == 1) && t.strides[rank - 1] > 0 &&
         t.strides[rank - 2] > 0;
}

struct Prepared {
  std::vector<runtime::Tensor> inputs;
  std::vector<bool> strided;  // the others are dense
  ir::AttrMap attrs;
  bool from_shape = false;  // the last input has no data and gives the sizes of the result
  bool much_work = false;   // short axes and small strides are numbers
};

Prepared prepare(const RowCall& call) {
  Prepared p;
  p.attrs = call.attrs;
  p.from_shape = call.def.kind == ir::OpKind::Iota;
  p.inputs.reserve(call.operands.size() + 1);
  for (const runtime::Tensor& t : call.operands) {
    const bool library = call.def.kind == ir::OpKind::Library;
    const bool strided = !is_row_major(t) && (!library || fits_library(t));
    p.inputs.push_back(!strided ? dense(t) : library ? t : plain_strides(t));
    p.strided.push_back(strided);
  }
  if (p.from_shape) {
    runtime::Sizes shape(p.attrs.get_ints("shape"));
    p.attrs.erase("shape");
    auto empty = runtime::Buffer::allocate(0);
    if (!empty) throw_runtime(empty.error(), call.where);
    p.inputs.push_back({*std::move(empty), bool_, shape, runtime::Sizes(shape.size()), 0});
    p.strided.push_back(false);
  }
  return p;
}

// The most elements of an array's axis. Positions along an axis fit into 32 bits, which code makes use of.
constexpr int64_t kLongestAxis = std::numeric_limits<int32_t>::max();

// The function of the row under these rules.
Result<ir::Function> function_of(const RowCall& call, const Prepared& p, const SizeRules& rules) {
  DimFacts facts;
  std::vector<ir::Type> params;
  std::vector<ir::ParamLayout> layouts;
  size_t at = 0;
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    ir::Type type{p.inputs[i].dtype, {}};
    for (int64_t size : p.inputs[i].shape) {
      type.shape.push_back(rules.dim(at++));
      // The key tells empty axes from others, so an axis that positions are read for is known to have elements.
      if (const std::string* symbol = type.shape.back().as_symbol(); symbol && size > 0)
        facts.set_range(*symbol, {2, kLongestAxis});
    }
    params.push_back(type);
    layouts.push_back(p.strided[i] ? param_layout(p.inputs[i].strides, p.much_work, i, facts) : ir::ParamLayout{});
  }
  ir::AttrMap full = p.attrs;
  if (p.from_shape) full.set("shape", ir::Dims(params.back().shape));
  return one_op(call.def, full, params, std::move(layouts), std::move(facts));
}

// Gives each size that equals another by chance a symbol of its own, so that the code serves sizes that differ.
SizeRules without_chance(const RowCall& call, const Prepared& p, SizeRules rules) {
  for (size_t i = 0; i < rules.rules.size(); ++i) {
    if (rules.rules[i].fixed >= 0) continue;
    SizeRules apart = rules;
    // Others that equal this one follow the next of them.
    uint32_t heir = ~0u;
    for (size_t k = 0; k < apart.rules.size(); ++k) {
      if (k == i || rules.rules[k].fixed >= 0 || rules.rules[k].symbol != rules.rules[i].symbol) continue;
      if (heir == ~0u) heir = static_cast<uint32_t>(k);
      apart.rules[k].symbol = heir;
    }
    if (heir == ~0u) continue;
    apart.rules[i].symbol = static_cast<uint32_t>(i);
    if (function_of(call, p, apart)) rules = std::move(apart);
  }
  return rules;
}

// Their memory is kept from call to call.
struct KeyNumbers {
  std::vector<int64_t> layouts, sizes;
  std::vector<bool> is_short;
};

ExecutablePtr compiled_row(const RowCall& call, const Prepared& p, const KeyNumbers& numbers, const EagerKey& key) {
  // A row that cannot be compiled for sizes that are symbols is compiled for its small sizes, then for all of them.
  constexpr int64_t kFixed[] = {-1, 16, std::numeric_limits<int64_t>::max()};
  Diagnostic refused;
  for (int64_t fixed : kFixed) {
    SizeRules rules = rules_for(numbers.sizes, numbers.is_short, fixed);
    auto f = function_of(call, p, rules);
    if (f) {
      rules = without_chance(call, p, std::move(rules));
      f = function_of(call, p, rules);
    }
    auto code = f ? code_for(*std::move(f), CompileMode::enabled) : Result<ExecutablePtr>(f.error());
    if (code) {
      EagerCache::instance().add(key, std::move(rules.rules), *code);
      return *std::move(code);
    }
    refused = code.error();
  }
  throw_runtime(refused, call.where);
}

void describe(const Prepared& p, KeyNumbers& key) {
  key.layouts.clear();
  key.sizes.clear();
  key.is_short.clear();
  key.layouts.push_back(static_cast<int64_t>(p.inputs.size()));
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    const runtime::Tensor& t = p.inputs[i];
    key.layouts.push_back(static_cast<int64_t>(t.dtype.val()));
    key.layouts.push_back(static_cast<int64_t>(t.shape.size()));
    for (size_t axis = 0; axis < t.shape.size(); ++axis) {
      const int64_t size = t.shape[axis];
      key.is_short.push_back(p.much_work && is_short(t.shape, axis));
      key.layouts.push_back(key.is_short.back() ? -size : std::min<int64_t>(size, 2));
      key.sizes.push_back(size);
    }
    key.layouts.push_back(p.strided[i]);
    if (p.strided[i]) append_layout(key.layouts, t.strides, p.much_work);
  }
}

ExecutablePtr code_for_row(const RowCall& call, Prepared& p) {
  KeyNumbers& numbers = PerThread<KeyNumbers>::get();
  EagerCache& cache = EagerCache::instance();
  const auto key_of = [&](const KeyNumbers& n) { return EagerKey{&call.def, &p.attrs, running_device(), n.layouts}; };
  p.much_work = call.def.kind != ir::OpKind::Library &&
                std::any_of(p.inputs.begin(), p.inputs.end(), [](const auto& t) { return has_much_work(t.shape); });
  describe(p, numbers);
  if (ExecutablePtr code = cache.find(key_of(numbers), numbers.sizes)) return code;
  if (p.much_work) {
    p.much_work = false;
    KeyNumbers open;
    describe(p, open);
    p.much_work = open.layouts != numbers.layouts && cache.takes_short(key_of(open));
    if (!p.much_work) numbers = std::move(open);
    if (ExecutablePtr code = cache.find(key_of(numbers), numbers.sizes)) return code;
  }
  return compiled_row(call, p, numbers, key_of(numbers));
}

}  // namespace

namespace {

// Which inputs a run may write over: those that the caller gives up, and dense copies, which nothing else has.
class Donation {
 public:
  Donation(const RowCall& call, Prepared& p) : call_(call), p_(p) {
    for (size_t i = 0; i < call.operands.size(); ++i) {
      auto& operand = const_cast<runtime::Tensor&>(call.operands[i]);
      const bool own = p.inputs[i].buffer != operand.buffer, given = !own && i < call.donated.size() && call.donated[i];
      if (!own && !given) continue;
      if (!donated_) donated_ = std::make_unique<bool[]>(p.inputs.size());
      donated_[i] = true;
      // A second reference would forbid the reuse.
      if (given) operand.buffer.reset();
    }
  }
  std::span<const bool> inputs() const { return {donated_.get(), donated_ ? p_.inputs.size() : 0}; }

  // After a run that failed.
  void take_back() {
    for (size_t i = 0; i < call_.operands.size(); ++i)
      if (auto& operand = const_cast<runtime::Tensor&>(call_.operands[i]); !operand.buffer)
        operand.buffer = std::move(p_.inputs[i].buffer);
  }

 private:
  const RowCall& call_;
  Prepared& p_;
  std::unique_ptr<bool[]> donated_;
};

}  // namespace

void run_general(const RowCall& call, std::span<runtime::Tensor> results) {
  Prepared p = prepare(call);
  const ExecutablePtr code = code_for_row(call, p);
  Donation donation(call, p);
  try {
    execute(*code, p.inputs, donation.inputs(), results, call.where);
  } catch (...) {
    donation.take_back();
    throw;
  }
}

}  // namespace frit::detail
