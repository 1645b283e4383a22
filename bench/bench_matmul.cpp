// Matrix products and what is fused into them, against OpenBLAS's own call on all threads; those of bf16 against its f32 product.
#include "areas.h"

int main(int argc, char** argv) { return bench::run_area("matmul", 11, argc, argv); }
