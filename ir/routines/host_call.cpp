// Calls of objects of this process: the op and its record.
#include "ir/routines/host_call.h"

#include "ir/routines/routine.h"

namespace frit::ir {
namespace {

Result<std::vector<Type>> infer_host_call(const InferArgs& args) {
  const std::vector<int64_t> dtypes = args.attrs.get_ints("dtypes"), ranks = args.attrs.get_ints("ranks");
  const Dims& sizes = args.attrs.get_dims("sizes");
  std::vector<Type> types;
  size_t at = 0;
  for (size_t i = 0; i < dtypes.size(); ++i) {
    Type type{kAllDtypes[static_cast<size_t>(dtypes[i])], {}};
    for (int64_t axis = 0; axis < ranks[i]; ++axis) type.shape.push_back(sizes[at++]);
    types.push_back(std::move(type));
  }
  return types;
}

// Nobody knows what the object does.
std::optional<Dim> unknown(const RoutineLayouts&) { return std::nullopt; }

constinit const Routine kHostCall{.name = "host_call",
                                  .operands = kAnyNumber,
                                  .results = kAnyNumber,
                                  .infer = infer_host_call,
                                  .in_process = true,
                                  .in_order = true,
                                  .flops = unknown};
const RegisterRoutine host_call_record(kHostCall);

AttrSpec integers(std::string_view name) { return {.name = name, .kind = AttrKind::Ints}; }

}  // namespace

const OpDef& host_call() {
  static const OpDef def{.name = "host_call",
                         .kind = OpKind::Library,
                         .arity = -1,
                         .traits = kExpensive | kNoFold,
                         .doc = "The results of an object of the process.",
                         .attrs = {{.name = "object", .kind = AttrKind::Int},
                                   {.name = "name", .kind = AttrKind::String},
                                   integers("dtypes"),
                                   integers("ranks"),
                                   integers("sizes")},
                         .routine = &kHostCall,
                         .infer = infer_host_call};
  return def;
}

AttrMap host_call_attrs(int64_t object, std::string name, std::span<const Type> results) {
  Dims dtypes, ranks, sizes;
  for (const Type& t : results) {
    dtypes.emplace_back(static_cast<int64_t>(t.dtype.val()));
    ranks.emplace_back(static_cast<int64_t>(t.rank()));
    sizes.insert(sizes.end(), t.shape.begin(), t.shape.end());
  }
  return {{"object", Dim(object)}, {"name", std::move(name)}, {"dtypes", dtypes}, {"ranks", ranks}, {"sizes", sizes}};
}

const Op* find_host_call(const Function& f) {
  for (const Op& op : f.ops) {
    if (op.def->routine && op.def->routine->in_process) return &op;
    for (const auto& [name, attr] : op.attrs)
      if (const auto* region = std::get_if<Region>(&attr))
        if (const Op* found = find_host_call(region->function())) return found;
  }
  return nullptr;
}

}  // namespace frit::ir
