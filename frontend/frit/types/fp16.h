// float16_t. The header has the name that MLX gives it.
#pragma once

#include "frit/half.h"
