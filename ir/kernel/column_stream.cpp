// Which steps are a column stream.
#include <algorithm>

#include "ir/kernel/row_stream.h"
#include "ir/routines/routine.h"

namespace frit::ir {

namespace {

// The columns of the last two axes lie dense, one after the other.
bool has_dense_columns(const Window& w) {
  Shape turned = w.layout.shape;
  const size_t rank = turned.size();
  std::swap(turned[rank - 2], turned[rank - 1]);
  Shape strides = row_major_strides(turned);
  std::swap(strides[rank - 2], strides[rank - 1]);
  return w.layout.offset.is(0) && w.layout.strides == strides;
}

// Whether the step and, but for the two that the stream has, no other one uses the buffer.
bool is_private(const Program& p, uint32_t buffer, size_t last) {
  if (p.buffers[buffer].role != BufferRole::Temp) return false;
  for (size_t i = 0; i < p.steps.size(); ++i) {
    if (i == last || i + 1 == last) continue;
    bool uses = false;
    each_buffer(p.steps[i], [&](const uint32_t& used) { uses |= p.root(used) == buffer; });
    if (uses) return false;
  }
  return std::none_of(p.buffers.begin(), p.buffers.end(),
                      [&](const ProgramBuffer& part) { return part.role == BufferRole::Part && part.whole == buffer; });
}

// The launch writes the operand alone, whole columns from one iteration to a later one.
const char* in_the_way(const Program& p, const KernelStep& launch, uint32_t operand, const Dim& size,
                       const Dim& column) {
  const Kernel& k = p.kernels[launch.kernel];
  const Loop* loop = parallel_loop(k);
  if (!loop) return "the launch has no parallel loop";
  for (uint32_t i = 0; i < launch.buffers.size(); ++i) {
    if (launch.buffers[i] != operand) {
      if (k.buffers[i].written) return "the launch has other results";
      continue;
    }
    const auto length = length_of_rows(k, i);
    if (!length || k.buffers[i].read) return "an iteration uses what another one writes";
    if (!length->is_const() || length->value() < 1 || !column.is_const() || column.value() % length->value() != 0 ||
        !(loop->extent * *length == size))
      return "columns are no whole number of iterations";
  }
  return nullptr;
}

}  // namespace

std::optional<RowStream> column_stream_at(const Program& p, size_t last, std::string& why) {
  const auto no = [&](const char* reason) -> std::optional<RowStream> {
    why = reason;
    return std::nullopt;
  };
  const auto* product = std::get_if<LibraryStep>(&p.steps[last]);
  if (!product || !product->routine->takes_rows || product->attrs.has(kRowStream) || last == 0)
    return no("its routine takes no columns at a time");
  const auto* launch = std::get_if<KernelStep>(&p.steps[last - 1]);
  const Window& operand = product->operands[1];
  if (!launch || std::find(launch->buffers.begin(), launch->buffers.end(), operand.buffer) == launch->buffers.end())
    return no("no launch in front of it makes its right operand");
  if (!is_float(product->dtypes[0])) return no("the product is not of real numbers");
  Dim size = 1;
  for (const Dim& d : operand.layout.shape) size = size * d;
  if (!has_dense_columns(operand) || !(p.buffers[operand.buffer].size == size))
    return no("the columns of its right operand do not lie one after the other");
  if (!is_private(p, operand.buffer, last)) return no("other steps use its right operand");
  if (const char* reason = in_the_way(p, *launch, operand.buffer, size, operand.layout.shape.rbegin()[1]))
    return no(reason);
  if (product->operands[0].buffer == operand.buffer || product->results[0].buffer == operand.buffer ||
      (product->epilogue &&
       std::count(product->epilogue->buffers.begin(), product->epilogue->buffers.end(), operand.buffer) > 0))
    return no("the product uses columns in another place");
  return RowStream{last - 1, last, kNone, operand.buffer, {operand.buffer}};
}

}  // namespace frit::ir
