// Attention composed from primitives, against eager.
#include "areas.h"

int main(int argc, char** argv) { return bench::run_area("attention", 21, argc, argv); }
