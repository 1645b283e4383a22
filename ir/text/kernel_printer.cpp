// The printer of kernels.
#include "ir/text/kernel_printer.h"
#include "ir/kernel/reads.h"

#include "ir/text/text.h"

namespace frit::ir {

namespace {

class KernelPrinter {
 public:
  KernelPrinter(const Kernel& k, int indent) : k_(k), indent_(indent) {
    uses_.resize(k.reg_types.size());
    inlined_.resize(k.reg_types.size());
    numbers_.resize(k.reg_types.size(), kNoReg);
    constants_.resize(k.reg_types.size());
    each_read(k.body, [&](Reg r, const Instr&) {
      if (r < uses_.size()) ++uses_[r];
    });
    find_inlined(k.body);
    number(k.body);
  }

  std::string reg(Reg r) const {
    if (r >= numbers_.size()) return "%?";
    if (inlined_[r]) return number_text(k_.reg_types[r], constants_[r]);
    return numbers_[r] == kNoReg ? "%?" : "%" + std::to_string(numbers_[r]);
  }

  void body(const Body& b) {
    for (const Instr& instr : b) {
      if (hidden(instr)) continue;
      line(head(instr), &instr);
      if (const auto* loop = std::get_if<Loop>(&instr.node)) {
        indent_ += 2;
        body(loop->body);
        indent_ -= 2;
        line("}");
      }
    }
  }

  std::string head(const Instr& instr) const {
    return std::visit([this](const auto& x) { return text(x); }, instr.node);
  }

  std::string declaration(const KernelBuffer& b) const {
    return "%" + name_text(b.name) + ": " + std::string(short_name(b.dtype)) + "[" + b.size.str() + "]";
  }

  void line(std::string_view text, const Instr* instr = nullptr) {
    out.append(static_cast<size_t>(indent_), ' ').append(text).append("\n");
    printed.push_back(instr);
  }

  std::string out;
  std::vector<const Instr*> printed;  // by line of `out`

 private:
  bool hidden(const Instr& instr) const {
    const auto* s = std::get_if<ScalarInstr>(&instr.node);
    return s && s->op == ScalarOp::Const && s->result < inlined_.size() && inlined_[s->result];
  }

  // Hides body[at - 1] if it is the constant `r` of type `type` and has no other use; `at` then steps back.
  bool hide_before(const Body& b, size_t& at, Reg r, Dtype type) {
    if (at == 0 || r >= uses_.size() || uses_[r] != 1) return false;
    const auto* c = std::get_if<ScalarInstr>(&b[at - 1].node);
    if (!c || c->op != ScalarOp::Const || c->result != r || c->type != type || k_.reg_types[r] != type) return false;
    inlined_[r] = true;
    constants_[r] = c->imm;
    --at;
    return true;
  }

  void find_inlined(const Body& b) {
    for (size_t i = 0; i < b.size(); ++i) {
      size_t at = i;
      if (const auto* s = std::get_if<ScalarInstr>(&b[i].node)) {
        // The reader takes a constant's type from the instruction; these two do not give it.
        if (s->op == ScalarOp::Cast || s->op == ScalarOp::Bitcast) continue;
        for (size_t a = static_cast<size_t>(arity(s->op)); a-- > 0;) {
          Dtype type = s->op == ScalarOp::Select && a == 0 ? bool_ : s->type;
          if (is_comparison(s->op)) {
            Reg other = s->args[1 - a];
            if (other >= inlined_.size() || inlined_[other]) continue;
            type = k_.reg_types[other];
          }
          hide_before(b, at, s->args[a], type);
        }
      } else if (const auto* store = std::get_if<StoreInstr>(&b[i].node)) {
        if (store->buffer < k_.buffers.size() + k_.locals.size())
          hide_before(b, at, store->value, k_.buffer(store->buffer).dtype);
      } else if (const auto* loop = std::get_if<Loop>(&b[i].node)) {
        find_inlined(loop->body);
      }
    }
  }

  void define(Reg r) {
    if (r < numbers_.size() && numbers_[r] == kNoReg) numbers_[r] = next_++;
  }

  void number(const Body& b) {
    for (const Instr& instr : b) {
      if (hidden(instr)) continue;
      if (const auto* s = std::get_if<ScalarInstr>(&instr.node))
        define(s->result);
      else if (const auto* index = std::get_if<IndexInstr>(&instr.node))
        define(index->result);
      else if (const auto* load = std::get_if<LoadInstr>(&instr.node))
        define(load->result);
      else if (const auto* loop = std::get_if<Loop>(&instr.node)) {
        for (const Accumulator& a : loop->accumulators) define(a.result);
        for (const Carry& c : loop->carries) define(c.value);
        number(loop->body);
      }
    }
  }

  std::string defined(Reg r) const {
    return reg(r) + ": " + std::string(r < k_.reg_types.size() ? short_name(k_.reg_types[r]) : "?") + " = ";
  }
  std::string element(uint32_t buffer, const Dim& index) const {
    bool exists = buffer < k_.buffers.size() + k_.locals.size();
    return "%" + (exists ? name_text(k_.buffer(buffer).name) : std::string("?")) + "[" + index.str() + "]";
  }
  std::string masked(Reg mask) const { return mask == kNoReg ? "" : " mask " + reg(mask); }

  std::string text(const ScalarInstr& s) const {
    std::string t = defined(s.result) + std::string(name(s.op));
    if (s.op == ScalarOp::Const) return t + " " + number_text(s.type, s.imm);
    for (int i = 0; i < arity(s.op); ++i) t += (i ? ", " : " ") + reg(s.args[static_cast<size_t>(i)]);
    return t;
  }
  std::string text(const IndexInstr& x) const { return defined(x.result) + "index(" + x.index.str() + ")"; }
  std::string text(const BindInstr& x) const {
    return "bind " + x.name + " = " + reg(x.value) + " in [" + x.low.str() + ", " + x.high.str() + "]";
  }
  std::string text(const LoadInstr& x) const {
    return defined(x.result) + "load " + element(x.buffer, x.index) + masked(x.mask);
  }
  std::string text(const StoreInstr& x) const {
    return (x.stream ? "store stream " : "store ") + element(x.buffer, x.index) + ", " + reg(x.value) + masked(x.mask);
  }
  std::string text(const Loop& x) const {
    std::string t = x.kind == LoopKind::Parallel ? "parallel for " : "for ";
    t += x.var + " in " + x.extent.str();
    if (x.vector != 0) t += " vector " + std::to_string(x.vector);
    if (x.unroll != 1) t += " unroll " + std::to_string(x.unroll);
    if (x.lanes != 0) t += " lanes " + std::to_string(x.lanes);
    if (!x.grain.is(1)) t += " grain " + x.grain.str();
    for (size_t i = 0; i < x.accumulators.size(); ++i) {
      const Accumulator& a = x.accumulators[i];
      t += (i ? ", " : " acc ") + defined(a.result) + std::string(name(a.combine)) + " " + reg(a.value);
      if (a.position != kNoReg) t += " at " + reg(a.position);
    }
    for (size_t i = 0; i < x.carries.size(); ++i) {
      const Carry& c = x.carries[i];
      t += (i ? ", " : " carry ") + defined(c.value) + number_text(c.type, c.initial) + " next " + reg(c.next);
    }
    return t + " {";
  }

  const Kernel& k_;
  int indent_;
  std::vector<uint32_t> uses_;
  std::vector<bool> inlined_;
  std::vector<uint32_t> numbers_;
  std::vector<uint64_t> constants_;  // of inlined registers
  uint32_t next_ = 0;
};

std::string access_text(const KernelBuffer& b) {
  return b.read && b.written ? " inout" : b.written ? " out" : b.read ? " in" : "";
}

std::string where_text(const Kernel& k) {
  std::string text = facts_text(k.facts, k.symbols);
  return text.empty() ? "" : " where " + text;
}

std::string from_text(const std::vector<SourceLoc>& locs) {
  std::string text;
  for (const SourceLoc& loc : locs) {
    if (!loc.known()) continue;
    text += (text.empty() ? " from " : ", ") + quoted(loc.file) + ":" + std::to_string(loc.line);
    if (loc.column) text += ":" + std::to_string(loc.column);
  }
  return text;
}

}  // namespace

std::string print(const Kernel& k, const KernelPrintOptions& options) {
  KernelPrinter p(k, options.indent);
  std::string head = "kernel @" + name_text(k.name) + "(";
  for (size_t i = 0; i < k.buffers.size(); ++i)
    head += (i ? ", " : "") + p.declaration(k.buffers[i]) + access_text(k.buffers[i]);
  for (size_t i = 0; i < k.symbols.size(); ++i) head += (i ? ", " : "; ") + k.symbols[i];
  head += ")" + where_text(k);
  if (options.locations) head += from_text(k.locs);
  p.line(head + " {");
  KernelPrinter inner(k, options.indent + 2);
  for (const KernelBuffer& b : k.locals) inner.line("local " + inner.declaration(b) + access_text(b));
  inner.body(k.body);
  p.out += inner.out;
  p.line("}");
  return p.out;
}

std::vector<const Instr*> printed_instructions(const Kernel& k) {
  KernelPrinter p(k, 0);
  p.printed.assign(1 + k.locals.size(), nullptr);
  p.body(k.body);
  p.printed.push_back(nullptr);
  return std::move(p.printed);
}

std::string instr_text(const Kernel& k, const Instr& instr) { return KernelPrinter(k, 0).head(instr); }
std::string reg_text(const Kernel& k, Reg reg) { return KernelPrinter(k, 0).reg(reg); }

}  // namespace frit::ir
