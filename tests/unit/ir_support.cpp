// The rows of the graph IR's tests.
#include "ir_support.h"

namespace frit::ir::testing {
namespace {

Result<std::vector<Type>> infer_pair(const InferArgs& args) {
  return std::vector<Type>{args.operands[0], args.operands[0]};
}

Result<std::vector<Type>> infer_nothing(const InferArgs&) { return std::vector<Type>(); }

Result<std::vector<Type>> infer_first(const InferArgs& args) { return std::vector<Type>{args.operands[0]}; }

}  // namespace

void register_test_rows() {
  static const RegisterOps rows({
      {.name = "test_pair", .kind = OpKind::Library, .arity = 1, .infer = infer_pair},
      {.name = "test_effect", .kind = OpKind::Library, .arity = -1, .traits = kSideEffect, .infer = infer_nothing},
      {.name = "test_all",
       .kind = OpKind::Library,
       .arity = 1,
       .attrs = {{.name = "flag", .kind = AttrKind::Bool, .required = false, .fallback = false},
                 {.name = "count", .kind = AttrKind::Int, .required = false, .fallback = Dim(1)},
                 {.name = "scale", .kind = AttrKind::Float, .required = false, .fallback = 0.0},
                 {.name = "type", .kind = AttrKind::Dtype, .required = false, .fallback = float32},
                 {.name = "label", .kind = AttrKind::String, .required = false, .fallback = std::string()},
                 {.name = "sizes", .kind = AttrKind::Ints, .required = false},
                 {.name = "data", .kind = AttrKind::Literal, .required = false}},
       .infer = infer_first},
  });
}

}  // namespace frit::ir::testing
