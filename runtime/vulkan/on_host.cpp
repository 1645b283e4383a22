// Routines that have no shader: the CPU computes them between two submissions of a run.
#include <algorithm>

#include "runtime/execute/library.h"
#include "runtime/execute/scratch.h"
#include "runtime/vulkan/call.h"

namespace frit::runtime::vulkan {

namespace {

// Memory of the device while the host works on it. Memory that the CPU does not see is read as a copy, and written
// through one that goes back at the end.
class HostView {
 public:
  HostView(Device& device, const Buffer& buffer)
      : device_(device), buffer_(buffer), memory_(*static_cast<DeviceMemory*>(buffer.gpu())) {}

  // `changed`: this run may have written the memory since it was read.
  Status read(bool changed) {
    if (changed) memory_.drop_copy();
    first_ = static_cast<std::byte*>(memory_.host_copy());
    return first_ ? Status() : Status(lost());
  }

  // For bytes [begin, end).
  Status write(size_t begin, size_t end) {
    if (std::byte* mapped = memory_.block().mapped) {
      FRIT_TRY(device_.wait(memory_.track().points()));
      first_ = mapped;
      return {};
    }
    FRIT_ASSIGN_OR_RETURN(copy, Buffer::allocate(end - begin));
    copy_ = std::move(copy);
    begin_ = begin;
    first_ = static_cast<std::byte*>(copy_->data()) - begin;
    return {};
  }

  Status give_back() const {
    return copy_ && copy_->bytes() ? device_.write(buffer_, begin_, copy_->data(), copy_->bytes()) : Status();
  }

  std::byte* at(uint64_t address) const { return first_ + (address - memory_.address()); }

 private:
  Diagnostic lost() const {
    if (device_.lost()) return device_.fault();
    return Diagnostic("cannot allocate " + std::to_string(buffer_.bytes()) + " bytes to copy an array of the gpu");
  }

  Device& device_;
  const Buffer& buffer_;
  DeviceMemory& memory_;
  std::byte* first_ = nullptr;  // where byte 0 of the buffer would be
  std::shared_ptr<Buffer> copy_;
  size_t begin_ = 0;
};

// Bytes that a dense array spans.
size_t bytes_of(const View<uint64_t>& v) {
  size_t bytes = v.dtype.size();
  for (const int64_t n : v.shape) bytes *= static_cast<size_t>(n);
  return bytes;
}

}  // namespace

Status GpuCall::on_host(const Library& step, std::span<const View<uint64_t>> views, const Frame<uint64_t>& frame) {
  std::string why;
  const LibraryFn fn = find_library(step.plan->name, why);
  if (!fn) return Diagnostic(why);
  Device& device = program_.device();
  tell_host_routine(step.plan->name, device.info().name);
  FRIT_TRY(finish());
  list_ = {};
  const size_t operands = step.operands.size();
  std::byte nothing{};
  std::vector<HostView> hosts;
  std::vector<LibraryTensor> tensors;
  hosts.reserve(views.size());
  for (size_t i = 0; i < views.size(); ++i) {
    const View<uint64_t>& v = views[i];
    const size_t bytes = bytes_of(v);
    if (bytes == 0) {
      // Nothing is read or written, and an empty array may have no memory on the device.
      tensors.push_back({&nothing, v.dtype, v.shape, v.strides});
      continue;
    }
    const Placed* const memory = memory_at(v.first);
    if (!memory) return Diagnostic("routine '" + step.plan->name + "' has a window outside of the memory of its run");
    HostView& host = hosts.emplace_back(device, *memory->buffer);
    const auto begin = static_cast<size_t>(v.first - memory->buffer->gpu()->address());
    FRIT_TRY(i < operands ? host.read(memory->written) : host.write(begin, begin + bytes));
    tensors.push_back({host.at(v.first), v.dtype, v.shape, v.strides});
  }
  LibraryCall call{
      {tensors.data(), operands}, {tensors.data() + operands, views.size() - operands}, step.plan->options, {}};
  std::vector<int64_t> sizes;
  for (const auto& size : step.sizes) sizes.push_back(size.get(frame.symbols));
  call.sizes = sizes;
  const size_t needed = step.plan->workspace == ~0u ? 0 : static_cast<size_t>(step.workspace.get(frame.symbols));
  const Scratch workspace(needed);
  if (needed && !workspace.data())
    return Diagnostic("cannot allocate " + std::to_string(needed) + " bytes of workspace for '" + step.plan->name +
                      "'");
  call.workspace = {static_cast<std::byte*>(workspace.data()), needed};
  FRIT_TRY(fn(call));
  for (const HostView& host : hosts) FRIT_TRY(host.give_back());
  return {};
}

const GpuCall::Placed* GpuCall::memory_at(uint64_t address) const {
  for (const Placed& p : placed_) {
    const uint64_t first = p.buffer->gpu()->address();
    if (address >= first && address < first + p.buffer->bytes()) return &p;
  }
  return nullptr;
}

}  // namespace frit::runtime::vulkan
