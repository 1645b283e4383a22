// Ways of a left operand into registers.
#include "codegen/ptx/left.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kTurn = 32;              // steps along k that are loaded at once: a pair of pieces
constexpr uint32_t kPairs = 4, kWords = 8;  // of them in registers, and registers of each
constexpr uint32_t kPieces = kPairs * kTurn / kProductDepth;
static_assert(kTurn == 2 * kProductDepth);

class LoadedLeft : public Left {
 public:
  LoadedLeft(const ProductFrame& frame, size_t parameters, bool exchanged)
      : f_(frame), w_(frame.w), exchanged_(exchanged) {
    address_ = w_.parameter(parameters);
    pitch_ = w_.parameter(parameters + 1);
    step_ = w_.parameter(parameters + 2);
    if (exchanged) exchange_.emplace(w_, f_.in_line);
    for (uint32_t i = 0; i < kPairs * kWords; ++i) words_.push_back(w_.reg(Writer::Bits32));
    for (uint32_t i = 0; exchanged && i < 2 * kWords; ++i) turned_.push_back(w_.reg(Writer::Bits32));
  }

  uint32_t grain() const override { return kPieces / 2; }

  void start(const Tile& tile) override {
    const Value last = w_.u32("sub.u32", {f_.m, "1"}), row = w_.u32("add.u32", {tile.row, f_.line});
    const Value matrix = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {tile.batch}), step_, address_});
    const Value first = w_.u64("mad.wide.u32", {f_.in_line, "16", matrix});
    for (const bool second : {false, true}) {
      const Value own = w_.u32("min.u32", {second ? w_.u32("add.u32", {row, "8"}) : row, last});
      lines_[second] = w_.u64("mad.lo.u64", {w_.u64("cvt.u64.u32", {own}), pitch_, first});
    }
    at_ = w_.u32("mul.lo.u32", {f_.in_line, "8"});
    for (uint32_t pair = 0; pair + 1 < kPairs; ++pair) load(pair);
    if (!exchanged_) return;
    load(kPairs - 1);
    turn(0);
    load(0);
  }

  std::vector<Value> fragment(uint32_t number) override {
    const std::vector<Value>& from = exchanged_ ? turned_ : words_;
    const uint32_t own = (exchanged_ ? number / 2 % 2 : number / 2) * kWords + number % 2 * 2;
    return {from[own], from[own + 4], from[own + 1], from[own + 5]};
  }

  // Pairs are loaded in turns, each as soon as its registers are free.
  void after(uint32_t number) override {
    if (exchanged_ && number % 2) {
      const uint32_t next = (number / 2 + 1) % kPairs;
      turn(next);
      load(next);
    } else if (!exchanged_ && number % 2 == 0) {
      load((number / 2 + kPairs - 1) % kPairs);
    }
  }

 private:
  // The next 32 steps; zeros past the end.
  void load(uint32_t pair) {
    const Value inside = w_.test("setp.lt.u32", {at_, f_.k});
    for (uint32_t second = 0; second < 2; ++second) {
      const auto to = words_.begin() + pair * kWords + second * 4;
      for (uint32_t i = 0; i < 4; ++i) w_.op_if("!" + inside, "mov.b32", {to[i], "0"});
      w_.op_if(inside, "ld.global.nc.v4.b32", {list({to[0], to[1], to[2], to[3]}), at(lines_[second])});
    }
    for (const Value& line : lines_) w_.op("add.u64", {line, line, number(kTurn * 2)});
    w_.op("add.u32", {at_, at_, number(kTurn)});
  }

  // Exchanges the words of a pair: the pieces that come next.
  void turn(uint32_t pair) {
    std::vector<Value> words(words_.begin() + pair * kWords, words_.begin() + (pair + 1) * kWords);
    exchange_->run(words.data());
    exchange_->run(words.data() + 4);
    for (uint32_t i = 0; i < kWords; ++i) w_.op("mov.b32", {turned_[pair % 2 * kWords + i], words[i]});
  }

  const ProductFrame& f_;
  Writer& w_;
  const bool exchanged_;
  std::optional<Exchange> exchange_;
  Value address_, pitch_, step_, at_, lines_[2];
  std::vector<Value> words_, turned_;
};

class RingLeft : public Left {
 public:
  RingLeft(const ProductFrame& frame, Ring& ring, bool along_k) : w_(frame.w), ring_(ring), along_k_(along_k) {
    first_lane_ = w_.test("setp.eq.u32", {frame.lane, "0"});
    const Value group = w_.u32("mul.lo.u32", {frame.group, number(64 * kProductDepth * 2)});
    // A lane gives the address of one line of eight elements. Pieces of 16 bytes change places as in the copies.
    if (along_k) {
      const Value row = w_.u32("and.b32", {frame.lane, "15"}), piece = w_.u32("shr.u32", {frame.lane, "4"});
      const Value turned = w_.u32("xor.b32", {piece, w_.u32("shr.u32", {w_.u32("and.b32", {row, "4"}), "2"})});
      const Value line = w_.u32("mad.lo.u32", {w_.u32("mad.lo.u32", {frame.warp, "16", row}), "32", group});
      offset_ = w_.u32("mad.lo.u32", {turned, "16", line});
    } else {
      const Value low = w_.u32("and.b32", {frame.lane, "7"});
      const Value step = w_.u32("add.u32", {low, w_.u32("shr.u32", {w_.u32("and.b32", {frame.lane, "16"}), "1"})});
      const Value second = w_.u32("shr.u32", {w_.u32("and.b32", {frame.lane, "8"}), "3"});
      const Value piece = w_.u32("mad.lo.u32", {frame.warp, "2", second});
      const Value line = w_.u32("mad.lo.u32", {step, "128", group});
      offset_ = w_.u32("mad.lo.u32", {w_.u32("xor.b32", {piece, low}), "16", line});
    }
    for (uint32_t i = 0; i < 8; ++i) words_.push_back(w_.reg(Writer::Bits32));
  }

  uint32_t grain() const override { return 1; }
  void start(const Tile&) override {}

  std::vector<Value> fragment(uint32_t number) override {
    const std::vector<Value> to(words_.begin() + 4 * number, words_.begin() + 4 * number + 4);
    const Value from = w_.u32("add.u32", {ring_.take(), offset_});
    w_.op(along_k_ ? "ldmatrix.sync.aligned.m8n8.x4.shared.b16" : "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16",
          {list(to), at(from)});
    ring_.give_back(first_lane_);
    return to;
  }

  void after(uint32_t) override {}

 private:
  Writer& w_;
  Ring& ring_;
  const bool along_k_;
  Value first_lane_, offset_;
  std::vector<Value> words_;
};

}  // namespace

std::unique_ptr<Left> loaded_left(const ProductFrame& frame, size_t parameters) {
  return std::make_unique<LoadedLeft>(frame, parameters, false);
}

std::unique_ptr<Left> exchanged_left(const ProductFrame& frame, size_t parameters) {
  return std::make_unique<LoadedLeft>(frame, parameters, true);
}

std::unique_ptr<Left> ring_left(const ProductFrame& frame, Ring& ring, bool along_k) {
  return std::make_unique<RingLeft>(frame, ring, along_k);
}

Exchange::Exchange(Writer& w, const Value& in_line)
    : w_(w),
      odd_(w.test("setp.ne.u32", {w.u32("and.b32", {in_line, "1"}), "0"})),
      upper_(w.test("setp.ne.u32", {w.u32("and.b32", {in_line, "2"}), "0"})) {}

void Exchange::run(Value* words) const {
  swap(words[0], words[1], odd_, "1");
  swap(words[2], words[3], odd_, "1");
  swap(words[0], words[2], upper_, "2");
  swap(words[1], words[3], upper_, "2");
}

void Exchange::swap(Value& a, Value& b, const Value& keep, const char* distance) const {
  const Value sent = w_.u32("selp.b32", {a, b, keep});
  const Value got = w_.u32("shfl.sync.bfly.b32", {sent, distance, "31", "0xffffffff"});
  const Value low = w_.u32("selp.b32", {got, a, keep}), high = w_.u32("selp.b32", {b, got, keep});
  a = low;
  b = high;
}

}  // namespace frit::codegen::ptx
