// Arrays in files.

package frit

// #include "shims.h"
import "C"

import (
	"fmt"

	"reflect"
	"sort"
	"unsafe"
)

// SafetensorsFile is the arrays and texts of a .safetensors file.
type SafetensorsFile struct {
	arrays   map[string]*Array
	metadata map[string]string
}

// LoadSafetensorsNative reads a .safetensors file.
func LoadSafetensorsNative(path string) (file *SafetensorsFile, err error) {
	err = Try(func() {
		name := C.CString(path)
		defer C.free(unsafe.Pointer(name))
		var arrays C.mlx_map_string_to_array
		var texts C.mlx_map_string_to_string
		check(C.go_mlx_load_safetensors(&arrays, &texts, name, cpuStream.handle))
		defer C.mlx_map_string_to_array_free(arrays)
		defer C.mlx_map_string_to_string_free(texts)
		file = &SafetensorsFile{map[string]*Array{}, map[string]string{}}
		at := C.mlx_map_string_to_array_iterator_new(arrays)
		defer C.mlx_map_string_to_array_iterator_free(at)
		for {
			var key *C.char
			var value C.mlx_array
			if C.mlx_map_string_to_array_iterator_next(&key, &value, at) != 0 {
				break
			}
			file.arrays[C.GoString(key)] = Keep(wrap(value))
		}
		line := C.mlx_map_string_to_string_iterator_new(texts)
		defer C.mlx_map_string_to_string_iterator_free(line)
		for {
			var key, value *C.char
			if C.mlx_map_string_to_string_iterator_next(&key, &value, line) != 0 {
				break
			}
			file.metadata[C.GoString(key)] = C.GoString(value)
		}
	})
	return file, err
}

// Get is the array of a name, or nil.
func (f *SafetensorsFile) Get(name string) *Array { return f.arrays[name] }

// Set puts an array under a name.
func (f *SafetensorsFile) Set(name string, a *Array) { f.arrays[name] = Keep(a) }

// Count is the number of arrays.
func (f *SafetensorsFile) Count() int { return len(f.arrays) }

// Names is the names of all arrays.
func (f *SafetensorsFile) Names() []string {
	names := make([]string, 0, len(f.arrays))
	for name := range f.arrays {
		names = append(names, name)
	}
	return names
}

// GetMetadata is the text of a name, or "".
func (f *SafetensorsFile) GetMetadata(key string) string { return f.metadata[key] }

// Free frees the arrays of the file.
func (f *SafetensorsFile) Free() {
	for _, a := range f.arrays {
		a.Free()
	}
	f.arrays = map[string]*Array{}
}

// Load is the arrays of a .safetensors file by their names. It panics where the file cannot be read. A loop that ends
// early frees the arrays that it has not seen.
func Load(path string) func(yield func(string, *Array) bool) {
	return func(yield func(string, *Array) bool) {
		file, err := LoadSafetensorsNative(path)
		if err != nil {
			panic(err)
		}
		defer file.Free()
		for name, a := range file.arrays {
			delete(file.arrays, name)
			Release(a)
			if !yield(name, a) {
				return
			}
		}
	}
}

// SaveSafetensors writes arrays with names.
func SaveSafetensors(path string, arrays map[string]*Array) error {
	return SaveSafetensorsWithMetadata(path, arrays, nil)
}

// SaveSafetensorsWithMetadata writes arrays and texts with names.
func SaveSafetensorsWithMetadata(path string, arrays map[string]*Array, metadata map[string]string) error {
	return Try(func() {
		file := C.CString(path)
		defer C.free(unsafe.Pointer(file))
		values, texts := C.mlx_map_string_to_array_new(), C.mlx_map_string_to_string_new()
		defer C.mlx_map_string_to_array_free(values)
		defer C.mlx_map_string_to_string_free(texts)
		for name, a := range arrays {
			key := C.CString(name)
			defer C.free(unsafe.Pointer(key))
			check(C.go_mlx_map_string_to_array_insert(values, key, a.handle()))
		}
		for name, text := range metadata {
			key, value := C.CString(name), C.CString(text)
			defer C.free(unsafe.Pointer(key))
			defer C.free(unsafe.Pointer(value))
			check(C.go_mlx_map_string_to_string_insert(texts, key, value))
		}
		check(C.go_mlx_save_safetensors(file, values, texts))
	})
}

// Save writes the array to a .npy file.
func (a *Array) Save(path string) error {
	return Try(func() {
		file := C.CString(path)
		defer C.free(unsafe.Pointer(file))
		check(C.go_mlx_save(file, a.handle()))
	})
}

// LoadNpy reads a .npy file.
func LoadNpy(path string) (a *Array, err error) {
	err = Try(func() {
		file := C.CString(path)
		defer C.free(unsafe.Pointer(file))
		var r C.mlx_array
		check(C.go_mlx_load(&r, file, cpuStream.handle))
		a = wrap(r)
	})
	return a, err
}

// GGUFFile is the arrays of a .gguf file, and its facts: numbers as arrays, texts, and lists of texts.
type GGUFFile struct{ handle C.mlx_io_gguf }

// LoadGGUF reads a .gguf file.
func LoadGGUF(path string) (f *GGUFFile, err error) {
	err = Try(func() {
		file := C.CString(path)
		defer C.free(unsafe.Pointer(file))
		f = &GGUFFile{}
		check(C.go_mlx_load_gguf(&f.handle, file, cpuStream.handle))
	})
	return f, err
}

// NewGGUF is a file without arrays, to be filled and saved.
func NewGGUF() *GGUFFile { return &GGUFFile{C.mlx_io_gguf_new()} }

// Save writes the file.
func (f *GGUFFile) Save(path string) error {
	return Try(func() {
		file := C.CString(path)
		defer C.free(unsafe.Pointer(file))
		check(C.go_mlx_save_gguf(file, f.handle))
	})
}

// Set puts an array under a name.
func (f *GGUFFile) Set(name string, a *Array) {
	key := C.CString(name)
	defer C.free(unsafe.Pointer(key))
	check(C.go_mlx_io_gguf_set_array(f.handle, key, a.handle()))
}

// SetString puts a text among the facts.
func (f *GGUFFile) SetString(name, text string) {
	key, value := C.CString(name), C.CString(text)
	defer C.free(unsafe.Pointer(key))
	defer C.free(unsafe.Pointer(value))
	check(C.go_mlx_io_gguf_set_metadata_string(f.handle, key, value))
}

// Get is the array of a name.
func (f *GGUFFile) Get(name string) (a *Array, err error) {
	err = Try(func() {
		key := C.CString(name)
		defer C.free(unsafe.Pointer(key))
		var r C.mlx_array
		check(C.go_mlx_io_gguf_get_array(&r, f.handle, key))
		a = wrap(r)
	})
	return a, err
}

// Text is the text of a name among the facts.
func (f *GGUFFile) Text(name string) (text string, err error) {
	err = Try(func() {
		key := C.CString(name)
		defer C.free(unsafe.Pointer(key))
		var r C.mlx_string
		check(C.go_mlx_io_gguf_get_metadata_string(&r, f.handle, key))
		text = takeString(r)
	})
	return text, err
}

// Names is the names of all arrays.
func (f *GGUFFile) Names() []string {
	var keys C.mlx_vector_string
	check(C.go_mlx_io_gguf_get_keys(&keys, f.handle))
	defer C.mlx_vector_string_free(keys)
	names := make([]string, int(C.mlx_vector_string_size(keys)))
	for i := range names {
		var text *C.char
		check(C.go_mlx_vector_string_get(&text, keys, C.size_t(i)))
		names[i] = C.GoString(text)
	}
	return names
}

// Free gives the file's memory back.
func (f *GGUFFile) Free() { C.mlx_io_gguf_free(f.handle) }

// Collect is the arrays in a value that are not freed: in fields, slices, maps, pointers and interfaces, each once.
func Collect(v any) []*Array {
	var found []*Array
	visit(reflect.ValueOf(v), map[uintptr]bool{}, func(a *Array) { found = append(found, a) })
	return found
}

// FreeStruct frees the arrays in a value.
func FreeStruct(v any) {
	for _, a := range Collect(v) {
		a.Free()
	}
}

var arrayType = reflect.TypeOf((*Array)(nil))

func visit(v reflect.Value, seen map[uintptr]bool, found func(*Array)) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() || seen[v.Pointer()] {
			return
		}
		seen[v.Pointer()] = true
		if v.Type() == arrayType {
			if a := (*Array)(v.UnsafePointer()); a.Valid() {
				found(a)
			}
			return
		}
		visit(v.Elem(), seen, found)
	case reflect.Interface:
		if !v.IsNil() {
			visit(v.Elem(), seen, found)
		}
	case reflect.Struct:
		for i := 0; i < v.NumField(); i++ {
			visit(v.Field(i), seen, found)
		}
	case reflect.Slice, reflect.Array:
		for i := 0; i < v.Len(); i++ {
			visit(v.Index(i), seen, found)
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			visit(entries.Value(), seen, found)
		}
	}
}

// Handles is the number of C's handles that are not freed, for finding leaks.
func Handles() int {
	var s C.frit_process_stats
	check(C.go_frit_stats_of_process(&s))
	return int(s.handles)
}

// DebugArrays prints the memory in use and the number of handles.
func DebugArrays() {
	fmt.Printf("%v active, %v cached, %d handles\n", PrettyBytes(ActiveMemory()), PrettyBytes(CacheMemory()), Handles())
}

// DebugArraysVerbose prints the same, and the largest arrays of the current scope.
func DebugArraysVerbose(count int) {
	DebugArrays()
	s := currentScope()
	if s == nil {
		return
	}
	alive := make([]*Array, 0, len(s.arrays))
	for _, a := range s.arrays {
		if a.Valid() {
			alive = append(alive, a)
		}
	}
	sort.Slice(alive, func(i, j int) bool { return alive[i].NumBytes() > alive[j].NumBytes() })
	for _, a := range alive[:min(count, len(alive))] {
		fmt.Printf("  %v %v, %v\n", a.DType(), a.Dims(), PrettyBytes(a.NumBytes()))
	}
}

// LogArrays is the same as DebugArrays.
func LogArrays() { DebugArrays() }
