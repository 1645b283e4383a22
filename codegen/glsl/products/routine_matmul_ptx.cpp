// Products of float16 and bfloat16 matrices as PTX (codegen/ptx/product.h), for devices that take it: the forms'
// conditions, arguments and trials. Each pair of layouts has kernels of its own. Operands whose sizes or addresses are
// odd are copied first.
#include <array>
#include <tuple>

#include "codegen/glsl/products/product_copy.h"
#include "codegen/glsl/products/ptx_form.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;

constexpr size_t kLeft = ProductCopy::kLeft, kRight = ProductCopy::kRight, kResult = 2, kCount = ProductCopy::kWindows;
constexpr int64_t kUnit = 8;                       // elements of 16 bytes
constexpr int64_t kSteps = 32;                     // along k, among which the right operand may change places
constexpr int64_t kMostStride = int64_t{1} << 38;  // elements between lines or matrices

// Where tiles take the least time. Numbers of a launch have the same slots in all products.
struct ProductSuited {
  std::vector<DimProgram> programs;
};

// The copies of odd operands, for each way in which they lie.
struct OperandCopies {
  Form form;
};

Dim apart(const Dim& a, const Dim& b) { return max(a - b, b - a); }

// A small product of several tiles, or of several parts, with a rest in every axis, whose sums are exact in float32.
Form::Trial trial(const ptx::Product& p) {
  const int64_t kM = p.split ? 72 : 136, kN = p.split ? 72 : 264,
                kK = p.split                            ? 600
                     : p.left == ptx::LeftWay::Permuted ? 96
                                                        : 104;
  ProductTrial t = product_trial(kM, kN, kK, p.left == ptx::LeftWay::Columns, p.b_columns);
  std::vector<uint16_t> result;
  for (const int sum : t.sums) result.push_back(ptx_bits(p.bfloat, static_cast<float>(sum)));
  t.trial.result = hash_bytes(result.data(), result.size() * sizeof result[0]);
  return std::move(t.trial);
}

// One of the kernels as a form: where `copied`, it reads copies of operands that are odd.
class PtxProduct {
 public:
  PtxProduct(const RoutineStep& s, const ptx::Product& product, bool copied)
      : s_(s),
        product_(product),
        tiles_{product.columns, product.split},
        copied_(copied),
        odd_{odd(kLeft, a_columns()), odd(kRight, product.b_columns)},
        copies_{ProductCopy(kLeft, kSizes, copied ? odd_[kLeft] : 0),
                ProductCopy(kRight, kSizes, copied ? odd_[kRight] : 0)},
        work_(form_number(Form::batch_slot(kCount)), form_number(kResult, Form::kRows),
              form_number(kResult, Form::kColumns), form_number(kLeft, Form::kColumns), s.features) {}

  // An epilogue is a kernel of its own, as the trial would apply it to memory of other sizes.
  void add_to(std::vector<Shader>& shaders) const {
    const PtxText& text = ptx_text(product_, trial);
    const std::string name = std::string("_") + (a_columns() ? "t" : "n") + (product_.b_columns ? "t" : "n") +
                             (product_.left == ptx::LeftWay::Permuted ? "p" : "") + ptx_name(tiles_) +
                             (copied_ ? "_copied" : "");
    Shader shader = ptx_shader(s_, name, text.product, kCount, form());
    shader.kernel.routine->trial = text.trial;
    std::vector<Shader> all;
    if (product_.split)
      all = with_sums(s_, type(), sums(), FusedEpilogue(), std::move(shader));
    else
      all.push_back(std::move(shader));
    if (copied_) all = copied(std::move(all));
    for (Shader& each : all) shaders.push_back(std::move(each));
  }

 private:
  static constexpr FormSizes kSizes{.element_bytes = 2, .tile_rows = 0, .tile_columns = 0, .depth = kUnit};

  bool a_columns() const { return product_.left == ptx::LeftWay::Columns; }
  Dtype type() const { return product_.bfloat ? bfloat16 : float16; }
  static Form::Number number_of(bool columns) { return columns ? Form::kColumnStride : Form::kRowStride; }
  static Dim step_of(size_t window) { return form_number(window, Form::kSteps + Form::kBatchAxes - 1); }

  // One where an operand is not as the kernels read it, in lines along one of its axes, else zero.
  static Dim odd(size_t window, bool columns) {
    const Dim pitch = form_number(window, number_of(columns)), step = step_of(window);
    Dim odd = mod(form_number(window, Form::kAddress), 16) + mod(pitch, kUnit) + shortfall(pitch, kUnit) +
              past(pitch, kMostStride) + mod(step, kUnit) + shortfall(step, 0) + past(step, kMostStride);
    // Loads of the left operand reach to a multiple of 16 bytes.
    if (window == kLeft && !columns) odd += mod(form_number(kLeft, Form::kColumns), kUnit);
    return sign(odd);
  }

  Dim step(size_t window) const { return copies_[window].as_operand.steps[Form::kBatchAxes - 1]; }
  Dim pitch(size_t window, bool columns) const {
    return columns ? copies_[window].as_operand.column : copies_[window].as_operand.row;
  }
  Dim matrices(size_t window) const {
    return Dim(1) + sign(step_of(window)) * (form_number(Form::size_slot(kCount, Form::kBatchAxes - 1)) - Dim(1));
  }
  Dim memory() const { return form_number(Form::scratch_slot(kCount, kMaps)); }
  // Working memory: the copies, then descriptions of the operands, then sums of parts.
  static constexpr size_t kMaps = 2;
  Dim maps_bytes() const { return work_.maps_bytes(); }
  ProductParts sums() const { return {memory() + maps_bytes(), multiple(work_.n, 4), work_.parts(tiles_)}; }

  Form form() const {
    Form form;
    const ProductParts parts = sums();
    put_programs(form.arguments, {memory(), product_.split ? parts.memory : form_number(kResult, Form::kAddress),
                                  work_.m, work_.n, work_.k, work_.matrices, copies_[kRight].as_operand.address,
                                  pitch(kRight, product_.b_columns) * Dim(2), step(kRight) * Dim(2), matrices(kRight),
                                  work_.part_steps(tiles_), parts.count, parts.pitch, copies_[kLeft].as_operand.address,
                                  pitch(kLeft, a_columns()) * Dim(2), step(kLeft) * Dim(2), matrices(kLeft)});
    put_programs(form.agree, {form_number(kLeft, Form::kRows) - work_.m, form_number(kRight, Form::kRows) - work_.k,
                              form_number(kRight, Form::kColumns) - work_.n});
    form.groups = form_program(work_.groups(tiles_));
    form.scratch = {form_program(copies_[kLeft].bytes()), form_program(copies_[kRight].bytes()),
                    form_program(maps_bytes() + (product_.split ? work_.sums_bytes(tiles_, parts.pitch) : Dim(0)))};
    suit(form);
    return form;
  }

  void suit(Form& form) const {
    put_programs(form.suited, {lies(kLeft, a_columns()), lies(kRight, product_.b_columns)});
    if (copied_)
      put_programs(form.suited, {Dim(1) - sign(odd_[kLeft] + odd_[kRight])});
    else
      put_programs(form.suited, {odd_[kLeft], odd_[kRight]});
    for (size_t i = 0; i + 1 < Form::kBatchAxes; ++i)
      put_programs(form.suited, {form_number(Form::size_slot(kCount, i)) - Dim(1)});
    if (product_.left == ptx::LeftWay::Permuted) {
      // A piece of the right operand has steps of all the 32 around it, and would reach past the operand's end.
      const Dim loose = apart(step(kRight), work_.k * pitch(kRight, product_.b_columns)) + mod(work_.k, 2 * kSteps);
      put_programs(form.suited, {mod(work_.k, kSteps), (matrices(kRight) - Dim(1)) * loose});
    }
    // Shaders copy odd operands too, or shift their words. The times are the same for all layouts.
    const auto& times = made_once<ProductSuited>(std::tuple(tiles_.columns, tiles_.split, processors_of(s_.features)),
                                                 [&] { return ProductSuited{work_.suited(tiles_, 0, 100)}; });
    form.suited.insert(form.suited.end(), times.programs.begin(), times.programs.end());
  }
  // Zero where an operand lies along its columns, or else along its rows.
  static Dim lies(size_t window, bool columns) {
    return distance(form_number(window, columns ? Form::kRowStride : Form::kColumnStride), 1);
  }

  // The kernels behind one that copies, which takes over what decides on the form.
  std::vector<Shader> copied(std::vector<Shader> kernels) const {
    const auto& copies = made_once<OperandCopies>(std::tuple(a_columns(), product_.b_columns),
                                                  [&] { return OperandCopies{copies_form(copies_)}; });
    std::vector<Shader> all = with_copies(s_, type(), copies.form, std::move(kernels.front()));
    Form &first = *all[0].kernel.routine, &next = *all[1].kernel.routine;
    first.scratch = next.scratch;
    first.trial = std::move(next.trial);
    next.trial = std::nullopt;
    for (size_t i = 1; i < kernels.size(); ++i) all.push_back(std::move(kernels[i]));
    return all;
  }

  const RoutineStep& s_;
  const ptx::Product product_;
  const PtxTiles tiles_;
  const bool copied_;
  const std::array<Dim, 2> odd_;
  const ProductCopies copies_;
  const PtxWork work_;
};

}  // namespace

std::vector<Shader> ptx_products(const RoutineStep& s, Dtype type) {
  std::vector<Shader> shaders;
  for (const bool copied : {false, true})
    for (const auto& [columns, split] : ptx_tiles())
      for (const ptx::LeftWay left : {ptx::LeftWay::Columns, ptx::LeftWay::Permuted, ptx::LeftWay::Exchanged})
        for (const bool b_columns : {false, true}) {
          // The permuted way is a little faster where tiles are large.
          if (left == ptx::LeftWay::Permuted && (b_columns || copied || columns < 256)) continue;
          PtxProduct(s, {type == bfloat16, left, b_columns, columns, split}, copied).add_to(shaders);
        }
  return shaders;
}

}  // namespace frit::codegen::glsl
