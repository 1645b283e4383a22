// Arrays in files: what is written comes back, damaged files are errors, and foreign .gguf files are understood.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "helpers.h"

using namespace frit;

namespace {

// A folder that goes with its test.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("frit_io_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

std::string bytes_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
void write_bytes(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::vector<Dtype> all_types() {
  return {bool_, uint8, uint16,  uint32,  uint64,  int8,     int16,
          int32, int64, float16, float32, float64, bfloat16, complex64};
}

void expect_same(const array& a, const array& b) {
  EXPECT_EQ(a.dtype(), b.dtype());
  EXPECT_EQ(a.shape(), b.shape());
  EXPECT_TRUE(array_equal(a, b).item<bool>());
}

// A .gguf file by hand.
struct Gguf {
  std::string out;
  template <class T>
  Gguf& number(T v) {
    out.append(reinterpret_cast<const char*>(&v), sizeof(v));
    return *this;
  }
  Gguf& text(const std::string& s) {
    number(uint64_t{s.size()});
    out += s;
    return *this;
  }
};

}  // namespace

TEST(Io, NpyOfEveryType) {
  const Folder folder;
  for (const Dtype t : all_types()) {
    const array a = astype(reshape(arange(6), {2, 3}), t);
    save(folder / "a", a);
    expect_same(load(folder / "a.npy"), a);
    const auto out = std::make_shared<io::MemoryWriter>();
    save(out, transpose(a));
    expect_same(load(std::make_shared<io::MemoryReader>(out->bytes())), transpose(a));
  }
  save(folder / "s.npy", array(2.5f));
  EXPECT_EQ(load(folder / "s.npy").item<float>(), 2.5f);
  save(folder / "e.npy", zeros({0, 3}));
  EXPECT_EQ(load(folder / "e.npy").shape(), (Shape{0, 3}));
}

TEST(Io, Streams) {
  const Folder folder;
  const array a = arange(5.0);
  save(std::make_shared<io::FileWriter>(folder / "a.npy"), a);
  const auto in = std::make_shared<io::ParallelFileReader>(folder / "a.npy");
  EXPECT_TRUE(in->good());
  expect_same(load(in), a);
  EXPECT_THROW(load(std::make_shared<io::ParallelFileReader>(folder / "none")), RuntimeError);
  EXPECT_THROW(load(std::shared_ptr<io::Reader>()), RuntimeError);
  EXPECT_THROW(save(std::make_shared<io::FileWriter>(), a), RuntimeError);
}

TEST(Io, Safetensors) {
  const Folder folder;
  std::unordered_map<std::string, array> arrays;
  for (const Dtype t : all_types()) {
    std::ostringstream name;
    name << t;
    arrays.emplace(name.str(), astype(reshape(arange(6), {3, 2}), t));
  }
  save_safetensors(folder / "m", arrays, {{"format", "test"}, {"q", "\"x\""}});
  const SafetensorsLoad back = load_safetensors(folder / "m.safetensors");
  ASSERT_EQ(back.first.size(), arrays.size());
  for (const auto& [name, a] : arrays) expect_same(back.first.at(name), a);
  EXPECT_EQ(back.second, (std::unordered_map<std::string, std::string>{{"format", "test"}, {"q", "\"x\""}}));
  const auto out = std::make_shared<io::MemoryWriter>();
  save_safetensors(out, arrays);
  EXPECT_EQ(load_safetensors(std::make_shared<io::MemoryReader>(out->bytes())).first.size(), arrays.size());
}

TEST(Io, Gguf) {
  const Folder folder;
  std::unordered_map<std::string, array> arrays;
  for (const Dtype t : {float32, float16, bfloat16, float64, int8, int16, int32, int64})
    arrays.emplace("t" + std::to_string(arrays.size()), astype(reshape(arange(6), {3, 2}), t));
  const std::unordered_map<std::string, GGUFMetaData> facts{{"text", std::string("hello")},
                                                            {"texts", std::vector<std::string>{"a", "bc"}},
                                                            {"number", array(7, uint32)},
                                                            {"list", array({1.5f, 2.5f})}};
  save_gguf(folder / "m", arrays, facts);
  const GGUFLoad back = load_gguf(folder / "m.gguf");
  ASSERT_EQ(back.first.size(), arrays.size());
  for (const auto& [name, a] : arrays) expect_same(back.first.at(name), a);
  EXPECT_EQ(back.second.size(), 4u);
  EXPECT_EQ(std::get<std::string>(back.second.at("text")), "hello");
  EXPECT_EQ(std::get<std::vector<std::string>>(back.second.at("texts")), (std::vector<std::string>{"a", "bc"}));
  EXPECT_EQ(std::get<array>(back.second.at("number")).item<uint32_t>(), 7u);
  EXPECT_EQ(values<float>(std::get<array>(back.second.at("list"))), (std::vector<float>{1.5f, 2.5f}));
  EXPECT_THROW(save_gguf(folder / "c", {{"c", zeros({2}, complex64)}}), RuntimeError);
}

TEST(Io, GgufBlocksBecomeQuantised) {
  const Folder folder;
  struct Kind {
    uint32_t code;
    int bits;
    bool has_bias;
  };
  for (const Kind k : {Kind{2, 4, false}, Kind{3, 4, true}, Kind{8, 8, false}}) {
    Gguf file;
    file.number(uint32_t{0x46554747}).number(uint32_t{3}).number(uint64_t{1}).number(uint64_t{0});
    file.text("w.weight")
        .number(uint32_t{2})
        .number(uint64_t{32})
        .number(uint64_t{2})
        .number(k.code)
        .number(uint64_t{0});
    file.out.append((32 - file.out.size() % 32) % 32, '\0');
    std::vector<float> want;
    for (int row = 0; row < 2; ++row) {
      const float scale = row == 0 ? 0.5f : 2.0f, bias = 3.0f;
      file.number(float16_t(scale));
      if (k.has_bias) file.number(float16_t(bias));
      const auto code = [&](int i) { return (i * 7 + row) % (1 << k.bits); };
      for (int i = 0; i < (k.bits == 8 ? 32 : 16); ++i)
        file.number(static_cast<uint8_t>(k.bits == 8 ? code(i) : code(i) | code(i + 16) << 4));
      for (int i = 0; i < 32; ++i) {
        const int c = k.bits == 8 ? static_cast<int8_t>(code(i)) : k.has_bias ? code(i) : code(i) - 8;
        want.push_back(scale * static_cast<float>(c) + (k.has_bias ? bias : 0));
      }
    }
    write_bytes(folder / "q.gguf", file.out);
    const auto arrays = load_gguf(folder / "q.gguf").first;
    ASSERT_EQ(arrays.size(), 3u);
    const array back = dequantize(arrays.at("w.weight"), arrays.at("w.scales"), arrays.at("w.biases"), 32, k.bits);
    EXPECT_EQ(values<float>(astype(back, float32)), want) << k.code;
  }
}

TEST(Io, DamagedFilesAreErrors) {
  const Folder folder;
  save(folder / "a.npy", arange(100.0));
  save_safetensors(folder / "a.safetensors", {{"a", arange(100.0)}}, {{"k", "v"}});
  save_gguf(folder / "a.gguf", {{"a", arange(100.0)}}, {{"k", std::string("v")}});
  const auto read = [&](const std::string& ending) {
    const std::string path = folder / ("b" + ending);
    if (ending == ".npy") eval(load(path));
    if (ending == ".safetensors") load_safetensors(path);
    if (ending == ".gguf") load_gguf(path);
  };
  for (const std::string ending : {".npy", ".safetensors", ".gguf"}) {
    const std::string good = bytes_of(folder / ("a" + ending));
    for (size_t n = 0; n < good.size(); n += 1 + good.size() / 40) {
      write_bytes(folder / ("b" + ending), good.substr(0, n));
      EXPECT_THROW(read(ending), RuntimeError) << ending << " of " << n << " bytes";
    }
  }
  EXPECT_THROW(load(folder / "none.npy"), RuntimeError);
  EXPECT_THROW(load(folder / "a.txt"), RuntimeError);
  EXPECT_THROW(load_gguf(folder / "none"), InvalidArgument);
}
