// Questions about GPUs. The header has the name that MLX gives it.
#pragma once

#include "frit/stream.h"
#include "frit/utils.h"
