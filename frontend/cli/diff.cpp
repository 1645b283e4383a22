// frit diff: what differs between two graph files, in words, by structure rather than by lines.
#include <algorithm>
#include <iostream>
#include <map>

#include "frontend/cli/command.h"
#include "ir/text/printer.h"
#include "ir/text/text.h"

namespace frit::cli {
namespace {

// An op without the names of its values.
std::string head_of(const ir::Function& f, const ir::Op& op) {
  std::string text(op.def->name);
  text += ir::attrs_text(*op.def, op.attrs);
  for (ir::ValueId r : op.results) text += " -> " + f.type(r).str();
  return text.size() > 200 ? text.substr(0, 200).append(" ...") : text;
}

// Pairs of ops that stand for each other: a longest common sequence of heads, bounded in work.
std::vector<std::pair<size_t, size_t>> match(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::pair<size_t, size_t>> pairs;
  size_t start = 0, enda = a.size(), endb = b.size();
  while (start < enda && start < endb && a[start] == b[start]) pairs.emplace_back(start, start), ++start;
  while (enda > start && endb > start && a[enda - 1] == b[endb - 1]) --enda, --endb, pairs.emplace_back(enda, endb);
  const size_t n = enda - start, m = endb - start;
  constexpr size_t kMostWork = 25'000'000;
  if (n && m && n * m <= kMostWork) {
    std::vector<uint16_t> length((n + 1) * (m + 1), 0);
    const auto at = [&](size_t i, size_t j) -> uint16_t& { return length[i * (m + 1) + j]; };
    for (size_t i = n; i-- > 0;)
      for (size_t j = m; j-- > 0;)
        at(i, j) = a[start + i] == b[start + j] ? static_cast<uint16_t>(at(i + 1, j + 1) + 1)
                                                : std::max(at(i + 1, j), at(i, j + 1));
    for (size_t i = 0, j = 0; i < n && j < m;) {
      if (a[start + i] == b[start + j])
        pairs.emplace_back(start + i++, start + j++);
      else if (at(i + 1, j) >= at(i, j + 1))
        ++i;
      else
        ++j;
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

class Difference {
 public:
  Difference(const ir::Function& a, const ir::Function& b)
      : a_(a), b_(b), na_(ir::value_names(a)), nb_(ir::value_names(b)) {}

  bool run() {
    if (ir::structurally_equal(a_, b_)) return false;
    if (ir::signature_text(a_) != ir::signature_text(b_))
      say("the signature is " + ir::signature_text(b_) + ", was " + ir::signature_text(a_));
    std::vector<std::string> ha, hb;
    for (const ir::Op& op : a_.ops) ha.push_back(head_of(a_, op));
    for (const ir::Op& op : b_.ops) hb.push_back(head_of(b_, op));
    const auto pairs = match(ha, hb);
    std::vector<bool> seena(ha.size()), seenb(hb.size());
    for (size_t i = 0; i < a_.params.size() && i < b_.params.size(); ++i) same_[a_.params[i]] = b_.params[i];
    for (const auto& [i, j] : pairs) {
      seena[i] = seenb[j] = true;
      for (size_t r = 0; r < a_.ops[i].results.size(); ++r) same_[a_.ops[i].results[r]] = b_.ops[j].results[r];
    }
    for (size_t i = 0; i < ha.size(); ++i)
      if (!seena[i]) say("removed " + name(na_, a_.ops[i]) + " = " + ha[i]);
    for (size_t j = 0; j < hb.size(); ++j)
      if (!seenb[j]) say("added " + name(nb_, b_.ops[j]) + " = " + hb[j]);
    for (const auto& [i, j] : pairs) operands(a_.ops[i], b_.ops[j]);
    results();
    if (!said_) say("differs in facts, groups or constants alone");
    return true;
  }

 private:
  void say(const std::string& text) {
    std::cout << "@" << a_.name << ": " << text << "\n";
    said_ = true;
  }
  static std::string name(const std::vector<std::string>& names, const ir::Op& op) {
    return op.results.empty() ? std::string("(no result)") : names[op.results[0]];
  }
  bool same(ir::ValueId a, ir::ValueId b) const {
    const auto found = same_.find(a);
    return found != same_.end() && found->second == b;
  }

  void operands(const ir::Op& a, const ir::Op& b) {
    if (a.operands.size() != b.operands.size())
      return say(std::string(a.def->name) + " " + name(nb_, b) + " has " + std::to_string(b.operands.size()) +
                 " operands, had " + std::to_string(a.operands.size()));
    for (size_t k = 0; k < a.operands.size(); ++k)
      if (!same(a.operands[k], b.operands[k]))
        say(std::string(a.def->name) + " " + name(nb_, b) + " reads " + nb_[b.operands[k]] + " as operand " +
            std::to_string(k) + ", read " + na_[a.operands[k]] + " of the first file");
  }

  void results() {
    if (a_.results.size() != b_.results.size())
      return say("returns " + std::to_string(b_.results.size()) + " results, returned " +
                 std::to_string(a_.results.size()));
    for (size_t i = 0; i < a_.results.size(); ++i)
      if (!same(a_.results[i], b_.results[i]))
        say("result " + std::to_string(i) + " is " + nb_[b_.results[i]] + ", was " + na_[a_.results[i]] +
            " of the first file");
  }

  const ir::Function &a_, &b_;
  std::vector<std::string> na_, nb_;
  std::map<ir::ValueId, ir::ValueId> same_;
  bool said_ = false;
};

bool differ(const ir::Module& a, const ir::Module& b) {
  bool any = false;
  const auto missing = [&](const ir::Module& from, const ir::Module& in, const char* where) {
    for (const auto& f : from.functions)
      if (!in.find(f->name))
        std::cout << "function @" << f->name << " is only in the " << where << " file\n", any = true;
  };
  // Two files of one function each are compared whatever the names.
  if (a.functions.size() == 1 && b.functions.size() == 1) {
    if (a.functions[0]->name != b.functions[0]->name)
      std::cout << "@" << a.functions[0]->name << " is called @" << b.functions[0]->name << "\n", any = true;
    return Difference(*a.functions[0], *b.functions[0]).run() || any;
  }
  missing(a, b, "first");
  missing(b, a, "second");
  for (const auto& f : a.functions)
    if (const ir::Function* other = b.find(f->name)) any |= Difference(*f, *other).run();
  return any;
}

}  // namespace

void add_diff(CLI::App& app) {
  struct Options {
    std::string a, b;
  };
  auto o = std::make_shared<Options>();
  CLI::App* c = app.add_subcommand("diff", "say what differs between two graph files, by structure");
  c->add_option("A", o->a, "graph file (.frit or JSON)")->required();
  c->add_option("B", o->b, "graph file (.frit or JSON)")->required();
  c->callback([o] {
    Source a = read_graph(o->a), b = read_graph(o->b);
    for (Source* s : {&a, &b})
      for (auto& f : s->module->functions) f->canonicalize_order();
    if (!differ(*a.module, *b.module)) std::cout << "equal\n";
  });
}

}  // namespace frit::cli
