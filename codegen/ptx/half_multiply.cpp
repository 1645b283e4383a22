// Multiplications of 16-bit elements by matrix units. The layouts of ldmatrix and mma.m16n8k16 are the PTX manual's.
#include <array>

#include "codegen/ptx/half_copies.h"
#include "codegen/ptx/tile_multiply.h"

namespace frit::codegen::ptx {

namespace {

class HalfMultiply : public TileMultiply {
 public:
  HalfMultiply(Writer& w, const TilePlan& plan, bool bfloat, const HalfTile& a, const HalfTile& b)
      : w_(w), plan_(plan), type_(bfloat ? "bf16" : "f16"), a_(a), b_(b) {}

  void start(const Part& p) override {
    lane_ = p.lane;
    row_ = w_.u32("add.u32", {p.row, w_.u32("shr.u32", {p.lane, "2"})});
    column_ = w_.u32("mad.lo.u32", {w_.u32("and.b32", {p.lane, "3"}), "2", p.column});
    places_a_ = places(a_, p.row, p.step, plan_.warp_rows, true);
    places_b_ = places(b_, p.column, p.step, plan_.warp_columns, false);
    for (uint32_t i = 0; i < plan_.warp_rows; i += kUnitRows)
      for (uint32_t j = 0; j < plan_.warp_columns; j += kUnitColumns) {
        std::vector<Value> four;
        for (uint32_t e = 0; e < 4; ++e) {
          four.push_back(w_.reg(Writer::Float32));
          w_.op("mov.f32", {four[e], "0f00000000"});
        }
        runs_.push_back({i, j, {four[0], four[1]}});
        runs_.push_back({i + kMatrix, j, {four[2], four[3]}});
        sums_.push_back(std::move(four));
      }
  }

  uint32_t steps() const override { return plan_.depth / plan_.teams / kUnitSteps; }

  void load(uint32_t set, const Value& place, uint32_t step) override {
    load(sets_[set].a, a_, place, places_a_[step]);
    load(sets_[set].b, b_, place, places_b_[step]);
  }

  void multiply(uint32_t set) override {
    const Set& s = sets_[set];
    const std::string op = std::string("mma.sync.aligned.m16n8k16.row.col.f32.") + type_ + "." + type_ + ".f32";
    const uint32_t across = plan_.warp_columns / kUnitColumns;
    for (size_t i = 0; i < s.a.size(); ++i)
      for (uint32_t j = 0; j < across; ++j) {
        const std::string sums = list(sums_[i * across + j]);
        const auto right = s.b[j / 2].begin() + 2 * (j % 2);
        w_.op(op, {sums, list(s.a[i]), list({right, right + 2}), sums});
      }
  }

 private:
  static constexpr uint32_t kUnitRows = 16, kUnitColumns = 8, kUnitSteps = 16;  // of a multiplication
  static constexpr uint32_t kMatrix = 8;      // rows of a matrix that is loaded, and elements of each
  static constexpr uint32_t kLoadLines = 16;  // of an operand, of four matrices that are loaded at once
  static constexpr uint32_t kPieceBytes = 16;

  using Operand = std::vector<std::vector<Value>>;  // four registers of each load
  struct Set {
    Operand a, b;
  };

  // Where the lane's row of matrices lies in a place, for each step of multiplications and each load. Four matrices are
  // two neighbours along the lines and two along k; the second one is the next along the lines where `lines_first`.
  std::vector<std::vector<Value>> places(const HalfTile& t, const Value& line, const Value& step, uint32_t lines,
                                         bool lines_first) {
    const Value own = w_.u32("and.b32", {lane_, "7"});
    const auto bit = [&](uint32_t which) {
      const Value b = w_.u32("shr.u32", {lane_, number(which)});
      return w_.u32("shl.b32", {w_.u32("and.b32", {b, "1"}), "3"});
    };
    const Value low = bit(3), high = bit(4), more_lines = lines_first ? low : high,
                more_steps = lines_first ? high : low;
    std::vector<std::vector<Value>> all(steps());
    for (uint32_t i = 0; i < steps(); ++i)
      for (uint32_t l = 0; l < lines; l += kLoadLines) {
        Value from = w_.u32("add.u32", {w_.u32("add.u32", {line, number(l)}), more_lines});
        Value along = w_.u32("add.u32", {w_.u32("add.u32", {step, number(i * kUnitSteps)}), more_steps});
        Value& row = t.along ? from : along;
        row = w_.u32("add.u32", {row, own});
        const Value piece = w_.u32("shr.u32", {t.along ? along : from, "3"});
        const Value exchanged = w_.u32("xor.b32", {piece, t.exchanged(w_, row)});
        const Value in_row = w_.u32("mad.lo.u32", {exchanged, number(kPieceBytes), number(t.read_first())});
        all[i].push_back(w_.u32("mad.lo.u32", {row, number(t.row_bytes()), in_row}));
      }
    return all;
  }

  void load(Operand& to, const HalfTile& t, const Value& place, const std::vector<Value>& places) {
    to.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      while (to[i].size() < 4) to[i].push_back(w_.reg(Writer::Bits32));
      w_.op(std::string("ldmatrix.sync.aligned.m8n8.x4") + (t.along ? "" : ".trans") + ".shared.b16",
            {list(to[i]), at(w_.u32("add.u32", {place, places[i]}))});
    }
  }

  Writer& w_;
  const TilePlan plan_;
  const char* const type_;
  const HalfTile a_, b_;
  Value lane_;
  std::vector<std::vector<Value>> places_a_, places_b_;
  std::array<Set, 2> sets_;
  std::vector<std::vector<Value>> sums_;
};

}  // namespace

std::unique_ptr<TileMultiply> half_multiply(Writer& w, const TilePlan& plan, bool bfloat, const HalfTile& a,
                                            const HalfTile& b) {
  return std::make_unique<HalfMultiply>(w, plan, bfloat, a, b);
}

}  // namespace frit::codegen::ptx
