#include "codegen/c/cblas.h"

#include "passes/lower/cblas_product.h"

namespace frit::codegen::c {

using namespace ir;

namespace {

std::string factor(const std::string& s) { return s.find(' ') == std::string::npos ? s : "(" + s + ")"; }

}  // namespace

std::string_view cblas_declarations() {
  return R"(
/* Of the cblas interface, which a library such as OpenBLAS provides. */
enum CBLAS_ORDER { CblasRowMajor = 101, CblasColMajor = 102 };
enum CBLAS_TRANSPOSE { CblasNoTrans = 111, CblasTrans = 112, CblasConjTrans = 113 };
void cblas_sgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans_a, enum CBLAS_TRANSPOSE trans_b, int m, int n, int k, float alpha, const float* a,
                 int lda, const float* b, int ldb, float beta, float* c, int ldc);
void cblas_dgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans_a, enum CBLAS_TRANSPOSE trans_b, int m, int n, int k, double alpha,
                 const double* a, int lda, const double* b, int ldb, double beta, double* c, int ldc);
void cblas_cgemm(enum CBLAS_ORDER order, enum CBLAS_TRANSPOSE trans_a, enum CBLAS_TRANSPOSE trans_b, int m, int n, int k, const void* alpha,
                 const void* a, int lda, const void* b, int ldb, const void* beta, void* c, int ldc);
)";
}

Result<std::string> cblas_call(const Function& f, const LibraryStep& step, Positions& positions,
                               const std::string& variable, Helpers& helpers,
                               const std::function<std::string(uint32_t, bool)>& pointer) {
  const auto p = passes::cblas_product(step, f.facts);
  if (!p)
    return Diagnostic(
        "function @" + f.name + ": cblas has no '" + step.name + "' of " + std::string(short_name(step.dtypes[0])), {},
        "lower it with the traits own_routines and cblas_routines");
  DimFacts facts = f.facts;
  const Layout& c = step.results[0].layout;
  Dim count = 1;
  for (size_t axis = 0; axis < p->batch_axes; ++axis) count *= c.shape[axis];
  facts.set_loop(variable, count);
  positions.names[variable] = variable;
  auto text = [&](const Dim& d) { return positions.text(d, facts); };
  auto narrow = [&](const Dim& d) { return "(int)" + factor(text(d)); };
  auto leading = [&](const Dim& d) {
    return facts.range(d).low >= 1 ? narrow(d) : "(int)" + helpers.need("frit_max_size") + "(" + text(d) + ", 1)";
  };
  const bool pairs = is_complex(step.dtypes[0]), wide = step.dtypes[0] == float64;
  auto start = [&](const Window& w, bool written) {
    Dim offset = w.layout.offset, rest = Dim::symbol(variable);
    for (size_t axis = p->batch_axes; axis-- > 0;) {
      offset += (axis == 0 ? rest : mod(rest, c.shape[axis])) * w.layout.strides[axis];
      rest = floor_div(rest, c.shape[axis]);
    }
    offset = offset * Dim(pairs ? 2 : 1);
    return pointer(w.buffer, written) + (offset.is(0) ? "" : " + " + factor(text(offset)));
  };
  auto how = [](const passes::CblasOperand& o) { return std::string(o.transposed ? "CblasTrans" : "CblasNoTrans"); };
  auto number = [&](bool one) {
    return pairs ? std::string(one ? "frit_one" : "frit_zero") : std::string(one ? "1.0" : "0.0") + (wide ? "" : "f");
  };
  std::string call = std::string(p->function) + "(CblasRowMajor, " + how(p->a) + ", " + how(p->b);
  for (const Dim* d : {&p->m, &p->n, &p->k}) call += ", " + narrow(*d);
  call +=
      ", " + number(true) + ", " + start(*p->a.window, false) + ", " + leading(p->a.leading) + ",\n                ";
  call += start(*p->b.window, false) + ", " + leading(p->b.leading) + ", " + number(false) + ", ";
  call += start(step.results[0], true) + ", " + leading(p->n) + ");\n";
  // A result without elements is none of cblas's business.
  const Dim elements = product(c.shape);
  const std::string when = facts.range(elements).low > 0 ? "" : "if (" + factor(text(elements)) + " > 0) ";
  std::string s = "  " + when + "{\n";
  if (pairs) s += "    const float frit_one[2] = {1.0f, 0.0f}, frit_zero[2] = {0.0f, 0.0f};\n";
  if (p->batch_axes)
    s += "    for (int64_t " + variable + " = 0; " + variable + " < " + text(count) + "; ++" + variable + ")\n  ";
  return s + "    " + call + "  }\n";
}

}  // namespace frit::codegen::c
