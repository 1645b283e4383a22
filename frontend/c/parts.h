// Everything that the wrappers of the C interface use.
#pragma once

#include "frontend/c/arrays.h"
#include "frontend/c/batching.h"
#include "frontend/c/closures.h"
#include "frontend/c/compiled.h"
#include "frontend/c/convert.h"
#include "frontend/c/devices.h"
#include "frontend/c/files.h"
#include "frontend/c/kernels.h"
#include "frontend/c/lists.h"
