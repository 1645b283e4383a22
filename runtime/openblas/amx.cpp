// The instructions of matrix units, and the leave to use them.
#include "runtime/openblas/amx.h"

#if defined(__x86_64__) && defined(__GNUC__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "runtime/openblas/avx512.h"
#include "runtime/openblas/near_results.h"
#include "runtime/system/cpu.h"

// Every processor with the units has the vectors.
#define FRIT_TILES __attribute__((target("amx-tile,amx-bf16,avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,fma,f16c")))

namespace frit::runtime::openblas {

namespace {

constexpr int64_t kSide = 16;  // rows of a tile, and its columns of sums or units

// Leaf 7 of CPUID: the tiles, and their instruction for bf16.
bool processor_has_them() {
  unsigned a, b, c, d;
  constexpr unsigned kTiles = 1u << 24, kBf16 = 1u << 22;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & kTiles) && (d & kBf16);
}

// Linux saves the tiles of a process's threads only once it has asked (arch_prctl).
bool system_saves_them() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

struct alignas(64) Configuration {
  uint8_t palette, start_row, reserved[14];
  uint16_t bytes_of_row[16];
  uint8_t rows[16];
};
// All eight tiles are whole, but the upper ones of the sums and of the rows, which have as many rows as the product if
// it has few, and if both halves are alike the lower ones, too. In static storage, because compilers take the operand
// of the instruction that reads it for eight bytes.
constexpr std::array<Configuration, kSide + 1> configurations(bool alike) {
  std::array<Configuration, kSide + 1> all{};
  for (size_t rows = 1; rows < all.size(); ++rows) {
    all[rows].palette = 1;
    for (int tile = 0; tile < 8; ++tile) {
      const bool few = alike ? tile < 6 : tile == 0 || tile == 1 || tile == 4;
      all[rows].bytes_of_row[tile] = 64;
      all[rows].rows[tile] = static_cast<uint8_t>(few ? rows : kSide);
    }
  }
  return all;
}
constinit const std::array<Configuration, kSide + 1> kConfigurations = configurations(false),
                                                     kAlike = configurations(true);

// A block of sums that does not lie whole in memory.
struct alignas(64) Block {
  float sums[kBlockSide][kBlockSide];
};

FRIT_TILES void set_up(const Configuration& tiles) { _tile_loadconfig(&tiles); }
FRIT_TILES void release() { _tile_release(); }

FRIT_TILES void load_sums(const float* from, int64_t stride, bool right, bool below) {
  const int64_t bytes = stride * 4;
  _tile_loadd(0, from, bytes);
  if (right) _tile_loadd(1, from + kSide, bytes);
  if (below) _tile_loadd(2, from + kSide * stride, bytes);
  if (right && below) _tile_loadd(3, from + kSide * stride + kSide, bytes);
}

FRIT_TILES void store_sums(float* to, int64_t stride, bool right, bool below) {
  const int64_t bytes = stride * 4;
  _tile_stored(0, to, bytes);
  if (right) _tile_stored(1, to + kSide, bytes);
  if (below) _tile_stored(2, to + kSide * stride, bytes);
  if (right && below) _tile_stored(3, to + kSide * stride + kSide, bytes);
}

// `a`, `below` and `b` at a step of the block's first row, of its lower half and of its first column.
template <bool kRight, bool kBelow>
FRIT_TILES inline void step(const std::byte* a, const std::byte* below, int64_t stride, const float* b) {
  constexpr int64_t kPanel = kBlockSide;
  _tile_loadd(4, a, stride);
  _tile_loadd(6, b, kPanel * 4);
  _tile_dpbf16ps(0, 4, 6);
  if (kRight) {
    _tile_loadd(7, b + kSide, kPanel * 4);
    _tile_dpbf16ps(1, 4, 7);
  }
  if (kBelow) {
    _tile_loadd(5, below, stride);
    _tile_dpbf16ps(2, 5, 6);
    if (kRight) _tile_dpbf16ps(3, 5, 7);
  }
}

template <bool kRight, bool kBelow>
FRIT_TILES void accumulate(const TileArgs& g, int64_t row, const float* b) {
  const std::byte* a = g.a + row * g.a_stride;
  const int64_t units = g.tail ? g.units - kTileUnits : g.units;
  const int64_t half = kSide * g.a_stride;
  for (int64_t u = 0; u < units; u += kTileUnits)
    step<kRight, kBelow>(a + 4 * u, a + 4 * u + half, g.a_stride, b + u * kBlockSide);
  if (g.tail) {
    const auto* tail = reinterpret_cast<const std::byte*>(g.tail + row * kTileUnits);
    step<kRight, kBelow>(tail, tail + kSide * 4 * kTileUnits, 4 * kTileUnits, b + units * kBlockSide);
  }
}

template <bool kRight, bool kBelow>
FRIT_TILES void accumulate(const LineTiles::Rows& rows, const std::byte* a, const std::byte* below, const float* b) {
  for (const LinePart* part = rows.parts; part != rows.parts + rows.count; ++part) {
    const int64_t left = 2 * part->left;
    for (int64_t u = 0; u < part->units; u += kTileUnits)
      step<kRight, kBelow>(a + left + 4 * u, below + left + 4 * u, rows.stride, b + part->right + u * kBlockSide);
  }
}

FRIT_TILES void zero_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

// Sums have no subnormal numbers, so that the instructions round as conversions do.
FRIT_TILES __m256i rounded(__m512 v) {
#if defined(__clang__)  // clang 16 has no conversion between its type of pairs and integers
  __m256i r;
  asm("vcvtneps2bf16 %1, %0" : "=v"(r) : "v"(v));
  return r;
#else
  return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(v));
#endif
}

FRIT_TILES __m512i rounded(__m512 low, __m512 high) {
#if defined(__clang__)
  __m512i r;
  asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(r) : "v"(low), "v"(high));
  return r;
#else
  return reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low));
#endif
}

FRIT_TILES void round_half(const Block& block, uint16_t* to, int64_t stride) {
  for (int64_t i = 0; i < kSide; ++i, to += stride)
    _mm512_storeu_si512(to, rounded(_mm512_load_ps(block.sums[i]), _mm512_load_ps(block.sums[i] + kSide)));
}

// A whole block from the tiles to rows. Both halves go through the same memory: loads of the next block wait for stores
// before them to addresses that end alike, and a whole block has all ends.
FRIT_TILES void round_tiles(Block& block, uint16_t* to, int64_t stride) {
  constexpr int64_t kBytes = kBlockSide * 4;
  float* const sums = block.sums[0];
  _tile_stored(0, sums, kBytes);
  _tile_stored(1, sums + kSide, kBytes);
  round_half(block, to, stride);
  _tile_stored(2, sums, kBytes);
  _tile_stored(3, sums + kSide, kBytes);
  round_half(block, to + kSide * stride, stride);
}

FRIT_TILES void round_rows(const Block& block, int64_t first, int64_t height, int64_t width, uint16_t* to,
                           int64_t stride) {
  const __mmask16 left = first_lanes(width), right = first_lanes(width - kSide);
  for (int64_t i = first; i < first + height; ++i, to += stride) {
    _mm256_mask_storeu_epi16(to, left, rounded(_mm512_load_ps(block.sums[i])));
    if (right) _mm256_mask_storeu_epi16(to + kSide, right, rounded(_mm512_load_ps(block.sums[i] + kSide)));
  }
}

// The same to columns that lie dense.
FRIT_TILES void round_columns(const Block& block, int64_t height, int64_t width, uint16_t* to, int64_t stride) {
  for (int64_t i = 0; i < height; i += kSide)
    for (int64_t j = 0; j < width; j += kSide) {
      __m512 part[kSide];
      for (int64_t r = 0; r < kSide; ++r) part[r] = _mm512_load_ps(block.sums[i + r] + j);
      transpose(part);
      const __mmask16 lanes = first_lanes(height - i);
      for (int64_t c = 0; c < std::min(kSide, width - j); ++c)
        _mm256_mask_storeu_epi16(to + (j + c) * stride + i, lanes, rounded(part[c]));
    }
}

// Fetches the memory of a block before it is written or read: its lines lie apart, which the processor does not see
// coming.
void fetch_block(const TileArgs& g, int64_t row, int64_t col) {
  const int64_t height = std::min(kBlockSide, g.rows - row);
  if (g.more)
    for (int64_t i = 0; i < height; ++i) {
      const float* const sums = g.sums + (row + i) * g.sum_stride + col;
      __builtin_prefetch(sums);
      __builtin_prefetch(sums + kSide);
    }
  if (g.rounded && g.col_stride == 1)
    for (int64_t i = 0; i < height; ++i) __builtin_prefetch(g.rounded + (row + i) * g.row_stride + col, 1);
}

void multiply_block(const TileArgs& g, int64_t row, int64_t col) {
  const int64_t height = std::min(kBlockSide, g.rows - row), width = std::min(kBlockSide, g.cols - col);
  const bool right = width > kSide, below = height > kSide;
  const bool whole = g.whole_sums || (height == kBlockSide && width == kBlockSide);
  float* const sums = g.sums ? g.sums + row * g.sum_stride + col : nullptr;
  Block part;
  if (!g.more) {
    zero_sums();
  } else if (whole) {
    load_sums(sums, g.sum_stride, right, below);
  } else {
    std::memset(&part, 0, sizeof part);
    for (int64_t i = 0; i < height; ++i) std::copy_n(sums + i * g.sum_stride, width, part.sums[i]);
    load_sums(part.sums[0], kBlockSide, right, below);
  }
  const float* b = g.b + col / kBlockSide * g.panel_step;
  if (right)
    below ? accumulate<true, true>(g, row, b) : accumulate<true, false>(g, row, b);
  else
    below ? accumulate<false, true>(g, row, b) : accumulate<false, false>(g, row, b);
  if (!g.rounded && whole) return store_sums(sums, g.sum_stride, right, below);
  if (g.rounded && g.col_stride == 1 && height == kBlockSide && width == kBlockSide)
    return round_tiles(part, g.rounded + row * g.row_stride + col, g.row_stride);
  store_sums(part.sums[0], kBlockSide, right, below);
  if (!g.rounded) {
    for (int64_t i = 0; i < height; ++i) std::copy_n(part.sums[i], width, sums + i * g.sum_stride);
    return;
  }
  uint16_t* const to = g.rounded + row * g.row_stride + col * g.col_stride;
  if (g.col_stride == 1)
    round_rows(part, 0, height, width, to, g.row_stride);
  else
    round_columns(part, height, width, to, g.col_stride);
}

// Two tiles of rows, or one.
void multiply_line_block(const LineTiles& g, int64_t tile, int64_t col) {
  const int64_t width = std::min(kBlockSide, g.cols - col);
  const bool right = width > kSide, two = tile + 1 < g.tiles;
  const float* b = g.right + col / kBlockSide * g.panel_step;
  Block part;
  zero_sums();
  for (const LineTiles::Rows* rows : {&g.left, &g.ends}) {
    if (rows->count == 0) continue;
    const std::byte *const a = rows->first[tile], *const below = rows->first[tile + two];
    if (right)
      two ? accumulate<true, true>(*rows, a, below, b) : accumulate<true, false>(*rows, a, below, b);
    else
      two ? accumulate<false, true>(*rows, a, below, b) : accumulate<false, false>(*rows, a, below, b);
  }
  store_sums(part.sums[0], kBlockSide, right, two);
  for (int64_t t = 0; t <= two; ++t) round_rows(part, t * kSide, g.rows, width, g.out[tile + t] + col, g.out_stride);
}

// Whether a block's sums take less time than its lines of the result, which lie in as many pages: those of a large
// result are in no cache.
bool writes_far(const TileArgs& g) {
  constexpr int64_t kUnits = 128, kFarBytes = 2000;
  return g.rounded && g.col_stride == 1 && g.units <= kUnits && g.cols > kBlockSide && 2 * g.row_stride >= kFarBytes;
}

// Copies elements to a row: lines are written whole, but for the first and the last one.
FRIT_TILES void copy_row(const uint16_t* from, int64_t n, uint16_t* to) {
  constexpr int64_t kElements = 32;
  const auto begins = static_cast<int64_t>(reinterpret_cast<uintptr_t>(to) % 64 / 2);
  int64_t i = 0;
  if (begins) {
    i = std::min(n, kElements - begins);
    _mm512_mask_storeu_epi16(to, (1u << i) - 1, _mm512_loadu_si512(from));
  }
  for (; i + kElements <= n; i += kElements) _mm512_storeu_si512(to + i, _mm512_loadu_si512(from + i));
  if (i < n) _mm512_mask_storeu_epi16(to + i, (1u << (n - i)) - 1, _mm512_loadu_si512(from + i));
}

// The results of some blocks side by side are copied row by row, so that the processor sees long runs of lines.
void multiply_to_long_rows(const TileArgs& g) {
  constexpr int64_t kCols = 256, kStride = kCols + kBlockSide;
  alignas(64) uint16_t rows[kBlockSide * kStride];
  for (int64_t first = 0; first < g.cols; first += kCols) {
    const int64_t cols = std::min(kCols, g.cols - first);
    for (int64_t row = 0; row < g.rows; row += kBlockSide) {
      TileArgs part = g;
      part.a += row * g.a_stride;
      if (part.tail) part.tail += row * kTileUnits;
      part.b += first / kBlockSide * g.panel_step;
      part.rows = std::min(kBlockSide, g.rows - row);
      part.cols = cols;
      if (part.sums) part.sums += row * g.sum_stride + first;
      part.rounded = rows;
      part.row_stride = kStride;
      uint16_t* const to = g.rounded + row * g.row_stride + first;
      for (int64_t col = 0; col < cols; col += kBlockSide) {
        for (int64_t i = 0; i < part.rows; ++i) __builtin_prefetch(to + i * g.row_stride + col, 1);
        multiply_block(part, 0, col);
      }
      for (int64_t i = 0; i < part.rows; ++i) copy_row(rows + i * kStride, cols, to + i * g.row_stride);
    }
  }
}

}  // namespace

bool has_matrix_units() {
  // No level of processors has them.
  static const bool has = chosen_cpu() == "native" && processor_has_them() && system_saves_them();
  return has;
}

MatrixUnits::MatrixUnits(int64_t rows, bool alike) {
  const auto few = static_cast<size_t>(std::clamp<int64_t>(rows, 1, kSide));
  set_up(alike ? kAlike[few] : kConfigurations[few]);
}
MatrixUnits::~MatrixUnits() { release(); }

void multiply_tiles(const TileArgs& g) {
  if (writes_far(g) && !NearResults::hold()) return multiply_to_long_rows(g);
  // Rows that stay in the first-level cache meet the columns one panel after the other, so that each is read once.
  constexpr int64_t kNearBytes = int64_t{32} << 10;
  const bool near = g.rows * g.units * 4 <= kNearBytes;
  const int64_t down = (g.rows + kBlockSide - 1) / kBlockSide, across = (g.cols + kBlockSide - 1) / kBlockSide;
  const auto row_of = [&](int64_t i) { return (near ? i % down : i / across) * kBlockSide; };
  const auto col_of = [&](int64_t i) { return (near ? i / down : i % across) * kBlockSide; };
  for (int64_t i = 0; i < down * across; ++i) {
    if (i == 0) fetch_block(g, 0, 0);
    if (i + 1 < down * across) fetch_block(g, row_of(i + 1), col_of(i + 1));
    multiply_block(g, row_of(i), col_of(i));
  }
}

void multiply_line_tiles(const LineTiles& g) {
  const MatrixUnits set_up(g.rows, true);
  for (int64_t col = 0; col < g.cols; col += kBlockSide)
    for (int64_t tile = 0; tile < g.tiles; tile += 2) {
      for (int64_t t = tile + 2; t < std::min(tile + 4, g.tiles); ++t)
        for (int64_t i = 0; i < g.rows; ++i) __builtin_prefetch(g.out[t] + i * g.out_stride + col, 1);
      multiply_line_block(g, tile, col);
    }
}

}  // namespace frit::runtime::openblas

#else
namespace frit::runtime::openblas {
bool has_matrix_units() { return false; }
MatrixUnits::MatrixUnits(int64_t, bool) {}
MatrixUnits::~MatrixUnits() {}
void multiply_tiles(const TileArgs&) {}
void multiply_line_tiles(const LineTiles&) {}
}  // namespace frit::runtime::openblas
#endif
