// The gated activation of GPT-OSS, compiled and eager (docs/go.md).
//
//	go run . [-rows 512] [-width 2880] [-runs 20]
package main

import (
	"flag"
	"fmt"
	"time"

	"frit"
)

const (
	alpha = 1.702
	limit = 7
)

// swiglu clips both halves, gates the first by a sigmoid of itself, and multiplies it with the second plus one.
func swiglu(gate, up *frit.Array) *frit.Array {
	gate = frit.ClipScalar(gate, 0, limit, false, true)
	up = frit.ClipScalar(up, -limit, limit, true, true)
	gated := frit.Multiply(gate, frit.Sigmoid(frit.MulScalar(gate, alpha)))
	return frit.Multiply(gated, frit.AddScalar(up, 1))
}

// fastest is the shortest time of several runs.
func fastest(runs int, f func(a, b *frit.Array) *frit.Array, a, b *frit.Array) time.Duration {
	best := time.Hour
	for i := 0; i < runs; i++ {
		frit.Scope(func() {
			start := time.Now()
			f(a, b).Eval()
			best = min(best, time.Since(start))
		})
	}
	return best
}

func main() {
	rows := flag.Int("rows", 512, "rows of the arrays")
	width := flag.Int("width", 2880, "elements of a row")
	runs := flag.Int("runs", 20, "runs, of which the fastest counts")
	flag.Parse()

	gate := frit.RandomNormal([]int{*rows, *width}, 1).Eval()
	up := frit.RandomNormal([]int{*rows, *width}, 2).Eval()
	compiled := frit.Compile2("swiglu", swiglu, frit.Shapeless())

	same := frit.AllClose(compiled(gate, up), swiglu(gate, up), 1e-6, 1e-6)
	if !frit.Item[bool](same) {
		panic("the compiled function computes something else")
	}
	eager, fast := fastest(*runs, swiglu, gate, up), fastest(*runs, compiled, gate, up)
	fmt.Printf("swiglu of %d x %d: eager %v, compiled %v, %.1f times as fast\n", *rows, *width,
		eager.Round(time.Microsecond), fast.Round(time.Microsecond), float64(eager)/float64(fast))
}
