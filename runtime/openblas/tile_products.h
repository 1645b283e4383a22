// Products of bf16 on matrix units (amx.h); part of avx512.cpp.
//
// An element's sum goes on from step to step through all of k. Neither the other sizes nor the blocks of k have a part
// in it.

// The contents of a lane are packed as for the pair instructions.
constexpr int64_t whole_steps(int64_t units) { return (units + kTileUnits - 1) / kTileUnits * kTileUnits; }
constexpr int64_t whole_blocks(int64_t lines) { return (lines + kBlockSide - 1) / kBlockSide * kBlockSide; }

// k in blocks of nearly equal length, all of them but the last of whole steps. Their columns lie in panels.
struct TileBlocks {
  using B = Blocking<float>;
  static_assert(B::kPanel == kBlockSide && B::kBlockCols % kBlockSide == 0);

  explicit TileBlocks(int64_t k)
      : k(k),
        units((k + 1) / 2),
        blocks((units + kTileBlock - 1) / kTileBlock),
        longest(whole_steps((units + blocks - 1) / blocks)) {}

  int64_t k, units, blocks, longest;

  int64_t start(int64_t block) const { return block * longest; }
  int64_t count(int64_t block) const { return std::min(longest, units - start(block)); }
  // Elements of k in `count` units from `first` on.
  int64_t elements(int64_t first, int64_t count) const { return std::min(2 * count, k - 2 * first); }
};

FRIT_ISA void pack_tiles(const Matrix& b, const TileBlocks& k, int64_t first, int64_t count, int64_t j, int64_t cols,
                         float* to) {
  const auto* corner = static_cast<const bfloat16_t*>(b.data) + 2 * first * b.row_stride + j * b.col_stride;
  pack_columns<true>(Lines<bfloat16_t>{corner, cols, k.elements(first, count), b.col_stride, b.row_stride},
                     whole_steps(count), to);
}

// The left operand: blocks of rows that lie dense are read from memory, but for a last step that is not whole. Other
// rows are packed.
class TileLeft {
 public:
  static constexpr int64_t kStride = Blocking<float>::kPackedStride;
  static_assert(kTileBlock < kStride);

  // Rows that lie far apart would compete for lines of the cache if they met several blocks of columns.
  TileLeft(const Matrix& a, int64_t columns) : a_(a), rest_(a.cols % (2 * kTileUnits)) {
    constexpr int64_t kFar = int64_t{16} << 10;
    const bool near = columns <= Blocking<float>::kBlockCols || 2 * std::abs(a.row_stride) < kFar;
    if (a.col_stride == 1 && near) in_place_ = a.rows / kBlockSide * kBlockSide;
  }
  size_t room() const {
    return static_cast<size_t>(whole_blocks(a_.rows - in_place_) * kStride + (rest_ ? in_place_ * kTileUnits : 0));
  }

  // The rows' last step, to the end of the room.
  FRIT_ISA void start(float* room) {
    packed_ = room;
    if (!rest_) return;
    tail_ = room + whole_blocks(a_.rows - in_place_) * kStride;
    const auto* from = static_cast<const bfloat16_t*>(a_.data) + a_.cols - rest_;
    for (int64_t i = 0; i < in_place_; ++i)
      _mm512_storeu_si512(tail_ + i * kTileUnits,
                          _mm512_maskz_loadu_epi16((1u << rest_) - 1, from + i * a_.row_stride));
  }

  FRIT_ISA void pack(const TileBlocks& k, int64_t first, int64_t count) {
    if (in_place_ == a_.rows) return;
    const auto* data = static_cast<const bfloat16_t*>(a_.data) + in_place_ * a_.row_stride + 2 * first * a_.col_stride;
    pack_rows<true>(
        Lines<bfloat16_t>{data, a_.rows - in_place_, k.elements(first, count), a_.row_stride, a_.col_stride},
        whole_steps(count), packed_);
  }

  // `g` without rows; from unit `unit` on, which is `packed` units behind the first packed one.
  void multiply(TileArgs g, int64_t unit, int64_t packed) const {
    if (in_place_) {
      g.a = static_cast<const std::byte*>(a_.data) + 4 * unit;
      g.a_stride = 2 * a_.row_stride;
      g.tail = rest_ && 2 * (unit + g.units) > a_.cols ? tail_ : nullptr;
      g.rows = in_place_;
      multiply_tiles(g);
    }
    if (in_place_ == a_.rows) return;
    g.a = reinterpret_cast<const std::byte*>(packed_ + packed);
    g.a_stride = 4 * kStride;
    g.tail = nullptr;
    g.rows = a_.rows - in_place_;
    if (g.sums) g.sums += in_place_ * g.sum_stride;
    if (g.rounded) g.rounded += in_place_ * g.row_stride;
    multiply_tiles(g);
  }

 private:
  const Matrix a_;
  const int64_t rest_;  // elements of a last step that is not whole
  int64_t in_place_ = 0;
  float *packed_ = nullptr, *tail_ = nullptr;
};

// The first `columns` columns of c = a b, of which `right` gives the packed units [first, first + count) for the
// columns [j, j + cols). Of k, `depth` elements are summed, `step` units at a time (0: a block).
template <class Right>
FRIT_ISA bool sum_tiles(const Matrix& a, const Matrix& c, int64_t depth, int64_t columns, int64_t step, size_t own_room,
                        const Right& right) {
  constexpr int64_t kCols = Blocking<float>::kBlockCols;
  const TileBlocks k(a.cols);
  const int64_t used = std::clamp<int64_t>((depth + 1) / 2, 1, k.units);
  const bool dense = c.col_stride == 1 || c.row_stride == 1;
  const int64_t sum_stride = whole_blocks(columns);
  TileLeft left(a, columns);
  // Sums of one step are rounded from registers.
  const bool carries = !dense || used > (step ? step : k.longest);
  const size_t sums_room = carries ? static_cast<size_t>(whole_blocks(c.rows) * sum_stride) : 0;
  const size_t room = left.room() + own_room + sums_room;
  Scratch memory(room * sizeof(float));
  if (room && !memory.data()) return false;
  float* const rows = static_cast<float*>(memory.data());
  float* const own = rows + left.room();
  float* const sums = carries ? own + own_room : nullptr;
  const MatrixUnits set_up(c.rows);
  left.start(rows);
  for (int64_t block = 0; block < k.blocks && k.start(block) < used; ++block) {
    // Packed operands are filled up to whole steps.
    const int64_t start = k.start(block), end = std::min(start + k.count(block), whole_steps(used));
    left.pack(k, start, end - start);
    const int64_t length = step ? step : end - start;
    for (int64_t u = start; u < end; u += length) {
      const int64_t count = std::min(length, end - u);
      const bool last = u + count >= used;
      for (int64_t j = 0; j < columns; j += kCols) {
        const int64_t cols = std::min(kCols, columns - j);
        TileArgs g{};
        g.b = right(block, u, count, j, cols, own, g.panel_step);
        g.units = whole_steps(count);
        g.cols = cols;
        g.sums = carries ? sums + j : nullptr;
        g.sum_stride = sum_stride;
        g.more = u > 0;
        g.whole_sums = true;
        if (last && dense) {
          g.rounded = static_cast<uint16_t*>(c.data) + j * c.col_stride;
          g.row_stride = c.row_stride;
          g.col_stride = c.col_stride;
        }
        left.multiply(g, u, u - start);
      }
    }
  }
  if (!dense) unpack<bfloat16_t>(sums, sum_stride, c.block(0, 0, c.rows, columns, sizeof(bfloat16_t)));
  return true;
}

// How a right operand lies when it is packed: blocks of k one after the other, each with all of its panels.
struct TileRight {
  TileRight(int64_t k, int64_t n) : k(k), n(n), panels((n + kBlockSide - 1) / kBlockSide) {}

  TileBlocks k;
  int64_t n, panels;

  static int64_t panel_step(int64_t count) { return Blocking<float>::panel_step(whole_steps(count)); }
  int64_t block_step() const { return panels * panel_step(k.longest); }
  size_t bytes() const { return static_cast<size_t>(k.blocks * block_step()) * sizeof(float); }

  FRIT_ISA void pack(const Matrix& b, float* to) const {
    constexpr int64_t kCols = Blocking<float>::kBlockCols;
    for (int64_t block = 0; block < k.blocks; ++block) {
      const int64_t count = k.count(block);
      for (int64_t j = 0; j < n; j += kCols)
        pack_tiles(b, k, k.start(block), count, j, std::min(kCols, n - j),
                   to + block * block_step() + j / kBlockSide * panel_step(count));
    }
  }
};

FRIT_ISA bool multiply_packed_tiles(const Matrix& a, const void* b, const Matrix& c, int64_t depth, int64_t columns) {
  const TileRight right(a.cols, c.cols);
  const auto* data = static_cast<const float*>(b);
  return sum_tiles(a, c, depth, columns, 0, 0,
                   [&](int64_t block, int64_t, int64_t, int64_t j, int64_t, float*, int64_t& panel_step) {
                     panel_step = TileRight::panel_step(right.k.count(block));
                     return data + block * right.block_step() + j / kBlockSide * panel_step;
                   });
}

// Few rows times a matrix whose columns lie dense: the transposed product, which reads the matrix as it lies.
FRIT_ISA bool multiply_turned_tiles(const Matrix& a, const Matrix& b, const Matrix& c) {
  const TileRight right(a.cols, a.rows);
  Scratch memory(right.bytes());
  if (!memory.data()) return false;
  right.pack(a.transposed(), static_cast<float*>(memory.data()));
  for (int64_t j = 0; j < c.cols; j += kTurnedRows) {
    const int64_t count = std::min(kTurnedRows, c.cols - j);
    const Matrix part = b.block(0, j, b.rows, count, sizeof(bfloat16_t)),
                 to = c.block(0, j, c.rows, count, sizeof(bfloat16_t));
    if (!multiply_packed_tiles(part.transposed(), memory.data(), to.transposed(), a.cols, a.rows)) return false;
  }
  return true;
}

FRIT_ISA bool multiply_with_tiles(const Matrix& a, const Matrix& b, const Matrix& c) {
  constexpr int64_t kCols = Blocking<float>::kBlockCols;
  if (b.row_stride == 1 && b.col_stride != 1 && a.rows <= kFewRows && b.cols > 2 * kFewRows)
    return multiply_turned_tiles(a, b, c);
  const TileBlocks k(a.cols);
  // Few rows read some long rows of the other operand at a time.
  const bool thin = a.rows <= kThinRows && b.col_stride == 1 && k.units > kTileUnits && b.cols > kCols;
  const int64_t most_cols = std::min(kCols, whole_blocks(b.cols));
  const size_t own = static_cast<size_t>(most_cols / kBlockSide * TileRight::panel_step(thin ? kTileUnits : k.longest));
  return sum_tiles(a, c, a.cols, b.cols, thin ? kTileUnits : 0, own,
                   [&](int64_t, int64_t first, int64_t count, int64_t j, int64_t cols, float* to, int64_t& panel_step) {
                     pack_tiles(b, k, first, count, j, cols, to);
                     panel_step = TileRight::panel_step(count);
                     return static_cast<const float*>(to);
                   });
}

// One block of k, of which both operands are packed here.
FRIT_ISA bool add_tiles(const Matrix& a, const Matrix& b, void* c, int64_t stride, bool add) {
  constexpr int64_t kCols = Blocking<float>::kBlockCols;
  const TileBlocks k(a.cols);
  const int64_t n = b.cols, step = TileRight::panel_step(k.units), most_cols = std::min(kCols, whole_blocks(n));
  TileLeft left(a, n);
  Scratch memory((left.room() + static_cast<size_t>(most_cols / kBlockSide * step)) * sizeof(float));
  if (!memory.data()) return false;
  float* const rows = static_cast<float*>(memory.data());
  float* const columns = rows + left.room();
  const MatrixUnits set_up(a.rows);
  left.start(rows);
  left.pack(k, 0, k.units);
  for (int64_t j = 0; j < n; j += kCols) {
    TileArgs g{};
    g.cols = std::min(kCols, n - j);
    pack_tiles(b, k, 0, k.units, j, g.cols, columns);
    g.b = columns;
    g.panel_step = step;
    g.units = whole_steps(k.units);
    g.sums = static_cast<float*>(c) + j;
    g.sum_stride = stride;
    g.more = add;
    left.multiply(g, 0, 0);
  }
  return true;
}

inline constexpr PackedProduct kPackedTiles{
    [](int64_t k, int64_t n) { return TileRight(k, n).bytes(); },
    [](const Matrix& b, void* to) { TileRight(b.rows, b.cols).pack(b, static_cast<float*>(to)); },
    multiply_packed_tiles,
    [](int64_t k) { return 2 * whole_steps((k + 1) / 2); },
    2 * kTileBlock,
    kBlockSide,
    1,
    add_tiles};

// Lines of bf16 (lines.h), for both kinds of instructions.
FRIT_ISA_INLINE __mmask32 first_elements(int64_t n) {
  return n >= 32 ? 0xffffffffu : (1u << std::max<int64_t>(n, 0)) - 1;
}

FRIT_ISA void copy_positions(const void* from, int64_t step, int64_t positions, int64_t channels, void* to,
                             int64_t pitch) {
  constexpr int64_t kElements = 32;
  const auto* at = static_cast<const uint16_t*>(from);
  auto* line = static_cast<uint16_t*>(to);
  for (int64_t p = 0; p < positions; ++p, at += step, line += pitch) {
    int64_t c = 0;
    for (; c + kElements <= channels; c += kElements) _mm512_storeu_si512(line + c, _mm512_loadu_si512(at + c));
    if (c < pitch)
      _mm512_mask_storeu_epi16(line + c, first_elements(pitch - c),
                               _mm512_maskz_loadu_epi16(first_elements(channels - c), at + c));
  }
}

FRIT_ISA void copy_ends(const void* from, int64_t step, int64_t count, int64_t rest, void* to) {
  const auto* at = static_cast<const uint16_t*>(from);
  auto* line = static_cast<uint16_t*>(to);
  const __mmask32 lanes = first_elements(rest);
  for (int64_t i = 0; i < count; ++i)
    _mm512_storeu_si512(line + i * 2 * kTileUnits, _mm512_maskz_loadu_epi16(lanes, at + i * step));
}

inline constexpr LineKernels kLinePairs{2,
                                        2,
                                        2,
                                        kBlockSide,
                                        copy_positions,
                                        nullptr,
                                        pack_line_columns<bfloat16_t, Pairs>,
                                        Blocking<float>::panel_step,
                                        sum_lines<Pairs>,
                                        round_line<bfloat16_t>,
                                        nullptr,
                                        turn_floats,
                                        add_plane_dots};
inline constexpr LineKernels kLineTiles{2,
                                        2 * kTileUnits,
                                        1,
                                        kBlockSide,
                                        copy_positions,
                                        copy_ends,
                                        pack_line_columns<bfloat16_t, Pairs>,
                                        Blocking<float>::panel_step,
                                        nullptr,
                                        round_line<bfloat16_t>,
                                        multiply_line_tiles,
                                        turn_floats,
                                        add_plane_dots};
