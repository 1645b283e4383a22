// Where a test program runs.
#pragma once

#include <string>

// The project's folder. It is known to one file alone, so that all others compile to the same bytes in every checkout.
std::string source_folder();
