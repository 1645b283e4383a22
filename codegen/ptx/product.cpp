// A workgroup computes tiles of the result. One thread copies pieces of the operands to rings in shared memory; two
// groups of four warps multiply them, each 64 rows by all columns of the tile, with sums in float32 registers.
//
// Vulkan's driver gives 48 KiB of shared memory to a multiprocessor, which hold few pieces on their way. So the left
// operand waits in registers: it is loaded there from memory, or its places in shared memory are free again once a warp
// has read them. Copies by tensor maps fill up with zeros what lies outside of the operands, so any sizes are right.
// The result is rounded once, and stored 16 bytes at a time after the four threads of a line have exchanged their
// elements; where lines are no multiple of that, in pairs or one by one, as the matrix units left them.
#include "codegen/ptx/product.h"

#include <array>

#include "codegen/ptx/left.h"
#include "codegen/ptx/rows.h"
#include "codegen/ptx/tensor_map.h"
#include "codegen/ptx/tile_order.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kGroups = 2, kGroupThreads = 128, kRows = 64;  // that multiply, and of one of them
static_assert(kGroups * kGroupThreads == kMultiplyingThreads);
constexpr uint32_t kDepth = kProductDepth;
constexpr uint32_t kThreads = (kGroups + 1) * kGroupThreads;  // and a group that copies
constexpr uint32_t kRegisters = 240, kFewRegisters = 24;      // of threads that multiply, and of those that copy
constexpr uint32_t kLine = 64;                                // elements of 128 bytes
constexpr uint32_t kLeftBytes = kProductRows * kDepth * 2;
constexpr uint32_t kRightAlone = 5 * 256, kRightBeside = 4 * 256;  // columns of a ring of pieces of the right operand
constexpr uint32_t kLeftPlaces = 3;                                // of the left one's ring

// How a matrix unit finds the right operand in shared memory: the low and the high half of its description, the former
// without the place. Lines of 16 steps along k lie in groups of 8 lines of 32 bytes; columns of k lie in lines of 128
// bytes, 64 columns of the operand each.
struct Layout {
  uint32_t low, high;
  uint32_t step;  // from 16 steps along k to the next ones
};
constexpr Layout layout(bool along_k, uint32_t depth) {
  constexpr uint32_t kUnit = 16;  // sizes count pieces of 16 bytes
  const uint32_t line = depth * 2;
  if (along_k) return {1u << 16, 8 * line / kUnit | (line == 32 ? 3u : 2u) << 30, kDepth * 2 / kUnit};
  return {kLine * line / kUnit << 16, 8 * kLine * 2 / kUnit | 1u << 30, kLine * 2 * kDepth / kUnit};
}

bool is_loaded(const Product& p) { return p.left != LeftWay::Columns; }
bool is_permuted(const Product& p) { return p.left == LeftWay::Permuted; }
// Turns of the left operand that are loaded ahead: more where its bytes are most of the work.
uint32_t turns_of(const Product& p) { return p.columns > 64 ? 4 : 8; }
// Steps of a piece of the right operand: more where their multiplication takes little time beside waiting for them.
uint32_t depth_of(const Product& p) { return is_loaded(p) && !is_permuted(p) && p.columns < 256 ? 2 * kDepth : kDepth; }
// Steps after which the product may end.
uint32_t grain_of(const Product& p) { return is_permuted(p) ? 2 * kTurn : is_loaded(p) ? kTurn : kDepth; }

class ProductWriter {
  using P = ProductParameters;

 public:
  explicit ProductWriter(const Product& product)
      : p_(product),
        loaded_(is_loaded(product)),
        left_plan_{0, kLeftBytes, kLeftPlaces, 0},
        depth_(depth_of(product)),
        right_plan_{loaded_ ? 0 : kLeftPlaces * kLeftBytes, product.columns * depth_ * 2,
                    (loaded_ ? kRightAlone : kRightBeside) * kDepth / (product.columns * depth_), 0} {
    right_plan_.barriers = right_plan_.first + right_plan_.places * right_plan_.bytes;
    left_plan_.barriers = right_plan_.barriers + right_plan_.barrier_bytes();
  }

  Module run() {
    begin();
    const Value copying = w_.label(), end = w_.label();
    w_.jump_if(w_.test("setp.ge.u32", {f_.thread, number(kGroups * kGroupThreads)}), copying);
    w_.op("setmaxnreg.inc.sync.aligned.u32", {number(kRegisters)});
    multiply(end);
    w_.place(copying);
    w_.op("setmaxnreg.dec.sync.aligned.u32", {number(kFewRegisters)});
    w_.jump_if(w_.test("setp.ge.u32", {f_.thread, number(kGroups * kGroupThreads + 32)}), end);
    copy(end);
    w_.place(end);
    w_.op("ret", {});
    const uint32_t shared = table_first() + (p_.left == LeftWay::Windows ? 8 * kMostUnits : 0);
    return {w_.finish({"sm_90a", "product", product_parameters(p_), kThreads, shared, 1024}), "product", kThreads};
  }

 private:
  // Where maps are made in shared memory.
  uint32_t maps_first() const {
    const uint32_t end = left_plan_.barriers + (loaded_ ? 0 : left_plan_.barrier_bytes());
    return (end + kTensorMapBytes - 1) / kTensorMapBytes * kTensorMapBytes;
  }
  uint32_t table_first() const { return maps_first() + kProductMaps; }
  void begin();
  Tile tile();
  // The tiles of a workgroup, one after another; `body` is written once.
  template <class F>
  void each_tile(const Value& end, F&& body) {
    const Value again = w_.label();
    w_.place(again);
    w_.jump_if(w_.test("setp.ge.u32", {number_, all_tiles_}), end);
    body(tile());
    w_.op("add.u32", {number_, number_, w_.u32("mov.u32", {"%nctaid.x"})});
    w_.jump(again);
  }
  std::unique_ptr<Left> left();
  void multiply(const Value& end);
  void multiply_tile(Left& left, const Tile& tile, const Value& first, const Value& high);
  void store(const Tile& tile);
  void store_sums(const Tile& tile);
  void store_loose(const Value& to, const Value& sums, const Value& column, const Value& there);
  Value rounded(size_t at) { return w_.u32("cvt.rn." + type() + "x2.f32", {sums_[at + 1], sums_[at]}); }
  std::vector<TensorMap> maps();
  void copy(const Value& end);
  void copy_piece(Ring& ring, const Value& map, bool along_k, uint32_t lines, uint32_t depth, const Value& line,
                  const Value& step, const Value& batch);
  void copy_permuted(const Value& map, const Value& column, const Value& step, const Value& batch);
  std::string type() const { return p_.bfloat ? "bf16" : "f16"; }

  const Product p_;
  const bool loaded_;
  RingPlan left_plan_;
  const uint32_t depth_;  // of a piece of the right operand
  RingPlan right_plan_;
  Writer w_;
  ProductFrame f_{w_, {}, {}, {}, {}, {}, {}, {}, {}};
  std::optional<Ring> left_ring_, right_;
  TileCounts tiles_;
  Value result_, wide_, even_, n_, all_tiles_, number_;
  std::vector<Value> sums_;
};

void ProductWriter::begin() {
  result_ = w_.parameter(P::kResult);
  f_.m = w_.low_parameter(P::kRows);
  n_ = w_.low_parameter(P::kColumns);
  f_.k = w_.low_parameter(P::kSteps);
  f_.thread = w_.u32("mov.u32", {"%tid.x"});
  tiles_ = count_tiles(w_, f_.m, n_, kProductRows, p_.columns);
  all_tiles_ = w_.u32("mul.lo.u32", {tiles_.all, w_.low_parameter(P::kMatrices)});
  if (p_.split) all_tiles_ = w_.u32("mul.lo.u32", {all_tiles_, w_.low_parameter(P::kParts)});
  const Value shared = w_.u32("mov.u32", {Writer::kShared}), open = w_.label();
  right_.emplace(w_, right_plan_, shared);
  if (!loaded_) left_ring_.emplace(w_, left_plan_, shared);
  w_.jump_if(w_.test("setp.ne.u32", {f_.thread, "0"}), open);
  right_->open(kGroups);
  if (left_ring_) left_ring_->open(kGroups * 4);
  w_.op("fence.mbarrier_init.release.cluster", {});
  w_.op("fence.proxy.async.shared::cta", {});
  w_.place(open);
  w_.op("bar.sync", {"0"});
  number_ = w_.u32("mov.u32", {"%ctaid.x"});
}

Tile ProductWriter::tile() {
  const TilePlace at = tile_place(w_, tiles_, number_);
  Tile t{at.matrix,
         w_.u32("mul.lo.u32", {at.row, number(kProductRows)}),
         w_.u32("mul.lo.u32", {at.column, number(p_.columns)}),
         at.matrix,
         "0",
         f_.k};
  if (!p_.split) return t;
  const Value matrices = w_.low_parameter(P::kMatrices), steps = w_.low_parameter(P::kPartSteps);
  const Value part = w_.u32("div.u32", {at.matrix, matrices});
  t.batch = w_.u32("sub.u32", {at.matrix, w_.u32("mul.lo.u32", {part, matrices})});
  t.first = w_.u32("mul.lo.u32", {part, steps});
  t.end = w_.u32("min.u32", {w_.u32("add.u32", {t.first, steps}), f_.k});
  return t;
}

std::unique_ptr<Left> ProductWriter::left() {
  if (!loaded_) return ring_left(f_, *left_ring_);
  auto rows = p_.left == LeftWay::Windows ? window_rows(f_, P::kLeft, table_first()) : dense_rows(f_, P::kLeft);
  return loaded_left(f_, std::move(rows), turns_of(p_), !is_permuted(p_));
}

void ProductWriter::multiply(const Value& end) {
  right_->start(false);
  if (left_ring_) left_ring_->start(false);
  f_.group = w_.u32("shr.u32", {f_.thread, "7"});
  f_.lane = w_.u32("and.b32", {f_.thread, "31"});
  f_.in_line = w_.u32("and.b32", {f_.lane, "3"});
  f_.warp = w_.u32("and.b32", {w_.u32("shr.u32", {f_.thread, "5"}), "3"});
  const Value in_group = w_.u32("mad.lo.u32", {f_.warp, "16", w_.u32("shr.u32", {f_.lane, "2"})});
  f_.line = w_.u32("mad.lo.u32", {f_.group, number(kRows), in_group});
  const Value first = w_.test("setp.eq.u32", {w_.u32("and.b32", {f_.thread, "127"}), "0"});
  const Value high = w_.u32("mov.u32", {number(layout(p_.b_columns, depth_).high)});
  const std::unique_ptr<Left> operand = left();
  for (uint32_t i = 0; i < p_.columns / 2; ++i) sums_.push_back(w_.reg(Writer::Float32));
  if (!p_.split) {
    const Value odd = w_.u64("or.b64", {w_.u64("mul.wide.u32", {n_, "2"}), result_});
    wide_ = w_.test("setp.eq.u64", {w_.u64("and.b64", {odd, "15"}), "0"});
    even_ = w_.test("setp.eq.u64", {w_.u64("and.b64", {odd, "3"}), "0"});
  }
  each_tile(end, [&](const Tile& tile) {
    operand->start(tile);
    multiply_tile(*operand, tile, first, high);
    if (p_.split)
      store_sums(tile);
    else
      store(tile);
  });
}

// Sums of a tile. Pieces in two sets of registers follow one another: one is filled while the other is multiplied.
void ProductWriter::multiply_tile(Left& operand, const Tile& tile, const Value& first, const Value& high) {
  const Value step = w_.u32("mov.u32", {tile.first}), loop = w_.label(), done = w_.label();
  for (const Value& s : sums_) w_.op("mov.f32", {s, "0f00000000"});
  const Value more = w_.test("setp.eq.u32", {step, step});  // sums go on: always
  const uint32_t grain = grain_of(p_) / kDepth, pieces = operand.pieces(), own = depth_ / kDepth;
  const Layout right = layout(p_.b_columns, depth_);
  w_.place(loop);
  for (uint32_t piece = 0; piece < pieces; piece += own) {
    std::vector<Value> a, b;
    for (uint32_t i = 0; i < own; ++i) a.push_back(list(operand.fragment(piece + i)));
    const Value low = w_.u32("or.b32", {w_.u32("shr.u32", {right_->take(), "4"}), number(right.low)});
    for (uint32_t i = 0; i < own; ++i)
      b.push_back(w_.u64("mov.b64", {list({i ? w_.u32("add.u32", {low, number(i * right.step)}) : low, high})}));
    w_.op("wgmma.fence.sync.aligned", {});
    for (uint32_t i = 0; i < own; ++i)
      w_.op("wgmma.mma_async.sync.aligned.m64n" + number(p_.columns) + "k16.f32." + type() + "." + type(),
            {list(sums_), a[i], b[i], more, "1", "1", p_.b_columns ? "0" : "1"});
    w_.op("wgmma.commit_group.sync.aligned", {});
    // The piece before this one has been multiplied.
    w_.op("wgmma.wait_group.sync.aligned", {"1"});
    if (piece == 0) {
      const Value before = w_.test("setp.ne.and.u32", {step, tile.first, first});
      right_->give_back_if(before, w_.test("setp.ne.u32", {step, tile.first}));
    } else {
      right_->give_back(first);
    }
    for (uint32_t i = 0; i < own; ++i) operand.after(piece + i);
    if ((piece + own) % grain) continue;
    w_.op("add.u32", {step, step, number(grain * kDepth)});
    if (piece + own < pieces)
      w_.jump_if(w_.test("setp.ge.u32", {step, tile.end}), done);
    else
      w_.jump_if(w_.test("setp.lt.u32", {step, tile.end}), loop);
  }
  w_.place(done);
  w_.op("wgmma.wait_group.sync.aligned", {"0"});
  right_->give_back(first);
}

// A thread has two neighbouring elements of each eight columns, in two lines eight apart. The four threads of a line
// exchange theirs, so that each has eight neighbours of every 32.
void ProductWriter::store(const Tile& tile) {
  const Exchange exchange(w_, f_.in_line);
  const Value row = w_.u32("add.u32", {f_.line, tile.row});
  const Value loose = w_.label(), end = w_.label();
  const Value matrix = w_.u64("mul.lo.u64", {w_.u64("mul.wide.u32", {f_.m, n_}), w_.u64("cvt.u64.u32", {tile.batch})});
  std::array<Value, 2> lines, there;
  for (uint32_t half = 0; half < 2; ++half) {
    const Value line = half ? w_.u32("add.u32", {row, "8"}) : row;
    there[half] = w_.test("setp.lt.u32", {line, f_.m});
    const Value element = w_.u64("mad.wide.u32", {line, n_, matrix});
    lines[half] = w_.u64("add.u64", {result_, w_.u64("shl.b64", {element, "1"})});
  }
  w_.jump_if("!" + wide_, loose);
  const Value column = w_.u32("mad.lo.u32", {f_.in_line, "8", tile.column});
  for (uint32_t half = 0; half < 2; ++half) {
    const Value to = w_.u64("mad.wide.u32", {column, "2", lines[half]});
    for (uint32_t part = 0; part < p_.columns / 32; ++part) {
      std::array<Value, 4> words;
      for (uint32_t i = 0; i < 4; ++i) words[i] = rounded(4 * (4 * part + i) + 2 * half);
      exchange.run(words.data());
      const Value before = w_.u32("add.u32", {column, number(32 * part)});
      w_.op_if(w_.test("setp.lt.and.u32", {before, n_, there[half]}), "st.global.v4.b32",
               {at(to, 64 * part), list({words[0], words[1], words[2], words[3]})});
    }
  }
  w_.jump(end);
  w_.place(loose);
  const Value pair = w_.u32("mad.lo.u32", {f_.in_line, "2", tile.column});
  for (uint32_t half = 0; half < 2; ++half) {
    const Value to = w_.u64("mad.wide.u32", {pair, "2", lines[half]});
    for (uint32_t i = 0; i < p_.columns / 8; ++i)
      store_loose(w_.u64("add.u64", {to, number(16 * i)}), rounded(4 * i + 2 * half),
                  w_.u32("add.u32", {pair, number(8 * i)}), there[half]);
  }
  w_.place(end);
}

// Two elements from `column` on, at once where lines have an even number of them.
void ProductWriter::store_loose(const Value& to, const Value& both, const Value& column, const Value& there) {
  const Value halves[] = {w_.reg(Writer::Bits16), w_.reg(Writer::Bits16)};
  w_.op("mov.b32", {list({halves[0], halves[1]}), both});
  const Value one = w_.test("setp.lt.and.u32", {column, n_, there});
  w_.op_if(w_.test("and.pred", {one, even_}), "st.global.b32", {at(to), both});
  const Value odd = w_.test("setp.lt.and.u32", {column, n_, w_.test("and.pred", {there, "!" + even_})});
  w_.op_if(odd, "st.global.b16", {at(to), halves[0]});
  const Value second = w_.u32("add.u32", {column, "1"});
  w_.op_if(w_.test("setp.lt.and.u32", {second, n_, odd}), "st.global.b16", {at(to, 2), halves[1]});
}

// The sums of a part of k, in float32.
void ProductWriter::store_sums(const Tile& tile) {
  const Value pitch = w_.parameter(P::kPitch), row = w_.u32("add.u32", {f_.line, tile.row});
  const Value column = w_.u32("mad.lo.u32", {f_.in_line, "2", tile.column});
  const Value before = w_.u64("mul.wide.u32", {tile.matrix, f_.m});
  for (uint32_t half = 0; half < 2; ++half) {
    const Value line = half ? w_.u32("add.u32", {row, "8"}) : row;
    const Value there = w_.test("setp.lt.u32", {line, f_.m});
    const Value all = w_.u64("add.u64", {before, w_.u64("cvt.u64.u32", {line})});
    const Value first = w_.u64("mad.lo.u64", {all, pitch, w_.u64("cvt.u64.u32", {column})});
    const Value to = w_.u64("add.u64", {result_, w_.u64("shl.b64", {first, "2"})});
    for (uint32_t i = 0; i < p_.columns / 8; ++i)
      for (uint32_t j = 0; j < 2; ++j) {
        const Value own = w_.u32("add.u32", {column, number(8 * i + j)});
        w_.op_if(w_.test("setp.lt.and.u32", {own, n_, there}), "st.global.f32",
                 {at(to, 32 * i + 4 * j), sums_[4 * i + 2 * half + j]});
      }
  }
}

// Descriptions of the operands that copies read: of the left one where it has a ring, of the right one.
std::vector<TensorMap> ProductWriter::maps() {
  const auto map = [&](size_t first, bool along_k, uint32_t depth, const Value& lines, uint32_t lines_of_tile) {
    const Value address = w_.parameter(first), pitch = w_.parameter(first + 1), count = w_.low_parameter(first + 3);
    // One matrix has no step, which maps do not take.
    const Value step = w_.u64("max.u64", {w_.parameter(first + 2), "16"});
    if (along_k)
      return TensorMap{address,
                       {f_.k, lines, count},
                       {pitch, step},
                       {depth, lines_of_tile, 1},
                       depth == kDepth ? Swizzle::Bytes32 : Swizzle::Bytes64};
    if (first == P::kLeft || !is_permuted(p_))
      return TensorMap{address, {lines, f_.k, count}, {pitch, step}, {kLine, depth, 1}, Swizzle::Bytes128};
    const Value groups = w_.u32("mul.lo.u32", {w_.u32("shr.u32", {f_.k, "2"}), count});
    const auto times = [&](const char* by) { return w_.u64("mul.lo.u64", {pitch, by}); };
    const auto fixed = [&](const char* size) { return w_.u32("mov.u32", {size}); };
    return TensorMap{address,
                     {lines, fixed("2"), fixed("4"), fixed("2"), groups},
                     {pitch, times("8"), times("2"), times("4")},
                     {kLine, 2, 4, 2, 1},
                     Swizzle::Bytes128};
  };
  std::vector<TensorMap> maps{map(P::kRight, p_.b_columns, depth_, n_, p_.columns)};
  if (!loaded_) maps.push_back(map(P::kLeft, false, kDepth, f_.m, kProductRows));
  return maps;
}

// The work of the first warp that copies: it describes the operands, then one thread copies as many pieces as are
// multiplied.
void ProductWriter::copy(const Value& end) {
  const Value memory = w_.u64("mad.wide.u32", {number_, number(kProductMaps), w_.parameter(P::kMemory)});
  const Value lane = w_.u32("and.b32", {f_.thread, "31"});
  const std::vector<TensorMap> described = maps();
  write_maps(w_, described, lane, maps_first(), memory);
  w_.jump_if(w_.test("setp.ne.u32", {lane, "0"}), end);
  for (size_t i = 0; i < described.size(); ++i)
    w_.op("fence.proxy.tensormap::generic.acquire.gpu", {at(memory, i * kTensorMapBytes), number(kTensorMapBytes)});
  const Value left_map = w_.u64("add.u64", {memory, number(kTensorMapBytes)});
  const auto last_matrix = [&](size_t count) { return w_.u32("sub.u32", {w_.low_parameter(count), "1"}); };
  const Value b_last = last_matrix(P::kRightMatrices), a_last = left_ring_ ? last_matrix(P::kLeft + 3) : Value();
  right_->start(true);
  if (left_ring_) left_ring_->start(true);
  const uint32_t grain = grain_of(p_);
  each_tile(end, [&](const Tile& tile) {
    const Value b_batch = w_.u32("min.u32", {tile.batch, b_last});
    const Value a_batch = left_ring_ ? w_.u32("min.u32", {tile.batch, a_last}) : Value();
    const Value step = w_.u32("mov.u32", {tile.first}), loop = w_.label();
    w_.place(loop);
    for (uint32_t piece = 0; piece < grain / depth_; ++piece) {
      const Value own = piece ? w_.u32("add.u32", {step, number(piece * depth_)}) : step;
      if (left_ring_) copy_piece(*left_ring_, left_map, false, kProductRows, kDepth, tile.row, own, a_batch);
      if (is_permuted(p_))
        copy_permuted(memory, tile.column, own, b_batch);
      else
        copy_piece(*right_, memory, p_.b_columns, p_.columns, depth_, tile.column, own, b_batch);
    }
    w_.op("add.u32", {step, step, number(grain)});
    w_.jump_if(w_.test("setp.lt.u32", {step, tile.end}), loop);
  });
}

constexpr const char* copy_of(bool permuted) {
  return permuted ? "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes"
                  : "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes";
}

void ProductWriter::copy_piece(Ring& ring, const Value& map, bool along_k, uint32_t lines, uint32_t depth,
                               const Value& line, const Value& step, const Value& batch) {
  const Ring::Filled to = ring.fill();
  if (along_k) {
    w_.op(copy_of(false), {at(to.place), "[" + map + ", " + list({step, line, batch}) + "]", at(to.barrier)});
    return;
  }
  for (uint32_t i = 0; i < lines / kLine; ++i) {
    const Value place = w_.u32("add.u32", {to.place, number(i * kLine * 2 * depth)});
    const Value first = w_.u32("add.u32", {line, number(i * kLine)});
    w_.op(copy_of(false), {at(place), "[" + map + ", " + list({first, step, batch}) + "]", at(to.barrier)});
  }
}

// Steps along k in the order of loaded_left: of 32 steps, 8t + 4p + 2h + e belongs to piece p. Axes are the columns, e,
// t, h, and groups of four steps, of which matrices have whole ones.
void ProductWriter::copy_permuted(const Value& map, const Value& column, const Value& step, const Value& batch) {
  const Ring::Filled to = right_->fill();
  const Value in_32 = w_.u32("shr.u32", {w_.u32("and.b32", {step, "16"}), "4"});
  const Value groups = w_.u32("shl.b32", {w_.u32("shr.u32", {step, "5"}), "3"});
  const Value matrix = w_.u32("mul.lo.u32", {batch, w_.u32("shr.u32", {f_.k, "2"})});
  const Value group = w_.u32("add.u32", {w_.u32("add.u32", {in_32, groups}), matrix}), zero = w_.u32("mov.u32", {"0"});
  for (uint32_t i = 0; i < p_.columns / kLine; ++i) {
    const Value place = w_.u32("add.u32", {to.place, number(i * kLine * 2 * kDepth)});
    const Value first = w_.u32("add.u32", {column, number(i * kLine)});
    w_.op(copy_of(true), {at(place), "[" + map + ", " + list({first, zero, zero, zero, group}) + "]", at(to.barrier)});
  }
}

}  // namespace

size_t product_parameters(const Product& p) {
  return ProductParameters::kLeft + (p.left == LeftWay::Windows ? size_t{WindowParameters::kCount} : kDenseParameters);
}

Module product_module(const Product& product) { return ProductWriter(product).run(); }

}  // namespace frit::codegen::ptx
