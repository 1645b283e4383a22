// The routines of distributed rows: exchange with the group that a call names by number.
#include <cstring>
#include <vector>

#include "runtime/mpi/group.h"
#include "runtime/routines/routine.h"

namespace frit::runtime {
namespace {

using routines::element_count;
using routines::Options;

bool is_dense(const LibraryTensor& t) {
  int64_t step = 1;
  for (size_t axis = t.shape.size(); axis-- > 0;) {
    if (t.shape[axis] != 1 && t.strides[axis] != step) return false;
    step *= t.shape[axis];
  }
  return true;
}

// The elements of an operand in row-major order: its own memory, or a copy.
class Dense {
 public:
  explicit Dense(const LibraryTensor& t) : data_(t.data) {
    const int64_t count = element_count(t);
    if (is_dense(t) || count == 0) return;
    const size_t size = t.dtype.size();
    copy_.resize(static_cast<size_t>(count) * size);
    for (int64_t i = 0; i < count; ++i) {
      int64_t at = 0, rest = i;
      for (size_t axis = t.shape.size(); axis-- > 0;) {
        at += rest % t.shape[axis] * t.strides[axis];
        rest /= t.shape[axis];
      }
      std::memcpy(copy_.data() + static_cast<size_t>(i) * size,
                  static_cast<const std::byte*>(t.data) + at * static_cast<int64_t>(size), size);
    }
    data_ = copy_.data();
  }
  const void* data() const { return data_; }

 private:
  std::vector<std::byte> copy_;
  const void* data_;
};

struct Exchange {
  ProcessGroupPtr group;  // null for a group of this process alone
  int peer = 0;
};

// Checks what a plan from a file may have wrong.
Result<Exchange> exchange(const LibraryCall& call, const char* op, size_t operands) {
  if (call.operands.size() != operands || call.results.size() != 1 || !is_dense(call.results[0]) ||
      (operands == 1 && call.operands[0].dtype != call.results[0].dtype))
    return Diagnostic("op '" + std::string(op) + "' was called with operands that do not fit");
  const Options options(call);
  Exchange e;
  e.peer = static_cast<int>(options.integer("peer").value_or(0));
  const int64_t number = options.integer("group").value_or(0), size = options.integer("processes").value_or(1);
  if (number == 0 && size == 1) return e;
  e.group = find_group(number);
  if (!e.group || e.group->size() != size)
    return Diagnostic("op '" + std::string(op) + "' is compiled for group " + std::to_string(number) + " of " +
                          std::to_string(size) + " processes, which this process is not in",
                      {}, "start as many processes as before, and make their groups in the same order");
  return e;
}

// Of a group of one: the operand is the result.
Status pass_on(const LibraryCall& call) {
  const LibraryTensor &x = call.operands[0], &out = call.results[0];
  if (element_count(x) != element_count(out)) return Diagnostic("mpi: a result of another size than its operand");
  if (element_count(x) == 0) return {};  // An empty array may have no memory at all.
  const Dense in(x);
  std::memcpy(out.data, in.data(), static_cast<size_t>(element_count(x)) * x.dtype.size());
  return {};
}

template <Combination kHow>
Status all_reduce(const LibraryCall& call) {
  FRIT_ASSIGN_OR_RETURN(e, exchange(call, "all_reduce", 1));
  const LibraryTensor &x = call.operands[0], &out = call.results[0];
  if (!e.group || element_count(x) != element_count(out)) return pass_on(call);
  const Dense in(x);
  return e.group->all_reduce(kHow, x.dtype, in.data(), out.data, element_count(x));
}

Status all_gather(const LibraryCall& call) {
  FRIT_ASSIGN_OR_RETURN(e, exchange(call, "all_gather", 1));
  const LibraryTensor &x = call.operands[0], &out = call.results[0];
  if (!e.group || element_count(x) * e.group->size() != element_count(out)) return pass_on(call);
  const Dense in(x);
  return e.group->all_gather(in.data(), out.data, element_count(x) * x.dtype.size());
}

Status sum_scatter(const LibraryCall& call) {
  FRIT_ASSIGN_OR_RETURN(e, exchange(call, "sum_scatter", 1));
  const LibraryTensor &x = call.operands[0], &out = call.results[0];
  if (!e.group || element_count(x) != element_count(out) * e.group->size()) return pass_on(call);
  const Dense in(x);
  return e.group->sum_scatter(x.dtype, in.data(), out.data, element_count(out));
}

Status send(const LibraryCall& call) {
  FRIT_ASSIGN_OR_RETURN(e, exchange(call, "send", 1));
  if (e.group) {
    const Dense in(call.operands[0]);
    FRIT_TRY(e.group->send(in.data(), element_count(call.operands[0]) * call.operands[0].dtype.size(), e.peer));
  }
  return pass_on(call);
}

Status receive(const LibraryCall& call) {
  FRIT_ASSIGN_OR_RETURN(e, exchange(call, "recv", 1));
  if (!e.group) return pass_on(call);
  return e.group->receive(call.results[0].data, element_count(call.results[0]) * call.results[0].dtype.size(), e.peer);
}

const routines::Registered sum("all_sum", all_reduce<Combination::Sum>);
const routines::Registered max("all_max", all_reduce<Combination::Max>);
const routines::Registered min("all_min", all_reduce<Combination::Min>);
const routines::Registered gather("all_gather", all_gather);
const routines::Registered scatter("sum_scatter", sum_scatter);
const routines::Registered sending("send", send);
const routines::Registered receiving("recv", receive);

}  // namespace
}  // namespace frit::runtime
