package frit

import (
	"encoding/json"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func equal[T comparable](t *testing.T, got, want []T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func roundTrip[T Element](t *testing.T, values ...T) {
	t.Helper()
	a := FromSlice(values)
	if a.DType() != DTypeOf[T]() || a.Size() != len(values) || a.NumBytes() != len(values)*int(a.DType().ItemSize()) {
		t.Fatalf("%v has type %v and %d elements", values, a.DType(), a.Size())
	}
	equal(t, Data[T](a), values)
	equal(t, Data[T](Borrow(values)), values)
	if Item[T](FromValue(values[0])) != values[0] {
		t.Fatalf("a scalar of type %v", a.DType())
	}
	if _, err := json.Marshal(a.DType().String()); err != nil {
		t.Fatal(err)
	}
	var d DType
	if err := d.UnmarshalJSON([]byte(`"` + a.DType().String() + `"`)); err != nil || d != a.DType() {
		t.Fatal(err)
	}
	back := NewArrayFromBytes(a.Bytes(), []int{len(values)}, a.DType())
	equal(t, Data[T](back), values)
}

func TestTypes(t *testing.T) {
	roundTrip(t, true, false)
	roundTrip[uint8](t, 1, 255)
	roundTrip[uint16](t, 1, 65535)
	roundTrip[uint32](t, 1, 1<<32-1)
	roundTrip[uint64](t, 1, 1<<64-1)
	roundTrip[int8](t, -1, 127)
	roundTrip[int16](t, -1, 32767)
	roundTrip[int32](t, -1, 1<<31-1)
	roundTrip[int64](t, -1, 1<<63-1)
	roundTrip[F16](t, 0x3c00, 0xc000)
	roundTrip[float32](t, 1.5, -2)
	roundTrip(t, 0.1, -2)
	roundTrip[BF16](t, 0x3f80)
	roundTrip[complex64](t, complex(1, 2))
	if F16(0xc000).Float32() != -2 || F16(1).Float32() != 1.0/(1<<24) || BF16(0x3f80).Float32() != 1 {
		t.Fatal("16-bit floats")
	}
}

func TestOperations(t *testing.T) {
	m := FromSlice([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	equal(t, m.Dims(), []int{2, 3})
	equal(t, m.Strides(), []int{3, 1})
	equal(t, Sum(m, 1, false).Floats(), []float32{6, 15})
	equal(t, Sum(m, 0, true).Dims(), []int{1, 3})
	equal(t, Transpose(m).Floats(), []float32{1, 4, 2, 5, 3, 6})
	equal(t, Matmul(m, Transpose(m)).Floats(), []float32{14, 32, 32, 77})
	equal(t, m.Slice(Slice(1), Slice(0, 2)).Floats(), []float32{4, 5})
	equal(t, m.Slice(Slice(), Slice(-1)).Floats(), []float32{3, 6})
	equal(t, m.SliceUpdate(Zeros(Float32, 1, 3), Slice(0)).Floats(), []float32{0, 0, 0, 4, 5, 6})
	equal(t, SliceAxis(m, -1, 1, 3).Floats(), []float32{2, 3, 5, 6})
	equal(t, Pad(m, []int{0, 0, 1, 0}).Floats(), []float32{0, 1, 2, 3, 0, 4, 5, 6})
	equal(t, Where(Greater(m, FromValue[float32](3)), m, ZerosLike(m)).Floats(), []float32{0, 0, 0, 4, 5, 6})
	equal(t, ClipScalar(m, 2, 5, true, true).Floats(), []float32{2, 2, 3, 4, 5, 5})
	equal(t, ReLU(Negative(m)).Floats(), make([]float32, 6))
	equal(t, Argmax(m, 1, false).Ints(), []int{2, 2})
	equal(t, Arange(0, 3, 1).Floats(), []float32{0, 1, 2})
	equal(t, m.Concatenate(0, m).Dims(), []int{4, 3})
	equal(t, Stack([]*Array{m, m}, 0).Dims(), []int{2, 2, 3})
	equal(t, Split(m, 3, 1)[2].Floats(), []float32{3, 6})
	equal(t, Conv1d(Ones(1, 4, 1), Ones(1, 2, 1), Ones(1), 1, 0, 1, 1).Floats(), []float32{3, 3, 3})
	equal(t, AddScalar(AsType(m, BFloat16), 1).Floats(), []float32{2, 3, 4, 5, 6, 7})
	if AddScalar(AsType(m, BFloat16), 1).DType() != BFloat16 {
		t.Fatal("a scalar changes the type")
	}
	if x := GELU(FromValue[float32](1)).Float(); math.Abs(x-0.841345) > 1e-5 {
		t.Fatal(x)
	}
	if x := Softplus(FromValue[float32](0)).Float(); math.Abs(x-math.Ln2) > 1e-6 {
		t.Fatal(x)
	}
	w, s, b := Quantize(Ones(1, 64), 32, 8, "affine")
	equal(t, Dequantize(w, s, b, 32, 8, "affine").Floats(), Ones(64).Floats())
	layer := Linear{Weight: Ones(2, 3), Bias: FromSlice([]float32{1, 2})}
	equal(t, layer.Forward(m).Floats(), []float32{7, 8, 16, 17})
	if got := len(Collect(struct {
		A *Array
		B []*Array
		C map[string]any
	}{m, []*Array{w, m}, map[string]any{"s": s}})); got != 3 {
		t.Fatalf("%d arrays", got)
	}
	key := RandomKey(7)
	equal(t, RandomNormalWithKey([]int{3}, Float32, 0, 1, key).Floats(), RandomNormalWithKey([]int{3}, Float32, 0, 1, key).Floats())
	if !strings.Contains(m.String(), "float32") || m.Dim(-1) != 3 {
		t.Fatal(m.String())
	}
}

// Sizes and positions may be int32, as other Go packages over MLX have them.
func TestInt32Sizes(t *testing.T) {
	two, one := int32(2), int32(1)
	x := NewArrayInt32([]int32{1, 2, 3, 4}, []int32{2, 2})
	equal(t, Reshape(x, two, one, -1).Dims(), []int{2, 1, 2})
	equal(t, Tile(x, []int32{1, 2}).Dims(), []int{2, 4})
	equal(t, SliceAxis(x, 0, one, two).Ints(), []int{3, 4})
	equal(t, SliceStartStop(x, []int32{0, 1}, []int32{2, 2}).Ints(), []int{2, 4})
	equal(t, FloorDivideScalar(x, two).Ints(), []int{0, 1, 1, 2})
	equal(t, Pad(x, []int32{0, 0, 1, 0}).Dims(), []int{2, 3})
	equal(t, Tri(two, two, 0).Ints(), []int{1, 0, 1, 1})
	equal(t, Conv1d(Ones(1, 4, 1), Ones(1, 2, 1), nil, two, 0, 1, 1).Floats(), []float32{2, 2})
	equal(t, Conv2d(Ones(1, 2, 2, 1), Ones(1, 2, 2, 1), one, 1, 0, 0, 1, 1, 1).Floats(), []float32{4})
	equal(t, RandomNormal([]int32{3}, 7).Floats(), RandomNormal([]int{3}, 7).Floats())
}

// A part of an axis is the elements that a loop from start to stop meets, where negative positions count from the end.
func TestSlices(t *testing.T) {
	const size = 4
	x := Arange(0, size, 1)
	at := func(i int) int {
		if i < 0 {
			return i + size
		}
		return i
	}
	for start := -size - 2; start <= size+2; start++ {
		for stop := -size - 2; stop <= size+2; stop++ {
			for _, step := range []int{1, 2, -1, -3} {
				want := []float32{}
				if step > 0 {
					for i := max(at(start), 0); i < min(at(stop), size); i += step {
						want = append(want, float32(i))
					}
				} else {
					for i := min(at(start), size-1); i > max(at(stop), -1); i += step {
						want = append(want, float32(i))
					}
				}
				if got := x.Slice(Slice(start, stop, step)).Floats(); !slices.Equal(got, want) {
					t.Errorf("Slice(%d, %d, %d): %v, not %v", start, stop, step, got, want)
				}
				if got := SliceAxis(x, 0, start, stop).Floats(); step == 1 && !slices.Equal(got, want) {
					t.Errorf("SliceAxis(%d, %d): %v, not %v", start, stop, got, want)
				}
			}
		}
	}
	equal(t, x.Slice(Slice(1, math.MaxInt)).Floats(), []float32{1, 2, 3})
	equal(t, x.Slice(Slice(-size)).Floats(), []float32{0})
	equal(t, x.SliceUpdate(FromSlice([]float32{9, 8}), Slice(-1, -3, -1)).Floats(), []float32{0, 1, 8, 9})
	for _, outside := range []int{size, -size - 1} {
		if err := Try(func() { x.Slice(Slice(outside)) }); err == nil {
			t.Errorf("there is a position %d", outside)
		}
	}
}

func TestErrors(t *testing.T) {
	err := Try(func() { Add(Ones(2), Ones(3)) })
	var known *Error
	if !errors.As(err, &known) || !strings.Contains(err.Error(), "mlx_add: ") {
		t.Fatal(err)
	}
	a := Ones(2)
	a.Free()
	a.Free()
	for _, f := range []func(){
		func() { Exp(a) }, func() { Exp(nil) }, func() { Ones(2).Dim(3) }, func() { Reshape(Ones(2), 3) },
		func() { Item[float32](Ones(2)) }, func() { Data[int32](Ones(2)) }, func() { FromSlice([]float32{1}, 2) },
		func() { Zeros(Float32, 1<<40) }, func() { Concatenate([]*Array{nil}, 0) }, func() { Slice(1, 2, 3, 4) },
	} {
		if Try(f) == nil {
			t.Fatal("there is no error")
		}
	}
	if _, err := LoadSafetensorsNative("/nowhere/at/all"); err == nil {
		t.Fatal("a file that is not there")
	}
}

func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.safetensors")
	if err := SaveSafetensorsWithMetadata(path, map[string]*Array{"x": Ones(2)}, map[string]string{"by": "test"}); err != nil {
		t.Fatal(err)
	}
	f, err := LoadSafetensorsNative(path)
	if err != nil || f.Count() != 1 || f.GetMetadata("by") != "test" {
		t.Fatal(err)
	}
	equal(t, f.Get("x").Floats(), []float32{1, 1})
	f.Free()
	Load(path)(func(name string, a *Array) bool { equal(t, a.Dims(), []int{2}); return name == "x" })
	// A loop that ends early leaves nothing behind, in a scope too.
	if err := SaveSafetensors(path, map[string]*Array{"x": Ones(2), "y": Ones(2), "z": Ones(2)}); err != nil {
		t.Fatal(err)
	}
	Scope(func() {
		runtime.GC()
		before := Handles()
		Load(path)(func(name string, a *Array) bool { return false })
		if left := Handles() - before; left > 1 {
			t.Errorf("%d handles are left of a file of three arrays", left)
		}
	})
	npy := filepath.Join(t.TempDir(), "a.npy")
	if err := Ones(3).Save(npy); err != nil {
		t.Fatal(err)
	}
	if a, err := LoadNpy(npy); err != nil || a.Size() != 3 {
		t.Fatal(err)
	}
	g := NewGGUF()
	g.Set("w", Ones(2))
	g.SetString("name", "model")
	gguf := filepath.Join(t.TempDir(), "a.gguf")
	if err := g.Save(gguf); err != nil {
		t.Fatal(err)
	}
	g.Free()
	if g, err = LoadGGUF(gguf); err != nil {
		t.Fatal(err)
	}
	if text, err := g.Text("name"); err != nil || text != "model" {
		t.Fatal(text, err)
	}
	equal(t, g.Names(), []string{"w"})
	if _, err := g.Get("none"); err == nil {
		t.Fatal("an array that is not there")
	}
	g.Free()
}

func TestScopes(t *testing.T) {
	runtime.GC()
	var kept, inner *Array
	Scope(func() {
		a := Ones(4)
		kept = Keep(Add(a, a))
		Scope(func() { inner = Exp(a) })
		if inner.Valid() || !a.Valid() {
			t.Error("the inner scope")
		}
		b := Add(a, kept)
		c := Exp(b)
		Eval(b)
		if c.Valid() || !b.Valid() || !kept.Valid() {
			t.Error("Eval frees what was not kept")
		}
		inner = b
	})
	if inner.Valid() || !kept.Valid() {
		t.Fatal("the scope's end")
	}
	equal(t, kept.Floats(), []float32{2, 2, 2, 2})
	Release(kept)
}

func TestManyArrays(t *testing.T) {
	if testing.Short() {
		t.Skip("a million arrays")
	}
	const count = 1_000_000
	start, before := time.Now(), Handles()
	for i := 0; i < count; i++ {
		FromValue(float32(i))
	}
	t.Logf("%d arrays in %v, %d handles left", count, time.Since(start), Handles()-before)
	for i := 0; i < 10 && Handles()-before > count/2; i++ {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if left := Handles() - before; left > count/2 {
		t.Fatalf("%d handles are left", left)
	}
	Scope(func() {
		x := Keep(Ones(8))
		for i := 0; i < 10_000; i++ {
			y := AddScalar(x, 1)
			Eval(y)
			Sweep()
		}
		Release(x)
	})
}

func TestManyGoroutines(t *testing.T) {
	calls := 0
	f := Compile1("add_one", func(a *Array) *Array { calls++; return AddScalar(a, 1) })
	x := Ones(4)
	var group sync.WaitGroup
	for i := 0; i < 32; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for j := 0; j < 20; j++ {
				if got := f(x).Floats(); got[3] != 2 {
					t.Error(got)
				}
				Scope(func() { Exp(x).Eval() })
			}
		}()
	}
	group.Wait()
	if calls != 1 {
		t.Fatalf("%d traces", calls)
	}
}
