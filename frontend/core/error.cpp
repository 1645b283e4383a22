// The text of errors.
#include "frontend/frit/error.h"

namespace frit {

Error::Error(std::string message, std::string note, std::string file, unsigned line)
    : message_(std::move(message)), note_(std::move(note)), file_(std::move(file)), line_(line) {}

std::string Error::text(const std::string& message, const std::string& note, const std::string& file, unsigned line) {
  std::string text = message;
  if (!file.empty()) text += "\n  at " + file + ":" + std::to_string(line);
  if (!note.empty()) text += "\n  note: " + note;
  return text;
}

}  // namespace frit
