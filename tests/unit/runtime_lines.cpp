// The reader of line tables: a table by hand, and damaged ones.
#include <gtest/gtest.h>

#include <random>

#include "runtime/load/line_table.h"

namespace frit::runtime {
namespace {

void put32(std::string& to, size_t at, uint32_t value) { to.replace(at, 4, reinterpret_cast<const char*>(&value), 4); }

// Line 7 of a.py for 4 bytes from the address of the relocation, line 9 of b.py for 6 more.
std::string table() {
  std::string header("\x01\x01\x01\xfb\x0e\x0d\x00\x01\x01\x01\x01\x00\x00\x00\x01\x00\x00\x01", 18);
  header += std::string("\0", 1);  // no folders
  header += std::string("a.py\0\0\0\0b.py\0\0\0\0\0", 17);
  std::string program("\x00\x09\x02", 3);
  program += std::string(8, '\0');                            // the address
  program += "\x03\x06\x01";                                  // line 7
  program += std::string("\x02\x04\x04\x02\x03\x02\x01", 7);  // 4 bytes on, file 2, line 9
  program += std::string("\x02\x06\x00\x01\x01", 5);          // 6 bytes on, the end
  std::string out(10, '\0');
  out[4] = 4;
  put32(out, 6, static_cast<uint32_t>(header.size()));
  out += header + program;
  put32(out, 0, static_cast<uint32_t>(out.size() - 4));
  return out;
}

uint64_t at_1000(uint64_t) { return 1000; }

TEST(LineTable, Rows) {
  const std::string bytes = table();
  const std::vector<LineRow> rows = read_line_table(bytes, at_1000);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].address, 1000u);
  EXPECT_EQ(rows[0].file, "a.py");
  EXPECT_EQ(rows[0].line, 7u);
  EXPECT_EQ(rows[1].address, 1004u);
  EXPECT_EQ(rows[1].file, "b.py");
  EXPECT_EQ(rows[1].line, 9u);
  EXPECT_EQ(rows[2].address, 1010u);
  EXPECT_TRUE(rows[2].end);
  EXPECT_EQ(read_line_table(bytes + bytes, at_1000).size(), 6u);
}

TEST(LineTable, Damaged) {
  const std::string bytes = table();
  for (size_t n = 0; n < bytes.size(); ++n) read_line_table(std::string(bytes, 0, n), at_1000);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string other = bytes;
    for (int k = 0; k < 3; ++k) other[random() % other.size()] = static_cast<char>(random());
    read_line_table(other, at_1000);
  }
}

}  // namespace
}  // namespace frit::runtime
