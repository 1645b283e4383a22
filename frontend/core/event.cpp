// Event, and the members of arrays by which programs steer evaluation and tie results together.
#include "frit/event.h"

#include "frit/error.h"
#include "frit/transforms.h"

namespace frit {

Event::Event(const array& a)
    : array_(a), stream_(a.has_primitive() ? a.primitive().stream() : default_stream(default_device())) {}

void Event::wait() const {
  if (array_) array_->eval();
}

const Stream& Event::stream() const {
  if (!array_) throw RuntimeError("stream: the event belongs to no array", "take it from array::event()");
  return stream_;
}

Event array::event() const { return Event(*this); }
void array::attach_event(const Event& event) const { event.wait(); }

void array::set_status(Status s) const {
  if (s == available) return eval();
  if (s == evaluated) return async_eval(std::vector<array>{*this});
  if (status() != unscheduled)
    throw InvalidArgument("set_status: the work of the array was handed over, so it cannot become unscheduled",
                          "make a new array of the same operation");
}

void array::set_tracer(bool is_tracer) {
  if (is_tracer != this->is_tracer())
    throw InvalidArgument(std::string("set_tracer: the array ") +
                              (is_tracer ? "belongs to no trace" : "depends on an argument of a trace"),
                          is_tracer ? "pass it as an argument of the function that is compiled or differentiated"
                                    : "use stop_gradient, or return the array from the function");
}

void array::set_siblings(const std::vector<array>& siblings, uint16_t position) {
  const std::vector<array> known = this->siblings();
  bool same = known.size() == siblings.size() && position == sibling_position();
  for (size_t i = 0; same && i < known.size(); ++i) same = known[i].id() == siblings[i].id();
  if (!same)
    throw InvalidArgument("set_siblings: the array is result " + std::to_string(sibling_position()) + " beside " +
                              std::to_string(known.size()) + " others, not result " + std::to_string(position) +
                              " beside " + std::to_string(siblings.size()) + " given",
                          "make the results of one operation with array::make_arrays");
}

}  // namespace frit
