package frit

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// The names that Go programs over mlx-c know are functions, methods or types here.
func TestNames(t *testing.T) {
	packages, err := parser.ParseDir(token.NewFileSet(), ".", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, file := range packages["frit"].Files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				there[d.Name.Name] = true
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						there[s.Name.Name] = true
					}
				}
			}
		}
	}
	text, err := os.ReadFile("testdata/names.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields(string(text)) {
		if !there[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestProcess(t *testing.T) {
	if path, err := LoadedLibraryPath(); err != nil || !strings.Contains(path, "libmlxc") {
		t.Fatal(path, err)
	}
	a := New()
	if a.Valid() || Try(func() { Exp(a) }) == nil {
		t.Fatal("an array without a value")
	}
	a.Set(Ones(2))
	equal(t, a.Floats(), []float32{1, 1})
	if PrettyBytes(3<<20).String() != "3.00 MiB" || PrettyBytes(5).String() != "5 B" || Version() == "" {
		t.Fatal("texts")
	}
	if n, err := MaxRecommendedWorkingSetSize(); err != nil || n < 1<<20 {
		t.Fatal(n, err)
	}
	ResetPeakMemory()
	if PeakMemory() < 0 || GetMemoryLimit() <= 0 || DefaultDevice().GPU || MetalIsAvailable() || CUDAIsAvailable() {
		t.Fatal("facts of the process")
	}
	s := NewStream()
	SetDefaultStream(s)
	equal(t, Exp(Zeros(Float32, 2)).Floats(), []float32{1, 1})
	Synchronize()
	SetDefaultDeviceCPU()
	s.Free()
	SetDefaultDeviceGPU() // the CPU where there is no GPU
	equal(t, Add(Ones(2), Ones(2)).Floats(), []float32{2, 2})
	SetDefaultDeviceCPU()
}
