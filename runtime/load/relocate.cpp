// The relocations of x86-64 and aarch64, and the stubs that calls go through.
#include "runtime/load/relocate.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <iterator>

namespace frit::runtime {

namespace {

using Names = Relocation::Names;
using Form = Relocation::Form;

constexpr Relocation kX86[] = {
    {"R_X86_64_NONE", R_X86_64_NONE, Names::Nothing, Form::None},
    {"R_X86_64_64", R_X86_64_64, Names::Symbol, Form::Word64},
    {"R_X86_64_PC32", R_X86_64_PC32, Names::Symbol, Form::Relative32},
    {"R_X86_64_PLT32", R_X86_64_PLT32, Names::Function, Form::Relative32},
    {"R_X86_64_GOTPCREL", R_X86_64_GOTPCREL, Names::Slot, Form::Relative32},
    {"R_X86_64_32", R_X86_64_32, Names::Symbol, Form::Word32},
    {"R_X86_64_32S", R_X86_64_32S, Names::Symbol, Form::Signed32},
    {"R_X86_64_PC64", R_X86_64_PC64, Names::Symbol, Form::Relative64},
    {"R_X86_64_GOTPCRELX", R_X86_64_GOTPCRELX, Names::Slot, Form::Relative32},
    {"R_X86_64_REX_GOTPCRELX", R_X86_64_REX_GOTPCRELX, Names::Slot, Form::Relative32},
};

constexpr Relocation kArm[] = {
    {"R_AARCH64_NONE", R_AARCH64_NONE, Names::Nothing, Form::None},
    {"R_AARCH64_ABS64", R_AARCH64_ABS64, Names::Symbol, Form::Word64},
    {"R_AARCH64_ABS32", R_AARCH64_ABS32, Names::Symbol, Form::Word32},
    {"R_AARCH64_PREL64", R_AARCH64_PREL64, Names::Symbol, Form::Relative64},
    {"R_AARCH64_PREL32", R_AARCH64_PREL32, Names::Symbol, Form::Relative32},
    {"R_AARCH64_ADR_PREL_PG_HI21", R_AARCH64_ADR_PREL_PG_HI21, Names::Symbol, Form::Page21},
    {"R_AARCH64_ADD_ABS_LO12_NC", R_AARCH64_ADD_ABS_LO12_NC, Names::Symbol, Form::Low12},
    {"R_AARCH64_LDST8_ABS_LO12_NC", R_AARCH64_LDST8_ABS_LO12_NC, Names::Symbol, Form::Low12Scaled, 0},
    {"R_AARCH64_LDST16_ABS_LO12_NC", R_AARCH64_LDST16_ABS_LO12_NC, Names::Symbol, Form::Low12Scaled, 1},
    {"R_AARCH64_LDST32_ABS_LO12_NC", R_AARCH64_LDST32_ABS_LO12_NC, Names::Symbol, Form::Low12Scaled, 2},
    {"R_AARCH64_LDST64_ABS_LO12_NC", R_AARCH64_LDST64_ABS_LO12_NC, Names::Symbol, Form::Low12Scaled, 3},
    {"R_AARCH64_LDST128_ABS_LO12_NC", R_AARCH64_LDST128_ABS_LO12_NC, Names::Symbol, Form::Low12Scaled, 4},
    {"R_AARCH64_JUMP26", R_AARCH64_JUMP26, Names::Function, Form::Branch26},
    {"R_AARCH64_CALL26", R_AARCH64_CALL26, Names::Function, Form::Branch26},
    {"R_AARCH64_ADR_GOT_PAGE", R_AARCH64_ADR_GOT_PAGE, Names::Slot, Form::Page21},
    {"R_AARCH64_LD64_GOT_LO12_NC", R_AARCH64_LD64_GOT_LO12_NC, Names::Slot, Form::Low12Scaled, 3},
};

template <class T>
void store(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

bool fits(int64_t value, int bits) { return value >= -(int64_t{1} << (bits - 1)) && value < int64_t{1} << (bits - 1); }

// Replaces the bits of `mask` in the instruction at `at`.
void patch(std::byte* at, uint32_t mask, uint32_t bits) {
  uint32_t instruction;
  std::memcpy(&instruction, at, sizeof instruction);
  store(at, (instruction & ~mask) | (bits & mask));
}

}  // namespace

size_t Relocation::width() const {
  switch (form) {
    case Form::None: return 0;
    case Form::Word64:
    case Form::Relative64: return 8;
    case Form::Word32:
    case Form::Signed32:
    case Form::Relative32:
    case Form::Page21:
    case Form::Low12:
    case Form::Low12Scaled:
    case Form::Branch26: return 4;
  }
  return 0;
}

bool Relocation::apply(std::byte* at, uint64_t place, uint64_t value) const {
  const auto distance = static_cast<int64_t>(value - place);
  const auto low = static_cast<uint32_t>(value & 0xfff);
  switch (form) {
    case Form::None: return true;
    case Form::Word64: store(at, value); return true;
    case Form::Relative64: store(at, distance); return true;
    case Form::Word32:
      if (value >> 32) return false;
      store(at, static_cast<uint32_t>(value));
      return true;
    case Form::Signed32:
      if (!fits(static_cast<int64_t>(value), 32)) return false;
      store(at, static_cast<uint32_t>(value));
      return true;
    case Form::Relative32:
      if (!fits(distance, 32)) return false;
      store(at, static_cast<uint32_t>(distance));
      return true;
    case Form::Page21: {
      // Both ends round down to pages of 4 KiB; the two lowest bits of the count stand apart from the others.
      const auto pages = static_cast<int64_t>((value & ~uint64_t{0xfff}) - (place & ~uint64_t{0xfff})) >> 12;
      if (!fits(pages, 21)) return false;
      const auto bits = static_cast<uint32_t>(pages);
      patch(at, 0x60ffffe0, (bits & 3) << 29 | ((bits >> 2) & 0x7ffff) << 5);
      return true;
    }
    case Form::Low12: patch(at, 0xfff << 10, low << 10); return true;
    case Form::Low12Scaled:
      if (low & ((1u << shift) - 1)) return false;
      patch(at, 0xfff << 10, (low >> shift) << 10);
      return true;
    case Form::Branch26:
      if ((distance & 3) || !fits(distance >> 2, 26)) return false;
      patch(at, 0x3ffffff, static_cast<uint32_t>(distance >> 2));
      return true;
  }
  return false;
}

const Relocation* find_relocation(uint16_t machine, uint32_t type) {
  auto find = [&](const auto& table) -> const Relocation* {
    auto found = std::find_if(std::begin(table), std::end(table), [&](const Relocation& r) { return r.type == type; });
    return found == std::end(table) ? nullptr : found;
  };
  return machine == EM_X86_64 ? find(kX86) : machine == EM_AARCH64 ? find(kArm) : nullptr;
}

bool write_stub(uint16_t machine, std::byte* at, uint64_t place, uint64_t slot) {
  if (machine == EM_X86_64) {
    std::memset(at, 0xcc, kStubBytes);
    at[0] = std::byte{0xff}, at[1] = std::byte{0x25};  // jmp *slot(%rip), which counts from behind itself
    return find_relocation(machine, R_X86_64_PC32)->apply(at + 2, place + 2, slot - 4);
  }
  const uint32_t code[] = {0x90000010,   // adrp x16, slot
                           0xf9400210,   // ldr x16, [x16, :lo12:slot]
                           0xd61f0200,   // br x16
                           0xd503201f};  // nop
  std::memcpy(at, code, sizeof code);
  return find_relocation(machine, R_AARCH64_ADR_GOT_PAGE)->apply(at, place, slot) &&
         find_relocation(machine, R_AARCH64_LD64_GOT_LO12_NC)->apply(at + 4, place + 4, slot);
}

}  // namespace frit::runtime
