// The facts that a backend states about itself, so that no code outside of its folder names it.
//
// The statements stand in the plugin's file and are read without loading it: choosing a target, or finding code in the
// cache on disk, must not load a compiler. A backend states them once, beside its class:
//
//   FRIT_BACKEND(my::Backend, "target cpu; device cpu; machines native x86-64-v3; emit asm .s")
//
// | statement | |
// |---|---|
// | target NAME | `frit compile --target=NAME`; the folder's name where it is left out |
// | device NAME | its code runs on this device: cpu, or the GPU whose driver is the plugin frit_runtime_NAME |
// | rank N | of several backends for a device or with an emission, the highest is taken; 0 where it is left out |
// | machines NAME... | the values of Target::cpu that the loader of packages can recognise |
// | portable NAME... | those that a package has where none is asked for, in the order in which a loader tries them |
// | routines NAME... | library routines that its device computes itself; those of a GPU that it does not name run on
// the CPU | | emit NAME ENDING [binary] [library] | a form that it writes, and the ending of its files; the first is
// the default
// |
//
// An emission that is a `library` is made by Backend::emit_native and linked by other programs; any other is made by
// Backend::emit_parts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/system/plugin.h"

namespace frit::codegen {

struct Emission {
  std::string name, ending;  // "spirv", ".spv"
  bool binary = false, library = false;
};

struct BackendFacts {
  std::string name;    // of its folder codegen/<name>
  std::string file;    // its plugin
  std::string target;  // as --target calls it
  std::string device;  // "" where its code does not run in this process
  int rank = 0;
  std::vector<std::string> machines, portable, routines;
  std::vector<Emission> emissions;

  const Emission* emission(std::string_view emission_name) const;
};

// Those of the installed backends: by rank, then by name. Read once.
const std::vector<BackendFacts>& backends();

// The first backend of that name, with that target, or for that device; null where there is none.
const BackendFacts* facts_of(std::string_view name);
const BackendFacts* backend_of_target(std::string_view target);
const BackendFacts* backend_of_device(std::string_view device);

// Exports a backend of the class and states facts of it. The plugin's one source file says this once, at file scope.
#define FRIT_BACKEND(Class, statements)               \
  FRIT_PLUGIN_FACTS(statements)                       \
  extern "C" frit::codegen::Backend* frit_backend() { \
    static auto* backend = new Class;                 \
    return backend;                                   \
  }

}  // namespace frit::codegen
