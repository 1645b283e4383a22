// What this processor is to a code generator, as text: equal texts may share code. Found without a compiler, in
// microseconds.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace frit::runtime {

// Vendor, model and features of the processor and what the system saves of its registers; sizes of the caches; the
// number of processors.
const std::string& cpu_identity();

// Of the last cache before memory that this processor uses; 32 MiB where it cannot be found out.
int64_t last_level_cache_bytes();

// Whether code for a level of processors runs here: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64". False
// for any other name.
bool cpu_runs(std::string_view level);

}  // namespace frit::runtime
