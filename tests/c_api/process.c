/* device.h, stream.h, memory.h, metal.h, cuda.h and error.h. */
#include "harness.h"

static int handled, dropped;
static char handled_text[256];
static void other_handler(const char* message, void* data) {
  ++handled;
  snprintf(handled_text, sizeof(handled_text), "%s %s", (const char*)data, message);
}
static void drop(void* data) { dropped += data != NULL; }

static void devices(void) {
  mlx_device cpu = mlx_device_new_type(MLX_CPU, 0), gpu = mlx_device_new_type(MLX_GPU, 0), device = mlx_device_new();
  mlx_string text = mlx_string_new();
  OK(mlx_device_tostring(&text, cpu));
  CHECK(strstr(mlx_string_data(text), "cpu"));
  CHECK(!mlx_device_equal(cpu, gpu));
  OK(mlx_device_set(&device, gpu));
  CHECK(mlx_device_equal(device, gpu));
  int number = -1;
  OK(mlx_device_get_index(&number, gpu));
  mlx_device_type type = MLX_CPU;
  OK(mlx_device_get_type(&type, gpu));
  CHECK(number == 0 && type == MLX_GPU);
  bool there = false;
  OK(mlx_device_is_available(&there, cpu));
  CHECK(there);
  OK(mlx_device_count(&number, MLX_CPU));
  CHECK(number == 1);
  OK(mlx_device_count(&number, MLX_GPU));
  OK(mlx_device_is_available(&there, gpu));
  CHECK(there == (number > 0));
  OK(mlx_get_default_device(&device));
  OK(mlx_set_default_device(gpu));  // the CPU where there is no GPU
  OK(mlx_set_default_device(device));

  mlx_device_info info = mlx_device_info_new();
  OK(mlx_device_info_get(&info, gpu));
  mlx_vector_string keys = mlx_vector_string_new();
  OK(mlx_device_info_get_keys(&keys, info));
  CHECK(mlx_vector_string_size(keys) >= 5);
  const char* wanted[] = {"max_recommended_working_set_size", "memory_size", "architecture", "device_name"};
  for (int i = 0; i < 4; ++i) {
    OK(mlx_device_info_has_key(&there, info, wanted[i]));
    CHECK(there);
  }
  size_t bytes = 0;
  const char* name = NULL;
  OK(mlx_device_info_get_size(&bytes, info, "memory_size"));
  OK(mlx_device_info_get_string(&name, info, "architecture"));
  CHECK(bytes > 1 << 20 && strlen(name) > 0);
  OK(mlx_device_info_is_string(&there, info, "architecture"));
  CHECK(there);
  const int before = error_count();
  CHECK(mlx_device_info_get_size(&bytes, info, "none") == 2 && mlx_device_info_get_string(&name, info, "memory_size") == 2);
  CHECK(error_count() == before);
  OK(mlx_device_info_free(info));
  OK(mlx_vector_string_free(keys));
  FAILS(mlx_device_get_index(&number, (mlx_device){NULL}), "null mlx_device");
  CHECK(!mlx_device_new_type((mlx_device_type)5, 0).ctx);
  ERROR_SAYS("mlx_device_type");
  OK(mlx_device_free(cpu));
  OK(mlx_device_free(gpu));
  OK(mlx_device_free(device));
  OK(mlx_string_free(text));
  OK(mlx_metal_is_available(&there));
  CHECK(!there);
  OK(mlx_metal_start_capture("capture"));
  OK(mlx_metal_stop_capture());
  OK(mlx_cuda_is_available(&there));
  CHECK(!there);
}

static void streams(void) {
  mlx_device cpu = mlx_device_new_type(MLX_CPU, 0), device = mlx_device_new();
  mlx_stream mine = mlx_stream_new_device(cpu), copy = mlx_stream_new(), before = mlx_stream_new();
  mlx_stream gpu = mlx_default_gpu_stream_new(), plain = mlx_default_cpu_stream_new();
  CHECK(mine.ctx && gpu.ctx && plain.ctx && !copy.ctx);
  OK(mlx_stream_set(&copy, mine));
  CHECK(mlx_stream_equal(copy, mine) && !mlx_stream_equal(mine, plain));
  int index = -1;
  OK(mlx_stream_get_index(&index, mine));
  CHECK(index > 0);
  OK(mlx_stream_get_device(&device, mine));
  CHECK(mlx_device_equal(device, cpu));
  mlx_string text = mlx_string_new();
  OK(mlx_stream_tostring(&text, mine));
  CHECK(strlen(mlx_string_data(text)) > 3);
  OK(mlx_get_default_stream(&before, cpu));
  OK(mlx_set_default_stream(mine));
  OK(mlx_get_default_stream(&copy, cpu));
  CHECK(mlx_stream_equal(copy, mine));
  OK(mlx_set_default_stream(before));
  // The stream of the GPU always runs, on the CPU where there is none.
  const mlx_array x = keep(mlx_array_new_float(2));
  OK(mlx_multiply(&r, x, x, gpu));
  CHECK(value_of(r) == 4);
  OK(mlx_async_eval(ARRAYS(r)));
  OK(mlx_synchronize(mine));
  OK(mlx_synchronize(gpu));
  FAILS(mlx_synchronize((mlx_stream){NULL}), "null mlx_stream");
  OK(mlx_stream_free(mine));
  FAILS(mlx_add(&r, x, x, mine), "freed before");
  OK(mlx_stream_free(copy));
  OK(mlx_stream_free(before));
  OK(mlx_stream_free(gpu));
  OK(mlx_stream_free(plain));
  OK(mlx_string_free(text));
  OK(mlx_device_free(cpu));
  OK(mlx_device_free(device));
}

static void memory(void) {
  size_t active = 0, peak = 0, cache = 0, limit = 0, old = 0;
  OK(mlx_clear_cache());
  OK(mlx_get_active_memory(&active));
  OK(mlx_reset_peak_memory());
  mlx_array big = mlx_array_new();
  OK(mlx_zeros(&big, LIST(1 << 20), MLX_FLOAT32, s));
  OK(mlx_array_eval(big));
  OK(mlx_get_peak_memory(&peak));
  CHECK(peak >= active);
  OK(mlx_array_free(big));
  OK(mlx_get_cache_memory(&cache));
  OK(mlx_get_memory_limit(&limit));
  OK(mlx_set_memory_limit(&old, limit));
  CHECK(old == limit);
  OK(mlx_set_cache_limit(&old, 1 << 20));
  OK(mlx_set_cache_limit(&limit, old));
  CHECK(limit == 1 << 20);
  OK(mlx_set_wired_limit(&old, 1));
  CHECK(old == 0);
  OK(mlx_clear_cache());
  OK(mlx_get_cache_memory(&cache));
  CHECK(cache == 0);
  FAILS(mlx_get_active_memory(NULL), "null pointer");
}

/* One process: a group of one, in which everything stays as it is. */
static void groups(void) {
  mlx_distributed_group group = mlx_distributed_group_new(), part = mlx_distributed_group_new();
  CHECK(!group.ctx);
  mlx_distributed_is_available(NULL);
  CHECK(!mlx_distributed_is_available("none of them"));
  OK(mlx_distributed_init(&group, false, NULL));
  CHECK(mlx_distributed_group_rank(group) == 0 && mlx_distributed_group_size(group) == 1);
  const mlx_array x = keep(mlx_array_new_data(F(1, 2), I(2), 1, MLX_FLOAT32));
  int (*const same[])(mlx_array*, const mlx_array, const mlx_distributed_group, const mlx_stream) = {
      mlx_distributed_all_gather, mlx_distributed_all_max, mlx_distributed_all_min, mlx_distributed_all_sum,
      mlx_distributed_sum_scatter};
  for (int i = 0; i < 5; ++i) {
    OK(same[i](&r, x, group, s));
    double values[2] = {0};
    CHECK(values_of(r, values, 2) == 2 && values[0] == 1 && values[1] == 2);
    FAILS(same[i](&r, none, group, s), "null mlx_array");
  }
  OK(mlx_distributed_all_sum(&r, x, (mlx_distributed_group){NULL}, s));  // a null group is that of all processes
  FAILS(mlx_distributed_send(&r, x, 0, group, s), "mlx_distributed_send: ");
  FAILS(mlx_distributed_recv(&r, LIST(2), MLX_FLOAT32, 0, group, s), "mlx_distributed_recv: ");
  FAILS(mlx_distributed_recv_like(&r, x, 0, group, s), "mlx_distributed_recv_like: ");
  FAILS(mlx_distributed_group_split(&part, group, 0, 0), "mlx_distributed_group_split: ");
  FAILS(mlx_distributed_init(&part, true, "none of them"), "mlx_distributed_init: ");
  OK(mlx_distributed_group_free(group));
  CHECK(mlx_distributed_group_size(group) == 0);
}

static void handlers(void) {
  char data[] = "mine:";
  mlx_set_error_handler(other_handler, data, drop);
  CHECK(mlx_array_eval(none) != 0 && handled == 1);
  CHECK(!strncmp(handled_text, "mine: mlx_array_eval: ", 22));
  mlx_error("number %d", 7);
  CHECK(handled == 2 && strstr(handled_text, "number 7") && strstr(handled_text, "process.c:"));
  _mlx_error("file.c", 3, "text");
  CHECK(strstr(handled_text, "text") && strstr(handled_text, "file.c:3"));
  CHECK(strstr(frit_last_error(), "text"));
  mlx_set_error_handler(other_handler, data, drop);
  CHECK(dropped == 1);
  mlx_set_error_handler(NULL, NULL, NULL);
  CHECK(dropped == 2);
}

/* With an argument "exit": the handler that programs get without setting one. */
int main(int count, char** arguments) {
  if (count > 1 && !strcmp(arguments[1], "exit")) {
    mlx_array_eval(none);
    return 0;  // not reached
  }
  begin(count, arguments);
  devices();
  streams();
  memory();
  groups();
  const int status = end();
  handlers();
  return status;
}
