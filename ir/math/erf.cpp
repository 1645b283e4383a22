// erf and its inverse. Coefficients: tests/accuracy/fit.py, and fit_quotient.py for erf in f32.
#include <limits>

#include "ir/math/math.h"

namespace frit::ir::math {

namespace {

Expr erf32(Expr x) {
  // erf(a) = 1 - (1 - w / 2)^2 = w - w^2 / 4, and w = 2 - 2 sqrt(erfc(a)) = a + a p(a) / q(a): the square halves
  // the range of exponents that the quotient must follow, p / q is small where the sum's rounding counts, and
  // w is close to 2 where erf is close to 1, so that its errors vanish there. Where erf rounds to 1 the quotient means
  // nothing any more.
  Expr a = abs(x);
  Expr p = polynomial(
      a, {0x1.06eba8p-3, 0x1.250448p-2, -0x1.f91376p-3, 0x1.0b84fep-5, 0x1.d9fd64p-13, -0x1.55162cp-9, 0x1.675304p-13});
  Expr q = polynomial(a, {1, -0x1.008622p-2, 0x1.d90c98p-3, -0x1.1e23a8p-5, 0x1.c2315ep-7});
  Expr w = madd(a, p / q, a);
  return flip_sign(select(a > 3.9192, 1, madd(w * -0.25, w, w)), sign_bit(x));
}

Expr erf64(Expr x) {
  // Near zero erf(x) = x + x p(x^2). From the join on it is 1 - q(|x|)^8, with q close to the eighth root of
  // erfc: q needs a low degree and no exponential, and its errors count for little because erfc is small
  // there. Past the clamp the result rounds to 1. Errors 2^-59.9 and 2^-60.6. Without fused operations the roundings
  // of both would grow too large at the join, which is then at 1.1, close to the middle of q (error 2^-61.28).
  Expr u = x * x;
  Expr a = abs(x);
  Expr p = polynomial(u, {0x1.06eba8214db69p-3, -0x1.812746b0379e2p-2, 0x1.ce2f21a0428f5p-4, -0x1.b82ce3127cecbp-6,
                          0x1.565bcd0cdc816p-8, -0x1.c02db3c12f7bap-11, 0x1.f9a3207a0ea93p-14, -0x1.f4d1e776a87c1p-17,
                          0x1.b9e10d2a59f52p-20, -0x1.5f410fabfa167p-23, 0x1.fa40a946fd413p-27, -0x1.46c65e474c9c9p-30,
                          0x1.5d0d98c9eb8c6p-34, -0x1.cb084453a1e53p-39});
  double centre = x.fused() ? 3 : 1.25;
  Expr t = at_most(a, 5.96) - centre;
  Expr q =
      x.fused()
          ? polynomial(t, {0x1.0c1e27f35c17ep-2, -0x1.a68981e28862cp-3, 0x1.9932b57f1ec21p-5, 0x1.9610da40a7443p-9,
                           -0x1.bf28ccfeb0ep-9, 0x1.556cce62f6dd9p-12, 0x1.b51feff2028b4p-14, -0x1.8a20e8d2be849p-16,
                           -0x1.d206c8a151357p-21, 0x1.772fce508cdb8p-21, -0x1.ffd7581c41515p-26,
                           -0x1.d020a2e0b4f0dp-27, 0x1.78a1b1a9faa1ap-30, 0x1.c9c1de068269fp-33, -0x1.72da404ed8e07p-35,
                           -0x1.a6dedad53ba4p-40, 0x1.821252b5be08ep-42, 0x1.29336ab609f33p-43, 0x1.34a2975f29712p-45})
          : polynomial(
                t, {0x1.73aa3d9879203p-1,   -0x1.1d0a999e10133p-2,  -0x1.a42b98c1bc392p-6,  0x1.5011831eb0c91p-6,
                    0x1.035c921abbaf6p-10,  -0x1.4c9d2e4c61f20p-10, 0x1.d29b4ac579898p-15,  0x1.5c2cca786b2edp-15,
                    -0x1.4a5cffc490893p-18, -0x1.2b7b4db9a58c5p-22, -0x1.a50573ee69344p-25, 0x1.2e966fe633dacp-25,
                    0x1.535239dc1695dp-30,  -0x1.b7f32fe8b05e8p-29, 0x1.20922a2c3312ap-30,  -0x1.fb4aef97e7168p-33,
                    0x1.52bc95a327aeap-35,  -0x1.435ae99578ac3p-38, 0x1.801d93ccae76ap-42,  -0x1.a59238df12862p-47});
  Expr q2 = q * q;
  Expr q4 = q2 * q2;
  return select(a < (x.fused() ? 1.25 : 1.1), madd(x, p, x), flip_sign(madd(-q4, q4, 1), sign_bit(x)));
}

}  // namespace

Expr erf(Expr x) { return x.is_f32() ? erf32(x) : erf64(x); }

Expr erfinv(Expr x) {
  // erfinv(x) / x is smooth in w = -ln(1 - x^2) where that is small, and in sqrt(w) where it is large.
  // Less 1, so that the roundings of the polynomials weigh less; the sum adds x itself.
  double inf = std::numeric_limits<double>::infinity();
  Expr a = abs(x);
  // 1 - x^2 is exact enough up to the last float before 1 if it rounds once, or as a product. It is normal below 1.
  Expr w = -log_of_normal(x.fused() ? madd(-a, a, 1) : (1 - a) * (1 + a));
  Expr s = sqrt(w);
  auto value = [&] {
    if (x.is_f32()) {  // errors 2^-25.0 and 2^-26.7
      Expr near = polynomial(
          w, {0x1.c5bf8ap-1 - 1, 0x1.db29ecp-3, 0x1.7a7b38p-7, -0x1.328438p-9, -0x1.ffbf0ep-14, 0x1.53ac42p-15,
              0x1.8775dap-18, -0x1.4f2ba6p-19, 0x1.4c85e6p-22, -0x1.26a7a4p-26, 0x1.707e4cp-32});
      Expr far = polynomial(
          s - 3, {0x1.6a9efcp1 - 1, 0x1.006dcap0, 0x1.358144p-7, -0x1.f4df74p-8, 0x1.74b93p-8, -0x1.d39950p-9,
                  0x1.831054p-10, -0x1.f345f6p-14, -0x1.25407ep-12, 0x1.4f148ap-13, -0x1.daa0c6p-16});
      return select(w < 5, near, far);
    }
    // Errors 2^-60.2, 2^-58.5 and 2^-60.2.
    Expr near =
        polynomial(w, {0x1.c5bf891b4ef6bp-1 - 1, 0x1.db29fb2fee5dfp-3,  0x1.7a72e72c1f5f3p-7,   -0x1.3211025e1337ap-9,
                       -0x1.0c86b853ad25ep-13,   0x1.87014de299ab1p-15, 0x1.0f1e57bb560c3p-19,  -0x1.0fce47a446894p-20,
                       -0x1.40629452df781p-25,   0x1.87bdd053f7052p-26, 0x1.96b349f9613c2p-31,  -0x1.173dc6f92c69p-31,
                       -0x1.04d979a2c41bp-35,    0x1.6bbcb7b674879p-36, -0x1.0538b6e78ce65p-38, 0x1.5dccbbceb2b89p-40,
                       -0x1.004dcc3e97d7ap-41,   0x1.de5ca25fb03fcp-44, -0x1.1ef83d966f796p-46, 0x1.c750c0570eap-50,
                       -0x1.d4e9e7ce9eeb5p-54,   0x1.1f014b0995b8p-58,  -0x1.3f704f8c87296p-64});
    Expr far = polynomial(
        s - 3, {0x1.6a9efbd66eae6p1 - 1, 0x1.006dca7a9c22ap0,    0x1.3582c8114bcaep-7,   -0x1.f4f1c6f0baafp-8,
                0x1.7495888ec62c7p-8,    -0x1.d2754fd3bfa06p-9,  0x1.84f3ed61b8aa8p-10,  -0x1.38430e2b39e2ap-13,
                -0x1.28e09e87eba63p-12,  0x1.aeffd423b3a85p-13,  -0x1.85bd87876e275p-15, -0x1.7fbcc37e5953p-16,
                0x1.7002aa3d00bc6p-16,   -0x1.8f452ba32b69ep-18, -0x1.bbb54c25b606p-20,  0x1.0cec39b9ca0d1p-19,
                -0x1.5a30ac958c276p-21,  -0x1.66f725cd00df4p-24, 0x1.6cfb1705093d6p-23,  -0x1.0b21b6d88d55ep-24,
                -0x1.637226cc16ab9p-28,  0x1.8237e7e9e1194p-27,  -0x1.6fe2b77002accp-29});
    Expr tail = polynomial(
        s - 5, {0x1.3664ddd1ad7fbp2 - 1, 0x1.02a30d1fba10bp0,    -0x1.22ea5df1cced9p-13, -0x1.c2f36aa167b6cp-13,
                0x1.3ebf4efb57d6bp-14,   -0x1.4a34903cd1bb8p-16, 0x1.2fbcfd5b76299p-18,  -0x1.0a90377a04dc8p-20,
                0x1.ebe33b4d01cf3p-23,   -0x1.22374ab76110bp-24, 0x1.f2868980172e3p-26,  -0x1.057032e7d7ce7p-26,
                0x1.0cc86b032dabcp-27,   -0x1.e4dc8e7d1a0afp-29, 0x1.6965c60a86a07p-30,  -0x1.a912a489c76bep-32,
                0x1.34ff5ca803436p-34,   0x1.36a7a53743759p-36,  -0x1.69806747bce54p-36, 0x1.7262c08efa959p-38});
    return select(w < 5, near, select(s < 4, far, tail));
  }();
  Expr limit = select(equal(a, 1), inf, a.constant(std::numeric_limits<double>::quiet_NaN()));
  return flip_sign(select(a < 1, madd(a, value, a), limit), sign_bit(x));
}

}  // namespace frit::ir::math
