// Lists and maps of the C interface.
#pragma once

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "frontend/c/convert.h"

namespace frit::c {

// One item: the value of a handle, a number, or a copy of a text.
inline const array& item_value(const mlx_array& item) { return in(item, "data"); }
inline const Arrays& item_value(const mlx_vector_array& item) { return in(item, "data"); }
inline int item_value(int item) { return item; }
inline std::string item_value(const char* item) { return in(item, "data"); }

// Copies of `size` items.
template <class T>
auto items_of(T* data, size_t size) {
  check_list(data, size, "data");
  std::vector<std::decay_t<decltype(item_value(*data))>> items;
  items.reserve(size);
  for (size_t i = 0; i < size; ++i) items.push_back(item_value(data[i]));
  return items;
}

template <class T>
void append(std::vector<T>& list, std::vector<T> items) {
  list.insert(list.end(), std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
}

[[noreturn]] void throw_no_item(size_t index, size_t size);
template <class T>
T& item_at(std::vector<T>& list, size_t index) {
  if (index >= list.size()) throw_no_item(index, list.size());
  return list[index];
}
inline void put_item(mlx_array* res, Arrays& list, size_t index) { put(res, item_at(list, index)); }
inline void put_item(mlx_vector_array* res, std::vector<Arrays>& list, size_t index) { put(res, item_at(list, index)); }
inline void put_item(int* res, std::vector<int>& list, size_t index) { put(res, item_at(list, index)); }
inline void put_item(char** res, std::vector<std::string>& list, size_t index) {
  pointer(res, "res") = item_at(list, index).data();
}

// The names in a map.
template <class Map>
std::vector<std::string> keys_of(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  return keys;
}

inline mlx_map_string_to_array_iterator begin_of(mlx_map_string_to_array map) {
  const ArrayMapObject& found = object(map, "map");
  return {new_object(ArrayMapIterator{found.value.begin(), found.nodes.number}), map.ctx};
}
inline mlx_map_string_to_string_iterator begin_of(mlx_map_string_to_string map) {
  const TextMapObject& found = object(map, "map");
  return {new_object(TextMapIterator{found.value.begin(), found.nodes.number}), map.ctx};
}

}  // namespace frit::c
