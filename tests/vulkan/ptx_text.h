// Runs the text of an elementwise PTX kernel on the CPU: the instructions that codegen/glsl/elements writes, one thread
// after the other, on the process's own memory. Any other instruction fails the test.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/frit/half.h"

namespace frit::ptx_text {

// A register by its number, or a constant.
struct Operand {
  int index = -1;
  uint64_t constant = 0;
};

struct Instruction {
  std::string name;
  int guard = -1;  // runs where this register is true
  std::vector<Operand> operands;
  std::vector<Operand> list;  // in braces
  bool list_first = false;    // before the other operands
  uint64_t offset = 0;        // of an address
  size_t target = 0;          // of a jump
};

inline float as_float(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
inline uint64_t as_bits(float v) { return std::bit_cast<uint32_t>(v); }

// Two numbers of 16 bits in a word.
inline float half_of(uint64_t word, bool high, bool bfloat) {
  const auto bits = static_cast<uint16_t>(high ? word >> 16 : word);
  return bfloat ? bfloat_bits_to_float(bits) : half_bits_to_float(bits);
}
inline uint64_t word_of(float low, float high, bool bfloat) {
  const auto bits = [&](float v) -> uint64_t { return bfloat ? float_to_bfloat_bits(v) : float_to_half_bits(v); };
  return bits(low) | bits(high) << 16;
}

class Kernel {
 public:
  explicit Kernel(const std::string& text) {
    std::istringstream lines(text);
    std::map<std::string, size_t> labels;
    std::vector<std::pair<size_t, std::string>> jumps;
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("L") && line.ends_with(":")) labels[line.substr(0, line.size() - 1)] = code_.size();
      if (!line.starts_with("  ") || line.starts_with("  .reg")) continue;
      std::string target;
      code_.push_back(read(line, target));
      if (!target.empty()) jumps.push_back({code_.size() - 1, target});
    }
    for (const auto& [at, label] : jumps) code_[at].target = labels.at(label);
  }

  void run(const std::vector<uint64_t>& arguments, uint32_t group, uint32_t threads) {
    for (uint32_t thread = 0; thread < threads; ++thread) {
      r_.assign(numbers_.size(), 0);
      if (const auto lane = numbers_.find("%tid.x"); lane != numbers_.end()) r_[at(lane)] = thread;
      if (const auto at_group = numbers_.find("%ctaid.x"); at_group != numbers_.end()) r_[at(at_group)] = group;
      for (size_t i = 0; i < arguments.size(); ++i)
        if (const auto p = numbers_.find("p" + std::to_string(i)); p != numbers_.end()) r_[at(p)] = arguments[i];
      for (size_t next = 0; next < code_.size();) {
        const Instruction& i = code_[next++];
        if (i.guard >= 0 && !r_[static_cast<size_t>(i.guard)]) continue;
        if (i.name == "ret") break;
        if (i.name == "bra")
          next = i.target;
        else
          step(i);
      }
    }
  }

 private:
  using Numbers = std::map<std::string, int>;
  static size_t at(Numbers::const_iterator i) { return static_cast<size_t>(i->second); }

  Operand operand(const std::string& text) {
    if (text.starts_with("0f")) return {-1, std::stoull(text.substr(2), nullptr, 16)};
    if (text[0] >= '0' && text[0] <= '9') return {-1, std::stoull(text, nullptr, 0)};
    return {numbers_.try_emplace(text, static_cast<int>(numbers_.size())).first->second, 0};
  }

  Instruction read(const std::string& line, std::string& target) {
    Instruction made;
    std::string text = line.substr(2, line.size() - 3);
    if (text[0] == '@') {
      const size_t end = text.find(' ');
      made.guard = operand(text.substr(1, end - 1)).index;
      text = text.substr(end + 1);
    }
    const size_t space = text.find(' ');
    made.name = text.substr(0, space);
    bool listed = false;
    std::istringstream parts(space == std::string::npos ? "" : text.substr(space + 1));
    for (std::string part; std::getline(parts, part, ',');) {
      part.erase(0, part.find_first_not_of(' '));
      if (made.name == "bra") return target = part, made;
      bool ends = false;
      if (part[0] == '{') listed = true, made.list_first = made.operands.empty(), part.erase(0, 1);
      if (part.back() == '}') ends = true, part.pop_back();
      if (part[0] == '[') {
        part = part.substr(1, part.size() - 2);
        if (const size_t plus = part.find('+'); plus != std::string::npos)
          made.offset = std::stoull(part.substr(plus + 1)), part.resize(plus);
      }
      (listed ? made.list : made.operands).push_back(operand(part));
      listed = listed && !ends;
    }
    return made;
  }

  uint64_t value(const Operand& o) const { return o.index < 0 ? o.constant : r_[static_cast<size_t>(o.index)]; }
  void set(const Operand& o, uint64_t v) { r_[static_cast<size_t>(o.index)] = v; }

  void step(const Instruction& i) {
    const std::string& n = i.name;
    if (n.starts_with("ld.global") || n.starts_with("st.global")) return access(i);
    const auto& o = i.operands;
    if (n == "ld.param.b64") return set(o[0], value(o[1]));
    if (n == "mov.b32" && !i.list.empty()) {
      if (!i.list_first) return set(o[0], value(i.list[0]) | value(i.list[1]) << 16);
      set(i.list[0], value(o[0]) & 0xffff), set(i.list[1], value(o[0]) >> 16 & 0xffff);
      return;
    }
    std::vector<uint64_t> v;
    for (size_t k = 1; k < o.size(); ++k) v.push_back(value(o[k]));
    std::optional<uint64_t> made = integers(n, v);
    if (!made) made = floats(n, v);
    if (!made) made = comparisons(n, v);
    ASSERT_TRUE(made) << "no such instruction: " << n;
    set(o[0], *made);
  }

  void access(const Instruction& i) {
    const bool load = i.name[0] == 'l', narrow = i.name.ends_with(".b16");
    const auto& all = i.list.empty() ? std::vector<Operand>{load ? i.operands[0] : i.operands[1]} : i.list;
    const Operand& address = i.operands[load && i.list.empty() ? 1 : 0];
    auto* memory = reinterpret_cast<char*>(value(address) + i.offset);
    const size_t bytes = narrow ? 2 : 4;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % (bytes * all.size()), 0u);
    for (const Operand& each : all) {
      uint64_t v = load ? 0 : value(each);
      load ? std::memcpy(&v, memory, bytes) : std::memcpy(memory, &v, bytes);
      if (load) set(each, v);
      memory += bytes;
    }
  }

  static std::optional<uint64_t> integers(const std::string& n, const std::vector<uint64_t>& v) {
    const auto low = [](uint64_t x) { return x & 0xffffffffu; };
    const auto sign = [](uint64_t x) { return static_cast<int64_t>(static_cast<int32_t>(x)); };
    if (n == "mov.u32" || n == "mov.b32" || n == "mov.b16" || n == "mov.f32" || n == "cvt.u32.u64") return low(v[0]);
    if (n == "mad.lo.u32") return low(v[0] * v[1] + v[2]);
    if (n == "mad.wide.u32") return v[0] * v[1] + v[2];
    if (n == "add.u32") return low(v[0] + v[1]);
    if (n == "sub.u32") return low(v[0] - v[1]);
    if (n == "mul.lo.u32") return low(v[0] * v[1]);
    if (n == "div.u32") return v[0] / v[1];
    if (n == "rem.u32") return v[0] % v[1];
    if (n == "and.b32" || n == "and.pred") return v[0] & v[1];
    if (n == "or.b32" || n == "or.pred") return v[0] | v[1];
    if (n == "xor.b32" || n == "xor.pred") return v[0] ^ v[1];
    if (n == "not.b32") return low(~v[0]);
    if (n == "not.pred") return v[0] ^ 1;
    if (n == "neg.s32") return low(0 - v[0]);
    if (n == "min.s32") return low(static_cast<uint64_t>(std::min(sign(v[0]), sign(v[1]))));
    if (n == "max.s32") return low(static_cast<uint64_t>(std::max(sign(v[0]), sign(v[1]))));
    if (n == "shl.b32") return low(v[1]) > 31 ? 0 : low(v[0] << low(v[1]));
    if (n == "shr.u32") return low(v[1]) > 31 ? 0 : v[0] >> low(v[1]);
    if (n == "shr.s32") return low(static_cast<uint64_t>(sign(v[0]) >> std::min<uint64_t>(low(v[1]), 31)));
    if (n == "prmt.b32" && v[2] == 0x7610) return (v[0] & 0xffff) | (v[1] & 0xffff0000u);
    if (n.starts_with("selp.")) return v[2] ? v[0] : v[1];
    return std::nullopt;
  }

  static std::optional<uint64_t> floats(const std::string& n, const std::vector<uint64_t>& v) {
    const auto x = [&](size_t i) { return as_float(v[i]); };
    const bool bfloat = n.find(".bf16x2") != std::string::npos;
    if (n == "cvt.rn.bf16x2.f32" || n == "cvt.rn.f16x2.f32") return word_of(x(1), x(0), bfloat);
    if (bfloat || n.find(".f16x2") != std::string::npos) {
      const auto sum = [&](bool high) {
        const float a = half_of(v[0], high, bfloat), b = half_of(v[1], high, bfloat);
        return n[0] == 'a' ? a + b : n[0] == 's' ? a - b : a * b;
      };
      return word_of(sum(false), sum(true), bfloat);
    }
    if (n == "cvt.f32.f16") return as_bits(half_bits_to_float(static_cast<uint16_t>(v[0])));
    if (n == "add.rn.f32") return as_bits(x(0) + x(1));
    if (n == "sub.rn.f32") return as_bits(x(0) - x(1));
    if (n == "mul.rn.f32") return as_bits(x(0) * x(1));
    if (n == "div.rn.f32") return as_bits(x(0) / x(1));
    if (n == "rcp.approx.ftz.f32") return as_bits(1.0f / x(0));
    if (n == "fma.rn.f32") return as_bits(std::fma(x(0), x(1), x(2)));
    if (n == "sqrt.rn.f32") return as_bits(std::sqrt(x(0)));
    if (n == "neg.f32") return v[0] ^ 0x80000000u;
    if (n == "abs.f32") return v[0] & 0x7fffffffu;
    if (n == "cvt.rmi.f32.f32") return as_bits(std::floor(x(0)));
    if (n == "cvt.rpi.f32.f32") return as_bits(std::ceil(x(0)));
    if (n == "cvt.rzi.f32.f32") return as_bits(std::trunc(x(0)));
    if (n == "cvt.rni.f32.f32") return as_bits(std::nearbyint(x(0)));
    if (n == "cvt.rn.f32.s32") return as_bits(static_cast<float>(static_cast<int32_t>(v[0])));
    if (n == "cvt.rn.f32.u32") return as_bits(static_cast<float>(static_cast<uint32_t>(v[0])));
    if (n == "cvt.rzi.s32.f32") {
      const double d = std::isnan(x(0)) ? 0 : std::fmin(std::fmax(x(0), -2147483648.0), 2147483647.0);
      return static_cast<uint32_t>(static_cast<int32_t>(d));
    }
    return std::nullopt;
  }

  static std::optional<uint64_t> comparisons(const std::string& n, const std::vector<uint64_t>& v) {
    if (!n.starts_with("setp.")) return std::nullopt;
    const std::string how = n.substr(5, n.find('.', 5) - 5);
    const auto compare = [&](auto x, auto y) -> std::optional<uint64_t> {
      if (how == "eq") return x == y;
      if (how == "ne" || how == "neu") return x != y;
      if (how == "lt") return x < y;
      if (how == "le") return x <= y;
      if (how == "gt") return x > y;
      if (how == "ge") return x >= y;
      if (how == "nan") return x != x || y != y;
      return std::nullopt;
    };
    if (n.ends_with(".u32")) return compare(static_cast<uint32_t>(v[0]), static_cast<uint32_t>(v[1]));
    if (n.ends_with(".s32")) return compare(static_cast<int32_t>(v[0]), static_cast<int32_t>(v[1]));
    const std::optional<uint64_t> first = compare(as_float(v[0]), as_float(v[1]));
    return n.find(".or.") != std::string::npos && first ? *first | v[2] : first;
  }

  std::vector<Instruction> code_;
  Numbers numbers_;
  std::vector<uint64_t> r_;
};

}  // namespace frit::ptx_text
