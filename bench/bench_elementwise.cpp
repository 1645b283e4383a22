// Elementwise graphs, compiled, against eager and against a parallel copy of the bytes they must move.
#include "areas.h"

int main(int argc, char** argv) { return bench::run_area("elementwise", 21, argc, argv); }
