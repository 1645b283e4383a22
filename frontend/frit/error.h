// The exceptions that frit throws.
//
// Each derives from frit::Error and from a standard exception:
//   InvalidArgument  std::invalid_argument: a wrong shape, element type or value
//   OutOfRange       std::out_of_range: an axis or index past the end
//   RuntimeError     std::runtime_error: a computation or a file that failed
// what() is one lower-case sentence, the user's source line, and a note with the cure.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace frit {

class Error {
 public:
  virtual ~Error() = default;
  virtual const char* what() const noexcept = 0;

  const std::string& message() const { return message_; }  // the sentence alone
  const std::string& note() const { return note_; }        // the cure; may be empty
  const std::string& file() const { return file_; }        // the user's source file; empty when not known
  unsigned line() const { return line_; }

 protected:
  Error(std::string message, std::string note, std::string file, unsigned line);
  // The message, then "at file:line" and "note: ..." on lines of their own.
  static std::string text(const std::string& message, const std::string& note, const std::string& file, unsigned line);

 private:
  std::string message_, note_, file_;
  unsigned line_;
};

namespace detail {
template <class Standard>
class ErrorOf : public Standard, public Error {
 public:
  ErrorOf(std::string message, std::string note = {}, std::string file = {}, unsigned line = 0)
      : Standard(text(message, note, file, line)), Error(message, note, file, line) {}
  const char* what() const noexcept override { return Standard::what(); }
};
}  // namespace detail

using InvalidArgument = detail::ErrorOf<std::invalid_argument>;
using OutOfRange = detail::ErrorOf<std::out_of_range>;
using RuntimeError = detail::ErrorOf<std::runtime_error>;

}  // namespace frit
