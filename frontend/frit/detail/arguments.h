// How the arguments and results of a compiled function are taken apart into arrays, and put together again.
//
// Arrays are leaves. Numbers, bools, vectors, maps by name, pairs, tuples and optionals form the structure around them:
// the kind of each part, counts, names, and the values of numbers. A function is traced again for a structure that is
// new. A number is part of the structure with its element type, so 0, 0.0 and false make three structures.
//
// A number that is given where the function takes an array is a constant of the trace too. After a few changes of its
// value it is promoted: from then on it is a leaf, that is, an input of the compiled code.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "frit/array.h"

namespace frit::detail {

// One part of a structure, in the order of the arguments.
struct Part {
  enum class Kind : uint8_t {
    list,      // `value` items follow
    map,       // `value` pairs of a key and an item follow
    key,       // a name of `value` bytes, the next in Structure::names
    present,   // an optional whose item follows
    absent,    // an optional without an item
    number,    // a number of a C++ type
    constant,  // a number for a parameter that is an array
    promoted,  // the same as a leaf; its value is not part of the structure
  };
  Kind kind;
  Dtype::Val type = Dtype::Val::bool_;  // of a number
  uint32_t position = 0;                // of a number: its place among all arguments, for messages
  uint64_t value = 0;                   // a count, a length, or the bytes of a number

  friend bool operator==(const Part&, const Part&) = default;
};

struct Structure {
  std::vector<Part> parts;  // empty when every argument is an array
  std::string names;        // of the keys, one after the other

  void add(Part::Kind kind, size_t count = 0) { parts.push_back({.kind = kind, .value = count}); }
  void add_key(std::string_view name) {
    add(Part::Kind::key, name.size());
    names += name;
  }
  friend bool operator==(const Structure&, const Structure&) = default;
};

// The bytes of a number as the value of a part, and back.
template <class T>
uint64_t bits_of(const T& number) {
  static_assert(sizeof(T) <= sizeof(uint64_t), "a number of at most eight bytes");
  uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof number);
  return bits;
}
template <class T>
T number_of(uint64_t bits) {
  T number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

// The leaves of one call and the structure around them. Borrows the caller's arrays.
struct Leaves {
  std::vector<const array*> arrays;
  Structure structure;
  std::vector<array> numbers;  // promoted ones as arrays; `arrays` has null in their places until `finish`
  uint64_t promoted = 0;       // bit i: number i, of those that are given for arrays, is a leaf
  int numbers_seen = 0;        // of those
  uint32_t constants = 0;      // numbers that are not in `arrays`

  // The place of the next argument among all, for messages.
  uint32_t position() const { return static_cast<uint32_t>(arrays.size()) + constants; }
  void add(const array& a) { arrays.push_back(&a); }
  template <class T>
  void add_number(Part::Kind kind, const T& value) {
    const uint64_t bits = kind == Part::Kind::promoted ? 0 : bits_of(value);
    structure.parts.push_back({kind, storage_dtype<T>().val(), position(), bits});
  }
  // Call once all arguments are in: `numbers` does not move any more.
  void finish() {
    size_t next = 0;
    for (const array*& a : arrays)
      if (!a) a = &numbers[next++];
  }
};

// Reads a structure and its leaves in the order in which they were written.
class Reader {
 public:
  Reader(const Structure& structure, std::span<const array> leaves) : structure_(structure), leaves_(leaves) {}
  const array& leaf() { return leaves_[next_leaf_++]; }
  size_t left() const { return leaves_.size() - next_leaf_; }
  const Part& peek() const { return structure_.parts[next_part_]; }
  const Part& part() { return structure_.parts[next_part_++]; }
  std::string key() {
    const size_t size = part().value;
    next_name_ += size;
    return structure_.names.substr(next_name_ - size, size);
  }

 private:
  const Structure& structure_;
  std::span<const array> leaves_;
  size_t next_leaf_ = 0, next_part_ = 0, next_name_ = 0;
};

// flatten(value, leaves) takes a value apart; build(reader) makes one of the same structure. Types that a compiled
// function cannot take have none.
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
    out.add_number(Part::Kind::number, value);
    ++out.constants;
  }
  static T build(Reader& in) { return number_of<T>(in.part().value); }
};

// A number of type T for a parameter that is an array.
template <class T>
struct NumberAsArray {};
template <class T>
struct Tree<NumberAsArray<T>> {
  static void flatten(const T& value, Leaves& out) {
    const int index = out.numbers_seen++;
    const bool leaf = index < 64 && (out.promoted >> index & 1);
    out.add_number(leaf ? Part::Kind::promoted : Part::Kind::constant, value);
    if (leaf) {
      out.numbers.emplace_back(value);
      out.arrays.push_back(nullptr);
    } else {
      ++out.constants;
    }
  }
  static array build(Reader& in) {
    const Part& part = in.part();
    return part.kind == Part::Kind::promoted ? in.leaf() : array(number_of<T>(part.value));
  }
};

template <class T>
struct Tree<std::vector<T>> {
  static void flatten(const std::vector<T>& list, Leaves& out) {
    out.structure.add(Part::Kind::list, list.size());
    for (const T& item : list) Tree<T>::flatten(item, out);
  }
  static std::vector<T> build(Reader& in) {
    const size_t n = in.part().value;
    std::vector<T> list;
    list.reserve(n);
    for (size_t i = 0; i < n; ++i) list.push_back(Tree<T>::build(in));
    return list;
  }
};

template <class T>
struct Tree<std::map<std::string, T>> {
  static void flatten(const std::map<std::string, T>& map, Leaves& out) {
    out.structure.add(Part::Kind::map, map.size());
    for (const auto& [name, item] : map) {
      out.structure.add_key(name);
      Tree<T>::flatten(item, out);
    }
  }
  static std::map<std::string, T> build(Reader& in) {
    const size_t n = in.part().value;
    std::map<std::string, T> map;
    for (size_t i = 0; i < n; ++i) {
      std::string name = in.key();
      map.emplace(std::move(name), Tree<T>::build(in));
    }
    return map;
  }
};

template <class T>
struct Tree<std::optional<T>> {
  static void flatten(const std::optional<T>& item, Leaves& out) {
    out.structure.add(item ? Part::Kind::present : Part::Kind::absent);
    if (item) Tree<T>::flatten(*item, out);
  }
  static std::optional<T> build(Reader& in) {
    if (in.part().kind == Part::Kind::absent) return std::nullopt;
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

// The argument that a function traced for a call with a `T` gets: one of its own type, or an array for a number.
template <class T>
using AsArray = std::conditional_t<is_scalar<T>, NumberAsArray<T>, T>;
template <class Tree>
using Built = decltype(Tree::build(std::declval<Reader&>()));

}  // namespace frit::detail
