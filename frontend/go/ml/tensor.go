// Tensors over package frit.

package ml

import (
	"fmt"
	"strings"

	"frit"
)

type tensor struct{ a *frit.Array }

// arrayOf is the array of a tensor, or nil.
func arrayOf(t Tensor) *frit.Array {
	if t == nil {
		return nil
	}
	return t.(*tensor).a
}

func arraysOf(tensors []Tensor) []*frit.Array {
	arrays := make([]*frit.Array, len(tensors))
	for i, t := range tensors {
		arrays[i] = arrayOf(t)
	}
	return arrays
}

// in runs a computation, frees the arrays on its way, and gives the result to the context.
func in(ctx Context, f func() *frit.Array) Tensor {
	var result *frit.Array
	frit.Scope(func() { result = frit.Keep(f()) })
	made := ctx.(*context).keep(result)
	frit.Release(result)
	return made
}

func (t *tensor) ToString() string { return t.a.String() }
func (t *tensor) Dim(n int) int    { return t.a.Dim(n) }
func (t *tensor) Shape() []int     { return t.a.Dims() }
func (t *tensor) DType() DType     { return DType(t.a.DType()) }

func (t *tensor) Stride(n int) int {
	steps := t.a.Strides()
	if n < -len(steps) || n >= len(steps) {
		panic(&frit.Error{Message: fmt.Sprintf("Stride: there is no axis %d in a tensor of %d axes", n, len(steps))})
	}
	if n < 0 {
		n += len(steps)
	}
	return steps[n]
}

func (t *tensor) Floats() []float32 { return t.a.Floats() }
func (t *tensor) Ints() []int32     { return t.a.DataInt32() }

func (t *tensor) Add(ctx Context, t2 Tensor) Tensor {
	return in(ctx, func() *frit.Array { return frit.Add(t.a, arrayOf(t2)) })
}

func (t *tensor) Sub(ctx Context, t2 Tensor) Tensor {
	return in(ctx, func() *frit.Array { return frit.Subtract(t.a, arrayOf(t2)) })
}

func (t *tensor) Max(ctx Context, axes []int, keepDims bool) Tensor {
	return in(ctx, func() *frit.Array { return frit.MaxAxes(t.a, axes, keepDims) })
}

func (t *tensor) Min(ctx Context, axes []int, keepDims bool) Tensor {
	return in(ctx, func() *frit.Array { return frit.MinAxes(t.a, axes, keepDims) })
}

func (t *tensor) Matmul(ctx Context, a2 Tensor) Tensor {
	return in(ctx, func() *frit.Array { return frit.Matmul(t.a, arrayOf(a2)) })
}

func (t *tensor) Softmax(ctx Context) Tensor {
	return in(ctx, func() *frit.Array { return frit.Softmax(t.a, -1) })
}

// L2Norm is the rows over the root of the sum of their squares plus eps.
func (t *tensor) L2Norm(ctx Context, eps float32) Tensor {
	return in(ctx, func() *frit.Array {
		squares := frit.Sum(frit.Square(t.a), -1, true)
		return frit.Multiply(t.a, frit.RSqrt(frit.AddScalar(squares, eps)))
	})
}

func (t *tensor) LayerNorm(ctx Context, weight, bias Tensor, eps float32) Tensor {
	return in(ctx, func() *frit.Array { return frit.LayerNormFn(t.a, arrayOf(weight), arrayOf(bias), eps) })
}

func (t *tensor) RMSNorm(ctx Context, weight Tensor, eps float32) Tensor {
	return in(ctx, func() *frit.Array { return frit.RMSNormFn(t.a, arrayOf(weight), eps) })
}

func (t *tensor) Scale(ctx Context, s float64) Tensor {
	return in(ctx, func() *frit.Array { return frit.MulScalar(t.a, float32(s)) })
}

// AvgPool2D is the means of windows of k x k elements that lie s apart, of (batch, rows, columns, channels) with p zeros
// around it.
func (t *tensor) AvgPool2D(ctx Context, k, s int, p float32) Tensor {
	return in(ctx, func() *frit.Array {
		x := t.a
		if x.NumDims() != 4 || k < 1 || s < 1 || p < 0 {
			panic(&frit.Error{Message: fmt.Sprintf("AvgPool2D: a window of %d, steps of %d and padding %g for the shape %v", k, s, p, x.Dims())})
		}
		x = frit.Pad(x, []int{0, 0, int(p), int(p), int(p), int(p)})
		x = frit.Contiguous(x, false)
		n, h, w, c := x.Dim(0), x.Dim(1), x.Dim(2), x.Dim(3)
		if h < k || w < k {
			panic(&frit.Error{Message: fmt.Sprintf("AvgPool2D: a window of %d for the shape %v", k, x.Dims())})
		}
		windows := x.AsStrided([]int{n, (h-k)/s + 1, (w-k)/s + 1, k, k, c},
			[]int{h * w * c, s * w * c, s * c, w * c, c, 1}, 0)
		return frit.MeanAxes(windows, []int{3, 4}, false)
	})
}

func (t *tensor) Conv2D(ctx Context, weight Tensor, stride0, stride1, padding0, padding1, dilation0, dilation1, groups int) Tensor {
	return in(ctx, func() *frit.Array {
		return frit.Conv2d(t.a, arrayOf(weight), stride0, stride1, padding0, padding1, dilation0, dilation1, groups)
	})
}

func (t *tensor) Conv3D(ctx Context, weight Tensor, stride0, stride1, stride2, padding0, padding1, padding2, dilation0, dilation1, dilation2, groups int) Tensor {
	return in(ctx, func() *frit.Array {
		padding := []int{padding0, padding1, padding2}
		return frit.ConvGeneral(t.a, arrayOf(weight), []int{stride0, stride1, stride2}, padding, padding,
			[]int{dilation0, dilation1, dilation2}, []int{1, 1, 1}, groups, false)
	})
}

// GELU is gelu(t), times up where it is given.
func (t *tensor) GELU(ctx Context, up ...Tensor) Tensor {
	return in(ctx, func() *frit.Array {
		y := frit.GELU(t.a)
		for _, u := range up {
			y = frit.Multiply(y, arrayOf(u))
		}
		return y
	})
}

func (t *tensor) Reshape(ctx Context, shape ...int) Tensor {
	return in(ctx, func() *frit.Array { return frit.Reshape(t.a, shape...) })
}

func (t *tensor) AsStrided(ctx Context, shape, strides []int, offset int) Tensor {
	return in(ctx, func() *frit.Array { return t.a.AsStrided(shape, strides, offset) })
}

func (t *tensor) Transpose(ctx Context, shape ...int) Tensor {
	return in(ctx, func() *frit.Array { return frit.Transpose(t.a, shape...) })
}

func (t *tensor) Contiguous(ctx Context, allowColMajor bool) Tensor {
	return in(ctx, func() *frit.Array { return frit.Contiguous(t.a, allowColMajor) })
}

func (t *tensor) Scatter(ctx Context, indices []Tensor, updates Tensor, axes []int) Tensor {
	return in(ctx, func() *frit.Array { return frit.Scatter(t.a, arraysOf(indices), arrayOf(updates), axes) })
}

func (t *tensor) Copy(ctx Context, t2 Tensor) Tensor {
	to := arrayOf(t2)
	frit.Scope(func() { to.Set(frit.Reshape(frit.AsType(t.a, to.DType()), to.Dims()...)) })
	return t2
}

func (t *tensor) TakeAxes(ctx Context, indices Tensor, axes int) Tensor {
	return in(ctx, func() *frit.Array { return frit.Take(t.a, arrayOf(indices), axes) })
}

func (t *tensor) RoPE(ctx Context, dims int, traditional bool, scale float32, offset int, options ...func(*RoPEOptions)) Tensor {
	var o RoPEOptions
	for _, option := range options {
		option(&o)
	}
	base := float32(10000)
	if o.Base != nil {
		base = *o.Base
	}
	return in(ctx, func() *frit.Array {
		return frit.RoPEWithFreqs(t.a, dims, traditional, base, scale, frit.FromValue(int32(offset)), arrayOf(o.Freqs))
	})
}

func (t *tensor) ScaledDotProductAttention(ctx Context, keys, values Tensor, scale float64, maskMode string, mask Tensor, sinks Tensor) Tensor {
	return in(ctx, func() *frit.Array {
		return frit.ScaledDotProductAttentionWithSinks(t.a, arrayOf(keys), arrayOf(values), float32(scale), maskMode, arrayOf(mask), arrayOf(sinks))
	})
}

// Dump is a readable excerpt of a tensor: its type and shape, and the first and last three elements of each axis.
func Dump(t Tensor) string {
	var text strings.Builder
	shape := t.Shape()
	fmt.Fprintf(&text, "%v %v ", t.DType(), shape)
	dump(&text, t.Floats(), shape, 1)
	return text.String()
}

const dumpEdge = 3

func dump(text *strings.Builder, values []float32, shape []int, depth int) {
	if len(shape) == 0 {
		fmt.Fprintf(text, "%.4g", values[0])
		return
	}
	text.WriteString("[")
	size := 1
	for _, n := range shape[1:] {
		size *= n
	}
	between := ", "
	if len(shape) > 1 {
		between = ",\n" + strings.Repeat(" ", depth)
	}
	for i := 0; i < shape[0]; i++ {
		if i > 0 {
			text.WriteString(between)
		}
		if i == dumpEdge && shape[0] > 2*dumpEdge {
			text.WriteString("..." + between)
			i = shape[0] - dumpEdge
		}
		dump(text, values[i*size:], shape[1:], depth+1)
	}
	text.WriteString("]")
}
