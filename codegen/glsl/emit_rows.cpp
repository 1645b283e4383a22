// Rows: a workgroup takes one, or several that parts of a subgroup take each. Rows of an invocation each go through
// shared memory, since neighbouring invocations would access memory a row apart: the workgroup moves the stretch of
// memory that its rows lie in, whole words of it in turn.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

namespace {

constexpr int kRowsGroup = 128;  // invocations of a workgroup that takes several rows at once
constexpr int kWordBytes = 4;

// Whether an invocation accesses a row of so many bytes at once.
bool is_one_access(int64_t bytes) { return bytes == 4 || bytes == 8 || bytes == 16; }

// The same of rows that an invocation takes each. A device begins one workgroup after another, which takes longer than
// the way to memory where those of a workgroup move little, and are read in one loop or at once.
int group_of_short_rows(const ir::Kernel& k, const DimFacts& facts, const ir::Loop& rows, int most) {
  constexpr int kMost = 512;
  constexpr int64_t kEnough = 4096;  // bytes that a workgroup moves
  constexpr int64_t kGroups = 512;   // workgroups that are left
  int64_t length = 0, loops = 0;
  for (const ir::Instr& i : rows.body) {
    const auto* loop = std::get_if<ir::Loop>(&i.node);
    if (!loop) continue;
    if (!loop->extent.is_const()) return kRowsGroup;
    length = std::max(length, loop->extent.value());
    ++loops;
  }
  int64_t bytes = 0;
  for (const ir::KernelBuffer& b : k.buffers) {
    if (loops > 1 && b.read && !is_one_access(length * b.dtype.size())) return kRowsGroup;
    bytes += (b.read ? length : 1) * b.dtype.size();
  }
  int group = kRowsGroup;
  while (group * 2 <= std::min(most, kMost) && group * bytes < kEnough &&
         facts.range(rows.extent).high / (group * 2) >= kGroups)
    group *= 2;
  return group;
}

bool carries_values(const ir::Body& body) {
  return std::any_of(body.begin(), body.end(), [](const ir::Instr& i) {
    const auto* loop = std::get_if<ir::Loop>(&i.node);
    return loop && (!loop->carries.empty() || carries_values(loop->body));
  });
}

}  // namespace

void KernelEmitter::emit_rows(const ir::Loop* loop) {
  line("const uint group = flat_group();");
  const int columns = loop ? passes::columns_at_once(k_, static_cast<int>(features_.group_size)) : 0;
  across_ = columns > 0;
  find_producers(loop ? loop->body : k_.body, loop);
  plan_registers(loop ? loop->body : k_.body);
  if (across_) {
    rows_ = columns;
    return emit_columns(*loop);
  }
  rows_ = loop ? rows_of_group() : 1;
  const std::string me = "int(gl_LocalInvocationID.x)", own = std::to_string(group_), rows = std::to_string(rows_);
  // As a constant, so that drivers know which element an iteration has.
  line("const int lane = " + (group_ == 1 && rows_ > 1 ? std::string("0") : me + (rows_ > 1 ? " % " + own : "")) + ";");
  place_locals();
  if (!loop) {
    open("if (group == 0u) {");
    declare_kept();
    emit_body(k_.body, Context::Group);
    close();
    return;
  }
  const std::string name = enter(*loop);
  const bool wide = names_.at(loop->var).wide;
  const std::string type = index_type(wide);
  shader_.kernel.per_group = static_cast<uint32_t>(rows_);
  if (rows_ > 1 && group_ == 1) plan_stages(*loop);
  if (!stages_.empty()) return emit_staged(*loop, name);
  const std::string inside = rows_ > 1 ? " * " + rows + " + " + type + "(" + me + " / " + own + ")" : "";
  open_rows(*loop, name, type + "(group)" + inside);
  // Other invocations may still be reading the locals of the row before.
  if (std::any_of(memories_.begin() + static_cast<std::ptrdiff_t>(k_.buffers.size()), memories_.end(),
                  [](const Memory& m) { return !m.registers && !m.again; }))
    sync();
  declare_kept();
  emit_body(loop->body, Context::Group);
  close();
}

// Opens the work of a workgroup on the row `first`, and on later ones where it may have to take several in turns.
void KernelEmitter::open_rows(const ir::Loop& loop, const std::string& name, const std::string& first) {
  const bool wide = names_.at(loop.var).wide;
  const std::string type = index_type(wide), extent = dim(loop.extent, wide);
  const int64_t most = scratch_ ? runtime::GpuKernel::kScratchGroups : runtime::GpuKernel::kMostRowGroups;
  // NVIDIA's driver 580 makes quicker code of scans in a loop, and of other rows behind a condition.
  if (facts_.range(loop.extent).high <= most * rows_ && !carries_values(loop.body)) {
    line("const " + type + " " + name + " = " + first + ";");
    return open("if (" + name + " < " + extent + ") {");
  }
  open("for (" + type + " " + name + " = " + first + "; " + name + " < " + extent + "; " + name + " += " + type +
       "(group_step(" + std::to_string(most) + "u))" + (rows_ > 1 ? " * " + std::to_string(rows_) : "") + ") {");
}

// The rows that a workgroup takes at once: several, where a part of a subgroup takes each and folds it without
// barriers, or an invocation by itself.
int KernelEmitter::rows_of_group() const {
  const int subgroup = static_cast<int>(features_.subgroup_size);
  if (barriers_ || kRowsGroup > static_cast<int>(features_.group_size) || k_.locals.size() > in_registers_.size())
    return 1;
  bool words = true;
  auto look = [&](auto&& self, const ir::Body& body) -> void {
    for (const ir::Instr& i : body)
      if (auto* loop = std::get_if<ir::Loop>(&i.node)) {
        if (loop->lanes > 0) {
          for (const ir::Accumulator& a : loop->accumulators) words = words && is_word(*loop, a);
          for (const ir::Carry& c : loop->carries) words = words && passes_values(c);
        }
        self(self, loop->body);
      }
  };
  look(look, k_.body);
  if (group_ == 1)
    return group_of_short_rows(k_, facts_, *ir::parallel_loop(k_), static_cast<int>(features_.group_size));
  if (!features_.shuffle || group_ > subgroup || kRowsGroup % subgroup || (group_ & (group_ - 1))) return 1;
  return words ? kRowsGroup / group_ : 1;
}

// Declares the arrays that stay in registers along a row.
void KernelEmitter::declare_kept() {
  const std::string length = "[" + std::to_string(std::max<int64_t>(turns_ * turn_vector_, 1)) + "];";
  for (uint32_t b : in_registers_) line(kept_type(b) + " " + memories_[b].name + length);
  for (const auto& [key, kept] : kept_) line(std::string(register_type(kept.dtype)) + " " + kept.array + length);
}

// Chooses the buffers whose rows go through shared memory: whole rows that lie behind one another, each element loaded
// or stored in a loop over the row.
void KernelEmitter::plan_stages(const ir::Loop& rows) {
  std::map<uint32_t, int> loads, stores;  // in all, by buffer
  std::map<uint32_t, Stage> stages;
  int number = 0;
  for (const ir::Instr& i : rows.body) {
    auto* loop = std::get_if<ir::Loop>(&i.node);
    ++number;
    auto look = [&](uint32_t buffer, const Dim& index, bool store, bool plain) {
      ++(store ? stores : loads)[buffer];
      const auto at = passes::place_in_rows(index, rows, loop);
      if (!plain || !at || !loop->extent.is(*at) || buffer >= k_.buffers.size() ||
          k_.buffer(buffer).dtype.size() > kWordBytes)
        return;
      const int64_t offset = (index - Dim(*at) * Dim::symbol(rows.var) - Dim::symbol(loop->var)).value();
      Stage& s = stages[buffer];
      if (s.indices.empty()) s = {buffer, store, *at, offset};
      if (s.store == store && s.length == *at && s.offset == offset) s.indices.push_back(index);
      const bool kept = !store && kept_.count({buffer, index.substitute(loop->var, Dim::symbol("#"))}) != 0;
      if (!kept || s.last < 0) s.last = number;
    };
    if (loop)
      for (const ir::Instr& in : loop->body) {
        if (auto* l = std::get_if<ir::LoadInstr>(&in.node)) look(l->buffer, l->index, false, l->mask == ir::kNoReg);
        if (auto* s = std::get_if<ir::StoreInstr>(&in.node)) look(s->buffer, s->index, true, s->mask == ir::kNoReg);
      }
    if (auto* l = std::get_if<ir::LoadInstr>(&i.node)) ++loads[l->buffer];
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) ++stores[s->buffer];
  }
  auto left = static_cast<int64_t>(features_.shared_bytes);
  for (auto& [type, n] : folds_) left -= int64_t{8} * n * fold_elements_;
  // Results take the place of an operand, so all are packed or none.
  const bool packed = std::all_of(stages.begin(), stages.end(), [&](const auto& s) {
    return is_low_precision(k_.buffer(s.first).dtype) && s.second.length % 2 == 0;
  });
  for (auto& [buffer, s] : stages) {
    s.packed = packed;
    const int size = k_.buffer(buffer).dtype.size();
    const int64_t bytes = s.length * size;
    if (is_one_access(bytes) || (s.offset * size) % kWordBytes) continue;
    const int accesses = static_cast<int>(s.indices.size());
    if (s.store ? (loads[buffer] || stores[buffer] != 1) : (stores[buffer] || accesses != loads[buffer])) continue;
    // Results take the place of an operand that is not read any more.
    if (s.store)
      for (Stage& other : stages_)
        if (!other.store && !other.shared_by && other.length == s.length && other.last <= s.last) {
          s.array = other.array, other.shared_by = true;
          break;
        }
    if (s.array.empty()) {
      const int64_t need = s.pitch() * rows_ * kWordBytes;
      if (need > left) continue;
      left -= need;
      s.array = "stage" + std::to_string(stages_.size());
      shader_.text += "shared uint " + s.array + "[" + std::to_string(s.pitch() * rows_) + "];\n";
    }
    stages_.push_back(s);
  }
  for (Stage& s : stages_)
    for (const Dim& index : s.indices) staged_[{s.buffer, index}] = &s;
}

// The number of an element in its row, where its buffer is staged, else nothing.
std::string KernelEmitter::place_in_stage(uint32_t buffer, const Dim& index) {
  const auto found = staged_.empty() ? staged_.end() : staged_.find({buffer, index});
  if (found == staged_.end()) return {};
  const Stage& s = *found->second;
  return dim(index - Dim(s.length) * Dim::symbol(ir::parallel_loop(k_)->var) - Dim(s.offset), false);
}

// The element of an invocation's own row in shared memory where its buffer is staged, else nothing.
std::string KernelEmitter::load_stage(uint32_t buffer, const Dim& index) {
  const std::string place = place_in_stage(buffer, index);
  if (place.empty()) return {};
  const Stage& s = *staged_.at({buffer, index});
  const std::string row = s.array + "[own * " + std::to_string(s.pitch()) + " + ";
  if (s.packed) return "bitfieldExtract(" + row + "(" + place + " >> 1)], (" + place + " & 1) * 16, 16)";
  return from_word(k_.buffer(buffer).dtype, row + place + "]");
}

// A store to it. Elements of a row come one after the other, so the first one of two waits for the second.
std::string KernelEmitter::store_stage(uint32_t buffer, const Dim& index, const std::string& value) {
  const std::string place = place_in_stage(buffer, index);
  if (place.empty()) return {};
  const Stage& s = *staged_.at({buffer, index});
  const std::string row = s.array + "[own * " + std::to_string(s.pitch()) + " + ";
  if (!s.packed) return row + place + "] = " + to_word(k_.buffer(buffer).dtype, value) + ";";
  const std::string first = memories_[buffer].name + "_first";
  return "{ if ((" + place + " & 1) == 0) " + first + " = " + value + "; else " + row + "(" + place +
         " >> 1)] = " + first + " | (" + value + ") << 16; }";
}

// A word of shared memory as a value, and back.
std::string KernelEmitter::from_word(Dtype t, const std::string& word) const {
  if (t == bool_) return word + " != 0u";
  if (t == float32) return "uintBitsToFloat(" + word + ")";
  return std::string(register_type(t)) + "(" + word + ")";
}

std::string KernelEmitter::to_word(Dtype t, const std::string& value) const {
  if (t == bool_) return "(" + value + " ? 1u : 0u)";
  if (t == float32) return "floatBitsToUint(" + value + ")";
  return "uint(" + value + ")";
}

// A workgroup's rows, which begin with row `name` + "_first".
void KernelEmitter::emit_staged(const ir::Loop& loop, const std::string& name) {
  const bool wide = names_.at(loop.var).wide;
  const std::string type = index_type(wide), extent = dim(loop.extent, wide), rows = std::to_string(rows_),
                    first = name + "_first";
  line("const int own = int(gl_LocalInvocationID.x);");
  open_rows(loop, first, type + "(group) * " + rows);
  line("const bool all = " + first + " + " + rows + " <= " + extent + ";");
  line("const int count = int(min(" + extent + " - " + first + ", " + type + "(" + rows + ")));");
  for (const Stage& s : stages_)
    if (!s.store) move_stage(s, first);
  line("barrier();");
  line("const " + type + " " + name + " = " + first + " + own;");
  open("if (" + name + " < " + extent + ") {");
  declare_kept();
  for (const Stage& s : stages_)
    if (s.store && s.packed) line("uint " + memories_[s.buffer].name + "_first;");
  emit_body(loop.body, Context::Group);
  close();
  line("barrier();");
  bool stores = false;
  for (const Stage& s : stages_)
    if (s.store) move_stage(s, first), stores = true;
  if (stores) line("barrier();");
  close();
}

// Moves the elements of word `word` of a stage to or from `elements`, where they lie `skip` behind its begin.
void KernelEmitter::move_elements(const Stage& s, const std::string& word, const std::string& skip) {
  const Dtype t = k_.buffer(s.buffer).dtype;
  const std::string place = "elements.data[" + skip + (s.packed ? "e * 2u" : "e"), first = place + "]",
                    second = place + " + 1u]";
  if (s.store) {
    line(first + " = " + to_memory(t, s.packed ? word + " & 0xffffu" : from_word(t, word)) + ";");
    if (s.packed) line(second + " = " + to_memory(t, word + " >> 16") + ";");
  } else if (s.packed) {
    line(word + " = " + from_memory(t, first) + " | " + from_memory(t, second) + " << 16;");
  } else {
    line(word + " = " + to_word(t, from_memory(t, first)) + ";");
  }
}

// Moves the elements of a workgroup's rows between a buffer and shared memory.
void KernelEmitter::move_stage(const Stage& s, const std::string& first) {
  constexpr int kTogether = 16;  // accesses of an invocation that are under way at once
  const Dtype t = k_.buffer(s.buffer).dtype;
  const int in_word = kWordBytes / t.size(), words = static_cast<int>(s.length) * rows_ / in_word,
            per = s.packed ? 1 : in_word;  // elements of the array in a word of memory
  const bool wide = features_.int64;
  const std::string n = std::to_string(s.length), units = std::to_string(s.words()), rows = std::to_string(rows_),
                    buffer = memories_[s.buffer].name;
  const auto at = [&](const std::string& e) {
    return s.array + "[" + e + (s.pitch() > s.words() ? " + " + e + " / " + units + "u" : "") + "]";
  };
  const std::string type = reference(uint32, 1), own_type = reference(t, 1);
  const auto from = [&](const std::string& of) {
    if (!wide)
      return std::pair{of + "(" + buffer + ")", "uint(" + first + ") * " + n + "u + " + std::to_string(s.offset) + "u"};
    return std::pair{of + "(uint64_t(" + buffer + ") + uint64_t(" + first + ") * " +
                         std::to_string(s.length * t.size()) + "UL + " + std::to_string(s.offset * t.size()) + "UL)",
                     std::string("0u")};
  };
  if (auto& asked = shader_.kernel.aligned_buffers; std::find(asked.begin(), asked.end(), s.buffer) == asked.end())
    asked.push_back(s.buffer);
  open("if (aligned && all) {");
  {
    const auto [base, skip] = from(type);
    line(type + " words = " + base + ";");
    const std::string begin = wide ? "" : "(" + skip + ") / " + std::to_string(in_word) + "u + ";
    for (int turn = 0; turn * rows_ < words; turn += kTogether) {
      const int left = (words + rows_ - 1) / rows_ - turn, turns = std::min(left, kTogether);
      const bool some = (turn + turns) * rows_ > words;
      const std::string count = std::to_string(turns), each = "[[unroll]] for (int k = 0; k < " + count + "; ++k) ",
                        word = "uint((k + " + std::to_string(turn) + ") * " + rows + " + own)",
                        last = std::to_string(words - 1) + "u";
      open("{");
      if (!s.store) {
        line("uint w[" + count + "];");
        line(each + "w[k] = words.data[" + begin + (some ? "min(" + word + ", " + last + ")" : word) + "];");
      }
      open(each + "{");
      line("const uint e = " + word + (per > 1 ? " * " + std::to_string(per) + "u" : "") + ";");
      if (some) open("if (e < " + std::to_string(s.words() * rows_) + "u) {");
      if (s.store) {
        std::string value;
        for (int j = 0; j < per; ++j) {
          const std::string e = at(j ? "(e + " + std::to_string(j) + "u)" : "e"),
                            part = is_signed_int(t) && per > 1
                                       ? "(" + e + " & " + (t.size() == 1 ? "0xffu" : "0xffffu") + ")"
                                       : e;
          value += (j ? " | " : "") + part + (j ? " << " + std::to_string(8 * t.size() * j) : "");
        }
        line("words.data[" + begin + word + "] = " + value + ";");
      } else {
        for (int j = 0; j < per; ++j) {
          const std::string bits = std::to_string(8 * t.size() * j) + ", " + std::to_string(8 * t.size());
          line(at(j ? "(e + " + std::to_string(j) + "u)" : "e") + " = " +
               (per == 1           ? "w[k]"
                : is_signed_int(t) ? "uint(bitfieldExtract(int(w[k]), " + bits + "))"
                                   : "bitfieldExtract(w[k], " + bits + ")") +
               ";");
        }
      }
      if (some) close();
      close();
      close();
    }
  }
  close("} else {");
  ++indent_;
  {
    const auto [base, skip] = from(own_type);
    line(own_type + " elements = " + base + ";");
    open("for (uint e = uint(own); e < uint(count) * " + units + "u; e += " + rows + "u) {");
    move_elements(s, at("e"), wide ? "" : skip + " + ");
    close();
  }
  close();
}

}  // namespace frit::codegen::glsl
