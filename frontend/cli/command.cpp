#include "frontend/cli/command.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <mutex>
#include <thread>

#include "ir/json.h"
#include "ir/parser.h"
#include "ir/verifier.h"

namespace frit::cli {

void fail(const Diagnostic& d, std::string_view source_text) { throw Failure{d.render(source_text)}; }

void check(const Status& s) {
  if (!s.ok()) fail(s.error());
}

Source read_graph(const std::string& path) {
  Source s;
  s.name = path == "-" ? "<stdin>" : path;
  if (path == "-") {
    s.text.assign(std::istreambuf_iterator<char>(std::cin), {});
  } else {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) fail({"cannot read '" + path + "': it is a folder"});
    std::ifstream in(path, std::ios::binary);
    if (!in) fail({"cannot read '" + path + "': " + std::strerror(errno)});
    s.text.assign(std::istreambuf_iterator<char>(in), {});
    if (in.bad()) fail({"cannot read '" + path + "': " + std::strerror(errno)});
  }
  size_t first = s.text.find_first_not_of(" \t\r\n");
  bool json = first != std::string::npos && (s.text[first] == '{' || s.text[first] == '[');
  s.module = value_or_fail(json ? ir::from_json(s.text, s.name.c_str()) : ir::parse(s.text, s.name.c_str()), s.text);
  if (Status v = ir::verify(*s.module); !v.ok()) fail(v.error(), s.text);
  return s;
}

ir::Function& pick_function(ir::Module& m, const std::string& name) {
  if (m.functions.empty()) fail({"the file holds no function"});
  if (name.empty()) {
    if (m.functions.size() == 1) return *m.functions[0];
    std::string names;
    for (const auto& f : m.functions) names += (names.empty() ? "" : ", ") + f->name;
    fail({"the file holds " + std::to_string(m.functions.size()) + " functions", {}, "choose one with --function: " + names});
  }
  if (ir::Function* f = m.find(name)) return *f;
  fail({"no function '" + name + "' in the file"});
}

void write_output(const std::string& path, std::string_view bytes) {
  if (path.empty() || path == "-") {
    std::cout.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    std::cout.flush();
    if (!std::cout) fail({"cannot write to standard output"});
    return;
  }
  // A device or a pipe is written in place; a link stays one, and what it names is replaced.
  std::error_code ignored;
  std::filesystem::path target = std::filesystem::canonical(path, ignored);
  if (target.empty()) target = path;
  bool in_place = std::filesystem::exists(target, ignored) && !std::filesystem::is_regular_file(target, ignored);
  std::string temporary = target.string() + ".XXXXXX";
  int fd = in_place ? ::open(path.c_str(), O_WRONLY | O_CLOEXEC) : mkstemp(temporary.data());
  auto failed = [&](int reason) {
    if (!in_place && fd >= 0) ::unlink(temporary.c_str());
    fail({"cannot write '" + path + "': " + std::strerror(reason)});
  };
  if (fd < 0) failed(errno);
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      int reason = n < 0 ? errno : ENOSPC;
      ::close(fd);
      failed(reason);
    }
    done += static_cast<size_t>(n);
  }
  if (in_place) {
    if (::close(fd) != 0) failed(errno);
    return;
  }
  // mkstemp makes files private; an output is an ordinary file.
  mode_t mask = umask(0);
  umask(mask);
  fchmod(fd, 0666 & ~mask);
  if (::close(fd) != 0 || std::rename(temporary.c_str(), target.c_str()) != 0) failed(errno);
}

struct Progress::State {
  std::mutex mutex;
  std::condition_variable wake;
  bool done = false;
  bool shown = false;
  std::thread thread;
};

Progress::Progress(std::string what) {
  if (!isatty(STDERR_FILENO)) return;
  state_ = std::make_unique<State>();
  state_->thread = std::thread([s = state_.get(), what = std::move(what)] {
    std::unique_lock lock(s->mutex);
    for (int seconds = 1; !s->wake.wait_for(lock, std::chrono::seconds(1), [s] { return s->done; }); ++seconds) {
      std::fprintf(stderr, "\r%s ... %d s", what.c_str(), seconds);
      s->shown = true;
    }
  });
}

Progress::~Progress() {
  if (!state_) return;
  {
    std::lock_guard lock(state_->mutex);
    state_->done = true;
  }
  state_->wake.notify_all();
  state_->thread.join();
  if (state_->shown) std::fprintf(stderr, "\r\033[K");
}

Compiled lower(ir::Function& f, const codegen::Target& target) {
  Compiled c;
  c.context.collect_remarks = true;
  codegen::Backend* backend = value_or_fail(codegen::find_backend(target.backend));
  c.context.target = value_or_fail(backend->traits(target));
  passes::RunOptions options;
  options.timings = &c.timings;
  check(passes::run(passes::Pipeline::standard(), f, c.context, options));
  return c;
}

}  // namespace frit::cli
