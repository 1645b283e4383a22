// Sizes and positions as GLSL integers: 32 bits where the facts show that they are enough or the device has no others,
// else 64.
//
// Sums and products are right modulo 2^32 whatever their parts are, so a position that fits is computed in 32 bits even
// if a part of it does not fit. An operand of a division or a comparison must fit itself.
#include <limits>

#include "codegen/glsl/emitter.h"

namespace frit::codegen::glsl {

namespace {

constexpr int64_t kMost = std::numeric_limits<int32_t>::max();

std::string number(int64_t v, bool wide) {
  if (!wide)
    return v == std::numeric_limits<int32_t>::min() ? "(-2147483647 - 1)" : std::to_string(static_cast<int32_t>(v));
  if (v == std::numeric_limits<int64_t>::min()) return "(-9223372036854775807L - 1L)";
  return std::to_string(v) + "L";
}

}  // namespace

// Whether `d` and everything that is divided or compared in it fits into an int.
bool KernelEmitter::narrow(const Dim& d) const {
  // Where the device has no 64-bit integers, a launch makes sure that sizes are small enough.
  if (!features_.int64) return true;
  DimRange r = facts_.range(d);
  if (r.low < -kMost || r.high > kMost) return false;
  return true;
}

std::string KernelEmitter::dim(const Dim& d, bool wide) {
  if (d.is_const()) return number(d.value(), wide);
  std::string sum;
  for (const DimTerm& t : d.poly()->terms) {
    std::string text = term(t, wide);
    if (sum.empty())
      sum = text;
    else if (text[0] == '-')
      sum += " - " + text.substr(1);
    else
      sum += " + " + text;
  }
  int64_t c = d.poly()->constant;
  if (c > 0) sum += " + " + number(c, wide);
  if (c < 0) sum += " - " + (c == std::numeric_limits<int64_t>::min() ? "(" + number(c, wide) + ")" : number(-c, wide));
  return d.poly()->terms.size() + (c != 0) > 1 ? "(" + sum + ")" : sum;
}

std::string KernelEmitter::term(const DimTerm& t, bool wide) {
  std::string text;
  if (t.coefficient == -1)
    text = "-";
  else if (t.coefficient != 1)
    text = number(t.coefficient, wide) + " * ";
  for (size_t i = 0; i < t.atoms.size(); ++i) text += (i ? " * " : "") + atom(*t.atoms[i], wide);
  return text;
}

std::string KernelEmitter::atom(const Atom& a, bool wide) {
  switch (a.kind) {
    case AtomKind::Symbol: {
      auto found = names_.find(a.name);
      if (found == names_.end()) {
        fail("a size uses '" + a.name + "', which is not in scope");
        return "0";
      }
      if (found->second.wide == wide) return found->second.text;
      return index_type(wide) + "(" + found->second.text + ")";
    }
    case AtomKind::FloorDiv:
    case AtomKind::Mod: return divide(a, wide);
    case AtomKind::Min:
    case AtomKind::Max: {
      bool both = narrow(a.args[0]) && narrow(a.args[1]);
      std::string text = std::string(a.kind == AtomKind::Min ? "min(" : "max(") + dim(a.args[0], !both) + ", " +
                         dim(a.args[1], !both) + ")";
      return both == !wide ? text : index_type(wide) + "(" + text + ")";
    }
  }
  return "0";
}

std::string KernelEmitter::divide(const Atom& a, bool wide) {
  const bool small = narrow(a.args[0]) && narrow(a.args[1]);
  std::string x = dim(a.args[0], !small), y = dim(a.args[1], !small), text;
  const bool rest = a.kind == AtomKind::Mod;
  if (facts_.range(a.args[0]).low >= 0) {
    const std::string type = small ? "uint" : "uint64_t";
    if (small)
      text = type + "(" + x + ")" + (rest ? " % " : " / ") + type + "(" + y + ")";
    else
      text = prelude_.use(rest ? "rest_u64" : "quotient_u64") + "(" + type + "(" + x + "), " + type + "(" + y + "))";
    return index_type(wide) + "(" + text + ")";
  }
  text = prelude_.use(std::string(rest ? "floor_mod_" : "floor_div_") + (small ? "i32" : "i64")) + "(" + x + ", " + y +
         ")";
  return small == !wide ? text : index_type(wide) + "(" + text + ")";
}

// In bounds wherever it is used, so that it is below the buffer's size.
KernelEmitter::Place KernelEmitter::position(uint32_t buffer, const Dim& index) {
  const bool wide = facts_.range(k_.buffer(buffer).size).high > kMost && !narrow(index);
  return {dim(index, wide), wide};
}

}  // namespace frit::codegen::glsl
