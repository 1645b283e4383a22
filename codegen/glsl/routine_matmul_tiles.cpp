// Products of float32 and float64 matrices as PTX (codegen/ptx/tile_product.h), for devices that take it: the forms'
// arguments, times and trials. Operands may lie in any way.
#include <tuple>

#include "codegen/glsl/product_copy.h"
#include "codegen/glsl/ptx_form.h"
#include "codegen/ptx/tile_product.h"

namespace frit::codegen::glsl {

namespace {

using Form = runtime::RoutineForm;
using P = ptx::TileParameters;
using ptx::TileSize;

constexpr size_t kLeft = ProductCopy::kLeft, kRight = ProductCopy::kRight, kResult = 2, kCount = ProductCopy::kWindows;
static_assert(P::kBatchAxes == Form::kBatchAxes);

// A product with a rest in every axis, of several tiles and parts. The left operand lies along its rows and the right
// one too: the one is copied by elements, the other 16 bytes at a time. Sums are exact in float32.
Form::Trial trial(const ptx::TileProduct& p) {
  const ptx::TilePlan plan = ptx::tile_plan(p);
  const int64_t m = plan.rows() + 9, n = plan.columns() + 20, k = p.split ? 600 : 75;
  ProductTrial t = product_trial(m, n, k, false, false);
  const auto hashed = [](const auto& result) { return hash_bytes(result.data(), result.size() * sizeof result[0]); };
  t.trial.result = p.float64 ? hashed(std::vector<double>(t.sums.begin(), t.sums.end()))
                             : hashed(std::vector<float>(t.sums.begin(), t.sums.end()));
  return std::move(t.trial);
}

// Nanoseconds as measured on an H100, where every multiprocessor has several tiles, and where it has one: of ten steps
// along k, and around all steps of a tile.
struct TileTime {
  int64_t steps, around, lone_steps, lone_around;
};
TileTime time_of(const ptx::TileProduct& p) {
  if (p.float64) return p.size == TileSize::Medium ? TileTime{224, 300, 300, 1200} : TileTime{120, 300, 138, 1000};
  return p.size == TileSize::Medium ? TileTime{290, 400, 390, 1500} : TileTime{95, 600, 125, 1000};
}
constexpr int64_t kLeastSteps = 128;   // of a part of k
constexpr int64_t kSumsLaunch = 3000;  // nanoseconds of a second launch

struct TileText {
  ptx::Module module;
  Form::Trial trial;
};

const TileText& tile_text(const ptx::TileProduct& p) {
  return made_once<TileText>(std::tuple(p.float64, p.size, p.split),
                             [&] { return TileText{ptx::tile_module(p), trial(p)}; });
}

class TileForm {
 public:
  TileForm(const RoutineStep& s, const ptx::TileProduct& product, bool has_epilogue)
      : s_(s),
        p_(product),
        plan_(ptx::tile_plan(product)),
        has_epilogue_(has_epilogue),
        processors_(processors_of(s.features)) {}

  void add_to(std::vector<Shader>& shaders) const {
    const TileText& text = tile_text(p_);
    const std::string name =
        std::string(p_.size == TileSize::Medium ? "_medium" : "_small") + (p_.split ? "_split" : "");
    Shader shader = ptx_shader(s_, name, text.module, kCount, form());
    shader.kernel.routine->trial = text.trial;
    if (!p_.split) {
      shaders.push_back(std::move(shader));
      return;
    }
    const Dtype type = p_.float64 ? float64 : float32;
    for (Shader& each : with_sums(s_, type, {memory(), pitch(), parts()}, FusedEpilogue(), std::move(shader)))
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
    const int64_t at_once = processors_ * (p_.size == TileSize::Medium ? 2 : 4);
    const Dim wanted = min(floor_div(Dim(at_once), max(tiles(), 1)), floor_div(k(), kLeastSteps));
    return multiple(ceil_div(k(), max(wanted, 1)), int64_t{plan_.depth});
  }
  Dim parts() const { return p_.split ? ceil_div(k(), max(part_steps(), 1)) : Dim(1); }

  Dim time() const {
    const TileTime t = time_of(p_);
    const Dim steps = part_steps(), rounds = ceil_div(tiles() * parts(), processors_);
    const Dim work = max(rounds * (floor_div(steps * Dim(t.steps), 10) + Dim(t.around)),
                         floor_div(steps * Dim(t.lone_steps), 10) + Dim(t.lone_around));
    if (!p_.split) return work;
    const int64_t tile_bytes = int64_t{plan_.rows()} * plan_.columns() * p_.bytes();
    return work + floor_div(tiles() * parts() * Dim(tile_bytes), kPtxRate) + Dim(kSumsLaunch);
  }
  // An epilogue is a kernel of its own, as the trial would apply it to memory of other sizes.
  Dim epilogue_time() const {
    if (!has_epilogue_) return Dim(0);
    return floor_div(matrices() * m() * n() * Dim(2 * int64_t{p_.bytes()}), kPtxRate) + Dim(kSumsLaunch);
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
    if (p_.split) form.scratch = {form_program(parts() * matrices() * m() * pitch() * Dim(int64_t{p_.bytes()}))};
    put_programs(form.suited, {past(max(max(m(), n()), k()), kPtxMostSize), past(tiles(), kPtxMostSize)});
    if (p_.split) put_programs(form.suited, {shortfall(parts(), 2)});
    for (const TileSize size : {TileSize::Medium, TileSize::Small})
      for (const bool split : {false, true})
        if (size != p_.size || split != p_.split)
          put_programs(form.suited, {max(time() - TileForm(s_, {p_.float64, size, split}, has_epilogue_).time(), 0)});
    put_programs(form.suited, {max(time() + epilogue_time() - plain_product_time(p_.bytes()), 0)});
    return form;
  }

  const RoutineStep& s_;
  const ptx::TileProduct p_;
  const ptx::TilePlan plan_;
  const bool has_epilogue_;  // of the step
  const int64_t processors_;
};

}  // namespace

std::vector<Shader> tile_products(const RoutineStep& s, Dtype type, bool has_epilogue) {
  std::vector<Shader> shaders;
  for (const TileSize size : {TileSize::Medium, TileSize::Small})
    for (const bool split : {false, true}) TileForm(s, {type == float64, size, split}, has_epilogue).add_to(shaders);
  return shaders;
}

}  // namespace frit::codegen::glsl
