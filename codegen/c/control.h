// Control flow among the steps of a C function: loops and conditions, and pointers that move.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "codegen/c/emitter.h"
#include "ir/kernel/program.h"

namespace frit::codegen::c {

class ControlWriter {
 public:
  // `fresh` gives names that nothing else has; `address` the bytes of a buffer that does not move.
  ControlWriter(const ir::Program& p, Positions& positions, const DimFacts& facts,
                const std::function<std::string(std::string_view)>& fresh,
                std::function<std::string(uint32_t buffer)> address);

  // The variable that points at a buffer that moves; "" for others.
  std::string variable(uint32_t buffer) const;
  // Declarations of counters and of pointers that move.
  std::string declarations() const;
  std::string statements(const ir::ControlStep& step);

 private:
  std::string bytes(uint32_t buffer) const;
  std::string indent() const { return std::string(2 * (open_.size() + 1), ' '); }
  std::string parts(uint32_t counter);

  const ir::Program& p_;
  Positions& positions_;
  const DimFacts& facts_;
  std::function<std::string(uint32_t)> address_;
  std::map<uint32_t, std::string> moving_;
  std::vector<std::string> counters_;
  std::vector<const ir::ControlStep*> open_;
};

}  // namespace frit::codegen::c
