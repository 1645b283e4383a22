package frit

import (
	"math"
	"testing"
)

type myFloat float32
type myBits uint16

// Programs over other Go packages on mlx-c are written in these forms.
func TestMovedPrograms(t *testing.T) {
	for _, c := range []struct {
		a    *Array
		want DType
	}{
		{FromValue(3), Int32}, {FromValue(true), Bool}, {FromValue(2.5), Float64}, {FromValue(float32(1)), Float32},
		{FromValue(myFloat(1)), Float32}, {FromValue(myBits(1)), Uint16}, {FromValue(F16(0x3c00)), Float16},
		{FromValue(BF16(0x3f80)), BFloat16}, {FromValue(complex64(1)), Complex64}, {FromValue(int64(1)), Int64},
		{FromValue(uint8(1)), Uint8}, {FromValues([]myFloat{1}, 1), DTypeFloat32}, {FromValues([]bool{true}), DTypeBool},
		{FromValues([]BF16{0x3f80}, 1, 1), DTypeBFloat16}, {FromValues([]myBits{1}, 1), DTypeUint16},
	} {
		if c.a.DType() != c.want {
			t.Errorf("%v, not %v", c.a.DType(), c.want)
		}
		if c.a.NumDims() == 0 && c.want != Bool && c.want != Float64 && c.want != Complex64 && c.a.Float() != 1 && c.a.Int() != 3 {
			t.Errorf("%v has the value %v", c.want, c.a)
		}
	}
	if FromValue(2.5).Float() != 2.5 || FromValue(-7).Int() != -7 || FromValue(myBits(40000)).Int() != 40000 {
		t.Error("values of scalars")
	}
	if math.MaxInt > math.MaxInt32 {
		big := math.MaxInt
		if Try(func() { FromValue(big) }) == nil {
			t.Error("an int beyond int32")
		}
	}
	if m := FromValues([]float32{1, 2, 3, 4}, 2, 2); m.Dim(1) != 2 || New("name").Valid() {
		t.Error("FromValues, New")
	}
	equal(t, Data[myFloat](FromValues([]myFloat{1, 2}, 2)), []myFloat{1, 2})
	equal(t, BroadcastTo(FromValue(3), []int32{2}).Ints(), []int{3, 3})
}

// A scalar with a fraction is not cut to a whole number for an array of integers.
func TestScalarsOfIntegers(t *testing.T) {
	for _, d := range []DType{Int32, Int64, Uint8, Bool} {
		x := AsType(FromSlice([]int32{0, 1}), d)
		equal(t, MulScalar(x, 0.5).Floats(), []float32{0, 0.5})
		equal(t, AddScalar(x, 0.25).Floats(), []float32{0.25, 1.25})
		equal(t, DivScalar(x, 0.5).Floats(), []float32{0, 2})
		equal(t, AsType(LessScalar(x, 0.5), Int32).Ints(), []int{1, 0})
		equal(t, Clamp(x, 0.25, 0.75).Floats(), []float32{0.25, 0.75})
		equal(t, ClipScalar(x, 0, -0.5, false, true).Floats(), []float32{-0.5, -0.5})
		equal(t, DivScalarInt(x, 2).Floats(), []float32{0, 0.5})
		if got := MulScalar(x, 2).DType(); got != Float32 {
			t.Errorf("%v times a number is %v", d, got)
		}
		near(t, Softplus(x).Floats(), []float32{0.6931472, 1.3132616})
	}
	x := FromSlice([]int32{-3, 4})
	if y := ReLU(x); y.DType() != Int32 {
		t.Error("ReLU of", y)
	} else {
		equal(t, y.Ints(), []int{0, 4})
	}
	if y := FloorDivideScalar(FromSlice([]int64{1<<40 + 1}), 1); y.DType() != Int64 || y.Int() != 1<<40+1 {
		t.Error("FloorDivideScalar of", y)
	}
	for _, d := range []DType{Float16, BFloat16, Float32, Float64} {
		if y := MulScalar(Zeros(d, 1), 0.5); y.DType() != d {
			t.Errorf("%v times a number is %v", d, y.DType())
		}
	}
}

func near(t *testing.T, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%v, not %v", got, want)
	}
	for i := range got {
		if math.Abs(float64(got[i]-want[i])) > 1e-5 {
			t.Errorf("%v, not %v", got, want)
		}
	}
}

func TestGatedActivations(t *testing.T) {
	x, up := FromSlice([]float32{-1, 0, 2}), FromSlice([]float32{1, 2, 3})
	near(t, GELUApprox(x).Floats(), []float32{-0.158808, 0, 1.954598})
	near(t, GeGLU(x, up).Floats(), []float32{-0.158808, 0, 5.863793})
	near(t, SwiGLU(x, up).Floats(), []float32{-0.268941, 0, 5.284782})
	near(t, SILU(x).Floats(), SiLU(x).Floats())
	near(t, LogitSoftcap(x, FromValue(float32(2))).Floats(), []float32{-0.924234, 0, 1.523188})
	for _, d := range []DType{Float16, BFloat16, Float32, Float64} {
		a := AsType(x, d)
		for i, y := range []*Array{GELUApprox(a), SwiGLU(a, a), GeGLU(a, a), LogitSoftcap(a, AsType(FromValue(2), d))} {
			if y.DType() != d {
				t.Errorf("activation %d of %v is %v", i, d, y.DType())
			}
		}
	}
	// In the trace of another function, and for other shapes.
	f := Compile2("layer", func(a, b *Array) *Array { return Add(SwiGLU(a, b), GELUApprox(a)) })
	near(t, f(x, up).Floats(), []float32{-0.427749, 0, 7.23938})
	near(t, SwiGLU(Reshape(x, 3, 1), Reshape(up, 1, 3)).Floats()[6:], []float32{1.761594, 3.523188, 5.284782})
}

func TestAttentionWithoutSinks(t *testing.T) {
	q := Ones(1, 1, 2, 4)
	a := FastScaledDotProductAttention(q, q, q, 1, "causal", nil)
	equal(t, a.Floats(), FastScaledDotProductAttention(q, q, q, 1, "causal", nil, nil).Floats())
	equal(t, a.Floats(), q.Floats())
	if Try(func() { FastScaledDotProductAttention(q, q, q, 1, "", nil, q, q) }) == nil {
		t.Error("two arrays of sinks")
	}
}

func TestFreedArraysAreLeftOut(t *testing.T) {
	a, b := Ones(2), Ones(2)
	b.Free()
	if got := Collect([]*Array{a, b, nil}); len(got) != 1 || got[0] != a {
		t.Error(got)
	}
	sum := Add(a, a)
	Eval(sum, b, nil)
	AsyncEval(b, sum)
	equal(t, sum.Floats(), []float32{2, 2})
}
