// frit: arrays, operations on them, and compile(). One include for the whole public API, in namespace frit.
//
// The standard headers are those that programs written for MLX get with its header.
#pragma once

#include <algorithm>
#include <cassert>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "frit/allocator.h"
#include "frit/array.h"
#include "frit/compile.h"
#include "frit/control_flow.h"
#include "frit/distributed.h"
#include "frit/elementwise.h"
#include "frit/event.h"
#include "frit/export.h"
#include "frit/fast.h"
#include "frit/fft.h"
#include "frit/graph_utils.h"
#include "frit/io.h"
#include "frit/linalg.h"
#include "frit/linalg_factor.h"
#include "frit/log.h"
#include "frit/memory.h"
#include "frit/nn.h"
#include "frit/ops.h"
#include "frit/optimizers.h"
#include "frit/primitive.h"
#include "frit/random.h"
#include "frit/stream.h"
#include "frit/transforms.h"
#include "frit/utils.h"
