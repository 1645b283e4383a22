/* io.h, io_types.h and graph_utils.h: files, callbacks that read and write, and graphs as text. */
#include <unistd.h>

#include "harness.h"

/* Bytes in memory behind the callbacks. Reading fails behind `limit`. */
typedef struct Bytes {
  char data[65536];
  size_t at, size, limit;
  bool good;
  int freed;
} Bytes;

static bool is_open(void* d) { return d != NULL; }
static bool good(void* d) { return ((Bytes*)d)->good; }
static size_t tell(void* d) { return ((Bytes*)d)->at; }
static void seek(void* d, int64_t off, int whence) {
  Bytes* b = d;
  b->at = (size_t)(off + (whence == SEEK_CUR ? (int64_t)b->at : whence == SEEK_END ? (int64_t)b->size : 0));
}
static void read_bytes(void* d, char* data, size_t n) {
  Bytes* b = d;
  if (b->at + n > b->size || b->at + n > b->limit) {
    b->good = false;
    return;
  }
  memcpy(data, b->data + b->at, n);
  b->at += n;
}
static void read_at(void* d, char* data, size_t n, size_t off) {
  Bytes* b = d;
  b->at = off;
  read_bytes(d, data, n);
}
static void write_bytes(void* d, const char* data, size_t n) {
  Bytes* b = d;
  if (b->at + n > b->limit) {
    b->good = false;
    return;
  }
  memcpy(b->data + b->at, data, n);
  b->at += n;
  if (b->at > b->size) b->size = b->at;
}
static const char* label(void* d) {
  (void)d;
  return "my bytes";
}
static void freed(void* d) { ++((Bytes*)d)->freed; }

static const mlx_io_vtable table = {is_open, good, tell, seek, read_bytes, read_at, write_bytes, label, freed};
static Bytes bytes;
static void reset(size_t limit) {
  bytes.at = 0;
  bytes.limit = limit;
  bytes.good = true;
}

static void callbacks(void) {
  const mlx_array x = floats(SHAPE(2, 3), F(1, 2, 3, 4, 5, 6));
  mlx_string text = mlx_string_new();
  void* descriptor = NULL;
  reset(sizeof(bytes.data));
  mlx_io_writer writer = mlx_io_writer_new(&bytes, table);
  OK(mlx_io_writer_descriptor(&descriptor, writer));
  CHECK(descriptor == &bytes);
  OK(mlx_io_writer_tostring(&text, writer));
  CHECK(!strcmp(mlx_string_data(text), "my bytes"));
  OK(mlx_save_writer(writer, x));
  OK(mlx_io_writer_free(writer));
  CHECK(bytes.freed == 1 && bytes.size > 24);
  reset(sizeof(bytes.data));
  mlx_io_reader reader = mlx_io_reader_new(&bytes, table);
  OK(mlx_io_reader_descriptor(&descriptor, reader));
  OK(mlx_io_reader_tostring(&text, reader));
  OK(mlx_load_reader(&r, reader, s));
  expect_array("mlx_load_reader", r);
  OK(mlx_io_reader_free(reader));
  CHECK(bytes.freed == 2);
  // A reader that ends half-way.
  for (size_t limit = 0; limit < bytes.size; limit += 7) {
    reset(limit);
    reader = mlx_io_reader_new(&bytes, table);
    const bool failed = mlx_load_reader(&r, reader, s) || mlx_array_eval(r);
    CHECK(failed);
    OK(mlx_io_reader_free(reader));
  }
  reset(10);
  writer = mlx_io_writer_new(&bytes, table);
  FAILS(mlx_save_writer(writer, x), "mlx_save_writer: ");
  OK(mlx_io_writer_free(writer));
  mlx_io_vtable part = table;
  part.read = NULL;
  CHECK(!mlx_io_reader_new(&bytes, part).ctx);
  ERROR_SAYS("the callback 'read' is a null pointer");
  OK(mlx_string_free(text));
}

static void safetensors(const char* path) {
  mlx_map_string_to_array arrays = mlx_map_string_to_array_new(), back = mlx_map_string_to_array_new();
  mlx_map_string_to_string facts = mlx_map_string_to_string_new(), told = mlx_map_string_to_string_new();
  const mlx_array x = floats(SHAPE(2), F(1, 2));
  OK(mlx_map_string_to_array_insert(arrays, "x", x));
  OK(mlx_map_string_to_string_insert(facts, "by", "test"));
  OK(mlx_save_safetensors(path, arrays, facts));
  OK(mlx_load_safetensors(&back, &told, path, s));
  OK(mlx_map_string_to_array_get(&r, back, "x"));
  expect_array("mlx_load_safetensors", r);
  const char* text = NULL;
  OK(mlx_map_string_to_string_get(&text, told, "by"));
  CHECK(!strcmp(text, "test"));
  reset(sizeof(bytes.data));
  bytes.size = 0;
  mlx_io_writer writer = mlx_io_writer_new(&bytes, table);
  OK(mlx_save_safetensors_writer(writer, arrays, facts));
  OK(mlx_io_writer_free(writer));
  reset(sizeof(bytes.data));
  mlx_io_reader reader = mlx_io_reader_new(&bytes, table);
  OK(mlx_load_safetensors_reader(&back, &told, reader, s));
  OK(mlx_io_reader_free(reader));
  OK(mlx_map_string_to_array_get(&r, back, "x"));
  expect_array("mlx_load_safetensors_reader", r);
  FAILS(mlx_load_safetensors(&back, &told, "/nowhere/at/all", s), "mlx_load_safetensors: ");
  // A file whose texts are null, as MLX writes it where there are none.
  static const char header[] = "{\"__metadata__\":null,\"y\":{\"data_offsets\":[0,4],\"dtype\":\"I32\",\"shape\":[1]}}";
  FILE* file = fopen(path, "wb");
  const uint64_t length = sizeof(header) - 1;
  CHECK(file && fwrite(&length, 1, 8, file) == 8 && fwrite(header, 1, length, file) == length);
  CHECK(fwrite(I(5), 1, 4, file) == 4 && fclose(file) == 0);
  OK(mlx_load_safetensors(&back, &told, path, s));
  OK(mlx_map_string_to_array_get(&r, back, "y"));
  CHECK(value_of(r) == 5 && mlx_map_string_to_string_get(&text, told, "by") == 2);
  OK(mlx_map_string_to_array_free(arrays));
  OK(mlx_map_string_to_array_free(back));
  OK(mlx_map_string_to_string_free(facts));
  OK(mlx_map_string_to_string_free(told));
}

static void gguf(const char* path) {
  mlx_io_gguf file = mlx_io_gguf_new(), back = mlx_io_gguf_new();
  mlx_vector_string words = mlx_vector_string_new_data((const char*[]){"a", "b"}, 2);
  OK(mlx_io_gguf_set_array(file, "w", floats(SHAPE(2), F(1, 2))));
  OK(mlx_io_gguf_set_metadata_array(file, "n", keep(mlx_array_new_int(3))));
  OK(mlx_io_gguf_set_metadata_string(file, "name", "model"));
  OK(mlx_io_gguf_set_metadata_vector_string(file, "words", words));
  OK(mlx_save_gguf(path, file));
  OK(mlx_load_gguf(&back, path, s));
  OK(mlx_io_gguf_get_array(&r, back, "w"));
  expect_array("mlx_io_gguf_get_array", r);
  OK(mlx_io_gguf_get_metadata_array(&r, back, "n"));
  CHECK(value_of(r) == 3);
  mlx_string text = mlx_string_new();
  OK(mlx_io_gguf_get_metadata_string(&text, back, "name"));
  CHECK(!strcmp(mlx_string_data(text), "model"));
  OK(mlx_io_gguf_get_metadata_vector_string(&words, back, "words"));
  CHECK(mlx_vector_string_size(words) == 2);
  mlx_vector_string keys = mlx_vector_string_new();
  OK(mlx_io_gguf_get_keys(&keys, back));
  CHECK(mlx_vector_string_size(keys) == 1);
  bool there = false;
  OK(mlx_io_gguf_has_metadata_array(&there, back, "n"));
  CHECK(there);
  OK(mlx_io_gguf_has_metadata_string(&there, back, "n"));
  CHECK(!there);
  OK(mlx_io_gguf_has_metadata_vector_string(&there, back, "words"));
  CHECK(there);
  FAILS(mlx_io_gguf_get_array(&r, back, "none"), "there is no array 'none'");
  FAILS(mlx_io_gguf_get_metadata_string(&text, back, "n"), "'n'");
  OK(mlx_vector_string_free(keys));
  OK(mlx_vector_string_free(words));
  OK(mlx_string_free(text));
  OK(mlx_io_gguf_free(file));
  OK(mlx_io_gguf_free(back));
}

static void graphs(void) {
  const mlx_array x = floats(SHAPE(2), F(1, 2)), y = floats(SHAPE(2), F(3, 4));
  mlx_node_namer namer = mlx_node_namer_new();
  OK(mlx_node_namer_set_name(namer, x, "input"));
  const char* name = NULL;
  OK(mlx_node_namer_get_name(&name, namer, x));
  CHECK(!strcmp(name, "input"));
  OK(mlx_add(&r, x, y, s));
  char text[4096] = "";
  FILE* file = fmemopen(text, sizeof(text), "w");
  OK(mlx_print_graph(file, namer, ARRAYS(r)));
  fclose(file);
  CHECK(strstr(text, "add(input"));
  file = fmemopen(text, sizeof(text), "w");
  OK(mlx_export_to_dot(file, namer, ARRAYS(r)));
  fclose(file);
  CHECK(strstr(text, "digraph") && strstr(text, "input"));
  FAILS(mlx_print_graph(NULL, namer, ARRAYS(r)), "'os' is a null pointer");
  OK(mlx_node_namer_free(namer));
}

int main(int count, char** arguments) {
  begin(count, arguments);
  char folder[] = "/tmp/frit_c_api_XXXXXX", path[64];
  CHECK(mkdtemp(folder) != NULL);
  callbacks();
  snprintf(path, sizeof(path), "%s/a.npy", folder);
  OK(mlx_save(path, floats(SHAPE(2), F(5, 6))));
  OP(mlx_load, path);
  FAILS(mlx_load(&r, "/nowhere/at/all.npy", s), "mlx_load: ");
  unlink(path);
  snprintf(path, sizeof(path), "%s/a.safetensors", folder);
  safetensors(path);
  unlink(path);
  snprintf(path, sizeof(path), "%s/a.gguf", folder);
  gguf(path);
  unlink(path);
  rmdir(folder);
  graphs();
  return end();
}
