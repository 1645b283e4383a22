// Activations of neural networks.

package frit

import "math"

// Softplus is log(1 + exp(a)).
func Softplus(a *Array) *Array { return with(Logaddexp, a, 0) }

// ReLU is the elements that are not negative, and zeros.
func ReLU(a *Array) *Array { return withInteger(Maximum, a, 0) }

// SiLU is a * sigmoid(a).
func SiLU(a *Array) *Array { return Multiply(a, Sigmoid(a)) }

// GELU is a times the share of the normal distribution below a.
func GELU(a *Array) *Array {
	return Multiply(a, MulScalar(AddScalar(Erf(MulScalar(a, float32(1/math.Sqrt2))), 1), 0.5))
}

// GELUApprox is GELU by way of the hyperbolic tangent; it is computed in float32 at least.
func GELUApprox(a *Array) *Array { return geluApprox(a) }

// SILU is the same as SiLU.
func SILU(a *Array) *Array { return SiLU(a) }

// SwiGLU is SiLU(gate) * up, GeGLU is GELUApprox(gate) * up.
func SwiGLU(gate, up *Array) *Array { return swiGLU(gate, up) }
func GeGLU(gate, up *Array) *Array  { return geGLU(gate, up) }

// LogitSoftcap bends x to between -cap and cap: cap * tanh(x / cap).
func LogitSoftcap(x, cap *Array) *Array { return logitSoftcap(x, cap) }

// Compiled, each of them is one loop over the elements.
var (
	geluApprox   = Compile1("GELUApprox", tanhGELU, Shapeless())
	swiGLU       = Compile2("SwiGLU", func(gate, up *Array) *Array { return Multiply(SiLU(gate), up) }, Shapeless())
	geGLU        = Compile2("GeGLU", func(gate, up *Array) *Array { return Multiply(tanhGELU(gate), up) }, Shapeless())
	logitSoftcap = Compile2("LogitSoftcap", func(x, cap *Array) *Array { return Multiply(Tanh(Divide(x, cap)), cap) }, Shapeless())
)

func tanhGELU(a *Array) *Array {
	x := Multiply(a, FromValue(float32(1)))
	cube := Multiply(Multiply(x, x), x)
	inner := MulScalar(Add(x, MulScalar(cube, 0.044715)), float32(math.Sqrt(2/math.Pi)))
	y := MulScalar(Multiply(x, AddScalar(Tanh(inner), 1)), 0.5)
	if a.DType().IsInteger() {
		return y
	}
	return AsType(y, a.DType())
}

// GLU is the first half along the last axis, gated by the sigmoid of the second.
func GLU(a *Array) *Array {
	halves := Split(a, 2, -1)
	return Multiply(halves[0], Sigmoid(halves[1]))
}

// SigmoidRouter is the sigmoid of gates, and the negative of its sum with a bias, whose smallest elements are the best.
func SigmoidRouter(gates, bias *Array) (scores, negative *Array) {
	scores = Sigmoid(gates)
	return scores, Negative(Add(scores, bias))
}
