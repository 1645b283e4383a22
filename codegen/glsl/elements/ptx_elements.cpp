// A thread takes eight neighbouring elements. All loads come first; then each pair of elements goes through the whole
// arithmetic; then come the stores.
#include "codegen/glsl/elements/ptx_elements.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <set>

#include "codegen/glsl/elements/ptx_pairs.h"
#include "codegen/glsl/known_digits.h"
#include "ir/interpret/interpret_kernel.h"

namespace frit::codegen::glsl {

namespace {

using ptx::Value;
using ptx::Writer;

constexpr uint32_t kEach = 8, kThreads = 256, kPairs = kEach / 2;
constexpr int64_t kMostElements = int64_t{1} << 30;
// Elements from which an instruction that PTX saves for each pays for the launch, which takes a third of a microsecond
// longer than that of a shader.
constexpr int64_t kLeastElements = 3 << 20;
// Instructions of a body that memory does not hide.
constexpr int kLongBody = 16;
constexpr int64_t kTrial = 256;  // elements

// Where an element lies: at its own place, at its place in a row of `length`, at its row's place, or at one for all.
enum class Lies : uint8_t { Dense, InRow, ByRow, Once };
struct Place {
  Lies lies;
  Dim length = 0;

  // Elements of a thread that surely lie in one row, from each multiple of as many on.
  uint32_t together() const {
    if ((lies != Lies::InRow && lies != Lies::ByRow) || !length.is_const()) return kEach;
    return static_cast<uint32_t>(std::gcd(length.value(), int64_t{kEach}));
  }
};

std::optional<Place> place_of(const ir::Kernel& k, const Dim& index, const std::string& var) {
  const Dim i = Dim::symbol(var);
  if (index == i) return Place{Lies::Dense};
  if (index == Dim(0)) return Place{Lies::Once};
  std::vector<std::string> symbols;
  index.collect_symbols(symbols);
  std::vector<Dim> lengths;
  for (const std::string& s : symbols)
    if (s != var) lengths.push_back(Dim::symbol(s));
  // A known length is that of the buffer, or what divides the loop's.
  for (const ir::KernelBuffer& b : k.buffers)
    if (b.size.is_const()) lengths.push_back(b.size);
  const ir::Loop* loop = ir::parallel_loop(k);
  for (const ir::KernelBuffer& b : k.buffers)
    if (loop->extent.is_const() && b.size.is_const() && b.size.value() > 0 &&
        loop->extent.value() % b.size.value() == 0)
      lengths.emplace_back(loop->extent.value() / b.size.value());
  for (const Dim& length : lengths) {
    // A thread reaches two rows at most.
    if (length.is_const() ? length.value() < kEach : !length.as_symbol()) continue;
    if (index == mod(i, length)) return Place{Lies::InRow, length};
    if (index == floor_div(i, length)) return Place{Lies::ByRow, length};
  }
  return std::nullopt;
}

// A kernel whose parallel loop has straight-line code over elements that lie so.
struct Elements {
  const ir::Kernel& kernel;
  const ir::Loop& loop;
  std::map<const ir::Instr*, Place> places = {};  // of loads
  int64_t least = 0;                              // elements of a launch from which the text pays
};

uint32_t symbol_number(const ir::Kernel& k, const std::string& name) {
  return static_cast<uint32_t>(std::find(k.symbols.begin(), k.symbols.end(), name) - k.symbols.begin());
}

bool is_moved(Dtype t) { return is_low_precision(t) || t == float32 || t == int32 || t == uint32; }

// Instructions that PTX saves for each element, in units of a rounding to bf16: roundings, and quotients, whose inverse
// is one instruction. Conversions of integers and square roots take longer there.
class Savings {
 public:
  explicit Savings(const ir::Kernel& k) : k_(k), known_(k) {}
  void count(const ir::ScalarInstr& s) {
    known_.note(s);
    if (known_.constant(s.result)) return;
    ++length_;
    if (s.op == ir::ScalarOp::Cast) {
      saved_ += s.type == bfloat16 && !known_.holds(s.args[0], bfloat16);
      saved_ -= s.type == float32 && is_int(k_.reg_types[s.args[0]]) ? 2 : 0;
    }
    saved_ += known_.may_be_near(s);
    saved_ -= s.op == ir::ScalarOp::Round ? 2 : s.op == ir::ScalarOp::Sqrt ? 4 : 0;
  }
  // The elements of a launch from which it pays; none where it never does.
  std::optional<int64_t> least() const {
    if (saved_ < 1 || (saved_ < 3 && length_ < kLongBody)) return std::nullopt;
    return kLeastElements / saved_;
  }

 private:
  const ir::Kernel& k_;
  KnownDigits known_;
  int saved_ = 0, length_ = 0;
};

std::optional<Elements> find_elements(const ir::Kernel& k) {
  const ir::Loop* loop = ir::parallel_loop(k);
  if (!loop || !k.locals.empty()) return std::nullopt;
  Elements e{k, *loop};
  Savings savings(k);
  for (const ir::KernelBuffer& b : k.buffers)
    if (!is_moved(b.dtype) || (b.read && b.written)) return std::nullopt;
  for (const ir::Instr& i : loop->body) {
    if (const auto* s = std::get_if<ir::ScalarInstr>(&i.node)) {
      if (!PtxPairs::knows(k, *s)) return std::nullopt;
      savings.count(*s);
    } else if (const auto* l = std::get_if<ir::LoadInstr>(&i.node)) {
      const auto place = l->mask == ir::kNoReg ? place_of(k, l->index, loop->var) : std::nullopt;
      if (!place) return std::nullopt;
      e.places[&i] = *place;
    } else if (const auto* s = std::get_if<ir::StoreInstr>(&i.node)) {
      if (s->mask != ir::kNoReg || s->index != Dim::symbol(loop->var)) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  const std::optional<int64_t> least = savings.least();
  if (!least || DimFacts(k.facts).range(loop->extent).high < *least) return std::nullopt;
  e.least = *least;
  return e;
}

class ElementsWriter {
 public:
  explicit ElementsWriter(const Elements& e) : e_(e), k_(e.kernel), pairs_(w_, e.kernel) {}

  std::string run() {
    const Value thread = w_.u32("mov.u32", {"%tid.x"}), group = w_.u32("mov.u32", {"%ctaid.x"});
    const Value own = w_.u32("mad.lo.u32", {group, ptx::number(kThreads), thread});
    first_ = w_.u32("shl.b32", {own, "3"});
    extent_ = w_.low_parameter(k_.buffers.size());
    const Value end = w_.label(), rest = w_.label();
    w_.jump_if(w_.test("setp.ge.u32", {first_, extent_}), end);
    const Dim& whole = e_.loop.extent;
    const bool has_rest = !whole.is_const() || whole.value() % kEach != 0;
    const Value left = w_.u32("sub.u32", {extent_, first_});
    if (has_rest) w_.jump_if(w_.test("setp.lt.u32", {left, ptx::number(kEach)}), rest);
    body();
    if (has_rest) {
      w_.jump(end);
      w_.place(rest);
      for (uint32_t i = 0; i < kEach; ++i) there_.push_back(w_.test("setp.gt.u32", {left, ptx::number(i)}));
      body();
    }
    w_.place(end);
    w_.op("ret", {});
    return w_.finish({"sm_90", "elements", k_.buffers.size() + 1 + k_.symbols.size(), kThreads, 0, 0, kGroups});
  }

 private:
  // Workgroups of a multiprocessor that registers must leave room for: so many loads are under way.
  static constexpr uint32_t kGroups = 4;

  void body() {
    loaded_.clear();
    stored_.clear();
    in_row_.clear();
    for (const ir::Instr& i : e_.loop.body)
      if (const auto* l = std::get_if<ir::LoadInstr>(&i.node)) load(*l, e_.places.at(&i));
    for (uint32_t pair = 0; pair < kPairs; ++pair) {
      pairs_.start();
      for (const ir::Instr& i : e_.loop.body) take(i, pair);
    }
    for (const auto& [store, words] : stored_) put(*store, words);
  }

  void take(const ir::Instr& i, uint32_t pair) {
    if (const auto* s = std::get_if<ir::ScalarInstr>(&i.node)) return pairs_.emit(*s);
    if (const auto* l = std::get_if<ir::LoadInstr>(&i.node)) {
      const std::vector<Value>& words = loaded_.at(l);
      if (is_low_precision(k_.reg_types[l->result]))
        pairs_.put(l->result, words[pair]);
      else
        pairs_.put(l->result, PtxPairs::Lanes{words[2 * pair], words[2 * pair + 1]});
      return;
    }
    const auto* s = &std::get<ir::StoreInstr>(i.node);
    auto at = std::find_if(stored_.begin(), stored_.end(), [&](const auto& each) { return each.first == s; });
    if (at == stored_.end()) at = stored_.insert(at, {s, {}});
    std::vector<Value>& words = at->second;
    if (is_low_precision(k_.buffer(s->buffer).dtype)) {
      words.push_back(pairs_.packed(s->value));
      return;
    }
    for (const Value& lane : pairs_.lanes(s->value)) words.push_back(lane);
  }

  Value length_of(const Dim& length) {
    if (length.is_const()) return ptx::number(static_cast<uint64_t>(length.value()));
    return w_.low_parameter(k_.buffers.size() + 1 + symbol_number(k_, *length.as_symbol()));
  }

  Value address(uint32_t buffer, const Value& place) {
    const Value base = w_.parameter(buffer);
    return w_.u64("mad.wide.u32", {place, ptx::number(k_.buffer(buffer).dtype.size()), base});
  }

  static Writer::Kind kind_of(Dtype t) { return t == float32 ? Writer::Float32 : Writer::Bits32; }
  static const char* type_of(Dtype t) { return t == float32 ? ".f32" : ".b32"; }

  void load(const ir::LoadInstr& l, const Place& place) {
    const Dtype t = k_.buffer(l.buffer).dtype;
    std::vector<Value>& words = loaded_[&l];
    if (place.together() < kEach)
      return place.lies == Lies::InRow ? load_parts(l, place, words) : load_two(l, place, words);
    if (place.lies == Lies::Once || place.lies == Lies::ByRow) {
      const Value at =
          place.lies == Lies::Once ? w_.u32("mov.u32", {"0"}) : w_.u32("div.u32", {first_, length_of(place.length)});
      const Value from = address(l.buffer, at);
      return load_one(t, from, words);
    }
    const Value at = place.lies == Lies::Dense ? first_ : w_.u32("rem.u32", {first_, length_of(place.length)});
    const Value from = address(l.buffer, at);
    if (place.lies == Lies::Dense && !there_.empty()) return load_rest(t, from, words);
    for (uint32_t bytes = 0; bytes < kEach * t.size(); bytes += 16) {
      std::vector<Value> four;
      while (four.size() < 4) four.push_back(w_.reg(kind_of(t)));
      w_.op(std::string("ld.global.v4") + type_of(t), {ptx::list(four), ptx::at(from, bytes)});
      words.insert(words.end(), four.begin(), four.end());
    }
  }

  // One number for all of the thread's elements.
  void load_one(Dtype t, const Value& from, std::vector<Value>& words) {
    words.assign(is_low_precision(t) ? kPairs : kEach, load_number(t, from));
  }

  // A number, in both halves of a register where it has 16 bits.
  Value load_number(Dtype t, const Value& from) {
    if (is_low_precision(t)) {
      const Value half = w_.reg(Writer::Bits16);
      w_.op("ld.global.b16", {half, ptx::at(from)});
      return w_.u32("mov.b32", {ptx::list({half, half})});
    }
    const Value all = w_.reg(kind_of(t));
    w_.op(std::string("ld.global") + type_of(t), {all, ptx::at(from)});
    return all;
  }

  // The places in their row of the elements that each access takes. The row may end between two of them.
  const std::vector<Value>& places_in_row(const Place& place) {
    const int64_t length = place.length.value();
    std::vector<Value>& all = in_row_[length];
    if (!all.empty()) return all;
    const Value end = ptx::number(static_cast<uint64_t>(length));
    all.push_back(w_.u32("rem.u32", {first_, end}));
    while (all.size() < kEach / place.together()) {
      const Value next = w_.u32("add.u32", {all.back(), ptx::number(place.together())});
      const Value ends = w_.test("setp.eq.u32", {next, end});
      all.push_back(w_.u32("selp.b32", {"0", next, ends}));
    }
    return all;
  }

  // Elements of a row whose length no wide access divides, in accesses of as many as it allows.
  void load_parts(const ir::LoadInstr& l, const Place& place, std::vector<Value>& words) {
    const Dtype t = k_.buffer(l.buffer).dtype;
    const bool low = is_low_precision(t);
    const uint32_t count = low ? place.together() / 2 : place.together();  // words of an access
    std::vector<Value> halves;
    for (const Value& at : places_in_row(place)) {
      const Value from = address(l.buffer, at);
      std::vector<Value> part;
      while (part.size() < std::max(count, 1u)) part.push_back(w_.reg(count ? kind_of(t) : Writer::Bits16));
      const std::string type = count ? type_of(t) : ".b16";
      if (count > 1)
        w_.op("ld.global.v" + std::to_string(count) + type, {ptx::list(part), ptx::at(from)});
      else
        w_.op("ld.global" + type, {part[0], ptx::at(from)});
      std::vector<Value>& to = count ? words : halves;
      to.insert(to.end(), part.begin(), part.end());
    }
    for (size_t i = 0; i < halves.size(); i += 2)
      words.push_back(w_.u32("mov.b32", {ptx::list({halves[i], halves[i + 1]})}));
  }

  // A number of each row, of which a thread may reach two.
  void load_two(const ir::LoadInstr& l, const Place& place, std::vector<Value>& words) {
    const Dtype t = k_.buffer(l.buffer).dtype;
    const Value length = length_of(place.length), row = w_.u32("div.u32", {first_, length});
    const Value after = w_.u32("add.u32", {row, "1"}), begin = w_.u32("mul.lo.u32", {after, length});
    const Value left = w_.u32("sub.u32", {begin, first_}), end = w_.u32("sub.u32", {extent_, "1"});
    const Value reach = w_.u32("add.u32", {first_, ptx::number(kEach - 1)});
    const Value last = w_.u32("min.s32", {reach, end});
    const Value next = w_.u32("div.u32", {last, length});
    const Value from = address(l.buffer, row), other = address(l.buffer, next);
    const Value first = load_number(t, from), second = load_number(t, other);
    std::vector<Value> each;
    for (uint32_t i = 0; i < kEach; ++i) {
      const Value own = w_.test("setp.gt.u32", {left, ptx::number(i)});
      const Value chosen = w_.reg(kind_of(t));
      w_.op(std::string("selp") + type_of(t), {chosen, first, second, own});
      each.push_back(chosen);
    }
    if (!is_low_precision(t)) return words.swap(each);
    for (size_t i = 0; i < each.size(); i += 2) words.push_back(w_.u32("prmt.b32", {each[i], each[i + 1], "0x7610"}));
  }

  // The elements that are there.
  void load_rest(Dtype t, const Value& from, std::vector<Value>& words) {
    std::vector<Value> halves;
    for (uint32_t i = 0; i < kEach; ++i) {
      const bool low = is_low_precision(t);
      const Value one = w_.reg(low ? Writer::Bits16 : kind_of(t));
      const std::string type = low ? ".b16" : type_of(t);
      const Value zero = t == float32 ? "0f00000000" : "0";
      w_.op("mov" + type, {one, zero});
      w_.op_if(there_[i], "ld.global" + type, {one, ptx::at(from, i * t.size())});
      (low ? halves : words).push_back(one);
    }
    for (size_t i = 0; i < halves.size(); i += 2)
      words.push_back(w_.u32("mov.b32", {ptx::list({halves[i], halves[i + 1]})}));
  }

  void put(const ir::StoreInstr& s, const std::vector<Value>& words) {
    const Dtype t = k_.buffer(s.buffer).dtype;
    const Value to = address(s.buffer, first_);
    for (size_t i = 0; there_.empty() && i < words.size(); i += 4) {
      const std::vector<Value> four(&words[i], &words[i] + 4);
      w_.op(std::string("st.global.v4") + type_of(t), {ptx::at(to, 4 * i), ptx::list(four)});
    }
    for (uint32_t i = 0; i < there_.size(); ++i) {
      if (!is_low_precision(t)) {
        w_.op_if(there_[i], std::string("st.global") + type_of(t), {ptx::at(to, 4 * i), words[i]});
        continue;
      }
      const Value low = w_.reg(Writer::Bits16), high = w_.reg(Writer::Bits16);
      w_.op("mov.b32", {ptx::list({low, high}), words[i / 2]});
      w_.op_if(there_[i], "st.global.b16", {ptx::at(to, 2 * i), i % 2 ? high : low});
    }
  }

  const Elements& e_;
  const ir::Kernel& k_;
  Writer w_;
  PtxPairs pairs_;
  Value first_, extent_;
  std::map<int64_t, std::vector<Value>> in_row_;  // places_in_row, by the length of the rows
  std::vector<Value> there_;                      // of the last elements: whether each is there
  std::map<const ir::LoadInstr*, std::vector<Value>> loaded_;
  std::vector<std::pair<const ir::StoreInstr*, std::vector<Value>>> stored_;
};

// The kernel over few elements, in buffers of as many, with all symbols the same; the interpreter knows its results.
bool add_trial(const Elements& e, runtime::GpuKernel::StandIn& to) {
  ir::Kernel k = e.kernel;
  std::vector<std::string> memory;
  std::vector<ir::BufferSpan> spans;
  for (ir::KernelBuffer& b : k.buffers) {
    b.size = Dim(kTrial);
    std::string& bytes = memory.emplace_back(static_cast<size_t>(kTrial * b.dtype.size()), '\0');
    for (int64_t i = 0; !b.written && i < kTrial; ++i) {
      const uint64_t bits = ir::double_to_bits(b.dtype, runtime::trial_number(memory.size() - 1, i));
      std::memcpy(bytes.data() + i * b.dtype.size(), &bits, b.dtype.size());
    }
  }
  for (std::string& bytes : memory) spans.push_back({reinterpret_cast<std::byte*>(bytes.data()), bytes.size()});
  std::get<ir::Loop>(k.body.front().node).extent = Dim(kTrial);
  const std::vector<int64_t> symbols(k.symbols.size(), kTrial);
  if (!ir::interpret(k, spans, symbols).ok()) return false;
  to.trial = kTrial;
  for (size_t i = 0; i < k.buffers.size(); ++i) to.results.push_back(k.buffers[i].written ? memory[i] : std::string());
  return true;
}

}  // namespace

std::optional<Shader> ptx_elements(const ir::Kernel& kernel) {
  const std::optional<Elements> e = find_elements(kernel);
  if (!e) return std::nullopt;
  Shader shader;
  runtime::GpuKernel::StandIn stand_in{kernel.name};
  stand_in.least = e->least, stand_in.most = kMostElements;
  if (!add_trial(*e, stand_in)) return std::nullopt;
  shader.kernel.name = kernel.name + "_ptx";
  shader.kernel.entry = "elements";
  shader.kernel.group_size = kThreads;
  shader.kernel.per_group = kThreads * kEach;
  shader.kernel.multiple = kEach;
  std::set<uint32_t> aligned, multiple;
  for (const ir::Instr& i : e->loop.body) {
    if (const auto* s = std::get_if<ir::StoreInstr>(&i.node)) aligned.insert(s->buffer);
    const auto* l = std::get_if<ir::LoadInstr>(&i.node);
    if (!l) continue;
    const Place& place = e->places.at(&i);
    if (place.lies == Lies::Dense || place.lies == Lies::InRow) aligned.insert(l->buffer);
    if (const std::string* length = place.length.as_symbol()) multiple.insert(symbol_number(kernel, *length));
  }
  shader.kernel.aligned_buffers.assign(aligned.begin(), aligned.end());
  shader.kernel.multiple_symbols.assign(multiple.begin(), multiple.end());
  shader.text = ElementsWriter(*e).run();
  shader.kernel.stands_in = std::move(stand_in);
  return shader;
}

}  // namespace frit::codegen::glsl
