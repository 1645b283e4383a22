package frit

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCompile(t *testing.T) {
	calls := 0
	f := Compile(func(in []*Array) []*Array {
		calls++
		if !InClosureCallback() {
			t.Error("not in a trace")
		}
		return []*Array{Add(Exp(in[0]), in[1]), Sum(in[0], 0, false)}
	}, Name("two"))
	for i := 0; i < 3; i++ {
		out := f.Call(FromSlice([]float32{0, 0}), FromSlice([]float32{1, 2}))
		equal(t, out[0].Floats(), []float32{2, 3})
		equal(t, out[1].Floats(), []float32{0})
	}
	if calls != 1 || InClosureCallback() {
		t.Fatalf("%d traces", calls)
	}
	f.CallEval(Ones(3), Ones(3))
	if s := f.Stats(); calls != 2 || s.Traces != 2 || s.Calls != 4 || !strings.Contains(f.Explain(), "two") {
		t.Fatal(f.Explain())
	}
	page := filepath.Join(t.TempDir(), "page.html")
	f.Report(page)
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "frit-report") {
		t.Fatal(err)
	}
	if Try(func() { f.Report(filepath.Join(page, "below.html")) }) == nil {
		t.Fatal("a page below a file")
	}
	f.Free()
	if Try(func() { f.Call(Ones(3), Ones(3)) }) == nil {
		t.Fatal("a freed function")
	}
}

func TestFreeWhileCallsRun(t *testing.T) {
	var own *CompiledFunc
	own = Compile(func(in []*Array) []*Array { own.Free(); own.Free(); return []*Array{Add(in[0], in[0])} })
	if got := own.Call(Ones(2))[0].Floats(); got[0] != 2 {
		t.Fatal(got)
	}
	if Try(func() { own.Stats() }) == nil {
		t.Fatal("a function that freed itself")
	}
	f := Compile(func(in []*Array) []*Array { return []*Array{Add(in[0], in[0])} })
	var calls sync.WaitGroup
	for i := 0; i < 8; i++ {
		calls.Add(1)
		go func() {
			defer calls.Done()
			for {
				var got []float32
				if Try(func() { got = f.Call(Ones(2))[0].Floats() }) != nil {
					return
				}
				if got[1] != 2 {
					t.Error(got)
				}
			}
		}()
	}
	time.Sleep(20 * time.Millisecond)
	f.Free()
	calls.Wait()
}

func TestShapeless(t *testing.T) {
	calls := 0
	double := func(in []*Array) []*Array { calls++; return []*Array{Add(in[0], in[0])} }
	for _, f := range []*CompiledFunc{CompileShapeless(double, true), Compile(double, Shapeless())} {
		calls = 0
		f.Call(Ones(2))
		equal(t, f.Call(Ones(3))[0].Floats(), []float32{2, 2, 2})
		if calls != 1 {
			t.Fatalf("%d traces", calls)
		}
	}
}

func TestNested(t *testing.T) {
	traces := 0
	inner := Compile2("inner", func(a, b *Array) *Array { traces++; return Multiply(a, b) })
	outer := Compile3("outer", func(a, b, c *Array) *Array { return Add(inner(a, b), c) })
	for i := 0; i < 2; i++ {
		equal(t, outer(Ones(2), MulScalar(Ones(2), 3), Ones(2)).Floats(), []float32{4, 4})
	}
	if traces != 1 {
		t.Fatalf("%d traces", traces)
	}
	many := CompileNamed("many", func(in ...*Array) []*Array { return in })
	if len(many(Ones(1), Ones(2))) != 2 || len(many(Ones(1), Ones(2), Ones(3), Ones(4), Ones(5))) != 5 || len(many()) != 0 {
		t.Fatal("results")
	}
}

func TestScratchOfATraceIsFreed(t *testing.T) {
	var scratch *Array
	f := Compile1("scratch", func(a *Array) *Array {
		scratch = Exp(a)
		return Add(scratch, a)
	})
	f(Ones(2))
	if scratch.Valid() {
		t.Fatal("the array lives on")
	}
}

func TestPanicInAClosure(t *testing.T) {
	f := Compile1("broken", func(a *Array) *Array { panic("on purpose") })
	err := Try(func() { f(Ones(2)) })
	if err == nil || !strings.Contains(err.Error(), `"broken"`) || !strings.Contains(err.Error(), "on purpose") ||
		!strings.Contains(err.Error(), "compile_test.go") {
		t.Fatal(err)
	}
	g := Compile1("bad_shapes", func(a *Array) *Array { return Add(a, Ones(3)) })
	if err = Try(func() { g(Ones(2)) }); err == nil || !strings.Contains(err.Error(), "mlx_add") {
		t.Fatal(err)
	}
	if err = Try(func() { Compile(nil) }); err == nil {
		t.Fatal("a nil function")
	}
}

func TestResultsOfAClosureAreArrays(t *testing.T) {
	freed := Ones(2)
	freed.Free()
	for _, result := range []*Array{nil, freed} {
		f := Compile1("gives", func(x *Array) *Array { return result })
		err := Try(func() { f(Ones(2)) })
		if err == nil || !strings.Contains(err.Error(), "result 0 of the function is nil or freed") {
			t.Fatal(err)
		}
	}
}

func TestClosuresAreDropped(t *testing.T) {
	dropped := make(chan bool, 1)
	func() {
		token := new([64]byte)
		runtime.SetFinalizer(token, func(*[64]byte) { dropped <- true })
		f := Compile(func(in []*Array) []*Array { _ = token[0]; return in })
		f.Call(Ones(2))
		f.Free()
	}()
	for i := 0; i < 100; i++ {
		runtime.GC()
		select {
		case <-dropped:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
	t.Fatal("C holds the function")
}

func BenchmarkCompiledCall(b *testing.B) {
	f := Compile(func(in []*Array) []*Array { return []*Array{Add(Exp(in[0]), in[0])} })
	x := FromValue[float32](1)
	Scope(func() {
		for i := 0; i < b.N; i++ {
			for _, y := range f.CallEval(x) {
				y.Free()
			}
			if i%1024 == 0 {
				Sweep()
			}
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	x := FromValue[float32](1)
	x.Eval()
	for i := 0; i < b.N; i++ {
		y := Add(x, x)
		y.Eval()
		y.Free()
	}
}
