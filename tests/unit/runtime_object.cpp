// The loader of objects, on objects made by hand: the effect of each relocation, refused objects, and damaged ones.
#include <gtest/gtest.h>

#include <elf.h>

#include <cstring>
#include <random>

#include "runtime/load/object_loader.h"
#include "runtime/load/relocate.h"

namespace frit::runtime {
namespace {

// An ELF object of a few sections, written byte by byte.
class ObjectBuilder {
 public:
  struct Reloc {
    uint64_t offset;
    uint32_t type;
    size_t symbol;
    int64_t addend;
  };
  struct Section {
    uint32_t type;
    uint64_t flags, align;
    std::string bytes;
    std::vector<Reloc> relocations;
    uint64_t size;
  };

  uint16_t machine = EM_X86_64;

  // Indices count from 1; symbol 0 is the null symbol.
  size_t section(uint64_t flags, std::string bytes, uint64_t align = 16, uint32_t type = SHT_PROGBITS,
                 uint64_t size = 0) {
    sections.push_back({type, flags, align, bytes, {}, type == SHT_NOBITS ? size : bytes.size()});
    return sections.size();
  }
  size_t symbol(std::string name, size_t in, uint64_t value, uint8_t type = STT_NOTYPE) {
    symbols.push_back({std::move(name), static_cast<uint16_t>(in), value, type});
    return symbols.size();
  }
  void relocate(size_t in, uint64_t offset, uint32_t type, size_t symbol, int64_t addend) {
    sections[in - 1].relocations.push_back({offset, type, symbol, addend});
  }

  std::string build() const {
    std::string names(1, '\0'), table(sizeof(Elf64_Sym), '\0');
    for (const Symbol& s : symbols) {
      Elf64_Sym raw{};
      raw.st_name = static_cast<uint32_t>(names.size());
      raw.st_info = ELF64_ST_INFO(STB_GLOBAL, s.type);
      raw.st_shndx = s.section;
      raw.st_value = s.value;
      append(table, raw);
      names += s.name + '\0';
    }
    std::string file(sizeof(Elf64_Ehdr), '\0');
    std::vector<Elf64_Shdr> headers(1);
    auto add = [&](uint32_t type, uint64_t flags, uint64_t align, const std::string& bytes, uint64_t size,
                   uint32_t link = 0, uint32_t info = 0, uint64_t entry = 0) {
      file.resize((file.size() + 15) / 16 * 16);
      Elf64_Shdr h{};
      h.sh_type = type, h.sh_flags = flags, h.sh_addralign = align, h.sh_offset = file.size(), h.sh_size = size;
      h.sh_link = link, h.sh_info = info, h.sh_entsize = entry;
      headers.push_back(h);
      file += bytes;
    };
    for (const Section& s : sections) add(s.type, s.flags, s.align, s.bytes, s.size);
    const auto table_index = static_cast<uint32_t>(headers.size());
    add(SHT_SYMTAB, 0, 8, table, table.size(), table_index + 1, 1, sizeof(Elf64_Sym));
    add(SHT_STRTAB, 0, 1, names, names.size());
    for (size_t i = 0; i < sections.size(); ++i) {
      std::string bytes;
      for (const Reloc& r : sections[i].relocations)
        append(bytes, Elf64_Rela{r.offset, ELF64_R_INFO(uint64_t{r.symbol}, r.type), r.addend});
      if (!bytes.empty())
        add(SHT_RELA, 0, 8, bytes, bytes.size(), table_index, static_cast<uint32_t>(i + 1), sizeof(Elf64_Rela));
    }
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64, header.e_ident[EI_DATA] = ELFDATA2LSB,
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_REL, header.e_machine = machine, header.e_version = EV_CURRENT, header.e_ehsize = sizeof header;
    header.e_shentsize = sizeof(Elf64_Shdr), header.e_shnum = static_cast<uint16_t>(headers.size()),
    header.e_shoff = file.size();
    std::memcpy(file.data(), &header, sizeof header);
    for (const Elf64_Shdr& h : headers) append(file, h);
    return file;
  }

  std::vector<Section> sections;

 private:
  struct Symbol {
    std::string name;
    uint16_t section;
    uint64_t value;
    uint8_t type;
  };
  template <class T>
  static void append(std::string& to, const T& value) {
    to.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  std::vector<Symbol> symbols;
};

constexpr uint64_t kText = SHF_ALLOC | SHF_EXECINSTR, kConst = SHF_ALLOC, kData = SHF_ALLOC | SHF_WRITE;

std::string code(std::initializer_list<int> bytes) {
  std::string s;
  for (int b : bytes) s.push_back(static_cast<char>(b));
  return s;
}

TEST(Relocation, writes_what_arm_instructions_take) {
  auto apply = [](uint32_t type, uint32_t instruction, uint64_t place, uint64_t value) -> uint32_t {
    std::byte at[4];
    std::memcpy(at, &instruction, 4);
    const Relocation* r = find_relocation(EM_AARCH64, type);
    if (!r || !r->apply(at, place, value)) return 0;
    std::memcpy(&instruction, at, 4);
    return instruction;
  };
  EXPECT_EQ(apply(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0x1abc, 0x5678), 0x90000020u);  // adrp x0, #16384
  EXPECT_EQ(apply(R_AARCH64_ADR_PREL_PG_HI21, 0x90000003, 0x5678, 0x4abc), 0xf0ffffe3u);  // adrp x3, #-4096
  EXPECT_EQ(apply(R_AARCH64_ADR_PREL_PG_HI21, 0x90000000, 0, uint64_t{1} << 33), 0u);
  EXPECT_EQ(apply(R_AARCH64_ADD_ABS_LO12_NC, 0x91000000, 0, 0x5678), 0x9119e000u);     // add x0, x0, #1656
  EXPECT_EQ(apply(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0, 0x5678), 0xf9433c00u);  // ldr x0, [x0, #1656]
  EXPECT_EQ(apply(R_AARCH64_LDST64_ABS_LO12_NC, 0xf9400000, 0, 0x5674), 0u);
  EXPECT_EQ(apply(R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc00020, 0, 0x5670), 0x3dc19c20u);  // ldr q0, [x1, #1648]
  EXPECT_EQ(apply(R_AARCH64_CALL26, 0x94000000, 0x1000, 0x2000), 0x94000400u);          // bl #4096
  EXPECT_EQ(apply(R_AARCH64_JUMP26, 0x14000000, 0x2000, 0x1000), 0x17fffc00u);          // b #-4096
  EXPECT_EQ(apply(R_AARCH64_CALL26, 0x94000000, 0, uint64_t{1} << 28), 0u);
  EXPECT_EQ(apply(R_AARCH64_PREL32, 0, 0x2000, 0x1ff0), 0xfffffff0u);
  EXPECT_EQ(find_relocation(EM_AARCH64, R_AARCH64_TLSDESC_CALL), nullptr);

  std::byte stub[kStubBytes];
  ASSERT_TRUE(write_stub(EM_AARCH64, stub, 0x1000, 0x5678));
  const uint32_t expected[] = {0x90000030, 0xf9433e10, 0xd61f0200, 0xd503201f};
  EXPECT_EQ(std::memcmp(stub, expected, sizeof stub), 0);
}

#if defined(__x86_64__)

constexpr uint64_t kNumber = 0x1122334455667788;

// Kernels that reach their data in every way: relative, through a slot, through a pointer in data, by calling an
// external function.
struct Sample {
  ObjectBuilder object;
  size_t text, constants, data, zeros, number, memset;
  std::vector<ObjectCode::Entry> entries = {{"fill", "k_fill"},
                                            {"relative", "k_relative"},
                                            {"slot", "k_slot"},
                                            {"pointer", "k_pointer"},
                                            {"count", "k_count"}};

  Sample() {
    // memset(buffers[0], symbols[0], end)
    std::string body = code({0x48, 0x83, 0xec, 8, 0x48, 0x8b, 0x3f, 0x8b, 0x36, 0x48, 0x89,
                             0xca, 0xe8, 0,    0, 0,    0,    0x48, 0x83, 0xc4, 8,    0xc3});
    const size_t fill_call = 13;
    auto begin = [&] {
      body.resize((body.size() + 15) / 16 * 16, '\xcc');
      return body.size();
    };
    const std::string give = code({0x48, 0x8b, 0x17, 0x48, 0x89, 0x02, 0xc3});  // *buffers[0] = rax
    const std::string load = code({0x48, 0x8b, 0x05, 0, 0, 0, 0}), follow = code({0x48, 0x8b, 0x00});
    const size_t relative = begin();
    body += load + give;
    const size_t slot = begin();
    body += load + follow + give;
    const size_t pointer = begin();
    body += load + follow + give;
    const size_t count = begin();
    body += code({0x48, 0xff, 0x05, 0, 0, 0, 0}) + load + give;  // ++zeros

    text = object.section(kText, body);
    std::string numbers(16, '\0');
    std::memcpy(numbers.data() + 8, &kNumber, 8);
    constants = object.section(kConst, numbers, 64);
    data = object.section(kData, std::string(8, '\0'), 8);
    zeros = object.section(kData, "", 8, SHT_NOBITS, 8);
    for (auto [name, at] : {std::pair{"k_fill", size_t{0}},
                            {"k_relative", relative},
                            {"k_slot", slot},
                            {"k_pointer", pointer},
                            {"k_count", count}})
      object.symbol(name, text, at, STT_FUNC);
    number = object.symbol("number", constants, 8);
    const size_t in_data = object.symbol("", data, 0, STT_SECTION), in_zeros = object.symbol("", zeros, 0, STT_SECTION);
    memset = object.symbol("memset", SHN_UNDEF, 0);
    object.relocate(text, fill_call, R_X86_64_PLT32, memset, -4);
    object.relocate(text, relative + 3, R_X86_64_PC32, number, -4);
    object.relocate(text, slot + 3, R_X86_64_REX_GOTPCRELX, number, -4);
    object.relocate(text, pointer + 3, R_X86_64_PC32, in_data, -4);
    object.relocate(text, count + 3, R_X86_64_PC32, in_zeros, -4);
    object.relocate(text, count + 10, R_X86_64_PC32, in_zeros, -4);
    object.relocate(data, 0, R_X86_64_64, number, 0);
  }
  Result<std::shared_ptr<Code>> load() const { return load_object(object.build(), entries); }
};

int64_t run(Code& code, const std::string& kernel) {
  int64_t out = 0;
  void* buffers[] = {&out};
  (*code.entry(kernel))(buffers, nullptr, 0, 0, nullptr);
  return out;
}

TEST(ObjectLoader, relocates_code_constants_and_data) {
  auto loaded = Sample().load();
  ASSERT_TRUE(loaded.ok()) << loaded.error().str();
  Code& code = **loaded;
  for (const char* kernel : {"relative", "slot", "pointer"})
    EXPECT_EQ(run(code, kernel), static_cast<int64_t>(kNumber)) << kernel;
  EXPECT_EQ(run(code, "count"), 1);
  EXPECT_EQ(run(code, "count"), 2);
  auto second = Sample().load();
  EXPECT_EQ(run(**second, "count"), 1);  // data of its own
  std::string text(10, 'a');
  void* buffers[] = {text.data()};
  const int64_t symbols[] = {'b'};
  (*code.entry("fill"))(buffers, symbols, 0, 7, nullptr);
  EXPECT_EQ(text, "bbbbbbbaaa");
  EXPECT_FALSE(code.entry("missing").ok());
}

TEST(ObjectLoader, code_and_constants_cannot_be_written) {
  auto loaded = Sample().load();
  ASSERT_TRUE(loaded.ok());
  const auto address = reinterpret_cast<uint64_t>(*(*loaded)->entry("fill"));
  std::FILE* maps = std::fopen("/proc/self/maps", "r");
  ASSERT_NE(maps, nullptr);
  char line[512];
  bool found = false;
  while (std::fgets(line, sizeof line, maps)) {
    unsigned long long begin, end;
    char mode[5];
    ASSERT_EQ(std::sscanf(line, "%llx-%llx %4s", &begin, &end, mode), 3);
    if (address >= begin && address < end) {
      EXPECT_STREQ(mode, "r-xp");
      found = true;
    } else if (begin == address + 4096) {
      EXPECT_STREQ(mode, "r--p");
    }
  }
  std::fclose(maps);
  EXPECT_TRUE(found);
}

void expect_refused(const Sample& s, const std::string& why) {
  auto loaded = s.load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message.find(why), std::string::npos) << loaded.error().message;
}

TEST(ObjectLoader, refuses_what_it_does_not_know) {
  {
    Sample s;
    s.object.relocate(s.text, 0, R_X86_64_TPOFF32, s.number, 0);
    expect_refused(s, "relocation type 23 against 'number'");
  }
  {
    Sample s;
    s.object.relocate(s.text, 0, R_X86_64_PLT32, s.object.symbol("system", SHN_UNDEF, 0), -4);
    expect_refused(s, "needs 'system'");
  }
  {
    Sample s;
    s.object.relocate(s.text, 0, R_X86_64_32, s.number, 0);
    expect_refused(s, "R_X86_64_32 against 'number' does not reach");
  }
  {
    Sample s;
    s.object.relocate(s.text, s.object.sections[s.text - 1].bytes.size() - 3, R_X86_64_PC32, s.number, 0);
    expect_refused(s, "R_X86_64_PC32 lies outside of its section");
  }
  {
    Sample s;
    s.object.sections[s.text - 1].flags |= SHF_WRITE;
    expect_refused(s, "writable code");
  }
  {
    Sample s;
    s.object.sections[s.constants - 1].align = 1 << 16;
    expect_refused(s, "alignment 65536");
  }
  {
    Sample s;
    s.object.sections[s.zeros - 1].size = uint64_t{1} << 40;
    expect_refused(s, "1099511627776 bytes");
  }
  {
    Sample s;
    s.object.machine = EM_AARCH64;
    expect_refused(s, "another machine");
  }
  {
    Sample s;
    s.entries.push_back({"more", "number"});
    expect_refused(s, "'number' is not a function");
  }
  {
    Sample s;
    s.entries.push_back({"more", "nowhere"});
    expect_refused(s, "no function 'nowhere'");
  }
}

TEST(ObjectLoader, no_damage_crashes_it) {
  const Sample sample;
  const std::string good = sample.object.build();
  for (size_t size = 0; size < good.size(); ++size) {
    const std::string part(good, 0, size);  // a copy, so that the sanitizer sees a read past the end
    EXPECT_FALSE(load_object(part, sample.entries).ok()) << size;
  }
  size_t loaded = 0;
  std::string damaged = good;
  for (size_t i = 0; i < good.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      loaded += load_object(damaged, sample.entries).ok();
      damaged[i] = good[i];
    }
  EXPECT_GT(loaded, 0u);  // bits of code and of unused fields
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    damaged = good;
    for (unsigned n = 1 + random() % 8; n-- > 0;)
      damaged[random() % damaged.size()] = static_cast<char>(random() % 3 ? random() : random() % 2 ? 0xff : 0);
    (void)load_object(damaged, sample.entries).ok();
  }
}

#endif

}  // namespace
}  // namespace frit::runtime
