// Places of tiles from their numbers.
#include "codegen/ptx/tile_order.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kBandBits = 4, kBand = 1 << kBandBits;  // rows of tiles that are computed together

}  // namespace

TileCounts count_tiles(Writer& w, const Value& m, const Value& n, uint32_t rows, uint32_t columns) {
  const auto parts = [&](const Value& size, uint32_t part) {
    return w.u32("div.u32", {w.u32("add.u32", {size, number(part - 1)}), number(part)});
  };
  TileCounts t{parts(m, rows), parts(n, columns), {}};
  t.all = w.u32("mul.lo.u32", {t.rows, t.columns});
  return t;
}

// Divisions take long where all else of a small product is short. They are left out where there is one matrix, and one
// band.
TilePlace tile_place(Writer& w, const TileCounts& tiles, const Value& n) {
  const Value matrix = w.u32("mov.u32", {"0"}), own = w.u32("mov.u32", {n}), only = w.label();
  w.jump_if(w.test("setp.lt.u32", {n, tiles.all}), only);
  w.op("div.u32", {matrix, n, tiles.all});
  w.op("sub.u32", {own, n, w.u32("mul.lo.u32", {matrix, tiles.all})});
  w.place(only);
  const Value first = w.u32("mov.u32", {"0"}), rows = w.u32("mov.u32", {tiles.rows}), whole = w.label();
  w.jump_if(w.test("setp.le.u32", {tiles.rows, number(kBand)}), whole);
  const Value in_band = w.u32("mul.lo.u32", {tiles.columns, number(kBand)}), band = w.u32("div.u32", {own, in_band});
  w.op("shl.b32", {first, band, number(kBandBits)});
  w.op("min.u32", {rows, w.u32("sub.u32", {tiles.rows, first}), number(kBand)});
  w.op("sub.u32", {own, own, w.u32("mul.lo.u32", {band, in_band})});
  w.place(whole);
  const Value column = w.u32("div.u32", {own, rows});
  const Value row = w.u32("sub.u32", {own, w.u32("mul.lo.u32", {column, rows})});
  return {matrix, w.u32("add.u32", {first, row}), column};
}

}  // namespace frit::codegen::ptx
