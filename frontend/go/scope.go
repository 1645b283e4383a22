// Memory of arrays: scopes, arrays that outlive them, and the pace of the garbage collector.

package frit

// #include "shims.h"
import "C"

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
)

// A scope is the arrays that one goroutine has made since it began. The goroutine holds its thread meanwhile, so that
// the thread's number finds the scope.
type scope struct {
	outer  *scope
	arrays []*Array
	trace  bool // of a closure that C calls
}

var (
	scopes      sync.Map // thread number -> *scope
	scopesCount atomic.Int32
)

// currentScope is the innermost scope of the calling goroutine, or nil.
func currentScope() *scope {
	if scopesCount.Load() == 0 {
		return nil
	}
	if s, ok := scopes.Load(syscall.Gettid()); ok {
		return s.(*scope)
	}
	return nil
}

// begin opens a scope; end closes it and frees its arrays that nobody keeps.
func begin(trace bool) *scope {
	runtime.LockOSThread()
	s := &scope{outer: currentScope(), trace: trace}
	scopesCount.Add(1)
	scopes.Store(syscall.Gettid(), s)
	return s
}

func (s *scope) end() {
	s.free(nil)
	if s.outer != nil {
		// Kept arrays pass to the scope around.
		s.outer.arrays = append(s.outer.arrays, s.arrays...)
		scopes.Store(syscall.Gettid(), s.outer)
	} else {
		for _, a := range s.arrays {
			runtime.SetFinalizer(a, (*Array).Free)
		}
		scopes.Delete(syscall.Gettid())
	}
	scopesCount.Add(-1)
	runtime.UnlockOSThread()
}

// free frees the arrays that are neither kept nor among the outputs.
func (s *scope) free(outputs []*Array) {
	spared := make(map[*Array]bool, len(outputs))
	for _, a := range outputs {
		spared[a] = true
	}
	left := s.arrays[:0]
	for _, a := range s.arrays {
		if spared[a] || a.kept.Load() > 0 {
			left = append(left, a)
		} else {
			a.Free()
		}
	}
	clear(s.arrays[len(left):])
	s.arrays = left
}

// register puts a new array into the scope of the calling goroutine, if there is one. The scope then frees it.
func register(a *Array) bool {
	s := currentScope()
	if s == nil {
		return false
	}
	s.arrays = append(s.arrays, a)
	return true
}

// Scope runs a function and then frees the arrays that it made, but for those that it gave to Keep. The goroutine holds
// its thread meanwhile; arrays that other goroutines make are not of the scope.
func Scope(f func()) {
	s := begin(false)
	defer s.end()
	f()
}

// Keep lets arrays outlive every scope, until Release or Free. It returns the first one.
func Keep(arrays ...*Array) *Array {
	for _, a := range arrays {
		if a != nil {
			a.kept.Add(1)
		}
	}
	if len(arrays) == 0 {
		return nil
	}
	return arrays[0]
}

// Pin is the same as Keep.
func Pin(arrays ...*Array) { Keep(arrays...) }

// Release takes one Keep of each array back; in a scope they are freed at its end.
func Release(arrays ...*Array) {
	for _, a := range arrays {
		if a == nil {
			continue
		}
		for n := a.kept.Load(); n > 0; n = a.kept.Load() {
			if a.kept.CompareAndSwap(n, n-1) {
				break
			}
		}
	}
}

// Unpin is the same as Release.
func Unpin(arrays ...*Array) { Release(arrays...) }

// Kept says whether the array outlives scopes.
func (a *Array) Kept() bool { return a != nil && a.kept.Load() > 0 }

// Sweep frees the arrays of the current scope that nobody keeps. Outside of scopes it runs the garbage collector.
func Sweep() {
	if s := currentScope(); s != nil {
		s.free(nil)
		return
	}
	runtime.GC()
}

// ReleaseAll is the same as Sweep.
func ReleaseAll() { Sweep() }

// Eval computes the values of arrays, but for those that are nil or freed, and returns them. In a scope it then frees
// the other arrays of the scope that nobody keeps.
func Eval(outputs ...*Array) []*Array {
	list := newVector(valid(outputs))
	defer freeVector(list)
	check(C.go_mlx_eval(list))
	if s := currentScope(); s != nil && !s.trace {
		s.free(outputs)
	}
	return outputs
}

// AsyncEval starts the computation of arrays and returns.
func AsyncEval(outputs ...*Array) {
	list := newVector(valid(outputs))
	defer freeVector(list)
	check(C.go_mlx_async_eval(list))
}

// valid leaves nil and freed arrays out.
func valid(arrays []*Array) []*Array {
	some := make([]*Array, 0, len(arrays))
	for _, a := range arrays {
		if a.Valid() {
			some = append(some, a)
		}
	}
	return some
}

// The garbage collector sees handles of a few bytes, and not the memory behind them. watchMemory runs it when that has
// grown by half and by many bytes since the last time.
const (
	watchEvery = 256
	watchStep  = 256 << 20
)

var watched struct {
	count    atomic.Int64
	baseline atomic.Int64
	busy     atomic.Bool
}

func watchMemory() {
	if watched.count.Add(1)%watchEvery != 0 {
		return
	}
	active, before := int64(ActiveMemory()), watched.baseline.Load()
	if active < before {
		watched.baseline.Store(active)
	} else if active > before+before/2+watchStep && watched.busy.CompareAndSwap(false, true) {
		go func() {
			runtime.GC()
			watched.baseline.Store(int64(ActiveMemory()))
			watched.busy.Store(false)
		}()
	}
}
