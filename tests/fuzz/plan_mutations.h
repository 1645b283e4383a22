// Random edits of compiled programs: the plan, and the signature that calls are checked against.
#pragma once

#include <random>

#include "runtime/load/plan_file.h"
#include "runtime/load/signature.h"

namespace frit::test {

// Changes one thing of the plan or of the signature. The description of the code stays as it is.
void edit_plan(runtime::Image& image, runtime::Signature& signature, std::mt19937_64& random);

// Changes a byte of an image anywhere but in its machine code.
std::string edit_byte(std::string image, const runtime::Image& good, std::mt19937_64& random);

}  // namespace frit::test
