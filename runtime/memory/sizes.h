// A short list of int64: shapes and strides of runtime tensors.
//
// Up to kInline entries are held in place, so that passing tensors about costs no allocation. Converts from and to
// std::vector, so that callers need not know of it. Behaves as a contiguous range; iterators are invalidated by every
// change of length.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

namespace frit::runtime {

class Sizes {
 public:
  static constexpr size_t kInline = 6;

  Sizes() = default;
  explicit Sizes(size_t n, int64_t value = 0) { resize(n, value); }
  Sizes(std::initializer_list<int64_t> values) { assign(values.begin(), values.size()); }
  Sizes(const std::vector<int64_t>& values) { assign(values.data(), values.size()); }
  Sizes(std::span<const int64_t> values) { assign(values.data(), values.size()); }
  Sizes(const Sizes& other) { assign(other.data(), other.size()); }
  Sizes(Sizes&& other) noexcept { take(other); }
  Sizes& operator=(const Sizes& other) {
    if (this != &other) assign(other.data(), other.size());
    return *this;
  }
  Sizes& operator=(Sizes&& other) noexcept {
    if (this != &other) {
      release();
      take(other);
    }
    return *this;
  }
  ~Sizes() { release(); }

  operator std::vector<int64_t>() const { return {begin(), end()}; }
  operator std::span<const int64_t>() const { return {data(), size()}; }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t* data() { return heap_ ? heap_ : inline_; }
  const int64_t* data() const { return heap_ ? heap_ : inline_; }
  int64_t* begin() { return data(); }
  int64_t* end() { return data() + size_; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + size_; }
  int64_t& operator[](size_t i) { return data()[i]; }
  int64_t operator[](size_t i) const { return data()[i]; }
  int64_t& back() { return data()[size_ - 1]; }
  int64_t back() const { return data()[size_ - 1]; }

  void clear() { size_ = 0; }
  void reserve(size_t n) {
    if (n > capacity_) grow(n);
  }
  void resize(size_t n, int64_t value = 0) {
    if (n > capacity_) grow(std::max(n, size_t{2} * capacity_));
    if (n > size_) std::fill(data() + size_, data() + n, value);
    size_ = static_cast<uint32_t>(n);
  }
  void push_back(int64_t value) { resize(size_ + size_t{1}, value); }

  friend bool operator==(const Sizes& a, const Sizes& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  void assign(const int64_t* values, size_t n) {
    if (n > capacity_) grow(n);
    std::copy_n(values, n, data());
    size_ = static_cast<uint32_t>(n);
  }
  void grow(size_t capacity) {
    int64_t* heap = new int64_t[capacity];
    std::copy_n(data(), size_, heap);
    release();
    heap_ = heap;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  void release() {
    delete[] heap_;
    heap_ = nullptr;
    capacity_ = kInline;
  }
  void take(Sizes& other) {
    heap_ = std::exchange(other.heap_, nullptr);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, static_cast<uint32_t>(kInline));
    if (!heap_) std::copy_n(other.inline_, size_, inline_);
  }

  int64_t* heap_ = nullptr;
  uint32_t size_ = 0;
  uint32_t capacity_ = kInline;
  int64_t inline_[kInline];
};

}  // namespace frit::runtime
