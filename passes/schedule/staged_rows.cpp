// Turns short rows that are the lanes of vectors, on their way from memory and back, so that no lane is read by itself.
//
// The loop over some rows reads and writes each place of them in vectors, through copies in scratch memory that have
// the rows side by side. Loops of their own before and behind it fill and empty the copies by tiles, as those of a
// transpose.
#include <algorithm>
#include <optional>

#include "passes/lower/loop_nest.h"
#include "passes/schedule/short_rows.h"

namespace frit::passes {

using namespace ir;

namespace {

// Places of a row, of four bytes and more or of two, below which reading each place of some rows by shuffles
// (codegen/llvm/emit_spread.cpp) costs less.
constexpr int64_t kMinWide = 8, kMinNarrow = 8;
constexpr int kCopiesAtOnce = 4;  // vectors of a copy
// Bytes of a block of rows up to which the processor fetches the lines of the result ahead of their use.
constexpr int64_t kForeseenBlock = 4096;

// An access to the places of a row: buffer[length * row + place + rest].
struct StagedAccess {
  uint32_t buffer;
  int64_t length;
  Dim rest;
  bool store;
  uint32_t copy;  // in scratch memory
  int loops = 1;  // that have it
};

// Whether `d` uses a loop variable or a bound position of `body`, which loops in front of it do not know.
bool uses_inside(const Body& body, const Dim& d) {
  return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
    if (const auto* bind = std::get_if<BindInstr>(&i.node)) return d.uses(bind->name);
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && (d.uses(loop->var) || uses_inside(loop->body, d));
  });
}

class Stager {
 public:
  Stager(Kernel& k, Loop& rows, int64_t count, int lanes, bool whole, const StreamedResults* streamed)
      : k_(k), rows_(rows), count_(count), lanes_(lanes), whole_(whole), streamed_(streamed) {}

  // `outer` has `rows` as its only instruction.
  void run(Loop& outer) {
    visit(rows_.body, nullptr, false);
    // Lanes of shorter rows are read one by one: once for all loops, if they are many or an element takes two steps.
    std::erase_if(accesses_, [&](const StagedAccess& a) {
      return a.length < least(a) && (a.store || a.loops < (k_.buffers[a.buffer].dtype.size() > 2 ? 3 : 2));
    });
    if (accesses_.empty()) return;
    for (StagedAccess& a : accesses_) {
      const KernelBuffer& b = k_.buffers[a.buffer];
      const int64_t places = (a.length + lanes_ - 1) / lanes_ * lanes_;
      a.copy = add_local(k_, b.name + "_turned", b.dtype, Dim(places * count_));
    }
    visit(rows_.body, nullptr, true);
    Body before, behind;
    const Loop& loop = rows_;
    for (const StagedAccess& a : accesses_) {
      Body& to = a.store ? behind : before;
      const int64_t rest = whole_ && a.length > lanes_ ? a.length % lanes_ : 0;
      const std::optional<uint32_t> block = goes_past_caches(a) ? std::optional(block_for(a)) : std::nullopt;
      to.push_back(turning(loop, a, 0, a.length - rest, block));
      // Elements of the tile before are moved again.
      if (rest) to.push_back(turning(loop, a, a.length - lanes_, lanes_, block));
      if (block) to.push_back(copy_of_block(loop, a, *block));
    }
    Body all = std::move(before);
    all.push_back(std::move(outer.body[0]));
    std::move(behind.begin(), behind.end(), std::back_inserter(all));
    outer.body = std::move(all);
  }

 private:
  // The access of an element of a row at the place of loop `places`, or nothing.
  std::optional<StagedAccess> access(uint32_t buffer, const Dim& index, const Loop* places, bool store) const {
    if (!places || buffer >= k_.buffers.size() || !places->extent.is_const()) return std::nullopt;
    const int64_t length = places->extent.value();
    const auto along = index.affine_in(places->var);
    const auto across = along && along->coefficient.is(1) ? along->rest.affine_in(rows_.var) : std::nullopt;
    if (!across || !across->coefficient.is(length)) return std::nullopt;
    if (across->rest.uses(rows_.var) || uses_inside(rows_.body, across->rest)) return std::nullopt;
    const KernelBuffer& b = k_.buffers[buffer];
    if (b.dtype == bool_ || b.dtype.size() < 2 || (store ? b.read : b.written)) return std::nullopt;
    const StagedAccess a{buffer, length, across->rest, store, 0};
    if (length < (whole_ ? 2 : least(a))) return std::nullopt;
    return a;
  }

  // Places of a row that fill tiles.
  int64_t least(const StagedAccess& a) const {
    return whole_ ? lanes_ : k_.buffers[a.buffer].dtype.size() > 2 ? kMinWide : kMinNarrow;
  }

  StagedAccess* find(const StagedAccess& a) {
    for (StagedAccess& known : accesses_)
      if (known.buffer == a.buffer && known.length == a.length && known.rest == a.rest) return &known;
    return nullptr;
  }

  // Collects the accesses, or puts those of the copies in their place.
  void visit(Body& body, const Loop* places, bool replace) {
    const auto take = [&](uint32_t& buffer, Dim& index, bool store) {
      const auto a = access(buffer, index, places, store);
      if (!a) return;
      if (!replace) {
        StagedAccess* known = find(*a);
        if (!known) {
          accesses_.push_back(*a);
          last_loop_.push_back(places);
        } else if (const auto i = static_cast<size_t>(known - accesses_.data()); last_loop_[i] != places) {
          ++known->loops;
          last_loop_[i] = places;
        }
      } else if (const StagedAccess* known = find(*a)) {
        buffer = known->copy;
        index = Dim::symbol(places->var) * Dim(count_) + Dim::symbol(rows_.var);
      }
    };
    for (Instr& i : body) {
      if (auto* l = std::get_if<LoadInstr>(&i.node); l && l->mask == kNoReg) take(l->buffer, l->index, false);
      if (auto* s = std::get_if<StoreInstr>(&i.node); s && s->mask == kNoReg) take(s->buffer, s->index, true);
      if (auto* loop = std::get_if<Loop>(&i.node)) visit(loop->body, loop, replace);
    }
  }

  std::string fresh(const std::string& hint) { return unlike_symbols(k_, hint + std::to_string(next_++)); }

  // The loops that fill a copy, or empty it. Vectors go along what is stored, and as many as a vector has lanes go
  // through the registers together, so that what is loaded lies side by side too. They move `places` places of a row
  // from `first` on, into a block of rows in scratch memory if there is one.
  Instr turning(const Loop& loop, const StagedAccess& a, int64_t first, int64_t places, std::optional<uint32_t> block) {
    const Reg value = k_.new_reg(k_.buffers[a.buffer].dtype);
    Loop row, place;
    row.var = fresh("row"), row.extent = loop.extent;
    place.var = fresh("place"), place.extent = places;
    const Dim of_row = Dim::symbol(row.var), of_place = Dim::symbol(place.var) + Dim(first);
    const Dim in_block = of_row * Dim(a.length) + of_place, outside = block ? in_block : in_block + a.rest;
    const Dim inside = of_place * Dim(count_) + of_row;
    Loop& outer = a.store ? row : place;
    Loop& inner = a.store ? place : row;
    inner.body.push_back({LoadInstr{value, a.store ? a.copy : a.buffer, a.store ? inside : outside}});
    inner.body.push_back({StoreInstr{a.store ? block.value_or(a.buffer) : a.copy, a.store ? outside : inside, value}});
    inner.vector = lanes_;
    if (places >= least(a)) outer.unroll = lanes_;
    outer.body.push_back({std::move(inner)});
    return {std::move(outer)};
  }

  // A large result whose rows begin anywhere in a line, while the rows of one iteration fill whole lines together: they
  // are put side by side first, and written past the caches from there.
  bool goes_past_caches(const StagedAccess& a) const {
    const int64_t size = k_.buffers[a.buffer].dtype.size(), line = kLineBytes / size, block = count_ * a.length;
    return a.store && streamed_ && block * size > kForeseenBlock && block % line == 0 && mod(a.rest, Dim(line)).is(0) &&
           streamed_->take(StoreInstr{a.buffer, a.rest, kNoReg}, k_);
  }

  // Room for the rows of one iteration: that of an operand, which nobody reads any more, or new scratch memory.
  uint32_t block_for(const StagedAccess& a) {
    const Dtype type = k_.buffers[a.buffer].dtype;
    for (const StagedAccess& operand : accesses_)
      if (!operand.store && operand.length >= a.length && k_.buffers[operand.buffer].dtype == type) return operand.copy;
    return add_local(k_, k_.buffers[a.buffer].name + "_rows", type, Dim(a.length * count_));
  }

  Instr copy_of_block(const Loop& loop, const StagedAccess& a, uint32_t block) {
    const Reg value = k_.new_reg(k_.buffers[a.buffer].dtype);
    Loop elements;
    elements.var = fresh("element"), elements.extent = loop.extent * Dim(a.length);
    const Dim element = Dim::symbol(elements.var);
    elements.body.push_back({LoadInstr{value, block, element}});
    elements.body.push_back({StoreInstr{a.buffer, element + a.rest, value}});
    elements.vector = lanes_, elements.unroll = kCopiesAtOnce;
    return {std::move(elements)};
  }

  Kernel& k_;
  Loop& rows_;
  int64_t count_;
  int lanes_;
  bool whole_;
  const StreamedResults* streamed_;
  std::vector<StagedAccess> accesses_;
  std::vector<const Loop*> last_loop_;  // by access: the one that was found to have it last
  int next_ = 0;
};

}  // namespace

void stage_rows(Kernel& k, Loop& outer, int64_t count, int lanes, Staging staging, const StreamedResults* streamed) {
  Stager(k, std::get<Loop>(outer.body[0].node), count, lanes, staging == Staging::Whole, streamed).run(outer);
}

}  // namespace frit::passes
