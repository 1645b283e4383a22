// Files from outside: .safetensors files that lie, pipes in the place of files, and rights of files that are replaced.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "runtime/files/file.h"
#include "runtime/files/npy.h"
#include "runtime/files/safetensors.h"
#include "runtime/load/elf_object.h"
#include "runtime/load/package_file.h"
#include "runtime/system/bytes.h"
#include "tests/environment.h"

namespace frit::runtime {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = testing::TempDir() + "frit-files-test-XXXXXX";
    ASSERT_NE(mkdtemp(path.data()), nullptr);
    root_ = path;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  std::string path(const char* name) const { return (root_ / name).string(); }
  // The error of reading a .safetensors file with that header and so many bytes of data, or "".
  std::string error_of(const std::string& header, size_t bytes) const {
    ByteWriter out;
    out.text(header);
    std::ofstream(path("t"), std::ios::binary) << out.bytes() << std::string(bytes, '\0');
    auto read = read_safetensors(path("t"));
    return read.ok() ? "" : read.error().message;
  }
  static std::string tensor(const char* name, int begin, int end) {
    return '"' + std::string(name) + R"(":{"dtype":"U8","shape":[)" + std::to_string(end - begin) +
           R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(end) + "]}";
  }

  fs::path root_;
};

TEST_F(Files, tensors_have_names_and_places_of_their_own) {
  EXPECT_EQ(error_of("{" + tensor("a", 0, 4) + "," + tensor("b", 4, 8) + "}", 8), "");
  EXPECT_EQ(error_of("{" + tensor("a", 4, 8) + "," + tensor("b", 4, 4) + "," + tensor("c", 0, 4) + "}", 8), "");
  for (const auto& [begin, end] : {std::pair{0, 4}, {3, 5}, {1, 3}, {0, 8}})
    EXPECT_NE(error_of("{" + tensor("a", 0, 4) + "," + tensor("b", begin, end) + "}", 8).find("two tensors overlap"),
              std::string::npos)
        << begin;
  EXPECT_NE(error_of("{" + tensor("a", 0, 4) + "," + tensor("a", 4, 8) + "}", 8).find("its header has 'a' twice"),
            std::string::npos);
  EXPECT_NE(error_of(R"({"a":{"dtype":"U8","shape":[4],"shape":[4],"data_offsets":[0,4]}})", 4)
                .find("its header has 'shape' twice"),
            std::string::npos);
}

TEST_F(Files, tensors_may_have_no_metadata) {
  for (const char* none : {R"("__metadata__":null,)", R"("__metadata__":{},)", ""})
    EXPECT_EQ(error_of("{" + std::string(none) + tensor("a", 0, 4) + "}", 4), "") << none;
  EXPECT_NE(error_of(R"({"__metadata__":[],)" + tensor("a", 0, 4) + "}", 4).find("its metadata"), std::string::npos);
}

TEST_F(Files, pipes_and_devices_are_refused_at_once) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);  // nobody writes to it: opening must not wait
  for (const std::string& where : {path("pipe"), std::string("/dev/zero")}) {
    const auto says = [](const auto& result) {
      return !result.ok() && result.error().message.find("not a regular file") != std::string::npos;
    };
    EXPECT_TRUE(says(MappedFile::open(where))) << where;
    EXPECT_TRUE(says(read_safetensors(where))) << where;
    EXPECT_TRUE(says(PackageFile::open(where))) << where;
    EXPECT_TRUE(says(read_npy(where))) << where;
  }
}

TEST_F(Files, a_file_that_is_replaced_keeps_its_rights) {
  const auto mode = [](const std::string& file) {
    struct stat s;
    return stat(file.c_str(), &s) == 0 ? s.st_mode & 07777 : 0;
  };
  const mode_t mask = umask(022);
  ASSERT_TRUE(write_file(path("new"), "1").ok());
  EXPECT_EQ(mode(path("new")), 0644u);
  for (const mode_t kept : {0600u, 0664u, 0755u}) {
    ASSERT_EQ(chmod(path("new").c_str(), kept), 0);
    ASSERT_TRUE(write_file(path("new"), "2").ok());
    EXPECT_EQ(mode(path("new")), kept);
  }
  umask(mask);
}

// Names of folders, plugins and files from the environment are for programs that run with their caller's rights.
TEST(Environment, names_no_files_for_programs_with_more_rights) {
  const std::regex plain(R"x((^|[^_])getenv\("(\w*)"?)x");
  // Variables that name no file and no code.
  const std::set<std::string> harmless{
      "FRIT_DEVICE",         "FRIT_VULKAN_WITHOUT",      "FRIT_VULKAN_SHARED", "FRIT_VULKAN_DEVICE",
      "FRIT_VULKAN_TIMEOUT", "FRIT_VULKAN_MEMORY_LIMIT", "FRIT_NUM_THREADS",   "FRIT_LOG",
      "FRIT_DISABLE_COMPILE"};
  for (const char* folder : {"runtime", "codegen", "frontend"})
    for (const auto& e : fs::recursive_directory_iterator(fs::path(source_folder()) / folder)) {
      if (e.path().extension() != ".cpp") continue;
      std::ifstream in(e.path());
      for (std::string line; std::getline(in, line);)
        if (std::smatch m; std::regex_search(line, m, plain)) {
          EXPECT_TRUE(harmless.contains(m[2])) << e.path() << ": " << line;
        }
    }
}

}  // namespace
}  // namespace frit::runtime
