// The whole public API. The header has the name that MLX gives it.
#pragma once

#include "frit/frit.h"
