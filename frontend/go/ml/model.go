// The backend over package frit: a folder of .safetensors files, and config.json as the facts.

package ml

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sort"

	"frit"
)

type fritBackend struct {
	config  config
	tensors map[string]*tensor
}

func newFritBackend(path string, params BackendParams) (Backend, error) {
	files := []string{path}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("ml: %w", err)
	}
	if info.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.safetensors")); err != nil {
			return nil, err
		}
		sort.Strings(files)
		if len(files) == 0 {
			return nil, fmt.Errorf("ml: there is no .safetensors file in %q", path)
		}
	} else {
		path = filepath.Dir(path)
	}
	if len(params.GPULayers) > 0 {
		frit.SetDefaultDeviceGPU()
	}
	if params.NumThreads > 0 {
		frit.SetNumThreads(params.NumThreads)
	}
	b := &fritBackend{config: config{}, tensors: map[string]*tensor{}}
	if text, err := os.ReadFile(filepath.Join(path, "config.json")); err == nil {
		if err := json.Unmarshal(text, &b.config); err != nil {
			return nil, fmt.Errorf("ml: config.json: %w", err)
		}
	}
	for _, file := range files {
		if err := b.read(file, params.AllocMemory); err != nil {
			return nil, err
		}
	}
	return b, nil
}

func (b *fritBackend) read(path string, values bool) error {
	file, err := frit.LoadSafetensorsNative(path)
	if err != nil {
		return fmt.Errorf("ml: %w", err)
	}
	for _, name := range file.Names() {
		if _, twice := b.tensors[name]; twice {
			return fmt.Errorf("ml: %q has the tensor %q a second time", path, name)
		}
		if !values {
			b.tensors[name] = nil
			file.Get(name).Free()
			continue
		}
		b.tensors[name] = &tensor{file.Get(name)}
	}
	return nil
}

func (b *fritBackend) Config() Config { return b.config }

func (b *fritBackend) Get(name string) Tensor {
	if t := b.tensors[name]; t != nil {
		return t
	}
	return nil
}

func (b *fritBackend) NewContext() Context { return &context{made: map[*frit.Array]bool{}} }

func (b *fritBackend) CacheConfig() CacheConfig { return CacheConfig{MaskDType: DTypeFloat32} }

// config is the facts of config.json.
type config map[string]any

func (c config) Architecture() string {
	if name := c.String("model_type"); name != "" {
		return name
	}
	if names := c.Strings("architectures"); len(names) > 0 {
		return names[0]
	}
	return "unknown"
}

func first[T any](fallback []T) (value T) {
	if len(fallback) > 0 {
		value = fallback[0]
	}
	return value
}

func (c config) String(key string, fallback ...string) string {
	if s, ok := c[key].(string); ok {
		return s
	}
	return first(fallback)
}

func (c config) Bool(key string, fallback ...bool) bool {
	if b, ok := c[key].(bool); ok {
		return b
	}
	return first(fallback)
}

func number[T uint32 | int32 | float32](value any, fallback []T) T {
	if f, ok := value.(float64); ok {
		return T(f)
	}
	return first(fallback)
}

func (c config) Uint(key string, fallback ...uint32) uint32    { return number(c[key], fallback) }
func (c config) Float(key string, fallback ...float32) float32 { return number(c[key], fallback) }

func list[T any](value any, convert func(any) (T, bool), fallback [][]T) []T {
	items, ok := value.([]any)
	if !ok {
		return first(fallback)
	}
	values := make([]T, 0, len(items))
	for _, item := range items {
		v, ok := convert(item)
		if !ok {
			return first(fallback)
		}
		values = append(values, v)
	}
	return values
}

func (c config) Strings(key string, fallback ...[]string) []string {
	return list(c[key], func(v any) (string, bool) { s, ok := v.(string); return s, ok }, fallback)
}

func (c config) Ints(key string, fallback ...[]int32) []int32 {
	return list(c[key], func(v any) (int32, bool) { f, ok := v.(float64); return int32(f), ok }, fallback)
}

func (c config) Floats(key string, fallback ...[]float32) []float32 {
	return list(c[key], func(v any) (float32, bool) { f, ok := v.(float64); return float32(f), ok }, fallback)
}
