// Ways of a left operand into registers.
#include "codegen/ptx/left.h"

#include "codegen/ptx/rows.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kWords = 8;                       // registers of a turn
constexpr uint32_t kPieces = kTurn / kProductDepth;  // of a turn
static_assert(kPieces == 2);

class LoadedLeft : public Left {
 public:
  LoadedLeft(const ProductFrame& frame, std::unique_ptr<Rows> rows, uint32_t turns, bool exchanged)
      : w_(frame.w), rows_(std::move(rows)), turns_(turns) {
    if (exchanged) exchange_.emplace(w_, frame.in_line);
    for (uint32_t i = 0; i < turns_ * kWords; ++i) words_.push_back(w_.reg(Writer::Bits32));
    for (uint32_t i = 0; exchanged && i < 2 * kWords; ++i) turned_.push_back(w_.reg(Writer::Bits32));
  }

  uint32_t pieces() const override { return turns_ * kPieces; }

  void start(const Tile& tile) override {
    rows_->start(tile);
    for (uint32_t turn = 0; turn + 1 < turns_; ++turn) load(turn);
    if (!exchange_) return;
    load(turns_ - 1);
    exchange(0);
    load(0);
  }

  std::vector<Value> fragment(uint32_t number) override {
    const std::vector<Value>& from = exchange_ ? turned_ : words_;
    const uint32_t own = (exchange_ ? number / kPieces % 2 : number / kPieces) * kWords + number % kPieces * 2;
    return {from[own], from[own + 4], from[own + 1], from[own + 5]};
  }

  // Turns are loaded one after another, each as soon as its registers are free.
  void after(uint32_t number) override {
    if (exchange_ && number % kPieces) {
      const uint32_t next = (number / kPieces + 1) % turns_;
      exchange(next);
      load(next);
    } else if (!exchange_ && number % kPieces == 0) {
      load((number / kPieces + turns_ - 1) % turns_);
    }
  }

 private:
  // The next 32 steps; zeros past the end.
  void load(uint32_t turn) {
    const std::array<Rows::Load, 2> loads = rows_->next();
    for (uint32_t second = 0; second < 2; ++second) {
      const auto to = words_.begin() + turn * kWords + second * 4;
      const auto& [there, from] = loads[second];
      for (uint32_t i = 0; i < 4; ++i) w_.op_if("!" + there, "mov.b32", {to[i], "0"});
      w_.op_if(there, "ld.global.nc.v4.b32", {list({to[0], to[1], to[2], to[3]}), at(from)});
    }
  }

  // Exchanges the words of a turn: the pieces that come next.
  void exchange(uint32_t turn) {
    std::vector<Value> words(words_.begin() + turn * kWords, words_.begin() + (turn + 1) * kWords);
    exchange_->run(words.data());
    exchange_->run(words.data() + 4);
    for (uint32_t i = 0; i < kWords; ++i) w_.op("mov.b32", {turned_[turn % 2 * kWords + i], words[i]});
  }

  Writer& w_;
  const std::unique_ptr<Rows> rows_;
  const uint32_t turns_;
  std::optional<Exchange> exchange_;
  std::vector<Value> words_, turned_;
};

class RingLeft : public Left {
 public:
  RingLeft(const ProductFrame& frame, Ring& ring) : w_(frame.w), ring_(ring) {
    first_lane_ = w_.test("setp.eq.u32", {frame.lane, "0"});
    const Value group = w_.u32("mul.lo.u32", {frame.group, number(64 * kProductDepth * 2)});
    // A lane gives the address of one line of eight elements. Pieces of 16 bytes change places as in the copies.
    const Value low = w_.u32("and.b32", {frame.lane, "7"});
    const Value step = w_.u32("add.u32", {low, w_.u32("shr.u32", {w_.u32("and.b32", {frame.lane, "16"}), "1"})});
    const Value second = w_.u32("shr.u32", {w_.u32("and.b32", {frame.lane, "8"}), "3"});
    const Value piece = w_.u32("mad.lo.u32", {frame.warp, "2", second});
    const Value line = w_.u32("mad.lo.u32", {step, "128", group});
    offset_ = w_.u32("mad.lo.u32", {w_.u32("xor.b32", {piece, low}), "16", line});
    for (uint32_t i = 0; i < 8; ++i) words_.push_back(w_.reg(Writer::Bits32));
  }

  uint32_t pieces() const override { return 2; }
  void start(const Tile&) override {}

  std::vector<Value> fragment(uint32_t number) override {
    const std::vector<Value> to(words_.begin() + 4 * number, words_.begin() + 4 * number + 4);
    const Value from = w_.u32("add.u32", {ring_.take(), offset_});
    w_.op("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", {list(to), at(from)});
    ring_.give_back(first_lane_);
    return to;
  }

  void after(uint32_t) override {}

 private:
  Writer& w_;
  Ring& ring_;
  Value first_lane_, offset_;
  std::vector<Value> words_;
};

}  // namespace

std::unique_ptr<Left> loaded_left(const ProductFrame& frame, std::unique_ptr<Rows> rows, uint32_t turns,
                                  bool exchanged) {
  return std::make_unique<LoadedLeft>(frame, std::move(rows), turns, exchanged);
}

std::unique_ptr<Left> ring_left(const ProductFrame& frame, Ring& ring) {
  return std::make_unique<RingLeft>(frame, ring);
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
