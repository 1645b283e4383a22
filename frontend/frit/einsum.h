// einsum and einsum_path. The header has the name that MLX gives it.
#pragma once

#include "frit/ops.h"
