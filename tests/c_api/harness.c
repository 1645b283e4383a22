/* The parts that the tests of the C interface share. */
#include "harness.h"

#include <ctype.h>
#include <math.h>

mlx_stream s;
mlx_array r;
mlx_vector_array rs;

static int failures, errors, kept_count, lists_count;
static char last_error[4096];
static mlx_array kept[4096];
static mlx_vector_array lists[1024];
static const char* program;

/* The file of expectations: one "name = text" a line. */
static char *wanted_names[2048], *wanted_texts[2048];
static int wanted_count;
static FILE* blessed;
static const char* asked[4096];
static int asked_count;

static void on_error(const char* message, void* data) {
  ++*(int*)data;
  snprintf(last_error, sizeof(last_error), "%s", message);
}

static char* copy_of(const char* text) { return strcpy(malloc(strlen(text) + 1), text); }

static void read_expectations(const char* path) {
  FILE* file = fopen(path, "r");
  static char line[65536];
  while (file && fgets(line, sizeof(line), file)) {
    char* equals = strstr(line, " = ");
    if (!equals || line[0] == '#') continue;
    line[strcspn(line, "\n")] = 0;
    *equals = 0;
    wanted_names[wanted_count] = copy_of(line);
    wanted_texts[wanted_count++] = copy_of(equals + 3);
  }
  if (file) fclose(file);
}

void begin(int count, char** arguments) {
  program = arguments[0];
  mlx_set_error_handler(on_error, &errors, NULL);
  const char* device = getenv("FRIT_C_TEST_DEVICE");
  s = device && !strcmp(device, "gpu") ? mlx_default_gpu_stream_new() : mlx_default_cpu_stream_new();
  r = mlx_array_new();
  rs = mlx_vector_array_new();
  if (count > 1) {
    if (getenv("FRIT_BLESS")) {
      blessed = fopen(arguments[1], "w");
      fprintf(blessed, "# Results of the operations that the test of this name calls. FRIT_BLESS=1 writes them.\n");
    } else {
      read_expectations(arguments[1]);
    }
  }
}

int end(void) {
  for (int i = 0; i < kept_count; ++i) OK(mlx_array_free(kept[i]));
  for (int i = 0; i < lists_count; ++i) OK(mlx_vector_array_free(lists[i]));
  OK(mlx_array_free(r));
  OK(mlx_vector_array_free(rs));
  OK(mlx_stream_free(s));
  frit_process_stats stats;
  OK(frit_stats_of_process(&stats));
  if (stats.handles) printf("%s: %zu handles are left\n", program, stats.handles), ++failures;
  mlx_set_error_handler(NULL, NULL, NULL);
  for (int i = 0; i < wanted_count; ++i) {
    bool found = false;
    for (int j = 0; j < asked_count; ++j) found |= !strcmp(asked[j], wanted_names[i]);
    if (!found) printf("%s: nothing computes '%s'\n", program, wanted_names[i]), ++failures;
    free(wanted_names[i]);
    free(wanted_texts[i]);
  }
  for (int j = 0; j < asked_count; ++j) free((char*)asked[j]);
  if (blessed) fclose(blessed);
  printf("%d failures\n", failures);
  return failures != 0;
}

void check_at(bool ok, const char* what, const char* file, int line) {
  if (ok) return;
  ++failures;
  printf("%s:%d: %s\n  last error: %s\n", file, line, what, last_error);
}

void check_error_at(const char* part, const char* file, int line) {
  if (!strstr(last_error, part) || !(strncmp(last_error, "mlx_", 4) == 0 || strncmp(last_error, "frit_", 5) == 0)) {
    ++failures;
    printf("%s:%d: the error is '%s', and not one with '%s'\n", file, line, last_error, part);
  }
  last_error[0] = 0;
}

int error_count(void) { return errors; }

/* "array([1, 2], dtype=int32)" without white space. */
static void append_text(char* text, size_t size, mlx_array array) {
  mlx_string printed = mlx_string_new();
  OK(mlx_array_tostring(&printed, array));
  size_t at = strlen(text);
  for (const char* c = mlx_string_data(printed); c && *c && at + 1 < size; ++c)
    if (!isspace((unsigned char)*c)) text[at++] = *c;
  text[at] = 0;
  mlx_string_free(printed);
}

/* Equal texts, but numbers may differ in the sixth digit. */
static bool alike(const char* a, const char* b) {
  while (*a && *b) {
    char *a_end, *b_end;
    const double x = strtod(a, &a_end), y = strtod(b, &b_end);
    if (a_end != a && b_end != b && !isalpha((unsigned char)*a)) {
      if (fabs(x - y) > 2e-5 * fmax(fmax(fabs(x), fabs(y)), 0.01) && !(isnan(x) && isnan(y)) && x != y) return false;
      a = a_end;
      b = b_end;
    } else if (*a++ != *b++) {
      return false;
    }
  }
  return *a == *b;
}

static void expect_text(const char* name, const char* text) {
  char* numbered = malloc(strlen(name) + 16);
  strcpy(numbered, name);
  for (int number = 2, i = 0; i < asked_count; ++i)
    if (!strcmp(asked[i], numbered)) sprintf(numbered, "%s %d", name, number++), i = -1;
  asked[asked_count++] = numbered;
  if (blessed) fprintf(blessed, "%s = %s\n", numbered, text);
  for (int i = 0; i < wanted_count; ++i) {
    if (strcmp(wanted_names[i], numbered)) continue;
    if (!alike(wanted_texts[i], text)) {
      ++failures;
      printf("%s:\n  wanted %s\n  got    %s\n", numbered, wanted_texts[i], text);
    }
    return;
  }
  if (!blessed) ++failures, printf("%s: nothing is expected; got %s\n", numbered, text);
}

void expect_array(const char* name, mlx_array array) {
  static char text[65536];
  text[0] = 0;
  append_text(text, sizeof(text), array);
  expect_text(name, text);
}

void expect_arrays(const char* name, mlx_vector_array arrays) {
  static char text[65536];
  text[0] = 0;
  for (size_t i = 0; i < mlx_vector_array_size(arrays); ++i) {
    mlx_array item = mlx_array_new();
    OK(mlx_vector_array_get(&item, arrays, i));
    if (i) strcat(text, ";");
    append_text(text, sizeof(text), item);
    mlx_array_free(item);
  }
  expect_text(name, text);
}

mlx_array keep(mlx_array array) { return kept[kept_count++] = array; }
mlx_array floats(int dim, const int* shape, const float* data) {
  return keep(mlx_array_new_data(data, shape, dim, MLX_FLOAT32));
}
mlx_array ints(int dim, const int* shape, const int* data) {
  return keep(mlx_array_new_data(data, shape, dim, MLX_INT32));
}
mlx_vector_array list_of(const mlx_array* arrays, size_t size) {
  return lists[lists_count++] = mlx_vector_array_new_data(arrays, size);
}

size_t values_of(mlx_array array, double* values, size_t size) {
  mlx_stream cpu = mlx_default_cpu_stream_new();
  mlx_array wide = mlx_array_new();
  OK(mlx_astype(&wide, array, MLX_FLOAT64, cpu));
  OK(mlx_contiguous(&wide, wide, false, cpu));
  OK(mlx_array_eval(wide));
  const double* data = mlx_array_data_float64(wide);
  const size_t count = mlx_array_size(wide);
  for (size_t i = 0; data && i < count && i < size; ++i) values[i] = data[i];
  mlx_array_free(wide);
  mlx_stream_free(cpu);
  return count;
}

double value_of(mlx_array array) {
  double value = NAN;
  CHECK(values_of(array, &value, 1) == 1);
  return value;
}

double first_of(mlx_vector_array list) {
  mlx_array item = mlx_array_new();
  OK(mlx_vector_array_get(&item, list, 0));
  double value = -1;
  CHECK(values_of(item, &value, 1) > 0);
  mlx_array_free(item);
  return value;
}
