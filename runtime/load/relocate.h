// Relocations of 64-bit ELF objects, as the processor supplements of the System V ABI define them: those that
// position-independent code of the small code model uses, for x86-64 and AArch64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace frit::runtime {

struct Relocation {
  // The source of the value that is written.
  enum class Names : uint8_t {
    Nothing,   // nothing is written
    Symbol,    // the symbol itself
    Function,  // the symbol, or a stub that jumps to it when it lies elsewhere
    Slot,      // a slot of the global offset table that holds the symbol's address
  };
  enum class Form : uint8_t {
    None,
    Word64,
    Word32,
    Signed32,
    Relative64,
    Relative32,
    Page21,
    Low12,
    Low12Scaled,
    Branch26
  };

  const char* name;
  uint32_t type;
  Names names;
  Form form;
  uint8_t shift = 0;  // Low12Scaled: the address is counted in units of 2^shift

  size_t width() const;  // bytes that are written
  // Writes `value` (of the symbol, stub or slot, with the addend) at `at`, whose address at run time is `place`. False
  // when it does not fit.
  bool apply(std::byte* at, uint64_t place, uint64_t value) const;
};

// Null for one that is not known. `machine` is EM_X86_64 or EM_AARCH64.
const Relocation* find_relocation(uint16_t machine, uint32_t type);

// How a stub that jumps to the address in a slot is written.
inline constexpr size_t kStubBytes = 16;
bool write_stub(uint16_t machine, std::byte* at, uint64_t place, uint64_t slot);

}  // namespace frit::runtime
