// A lane of float32 has rows and columns in fours, which it reads 16 bytes at a time, side by side with other lanes'.
// The matrix unit's layout of float64 is the PTX manual's for mma.m16n8k4.
#include "codegen/ptx/tile_multiply.h"

#include <array>

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kFour = 4;
constexpr uint32_t kLanesM = 8, kLanesN = 4;  // of a warp, along the axes of its part of the tile

class LaneMultiply : public TileMultiply {
 public:
  LaneMultiply(Writer& w, const TilePlan& plan, const TileCopies& a, const TileCopies& b)
      : w_(w),
        plan_(plan),
        a_(a.tile()),
        b_(b.tile()),
        own_rows_(plan.warp_rows / kLanesM),
        own_columns_(plan.warp_columns / kLanesN) {}

  void start(const Part& p) override {
    // Loads of 16 bytes go by half warps: the lanes of one read eight places of one operand and two of the other one.
    const Value lane_m = w_.u32("and.b32", {w_.u32("shr.u32", {p.lane, "1"}), number(kLanesM - 1)});
    const Value lane_n = w_.u32(
        "or.b32", {w_.u32("and.b32", {p.lane, "1"}), w_.u32("and.b32", {w_.u32("shr.u32", {p.lane, "3"}), "2"})});
    row_ = w_.u32("mad.lo.u32", {lane_m, number(kFour), p.row});
    column_ = w_.u32("mad.lo.u32", {lane_n, number(kFour), p.column});
    const auto from = [&](const SharedTile& t, const Value& line) {
      const Value first = w_.u32("mad.lo.u32", {p.step, number(t.pitch()), number(t.first)});
      return w_.u32("mad.lo.u32", {line, number(t.bytes), first});
    };
    from_a_ = from(a_, row_);
    from_b_ = from(b_, column_);
    for (uint32_t i = 0; i < own_rows_; ++i) {
      sums_.emplace_back();
      for (uint32_t j = 0; j < own_columns_; ++j) {
        sums_[i].push_back(w_.reg(Writer::Float32));
        w_.op("mov.f32", {sums_[i][j], "0f00000000"});
      }
      for (uint32_t j = 0; j < own_columns_; j += kFour)
        runs_.push_back({i / kFour * kFour * kLanesM + i % kFour,
                         j * kLanesN,
                         {sums_[i].begin() + j, sums_[i].begin() + j + kFour}});
    }
  }

  uint32_t steps() const override { return plan_.depth / plan_.teams; }

  void load(uint32_t set, const Value& place, uint32_t step) override {
    Set& s = sets_[set];
    load(s.a, w_.u32("add.u32", {place, from_a_}), step * a_.pitch(), own_rows_, kLanesM);
    load(s.b, w_.u32("add.u32", {place, from_b_}), step * b_.pitch(), own_columns_, kLanesN);
  }

  void multiply(uint32_t set) override {
    for (uint32_t i = 0; i < own_rows_; ++i)
      for (uint32_t j = 0; j < own_columns_; ++j)
        w_.op("fma.rn.f32", {sums_[i][j], sets_[set].a[i], sets_[set].b[j], sums_[i][j]});
  }

 private:
  struct Set {
    std::vector<Value> a, b;
  };

  void load(std::vector<Value>& to, const Value& from, uint32_t offset, uint32_t count, uint32_t lanes) {
    while (to.size() < count) to.push_back(w_.reg(Writer::Float32));
    for (uint32_t i = 0; i < count; i += kFour)
      w_.op("ld.shared.v4.f32", {list({to.begin() + i, to.begin() + i + kFour}), at(from, offset + i * lanes * 4)});
  }

  Writer& w_;
  const TilePlan plan_;
  const SharedTile a_, b_;
  const uint32_t own_rows_, own_columns_;
  Value from_a_, from_b_;
  std::array<Set, 2> sets_;
  std::vector<std::vector<Value>> sums_;
};

constexpr uint32_t kUnitRows = 16, kUnitColumns = 8, kUnitSteps = 4;  // of a matrix unit's multiplication
constexpr uint32_t kUnitLines = 8;                                    // that lanes have beside each other

class MatrixMultiply : public TileMultiply {
 public:
  MatrixMultiply(Writer& w, const TilePlan& plan, const TileCopies& a, const TileCopies& b)
      : w_(w), plan_(plan), a_(a), b_(b) {}

  void start(const Part& p) override {
    const Value line = w_.u32("shr.u32", {p.lane, "2"}), step = w_.u32("and.b32", {p.lane, "3"});
    row_ = w_.u32("add.u32", {p.row, line});
    column_ = w_.u32("mad.lo.u32", {step, "2", p.column});
    places_a_ = places(a_, row_, p.step, step, plan_.warp_rows);
    places_b_ = places(b_, w_.u32("add.u32", {p.column, line}), p.step, step, plan_.warp_columns);
    for (uint32_t i = 0; i < plan_.warp_rows; i += kUnitRows)
      for (uint32_t j = 0; j < plan_.warp_columns; j += kUnitColumns) {
        std::vector<Value> four;
        for (uint32_t e = 0; e < 4; ++e) {
          four.push_back(w_.reg(Writer::Float64));
          w_.op("mov.f64", {four[e], "0d0000000000000000"});
        }
        runs_.push_back({i, j, {four[0], four[1]}});
        runs_.push_back({i + kUnitLines, j, {four[2], four[3]}});
        sums_.push_back(std::move(four));
      }
  }

  uint32_t steps() const override { return plan_.depth / plan_.teams / kUnitSteps; }

  void load(uint32_t set, const Value& place, uint32_t step) override {
    load(sets_[set].a, place, places_a_[step], kUnitRows / kUnitLines);
    load(sets_[set].b, place, places_b_[step], 1);
  }

  void multiply(uint32_t set) override {
    const Set& s = sets_[set];
    for (size_t i = 0; i < s.a.size(); ++i)
      for (size_t j = 0; j < s.b.size(); ++j) {
        const std::string sums = list(sums_[i * s.b.size() + j]);
        w_.op("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", {sums, list(s.a[i]), list(s.b[j]), sums});
      }
  }

 private:
  using Operands = std::vector<std::vector<Value>>;  // of multiplications
  struct Set {
    Operands a, b;
  };

  // Where the lane's elements lie in a place, for each step of multiplications: of its line, and of every eighth one
  // behind it.
  using Places = std::vector<std::vector<Value>>;
  Places places(const TileCopies& copies, const Value& line, const Value& first, const Value& own, uint32_t lines) {
    const SharedTile& t = copies.tile();
    const Value exchanged = t.exchanged(w_, line), turned = copies.turned();
    const Value in_lines = w_.u32("mad.lo.u32", {line, number(t.bytes), number(t.first)});
    const Value in_steps = w_.u32(
        "mad.lo.u32", {line, number(t.line_bytes()), w_.u32("mad.lo.u32", {own, number(t.bytes), number(t.first)})});
    const Value apart = w_.u32("selp.u32", {number(kUnitLines * t.line_bytes()), number(kUnitLines * t.bytes), turned});
    Places all(steps());
    for (uint32_t i = 0; i < steps(); ++i) {
      const Value step = w_.u32("add.u32", {first, number(i * kUnitSteps)});
      const Value across = w_.u32("mad.lo.u32", {w_.u32("add.u32", {step, own}), number(t.pitch()), in_lines});
      const Value pair = w_.u32("xor.b32", {w_.u32("shr.u32", {step, "1"}), exchanged});
      const Value along = w_.u32("mad.lo.u32", {pair, number(2 * t.bytes), in_steps});
      all[i].push_back(w_.u32("selp.u32", {along, across, turned}));
      for (uint32_t l = kUnitLines; l < lines; l += kUnitLines)
        all[i].push_back(w_.u32("add.u32", {all[i].back(), apart}));
    }
    return all;
  }

  // Each operand has `halves` lines, eight apart.
  void load(Operands& to, const Value& place, const std::vector<Value>& places, uint32_t halves) {
    to.resize(places.size() / halves);
    for (uint32_t i = 0; i < places.size(); ++i) {
      std::vector<Value>& operand = to[i / halves];
      if (operand.size() <= i % halves) operand.push_back(w_.reg(Writer::Float64));
      w_.op("ld.shared.f64", {operand[i % halves], at(w_.u32("add.u32", {place, places[i]}))});
    }
  }

  Writer& w_;
  const TilePlan plan_;
  const TileCopies &a_, &b_;
  Places places_a_, places_b_;
  std::array<Set, 2> sets_;
  std::vector<std::vector<Value>> sums_;
};

}  // namespace

std::unique_ptr<TileMultiply> lane_multiply(Writer& w, const TilePlan& plan, const TileCopies& a, const TileCopies& b) {
  return std::make_unique<LaneMultiply>(w, plan, a, b);
}

std::unique_ptr<TileMultiply> matrix_multiply(Writer& w, const TilePlan& plan, const TileCopies& a,
                                              const TileCopies& b) {
  return std::make_unique<MatrixMultiply>(w, plan, a, b);
}

}  // namespace frit::codegen::ptx
