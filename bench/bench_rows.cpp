// Softmax and norms composed from primitives, which must read each row from memory once: against a parallel copy.
#include "areas.h"

int main(int argc, char** argv) { return bench::run_area("rows", 21, argc, argv); }
