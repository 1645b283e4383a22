// Tiles: a workgroup takes a rectangle of two axes. An operand that lies side by side along the other axis than the
// results is read along that axis and transposed in shared memory, so that both loads and stores are coalesced.
#include <algorithm>
#include <functional>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

namespace {

constexpr int kBanks = 32, kWordBytes = 4;
constexpr size_t kMostPaired = 64;  // instructions of a body that goes for several neighbouring elements at once

struct Staged {
  const ir::Instr* instr;
  std::string array;
  const ir::LoadInstr& load() const { return std::get<ir::LoadInstr>(instr->node); }
};

}  // namespace

struct KernelEmitter::Tiled {
  const ir::Loop &row, &column;
  int rows, columns;  // of a whole tile
  int pitch;          // elements of shared memory from row to row
  std::string i, j;
  std::vector<Staged> staged = {};
  // Of a square each row is turned by its number: a column lies in as many banks as a row, at no element more.
  std::string place(const std::string& at_i, const std::string& at_j) const {
    const std::string at = pitch == rows ? "(" + at_i + " ^ " + at_j + ")" : at_j;
    return "[" + at_i + " * " + std::to_string(pitch) + " + " + at + "]";
  }
};

void KernelEmitter::emit_tiles(const ir::Loop& tiles, const passes::GridTile& tile) {
  const ir::Loop &row = *tile.row, &column = *tile.column;
  std::set<uint32_t> loaded, stored;
  collect(column.body, loaded, stored);
  const std::string name = enter(tiles), type = index_type(names_.at(tiles.var).wide);
  shader_.kernel.per_group = 1;
  line("const uint group = flat_group();");
  line("const int lane = int(gl_LocalInvocationID.x);");
  line("const " + type + " " + name + " = " + type + "(group);");

  // Neighbouring invocations of a subgroup lie in other banks, along a row and across rows.
  const int beside = std::max(1, kBanks / tile.rows);
  const int turn = (beside - tile.columns % kBanks + kBanks) % kBanks;
  const int pitch = tile.columns + (tile.rows == passes::kGridTile && tile.columns == passes::kGridTile ? 0 : turn);
  Tiled t{row, column, tile.rows, tile.columns, pitch, enter(row), enter(column)};
  auto left = static_cast<int64_t>(features_.shared_bytes);
  std::set<std::string> bound;
  for (const ir::Instr& i : column.body) {
    if (auto* b = std::get_if<ir::BindInstr>(&i.node)) bound.insert(b->name);
    auto* l = std::get_if<ir::LoadInstr>(&i.node);
    if (!l || l->mask != ir::kNoReg || stored.count(l->buffer) || !passes::is_across(l->index, tile)) continue;
    if (std::any_of(bound.begin(), bound.end(), [&](const std::string& n) { return l->index.uses(n); })) continue;
    const Dtype type_of = k_.buffer(l->buffer).dtype;
    const int64_t bytes = int64_t{pitch} * t.rows * std::max<int64_t>(kWordBytes, type_of.size());
    if (bytes > left) continue;
    left -= bytes;
    t.staged.push_back({&i, "tile" + std::to_string(t.staged.size())});
    shader_.text += "shared " + std::string(register_type(type_of)) + " " + t.staged.back().array + "[" +
                    std::to_string(pitch * t.rows) + "];\n";
  }

  // The whole workgroup or none of it.
  open("if (" + name + " < " + dim(tiles.extent, names_.at(tiles.var).wide) + ") {");
  std::string whole;
  for (const auto& [loop, count] : {std::pair{&row, t.rows}, {&column, t.columns}})
    if (!loop->extent.is(count))
      whole +=
          (whole.empty() ? "" : " && ") + dim(loop->extent, names_.at(loop->var).wide) + " == " + std::to_string(count);
  const auto both = [&](const std::function<void(bool)>& part) {
    if (whole.empty()) return part(true);
    open("if (" + whole + ") {");
    part(true);
    close("} else {");
    ++indent_;
    part(false);
    close();
  };
  if (!t.staged.empty()) {
    both([&](bool all) { stage_tile(t, all); });
    line("barrier();");
  }
  both([&](bool all) { emit_tile(t, all); });
  close();
}

// Whether the elements of a whole tile are one stretch of memory, of words of `per` elements.
bool KernelEmitter::is_stretch(const Tiled& t, const Dim& index, int per) const {
  const auto across = index.affine_in(t.column.var);
  const auto along = across ? across->rest.affine_in(t.row.var) : std::nullopt;
  std::vector<std::string> multiples;
  return along && along->coefficient.is(1) && across->coefficient.is(t.rows) && t.rows * t.columns % per == 0 &&
         passes::is_multiple(along->rest, per, k_, multiples) && multiples.empty();
}

// The elements of word `unit` of the stretch.
void KernelEmitter::load_words(const ir::LoadInstr& load, int per) {
  const Dtype type = k_.buffer(load.buffer).dtype;
  auto& asked = shader_.kernel.aligned_buffers;
  if (std::find(asked.begin(), asked.end(), load.buffer) == asked.end()) asked.push_back(load.buffer);
  const std::string count = std::to_string(per), bits = std::to_string(8 * type.size()),
                    at = "k * " + bits + ", " + bits,
                    part =
                        is_signed_int(type) ? "bitfieldExtract(int(w), " + at + ")" : "bitfieldExtract(w, " + at + ")",
                    each = "[[unroll]] for (int k = 0; k < " + count + "; ++k) loaded[turn * " + count + " + k] = ";
  const Place first = position(load.buffer, load.index);
  const std::string words = reference(uint32, 1), own = reference(type, 1), from = memories_[load.buffer].name,
                    place = first.wide ? "int64_t(unit)" : "unit";
  open("if (aligned) {");
  line("uint w = " + (first.wide ? words + "(uint64_t(" + from + ") + uint64_t(" + first.text + ") * " +
                                       std::to_string(type.size()) + "UL).data[unit];"
                                 : words + "(" + from + ").data[(" + first.text + ") / " + count + " + unit];"));
  line(each + part + (type == bool_ ? " != 0u;" : ";"));
  close("} else {");
  ++indent_;
  const std::string element = first.wide
                                  ? own + "(uint64_t(" + from + ") + uint64_t(" + first.text + ") * " +
                                        std::to_string(type.size()) + "UL).data[" + place + " * " + count + " + k]"
                                  : from + ".data[(" + first.text + ") + unit * " + count + " + k]";
  line(each + from_memory(type, element) + ";");
  close();
}

// The loads of a tile's operands, along their own axis, with several of an invocation under way at once; `whole`: all
// of the tile exists.
void KernelEmitter::stage_tile(const Tiled& t, bool whole) {
  constexpr int kTogether = 16;
  for (const Staged& s : t.staged) {
    const ir::LoadInstr& load = s.load();
    const Dtype type = k_.buffer(load.buffer).dtype;
    int vector = whole ? std::max(1, kWordBytes / type.size()) : 1;
    while (vector > 1 && (t.rows % vector || !is_wide(load.buffer, load.index, t.row, vector))) vector /= 2;
    // Where the rows of the tile are all of an axis, its elements are one stretch of memory, whatever their number.
    const int per = kWordBytes / std::max<int>(1, type.size());
    const bool words = whole && per > 1 && vector < per && is_stretch(t, load.index, per);
    if (words) vector = per;
    const int units = t.rows * t.columns / vector, turns = (units + group_ - 1) / group_, across = t.rows / vector;
    for (int from = 0; from < turns; from += kTogether) {
      const int count = std::min(kTogether, turns - from);
      const auto open_each = [&](bool guarded) {
        open("[[unroll]] for (int turn = 0; turn < " + std::to_string(count) + "; ++turn) {");
        std::string unit = "(turn + " + std::to_string(from) + ") * " + std::to_string(group_) + " + lane";
        const bool some = (from + count) * group_ > units;
        line("const int unit = " + (some ? "min(" + unit + ", " + std::to_string(units - 1) + ")" : unit) + ";");
        if (words) {
          line("const int " + t.j + " = 0, " + t.i + " = 0;");
          return;
        }
        line("const int " + t.j + " = unit / " + std::to_string(across) + ", " + t.i + " = unit % " +
             std::to_string(across) + (vector > 1 ? " * " + std::to_string(vector) : "") + ";");
        if (guarded)
          open("if (" + t.i + " < " + dim(t.row.extent, false) + " && " + t.j + " < " + dim(t.column.extent, false) +
               ") {");
      };
      const auto close_each = [&](bool guarded) {
        if (guarded) close();
        close();
      };
      open("{");
      const Wide wide{s.instr, load.buffer, &load.index, "loaded", "turn * " + std::to_string(vector) + " + "};
      line(std::string(register_type(type)) + " loaded[" + std::to_string(count * vector) + "];" + comment(*s.instr));
      open_each(!whole);
      if (words)
        load_words(load, vector);
      else if (vector > 1)
        load_wide(wide, t.row, vector, t.i, "aligned", "");
      else
        line("loaded[turn] = " + load_text(load.buffer, load.index) + ";");
      names_.at(t.row.var).text = t.i;
      close_each(!whole);
      open_each(!whole);
      const std::string e = "(unit * " + std::to_string(vector) + " + k)", across_all = std::to_string(t.rows);
      line("[[unroll]] for (int k = 0; k < " + std::to_string(vector) + "; ++k) " + s.array +
           (words ? t.place("(" + e + " % " + across_all + ")", e + " / " + across_all)
                  : t.place("(" + t.i + " + k)", t.j)) +
           " = loaded[turn * " + std::to_string(vector) + " + k];");
      close_each(!whole);
      close();
    }
  }
}

// The work on a tile, along the axis of the results.
void KernelEmitter::emit_tile(const Tiled& t, bool whole) {
  const ir::Body& body = t.column.body;
  int vector = 1, bytes = kWordBytes;
  for (const ir::Instr& i : body)
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node)) bytes = std::min<int>(bytes, k_.buffer(s->buffer).dtype.size());
  if (body.size() <= kMostPaired) vector = kWordBytes / bytes;
  for (const ir::Instr& i : body)
    if (auto* s = std::get_if<ir::StoreInstr>(&i.node))
      while (vector > 1 &&
             (!whole || t.columns % vector || s->mask != ir::kNoReg || !is_wide(s->buffer, s->index, t.column, vector)))
        vector /= 2;
  const int units = t.rows * t.columns / vector, turns = (units + group_ - 1) / group_, along = t.columns / vector;
  const std::string own = "turn * " + std::to_string(group_) + " + lane";
  open("[[unroll]] for (int turn = 0; turn < " + std::to_string(turns) + "; ++turn) {");
  line("const int " + t.i + " = (" + own + ") / " + std::to_string(along) + ", " + t.j + " = (" + own + ") % " +
       std::to_string(along) + (vector > 1 ? " * " + std::to_string(vector) : "") + ";");
  const bool some = turns * group_ > units || !whole;
  if (some)
    open("if (" + t.i + " < " + (whole ? std::to_string(t.rows) : dim(t.row.extent, false)) +
         (whole ? "" : " && " + t.j + " < " + dim(t.column.extent, false)) + ") {");
  for (const Staged& s : t.staged) ahead_[&s.load()] = s.array + t.place(t.i, vector > 1 ? "(" + t.j + " + k)" : t.j);
  if (vector > 1)
    emit_vector(t.column, vector, t.j, {});
  else
    emit_body(body, Context::Invocation);
  names_.at(t.column.var).text = t.j;
  if (some) close();
  close();
}

}  // namespace frit::codegen::glsl
