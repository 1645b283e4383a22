// Writes tensor maps field by field, as their layout in memory is the device's own.
#include "codegen/ptx/tensor_map.h"

namespace frit::codegen::ptx {

namespace {

void write_map(Writer& w, const TensorMap& map, const Value& place) {
  const auto field = [](const char* name, const char* type) {
    return std::string("tensormap.replace.tile.") + name + ".shared::cta.b1024." + type;
  };
  const Value to = at(place), one = w.u32("mov.u32", {"1"});
  w.op(field("global_address", "b64"), {to, map.address});
  w.op(field("rank", "b32"), {to, w.u32("mov.u32", {number(map.sizes.size() - 1)})});
  for (size_t axis = 0; axis < map.sizes.size(); ++axis) {
    w.op(field("box_dim", "b32"), {to, number(axis), w.u32("mov.u32", {number(map.box[axis])})});
    w.op(field("global_dim", "b32"), {to, number(axis), map.sizes[axis]});
    w.op(field("element_stride", "b32"), {to, number(axis), one});
    if (axis) w.op(field("global_stride", "b64"), {to, number(axis - 1), map.strides[axis - 1]});
  }
  constexpr const char* kFloat16 = "6";  // bits are copied as they are: bf16 too
  w.op(field("elemtype", "b32"), {to, kFloat16});
  w.op(field("interleave_layout", "b32"), {to, "0"});
  w.op(field("swizzle_mode", "b32"), {to, number(static_cast<uint64_t>(map.swizzle))});
  w.op(field("fill_mode", "b32"), {to, "0"});
}

}  // namespace

void write_maps(Writer& w, const std::vector<TensorMap>& maps, const Value& lane, uint32_t first, const Value& to) {
  const Value shared = w.u32("add.u32", {w.u32("mov.u32", {Writer::kShared}), number(first)});
  const Value zero = w.u32("mov.u32", {"0"}), own = w.u32("mad.lo.u32", {lane, "4", shared});
  for (size_t i = 0; i < maps.size(); ++i) w.op("st.shared.b32", {at(own, i * kTensorMapBytes), zero});
  w.op("bar.warp.sync", {"0xffffffff"});
  const Value written = w.label();
  w.jump_if(w.test("setp.ne.u32", {lane, "0"}), written);
  for (size_t i = 0; i < maps.size(); ++i)
    write_map(w, maps[i], w.u32("add.u32", {shared, number(i * kTensorMapBytes)}));
  w.place(written);
  w.op("bar.warp.sync", {"0xffffffff"});
  for (size_t i = 0; i < maps.size(); ++i) {
    const Value from = w.u32("add.u32", {shared, number(i * kTensorMapBytes)}),
                target = w.u64("add.u64", {to, number(i * kTensorMapBytes)});
    w.op("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned",
         {at(target), at(from), number(kTensorMapBytes)});
  }
}

}  // namespace frit::codegen::ptx
