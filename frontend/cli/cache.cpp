// frit cache: looks after the code that is kept on disk.
#include <ctime>
#include <iomanip>
#include <iostream>

#include "frontend/cli/command.h"
#include "runtime/load/disk_cache.h"
#include "runtime/load/plan_file.h"

namespace frit::cli {
namespace {

std::string utc(int64_t seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm parts{};
  char text[32];
  if (!gmtime_r(&time, &parts) || !std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &parts)) return "?";
  return text;
}

std::string entries(size_t n) { return std::to_string(n) + (n == 1 ? " entry" : " entries"); }

Result<runtime::Image> read_image(runtime::DiskCache& cache, const std::string& name) {
  FRIT_ASSIGN_OR_RETURN(contents, cache.read(name));
  return runtime::read_image(contents.payload);
}

void list(runtime::DiskCache& cache, uint64_t bound) {
  auto line = [](const std::string& key, const std::string& bytes, const std::string& kernels, const std::string& used,
                 const std::string& function) {
    // Names of functions have no bound; the columns before them do.
    std::cout << std::left << std::setw(12) << key.substr(0, 12) << std::right << std::setw(10) << bytes << std::setw(9)
              << kernels << "  " << std::left << std::setw(20) << used << "  " << function << "\n";
  };
  line("key", "bytes", "kernels", "last used", "function");
  uint64_t total = 0;
  const auto all = cache.list();
  for (const auto& entry : all) {
    total += entry.bytes;
    auto image = read_image(cache, entry.name);
    size_t kernels = 0;
    if (image.ok())
      for (const runtime::ObjectCode& o : image->objects) kernels += o.entries.size();
    line(entry.name, std::to_string(entry.bytes), image.ok() ? std::to_string(kernels) : "-", utc(entry.used),
         image.ok() ? image->plan.name : "(damaged)");
  }
  std::cout << entries(all.size()) << " of " << total << " bytes, at most " << bound << ", in " << cache.folder()
            << "\n";
}

void verify(runtime::DiskCache& cache) {
  std::string damaged;
  size_t count = 0;
  const auto all = cache.list();
  for (const auto& entry : all) {
    auto image = read_image(cache, entry.name);
    if (image.ok()) continue;
    ++count;
    damaged += "\n  " + entry.name + ": " + image.error().message;
  }
  if (count)
    fail({std::to_string(count) + " of " + entries(all.size()) + " in " + cache.folder() +
              (count == 1 ? " is" : " are") + " damaged" + damaged,
          {},
          "they are never used; 'frit cache clear' removes all entries"});
  std::cout << entries(all.size()) << ", none damaged\n";
}

}  // namespace

void add_cache(CLI::App& app) {
  auto action = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("cache", "list, check or remove the code that is kept on disk");
  c->add_option("ACTION", *action,
                "list: show all entries; verify: read and check every entry; clear: remove all entries")
      ->required()
      ->check(CLI::IsMember({"list", "clear", "verify"}));
  c->callback([action] {
    auto options = runtime::DiskCacheOptions::from_environment();
    options.off = false;  // the command shows the cache even where it is off for compilation
    runtime::DiskCache cache(options);
    check(cache.usable());
    if (*action == "list") {
      list(cache, options.max_bytes);
    } else if (*action == "verify") {
      verify(cache);
    } else {
      const auto [count, bytes] = cache.clear();
      std::cout << "removed " << entries(count) << " of " << bytes << " bytes\n";
    }
  });
}

}  // namespace frit::cli
