// float16_t and bfloat16_t. The header has the name that MLX gives it.
#pragma once

#include "frit/half.h"
