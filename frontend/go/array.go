// Package frit has arrays that are computed lazily, operations on them, and compilation of functions of arrays, over
// frit's C library (docs/go.md).
//
// An operation that fails panics with an *Error; Try turns the panic into an error value. Arrays may be used by many
// goroutines at once. Their memory is given back when the garbage collector finds them, by Free, or by a Scope.
package frit

// #include "shims.h"
// static void go_ignore(const char* message, void* data) { (void)message; (void)data; }
// static void go_set_handler(void) { mlx_set_error_handler(go_ignore, NULL, NULL); }
// #cgo LDFLAGS: -lmlxc
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

func init() { C.go_set_handler() }

// Error is the one type that operations panic with.
type Error struct{ Message string }

func (e *Error) Error() string { return e.Message }

// check panics where a call of C gave an error.
func check(message *C.char) {
	if message != nil {
		text := C.GoString(message)
		C.free(unsafe.Pointer(message))
		panic(&Error{text})
	}
}

// Try runs a function and returns the *Error that it panics with. Other panics pass through.
func Try(f func()) (err error) {
	defer func() {
		if e := recover(); e != nil {
			if known, ok := e.(*Error); ok {
				err = known
			} else {
				panic(e)
			}
		}
	}()
	f()
	return nil
}

// Array is an n-dimensional array, computed lazily.
type Array struct {
	ctx  atomic.Pointer[byte] // the handle of C, nil once it is freed
	kept atomic.Int32         // the number of Keep calls less the number of Release calls
}

// wrap takes over a handle of C.
func wrap(h C.mlx_array) *Array {
	a := &Array{}
	a.ctx.Store((*byte)(h.ctx))
	if !register(a) {
		runtime.SetFinalizer(a, (*Array).Free)
	}
	watchMemory()
	return a
}

// handle is the array for a call of C. The caller keeps the array alive until the call has returned.
func (a *Array) handle() C.mlx_array {
	if a == nil {
		panic(&Error{"a nil *Array is an operand"})
	}
	ctx := a.ctx.Load()
	if ctx == nil {
		panic(&Error{"a freed *Array is an operand"})
	}
	return C.mlx_array{ctx: unsafe.Pointer(ctx)}
}

// maybeHandle is the same for an operand that may be nil.
func maybeHandle(a *Array) C.mlx_array {
	if a == nil {
		return C.mlx_array{}
	}
	return a.handle()
}

// Free gives the array's memory back now. Using the array afterwards panics.
func (a *Array) Free() {
	if a == nil {
		return
	}
	if ctx := a.ctx.Swap(nil); ctx != nil {
		C.mlx_array_free(C.mlx_array{ctx: unsafe.Pointer(ctx)})
	}
}

// Valid says whether the array is neither nil nor freed.
func (a *Array) Valid() bool { return a != nil && a.ctx.Load() != nil }

// IsValid is the same as Valid.
func (a *Array) IsValid() bool { return a.Valid() }

// New is an array without a value, which Set gives it. Names are for the reader.
func New(name ...string) *Array {
	a := &Array{}
	runtime.SetFinalizer(a, (*Array).Free)
	return a
}

// Set makes the array the value of other. No other goroutine may use the array meanwhile.
func (a *Array) Set(other *Array) {
	h := C.mlx_array{ctx: unsafe.Pointer(a.ctx.Load())}
	check(C.go_mlx_array_set(&h, other.handle()))
	a.ctx.Store((*byte)(h.ctx))
	runtime.KeepAlive(other)
}

// Clone is another array of the same value; freeing one leaves the other.
func (a *Array) Clone() *Array {
	var r C.mlx_array
	check(C.go_mlx_array_set(&r, a.handle()))
	runtime.KeepAlive(a)
	return wrap(r)
}

// Size is the number of elements.
func (a *Array) Size() int {
	defer runtime.KeepAlive(a)
	return int(C.mlx_array_size(a.handle()))
}

// NumBytes is the number of bytes of all elements.
func (a *Array) NumBytes() int {
	defer runtime.KeepAlive(a)
	return int(C.mlx_array_nbytes(a.handle()))
}

// Nbytes is NumBytes as an int64.
func (a *Array) Nbytes() int64 { return int64(a.NumBytes()) }

// NumDims is the number of axes.
func (a *Array) NumDims() int {
	defer runtime.KeepAlive(a)
	return int(C.mlx_array_ndim(a.handle()))
}

// Ndim is the same as NumDims.
func (a *Array) Ndim() int { return a.NumDims() }

// Dims is the sizes of the axes.
func (a *Array) Dims() []int {
	defer runtime.KeepAlive(a)
	n := a.NumDims()
	dims := make([]int, n)
	if n > 0 {
		for i, size := range unsafe.Slice(C.mlx_array_shape(a.handle()), n) {
			dims[i] = int(size)
		}
	}
	return dims
}

// Shape is the same as Dims.
func (a *Array) Shape() []int { return a.Dims() }

// Strides is the steps along the axes, in elements.
func (a *Array) Strides() []int {
	defer runtime.KeepAlive(a)
	n := a.NumDims()
	steps := make([]int, n)
	if n > 0 {
		for i, step := range unsafe.Slice(C.mlx_array_strides(a.handle()), n) {
			steps[i] = int(C.longlong(step))
		}
	}
	return steps
}

// Dim is the size of one axis; negative axes count from the end. It panics where there is none.
func (a *Array) Dim(axis int) int {
	dims := a.Dims()
	if axis < -len(dims) || axis >= len(dims) {
		panic(&Error{Message: sprintf("Dim: there is no axis %d in an array of %d axes", axis, len(dims))})
	}
	if axis < 0 {
		axis += len(dims)
	}
	return dims[axis]
}

// DType is the element type.
func (a *Array) DType() DType {
	defer runtime.KeepAlive(a)
	return DType(C.mlx_array_dtype(a.handle()))
}

// Dtype is the same as DType.
func (a *Array) Dtype() DType { return a.DType() }

// IsContiguous says whether the elements are dense, the last axis fastest.
func (a *Array) IsContiguous() bool {
	var yes C.bool
	check(C.go__mlx_array_is_row_contiguous(&yes, a.handle()))
	runtime.KeepAlive(a)
	return bool(yes)
}

// Eval computes the value and returns the array.
func (a *Array) Eval() *Array {
	check(C.go_mlx_array_eval(a.handle()))
	runtime.KeepAlive(a)
	return a
}

// String is the elements as text; it evaluates.
func (a *Array) String() string {
	if !a.Valid() {
		return "array(freed)"
	}
	var text C.mlx_string
	check(C.go_mlx_array_tostring(&text, a.handle()))
	runtime.KeepAlive(a)
	return takeString(text)
}

// takeString is a text of C, which it frees.
func takeString(text C.mlx_string) string {
	defer C.mlx_string_free(text)
	return C.GoString(C.mlx_string_data(text))
}

// newVector is a list of C with the arrays.
func newVector(arrays []*Array) C.mlx_vector_array {
	handles := make([]C.mlx_array, len(arrays))
	for i, a := range arrays {
		handles[i] = a.handle()
	}
	var list C.mlx_vector_array
	check(C.go_mlx_vector_array_set_data(&list, pointerTo(handles), C.size_t(len(handles))))
	runtime.KeepAlive(arrays)
	return list
}

func freeVector(list C.mlx_vector_array) { C.mlx_vector_array_free(list) }

// arraysIn is the arrays of a list of C.
func arraysIn(list C.mlx_vector_array) []*Array {
	arrays := make([]*Array, int(C.mlx_vector_array_size(list)))
	for i := range arrays {
		var h C.mlx_array
		check(C.go_mlx_vector_array_get(&h, list, C.size_t(i)))
		arrays[i] = wrap(h)
	}
	return arrays
}

// takeVector is the arrays of a list of C, which it frees.
func takeVector(list C.mlx_vector_array) []*Array {
	defer freeVector(list)
	return arraysIn(list)
}
