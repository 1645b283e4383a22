/* Runs head.fritpkg, which frit compile made from head.frit. It links and loads no compiler. */
#include <frit/frit_runtime.h>
#include <stdio.h>

int main(void) {
  frit_rt_package* package;
  const frit_rt_function* head;
  float x[2 * 64], probability[2 * 10];
  const int64_t x_shape[] = {2, 64}, y_shape[] = {2, 10};
  const frit_rt_tensor in = {x, FRIT_RT_F32, 2, x_shape, NULL}, out = {probability, FRIT_RT_F32, 2, y_shape, NULL};
  for (int i = 0; i < 2 * 64; ++i) x[i] = 1;
  if (frit_rt_load("head.fritpkg", NULL, &package) || frit_rt_find(package, "head", &head) || frit_rt_run(head, &in, &out)) {
    fprintf(stderr, "error: %s\n", frit_rt_error());
    return 1;
  }
  printf("%.6f\n", probability[0]);
  frit_rt_free(package);
  return 0;
}
