// Devices. The header has the name that MLX gives it.
#pragma once

#include "frit/stream.h"
