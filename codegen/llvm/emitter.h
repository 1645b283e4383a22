// Emits one Kernel as one LLVM function of the runtime's kernel ABI (runtime/execute/executable.h).
//
// A vector loop becomes explicit vectors: `width` lanes times `copies` interleaved copies of its body, then a masked
// remainder whose lanes compute the same values. Values that do not vary with the vector loop's variable stay scalar.
// Every pure value is hoisted above the outermost loop it does not depend on, so that no later pass has to hoist.
//
// The emitter borrows the module and the kernel, and lives for one `run`. LLVM types appear in codegen/llvm only.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/llvm/emitter_records.h"
#include "codegen/llvm/lane_offsets.h"
#include "codegen/llvm/target.h"
#include "ir/kernel/kernel.h"

namespace frit::codegen {

class KernelEmitter {
 public:
  KernelEmitter(llvm::Module& module, const ir::Kernel& kernel, const CpuFeatures& features);

  // Adds the function `symbol`. Fails on kernels of too low a level: on an unexpanded function or an unknown symbol.
  Status run(const std::string& symbol);

  // Says in debug locations for which of `lines`, those of `print(kernel)` from 0, each instruction was made.
  void keep_lines(const std::vector<const ir::Instr*>& lines);
  // Instead: which line of the user's source, where the kernel knows any.
  void keep_sources();

 private:
  // A value of the kernel. Uniform: one scalar. Varying: one vector of the vector loop's width for each copy of its
  // body. It may be used at loop depth `depth` and deeper.
  struct Val {
    llvm::SmallVector<llvm::Value*, 4> copies;
    int depth = 0;
    bool varying = false;
    llvm::Value* scalar() const { return copies[0]; }
  };

  // An open loop. Values that depend only on outer values go to the end of its preheader, which runs if the loop does.
  struct Frame {
    llvm::BasicBlock* preheader = nullptr;
    bool always_runs = false;                                           // the trip count is known to be positive
    std::set<uint32_t> stored;                                          // buffers that the body writes
    llvm::DenseMap<std::pair<llvm::Value*, int>, llvm::Value*> splats;  // by scalar and width; in the preheader
  };

  // The vector loop being emitted, if any; loops inside it are widened.
  struct VectorScope {
    std::string var;
    int width = 0;
    int copies = 1;
    int depth = 0;
    int64_t alignment = 0;  // the variable in lane 0 of copy 0 is a multiple of this; 0: of nothing known
    // if the copies are iterations of the outer loop: its variable; empty if they are steps of this loop
    std::string rows;
    llvm::Value* base = nullptr;       // i64: the variable in lane 0 of copy 0
    llvm::Value* row = nullptr;        // i64: `rows` in copy 0
    llvm::Value* remaining = nullptr;  // i64: active lanes of the remainder (one copy); null in full steps
    llvm::Value* mask = nullptr;       // <width x i1>: the lane mask of the remainder
    // For copies that are rows, of which there may be fewer than `copies`: their number; in the remainder also the mask
    // of existing rows, that mask row by row, and the lane mask of each copy. For fewer rows than lanes, one copy each:
    // the number and the mask.
    llvm::Value* rows_left = nullptr;
    llvm::Value* rows_mask = nullptr;
    llvm::SmallVector<llvm::Value*, 16> row_active, row_masks;
    // The number of each copy's row behind `row`, where rows may be missing: the last one there stands for them.
    llvm::SmallVector<llvm::Value*, 16> row_numbers;
    bool reads_on = false;  // elements behind those of active lanes can be read
    llvm::Value* lanes(int copy) const { return row_masks.empty() ? mask : row_masks[static_cast<size_t>(copy)]; }
    std::vector<bool> varying;  // by register
    std::set<std::string> varying_names;
    const std::set<const ir::ScalarInstr*>* holds = nullptr;  // comparisons that hold in all lanes of the step
    bool repeats = false;  // of rows: the last step may compute some elements again, and needs no mask
    bool shifted = false;  // `base` is no multiple of the width
    bool at_line = false;  // full steps begin where non-temporal stores have a line
  };

  // Sets the insertion point for values of depth `depth` during its lifetime.
  class At {
   public:
    At(KernelEmitter& e, int depth);

   private:
    llvm::IRBuilderBase::InsertPointGuard guard_;
  };

  // The address of an access: `base` is the address of lane 0 of copy 0. A Grouped address has a base for each copy and
  // the positions of the lanes from there.
  struct Address {
    enum class Kind : uint8_t { Uniform, Strided, Grouped, Indexed } kind;
    Val base;
    llvm::SmallVector<llvm::Value*, 4> bases;
    std::vector<std::vector<int64_t>> offsets;         // by copy
    std::optional<std::pair<int64_t, int64_t>> reach;  // of the offsets of all copies, if they have the same base
    int64_t stride = 0;                                // elements between lanes, if known
    llvm::Value* step = nullptr;                       // the same as an i64, if it is not a constant
    llvm::Value* row_step = nullptr;                   // elements between copies that are rows, an i64; null for none
    llvm::SmallVector<llvm::Value*, 16> rows;          // elements to each copy's row, where rows may be missing
    bool along_rows = false;                           // row_step is 1
    Val index;                                         // Indexed: positions, i64
    llvm::Type* element = nullptr;
    Dtype dtype = float32;
  };

  // One accumulator in registers: values, and for ArgMax and ArgMin positions beside them.
  struct State {
    llvm::Value* value = nullptr;
    llvm::Value* position = nullptr;
  };
  using States = std::vector<State>;  // [accumulator * copies + copy]

  // The accumulators of a serial loop inside of a vector loop or outside: which are vectors, those that keep the number
  // of an iteration, and all before the first one.
  struct SerialStates {
    const ir::Loop& loop;
    std::vector<bool> wide;
    std::vector<std::optional<Dim::Affine>> positions;
    States start;
  };

  // emit_kernel.cpp
  void fail(std::string message);
  void emit_body(const ir::Body& body);
  void emit(const ir::Instr& instr);
  void emit_one(const ir::Instr& instr);
  Val uniform(llvm::Value* value, int depth) const;
  const Val& reg(ir::Reg r) const { return regs_[r]; }
  void define(ir::Reg r, Val value) { regs_[r] = std::move(value); }
  bool skip(ir::Reg r) const;
  int depth() const { return static_cast<int>(frames_.size()); }
  int copies() const { return vector_ ? vector_->copies : 1; }
  // The value in copy `copy`: its vector, or its scalar, splat if `vector`.
  llvm::Value* get(const Val& v, int copy, bool vector);
  llvm::Value* splat(llvm::Value* scalar, int depth);
  llvm::Value* spread(unsigned width, llvm::Value* scalar);
  // Computes a pure value of `args` at the outermost depth at which all of them are known.
  Val pure(llvm::ArrayRef<const Val*> args, const std::function<llvm::Value*(llvm::ArrayRef<llvm::Value*>)>& make);
  llvm::Type* register_type(Dtype t);
  llvm::Type* memory_type(Dtype t);
  llvm::Type* widen(llvm::Type* t) const;  // a vector of the current width
  llvm::Value* constant(Dtype t, uint64_t bits);
  llvm::Value* i64(int64_t v) { return builder_.getInt64(static_cast<uint64_t>(v)); }

  // emit_debug.cpp
  void open_scope(const std::string& symbol);
  void locate(const ir::Instr& instr);

  // emit_scalar.cpp: on scalars or on vectors alike
  Val emit_scalar(const ir::ScalarInstr& instr);
  llvm::Value* scalar_op(ir::ScalarOp op, Dtype result, Dtype operand, llvm::ArrayRef<llvm::Value*> a);
  llvm::Value* scaled(llvm::Value* x, llvm::Value* b);
  llvm::Value* min_max(bool max, Dtype t, llvm::Value* x, llvm::Value* y);
  llvm::Value* divide(bool remainder, Dtype t, llvm::Value* x, llvm::Value* y);
  llvm::Value* shift(bool left, Dtype t, llvm::Value* x, llvm::Value* count);
  llvm::Value* fused(llvm::Value* x, llvm::Value* y, llvm::Value* z);
  llvm::Value* float_remainder(llvm::Value* x, llvm::Value* y);

  // emit_remainder.cpp
  llvm::Value* short_remainder(llvm::Value* a, llvm::Value* b, llvm::Value** whole);
  std::optional<Val> vector_remainder(const ir::ScalarInstr& instr);

  // emit_divide.cpp
  std::array<llvm::Value*, 2> short_division(llvm::Value* a, llvm::Value* b);
  Quotient quotient_of(const Val& x, const Val& y, Dtype type);
  std::optional<Val> vector_quotient(const ir::ScalarInstr& instr);

  // emit_quotient.cpp
  llvm::Value* is_subnormal(llvm::Value* x);
  llvm::Value* rounded_by_instruction(llvm::Value* x);
  std::optional<Val> rounded_quotient(const ir::ScalarInstr& instr);

  // emit_float_quotient.cpp
  bool is_rounded(ir::Reg quotient);
  std::optional<Val> float_quotient(const ir::ScalarInstr& instr);

  // emit_cast.cpp
  llvm::Value* cast(Dtype to, Dtype from, llvm::Value* x);
  llvm::Value* float_to_integer(Dtype to, llvm::Value* x);
  llvm::Value* double_to_odd_float(llvm::Value* x);
  llvm::Value* integer_to_odd_double(llvm::Value* x, bool is_signed);
  llvm::Type* like(llvm::Value* shape, llvm::Type* element);

  // emit_low_precision.cpp
  llvm::Value* float_to_low(Dtype to, llvm::Value* x);
  llvm::Value* low_to_float(Dtype from, llvm::Value* x);
  llvm::Value* exact_half(llvm::Value* x);
  llvm::Value* rounded_half(llvm::Value* x, int choices);
  llvm::Value* round_bfloat(llvm::Value* x);
  llvm::Value* quotient_for_bfloat(llvm::Value* x);
  llvm::Value* quotient_for_half(llvm::Value* x);
  bool low_half_zero(llvm::Value* x);
  bool exact_bfloat(llvm::Value* x);
  void find_bfloat_locals();
  bool finds_exact_bfloat(llvm::Value* x);
  bool short_nan(llvm::Value* x);
  bool follow_nan(llvm::Value* x, llvm::SmallVectorImpl<llvm::Value*>& from);

  // emit_index.cpp: positions
  Val eval(const Dim& d);
  Val eval_terms(const Dim& d);
  Val eval_sizes(const Dim& sum);
  Val eval_atom(const Atom& atom);
  Val eval_divide(const Atom& atom);
  Val lane_numbers();  // of the vector variable
  bool varies(const Dim& d) const;
  bool varies(const Dim& d, const VectorScope& scope) const;
  bool varies_by_variable_only(const Dim& d) const;
  std::vector<LaneOffsets> constant_offsets(const Dim& d) const;
  std::vector<int64_t> constant_offsets_of_step(const Dim& d) const;
  Val first_lane(const Dim& d, int copy);
  Val eval_lanes(const Dim& d, const std::vector<LaneOffsets>& lanes);

  // emit_memory.cpp
  static constexpr int kZeroLanes = 64;  // elements of up to 8 bytes that zeros() has
  Address address(uint32_t buffer, const Dim& index);
  void emit_load(const ir::LoadInstr& load);
  void emit_store(const ir::StoreInstr& store);
  int load_depth(const ir::LoadInstr& load, int address_depth) const;
  llvm::Value* copy_address(const Address& a, int copy);
  llvm::Value* lane_address(const Address& a, int copy, int lane);
  llvm::Value* lane_active(llvm::Value* mask, int lane);
  llvm::Value* load_uniform(const Address& a, const Val* mask);
  llvm::Value* load_contiguous(const Address& a, llvm::Value* at, llvm::Value* mask);
  llvm::Value* load_grouped(const Address& a, int copy);
  llvm::Value* load_pairs(const Address& a, int copy);
  llvm::Value* load_lanes(const Address& a, int copy, llvm::Value* mask);
  Val load_transposed(const Address& a);
  void transpose(llvm::SmallVectorImpl<llvm::Value*>& rows);
  void store_contiguous(const Address& a, llvm::Value* at, llvm::Value* value, llvm::Value* mask, bool stream = false);
  llvm::Value* hidden(llvm::Value* value);
  void fence();
  void store_lanes(const Address& a, int copy, llvm::Value* value, llvm::Value* mask);
  llvm::Value* from_memory(Dtype t, llvm::Value* raw);
  llvm::Value* to_memory(Dtype t, llvm::Value* value);
  llvm::Value* both(llvm::Value* mask_a, llvm::Value* mask_b);  // either may be null
  bool masks_well(llvm::Type* element) const;
  llvm::Value* stack_vector(llvm::Type* type);
  llvm::Value* spare();  // 8 bytes of stack that inactive lanes store to
  llvm::Value* zeros();  // zero bytes that inactive lanes load from, enough for a vector

  // emit_prefix.cpp
  llvm::Value* prefix_of(llvm::Value* mask);
  static int known_count(llvm::Value* count);
  llvm::Value* load_pieces(llvm::Type* element, llvm::Value* at, int count);
  void store_pieces(llvm::Type* element, llvm::Value* at, llvm::Value* value, int count);
  llvm::Value* load_small_prefix(llvm::Type* element, llvm::Value* at, llvm::Value* count);
  void store_small_prefix(llvm::Type* element, llvm::Value* at, llvm::Value* value, llvm::Value* count);

  // emit_gather.cpp
  llvm::Value* lane_positions(const Address& a, const Dim& index, int copy);
  llvm::Value* load_gathered(const Address& a, const Dim& index, int copy, llvm::Value* mask);
  bool store_scattered(const Address& a, const Dim& index, int copy, llvm::Value* value, llvm::Value* mask);

  // emit_run.cpp
  static std::optional<Dim> margin(ir::ScalarOp op, const Dim& a, const Dim& b);
  std::optional<Val> compare_positions(const ir::ScalarInstr& instr);
  llvm::Value* load_masked(llvm::Type* element, llvm::Value* at, llvm::Value* mask);
  llvm::Value* load_on_condition(const Address& a, llvm::Value* at, llvm::Value* mask);
  llvm::Value* load_known(const Address& a, llvm::Value* at, const std::vector<bool>& lanes);
  llvm::Value* load_each(const Address& a, llvm::Value* at, llvm::Value* mask);
  llvm::Value* load_run(const Address& a, llvm::Value* at, llvm::Value* mask);

  // emit_edges.cpp
  struct Inside {
    std::set<const ir::ScalarInstr*> tests;
    llvm::Value *from = nullptr, *to = nullptr;  // of the loop's variable; null: no bound
  };
  std::optional<Inside> find_inside(const ir::Loop& loop);
  void emit_step(const ir::Loop& loop, const std::optional<Inside>& inside, llvm::Value* i, int64_t step);
  bool is_aligned(const Dim& rest) const;
  llvm::Value* elements_to_line(const ir::Loop& loop, llvm::Value* to);
  bool may_repeat(const ir::Body& body) const;
  std::vector<ir::Reg> shared_masks(const ir::Loop& loop) const;
  void emit_on_masks(const std::vector<ir::Reg>& masks, const std::function<void()>& emit);
  void emit_last_vector(const ir::Loop& loop, llvm::Value* base);
  void emit_last_vectors(const ir::Loop& loop, llvm::Value* start, llvm::Value* to, llvm::BasicBlock* after);
  void emit_first_line(const ir::Loop& loop, llvm::Value* elements, bool runs);

  // emit_spread.cpp
  bool spreads_well(const Address& a) const;
  llvm::Value* load_spread(const Address& a, int copy);
  void store_spread(const Address& a, int copy, llvm::Value* value);
  bool store_in_pairs(const ir::StoreInstr& store, const Address& a, const Val& value);

  // emit_tiles.cpp
  std::optional<TileAccess> tile_access(const ir::Loop& loop, const ir::Instr& i) const;
  Tiles find_tiles(const ir::Loop& loop) const;
  int64_t saved_by(const Tiles& tiles) const;
  bool lay_out(const ir::Loop& loop, TileRun& run) const;
  llvm::Value* run_address(const Address& a, int copy, int64_t lane, int64_t place);
  void open_tiles(const Tiles& tiles, const ir::Loop& loop, llvm::Value* first);
  llvm::SmallVector<llvm::Value*, 16> load_tile(const TileRun& run, const Address& a, int copy, int64_t begin);
  void close_tiles(const Tiles& tiles, const ir::Loop& loop, llvm::Value* first);
  bool take_from_tile(const ir::LoadInstr& load);
  bool keep_for_tile(const ir::StoreInstr& store);
  void forget_tiles(const Tiles& tiles);
  void emit_tile_iteration(const Tiles& tiles, const ir::Loop& loop, int64_t i);
  States take_tile(const Tiles& tiles, const SerialStates& serial, llvm::Value* first, int64_t from, States states);
  void carry_on(const ir::Loop& loop);
  bool emit_tiled(const ir::Loop& loop, llvm::Value* to);

  // emit_loop.cpp
  void emit_loop(const ir::Loop& loop);
  SerialStates serial_states(const ir::Loop& loop);
  void combine_serial(const SerialStates& serial, States& states, llvm::Value* i);
  void define_serial(const SerialStates& serial, States results, llvm::Value* ran);
  void emit_serial_loop(const ir::Loop& loop, llvm::Value* from, llvm::Value* to);
  States take_serial(const SerialStates& serial, const States& start, llvm::Value* from, llvm::Value* to, bool runs);
  int64_t iterations_at_end(const ir::Loop& loop) const;
  States finish_serial(const SerialStates& serial, States states, llvm::Value* to, int64_t iterations);
  void open_carries(const ir::Loop& loop, llvm::BasicBlock* preheader);
  std::vector<llvm::Value*> carried_values(const ir::Loop& loop);
  void add_carried(const ir::Loop& loop, const std::vector<llvm::Value*>& values, llvm::BasicBlock* latch);
  void emit_vector_loop(const ir::Loop& loop, int unroll, llvm::Value* from, llvm::Value* to, bool whole,
                        llvm::Value* unaligned);
  void emit_long_loop(const ir::Loop& loop, llvm::Value* from, llvm::Value* to);
  void emit_few_columns(const ir::Loop& columns, llvm::Value* count);
  void emit_masked_rest(const ir::Loop& loop, llvm::Value* start, llvm::BasicBlock* before, llvm::Value* to,
                        llvm::BasicBlock* after);
  bool emit_rows(const ir::Loop& rows, llvm::Value* to);
  // A serial loop from 0 to `to`. While it is open, its variable and frame are set and the insertion point is in its
  // body.
  struct OpenLoop {
    llvm::BasicBlock* after;
    llvm::PHINode* i;
  };
  OpenLoop open_serial(const ir::Loop& loop, llvm::Value* to);
  void close_serial(const OpenLoop& open, int64_t step, llvm::Value* to);
  llvm::Value* first_lanes(llvm::Value* count, int width, const char* name);
  void set_mask(llvm::Value* remaining);
  bool analyse(const ir::Body& body, VectorScope& scope) const;
  void open_frame(const ir::Loop& loop, llvm::BasicBlock* preheader, bool always_runs);
  llvm::BasicBlock* block(const char* name);

  // emit_unrolled.cpp
  static int64_t code_size(const ir::Body& body);
  int vectors_at_once(const ir::Loop& loop, int unroll) const;
  bool emit_unrolled(const ir::Loop& loop);
  static bool lanes_alike(const ir::Loop& loop);
  bool knows_rest(const ir::Loop& loop, int64_t step) const;
  void emit_known_vector_loop(const ir::Loop& loop, int unroll);
  bool ends_alike(const ir::Loop& loop, int64_t step) const;
  void emit_known_end(const ir::Loop& loop, int unroll, llvm::Value* start, llvm::Value* to, llvm::BasicBlock* after);
  void emit_known_rest(const ir::Loop& loop, int unroll, int64_t begin, int64_t end);
  void emit_vectors(const ir::Loop& loop, int64_t begin, int64_t end, const std::function<void(int, int)>& taken);
  States emit_known_lane_rest(const ir::Loop& loop, States sums, int lanes);

  // emit_scan.cpp
  void emit_carry_loop(const ir::Loop& loop, llvm::Value* to);
  llvm::Value* spread_nan(llvm::Value* x);
  // By copy: the running values behind each lane and before it. `carried`: behind all.
  struct CarryStep {
    llvm::SmallVector<llvm::Value*, 4> next, before;
    llvm::Value* carried = nullptr;
  };
  using Combination = std::function<llvm::Value*(llvm::Value*, llvm::Value*)>;
  ir::Reg narrow_source(const ir::Loop& loop, const ir::ScalarInstr& step) const;
  llvm::Value* order_key(llvm::Value* x);
  unsigned lanes_of_part(llvm::Type* element, int width) const;
  llvm::Value* resize_splat(llvm::Value* x, unsigned lanes);
  llvm::Value* combine_lanes(llvm::Value* x, bool takes_itself, bool from_zero, const Combination& combine);
  llvm::SmallVector<llvm::Value*, 8> combine_parts(llvm::Value* x, const Combination& combine);
  Combination order_of(bool max);
  CarryStep ordered_step(const ir::ScalarInstr& step, const RunningValue& running, llvm::ArrayRef<llvm::Value*> values,
                         llvm::Value* carried);
  CarryStep usual_or_long(llvm::Value* rare, llvm::function_ref<CarryStep()> usual,
                          llvm::function_ref<CarryStep()> long_way);
  CarryStep combine_copies(llvm::ArrayRef<llvm::Value*> values, llvm::Value* carried,
                           const std::function<llvm::Value*(llvm::Value*)>& of_lanes, const Combination& combine);
  CarryStep wide_step(const ir::ScalarInstr& step, const RunningValue& running, llvm::ArrayRef<llvm::Value*> values,
                      llvm::Value* carried);
  CarryStep narrow_step(const ir::ScalarInstr& step, const RunningValue& running, llvm::Value* carried);
  void emit_carry_step(const ir::ScalarInstr& step, const RunningValue& running);

  // emit_skip.cpp
  std::vector<size_t> skippable(const ir::Loop& loop) const;
  void emit_skipping(const ir::Loop& loop);
  // Work that a step goes past, and where both ways meet.
  struct Detour {
    llvm::BasicBlock *before, *join, *end = nullptr;
  };
  Detour open_detour(const Val& test, bool settled);
  void close_detour(Detour& detour);
  llvm::Value* meet(const Detour& detour, llvm::Value* past, llvm::Value* computed);

  // emit_rare.cpp
  struct Rare {
    ir::Reg test;
    std::vector<size_t> choices, work;
  };
  std::vector<Rare> rare_work(const ir::Loop& loop) const;
  void emit_loop_body(const ir::Loop& loop);
  void emit_rare(const ir::Body& body, const Rare& rare, const std::map<ir::Reg, const ir::Instr*>& constants);

  // emit_prefetch.cpp
  void plan_prefetches(const ir::Loop& parallel);
  void plan_block_prefetches(const ir::Loop& parallel);
  void plan_run_prefetches(const ir::Loop& parallel);
  void plan_piece_prefetches(const ir::Loop& rows);
  void plan_tile_prefetches(const ir::Loop& rows, const ir::Loop& columns);
  void emit_prefetches(const ir::Loop& loop);

  // emit_reduce.cpp
  void emit_lane_loop(const ir::Loop& loop, int lanes, llvm::Value* to);
  // The loop of full steps of a lane loop: it begins in block `full`, coming from `preheader`, and ends in `rest`. The
  // functions return the states behind it, and set `next` to where the last step ended.
  struct LaneSteps {
    int lanes;
    llvm::Value* last;  // the last full step begins here or before
    llvm::BasicBlock *preheader, *full, *rest;
  };
  bool finds_by_steps(const ir::Loop& loop, int lanes) const;  // emit_arg.cpp, as the next two
  States emit_arg_steps(const ir::Loop& loop, const LaneSteps& steps, llvm::Value** next);
  States emit_lane_steps(const ir::Loop& loop, const LaneSteps& steps, const States& start, llvm::Value** next);
  std::optional<Dim::Affine> growing_position(const ir::Loop& loop, const ir::Accumulator& acc) const;
  State numbered_start(const ir::Accumulator& acc, int64_t most);
  State combine_numbered(const ir::Accumulator& acc, const State& state, llvm::Value* value, llvm::Value* number);
  bool keeps_numbers(const ir::Loop& loop) const;
  bool finds_in_row(const ir::Loop& loop, int lanes) const;  // emit_arg_row.cpp, as those up to emit_arg_row
  llvm::SmallVector<llvm::Value*, 16> arg_values(const ir::Accumulator& acc);
  llvm::Value* is_extreme(llvm::Value* values, llvm::Value* extreme);
  llvm::Value* first_extreme(llvm::ArrayRef<llvm::Value*> values, llvm::Value* extreme, int64_t count);
  llvm::Value* extreme_lane(const ir::Accumulator& acc, llvm::SmallVector<llvm::Value*, 16> values, bool of_lanes);
  llvm::Value* find_in_row(const ir::Loop& loop, int lanes);
  void emit_arg_row(const ir::Loop& loop, int lanes);
  void number_to_position(llvm::MutableArrayRef<State> states, const Dim::Affine& index, llvm::Value* ran);
  States emit_lane_rest(const ir::Loop& loop, const States& sums, llvm::Value* begin, llvm::Value* to, int count);
  void emit_dealt_loop(const ir::Loop& loop, llvm::Value* to);
  LaneMemory lane_memory(const State& like, int count);
  State read_lanes(const LaneMemory& m, llvm::Value* at);
  void write_lanes(const LaneMemory& m, llvm::Value* at, const State& s);
  State identity(const ir::Accumulator& acc, bool wide);
  State combine(const ir::Accumulator& acc, const State& a, const State& b);
  State fold_lanes(const ir::Accumulator& acc, States states, int lanes);
  State choose(llvm::Value* mask, const State& a, const State& b);
  States fold_vectors(const ir::Accumulator& acc, States vectors, int width);
  States fold_sums(const ir::Loop& loop, const States& sums);
  States state_phis(const States& start, llvm::BasicBlock* from);
  void add_incoming(const States& phis, const States& values, llvm::BasicBlock* from);
  bool order_free(const ir::Accumulator& acc) const;
  bool accumulates_vectors(const ir::Accumulator& acc) const;
  State read(const ir::Accumulator& acc, int copy, bool wide);
  void define_result(const ir::Accumulator& acc, llvm::ArrayRef<State> states, bool wide);

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const ir::Kernel& kernel_;
  const CpuFeatures& features_;
  llvm::IRBuilder<> builder_;
  llvm::Function* function_ = nullptr;
  llvm::Value* begin_ = nullptr;
  llvm::Value* end_ = nullptr;
  std::vector<Val> regs_;
  std::vector<bool> defined_;
  std::map<ir::Reg, Dim> positions_;               // of registers that are positions
  std::vector<llvm::Value*> buffers_;              // base addresses: launch buffers, then locals
  std::map<std::string, Val, std::less<>> names_;  // symbols, loop variables, bindings
  std::vector<std::string> sorted_symbols_;
  std::map<Dim, Val, DimBefore> size_sums_;  // long sums of sizes that were computed
  std::vector<Dim> last_size_sums_;
  DimFacts facts_;
  std::vector<Frame> frames_;
  // by the loop that prefetches: buffers and positions
  std::map<const ir::Loop*, std::vector<Prefetch>> prefetches_;
  VectorScope* vector_ = nullptr;
  std::map<const ir::ScalarInstr*, RunningValue> running_;  // the carries of a vector loop, by their step
  std::set<ir::Reg> held_masks_;                            // masks of loads that hold in the code being emitted
  llvm::Value* spare_ = nullptr;
  llvm::Value* zeros_ = nullptr;
  bool streams_ = false;                        // some store is non-temporal
  std::map<const ir::Instr*, unsigned> lines_;  // empty where lines are not kept
  bool sources_ = false;                        // debug locations are lines of the source
  llvm::DISubprogram* scope_ = nullptr;
  std::map<std::string_view, llvm::DILocalScope*> files_;  // by source file
  Quotient quotient_;                                      // the latest
  std::optional<std::set<ir::Reg>> rounded_;               // registers that are rounded to bf16
  llvm::DenseMap<llvm::Value*, bool> short_nan_, exact_bfloat_;
  // by access: the vectors of each iteration of the open tile, and the values of stores up to here
  std::map<const ir::LoadInstr*, std::vector<Val>> tile_loads_;
  std::map<const ir::StoreInstr*, std::vector<Val>> tile_stores_;
  std::optional<StorePairs> store_pairs_;
  size_t tile_at_ = 0;                // iteration of the open tile
  std::set<uint32_t> bfloat_locals_;  // of f32, that hold bf16 numbers only
  std::string error_;
};

}  // namespace frit::codegen
