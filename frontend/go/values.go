// Element types, and the passage of numbers between Go and C.

package frit

// #include "shims.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"strings"
	"unsafe"
)

func sprintf(format string, values ...any) string { return fmt.Sprintf(format, values...) }

// DType is an element type.
type DType int

// Dtype is the same as DType.
type Dtype = DType

// The element types.
const (
	Bool DType = iota
	Uint8
	Uint16
	Uint32
	Uint64
	Int8
	Int16
	Int32
	Int64
	Float16
	Float32
	Float64
	BFloat16
	Complex64
)

var dtypeNames = []string{"bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float16",
	"float32", "float64", "bfloat16", "complex64"}

// shortNames are those of .safetensors files.
var shortNames = []string{"BOOL", "U8", "U16", "U32", "U64", "I8", "I16", "I32", "I64", "F16", "F32", "F64", "BF16", "C64"}

func (d DType) String() string {
	if d < 0 || int(d) >= len(dtypeNames) {
		return fmt.Sprintf("DType(%d)", int(d))
	}
	return dtypeNames[d]
}

// ItemSize is the bytes of an element.
func (d DType) ItemSize() int64 { return int64(C.mlx_dtype_size(C.mlx_dtype(d))) }

// IsInteger says whether it is a type of integers or bool.
func (d DType) IsInteger() bool { return d >= Bool && d <= Int64 }

// UnmarshalJSON reads the name of a type: "float32", or "F32" as in .safetensors files.
func (d *DType) UnmarshalJSON(b []byte) error {
	var name string
	if err := json.Unmarshal(b, &name); err != nil {
		return err
	}
	for i := range dtypeNames {
		if strings.EqualFold(name, dtypeNames[i]) || strings.EqualFold(name, shortNames[i]) {
			*d = DType(i)
			return nil
		}
	}
	return fmt.Errorf("there is no element type %q", name)
}

// F16 and BF16 are the bits of 16-bit floats.
type (
	F16  uint16
	BF16 uint16
)

// Float32 is the number.
func (b BF16) Float32() float32 { return math.Float32frombits(uint32(b) << 16) }

// Float32 is the number.
func (h F16) Float32() float32 {
	sign, exponent, fraction := uint32(h&0x8000)<<16, uint32(h>>10)&31, uint32(h)&1023
	switch {
	case exponent == 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	case exponent == 0:
		small := float32(fraction) / (1 << 24)
		if sign != 0 {
			small = -small
		}
		return small
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}

// The element types under the names that other Go packages over MLX give them.
const (
	DTypeBool      = Bool
	DTypeUint8     = Uint8
	DTypeUint16    = Uint16
	DTypeUint32    = Uint32
	DTypeUint64    = Uint64
	DTypeInt8      = Int8
	DTypeInt16     = Int16
	DTypeInt32     = Int32
	DTypeInt64     = Int64
	DTypeFloat16   = Float16
	DTypeFloat32   = Float32
	DTypeFloat64   = Float64
	DTypeBFloat16  = BFloat16
	DTypeComplex64 = Complex64
)

// Element is a Go type that an array's elements can have, or a type of a program that is one of these underneath. F16
// and BF16 are the bits of halves; other types over uint16 are integers.
type Element interface {
	~bool | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int8 | ~int16 | ~int32 | ~int64 | ~float32 | ~float64 | ~complex64
}

var dtypeOfKind = map[reflect.Kind]DType{
	reflect.Bool: Bool, reflect.Uint8: Uint8, reflect.Uint16: Uint16, reflect.Uint32: Uint32, reflect.Uint64: Uint64,
	reflect.Int8: Int8, reflect.Int16: Int16, reflect.Int32: Int32, reflect.Int64: Int64, reflect.Float32: Float32,
	reflect.Float64: Float64, reflect.Complex64: Complex64,
}

// DTypeOf is the element type of a Go type.
func DTypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case float32:
		return Float32
	case F16:
		return Float16
	case BF16:
		return BFloat16
	}
	return dtypeOfKind[reflect.TypeOf(zero).Kind()]
}

// pointerTo is the first element's place, or nil.
func pointerTo[T any](list []T) *T {
	if len(list) == 0 {
		return nil
	}
	return &list[0]
}

// Integer is a type of sizes and positions. Functions that other Go packages over MLX give int32 take all of them.
type Integer interface{ ~int | ~int32 | ~int64 }

func ints[I Integer](list []I) []int {
	numbers := make([]int, len(list))
	for i, n := range list {
		numbers[i] = int(n)
	}
	return numbers
}

func intsOfC(list []int) []C.int {
	numbers := make([]C.int, len(list))
	for i, n := range list {
		if n > math.MaxInt32 || n < math.MinInt32 {
			panic(&Error{sprintf("%d does not fit into 32 bits", n)})
		}
		numbers[i] = C.int(n)
	}
	return numbers
}

func longsOfC(list []int64) []C.int64_t {
	numbers := make([]C.int64_t, len(list))
	for i, n := range list {
		numbers[i] = C.int64_t(n)
	}
	return numbers
}

// optionalInt takes 0 for an absent number.
func optionalInt(n int) C.mlx_optional_int {
	return C.mlx_optional_int{value: C.int(n), has_value: C.bool(n != 0)}
}

func optionalFloat(f *float32) C.mlx_optional_float {
	if f == nil {
		return C.mlx_optional_float{}
	}
	return C.mlx_optional_float{value: C.float(*f), has_value: true}
}

func optionalDType(d *DType) C.mlx_optional_dtype {
	if d == nil {
		return C.mlx_optional_dtype{}
	}
	return C.mlx_optional_dtype{value: C.mlx_dtype(*d), has_value: true}
}

// FFTNorm says which direction of a transform is divided by its size.
type FFTNorm int

// The norms of transforms.
const (
	FFTBackward FFTNorm = iota
	FFTOrtho
	FFTForward
)

// checkCount panics unless a list has as many values as a shape. An empty shape and one value is a scalar.
func checkCount(name string, count int, shape []int) {
	size := 1
	for _, n := range shape {
		size *= n
	}
	if size != count {
		panic(&Error{sprintf("%s: %d values do not fill the shape %v", name, count, shape)})
	}
}

// FromSlice is an array with a copy of the values, in row-major order. Without a shape it has one axis.
func FromSlice[T Element](data []T, shape ...int) *Array {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	checkCount("FromSlice", len(data), shape)
	sizes := intsOfC(shape)
	var r C.mlx_array
	check(C.go_mlx_array_set_data(&r, unsafe.Pointer(pointerTo(data)), pointerTo(sizes), C.int(len(sizes)), C.mlx_dtype(DTypeOf[T]())))
	return wrap(r)
}

// FromValues is the same as FromSlice.
func FromValues[S ~[]T, T Element](values S, shape ...int) *Array { return FromSlice(values, shape...) }

// FromValue is a scalar. An int makes an int32.
func FromValue[T Element | ~int](value T) *Array {
	switch v := any(value).(type) {
	case float32:
		return scalar(Float32, unsafe.Pointer(&value))
	case F16:
		return scalar(Float16, unsafe.Pointer(&v))
	case BF16:
		return scalar(BFloat16, unsafe.Pointer(&v))
	}
	v := reflect.ValueOf(value)
	if v.Kind() != reflect.Int {
		return scalar(dtypeOfKind[v.Kind()], unsafe.Pointer(&value))
	}
	if v.Int() > math.MaxInt32 || v.Int() < math.MinInt32 {
		panic(&Error{sprintf("FromValue: %d does not fit into int32; pass an int64", v.Int())})
	}
	small := int32(v.Int())
	return scalar(Int32, unsafe.Pointer(&small))
}

func scalar(d DType, value unsafe.Pointer) *Array {
	var r C.mlx_array
	check(C.go_mlx_array_set_data(&r, value, nil, 0, C.mlx_dtype(d)))
	return wrap(r)
}

// Data is a copy of the elements in row-major order; it evaluates. It panics where T is not the element type.
func Data[T Element](a *Array) []T {
	if a.DType() != DTypeOf[T]() {
		panic(&Error{sprintf("Data: the array has the type %v, not %v", a.DType(), DTypeOf[T]())})
	}
	dense := a
	if a.Eval(); !a.IsContiguous() {
		dense = Contiguous(a, false).Eval()
		defer dense.Free()
	}
	values := make([]T, a.Size())
	if len(values) > 0 {
		copy(values, unsafe.Slice((*T)(unsafe.Pointer(C.mlx_array_data_uint8(dense.handle()))), len(values)))
	}
	runtime.KeepAlive(dense)
	return values
}

// Item is the only element of an array; it evaluates. It panics where T is not the element type.
func Item[T Element](a *Array) T {
	if a.Size() != 1 {
		panic(&Error{sprintf("Item: the array has %d elements, not one", a.Size())})
	}
	return Data[T](a)[0]
}
