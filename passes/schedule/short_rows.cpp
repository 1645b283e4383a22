// Puts short rows side by side into the lanes of vectors.
#include "passes/schedule/short_rows.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/body_work.h"

namespace frit::passes {

using namespace ir;

namespace {

// Rows that one iteration of the parallel loop takes: their locals stay in the innermost cache.
constexpr int64_t kRowsAtOnce = 64;
// Vectors of rows that go through the loops along a row together, as the places of a row wait for each other; more
// where functions do, too. Fewer than so many rows do not repay the code for more, and rows that are written are work
// enough where they have more than so many places.
constexpr int kRowsSideBySide = 2, kFunctionsSideBySide = 4;
constexpr int64_t kRowsWorthwhile = 2048, kFewPlaces = 16;
constexpr int64_t kMaxVectors = 8;  // of a step over whole rows
constexpr int kShortestVector = 4;  // lanes
constexpr int64_t kMaxRowWork = 8;  // instructions of a row outside of the loop over its elements

// The iterations of all loops in `body` together, at most `limit` + 1; `limit` + 1 where an extent is not known.
int64_t iterations(const Body& body, int64_t limit) {
  int64_t most = 0;
  for (const Instr& i : body)
    if (const auto* loop = std::get_if<Loop>(&i.node)) {
      if (!loop->extent.is_const() || !loop->carries.empty() || loop->extent.value() > limit) return limit + 1;
      most = std::max(most, loop->extent.value() * std::max<int64_t>(1, iterations(loop->body, limit)));
    }
  return std::min(most, limit + 1);
}

// Rows of a block up to which the processor is at the next block while a chain waits; of 16-bit floats, whose
// conversions fill its queue.
constexpr int64_t kOverlappingRows = 32, kOverlappingNarrowRows = 8;

// Vectors of a step that takes whole rows of `n` elements.
int64_t vectors_of_rows(int64_t n, int lanes) { return n / std::gcd(n, int64_t{lanes}); }

void spread_locals(Body& body, uint32_t first, const std::string& var) {
  const auto spread = [&](uint32_t buffer, Dim& index) {
    if (buffer >= first) index = index * Dim(kRowsAtOnce) + Dim::symbol(var);
  };
  for (Instr& i : body) {
    if (auto* l = std::get_if<LoadInstr>(&i.node)) spread(l->buffer, l->index);
    if (auto* s = std::get_if<StoreInstr>(&i.node)) spread(s->buffer, s->index);
    if (auto* loop = std::get_if<Loop>(&i.node)) spread_locals(loop->body, first, var);
  }
}

// Whether a loop keeps the extreme of floats, which takes several instructions as NaN spreads.
bool takes_extremes(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Instr& i) {
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && std::any_of(loop->accumulators.begin(), loop->accumulators.end(), [](const Accumulator& a) {
             return is_float(a.type) && (a.combine == Combine::Max || a.combine == Combine::Min);
           });
  });
}

// Whether a loop computes functions, whose operations follow from each other.
bool calls_functions(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Instr& i) {
    const auto* s = std::get_if<ScalarInstr>(&i.node);
    const auto* loop = std::get_if<Loop>(&i.node);
    return (s && is_function(s->op)) || (loop && calls_functions(loop->body));
  });
}

bool reads_short_elements(const Kernel& k, const Body& body) {
  return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
    const auto* l = std::get_if<LoadInstr>(&i.node);
    const auto* loop = std::get_if<Loop>(&i.node);
    return (l && k.buffer(l->buffer).dtype.size() == 2) || (loop && reads_short_elements(k, loop->body));
  });
}

// Whether rows of a few vectors are visited several times where masks cost much, so that turning the rows costs less
// than a masked vector in each visit, or than sums of several vectors for each row. Elements of 16 bits have no lane
// masks, and turning them takes half of the shuffles.
bool ends_in_short_vectors(const Kernel& k, const Body& body, int lanes) {
  const int64_t few = 4 * int64_t{lanes}, most = 6 * int64_t{lanes}, n = iterations(body, most);
  const auto visits =
      std::count_if(body.begin(), body.end(), [](const Instr& i) { return std::holds_alternative<Loop>(i.node); });
  const bool masked = n % lanes != 0;
  // Positions take long to fold from the lanes of a row.
  if (reads_short_elements(k, body)) return (visits > 1 || finds_positions(body)) && (n < few || (masked && n < most));
  return visits > 2 && masked && n < few;
}

bool writes_elements(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Instr& i) {
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && std::any_of(loop->body.begin(), loop->body.end(),
                               [](const Instr& j) { return std::holds_alternative<StoreInstr>(j.node); });
  });
}

// The same where a vector is a line, and masks cost little: rows whose chain of folds and functions takes longer than
// turning them, once on their way in, and for rows that are written once on their way back.
bool waits_for_folds(const Kernel& k, const Body& body, int lanes) {
  const bool narrow = reads_short_elements(k, body);
  const bool functions = std::any_of(body.begin(), body.end(), [](const Instr& i) {
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && calls_functions(loop->body);
  });
  if (!functions && !finds_positions(body)) return false;
  const bool written = writes_elements(body);
  if (written && !(narrow && functions)) return false;
  const int64_t few = (!narrow ? 5 : written ? 6 : 8) * int64_t{lanes};
  return iterations(body, few) < few;
}

}  // namespace

bool has_short_loops(const Body& body, int lanes) { return iterations(body, 2 * lanes) < 2 * lanes; }

bool has_short_rows(const Kernel& k, const Loop& rows, int lanes, Staging staging) {
  if (k.facts.range(rows.extent).high < lanes) return false;
  return has_short_loops(rows.body, lanes) ||
         (staging == Staging::Whole && ends_in_short_vectors(k, rows.body, lanes)) ||
         (staging == Staging::Masked && waits_for_folds(k, rows.body, lanes));
}

void put_rows_in_lanes(Kernel& k, Loop& rows, int lanes, Staging staging, const std::string& var,
                       const StreamedResults& streamed) {
  const bool in_order = writes_in_order(k, rows, lanes);
  const bool waits = k.facts.range(rows.extent).high >= kRowsWorthwhile && calls_functions(rows.body) &&
                     (!writes_elements(rows.body) || iterations(rows.body, kFewPlaces) <= kFewPlaces);
  strip(rows, kRowsAtOnce, var, k.facts);
  Loop& inner = std::get<Loop>(rows.body[0].node);
  inner.vector = lanes;
  // A step takes no more rows than there are.
  const int side_by_side = waits ? kFunctionsSideBySide : kRowsSideBySide;
  inner.unroll = std::clamp(static_cast<int>(kRowsAtOnce) / lanes, 1, side_by_side);
  spread_locals(inner.body, static_cast<uint32_t>(k.buffers.size()), var);
  for (KernelBuffer& local : k.locals) local.size = local.size * Dim(kRowsAtOnce);
  std::optional<Loop> elements;
  if (in_order) elements = take_elements(k, inner, kRowsAtOnce, lanes);
  if (staging != Staging::None) stage_rows(k, rows, kRowsAtOnce, lanes, staging, &streamed);
  if (elements) rows.body.push_back({std::move(*elements)});
}

bool has_short_columns(Loop& rows, int lanes, const DimFacts& facts) {
  const Loop* columns = inner_of_nest(rows.body);
  if (!columns || !columns->extent.is_const() || facts.range(rows.extent).high < kRowsAtOnce) return false;
  const int64_t n = columns->extent.value();
  if (n < 2 || n >= lanes || kRowsAtOnce % lanes != 0 || vectors_of_rows(n, lanes) > kMaxVectors) return false;
  const auto follows = [&](const Dim& d, bool store) {
    const auto along = d.affine_in(columns->var);
    const auto across = along ? along->rest.affine_in(rows.var) : std::nullopt;
    if (!across) return false;
    const bool same_order = along->coefficient.is(1) && across->coefficient.is(n);
    return same_order || (!store && (along->coefficient.is(0) ? across->coefficient.is(1) || across->coefficient.is(0)
                                                              : along->coefficient.is(1) && across->coefficient.is(0)));
  };
  // Work once for each row becomes work for each element.
  if (static_cast<int64_t>(rows.body.size()) - 1 > kMaxRowWork) return false;
  const auto fits = [&](const Instr& i) {
    if (const auto* l = std::get_if<LoadInstr>(&i.node)) return follows(l->index, false);
    if (const auto* s = std::get_if<StoreInstr>(&i.node)) return follows(s->index, true);
    return !std::holds_alternative<BindInstr>(i.node);
  };
  const auto is_cheap = [&](const Instr& i) {
    const auto* s = std::get_if<ScalarInstr>(&i.node);
    return fits(i) && !(s && (is_function(s->op) || s->op == ScalarOp::Div || s->op == ScalarOp::Sqrt));
  };
  return std::all_of(rows.body.begin(), rows.body.end() - 1, is_cheap) &&
         std::all_of(columns->body.begin(), columns->body.end(), fits);
}

void join_short_columns(Kernel& k, Loop& rows, int lanes, const std::string& var) {
  const int64_t n = inner_of_nest(rows.body)->extent.value();
  strip(rows, kRowsAtOnce, var, k.facts);
  Loop& elements = std::get<Loop>(rows.body[0].node);
  DimFacts known = k.facts;
  known.set_loop(rows.var, rows.extent);
  merge(elements, known);
  elements.vector = lanes;
  elements.unroll = static_cast<int>(vectors_of_rows(n, lanes));
}

bool has_narrow_columns(Loop& blocks, int lanes, const DimFacts& facts) {
  const Loop* columns = blocks.body.size() == 1 ? inner_of_nest(blocks.body) : nullptr;
  if (!columns || facts.range(blocks.extent).high < lanes) return false;
  const int64_t n = facts.range(columns->extent).high;
  // Of more columns, the vector and the masked one behind it would wait for their own extremes only. Sums wait less.
  const bool waits = n < 2 * lanes && n % lanes != 0 && columns->extent.is_const() && takes_extremes(columns->body);
  if (n > lanes && !waits) return false;
  return std::all_of(columns->body.begin(), columns->body.end(), [&](const Instr& i) {
    const auto* loop = std::get_if<Loop>(&i.node);
    return !loop || (!loop->accumulators.empty() && !contains_loop(loop->body) && !loop->extent.uses(blocks.var));
  });
}

bool blocks_overlap(const Kernel& k, Loop& blocks, int lanes) {
  const Loop& columns = *inner_of_nest(blocks.body);
  if (columns.extent.is(lanes)) return false;
  int64_t rows = 0, bytes = 8;
  bool floats = false;
  for (const Instr& i : columns.body) {
    const auto* loop = std::get_if<Loop>(&i.node);
    if (!loop) continue;
    rows = std::max(rows, k.facts.range(loop->extent).high);
    for (const Instr& j : loop->body)
      if (const auto* l = std::get_if<LoadInstr>(&j.node)) {
        const Dtype type = k.buffer(l->buffer).dtype;
        bytes = std::min<int64_t>(bytes, type.size());
        floats = floats || is_float(type);
      }
  }
  if (bytes >= 4) return rows <= kOverlappingRows;
  return !floats || rows <= kOverlappingNarrowRows;
}

void put_blocks_side_by_side(Kernel& k, Loop& blocks, int lanes, bool shorter, const std::string& var) {
  strip(blocks, lanes, var, k.facts);
  Loop& rows = std::get<Loop>(blocks.body[0].node);
  rows.unroll = lanes;
  Loop& columns = *inner_of_nest(rows.body);
  columns.vector = lanes;
  if (shorter && columns.extent.is_const())
    while (columns.vector > kShortestVector && columns.vector / 2 >= columns.extent.value()) columns.vector /= 2;
}

void put_blocks_in_lanes(Kernel& k, Loop& blocks, int lanes, const std::string& var) {
  strip(blocks, lanes, var, k.facts);
  Loop rows = std::move(std::get<Loop>(blocks.body[0].node));
  Loop columns = std::move(std::get<Loop>(rows.body[0].node));
  rows.vector = lanes;
  rows.body = std::move(columns.body);
  columns.body.clear();
  columns.body.push_back({std::move(rows)});
  blocks.body.clear();
  blocks.body.push_back({std::move(columns)});
}

}  // namespace frit::passes
