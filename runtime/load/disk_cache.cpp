// Reads, writes and drops the entries of the cache on disk.
#include "runtime/load/disk_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <random>

#include "runtime/system/bytes.h"

namespace frit::runtime {

namespace {

constexpr std::string_view kCacheMagic = "FRITCACH";
constexpr uint32_t kCacheVersion = 1;
constexpr size_t kCacheHeader = 8 + 4 + 8 + 8, kChecksum = 16;
constexpr std::string_view kSuffix = ".frit", kTemporary = ".tmp";
constexpr size_t kDigits = 32;
constexpr time_t kAbandoned = 3600;  // seconds after which a temporary file is nobody's

std::string error_text(int number) { return std::strerror(number); }

std::string entry_name(std::string_view key) { return hash_bytes(key.data(), key.size()).hex() + std::string(kSuffix); }

bool has_form(std::string_view name, std::string_view suffix) {
  if (!name.ends_with(suffix) || name.size() < kDigits + suffix.size()) return false;
  return std::all_of(name.begin(), name.begin() + kDigits,
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}
bool is_entry_name(std::string_view name) { return name.size() == kDigits + kSuffix.size() && has_form(name, kSuffix); }
bool is_temporary_name(std::string_view name) { return has_form(name, kTemporary); }

void append_checksum(std::string& bytes) {
  const Hash128 sum = hash_bytes(bytes.data(), bytes.size());
  ByteWriter out;
  out.u64(sum.low);
  out.u64(sum.high);
  bytes += out.bytes();
}

std::string pack(std::string_view key, std::string_view payload) {
  ByteWriter out;
  out.raw(kCacheMagic);
  out.u32(kCacheVersion);
  out.u64(key.size());
  out.u64(payload.size());
  out.raw(key);
  out.raw(payload);
  std::string bytes = std::move(out).take();
  append_checksum(bytes);
  return bytes;
}

struct Parts {
  std::string_view key, payload;
};

Result<Parts> unpack(std::string_view bytes) {
  if (bytes.size() < kCacheHeader + kChecksum) return Diagnostic("it is too short");
  ByteReader in(bytes);
  if (in.raw(kCacheMagic.size()) != kCacheMagic) return Diagnostic("it is not an entry");
  if (in.u32() != kCacheVersion) return Diagnostic("it has another version");
  const uint64_t key = in.u64(), payload = in.u64(), rest = bytes.size() - kCacheHeader - kChecksum;
  if (key > rest || payload != rest - key) return Diagnostic("its sizes do not fit its length");
  Parts parts{in.raw(key), in.raw(payload)};
  const Hash128 sum = hash_bytes(bytes.data(), bytes.size() - kChecksum);
  if (in.u64() != sum.low || in.u64() != sum.high) return Diagnostic("its checksum is wrong");
  return parts;
}

// The bytes of a file that belongs to the user and has at most `most` of them. Nothing, with `number` 0, where there is
// no file.
std::optional<std::string> read_file(int folder, const std::string& name, uint64_t most, int& number) {
  // A pipe in place of a file must not block, a link must not lead elsewhere.
  const int fd = openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  number = fd < 0 ? (errno == ENOENT ? 0 : errno) : 0;
  if (fd < 0) return std::nullopt;
  std::optional<std::string> bytes;
  struct stat s;
  if (fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || s.st_uid != geteuid()) {
    number = EPERM;
  } else if (static_cast<uint64_t>(s.st_size) > most) {
    number = EFBIG;
  } else {
    bytes.emplace(static_cast<size_t>(s.st_size), '\0');
    size_t done = 0;
    while (done < bytes->size()) {
      const ssize_t n = read(fd, bytes->data() + done, bytes->size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) number = errno;
      if (n <= 0) break;
      done += static_cast<size_t>(n);
    }
    bytes->resize(done);
    if (number) bytes.reset();
    // The time of change is the time of last use. That another process does the same or removes the file does no harm.
    else
      futimens(fd, nullptr);
  }
  close(fd);
  return bytes;
}

bool write_file(int folder, const std::string& name, std::string_view bytes, int& number) {
  const int fd = openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) {
    number = errno;
    return false;
  }
  number = 0;
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      number = n < 0 ? errno : ENOSPC;
      break;
    }
    done += static_cast<size_t>(n);
  }
  if (close(fd) != 0 && !number) number = errno;
  if (number) unlinkat(folder, name.c_str(), 0);
  return number == 0;
}

// Makes the folder and those above it.
bool make_folders(const std::string& path) {
  for (size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string part = path.substr(0, at);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) return false;
  }
  return mkdir(path.c_str(), 0700) == 0 || errno == EEXIST;
}

struct File {
  std::string name;
  uint64_t bytes;
  struct timespec used;
  bool temporary;
};

std::vector<File> files_of(int folder) {
  std::vector<File> files;
  const int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* dir = fd < 0 ? nullptr : fdopendir(fd);
  if (!dir) {
    if (fd >= 0) close(fd);
    return files;
  }
  while (const dirent* d = readdir(dir)) {
    const std::string_view name = d->d_name;
    const bool temporary = is_temporary_name(name);
    struct stat s;
    if ((!temporary && !is_entry_name(name)) || fstatat(folder, d->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(s.st_mode))
      continue;
    files.push_back({std::string(name), static_cast<uint64_t>(s.st_size), s.st_mtim, temporary});
  }
  closedir(dir);
  std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
    if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec > b.used.tv_sec;
    if (a.used.tv_nsec != b.used.tv_nsec) return a.used.tv_nsec > b.used.tv_nsec;
    return a.name < b.name;
  });
  return files;
}

const char* setting(const char* name) {
  const char* value = secure_getenv(name);
  return value && *value ? value : nullptr;
}

std::string folder_above(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const size_t end = path.rfind('/');
  return end == 0 || end == std::string::npos ? "/" : path.substr(0, end);
}

std::optional<uint64_t> parse_limit(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  int shift = 0;
  if (unit == "k" || unit == "K")
    shift = 10;
  else if (unit == "m" || unit == "M")
    shift = 20;
  else if (unit == "g" || unit == "G")
    shift = 30;
  else if (!unit.empty())
    return std::nullopt;
  if (value > (~uint64_t{0} >> shift)) return std::nullopt;
  return value << shift;
}

}  // namespace

DiskCacheOptions DiskCacheOptions::from_environment() {
  DiskCacheOptions options;
  if (const char* text = setting("FRIT_CACHE")) {
    const std::string_view value = text;
    if (value == "off" || value == "0" || value == "no" || value == "false")
      options.off = true;
    else if (value != "on" && value != "1" && value != "yes" && value != "true")
      options.warnings.push_back("FRIT_CACHE is '" + std::string(value) +
                                 "', which is neither on nor off: it counts as on");
  }
  if (const char* size = setting("FRIT_CACHE_SIZE")) {
    if (auto bytes = parse_limit(size))
      options.max_bytes = *bytes;
    else
      options.warnings.push_back("FRIT_CACHE_SIZE is '" + std::string(size) +
                                 "', which is not a number of bytes: the bound is 512m");
  }
  if (const char* folder = setting("FRIT_CACHE_DIR")) {
    options.folder = folder;
    options.named = true;
    if (options.folder[0] != '/') {
      // The process may change its working folder later.
      char here[4096];
      options.folder = getcwd(here, sizeof here) ? std::string(here) + "/" + folder : "";
    }
  } else if (const char* xdg = setting("XDG_CACHE_HOME"); xdg && *xdg == '/') {
    options.folder = std::string(xdg) + "/frit";
    options.root = folder_above(xdg);
  } else if (const char* home = setting("HOME"); home && *home == '/') {
    options.folder = std::string(home) + "/.cache/frit";
    options.root = home;
  }
  return options;
}

DiskCache::DiskCache(DiskCacheOptions options, CacheLog log, CacheLog warn)
    : options_(std::move(options)), log_(log), warn_(warn) {
  while (options_.folder.size() > 1 && options_.folder.back() == '/') options_.folder.pop_back();
  if (!options_.warnings.empty()) this->warn(options_.warnings[0]);
}

DiskCache::~DiskCache() {
  if (fd_ >= 0) close(fd_);
}

void DiskCache::say(const std::string& line) const {
  if (log_) log_(line);
}

void DiskCache::warn(const std::string& line) {
  if (warned_.exchange(true)) return;
  if (warn_)
    warn_(line);
  else
    std::fprintf(stderr, "frit: warning: %s\n", line.c_str());
}

// Opens the folder at the first use that finds it. A folder that may not be used is refused for good, with one warning.
bool DiskCache::open(bool create) {
  if (!enabled()) return false;
  if (fd_.load(std::memory_order_acquire) >= 0) return true;
  std::lock_guard lock(mutex_);
  if (fd_ >= 0) return true;
  if (refused_) return false;
  const int fd = open_folder(create);
  if (fd >= 0) fd_.store(fd, std::memory_order_release);
  return fd >= 0;
}

// Makes the folder again after somebody removed it. Other threads keep their file descriptor.
bool DiskCache::reopen() {
  std::lock_guard lock(mutex_);
  if (refused_) return false;
  const int fd = open_folder(true);
  if (fd < 0) return false;
  const bool done = dup3(fd, fd_, O_CLOEXEC) >= 0;
  close(fd);
  return done;
}

int DiskCache::open_folder(bool create) {
  const std::string& path = options_.folder;
  int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    if (!create) return -1;
    struct stat root;
    if (!options_.root.empty() && (stat(options_.root.c_str(), &root) != 0 || !S_ISDIR(root.st_mode))) {
      refused_ = true;
      say(problem_ = "code is not kept on disk: there is no folder " + options_.root);
      return -1;
    }
    if (make_folders(path)) fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  }
  struct stat s;
  bool unsafe = true;
  if (fd < 0 || fstat(fd, &s) != 0) {
    unsafe = false;
    problem_ = "the folder " + path + " cannot be used: " + error_text(errno);
  } else if (s.st_uid != geteuid()) {
    problem_ = "the folder " + path + " is not used, as it belongs to another user";
  } else if (s.st_mode & (S_IWGRP | S_IWOTH)) {
    problem_ = "the folder " + path + " is not used, as others may write to it";
  } else {
    return fd;
  }
  if (fd >= 0) close(fd);
  refused_ = true;
  // A missing place to write to is common; it deserves a warning only where the user named the place.
  if (unsafe || options_.named)
    warn("code is not kept on disk: " + problem_);
  else
    say(problem_);
  return -1;
}

Status DiskCache::usable() {
  if (!enabled())
    return Diagnostic("there is no disk cache: it is off, or there is no home folder for it", {},
                      "name a folder in FRIT_CACHE_DIR");
  (void)open(false);
  std::lock_guard lock(mutex_);
  if (refused_) return Diagnostic(problem_, {}, "name another one in FRIT_CACHE_DIR");
  return {};
}

std::optional<std::string> DiskCache::load(std::string_view key) {
  if (!open(false)) {
    if (enabled()) ++misses_;
    return std::nullopt;
  }
  const std::string name = entry_name(key);
  int number = 0;
  auto bytes = read_file(fd_, name, options_.max_bytes, number);
  if (!bytes) {
    ++misses_;
    say("miss " + name + (number ? ": it cannot be read: " + error_text(number) : ""));
    return std::nullopt;
  }
  auto parts = unpack(*bytes);
  if (!parts.ok()) {
    reject(key, parts.error().message);
    return std::nullopt;
  }
  if (parts->key != key) {
    ++misses_;
    say("miss " + name + ": it is of another key with the same hash");
    return std::nullopt;
  }
  ++hits_;
  say("hit " + name);
  return std::string(parts->payload);
}

void DiskCache::reject(std::string_view key, std::string_view why) {
  ++misses_;
  ++rejected_;
  const std::string name = entry_name(key);
  if (fd_ >= 0) unlinkat(fd_, name.c_str(), 0);
  say("rejected " + name + ": " + std::string(why));
}

void DiskCache::store(std::string_view key, std::string_view payload) {
  const uint64_t size = kCacheHeader + key.size() + payload.size() + kChecksum;
  // One entry must not push out all the others.
  if (!enabled() || size > options_.max_bytes / 4 || !open(true)) return;
  const std::string name = entry_name(key);
  static const uint64_t process = std::random_device{}() ^ static_cast<uint64_t>(getpid()) << 32;
  static std::atomic<uint64_t> next{0};
  const std::string temporary = name.substr(0, kDigits) + "." + std::to_string(process) + "-" +
                                std::to_string(getpid()) + "-" + std::to_string(next++) + std::string(kTemporary);
  const std::string bytes = pack(key, payload);
  int number = 0;
  bool written = write_file(fd_, temporary, bytes, number);
  if (!written && number == ENOENT && reopen()) written = write_file(fd_, temporary, bytes, number);
  if (!written) {
    say("not written " + name + ": " + error_text(number));
    return;
  }
  if (renameat(fd_, temporary.c_str(), fd_, name.c_str()) != 0) {
    number = errno;
    unlinkat(fd_, temporary.c_str(), 0);
    say("not written " + name + ": " + error_text(number));
    return;
  }
  ++writes_;
  say("written " + name + ", " + std::to_string(size) + " bytes");
  // Looking at every file takes long, and other processes write too. So each write looks with a chance that is
  // proportional to its size: all processes together look once for each 64th of the bound that they write.
  const uint64_t part = options_.max_bytes / 64;
  if (size >= part || hash_bytes(temporary.data(), temporary.size()).low % part < size) shrink();
}

void DiskCache::shrink() {
  std::lock_guard lock(mutex_);
  std::vector<File> files = files_of(fd_);
  uint64_t total = 0;
  for (const File& f : files) total += f.bytes;
  const time_t now = std::time(nullptr);
  for (const File& f : files)
    if (f.temporary && f.used.tv_sec + kAbandoned < now && unlinkat(fd_, f.name.c_str(), 0) == 0) total -= f.bytes;
  if (total <= options_.max_bytes) return;
  // Well below the bound, so that the next removal is not soon.
  const uint64_t goal = options_.max_bytes - options_.max_bytes / 8;
  for (auto f = files.rbegin(); f != files.rend() && total > goal; ++f) {
    if (f->temporary) continue;
    unlinkat(fd_, f->name.c_str(), 0);
    total -= f->bytes;
    say("dropped " + f->name + ": the cache is full");
  }
}

DiskCache::Stats DiskCache::stats() const { return {hits_, misses_, writes_, rejected_}; }

std::vector<DiskCache::Entry> DiskCache::list() {
  std::vector<Entry> entries;
  if (!open(false)) return entries;
  for (File& f : files_of(fd_))
    if (!f.temporary) entries.push_back({std::move(f.name), f.bytes, f.used.tv_sec});
  return entries;
}

Result<DiskCache::Contents> DiskCache::read(const std::string& name) {
  if (!is_entry_name(name) || !open(false)) return Diagnostic("'" + name + "' is not an entry of the cache");
  struct stat before;
  const bool known = fstatat(fd_, name.c_str(), &before, AT_SYMLINK_NOFOLLOW) == 0;
  int number = 0;
  auto bytes = read_file(fd_, name, options_.max_bytes, number);
  if (!bytes) return Diagnostic(number ? "it cannot be read: " + error_text(number) : "it is gone");
  if (known) {
    // Listing an entry does not count as use.
    const struct timespec times[2] = {before.st_atim, before.st_mtim};
    utimensat(fd_, name.c_str(), times, AT_SYMLINK_NOFOLLOW);
  }
  FRIT_ASSIGN_OR_RETURN(parts, unpack(*bytes));
  if (entry_name(parts.key) != name) return Diagnostic("it is of another key than its name says");
  return Contents{std::string(parts.key), std::string(parts.payload)};
}

std::pair<size_t, uint64_t> DiskCache::clear() {
  std::pair<size_t, uint64_t> removed{0, 0};
  if (!open(false)) return removed;
  for (const File& f : files_of(fd_)) {
    if (unlinkat(fd_, f.name.c_str(), 0) != 0) continue;
    ++removed.first;
    removed.second += f.bytes;
  }
  return removed;
}

bool DiskCache::remove(const std::string& name) {
  return (is_entry_name(name) || is_temporary_name(name)) && open(false) && unlinkat(fd_, name.c_str(), 0) == 0;
}

}  // namespace frit::runtime
