// Log topics and the sink of log lines.
#include "frontend/core/log.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "frontend/frit/error.h"
#include "runtime/execute/gpu.h"
#include "runtime/execute/library.h"

namespace frit {

namespace {

struct NamedTopic {
  std::string_view name;
  detail::Topic topic;
};
constexpr NamedTopic kTopics[] = {{"recompiles", detail::Topic::Recompiles},
                                  {"cache", detail::Topic::Cache},
                                  {"passes", detail::Topic::Passes},
                                  {"random", detail::Topic::Random},
                                  {"devices", detail::Topic::Devices}};

// The bits of a list of topics. If a topic does not exist, nothing, with its name in `unknown`.
std::optional<unsigned> parse(std::string_view topics, std::string_view& unknown) {
  unsigned bits = 0;
  while (!topics.empty()) {
    const size_t comma = topics.find(',');
    const std::string_view name = topics.substr(0, comma);
    topics.remove_prefix(comma == std::string_view::npos ? topics.size() : comma + 1);
    if (name.empty()) continue;
    unsigned found = 0;
    for (const NamedTopic& t : kTopics)
      if (name == t.name || name == "all") found |= static_cast<unsigned>(t.topic);
    if (!found) {
      unknown = name;
      return std::nullopt;
    }
    bits |= found;
  }
  return bits;
}

unsigned initial_topics() {
  const char* text = std::getenv("FRIT_LOG");
  if (!text) return 0;
  std::string_view unknown;
  const auto bits = parse(text, unknown);
  if (!bits)
    std::fprintf(stderr,
                 "frit: FRIT_LOG has no topic '%.*s'; there are recompiles, cache, passes, random, devices and all\n",
                 static_cast<int>(unknown.size()), unknown.data());
  return bits.value_or(0);
}

std::atomic<unsigned>& topics() {
  static std::atomic<unsigned> bits{initial_topics()};
  return bits;
}

struct Sink {
  std::mutex mutex;
  std::function<void(std::string_view)> function;
};
Sink& sink() {
  static Sink* s = new Sink;  // lines may come from threads that outlive main
  return *s;
}

}  // namespace

void set_log(std::string_view names, std::function<void(std::string_view line)> function) {
  std::string_view unknown;
  const auto bits = parse(names, unknown);
  if (!bits)
    throw InvalidArgument("set_log: there is no topic '" + std::string(unknown) + "'",
                          "use recompiles, cache, passes, random, devices or all");
  std::lock_guard<std::mutex> guard(sink().mutex);
  sink().function = std::move(function);
  topics().store(*bits, std::memory_order_relaxed);
}

namespace detail {

bool logs(Topic topic) { return topics().load(std::memory_order_relaxed) & static_cast<unsigned>(topic); }

void log(Topic topic, const std::string& line) {
  if (!logs(topic)) return;
  std::lock_guard<std::mutex> guard(sink().mutex);
  if (sink().function)
    sink().function(line);
  else
    std::fprintf(stderr, "frit: %s\n", line.c_str());
}

}  // namespace detail

namespace {
const bool registered = [] {
  runtime::set_host_routine_notice([](std::string_view routine, std::string_view device) {
    detail::log(detail::Topic::Devices, "the cpu computes '" + std::string(routine) + "' for arrays of " +
                                            std::string(device) + ", which has no form of it");
  });
  runtime::set_gpu_notice([](std::string_view text) { detail::log(detail::Topic::Devices, std::string(text)); });
  return true;
}();
}  // namespace

}  // namespace frit
