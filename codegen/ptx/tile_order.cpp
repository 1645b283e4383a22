// Places of tiles from their numbers.
#include "codegen/ptx/tile_order.h"

namespace frit::codegen::ptx {

namespace {

constexpr uint32_t kBand = 16;  // rows of tiles that are computed together

}  // namespace

TileCounts count_tiles(Writer& w, const Value& m, const Value& n, uint32_t rows, uint32_t columns) {
  const auto parts = [&](const Value& size, uint32_t part) {
    return w.u32("div.u32", {w.u32("add.u32", {size, number(part - 1)}), number(part)});
  };
  TileCounts t{parts(m, rows), parts(n, columns), {}};
  t.all = w.u32("mul.lo.u32", {t.rows, t.columns});
  return t;
}

TilePlace tile_place(Writer& w, const TileCounts& tiles, const Value& n) {
  const Value matrix = w.u32("div.u32", {n, tiles.all});
  const Value own = w.u32("sub.u32", {n, w.u32("mul.lo.u32", {matrix, tiles.all})});
  const Value in_band = w.u32("mul.lo.u32", {tiles.columns, number(kBand)});
  const Value band = w.u32("div.u32", {own, in_band}), first = w.u32("mul.lo.u32", {band, number(kBand)});
  const Value rows = w.u32("min.u32", {w.u32("sub.u32", {tiles.rows, first}), number(kBand)});
  const Value rest = w.u32("sub.u32", {own, w.u32("mul.lo.u32", {band, in_band})});
  const Value column = w.u32("div.u32", {rest, rows});
  return {matrix, w.u32("add.u32", {first, w.u32("rem.u32", {rest, rows})}), column};
}

}  // namespace frit::codegen::ptx
