// Copies tensors of a run into those of the reference interpreter.
#include "frontend/cli/compare.h"

#include <cstring>

#include "frontend/cli/tensors.h"

namespace frit::cli {

ir::Tensor to_ir(const runtime::Tensor& t) {
  const runtime::Tensor dense = row_major(t);
  ir::Tensor out(t.dtype, std::vector<int64_t>(t.shape));
  const auto* data =
      static_cast<const std::byte*>(dense.buffer->data()) + dense.offset * static_cast<int64_t>(t.dtype.size);
  if (!out.data.empty()) std::memcpy(out.data.data(), data, out.data.size());
  return out;
}

}  // namespace frit::cli
