// Products of matrices of floats as PTX (codegen/ptx/tile_product.h), for devices that take it: the forms' arguments,
// times and trials. Operands of 32 and 64 bits may lie in any way; those of 16 bits have kernels for each way.
#include <tuple>

#include "codegen/glsl/products/product_copy.h"
#include "codegen/glsl/products/ptx_form.h"
#include "codegen/ptx/tile_product.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;
using P = ptx::TileParameters;
using ptx::TileProduct;
using ptx::TileSize;
using ptx::TileType;

constexpr size_t kLeft = ProductCopy::kLeft, kRight = ProductCopy::kRight, kResult = 2, kCount = ProductCopy::kWindows;
static_assert(P::kBatchAxes == Form::kBatchAxes);

TileType tile_type(Dtype t) {
  if (t.size() == 2) return t == bfloat16 ? TileType::BFloat16 : TileType::Float16;
  return t == float64 ? TileType::Float64 : TileType::Float32;
}

// A product with a rest in every axis, of several tiles and parts, whose sums are exact in float32. Operands of 32 and
// 64 bits lie along their rows: the left one is copied by elements, the right one 16 bytes at a time.
Form::Trial trial(const TileProduct& p) {
  const ptx::TilePlan plan = ptx::tile_plan(p);
  const int64_t odd = p.odd ? 1 : 0;
  const int64_t m = plan.rows() + (p.halves() ? 8 + odd : 9), n = plan.columns() + (p.halves() ? 24 + odd : 20);
  const int64_t k = p.split ? 600 + odd : p.halves() ? 72 + odd : 75;
  ProductTrial t = product_trial(m, n, k, p.halves() && !p.a_along, p.halves() && p.b_along);
  const auto hashed = [](const auto& result) { return hash_bytes(result.data(), result.size() * sizeof result[0]); };
  if (p.halves()) {
    std::vector<uint16_t> result;
    for (const int sum : t.sums) result.push_back(ptx_bits(p.type == TileType::BFloat16, static_cast<float>(sum)));
    t.trial.result = hashed(result);
  } else if (p.type == TileType::Float64) {
    t.trial.result = hashed(std::vector<double>(t.sums.begin(), t.sums.end()));
  } else {
    t.trial.result = hashed(std::vector<float>(t.sums.begin(), t.sums.end()));
  }
  return std::move(t.trial);
}

// Nanoseconds as measured on an H100, where every multiprocessor has several tiles, and where it has one: of ten steps
// along k, and around all steps of a tile; and of a launch.
struct TileTime {
  int64_t steps, around, lone_steps, lone_around, launch = 0;
};
TileTime time_of(const TileProduct& p) {
  const bool medium = p.size == TileSize::Medium;
  if (p.halves() && p.odd) return medium ? TileTime{140, 700, 175, 750, 2500} : TileTime{64, 700, 70, 750, 2500};
  if (p.halves()) return medium ? TileTime{40, 700, 51, 750, 2000} : TileTime{17, 430, 20, 250, 2500};
  if (p.type == TileType::Float64) return medium ? TileTime{224, 300, 300, 1200} : TileTime{120, 300, 138, 1000};
  return medium ? TileTime{290, 400, 390, 1500} : TileTime{95, 600, 125, 1000};
}
constexpr int64_t kLeastSteps = 128;   // of a part of k
constexpr int64_t kSumsLaunch = 3000;  // nanoseconds of a second launch

struct TileText {
  ptx::Module module;
  Form::Trial trial;
};

// Numbers of a launch have the same slots in all products.
struct TileSuited {
  std::vector<DimProgram> programs;
};

const TileText& tile_text(const TileProduct& p) {
  return made_once<TileText>(std::tuple(p.type, p.size, p.split, p.a_along, p.b_along, p.odd),
                             [&] { return TileText{ptx::tile_module(p), trial(p)}; });
}

class TileForm {
 public:
  TileForm(const RoutineStep& s, const TileProduct& product, bool has_epilogue)
      : s_(s),
        p_(product),
        plan_(ptx::tile_plan(product)),
        has_epilogue_(has_epilogue),
        processors_(processors_of(s.features)) {}

  void add_to(std::vector<Shader>& shaders) const {
    const TileText& text = tile_text(p_);
    std::string name = p_.size == TileSize::Medium ? "_medium" : "_small";
    if (p_.halves()) name += std::string(p_.a_along ? "_n" : "_t") + (p_.b_along ? "t" : "n") + (p_.odd ? "_odd" : "");
    if (p_.split) name += "_split";
    Shader shader = ptx_shader(s_, name, text.module, kCount, form());
    shader.kernel.routine->trial = text.trial;
    if (!p_.split) {
      shaders.push_back(std::move(shader));
      return;
    }
    for (Shader& each :
         with_sums(s_, s_.step.dtypes.back(), {memory(), pitch(), parts()}, FusedEpilogue(), std::move(shader)))
      shaders.push_back(std::move(each));
  }

 private:
  Dim m() const { return form_number(kResult, Form::kRows); }
  Dim n() const { return form_number(kResult, Form::kColumns); }
  Dim k() const { return form_number(kLeft, Form::kColumns); }
  Dim matrices() const { return form_number(Form::batch_slot(kCount)); }
  Dim memory() const { return form_number(Form::scratch_slot(kCount, 0)); }
  Dim pitch() const { return multiple(n(), 4); }
  Dim tiles() const {
    return matrices() * ceil_div(m(), int64_t{plan_.rows()}) * ceil_div(n(), int64_t{plan_.columns()});
  }
  Dim part_steps() const {
    if (!p_.split) return k();
    const int64_t at_once = processors_ * (p_.halves() ? 1 : p_.size == TileSize::Medium ? 2 : 4);
    const Dim wanted = min(floor_div(Dim(at_once), max(tiles(), 1)), floor_div(k(), kLeastSteps));
    return multiple(ceil_div(k(), max(wanted, 1)), int64_t{plan_.depth});
  }
  Dim parts() const { return p_.split ? ceil_div(k(), max(part_steps(), 1)) : Dim(1); }

  Dim time() const {
    const TileTime t = time_of(p_);
    const Dim steps = part_steps(), rounds = ceil_div(tiles() * parts(), processors_);
    const Dim work = max(rounds * (floor_div(steps * Dim(t.steps), 10) + Dim(t.around)),
                         floor_div(steps * Dim(t.lone_steps), 10) + Dim(t.lone_around)) +
                     Dim(t.launch);
    if (!p_.split) return work;
    const int64_t tile_bytes = int64_t{plan_.rows()} * plan_.columns() * p_.sum_bytes();
    return work + floor_div(tiles() * parts() * Dim(tile_bytes), kPtxRate) + Dim(kSumsLaunch);
  }
  // An epilogue is a kernel of its own, as the trial would apply it to memory of other sizes.
  Dim epilogue_time() const {
    if (!has_epilogue_) return Dim(0);
    return floor_div(matrices() * m() * n() * Dim(2 * int64_t{p_.bytes()}), kPtxRate) + Dim(kSumsLaunch);
  }

  // The least time of other forms, of shaders and of PTX.
  Dim time_of_others() const {
    if (!p_.halves()) return plain_product_time(p_.bytes());
    return PtxWork(matrices(), m(), n(), k(), s_.features).least_time(p_.odd);
  }

  // Where the operands lie as the kernel reads them.
  void suit_halves(Form& form) const {
    const auto lies = [](size_t window, bool by_row) {
      return distance(form_number(window, by_row ? Form::kColumnStride : Form::kRowStride), 1);
    };
    const auto loose = [](size_t window, bool by_row) {
      Dim odd = mod(form_number(window, Form::kAddress), 16) +
                mod(form_number(window, by_row ? Form::kRowStride : Form::kColumnStride), 8);
      for (size_t i = 0; i < Form::kBatchAxes; ++i) odd += mod(form_number(window, Form::kSteps + i), 8);
      return sign(odd);
    };
    const Dim odd = sign(loose(kLeft, p_.a_along) + loose(kRight, !p_.b_along));
    put_programs(form.suited, {lies(kLeft, p_.a_along), lies(kRight, !p_.b_along), p_.odd ? Dim(1) - odd : odd});
  }

  // Where these tiles take the least time; the same for all layouts.
  std::vector<DimProgram> suited() const {
    std::vector<DimProgram> all;
    put_programs(all, {past(max(max(m(), n()), k()), kPtxMostSize), past(tiles(), kPtxMostSize)});
    if (p_.split) put_programs(all, {shortfall(parts(), 2)});
    for (const TileSize size : {TileSize::Medium, TileSize::Small})
      for (const bool split : {false, true})
        if (size != p_.size || split != p_.split) {
          TileProduct other = p_;
          other.size = size, other.split = split;
          put_programs(all, {max(time() - TileForm(s_, other, has_epilogue_).time(), 0)});
        }
    // Shaders of float32 win where the times are near each other: their model is the coarser one.
    const Dim own = floor_div(time() * Dim(p_.type == TileType::Float32 ? 11 : 10), 10) + epilogue_time();
    put_programs(all, {max(own - time_of_others(), 0)});
    return all;
  }

  Form form() const {
    Form form;
    std::vector<Dim> arguments{
        p_.split ? memory() : form_number(kResult, Form::kAddress), m(), n(), k(), matrices(), part_steps(), pitch()};
    for (size_t i = 0; i < Form::kBatchAxes; ++i) arguments.push_back(form_number(Form::size_slot(kCount, i)));
    const auto operand = [&](size_t window, bool columns) {
      const ProductOperand o(window);
      const Dim bytes(int64_t{p_.bytes()});
      arguments.insert(arguments.end(),
                       {o.address, (columns ? o.column : o.row) * bytes, (columns ? o.row : o.column) * bytes});
      for (const Dim& step : o.steps) arguments.push_back(step * bytes);
    };
    operand(kLeft, false);
    operand(kRight, true);
    for (const Dim& d : arguments) form.arguments.push_back(form_program(d));
    put_programs(form.agree, {form_number(kLeft, Form::kRows) - m(), form_number(kRight, Form::kRows) - k(),
                              form_number(kRight, Form::kColumns) - n()});
    form.groups = form_program(tiles() * parts());
    if (p_.split) form.scratch = {form_program(parts() * matrices() * m() * pitch() * Dim(int64_t{p_.sum_bytes()}))};
    // Most forms are ruled out by the first of these.
    if (p_.halves()) suit_halves(form);
    const auto& times =
        made_once<TileSuited>(std::tuple(p_.type, p_.size, p_.split, p_.odd, has_epilogue_, processors_),
                              [&] { return TileSuited{suited()}; });
    form.suited.insert(form.suited.end(), times.programs.begin(), times.programs.end());
    return form;
  }

  const RoutineStep& s_;
  const TileProduct p_;
  const ptx::TilePlan plan_;
  const bool has_epilogue_;  // of the step
  const int64_t processors_;
};

}  // namespace

std::vector<Shader> tile_products(const RoutineStep& s, Dtype type, bool has_epilogue) {
  std::vector<Shader> shaders;
  const TileType kind = tile_type(type);
  for (const TileSize size : {TileSize::Medium, TileSize::Small})
    for (const bool split : {false, true}) {
      if (type.size() > 2) {
        TileForm(s, {kind, size, split}, has_epilogue).add_to(shaders);
        continue;
      }
      for (const bool a_along : {true, false})
        for (const bool b_along : {false, true})
          for (const bool odd : {false, true})
            TileForm(s, {kind, size, split, a_along, b_along, odd}, has_epilogue).add_to(shaders);
    }
  return shaders;
}

}  // namespace frit::codegen::glsl
