// The text of a failing case.
#include "support/shrink.h"

#include <algorithm>

#include "ir/text/printer.h"
#include "support/values.h"

namespace frit::test {

using namespace ir;

std::string case_text(const Case& c) {
  std::string text = print(c.function);
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    const Tensor& t = c.inputs[i];
    text += c.function.values[c.function.params[i]].name + " = " +
            Type{t.dtype, Shape(t.shape.begin(), t.shape.end())}.str();
    for (int64_t k = 0; k < std::min<int64_t>(t.size(), 12); ++k)
      text += (k ? ", " : ": ") + element_text(t.dtype, t.bits(k));
    text += t.size() > 12 ? ", ...\n" : "\n";
  }
  return text;
}

}  // namespace frit::test
