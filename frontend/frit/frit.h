// frit: arrays, operations on them, and compile(). One include for all of the public API, in namespace frit.
#pragma once

#include "frit/array.h"
#include "frit/compile.h"
#include "frit/elementwise.h"
#include "frit/export.h"
#include "frit/log.h"
#include "frit/memory.h"
#include "frit/ops.h"
#include "frit/stream.h"
#include "frit/transforms.h"
