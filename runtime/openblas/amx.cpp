// The instructions of matrix units, and the leave to use them.
#include "runtime/openblas/amx.h"

#if defined(__x86_64__) && defined(__GNUC__) && defined(__linux__)
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "runtime/system/cpu.h"

#define FRIT_TILES __attribute__((target("amx-tile,amx-bf16,avx512f")))

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

// All eight tiles are whole. In static storage, because compilers take the operand of the instruction that reads it for
// eight bytes.
struct alignas(64) Configuration {
  uint8_t palette, start_row, reserved[14];
  uint16_t bytes_of_row[16];
  uint8_t rows[16];
};
constinit const Configuration kWholeTiles{
    1, 0, {}, {64, 64, 64, 64, 64, 64, 64, 64}, {kSide, kSide, kSide, kSide, kSide, kSide, kSide, kSide}};

// A block of sums that does not lie whole in memory.
struct alignas(64) Block {
  float sums[kBlockSide][kBlockSide];
};

FRIT_TILES void set_up() { _tile_loadconfig(&kWholeTiles); }
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

// `a` and `b` at the block's first row and column.
template <bool kRight, bool kBelow>
FRIT_TILES void accumulate(const float* a, int64_t a_stride, const float* b, int64_t units) {
  constexpr int64_t kPanel = kBlockSide;
  const int64_t a_bytes = a_stride * 4;
  for (int64_t u = 0; u < units; u += kTileUnits) {
    _tile_loadd(4, a + u, a_bytes);
    _tile_loadd(6, b + u * kPanel, kPanel * 4);
    _tile_dpbf16ps(0, 4, 6);
    if (kRight) {
      _tile_loadd(7, b + u * kPanel + kSide, kPanel * 4);
      _tile_dpbf16ps(1, 4, 7);
    }
    if (kBelow) {
      _tile_loadd(5, a + kSide * a_stride + u, a_bytes);
      _tile_dpbf16ps(2, 5, 6);
      if (kRight) _tile_dpbf16ps(3, 5, 7);
    }
  }
}

FRIT_TILES void zero_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

void multiply_block(const TileArgs& g, int64_t row, int64_t col) {
  const int64_t height = std::min(kBlockSide, g.rows - row), width = std::min(kBlockSide, g.cols - col);
  const bool right = width > kSide, below = height > kSide, whole = height == kBlockSide && width == kBlockSide;
  Block part;
  if (!g.start) {
    zero_sums();
  } else if (const float* start = g.start + row * g.start_stride + col; whole) {
    load_sums(start, g.start_stride, right, below);
  } else {
    std::memset(&part, 0, sizeof part);
    for (int64_t i = 0; i < height; ++i) std::copy_n(start + i * g.start_stride, width, part.sums[i]);
    load_sums(part.sums[0], kBlockSide, right, below);
  }
  const float* a = g.a + row * g.a_stride;
  const float* b = g.b + col / kBlockSide * g.panel_step;
  if (right)
    below ? accumulate<true, true>(a, g.a_stride, b, g.units) : accumulate<true, false>(a, g.a_stride, b, g.units);
  else
    below ? accumulate<false, true>(a, g.a_stride, b, g.units) : accumulate<false, false>(a, g.a_stride, b, g.units);
  float* c = g.c + row * g.c_stride + col;
  if (whole && !g.add) return store_sums(c, g.c_stride, right, below);
  store_sums(part.sums[0], kBlockSide, right, below);
  for (int64_t i = 0; i < height; ++i) {
    float* to = c + i * g.c_stride;
    for (int64_t j = 0; j < width; ++j) to[j] = g.add ? to[j] + part.sums[i][j] : part.sums[i][j];
  }
}

}  // namespace

bool has_matrix_units() {
  // No level of processors has them.
  static const bool has = chosen_cpu() == "native" && processor_has_them() && system_saves_them();
  return has;
}

MatrixUnits::MatrixUnits() { set_up(); }
MatrixUnits::~MatrixUnits() { release(); }

void multiply_tiles(const TileArgs& g) {
  for (int64_t row = 0; row < g.rows; row += kBlockSide)
    for (int64_t col = 0; col < g.cols; col += kBlockSide) multiply_block(g, row, col);
}

}  // namespace frit::runtime::openblas

#else
namespace frit::runtime::openblas {
bool has_matrix_units() { return false; }
MatrixUnits::MatrixUnits() {}
MatrixUnits::~MatrixUnits() {}
void multiply_tiles(const TileArgs&) {}
}  // namespace frit::runtime::openblas
#endif
