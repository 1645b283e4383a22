// From one kernel to one GLSL compute shader.
//
// Buffers are addresses (buffer references) in the push constants, or behind an address in them where they are many;
// sizes follow them. The ways a kernel maps to invocations are those of passes/schedule/grid_schedule.h. Each scalar
// instruction is one statement, with the IR beside it.
//
// A context says who runs a statement: Invocation, each for itself; Group, all invocations of a workgroup alike and in
// step, so that they agree on every register, stores are made by the first of them, and barriers may stand there.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/glsl/known_digits.h"
#include "codegen/glsl/row_parts.h"
#include "codegen/glsl/shader.h"
#include "ir/kernel/kernel.h"
#include "passes/schedule/grid_columns.h"
#include "passes/schedule/grid_schedule.h"

namespace frit::codegen::glsl {

// The GLSL type that registers of an element type have: 8 and 16 bit integers are int and uint, f16 and bf16 the bits
// in a uint.
std::string_view register_type(Dtype t);
std::string literal(Dtype t, uint64_t bits);

// Functions that shaders call where the language has no expression of the right meaning; each is written out when it is
// used.
// A declaration of an execution mode of SPV_KHR_float_controls, by its capability and number.
std::string execution_mode(int capability, int number, int width);

class Prelude {
 public:
  // `converts16`: the device converts between f32 and f16 itself.
  explicit Prelude(bool converts16 = false) : converts16_(converts16) {}
  // Its name; those that it calls are added too.
  std::string use(const std::string& name);
  void use_all_of(const Prelude& other);
  const std::string& text() const { return text_; }
  // Declarations that must come before `text`: the device's f16 and the modes of its conversions, where a function
  // needs them.
  std::string half_modes() const;

 private:
  bool converts16_ = false, has_halves_ = false;
  std::set<std::string> used_;
  std::string text_;
};

// Scalar operations as expressions over operands that are names or literals, with exactly the meaning of
// ir/scalar/scalar.h but for the rounding of division and square root, which is the device's.
std::string scalar_expression(Prelude& p, const runtime::GpuFeatures& features, ir::ScalarOp op, Dtype result,
                              Dtype operand, const std::vector<std::string>& a);
std::string cast_expression(Prelude& p, Dtype to, Dtype from, const std::string& x);

// A kernel over the elements of a routine's result, as a function of the routine's shader.
struct Epilogue {
  std::string references;  // declarations of its types
  std::string arguments;   // fields that follow those of the routine, 8 bytes each
  std::string function;    // epilogue(places, elements, there), arrays of `parts`, a constant of the shader around it
  std::string position, element;  // types of the first two
  std::set<std::string> extensions;
  Prelude prelude;  // functions that it calls; the routine adds its own
};

// Kernels that compute an operand of a routine, as functions of the routine's shader: `fetched(address)` does the loads
// for the 16 bytes that would lie at the address, and `words_of` makes those of the Fetched that it gives.
struct Prologue {
  std::string references;  // declarations of its types
  std::string arguments;   // fields that follow those of the routine, 8 bytes each
  std::string functions;
  std::set<std::string> extensions;
  Prelude prelude;
};
// A launch that computes buffers: the kernel, and the program's buffer for each of its own.
struct OperandMaker {
  const ir::Kernel* kernel;
  std::span<const uint32_t> buffers;
};
// `makers` are the launch that computes `operand`, a buffer of the program, and those before it whose results are read
// for it alone; their buffers are the arguments, one launch after the other. Nothing where a kernel does more than to
// compute each element of its results from other buffers.
std::optional<Prologue> write_prologue(std::span<const OperandMaker> makers, uint32_t operand,
                                       const runtime::GpuFeatures& features, bool comments);

class KernelEmitter {
 public:
  // `barriers`: a workgroup takes one row at a time, so that barriers may stand between its invocations.
  KernelEmitter(const ir::Kernel& kernel, const runtime::GpuFeatures& features, bool comments, bool barriers = false);
  Result<Shader> run();
  // After run(): the shader takes several rows at once, and one of them needs a barrier.
  bool lacks_barriers() const { return rows_ > 1 && !across_ && synced_; }
  // As a function that another shader calls for each element: see Epilogue. Nothing where the kernel does more than
  // that.
  std::optional<Epilogue> run_epilogue(uint32_t raw);
  // Of a kernel whose iterations are accesses of the routine, in straight-line code.
  std::optional<Prologue> run_prologue(uint32_t stored);

 private:
  enum class Context : uint8_t { Invocation, Group };
  struct Name {
    std::string text;
    bool wide;
  };
  struct Place {
    std::string text;
    bool wide;
  };
  // Loads of which a chain of selections takes the first whose mask holds, else the rest: a register, or zero. Where no
  // mask before holds, those of `tests` say whether a load's own does; none: it does.
  struct Joined {
    std::vector<const ir::Instr*> loads;
    ir::Reg rest;
    std::vector<std::vector<ir::Reg>> tests = {};
  };
  struct JoinedAddress;
  // Where a buffer lies: launch buffers and scratch by address, locals in shared memory by array.
  struct Memory {
    std::string name;
    bool shared = false;
    bool registers = false;  // an array of each invocation, for elements that it needs again itself
    bool again = false;      // nowhere: elements are computed again where they are read (where no register has them)
    int swizzle = 1;         // shared: consecutive elements lie this many parts apart
    int64_t part = 0;        // elements of such a part
  };
  // Accesses of one vector loop that move several elements at once.
  struct Wide {
    const ir::Instr* instr;
    uint32_t buffer;
    const Dim* index;
    std::string array;
    std::string base = {};  // before the element's number in `array`
    int piece = 0;          // elements that lie side by side, where not all do
    bool kept = false;      // `array` is one of the row's
    std::string at(int j) const { return array + "[" + base + std::to_string(j) + "]"; }
    std::string at_k() const { return array + "[" + base + "k]"; }
    std::string words(int part) const { return array + "w" + std::to_string(part); }
  };
  // The array that keeps the elements of a load which several loops over a row make alike.
  struct Kept {
    std::string array;
    Dtype dtype = float32;
    bool filled = false;
  };
  // The instructions that compute an element of a local again at the place of a load, in order; `own` has those whose
  // positions are others there.
  struct Again {
    std::vector<const ir::Instr*> instrs = {};
    std::deque<ir::Instr> own = {};
    ir::Reg value = ir::kNoReg;
  };
  // The loop that stores a local, and the instruction that does.
  struct Producer {
    const ir::Loop* loop = nullptr;
    const ir::StoreInstr* store = nullptr;
  };
  // The accesses of the loops over a row: locals, by how often they are accessed at the loops' own element and in all,
  // and loads of buffers that are only read, by the loops that have them.
  struct RowValues {
    std::map<uint32_t, int> own = {}, all = {};
    std::map<LoadKey, std::set<const ir::Loop*>> loaded = {};
    std::map<LoadKey, Dtype> types = {};
    bool is_own(uint32_t buffer) { return own[buffer] == all[buffer]; }
  };
  // A number as a float16_t of the shader. One that was converted must not be converted back without a step in between
  // that drivers cannot look through (Prelude's kept_f16).
  struct Half {
    std::string text;
    bool converted = false;
  };
  // The iterations first .. first + vector - 1 of a loop.
  struct VectorLoop {
    const ir::Loop& loop;
    int vector;
    std::string first;
    std::string base = {};                      // of a turn's elements in an array over turns
    std::vector<Wide> loads = {}, stores = {};  // that move all elements at once
    std::vector<Wide> again = {};               // loads of that kind for elements of locals that are computed again
    std::vector<Wide> once = {};                // loads of one element for all iterations, by turn
    std::map<const ir::Instr*, Kept*> fills = {}, kept = {};  // loads that fill a kept array, and that find it filled
    std::string full = {}, some = {};  // conditions: all of the iterations exist, iteration k does (empty: surely)
    std::string place = {};            // of iteration k, or of the last one where it does not exist
  };
  // One accumulator of a loop with lanes: arrays of an invocation's own states and of all of the workgroup.
  struct FoldPart {
    const ir::Accumulator* acc;
    std::string own, shared, shared_position = {}, position = {};  // `position`: its type
  };
  struct Fold {
    int vector;        // states of an invocation
    std::string each;  // head of the loop over them
    std::vector<FoldPart> parts = {};
  };
  // While it lives, `text` is another text.
  class StandIn {
   public:
    StandIn(std::string& text, std::string other) : text_(text), own_(std::exchange(text, std::move(other))) {}
    ~StandIn() { text_ = std::move(own_); }
    StandIn(const StandIn&) = delete;
    StandIn& operator=(const StandIn&) = delete;

   private:
    std::string& text_;
    std::string own_;
  };

  // emit_kernel.cpp
  void fail(std::string message);
  void line(const std::string& text);
  void open(const std::string& text);
  void close(const std::string& text = "}");
  std::string assemble();
  std::string float_modes() const;
  // The arguments after `count` others, as fields of a structure.
  std::string argument_fields(size_t& count);
  // Their names in the text of a routine's shader, which has them in `args`.
  std::string argument_names() const;
  void declare_names();
  void count_folds(const ir::Body& body);
  void place_locals();
  void check_features();
  // emit_elements.cpp
  void emit_elements(const ir::Loop* loop);
  void emit_element_turns(const ir::Loop& loop, int vector, int turns);
  void emit_body(const ir::Body& body, Context context);
  void emit(const ir::Instr& instr, Context context);
  void define(ir::Reg r, const std::string& value, const ir::Instr& instr);
  std::string comment(const ir::Instr& instr) const;
  std::string name_of(ir::Reg r) const;

  // emit_rows.cpp
  void emit_rows(const ir::Loop* loop);
  int rows_of_group() const;
  void open_rows(const ir::Loop& loop, const std::string& name, const std::string& first);

  // emit_columns.cpp
  void emit_columns(const ir::Loop& loop);
  void plan_columns(const std::vector<const ir::Loop*>& loops);
  void emit_column(const ir::Loop& loop, const std::string& name, const std::function<void()>& last);
  void emit_column_round(const ir::Loop& loop, const std::string& name, const std::string& from, int first, int count,
                         const std::string& exists, const std::function<void()>& last);
  std::string owned(const std::string& condition) const;
  void fold_columns(const Fold& fold);
  void declare_kept();
  void plan_stages(const ir::Loop& rows);
  std::string place_in_stage(uint32_t buffer, const Dim& index);
  std::string load_stage(uint32_t buffer, const Dim& index);
  std::string store_stage(uint32_t buffer, const Dim& index, const std::string& value);
  std::string from_word(Dtype t, const std::string& word) const;
  std::string to_word(Dtype t, const std::string& value) const;
  void emit_staged(const ir::Loop& loop, const std::string& name);
  void move_stage(const Stage& s, const std::string& first);
  void move_elements(const Stage& s, const std::string& word, const std::string& skip);

  // emit_tile.cpp
  struct Tiled;
  void emit_tiles(const ir::Loop& tiles, const passes::GridTile& tile);
  bool is_stretch(const Tiled& t, const Dim& index, int per) const;
  void load_words(const ir::LoadInstr& load, int per);
  void stage_tile(const Tiled& t, bool whole);
  void emit_tile(const Tiled& t, bool whole);

  // emit_index.cpp: sizes and positions
  bool narrow(const Dim& d) const;
  std::string dim(const Dim& d, bool wide);
  std::string term(const DimTerm& t, bool wide);
  std::string atom(const Atom& a, bool wide);
  std::string divide(const Atom& a, bool wide);
  Place position(uint32_t buffer, const Dim& index);
  std::string index_type(bool wide) const { return wide ? "int64_t" : "int"; }

  // emit_memory.cpp
  std::string element(uint32_t buffer, const Dim& index);
  std::string reference(Dtype t, int elements);
  void emit_load(const ir::LoadInstr& load, Context context, const ir::Instr& instr);
  std::string load_text(uint32_t buffer, const Dim& index);
  std::string store_text(uint32_t buffer, const Dim& index, const std::string& value);
  std::string from_memory(Dtype t, const std::string& raw) const;
  std::string to_memory(Dtype t, const std::string& value) const;
  bool is_wide(uint32_t buffer, const Dim& index, const ir::Loop& loop, int vector);
  void load_wide(const Wide& w, const ir::Loop& loop, int vector, const std::string& first, const std::string& full,
                 const std::string& some);
  void declare_wide(const Wide& w, int vector);
  void load_pieces(const Wide& w, const ir::Loop& loop, int vector, const std::string& first);
  int elements_of(const Wide& w, int vector) const;
  std::string words_of(const Wide& w, int vector) const;
  std::string piece_text(const Wide& w, const ir::Loop& loop, int vector, const std::string& first, int part);
  std::string unpack_piece(const Wide& w, int vector, int part, const std::string& value) const;
  void store_wide(const Wide& w, const ir::Loop& loop, int vector, const std::string& first, const std::string& full,
                  const std::string& some);
  std::string word_address(uint32_t buffer, const Dim& index, const std::string& type, int elements, int part);
  void need_storage(Dtype t);

  // emit_joined.cpp
  void find_joined(const ir::Body& body);
  void emit_joined(const ir::ScalarInstr& selection, const Joined& joined, const ir::Instr& instr);
  std::optional<JoinedAddress> joined_address(const Joined& joined) const;

  // emit_loop.cpp
  void emit_loop(const ir::Loop& loop, Context context, const ir::Instr& instr);
  void emit_serial(const ir::Loop& loop, Context context);
  void take_in(const ir::Loop& loop);
  int loads_together(const ir::Loop& loop, Context context) const;
  bool takes_in_alone(const ir::Loop& loop) const;
  bool leaves_none(const ir::Loop& loop) const;
  bool is_looked_up(const ir::Loop& loop) const;
  void emit_together(const ir::Loop& loop, const std::string& name, const std::string& from, int together);
  void emit_round(const ir::Loop& loop, const std::string& name, const std::string& from, int count, bool some,
                  int step = 1);
  void emit_spread(const ir::Loop& loop);
  std::string enter(const ir::Loop& loop);
  void collect(const ir::Body& body, std::set<uint32_t>& loads, std::set<uint32_t>& stores) const;
  struct Early {
    std::set<const ir::Instr*> loads = {}, leading = {};
  };
  static Early early_loads(const ir::Loop& loop, const std::set<uint32_t>& stores);
  void touch(const ir::Body& body, bool inside_loop);
  void sync();

  // emit_again.cpp
  void find_producers(const ir::Body& row, const ir::Loop* rows);
  bool can_compute_again(uint32_t local) const;
  bool is_computed_again(uint32_t buffer) const;
  const Again& again_of(const ir::LoadInstr& load);
  void compute_again(const ir::LoadInstr& load);
  void plan_again(VectorLoop& v, const ir::LoadInstr& load, bool ahead);

  // emit_turns.cpp
  void plan_registers(const ir::Body& row);
  void plan_resident(const std::vector<const ir::Loop*>& loops);
  RowValues values_of(const std::vector<const ir::Loop*>& loops) const;
  static constexpr int kMostThreads = 1024;
  bool is_wide_group() const { return group_ > kMostThreads / 4; }
  bool is_turned(const ir::Loop& loop) const { return !beyond_ && turned_.count(&loop) != 0; }
  void emit_kept_turns(const ir::Loop& loop, const std::string& name, int vector, const std::function<void()>& last);
  void emit_parts(const VectorLoop& v, int turns, int together, const std::function<void()>& last);
  void emit_resident(const ir::Loop& loop, const std::string& name, int vector, const std::function<void()>& last);
  std::vector<const ir::Loop*> loops_alike(const ir::Body& row);
  static LoadKey load_key(const ir::LoadInstr& load, const std::string& var);
  void open_turns(const ir::Loop& loop, const std::string& name, int vector, int step, const std::string& from = {});
  void close_turns(const ir::Loop& loop);
  void emit_turns(const ir::Loop& loop, const std::string& name, int vector, const std::function<void()>& last);
  int turns_ahead(const ir::Loop& loop, int vector, int short_bodies, int long_bodies) const;
  void emit_rounds(const ir::Loop& loop, const std::string& name, int vector, const std::function<void()>& last);

  // emit_vector.cpp
  VectorLoop plan_vector(const ir::Loop& loop, int vector, const std::string& first, bool ahead);
  void set_conditions(VectorLoop& v);
  bool is_one(const Dim& index, const VectorLoop& v) const;
  void plan_once(VectorLoop& v, int turns);
  void load_together(const VectorLoop& v);
  bool may_repeat(const VectorLoop& v) const;
  void emit_vector(const ir::Loop& loop, int vector, const std::string& first, const std::function<void()>& last);
  void emit_vector_ahead(const ir::Loop& loop, int vector, const std::string& first, const std::function<void()>& last,
                         int turns, bool whole);
  void emit_ahead(const ir::Loop& loop, int vector, const std::string& first, const std::function<void()>& last,
                  int turns);
  void emit_iterations(const VectorLoop& v, const std::function<void()>& last);

  // emit_halves.cpp
  bool keeps_floats(uint32_t buffer) const;
  std::string kept_type(uint32_t buffer) const;
  std::string float_of(ir::Reg r);
  void load_kept(const ir::LoadInstr& load, const ir::Instr& instr);
  std::string half_of(ir::Reg r);
  void invert(ir::Reg r);
  void find_inverses(const ir::Body& body, const ir::Loop* around);
  bool emit_half(const ir::ScalarInstr& s, const ir::Instr& instr);
  bool emit_from_half(const ir::ScalarInstr& s, const ir::Instr& instr);
  bool emit_to_half(const ir::ScalarInstr& s, const ir::Instr& instr);
  bool emit_to_bfloat(const ir::ScalarInstr& s, const ir::Instr& instr);

  // emit_fold.cpp
  static bool is_arg(const ir::Accumulator& a) { return a.position != ir::kNoReg; }
  static const ir::IndexInstr* position_of(const ir::Loop& loop, const ir::Accumulator& a);
  bool is_word(const ir::Loop& loop, const ir::Accumulator& a) const;
  static bool has_key(const ir::Accumulator& acc);
  std::string key_of(const ir::Accumulator& acc, const std::string& value);
  static std::string state_type(const ir::Accumulator& acc);
  static std::string state(const ir::Accumulator& acc, const std::string& name);
  void take_value(const ir::Accumulator& acc, const std::string& value, const std::string& position,
                  const std::string& at, bool later);
  std::string identity(const ir::Accumulator& acc) const;
  std::string combine(const ir::Accumulator& acc, const std::string& a, const std::string& b);
  void accumulate(const ir::Accumulator& acc, const std::string& value, const std::string& position,
                  const std::string& b, const std::string& b_position, bool later = false);
  bool has_short_positions(const ir::Loop& loop, const ir::Accumulator& a) const;
  bool has_rising_positions(const ir::Loop& loop, const ir::Accumulator& a) const;
  std::string position_type(const ir::Loop& loop, const ir::Accumulator& a) const;
  std::string no_position(const ir::Loop& loop, const ir::Accumulator& a) const;
  void place_first(const ir::Loop& loop, int vector);
  void shuffle_states(const Fold& fold, const FoldPart& p, int count);
  void exchange_states(const Fold& fold, const FoldPart& p, int count);
  void take_position(const FoldPart& p, const std::string& position);
  void emit_lanes(const ir::Loop& loop);
  void emit_fold(const ir::Loop& loop, int vector);
  void fold_group(const ir::Loop& loop, int vector, std::span<const ir::Accumulator> group);
  void share_states(const Fold& fold);
  void fold_own(const std::string& own, const std::string& positions, const ir::Accumulator& a, int count,
                int left = 1);
  void fold_by_shuffles(const Fold& fold, int subgroup);
  void fold_in_row(const Fold& fold);
  void fold_across(const Fold& fold);

  // emit_scan.cpp
  bool passes_values(const ir::Carry& c) const;
  std::string step_of(const Running& r, const std::string& a, const std::string& b);
  void take_in_front(const Running& r, int vector, const std::string& condition, const std::string& value);
  void scan_own(const Running& r, int vector);
  void scan_across(const Running& r, int vector, const std::string& whole);
  void find_before(const Running& r, int vector);
  void join_places(const Running& r, int vector, bool total);
  void walk_places(const VectorLoop& v, const std::vector<Running>& known, const ir::ScalarInstr* end,
                   std::map<const ir::Instr*, std::string>& loaded, const std::function<void()>& last);
  bool is_staged(const ir::Loop& loop, uint32_t buffer, const Dim& index, ir::Reg mask) const;
  static int64_t stage_elements(const ir::Loop& loop);
  std::string staged_at(const ir::Loop& loop, const std::string& type, const std::string& place);
  std::string load_staged(const ir::Instr& instr, const VectorLoop& v, const std::string& base);
  void store_staged(const Wide& w, const VectorLoop& v, const std::string& base);
  std::set<const ir::Instr*> stage_accesses(VectorLoop& v, const std::string& base,
                                            std::map<const ir::Instr*, std::string>& loaded);
  std::vector<Running> running_of(const ir::Loop& loop) const;
  std::map<const ir::Instr*, const Running*> last_stores(const ir::Loop& loop,
                                                         const std::vector<Running>& running) const;
  void emit_scan(const ir::Loop& loop);

  // emit_scan_turns.cpp
  struct ScanTurns;
  void emit_scan_turns(const ir::Loop& loop);
  VectorLoop plan_scan_turns(const ir::Loop& loop, int vector, const std::string& name);
  void load_scan_turns(const VectorLoop& v, const ScanTurns& t);
  std::map<const ir::Instr*, std::string> unpack_turn(VectorLoop& v);
  void scan_turn(VectorLoop v, const ScanTurns& t, int turn);
  void join_turn(const Running& r, const ScanTurns& t, int turn);

  const ir::Kernel& k_;
  const runtime::GpuFeatures& features_;
  const bool comments_, barriers_;
  Prelude prelude_;
  KnownDigits known_;
  Shader shader_;
  DimFacts facts_;
  DimFacts whole_;    // with the ranges of all loops
  std::string text_;  // of main
  int indent_ = 1;
  std::vector<std::string> regs_;
  std::set<ir::Reg> few_bits_;               // integers from 0 to 2^24
  std::set<const ir::ScalarInstr*> scaled_;  // quotients that are products with the inverse of their divisor
  std::set<ir::Reg> inverted_;               // those divisors
  std::map<ir::Reg, std::string> inverses_;  // of which are known so far
  std::map<ir::Reg, Half> halves_;           // of type f16, and f32 that hold one
  std::map<ir::Reg, std::string> highs_;     // of type bf16: the bits of the equal f32
  std::map<ir::Reg, std::string> floats_;    // of 16 bits, loaded from registers: the equal f32
  std::vector<std::string> narrow_;          // i64 registers whose value is an int as well: that int, else ""
  std::map<std::string, Name, std::less<>> names_;
  std::set<std::string> identifiers_, bound_;      // bound_: names that the kernel binds
  std::vector<Memory> memories_;                   // launch buffers, then locals
  std::map<std::string, std::string> references_;  // declarations of reference types, by name
  std::map<std::string, int> folds_;               // shared arrays by GLSL type: how many a fold uses at once
  int fold_elements_ = 0;
  static constexpr int kMostTogether = 1 << 20;
  int fold_together_ = kMostTogether;  // accumulators that are folded at once
  // Loops over a row of known length whose turns are unrolled, so that shared elements stay in registers.
  std::set<const ir::Loop*> turned_;
  int turns_ = 0, turn_vector_ = 0;
  // Rows too long for that: the first turns_ turns stay in registers, and the others are read again in each loop.
  bool resident_ = false;
  int first_turn_ = 0;               // of those that are written now
  bool beyond_ = false;              // in the turns behind those
  std::set<uint32_t> in_registers_;  // locals
  std::map<LoadKey, Kept> kept_;
  std::vector<Stage> stages_;
  std::map<LoadKey, const Stage*> staged_;
  std::map<uint32_t, Producer> producers_;  // of locals that can be computed again
  std::map<const ir::LoadInstr*, Again> agains_;
  std::set<uint32_t> read_, written_;  // in Group context since the last barrier
  std::set<std::string> extensions_;
  bool shuffles_ = false, scratch_ = false;
  int group_ = 1;  // invocations of a row, or of a workgroup that has none
  int rows_ = 1;   // that a workgroup takes at once
  // Rows are columns that lie side by side: neighbouring invocations have neighbouring columns.
  bool across_ = false;
  bool synced_ = false;
  std::string error_, cure_;
  std::string prefix_;                                 // of names, where they stand beside those of another shader
  std::map<const ir::Instr*, Joined> joined_;          // by the selection
  std::set<const ir::Instr*> elsewhere_;               // instructions with a text of their own: such loads and more
  std::map<const ir::LoadInstr*, std::string> ahead_;  // loads done earlier, and their names
  std::optional<uint32_t> raw_;                        // of an epilogue: the buffer whose elements are its parameter
};

}  // namespace frit::codegen::glsl
