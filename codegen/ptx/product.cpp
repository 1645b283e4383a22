// A workgroup computes tiles of the result. One thread copies pieces of the operands to rings in shared memory; two
// groups of four warps multiply them, each 64 rows by all columns of the tile, with sums in float32 registers.
//
// Vulkan's driver gives 48 KiB of shared memory to a multiprocessor, which hold few pieces on their way. So the left
// operand waits in registers: it is loaded there from memory, or its places in shared memory are free again once a warp
// has read them. Copies by tensor maps fill up with zeros what lies outside of the operands, so any sizes are right.
// The result is rounded once, and stored 16 bytes at a time after the four threads of a line have exchanged their
// elements.
#include "codegen/ptx/product.h"

#include <array>

#include "codegen/ptx/left.h"
#include "codegen/ptx/tensor_map.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kGroups = 2, kGroupThreads = 128, kRows = 64;  // that multiply, and of one of them
constexpr uint32_t kDepth = kProductDepth;
constexpr uint32_t kThreads = (kGroups + 1) * kGroupThreads;  // and a group that copies
constexpr uint32_t kRegisters = 240, kFewRegisters = 24;      // of threads that multiply, and of those that copy
constexpr uint32_t kLine = 64;                                // elements of 128 bytes
constexpr uint32_t kBand = 16;                                // rows of tiles that are computed together
constexpr uint32_t kLeftBytes = kProductRows * kDepth * 2;
constexpr uint32_t kRightAlone = 5 * 256, kRightBeside = 4 * 256;  // columns of a ring of pieces of the right operand
constexpr uint32_t kLeftPlaces = 3;                                // of the left one's ring

// How a matrix unit finds the right operand in shared memory: the low and the high half of its description, the former
// without the place. Lines of 16 steps along k lie in groups of 8 lines of 32 bytes; columns of k lie in lines of 128
// bytes, 64 columns of the operand each.
struct Layout {
  uint32_t low, high;
};
constexpr Layout layout(bool along_k) {
  constexpr uint32_t kUnit = 16;  // sizes count pieces of 16 bytes
  if (along_k) return {1u << 16, 8 * kDepth * 2 / kUnit | 3u << 30};
  return {kLine * 2 * kDepth / kUnit << 16, 8 * kLine * 2 / kUnit | 1u << 30};
}

bool is_loaded(const Product& p) { return !p.a_columns; }
bool is_permuted(const Product& p) { return is_loaded(p) && !p.b_columns; }

class ProductWriter {
 public:
  explicit ProductWriter(const Product& product)
      : p_(product),
        loaded_(is_loaded(product)),
        left_plan_{0, kLeftBytes, kLeftPlaces, 0},
        right_plan_{loaded_ ? 0 : kLeftPlaces * kLeftBytes, product.columns * kDepth * 2,
                    (loaded_ ? kRightAlone : kRightBeside) / product.columns, 0} {
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
    w_.jump_if(w_.test("setp.ne.u32", {f_.thread, number(kGroups * kGroupThreads)}), end);
    copy(end);
    w_.place(end);
    w_.op("ret", {});
    const uint32_t shared = left_plan_.barriers + (loaded_ ? 0 : left_plan_.barrier_bytes());
    return {w_.finish({"sm_90a", "product", kProductParameters, kThreads, shared, 1024}), "product", kThreads};
  }

 private:
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
  void multiply_tile(Left& left, const Value& first, const Value& high);
  void store(const Tile& tile);
  void copy(const Value& end);
  void copy_piece(Ring& ring, const Value& map, bool along_k, uint32_t lines, const Value& line, const Value& step,
                  const Value& batch);
  void copy_permuted(const Value& map, const Value& column, const Value& step, const Value& batch);
  std::string type() const { return p_.bfloat ? "bf16" : "f16"; }

  const Product p_;
  const bool loaded_;
  RingPlan left_plan_, right_plan_;
  Writer w_;
  ProductFrame f_{w_, {}, {}, {}, {}, {}, {}, {}, {}};
  std::optional<Ring> left_ring_, right_;
  Value maps_, result_, n_, tile_rows_, tile_columns_, tiles_, all_tiles_, number_;
  std::vector<Value> sums_;
};

void ProductWriter::begin() {
  maps_ = w_.parameter(0);
  result_ = w_.parameter(1);
  f_.m = w_.low_parameter(2);
  n_ = w_.low_parameter(3);
  f_.k = w_.low_parameter(4);
  f_.thread = w_.u32("mov.u32", {"%tid.x"});
  const auto parts = [&](const Value& size, uint32_t part) {
    return w_.u32("div.u32", {w_.u32("add.u32", {size, number(part - 1)}), number(part)});
  };
  tile_rows_ = parts(f_.m, kProductRows);
  tile_columns_ = parts(n_, p_.columns);
  tiles_ = w_.u32("mul.lo.u32", {tile_rows_, tile_columns_});
  all_tiles_ = w_.u32("mul.lo.u32", {tiles_, w_.low_parameter(5)});
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

// Tiles go down the rows of a band, then to its next column: those that run together share operands in the cache.
Tile ProductWriter::tile() {
  const Value batch = w_.u32("div.u32", {number_, tiles_});
  const Value own = w_.u32("sub.u32", {number_, w_.u32("mul.lo.u32", {batch, tiles_})});
  const Value in_band = w_.u32("mul.lo.u32", {tile_columns_, number(kBand)});
  const Value band = w_.u32("div.u32", {own, in_band}), first = w_.u32("mul.lo.u32", {band, number(kBand)});
  const Value rows = w_.u32("min.u32", {w_.u32("sub.u32", {tile_rows_, first}), number(kBand)});
  const Value rest = w_.u32("sub.u32", {own, w_.u32("mul.lo.u32", {band, in_band})});
  const Value column = w_.u32("div.u32", {rest, rows});
  const Value row = w_.u32("add.u32", {first, w_.u32("rem.u32", {rest, rows})});
  return {batch, w_.u32("mul.lo.u32", {row, number(kProductRows)}), w_.u32("mul.lo.u32", {column, number(p_.columns)})};
}

std::unique_ptr<Left> ProductWriter::left() {
  if (!loaded_) return ring_left(f_, *left_ring_, !p_.a_columns);
  return is_permuted(p_) ? loaded_left(f_, 8) : exchanged_left(f_, 8);
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
  const Value high = w_.u32("mov.u32", {number(layout(p_.b_columns).high)});
  const std::unique_ptr<Left> operand = left();
  for (uint32_t i = 0; i < p_.columns / 2; ++i) sums_.push_back(w_.reg(Writer::Float32));
  each_tile(end, [&](const Tile& tile) {
    operand->start(tile);
    multiply_tile(*operand, first, high);
    store(tile);
  });
}

// Sums of a tile. Pieces in two sets of registers follow one another: one is filled while the other is multiplied.
void ProductWriter::multiply_tile(Left& operand, const Value& first, const Value& high) {
  const Value step = w_.u32("mov.u32", {"0"}), loop = w_.label(), done = w_.label();
  for (const Value& s : sums_) w_.op("mov.f32", {s, "0f00000000"});
  const Value more = w_.test("setp.eq.u32", {step, step});  // sums go on: always
  const uint32_t grain = operand.grain();
  w_.place(loop);
  for (uint32_t piece = 0; piece < 2 * grain; ++piece) {
    const Value a = list(operand.fragment(piece));
    const Value low = w_.u32("or.b32", {w_.u32("shr.u32", {right_->take(), "4"}), number(layout(p_.b_columns).low)});
    const Value b = w_.u64("mov.b64", {list({low, high})});
    w_.op("wgmma.fence.sync.aligned", {});
    w_.op("wgmma.mma_async.sync.aligned.m64n" + number(p_.columns) + "k16.f32." + type() + "." + type(),
          {list(sums_), a, b, more, "1", "1", p_.b_columns ? "0" : "1"});
    w_.op("wgmma.commit_group.sync.aligned", {});
    // The piece before this one has been multiplied.
    w_.op("wgmma.wait_group.sync.aligned", {"1"});
    if (piece == 0) {
      const Value before = w_.test("setp.ne.and.u32", {step, "0", first});
      right_->give_back_if(before, w_.test("setp.ne.u32", {step, "0"}));
    } else {
      right_->give_back(first);
    }
    operand.after(piece);
    if ((piece + 1) % grain) continue;
    w_.op("add.u32", {step, step, number(grain * kDepth)});
    if (piece + 1 < 2 * grain)
      w_.jump_if(w_.test("setp.ge.u32", {step, f_.k}), done);
    else
      w_.jump_if(w_.test("setp.lt.u32", {step, f_.k}), loop);
  }
  w_.place(done);
  w_.op("wgmma.wait_group.sync.aligned", {"0"});
  right_->give_back(first);
}

// A thread has two neighbouring elements of each eight columns, in two lines eight apart. The four threads of a line
// exchange theirs, so that each has eight neighbours of every 32.
void ProductWriter::store(const Tile& tile) {
  const Exchange exchange(w_, f_.in_line);
  const Value row = w_.u32("add.u32", {f_.line, tile.row}),
              column = w_.u32("mad.lo.u32", {f_.in_line, "8", tile.column});
  const Value matrix = w_.u64("mul.lo.u64", {w_.u64("mul.wide.u32", {f_.m, n_}), w_.u64("cvt.u64.u32", {tile.batch})});
  for (uint32_t half = 0; half < 2; ++half) {
    const Value line = half ? w_.u32("add.u32", {row, "8"}) : row;
    const Value there = w_.test("setp.lt.u32", {line, f_.m});
    const Value in_matrix = w_.u64("mad.wide.u32", {line, n_, matrix});
    const Value element = w_.u64("add.u64", {in_matrix, w_.u64("cvt.u64.u32", {column})});
    const Value to = w_.u64("add.u64", {result_, w_.u64("shl.b64", {element, "1"})});
    for (uint32_t part = 0; part < p_.columns / 32; ++part) {
      std::array<Value, 4> words;
      for (uint32_t i = 0; i < 4; ++i) {
        const size_t at = 4 * (4 * part + i) + 2 * half;
        words[i] = w_.u32("cvt.rn." + type() + "x2.f32", {sums_[at + 1], sums_[at]});
      }
      exchange.run(words.data());
      const Value before = w_.u32("add.u32", {column, number(32 * part)});
      const Value stored = w_.test("setp.lt.and.u32", {before, n_, there});
      w_.op_if(stored, "st.global.v4.b32", {at(to, 64 * part), list({words[0], words[1], words[2], words[3]})});
    }
  }
}

// One thread's work: as many pieces as are multiplied.
void ProductWriter::copy(const Value& end) {
  const Value right_map = w_.u64("add.u64", {maps_, number(kTensorMapBytes)});
  if (left_ring_) w_.op("fence.proxy.tensormap::generic.acquire.gpu", {at(maps_), number(kTensorMapBytes)});
  w_.op("fence.proxy.tensormap::generic.acquire.gpu", {at(right_map), number(kTensorMapBytes)});
  const Value a_moves = w_.low_parameter(6), b_moves = w_.low_parameter(7);
  right_->start(true);
  if (left_ring_) left_ring_->start(true);
  const uint32_t grain = loaded_ ? 4 : 1;
  each_tile(end, [&](const Tile& tile) {
    const Value a_batch = w_.u32("mul.lo.u32", {tile.batch, a_moves});
    const Value b_batch = w_.u32("mul.lo.u32", {tile.batch, b_moves});
    const Value step = w_.u32("mov.u32", {"0"}), loop = w_.label();
    w_.place(loop);
    for (uint32_t piece = 0; piece < grain; ++piece) {
      const Value own = piece ? w_.u32("add.u32", {step, number(piece * kDepth)}) : step;
      if (left_ring_) copy_piece(*left_ring_, maps_, !p_.a_columns, kProductRows, tile.row, own, a_batch);
      if (is_permuted(p_))
        copy_permuted(right_map, tile.column, own, b_batch);
      else
        copy_piece(*right_, right_map, p_.b_columns, p_.columns, tile.column, own, b_batch);
    }
    w_.op("add.u32", {step, step, number(grain * kDepth)});
    w_.jump_if(w_.test("setp.lt.u32", {step, f_.k}), loop);
  });
}

constexpr const char* copy_of(bool permuted) {
  return permuted ? "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes"
                  : "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes";
}

void ProductWriter::copy_piece(Ring& ring, const Value& map, bool along_k, uint32_t lines, const Value& line,
                               const Value& step, const Value& batch) {
  const Ring::Filled to = ring.fill();
  if (along_k) {
    w_.op(copy_of(false), {at(to.place), "[" + map + ", " + list({step, line, batch}) + "]", at(to.barrier)});
    return;
  }
  for (uint32_t i = 0; i < lines / kLine; ++i) {
    const Value place = w_.u32("add.u32", {to.place, number(i * kLine * 2 * kDepth)});
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

bool needs_dense_right(const Product& product) { return is_permuted(product); }

Module product_maps(const Product& p) {
  Writer w;
  const Value m = w.low_parameter(3), n = w.low_parameter(4), k = w.low_parameter(5);
  const auto map = [&](size_t operand, bool along_k, const Value& lines, uint32_t lines_of_tile) {
    const Value pitch = w.parameter(6 + operand), count = w.low_parameter(8 + operand),
                step = w.parameter(10 + operand), address = w.parameter(operand);
    if (along_k)
      return TensorMap{address, {k, lines, count}, {pitch, step}, {kDepth, lines_of_tile, 1}, Swizzle::Bytes32};
    if (operand == 0 || !is_permuted(p))
      return TensorMap{address, {lines, k, count}, {pitch, step}, {kLine, kDepth, 1}, Swizzle::Bytes128};
    const Value groups = w.u32("mul.lo.u32", {w.u32("shr.u32", {k, "2"}), count});
    const auto times = [&](const char* by) { return w.u64("mul.lo.u64", {pitch, by}); };
    const auto fixed = [&](const char* size) { return w.u32("mov.u32", {size}); };
    return TensorMap{address,
                     {lines, fixed("2"), fixed("4"), fixed("2"), groups},
                     {pitch, times("8"), times("2"), times("4")},
                     {kLine, 2, 4, 2, 1},
                     Swizzle::Bytes128};
  };
  const std::vector<TensorMap> maps{map(0, !p.a_columns, m, kProductRows), map(1, p.b_columns, n, p.columns)};
  write_maps(w, maps, w.parameter(2));
  w.op("ret", {});
  return {w.finish({"sm_90a", "product_maps", kMapsParameters, 32, kProductMaps, 128}), "product_maps", 32};
}

Module product_module(const Product& product) { return ProductWriter(product).run(); }

}  // namespace frit::codegen::ptx
