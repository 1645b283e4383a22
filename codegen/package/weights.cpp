// The weights that native code is bound to.
#include "codegen/package/weights.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "codegen/package/c_interface.h"
#include "runtime/files/safetensors.h"

namespace frit::codegen {

Status check_weights(const ir::Module& module, const runtime::NamedTensors& weights) {
  for (const auto& f : module.functions)
    for (size_t i = 0; i < f->params.size(); ++i) {
      const std::string_view name = f->weight(i);
      if (name.empty()) continue;
      const std::string who = "function @" + f->name + ": the weight '" + std::string(name) + "' of parameter '%" +
                              f->values[f->params[i]].name + "' ";
      const auto found = weights.find(name);
      if (found == weights.end()) return Diagnostic(who + "is not in the file of weights");
      const ir::Type& type = f->type(f->params[i]);
      bool same = found->second.dtype == type.dtype && found->second.shape.size() == type.shape.size();
      for (size_t axis = 0; same && axis < type.shape.size(); ++axis)
        same = type.shape[axis].is(found->second.shape[axis]);
      if (!same)
        return Diagnostic(who + "is " + runtime::type_text(found->second) + " in the file, but " + type.str() +
                          " in the function");
    }
  return {};
}

Result<NativeWeights> weights_in_file(const std::string& path) {
  FRIT_ASSIGN_OR_RETURN(file, runtime::MappedFile::open(path));
  NativeWeights w;
  w.place = NativeWeights::Place::File;
  FRIT_ASSIGN_OR_RETURN(tensors, runtime::read_safetensors(file));  // checks the header
  w.tensors = std::move(tensors);
  const std::string_view bytes = file->bytes();
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i) length = length << 8 | static_cast<unsigned char>(bytes[static_cast<size_t>(i)]);
  w.header = bytes.substr(0, 8 + length);
  w.file_bytes = w.header.size();
  const auto json = nlohmann::json::parse(w.header.begin() + 8, w.header.end(), nullptr, false);
  for (const auto& [name, t] : w.tensors) {
    const auto& place = json[name]["data_offsets"];
    const size_t begin = w.header.size() + place[0].get<size_t>(), end = w.header.size() + place[1].get<size_t>();
    const size_t unit = t.dtype == complex64 ? 4 : t.dtype.size();
    if (begin % unit != 0)
      return Diagnostic("'" + path + "': the elements of tensor '" + name + "' begin at byte " + std::to_string(begin) +
                            ", which is no multiple of their size " + std::to_string(unit),
                        {}, "write the file anew with frit, which aligns them, or bind the weights inside");
    w.offsets[name] = begin;
    w.file_bytes = std::max(w.file_bytes, end);
  }
  return w;
}

CWeights::CWeights(const NativeWeights& weights, const std::string& file_name)
    : weights_(weights),
      type_(c_identifier(file_name + "_weights")),
      open_(c_identifier(file_name + "_open_weights")) {}

std::string CWeights::open_declaration() const {
  return "int " + open_ + "(" + type_ + "* weights, const void* file, size_t bytes, const char** message)";
}

Result<uint32_t> CWeights::add(std::string_view tensor, const ir::Type& type) {
  for (uint32_t i = 0; i < all_.size(); ++i)
    if (all_[i].tensor == tensor) return i;
  const auto found = weights_.tensors.find(tensor);
  if (found == weights_.tensors.end() || found->second.dtype != type.dtype)
    return Diagnostic("the weights have no '" + std::string(tensor) + "' of type " + type.str());
  const auto offset = weights_.offsets.find(tensor);
  all_.push_back({found->first, &found->second, offset == weights_.offsets.end() ? 0 : offset->second});
  return static_cast<uint32_t>(all_.size() - 1);
}

OpenMessages open_messages(const CWeights& w) {
  const std::string who = w.open() + ": ";
  return {who + "'weights' or 'file' is null",
          who + "the file's bytes do not start at a multiple of " + std::to_string(kWeightsAlignment),
          who + "the file is cut short: it must have " + std::to_string(w.file_bytes()) + " bytes",
          who + "the file holds other tensors than the code was compiled for, or in other places"};
}

}  // namespace frit::codegen
