// Accumulators: how a value is taken in, and loops with lanes, whose states are folded at the end.
#include <algorithm>

#include "codegen/glsl/emitter.h"
#include "passes/lower/loop_nest.h"

namespace frit::codegen::glsl {

std::string KernelEmitter::identity(const ir::Accumulator& acc) const {
  return literal(acc.type, ir::combine_identity(acc.combine, acc.type));
}

std::string KernelEmitter::combine(const ir::Accumulator& acc, const std::string& a, const std::string& b) {
  return scalar_expression(prelude_, features_, ir::combine_op(acc.combine), acc.type, acc.type, {a, b});
}

// `value` (at `position`) takes in `b` (at `b_position`).
void KernelEmitter::accumulate(const ir::Accumulator& acc, const std::string& value, const std::string& position,
                               const std::string& b, const std::string& b_position) {
  if (!is_arg(acc)) return line(value + " = " + combine(acc, value, b) + ";");
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
  line("if (" + more + " || " + equal + " && " + b_position + " < " + position + ") { " + value + " = " + b + "; " +
       position + " = " + b_position + "; }");
}

// Lanes: invocation t has the states t * vector .. t * vector + vector - 1.
void KernelEmitter::emit_lanes(const ir::Loop& loop) {
  touch(loop.body, false);
  const int vector = std::max(1, loop.lanes / group_);
  const std::string length = std::to_string(vector);
  for (const ir::Accumulator& a : loop.accumulators) {
    std::string s = name_of(a.result) + "a";
    line((is_float(a.type) ? "precise " : "") + std::string(register_type(a.type)) + " " + s + "[" + length + "];");
    if (is_arg(a)) line("int64_t " + s + "p[" + length + "];");
    line("[[unroll]] for (int k = 0; k < " + length + "; ++k) " +
         (is_arg(a) ? "{ " + s + "p[k] = 9223372036854775807L; " : "") + s + "[k] = " + identity(a) + ";" +
         (is_arg(a) ? " }" : ""));
  }
  const std::string name = enter(loop);
  auto take = [&] {
    for (const ir::Accumulator& a : loop.accumulators) {
      std::string s = name_of(a.result) + "a", k = vector > 1 ? "[k]" : "[0]";
      accumulate(a, s + k, s + "p" + k, regs_[a.value], is_arg(a) ? regs_[a.position] : "");
    }
  };
  std::set<uint32_t> loads, stores;
  collect(loop.body, loads, stores);
  constexpr int kAhead = 4;
  constexpr size_t kShort = 24;
  std::string from;
  if (vector > 1 && !turned_.count(&loop) && stores.empty() && !passes::contains_loop(loop.body) &&
      loop.body.size() <= kShort && facts_.range(loop.extent).high >= 2 * kAhead * loop.lanes) {
    // Several loads are under way at once.
    const bool wide = names_.at(loop.var).wide;
    from = name + "_from";
    line(index_type(wide) + " " + from + " = lane * " + std::to_string(vector) + ";");
    open("for (; " + from + " + " + std::to_string((kAhead - 1) * loop.lanes) + " < " + dim(loop.extent, wide) + "; " +
         from + " += " + std::to_string(kAhead * loop.lanes) + ") {");
    emit_vector_ahead(loop, vector, name, take, kAhead);
    close();
  }
  open_turns(loop, name, vector, loop.lanes, from);
  if (vector > 1) {
    emit_vector(loop, vector, name, take);
  } else {
    emit_body(loop.body, Context::Invocation);
    take();
  }
  close_turns(loop);
  emit_fold(loop, vector);
}

// Folds the states by halves: first across invocations, through shared memory, then each invocation's own.
void KernelEmitter::emit_fold(const ir::Loop& loop, int vector) {
  Fold fold{vector, "[[unroll]] for (int k = 0; k < " + std::to_string(vector) + "; ++k) "};
  std::map<std::string, int> used;
  bool words = true;
  for (const ir::Accumulator& a : loop.accumulators) {
    std::string type(register_type(a.type));
    FoldPart p{&a, name_of(a.result) + "a", "fold_" + type + std::to_string(used[type]++), ""};
    if (is_arg(a)) p.shared_position = "fold_int64_t" + std::to_string(used["int64_t"]++);
    words = words && !is_arg(a) && a.type != bool_ && a.type.size <= 4;
    fold.parts.push_back(p);
  }
  const int subgroup = static_cast<int>(features_.subgroup_size);
  const bool shuffle = words && features_.shuffle && subgroup >= 4 && subgroup <= 64 &&
                       (subgroup & (subgroup - 1)) == 0 && group_ >= subgroup;
  if (shuffle) return fold_by_shuffles(fold, subgroup);
  if (group_ > 1) fold_across(fold);
  for (const FoldPart& p : fold.parts) {
    fold_own(p.own, p.own + "p", *p.acc, vector);
    regs_[p.acc->result] = is_arg(*p.acc) ? p.own + "p[0]" : p.own + "[0]";
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

// Folds states k and k + h of one invocation, for h from half of `count` down.
void KernelEmitter::fold_own(const std::string& own, const std::string& positions, const ir::Accumulator& a,
                             int count) {
  for (int h = count / 2; h > 0; h /= 2)
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
    std::string type(register_type(p.acc->type)), exact = is_float(p.acc->type) ? "precise " : "";
    if (across > 1) {
      open(fold.each + "{");
      line(exact + type + " t[" + std::to_string(across) + "];");
      for (int j = 0; j < across; ++j)
        line("t[" + std::to_string(j) + "] = " + p.shared + "[k * " + std::to_string(group_) + " + lane + " +
             std::to_string(subgroup * j) + "];");
      fold_own("t", "", *p.acc, across);
      line(p.own + "[k] = t[0];");
      close();
    }
    open("for (uint h = " + std::to_string(subgroup / 2) + "u; h > 0u; h >>= 1) {");
    line(fold.each + "{ " + exact + type + " other = subgroupShuffleDown(" + p.own + "[k], h); " + p.own +
         "[k] = " + combine(*p.acc, p.own + "[k]", "other") + "; }");
    close();
    fold_own(p.own, "", *p.acc, fold.vector);
    line("if (lane == 0) " + p.shared + "[0] = " + p.own + "[0];");
  }
  close();
  line("barrier();");
  for (const FoldPart& p : fold.parts) {
    regs_[p.acc->result] = name_of(p.acc->result);
    line("const " + std::string(register_type(p.acc->type)) + " " + regs_[p.acc->result] + " = " + p.shared + "[0];");
  }
  line("barrier();");
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
