// The version of the library. The header has the name that MLX gives it.
#pragma once

#include "frit/utils.h"
