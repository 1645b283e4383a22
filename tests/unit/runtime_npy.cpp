// .npy files: reading, writing and malformed headers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "runtime/files/npy.h"

namespace frit::runtime {
namespace {

namespace fs = std::filesystem;

class Npy : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("frit_npy_" + std::to_string(getpid()));
    fs::create_directories(folder_);
    path_ = (folder_ / "a.npy").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  void put(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  std::string get() {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::string file_of(std::string header, const std::string& data, int version = 1) {
    std::string s("\x93NUMPY");
    s += static_cast<char>(version);
    s += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i) s += static_cast<char>(header.size() >> (8 * i) & 0xff);
    return s + header + data;
  }
  std::string error_of(const std::string& bytes) {
    put(bytes);
    auto r = read_npy(path_);
    return r.ok() ? "" : r.error().str();
  }

  fs::path folder_;
  std::string path_;
};

Tensor tensor(Dtype t, Sizes shape) {
  int64_t n = 1;
  for (int64_t s : shape) n *= s;
  auto buffer = *Buffer::allocate(static_cast<size_t>(n) * t.size());
  auto* bytes = static_cast<uint8_t*>(buffer->data());
  for (int64_t i = 0; i < n * t.size(); ++i) bytes[i] = static_cast<uint8_t>(t == bool_ ? i % 2 : i * 37 + 11);
  Sizes strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i]) strides[i] = stride;
  return {buffer, t, shape, strides, 0};
}

TEST_F(Npy, every_element_type_and_shape_round_trips) {
  for (Dtype t : kAllDtypes)
    for (Sizes shape :
         {Sizes{}, Sizes{1}, Sizes{5}, Sizes{0}, Sizes{3, 0, 2}, Sizes{2, 3, 4}, Sizes{1, 1, 1, 1, 1, 1, 2, 3}}) {
      Tensor a = tensor(t, shape);
      ASSERT_TRUE(write_npy(path_, a).ok());
      auto b = read_npy(path_);
      ASSERT_TRUE(b.ok()) << b.error().str();
      EXPECT_EQ(b->dtype, t);
      EXPECT_EQ(b->shape, shape);
      ASSERT_EQ(b->buffer->bytes(), a.buffer->bytes());
      EXPECT_EQ(std::memcmp(a.buffer->data(), b->buffer->data(), a.buffer->bytes()), 0);
    }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

TEST_F(Npy, writes_the_format_that_other_tools_read) {
  Tensor a = tensor(float32, {2, 3});
  ASSERT_TRUE(write_npy(path_, a).ok());
  std::string s = get();
  EXPECT_EQ(s.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_EQ(s.substr(10, 58), "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), ");
  EXPECT_EQ(s[127], '\n');
  EXPECT_EQ(s.size(), 128u + 24);
  ASSERT_TRUE(write_npy(path_, tensor(int8, {7})).ok());
  EXPECT_NE(get().find("'descr': '|i1', 'fortran_order': False, 'shape': (7,), }"), std::string::npos);
}

TEST_F(Npy, strided_tensors_are_written_in_row_major_order) {
  Tensor a = tensor(int32, {3, 4});
  std::iota(static_cast<int32_t*>(a.buffer->data()), static_cast<int32_t*>(a.buffer->data()) + 12, 0);
  Tensor view{a.buffer, int32, {4, 2}, {-1, 8}, 3};
  ASSERT_TRUE(write_npy(path_, view).ok());
  auto b = read_npy(path_);
  ASSERT_TRUE(b.ok());
  const auto* v = static_cast<const int32_t*>(b->buffer->data());
  EXPECT_EQ(std::vector<int32_t>(v, v + 8), (std::vector<int32_t>{3, 11, 2, 10, 1, 9, 0, 8}));
}

TEST_F(Npy, versions_orders_and_byte_orders) {
  std::string data("\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00", 12);
  for (int version : {1, 2, 3}) {
    put(file_of("{\"shape\": (3, 2), 'descr':'<i2','fortran_order' : True}\n", data, version));
    auto a = read_npy(path_);
    ASSERT_TRUE(a.ok()) << a.error().str();
    EXPECT_EQ(a->shape, (Sizes{3, 2}));
    EXPECT_EQ(a->strides, (Sizes{1, 3}));
    EXPECT_EQ(static_cast<int16_t*>(a->buffer->data())[5], 6);
  }
  put(file_of("{'descr': '>i2', 'fortran_order': False, 'shape': (6,), }", data));
  auto a = read_npy(path_);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(static_cast<int16_t*>(a->buffer->data())[5], 0x600);
}

TEST_F(Npy, damage_is_reported_with_its_place) {
  auto header = [&](const std::string& h) { return error_of(file_of(h, "")); };
  EXPECT_NE(error_of("").find("not a .npy file"), std::string::npos);
  EXPECT_NE(error_of("hello, world, hello").find("not a .npy file"), std::string::npos);
  EXPECT_NE(error_of(file_of("{}", "", 4)).find("version 4"), std::string::npos);
  EXPECT_NE(error_of(std::string("\x93NUMPY\x01\x00\xff\xff", 10)).find("claims 65535 bytes"), std::string::npos);
  EXPECT_NE(error_of(std::string("\x93NUMPY\x02\x00\xff\xff", 10)).find("cannot read the header"), std::string::npos);
  EXPECT_NE(header("{}").find("lacks"), std::string::npos);
  EXPECT_NE(header("{'descr': '<f4'").find(":1:26: expected ','"), std::string::npos) << header("{'descr': '<f4'");
  EXPECT_NE(header("{'descr': 'O', 'fortran_order': False, 'shape': ()}").find("element type 'O'"), std::string::npos);
  EXPECT_NE(header("{'descr': '<c16', 'fortran_order': False, 'shape': ()}").find("not supported"), std::string::npos);
  EXPECT_NE(header("{'descr': [('a','<f4')], 'fortran_order': False, 'shape': ()}").find("structured"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}").find("twice"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}").find("expected a size"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}").find("too large"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000000000, 0)}").find("too large"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000, 1000)}").find("the file has 0"),
            std::string::npos);
  EXPECT_NE(header("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x").find("after the header"),
            std::string::npos);
  EXPECT_FALSE(read_npy((folder_ / "absent").string()).ok());
  EXPECT_FALSE(read_npy(folder_.string()).ok());
}

TEST_F(Npy, mutated_files_never_crash) {
  Tensor a = tensor(float32, {3, 5});
  ASSERT_TRUE(write_npy(path_, a).ok());
  const std::string good = get();
  std::mt19937 random(7);
  size_t before = active_memory();
  for (int i = 0; i < 3000; ++i) {
    std::string s = good;
    int changes = 1 + static_cast<int>(random() % 4);
    for (int c = 0; c < changes; ++c) {
      size_t at = random() % (random() % 4 ? 80 : s.size());
      switch (random() % 4) {
        case 0: s[at] = static_cast<char>(random()); break;
        case 1: s[at] = "0123456789(),{}'<>: TF"[random() % 22]; break;
        case 2: s.erase(at, random() % 8); break;
        default: s.insert(at, 1, "0123456789(),'"[random() % 14]); break;
      }
    }
    put(s);
    auto r = read_npy(path_);
    if (r.ok()) {
      size_t elements = 1;
      for (int64_t n : r->shape) elements *= static_cast<size_t>(n);
      EXPECT_EQ(elements * r->dtype.size(), r->buffer->bytes());
      EXPECT_LE(r->buffer->bytes(), s.size());
    } else {
      EXPECT_TRUE(r.error().loc.known());
    }
  }
  EXPECT_EQ(active_memory(), before);
}

TEST_F(Npy, a_failed_write_leaves_nothing) {
  EXPECT_FALSE(write_npy((folder_ / "no" / "such" / "folder.npy").string(), tensor(float32, {2})).ok());
  fs::create_directory(folder_ / "taken.npy");
  EXPECT_FALSE(write_npy((folder_ / "taken.npy").string(), tensor(float32, {2})).ok());
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);
}

}  // namespace
}  // namespace frit::runtime
