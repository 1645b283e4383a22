// Operations as methods of arrays, and elements as Go values.

package frit

import (
	"bytes"
	"log/slog"
	"unsafe"
)

func (a *Array) Abs() *Array                              { return Abs(a) }
func (a *Array) Add(other *Array) *Array                  { return Add(a, other) }
func (a *Array) Argmax(axis int, keepDims bool) *Array    { return Argmax(a, axis, keepDims) }
func (a *Array) ArgpartitionAxis(kth, axis int) *Array    { return Argpartition(a, kth, axis) }
func (a *Array) ArgsortAxis(axis int) *Array              { return Argsort(a, axis) }
func (a *Array) AsType(dtype DType) *Array                { return AsType(a, dtype) }
func (a *Array) Divide(other *Array) *Array               { return Divide(a, other) }
func (a *Array) Equal(other *Array) *Array                { return Equal(a, other) }
func (a *Array) ExpandDims(axis int) *Array               { return ExpandDims(a, axis) }
func (a *Array) Flatten(start, end int) *Array            { return flatten(a, start, end) }
func (a *Array) FloorDivide(other *Array) *Array          { return FloorDivide(a, other) }
func (a *Array) Greater(other *Array) *Array              { return Greater(a, other) }
func (a *Array) Less(other *Array) *Array                 { return Less(a, other) }
func (a *Array) LessEqual(other *Array) *Array            { return LessEqual(a, other) }
func (a *Array) Matmul(other *Array) *Array               { return Matmul(a, other) }
func (a *Array) Multiply(other *Array) *Array             { return Multiply(a, other) }
func (a *Array) Negative() *Array                         { return Negative(a) }
func (a *Array) Power(exponent *Array) *Array             { return Power(a, exponent) }
func (a *Array) Reshape(shape ...int) *Array              { return reshape(a, shape) }
func (a *Array) Sigmoid() *Array                          { return Sigmoid(a) }
func (a *Array) Sqrt() *Array                             { return Sqrt(a) }
func (a *Array) Squeeze(axis int) *Array                  { return Squeeze(a, axis) }
func (a *Array) Subtract(other *Array) *Array             { return Subtract(a, other) }
func (a *Array) SumAxis(axis int, keepDims bool) *Array   { return Sum(a, axis, keepDims) }
func (a *Array) MaxAxis(axis int, keepDims bool) *Array   { return Max(a, axis, keepDims) }
func (a *Array) Tanh() *Array                             { return Tanh(a) }
func (a *Array) Transpose(axes ...int) *Array             { return Transpose(a, axes...) }
func (a *Array) TakeAxis(indices *Array, axis int) *Array { return Take(a, indices, axis) }

// Addmm is beta times the array plus alpha times the product of x and y.
func (a *Array) Addmm(x, y *Array, alpha, beta float32) *Array { return AddMM(a, x, y, alpha, beta) }

// AsStrided is a window on the elements.
func (a *Array) AsStrided(shape, strides []int, offset int) *Array {
	steps := make([]int64, len(strides))
	for i, s := range strides {
		steps[i] = int64(s)
	}
	return AsStrided(a, shape, steps, offset)
}

// Concatenate joins the array and others along an axis.
func (a *Array) Concatenate(axis int, others ...*Array) *Array {
	return Concatenate(append([]*Array{a}, others...), axis)
}

// StackAxis joins the array and others along a new axis.
func (a *Array) StackAxis(axis int, others ...*Array) *Array {
	return Stack(append([]*Array{a}, others...), axis)
}

// Cumsum is the running sums along an axis.
func (a *Array) Cumsum(axis int, reverse, inclusive bool) *Array {
	return cumsum(a, axis, reverse, inclusive)
}

// GatherMM is products of matrices picked from two batches.
func (a *Array) GatherMM(other, lhs, rhs *Array, sorted bool) *Array {
	return GatherMM(a, other, lhs, rhs, sorted)
}

// LogsumexpAxis is the logarithm of the sum of exponentials.
func (a *Array) LogsumexpAxis(axis int, keepDims bool) *Array { return Logsumexp(a, axis, keepDims) }

// PutAlongAxis replaces elements at positions along an axis.
func (a *Array) PutAlongAxis(indices, values *Array, axis int) *Array {
	return PutAlongAxis(a, indices, values, axis)
}

// ScatterAddAxis adds values at positions along an axis.
func (a *Array) ScatterAddAxis(indices, values *Array, axis int) *Array {
	return ScatterAddAxis(a, indices, values, axis)
}

// TakeAlongAxis is the elements at positions along an axis.
func (a *Array) TakeAlongAxis(indices *Array, axis int) *Array {
	return TakeAlongAxis(a, indices, axis)
}

// Categorical draws positions along an axis, whose elements are logits.
func (a *Array) Categorical(axis int) *Array { return randomCategorical(a, axis, nil) }

// CategoricalWithKey is the same with a key.
func (a *Array) CategoricalWithKey(axis int, key *Array) *Array {
	return randomCategorical(a, axis, key)
}

// as converts an array, calls f with the result and frees it.
func as[T Element](a *Array) []T {
	if a.DType() == DTypeOf[T]() {
		return Data[T](a)
	}
	converted := AsType(a, DTypeOf[T]())
	defer converted.Free()
	return Data[T](converted)
}

func one[T any](name string, values []T) T {
	if len(values) != 1 {
		panic(&Error{sprintf("%s: the array has %d elements, not one", name, len(values))})
	}
	return values[0]
}

// Int is the only element, as an int; it evaluates.
func (a *Array) Int() int { return int(one("Int", as[int64](a))) }

// Float is the only element, as a float64; it evaluates.
func (a *Array) Float() float64 { return one("Float", as[float64](a)) }

// Item is the only element, as a float32; it evaluates.
func (a *Array) Item() float32 { return one("Item", as[float32](a)) }

// ItemInt32 is the only element, as an int32; it evaluates.
func (a *Array) ItemInt32() int32 { return one("ItemInt32", as[int32](a)) }

// Ints is the elements as ints; it evaluates.
func (a *Array) Ints() []int {
	values := as[int64](a)
	numbers := make([]int, len(values))
	for i, v := range values {
		numbers[i] = int(v)
	}
	return numbers
}

// Floats is the elements as float32; it evaluates.
func (a *Array) Floats() []float32 { return as[float32](a) }

// Data is the same as Floats.
func (a *Array) Data() []float32 { return as[float32](a) }

// DataInt32 is the elements as int32; it evaluates.
func (a *Array) DataInt32() []int32 { return as[int32](a) }

// Bytes is a copy of the elements' bytes in row-major order; it evaluates.
func (a *Array) Bytes() []byte {
	switch a.DType().ItemSize() {
	case 1:
		return bytesOfValues(a, Uint8, Data[uint8])
	case 2:
		return bytesOfValues(a, Uint16, Data[uint16])
	case 4:
		return bytesOfValues(a, Uint32, Data[uint32])
	}
	return bytesOfValues(a, Uint64, Data[uint64])
}

func bytesOfValues[T Element](a *Array, dtype DType, data func(*Array) []T) []byte {
	plain := a
	if a.DType() == Bool {
		plain = AsType(a, dtype)
		defer plain.Free()
	} else if a.DType() != dtype {
		plain = view(a, dtype)
		defer plain.Free()
	}
	values := data(plain)
	if len(values) == 0 {
		return nil
	}
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0]))))
}

// LogValue is the type and shape in logs; it does not evaluate.
func (a *Array) LogValue() slog.Value {
	if !a.Valid() {
		return slog.StringValue("freed")
	}
	return slog.GroupValue(slog.String("dtype", a.DType().String()), slog.Any("shape", a.Dims()), slog.Int("bytes", a.NumBytes()))
}
