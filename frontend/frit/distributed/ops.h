// Exchange of arrays between processes. The header has the name that MLX gives it.
#pragma once

#include "frit/distributed.h"
