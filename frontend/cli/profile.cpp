// frit profile: the kernels, routines and stages of a profile that FRIT_PROFILE wrote, as a table.
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "frontend/cli/command.h"

namespace frit::cli {
namespace {

struct ProfileOptions {
  std::string file, kind;
  size_t top = 20;
};

struct Row {
  std::string kind, name, from;
  size_t count = 0;
  double total = 0, most = 0;          // microseconds
  std::optional<double> bytes, flops;  // of a launch
};

// The lines that a name came from, and the cost of a launch. Launches of one name with different costs have none.
struct About {
  std::string at;
  std::set<double> bytes, flops;
};
std::optional<double> only(const std::set<double>& values) {
  return values.size() == 1 ? std::optional(*values.begin()) : std::nullopt;
}

// One event a line: the file is read once, whatever its length.
class Reader {
 public:
  explicit Reader(std::string path) : path_(std::move(path)) {}

  void run() {
    std::ifstream in(path_, std::ios::binary);
    if (!in.is_open()) fail({"cannot read '" + path_ + "'"});
    std::string line;
    if (!std::getline(in, line) || line != "[") refuse("it does not begin with '['");
    while (std::getline(in, line)) {
      ++number_;
      if (line == "]") return;
      if (line.ends_with(',')) line.pop_back();
      if (!line.empty()) event(line);
    }
    std::cerr << "note: '" << path_ << "' has no end: its process was killed, or the disk was full\n";
  }

  std::map<std::pair<std::string, std::string>, Row> rows;

 private:
  [[noreturn]] void refuse(const std::string& why) {
    fail({"'" + path_ + "' is no profile of frit, or is damaged: line " + std::to_string(number_) + ": " + why,
          {},
          "write one with FRIT_PROFILE=file"});
  }

  void event(const std::string& line) {
    const auto e = nlohmann::json::parse(line, nullptr, false);
    if (!e.is_object()) refuse("it is no JSON object");
    const auto text = [&](const char* key) -> std::string {
      const auto found = e.find(key);
      return found != e.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    if (text("ph") == "i" && text("cat") == "source") {
      const auto args = e.find("args");
      if (args == e.end() || !args->is_object()) return;
      About& about = about_[text("name")];
      if (const auto at = args->find("at"); at != args->end() && at->is_string()) about.at = at->get<std::string>();
      for (const auto& [key, values] : {std::pair{"bytes", &about.bytes}, {"flops", &about.flops}})
        if (const auto v = args->find(key); v != args->end() && v->is_number()) values->insert(v->get<double>());
      return;
    }
    if (text("ph") != "X") return;
    const auto duration = e.find("dur");
    if (duration == e.end() || !duration->is_number() || text("name").empty())
      refuse("an event has no name or no duration");
    Row& row = rows[{text("cat"), text("name")}];
    row.kind = text("cat");
    row.name = text("name");
    if (const auto known = about_.find(row.name); known != about_.end()) {
      row.from = known->second.at;
      row.bytes = only(known->second.bytes);
      row.flops = only(known->second.flops);
    }
    ++row.count;
    row.total += duration->get<double>();
    row.most = std::max(row.most, duration->get<double>());
  }

  std::string path_;
  size_t number_ = 1;
  std::map<std::string, About> about_;
};

// 10^9 a second, as text; empty where the cost of a launch is not known.
std::string rate(const Row& r, const std::optional<double>& each) {
  if (!each || !(r.total > 0)) return "";
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << *each * static_cast<double>(r.count) / r.total / 1000;
  return text.str();
}

void run(const ProfileOptions& o) {
  Reader reader(o.file);
  reader.run();
  std::vector<Row> rows;
  double work = 0;
  for (auto& [key, row] : reader.rows) {
    if (row.kind == "kernel" || row.kind == "routine") work += row.total;
    const bool shown =
        o.kind.empty() ? row.kind == "kernel" || row.kind == "routine" : o.kind == "all" || row.kind == o.kind;
    if (shown) rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.total > b.total; });
  std::cout << std::setw(12) << "total ms" << std::setw(8) << "share" << std::setw(10) << "calls" << std::setw(12)
            << "mean us" << std::setw(12) << "most us" << std::setw(9) << "GB/s" << std::setw(9) << "Gflop/s"
            << "  name\n";
  for (size_t i = 0; i < std::min(o.top, rows.size()); ++i) {
    const Row& r = rows[i];
    const bool timed = r.kind == "kernel" || r.kind == "routine";
    std::cout << std::fixed << std::setprecision(3) << std::setw(12) << r.total / 1000 << std::setprecision(1)
              << std::setw(7) << (timed && work > 0 ? r.total / work * 100 : 0) << "%" << std::setw(10) << r.count
              << std::setw(12) << r.total / static_cast<double>(r.count) << std::setw(12) << r.most << std::setw(9)
              << rate(r, r.bytes) << std::setw(9) << rate(r, r.flops) << "  " << r.name
              << (r.kind == "kernel" ? "" : " (" + r.kind + ")") << (r.from.empty() ? "" : " from " + r.from) << "\n";
  }
  if (rows.size() > o.top) std::cout << "and " << rows.size() - o.top << " more; --top shows them\n";
  if (rows.empty()) std::cout << "no kernel ran\n";
}

}  // namespace

void add_profile(CLI::App& app) {
  auto o = std::make_shared<ProfileOptions>();
  CLI::App* c = app.add_subcommand("profile", "print the kernels of a profile (FRIT_PROFILE=file), the longest first");
  c->add_option("FILE", o->file, "a file that a program wrote with FRIT_PROFILE=FILE")->required();
  c->add_option("--top", o->top, "how many")->capture_default_str();
  c->add_option("--kind", o->kind,
                "kernel, routine, epilogue, call, chunk, pass, compile, trace or all; kernels and routines without it");
  c->callback([o] { run(*o); });
}

}  // namespace frit::cli
