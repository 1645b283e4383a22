/* closure.h, compile.h, export.h and the functions of frit_c.h. */
#include <unistd.h>

#include "harness.h"

static int calls, destroyed;
static void count_destroyed(void* payload) { destroyed += payload != NULL; }

/* exp(x) + y, or of x alone. */
static int function(mlx_vector_array* res, const mlx_vector_array inputs) {
  ++calls;
  mlx_array x = mlx_array_new();
  int status = mlx_vector_array_get(&x, inputs, 0);
  status = status ? status : mlx_exp(&x, x, s);
  if (!status && mlx_vector_array_size(inputs) > 1) {
    mlx_array y = mlx_array_new();
    status = mlx_vector_array_get(&y, inputs, 1);
    status = status ? status : mlx_add(&x, x, y, s);
    mlx_array_free(y);
  }
  status = status ? status : mlx_vector_array_set_value(res, x);
  mlx_array_free(x);
  return status;
}
/* The same with a payload: how often to add 1. It replaces the handle of its result. */
static int with_payload(mlx_vector_array* res, const mlx_vector_array inputs, void* payload) {
  const mlx_array one = mlx_array_new_float(1);
  mlx_array x = mlx_array_new();
  int status = mlx_vector_array_get(&x, inputs, 0);
  for (int i = 0; !status && i < *(int*)payload; ++i) status = mlx_add(&x, x, one, s);
  *res = mlx_vector_array_new_value(x);
  mlx_array_free(one);
  mlx_array_free(x);
  return status;
}
static int square(mlx_array* res, const mlx_array x) { return mlx_multiply(res, x, x, s); }
static int fails(mlx_vector_array* res, const mlx_vector_array inputs) {
  (void)res;
  (void)inputs;
  mlx_array bad = mlx_array_new();
  const mlx_array x = mlx_array_new_data((float[]){1, 2}, (int[]){2}, 1, MLX_FLOAT32);
  const mlx_array y = mlx_array_new_data((float[]){1, 2, 3}, (int[]){3}, 1, MLX_FLOAT32);
  const int status = mlx_add(&bad, x, y, s);
  mlx_array_free(bad);
  mlx_array_free(x);
  mlx_array_free(y);
  return status;
}
static int fails_silently(mlx_vector_array* res, const mlx_vector_array inputs, void* payload) {
  (void)res;
  (void)inputs;
  return *(int*)payload;
}
static int returns_nothing(mlx_vector_array* res, const mlx_vector_array inputs) {
  (void)inputs;
  res->ctx = NULL;
  return 0;
}
static int frees_itself(mlx_vector_array* res, const mlx_vector_array inputs, void* payload) {
  (void)inputs;
  mlx_closure* own = payload;
  const int status = mlx_closure_free(*own);
  own->ctx = NULL; /* the payload is still there */
  const mlx_array seven = mlx_array_new_float(7);
  return status || mlx_vector_array_append_value(*res, seven) || mlx_array_free(seven);
}
static void plain_closures(void) {
  int three = 3;
  const mlx_vector_array one = ARRAYS(keep(mlx_array_new_float(2)));
  mlx_closure closure = mlx_closure_new(), copy = mlx_closure_new();
  CHECK(!closure.ctx);
  FAILS(mlx_closure_apply(&rs, closure, one), "null mlx_closure");
  closure = mlx_closure_new_func_payload(with_payload, &three, count_destroyed);
  OK(mlx_closure_apply(&rs, closure, one));
  CHECK(first_of(rs) == 5);
  OK(mlx_closure_set(&copy, closure));
  OK(mlx_closure_free(closure));
  CHECK(destroyed == 0);
  OK(mlx_closure_apply(&rs, copy, one));
  OK(mlx_closure_free(copy));
  CHECK(destroyed == 1);
  FAILS(mlx_closure_apply(&rs, copy, one), "freed before");
  closure = mlx_closure_new_unary(square);
  OK(mlx_closure_apply(&rs, closure, one));
  CHECK(first_of(rs) == 4);
  FAILS(mlx_closure_apply(&rs, closure, ARRAYS(r = mlx_array_new_int(1), r)), "was called with 2");
  OK(mlx_closure_free(closure));
  closure = mlx_closure_new_func(fails);
  FAILS(mlx_closure_apply(&rs, closure, one), "mlx_closure_apply: the closure returned 1");
  CHECK(mlx_closure_apply(&rs, closure, one) != 0);
  ERROR_SAYS("mlx_add: ");  // the cause
  OK(mlx_closure_free(closure));
  closure = mlx_closure_new_func_payload(fails_silently, &three, NULL);
  FAILS(mlx_closure_apply(&rs, closure, one), "the closure returned 3");
  OK(mlx_closure_free(closure));
  closure = mlx_closure_new_func(returns_nothing);
  FAILS(mlx_closure_apply(&rs, closure, one), "the result of the closure");
  OK(mlx_closure_free(closure));
  closure = mlx_closure_new_func_payload(frees_itself, &copy, count_destroyed);
  copy = closure;
  OK(mlx_closure_apply(&rs, closure, one));
  CHECK(first_of(rs) == 7 && !copy.ctx && destroyed == 2);
  FAILS(mlx_closure_apply(&rs, closure, one), "freed before");
  CHECK(!mlx_closure_new_func(NULL).ctx);
  ERROR_SAYS("'fun' is a null pointer");
}

/* Each of the other closures: the sum of everything it gets, in each result. */
static int add_up(mlx_vector_array* res, mlx_vector_array list, double start) {
  mlx_array sum = mlx_array_new_float((float)start), item = mlx_array_new();
  int status = 0;
  for (size_t i = 0; !status && i < mlx_vector_array_size(list); ++i)
    status = mlx_vector_array_get(&item, list, i) || mlx_add(&sum, sum, item, s);
  status = status || mlx_vector_array_set_value(res, sum);
  mlx_array_free(item);
  mlx_array_free(sum);
  return status;
}
static int kwargs_p(mlx_vector_array* res, const mlx_vector_array a, const mlx_map_string_to_array named, void* p) {
  mlx_array bias = mlx_array_new();
  const int there = mlx_map_string_to_array_get(&bias, named, "bias") == 0;
  const int status = add_up(res, a, *(int*)p + (there ? value_of(bias) : 0));
  mlx_array_free(bias);
  return status;
}
static int kwargs(mlx_vector_array* res, const mlx_vector_array a, const mlx_map_string_to_array named) {
  mlx_array bias = mlx_array_new(), x = mlx_array_new();
  const int status = mlx_map_string_to_array_get(&bias, named, "bias") || mlx_vector_array_get(&x, a, 0) ||
                     mlx_add(&x, x, bias, s) || mlx_vector_array_set_value(res, x);
  mlx_array_free(bias);
  mlx_array_free(x);
  return status;
}
static int grad_p(mlx_vector_array* r0, mlx_vector_array* r1, const mlx_vector_array a, void* p) {
  return add_up(r0, a, *(int*)p) || add_up(r1, a, 0);
}
static int grad_f(mlx_vector_array* r0, mlx_vector_array* r1, const mlx_vector_array a) {
  return add_up(r0, a, 0) || add_up(r1, a, 0);
}
static int custom_p(mlx_vector_array* res, const mlx_vector_array a, const mlx_vector_array b, const mlx_vector_array c,
                    void* p) {
  return add_up(res, a, *(int*)p + 10 * first_of(b) + 100 * first_of(c));
}
static int custom(mlx_vector_array* res, const mlx_vector_array a, const mlx_vector_array b, const mlx_vector_array c) {
  return add_up(res, a, 10 * first_of(b) + 100 * first_of(c));
}
static int jvp_p(mlx_vector_array* res, const mlx_vector_array a, const mlx_vector_array b, const int* n, size_t count,
                 void* p) {
  return add_up(res, a, *(int*)p + 10 * first_of(b) + 100 * (double)count + 1000 * n[0]);
}
static int jvp(mlx_vector_array* res, const mlx_vector_array a, const mlx_vector_array b, const int* n, size_t count) {
  return add_up(res, a, 10 * first_of(b) + 100 * (double)count + 1000 * n[0]);
}
static int vmap_p(mlx_vector_array* res, mlx_vector_int* axes, const mlx_vector_array a, const int* n, size_t count,
                  void* p) {
  return add_up(res, a, *(int*)p) || mlx_vector_int_set_data(axes, (int*)n, count);
}
static int vmap(mlx_vector_array* res, mlx_vector_int* axes, const mlx_vector_array a, const int* n, size_t count) {
  return add_up(res, a, 0) || mlx_vector_int_set_data(axes, (int*)n, count);
}

#define KIND(kind, plain, payload, result, apply)                                             \
  do {                                                                                        \
    int five = 5;                                                                             \
    destroyed = 0;                                                                            \
    mlx_closure_##kind c = mlx_closure_##kind##_new_func(plain), d = mlx_closure_##kind##_new(); \
    CHECK(c.ctx && !d.ctx);                                                                   \
    OK(apply(c));                                                                             \
    CHECK(first_of(rs) == (result));                                                          \
    OK(mlx_closure_##kind##_free(c));                                                         \
    c = mlx_closure_##kind##_new_func_payload(payload, &five, count_destroyed);               \
    OK(mlx_closure_##kind##_set(&d, c));                                                      \
    OK(mlx_closure_##kind##_free(c));                                                         \
    OK(apply(d));                                                                             \
    CHECK(first_of(rs) == (result) + 5 && destroyed == 0);                                    \
    OK(mlx_closure_##kind##_free(d));                                                         \
    CHECK(destroyed == 1);                                                                    \
    FAILS(apply(d), "freed before");                                                          \
  } while (0)

static void other_closures(void) {
  const mlx_vector_array a = ARRAYS(keep(mlx_array_new_float(1))), b = ARRAYS(keep(mlx_array_new_float(2)));
  mlx_map_string_to_array named = mlx_map_string_to_array_new();
  const mlx_array bias = keep(mlx_array_new_float(7));
  OK(mlx_map_string_to_array_insert(named, "bias", bias));
  mlx_vector_array second = mlx_vector_array_new();
  mlx_vector_int axes = mlx_vector_int_new();
#define APPLY_KWARGS(c) mlx_closure_kwargs_apply(&rs, c, a, named)
#define APPLY_GRAD(c) mlx_closure_value_and_grad_apply(&rs, &second, c, b)
#define APPLY_CUSTOM(c) mlx_closure_custom_apply(&rs, c, a, b, a)
#define APPLY_JVP(c) mlx_closure_custom_jvp_apply(&rs, c, a, b, LIST(4))
#define APPLY_VMAP(c) mlx_closure_custom_vmap_apply(&rs, &axes, c, a, LIST(0))
  KIND(kwargs, kwargs, kwargs_p, 8, APPLY_KWARGS);
  KIND(value_and_grad, grad_f, grad_p, 2, APPLY_GRAD);
  CHECK(first_of(second) == 2);
  KIND(custom, custom, custom_p, 121, APPLY_CUSTOM);
  KIND(custom_jvp, jvp, jvp_p, 4121, APPLY_JVP);
  KIND(custom_vmap, vmap, vmap_p, 1, APPLY_VMAP);
  CHECK(mlx_vector_int_size(axes) == 1);
  OK(mlx_vector_int_free(axes));
  OK(mlx_vector_array_free(second));
  OK(mlx_map_string_to_array_free(named));
}

static void compiled(void) {
  const mlx_vector_array two = ARRAYS(floats(SHAPE(2), F(0, 1)), floats(SHAPE(2), F(1, 2)));
  const mlx_vector_array three = ARRAYS(floats(SHAPE(3), F(0, 1, 2)), floats(SHAPE(3), F(1, 2, 3)));
  mlx_closure plain = mlx_closure_new_func(function), fast = mlx_closure_new(), loose = mlx_closure_new();
  OK(mlx_compile(&fast, plain, false));
  OK(mlx_compile(&loose, plain, true));
  calls = 0;
  for (int i = 0; i < 3; ++i) OK(mlx_closure_apply(&rs, fast, two));
  CHECK(calls == 1 && first_of(rs) == 2);
  OK(mlx_closure_apply(&rs, fast, three));
  CHECK(calls == 2);
  OK(mlx_closure_apply(&rs, loose, two));
  OK(mlx_closure_apply(&rs, loose, three));
  CHECK(calls == 3);
  // One identity shares its traces, until it is dropped; other constants are another function.
  const uint64_t constants[] = {1, 2};
  mlx_closure first = mlx_closure_new(), second = mlx_closure_new(), third = mlx_closure_new();
  OK(mlx_detail_compile(&first, plain, 99, false, constants, 2));
  OK(mlx_detail_compile(&second, plain, 99, false, constants, 2));
  OK(mlx_detail_compile(&third, plain, 99, false, constants, 1));
  calls = 0;
  OK(mlx_closure_apply(&rs, first, two));
  OK(mlx_closure_apply(&rs, second, two));
  CHECK(calls == 1);
  OK(mlx_closure_apply(&rs, third, two));
  CHECK(calls == 2);
  OK(mlx_detail_compile_erase(99));
  OK(mlx_closure_apply(&rs, first, two));
  CHECK(calls == 3);
  OK(mlx_detail_compile_clear_cache());
  OK(mlx_closure_apply(&rs, first, two));
  CHECK(calls == 4);
  OK(mlx_disable_compile());
  OK(mlx_closure_apply(&rs, fast, two));
  CHECK(calls == 5);
  OK(mlx_enable_compile());
  OK(mlx_set_compile_mode(MLX_COMPILE_MODE_NO_FUSE));
  OK(mlx_set_compile_mode(MLX_COMPILE_MODE_ENABLED));
  FAILS(mlx_set_compile_mode((mlx_compile_mode)9), "mlx_compile_mode");
  mlx_closure failing = mlx_closure_new_func(fails);
  OK(mlx_compile(&third, failing, false));
  FAILS(mlx_closure_apply(&rs, third, two), "the closure returned 1");
  FAILS(mlx_compile(&third, (mlx_closure){NULL}, false), "null mlx_closure");
  OK(mlx_detail_compile_clear_cache());
  OK(mlx_closure_free(failing));
  OK(mlx_closure_free(first));
  OK(mlx_closure_free(second));
  OK(mlx_closure_free(third));
  OK(mlx_closure_free(plain));
  OK(mlx_closure_free(fast));
  OK(mlx_closure_free(loose));
}

static char log_lines[4096];
static void log_line(const char* line, void* payload) {
  (void)payload;
  strncat(log_lines, line, sizeof(log_lines) - strlen(log_lines) - 1);
}

static void additions(void) {
  const mlx_vector_array two = ARRAYS(floats(SHAPE(2), F(0, 1)), floats(SHAPE(2), F(1, 2)));
  const mlx_vector_array three = ARRAYS(floats(SHAPE(3), F(0, 1, 2)), floats(SHAPE(3), F(1, 2, 3)));
  mlx_closure plain = mlx_closure_new_func(function), fast = mlx_closure_new();
  mlx_string text = mlx_string_new();
  frit_compile_options options = frit_compile_options_new();
  OK(frit_compile_options_set_name(options, "exp_plus"));
  OK(frit_compile_options_set_max_traces(options, 1));
  OK(frit_compile(&fast, plain, options));
  OK(mlx_closure_apply(&rs, fast, two));
  FAILS(mlx_closure_apply(&rs, fast, three), "exp_plus");
  frit_function_stats stats;
  OK(frit_stats(&stats, fast));
  CHECK(stats.traces == 1 && stats.entries == 1 && stats.calls == 2);
  OK(frit_explain(&text, fast));
  CHECK(strstr(mlx_string_data(text), "exp_plus"));
  OK(frit_lower(&text, fast, FRIT_FORM_TRACED, two));
  CHECK(strstr(mlx_string_data(text), "exp"));
  OK(frit_lower(&text, fast, FRIT_FORM_OPTIMISED, two));
  OK(frit_lower(&text, fast, FRIT_FORM_KERNELS, two));
  CHECK(strstr(mlx_string_data(text), "kernel"));
  OK(frit_lower(&text, fast, FRIT_FORM_ASSEMBLY, two));
  CHECK(strlen(mlx_string_data(text)) > 0);
  FAILS(frit_lower(&text, fast, (frit_form)8, two), "frit_form");
  FAILS(frit_explain(&text, plain), "not compiled");
  char page[] = "/tmp/frit_c_api_XXXXXX.json", start[64] = "";
  close(mkstemps(page, 5));
  OK(frit_report(fast, page));
  FILE* written = fopen(page, "r");
  CHECK(written && fread(start, 1, sizeof(start) - 1, written) > 0 && start[0] == '{');
  fclose(written);
  unlink(page);
  FAILS(frit_report(fast, "/nowhere/page.html"), "/nowhere/page.html");
  FAILS(frit_report(plain, page), "not compiled");
  OK(frit_clear_traces(fast));
  FAILS(frit_report(fast, page), "nothing is traced yet");
  OK(mlx_closure_apply(&rs, fast, three));
  OK(frit_compile_options_free(options));

  // Declared sizes: compiled ahead, and reasons for calls that do not fit.
  options = frit_compile_options_new();
  OK(frit_compile_options_set_shapeless(options, true));
  OK(frit_compile_options_set_strict(options, true));
  OK(frit_compile_options_add_dim(options, "n", 1, 1000, 1));
  OK(frit_compile_options_add_argument(options, "n", MLX_FLOAT32));
  OK(frit_compile_options_add_argument(options, "n", MLX_FLOAT32));
  FAILS(frit_compile_options_add_argument(options, "n,,2", MLX_FLOAT32), "is empty");
  mlx_device cpu = mlx_device_new_type(MLX_CPU, 0);
  OK(frit_compile_options_set_device(options, cpu));
  OK(frit_compile(&fast, plain, options));
  calls = 0;
  OK(frit_compile_ahead(fast));
  OK(mlx_closure_apply(&rs, fast, two));
  OK(mlx_closure_apply(&rs, fast, three));
  CHECK(calls == 1);
  mlx_vector_string cpus = mlx_vector_string_new_value("native");
  char path[] = "/tmp/frit_c_api_XXXXXX.fritpkg";
  close(mkstemps(path, 8));
  OK(frit_save(fast, path, cpus, false));
  mlx_imported_function loaded = mlx_imported_function_new(path);
  OK(mlx_imported_function_apply(&rs, loaded, three));
  CHECK(first_of(rs) == 2);
  OK(mlx_imported_function_free(loaded));
  unlink(path);
  FAILS(mlx_closure_apply(&rs, fast, ARRAYS(keep(mlx_array_new_int(1)))), "mlx_closure_apply: ");
  OK(mlx_vector_string_free(cpus));
  OK(mlx_device_free(cpu));
  OK(frit_compile_options_free(options));
  OK(mlx_closure_free(plain));
  OK(mlx_closure_free(fast));
  OK(mlx_string_free(text));
}

// Counters, log and threads of the whole process.
static void of_process(void) {
  const mlx_vector_array two = ARRAYS(floats(SHAPE(2), F(0, 1)), floats(SHAPE(2), F(1, 2)));
  const mlx_vector_array three = ARRAYS(floats(SHAPE(3), F(0, 1, 2)), floats(SHAPE(3), F(1, 2, 3)));
  mlx_closure plain = mlx_closure_new_func(function), fast = mlx_closure_new();
  frit_process_stats process;
  OK(frit_stats_of_process(&process));
  CHECK(process.traces > 0 && process.compilations > 0 && process.handles > 10);
  destroyed = 0;
  OK(frit_set_log("recompiles", log_line, log_lines, count_destroyed));
  OK(mlx_compile(&fast, plain, false));
  OK(mlx_closure_apply(&rs, fast, two));
  OK(mlx_closure_apply(&rs, fast, three));
  CHECK(strlen(log_lines) > 0);
  OK(frit_set_log("", NULL, NULL, NULL));
  CHECK(destroyed == 1);
  FAILS(frit_set_log("none of them", NULL, NULL, NULL), "none of them");
  int threads = 0;
  OK(frit_set_num_threads(1));
  OK(frit_num_threads(&threads));
  CHECK(threads == 1);
  OK(frit_set_num_threads(0));
  CHECK(strlen(frit_last_error()) > 0);
  OK(mlx_closure_free(plain));
  OK(mlx_closure_free(fast));
}

static void exports(void) {
  char path[] = "/tmp/frit_c_api_XXXXXX.mlxfn";
  close(mkstemps(path, 6));
  const mlx_array x = floats(SHAPE(2), F(0, 1)), y = floats(SHAPE(2), F(5, 6)), longer = floats(SHAPE(3), F(0, 1, 2));
  mlx_closure f = mlx_closure_new_func(function);
  mlx_closure_kwargs g = mlx_closure_kwargs_new_func(kwargs);
  mlx_map_string_to_array named = mlx_map_string_to_array_new();
  OK(mlx_map_string_to_array_insert(named, "bias", y));
  OK(mlx_export_function(path, f, ARRAYS(x, y), false));
  mlx_imported_function loaded = mlx_imported_function_new(path);
  OK(mlx_imported_function_apply(&rs, loaded, ARRAYS(x, y)));
  expect_arrays("mlx_imported_function_apply", rs);
  FAILS(mlx_imported_function_apply(&rs, loaded, ARRAYS(x)), "mlx_imported_function_apply: ");
  OK(mlx_imported_function_free(loaded));
  OK(mlx_export_function_kwargs(path, g, ARRAYS(x), named, false));
  loaded = mlx_imported_function_new(path);
  OK(mlx_imported_function_apply_kwargs(&rs, loaded, ARRAYS(x), named));
  expect_arrays("mlx_imported_function_apply_kwargs", rs);
  OK(mlx_imported_function_free(loaded));
  mlx_function_exporter exporter = mlx_function_exporter_new(path, f, false);
  OK(mlx_function_exporter_apply(exporter, ARRAYS(x, x)));
  OK(mlx_function_exporter_apply(exporter, ARRAYS(longer, longer)));
  OK(mlx_function_exporter_free(exporter));
  loaded = mlx_imported_function_new(path);
  OK(mlx_imported_function_apply(&rs, loaded, ARRAYS(longer, longer)));
  CHECK(first_of(rs) == 1);
  OK(mlx_imported_function_free(loaded));
  exporter = mlx_function_exporter_new(path, f, false);
  FAILS(mlx_function_exporter_apply_kwargs(exporter, ARRAYS(none), named), "null mlx_vector_array");
  mlx_map_string_to_array empty = mlx_map_string_to_array_new();
  OK(mlx_function_exporter_apply_kwargs(exporter, ARRAYS(x, y), empty));
  OK(mlx_function_exporter_free(exporter));
  CHECK(!mlx_imported_function_new("/nowhere/at/all").ctx);
  ERROR_SAYS("mlx_imported_function_new: ");
  OK(mlx_map_string_to_array_free(named));
  OK(mlx_map_string_to_array_free(empty));
  OK(mlx_closure_kwargs_free(g));
  OK(mlx_closure_free(f));
  unlink(path);
}

int main(int count, char** arguments) {
  begin(count, arguments);
  plain_closures();
  other_closures();
  compiled();
  additions();
  of_process();
  exports();
  return end();
}
