// While a tile of the operands is multiplied, the next ones are on their way. The threads of a workgroup meet once a
// tile: it has come, and the place of the tile before it is free again.
#include "codegen/ptx/tile_product.h"

#include "codegen/ptx/half_copies.h"
#include "codegen/ptx/tile_copies.h"
#include "codegen/ptx/tile_multiply.h"
#include "codegen/ptx/tile_order.h"

namespace frit::codegen::ptx {

namespace {

using P = TileParameters;

// How the operands come to shared memory and are multiplied.
struct TileParts {
  std::unique_ptr<OperandCopies> a, b;
  std::unique_ptr<TileMultiply> multiply;
};

TileParts wide_parts(Writer& w, const TileProduct& p, const TilePlan& plan) {
  const bool turns = p.type == TileType::Float64;
  const SharedTile a{p.bytes(), plan.rows(), plan.depth, 0, turns};
  const SharedTile b{p.bytes(), plan.columns(), plan.depth, a.size(), turns};
  auto copy_a = std::make_unique<TileCopies>(w, a, plan.threads(), P::kLeft);
  auto copy_b = std::make_unique<TileCopies>(w, b, plan.threads(), P::kRight);
  auto multiply = turns ? matrix_multiply(w, plan, *copy_a, *copy_b) : lane_multiply(w, plan, *copy_a, *copy_b);
  return {std::move(copy_a), std::move(copy_b), std::move(multiply)};
}

TileParts half_parts(Writer& w, const TileProduct& p, const TilePlan& plan) {
  const HalfTile a{p.a_along, p.odd, plan.rows(), plan.depth, 0, 0};
  const HalfTile b{p.b_along, p.odd, plan.columns(), plan.depth, a.size(), a.settled_size()};
  return {std::make_unique<HalfCopies>(w, a, plan.threads(), P::kLeft),
          std::make_unique<HalfCopies>(w, b, plan.threads(), P::kRight),
          half_multiply(w, plan, p.type == TileType::BFloat16, a, b)};
}

class TileWriter {
 public:
  explicit TileWriter(const TileProduct& product)
      : p_(product),
        plan_(tile_plan(product)),
        parts_(p_.halves() ? half_parts(w_, p_, plan_) : wide_parts(w_, p_, plan_)) {}

  Module run() {
    begin();
    multiply();
    const TileMultiply& m = *parts_.multiply;
    if (plan_.teams > 1)
      add_teams();
    else
      store(w_.u32("add.u32", {row_, m.row()}), w_.u32("add.u32", {column_, m.column()}), m.runs());
    w_.op("ret", {});
    const uint32_t teams = plan_.teams > 1 ? plan_.teams * tile_bytes() : 0;
    const uint32_t shared = std::max(plan_.places * place_bytes() + settled_bytes(), teams);
    return {w_.finish({"sm_90a", "product", P::kCount, plan_.threads(), shared, 128}), "product", plan_.threads()};
  }

 private:
  uint32_t place_bytes() const { return parts_.a->size() + parts_.b->size(); }
  uint32_t settled_bytes() const { return parts_.a->settled_size() + parts_.b->settled_size(); }
  uint32_t tile_bytes() const { return plan_.rows() * plan_.columns() * p_.sum_bytes(); }  // of a team's sums
  const char* type() const { return p_.type == TileType::Float64 ? "f64" : "f32"; }        // of sums
  bool rounds() const { return p_.halves() && !p_.split; }
  uint32_t stored_bytes() const { return rounds() ? 2 : p_.sum_bytes(); }

  void begin();
  void start_warps();
  Value operand_base(size_t operand, const Value& batch);
  void multiply();
  void fetch(const Value& place, const Value& left);
  void store(const Value& row, const Value& column, const std::vector<TileMultiply::Run>& runs);
  Value rounded(const Value& sum);
  void store_run(const Value& in, const Value& address, const std::vector<Value>& sums);
  void store_one(const Value& in, const Value& address, const Value& sum);
  void add_teams();

  const TileProduct p_;
  const TilePlan plan_;
  Writer w_;
  const TileParts parts_;
  Value thread_, warp_, team_, m_, n_, row_, column_;  // the tile's first row and column
  Value matrix_;                                       // of the result, or of the parts' sums
  Value steps_, shared_, end_;  // the first place, and the end of the last one, where settled tiles begin
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
    if (axis) w_.jump_if(w_.test("setp.eq.u32", {rest, "0"}), one);
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
  matrix_ = at.matrix;
  shared_ = w_.u32("mov.u32", {Writer::kShared});
  parts_.a->start({thread_, operand_base(P::kLeft, batch), row_, m_, first});
  parts_.b->start({thread_, operand_base(P::kRight, batch), column_, n_, first});
}

// After the first copies have begun, which take longer than all of this.
void TileWriter::start_warps() {
  warp_ = w_.u32("shr.u32", {thread_, "5"});
  team_ = w_.u32("div.u32", {warp_, number(plan_.warps_m * plan_.warps_n)});
  const Value own = w_.u32("rem.u32", {warp_, number(plan_.warps_m * plan_.warps_n)});
  const Value row = w_.u32("mul.lo.u32", {w_.u32("div.u32", {own, number(plan_.warps_n)}), number(plan_.warp_rows)});
  const Value column =
      w_.u32("mul.lo.u32", {w_.u32("rem.u32", {own, number(plan_.warps_n)}), number(plan_.warp_columns)});
  const Value step = w_.u32("mul.lo.u32", {team_, number(plan_.depth / plan_.teams)});
  parts_.multiply->start({w_.u32("and.b32", {thread_, "31"}), row, column, step});
}

// Copies a tile where steps are left, which are counted down below zero.
void TileWriter::fetch(const Value& place, const Value& left) {
  const Value none = w_.label();
  w_.jump_if(w_.test("setp.le.s32", {left, "0"}), none);
  parts_.a->copy(place, left);
  parts_.b->copy(place, left);
  w_.place(none);
  w_.op("cp.async.commit_group", {});
  w_.op("sub.s32", {left, left, number(plan_.depth)});
}

void TileWriter::multiply() {
  const Value left = w_.u32("mov.u32", {steps_}), rest = w_.u32("mov.u32", {steps_});
  end_ = w_.u32("add.u32", {shared_, number(plan_.places * place_bytes())});
  const Value to = w_.u32("mov.u32", {shared_}), from = w_.u32("mov.u32", {shared_});
  const auto advance = [&](const Value& place) {
    w_.op("add.u32", {place, place, number(place_bytes())});
    w_.op("selp.u32", {place, shared_, place, w_.test("setp.eq.u32", {place, end_})});
  };
  // The place of a tile that has settled is free.
  const uint32_t coming = settled_bytes() ? plan_.places : plan_.places - 1;
  for (uint32_t i = 0; i < coming; ++i) {
    fetch(to, left);
    advance(to);
  }
  start_warps();
  const auto meet = [&] {
    w_.op("cp.async.wait_group", {number(coming - 1)});
    w_.op("bar.sync", {"0"});
    if (!settled_bytes()) return;
    parts_.a->settle(from, end_);
    parts_.b->settle(from, end_);
    w_.op("bar.sync", {"0"});
  };
  const Value read = settled_bytes() ? end_ : from;
  const Value loop = w_.label(), done = w_.label();
  w_.jump_if(w_.test("setp.le.s32", {rest, "0"}), done);
  // Elements of a step are loaded while those of the step before it are multiplied, also from a tile to the next one.
  const uint32_t steps = parts_.multiply->steps();
  const bool ahead = steps % 2 == 0;
  if (ahead) {
    meet();
    parts_.multiply->load(0, read, 0);
  }
  w_.place(loop);
  if (!ahead) meet();
  for (uint32_t step = 0; step < steps; ++step) {
    if (!ahead) {
      parts_.multiply->load(0, read, step);
    } else if (step + 1 < steps) {
      parts_.multiply->load((step + 1) % 2, read, step + 1);
    } else {
      advance(from);
      meet();
      parts_.multiply->load(0, read, 0);
    }
    parts_.multiply->multiply(ahead ? step % 2 : 0);
    if (step) continue;
    fetch(to, left);
    advance(to);
  }
  if (!ahead) advance(from);
  w_.op("sub.s32", {rest, rest, number(plan_.depth)});
  w_.jump_if(w_.test("setp.gt.s32", {rest, "0"}), loop);
  w_.place(done);
}

// A result's element of 16 bits.
Value TileWriter::rounded(const Value& sum) {
  const Value half = w_.reg(Writer::Bits16);
  w_.op(p_.type == TileType::BFloat16 ? "cvt.rn.bf16.f32" : "cvt.rn.f16.f32", {half, sum});
  return half;
}

void TileWriter::store_one(const Value& in, const Value& address, const Value& sum) {
  if (rounds())
    w_.op_if(in, "st.global.b16", {address, rounded(sum)});
  else
    w_.op_if(in, std::string("st.global.") + type(), {address, sum});
}

// Neighbours, whose first one's address is a multiple of their bytes.
void TileWriter::store_run(const Value& in, const Value& address, const std::vector<Value>& sums) {
  if (!rounds()) {
    w_.op_if(in, std::string("st.global.v") + number(sums.size()) + "." + type(), {address, list(sums)});
    return;
  }
  const Value pair = w_.reg(Writer::Bits32);
  w_.op(p_.type == TileType::BFloat16 ? "cvt.rn.bf16x2.f32" : "cvt.rn.f16x2.f32", {pair, sums[1], sums[0]});
  w_.op_if(in, "st.global.b32", {address, pair});
}

// Runs of sums that lie behind a row and a column of the result.
void TileWriter::store(const Value& row, const Value& column, const std::vector<TileMultiply::Run>& runs) {
  const uint32_t bytes = stored_bytes();
  const Value pitch = p_.split ? w_.parameter(P::kPitch) : w_.u64("cvt.u64.u32", {n_});
  const Value line_bytes = w_.u64("mul.lo.u64", {pitch, number(bytes)});
  const Value line = w_.u64("mad.wide.u32", {matrix_, m_, w_.u64("cvt.u64.u32", {row})});
  const Value base = w_.u64("mad.lo.u64", {line, line_bytes, w_.parameter(P::kResult)});
  const Value from = w_.u64("mad.wide.u32", {column, number(bytes), base});
  const uint64_t run_bytes = runs[0].sums.size() * bytes;
  const Value odd =
      w_.u64("and.b64", {w_.u64("or.b64", {line_bytes, w_.parameter(P::kResult)}), number(run_bytes - 1)});
  const Value loose = w_.label(), end = w_.label();
  const auto each = [&](auto&& body) {
    for (const TileMultiply::Run& run : runs) {
      const Value there = w_.test("setp.lt.u32", {run.row ? w_.u32("add.u32", {row, number(run.row)}) : row, m_});
      const Value own = run.column ? w_.u32("add.u32", {column, number(run.column)}) : column;
      const Value line = w_.u64("mad.lo.u64", {line_bytes, number(run.row), from});
      body(run, run.column ? w_.u64("add.u64", {line, number(run.column * bytes)}) : line, own, there);
    }
  };
  w_.jump_if(w_.test("setp.ne.u64", {odd, "0"}), loose);
  each([&](const TileMultiply::Run& run, const Value& to, const Value& own, const Value& there) {
    store_run(w_.test("setp.lt.and.u32", {own, n_, there}), at(to), run.sums);
  });
  w_.jump(end);
  w_.place(loose);
  each([&](const TileMultiply::Run& run, const Value& to, const Value& own, const Value& there) {
    for (size_t i = 0; i < run.sums.size(); ++i) {
      const Value column = i ? w_.u32("add.u32", {own, number(i)}) : own;
      store_one(w_.test("setp.lt.and.u32", {column, n_, there}), at(to, i * bytes), run.sums[i]);
    }
  });
  w_.place(end);
}

// The teams' sums meet in shared memory, and are added in the order of the steps. Threads have runs one row of the
// workgroup's threads apart.
void TileWriter::add_teams() {
  const TileMultiply& m = *parts_.multiply;
  const uint32_t bytes = p_.sum_bytes(), columns = plan_.columns();
  const auto run = static_cast<uint32_t>(m.runs()[0].sums.size());
  const std::string vector = std::string(".v") + number(run) + "." + type();
  w_.op("cp.async.wait_all", {});
  w_.op("bar.sync", {"0"});
  const Value element = w_.u32("mad.lo.u32", {m.row(), number(columns), m.column()});
  const Value own = w_.u32("mad.lo.u32", {team_, number(tile_bytes()), shared_});
  const Value to = w_.u32("mad.lo.u32", {element, number(bytes), own});
  for (const TileMultiply::Run& r : m.runs())
    w_.op("st.shared" + vector, {at(to, (r.row * columns + r.column) * bytes), list(r.sums)});
  w_.op("bar.sync", {"0"});
  const auto kind = p_.type == TileType::Float64 ? Writer::Float64 : Writer::Float32;
  const Value from = w_.u32("mad.lo.u32", {thread_, number(run * bytes), shared_});
  const uint32_t beside = columns / run, rows = plan_.threads() / beside;  // of a turn
  std::vector<TileMultiply::Run> runs;
  for (uint32_t row = 0; row < plan_.rows(); row += rows) {
    runs.push_back({row, 0, {}});
    for (uint32_t team = 0; team < plan_.teams; ++team) {
      std::vector<Value> part;
      while (part.size() < run) part.push_back(w_.reg(kind));
      w_.op("ld.shared" + vector, {list(part), at(from, team * tile_bytes() + row * columns * bytes)});
      for (uint32_t i = 0; team && i < run; ++i)
        w_.op(std::string("add.") + type(), {part[i], runs.back().sums[i], part[i]});
      runs.back().sums = std::move(part);
    }
  }
  const Value row = w_.u32("add.u32", {row_, w_.u32("div.u32", {thread_, number(beside)})});
  const Value in_row = w_.u32("rem.u32", {thread_, number(beside)});
  store(row, w_.u32("mad.lo.u32", {in_row, number(run), column_}), runs);
}

}  // namespace

TilePlan tile_plan(const TileProduct& p) {
  const bool medium = p.size == TileSize::Medium;
  if (p.halves()) {
    if (p.odd) return medium ? TilePlan{2, 4, 1, 32, 16, 32, 3} : TilePlan{1, 2, 4, 32, 16, 64, 3};
    return medium ? TilePlan{2, 2, 1, 32, 32, 32, 5} : TilePlan{1, 1, 4, 32, 32, 64, 5};
  }
  if (medium) return {2, 2, 1, 32, 32, 8, 5};
  return p.type == TileType::Float64 ? TilePlan{1, 1, 4, 32, 32, 32, 2} : TilePlan{1, 1, 4, 32, 32, 16, 5};
}

Module tile_module(const TileProduct& product) { return TileWriter(product).run(); }

}  // namespace frit::codegen::ptx
