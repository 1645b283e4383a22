// Loads and stores: one element, or the consecutive elements of an invocation's iterations in accesses of up to 16
// bytes.
#include <algorithm>
#include <bit>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

namespace {

// How elements lie in a buffer reference.
std::string_view storage_type(Dtype t) {
  switch (t.val()) {
    case Dtype::Val::bool_: return "uint8_t";
    case Dtype::Val::uint8: return "uint8_t";
    case Dtype::Val::uint16: return "uint16_t";
    case Dtype::Val::uint32: return "uint";
    case Dtype::Val::uint64: return "uint64_t";
    case Dtype::Val::int8: return "int8_t";
    case Dtype::Val::int16: return "int16_t";
    case Dtype::Val::int32: return "int";
    case Dtype::Val::int64: return "int64_t";
    case Dtype::Val::float16: return "uint16_t";
    case Dtype::Val::float32: return "float";
    case Dtype::Val::float64: return "double";
    case Dtype::Val::bfloat16: return "uint16_t";
    case Dtype::Val::complex64: break;
  }
  return "vec2";
}

std::string_view vector_of(Dtype t) {
  switch (t.val()) {
    case Dtype::Val::float32: return "vec";
    case Dtype::Val::int32: return "ivec";
    case Dtype::Val::int64: return "i64vec";
    case Dtype::Val::uint64: return "u64vec";
    case Dtype::Val::float64: return "dvec";
    default: return "uvec";
  }
}

constexpr const char* kParts[] = {"x", "y", "z", "w"};

}  // namespace

void KernelEmitter::need_storage(Dtype t) {
  if (t.size() == 1) extensions_.insert("GL_EXT_shader_8bit_storage");
  if (t.size() == 2) extensions_.insert("GL_EXT_shader_16bit_storage");
}

// The reference type to `elements` consecutive elements.
std::string KernelEmitter::reference(Dtype t, int elements) {
  std::string type(storage_type(t)), name = "ref_" + std::string(short_name(t));
  int size = t.size() * elements;
  if (elements == 1) {
    need_storage(t);
  } else {
    name += "x" + std::to_string(elements);
    int words = t.size() < 4 ? size / 4 : elements;
    type = words == 1 ? "uint" : std::string(vector_of(t)) + std::to_string(words);
  }
  references_[name] = "layout(buffer_reference, std430, buffer_reference_align = " + std::to_string(size) +
                      ") buffer " + name + " { " + type + " data[]; };";
  return name;
}

std::string KernelEmitter::element(uint32_t buffer, const Dim& index) {
  const Memory& m = memories_[buffer];
  // Inside the turns of a row, at the iteration's own element.
  if (m.registers) return m.name + "[turn * " + std::to_string(turn_vector_) + " + k]";
  Place p = position(buffer, index);
  if (m.shared) {
    if (m.swizzle == 1) return m.name + "[" + p.text + "]";
    std::string v = std::to_string(m.swizzle) + "u";
    return m.name + "[(uint(" + p.text + ") % " + v + ") * " + std::to_string(m.part) + "u + uint(" + p.text + ") / " +
           v + "]";
  }
  Dtype t = k_.buffer(buffer).dtype;
  if (!p.wide) return m.name + ".data[" + p.text + "]";
  return reference(t, 1) + "(uint64_t(" + m.name + ") + uint64_t(" + p.text + ") * " + std::to_string(t.size()) +
         "UL).data[0]";
}

std::string KernelEmitter::from_memory(Dtype t, const std::string& raw) const {
  if (t == bool_) return "uint(" + raw + ") != 0u";
  if (t.size() < 4) return std::string(register_type(t)) + "(" + raw + ")";
  return raw;
}

std::string KernelEmitter::to_memory(Dtype t, const std::string& value) const {
  if (t == bool_) return "uint8_t(" + value + " ? 1u : 0u)";
  if (t.size() < 4) return std::string(storage_type(t)) + "(" + value + ")";
  return value;
}

std::string KernelEmitter::load_text(uint32_t buffer, const Dim& index) {
  if (std::string staged = load_stage(buffer, index); !staged.empty()) return staged;
  std::string raw = element(buffer, index);
  return memories_[buffer].shared || memories_[buffer].registers ? raw : from_memory(k_.buffer(buffer).dtype, raw);
}

std::string KernelEmitter::store_text(uint32_t buffer, const Dim& index, const std::string& value) {
  if (std::string staged = store_stage(buffer, index, value); !staged.empty()) return staged;
  return element(buffer, index) + " = " +
         (memories_[buffer].shared || memories_[buffer].registers ? value : to_memory(k_.buffer(buffer).dtype, value)) +
         ";";
}

void KernelEmitter::emit_load(const ir::LoadInstr& load, Context context, const ir::Instr& instr) {
  floats_.erase(load.result);
  if (load.buffer >= k_.buffers.size() && is_computed_again(load.buffer)) return compute_again(load);
  if (context == Context::Group) touch({instr}, false);
  if (raw_ && load.buffer == *raw_) return define(load.result, "element", instr);
  if (auto found = ahead_.find(&load); found != ahead_.end()) {
    regs_[load.result] = found->second;
    return;
  }
  if (load.mask == ir::kNoReg) {
    if (keeps_floats(load.buffer)) return load_kept(load, instr);
    return define(load.result, load_text(load.buffer, load.index), instr);
  }
  Dtype t = k_.reg_types[load.result];
  regs_[load.result] = name_of(load.result);
  line(std::string(register_type(t)) + " " + regs_[load.result] + " = " + literal(t, 0) + ";" + comment(instr));
  line("if (" + regs_[load.mask] + ") " + regs_[load.result] + " = " + load_text(load.buffer, load.index) + ";");
}

// Whether the elements of `vector` iterations from a multiple of it on lie side by side and can be moved together when
// the launch says so.
bool KernelEmitter::is_wide(uint32_t buffer, const Dim& index, const ir::Loop& loop, int vector) {
  if (vector == 1 || memories_[buffer].shared || buffer >= k_.buffers.size()) return false;
  if (k_.buffer(buffer).dtype.size() * vector < 4 || staged_.count({buffer, index})) return false;
  passes::Stride stride = passes::stride_of(index, loop.var, vector, k_);
  if (stride.kind != passes::Stride::Kind::Contiguous || !stride.aligned) return false;
  auto add = [](std::vector<uint32_t>& to, uint32_t v) {
    if (std::find(to.begin(), to.end(), v) == to.end()) to.push_back(v);
  };
  for (const std::string& symbol : stride.multiples)
    add(shader_.kernel.multiple_symbols,
        static_cast<uint32_t>(std::find(k_.symbols.begin(), k_.symbols.end(), symbol) - k_.symbols.begin()));
  shader_.kernel.multiple = std::max(shader_.kernel.multiple, static_cast<uint32_t>(vector));
  add(shader_.kernel.aligned_buffers, buffer);
  return true;
}

// The access of part `part` of the elements from position `index` on, `elements` of them.
std::string KernelEmitter::word_address(uint32_t buffer, const Dim& index, const std::string& type, int elements,
                                        int part) {
  Place p = position(buffer, index);
  const Memory& m = memories_[buffer];
  std::string add = part ? " + " + std::to_string(part) : "";
  const int shift = std::countr_zero(static_cast<unsigned>(elements));
  if (!p.wide) return type + "(" + m.name + ").data[((" + p.text + ") >> " + std::to_string(shift) + ")" + add + "]";
  return type + "(uint64_t(" + m.name + ") + uint64_t(" + p.text + ") * " +
         std::to_string(k_.buffer(buffer).dtype.size()) + "UL).data[" + std::to_string(part) + "]";
}

void KernelEmitter::load_wide(const Wide& w, const ir::Loop& loop, int vector, const std::string& first,
                              const std::string& full, const std::string& some) {
  declare_wide(w, vector);
  names_[loop.var].text = first;
  if (vector == 1) return line(w.at(0) + " = " + load_text(w.buffer, *w.index) + ";");
  open(full.empty() ? "{" : "if (" + full + ") {");
  load_pieces(w, loop, vector, first);
  if (full.empty()) return close();
  close("} else {");
  ++indent_;
  open("[[unroll]] for (int k = 0; k < " + std::to_string(vector) + "; ++k) {");
  names_[loop.var].text = "(" + first + " + k)";
  line((some.empty() ? "" : "if (" + some + ") ") + w.at_k() + " = " + load_text(w.buffer, *w.index) + ";");
  close();
  close();
}

void KernelEmitter::declare_wide(const Wide& w, int vector) {
  if (w.base.empty())
    line(std::string(register_type(k_.buffer(w.buffer).dtype)) + " " + w.array + "[" + std::to_string(vector) + "];" +
         comment(*w.instr));
  else if (comments_)
    line("//" + comment(*w.instr).substr(4));
}

// All elements of a vector whose iterations exist.
void KernelEmitter::load_pieces(const Wide& w, const ir::Loop& loop, int vector, const std::string& first) {
  for (int part = 0; part < vector / elements_of(w, vector); ++part) {
    const std::string value = "w" + std::to_string(part);
    line(words_of(w, vector) + " " + value + " = " + piece_text(w, loop, vector, first, part) + ";" +
         unpack_piece(w, vector, part, value));
  }
}

// Elements of one access, and the type of its words.
int KernelEmitter::elements_of(const Wide& w, int vector) const {
  return std::min(w.piece ? w.piece : vector, 16 / k_.buffer(w.buffer).dtype.size());
}

std::string KernelEmitter::words_of(const Wide& w, int vector) const {
  const Dtype t = k_.buffer(w.buffer).dtype;
  const int per = elements_of(w, vector), words = t.size() < 4 ? per * t.size() / 4 : per;
  return words == 1 ? "uint" : std::string(vector_of(t)) + std::to_string(words);
}

// The access of one piece.
std::string KernelEmitter::piece_text(const Wide& w, const ir::Loop& loop, int vector, const std::string& first,
                                      int part) {
  const int per = elements_of(w, vector);
  const bool apart = w.piece && w.piece < vector;
  names_[loop.var].text = apart ? "(" + first + " + " + std::to_string(part * per) + ")" : first;
  const std::string text =
      word_address(w.buffer, *w.index, reference(k_.buffer(w.buffer).dtype, per), per, apart ? 0 : part);
  names_[loop.var].text = first;
  return text;
}

// Assignments of the elements of a piece, whose words are `value`.
std::string KernelEmitter::unpack_piece(const Wide& w, int vector, int part, const std::string& value) const {
  const Dtype t = k_.buffer(w.buffer).dtype;
  const int per = elements_of(w, vector), words = t.size() < 4 ? per * t.size() / 4 : per;
  std::string text;
  for (int j = 0; j < per; ++j) {
    std::string e;
    if (t.size() >= 4) {
      e = value + "." + kParts[j];
    } else {
      const int in_word = 4 / t.size(), bits = 8 * t.size();
      std::string word = words == 1 ? value : value + "." + kParts[j / in_word];
      std::string at = std::to_string(bits * (j % in_word)) + ", " + std::to_string(bits);
      e = is_signed_int(t) ? "bitfieldExtract(int(" + word + "), " + at + ")"
                           : "bitfieldExtract(" + word + ", " + at + ")";
      if (t == bool_) e += " != 0u";
    }
    text += " " + w.at(part * per + j) + " = " + e + ";";
  }
  return text;
}

void KernelEmitter::store_wide(const Wide& w, const ir::Loop& loop, int vector, const std::string& first,
                               const std::string& full, const std::string& some) {
  Dtype t = k_.buffer(w.buffer).dtype;
  const int per = std::min(vector, 16 / t.size());
  const int words = t.size() < 4 ? per * t.size() / 4 : per;
  names_[loop.var].text = first;
  open(full.empty() ? "{" : "if (" + full + ") {");
  const std::string type = reference(t, per);
  for (int part = 0; part < vector / per; ++part) {
    std::string values;
    auto at = [&](int j) { return w.array + "[" + std::to_string(part * per + j) + "]"; };
    if (t.size() >= 4) {
      for (int j = 0; j < per; ++j) values += (j ? ", " : "") + at(j);
    } else {
      const int in_word = 4 / t.size(), bits = 8 * t.size();
      for (int word = 0; word < words; ++word) {
        values += word ? ", " : "";
        for (int j = 0; j < in_word; ++j) {
          std::string e = at(word * in_word + j);
          if (t == bool_)
            e = "(" + e + " ? 1u : 0u)";
          else if (is_signed_int(t))
            e = "(uint(" + e + ") & " + (t.size() == 1 ? "0xffu" : "0xffffu") + ")";
          values += (j ? " | " : "") + e + (j ? " << " + std::to_string(bits * j) : "");
        }
      }
    }
    std::string made = words == 1 ? values : std::string(vector_of(t)) + std::to_string(words) + "(" + values + ")";
    line(word_address(w.buffer, *w.index, type, per, part) + " = " + made + ";" + (part ? "" : comment(*w.instr)));
  }
  if (full.empty()) return close();
  close("} else {");
  ++indent_;
  open("[[unroll]] for (int k = 0; k < " + std::to_string(vector) + "; ++k) {");
  names_[loop.var].text = "(" + first + " + k)";
  line((some.empty() ? "" : "if (" + some + ") ") + store_text(w.buffer, *w.index, w.array + "[k]"));
  close();
  close();
}

}  // namespace frit::codegen::glsl
