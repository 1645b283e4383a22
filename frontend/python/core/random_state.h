// frit.core.random.state: a sequence of the one key that functions without a key draw from.
#pragma once

#include "frontend/python/core/bind.h"

namespace frit::python {

struct RandomState {};

}  // namespace frit::python
