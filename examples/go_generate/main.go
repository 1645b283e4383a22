// A small transformer with random weights: the prompt at once, then a token at a time with a cache, in a compiled step
// (docs/go.md).
//
//	go run . [-tokens 64] [-layers 4] [-width 256]
package main

import (
	"flag"
	"fmt"
	"math"
	"time"

	"frit"
)

type layer struct {
	norm1, norm2   *frit.Array
	q, k, v, o     *frit.Array
	gate, up, down *frit.Array
}

type model struct {
	heads, width, room int // heads of attention, elements of a token, tokens that the cache holds
	embedding, norm    *frit.Array
	layers             []layer
}

func newModel(vocabulary, layers, heads, width, room int) *model {
	seed := uint64(0)
	weight := func(shape ...int) *frit.Array {
		seed++
		w := frit.RandomNormal(shape, seed)
		return frit.MulScalar(w, float32(1/math.Sqrt(float64(shape[0])))).Eval()
	}
	m := &model{heads: heads, width: width, room: room, embedding: weight(vocabulary, width), norm: frit.Ones(width)}
	for i := 0; i < layers; i++ {
		m.layers = append(m.layers, layer{
			norm1: frit.Ones(width), norm2: frit.Ones(width),
			q: weight(width, width), k: weight(width, width), v: weight(width, width), o: weight(width, width),
			gate: weight(width, 3*width), up: weight(width, 3*width), down: weight(3*width, width),
		})
	}
	return m
}

// caches is an empty cache of keys and of values for each layer.
func (m *model) caches() []*frit.Array {
	var caches []*frit.Array
	for i := 0; i < 2*len(m.layers); i++ {
		caches = append(caches, frit.Zeros(frit.Float32, 1, m.heads, m.room, m.width/m.heads).Eval())
	}
	return caches
}

// forward computes some tokens behind `position` tokens in the caches: the next token, and the caches with these.
func (m *model) forward(tokens, position *frit.Array, caches []*frit.Array) (next *frit.Array, updated []*frit.Array) {
	count := tokens.Dim(0)
	heads := func(x *frit.Array) *frit.Array {
		return frit.Transpose(frit.Reshape(x, 1, count, m.heads, m.width/m.heads), 0, 2, 1, 3)
	}
	// A token sees those up to itself.
	rows := frit.Add(frit.Reshape(frit.ArangeInt(0, count, 1, frit.Int32), count, 1), position)
	mask := frit.LessEqual(frit.Reshape(frit.ArangeInt(0, m.room, 1, frit.Int32), 1, m.room), rows)

	x := frit.Reshape(frit.Take(m.embedding, tokens, 0), 1, count, m.width)
	for i, l := range m.layers {
		h := frit.RMSNormFn(x, l.norm1, 1e-5)
		size := m.width / m.heads
		q := frit.RoPEWithBase(heads(frit.Matmul(h, l.q)), size, false, 10000, 1, position)
		k := frit.RoPEWithBase(heads(frit.Matmul(h, l.k)), size, false, 10000, 1, position)
		keys := frit.SliceUpdateDynamic(caches[2*i], k, position, []int{2})
		values := frit.SliceUpdateDynamic(caches[2*i+1], heads(frit.Matmul(h, l.v)), position, []int{2})
		updated = append(updated, keys, values)
		a := frit.ScaledDotProductAttentionWithSinks(q, keys, values, float32(1/math.Sqrt(float64(size))), "", mask, nil)
		a = frit.Reshape(frit.Transpose(a, 0, 2, 1, 3), 1, count, m.width)
		x = frit.Add(x, frit.Matmul(a, l.o))
		h = frit.RMSNormFn(x, l.norm2, 1e-5)
		x = frit.Add(x, frit.Matmul(frit.Multiply(frit.SiLU(frit.Matmul(h, l.gate)), frit.Matmul(h, l.up)), l.down))
	}
	last := frit.RMSNormFn(frit.SliceAxis(x, 1, count-1, count), m.norm, 1e-5)
	logits := frit.Matmul(frit.Reshape(last, 1, m.width), frit.Transpose(m.embedding))
	return frit.AsType(frit.Argmax(logits, -1, false), frit.Int32), updated
}

func main() {
	count := flag.Int("tokens", 64, "tokens to generate")
	layers := flag.Int("layers", 4, "layers")
	width := flag.Int("width", 256, "elements of a token")
	flag.Parse()

	prompt := []int32{1, 5, 9, 2, 7, 3, 8, 4}
	m := newModel(1000, *layers, 4, *width, len(prompt)+*count)
	step := frit.CompileNamed("step", func(in ...*frit.Array) []*frit.Array {
		next, caches := m.forward(in[0], in[1], in[2:])
		return append([]*frit.Array{next}, caches...)
	})

	// A step's results are kept until the next one has used them.
	state := m.caches()
	frit.Keep(state...)
	advance := func(tokens []int32, position int) (token int32) {
		frit.Scope(func() {
			inputs := append([]*frit.Array{frit.FromSlice(tokens), frit.FromSlice([]int32{int32(position)})}, state...)
			out := step(inputs...)
			frit.Eval(out...)
			token = out[0].ItemInt32()
			frit.Keep(out[1:]...)
			frit.Release(state...)
			for _, a := range state {
				a.Free()
			}
			state = out[1:]
		})
		return token
	}

	start := time.Now()
	tokens := append([]int32{}, advance(prompt, 0))
	fmt.Printf("prompt of %d tokens: %v with compilation\n", len(prompt), time.Since(start).Round(time.Millisecond))
	tokens = append(tokens, advance(tokens[:1], len(prompt))) // compiles the step of one token
	start = time.Now()
	for len(tokens) < *count {
		tokens = append(tokens, advance(tokens[len(tokens)-1:], len(prompt)+len(tokens)-1))
	}
	seconds := time.Since(start).Seconds()
	fmt.Printf("tokens: %v\n", tokens)
	fmt.Printf("%.0f tokens per second\n", float64(len(tokens)-2)/seconds)
}
