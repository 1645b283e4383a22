// The parts of the module; module.cpp calls them in order.
#pragma once

#include "frontend/python/core/common.h"

namespace frit::python {

using ArrayClass = nb::class_<array>;

PyType_Slot* array_slots();  // of the type: the buffer protocol

void bind_types(nb::module_& m);    // element types, their categories and limits
void bind_devices(nb::module_& m);  // devices, streams, memory
ArrayClass bind_array(nb::module_& m);
void bind_operators(ArrayClass& c);
void bind_methods(ArrayClass& c);
void bind_indexing(nb::module_& m, ArrayClass& c);
void bind_protocols(nb::module_& m, ArrayClass& c);

void bind_elementwise(nb::module_& m);
void bind_reductions(nb::module_& m);
void bind_shapes(nb::module_& m);
void bind_joins(nb::module_& m);
void bind_creation(nb::module_& m);
void bind_selection(nb::module_& m);
void bind_products(nb::module_& m);
void bind_convolutions(nb::module_& m);
void bind_random(nb::module_& m);
void bind_linalg(nb::module_& m);
void bind_fft(nb::module_& m);
void bind_fast(nb::module_& m);
void bind_distributed(nb::module_& m);
void bind_files(nb::module_& m);
void bind_transforms(nb::module_& m);
void bind_vmap(nb::module_& m);
void bind_custom(nb::module_& m);
void bind_loops(nb::module_& m);
void bind_held_functions(nb::module_& m);
void bind_compile(nb::module_& m);
void bind_signals();
void bind_places(nb::module_& m);
void bind_export(nb::module_& m);

}  // namespace frit::python
