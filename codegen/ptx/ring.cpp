// Waits, arrivals and positions of a ring.
#include "codegen/ptx/ring.h"

namespace frit::codegen::ptx {

namespace {
constexpr uint32_t kBarrier = 8;  // bytes
}  // namespace

void Ring::open(uint32_t consumers) {
  for (uint32_t i = 0; i < plan_.places; ++i) {
    w_.op("mbarrier.init.shared::cta.b64", {at(shared_, plan_.barriers + kBarrier * i), "1"});
    w_.op("mbarrier.init.shared::cta.b64",
          {at(shared_, plan_.barriers + kBarrier * (plan_.places + i)), number(consumers)});
  }
}

void Ring::start(bool producer) {
  position_ = w_.u32("mov.u32", {"0"});
  parity_ = w_.u32("mov.u32", {producer ? "1" : "0"});
  if (!producer) oldest_ = w_.u32("mov.u32", {"0"});
}

void Ring::wait(uint64_t offset) {
  const Value barrier = w_.u32("add.u32", {shared_, position_}), again = w_.label(), done = w_.reg(Writer::Predicate);
  w_.place(again);
  w_.op("mbarrier.try_wait.parity.shared::cta.b64", {done, at(barrier, offset), parity_});
  w_.op_if("!" + done, "bra", {again});
}

// The position behind `position`, which turns at the end.
void Ring::next(const Value& position, const Value& moves) {
  if (moves.empty())
    w_.op("add.u32", {position, position, number(kBarrier)});
  else
    w_.op_if(moves, "add.u32", {position, position, number(kBarrier)});
  const Value end = w_.test("setp.eq.u32", {position, number(kBarrier * plan_.places)});
  w_.op("selp.u32", {position, "0", position, end});
  if (position == position_) w_.op_if(end, "xor.b32", {parity_, parity_, "1"});
}

Value Ring::take() {
  wait(plan_.barriers);
  const Value place = w_.u32("mad.lo.u32", {position_, number(plan_.bytes / kBarrier), shared_});
  next(position_);
  return plan_.first ? w_.u32("add.u32", {place, number(plan_.first)}) : place;
}

void Ring::give_back(const Value& predicate) { give_back_if(predicate, {}); }

void Ring::give_back_if(const Value& predicate, const Value& moves) {
  const Value barrier = w_.u32("add.u32", {shared_, oldest_});
  w_.op_if(predicate, "mbarrier.arrive.shared::cta.b64", {"_", at(barrier, plan_.barriers + kBarrier * plan_.places)});
  next(oldest_, moves);
}

Ring::Filled Ring::fill() {
  wait(plan_.barriers + kBarrier * plan_.places);
  const Value barrier = w_.u32("add.u32", {shared_, position_}),
              full = w_.u32("add.u32", {barrier, number(plan_.barriers)}),
              place = w_.u32("mad.lo.u32", {position_, number(plan_.bytes / kBarrier), shared_});
  w_.op("mbarrier.arrive.expect_tx.shared::cta.b64", {"_", at(full), number(plan_.bytes)});
  next(position_);
  return {plan_.first ? w_.u32("add.u32", {place, number(plan_.first)}) : place, full};
}

}  // namespace frit::codegen::ptx
