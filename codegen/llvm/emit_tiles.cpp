// Serial loops inside of a vector loop, along which elements follow each other in memory while the lanes lie far apart:
// rows that are the lanes of vectors.
//
// Some iterations go together. Each lane's elements of them are read as one short run, and the runs of all lanes are
// transposed in registers: a vector for each element. Results are transposed back and stored as runs. A loop that is
// known to be long enough reads its last iterations together with some that it has already taken.
#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "codegen/llvm/emitter.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen {

using ir::Accumulator;
using llvm::BasicBlock;
using llvm::Value;

namespace {

constexpr int64_t kRunBytes = 16;         // of a lane, within which interleaving takes one instruction
constexpr int64_t kLeastRunBytes = 2;     // shorter runs take as long as single elements
constexpr int64_t kMostElements = 16;     // of a run of elements for each iteration
constexpr int64_t kFewElements = 3;       // between lanes that whole vectors and shuffles read faster
constexpr int64_t kMaxTileInstrs = 1024;  // of the iterations of a tile, for one lane

// Interleaves the 16-byte parts of vectors, `part` elements each, in some stages. An element has a number, whose upper
// bits are those of its vector and whose lower ones are its place in the part. A stage turns it by one bit to the left.
void interleave(llvm::IRBuilderBase& builder, llvm::SmallVectorImpl<Value*>& vectors, int part, int stages) {
  const size_t count = vectors.size();
  const int width = static_cast<int>(llvm::cast<llvm::FixedVectorType>(vectors[0]->getType())->getNumElements());
  llvm::SmallVector<int, 64> low, high;
  for (int i = 0; i < width; ++i) {
    const int in_part = i % part, from = i - in_part + in_part / 2 + (in_part % 2 ? width : 0);
    low.push_back(from);
    high.push_back(from + part / 2);
  }
  llvm::SmallVector<Value*, 16> next(count);
  for (; stages > 0; --stages) {
    for (size_t i = 0; i < count / 2; ++i) {
      next[2 * i] = builder.CreateShuffleVector(vectors[i], vectors[i + count / 2], low);
      next[2 * i + 1] = builder.CreateShuffleVector(vectors[i], vectors[i + count / 2], high);
    }
    vectors.assign(next.begin(), next.end());
  }
}

int bits_of(int64_t power) { return std::countr_zero(static_cast<uint64_t>(power)); }

// The lane whose run of `places` elements is number `sub` in part `part` of vector `vector`, where a part has `in_part`
// elements.
int64_t lane_of(int64_t part, int64_t vector, int64_t sub, int64_t in_part, int64_t places) {
  return part * in_part + vector * (in_part / places) + sub;
}

// Puts vectors of the same type behind each other, a power of two of them.
Value* joined(llvm::IRBuilderBase& builder, llvm::SmallVector<Value*, 64> parts) {
  while (parts.size() > 1) {
    const auto n = static_cast<int>(llvm::cast<llvm::FixedVectorType>(parts[0]->getType())->getNumElements());
    llvm::SmallVector<int, 64> all;
    for (int i = 0; i < 2 * n; ++i) all.push_back(i);
    for (size_t i = 0; i < parts.size() / 2; ++i)
      parts[i] = builder.CreateShuffleVector(parts[2 * i], parts[2 * i + 1], all);
    parts.resize(parts.size() / 2);
  }
  return parts[0];
}

}  // namespace

// The access as a part of a run of elements along `loop`, whose lanes lie further apart; else nothing.
std::optional<TileAccess> KernelEmitter::tile_access(const ir::Loop& loop, const ir::Instr& i) const {
  const auto* l = std::get_if<ir::LoadInstr>(&i.node);
  const auto* s = std::get_if<ir::StoreInstr>(&i.node);
  if ((!l && !s) || (l ? l->mask : s->mask) != ir::kNoReg) return std::nullopt;
  const Dim& index = l ? l->index : s->index;
  if (!varies_by_variable_only(index)) return std::nullopt;
  const auto along = index.affine_in(loop.var);
  if (!along || !along->coefficient.is_const()) return std::nullopt;
  const int64_t step = along->coefficient.value();
  if (step < 1 || step > kMostElements) return std::nullopt;
  const auto across = along->rest.affine_in(vector_->var);
  if (!across || across->coefficient.uses(loop.var)) return std::nullopt;
  const DimRange apart = facts_.range(across->coefficient);
  if (across->coefficient.is_const() ? apart.low < kFewElements : apart.high < kFewElements) return std::nullopt;
  if (apart.high <= kFewElements && features_.masks_small) return std::nullopt;
  return TileAccess{l, s, index, along->rest, step};
}

// The accesses of a loop without loops that some iterations take together. Those of a buffer that is read and written
// stay as they are.
Tiles KernelEmitter::find_tiles(const ir::Loop& loop) const {
  Tiles tiles;
  if (!vector_ || !vector_->rows.empty() || loop.kind != ir::LoopKind::Serial || passes::contains_loop(loop.body))
    return tiles;
  if (!loop.carries.empty() && !loop.extent.is_const()) return tiles;
  std::set<uint32_t> read, written;
  for (const ir::Instr& i : loop.body) {
    if (const auto* l = std::get_if<ir::LoadInstr>(&i.node)) read.insert(l->buffer);
    if (const auto* s = std::get_if<ir::StoreInstr>(&i.node)) written.insert(s->buffer);
  }
  for (const ir::Instr& i : loop.body) {
    const auto a = tile_access(loop, i);
    if (!a || (read.count(a->buffer()) && written.count(a->buffer())) || (a->store && vector_->mask)) continue;
    const auto same = std::find_if(tiles.runs.begin(), tiles.runs.end(), [&](const TileRun& run) {
      const Dim apart = a->rest - run.accesses[0].rest;
      return run.accesses[0].buffer() == a->buffer() && run.accesses[0].step == a->step &&
             (a->step == 1 ? apart.is(0) : apart.is_const());
    });
    if (same == tiles.runs.end())
      tiles.runs.push_back({{*a}});
    else
      same->accesses.push_back(*a);
  }
  std::erase_if(tiles.runs, [&](TileRun& run) { return !lay_out(loop, run); });
  for (const TileRun& run : tiles.runs)
    tiles.together = std::max(tiles.together, run.places / std::gcd(run.places, run.accesses[0].step));
  if (tiles.together * code_size(loop.body) > kMaxTileInstrs) return {};
  return tiles;
}

// The instructions of an iteration that tiles save of its accesses to single elements.
int64_t KernelEmitter::saved_by(const Tiles& tiles) const {
  int64_t saved = 0;
  for (const TileRun& run : tiles.runs)
    saved += static_cast<int64_t>(run.accesses.size()) * copies() *
             (vector_->width - 2 * vector_->width / run.places - bits_of(kRunBytes / run.type.size()));
  return saved;
}

// Sets the places of a run's accesses, and the elements of a lane that are read at once. Fails where elements between
// are left out or the loop is too short.
bool KernelEmitter::lay_out(const ir::Loop& loop, TileRun& run) const {
  const TileAccess first = run.accesses[0];
  int64_t low = 0;
  for (const TileAccess& a : run.accesses) low = std::min(low, (a.rest - first.rest).value());
  std::set<int64_t> found;
  for (TileAccess& a : run.accesses) {
    a.place = (a.rest - first.rest).value() - low;
    if (a.store && found.count(a.place)) return false;
    found.insert(a.place);
  }
  if (static_cast<int64_t>(found.size()) != first.step || *found.rbegin() != first.step - 1) return false;
  const Dtype type = kernel_.buffer(first.buffer()).dtype;
  const int64_t size = type.size(), most = facts_.range(loop.extent).high, width = vector_->width;
  int64_t places = std::min(kRunBytes / size, width);
  while (places > 1 && places / std::gcd(places, first.step) > most) places /= 2;
  if (places < 2 || places * size < kLeastRunBytes || width * size < kRunBytes) return false;
  run.places = places;
  run.type = type;
  std::stable_sort(run.accesses.begin(), run.accesses.end(),
                   [](const TileAccess& a, const TileAccess& b) { return a.place < b.place; });
  return true;
}

// The address of a lane's run that begins at place `place` of the tile. Lanes behind the last one read its run.
Value* KernelEmitter::run_address(const Address& a, int copy, int64_t lane, int64_t place) {
  const Val step = uniform(a.step ? a.step : i64(a.stride), a.step ? a.base.depth : 0);
  Val number = uniform(i64(lane + int64_t{copy} * vector_->width), 0);
  if (vector_->lanes(copy)) {
    const Val left = uniform(vector_->remaining, vector_->depth);
    number = pure({&left}, [&](llvm::ArrayRef<Value*> v) {
      Value* last = builder_.CreateSub(v[0], i64(1));
      Value* own = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, i64(lane), last);
      return builder_.CreateAdd(own, i64(int64_t{copy} * vector_->width));
    });
  }
  const Val behind = pure({&number, &step}, [&](llvm::ArrayRef<Value*> v) { return builder_.CreateMul(v[0], v[1]); });
  Value* at = builder_.CreateInBoundsGEP(a.element, a.base.scalar(), behind.scalar());
  return place == 0 ? at : builder_.CreateInBoundsGEP(a.element, at, i64(place));
}

// Reads the elements of the iterations from `first` on.
void KernelEmitter::open_tiles(const Tiles& tiles, const ir::Loop& loop, Value* first) {
  names_[loop.var] = uniform(first, depth());
  tile_at_ = 0;
  for (const TileRun& run : tiles.runs) {
    const TileAccess& start = run.accesses[0];
    if (start.store) {
      for (const TileAccess& a : run.accesses) tile_stores_.try_emplace(a.store);
      continue;
    }
    Val empty;
    empty.varying = true;
    empty.depth = depth();
    for (const TileAccess& a : run.accesses) tile_loads_[a.load].assign(static_cast<size_t>(tiles.together), empty);
    const Address at = address(start.buffer(), start.index);
    for (int c = 0; c < copies(); ++c)
      for (int64_t begin = 0; begin < tiles.together * start.step; begin += run.places) {
        const auto vectors = load_tile(run, at, c, begin);
        for (int64_t p = 0; p < run.places; ++p) {
          Value* vector = from_memory(run.type, vectors[static_cast<size_t>(p)]);
          for (const TileAccess& a : run.accesses)
            if (a.place == (begin + p) % start.step)
              tile_loads_[a.load][static_cast<size_t>((begin + p) / start.step)].copies.push_back(vector);
        }
      }
  }
}

// The elements of a tile from `begin` on: a vector for each.
llvm::SmallVector<Value*, 16> KernelEmitter::load_tile(const TileRun& run, const Address& a, int copy, int64_t begin) {
  const int64_t places = run.places, in_part = kRunBytes / run.type.size(), parts = vector_->width / in_part;
  llvm::Type* type = llvm::FixedVectorType::get(a.element, static_cast<unsigned>(places));
  llvm::SmallVector<Value*, 16> vectors;
  for (int64_t v = 0; v < places; ++v) {
    llvm::SmallVector<Value*, 64> runs;
    for (int64_t part = 0; part < parts; ++part)
      for (int64_t sub = 0; sub < in_part / places; ++sub) {
        Value* at = run_address(a, copy, lane_of(part, v, sub, in_part, places), begin);
        runs.push_back(builder_.CreateAlignedLoad(type, at, llvm::Align(a.dtype.size())));
      }
    vectors.push_back(joined(builder_, std::move(runs)));
  }
  interleave(builder_, vectors, static_cast<int>(in_part), bits_of(in_part));
  return vectors;
}

// Writes the results of the last iterations, of which the first is `first`.
void KernelEmitter::close_tiles(const Tiles& tiles, const ir::Loop& loop, Value* first) {
  names_[loop.var] = uniform(first, depth());
  for (const TileRun& run : tiles.runs) {
    const TileAccess& start = run.accesses[0];
    if (!start.store) continue;
    const Address at = address(start.buffer(), start.index);
    const int64_t places = run.places, in_part = kRunBytes / run.type.size();
    for (int c = 0; c < copies(); ++c)
      for (int64_t begin = 0; begin < tiles.together * start.step; begin += places) {
        llvm::SmallVector<Value*, 16> vectors;
        for (int64_t p = begin; p < begin + places; ++p)
          for (const TileAccess& a : run.accesses)
            if (a.place == p % start.step) {
              const std::vector<Val>& known = tile_stores_.at(a.store);
              const size_t before = known.size() - static_cast<size_t>(tiles.together);
              vectors.push_back(known[before + static_cast<size_t>(p / start.step)].copies[static_cast<size_t>(c)]);
            }
        interleave(builder_, vectors, static_cast<int>(in_part), bits_of(places));
        for (int64_t v = 0; v < places; ++v)
          for (int64_t own = 0; own < vector_->width / places; ++own) {
            const int64_t lane = lane_of(own * places / in_part, v, own % (in_part / places), in_part, places);
            llvm::SmallVector<int, 16> pick;
            for (int64_t p = 0; p < places; ++p) pick.push_back(static_cast<int>(own * places + p));
            Value* to = run_address(at, c, lane, begin);
            Value* elements = builder_.CreateShuffleVector(vectors[static_cast<size_t>(v)], pick);
            builder_.CreateAlignedStore(elements, to, llvm::Align(at.dtype.size()));
          }
      }
  }
}

// Gives a load its vectors of the open tile. Returns false for others.
bool KernelEmitter::take_from_tile(const ir::LoadInstr& load) {
  const auto known = tile_loads_.find(&load);
  if (known == tile_loads_.end()) return false;
  define(load.result, known->second[tile_at_]);
  defined_[load.result] = true;
  return true;
}

// Keeps the value of a store that close_tiles() writes. Returns false for others.
bool KernelEmitter::keep_for_tile(const ir::StoreInstr& store) {
  const auto kept = tile_stores_.find(&store);
  if (kept == tile_stores_.end()) return false;
  const Val& value = reg(store.value);
  Val raw;
  raw.varying = true;
  raw.depth = depth();
  for (int c = 0; c < copies(); ++c)
    raw.copies.push_back(to_memory(kernel_.buffer(store.buffer).dtype, get(value, c, true)));
  kept->second.push_back(std::move(raw));
  return true;
}

void KernelEmitter::forget_tiles(const Tiles& tiles) {
  for (const TileRun& run : tiles.runs)
    for (const TileAccess& a : run.accesses) tile_loads_.erase(a.load), tile_stores_.erase(a.store);
}

// One iteration of a loop whose extent is known, all of which are emitted one after the other.
void KernelEmitter::emit_tile_iteration(const Tiles& tiles, const ir::Loop& loop, int64_t i) {
  const int64_t n = loop.extent.value(), count = tiles.together;
  if (count > 0 && i % count == 0) {
    const int64_t first = std::min(i, n - count);
    open_tiles(tiles, loop, i64(first));
    tile_at_ = static_cast<size_t>(i - first);
  }
  names_[loop.var] = uniform(i64(i), depth());
  emit_loop_body(loop);
  if (count == 0) return;
  ++tile_at_;
  if ((i + 1) % count == 0 || i + 1 == n) close_tiles(tiles, loop, i64(i + 1 - count));
  if (i + 1 == n) forget_tiles(tiles);
}

// The iterations of a tile that begins at `first`, from its iteration `from` on, and the states behind them.
KernelEmitter::States KernelEmitter::take_tile(const Tiles& tiles, const SerialStates& serial, Value* first,
                                               int64_t from, States states) {
  const ir::Loop& loop = serial.loop;
  open_tiles(tiles, loop, first);
  for (tile_at_ = static_cast<size_t>(from); static_cast<int64_t>(tile_at_) < tiles.together; ++tile_at_) {
    Value* i = builder_.CreateAdd(first, i64(static_cast<int64_t>(tile_at_)), "", true, true);
    names_[loop.var] = uniform(i, depth());
    emit_loop_body(loop);
    combine_serial(serial, states, i);
    carry_on(loop);
  }
  close_tiles(tiles, loop, first);
  return states;
}

// Makes the running values behind an iteration those in front of the code that follows.
void KernelEmitter::carry_on(const ir::Loop& loop) {
  const std::vector<Value*> values = carried_values(loop);
  size_t i = 0;
  for (const ir::Carry& carry : loop.carries) {
    Val v{{}, depth(), vector_ != nullptr};
    for (int c = 0; c < copies(); ++c) v.copies.push_back(values[i++]);
    define(carry.value, std::move(v));
  }
}

// Emits a loop whose accumulators combine their values in order, or in any, by tiles. Returns false and emits nothing
// if it has none.
bool KernelEmitter::emit_tiled(const ir::Loop& loop, Value* to) {
  const bool ordered = loop.lanes == 0 || keeps_numbers(loop) ||
                       std::all_of(loop.accumulators.begin(), loop.accumulators.end(),
                                   [&](const Accumulator& a) { return order_free(a); });
  const Tiles tiles = ordered ? find_tiles(loop) : Tiles();
  if (tiles.together == 0) return false;
  const SerialStates serial = serial_states(loop);
  const int64_t count = tiles.together;
  const bool known = loop.extent.is_const();  // and at least a tile
  BasicBlock *before = builder_.GetInsertBlock(), *preheader = block("preheader"), *body = block(loop.var.c_str());
  BasicBlock* rest = block("rest");
  if (known)
    builder_.CreateBr(preheader);
  else
    builder_.CreateCondBr(builder_.CreateICmpSLE(i64(count), to), preheader, rest);
  builder_.SetInsertPoint(preheader);
  builder_.CreateBr(body);
  builder_.SetInsertPoint(body);
  llvm::PHINode* i = builder_.CreatePHI(builder_.getInt64Ty(), 2, loop.var);
  i->addIncoming(i64(0), preheader);
  const States phis = state_phis(serial.start, preheader);
  open_frame(loop, preheader, known);
  open_carries(loop, preheader);
  std::vector<Val> carried;
  for (const ir::Carry& carry : loop.carries) carried.push_back(reg(carry.value));
  States states = take_tile(tiles, serial, i, 0, phis);
  frames_.pop_back();
  BasicBlock* latch = builder_.GetInsertBlock();
  for (size_t k = 0; k < carried.size(); ++k) {
    Val& last = regs_[loop.carries[k].value];
    for (size_t c = 0; c < last.copies.size(); ++c)
      llvm::cast<llvm::PHINode>(carried[k].copies[c])->addIncoming(last.copies[c], latch);
    last.depth = depth();
  }
  Value* next = builder_.CreateAdd(i, i64(count), "", true, true);
  i->addIncoming(next, latch);
  add_incoming(phis, states, latch);
  builder_.CreateCondBr(builder_.CreateICmpSLE(builder_.CreateAdd(next, i64(count)), to), body, rest);
  builder_.SetInsertPoint(rest);
  if (known) {
    const int64_t n = loop.extent.value(), left = n % count;
    if (left > 0) states = take_tile(tiles, serial, i64(n - count), count - left, std::move(states));
    forget_tiles(tiles);
  } else {
    forget_tiles(tiles);
    // The iterations behind the last tile, or all of a loop without one.
    llvm::PHINode* left = builder_.CreatePHI(builder_.getInt64Ty(), 2);
    left->addIncoming(i64(0), before);
    left->addIncoming(next, latch);
    const States start = state_phis(serial.start, before);
    add_incoming(start, states, latch);
    states = take_serial(serial, start, left, to, false);
  }
  define_serial(serial, std::move(states), known ? nullptr : builder_.CreateICmpSLT(i64(0), to));
  return true;
}

}  // namespace frit::codegen
