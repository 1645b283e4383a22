/* Many threads at once: handles made and freed, compiled closures, errors, and handles freed by other threads. */
#include <pthread.h>

#include "harness.h"

enum { kThreads = 16, kRounds = 63 };  // about a thousand threads, sixteen at a time

static mlx_closure compiled;
static mlx_array shared;
static int wrong;

static int twice(mlx_array* res, const mlx_array x) { return mlx_add(res, x, x, s); }

static void* work(void* passed_on) {
  int bad = 0;
  mlx_array list[64];
  for (int i = 0; i < 64; ++i) list[i] = mlx_array_new_int(i);
  for (int i = 0; i < 64; ++i) {
    int32_t value = -1;
    bad += mlx_array_item_int32(&value, list[i]) != 0 || value != i;
    bad += mlx_array_free(list[i]) != 0;
  }
  mlx_vector_array inputs = mlx_vector_array_new_value(shared), results = mlx_vector_array_new();
  mlx_array sum = mlx_array_new();
  bad += mlx_closure_apply(&results, compiled, inputs) != 0;
  bad += mlx_vector_array_get(&sum, results, 0) != 0;
  bad += mlx_array_eval(sum) != 0;
  bad += mlx_array_data_float32(sum)[3] != 8;
  bad += mlx_array_strides(shared)[0] != 1;
  bad += mlx_array_eval((mlx_array){NULL}) == 0;
  bad += strncmp(frit_last_error(), "mlx_array_eval", 14) != 0;
  bad += mlx_array_free(*(mlx_array*)passed_on) != 0;  // made by the main thread
  *(mlx_array*)passed_on = sum;                        // freed by it
  mlx_vector_array_free(inputs);
  mlx_vector_array_free(results);
  __atomic_fetch_add(&wrong, bad, __ATOMIC_RELAXED);
  return NULL;
}

static void ignore(const char* message, void* data) {
  (void)message;
  (void)data;
}

int main(int count, char** arguments) {
  begin(count, arguments);
  mlx_set_error_handler(ignore, NULL, NULL);
  shared = floats(SHAPE(4), F(1, 2, 3, 4));
  mlx_closure plain = mlx_closure_new_unary(twice);
  compiled = mlx_closure_new();
  OK(mlx_compile(&compiled, plain, false));
  for (int round = 0; round < kRounds; ++round) {
    pthread_t threads[kThreads];
    mlx_array passed_on[kThreads];
    for (int i = 0; i < kThreads; ++i) {
      passed_on[i] = mlx_array_new_int(i);
      pthread_create(&threads[i], NULL, work, &passed_on[i]);
    }
    for (int i = 0; i < kThreads; ++i) {
      pthread_join(threads[i], NULL);
      OK(mlx_array_free(passed_on[i]));
    }
  }
  CHECK(wrong == 0);
  frit_function_stats stats;
  OK(frit_stats(&stats, compiled));
  CHECK(stats.traces == 1);
  OK(mlx_closure_free(compiled));
  OK(mlx_closure_free(plain));
  return end();
}
