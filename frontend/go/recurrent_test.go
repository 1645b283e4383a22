package frit

import (
	"math"
	"strings"
	"testing"
)

// numbers in [-1, 1) that follow from a seed.
func numbers(seed uint64, count int) []float32 {
	out := make([]float32, count)
	for i := range out {
		seed = seed*6364136223846793005 + 1442695040888963407
		out[i] = float32(int32(seed>>32)) / (1 << 31)
	}
	return out
}

func close(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); !(d <= 1e-5*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("%s[%d] is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func shaped(values []float32, shape ...int) *Array { return Reshape(FromSlice(values), shape...) }

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
func softplus(x float64) float64 { return math.Log1p(math.Exp(x)) }

func TestGatedDelta(t *testing.T) {
	const tokens, hk, dk, hv, dv = 5, 2, 4, 6, 3
	width := 2*hk*dk + hv*dv
	packed, ba := numbers(1, tokens*width), numbers(2, tokens*2*hv)
	bias, aExp, state := numbers(3, hv), numbers(4, hv), numbers(5, hv*dv*dk)
	real := []bool{true, true, false, true, true}

	// One number at a time.
	s := make([]float64, len(state))
	for i, x := range state {
		s[i] = float64(x)
	}
	var y, interior []float32
	for token := range tokens {
		row := packed[token*width:]
		for h := range hv {
			vector := func(first int, scale float64) []float64 {
				part, squares := make([]float64, dk), 0.0
				for i := range part {
					part[i] = float64(row[first+h/(hv/hk)*dk+i])
					squares += part[i] * part[i]
				}
				for i := range part {
					part[i] *= scale / math.Sqrt(squares/dk+1e-6)
				}
				return part
			}
			q, k := vector(0, 1.0/dk), vector(hk*dk, 1/math.Sqrt(dk))
			decay := math.Exp(-float64(aExp[h]) * softplus(float64(ba[token*2*hv+hv+h]+bias[h])))
			beta := logistic(float64(ba[token*2*hv+h]))
			for v := range dv {
				of := s[(h*dv+v)*dk:][:dk]
				known, out := 0.0, 0.0
				if real[token] {
					for i := range of {
						of[i] *= decay
						known += of[i] * k[i]
					}
					lacks := beta * (float64(row[2*hk*dk+h*dv+v]) - known)
					for i := range of {
						of[i] += lacks * k[i]
						out += of[i] * q[i]
					}
				}
				y = append(y, float32(out))
			}
		}
		if token+1 < tokens {
			for _, x := range s {
				interior = append(interior, float32(x))
			}
		}
	}
	last := make([]float32, len(s))
	for i, x := range s {
		last[i] = float32(x)
	}

	step := func(capture bool) (*Array, *Array, []*Array) {
		return GatedDelta(shaped(packed, 1, tokens, width), shaped(ba, 1, tokens, 2*hv), FromSlice(bias), FromSlice(aExp),
			shaped(state, 1, hv, dv, dk), Reshape(FromSlice(real), 1, tokens), capture)
	}
	got, next, inner := step(true)
	equal(t, got.Dims(), []int{1, tokens, hv, dv})
	close(t, "y", got.Floats(), y)
	close(t, "state", next.Floats(), last)
	if len(inner) != tokens-1 {
		t.Fatalf("%d states", len(inner))
	}
	close(t, "interior", ConcatenateAll(inner).Floats(), interior)
	if _, _, inner = step(false); inner != nil {
		t.Fatal("states that nobody asked for")
	}

	bad := Try(func() { GatedDelta(Ones(1, 2, 7), Ones(1, 2, 4), Ones(2), Ones(2), Ones(1, 2, 1, 4), nil, false) })
	if bad == nil || !strings.Contains(bad.Error(), "GatedDelta: packed rows of 7") {
		t.Fatal(bad)
	}
}

func TestMamba2Scan(t *testing.T) {
	const batch, tokens, h, d, g, s = 2, 4, 4, 3, 2, 5
	hidden, b, c := numbers(1, batch*tokens*h*d), numbers(2, batch*tokens*g*s), numbers(3, batch*tokens*g*s)
	dt, state := numbers(4, batch*tokens*h), numbers(5, batch*h*d*s)
	a, direct, bias := numbers(6, h), numbers(7, h), numbers(8, h)

	states := make([]float64, len(state))
	for i, x := range state {
		states[i] = float64(x)
	}
	y := make([]float32, batch*tokens*h*d)
	var interior []float32
	for token := range tokens {
		for n := range batch * h * d {
			row, head, of := n/(h*d)*tokens+token, n/d%h, states[n*s:][:s]
			step := softplus(float64(dt[row*h+head] + bias[head]))
			x, out := float64(hidden[row*h*d+n%(h*d)]), 0.0
			for i := range of {
				at := (row*g+head/(h/g))*s + i
				of[i] = of[i]*math.Exp(step*float64(a[head])) + x*step*float64(b[at])
				out += of[i] * float64(c[at])
			}
			y[row*h*d+n%(h*d)] = float32(out + x*float64(direct[head]))
		}
		if token+1 < tokens {
			for _, x := range states {
				interior = append(interior, float32(x))
			}
		}
	}
	last := make([]float32, len(states))
	for i, x := range states {
		last[i] = float32(x)
	}

	scan := func(mask *Array) (*Array, *Array, []*Array) {
		return Mamba2Scan(shaped(hidden, batch, tokens, h, d), shaped(b, batch, tokens, g, s), shaped(c, batch, tokens, g, s),
			shaped(dt, batch, tokens, h), shaped(state, batch, h, d, s), FromSlice(a), FromSlice(direct), FromSlice(bias), mask, true)
	}
	got, next, inner := scan(nil)
	close(t, "y", got.Floats(), y)
	close(t, "state", next.Floats(), last)
	close(t, "interior", ConcatenateAll(inner).Floats(), interior)

	// Tokens that the mask leaves out change nothing.
	got, next, inner = scan(Reshape(FromSlice([]bool{true, true, false, false, true, true, false, false}), batch, tokens))
	close(t, "masked state", next.Floats(), inner[1].Floats())
	for _, x := range SliceStartStop(got, []int{0, 2, 0, 0}, []int{batch, tokens, h, d}).Floats() {
		if x != 0 {
			t.Fatal("an output of a token that is left out")
		}
	}
	bad := Try(func() {
		Mamba2Scan(Ones(1, 2, 4, 3), Ones(1, 2, 3, 5), Ones(1, 2, 3, 5), Ones(1, 2, 4), Ones(1, 4, 3, 5), Ones(4), Ones(4), Ones(4), nil, false)
	})
	if bad == nil || !strings.Contains(bad.Error(), "3 groups do not divide 4 heads") {
		t.Fatal(bad)
	}
}
