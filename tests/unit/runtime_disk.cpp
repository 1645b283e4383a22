// The cache on disk: the entries that it finds, the files that it refuses, and its safety under damage and concurrency.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "runtime/load/disk_cache.h"

namespace frit::runtime {
namespace {

namespace fs = std::filesystem;

std::vector<std::string>& lines() {
  static std::vector<std::string> all;
  return all;
}
std::vector<std::string>& warnings() {
  static std::vector<std::string> all;
  return all;
}

class Disk : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = testing::TempDir() + "frit-disk-test-XXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    root_ = path;
    lines().clear();
    warnings().clear();
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder(), fs::perms::owner_all, ignored);
    fs::remove_all(root_, ignored);
  }
  fs::path folder() const { return root_ / "a" / "cache"; }
  std::unique_ptr<DiskCache> open(uint64_t max_bytes = 1 << 20, bool named = false) const {
    DiskCacheOptions options;
    options.folder = folder();
    options.max_bytes = max_bytes;
    options.named = named;
    return std::make_unique<DiskCache>(
        options, [](std::string_view l) { lines().emplace_back(l); },
        [](std::string_view l) { warnings().emplace_back(l); });
  }
  // The only entry's file.
  fs::path entry() const {
    fs::path found;
    for (const auto& e : fs::directory_iterator(folder())) {
      EXPECT_TRUE(found.empty());
      found = e.path();
    }
    return found;
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder()), fs::directory_iterator()));
  }

  static std::string slurp(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void spill(const fs::path& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

  fs::path root_;
};

TEST_F(Disk, finds_what_was_stored) {
  auto cache = open();
  EXPECT_FALSE(cache->load("key").has_value());
  EXPECT_FALSE(fs::exists(folder()));  // a look-up creates nothing
  cache->store("key", std::string("payload\0more", 12));
  cache->store("", "of the empty key");
  cache->store("empty", "");
  EXPECT_EQ(cache->load("key"), std::string("payload\0more", 12));
  auto other = open();
  EXPECT_EQ(other->load("key"), std::string("payload\0more", 12));
  EXPECT_EQ(other->load(""), "of the empty key");
  EXPECT_EQ(other->load("empty"), "");
  EXPECT_FALSE(other->load("ke").has_value());
  cache->store("key", "again");
  EXPECT_EQ(other->load("key"), "again");
  const auto stats = other->stats();
  EXPECT_EQ(stats.hits, 4u);
  EXPECT_EQ(stats.misses, 1u);
  EXPECT_EQ(cache->stats().writes, 4u);
  EXPECT_EQ(fs::status(folder()).permissions(), fs::perms::owner_all);
  for (const auto& e : fs::directory_iterator(folder()))
    EXPECT_EQ(fs::status(e).permissions(), fs::perms::owner_read | fs::perms::owner_write) << e.path();
  EXPECT_TRUE(warnings().empty());
}

TEST_F(Disk, nothing_is_made_above_its_root) {
  DiskCacheOptions options;
  options.root = root_ / "home";
  options.folder = root_ / "home" / ".cache" / "frit";
  const auto made = [&] {
    return std::make_unique<DiskCache>(
        options, [](std::string_view l) { lines().emplace_back(l); },
        [](std::string_view l) { warnings().emplace_back(l); });
  };
  auto cache = made();
  for (int i = 0; i < 3; ++i) {
    cache->store("key", "payload");
    EXPECT_FALSE(cache->load("key").has_value());
  }
  EXPECT_FALSE(fs::exists(root_ / "home"));
  EXPECT_TRUE(warnings().empty());
  EXPECT_EQ(std::count(lines().begin(), lines().end(),
                       "code is not kept on disk: there is no folder " + (root_ / "home").string()),
            1);
  fs::create_directory(root_ / "home");
  cache = made();
  cache->store("key", "payload");
  EXPECT_EQ(cache->load("key"), "payload");
}

TEST_F(Disk, every_damage_is_a_miss_and_is_cleared_away) {
  auto cache = open();
  cache->store("key", "payload");
  const fs::path path = entry();
  const std::string good = slurp(path);
  size_t rejected = 0;
  for (size_t size = 0; size < good.size(); ++size) {
    spill(path, good.substr(0, size));
    EXPECT_FALSE(cache->load("key").has_value()) << size;
    EXPECT_FALSE(fs::exists(path));
    EXPECT_EQ(cache->stats().rejected, ++rejected);
  }
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = good;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      spill(path, damaged);
      EXPECT_FALSE(cache->load("key").has_value()) << i;
      EXPECT_FALSE(fs::exists(path));
    }
  std::mt19937 random(1);
  for (size_t size : {0, 1, 27, 28, 44, 100, 5000}) {
    std::string foreign(size, '\0');
    for (char& c : foreign) c = static_cast<char>(random());
    spill(path, foreign);
    EXPECT_FALSE(cache->load("key").has_value()) << size;
  }
  spill(path, good + "x");
  EXPECT_FALSE(cache->load("key").has_value());
  spill(path, good);
  EXPECT_EQ(cache->load("key"), "payload");
  EXPECT_TRUE(warnings().empty());
}

TEST_F(Disk, a_hash_alone_is_not_trusted) {
  auto cache = open();
  cache->store("one", "payload of one");
  const fs::path path = entry();
  cache->store("two", "payload of two");
  for (const auto& e : fs::directory_iterator(folder()))
    if (e.path() != path) fs::rename(path, e.path());  // as if both keys had one hash
  EXPECT_FALSE(cache->load("two").has_value());
  EXPECT_NE(lines().back().find("another key with the same hash"), std::string::npos) << lines().back();
  EXPECT_EQ(cache->stats().rejected, 0u);
}

TEST_F(Disk, what_is_no_file_of_ours_is_a_miss) {
  auto cache = open();
  cache->store("key", "payload");
  const fs::path path = entry();
  fs::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);  // nobody writes to it: opening must not wait
  EXPECT_FALSE(cache->load("key").has_value());
  fs::remove(path);
  spill(root_ / "elsewhere", "x");
  fs::create_symlink(root_ / "elsewhere", path);
  EXPECT_FALSE(cache->load("key").has_value());
  cache->store("key", "payload");  // replaces the link and leaves the link's target alone
  EXPECT_EQ(cache->load("key"), "payload");
  EXPECT_EQ(slurp(root_ / "elsewhere"), "x");
  fs::remove(path);
  fs::create_directory(path);
  EXPECT_FALSE(cache->load("key").has_value());
  cache->store("key", "payload");
  EXPECT_FALSE(cache->load("key").has_value());
  EXPECT_EQ(files(), 1u) << "a temporary file was left";
  fs::remove(path);
  // Far larger than the bound: not even read.
  ASSERT_EQ(truncate((spill(path, ""), path.c_str()), off_t{1} << 40), 0);
  EXPECT_FALSE(cache->load("key").has_value());
}

TEST_F(Disk, a_folder_that_others_may_write_to_is_refused_with_one_warning) {
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms::all);
  auto cache = open();
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(cache->load("key").has_value());
    cache->store("key", "payload");
  }
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_NE(warnings()[0].find("others may write to it"), std::string::npos) << warnings()[0];
  EXPECT_EQ(files(), 0u);
  EXPECT_FALSE(cache->usable().ok());
}

TEST_F(Disk, a_folder_of_another_user_is_refused) {
  if (geteuid() != 0) GTEST_SKIP() << "only the administrator can give a folder away";
  fs::create_directories(folder());
  ASSERT_EQ(chown(folder().c_str(), 12345, 12345), 0);
  auto cache = open();
  cache->store("key", "payload");
  ASSERT_EQ(warnings().size(), 1u);
  EXPECT_NE(warnings()[0].find("belongs to another user"), std::string::npos) << warnings()[0];
  EXPECT_EQ(files(), 0u);
}

TEST_F(Disk, a_place_where_no_folder_can_be_is_no_cache) {
  spill(root_ / "a", "a file");
  for (bool named : {false, true}) {
    auto cache = open(1 << 20, named);
    EXPECT_FALSE(cache->load("key").has_value());
    cache->store("key", "payload");
    EXPECT_FALSE(cache->load("key").has_value());
    EXPECT_EQ(warnings().size(), named ? 1u : 0u);
  }
}

TEST_F(Disk, a_folder_that_cannot_be_written_still_gives) {
  open()->store("key", "payload");
  fs::permissions(folder(), fs::perms::owner_read | fs::perms::owner_exec);
  auto cache = open();
  EXPECT_EQ(cache->load("key"), "payload");
  cache->store("other", "payload");
  EXPECT_EQ(cache->load("other").has_value(), geteuid() == 0);  // root may read everything
  EXPECT_TRUE(warnings().empty());
}

TEST_F(Disk, the_folder_may_go_at_any_time) {
  auto cache = open();
  cache->store("key", "payload");
  fs::remove_all(folder());
  EXPECT_FALSE(cache->load("key").has_value());
  cache->store("key", "payload");
  EXPECT_EQ(cache->load("key"), "payload");
  EXPECT_EQ(open()->load("key"), "payload");
  // The folder that replaces it must be as trustworthy.
  fs::remove_all(folder());
  fs::create_directory(folder());
  fs::permissions(folder(), fs::perms::all);
  cache->store("key", "payload");
  EXPECT_EQ(files(), 0u);
}

TEST_F(Disk, what_was_used_longest_ago_goes_first) {
  auto cache = open(64 << 10);
  const std::string payload(4000, 'p');
  for (int i = 0; i < 8; ++i) {
    cache->store("key" + std::to_string(i), payload);
    // Distinct times, all in the past.
    for (const auto& e : cache->list())
      if (std::time(nullptr) - e.used < 100) {
        const struct timespec times[2] = {{0, UTIME_OMIT}, {std::time(nullptr) - 1000 + i, 0}};
        utimensat(AT_FDCWD, (folder() / e.name).c_str(), times, 0);
      }
  }
  EXPECT_TRUE(cache->load("key0").has_value());  // now the newest
  for (int i = 8; i < 30; ++i) cache->store("key" + std::to_string(i), payload);
  uint64_t total = 0;
  for (const auto& e : cache->list()) total += e.bytes;
  EXPECT_LE(total, 64u << 10);
  EXPECT_GE(total, 32u << 10);
  EXPECT_FALSE(cache->load("key1").has_value());
  EXPECT_TRUE(cache->load("key29").has_value());
  cache->store("large", std::string(32 << 10, 'l'));  // more than a quarter
  EXPECT_FALSE(cache->load("large").has_value());
}

TEST_F(Disk, abandoned_temporary_files_go_and_strangers_stay) {
  open()->store("key", "payload");
  const std::string digits(32, 'a');
  spill(folder() / (digits + ".1-2-3.tmp"), "old");
  spill(folder() / (digits + ".4-5-6.tmp"), "new");
  spill(folder() / "notes.txt", "mine");
  const struct timespec times[2] = {{1000, 0}, {1000, 0}};
  utimensat(AT_FDCWD, (folder() / (digits + ".1-2-3.tmp")).c_str(), times, 0);
  auto cache = open(2 << 10);  // so small that every write checks the size
  cache->store("other", "payload");
  EXPECT_FALSE(fs::exists(folder() / (digits + ".1-2-3.tmp")));
  EXPECT_TRUE(fs::exists(folder() / (digits + ".4-5-6.tmp")));
  EXPECT_EQ(cache->list().size(), 2u);
  EXPECT_TRUE(cache->remove(cache->list()[0].name));
  EXPECT_EQ(cache->clear().first, 2u);
  EXPECT_EQ(files(), 1u);
  EXPECT_FALSE(cache->remove("notes.txt"));
  EXPECT_FALSE(cache->remove("../a/cache/notes.txt"));
  EXPECT_TRUE(fs::exists(folder() / "notes.txt"));
}

TEST_F(Disk, a_full_disk_leaves_no_half_file) {
  // A limit on file sizes stands in for a full disk: the write ends early.
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    auto cache = open();
    cache->store("large", std::string(100000, 'x'));
    cache->store("small", "payload");
    _exit(cache->load("small") == "payload" && !cache->load("large") && cache->stats().writes == 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(files(), 1u);
}

TEST_F(Disk, many_processes_and_threads_may_share_it) {
  constexpr int kProcesses = 4, kRounds = 60, kKeys = 6;
  auto payload = [](int key) {
    return std::string(static_cast<size_t>(2000 + 100 * key), static_cast<char>('a' + key));
  };
  std::vector<pid_t> children;
  for (int p = 0; p < kProcesses; ++p) {
    const pid_t child = fork();
    if (child == 0) {
      DiskCacheOptions options;
      options.folder = folder();
      options.max_bytes = 10 << 10;  // too small for all entries, so they come and go
      DiskCache cache(options);
      bool ok = true;
      std::mt19937 random(static_cast<unsigned>(p));
      for (int i = 0; i < kRounds; ++i) {
        const int key = static_cast<int>(random() % kKeys);
        if (auto found = cache.load("key" + std::to_string(key)))
          ok &= *found == payload(key);
        else
          cache.store("key" + std::to_string(key), payload(key));
        if (random() % 20 == 0)
          for (const auto& e : cache.list()) cache.remove(e.name);
      }
      _exit(ok && cache.stats().rejected == 0 ? 0 : 1);
    }
    children.push_back(child);
  }
  for (pid_t child : children) {
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  DiskCacheOptions options;
  options.folder = folder();
  DiskCache cache(options);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const int key = i % kKeys;
        if (auto found = cache.load("key" + std::to_string(key)))
          wrong += *found != payload(key);
        else
          cache.store("key" + std::to_string(key), payload(key));
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  for (const auto& e : fs::directory_iterator(folder())) EXPECT_TRUE(cache.read(e.path().filename()).ok()) << e.path();
}

TEST_F(Disk, reading_for_inspection_is_not_use) {
  auto cache = open();
  cache->store("key", "payload");
  const fs::path path = entry();
  const struct timespec times[2] = {{1000, 0}, {2000, 0}};
  utimensat(AT_FDCWD, path.c_str(), times, 0);
  auto contents = cache->read(path.filename());
  ASSERT_TRUE(contents.ok()) << contents.error().str();
  EXPECT_EQ(contents->key, "key");
  EXPECT_EQ(contents->payload, "payload");
  EXPECT_EQ(cache->list()[0].used, 2000);
  EXPECT_TRUE(cache->load("key").has_value());
  EXPECT_GT(cache->list()[0].used, 2000);
  fs::rename(path, folder() / (std::string(32, '0') + ".frit"));
  EXPECT_FALSE(cache->read(std::string(32, '0') + ".frit").ok());
}

TEST_F(Disk, settings_come_from_the_environment) {
  struct Variable {
    std::string name;
    std::optional<std::string> before;
    Variable(std::string n, const char* value) : name(std::move(n)) {
      if (const char* old = std::getenv(name.c_str())) before = old;
      if (value)
        setenv(name.c_str(), value, 1);
      else
        unsetenv(name.c_str());
    }
    ~Variable() {
      if (before)
        setenv(name.c_str(), before->c_str(), 1);
      else
        unsetenv(name.c_str());
    }
  };
  Variable cache("FRIT_CACHE", nullptr), dir("FRIT_CACHE_DIR", nullptr), xdg("XDG_CACHE_HOME", nullptr),
      home("HOME", "/home/somebody"), size("FRIT_CACHE_SIZE", nullptr);
  auto options = [] { return DiskCacheOptions::from_environment(); };
  EXPECT_EQ(options().folder, "/home/somebody/.cache/frit");
  EXPECT_EQ(options().root, "/home/somebody");
  EXPECT_EQ(options().max_bytes, uint64_t{512} << 20);
  {
    Variable v("HOME", nullptr);
    EXPECT_EQ(options().folder, "");
  }
  {
    Variable v("XDG_CACHE_HOME", "/x");
    EXPECT_EQ(options().folder, "/x/frit");
    EXPECT_EQ(options().root, "/");
    Variable deep("XDG_CACHE_HOME", "/x/y/");
    EXPECT_EQ(options().root, "/x");
    Variable w("FRIT_CACHE_DIR", "/y");
    EXPECT_EQ(options().folder, "/y");
    Variable r("FRIT_CACHE_DIR", "y");
    EXPECT_EQ(options().folder, fs::current_path().string() + "/y");
  }
  {
    Variable v("XDG_CACHE_HOME", "relative");
    EXPECT_EQ(options().folder, "/home/somebody/.cache/frit");
  }
  for (const char* off : {"off", "0", "no", "false"}) {
    Variable v("FRIT_CACHE", off);
    EXPECT_TRUE(options().off);
    EXPECT_FALSE(DiskCache(options()).enabled());
  }
  {
    Variable v("FRIT_CACHE", "of");
    EXPECT_EQ(options().warnings.size(), 1u);
    EXPECT_NE(options().folder, "");
  }
  for (auto [text, bytes] : {std::pair{"1000", uint64_t{1000}},
                             {"3k", uint64_t{3} << 10},
                             {"4M", uint64_t{4} << 20},
                             {"2g", uint64_t{2} << 30}}) {
    Variable v("FRIT_CACHE_SIZE", text);
    EXPECT_EQ(options().max_bytes, bytes) << text;
    EXPECT_TRUE(options().warnings.empty());
  }
  for (const char* text : {"-1", "1t", "k", "99999999999999g", "1 k", "1kk"}) {
    Variable v("FRIT_CACHE_SIZE", text);
    EXPECT_EQ(options().max_bytes, uint64_t{512} << 20) << text;
    EXPECT_EQ(options().warnings.size(), 1u) << text;
  }
}

}  // namespace
}  // namespace frit::runtime
