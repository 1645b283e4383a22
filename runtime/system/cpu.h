// This processor as a text for code generators: processors with equal texts may share code. Found without a compiler,
// in microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace frit::runtime {

// The processor that code is made for: FRIT_CPU where it is set, a level ("x86-64-v3") or a name that the code
// generator knows; else "native", this processor. The functions below, library routines and loaders of packages keep to
// a level that is set, so that one machine can show the results of another kind.
std::string_view chosen_cpu();

inline constexpr int kMaxThreads = 1024;

// CPUs that this process may use.
int usable_cpus();

// The threads that loops are spread over unless the program says otherwise: FRIT_NUM_THREADS (1 to kMaxThreads;
// anything else warns once and is ignored), else the CPUs that this process may use at the first call. Code generators
// count on as many.
int starting_threads();

// Vendor, model and features of the processor, and the registers that the system saves; sizes of the caches;
// starting_threads(); and the chosen cpu, where it is not "native".
const std::string& cpu_identity();

// As much of the last cache before memory as work on this machine can count on; 32 MiB where it cannot be found out.
int64_t last_level_cache_bytes();

// Whether code for a level of processors runs here: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64". False
// for any other name.
bool cpu_runs(std::string_view level);

}  // namespace frit::runtime
