// While a tile of the operands is multiplied, the next ones are on their way. The threads of a workgroup meet once a
// tile: it has come, and the place of the tile before it is free again.
#include "codegen/ptx/tile_product.h"

#include "codegen/ptx/tile_copies.h"
#include "codegen/ptx/tile_multiply.h"
#include "codegen/ptx/tile_order.h"

namespace frit::codegen::ptx {

namespace {

using P = TileParameters;
constexpr uint32_t kStoreBytes = 16;  // bytes of a store

class TileWriter {
 public:
  explicit TileWriter(const TileProduct& product)
      : p_(product),
        plan_(tile_plan(product)),
        a_{product.bytes(), plan_.rows(), plan_.depth, 0, product.float64},
        b_{product.bytes(), plan_.columns(), plan_.depth, a_.size(), product.float64},
        copy_a_(w_, a_, plan_.threads(), P::kLeft),
        copy_b_(w_, b_, plan_.threads(), P::kRight),
        multiply_(product.float64 ? matrix_multiply(w_, plan_, copy_a_, copy_b_)
                                  : lane_multiply(w_, plan_, copy_a_, copy_b_)) {}

  Module run() {
    begin();
    multiply();
    if (plan_.teams > 1)
      store_teams();
    else
      store();
    w_.op("ret", {});
    const uint32_t teams = plan_.teams > 1 ? plan_.teams * tile_bytes() : 0;
    const uint32_t shared = std::max(plan_.places * place_bytes(), teams);
    return {w_.finish({"sm_90a", "product", P::kCount, plan_.threads(), shared, 128}), "product", plan_.threads()};
  }

 private:
  uint32_t place_bytes() const { return a_.size() + b_.size(); }
  uint32_t tile_bytes() const { return plan_.rows() * plan_.columns() * p_.bytes(); }  // of a team's sums
  const char* type() const { return p_.float64 ? "f64" : "f32"; }

  void begin();
  Value operand_base(size_t operand, const Value& batch);
  void multiply();
  void fetch(const Value& place, const Value& left);
  Value advanced(const Value& place);
  void store();
  void store_run(const TileMultiply::Run& run, const Value& address, const Value& column, const Value& there);
  void store_teams();
  Value line_address(const Value& row);

  const TileProduct p_;
  const TilePlan plan_;
  Writer w_;
  const SharedTile a_, b_;
  TileCopies copy_a_, copy_b_;
  std::unique_ptr<TileMultiply> multiply_;
  Value thread_, warp_, team_, m_, n_, row_, column_;  // the tile's first row and column
  Value before_, pitch_;                               // rows of the result before this matrix, elements between rows
  Value steps_, shared_, end_;
};

// The address of matrix `batch` of an operand. Most products have one matrix.
Value TileWriter::operand_base(size_t operand, const Value& batch) {
  const Value base = w_.u64("mov.b64", {w_.parameter(operand + P::kOperandAddress)}), one = w_.label();
  w_.jump_if(w_.test("setp.eq.u32", {batch, "0"}), one);
  Value rest = batch;
  for (size_t axis = P::kBatchAxes; axis-- > 0;) {
    const Value size = w_.low_parameter(P::kBatchSizes + axis);
    const Value own = w_.u32("rem.u32", {rest, size});
    rest = w_.u32("div.u32", {rest, size});
    w_.op("mad.lo.u64", {base, w_.u64("cvt.u64.u32", {own}), w_.parameter(operand + P::kOperandBatch + axis), base});
  }
  w_.place(one);
  return base;
}

void TileWriter::begin() {
  thread_ = w_.u32("mov.u32", {"%tid.x"});
  m_ = w_.low_parameter(P::kRows);
  n_ = w_.low_parameter(P::kColumns);
  const Value k = w_.low_parameter(P::kSteps);
  const TileCounts tiles = count_tiles(w_, m_, n_, plan_.rows(), plan_.columns());
  const TilePlace at = tile_place(w_, tiles, w_.u32("mov.u32", {"%ctaid.x"}));
  row_ = w_.u32("mul.lo.u32", {at.row, number(plan_.rows())});
  column_ = w_.u32("mul.lo.u32", {at.column, number(plan_.columns())});
  Value batch = at.matrix, first = "0";
  steps_ = k;
  if (p_.split) {
    const Value matrices = w_.low_parameter(P::kMatrices), each = w_.low_parameter(P::kPartSteps);
    const Value part = w_.u32("div.u32", {at.matrix, matrices});
    batch = w_.u32("rem.u32", {at.matrix, matrices});
    first = w_.u32("mul.lo.u32", {part, each});
    steps_ = w_.u32("min.u32", {each, w_.u32("sub.u32", {k, first})});
  } else {
    first = w_.u32("mov.u32", {"0"});
  }
  before_ = w_.u64("mul.wide.u32", {at.matrix, m_});
  pitch_ = p_.split ? w_.parameter(P::kPitch) : w_.u64("cvt.u64.u32", {n_});
  copy_a_.start(thread_, operand_base(P::kLeft, batch), row_, m_, first);
  copy_b_.start(thread_, operand_base(P::kRight, batch), column_, n_, first);

  warp_ = w_.u32("shr.u32", {thread_, "5"});
  team_ = w_.u32("div.u32", {warp_, number(plan_.warps_m * plan_.warps_n)});
  const Value own = w_.u32("rem.u32", {warp_, number(plan_.warps_m * plan_.warps_n)});
  const Value row = w_.u32("mul.lo.u32", {w_.u32("div.u32", {own, number(plan_.warps_n)}), number(plan_.warp_rows)});
  const Value column =
      w_.u32("mul.lo.u32", {w_.u32("rem.u32", {own, number(plan_.warps_n)}), number(plan_.warp_columns)});
  const Value step = w_.u32("mul.lo.u32", {team_, number(plan_.depth / plan_.teams)});
  multiply_->start({w_.u32("and.b32", {thread_, "31"}), row, column, step});
  shared_ = w_.u32("mov.u32", {Writer::kShared});
}

// Copies a tile where steps are left, which are counted down below zero.
void TileWriter::fetch(const Value& place, const Value& left) {
  const Value none = w_.label();
  w_.jump_if(w_.test("setp.le.s32", {left, "0"}), none);
  copy_a_.copy(place, left);
  copy_b_.copy(place, left);
  w_.place(none);
  w_.op("cp.async.commit_group", {});
  w_.op("sub.s32", {left, left, number(plan_.depth)});
}

void TileWriter::multiply() {
  const Value left = w_.u32("mov.u32", {steps_}), rest = w_.u32("mov.u32", {steps_});
  end_ = w_.u32("add.u32", {shared_, number(plan_.places * place_bytes())});
  const Value to = w_.u32("mov.u32", {shared_}), from = w_.u32("mov.u32", {shared_});
  for (uint32_t i = 0; i + 1 < plan_.places; ++i) {
    fetch(to, left);
    w_.op("add.u32", {to, to, number(place_bytes())});
  }
  const auto advance = [&](const Value& place) {
    w_.op("add.u32", {place, place, number(place_bytes())});
    w_.op("selp.u32", {place, shared_, place, w_.test("setp.eq.u32", {place, end_})});
  };
  const auto meet = [&] {
    w_.op("cp.async.wait_group", {number(plan_.places - 2)});
    w_.op("bar.sync", {"0"});
  };
  const Value loop = w_.label(), done = w_.label();
  w_.jump_if(w_.test("setp.le.s32", {rest, "0"}), done);
  // Elements of a step are loaded while those of the step before it are multiplied, also from a tile to the next one.
  const uint32_t steps = multiply_->steps();
  const bool ahead = steps % 2 == 0;
  if (ahead) {
    meet();
    multiply_->load(0, from, 0);
  }
  w_.place(loop);
  if (!ahead) meet();
  for (uint32_t step = 0; step < steps; ++step) {
    if (!ahead) {
      multiply_->load(0, from, step);
    } else if (step + 1 < steps) {
      multiply_->load((step + 1) % 2, from, step + 1);
    } else {
      advance(from);
      meet();
      multiply_->load(0, from, 0);
    }
    multiply_->multiply(ahead ? step % 2 : 0);
    if (step) continue;
    fetch(to, left);
    advance(to);
  }
  if (!ahead) advance(from);
  w_.op("sub.s32", {rest, rest, number(plan_.depth)});
  w_.jump_if(w_.test("setp.gt.s32", {rest, "0"}), loop);
  w_.place(done);
}

Value TileWriter::line_address(const Value& row) {
  const Value line = w_.u64("add.u64", {before_, w_.u64("cvt.u64.u32", {row})});
  const Value element = w_.u64("mul.lo.u64", {line, pitch_});
  return w_.u64("mad.lo.u64", {element, number(p_.bytes()), w_.parameter(P::kResult)});
}

void TileWriter::store() {
  const Value row = w_.u32("add.u32", {row_, multiply_->row()}),
              column = w_.u32("add.u32", {column_, multiply_->column()});
  const Value base = line_address(row);
  const Value line_bytes = w_.u64("mul.lo.u64", {pitch_, number(p_.bytes())});
  const Value from = w_.u64("mad.wide.u32", {column, number(p_.bytes()), base});
  const Value odd =
      w_.u64("and.b64", {w_.u64("or.b64", {line_bytes, w_.parameter(P::kResult)}), number(kStoreBytes - 1)});
  const Value loose = w_.label(), end = w_.label();
  const auto each = [&](auto&& body) {
    for (const TileMultiply::Run& run : multiply_->runs()) {
      const Value there = w_.test("setp.lt.u32", {run.row ? w_.u32("add.u32", {row, number(run.row)}) : row, m_});
      const Value own = run.column ? w_.u32("add.u32", {column, number(run.column)}) : column;
      const Value line = w_.u64("mad.lo.u64", {line_bytes, number(run.row), from});
      body(run, run.column ? w_.u64("add.u64", {line, number(run.column * p_.bytes())}) : line, own, there);
    }
  };
  w_.jump_if(w_.test("setp.ne.u64", {odd, "0"}), loose);
  each([&](const TileMultiply::Run& run, const Value& to, const Value& own, const Value& there) {
    w_.op_if(w_.test("setp.lt.and.u32", {own, n_, there}),
             std::string("st.global.v") + number(run.sums.size()) + "." + type(), {at(to), list(run.sums)});
  });
  w_.jump(end);
  w_.place(loose);
  each([&](const TileMultiply::Run& run, const Value& to, const Value& own, const Value& there) {
    for (size_t i = 0; i < run.sums.size(); ++i) {
      const Value column = i ? w_.u32("add.u32", {own, number(i)}) : own;
      w_.op_if(w_.test("setp.lt.and.u32", {column, n_, there}), std::string("st.global.") + type(),
               {at(to, i * p_.bytes()), run.sums[i]});
    }
  });
  w_.place(end);
}

// The teams' sums meet in shared memory, and are added in the order of the steps.
void TileWriter::store_teams() {
  w_.op("cp.async.wait_all", {});
  w_.op("bar.sync", {"0"});
  const Value element = w_.u32("mad.lo.u32", {multiply_->row(), number(plan_.columns()), multiply_->column()});
  const Value own = w_.u32("mad.lo.u32", {team_, number(tile_bytes()), shared_});
  const Value to = w_.u32("mad.lo.u32", {element, number(p_.bytes()), own});
  for (const TileMultiply::Run& run : multiply_->runs())
    w_.op(std::string("st.shared.v") + number(run.sums.size()) + "." + type(),
          {at(to, (run.row * plan_.columns() + run.column) * p_.bytes()), list(run.sums)});
  w_.op("bar.sync", {"0"});
  const auto kind = p_.float64 ? Writer::Float64 : Writer::Float32;
  const Value from = w_.u32("mad.lo.u32", {thread_, number(p_.bytes()), shared_});
  const uint32_t rows = plan_.threads() / plan_.columns();  // of a turn
  const Value in_tile = w_.u32("div.u32", {thread_, number(plan_.columns())});
  const Value column = w_.u32("add.u32", {column_, w_.u32("rem.u32", {thread_, number(plan_.columns())})});
  const Value inside = w_.test("setp.lt.u32", {column, n_}), row = w_.u32("add.u32", {row_, in_tile});
  const Value base = w_.u64("mad.wide.u32", {column, number(p_.bytes()), line_address(row)});
  const Value turn_bytes = w_.u64("mul.lo.u64", {pitch_, number(rows * p_.bytes())});
  for (uint32_t i = 0; i < plan_.rows() / rows; ++i) {
    Value sum;
    for (uint32_t team = 0; team < plan_.teams; ++team) {
      const Value part = w_.reg(kind);
      w_.op(std::string("ld.shared.") + type(),
            {part, at(from, team * tile_bytes() + i * plan_.threads() * p_.bytes())});
      if (team) w_.op(std::string("add.") + type(), {part, sum, part});
      sum = part;
    }
    const Value there = w_.test("setp.lt.and.u32", {i ? w_.u32("add.u32", {row, number(i * rows)}) : row, m_, inside});
    w_.op_if(there, std::string("st.global.") + type(), {at(base), sum});
    w_.op("add.u64", {base, base, turn_bytes});
  }
}

}  // namespace

TilePlan tile_plan(const TileProduct& p) {
  if (p.size == TileSize::Medium) return {2, 2, 1, 32, 32, 8, 5};
  return p.float64 ? TilePlan{1, 1, 4, 32, 32, 32, 2} : TilePlan{1, 1, 4, 32, 32, 16, 5};
}

Module tile_module(const TileProduct& product) { return TileWriter(product).run(); }

}  // namespace frit::codegen::ptx
