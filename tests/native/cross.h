// Runs libraries for 64-bit Arm where an emulator, a C compiler for that machine and its C library are installed.
#pragma once

#include <string>
#include <vector>

#include "support.h"

namespace frit::test {

struct CrossCall {
  const ir::Function* planned;
  const codegen::CInterface* c;
  const Arguments* arguments;
};

// The reason why libraries for 64-bit Arm cannot run here; "" if they can.
std::string why_no_arm();

// One process for all calls, one list of results for each.
Result<std::vector<std::vector<ir::Tensor>>> run_on_arm(const Folder& folder, const std::string& library,
                                                        const std::vector<CrossCall>& calls);

}  // namespace frit::test
