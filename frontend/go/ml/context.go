// Contexts over package frit, and the comparison of tensors with a file.

package ml

import (
	"fmt"
	"log/slog"
	"math"
	"slices"
	"sort"
	"sync"

	"frit"
)

type context struct {
	mutex   sync.Mutex
	made    map[*frit.Array]bool
	forward []*frit.Array
}

// keep makes a tensor of an array and frees it with the context.
func (c *context) keep(a *frit.Array) Tensor {
	frit.Keep(a)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.made[a] = true
	return &tensor{a}
}

func (c *context) Empty(dtype DType, shape ...int) Tensor { return c.Zeros(dtype, shape...) }

func (c *context) Zeros(dtype DType, shape ...int) Tensor {
	return c.keep(frit.Zeros(frit.DType(dtype), shape...))
}

func (c *context) FromFloats(s []float32, shape ...int) Tensor {
	return c.keep(frit.FromSlice(s, shape...))
}

func (c *context) FromInts(s []int32, shape ...int) Tensor {
	return c.keep(frit.FromSlice(s, shape...))
}

func (c *context) RandomNormal(shape []int, dtype DType, loc, scale float32, key Tensor) Tensor {
	return c.keep(frit.RandomNormalWithKey(shape, frit.DType(dtype), loc, scale, arrayOf(key)))
}

func (c *context) Arange(start, stop, step float32, dtype DType) Tensor {
	numbers := frit.Arange(start, stop, step)
	defer numbers.Free()
	return c.keep(frit.AsType(numbers, frit.DType(dtype)))
}

func (c *context) Forward(tensors ...Tensor) Context {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.forward = append(c.forward, arraysOf(tensors)...)
	return c
}

func (c *context) Compute(tensors ...Tensor) {
	c.mutex.Lock()
	outputs := append(c.forward, arraysOf(tensors)...)
	c.forward = nil
	c.mutex.Unlock()
	frit.Eval(outputs...)
}

func (c *context) Close() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for a := range c.made {
		a.Free()
	}
	c.made, c.forward = map[*frit.Array]bool{}, nil
}

func (c *context) Input() Context    { return c }
func (c *context) Layer(int) Context { return c }

// leastSimilarity is the cosine of two tensors that agree.
const leastSimilarity = 0.99

// CompareWith compares tensors with those of a .safetensors file, in the order of their names. Tensors agree where they
// have one shape and their directions do to 99 %. The error names the first that does not; with abortOnError the
// comparison ends there, without it the others are compared and logged too.
func (c *context) CompareWith(filename string, tensors map[string]Tensor, abortOnError bool) error {
	file, err := frit.LoadSafetensorsNative(filename)
	if err != nil {
		return err
	}
	defer file.Free()
	names := make([]string, 0, len(tensors))
	for name := range tensors {
		names = append(names, name)
	}
	sort.Strings(names)
	var found error
	for _, name := range names {
		err := compare(name, tensors[name], file.Get(name))
		if err == nil {
			continue
		}
		if found == nil {
			found = err
		}
		if abortOnError {
			break
		}
		slog.Error(err.Error())
	}
	return found
}

func compare(name string, t Tensor, dump *frit.Array) error {
	if dump == nil {
		return fmt.Errorf("the tensor %q is not in the file", name)
	}
	if t == nil {
		return fmt.Errorf("the tensor %q is nil", name)
	}
	if !slices.Equal(t.Shape(), dump.Dims()) {
		return fmt.Errorf("the tensor %q has the shape %v, and %v in the file", name, t.Shape(), dump.Dims())
	}
	if similarity := cosine(t.Floats(), dump.Floats()); !(similarity >= leastSimilarity) {
		return fmt.Errorf("the tensor %q differs: the similarity is %.4f\nhere: %s\nfile: %s", name, similarity, Dump(t), Dump(&tensor{dump}))
	}
	return nil
}

// cosine is the cosine of the angle between two lists; 1 for two lists of zeros.
func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, aa, bb = dot+x*y, aa+x*x, bb+y*y
	}
	if aa == 0 && bb == 0 {
		return 1
	}
	return dot / math.Sqrt(aa*bb)
}
