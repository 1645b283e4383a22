// Accumulators: how a value is taken in, and loops with lanes, whose states are folded at the end.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

std::string KernelEmitter::identity(const ir::Accumulator& acc) const {
  return has_key(acc) ? "0u" : literal(acc.type, ir::combine_identity(acc.combine, acc.type));
}

// The state of an extreme whose place is asked for, where its elements have keys: unsigned numbers that rise towards
// the extreme, with NaN above all. Comparing them takes one instruction, where floats take several.
bool KernelEmitter::has_key(const ir::Accumulator& acc) {
  return is_arg(acc) && (acc.type == float32 || (!is_float(acc.type) && !is_complex(acc.type) && acc.type.size() <= 4));
}

std::string KernelEmitter::key_of(const ir::Accumulator& acc, const std::string& value) {
  const bool rising = acc.combine == ir::Combine::ArgMax;
  if (acc.type == float32) return prelude_.use(rising ? "rising_f32" : "falling_f32") + "(" + value + ")";
  const std::string key = is_signed_int(acc.type) ? "(uint(" + value + ") ^ 0x80000000u)" : "uint(" + value + ")";
  return rising ? key : "~" + key;
}

std::string KernelEmitter::state_type(const ir::Accumulator& acc) {
  return has_key(acc) ? "uint" : std::string(register_type(acc.type));
}

// The declaration of a state, or of several, without an initial value.
std::string KernelEmitter::state(const ir::Accumulator& acc, const std::string& name) {
  return (is_float(acc.type) && !has_key(acc) ? "precise " : "") + state_type(acc) + " " + name;
}

// Takes in the value of an iteration.
void KernelEmitter::take_value(const ir::Accumulator& acc, const std::string& value, const std::string& position,
                               const std::string& at, bool later) {
  if (!has_key(acc)) return accumulate(acc, value, position, regs_[acc.value], at, later);
  open("{");
  line("const uint key = " + key_of(acc, regs_[acc.value]) + ";");
  accumulate(acc, value, position, "key", at, later);
  close();
}

std::string KernelEmitter::combine(const ir::Accumulator& acc, const std::string& a, const std::string& b) {
  const bool least = acc.combine == ir::Combine::Min, extreme = least || acc.combine == ir::Combine::Max;
  // Extremes of columns wait for each other.
  if (across_ && extreme && acc.type == float32 && features_.keeps_specials32)
    return prelude_.use(least ? "min_apart_f32" : "max_apart_f32") + "(" + a + ", " + b + ")";
  return scalar_expression(prelude_, features_, ir::combine_op(acc.combine), acc.type, acc.type, {a, b});
}

// The instruction of a loop that gives the positions of `a`, where it has one.
const ir::IndexInstr* KernelEmitter::position_of(const ir::Loop& loop, const ir::Accumulator& a) {
  for (const ir::Instr& i : loop.body)
    if (auto* index = std::get_if<ir::IndexInstr>(&i.node); index && index->result == a.position) return index;
  return nullptr;
}

// Whether positions are ints.
bool KernelEmitter::has_short_positions(const ir::Loop& loop, const ir::Accumulator& a) const {
  const ir::IndexInstr* index = position_of(loop, a);
  if (!index) return false;
  const DimRange range = whole_.range(index->index);
  return range.low >= 0 && range.high < INT32_MAX;
}

// Whether later iterations have larger positions.
bool KernelEmitter::has_rising_positions(const ir::Loop& loop, const ir::Accumulator& a) const {
  const ir::IndexInstr* index = position_of(loop, a);
  const auto along = index ? index->index.affine_in(loop.var) : std::nullopt;
  return along && along->coefficient.is_const() && along->coefficient.value() > 0;
}

// Whether the state of an accumulator has 32-bit parts, which can be passed inside a subgroup.
bool KernelEmitter::is_word(const ir::Loop& loop, const ir::Accumulator& a) const {
  return (a.type != bool_ || has_key(a)) && a.type.size() <= 4 && (!is_arg(a) || has_short_positions(loop, a));
}

// `value` (at `position`) takes in `b` (at `b_position`); `later`: which is surely larger.
void KernelEmitter::accumulate(const ir::Accumulator& acc, const std::string& value, const std::string& position,
                               const std::string& b, const std::string& b_position, bool later) {
  if (!is_arg(acc)) return line(value + " = " + combine(acc, value, b) + ";");
  const std::string takes = ") { " + value + " = " + b + "; " + position + " = " + b_position + "; }";
  if (has_key(acc)) {
    // Without branches, which || and && would be.
    const std::string equal = "uint(" + b + " == " + value + ") & uint(" + b_position + " < " + position + ")";
    return line("if (" + (later ? b + " > " + value : "(uint(" + b + " > " + value + ") | " + equal + ") != 0u") +
                takes);
  }
  const bool max = acc.combine == ir::Combine::ArgMax;
  std::string more, equal = value + " == " + b;
  if (is_float(acc.type)) {
    std::string is_nan = prelude_.use(acc.type == float32 ? "is_nan_f32" : "is_nan_f64");
    std::string a_nan = is_nan + "(" + value + ")", b_nan = is_nan + "(" + b + ")";
    more = "(" + b_nan + " ? !" + a_nan + " : !" + a_nan + " && " + b + (max ? " > " : " < ") + value + ")";
    equal = "(" + equal + " || " + a_nan + " && " + b_nan + ")";
  } else if (acc.type == bool_) {
    more = max ? "(" + b + " && !" + value + ")" : "(!" + b + " && " + value + ")";
  } else {
    more = b + (max ? " > " : " < ") + value;
  }
  line("if (" + more + (later ? "" : " || " + equal + " && " + b_position + " < " + position) + takes);
}

// Lanes: in each of its turns, which are as many as the loop is unrolled, invocation t has the states from
// (turn * invocations + t) * vector on.
void KernelEmitter::emit_lanes(const ir::Loop& loop) {
  touch(loop.body, false);
  const int states = std::max(1, loop.lanes / group_), vector = std::max(1, states / loop.unroll);
  const std::string length = std::to_string(states);
  for (const ir::Accumulator& a : loop.accumulators) {
    std::string s = name_of(a.result) + "a";
    line(state(a, s + "[" + length + "];"));
    if (is_arg(a)) line(position_type(loop, a) + " " + s + "p[" + length + "];");
    line("[[unroll]] for (int k = 0; k < " + length + "; ++k) " +
         (is_arg(a) ? "{ " + s + "p[k] = " + no_position(loop, a) + "; " : "") + s + "[k] = " + identity(a) + ";" +
         (is_arg(a) ? " }" : ""));
  }
  const std::string name = enter(loop);
  auto take = [&] {
    for (const ir::Accumulator& a : loop.accumulators) {
      std::string s = name_of(a.result) + "a", at = is_arg(a) ? regs_[a.position] : "";
      const std::string k = loop.unroll > 1 && across_ ? "[turn % " + std::to_string(loop.unroll) + "]"
                            : loop.unroll > 1
                                ? "[turn % " + std::to_string(loop.unroll) + " * " + std::to_string(vector) + " + k]"
                            : vector > 1 ? "[k]"
                                         : "[0]";
      if (is_arg(a) && has_short_positions(loop, a))
        at = narrow_[a.position].empty() ? "int(" + at + ")" : narrow_[a.position];
      take_value(a, s + k, s + "p" + k, at, is_arg(a) && has_rising_positions(loop, a));
    }
  };
  emit_turns(loop, name, vector, take);
  place_first(loop, vector);
  for (const ir::Accumulator& a : loop.accumulators)
    fold_own(name_of(a.result) + "a", name_of(a.result) + "ap", a, states, vector);
  emit_fold(loop, vector);
  for (const ir::Accumulator& a : loop.accumulators) invert(a.result);
}

std::string KernelEmitter::position_type(const ir::Loop& loop, const ir::Accumulator& a) const {
  return has_short_positions(loop, a) ? "int" : "int64_t";
}

std::string KernelEmitter::no_position(const ir::Loop& loop, const ir::Accumulator& a) const {
  return has_short_positions(loop, a) ? "2147483647" : "9223372036854775807L";
}

// States that saw nothing more extreme than the identity, though they saw something, have the position of the first.
void KernelEmitter::place_first(const ir::Loop& loop, int vector) {
  for (const ir::Accumulator& a : loop.accumulators) {
    if (!is_arg(a) || !has_rising_positions(loop, a)) continue;
    const bool wide = !has_short_positions(loop, a);
    const std::string at = name_of(a.result) + "ap[k]", of = std::to_string(vector);
    const std::string first =
        loop.unroll > 1 ? "((k / " + of + " * " + std::to_string(group_) + " + lane) * " + of + " + k % " + of + ")"
                        : "(lane * " + of + " + k)";
    Name& name = names_.at(loop.var);
    const StandIn iteration(name.text, first);
    line("[[unroll]] for (int k = 0; k < " + std::to_string(vector * loop.unroll) + "; ++k) if (" + at +
         " == " + no_position(loop, a) + " && " + first + " < " + dim(loop.extent, name.wide) + ") " + at + " = " +
         dim(position_of(loop, a)->index, wide) + ";");
  }
}

void KernelEmitter::emit_fold(const ir::Loop& loop, int vector) {
  const std::span<const ir::Accumulator> all = loop.accumulators;
  const auto together = static_cast<size_t>(fold_together_);
  for (size_t first = 0; first < all.size(); first += together)
    fold_group(loop, vector, all.subspan(first, std::min(together, all.size() - first)));
}

// Folds states by halves: first across invocations, through shared memory, then each invocation's own.
void KernelEmitter::fold_group(const ir::Loop& loop, int vector, std::span<const ir::Accumulator> group) {
  Fold fold{vector, "[[unroll]] for (int k = 0; k < " + std::to_string(vector) + "; ++k) "};
  std::map<std::string, int> used;
  bool words = true;
  for (const ir::Accumulator& a : group) {
    const std::string type = state_type(a);
    FoldPart p{&a, name_of(a.result) + "a", "fold_" + type + std::to_string(used[type]++)};
    if (is_arg(a)) {
      p.position = position_type(loop, a);
      p.shared_position = "fold_" + p.position + std::to_string(used[p.position]++);
    }
    words = words && is_word(loop, a);
    fold.parts.push_back(p);
  }
  if (across_) return fold_columns(fold);
  if (rows_ > 1) return fold_in_row(fold);
  const int subgroup = static_cast<int>(features_.subgroup_size);
  const bool shuffle = words && features_.shuffle && subgroup >= 4 && subgroup <= 64 &&
                       (subgroup & (subgroup - 1)) == 0 && group_ >= subgroup;
  if (shuffle) return fold_by_shuffles(fold, subgroup);
  if (group_ > 1) fold_across(fold);
  for (const FoldPart& p : fold.parts) {
    fold_own(p.own, p.own + "p", *p.acc, vector);
    regs_[p.acc->result] = p.own + "[0]";
    if (is_arg(*p.acc)) take_position(p, p.own + "p[0]");
  }
  if (group_ > 1) line("barrier();");
}

// Lays the states of all invocations into shared memory.
void KernelEmitter::share_states(const Fold& fold) {
  for (const FoldPart& p : fold.parts) {
    const std::string at = "[k * " + std::to_string(group_) + " + lane]";
    line(fold.each + "{ " + p.shared + at + " = " + p.own + "[k];" +
         (is_arg(*p.acc) ? " " + p.shared_position + at + " = " + p.own + "p[k];" : "") + " }");
  }
  line("barrier();");
}

// Folds states k and k + h of one invocation, for h from half of `count` down, until `left` are left.
void KernelEmitter::fold_own(const std::string& own, const std::string& positions, const ir::Accumulator& a, int count,
                             int left) {
  for (int h = count / 2; h >= left; h /= 2)
    for (int k = 0; k < h; ++k) {
      std::string x = "[" + std::to_string(k) + "]", y = "[" + std::to_string(k + h) + "]";
      accumulate(a, own + x, positions + x, own + y, positions + y);
    }
}

// The first subgroup folds the states of all invocations: first those that its own invocations find in shared memory,
// then by passing values, without barriers.
void KernelEmitter::fold_by_shuffles(const Fold& fold, int subgroup) {
  shuffles_ = true;
  const int across = group_ / subgroup;
  share_states(fold);
  open("if (lane < " + std::to_string(subgroup) + ") {");
  for (const FoldPart& p : fold.parts) {
    if (across > 1) {
      open(fold.each + "{");
      line(state(*p.acc, "t[" + std::to_string(across) + "];"));
      if (is_arg(*p.acc)) line(p.position + " tp[" + std::to_string(across) + "];");
      for (int j = 0; j < across; ++j) {
        const std::string to = "[" + std::to_string(j) + "] = ",
                          at = "[k * " + std::to_string(group_) + " + lane + " + std::to_string(subgroup * j) + "];";
        line("t" + to + p.shared + at + (is_arg(*p.acc) ? " tp" + to + p.shared_position + at : ""));
      }
      fold_own("t", "tp", *p.acc, across);
      line(p.own + "[k] = t[0];" + (is_arg(*p.acc) ? " " + p.own + "p[k] = tp[0];" : ""));
      close();
    }
    shuffle_states(fold, p, subgroup);
    line("if (lane == 0) " +
         (is_arg(*p.acc) ? p.shared_position + "[0] = " + p.own + "p[0];" : p.shared + "[0] = " + p.own + "[0];"));
  }
  close();
  line("barrier();");
  for (const FoldPart& p : fold.parts) {
    const std::string result = name_of(p.acc->result);
    if (is_arg(*p.acc)) {
      line("const " + p.position + " " + result + " = " + p.shared_position + "[0];");
      take_position(p, result);
      continue;
    }
    regs_[p.acc->result] = result;
    line("const " + std::string(register_type(p.acc->type)) + " " + result + " = " + p.shared + "[0];");
  }
  line("barrier();");
}

// Folds the states of `count` neighbouring invocations, the first of which gets the result, and then its own.
void KernelEmitter::shuffle_states(const Fold& fold, const FoldPart& p, int count) {
  if (!is_arg(*p.acc)) return exchange_states(fold, p, count);
  if (count > 1) {
    open("for (uint h = " + std::to_string(count / 2) + "u; h > 0u; h >>= 1) {");
    open(fold.each + "{");
    line(state(*p.acc, "other = subgroupShuffleDown(" + p.own + "[k], h);"));
    line(p.position + " otherp = subgroupShuffleDown(" + p.own + "p[k], h);");
    accumulate(*p.acc, p.own + "[k]", p.own + "p[k]", "other", "otherp");
    close();
    close();
  }
  fold_own(p.own, p.own + "p", *p.acc, fold.vector);
}

// The same for states that are one value each. At each step an invocation hands half of its states to its partner and
// takes over the partner's part of the other half, as long as it has several; all invocations get the result. Each pair
// of states is combined as if the invocations folded all of them: the lower one's state comes first.
void KernelEmitter::exchange_states(const Fold& fold, const FoldPart& p, int count) {
  const ir::Combine c = p.acc->combine;
  const bool ordered = is_float(p.acc->type) && (c == ir::Combine::Max || c == ir::Combine::Min);
  const std::string type(register_type(p.acc->type)), exact = is_float(p.acc->type) ? "precise " : "";
  const auto at = [&](int k) { return p.own + "[" + std::to_string(k) + "]"; };
  // `mine` with what the partner across `h` has; `upper` says whether this invocation is the upper one.
  const auto take = [&](const std::string& to, const std::string& mine, const std::string& sent, int h) {
    line("{ " + exact + type + " mine = " + mine + ", other = subgroupShuffleXor(" + sent + ", " + std::to_string(h) +
         "u); " + to + " = " +
         (ordered ? combine(*p.acc, "(upper ? other : mine)", "(upper ? mine : other)")
                  : combine(*p.acc, "mine", "other")) +
         "; }");
  };
  int states = fold.vector;
  std::vector<int> dealt;  // the steps that dealt out states
  for (int h = count / 2; h > 0; h /= 2) {
    open("{");
    line("const bool upper = (lane & " + std::to_string(h) + ") != 0;");
    if (states > 1) {
      states /= 2;
      dealt.push_back(h);
      for (int k = 0; k < states; ++k)
        take(at(k), "upper ? " + at(k + states) + " : " + at(k), "upper ? " + at(k) + " : " + at(k + states), h);
    } else {
      take(at(0), at(0), at(0), h);
    }
    close();
  }
  for (int h : dealt) {
    open("{");
    line("const bool upper = (lane & " + std::to_string(h) + ") != 0;");
    for (int k = 0; k < states; ++k) take(at(k), at(k), at(k), h);
    close();
  }
  fold_own(p.own, p.own + "p", *p.acc, states);
}

// The position that an accumulator gives.
void KernelEmitter::take_position(const FoldPart& p, const std::string& position) {
  const bool is_short = p.position == "int";
  regs_[p.acc->result] = is_short ? "int64_t(" + position + ")" : position;
  narrow_[p.acc->result] = is_short ? position : "";
}

// A row's invocations are neighbours in a subgroup: they pass values, without shared memory and barriers.
void KernelEmitter::fold_in_row(const Fold& fold) {
  shuffles_ = shuffles_ || group_ > 1;
  for (const FoldPart& p : fold.parts) {
    shuffle_states(fold, p, group_);
    const std::string result = name_of(p.acc->result), own = p.own + (is_arg(*p.acc) ? "p[0]" : "[0]"),
                      type = is_arg(*p.acc) ? p.position : std::string(register_type(p.acc->type));
    line("const " + type + " " + result + " = " +
         (group_ > 1 && is_arg(*p.acc) ? "subgroupShuffle(" + own + ", gl_SubgroupInvocationID - uint(lane))" : own) +
         ";");
    regs_[p.acc->result] = result;
    if (is_arg(*p.acc)) take_position(p, result);
  }
}

// Folds the states of invocations lane and lane + h through shared memory, for h from half of the workgroup down.
void KernelEmitter::fold_across(const Fold& fold) {
  const std::string group = std::to_string(group_);
  share_states(fold);
  open("for (int h = " + std::to_string(group_ / 2) + "; h > 0; h >>= 1) {");
  open("if (lane < h) {");
  open(fold.each + "{");
  for (const FoldPart& p : fold.parts) {
    std::string at = "[k * " + group + " + lane]", other = "[k * " + group + " + lane + h]";
    accumulate(*p.acc, p.own + "[k]", p.own + "p[k]", p.shared + other, p.shared_position + other);
    line(p.shared + at + " = " + p.own + "[k];" +
         (is_arg(*p.acc) ? " " + p.shared_position + at + " = " + p.own + "p[k];" : ""));
  }
  close();
  close();
  line("barrier();");
  close();
  for (const FoldPart& p : fold.parts)
    line(fold.each + "{ " + p.own + "[k] = " + p.shared + "[k * " + group + "];" +
         (is_arg(*p.acc) ? " " + p.own + "p[k] = " + p.shared_position + "[k * " + group + "];" : "") + " }");
}

}  // namespace frit::codegen::glsl
