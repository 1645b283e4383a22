// Rewriting of perfect loop nests.
#include "passes/lower/loop_nest.h"

#include <algorithm>

namespace frit::passes {

using namespace ir;

void rewrite_dims(Body& body, const std::function<Dim(const Dim&)>& f) {
  for (Instr& i : body) {
    if (auto* l = std::get_if<LoadInstr>(&i.node)) l->index = f(l->index);
    if (auto* s = std::get_if<StoreInstr>(&i.node)) s->index = f(s->index);
    if (auto* x = std::get_if<IndexInstr>(&i.node)) x->index = f(x->index);
    if (auto* b = std::get_if<BindInstr>(&i.node)) b->low = f(b->low), b->high = f(b->high);
    if (auto* loop = std::get_if<Loop>(&i.node)) {
      loop->extent = f(loop->extent);
      rewrite_dims(loop->body, f);
    }
  }
}

void for_each_dim(const Body& body, const std::function<void(const Dim&)>& f) {
  for (const Instr& i : body) {
    if (auto* l = std::get_if<LoadInstr>(&i.node)) f(l->index);
    if (auto* s = std::get_if<StoreInstr>(&i.node)) f(s->index);
    if (auto* x = std::get_if<IndexInstr>(&i.node)) f(x->index);
    if (auto* b = std::get_if<BindInstr>(&i.node)) f(b->low), f(b->high);
    if (auto* loop = std::get_if<Loop>(&i.node)) {
      f(loop->extent);
      for_each_dim(loop->body, f);
    }
  }
}

namespace {

void drop_stores(Body& body, uint32_t first_local) {
  std::erase_if(body, [&](const Instr& i) {
    const auto* store = std::get_if<StoreInstr>(&i.node);
    return store && store->buffer >= first_local;
  });
  for (Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node)) drop_stores(loop->body, first_local);
}

}  // namespace

Loop* inner_of_nest(Body& body, uint32_t first_local) {
  if (body.empty()) return nullptr;
  Loop* inner = std::get_if<Loop>(&body.back().node);
  if (!inner) return nullptr;
  if (is_ordered(*inner)) {
    Loop shared = *inner;
    drop_stores(shared.body, first_local);
    if (is_ordered(shared)) return nullptr;
  }
  for (size_t i = 0; i + 1 < body.size(); ++i)
    if (std::holds_alternative<Loop>(body[i].node) || std::holds_alternative<StoreInstr>(body[i].node)) return nullptr;
  return inner;
}

bool contains_loop(const Body& body) {
  for (const Instr& i : body)
    if (std::holds_alternative<Loop>(i.node)) return true;
  return false;
}

bool is_straight(const Instr& i) {
  return !std::holds_alternative<Loop>(i.node) && !std::holds_alternative<BindInstr>(i.node);
}

bool is_straight_line(const Body& body) {
  return std::all_of(body.begin(), body.end(), [](const Instr& i) { return is_straight(i); });
}

bool loads_under_mask(const Body& body) {
  return std::any_of(body.begin(), body.end(), [](const Instr& i) {
    const auto* load = std::get_if<LoadInstr>(&i.node);
    return load && load->mask != kNoReg;
  });
}

bool contains_lanes(const Body& body) {
  for (const Instr& i : body)
    if (auto* loop = std::get_if<Loop>(&i.node))
      if (loop->lanes > 0 || contains_lanes(loop->body)) return true;
  return false;
}

namespace {

// Moves the instructions before the inner loop into it, and the inner loop's body up into `outer`.
void absorb(Loop& outer) {
  Body body = std::move(outer.body);
  Loop inner = std::move(std::get<Loop>(body.back().node));
  body.pop_back();
  body.insert(body.end(), std::make_move_iterator(inner.body.begin()), std::make_move_iterator(inner.body.end()));
  outer.body = std::move(body);
}

}  // namespace

bool collapse(Loop& outer, uint32_t first_local) {
  Loop* inner = inner_of_nest(outer.body, first_local);
  if (!inner) return false;
  const std::string o = outer.var, i = inner->var;
  Dim inner_extent = inner->extent;
  if (inner_extent.uses(o)) return false;
  bool trivial = outer.extent.is(1) || inner_extent.is(1);
  bool consistent = true;
  if (!trivial)
    for_each_dim(outer.body, [&](const Dim& d) {
      if (!d.uses(o) && !d.uses(i)) return;
      auto a = d.affine_in(i);
      auto b = a ? a->rest.affine_in(o) : std::nullopt;
      consistent = consistent && a && b && b->coefficient == a->coefficient * inner_extent;
    });
  if (!consistent) return false;
  bool inner_is_one = inner_extent.is(1);
  absorb(outer);
  rewrite_dims(outer.body, [&](const Dim& d) {
    if (inner_is_one) return d.substitute(i, Dim(0));
    return d.substitute(o, Dim(0)).substitute(i, Dim::symbol(o));
  });
  outer.extent = outer.extent * inner_extent;
  return true;
}

void merge(Loop& outer, const DimFacts& facts, uint32_t first_local) {
  Loop* inner = inner_of_nest(outer.body, first_local);
  const std::string o = outer.var, i = inner->var;
  Dim n = inner->extent;
  absorb(outer);
  Dim p = Dim::symbol(o);
  Dim merged = outer.extent * n;
  DimFacts known = facts;
  known.set_loop(o, merged);
  rewrite_dims(outer.body, [&](const Dim& d) {
    // A position that goes on from one iteration of the outer loop to the next needs no division.
    if (auto along = d.affine_in(i); along && !along->coefficient.uses(o))
      if (auto rows = along->rest.affine_in(o);
          rows && rows->coefficient == along->coefficient * n && !rows->rest.uses(i))
        return known.simplify(rows->rest + along->coefficient * p);
    return known.simplify(d.substitute([&](const std::string& name) -> std::optional<Dim> {
      if (name == o) return floor_div(p, n);
      if (name == i) return mod(p, n);
      return std::nullopt;
    }));
  });
  outer.extent = merged;
}

void merge_chunks(Loop& outer, int64_t chunk, const DimFacts& facts) {
  Loop* inner = inner_of_nest(outer.body);
  Dim n = inner->extent;
  if (facts.range(n).high <= chunk) return;
  const std::string o = outer.var, i = inner->var;
  Dim chunks = ceil_div(n, chunk);
  Dim p = Dim::symbol(o);
  Dim start = mod(p, chunks) * Dim(chunk);
  rewrite_dims(outer.body, [&](const Dim& d) {
    return d.substitute([&](const std::string& name) -> std::optional<Dim> {
      if (name == o) return floor_div(p, chunks);
      if (name == i) return start + Dim::symbol(i);
      return std::nullopt;
    });
  });
  inner->extent = min(Dim(chunk), n - start);
  outer.extent = outer.extent * chunks;
}

std::string unlike_symbols(const Kernel& k, std::string name) {
  while (std::find(k.symbols.begin(), k.symbols.end(), name) != k.symbols.end()) name += "_";
  return name;
}

static bool names_something(const Body& body, const std::string& name) {
  return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
    if (const auto* bind = std::get_if<BindInstr>(&i.node)) return bind->name == name;
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && (loop->var == name || names_something(loop->body, name));
  });
}

std::string unlike_all(const Kernel& k, std::string name) {
  name = unlike_symbols(k, std::move(name));
  while (names_something(k.body, name)) name = unlike_symbols(k, name + "_");
  return name;
}

uint32_t add_local(Kernel& k, std::string name, Dtype dtype, const Dim& elements) {
  const auto taken = [&](const KernelBuffer& b) { return b.name == name; };
  while (std::any_of(k.buffers.begin(), k.buffers.end(), taken) || std::any_of(k.locals.begin(), k.locals.end(), taken))
    name += "_";
  k.locals.push_back({std::move(name), dtype, elements, true, true});
  return static_cast<uint32_t>(k.buffers.size() + k.locals.size() - 1);
}

void strip(Loop& outer, int64_t count, const std::string& var, const DimFacts& facts) {
  const std::string o = outer.var;
  const Dim start = Dim::symbol(o) * Dim(count);
  const Dim strips = facts.simplify(ceil_div(outer.extent, count));
  DimFacts known = facts;
  known.set_loop(o, strips);
  Loop inner;
  inner.var = var;
  // Where the last strip is known to be whole, all are of one extent.
  inner.extent = known.simplify(min(Dim(count), outer.extent - start));
  inner.body = std::move(outer.body);
  outer.extent = strips;
  known.set_loop(var, inner.extent);
  rewrite_dims(inner.body, [&](const Dim& d) { return known.simplify(d.substitute(o, start + Dim::symbol(var))); });
  outer.body.clear();
  outer.body.push_back({std::move(inner)});
}

namespace {

// Turns of a loop below which its part of a tile would be too small for vectors.
constexpr int64_t kWorthTiling = 8;

// The loop, other than the innermost, along which some position that jumps along the innermost one goes by single
// elements; -1 when there is none.
int side_by_side(Loop& outer, const std::vector<std::string>& vars) {
  int found = -1;
  auto is_one = [](const Dim& d) { return d.is(1) || d.is(-1); };
  auto look = [&](const Dim& d) {
    auto along = d.affine_in(vars.back());
    if (!along || along->coefficient.is(0) || is_one(along->coefficient)) return;
    for (size_t k = 0; k + 1 < vars.size(); ++k)
      if (auto a = d.affine_in(vars[k]); a && is_one(a->coefficient)) found = static_cast<int>(k);
  };
  Loop* loop = &outer;
  while (Loop* inner = inner_of_nest(loop->body)) loop = inner;
  for (const Instr& i : loop->body) {
    if (auto* l = std::get_if<LoadInstr>(&i.node)) look(l->index);
    if (auto* s = std::get_if<StoreInstr>(&i.node)) look(s->index);
  }
  return found;
}

bool computes_functions(const Body& body) {
  for (const Instr& i : body)
    if (auto* s = std::get_if<ScalarInstr>(&i.node))
      if (is_function(s->op)) return true;
  return false;
}

}  // namespace

int axis_to_tile(Loop& outer, const DimFacts& facts, int64_t worth) {
  std::vector<std::string> vars;
  std::vector<Dim> extents;
  for (Loop* loop = &outer; loop; loop = inner_of_nest(loop->body)) {
    vars.push_back(loop->var), extents.push_back(loop->extent);
    // A function that is computed once for each row must not be computed for each element.
    if (inner_of_nest(loop->body) && computes_functions(loop->body)) return -1;
  }
  const int other = side_by_side(outer, vars);
  if (other < 0) return -1;
  const Dim& across = extents[static_cast<size_t>(other)];
  return facts.range(across).high < worth || facts.range(extents.back()).high < worth ? -1 : other;
}

bool tile(Loop& outer, int64_t rows, int64_t columns, const std::string& var, const DimFacts& facts) {
  const int axis = axis_to_tile(outer, facts, kWorthTiling);
  if (axis >= 0) tile_axis(outer, static_cast<size_t>(axis), rows, columns, var, facts);
  return axis >= 0;
}

void tile_axis(Loop& outer, size_t j, int64_t rows, int64_t columns, const std::string& var, const DimFacts& facts) {
  std::vector<std::string> vars;
  std::vector<Dim> extents;
  for (Loop* loop = &outer; loop; loop = inner_of_nest(loop->body))
    vars.push_back(loop->var), extents.push_back(loop->extent);
  const size_t k = vars.size() - 1;
  while (inner_of_nest(outer.body)) absorb(outer);

  std::vector<Dim> counts = extents;
  const auto size = [&](size_t axis) { return Dim(axis == j ? rows : columns); };
  for (size_t axis : {j, k}) counts[axis] = facts.simplify(ceil_div(extents[axis], size(axis)));
  DimFacts known = facts;
  known.set_loop(vars[0], product(counts));
  // The digits of the tile's number.
  std::vector<Dim> digits(vars.size());
  Dim rest = Dim::symbol(vars[0]);
  for (size_t axis = vars.size(); axis-- > 0;) {
    digits[axis] = axis == 0 ? rest : mod(rest, counts[axis]);
    rest = floor_div(rest, counts[axis]);
  }
  // The loops of the tile keep the variables of the axes that they cut; that of the first loop is the tile's number
  // now.
  const std::string jj = j == 0 ? var : vars[j], kk = vars[k];
  auto part = [&](size_t axis) { return known.simplify(min(size(axis), extents[axis] - digits[axis] * size(axis))); };
  Loop row, column;
  row.var = jj, row.extent = part(j);
  column.var = kk, column.extent = part(k);
  known.set_loop(jj, row.extent);
  known.set_loop(kk, column.extent);
  rewrite_dims(outer.body, [&](const Dim& d) {
    return known.simplify(d.substitute([&](const std::string& name) -> std::optional<Dim> {
      for (size_t axis = 0; axis < vars.size(); ++axis) {
        if (vars[axis] != name) continue;
        if (axis == j) return digits[axis] * size(axis) + Dim::symbol(jj);
        if (axis == k) return digits[axis] * size(axis) + Dim::symbol(kk);
        return digits[axis];
      }
      return std::nullopt;
    }));
  });
  column.body = std::move(outer.body);
  row.body.push_back({std::move(column)});
  outer.body.clear();
  outer.body.push_back({std::move(row)});
  outer.extent = product(counts);
}

}  // namespace frit::passes
