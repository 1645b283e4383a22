// Devices, streams, memory statistics and the version.

package frit

/*
#define _GNU_SOURCE
#include <dlfcn.h>
#include "shims.h"
static const char* go_library_path(void) {
  Dl_info info;
  return dladdr((void*)mlx_version, &info) ? info.dli_fname : NULL;
}
static void go_default_handler(void) { mlx_set_error_handler(NULL, NULL, NULL); }
*/
import "C"

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"unsafe"
)

// Stream is an order of work on a device.
type Stream struct{ handle C.mlx_stream }

var (
	cpuStream = &Stream{C.mlx_default_cpu_stream_new()}
	current   atomic.Pointer[Stream] // nil: the CPU's
)

// currentStream is the stream of operations.
func currentStream() C.mlx_stream {
	if s := current.Load(); s != nil {
		return s.handle
	}
	return cpuStream.handle
}

// NewStream is a new stream of the default device.
func NewStream() *Stream {
	device := DefaultDevice()
	return &Stream{C.mlx_stream_new_device(device.new())}
}

// SetDefaultStream makes a stream that of all operations; nil stands for the CPU's.
func SetDefaultStream(s *Stream) { current.Store(s) }

// DefaultStream is the stream of operations.
func DefaultStream() *Stream {
	if s := current.Load(); s != nil {
		return s
	}
	return cpuStream
}

// GetDefaultStream is the same as DefaultStream.
func GetDefaultStream() *Stream { return DefaultStream() }

// Free gives the stream back, which must not be the default one.
func (s *Stream) Free() { C.mlx_stream_free(s.handle) }

// Synchronize waits for the work of the stream.
func (s *Stream) Synchronize() { check(C.go_mlx_synchronize(s.handle)) }

func (s *Stream) String() string {
	var text C.mlx_string
	check(C.go_mlx_stream_tostring(&text, s.handle))
	return takeString(text)
}

// LogValue is the stream in logs.
func (s *Stream) LogValue() slog.Value { return slog.StringValue(s.String()) }

// SynchronizeStream waits for the work of a stream.
func SynchronizeStream(s *Stream) { s.Synchronize() }

// Synchronize waits for the work of the default stream.
func Synchronize() { DefaultStream().Synchronize() }

// Sync is the same as Synchronize.
func Sync() { Synchronize() }

// Device is the CPU or a GPU.
type Device struct {
	GPU   bool
	Index int
}

func (d Device) String() string {
	if d.GPU {
		return fmt.Sprintf("gpu:%d", d.Index)
	}
	return fmt.Sprintf("cpu:%d", d.Index)
}

// LogValue is the device in logs.
func (d Device) LogValue() slog.Value { return slog.StringValue(d.String()) }

// new is a handle of C, which is few and never freed.
func (d Device) new() C.mlx_device {
	if d.GPU {
		return C.mlx_device_new_type(C.MLX_GPU, C.int(d.Index))
	}
	return C.mlx_device_new_type(C.MLX_CPU, C.int(d.Index))
}

// DefaultDevice is the device of the default stream.
func DefaultDevice() Device {
	var device C.mlx_device
	check(C.go_mlx_stream_get_device(&device, currentStream()))
	defer C.mlx_device_free(device)
	var kind C.mlx_device_type
	var index C.int
	check(C.go_mlx_device_get_type(&kind, device))
	check(C.go_mlx_device_get_index(&index, device))
	return Device{kind == C.MLX_GPU, int(index)}
}

// SetDefaultDeviceGPU makes operations run on the GPU, or on the CPU where there is none.
func SetDefaultDeviceGPU() { SetDefaultStream(&Stream{C.mlx_default_gpu_stream_new()}) }

// SetDefaultDeviceCPU makes operations run on the CPU.
func SetDefaultDeviceCPU() { SetDefaultStream(nil) }

// GetDefaultDeviceType is 0 for the CPU and 1 for a GPU.
func GetDefaultDeviceType() int {
	if DefaultDevice().GPU {
		return 1
	}
	return 0
}

// GPUIsAvailable says whether a GPU can run programs here.
func GPUIsAvailable() bool {
	var count C.int
	check(C.go_mlx_device_count(&count, C.MLX_GPU))
	return count > 0
}

// MetalIsAvailable is always false.
func MetalIsAvailable() bool { return false }

// CUDAIsAvailable is always false.
func CUDAIsAvailable() bool { return false }

// MetalStartCapture does nothing.
func MetalStartCapture(path string) {}

// MetalStopCapture does nothing.
func MetalStopCapture() {}

// CheckInit says whether the library could be loaded. It is linked, so there is never an error.
func CheckInit() error { return nil }

// Version is the version of the library.
func Version() string {
	var text C.mlx_string
	check(C.go_mlx_version(&text))
	return takeString(text)
}

// DeviceFact is a number that is known of the default device: "memory_size", "max_recommended_working_set_size".
func DeviceFact(name string) (int, error) {
	device := DefaultDevice().new()
	defer C.mlx_device_free(device)
	var info C.mlx_device_info
	check(C.go_mlx_device_info_get(&info, device))
	defer C.mlx_device_info_free(info)
	key := C.CString(name)
	defer C.free(unsafe.Pointer(key))
	var value C.size_t
	if C.mlx_device_info_get_size(&value, info, key) != 0 {
		return 0, fmt.Errorf("%v: there is no fact %q", DefaultDevice(), name)
	}
	return int(value), nil
}

// MaxRecommendedWorkingSetSize is the memory that arrays should not exceed.
func MaxRecommendedWorkingSetSize() (int, error) {
	return DeviceFact("max_recommended_working_set_size")
}

// Memory is bytes in use, kept for later use, and in use at most.
type Memory struct{ Active, Cache, Peak int }

// LogValue is the memory in logs.
func (m Memory) LogValue() slog.Value {
	return slog.GroupValue(slog.Any("active", PrettyBytes(ActiveMemory())), slog.Any("cache", PrettyBytes(CacheMemory())),
		slog.Any("peak", PrettyBytes(PeakMemory())))
}

func bytesOf(message *C.char, bytes *C.size_t) int {
	check(message)
	return int(*bytes)
}

// ActiveMemory is the bytes that arrays hold.
func ActiveMemory() int {
	var n C.size_t
	return bytesOf(C.go_mlx_get_active_memory(&n), &n)
}

// CacheMemory is the bytes that are kept for later arrays.
func CacheMemory() int {
	var n C.size_t
	return bytesOf(C.go_mlx_get_cache_memory(&n), &n)
}

// PeakMemory is the most bytes that were active.
func PeakMemory() int {
	var n C.size_t
	return bytesOf(C.go_mlx_get_peak_memory(&n), &n)
}

// ResetPeakMemory makes the active bytes the peak.
func ResetPeakMemory() { check(C.go_mlx_reset_peak_memory()) }

// ClearCache gives the memory that is kept back to the system.
func ClearCache() { check(C.go_mlx_clear_cache()) }

// SetMemoryLimit limits active and cached bytes, and returns the limit before.
func SetMemoryLimit(limit int) int {
	var n C.size_t
	return bytesOf(C.go_mlx_set_memory_limit(&n, C.size_t(limit)), &n)
}

// SetCacheLimit limits cached bytes, and returns the limit before.
func SetCacheLimit(limit int) int {
	var n C.size_t
	return bytesOf(C.go_mlx_set_cache_limit(&n, C.size_t(limit)), &n)
}

// GetMemoryLimit is the limit of active and cached bytes.
func GetMemoryLimit() int {
	var n C.size_t
	return bytesOf(C.go_mlx_get_memory_limit(&n), &n)
}

// SetWiredLimit does nothing: memory is never wired.
func SetWiredLimit(limit int) (int, error) { return 0, nil }

// Units of bytes, which print themselves.
type (
	Byte     int
	KibiByte int
	MebiByte int
	GibiByte int
	TebiByte int
)

func (b Byte) String() string     { return fmt.Sprintf("%d B", int(b)) }
func (b KibiByte) String() string { return fmt.Sprintf("%.2f KiB", float64(b)/(1<<10)) }
func (b MebiByte) String() string { return fmt.Sprintf("%.2f MiB", float64(b)/(1<<20)) }
func (b GibiByte) String() string { return fmt.Sprintf("%.2f GiB", float64(b)/(1<<30)) }
func (b TebiByte) String() string { return fmt.Sprintf("%.2f TiB", float64(b)/(1<<40)) }

// PrettyBytes is a number of bytes in the largest unit that it fills.
func PrettyBytes(n int) fmt.Stringer {
	switch {
	case n >= 1<<40:
		return TebiByte(n)
	case n >= 1<<30:
		return GibiByte(n)
	case n >= 1<<20:
		return MebiByte(n)
	case n >= 1<<10:
		return KibiByte(n)
	}
	return Byte(n)
}

// SetNumThreads is the number of threads of one kernel; 0 restores the default.
func SetNumThreads(n int) { check(C.go_frit_set_num_threads(C.int(n))) }

// LoadedLibraryPath is the file of the library.
func LoadedLibraryPath() (string, error) {
	path := C.go_library_path()
	if path == nil {
		return "", &Error{"the library's file is not known"}
	}
	return C.GoString(path), nil
}

// InitMLX and GetMLXInitError are CheckInit; IsMLXAvailable is true.
func InitMLX() error         { return CheckInit() }
func GetMLXInitError() error { return CheckInit() }
func IsMLXAvailable() bool   { return true }

// RestoreDefaultErrorHandler makes the next error end the process with its message, where it is not of a Go closure.
func RestoreDefaultErrorHandler() { C.go_default_handler() }

// MetalGetActiveMemory and its kin are ActiveMemory and its kin as uint64.
func MetalGetActiveMemory() uint64           { return uint64(ActiveMemory()) }
func MetalGetCacheMemory() uint64            { return uint64(CacheMemory()) }
func MetalGetPeakMemory() uint64             { return uint64(PeakMemory()) }
func MetalResetPeakMemory()                  { ResetPeakMemory() }
func MetalSetWiredLimit(limit uint64) uint64 { return 0 }
