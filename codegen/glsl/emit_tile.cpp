// Tiles: a workgroup takes a square of two axes. An operand that lies side by side along the other axis than the
// results is read along that axis and transposed in shared memory, so that both loads and stores are coalesced.
#include <algorithm>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

void KernelEmitter::emit_tiles(const ir::Loop& tiles, const passes::GridTile& tile) {
  constexpr int kSide = passes::kGridTile;
  const ir::Loop &row = *tile.row, &column = *tile.column;
  std::set<uint32_t> loaded, stored;
  collect(column.body, loaded, stored);

  struct Staged {
    const ir::Instr* instr;
    std::string array;
  };
  std::vector<Staged> staged;
  auto left = static_cast<int64_t>(features_.shared_bytes);
  std::set<std::string> bound;
  for (const ir::Instr& i : column.body) {
    if (auto* b = std::get_if<ir::BindInstr>(&i.node)) bound.insert(b->name);
    auto* l = std::get_if<ir::LoadInstr>(&i.node);
    if (!l || l->mask != ir::kNoReg || stored.count(l->buffer) || !passes::is_across(l->index, tile)) continue;
    if (std::any_of(bound.begin(), bound.end(), [&](const std::string& name) { return l->index.uses(name); })) continue;
    const Dtype t = k_.buffer(l->buffer).dtype;
    const int64_t bytes = int64_t{kSide} * kSide * std::max<int64_t>(4, t.size);
    if (bytes > left) continue;
    left -= bytes;
    staged.push_back({&i, "tile" + std::to_string(staged.size())});
    shader_.text += "shared " + std::string(register_type(t)) + " " + staged.back().array + "[" +
                    std::to_string(kSide * kSide) + "];\n";
  }

  const std::string name = enter(tiles), type = index_type(names_.at(tiles.var).wide);
  shader_.kernel.per_group = 1;
  line("const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;");
  line("const int lane = int(gl_LocalInvocationID.x);");
  line("const " + type + " " + name + " = " + type + "(group);");
  // The whole workgroup or none of it.
  open("if (" + name + " < " + dim(tiles.extent, names_.at(tiles.var).wide) + ") {");
  const std::string i = enter(row), j = enter(column);
  auto inside = [&](const ir::Loop& loop, const std::string& at) {
    return loop.extent.is(kSide) ? std::string() : at + " < " + dim(loop.extent, names_.at(loop.var).wide);
  };
  const std::string rows = inside(row, i), columns = inside(column, j);
  const std::string both = rows + (rows.empty() || columns.empty() ? "" : " && ") + columns;
  const std::string turns = std::to_string((kSide * kSide + group_ - 1) / group_), side = std::to_string(kSide);
  // `along`: the axis along which neighbouring invocations differ.
  auto open_part = [&](const std::string& across, const std::string& along) {
    open("[[unroll]] for (int turn = 0; turn < " + turns + "; ++turn) {");
    line("const int " + across + " = (turn * " + std::to_string(group_) + " + lane) / " + side + ", " + along +
         " = lane % " + side + ";");
    if (!both.empty()) open("if (" + both + ") {");
  };
  auto close_part = [&] {
    if (!both.empty()) close();
    close();
  };
  // Turned by the row's number, so that a column of it lies in as many banks as a row.
  const std::string place = "[" + i + " * " + std::to_string(kSide) + " + (" + i + " ^ " + j + ")]";
  if (!staged.empty()) {
    open_part(j, i);
    for (const Staged& s : staged) {
      auto& load = std::get<ir::LoadInstr>(s.instr->node);
      line(s.array + place + " = " + load_text(load.buffer, load.index) + ";" + comment(*s.instr));
    }
    close_part();
    line("barrier();");
  }
  open_part(i, j);
  auto next = staged.begin();
  for (const ir::Instr& instr : column.body) {
    if (next != staged.end() && next->instr == &instr)
      define(std::get<ir::LoadInstr>(instr.node).result, (next++)->array + place, instr);
    else
      emit(instr, Context::Invocation);
  }
  close_part();
  close();
}

}  // namespace frit::codegen::glsl
