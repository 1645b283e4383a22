package ml

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"frit"
)

func model(t *testing.T) (Backend, string) {
	t.Helper()
	folder := t.TempDir()
	for name, value := range map[string]float32{"a": 1, "b": 2} {
		path := filepath.Join(folder, name+".safetensors")
		if err := frit.SaveSafetensors(path, map[string]*frit.Array{name: frit.Full(value, 2, 3)}); err != nil {
			t.Fatal(err)
		}
	}
	text := `{"model_type": "tiny", "layers": 4, "eps": 0.5, "tied": true, "names": ["x", "y"], "sizes": [1, 2]}`
	if err := os.WriteFile(filepath.Join(folder, "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	b, err := NewBackend(folder, BackendParams{AllocMemory: true})
	if err != nil {
		t.Fatal(err)
	}
	return b, folder
}

func want(t *testing.T, got Tensor, shape []int, values ...float32) {
	t.Helper()
	if !reflect.DeepEqual(got.Shape(), shape) {
		t.Fatalf("the shape is %v, not %v", got.Shape(), shape)
	}
	for i, v := range got.Floats() {
		if math.Abs(float64(v-values[i%len(values)])) > 1e-4 {
			t.Fatalf("got %v, want %v", got.Floats(), values)
		}
	}
}

func TestModel(t *testing.T) {
	b, folder := model(t)
	c := b.Config()
	if c.Architecture() != "tiny" || c.Uint("layers") != 4 || c.Float("eps") != 0.5 || !c.Bool("tied") || c.Uint("none", 7) != 7 ||
		len(c.Strings("names")) != 2 || c.Ints("sizes")[1] != 2 || c.String("none", "x") != "x" || len(c.Floats("sizes")) != 2 {
		t.Fatal("the facts of config.json")
	}
	want(t, b.Get("b"), []int{2, 3}, 2)
	if b.Get("none") != nil {
		t.Fatal("a tensor that is not there")
	}
	if b.(BackendCacheConfig).CacheConfig().MaskDType != DTypeFloat32 {
		t.Fatal("the type of masks")
	}
	if _, err := NewBackend(filepath.Join(folder, "none"), BackendParams{}); err == nil {
		t.Fatal("a folder that is not there")
	}
	if _, err := NewBackend(t.TempDir(), BackendParams{}); err == nil {
		t.Fatal("an empty folder")
	}
}

type fake struct{ Backend }

func TestRegistry(t *testing.T) {
	RegisterBackend("fake", func(string, BackendParams) (Backend, error) { return fake{}, nil })
	t.Setenv(BackendVariable, "fake")
	if b, err := NewBackend("", BackendParams{}); err != nil || b != (fake{}) {
		t.Fatal(b, err)
	}
	t.Setenv(BackendVariable, "none")
	if _, err := NewBackend("", BackendParams{}); err == nil || !strings.Contains(err.Error(), "fake, frit") {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Fatal("a name that is taken")
		}
	}()
	RegisterBackend("fake", nil)
}

func TestOperations(t *testing.T) {
	b, _ := model(t)
	c := b.NewContext()
	defer c.Close()
	x := c.FromFloats([]float32{1, 2, 3, 4, 5, 6}, 2, 3)
	want(t, x.Add(c, b.Get("a")), []int{2, 3}, 2, 3, 4, 5, 6, 7)
	want(t, x.Sub(c, b.Get("a")), []int{2, 3}, 0, 1, 2, 3, 4, 5)
	want(t, x.Max(c, []int{1}, false), []int{2}, 3, 6)
	want(t, x.Min(c, []int{0}, true), []int{1, 3}, 1, 2, 3)
	want(t, x.Matmul(c, x.Transpose(c)), []int{2, 2}, 14, 32, 32, 77)
	want(t, c.Zeros(DTypeFloat32, 1, 4).Softmax(c), []int{1, 4}, 0.25)
	want(t, c.FromFloats([]float32{3, 4}).L2Norm(c, 0), []int{2}, 0.6, 0.8)
	want(t, c.FromFloats([]float32{1, 3}, 1, 2).LayerNorm(c, nil, nil, 0), []int{1, 2}, -1, 1)
	want(t, c.FromFloats([]float32{1, 1}, 1, 2).RMSNorm(c, c.FromFloats([]float32{2, 3}), 0), []int{1, 2}, 2, 3)
	want(t, x.Scale(c, 2), []int{2, 3}, 2, 4, 6, 8, 10, 12)
	want(t, x.Reshape(c, 3, 2).Contiguous(c, false), []int{3, 2}, 1, 2, 3, 4, 5, 6)
	want(t, x.AsStrided(c, []int{2, 2}, []int{1, 3}, 1), []int{2, 2}, 2, 5, 3, 6)
	want(t, x.TakeAxes(c, c.FromInts([]int32{2, 0}), 1), []int{2, 2}, 3, 1, 6, 4)
	want(t, c.FromFloats([]float32{1}).GELU(c, c.FromFloats([]float32{2})), []int{1}, 1.682689)
	want(t, c.Arange(0, 3, 1, DTypeInt32), []int{3}, 0, 1, 2)
	image := c.Arange(0, 16, 1, DTypeFloat32).Reshape(c, 1, 4, 4, 1)
	want(t, image.AvgPool2D(c, 2, 2, 0), []int{1, 2, 2, 1}, 2.5, 4.5, 10.5, 12.5)
	want(t, image.AvgPool2D(c, 2, 4, 1), []int{1, 2, 2, 1}, 0, 3.0/4, 12.0/4, 15.0/4)
	one := c.FromFloats([]float32{1, 1, 1, 1}, 1, 2, 2, 1)
	want(t, image.Conv2D(c, one, 2, 2, 0, 0, 1, 1, 1), []int{1, 2, 2, 1}, 10, 18, 42, 50)
	want(t, image.Reshape(c, 1, 1, 4, 4, 1).Conv3D(c, one.Reshape(c, 1, 1, 2, 2, 1), 1, 2, 2, 0, 0, 0, 1, 1, 1, 1),
		[]int{1, 1, 2, 2, 1}, 10, 18, 42, 50)
	want(t, x.Scatter(c, []Tensor{c.FromInts([]int32{1})}, c.FromFloats([]float32{7, 8, 9}, 1, 1, 3), []int{0}), []int{2, 3}, 1, 2, 3, 7, 8, 9)
	half := c.Empty(DTypeFloat16, 3, 2)
	want(t, x.Copy(c, half), []int{3, 2}, 1, 2, 3, 4, 5, 6)
	for _, axis := range []int{2, -3} {
		if err := frit.Try(func() { x.Stride(axis) }); err == nil {
			t.Fatal("the step of an axis that is not there")
		}
	}
	if half.DType() != DTypeFloat16 || x.Stride(0) != 3 || x.Stride(-1) != 1 || x.Dim(-1) != 3 || x.Ints()[5] != 6 {
		t.Fatal("facts of a tensor")
	}
	q := c.FromFloats([]float32{1, 0, 0, 1}, 1, 1, 2, 2)
	want(t, q.RoPE(c, 2, false, 1, 3), []int{1, 1, 2, 2}, -0.989992, 0.14112, 0.756802, -0.653644)
	want(t, q.RoPE(c, 2, false, 1, 3, WithRoPEBase(100)), []int{1, 1, 2, 2}, -0.989992, 0.14112, 0.756802, -0.653644)
	want(t, q.RoPE(c, 2, true, 1, 3, WithRoPEFreqs(c.FromFloats([]float32{2}))), []int{1, 1, 2, 2}, 0.070737, 0.997495, -0.909297, -0.416147)
	want(t, q.ScaledDotProductAttention(c, q, q, 0.5, "", nil, nil), []int{1, 1, 2, 2}, 0.622459, 0.377541, 0.377541, 0.622459)
	want(t, q.ScaledDotProductAttention(c, q, q, 0.5, "causal", nil, c.Zeros(DTypeFloat32, 1)), []int{1, 1, 2, 2}, 0.622459, 0, 0.274069, 0.451863)
	c.Forward(x).Layer(0).Input().Compute(image)
	if n := c.RandomNormal([]int{1000}, DTypeFloat32, 5, 1, nil).Floats(); math.Abs(float64(n[0]-5)) > 6 {
		t.Fatal("the mean of random numbers")
	}
}

func TestCompareWith(t *testing.T) {
	b, folder := model(t)
	c := b.NewContext()
	defer c.Close()
	file := filepath.Join(folder, "a.safetensors")
	if err := c.CompareWith(file, map[string]Tensor{"a": c.FromFloats([]float32{1, 1, 1, 1, 1, 1.05}, 2, 3)}, true); err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]map[string]Tensor{
		`"a" differs`:            {"a": c.FromFloats([]float32{1, 1, 1, -1, 1, 1}, 2, 3)},
		`"a" has the shape [6]`:  {"a": c.FromFloats([]float32{1, 1, 1, 1, 1, 1})},
		`"z" is not in the file`: {"a": b.Get("a"), "z": b.Get("a")},
	} {
		for _, abort := range []bool{true, false} {
			if err := c.CompareWith(file, bad, abort); err == nil || !strings.Contains(err.Error(), name) {
				t.Fatalf("%v is no error with %s", err, name)
			}
		}
	}
	if c.CompareWith(filepath.Join(folder, "none"), nil, true) == nil {
		t.Fatal("a file that is not there")
	}
}

func TestDump(t *testing.T) {
	b, _ := model(t)
	c := b.NewContext()
	defer c.Close()
	got := Dump(c.Arange(0, 16, 1, DTypeFloat32).Reshape(c, 2, 8))
	if want := "float32 [2 8] [[0, 1, 2, ..., 5, 6, 7],\n [8, 9, 10, ..., 13, 14, 15]]"; got != want {
		t.Fatalf("got %q", got)
	}
}

func TestContextsFreeTheirTensors(t *testing.T) {
	b, _ := model(t)
	runtime.GC()
	before := frit.Handles()
	for i := 0; i < 100; i++ {
		c := b.NewContext()
		x := c.Zeros(DTypeFloat32, 1000)
		for j := 0; j < 10; j++ {
			x = x.Add(c, x).GELU(c).L2Norm(c, 1)
		}
		c.Compute(x)
		c.Close()
	}
	if left := frit.Handles() - before; left > 50 {
		t.Fatalf("%d handles are left", left)
	}
}
