// Sorting and Fourier transforms, against a copy of the same bytes on all threads.
#include "areas.h"

int main(int argc, char** argv) { return bench::run_area("routines", 9, argc, argv); }
