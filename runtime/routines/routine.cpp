// Options, rows and texts of calls of routines.
#include "runtime/routines/routine.h"

#include <charconv>

namespace frit::runtime::routines {

std::string_view Options::value(std::string_view name) const {
  const std::string key = "\"" + std::string(name) + "\":";
  const size_t at = call_.options.find(key);
  return at == std::string_view::npos ? std::string_view() : call_.options.substr(at + key.size());
}

std::optional<int64_t> Options::integer(std::string_view name) const {
  constexpr std::string_view kOpen = "{\"size\":";
  std::string_view text = value(name);
  const bool open = text.starts_with(kOpen);
  if (open) text.remove_prefix(kOpen.size());
  int64_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
  if (!open) return number;
  if (number < 0 || static_cast<size_t>(number) >= call_.sizes.size()) return std::nullopt;
  return call_.sizes[static_cast<size_t>(number)];
}

std::string text(const LibraryTensor& t) {
  std::string s(short_name(t.dtype));
  s += '[';
  for (size_t i = 0; i < t.shape.size(); ++i) s += (i ? "," : "") + std::to_string(t.shape[i]);
  return s + ']';
}

int64_t element_count(const LibraryTensor& t) {
  int64_t count = 1;
  for (int64_t n : t.shape) count *= n;
  return count;
}

Rows::Rows(const LibraryTensor& t) : t_(t) {
  for (size_t axis = t.shape.size() - 1; axis-- > 0;) {
    const int64_t size = t.shape[axis];
    if (size != 1 && count_ > 1) even_ &= t.strides[axis] == apart_ * count_;
    if (size != 1 && count_ == 1) apart_ = t.strides[axis];
    count_ *= size;
  }
}

bool Rows::dense() const {
  int64_t apart = 1;
  for (size_t axis = t_.shape.size(); axis-- > 0;) {
    if (t_.shape[axis] > 1 && t_.strides[axis] != apart) return false;
    apart *= t_.shape[axis];
  }
  return true;
}

int64_t Rows::offset(int64_t row) const {
  int64_t at = 0;
  for (size_t axis = t_.shape.size() - 1; axis-- > 0;) {
    at += row % t_.shape[axis] * t_.strides[axis];
    row /= t_.shape[axis];
  }
  return at;
}

}  // namespace frit::runtime::routines
