// Eager reductions, index rows, composites and library calls: compiled for sizes that are symbols, operands as they
// lie.
#include <algorithm>

#include "frontend/core/layout.h"
#include "frontend/eager/eager.h"
#include "frontend/eager/rows.h"

namespace frit::detail {

namespace {

// Which sizes the code of a row is compiled for. A row that cannot be compiled for one is compiled for the next.
enum class Specialised : uint8_t {
  Nothing,  // every size but 1 is a symbol
  Small,    // sizes up to kSmall are numbers: how many bytes an element has, say
  All,
};
constexpr int64_t kSmall = 16;

// Names sizes. Equal sizes have the same symbol: rules that need two sizes to be equal then see that they are.
class SizeNames {
 public:
  explicit SizeNames(Specialised level) : level_(level) {}

  // A number for the key: below zero for a size that is fixed, else which symbol it is.
  int64_t code(int64_t size) {
    if (size == 1 || level_ == Specialised::All || (level_ == Specialised::Small && size <= kSmall)) return ~size;
    const auto it = std::find(sizes_.begin(), sizes_.end(), size);
    const int64_t index = it - sizes_.begin();
    if (it == sizes_.end()) sizes_.push_back(size);
    return index;
  }
  Dim dim(int64_t size) {
    const int64_t c = code(size);
    return c < 0 ? Dim(size) : Dim::symbol("d" + std::to_string(c));
  }

 private:
  Specialised level_;
  std::vector<int64_t> sizes_;
};

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

ExecutablePtr code_for_row(const RowCall& call, const Prepared& p, Specialised level, Diagnostic* refused) {
  thread_local std::vector<int64_t> numbers;
  numbers.clear();
  numbers.push_back(static_cast<int64_t>(level));
  numbers.push_back(static_cast<int64_t>(p.inputs.size()));
  SizeNames names(level);
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    const runtime::Tensor& t = p.inputs[i];
    numbers.push_back(static_cast<int64_t>(t.dtype.val));
    numbers.push_back(static_cast<int64_t>(t.shape.size()));
    for (int64_t size : t.shape) numbers.push_back(names.code(size));
    numbers.push_back(p.strided[i]);
    if (p.strided[i]) append_layout(numbers, t.strides);
  }
  return code_of(
      {&call.def, &p.attrs, running_device(), numbers},
      [&]() -> Result<ir::Function> {
        SizeNames symbols(level);
        DimFacts facts;
        std::vector<ir::Type> params;
        std::vector<ir::ParamLayout> layouts;
        for (size_t i = 0; i < p.inputs.size(); ++i) {
          ir::Type type{p.inputs[i].dtype, {}};
          for (int64_t size : p.inputs[i].shape) type.shape.push_back(symbols.dim(size));
          params.push_back(type);
          layouts.push_back(p.strided[i] ? param_layout(p.inputs[i].strides, i, facts) : ir::ParamLayout{});
        }
        ir::AttrMap full = p.attrs;
        if (p.from_shape) full.set("shape", ir::Dims(params.back().shape));
        return one_op(call.def, full, params, std::move(layouts), std::move(facts));
      },
      call.where, refused);
}

}  // namespace

void run_general(const RowCall& call, std::span<runtime::Tensor> results) {
  const Prepared p = prepare(call);
  Diagnostic refused;
  ExecutablePtr code = code_for_row(call, p, Specialised::Nothing, &refused);
  if (!code) code = code_for_row(call, p, Specialised::Small, &refused);
  if (!code) code = code_for_row(call, p, Specialised::All, nullptr);
  execute(*code, p.inputs, {}, results, call.where);
}

}  // namespace frit::detail
