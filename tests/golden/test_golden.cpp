// One test per golden file, named area/file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "golden_run.h"
#include "tests/environment.h"

namespace {

class GoldenTest : public testing::Test {
 public:
  explicit GoldenTest(std::filesystem::path path) : path_(std::move(path)) {}
  void TestBody() override {
    const char* bless = std::getenv("FRIT_BLESS");
    for (const std::string& failure : frit::golden::run_golden(path_, bless && std::string_view(bless) == "1"))
      ADD_FAILURE() << failure;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const std::filesystem::path root = std::filesystem::path(source_folder()) / "tests" / "golden";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".frit") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& path : files) {
    std::string area = path.parent_path().lexically_relative(root).generic_string();
    testing::RegisterTest(area.c_str(), path.stem().string().c_str(), nullptr, nullptr, path.c_str(), 1,
                          [path]() -> testing::Test* { return new GoldenTest(path); });
  }
  return RUN_ALL_TESTS();
}
