// Turns one Kernel into one C function.
//
// Loops are C loops. A vector loop around straight-line code is left to the C compiler. One whose iterations are dealt
// to lanes, or that has loops in it, is written so that compilers need not look through loops: a step takes as many
// iterations as the lanes or the schedule say, and each stretch of straight-line code runs over them in a loop of its
// own ("for l"), with the values of each iteration in small arrays that live in registers. The emitter borrows
// the kernel and lives for one `run`.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/c/scalar.h"
#include "ir/kernel/kernel.h"

namespace frit::codegen::c {

// Names of atoms that have a variable.
struct DimLess {
  bool operator()(const Dim& a, const Dim& b) const { return Dim::compare(a, b) < 0; }
};
using KnownAtoms = std::map<Dim, std::string, DimLess>;

// Dims as C expressions of type int64_t.
class Positions {
 public:
  explicit Positions(Helpers& helpers) : helpers_(helpers) {}
  std::map<std::string, std::string, std::less<>> names;  // of symbols, loop variables and bindings in scope
  KnownAtoms known;
  std::set<std::string> used;  // C names that some text has used
  // An expression that may need parentheses inside a product. `facts` show which divisions need no helper.
  std::string text(const Dim& d, const DimFacts& facts);
  std::string atom(const Atom& a, const DimFacts& facts);

 private:
  std::string factor(const Dim& d, const DimFacts& facts);
  Helpers& helpers_;
};

class KernelEmitter {
 public:
  KernelEmitter(const ir::Kernel& kernel, std::string function, Helpers& helpers);

  // The function's definition, with the kernel's text above it. Fails on a function that no pass has expanded.
  Result<std::string> run();
  // "static void name(const float* restrict x, .., int64_t n)": launch buffers, then locals, then symbols.
  std::string signature() const;

 private:
  // A register as C knows it: a constant or a variable; or, in the steps of a wide loop, an array with an element for
  // each iteration.
  struct Value {
    std::string text;
    bool is_array = false;  // an element of it is text[l]
    bool never_nan = false;
    std::optional<uint64_t> bits = {};  // of a constant
  };

  // A loop of which several iterations are taken at once.
  struct Wide {
    std::string var;    // as the IR names it
    std::string base;   // C: its value in the first of them
    std::string count;  // C: how many
    std::string lane;   // C: the number of one
    int width = 0;      // at most so many: the size of arrays
    std::set<std::string> varying_names;
    std::vector<bool> varying;   // by register: differs between them
    std::vector<bool> is_array;  // by register: used in another stretch than the one that defines it
  };

  struct State {
    std::string value, position;  // C variables or arrays
    bool wide = false;            // an element for each iteration of the wide loop
    int lanes = 0;                // 0: one state
  };

  // A carry of a loop with lanes, in C: the values kept by level, the running value at the group's begin, and the
  // loop's variable.
  struct Group {
    std::string kept, start, var;
    int lanes;
  };

  // text
  void line(const std::string& text) { out_ += std::string(static_cast<size_t>(2 * indent_), ' ') + text + "\n"; }
  void open(const std::string& text);
  void close(const std::string& text = "}");
  std::string fresh(std::string_view wish);
  std::string declare(const std::string& symbol);  // a name for a loop variable or binding
  std::string use(ir::Reg r);
  Operand operand(ir::Reg r);
  std::string position(const Dim& d) { return positions_.text(d, facts_); }

  // emit_kernel.cpp
  void emit_body(const ir::Body& body);
  void emit(const ir::Instr& instr);
  void define(ir::Reg r, const std::string& expression);
  std::string access(uint32_t buffer, const Dim& index);
  void count_uses(const ir::Body& body);
  void find_products(const ir::Body& body);
  bool is_needed(const ir::Instr& instr) const;

  // emit_loop.cpp
  struct Scope {
    std::map<std::string, std::string, std::less<>> names;
    KnownAtoms known;
    DimFacts facts;
  };
  Scope enter(const ir::Loop& loop, const std::string& name);
  void leave(Scope scope);
  void name_atoms(const ir::Body& body);
  void collect_atoms(const ir::Body& body, std::vector<Dim>& found) const;
  void collect_atoms(const Dim& d, std::vector<Dim>& found) const;
  void emit_loop(const ir::Loop& loop);
  void emit_nothing(const ir::Loop& loop);
  void emit_serial(const ir::Loop& loop);
  void emit_lanes(const ir::Loop& loop);
  State make_state(const ir::Accumulator& a, int lanes, bool wide);
  void accumulate(const ir::Accumulator& a, const State& s, const std::string& element);
  bool has_variable(const ir::Loop& loop, const ir::Carry& c) const;
  void take_next(const ir::Loop& loop);
  void open_groups(const ir::Loop& loop, const std::string& var);
  void emit_step(const ir::ScalarInstr& step, const Group& g);
  void combine(const ir::Accumulator& a, const std::string& value, const std::string& position, const Operand& by,
               const std::string& by_position);
  void finish(const ir::Accumulator& a, const State& s);

  // emit_wide.cpp
  bool is_wide(const ir::Loop& loop) const;
  void emit_wide(const ir::Loop& loop);
  void emit_wide_step(const ir::Loop& loop, const std::string& base, const std::string& count, int width);
  void emit_wide_body(const ir::Body& body, const std::vector<std::pair<const ir::Accumulator*, State>>& states);
  void emit_wide_loop(const ir::Loop& loop);
  void analyse(const ir::Body& body, Wide& wide) const;
  void find_arrays(const ir::Body& body, int& stretch, std::vector<int>& home, Wide& wide) const;
  bool varies(const Dim& d, const Wide& wide) const;

  const ir::Kernel& kernel_;
  std::string function_;
  Helpers& helpers_;
  Positions positions_;
  DimFacts facts_;
  std::vector<Value> values_;
  std::map<const ir::ScalarInstr*, Group> groups_;  // by step
  std::vector<uint32_t> uses_;
  std::vector<bool> is_product_;  // by register: of floats
  bool has_differences_ = false;  // of products
  std::string nothing_;           // C: see frit_nothing; "" where no code needs it
  std::vector<std::string> buffers_;
  std::vector<std::string> parameters_;  // of the function: types and names
  std::set<std::string> taken_;
  std::string prefix_;  // of registers
  size_t next_ = 0;
  std::optional<Wide> wide_;
  bool in_lane_ = false;  // inside of a loop over the lanes of wide_
  std::string out_, error_;
  int indent_ = 0;
};

}  // namespace frit::codegen::c
