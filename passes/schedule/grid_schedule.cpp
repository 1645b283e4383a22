// Grid schedules: vectors, merged parallel loops and lanes for devices with workgroups.
#include "passes/schedule/grid_schedule.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/grid_columns.h"
#include "passes/schedule/short_columns.h"

namespace frit::passes {

using namespace ir;

namespace {

constexpr int kVectorBytes = 16;  // of one load
constexpr int kWordBytes = 4;
constexpr int kMaxVector = 8;
constexpr int kMaxInvocations = 256, kMostInvocations = 1024;
constexpr int kMinInvocations = 32;
constexpr int kShortLanes = kMinInvocations * kMaxVector;
constexpr int kLongLanes = kMaxInvocations * kVectorBytes / 4;
// Rows that are enough work without a whole workgroup for each: they have an invocation for every 32 elements, a
// subgroup from 512 elements on. Longer ones keep workgroups busy.
constexpr int64_t kManyRows = 4096, kMostOfOne = 32, kFewestOfRow = 8, kWorthSubgroup = 512, kWorthGroup = 2048;
// workgroups that scan rows which leave room for more invocations in each
constexpr int64_t kFewScans = 264;
// invocations that keep a device busy with longer bodies than this; half as many do with short ones
constexpr int64_t kWorthVectors = 1 << 16, kShortBody = 32;
// instructions beyond which copies of a body need more registers than wide loads save
constexpr int64_t kMostCopied = 400;
// elements of a row that 256 invocations keep in registers, bytes of a row of which many fit into a cache together, and
// elements beyond which a length is as good as open
constexpr int64_t kResident = 12288, kCachedBytes = 49152, kUnknownLength = int64_t{1} << 24;

int64_t count(const Body& body) {
  int64_t n = 0;
  for (const Instr& i : body) {
    ++n;
    if (auto* loop = std::get_if<Loop>(&i.node)) n += count(loop->body);
  }
  return n;
}

// The widest accessed element, in bytes.
int widest_access(const Kernel& k, const Body& body) {
  int bytes = 1;
  for (const Instr& i : body) {
    if (auto* l = std::get_if<LoadInstr>(&i.node)) bytes = std::max<int>(bytes, k.buffer(l->buffer).dtype.size());
    if (auto* s = std::get_if<StoreInstr>(&i.node)) bytes = std::max<int>(bytes, k.buffer(s->buffer).dtype.size());
    if (auto* loop = std::get_if<Loop>(&i.node)) bytes = std::max(bytes, widest_access(k, loop->body));
  }
  return bytes;
}

// The narrowest element of a buffer, in bytes.
int64_t shortest_element(const Kernel& k) {
  int64_t bytes = kVectorBytes;
  for (const KernelBuffer& b : k.buffers) bytes = std::min<int64_t>(bytes, b.dtype.size());
  return bytes;
}

void for_each_loop(Body& body, const std::function<void(Loop&)>& f) {
  for (Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node)) f(*loop), for_each_loop(loop->body, f);
}

// Whether `outer` is a perfect nest around straight-line code.
bool is_straight_nest(Loop& outer) {
  Loop* loop = &outer;
  while (Loop* inner = inner_of_nest(loop->body)) {
    if (inner->extent.uses(outer.var)) return false;
    loop = inner;
  }
  return loop != &outer && !contains_loop(loop->body);
}

// The number of consecutive elements in a wide access of which all results are stored contiguously. Few elements are
// dealt out to many invocations, in accesses of a word: they wait for each other's instructions, not for memory.
int element_vector(const Kernel& k, const Loop& loop) {
  if (count(loop.body) > kMostCopied) return 1;
  int vector = std::clamp(kVectorBytes / widest_access(k, loop.body), 1, kMaxVector);
  const int64_t elements = k.facts.range(loop.extent).high,
                enough = count(loop.body) > kShortBody ? kWorthVectors : kWorthVectors / 2;
  while (vector * shortest_element(k) > 4 && elements / vector < enough) vector /= 2;
  for (const Instr& i : loop.body)
    if (auto* s = std::get_if<StoreInstr>(&i.node)) {
      if (s->mask != kNoReg) return 1;
      const auto fits = [&](int v) {
        const Stride stride = stride_of(s->index, loop.var, v, k);
        return stride.kind == Stride::Kind::Contiguous && stride.aligned;
      };
      while (vector > 1 && !fits(vector)) vector /= 2;
    }
  return vector;
}

// The rows that a kernel's innermost loops go over.
struct RowForm {
  bool running = false;  // a loop carries a value
  bool known = true;     // all loops inside the parallel one are innermost, of known lengths and without such a value
  int64_t fits = 0;      // the largest power of two, up to kMostFits, of which all known lengths are multiples
  int64_t many = 0;      // the rows' length where there are many, of one length; else zero
  int64_t scanned = 0;   // the rows' length where there are many, of one length, and one loop scans them
  int64_t longest = 0;   // the known length of the longest loop, if it is more than kResident
  int passes = 0;        // innermost loops of known lengths above that
};

// Whether all places where `loop` begins to read neighbouring elements may be multiples of `count`.
bool begins_at_multiples(const Kernel& k, const Loop& loop, int count) {
  return std::none_of(loop.body.begin(), loop.body.end(), [&](const Instr& i) {
    auto* load = std::get_if<LoadInstr>(&i.node);
    if (!load || load->buffer >= k.buffers.size()) return false;
    const Stride s = stride_of(load->index, loop.var, count, k);
    return s.kind == Stride::Kind::Contiguous && !s.aligned;
  });
}

RowForm row_form(Kernel& k) {
  constexpr int64_t kMostFits = 64;
  RowForm form{.fits = kMostFits};
  const Dim* extent = nullptr;
  bool alike = true, scans = true;
  int loops = 0;
  for_each_loop(k.body, [&](Loop& loop) {
    if (loop.kind == LoopKind::Parallel) return;
    ++loops;
    // Values of more than a word do not pass inside a subgroup.
    const auto is_word = [](const Carry& c) { return c.type.size() <= kWordBytes; };
    scans = scans && loop.lanes > 0 && !loop.carries.empty() && loop.accumulators.empty() && loop.extent.is_const() &&
            std::all_of(loop.carries.begin(), loop.carries.end(), is_word);
    const bool innermost = !contains_loop(loop.body), constant = loop.extent.is_const();
    form.running = form.running || !loop.carries.empty();
    form.known = form.known && innermost && constant && loop.carries.empty();
    const int64_t most = k.facts.range(loop.extent).high;
    if (innermost && most > kResident && most < kUnknownLength &&
        std::none_of(k.symbols.begin(), k.symbols.end(), [&](const auto& s) { return loop.extent.uses(s); })) {
      form.longest = std::max(form.longest, most);
      ++form.passes;
    }
    while (innermost && constant && loop.extent.value() % form.fits) form.fits /= 2;
    while (innermost && form.fits > 1 && !begins_at_multiples(k, loop, static_cast<int>(form.fits))) form.fits /= 2;
    alike = alike && (!extent || loop.extent == *extent);
    extent = &loop.extent;
  });
  const Loop* rows = parallel_loop(k);
  if (scans && loops == 1 && k.locals.empty() && rows && k.facts.range(rows->extent).low >= kManyRows)
    form.scanned = extent->value();
  if (form.known && alike && extent && rows && k.facts.range(rows->extent).low >= kManyRows &&
      std::all_of(k.locals.begin(), k.locals.end(), [&](const auto& l) { return l.size == *extent; }))
    form.many = extent->value();
  return form;
}

// Whether an invocation may take a row of `length` elements by itself: short ones, of which there are enough, whose
// elements stay in its registers. Rows that lie behind one another go through shared memory (codegen/glsl); other
// operands must be the same for all rows or have neighbouring rows side by side.
bool takes_rows_alone(Kernel& k, int64_t length) {
  constexpr int64_t kMostOfAlone = 32, kManyAlone = 1 << 15, kMostInstructions = 1024, kMostWords = 96;
  const Loop* rows = parallel_loop(k);
  if (!length || length > kMostOfAlone || !rows || !contains_lanes(k.body) ||
      k.facts.range(rows->extent).low < kManyAlone || count(k.body) * length > kMostInstructions)
    return false;
  std::map<uint32_t, bool> staged;
  bool fits = true;
  const auto look = [&](const Loop& loop, uint32_t buffer, const Dim& index, bool masked) {
    if (buffer >= k.buffers.size()) {
      fits = fits && index == Dim::symbol(loop.var);
    } else if (index.uses(rows->var) && index.uses(loop.var)) {
      const auto along = index.affine_in(rows->var);
      const auto whole = place_in_rows(index, *rows, &loop);
      const bool apart = whole && *whole == length && k.buffers[buffer].dtype.size() <= 4 && !masked;
      fits = fits && (apart || (along && along->coefficient.is(1)));
      if (apart) staged[buffer] = true;
    }
  };
  for (Instr& i : k.body)
    if (auto* all = std::get_if<Loop>(&i.node))
      for (Instr& j : all->body) {
        auto* loop = std::get_if<Loop>(&j.node);
        if (!loop) continue;
        for (const Instr& in : loop->body) {
          fits = fits && !std::holds_alternative<BindInstr>(in.node);
          if (auto* l = std::get_if<LoadInstr>(&in.node)) look(*loop, l->buffer, l->index, l->mask != kNoReg);
          if (auto* s = std::get_if<StoreInstr>(&in.node)) look(*loop, s->buffer, s->index, s->mask != kNoReg);
        }
      }
  return fits && static_cast<int64_t>(staged.size()) * (length | 1) <= kMostWords;
}

// The elements that an invocation of a subgroup takes at once of a row that is scanned in turns.
int vector_of_scan(const RowForm& form, int vector, int lanes) {
  while (vector > 1 && form.fits % vector) vector /= 2;
  // Rows that begin anywhere: one turn for the shortest, and few values that pass for the longest.
  return vector > 1 ? vector : lanes <= 4 * kMinInvocations ? 4 : lanes <= kWorthSubgroup ? 1 : 2;
}

void schedule_rows(Kernel& k) {
  for_each_loop(k.body, [&](Loop& loop) {
    // A row shorter than the lanes leaves the other lanes at the identity, so they can go.
    if (loop.lanes > 0) {
      const int64_t high = loop.extent.is_const() ? loop.extent.value() : INT64_MAX;
      if (high < loop.lanes)
        loop.lanes = static_cast<int>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(high, 1))));
    }
  });
  int most = 0;
  for_each_loop(k.body, [&](Loop& loop) { most = std::max(most, loop.lanes); });
  if (most == 0) most = kMaxInvocations;
  int vector = std::clamp(kVectorBytes / widest_access(k, k.body), 1, kMaxVector);
  while (most / vector > kMaxInvocations) vector *= 2;
  const RowForm form = row_form(k);
  // Rows that begin at multiples of fewer elements are accessed by as many.
  const auto fits = [&](int v) { return form.fits % v == 0; };
  for (int v = vector / 2; v >= 2 && !fits(vector) && most / v <= kMaxInvocations; v /= 2)
    if (fits(v)) vector = v;
  // A long row has as many invocations as there can be.
  if (!form.many && !form.running && most >= kLongLanes) vector = std::min(vector, most / kMaxInvocations);
  // Few rows that are scanned leave room for more, where accesses of fewer elements are still as wide.
  const Loop* rows = parallel_loop(k);
  if (form.running && most >= kMostInvocations && shortest_element(k) >= kWordBytes &&
      (!rows || k.facts.range(rows->extent).high <= kFewScans))
    vector = std::max(1, most / kMostInvocations);
  // Rows that several loops read: with fewer rows under way, those that are stay in cache, or in registers.
  const bool cached = k.locals.empty() && form.longest * shortest_element(k) <= kCachedBytes;
  if (form.passes > 1 && !form.running && !cached && most >= kMostInvocations)
    vector = std::max(1, most / (form.longest > 2 * kResident ? kMostInvocations : kMostInvocations / 2));
  // A part of a subgroup takes a short row, so that several rows share a workgroup; else a row has one of its own.
  int turns = 1;
  const int64_t rounded = static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(form.many)));
  int64_t group = std::max(form.many < kWorthSubgroup ? kFewestOfRow : kMinInvocations, rounded / kMostOfOne);
  // Twice as many where no more of them wait in the last turn: each keeps fewer elements in registers.
  const auto places = [&](int64_t invocations) {
    const int64_t turn = invocations * (fits(vector) ? vector : 1);
    return (form.many + turn - 1) / turn * turn;
  };
  const int64_t twice = std::max(group, 2 * rounded / kMostOfOne);
  if ((twice <= kMinInvocations || group > kMinInvocations) && places(twice) * 10 <= places(group) * 11) group = twice;
  const bool alone = takes_rows_alone(k, std::max(form.many, form.scanned));
  if (alone) {
    vector = most;
  } else if (form.scanned > kMinInvocations && form.scanned < kWorthGroup) {
    vector = vector_of_scan(form, vector, most);
    turns = std::max(1, most / vector / kMinInvocations);
  } else if (form.many > kFewestOfRow * vector && form.many < kWorthGroup && group * vector <= most) {
    turns = static_cast<int>(most / (group * vector));
  } else if (most <= kShortLanes) {
    while (vector < kMaxVector && most / vector > kMinInvocations && fits(2 * vector)) vector *= 2;
    while (vector > most) vector /= 2;
  } else {
    while (vector > 1 && most / vector < kMinInvocations) vector /= 2;
  }
  // One number of invocations for all loops.
  int invocations = std::max(1, most / vector / turns);
  // Where rows do not begin at multiples of an access, neighbouring invocations take neighbouring elements, in turns:
  // elements of one invocation that lie side by side would be accessed one by one, each time by lines of the whole
  // workgroup.
  const bool apart = form.known && !fits(vector) && !alone;
  if (apart) turns *= vector / static_cast<int>(form.fits), vector = static_cast<int>(form.fits);
  // More invocations keep more of a long row in registers.
  if (apart && most > kShortLanes && !form.many)
    while (invocations < kMaxInvocations && turns > 1) invocations *= 2, turns /= 2;
  for_each_loop(k.body, [&](Loop& loop) {
    if (loop.kind == LoopKind::Parallel) {
      loop.vector = 1;
    } else if (loop.lanes > 0) {
      loop.lanes = std::max(loop.lanes, invocations);
      loop.unroll = std::min(turns, loop.lanes / invocations);
      loop.vector = loop.lanes / invocations / loop.unroll;
    } else {
      loop.vector = loop.carries.empty() ? vector : 0;
      if (apart) loop.unroll = turns;
    }
  });
}

bool is_plain(const Loop& loop) { return !is_ordered(loop) && loop.lanes == 0; }

// A name that nothing in the kernel has.
std::string unused(Kernel& k, std::string name) {
  bool taken = true;
  while (taken) {
    taken = std::find(k.symbols.begin(), k.symbols.end(), name) != k.symbols.end();
    for_each_loop(k.body, [&](Loop& loop) { taken = taken || loop.var == name; });
    for_each_dim(k.body, [&](const Dim& d) { taken = taken || d.uses(name); });
    if (taken) name += "_";
  }
  return name;
}

// The elements of a nest, at most `most`.
int64_t elements_of(Loop& outer, const DimFacts& facts, int64_t most) {
  int64_t n = 1;
  for (Loop* loop = &outer; loop && n < most; loop = inner_of_nest(loop->body))
    n *= std::min(facts.range(loop->extent).high, most);
  return std::min(n, most);
}

// Whether smaller tiles take less time though there are many: operands, or results of less than a word, have lines that
// begin anywhere. `line` runs across the lines of operands, `result_line` across those of results.
bool begins_apart(const Kernel& k, const Loop& line, const Loop& result_line, int size) {
  const auto anywhere = [&](uint32_t buffer, const Dim& index, const Loop& loop) {
    const auto along = index.affine_in(loop.var);
    return along && along->coefficient.is_const() &&
           along->coefficient.value() * k.buffer(buffer).dtype.size() % kVectorBytes != 0 && !along->coefficient.is(1);
  };
  bool operands = false, results = false;
  for (const Instr& i : line.body) {
    if (auto* l = std::get_if<LoadInstr>(&i.node)) operands = operands || anywhere(l->buffer, l->index, line);
    if (auto* s = std::get_if<StoreInstr>(&i.node)) results = results || anywhere(s->buffer, s->index, result_line);
  }
  return size < kWordBytes ? operands || results : operands && !results;
}

// Cuts a nest that reads across its innermost loop into tiles, smaller ones of few elements, so that more workgroups
// share them. Where one side of them is short, the other one is longer. A side of few elements is none that are words
// and fit one access, nor any that are not whole words together: they are accessed as they lie, line by line.
bool cut_tiles(Kernel& k, Loop& outer) {
  constexpr int64_t kWorthTiling = 2, kShortSide = 8, kStep = 32, kMany = 1 << 24;
  const int axis = axis_to_tile(outer, k.facts, kWorthTiling);
  if (axis < 0) return false;
  Loop *row = &outer, *column = &outer;
  for (int i = 0; i < axis; ++i) row = inner_of_nest(row->body);
  while (Loop* inner = inner_of_nest(column->body)) column = inner;
  const int64_t least = std::min(k.facts.range(row->extent).high, k.facts.range(column->extent).high),
                size = widest_access(k, column->body);
  if (least < kShortSide && ((size >= kWordBytes && least * size <= kVectorBytes) || least * size % kWordBytes))
    return false;
  const bool apart = begins_apart(k, *column, *row, size);
  const int64_t side = elements_of(outer, k.facts, kMany) < kMany || apart ? kGridTile / 2 : kGridTile;
  const auto length = [&](const Dim& extent) { return extent.is_const() ? std::min(extent.value(), side) : side; };
  const auto beside = [&](int64_t other) {
    return std::min<int64_t>(side * side / other / kStep * kStep, kGridTileSide);
  };
  const int64_t rows = length(row->extent), columns = length(column->extent);
  tile_axis(outer, static_cast<size_t>(axis), columns < side ? beside(columns) : rows,
            rows < side ? beside(rows) : columns, unused(k, "row"), k.facts);
  return true;
}

}  // namespace

GridTile tile_of(const Kernel& k) {
  const Loop* tiles = parallel_loop(k);
  auto only = [](const Loop* loop) -> const Loop* {
    const Loop* inner = loop && loop->body.size() == 1 ? std::get_if<Loop>(&loop->body[0].node) : nullptr;
    return inner && is_plain(*inner) ? inner : nullptr;
  };
  const Loop* row = only(tiles);
  const Loop* column = only(row);
  if (!column || !k.locals.empty() || contains_loop(column->body) || column->extent.uses(row->var)) return {};
  DimFacts facts = k.facts;
  facts.set_loop(tiles->var, tiles->extent);
  const int64_t rows = facts.range(row->extent).high, columns = facts.range(column->extent).high;
  if (rows > kGridTileSide || columns > kGridTileSide || rows * columns > kGridTile * kGridTile) return {};
  return {row, column, static_cast<int>(rows), static_cast<int>(columns)};
}

bool is_across(const Dim& index, const GridTile& tile) {
  auto along = index.affine_in(tile.column->var);
  auto side = index.affine_in(tile.row->var);
  if (!along || !side || along->coefficient.uses(tile.row->var)) return false;
  return !along->coefficient.is(0) && !along->coefficient.is(1) && side->coefficient.is(1);
}

std::optional<int64_t> place_in_rows(const Dim& index, const Loop& rows, const Loop* loop) {
  const auto along = index.affine_in(rows.var);
  const auto within = along && loop ? along->rest.affine_in(loop->var) : std::nullopt;
  if (!within || !along->coefficient.is_const() || !within->coefficient.is(1) || !within->rest.is_const())
    return std::nullopt;
  return along->coefficient.value();
}

bool has_rows(const Kernel& k) { return !k.locals.empty() || contains_lanes(k.body); }

int row_invocations(const Kernel& k) {
  int invocations = 0;
  auto look = [&](auto&& self, const Body& body) -> void {
    for (const Instr& i : body)
      if (auto* loop = std::get_if<Loop>(&i.node)) {
        if (loop->lanes > 0)
          invocations = std::max(invocations, loop->lanes / std::max(1, loop->vector) / loop->unroll);
        self(self, loop->body);
      }
  };
  look(look, k.body);
  return invocations ? std::min(invocations, kMostInvocations) : kMaxInvocations;
}

void limit_invocations(Kernel& k, int most) {
  const int turns = row_invocations(k) / most;
  if (turns < 2) return;
  for_each_loop(k.body, [&](Loop& loop) {
    if (loop.kind != LoopKind::Parallel && !contains_loop(loop.body))
      (loop.carries.empty() ? loop.unroll : loop.vector) *= turns;
  });
}

void schedule_grid(Kernel& k, const TargetTraits&) {
  const auto locals = static_cast<uint32_t>(k.buffers.size());
  for (Instr& i : k.body) {
    auto* loop = std::get_if<Loop>(&i.node);
    if (!loop) continue;
    if (loop->kind == LoopKind::Parallel) {
      while (collapse(*loop, locals)) {
      }
      // Collapse every inner pair first: a merged position contains a division, which no longer collapses.
      for (Loop* outer = loop; (outer = inner_of_nest(outer->body, locals));)
        while (collapse(*outer, locals)) {
        }
      const bool tiled = k.locals.empty() && is_straight_nest(*loop) && cut_tiles(k, *loop);
      while (!tiled && inner_of_nest(loop->body, locals)) {
        Loop* inner = inner_of_nest(loop->body, locals);
        // A local belongs to one iteration, so a loop that uses it stays in one iteration.
        if (inner->extent.uses(loop->var) || (!k.locals.empty() && !contains_loop(inner->body))) break;
        merge(*loop, k.facts, locals);
      }
    }
  }
  if (has_rows(k) && !write_out_short_columns(k)) return goes_along_columns(k) ? schedule_columns(k) : schedule_rows(k);
  for (Instr& i : k.body) {
    auto* loop = std::get_if<Loop>(&i.node);
    if (!loop) continue;
    const bool elements = loop->kind == LoopKind::Parallel && !contains_loop(loop->body);
    loop->vector = elements ? element_vector(k, *loop) : loop->carries.empty() ? 1 : 0;
  }
}

bool is_independent(const Kernel& k, const Loop& loop) {
  if (is_ordered(loop)) return false;
  std::map<uint32_t, Dim> stored;
  bool independent = true;
  auto stores = [&](auto&& self, const Body& body, const std::vector<const Loop*>& around) -> void {
    for (const Instr& i : body) {
      if (auto* inner = std::get_if<Loop>(&i.node)) {
        auto deeper = around;
        deeper.push_back(inner);
        self(self, inner->body, deeper);
      }
      auto* s = std::get_if<StoreInstr>(&i.node);
      if (!s) continue;
      auto [it, added] = stored.emplace(s->buffer, s->index);
      auto affine = s->index.affine_in(loop.var);
      independent =
          independent && (added || it->second == s->index) && affine && k.facts.range(affine->coefficient).low > 0;
      // The positions of inner loops must not reach those of the next iteration.
      Dim reach = 0;
      for (const Loop* inner : around) {
        auto part = s->index.affine_in(inner->var);
        if (!part || !affine) {
          independent = false;
          break;
        }
        reach += part->coefficient * (inner->extent - Dim(1));
      }
      independent = independent && (around.empty() || k.facts.less(reach, affine->coefficient) == Tri::Yes);
    }
  };
  stores(stores, loop.body, {});
  auto loads = [&](auto&& self, const Body& body) -> void {
    for (const Instr& i : body) {
      if (auto* inner = std::get_if<Loop>(&i.node)) self(self, inner->body);
      if (auto* l = std::get_if<LoadInstr>(&i.node))
        if (auto it = stored.find(l->buffer); it != stored.end()) independent = independent && it->second == l->index;
    }
  };
  loads(loads, loop.body);
  return independent;
}

}  // namespace frit::passes
