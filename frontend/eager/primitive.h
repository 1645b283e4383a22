// Operations of the program: rows that call its objects (frit/primitive.h).
//
// The row is `host_call` (ir/routines/host_call.h). An operation that is evaluated calls its object directly. In a
// trace the object gets a number, by which compiled code finds it through the routine's function in the runtime.
// Objects with a number live as long as the process, as code does that names them; equivalent ones share a number.
#pragma once

#include <memory>

#include "frontend/core/node.h"
#include "frontend/frit/primitive.h"

namespace frit::detail {

struct PrimitiveOperation final : RowOperation {
  PrimitiveOperation(std::shared_ptr<Primitive> object, std::vector<ir::Type> results, Where where);
  void run(std::span<runtime::Tensor> inputs, std::span<const bool> donated,
           std::span<runtime::Tensor> outputs) override;
  std::string_view name() const override { return object->name(); }
  std::vector<NodePtr> with_inputs(std::vector<NodePtr> known) const override;
  std::shared_ptr<Primitive> given_primitive() const override { return object; }

  const std::shared_ptr<Primitive> object;
};

}  // namespace frit::detail
