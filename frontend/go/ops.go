// Operations in the forms that programs use most, over the generated ones.

package frit

// Zeros is an array of zeros.
func Zeros(dtype DType, shape ...int) *Array { return zeros(shape, dtype) }

// ZerosF32 is an array of zeros of type float32.
func ZerosF32[I Integer](shape []I) *Array { return zeros(ints(shape), Float32) }

// ZerosLike is an array of zeros of the same type, with the same shape unless one is given.
func ZerosLike(a *Array, shape ...int) *Array {
	if len(shape) == 0 {
		return zerosLike(a)
	}
	return zeros(shape, a.DType())
}

// Ones is an array of ones of type float32.
func Ones(shape ...int) *Array { return ones(shape, Float32) }

// Full is an array of one float32 value.
func Full(value float32, shape ...int) *Array { return FullDtype(value, Float32, shape...) }

// FullDtype is an array of one value.
func FullDtype(value float32, dtype DType, shape ...int) *Array {
	v := FromValue(value)
	defer v.Free()
	return full(shape, v, dtype)
}

// NewScalarArray is a scalar of type float32.
func NewScalarArray(value float32) *Array { return FromValue(value) }

// NewArray is an array of float32 values.
func NewArray[I Integer](data []float32, shape []I) *Array { return newArray(data, ints(shape)) }

// NewArrayFloat32 is the same as NewArray.
func NewArrayFloat32[I Integer](data []float32, shape []I) *Array {
	return newArray(data, ints(shape))
}

// NewArrayInt32 is an array of int32 values.
func NewArrayInt32[I Integer](data []int32, shape []I) *Array { return newArray(data, ints(shape)) }

func newArray[T Element](data []T, shape []int) *Array {
	if len(shape) == 0 && len(data) == 1 {
		return FromValue(data[0])
	}
	return FromSlice(data, shape...)
}

// NewArrayFromBytes is an array of any type from its bytes in row-major order.
func NewArrayFromBytes[I Integer](data []byte, shape []I, dtype DType) *Array {
	width := int(dtype.ItemSize())
	checkCount("NewArrayFromBytes", len(data), append([]int{width}, ints(shape)...))
	flat := FromSlice(data)
	defer flat.Free()
	typed := view(flat, dtype)
	if dtype == Bool {
		typed.Free()
		typed = AsType(flat, Bool)
	}
	defer typed.Free()
	return reshape(typed, ints(shape))
}

// Arange is the numbers from start, step apart, below stop, as float32.
func Arange(start, stop, step float32) *Array {
	return arange(float64(start), float64(stop), float64(step), Float32)
}

// ArangeInt is the same for integers, of any type.
func ArangeInt[I Integer](start, stop, step I, dtype DType) *Array {
	return arange(float64(start), float64(stop), float64(step), dtype)
}

// Linspace is a number of float32 values from start to stop, both included.
func Linspace[I Integer](start, stop float32, steps I) *Array {
	return linspace(float64(start), float64(stop), int(steps), Float32)
}

// Tri is a matrix of ones up to the k-th diagonal, and zeros.
func Tri[I Integer](n, m I, k int) *Array { return tri(int(n), int(m), k, Float32) }

// View is the same bytes as another type.
func View(a *Array, dtype DType) *Array { return view(a, dtype) }

// Contiguous is the array with dense elements, the last axis fastest, or the first one too where that is allowed.
func Contiguous(a *Array, allowColMajor bool) *Array { return contiguous(a, allowColMajor) }

// ToBFloat16 is the array as bfloat16.
func ToBFloat16(a *Array) *Array { return AsType(a, BFloat16) }

// Reshape is the same elements in another shape; one size may be -1.
func Reshape[I Integer](a *Array, shape ...I) *Array { return reshape(a, ints(shape)) }

// Transpose is the array with its axes in another order, reversed without one.
func Transpose(a *Array, axes ...int) *Array {
	if len(axes) == 0 {
		return transpose(a)
	}
	return transposeAxes(a, axes)
}

// Flatten is the array with one axis.
func Flatten(a *Array) *Array { return flatten(a, 0, -1) }

// FlattenRange joins the axes from start to end.
func FlattenRange(a *Array, start, end int) *Array { return flatten(a, start, end) }

// Tile is copies of the array beside each other.
func Tile[I Integer](a *Array, reps []I) *Array { return tile(a, ints(reps)) }

// Concat joins two arrays along an axis.
func Concat(a, b *Array, axis int) *Array { return Concatenate([]*Array{a, b}, axis) }

func withStrides(n int) []int {
	steps := make([]int, n)
	for i := range steps {
		steps[i] = 1
	}
	return steps
}

// SliceStartStop is the elements from start to stop, along each axis.
func SliceStartStop[I Integer](a *Array, start, stop []I) *Array {
	return slice(a, ints(start), ints(stop), withStrides(len(start)))
}

// SliceStride is the same with steps.
func SliceStride[I Integer](a *Array, start, stop, steps []I) *Array {
	return slice(a, ints(start), ints(stop), ints(steps))
}

// SliceAxis is the elements from start to stop along one axis.
func SliceAxis[I Integer](a *Array, axis int, start, stop I) *Array {
	ranges := make([]Range, a.NumDims())
	if axis < 0 {
		axis += len(ranges)
	}
	if axis < 0 || axis >= len(ranges) {
		panic(&Error{sprintf("SliceAxis: there is no axis %d in an array of %d axes", axis, len(ranges))})
	}
	ranges[axis] = Slice(int(start), int(stop))
	return a.Slice(ranges...)
}

// SliceUpdate is the array with the elements from start to stop replaced.
func SliceUpdate[I Integer](a, update *Array, start, stop []I) *Array {
	return sliceUpdate(a, update, ints(start), ints(stop), withStrides(len(start)))
}

// SliceUpdateInplace is SliceUpdate, which makes the name a the result too.
func SliceUpdateInplace[I Integer](a, update *Array, start, stop []I) *Array {
	a.Set(SliceUpdate(a, update, start, stop))
	return a
}

// Range is the part of one axis: all of it, one element, or the elements from start to stop.
type Range struct {
	values []int
}

// Slice is a part of an axis: Slice() all, Slice(i) the element i with the axis kept, Slice(start, stop) and
// Slice(start, stop, step). Negative positions count from the end.
func Slice(values ...int) Range {
	if len(values) > 3 {
		panic(&Error{sprintf("Slice: %d numbers, but a part has at most three", len(values))})
	}
	return Range{values}
}

func partsOf(a *Array, ranges []Range) (start, stop, steps []int) {
	dims := a.Dims()
	if len(ranges) > len(dims) {
		panic(&Error{sprintf("Slice: %d parts for an array of %d axes", len(ranges), len(dims))})
	}
	start, stop, steps = make([]int, len(dims)), dims, withStrides(len(dims))
	for axis, r := range ranges {
		size := dims[axis]
		switch len(r.values) {
		case 1:
			at := r.values[0]
			if at < 0 {
				at += size
			}
			if at < 0 || at >= size {
				panic(&Error{sprintf("Slice: there is no position %d on axis %d, which has %d", r.values[0], axis, size)})
			}
			start[axis], stop[axis] = at, at+1
		case 2, 3:
			// The operation counts negative numbers from the end; one beyond either end stands for all of them.
			start[axis], stop[axis] = min(max(r.values[0], -size-1), size), min(max(r.values[1], -size-1), size)
			if len(r.values) == 3 {
				steps[axis] = r.values[2]
			}
		}
	}
	return start, stop, steps
}

// Slice is a part of the array; axes without a Range stay whole.
func (a *Array) Slice(ranges ...Range) *Array {
	start, stop, steps := partsOf(a, ranges)
	return slice(a, start, stop, steps)
}

// SliceUpdate is the array with a part replaced.
func (a *Array) SliceUpdate(other *Array, ranges ...Range) *Array {
	start, stop, steps := partsOf(a, ranges)
	return sliceUpdate(a, other, start, stop, steps)
}

// Pad adds zeros before and after the elements: two numbers for each axis.
func Pad[I Integer](a *Array, paddings []I) *Array {
	axes, low, high := []int{}, []int{}, []int{}
	for i := 0; i+1 < len(paddings); i += 2 {
		axes, low, high = append(axes, i/2), append(low, int(paddings[i])), append(high, int(paddings[i+1]))
	}
	return PadConstant(a, axes, low, high)
}

// PadConstant adds zeros before and after the elements of some axes.
func PadConstant(a *Array, axes, low, high []int) *Array {
	zero := zeros(nil, a.DType())
	defer zero.Free()
	return PadMode(a, axes, low, high, zero, "constant")
}

// PadMode adds a value, or the edge where the mode is "edge", before and after the elements of some axes.
func PadMode(a *Array, axes, low, high []int, value *Array, mode string) *Array {
	return pad(a, axes, low, high, value, mode)
}

// Sub, Mul, Div, Neg and Pow are Subtract, Multiply, Divide, Negative and Power.
func Sub(a, b *Array) *Array { return Subtract(a, b) }
func Mul(a, b *Array) *Array { return Multiply(a, b) }
func Div(a, b *Array) *Array { return Divide(a, b) }
func Neg(a *Array) *Array    { return Negative(a) }
func Pow(a, b *Array) *Array { return Power(a, b) }

// AddRaw is the same as Add.
func AddRaw(a, b *Array) *Array { return Add(a, b) }

// LessArray is the same as Less.
func LessArray(a, b *Array) *Array { return Less(a, b) }

// with calls an operation with a scalar of the array's own type, so that the type stays. An array of integers gives
// what MLX's promotion gives, float32.
func with(f func(a, b *Array) *Array, a *Array, value float32) *Array {
	b := FromValue(value)
	defer b.Free()
	if !a.DType().IsInteger() {
		own := AsType(b, a.DType())
		defer own.Free()
		b = own
	}
	return f(a, b)
}

// withInteger is the same for an integer, which keeps the type of every array but those of bool.
func withInteger(f func(a, b *Array) *Array, a *Array, value int) *Array {
	wide := FromValue(int64(value))
	defer wide.Free()
	dtype := a.DType()
	if dtype == Bool {
		dtype = Int32
	}
	own := AsType(wide, dtype)
	defer own.Free()
	return f(a, own)
}

// AddScalar, MulScalar and DivScalar keep the type of an array of floats; integers become float32. DivScalarInt and
// FloorDivideScalar divide by an integer.
func AddScalar(a *Array, s float32) *Array              { return with(Add, a, s) }
func MulScalar(a *Array, s float32) *Array              { return with(Multiply, a, s) }
func DivScalar(a *Array, s float32) *Array              { return with(Divide, a, s) }
func DivScalarInt[I Integer](a *Array, s I) *Array      { return withInteger(Divide, a, int(s)) }
func FloorDivideScalar[I Integer](a *Array, s I) *Array { return withInteger(FloorDivide, a, int(s)) }
func LessScalar(a *Array, s float32) *Array             { return with(Less, a, s) }
func maximumScalar(a *Array, s float32) *Array          { return with(Maximum, a, s) }
func minimumScalar(a *Array, s float32) *Array          { return with(Minimum, a, s) }

// Clamp limits the elements.
func Clamp(a *Array, low, high float32) *Array { return ClipScalar(a, low, high, true, true) }

// ClipScalar limits the elements on the sides that are asked for.
func ClipScalar(a *Array, low, high float32, hasLow, hasHigh bool) *Array {
	if hasLow {
		a = maximumScalar(a, low)
	}
	if hasHigh {
		a = minimumScalar(a, high)
	}
	return a
}

// ReduceMax is the largest of all elements.
func ReduceMax(a *Array) *Array { return MaxAll(a, false) }

// ArgmaxKeepArray is the position of the largest element of each row, the axis kept.
func ArgmaxKeepArray(logits *Array) *Array { return Argmax(logits, -1, true) }

// SampleArgmax is the position of the largest element of all; it evaluates.
func SampleArgmax(logits *Array) int {
	at := ArgmaxAll(logits, false)
	defer at.Free()
	return at.Int()
}

// Softmax is the exponentials of each row along an axis, over their sum.
func Softmax(a *Array, axis int) *Array { return softmaxAxis(a, axis, true) }

// SoftmaxAxis is Softmax with a choice of precision.
func SoftmaxAxis(a *Array, axis int, precise bool) *Array { return softmaxAxis(a, axis, precise) }

// Cumsum is the running sums along an axis.
func Cumsum(a *Array, axis int) *Array { return cumsum(a, axis, false, true) }

// AllClose says whether all elements are equal within tolerances, AllCloseEqualNaN with NaN equal to NaN; IsClose and
// ArrayEqual likewise.
func AllClose(a, b *Array, rtol, atol float64) *Array { return allClose(a, b, rtol, atol, false) }
func AllCloseEqualNaN(a, b *Array, rtol, atol float64) *Array {
	return allClose(a, b, rtol, atol, true)
}
func IsClose(a, b *Array, rtol, atol float64) *Array         { return isClose(a, b, rtol, atol, false) }
func IsCloseEqualNaN(a, b *Array, rtol, atol float64) *Array { return isClose(a, b, rtol, atol, true) }
func ArrayEqual(a, b *Array) *Array                          { return arrayEqual(a, b, false) }
func ArrayEqualNaN(a, b *Array) *Array                       { return arrayEqual(a, b, true) }

// BroadcastTo repeats the array along axes of size 1 and along new leading axes.
func BroadcastTo[I Integer](a *Array, shape []I) *Array { return broadcastTo(a, ints(shape)) }

// Gather is the rows of a at indices.
func Gather(a, indices *Array) *Array { return Take(a, indices, 0) }

// EmbeddingLookup is the rows of a table at indices.
func EmbeddingLookup(table, indices *Array) *Array { return Take(table, indices, 0) }

// Quantize packs a matrix into integers of few bits with a scale, and in the mode "affine" a bias, for each group.
func Quantize(w *Array, groupSize, bits int, mode string) (weights, scales, biases *Array) {
	parts := quantize(w, groupSize, bits, mode, nil)
	if len(parts) > 2 {
		biases = parts[2]
	}
	return parts[0], parts[1], biases
}

// Dequantize unpacks what Quantize has packed.
func Dequantize(w, scales, biases *Array, groupSize, bits int, mode string, globalScale ...*Array) *Array {
	var scale *Array
	if len(globalScale) > 0 {
		scale = globalScale[0]
	}
	return dequantize(w, scales, biases, groupSize, bits, mode, scale, nil)
}
