// Element types, and the passage of numbers between Go and C.

package frit

// #include "shims.h"
import "C"

import (
	"encoding/json"
	"fmt"
	"math"
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

// Element is a Go type that an array's elements can have.
type Element interface {
	bool | uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32 | int64 | F16 | float32 | float64 | BF16 | complex64
}

// DTypeOf is the element type of a Go type.
func DTypeOf[T Element]() DType {
	var zero T
	switch any(zero).(type) {
	case bool:
		return Bool
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint64:
		return Uint64
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case int64:
		return Int64
	case F16:
		return Float16
	case float32:
		return Float32
	case float64:
		return Float64
	case BF16:
		return BFloat16
	}
	return Complex64
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

// FromValue is a scalar.
func FromValue[T Element](value T) *Array { return scalar(DTypeOf[T](), unsafe.Pointer(&value)) }

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
