// FRIT_PROFILE=file: the spans of the whole process as Chrome trace events, which Perfetto reads too.
//
// Events are written as they come, a line each, so a profile of any length takes a fixed amount of memory. The file is
// a JSON array. A process that is killed leaves one without its end, which viewers accept.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "ir/base/per_thread.h"
#include "runtime/execute/observe.h"

namespace frit::runtime {

namespace {

void append_quoted(std::string& out, std::string_view s) {
  out += '"';
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(static_cast<unsigned char>(c)));
      out += escape;
    } else {
      out += c;
    }
  }
  out += '"';
}

// Microseconds with three digits, as the format wants them.
void append_time(std::string& out, int64_t ns) {
  char text[24];
  char* const end = std::to_chars(text, text + sizeof text, ns / 1000).ptr;
  out.append(text, end);
  const auto rest = static_cast<int>(ns % 1000);
  const char digits[] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                         static_cast<char>('0' + rest % 10)};
  out.append(digits, sizeof digits);
}

struct ThreadText {
  std::string number = std::to_string(syscall(SYS_gettid));
  std::string line;
};

class Profile {
 public:
  explicit Profile(const char* path) : file_(std::fopen(path, "w")) {
    if (!file_) {
      std::fprintf(stderr, "frit: FRIT_PROFILE: cannot write '%s': %s\n", path, std::strerror(errno));
      return;
    }
    path_ = path;
    pid_ = std::to_string(getpid());
    buffer_.reserve(kBuffer + 4096);
    buffer_ = "[\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" + pid_ + ",\"args\":{\"name\":\"frit\"}}";
    observer_ = add_observer([this](const Observed& o) { add(o); });
  }

  void close() {
    observer_.reset();
    if (!file_) return;
    buffer_ += "\n]\n";
    flush();
    const bool good = !failed_ && std::fclose(file_) == 0;
    file_ = nullptr;
    if (!good) std::fprintf(stderr, "frit: FRIT_PROFILE: '%s' could not be written whole\n", path_.c_str());
  }

 private:
  static constexpr size_t kBuffer = 1 << 18;

  void add(const Observed& o) {
    if (o.counter && !is_new(o)) return;
    auto& [thread, line] = PerThread<ThreadText>::get();
    std::string track;
    if (!o.track.empty()) track = track_number(o.track);
    line = ",\n{\"ph\":\"";
    line += o.counter ? 'C' : o.end_ns == o.begin_ns ? 'i' : 'X';
    line += "\",\"cat\":";
    append_quoted(line, o.kind);
    line += ",\"name\":";
    append_quoted(line, o.name);
    line += ",\"ts\":";
    append_time(line, o.begin_ns);
    if (!o.counter && o.end_ns != o.begin_ns) {
      line += ",\"dur\":";
      append_time(line, o.end_ns - o.begin_ns);
    }
    line.append(",\"pid\":").append(pid_).append(",\"tid\":").append(o.track.empty() ? thread : track);
    if (o.counter)
      line += ",\"args\":{\"bytes\":" + std::to_string(static_cast<long long>(o.value)) + "}";
    else if (!o.details.empty())
      line.append(",\"args\":{").append(o.details) += '}';
    line += '}';
    const std::lock_guard lock(mutex_);
    buffer_ += line;
    if (buffer_.size() >= kBuffer) flush();
  }

  // A counter that stands where it stood needs no event.
  bool is_new(const Observed& counter) {
    const std::lock_guard lock(mutex_);
    for (auto& [name, value] : counters_)
      if (name == counter.name) return std::exchange(value, counter.value) != counter.value;
    counters_.emplace_back(counter.name, counter.value);
    return true;
  }

  // Tracks beside the threads: numbers that no thread has, and a name with the first event.
  std::string track_number(std::string_view track) {
    constexpr size_t kFirst = size_t{1} << 30;
    const std::lock_guard lock(mutex_);
    const auto found = std::find(tracks_.begin(), tracks_.end(), track);
    const std::string number = std::to_string(kFirst + static_cast<size_t>(found - tracks_.begin()));
    if (found != tracks_.end()) return number;
    tracks_.emplace_back(track);
    buffer_ +=
        ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":" + pid_ + ",\"tid\":" + number + ",\"args\":{\"name\":";
    append_quoted(buffer_, track);
    buffer_ += "}}";
    return number;
  }

  void flush() {
    failed_ = failed_ || std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size();
    buffer_.clear();
  }

  std::FILE* file_;
  std::string path_, pid_;
  std::mutex mutex_;
  std::string buffer_;
  std::vector<std::string> tracks_;
  std::vector<std::pair<std::string, double>> counters_;
  bool failed_ = false;
  std::shared_ptr<void> observer_;
};

// Never destroyed: threads may end spans while statics are destroyed.
const bool started = [] {
  const char* path = secure_getenv("FRIT_PROFILE");
  if (!path || !*path) return false;
  static auto* profile = new Profile(path);
  return std::atexit([] { profile->close(); }) == 0;
}();

}  // namespace

}  // namespace frit::runtime
