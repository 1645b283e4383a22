// A cache of byte strings in a folder of the user's own, shared by all of the user's processes.
//
// An entry is one file named by its key's 128-bit hash. It holds the whole key, which is compared byte for byte, and a
// checksum of everything: an entry that is truncated, damaged or of another key is a miss. Entries are written beside
// their place and renamed, so that none is ever seen half written, whatever other processes do. Files used longest ago
// go when their sum passes a bound. Nothing here fails: an entry that cannot be read is a miss, and one that cannot be
// written is left out.
//
// A folder that belongs to somebody else or that others may write to is not used: code is run from here.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/base/hash.h"
#include "ir/base/result.h"

namespace frit::runtime {

// Takes a line about each event. A plain function, as it is called from any thread.
using CacheLog = void (*)(std::string_view line);

struct DiskCacheOptions {
  std::string folder;  // "": there is none
  std::string root;    // the folder is made only where this one exists; "": wherever it is
  bool off = false;
  bool named = false;  // by the user: it is worth a warning when it cannot be used
  uint64_t max_bytes = uint64_t{512} << 20;
  std::vector<std::string> warnings;  // settings that were not understood

  // FRIT_CACHE=off; FRIT_CACHE_DIR, else $XDG_CACHE_HOME/frit, else ~/.cache/frit; FRIT_CACHE_SIZE in bytes, with k, m
  // or g.
  static DiskCacheOptions from_environment();
};

class DiskCache {
 public:
  struct Stats {
    size_t hits = 0, misses = 0, writes = 0, rejected = 0;  // rejected: damaged entries among the misses
  };
  struct Entry {
    std::string name;  // of the file: 32 digits of the key's hash and ".frit"
    uint64_t bytes;
    int64_t used;  // seconds since 1970
  };
  struct Contents {
    std::string key, payload;
  };

  // `log` may be null. Warnings, of which there is at most one, go to `warn` (standard error when it is null).
  explicit DiskCache(DiskCacheOptions options, CacheLog log = nullptr, CacheLog warn = nullptr);
  ~DiskCache();
  DiskCache(const DiskCache&) = delete;
  DiskCache& operator=(const DiskCache&) = delete;

  bool enabled() const { return !options_.off && !options_.folder.empty(); }
  const std::string& folder() const { return options_.folder; }

  // The payload that was stored under `key`.
  std::optional<std::string> load(std::string_view key);
  void store(std::string_view key, std::string_view payload);
  // For an entry from `load` that cannot be used: it is removed and counts as a rejected miss.
  void reject(std::string_view key, std::string_view why);
  Stats stats() const;

  // For looking after the folder. `list` is sorted, the one used last first; `read` checks an entry whole.
  std::vector<Entry> list();
  Result<Contents> read(const std::string& name);
  bool remove(const std::string& name);
  // Removes every entry, damaged ones and abandoned temporary files included, and nothing else. Gives how many files
  // went and their bytes.
  std::pair<size_t, uint64_t> clear();
  // Why the folder cannot be used; success also where it does not exist yet.
  Status usable();

 private:
  bool open(bool create);
  bool reopen();
  int open_folder(bool create);
  void shrink();
  void say(const std::string& line) const;
  void warn(const std::string& line);

  DiskCacheOptions options_;
  const CacheLog log_, warn_;
  std::mutex mutex_;         // of opening and shrinking
  std::atomic<int> fd_{-1};  // of the folder
  bool refused_ = false;     // for the reason in `problem_`
  std::string problem_;
  std::atomic<bool> warned_{false};
  std::atomic<size_t> hits_{0}, misses_{0}, writes_{0}, rejected_{0};
};

}  // namespace frit::runtime
