// What this processor is to a code generator, as text: equal texts may share code. Found without a compiler, in microseconds.
#pragma once

#include <cstdint>
#include <string>

namespace frit::runtime {

// Vendor, model and features of the processor and what the system saves of its registers; sizes of the caches; the number of processors.
const std::string& cpu_identity();

// Of the last cache before memory that this processor uses; 32 MiB where it cannot be found out.
int64_t last_level_cache_bytes();

}  // namespace frit::runtime
