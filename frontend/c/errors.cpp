// The error handler of the program, and the messages that it gets.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>

#include "frontend/c/call.h"
#include "frontend/frit/error.h"
#include "mlx/c/error.h"

namespace frit::c {

namespace {

// A handler of the program. Its data is released with the last use.
struct Handler {
  mlx_error_handler_func function;
  void* data;
  void (*dtor)(void*);
  ~Handler() {
    if (dtor) dtor(data);
  }
};

// Never destroyed: errors may come from destructors at the end of the process.
struct Current {
  std::mutex mutex;
  std::shared_ptr<const Handler> handler;
};
Current& current() {
  static Current& state = *new Current;
  return state;
}

void print_and_exit(const char* message) {
  std::fprintf(stderr, "error: %s\n", message);
  std::exit(255);
}

// The text of an error. Functions without a stream take the line of their wrapper for the user's; it is left out.
std::string without_wrapper(const Error& e) {
  std::string text = e.what();
  const std::string here = __FILE__;
  if (e.file().empty() || !e.file().starts_with(here.substr(0, here.rfind('/') + 1))) return text;
  const std::string place = "\n  at " + e.file() + ":" + std::to_string(e.line());
  if (const size_t at = text.find(place); at != std::string::npos) text.erase(at, place.size());
  return text;
}

}  // namespace

std::string& last_message() noexcept {
  thread_local std::string message;
  return message;
}

void report_text(const std::string& message) noexcept {
  try {
    last_message() = message;
    std::shared_ptr<const Handler> handler;
    {
      const std::lock_guard<std::mutex> guard(current().mutex);
      handler = current().handler;
    }
    if (handler)
      handler->function(message.c_str(), handler->data);
    else
      print_and_exit(message.c_str());
  } catch (...) {  // an exception of the handler ends here
  }
}

void report(const char* function) noexcept {
  try {
    std::string message = std::string(function) + ": ";
    try {
      throw;
    } catch (const std::bad_alloc&) {
      message += "there is not enough memory";
    } catch (const Error& e) {
      message += without_wrapper(e);
    } catch (const std::exception& e) {
      message += e.what();
    } catch (...) {
      message += "an exception of an unknown type";
    }
    report_text(message);
  } catch (...) {  // no memory for a message
  }
}

extern "C" {

void mlx_set_error_handler(mlx_error_handler_func handler, void* data, void (*dtor)(void*)) {
  call("mlx_set_error_handler", [&] {
    std::shared_ptr<const Handler> next;
    if (handler) next = std::shared_ptr<const Handler>(new Handler{handler, data, dtor});
    {
      const std::lock_guard<std::mutex> guard(current().mutex);
      next.swap(current().handler);
    }
    // The handler before goes here, outside of the lock, as its destructor is the program's.
  });
}

void _mlx_error(const char* file, const int line, const char* fmt, ...) {
  va_list arguments, again;
  va_start(arguments, fmt);
  va_copy(again, arguments);
  call("mlx_error", [&] {
    const int length = fmt ? std::vsnprintf(nullptr, 0, fmt, arguments) : 0;
    std::string text(static_cast<size_t>(length < 0 ? 0 : length), '\0');
    if (!text.empty()) std::vsnprintf(text.data(), text.size() + 1, fmt, again);
    report_text(text + (file ? "\n  at " + std::string(file) + ":" + std::to_string(line) : ""));
  });
  va_end(again);
  va_end(arguments);
}

}  // extern "C"

}  // namespace frit::c
