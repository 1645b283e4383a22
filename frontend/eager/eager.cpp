#include "frontend/eager/eager.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

#include "frontend/core/layout.h"
#include "frontend/core/node.h"
#include "frontend/eager/code_cache.h"

namespace frit::detail {

namespace {

// A window on an operand, as the code of an elementwise row sees it: jointly collapsible axes made one.
struct Collapsed {
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> strides;  // of each operand
};

Collapsed collapse(std::span<const runtime::Tensor> operands) {
  const runtime::Sizes& shape = operands[0].shape;
  Collapsed c;
  c.strides.resize(operands.size());
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 1) continue;
    bool joins = !c.shape.empty();
    for (size_t i = 0; joins && i < operands.size(); ++i)
      joins = c.strides[i].back() == operands[i].strides[axis] * shape[axis];
    if (joins) {
      c.shape.back() *= shape[axis];
      for (size_t i = 0; i < operands.size(); ++i) c.strides[i].back() = operands[i].strides[axis];
    } else {
      c.shape.push_back(shape[axis]);
      for (size_t i = 0; i < operands.size(); ++i) c.strides[i].push_back(operands[i].strides[axis]);
    }
  }
  return c;
}

bool is_dense(const std::vector<int64_t>& shape, const std::vector<int64_t>& strides) {
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (strides[i] != step) return false;
    step *= shape[i];
  }
  return true;
}

void append_number(std::string& key, int64_t value) { key.append(reinterpret_cast<const char*>(&value), sizeof value); }

void start_key(std::string& key, const ir::OpDef& def, const ir::AttrMap& attrs,
               std::span<const runtime::Tensor> operands) {
  key.clear();
  append_number(key, static_cast<int64_t>(reinterpret_cast<uintptr_t>(&def)));
  if (!attrs.empty()) {
    Hasher hasher;
    attrs.hash_into(hasher);
    key += hasher.bytes();
  }
  key += running_device() == Device::gpu ? 'g' : 'c';
  append_number(key, static_cast<int64_t>(operands.size()));
  for (const runtime::Tensor& t : operands) key += static_cast<char>(t.dtype.val);
}

// From keys to code; an entry without code says that the row needs concrete sizes.
class EagerCache {
 public:
  static EagerCache& instance() {
    static EagerCache* cache = new EagerCache;
    return *cache;
  }

  std::optional<ExecutablePtr> find(const std::string& key) {
    std::shared_lock<std::shared_mutex> guard(mutex_);
    auto it = entries_.find(key);
    if (it == entries_.end()) return std::nullopt;
    return it->second;
  }

  void set(const std::string& key, ExecutablePtr code) {
    std::unique_lock<std::shared_mutex> guard(mutex_);
    // Programs use a bounded set of rows and layouts; whoever makes keys without end pays for looking code up again.
    if (entries_.size() >= kBound) entries_.clear();
    entries_[key] = std::move(code);
  }

 private:
  static constexpr size_t kBound = 4096;
  std::shared_mutex mutex_;
  std::unordered_map<std::string, ExecutablePtr> entries_;
};

ExecutablePtr compile_or_throw(ir::Function f, const std::source_location& where) {
  auto code = code_for(std::move(f), CompileMode::enabled);
  if (!code) throw_runtime(code.error(), where);
  return *std::move(code);
}

void execute(const runtime::Executable& code, std::span<const runtime::Tensor> inputs, std::span<const bool> donated,
             std::span<runtime::Tensor> results, const std::source_location& where) {
  if (Status status = code.run(inputs, donated, results); !status) throw_runtime(status.error(), where);
}

// The function of one op.
Result<ir::Function> one_op(const ir::OpDef& def, const ir::AttrMap& attrs, const std::vector<ir::Type>& params,
                            std::vector<ir::ParamLayout> layouts, DimFacts facts) {
  ir::Function f;
  f.name = def.name;
  f.facts = std::move(facts);
  std::vector<ir::ValueId> operands;
  for (size_t i = 0; i < params.size(); ++i) operands.push_back(f.add_param("x" + std::to_string(i), params[i]));
  f.layouts = std::move(layouts);
  if (def.arity >= 0) operands.resize(static_cast<size_t>(def.arity));
  ir::Builder builder(f);
  FRIT_ASSIGN_OR_RETURN(results, builder.try_build(def, std::move(operands), attrs));
  f.results = std::move(results);
  return f;
}

void run_elementwise(const ir::OpDef& def, const ir::AttrMap& attrs, std::span<const ir::Type> types,
                     std::span<const runtime::Tensor> operands, std::span<const bool> donated,
                     std::span<runtime::Tensor> results, const std::source_location& where) {
  const Collapsed c = collapse(operands);
  thread_local std::string key;
  start_key(key, def, attrs, operands);
  append_number(key, static_cast<int64_t>(c.shape.size()));
  for (const auto& strides : c.strides) {
    if (is_dense(c.shape, strides))
      key += 'd';
    else
      append_layout(key, strides);
  }
  ExecutablePtr code;
  if (auto found = EagerCache::instance().find(key)) {
    code = *std::move(found);
  } else {
    ir::Shape shape;
    for (size_t axis = 0; axis < c.shape.size(); ++axis) shape.push_back(Dim::symbol("d" + std::to_string(axis)));
    std::vector<ir::Type> params;
    std::vector<ir::ParamLayout> layouts;
    DimFacts facts;
    for (size_t i = 0; i < operands.size(); ++i) {
      params.push_back({operands[i].dtype, shape});
      layouts.push_back(is_dense(c.shape, c.strides[i]) ? ir::ParamLayout{} : param_layout(c.strides[i], i, facts));
    }
    auto f = one_op(def, attrs, params, std::move(layouts), std::move(facts));
    if (!f) throw_runtime(f.error(), where);
    code = compile_or_throw(*std::move(f), where);
    EagerCache::instance().set(key, code);
  }
  std::vector<runtime::Tensor> inputs;
  inputs.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    // A donated operand's memory is held by the caller's tensor alone; a second reference here would forbid its reuse.
    auto& given = const_cast<runtime::Tensor&>(operands[i]);
    runtime::Tensor t{donated[i] ? std::move(given.buffer) : given.buffer, given.dtype, c.shape, c.strides[i],
                      given.offset};
    inputs.push_back(std::move(t));
  }
  try {
    execute(*code, inputs, donated, results, where);
  } catch (...) {
    for (size_t i = 0; i < operands.size(); ++i)
      if (donated[i]) const_cast<runtime::Tensor&>(operands[i]).buffer = std::move(inputs[i].buffer);
    throw;
  }
  // The result is dense; give it its own axes back.
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape shape = to_shape(types[i].shape);
    results[i].shape = sizes(shape);
    results[i].strides = row_major(shape);
  }
}

// Symbols for all sizes but one, the same symbol for equal sizes: rules that need two sizes to be equal then see that
// they are.
class SizeSymbols {
 public:
  Dim dim(int64_t size) {
    if (size == 1) return size;
    for (size_t i = 0; i < sizes_.size(); ++i)
      if (sizes_[i] == size) return Dim::symbol("d" + std::to_string(i));
    sizes_.push_back(size);
    return Dim::symbol("d" + std::to_string(sizes_.size() - 1));
  }
  char code(int64_t size) {
    if (size == 1) return '1';
    const auto it = std::find(sizes_.begin(), sizes_.end(), size);
    const size_t index = static_cast<size_t>(it - sizes_.begin());
    if (it == sizes_.end()) sizes_.push_back(size);
    return static_cast<char>('A' + index);
  }

 private:
  std::vector<int64_t> sizes_;
};

// Reductions, index rows, composites and library calls.
void run_general(const ir::OpDef& def, const ir::AttrMap& given_attrs, std::span<const runtime::Tensor> given,
                 std::span<runtime::Tensor> results, const std::source_location& where) {
  std::vector<runtime::Tensor> inputs;
  inputs.reserve(given.size() + 1);
  std::vector<std::vector<int64_t>> strides(given.size());
  for (size_t i = 0; i < given.size(); ++i) {
    const runtime::Tensor& t = given[i];
    // A library takes matrices as they lie, when one of the last two axes is dense.
    const size_t rank = t.shape.size();
    const bool as_it_is = def.kind == ir::OpKind::Library && rank >= 2 && !is_row_major(t) &&
                          (t.strides[rank - 1] == 1 || t.strides[rank - 2] == 1) && t.strides[rank - 1] > 0 &&
                          t.strides[rank - 2] > 0;
    inputs.push_back(as_it_is ? t : dense(t));
    if (as_it_is) strides[i] = t.strides;
  }
  // Rows that make an array from nothing take their sizes from the shape of an operand without data.
  ir::AttrMap attrs = given_attrs;
  const bool from_shape = def.kind == ir::OpKind::Iota;
  if (from_shape) {
    runtime::Sizes shape(attrs.get_ints("shape"));
    attrs.erase("shape");
    auto empty = runtime::Buffer::allocate(0);
    if (!empty) throw_runtime(empty.error(), where);
    inputs.push_back({*std::move(empty), bool_, shape, runtime::Sizes(shape.size()), 0});
  }

  thread_local std::string key;
  start_key(key, def, attrs, inputs);
  SizeSymbols codes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    key += '/';
    for (int64_t size : inputs[i].shape) key += codes.code(size);
    if (i < strides.size() && !strides[i].empty()) {
      key += ':';
      append_layout(key, strides[i]);
    }
  }
  const auto compile = [&](bool symbolic) -> Result<ExecutablePtr> {
    SizeSymbols symbols;
    DimFacts facts;
    std::vector<ir::Type> params;
    std::vector<ir::ParamLayout> layouts;
    for (size_t i = 0; i < inputs.size(); ++i) {
      ir::Type type{inputs[i].dtype, {}};
      for (int64_t size : inputs[i].shape) type.shape.push_back(symbolic ? symbols.dim(size) : Dim(size));
      params.push_back(type);
      layouts.push_back(i < strides.size() && !strides[i].empty() ? param_layout(strides[i], i, facts)
                                                                  : ir::ParamLayout{});
    }
    ir::AttrMap full = attrs;
    if (from_shape) full.set("shape", ir::Dims(params.back().shape));
    FRIT_ASSIGN_OR_RETURN(f, one_op(def, full, params, std::move(layouts), std::move(facts)));
    return code_for(std::move(f), CompileMode::enabled);
  };

  ExecutablePtr code;
  if (auto found = EagerCache::instance().find(key)) {
    code = *std::move(found);
  } else {
    auto compiled = compile(true);
    if (compiled) code = *std::move(compiled);
    EagerCache::instance().set(key, code);
  }
  if (!code) {
    for (const runtime::Tensor& t : inputs)
      for (int64_t size : t.shape) append_number(key, size);
    if (auto concrete = EagerCache::instance().find(key)) {
      code = *std::move(concrete);
    } else {
      auto compiled = compile(false);
      if (!compiled) throw_runtime(compiled.error(), where);
      code = *std::move(compiled);
      EagerCache::instance().set(key, code);
    }
  }
  execute(*code, inputs, {}, results, where);
}

// A result that is a window on the operand's memory.
bool run_view(const ir::OpDef& def, const ir::AttrMap& attrs, const ir::Type& type, const runtime::Tensor& operand,
              runtime::Tensor& result) {
  ir::Op op;
  op.def = &def;
  op.attrs = attrs;
  ir::Layout in{
      {operand.shape.begin(), operand.shape.end()}, {operand.strides.begin(), operand.strides.end()}, operand.offset};
  static const DimFacts no_facts;
  const auto layout = def.view(op, in, type, no_facts);
  if (!layout) return false;
  result.buffer = operand.buffer;
  result.dtype = type.dtype;
  result.shape.clear();
  result.strides.clear();
  for (const Dim& d : layout->shape) result.shape.push_back(d.value());
  for (const Dim& d : layout->strides) result.strides.push_back(d.value());
  result.offset = layout->offset.value();
  return true;
}

}  // namespace

runtime::Tensor dense(const runtime::Tensor& t) {
  if (is_row_major(t)) return t;
  static const ir::OpDef& contiguous = ir::op("contiguous");
  ir::Type type{t.dtype, {t.shape.begin(), t.shape.end()}};
  runtime::Tensor result;
  const bool keep = false;
  run_elementwise(contiguous, {}, {&type, 1}, {&t, 1}, {&keep, 1}, {&result, 1}, std::source_location());
  return result;
}

void run_row(const ir::OpDef& def, const ir::AttrMap& attrs, std::span<const ir::Type> types,
             std::span<const runtime::Tensor> operands, std::span<const bool> donated,
             std::span<runtime::Tensor> results, const std::source_location& where) {
  if (def.view) {
    if (run_view(def, attrs, types[0], operands[0], results[0])) return;
    const runtime::Tensor copy = dense(operands[0]);
    if (run_view(def, attrs, types[0], copy, results[0])) return;
  }
  const bool nothing = std::all_of(types.begin(), types.end(), [](const ir::Type& t) { return t.size().is(0); });
  if (nothing) {
    for (size_t i = 0; i < types.size(); ++i) results[i] = allocate(types[i].dtype, to_shape(types[i].shape));
    return;
  }
  if (def.kind == ir::OpKind::Elementwise)
    run_elementwise(def, attrs, types, operands, donated, results, where);
  else
    run_general(def, attrs, operands, results, where);
}

void RowOperation::run(std::span<runtime::Tensor> inputs, std::span<const bool> donated,
                       std::span<runtime::Tensor> outputs) {
  const DeviceScope scope(device);
  run_row(def, attrs, types, inputs, donated, outputs, where);
}

}  // namespace frit::detail
