// Which steps are a row stream, and which part of its rows a kernel needs.
#include "ir/kernel/row_stream.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "ir/routines/routine.h"

namespace frit::ir {

namespace {

// Calls visit(buffer, index, loop around it) for every load and store.
template <class Visit>
void each_access(const Body& body, const Loop* around, Visit&& visit) {
  for (const Instr& i : body) {
    if (const auto* load = std::get_if<LoadInstr>(&i.node)) visit(load->buffer, load->index, around);
    if (const auto* store = std::get_if<StoreInstr>(&i.node)) visit(store->buffer, store->index, around);
    if (const auto* loop = std::get_if<Loop>(&i.node)) each_access(loop->body, loop, visit);
  }
}

bool extents_use(const Body& body, const std::string& var) {
  return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && (loop->extent.uses(var) || extents_use(loop->body, var));
  });
}

// Names whose values are computed.
void collect_bindings(const Body& body, std::vector<std::string>& names) {
  for (const Instr& i : body) {
    if (const auto* bind = std::get_if<BindInstr>(&i.node)) names.push_back(bind->name);
    if (const auto* loop = std::get_if<Loop>(&i.node)) collect_bindings(loop->body, names);
  }
}

// Adds the facts about these names.
void add_bindings(const Body& body, DimFacts& facts) {
  for (const Instr& i : body) {
    if (const auto* bind = std::get_if<BindInstr>(&i.node)) add_binding(facts, *bind);
    if (const auto* loop = std::get_if<Loop>(&i.node)) add_bindings(loop->body, facts);
  }
}

// Whether a computed position is known to lie in [0, length).
bool is_within(const Kernel& k, const Body& body, const Dim& position, const Dim& length) {
  DimFacts facts = k.facts;
  add_bindings(body, facts);
  return facts.less_equal(0, position) == Tri::Yes && facts.less(position, length) == Tri::Yes;
}

// Whether each access of a buffer lies in its row of `length` elements, where loops end at positions of the row's own.
class RowBounds {
 public:
  RowBounds(uint32_t buffer, std::string row, const Dim& length)
      : buffer_(buffer), row_(std::move(row)), length_(length) {}

  // `facts` knows the names around the body.
  bool hold(const Body& body, DimFacts facts) {
    return std::all_of(body.begin(), body.end(), [&](const Instr& i) {
      if (const auto* bind = std::get_if<BindInstr>(&i.node)) add_binding(facts, *bind);
      if (const auto* load = std::get_if<LoadInstr>(&i.node)) return within(load->buffer, load->index, facts);
      if (const auto* store = std::get_if<StoreInstr>(&i.node)) return within(store->buffer, store->index, facts);
      const auto* loop = std::get_if<Loop>(&i.node);
      if (!loop) return true;
      loops_.push_back(loop);
      const bool holds = hold(loop->body, facts);
      loops_.pop_back();
      return holds;
    });
  }

 private:
  bool within(uint32_t buffer, const Dim& index, const DimFacts& facts) const {
    if (buffer != buffer_) return true;
    const auto along = index.affine_in(row_);
    if (!along) return false;
    Dim first = along->rest, last = first;
    // An extent may use the names around the loop, so inner loops go first.
    for (size_t i = loops_.size(); i-- > 0;) {
      const Loop& loop = *loops_[i];
      const auto step = last.affine_in(loop.var);
      if (!step || facts.less_equal(0, step->coefficient) != Tri::Yes) return false;
      last = step->rest + step->coefficient * (loop.extent - Dim(1));
      first = first.substitute(loop.var, 0);
    }
    return facts.less_equal(0, first) == Tri::Yes && facts.less(last, length_) == Tri::Yes;
  }

  const uint32_t buffer_;
  const std::string row_;
  const Dim length_;
  std::vector<const Loop*> loops_;  // around, from the outside
};

// The elements from one row to the next, if all of them lie equally far apart from the buffer's first element on.
std::optional<Dim> row_distance(const Window& w) {
  if (w.layout.shape.size() < 2 || !w.layout.offset.is(0)) return std::nullopt;
  Shape shape = w.layout.shape;
  for (const Dim& distance : {shape.back(), w.layout.strides[shape.size() - 2]}) {
    shape.back() = distance;
    if (w.layout.strides == row_major_strides(shape)) return distance;
  }
  return std::nullopt;
}

class Finder {
 public:
  Finder(const Program& p, size_t first, std::string& why) : p_(p), first_(first), why_(why) {}

  std::optional<RowStream> run() {
    const auto* a = step<LibraryStep>(first_);
    if (!a || !a->routine->takes_rows) return no("its routine takes no rows at a time");
    stream_.last = first_ + 1;
    while (step<KernelStep>(stream_.last)) ++stream_.last;
    const auto* b = step<LibraryStep>(stream_.last);
    if (!b || b->routine != a->routine || stream_.last == first_ + 1) return no("no launch and product follow");
    const Window &scores = a->results[0], &weights = b->operands[0];
    if (!is_float(a->dtypes[0]) || !is_float(b->dtypes[0])) return no("the products are not of real numbers");
    const auto distance = row_distance(scores);
    if (!distance || row_distance(weights) != distance || scores.layout.shape != weights.layout.shape)
      return no("the second product has other rows");
    distance_ = *distance;
    for (size_t i = 0; i + 1 < scores.layout.shape.size(); ++i) count_ = count_ * scores.layout.shape[i];
    stream_.first = first_;
    stream_.scores = scores.buffer;
    stream_.weights = weights.buffer;
    launches_.clear();
    if (a->epilogue) launches_.push_back(&*a->epilogue);
    for (size_t i = first_ + 1; i < stream_.last; ++i) launches_.push_back(step<KernelStep>(i));
    collect_rows();
    for (uint32_t r : stream_.rows)
      if (!is_private(r)) return no("other steps use the rows");
    for (const KernelStep* launch : launches_)
      if (const char* why = in_the_way(p_.kernels[launch->kernel], *launch)) return no(why);
    // The other operands and the result are whole, and no rows.
    for (const Window* w : {&a->operands[0], &a->operands[1], &b->operands[1], &b->results[0]})
      if (is_row(w->buffer)) return no("a product uses rows as a whole");
    if (b->epilogue && std::any_of(b->epilogue->buffers.begin(), b->epilogue->buffers.end(),
                                   [&](uint32_t buffer) { return is_row(buffer); }))
      return no("the second product's epilogue uses the rows");
    return stream_;
  }

 private:
  template <class S>
  const S* step(size_t i) const {
    return i < p_.steps.size() ? std::get_if<S>(&p_.steps[i]) : nullptr;
  }
  std::optional<RowStream> no(const char* why) {
    why_ = why;
    return std::nullopt;
  }
  bool is_row(uint32_t buffer) const {
    return std::binary_search(stream_.rows.begin(), stream_.rows.end(), p_.root(buffer));
  }

  // All that the launches write.
  void collect_rows() {
    std::set<uint32_t> rows{stream_.scores, stream_.weights};
    for (const KernelStep* launch : launches_)
      for (uint32_t i = 0; i < launch->buffers.size(); ++i)
        if (p_.kernels[launch->kernel].buffers[i].written) rows.insert(launch->buffers[i]);
    stream_.rows.assign(rows.begin(), rows.end());
  }

  const char* in_the_way(const Kernel& k, const KernelStep& launch) const {
    const Loop* loop = parallel_loop(k);
    if (!loop || !(loop->extent == count_)) return "a launch does not run over the rows";
    for (uint32_t i = 0; i < launch.buffers.size(); ++i)
      if (is_row(launch.buffers[i]) && !works_on_rows(k, i, distance_)) return "an iteration uses several rows";
    return nullptr;
  }

  // A temp with a row for each row of the product, that only these steps use.
  bool is_private(uint32_t buffer) const {
    const ProgramBuffer& b = p_.buffers[buffer];
    if (b.role != BufferRole::Temp || !(b.size == count_ * distance_)) return false;
    for (size_t i = 0; i < p_.steps.size(); ++i) {
      bool uses = false;
      each_buffer(p_.steps[i], [&](const uint32_t& used) { uses |= p_.root(used) == buffer; });
      if (uses && (i < first_ || i > stream_.last)) return false;
    }
    return std::none_of(p_.buffers.begin(), p_.buffers.end(), [&](const ProgramBuffer& part) {
      return part.role == BufferRole::Part && part.whole == buffer;
    });
  }

  const Program& p_;
  const size_t first_;
  std::string& why_;
  RowStream stream_{};
  Dim distance_ = 0, count_ = 1;  // elements from row to row, rows
  std::vector<const KernelStep*> launches_;
};

// Whether a mask may leave out an access of the buffer, whose position is then anywhere.
bool is_masked(const Body& body, uint32_t buffer) {
  return std::any_of(body.begin(), body.end(), [&](const Instr& i) {
    if (const auto* load = std::get_if<LoadInstr>(&i.node)) return load->buffer == buffer && load->mask != kNoReg;
    if (const auto* store = std::get_if<StoreInstr>(&i.node)) return store->buffer == buffer && store->mask != kNoReg;
    const auto* loop = std::get_if<Loop>(&i.node);
    return loop && is_masked(loop->body, buffer);
  });
}

}  // namespace

bool works_on_rows(const Kernel& k, uint32_t buffer, const Dim& length, bool lookups) {
  const Loop* rows = parallel_loop(k);
  if (!rows) return false;
  std::vector<std::string> own_values{rows->var};
  collect_bindings(rows->body, own_values);
  const bool ends_itself = std::any_of(own_values.begin(), own_values.end(),
                                       [&](const std::string& name) { return extents_use(rows->body, name); });
  const bool bounded = ends_itself || is_masked(rows->body, buffer);
  if (bounded && !RowBounds(buffer, rows->var, length).hold(rows->body, k.facts)) return false;
  // No access without a mask is out of bounds (K9), in the first row and the last one neither. So what is added to the
  // row's first position is within the row.
  bool own = true;
  each_access(rows->body, nullptr, [&](uint32_t b, const Dim& index, const Loop*) {
    if (b != buffer) return;
    const auto along = index.affine_in(rows->var);
    own = own && along && along->coefficient == length;
    if (!own || bounded) return;
    const auto uses = [&](const std::string& name) { return along->rest.uses(name); };
    if (std::none_of(own_values.begin(), own_values.end(), uses)) return;
    own = lookups && !uses(rows->var) && is_within(k, rows->body, along->rest, length);
  });
  return own;
}

std::optional<Dim> length_of_rows(const Kernel& k, uint32_t buffer, bool lookups) {
  const Loop* rows = parallel_loop(k);
  std::optional<Dim> length;
  if (rows)
    each_access(rows->body, nullptr, [&](uint32_t b, const Dim& index, const Loop*) {
      if (b != buffer || length) return;
      if (const auto along = index.affine_in(rows->var)) length = along->coefficient;
    });
  return length && works_on_rows(k, buffer, *length, lookups) ? length : std::nullopt;
}

bool is_marked(const Step& step) {
  const auto* library = std::get_if<LibraryStep>(&step);
  return library && (library->attrs.has(kRowStream) || library->attrs.has(kColumnStream));
}

std::optional<RowStream> row_stream_at(const Program& p, size_t first, std::string& why) {
  return Finder(p, first, why).run();
}

std::vector<RowStream> row_streams(const Program& p) {
  std::vector<RowStream> all;
  std::string why;
  for (size_t i = 0; i < p.steps.size(); ++i) {
    if (!is_marked(p.steps[i])) continue;
    const bool columns = std::get<LibraryStep>(p.steps[i]).attrs.has(kColumnStream);
    if (auto stream = columns ? column_stream_at(p, i, why) : row_stream_at(p, i, why))
      if (all.empty() || all.back().last < stream->first) all.push_back(*std::move(stream));
  }
  return all;
}

namespace {

// Follows what is loaded from a row to the masks that may replace it.
class Columns {
 public:
  Columns(const Kernel& k, uint32_t buffer, const Dim& length) : k_(k), buffer_(buffer), length_(length) {}

  std::optional<Dim> run() {
    const Loop* rows = parallel_loop(k_);
    if (!rows) return std::nullopt;
    row_ = rows->var;
    for (const std::string& s : k_.symbols)
      if (s == kRowSymbol) return std::nullopt;
    visit(rows->body, nullptr);
    if (known_ && !needed_) needed_ = replaced_;
    if (!known_ || !needed_) return std::nullopt;
    return needed_->substitute(row_, Dim::symbol(std::string(kRowSymbol)));
  }

 private:
  void visit(const Body& body, const Loop* around) {
    for (const Instr& i : body) {
      if (const auto* s = std::get_if<ScalarInstr>(&i.node)) number(*s);
      if (const auto* index = std::get_if<IndexInstr>(&i.node)) numbers_[index->result] = index->index;
      if (const auto* bind = std::get_if<BindInstr>(&i.node))
        if (const auto found = numbers_.find(bind->value); found != numbers_.end()) names_[bind->name] = found->second;
    }
    // A condition may be computed behind the load.
    for (const Instr& i : body) {
      if (const auto* load = std::get_if<LoadInstr>(&i.node); load && load->buffer == buffer_)
        look(*load, body, around);
      if (const auto* store = std::get_if<StoreInstr>(&i.node); store && store->buffer == buffer_ && around)
        replace(*store, *around);
      if (const auto* loop = std::get_if<Loop>(&i.node)) visit(loop->body, loop);
    }
  }

  // Integers that follow from positions. They are small: conversions keep them.
  void number(const ScalarInstr& s) {
    const auto of = [&](size_t i) -> std::optional<Dim> {
      const auto found = numbers_.find(s.args[i]);
      return found == numbers_.end() ? std::nullopt : std::optional(found->second);
    };
    if (s.type != int32 && s.type != int64) return;
    constexpr int64_t kSmall = int64_t{1} << 28;
    if (s.op == ScalarOp::Const) {
      const int64_t value = s.type == int32 ? static_cast<int32_t>(s.imm) : static_cast<int64_t>(s.imm);
      if (value > -kSmall && value < kSmall) numbers_[s.result] = Dim(value);
    } else if (s.op == ScalarOp::Cast) {
      if (const auto x = of(0)) numbers_[s.result] = *x;
    } else if (s.op == ScalarOp::Add || s.op == ScalarOp::Sub) {
      const auto x = of(0), y = of(1);
      if (x && y) numbers_[s.result] = s.op == ScalarOp::Add ? *x + *y : *x - *y;
    }
  }

  // The columns that a loop over the first ones of a row takes, where their number follows from the row.
  std::optional<Dim> columns_of(const Dim& extent) const {
    for (const auto& [name, value] : names_)
      if (extent == Dim::symbol(name)) return value;
    return std::nullopt;
  }

  // A loop over the last columns of a row stores there what it does not load.
  void replace(const StoreInstr& store, const Loop& around) {
    const auto along = store.index.affine_in(row_);
    const auto first = columns_of(length_ - around.extent);
    if (first && along && store.mask == kNoReg && along->rest == length_ - around.extent + Dim::symbol(around.var))
      replaced_ = first;
  }

  // The load's value, and what is computed of it, must end as the value that one condition selects.
  void look(const LoadInstr& load, const Body& body, const Loop* around) {
    known_ = false;
    const auto along = load.index.affine_in(row_);
    if (!around || !along || load.mask != kNoReg || !(along->rest == Dim::symbol(around->var))) return stop();
    if (const auto first = columns_of(around->extent)) return need(*first);
    if (!(around->extent == length_)) return stop();
    std::set<Reg> values{load.result};
    const ScalarInstr* chosen = nullptr;
    bool holds = true;  // whether the value counts where the condition holds, or where it does not
    for (const Instr& i : body) {
      if (const auto* store = std::get_if<StoreInstr>(&i.node); store && values.contains(store->value)) return stop();
      if (std::holds_alternative<Loop>(i.node)) return stop();
      const auto* s = std::get_if<ScalarInstr>(&i.node);
      if (!s) continue;
      for (size_t a = 0; a < static_cast<size_t>(arity(s->op)); ++a) {
        if (!values.contains(s->args[a])) continue;
        const bool arm = s->op == ScalarOp::Select && a > 0 && !values.contains(s->args[0]) &&
                         !values.contains(s->args[3 - a]) && !chosen;
        if (arm) {
          chosen = s;
          holds = a == 1;
          break;
        }
        values.insert(s->result);
      }
    }
    if (!chosen) return stop();
    for (const Accumulator& a : around->accumulators)
      if (values.contains(a.value)) return stop();
    for (const Carry& c : around->carries)
      if (values.contains(c.next)) return stop();
    const auto bound = columns_where(chosen->args[0], holds, body, around->var);
    if (!bound) return stop();
    need(*bound);
  }

  void need(const Dim& columns) {
    if (needed_ && !(*needed_ == columns)) return stop();
    needed_ = columns;
    known_ = !stopped_;
  }

  void stop() {
    stopped_ = true;
    known_ = false;
  }

  // n where a comparison of integers, and what may stand beside it, holds (or does not) in the columns below n alone.
  std::optional<Dim> columns_where(Reg condition, bool holds, const Body& body, const std::string& column) const {
    for (const Instr& i : body) {
      const auto* s = std::get_if<ScalarInstr>(&i.node);
      if (!s || s->result != condition) continue;
      if (s->op == (holds ? ScalarOp::And : ScalarOp::Or)) {
        const auto bound = columns_where(s->args[0], holds, body, column);
        return bound ? bound : columns_where(s->args[1], holds, body, column);
      }
      const bool less = s->op == ScalarOp::Lt || s->op == ScalarOp::Le,
                 greater = s->op == ScalarOp::Gt || s->op == ScalarOp::Ge;
      if (!less && !greater) return std::nullopt;
      auto x = numbers_.find(s->args[0]), y = numbers_.find(s->args[1]);
      if (x == numbers_.end() || y == numbers_.end()) return std::nullopt;
      // x < y or x <= y, of which the opposite is y <= x or y < x.
      bool equal = s->op == ScalarOp::Le || s->op == ScalarOp::Ge;
      if (greater) std::swap(x, y);
      if (!holds) {
        std::swap(x, y);
        equal = !equal;
      }
      const auto along = (x->second - y->second).affine_in(column);
      if (!along || !along->coefficient.is(1) || along->rest.uses(column)) return std::nullopt;
      return Dim(equal ? 1 : 0) - along->rest;
    }
    return std::nullopt;
  }

  const Kernel& k_;
  const uint32_t buffer_;
  const Dim length_;
  std::string row_;
  std::map<Reg, Dim> numbers_;
  std::map<std::string, Dim> names_;
  std::optional<Dim> needed_, replaced_;
  bool known_ = true, stopped_ = false;
};

}  // namespace

std::optional<Dim> needed_columns(const Kernel& k, uint32_t buffer, const Dim& length) {
  return Columns(k, buffer, length).run();
}

}  // namespace frit::ir
