// One training step of a network of two layers, against eager and against only its products.
#include "areas.h"

int main(int argc, char** argv) { return bench::run_area("training", 21, argc, argv); }
