// The weights that native code is bound to.
#pragma once

#include <string>
#include <vector>

#include "codegen/core/native_weights.h"
#include "ir/graph/graph.h"

namespace frit::codegen {

// Whether every weight that the module names is among `weights`, with its parameter's type.
Status check_weights(const ir::Module& module, const runtime::NamedTensors& weights);

// The layout of a .safetensors file, with its tensors. Fails where an element does not lie at a multiple of its size.
Result<NativeWeights> weights_in_file(const std::string& path);

// A tensor that some function of a file is bound to.
struct CWeight {
  std::string tensor;
  const runtime::Tensor* data;
  size_t offset;  // in the file of weights
};

// The weights that the functions which share a header use, each once. Borrows the options.
class CWeights {
 public:
  CWeights(const NativeWeights& weights, const std::string& file_name);

  bool bound() const { return weights_.place != NativeWeights::Place::Arguments; }
  bool in_file() const { return weights_.place == NativeWeights::Place::File; }
  const std::string& header() const { return weights_.header; }
  size_t file_bytes() const { return weights_.file_bytes; }

  // C names: of the type that stands for an open file, and of the function that opens one.
  const std::string& type() const { return type_; }
  const std::string& open() const { return open_; }
  // "int NAME_open_weights(NAME_weights* weights, ...)", without the semicolon.
  std::string open_declaration() const;

  // The number of a tensor in `all`. Fails where it is not among the weights.
  Result<uint32_t> add(std::string_view tensor, const ir::Type& type);
  const std::vector<CWeight>& all() const { return all_; }

 private:
  const NativeWeights& weights_;
  std::string type_, open_;
  std::vector<CWeight> all_;
};

// Why a file of weights is refused, in the order in which it is checked.
struct OpenMessages {
  std::string null, misaligned, too_short, other;
};
OpenMessages open_messages(const CWeights& weights);
inline constexpr int64_t kWeightsAlignment = 8;

}  // namespace frit::codegen
