// Sums over each axis, against reading the array on all threads.
#include "areas.h"

int main(int argc, char** argv) { return bench::run_area("reductions", 21, argc, argv); }
