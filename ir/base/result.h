// Error reporting below the frontend: a Result<T> holds a value or a Diagnostic.
//
// No layer below the frontend throws. A Diagnostic is one lower-case sentence, the place it is about, and an optional
// note with the cure. The frontend turns it into an exception; the CLI prints it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace frit {

// A place in a user's source or in an IR file. `file` points to storage that lives as long as the process (a string
// literal or an interned name). A null `file` means that the place is unknown.
struct SourceLoc {
  const char* file = nullptr;
  uint32_t line = 0;
  uint32_t column : 31 = 0;
  // Of an operation: it belongs to a backward pass. It has the place of the operation whose derivative it is part of,
  // and goes where the place goes, through every pass, also where the place is unknown.
  bool backward : 1 = false;

  static constexpr uint32_t kMostColumn = (uint32_t{1} << 31) - 1;
  bool known() const { return file != nullptr; }
};

// Keeps one copy of `name` for the rest of the process and returns it.
const char* intern_file_name(std::string_view name);

// "file:line:column" without the unknown parts; "" if all are unknown.
std::string to_string(const SourceLoc& loc);

struct Diagnostic {
  std::string message;
  SourceLoc loc;
  std::string note;  // the cure, or empty

  Diagnostic() = default;
  Diagnostic(std::string m, SourceLoc l = {}, std::string n = {}) : message(std::move(m)), loc(l), note(std::move(n)) {}

  // "file:line: message", then "note: ..." on a line of its own.
  std::string str() const;

  // The same, with the source line at `loc` and a caret under its column.
  std::string render(std::string_view source_text) const;
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }
  Diagnostic& error() { return std::get<1>(state_); }
  const Diagnostic& error() const { return std::get<1>(state_); }

 private:
  std::variant<T, Diagnostic> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Diagnostic error) : error_(std::move(error)) {}
  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  Diagnostic& error() { return *error_; }
  const Diagnostic& error() const { return *error_; }

 private:
  std::optional<Diagnostic> error_;
};

using Status = Result<void>;

// Returns the error of `expr` from the enclosing function, or continues.
#define FRIT_TRY(expr)                                                                          \
  do {                                                                                          \
    if (auto frit_status_ = (expr); !frit_status_.ok()) return std::move(frit_status_.error()); \
  } while (0)

// Declares `var` with the value of the Result `expr`, or returns its error from the enclosing function.
#define FRIT_ASSIGN_OR_RETURN(var, expr)                            \
  auto var##_result_ = (expr);                                      \
  if (!var##_result_.ok()) return std::move(var##_result_.error()); \
  auto var = *std::move(var##_result_)

}  // namespace frit
