/* array.h, string.h, vector.h, map.h, device.h, stream.h, memory.h, metal.h, cuda.h, error.h and version.h. */
#include <dlfcn.h>
#include <math.h>

#include "harness.h"

static int released;
static void count_release(void* payload) { released += *(int*)payload; }

static void creation(void) {
  CHECK(mlx_dtype_size(MLX_COMPLEX64) == 8 && mlx_dtype_size(MLX_BFLOAT16) == 2 && mlx_dtype_size(MLX_BOOL) == 1);
  CHECK(mlx_dtype_size((mlx_dtype)40) == 0);
  ERROR_SAYS("mlx_dtype_size: ");
  mlx_array a = mlx_array_new();
  CHECK(!a.ctx && !mlx_array_empty.ctx);
  OK(mlx_array_free(a));
  bool b = false;
  OK(mlx_array_set_bool(&a, true));
  OK(mlx_array_item_bool(&b, a));
  CHECK(b);
  OK(mlx_array_eval(a));
  CHECK(*mlx_array_data_bool(a));
  int32_t i = 0;
  OK(mlx_array_set_int(&a, -5));
  OK(mlx_array_item_int32(&i, a));
  CHECK(i == -5 && mlx_array_dtype(a) == MLX_INT32);
  float f = 0;
  OK(mlx_array_set_float32(&a, 1.5f));
  OK(mlx_array_item_float32(&f, a));
  CHECK(f == 1.5f);
  OK(mlx_array_set_float(&a, 2.5f));
  CHECK(mlx_array_dtype(a) == MLX_FLOAT32);
  double d = 0;
  OK(mlx_array_set_float64(&a, 0.1));
  OK(mlx_array_item_float64(&d, a));
  CHECK(d == 0.1 && mlx_array_dtype(a) == MLX_FLOAT64);
  OK(mlx_array_set_double(&a, 0.2));
  OK(mlx_array_set_complex(&a, 1, 2));
  CHECK(mlx_array_dtype(a) == MLX_COMPLEX64 && mlx_array_nbytes(a) == 8);
  OK(mlx_array_set_data(&a, F(1, 2), I(2), 1, MLX_FLOAT32));
  CHECK(mlx_array_size(a) == 2);
  const mlx_array scalars[] = {mlx_array_new_bool(true),  mlx_array_new_int(1),     mlx_array_new_float32(1),
                               mlx_array_new_float(1),    mlx_array_new_float64(1), mlx_array_new_double(1),
                               mlx_array_new_complex(1, 0)};
  const mlx_dtype types[] = {MLX_BOOL, MLX_INT32, MLX_FLOAT32, MLX_FLOAT32, MLX_FLOAT64, MLX_FLOAT64, MLX_COMPLEX64};
  for (int k = 0; k < 7; ++k) {
    CHECK(mlx_array_dtype(scalars[k]) == types[k] && mlx_array_ndim(scalars[k]) == 0);
    CHECK(mlx_array_size(scalars[k]) == 1 && mlx_array_itemsize(scalars[k]) == mlx_dtype_size(types[k]));
    OK(mlx_array_set(&a, scalars[k]));
    OK(mlx_array_free(scalars[k]));
    CHECK(mlx_array_dtype(a) == types[k]);
  }
  OK(mlx_array_free(a));
  CHECK(!mlx_array_new_data(F(1), I(-1), 1, MLX_FLOAT32).ctx);
  ERROR_SAYS("mlx_array_new_data: axis 0 of 'shape' has the size -1");
  CHECK(!mlx_array_new_data(F(1), I(1), -1, MLX_FLOAT32).ctx);
  ERROR_SAYS("'dim' is -1");
  CHECK(!mlx_array_new_data(NULL, I(1), 1, MLX_FLOAT32).ctx);
  ERROR_SAYS("'data' is a null pointer");
  CHECK(!mlx_array_new_data(F(1), I(65536, 65536, 65536, 65536), 4, MLX_FLOAT32).ctx);
  ERROR_SAYS("mlx_array_new_data: ");
}

static void managed(void) {
  float* data = malloc(4 * sizeof(float));
  for (int i = 0; i < 4; ++i) data[i] = (float)i;
  int one = 1, ten = 10;
  released = 0;
  mlx_array a = mlx_array_new_data_managed_payload(data, I(2, 2), 2, MLX_FLOAT32, &one, count_release);
  OK(mlx_array_eval(a));
  CHECK(mlx_array_data_float32(a) == data);
  mlx_array copy = mlx_array_new();
  OK(mlx_array_set(&copy, a));
  OK(mlx_array_free(a));
  CHECK(released == 0);
  OK(mlx_array_free(copy));
  CHECK(released == 1);
  // Data that is not aligned is copied, and released at once.
  a = mlx_array_new_data_managed_payload((char*)data + 1, I(2), 1, MLX_FLOAT32, &ten, count_release);
  CHECK(a.ctx && released == 11);
  OK(mlx_array_free(a));
  // After an error nothing was taken over.
  CHECK(!mlx_array_new_data_managed_payload(data, I(-2), 1, MLX_FLOAT32, &ten, count_release).ctx && released == 11);
  a = mlx_array_new_data_managed(data, I(4), 1, MLX_FLOAT32, free);
  CHECK(value_of((OK(mlx_sum(&r, a, false, s)), r)) == 6);
  OK(mlx_array_free(a));
}

static void elements(void) {
  const mlx_array x = floats(SHAPE(2, 3), F(1, 2, 3, 4, 5, 6));
  CHECK(mlx_array_shape(x)[0] == 2 && mlx_array_shape(x)[1] == 3 && mlx_array_dim(x, -1) == 3);
  CHECK(mlx_array_strides(x)[0] == 3 && mlx_array_strides(x)[1] == 1);
  CHECK(mlx_array_dim(x, 5) == 0);
  ERROR_SAYS("mlx_array_dim: ");
  CHECK(mlx_array_shape(keep(mlx_array_new_int(1))) != NULL);
  bool yes = false;
  OK(_mlx_array_is_contiguous(&yes, x));
  CHECK(yes);
  OK(_mlx_array_is_row_contiguous(&yes, x));
  CHECK(yes);
  OK(_mlx_array_is_col_contiguous(&yes, x));
  CHECK(!yes);
  OK(mlx_add(&r, x, x, s));
  OK(_mlx_array_is_available(&yes, r));
  CHECK(!yes);
  CHECK(mlx_array_data_float32(r) == NULL);
  ERROR_SAYS("not evaluated");
  OK(_mlx_array_wait(r));
  OK(_mlx_array_is_available(&yes, r));
  CHECK(yes);
  CHECK(mlx_array_data_float32(r)[5] == 12);
  CHECK(mlx_array_data_int32(r) == NULL);
  ERROR_SAYS("mlx_array_data_int32: the array has the type float32, not int32");
  CHECK(mlx_array_data_uint32(r)[0] == 0x40000000);  // the bits
  CHECK(mlx_array_data_uint8(r) != NULL && mlx_array_data_float64(r) == NULL);
  float one = 0;
  FAILS(mlx_array_item_float32(&one, x), "mlx_array_item_float32: ");
  FAILS(mlx_array_item_float32(&one, keep(mlx_array_new_int(3))), "the array has the type int32");
  FAILS(mlx_array_item_float32(NULL, keep(mlx_array_new_float(3))), "null pointer");
  FAILS(mlx_array_item_float32(&one, none), "null mlx_array");
}

/* The bits of an element, by the unsigned accessor of its size. */
static void bits_of_elements(void) {
  uint8_t byte = 0;
  uint16_t word = 0;
  uint32_t bits32 = 0;
  uint64_t bits64 = 0;
  OK(mlx_array_item_uint8(&byte, keep(mlx_array_new_bool(true))));
  CHECK(byte == 1);
  mlx_array half = mlx_array_new();
  const mlx_array one = keep(mlx_array_new_float(1));
  OK(mlx_astype(&half, one, MLX_BFLOAT16, s));
  OK(mlx_array_item_uint16(&word, half));
  CHECK(word == 0x3f80);
  OK(mlx_astype(&half, one, MLX_FLOAT16, s));
  OK(mlx_array_item_uint16(&word, half));
  CHECK(word == 0x3c00);
  OK(mlx_array_item_uint32(&bits32, one));
  CHECK(bits32 == 0x3f800000);
  OK(mlx_array_item_uint64(&bits64, keep(mlx_array_new_double(1))));
  CHECK(bits64 == 0x3ff0000000000000);
  OK(mlx_array_item_uint64(&bits64, keep(mlx_array_new_complex(1, 0))));
  CHECK(bits64 == 0x3f800000);
  FAILS(mlx_array_item_uint64(&bits64, one), "the array has the type float32, not uint64");
  FAILS(mlx_array_item_uint32(&bits32, floats(SHAPE(2), (float[]){1, 2})), "2 elements, not one");
  OK(mlx_array_free(half));
}

/* Each integer type: what goes in comes out, and does not fit elsewhere. */
#define INTEGER(type, name, DTYPE, number)                                            \
  do {                                                                                \
    const type in = (type)(number);                                                   \
    type out = 0;                                                                     \
    mlx_array a = mlx_array_new_data(&in, NULL, 0, DTYPE);                            \
    OK(mlx_array_item_##name(&out, a));                                               \
    CHECK(out == in);                                                                 \
    OK(mlx_array_eval(a));                                                            \
    CHECK(*mlx_array_data_##name(a) == in);                                           \
    OK(mlx_array_free(a));                                                            \
  } while (0)

static void integers(void) {
  INTEGER(uint8_t, uint8, MLX_UINT8, 200);
  INTEGER(uint16_t, uint16, MLX_UINT16, 60000);
  INTEGER(uint32_t, uint32, MLX_UINT32, 4000000000u);
  INTEGER(uint64_t, uint64, MLX_UINT64, 1ull << 63);
  INTEGER(int8_t, int8, MLX_INT8, -100);
  INTEGER(int16_t, int16, MLX_INT16, -30000);
  INTEGER(int32_t, int32, MLX_INT32, -2000000000);
  INTEGER(int64_t, int64, MLX_INT64, -(1ll << 62));
  int64_t wide = 0;
  int8_t small = 0;
  const mlx_array big = keep(mlx_array_new_int(1000));
  OK(mlx_array_item_int64(&wide, big));
  CHECK(wide == 1000);
  FAILS(mlx_array_item_int8(&small, big), "does not fit into int8");
  double d = 0;
  const mlx_array f = keep(mlx_array_new_float(1.25f));
  OK(mlx_array_item_float64(&d, f));
  CHECK(d == 1.25);
  // 16-bit floats: the symbols are there, even where the compiler has no such types.
  int (*item_half)(uint16_t*, mlx_array) = (int (*)(uint16_t*, mlx_array))dlsym(RTLD_DEFAULT, "mlx_array_item_float16");
  int (*item_brain)(uint16_t*, mlx_array) = (int (*)(uint16_t*, mlx_array))dlsym(RTLD_DEFAULT, "mlx_array_item_bfloat16");
  const uint16_t* (*data_half)(mlx_array) = (const uint16_t* (*)(mlx_array))dlsym(RTLD_DEFAULT, "mlx_array_data_float16");
  const uint16_t* (*data_brain)(mlx_array) = (const uint16_t* (*)(mlx_array))dlsym(RTLD_DEFAULT, "mlx_array_data_bfloat16");
  CHECK(item_half && item_brain && data_half && data_brain);
  uint16_t bits = 0;
  OK(item_half(&bits, f));
  CHECK(bits == 0x3d00);
  OK(item_brain(&bits, f));
  CHECK(bits == 0x3fa0);
  OK(mlx_astype(&r, f, MLX_FLOAT16, s));
  OK(mlx_array_eval(r));
  CHECK(*data_half(r) == 0x3d00 && data_brain(r) == NULL && *mlx_array_data_uint16(r) == 0x3d00);
}

static void handles(void) {
  mlx_array a = mlx_array_new_int(1);
  OK(mlx_array_free(a));
  FAILS(mlx_array_free(a), "freed before");
  // The place is used again, and the old handle still does not fit.
  mlx_array b = mlx_array_new_int(2);
  FAILS(mlx_array_eval(a), "freed before");
  FAILS(mlx_add(&a, b, b, s), "freed before");
  CHECK(mlx_array_size(a) == 0 && mlx_array_shape(a) == NULL && mlx_array_strides(a) == NULL);
  OK(mlx_array_free(b));
  mlx_string text = mlx_string_new();
  CHECK(!text.ctx && mlx_string_data(text) == NULL);
  ERROR_SAYS("mlx_string_data: ");
  mlx_string word = mlx_string_new_data("word");
  OK(mlx_string_set(&text, word));
  OK(mlx_string_free(word));
  CHECK(!strcmp(mlx_string_data(text), "word"));
  CHECK(!mlx_string_new_data(NULL).ctx);
  OK(mlx_version(&text));
  CHECK(mlx_string_data(text)[0] >= '0' && mlx_string_data(text)[0] <= '9');
  OK(mlx_string_free(text));
  FAILS(mlx_string_free(text), "freed before");
}

static void vectors(void) {
  mlx_vector_int numbers = mlx_vector_int_new();
  OK(mlx_vector_int_append_value(numbers, 3));
  OK(mlx_vector_int_append_data(numbers, LIST(4, 5)));
  int number = 0;
  OK(mlx_vector_int_get(&number, numbers, 2));
  CHECK(number == 5 && mlx_vector_int_size(numbers) == 3);
  FAILS(mlx_vector_int_get(&number, numbers, 3), "no item 3 in a list of 3");
  OK(mlx_vector_int_set_data(&numbers, LIST(1)));
  OK(mlx_vector_int_set_value(&numbers, 9));
  mlx_vector_int more = mlx_vector_int_new_data(LIST(1, 2)), less = mlx_vector_int_new_value(1);
  OK(mlx_vector_int_set(&less, more));
  CHECK(mlx_vector_int_size(less) == 2);
  FAILS(mlx_vector_int_append_data(numbers, NULL, 2), "null pointer to 2 items");
  OK(mlx_vector_int_free(numbers));
  OK(mlx_vector_int_free(more));
  OK(mlx_vector_int_free(less));

  const char* names[] = {"a", "b"};
  const char* broken[] = {"a", NULL};
  mlx_vector_string texts = mlx_vector_string_new_data(names, 2), other = mlx_vector_string_new();
  char* item = NULL;
  OK(mlx_vector_string_get(&item, texts, 1));
  CHECK(!strcmp(item, "b"));
  OK(mlx_vector_string_append_value(other, "c"));
  OK(mlx_vector_string_append_data(other, names, 2));
  CHECK(mlx_vector_string_size(other) == 3);
  OK(mlx_vector_string_set(&texts, other));
  OK(mlx_vector_string_set_data(&texts, names, 1));
  OK(mlx_vector_string_set_value(&texts, "d"));
  CHECK(mlx_vector_string_size(texts) == 1);
  FAILS(mlx_vector_string_append_data(texts, broken, 2), "null pointer");
  CHECK(!mlx_vector_string_new_data(broken, 2).ctx && mlx_vector_string_size(texts) == 1);
  OK(mlx_vector_string_free(texts));
  OK(mlx_vector_string_free(other));
}

static void vectors_of_arrays(void) {
  const mlx_array x = keep(mlx_array_new_int(1)), y = keep(mlx_array_new_int(2)), both[] = {x, y};
  mlx_vector_array list = mlx_vector_array_new_value(x), other = mlx_vector_array_new();
  OK(mlx_vector_array_append_value(list, y));
  OK(mlx_vector_array_append_data(list, both, 2));
  CHECK(mlx_vector_array_size(list) == 4);
  OK(mlx_vector_array_get(&r, list, 3));
  CHECK(value_of(r) == 2);
  FAILS(mlx_vector_array_get(&r, list, (size_t)-1), "no item");
  OK(mlx_vector_array_set(&other, list));
  OK(mlx_vector_array_set_value(&list, x));
  OK(mlx_vector_array_set_data(&list, both, 2));
  CHECK(mlx_vector_array_size(list) == 2 && mlx_vector_array_size(other) == 4);
  FAILS(mlx_vector_array_append_value(list, none), "null mlx_array");
  mlx_vector_vector_array lists = mlx_vector_vector_array_new_value(list), more = mlx_vector_vector_array_new();
  OK(mlx_vector_vector_array_append_value(lists, other));
  OK(mlx_vector_vector_array_append_data(lists, (mlx_vector_array[]){list, other}, 2));
  OK(mlx_vector_vector_array_set(&more, lists));
  CHECK(mlx_vector_vector_array_size(more) == 4);
  OK(mlx_vector_vector_array_get(&other, more, 2));
  CHECK(mlx_vector_array_size(other) == 2);
  OK(mlx_vector_vector_array_set_value(&more, list));
  OK(mlx_vector_vector_array_set_data(&more, &list, 1));
  mlx_vector_vector_array third = mlx_vector_vector_array_new_data(&list, 1);
  CHECK(mlx_vector_vector_array_size(third) == 1);
  OK(mlx_vector_vector_array_free(third));
  OK(mlx_vector_vector_array_free(lists));
  OK(mlx_vector_vector_array_free(more));
  OK(mlx_vector_array_free(list));
  OK(mlx_vector_array_free(other));
  CHECK(mlx_vector_array_size(list) == 0);
  ERROR_SAYS("mlx_vector_array_size: ");
}

static void maps(void) {
  mlx_map_string_to_array map = mlx_map_string_to_array_new(), copy = mlx_map_string_to_array_new();
  for (int i = 0; i < 3; ++i) {
    mlx_array value = mlx_array_new_int(i);
    OK(mlx_map_string_to_array_insert(map, (const char*[]){"a", "b", "c"}[i], value));
    OK(mlx_array_free(value));
  }
  OK(mlx_map_string_to_array_get(&r, map, "b"));
  CHECK(value_of(r) == 1);
  const int before = error_count();
  CHECK(mlx_map_string_to_array_get(&r, map, "x") == 2);
  mlx_map_string_to_array_iterator it = mlx_map_string_to_array_iterator_new(map);
  const char* key = NULL;
  int seen = 0, status = 0;
  double sum = 0;
  while ((status = mlx_map_string_to_array_iterator_next(&key, &r, it)) == 0) ++seen, sum += value_of(r);
  CHECK(seen == 3 && sum == 3 && status == 2 && error_count() == before);
  OK(mlx_map_string_to_array_iterator_free(it));
  OK(mlx_map_string_to_array_set(&copy, map));
  OK(mlx_map_string_to_array_free(map));
  FAILS(mlx_map_string_to_array_insert(map, "a", r), "freed before");
  OK(mlx_map_string_to_array_get(&r, copy, "c"));
  // A map that gets another value ends the places in the old one, even where both are alike.
  it = mlx_map_string_to_array_iterator_new(copy);
  mlx_array item = mlx_array_new();
  FAILS(mlx_map_string_to_array_iterator_next(NULL, &item, it), "'key' is a null pointer");
  CHECK(!item.ctx);
  OK(mlx_map_string_to_array_insert(copy, "a", r));
  OK(mlx_map_string_to_array_iterator_next(&key, &item, it));
  OK(mlx_map_string_to_array_set(&copy, copy));
  FAILS(mlx_map_string_to_array_iterator_next(&key, &item, it), "a map that has another value now");
  OK(mlx_map_string_to_array_iterator_free(it));
  it = mlx_map_string_to_array_iterator_new(copy);
  OK(mlx_map_string_to_array_iterator_next(&key, &item, it));
  OK(mlx_map_string_to_array_iterator_free(it));
  OK(mlx_array_free(item));
  FAILS(mlx_map_string_to_array_insert(copy, NULL, r), "'key' is a null pointer");
  OK(mlx_map_string_to_array_free(copy));

  mlx_map_string_to_string texts = mlx_map_string_to_string_new(), other = mlx_map_string_to_string_new();
  OK(mlx_map_string_to_string_insert(texts, "k", "v"));
  OK(mlx_map_string_to_string_insert(texts, "k", "w"));
  const char* value = NULL;
  OK(mlx_map_string_to_string_get(&value, texts, "k"));
  CHECK(!strcmp(value, "w") && mlx_map_string_to_string_get(&value, texts, "x") == 2);
  OK(mlx_map_string_to_string_set(&other, texts));
  mlx_map_string_to_string_iterator at = mlx_map_string_to_string_iterator_new(other);
  OK(mlx_map_string_to_string_iterator_next(&key, &value, at));
  CHECK(!strcmp(key, "k") && mlx_map_string_to_string_iterator_next(&key, &value, at) == 2);
  OK(mlx_map_string_to_string_set(&other, texts));
  FAILS(mlx_map_string_to_string_iterator_next(&key, &value, at), "a map that has another value now");
  OK(mlx_map_string_to_string_iterator_free(at));
  OK(mlx_map_string_to_string_free(texts));
  OK(mlx_map_string_to_string_free(other));
}

int main(int count, char** arguments) {
  begin(count, arguments);
  creation();
  managed();
  elements();
  bits_of_elements();
  integers();
  handles();
  vectors();
  vectors_of_arrays();
  maps();
  return end();
}
