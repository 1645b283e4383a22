// Parts that all forms of PTX text share: shaders, tiles, and the times by which a launch chooses among them.
#pragma once

#include <map>
#include <mutex>
#include <span>

#include "codegen/glsl/form_numbers.h"
#include "codegen/glsl/products/product.h"
#include "codegen/ptx/product.h"

namespace frit::codegen::glsl {

// The device's multiprocessors, or those of an H100 where its driver does not tell.
inline int64_t processors_of(const runtime::GpuFeatures& device) { return device.processors ? device.processors : 132; }

// The one value of a key, made when it is first asked for. Values of one type share their keys.
template <class T, class Key, class Make>
const T& made_once(const Key& key, Make&& make) {
  static std::mutex mutex;
  static auto* const all = new std::map<Key, T>;
  const std::lock_guard lock(mutex);
  const auto found = all->find(key);
  return found != all->end() ? found->second : all->emplace(key, make()).first->second;
}

constexpr int64_t kPtxMostSize = int64_t{1} << 30;  // positions are counted in 32 bits

inline Dim past(const Dim& value, int64_t most) { return max(value - Dim(most), 0); }
inline void put_programs(std::vector<DimProgram>& to, std::initializer_list<Dim> values) {
  for (const Dim& d : values) to.push_back(form_program(d));
}

// How a result's tiles are computed: columns of each, and whether workgroups sum parts of k.
struct PtxTiles {
  uint32_t columns;
  bool split;
};
// In the order in which a launch tries them.
std::span<const PtxTiles> ptx_tiles();

// A product of sizes that a launch knows, on a device of so many multiprocessors.
class PtxWork {
 public:
  PtxWork(const Dim& matrices, const Dim& m, const Dim& n, const Dim& k, const runtime::GpuFeatures& device);

  const Dim m, n, k, matrices;

  // Steps of a part of k, and the number of parts.
  Dim part_steps(const PtxTiles& tiles) const;
  Dim parts(const PtxTiles& tiles) const;
  Dim groups(const PtxTiles& tiles) const { return min(count(tiles.columns) * parts(tiles), Dim(processors_)); }
  Dim maps_bytes() const { return Dim(processors_ * ptx::kProductMaps); }
  // Bytes of the sums of all parts, whose rows are `pitch` elements apart.
  Dim sums_bytes(const PtxTiles& tiles, const Dim& pitch) const { return parts(tiles) * matrices * m * pitch * Dim(4); }
  // Zero where these tiles take less time than others, and than so many hundredths of the time of a product's shader of
  // matrix units; `before` is the time, in nanoseconds, of work that they need first.
  std::vector<DimProgram> suited(const PtxTiles& tiles, const Dim& before, int64_t percent) const;
  // The least time of these tiles and of shaders of matrix units. Odd operands are copied first, or read by shaders in
  // shifted words.
  Dim least_time(bool odd) const;

 private:
  Dim count(int64_t columns) const;
  Dim time(const PtxTiles& tiles) const;
  Dim shader_time() const;

  const int64_t processors_;
};

// The time of a kernel that moves so many bytes ahead of a product.
Dim ptx_copy_time(const Dim& bytes);

// A trial of a product of small integers, without its result, and the elements of the result by rows.
struct ProductTrial {
  runtime::RoutineForm::Trial trial;
  std::vector<int> sums;
};
ProductTrial product_trial(int64_t m, int64_t n, int64_t k, bool a_columns, bool b_columns);

// Bytes per nanosecond of traffic between launches.
constexpr int64_t kPtxRate = 1500;

// The text of a product and the result of its trial, each made once. `trial` makes the latter, where it is given.
struct PtxText {
  ptx::Module product;
  runtime::RoutineForm::Trial trial;
};
const PtxText& ptx_text(const ptx::Product& product, runtime::RoutineForm::Trial (*trial)(const ptx::Product&));
// A trial's result, rounded to an element of 16 bits.
uint16_t ptx_bits(bool bfloat, float value);
std::string ptx_name(const PtxTiles& tiles);
Shader ptx_shader(const RoutineStep& s, const std::string& name, const ptx::Module& module, uint32_t windows,
                  runtime::RoutineForm form);

}  // namespace frit::codegen::glsl
