// Look-ups in maps, whose absence of a result is no error.
#include "frontend/c/lists.h"

namespace frit::c {

void throw_no_item(size_t index, size_t size) {
  throw OutOfRange("there is no item " + std::to_string(index) + " in a list of " + std::to_string(size));
}

namespace {

// The status of a look-up that finds nothing.
constexpr int kNothing = 2;

void store(mlx_array* to, const array& value) { put_object(to, {value, nullptr}, "value"); }
void store(const char** to, const std::string& value) { pointer(to, "value") = value.c_str(); }

template <class To, class Map>
int get(const char* function, To* value, Map map, const char* key) {
  bool there = false;
  const int status = call(function, [&] {
    const auto& entries = in(map, "map");
    const auto found = entries.find(in(key, "key"));
    there = found != entries.end();
    if (there) store(value, found->second);
  });
  return status ? status : there ? 0 : kNothing;
}

template <class Map, class To, class Iterator>
int next(const char* function, const char** key, To* value, Iterator it) {
  bool there = false;
  const int status = call(function, [&] {
    auto& [place, nodes] = object(it, "it");
    const auto& map = object(Map{it.map_ctx}, "it");
    if (map.nodes.number != nodes)
      throw InvalidArgument("'it' is a place in a map that has another value now", "begin again with a new iterator");
    there = place != map.value.end();
    if (!there) return;
    pointer(key, "key");
    store(value, place->second);
    *key = place->first.c_str();
    ++place;
  });
  return status ? status : there ? 0 : kNothing;
}

template <class T>
int get_fact(const char* function, T* value, mlx_device_info info, const char* key, auto&& read) {
  bool there = false;
  const int status = call(function, [&] {
    const DeviceFacts& facts = in(info, "info");
    const auto found = facts.find(in(key, "key"));
    there = found != facts.end() && read(pointer(value, "value"), found->second);
  });
  return status ? status : there ? 0 : kNothing;
}

}  // namespace

extern "C" {

int mlx_map_string_to_array_get(mlx_array* value, const mlx_map_string_to_array map, const char* key) {
  return get("mlx_map_string_to_array_get", value, map, key);
}

int mlx_map_string_to_string_get(const char** value, const mlx_map_string_to_string map, const char* key) {
  return get("mlx_map_string_to_string_get", value, map, key);
}

int mlx_map_string_to_array_iterator_next(const char** key, mlx_array* value, mlx_map_string_to_array_iterator it) {
  return next<mlx_map_string_to_array>("mlx_map_string_to_array_iterator_next", key, value, it);
}

int mlx_map_string_to_string_iterator_next(const char** key, const char** value, mlx_map_string_to_string_iterator it) {
  return next<mlx_map_string_to_string>("mlx_map_string_to_string_iterator_next", key, value, it);
}

int mlx_device_info_get_string(const char** value, mlx_device_info info, const char* key) {
  return get_fact("mlx_device_info_get_string", value, info, key, [](const char*& to, const auto& fact) {
    const auto* text = std::get_if<std::string>(&fact);
    if (text) to = text->c_str();
    return text != nullptr;
  });
}

int mlx_device_info_get_size(size_t* value, mlx_device_info info, const char* key) {
  return get_fact("mlx_device_info_get_size", value, info, key, [](size_t& to, const auto& fact) {
    const auto* number = std::get_if<size_t>(&fact);
    if (number) to = *number;
    return number != nullptr;
  });
}

}  // extern "C"

}  // namespace frit::c
