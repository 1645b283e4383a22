// Facts about devices under the names that programs for MLX read.
#include "frontend/c/devices.h"

namespace frit::c {

DeviceFacts facts_of(Device device) {
  DeviceFacts facts = device_info(usable(device));
  const auto memory = facts.find("memory_size");
  const size_t bytes = memory == facts.end() ? get_memory_limit() : std::get<size_t>(memory->second);
  // Those that are there already stay.
  facts.emplace("memory_size", bytes);
  facts.emplace("max_recommended_working_set_size", bytes);
  facts.emplace("max_buffer_length", bytes);
  facts.emplace("architecture", std::string("unknown"));
  facts.emplace("device_name", std::string("unknown"));
  return facts;
}

}  // namespace frit::c
