// Event: the evaluation of an array as an object to wait for.
#pragma once

#include <optional>

#include "frit/array.h"
#include "frit/stream.h"

namespace frit {

// Holds its array, so that the value stays in memory for as long as the event does. A default event belongs to nothing.
class Event {
 public:
  Event() = default;
  explicit Event(const array& a);

  // Whether the event belongs to an array.
  bool valid() const { return array_.has_value(); }
  // Whether the value is there.
  bool is_signaled() const { return array_ && array_->is_available(); }
  // Waits for the evaluation under way, or evaluates. Does nothing for an event that belongs to nothing.
  void wait() const;
  // Where the array is computed. Throws RuntimeError for an event that belongs to nothing.
  const Stream& stream() const;

 private:
  std::optional<array> array_;
  Stream stream_;
};

}  // namespace frit
