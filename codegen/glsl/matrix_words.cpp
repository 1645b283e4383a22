// Rewrites cooperative matrices of NVIDIA's extension to those of the KHR one, instruction by instruction.
#include "codegen/glsl/matrix_words.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <vector>

namespace frit::codegen::glsl {
namespace {

using Words = std::vector<uint32_t>;

// Numbers of the SPIR-V registry.
enum Op : uint32_t {
  kExtension = 10,
  kCapability = 17,
  kTypeInt = 21,
  kTypeFloat = 22,
  kConstantTrue = 41,
  kConstantFalse = 42,
  kConstant = 43,
  kDecorate = 71,
  kTypeMatrix = 4456,
  kLoadMatrix = 4457,
  kStoreMatrix = 4458,
  kMultiplyAdd = 4459,
  kMatrixLength = 4460,
  kTypeMatrixNv = 5358,
  kLoadMatrixNv = 5359,
  kStoreMatrixNv = 5360,
  kMultiplyAddNv = 5361,
  kMatrixLengthNv = 5362
};
constexpr uint32_t kFloat16 = 9, kMatrixNv = 5357, kMatrixKhr = 6022, kBfloat16Type = 5116, kBfloat16Matrix = 5118;
constexpr uint32_t kSpecId = 1, kBfloat16Encoding = 0;

struct Instruction {
  uint32_t op;
  Words operands;
};

Words text_words(const char* text) {
  const size_t length = std::strlen(text);
  Words words(length / 4 + 1);
  std::memcpy(words.data(), text, length);
  return words;
}

class Rewriter {
 public:
  Rewriter(const std::string& spirv, MatrixType type) : bfloat16_(type == MatrixType::Bfloat16) {
    Words words(spirv.size() / 4);
    std::memcpy(words.data(), spirv.data(), words.size() * 4);
    head_.assign(words.begin(), words.begin() + 5);
    for (size_t i = 5; i < words.size(); i += words[i] >> 16)
      all_.push_back({words[i] & 0xffff, Words(words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                               words.begin() + static_cast<std::ptrdiff_t>(i + (words[i] >> 16)))});
    for (const Instruction& i : all_) note(i);
  }

  std::string run() {
    for (uint32_t& id : numbers_) id = head_[3]++;
    out_ = head_;
    for (Instruction& i : all_) rewrite(std::move(i));
    return std::string(reinterpret_cast<const char*>(out_.data()), out_.size() * 4);
  }

 private:
  void note(const Instruction& i) {
    if (i.op == kDecorate && i.operands[1] == kSpecId) special_[i.operands[0]] = i.operands[2];
    if (i.op == kTypeInt && i.operands[1] == 32 && i.operands[2] == 0) uint_ = i.operands[0];
    if (i.op == kConstantTrue) true_.insert(i.operands[1]);
  }

  void put(uint32_t op, const Words& operands) {
    out_.push_back(static_cast<uint32_t>(operands.size() + 1) << 16 | op);
    out_.insert(out_.end(), operands.begin(), operands.end());
  }

  // Rows side by side are layout 0, columns layout 1.
  uint32_t layout(uint32_t by_column) const { return numbers_[true_.count(by_column) ? 1 : 0]; }

  void rewrite(Instruction i) {
    Words& a = i.operands;
    switch (i.op) {
      case kCapability:
        if (a[0] == kFloat16 && bfloat16_) return;
        if (a[0] != kMatrixNv) break;
        put(kCapability, {kMatrixKhr});
        if (bfloat16_) put(kCapability, {kBfloat16Type}), put(kCapability, {kBfloat16Matrix});
        return;
      case kExtension:
        if (a != text_words("SPV_NV_cooperative_matrix")) break;
        put(kExtension, text_words("SPV_KHR_cooperative_matrix"));
        if (bfloat16_) put(kExtension, text_words("SPV_KHR_bfloat16"));
        return;
      case kTypeFloat:
        if (bfloat16_ && a[1] == 16) a.push_back(kBfloat16Encoding);
        break;
      case kTypeMatrixNv: {
        const uint32_t use = special_.at(a[3]) - kLeftMatrix;
        i.op = kTypeMatrix;
        a.push_back(numbers_[use]);
        break;
      }
      case kLoadMatrixNv: {
        Words moved{a[0], a[1], a[2], layout(a[4]), a[3]};
        moved.insert(moved.end(), a.begin() + 5, a.end());
        return put(kLoadMatrix, moved);
      }
      case kStoreMatrixNv: {
        Words moved{a[0], a[1], layout(a[3]), a[2]};
        moved.insert(moved.end(), a.begin() + 4, a.end());
        return put(kStoreMatrix, moved);
      }
      case kMultiplyAddNv: i.op = kMultiplyAdd; break;
      case kMatrixLengthNv: i.op = kMatrixLength; break;
      default: break;
    }
    put(i.op, a);
    if (i.op == kTypeInt && a[0] == uint_)
      for (uint32_t n = 0; n < numbers_.size(); ++n) put(kConstant, {uint_, numbers_[n], n});
  }

  const bool bfloat16_;
  Words head_, out_;
  std::vector<Instruction> all_;
  std::map<uint32_t, uint32_t> special_;  // constants to their numbers
  std::set<uint32_t> true_;
  uint32_t uint_ = 0;
  std::array<uint32_t, 3> numbers_{};  // the constants 0, 1 and 2
};

}  // namespace

std::string with_khr_matrices(const std::string& spirv, MatrixType type) { return Rewriter(spirv, type).run(); }

}  // namespace frit::codegen::glsl
