// Readers, writers, and arrays in files. The header has the name that MLX gives it.
#pragma once

#include "frit/io.h"
