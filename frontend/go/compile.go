// Compiled functions, and closures that C calls.

package frit

/*
#include "shims.h"
extern int goClosure(mlx_vector_array* res, mlx_vector_array inputs, void* payload);
extern void goDropClosure(void* payload);
extern void goUnpin(void* payload);
static int go_call(mlx_vector_array* res, const mlx_vector_array inputs, void* payload) {
  return goClosure(res, inputs, payload);
}
static mlx_closure go_new_closure(uintptr_t handle) {
  return mlx_closure_new_func_payload(go_call, (void*)handle, goDropClosure);
}
static char* go_new_borrowed(mlx_array* res, void* data, const int* shape, int dim, mlx_dtype dtype, uintptr_t handle) {
  *res = mlx_array_new_data_managed_payload(data, shape, dim, dtype, (void*)handle, goUnpin);
  return go_error(res->ctx == NULL);
}
// Calls a closure and gives its results: as handles where there is room for them, else in the list `rest`.
static char* go_apply(mlx_closure f, const mlx_array* inputs, size_t size, bool eval, mlx_array* outputs, size_t room,
                      size_t* count, mlx_vector_array* rest) {
  mlx_vector_array in = {0}, out = {0};
  int status = mlx_vector_array_set_data(&in, inputs, size) || mlx_closure_apply(&out, f, in) || (eval && mlx_eval(out));
  *count = status ? 0 : mlx_vector_array_size(out);
  char* message = go_error(status);
  mlx_vector_array_free(in);
  if (*count > room) {
    *rest = out;
    return message;
  }
  for (size_t i = 0; i < *count; ++i) mlx_vector_array_get(&outputs[i], out, i);
  mlx_vector_array_free(out);
  return message;
}
static void go_report(const char* message) { _mlx_error(NULL, 0, "%s", message); }
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"unsafe"
)

// ClosureFunc is a function of arrays that can be compiled.
type ClosureFunc func(inputs []*Array) []*Array

// CompileFunc is a compiled function, or one that Compile takes by name.
type CompileFunc func(inputs ...*Array) []*Array

type compileConfig struct {
	name      string
	shapeless bool
}

// CompileOption is an option of compilation.
type CompileOption func(*compileConfig)

// Shapeless asks for one trace for every shape.
func Shapeless() CompileOption { return func(c *compileConfig) { c.shapeless = true } }

// Name names the function in messages and in generated code.
func Name(name string) CompileOption { return func(c *compileConfig) { c.name = name } }

// closure is a Go function as C calls it.
type closure struct {
	name string
	fn   ClosureFunc
}

//export goClosure
func goClosure(res *C.mlx_vector_array, inputs C.mlx_vector_array, payload unsafe.Pointer) (status C.int) {
	c := cgo.Handle(uintptr(payload)).Value().(*closure)
	s := begin(true)
	defer s.end()
	defer func() {
		if e := recover(); e != nil {
			text := C.CString(sprintf("the Go function %q panics: %v\n%s", c.name, e, debug.Stack()))
			C.go_report(text)
			C.free(unsafe.Pointer(text))
			status = 1
		}
	}()
	results := c.fn(arraysIn(inputs))
	handles := make([]C.mlx_array, len(results))
	for i, a := range results {
		if !a.Valid() {
			panic(&Error{sprintf("result %d of the function is nil or freed", i)})
		}
		handles[i] = a.handle()
	}
	status = C.mlx_vector_array_set_data(res, pointerTo(handles), C.size_t(len(handles)))
	runtime.KeepAlive(results)
	return status
}

//export goDropClosure
func goDropClosure(payload unsafe.Pointer) { cgo.Handle(uintptr(payload)).Delete() }

// newClosure is a closure of C over a Go function; C drops the handle with its last use.
func newClosure(name string, fn ClosureFunc) C.mlx_closure {
	if fn == nil {
		panic(&Error{sprintf("the function %q is nil", name)})
	}
	return C.go_new_closure(C.uintptr_t(cgo.NewHandle(&closure{name, fn})))
}

// InClosureCallback says whether the calling goroutine runs a function that is being traced.
func InClosureCallback() bool {
	for s := currentScope(); s != nil; s = s.outer {
		if s.trace {
			return true
		}
	}
	return false
}

// CompiledFunc is a compiled function. It may be called by many goroutines at once, and inside of the trace of another
// function, whose part it then becomes.
type CompiledFunc struct {
	handle C.mlx_closure
	uses   atomic.Int64 // running calls, and one until Free
	freed  atomic.Bool
}

// acquire keeps the code until release. It panics where the function was freed before.
func (f *CompiledFunc) acquire() {
	for !f.freed.Load() {
		if n := f.uses.Load(); n > 0 && f.uses.CompareAndSwap(n, n+1) {
			return
		}
	}
	panic(&Error{"the compiled function was freed before"})
}

func (f *CompiledFunc) release() {
	if f.uses.Add(-1) == 0 {
		C.mlx_closure_free(f.handle)
	}
}

// Compile compiles a function of arrays: it is traced with the first call for each kind of arguments, and runs as
// machine code from then on.
func Compile(fn ClosureFunc, options ...CompileOption) *CompiledFunc {
	config := compileConfig{name: "compiled"}
	for _, option := range options {
		option(&config)
	}
	plain := newClosure(config.name, fn)
	defer C.mlx_closure_free(plain)
	o := C.frit_compile_options_new()
	defer C.frit_compile_options_free(o)
	name := C.CString(config.name)
	defer C.free(unsafe.Pointer(name))
	C.frit_compile_options_set_name(o, name)
	C.frit_compile_options_set_shapeless(o, C.bool(config.shapeless))
	f := &CompiledFunc{}
	check(C.go_frit_compile(&f.handle, plain, o))
	f.uses.Store(1)
	runtime.SetFinalizer(f, (*CompiledFunc).Free)
	return f
}

// CompileShapeless is Compile with one trace for every shape, or with one for each.
func CompileShapeless(fn ClosureFunc, shapeless bool) *CompiledFunc {
	if shapeless {
		return Compile(fn, Shapeless())
	}
	return Compile(fn)
}

// Call calls the function.
func (f *CompiledFunc) Call(inputs ...*Array) []*Array { return f.call(inputs, false) }

// CallEval calls the function and computes its results.
func (f *CompiledFunc) CallEval(inputs ...*Array) []*Array { return f.call(inputs, true) }

func (f *CompiledFunc) call(inputs []*Array, eval bool) []*Array {
	f.acquire()
	defer f.release()
	var few [8]C.mlx_array
	handles := few[:0]
	for _, a := range inputs {
		handles = append(handles, a.handle())
	}
	outputs := make([]C.mlx_array, 4)
	var count C.size_t
	var rest C.mlx_vector_array
	check(C.go_apply(f.handle, pointerTo(handles), C.size_t(len(handles)), C.bool(eval), &outputs[0], C.size_t(len(outputs)), &count, &rest))
	runtime.KeepAlive(inputs)
	if rest.ctx != nil {
		return takeVector(rest)
	}
	results := make([]*Array, int(count))
	for i := range results {
		results[i] = wrap(outputs[i])
	}
	return results
}

// Explain is the counters of the function and the reason of each trace.
func (f *CompiledFunc) Explain() string {
	f.acquire()
	defer f.release()
	var text C.mlx_string
	check(C.go_frit_explain(&text, f.handle))
	return takeString(text)
}

// Report writes a page that shows what the compiler did for the trace used last, and what a measured run of it cost. A
// path that ends in .json gets the document behind the page alone. It panics where nothing is traced yet, and where the
// file cannot be written.
func (f *CompiledFunc) Report(path string) {
	f.acquire()
	defer f.release()
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	check(C.go_frit_report(f.handle, name))
}

// Stats is counters of a compiled function.
type Stats struct{ Calls, Hits, Traces, Compiles int }

// Stats counts the calls and traces of the function.
func (f *CompiledFunc) Stats() Stats {
	f.acquire()
	defer f.release()
	var s C.frit_function_stats
	check(C.go_frit_stats(&s, f.handle))
	return Stats{int(s.calls), int(s.hits), int(s.traces), int(s.compiles)}
}

// Free drops the function, and its code once no call runs. A function may free itself in its own trace. Later calls
// panic.
func (f *CompiledFunc) Free() {
	if f.freed.Swap(true) {
		return
	}
	runtime.SetFinalizer(f, nil)
	f.release()
}

// CompileNamed compiles a function under a name. It is compiled with the first call, once for all goroutines.
func CompileNamed(name string, fn CompileFunc, options ...CompileOption) CompileFunc {
	compiled := sync.OnceValue(func() *CompiledFunc {
		return Compile(func(inputs []*Array) []*Array { return fn(inputs...) }, append([]CompileOption{Name(name)}, options...)...)
	})
	return func(inputs ...*Array) []*Array { return compiled().Call(inputs...) }
}

// Compile1 compiles a function of one array.
func Compile1(name string, fn func(*Array) *Array, options ...CompileOption) func(*Array) *Array {
	f := CompileNamed(name, func(in ...*Array) []*Array { return []*Array{fn(in[0])} }, options...)
	return func(a *Array) *Array { return f(a)[0] }
}

// Compile2 compiles a function of two arrays.
func Compile2(name string, fn func(*Array, *Array) *Array, options ...CompileOption) func(*Array, *Array) *Array {
	f := CompileNamed(name, func(in ...*Array) []*Array { return []*Array{fn(in[0], in[1])} }, options...)
	return func(a, b *Array) *Array { return f(a, b)[0] }
}

// Compile3 compiles a function of three arrays.
func Compile3(name string, fn func(*Array, *Array, *Array) *Array, options ...CompileOption) func(*Array, *Array, *Array) *Array {
	f := CompileNamed(name, func(in ...*Array) []*Array { return []*Array{fn(in[0], in[1], in[2])} }, options...)
	return func(a, b, c *Array) *Array { return f(a, b, c)[0] }
}

// EnableCompile makes compiled functions run compiled code.
func EnableCompile() { check(C.go_mlx_enable_compile()) }

// DisableCompile makes compiled functions call the Go function itself.
func DisableCompile() { check(C.go_mlx_disable_compile()) }

// SetCompileMode chooses the work of compiled functions: 0 disabled, 1 without simplification, 2 without fusion, 3 all.
func SetCompileMode(mode int) { check(C.go_mlx_set_compile_mode(C.mlx_compile_mode(mode))) }

// Borrow is an array on the values themselves, without a copy. The slice must not be changed while the array or a value
// that was computed from it is in use; it stays where it is until then.
func Borrow[T Element](data []T, shape ...int) *Array {
	if len(shape) == 0 {
		shape = []int{len(data)}
	}
	checkCount("Borrow", len(data), shape)
	return borrow(unsafe.Pointer(pointerTo(data)), len(data), DTypeOf[T](), shape)
}

func borrow(data unsafe.Pointer, count int, d DType, shape []int) *Array {
	sizes := intsOfC(shape)
	var r C.mlx_array
	if count == 0 {
		check(C.go_mlx_array_set_data(&r, nil, pointerTo(sizes), C.int(len(sizes)), C.mlx_dtype(d)))
		return wrap(r)
	}
	pinner := new(runtime.Pinner)
	pinner.Pin(data)
	check(C.go_new_borrowed(&r, data, pointerTo(sizes), C.int(len(sizes)), C.mlx_dtype(d), C.uintptr_t(cgo.NewHandle(pinner))))
	return wrap(r)
}

//export goUnpin
func goUnpin(payload unsafe.Pointer) {
	handle := cgo.Handle(uintptr(payload))
	handle.Value().(*runtime.Pinner).Unpin()
	handle.Delete()
}
