// How the arguments and results of a compiled function are taken apart into arrays and put together again.
//
// Arrays are leaves. Numbers and bools, vectors, maps by name, pairs, tuples and optionals of such are structure: what
// kind stands where, how many, which names, which values. A function is traced anew for a structure that it has not
// been traced for; a number is part of the structure with its type, so that 0, 0.0 and false are three structures.
//
// A number that is given where the function takes an array is a constant of the trace too, until it has changed often
// enough (`promoted`); from then on it is a leaf, that is, an input of the compiled code.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit::detail {

// What a call hands over. Borrows the caller's arrays.
struct Leaves {
  std::vector<const array*> arrays;
  std::string structure;       // empty when every argument is an array
  std::vector<array> numbers;  // promoted ones as arrays; `arrays` has null in their places until `finish`
  uint64_t promoted = 0;       // bit i: number i, of those that are given for arrays, is a leaf
  int numbers_seen = 0;        // of those
  uint32_t constants = 0;      // numbers that are not in `arrays`

  // The place of the next argument among all, for messages.
  uint32_t position() const { return static_cast<uint32_t>(arrays.size()) + constants; }
  void add(const array& a) { arrays.push_back(&a); }
  template <class T>
  void put(const T& value) {
    structure.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  // Call once all arguments are in: `numbers` does not move any more.
  void finish() {
    size_t next = 0;
    for (const array*& a : arrays)
      if (!a) a = &numbers[next++];
  }
};

// Reads a structure and its leaves in the same order.
class Reader {
 public:
  Reader(std::string_view structure, std::span<const array> leaves) : structure_(structure), leaves_(leaves) {}
  const array& leaf() { return leaves_[next_++]; }
  size_t left() const { return leaves_.size() - next_; }
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, structure_.data(), sizeof value);
    structure_.remove_prefix(sizeof value);
    return value;
  }
  std::string text(size_t size) {
    std::string s(structure_.substr(0, size));
    structure_.remove_prefix(size);
    return s;
  }

 private:
  std::string_view structure_;
  std::span<const array> leaves_;
  size_t next_ = 0;
};

// flatten(value, leaves) takes a value apart, build(reader) makes one of the same structure. Not defined for types that
// a compiled function cannot take.
template <class T>
struct Tree;

template <>
struct Tree<array> {
  static void flatten(const array& a, Leaves& out) { out.add(a); }
  static array build(Reader& in) { return in.leaf(); }
};

// A number that stays the C++ type it is.
template <class T>
  requires is_scalar<T>
struct Tree<T> {
  static void flatten(const T& value, Leaves& out) {
    out.structure += 's';
    out.put(out.position());
    out.put(storage_dtype<T>().val);
    out.put(value);
    ++out.constants;
  }
  static T build(Reader& in) {
    in.get<char>();
    in.get<uint32_t>();
    in.get<decltype(Dtype::val)>();
    return in.get<T>();
  }
};

// A number of type T for a parameter that is an array.
template <class T>
struct NumberAsArray {};
template <class T>
struct Tree<NumberAsArray<T>> {
  static void flatten(const T& value, Leaves& out) {
    const int index = out.numbers_seen++;
    const bool leaf = index < 64 && (out.promoted >> index & 1);
    out.structure += leaf ? 'p' : 'n';
    out.put(out.position());
    out.put(storage_dtype<T>().val);
    if (leaf) {
      out.numbers.emplace_back(value);
      out.arrays.push_back(nullptr);
    } else {
      out.put(value);
      ++out.constants;
    }
  }
  static array build(Reader& in) {
    const bool leaf = in.get<char>() == 'p';
    in.get<uint32_t>();
    in.get<decltype(Dtype::val)>();
    return leaf ? in.leaf() : array(in.get<T>());
  }
};

template <class T>
struct Tree<std::vector<T>> {
  static void flatten(const std::vector<T>& list, Leaves& out) {
    out.structure += 'v';
    out.put(list.size());
    for (const T& item : list) Tree<T>::flatten(item, out);
  }
  static std::vector<T> build(Reader& in) {
    in.get<char>();
    const auto n = in.get<size_t>();
    std::vector<T> list;
    list.reserve(n);
    for (size_t i = 0; i < n; ++i) list.push_back(Tree<T>::build(in));
    return list;
  }
};

template <class T>
struct Tree<std::map<std::string, T>> {
  static void flatten(const std::map<std::string, T>& map, Leaves& out) {
    out.structure += 'm';
    out.put(map.size());
    for (const auto& [name, item] : map) {
      out.structure += 'k';
      out.put(name.size());
      out.structure += name;
      Tree<T>::flatten(item, out);
    }
  }
  static std::map<std::string, T> build(Reader& in) {
    in.get<char>();
    const auto n = in.get<size_t>();
    std::map<std::string, T> map;
    for (size_t i = 0; i < n; ++i) {
      in.get<char>();
      std::string name = in.text(in.get<size_t>());
      map.emplace(std::move(name), Tree<T>::build(in));
    }
    return map;
  }
};

template <class T>
struct Tree<std::optional<T>> {
  static void flatten(const std::optional<T>& item, Leaves& out) {
    out.structure += item ? '+' : '-';
    if (item) Tree<T>::flatten(*item, out);
  }
  static std::optional<T> build(Reader& in) {
    if (in.get<char>() == '-') return std::nullopt;
    return Tree<T>::build(in);
  }
};

template <class... T>
struct Tree<std::tuple<T...>> {
  static void flatten(const std::tuple<T...>& items, Leaves& out) {
    std::apply([&](const T&... item) { (Tree<T>::flatten(item, out), ...); }, items);
  }
  static std::tuple<T...> build(Reader& in) { return std::tuple<T...>{Tree<T>::build(in)...}; }
};

template <class A, class B>
struct Tree<std::pair<A, B>> {
  static void flatten(const std::pair<A, B>& items, Leaves& out) {
    Tree<A>::flatten(items.first, out);
    Tree<B>::flatten(items.second, out);
  }
  static std::pair<A, B> build(Reader& in) {
    A first = Tree<A>::build(in);
    return {std::move(first), Tree<B>::build(in)};
  }
};

template <class T>
concept Treelike = requires(const T& value, Leaves& leaves) { Tree<T>::flatten(value, leaves); };

// The argument that a function traced for a call with a `T` gets: by its own type, or an array for a number.
template <class T>
using AsArray = std::conditional_t<is_scalar<T>, NumberAsArray<T>, T>;
template <class Tree>
using Built = decltype(Tree::build(std::declval<Reader&>()));

}  // namespace frit::detail
