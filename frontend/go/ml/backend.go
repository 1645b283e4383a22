// Package ml has the tensors, contexts and backends of a model runner, over package frit.
//
// A backend is a model in memory. A context makes tensors, which live until it is closed; computation is lazy until
// Compute. Methods panic with *frit.Error where shapes or types do not fit.
package ml

import (
	"fmt"
	"os"
	"sort"
	"strings"
	"sync"

	"frit"
)

// DType is an element type.
type DType int

// The element types.
const (
	DTypeBool DType = iota
	DTypeUint8
	DTypeUint16
	DTypeUint32
	DTypeUint64
	DTypeInt8
	DTypeInt16
	DTypeInt32
	DTypeInt64
	DTypeFloat16
	DTypeFloat32
	DTypeFloat64
	DTypeBfloat16
	DTypeComplex64
)

func (d DType) String() string { return frit.DType(d).String() }

// SamplingMode is how an image is resized.
type SamplingMode int

// The sampling modes.
const (
	SamplingModeNearest SamplingMode = iota
	SamplingModeBilinear
)

// Config is the facts of a model by their names; a default stands for a fact that is not there.
type Config interface {
	Architecture() string
	String(key string, fallback ...string) string
	Uint(key string, fallback ...uint32) uint32
	Float(key string, fallback ...float32) float32
	Bool(key string, fallback ...bool) bool
	Strings(key string, fallback ...[]string) []string
	Ints(key string, fallback ...[]int32) []int32
	Floats(key string, fallback ...[]float32) []float32
}

// Backend is a model in memory.
type Backend interface {
	Config() Config
	// Get is the tensor of a name, or nil.
	Get(name string) Tensor
	NewContext() Context
}

// BackendCacheConfig is implemented by backends that ask for a layout of caches.
type BackendCacheConfig interface {
	CacheConfig() CacheConfig
}

// CacheConfig is the layout of a cache of keys and values.
type CacheConfig struct {
	// CachePadding is a number that the length of a cache is a multiple of.
	CachePadding int
	// PermutedV asks for values with positions as their last axis.
	PermutedV bool
	// MaskDType is the type of masks.
	MaskDType DType
	// MaskBatchPadding is a number that the batch of a mask is a multiple of.
	MaskBatchPadding int
}

// GPULayers is the layers that a GPU takes.
type GPULayers struct {
	ID     string
	Layers []int
}

// GPULayersList is the layers of each GPU.
type GPULayersList []GPULayers

// BackendParams is the options of a backend.
type BackendParams struct {
	// AllocMemory asks for the tensors to be read; without it the backend has their names alone.
	AllocMemory bool
	// NumThreads is the number of threads of one kernel; 0 for all.
	NumThreads int
	// GPULayers is the layers for GPUs. Where it is not empty, everything runs on the GPU.
	GPULayers GPULayersList
	// FlashAttention asks for attention as one kernel, which it is anyhow.
	FlashAttention bool
}

// Context makes tensors and computes them.
type Context interface {
	Empty(dtype DType, shape ...int) Tensor
	Zeros(dtype DType, shape ...int) Tensor
	FromFloats(s []float32, shape ...int) Tensor
	FromInts(s []int32, shape ...int) Tensor
	RandomNormal(shape []int, dtype DType, loc, scale float32, key Tensor) Tensor
	Arange(start, stop, step float32, dtype DType) Tensor
	// Forward adds tensors to those that Compute computes.
	Forward(...Tensor) Context
	Compute(...Tensor)
	// Close frees the tensors of the context.
	Close()
	// Input and Layer are contexts for inputs and for a layer; here they are the context itself.
	Input() Context
	Layer(int) Context
	// CompareWith compares tensors with those of a .safetensors file.
	CompareWith(filename string, tensors map[string]Tensor, abortOnError bool) error
}

// Tensor is an array of a context.
type Tensor interface {
	ToString() string
	RoPE(ctx Context, dims int, traditional bool, scale float32, offset int, options ...func(*RoPEOptions)) Tensor
	ScaledDotProductAttention(ctx Context, keys, values Tensor, scale float64, maskMode string, mask Tensor, sinks Tensor) Tensor
	TakeAxes(ctx Context, indices Tensor, axes int) Tensor

	Dim(n int) int
	// Stride is the step along an axis, in elements.
	Stride(n int) int
	Shape() []int
	DType() DType
	Floats() []float32
	Ints() []int32

	Add(ctx Context, t2 Tensor) Tensor
	Sub(ctx Context, t2 Tensor) Tensor
	Max(ctx Context, axes []int, keepDims bool) Tensor
	Min(ctx Context, axes []int, keepDims bool) Tensor
	Matmul(ctx Context, a2 Tensor) Tensor
	Softmax(ctx Context) Tensor
	L2Norm(ctx Context, eps float32) Tensor
	LayerNorm(ctx Context, weight, bias Tensor, eps float32) Tensor
	RMSNorm(ctx Context, weight Tensor, eps float32) Tensor
	Scale(ctx Context, s float64) Tensor
	AvgPool2D(ctx Context, k, s int, p float32) Tensor
	Conv2D(ctx Context, weight Tensor, stride0, stride1, padding0, padding1, dilation0, dilation1, groups int) Tensor
	Conv3D(ctx Context, weight Tensor, stride0, stride1, stride2, padding0, padding1, padding2, dilation0, dilation1, dilation2, groups int) Tensor
	GELU(ctx Context, up ...Tensor) Tensor
	Reshape(ctx Context, shape ...int) Tensor
	AsStrided(ctx Context, shape, strides []int, offset int) Tensor
	Transpose(ctx Context, shape ...int) Tensor
	Contiguous(ctx Context, allowColMajor bool) Tensor
	Scatter(ctx Context, indices []Tensor, updates Tensor, axes []int) Tensor
	// Copy gives t2 the elements of the tensor, converted to its type, and returns it.
	Copy(ctx Context, t2 Tensor) Tensor
}

// RoPEOptions is the frequencies of rotary positions: those that follow from a base, or a tensor.
type RoPEOptions struct {
	Base  *float32
	Freqs Tensor
}

// WithRoPEBase takes the frequencies that follow from a base.
func WithRoPEBase(base float32) func(*RoPEOptions) {
	return func(o *RoPEOptions) { o.Base = &base }
}

// WithRoPEFreqs takes frequencies from a tensor.
func WithRoPEFreqs(freqs Tensor) func(*RoPEOptions) {
	return func(o *RoPEOptions) { o.Freqs = freqs }
}

// DefaultBackend is the backend that NewBackend takes where the environment names none.
const DefaultBackend = "frit"

// BackendVariable is the environment variable that names the backend.
const BackendVariable = "FRIT_ML_BACKEND"

var (
	backendsMutex sync.Mutex
	backends      = map[string]func(string, BackendParams) (Backend, error){DefaultBackend: newFritBackend}
)

// RegisterBackend adds a backend under a name. It panics where the name is taken.
func RegisterBackend(name string, f func(string, BackendParams) (Backend, error)) {
	backendsMutex.Lock()
	defer backendsMutex.Unlock()
	if _, taken := backends[name]; taken {
		panic(fmt.Sprintf("ml: the backend %q is there already", name))
	}
	backends[name] = f
}

// NewBackend loads a model with the backend that the environment variable FRIT_ML_BACKEND names, or with frit's own.
func NewBackend(modelPath string, params BackendParams) (Backend, error) {
	name := os.Getenv(BackendVariable)
	if name == "" {
		name = DefaultBackend
	}
	backendsMutex.Lock()
	f, there := backends[name]
	var names []string
	for n := range backends {
		names = append(names, n)
	}
	backendsMutex.Unlock()
	if !there {
		sort.Strings(names)
		return nil, fmt.Errorf("ml: there is no backend %q, which %s names; there are: %s", name, BackendVariable, strings.Join(names, ", "))
	}
	return f(modelPath, params)
}
