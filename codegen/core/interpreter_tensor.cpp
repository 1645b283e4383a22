// Copies what a run computed.
#include "codegen/core/interpreter_tensor.h"

#include "runtime/execute/gpu.h"
#include "runtime/memory/dense.h"

namespace frit::codegen {

Result<ir::Tensor> to_interpreter(const runtime::Tensor& t) {
  ir::Tensor out(t.dtype, std::vector<int64_t>(t.shape));
  Result<runtime::Tensor> here = t;
  if (t.buffer && t.buffer->gpu()) here = runtime::to_host(t, *runtime::known_gpu());
  if (!here.ok()) return std::move(here.error());
  FRIT_TRY(runtime::copy_dense(*here, out.data.data()));
  return out;
}

}  // namespace frit::codegen
