// Library steps as calls of functions of a C library.
#include "codegen/c/c_call.h"

#include "ir/routines/routine.h"
#include "passes/lower/routine.h"

namespace frit::codegen::c {

using namespace ir;
using passes::CCall;

namespace {

std::string factor(const std::string& s) { return s.find(' ') == std::string::npos ? s : "(" + s + ")"; }

class CallWriter {
 public:
  CallWriter(const Function& f, const CCall& call, Positions& positions, const std::string& variable, Helpers& helpers,
             const std::function<std::string(uint32_t, bool)>& pointer)
      : call_(call),
        count_(product(call.batch)),
        facts_(f.facts),
        positions_(positions),
        variable_(variable),
        helpers_(helpers),
        pointer_(pointer) {
    facts_.set_loop(variable, count_);
    positions.names[variable] = variable;
  }

  std::string run() {
    std::string call = std::string(call_.function) + "(";
    for (size_t i = 0; i < call_.arguments.size(); ++i) {
      // A line has at most kLine arguments.
      constexpr size_t kLine = 9;
      if (i) call += i % kLine ? ", " : ",\n                ";
      call += std::visit([&](const auto& argument) { return text(argument); }, call_.arguments[i]);
    }
    const std::string when =
        facts_.range(call_.elements).low > 0 ? "" : "if (" + factor(text(call_.elements)) + " > 0) ";
    std::string s = "  " + when + "{\n";
    if (is_complex(call_.dtype)) s += "    const float frit_one[2] = {1.0f, 0.0f}, frit_zero[2] = {0.0f, 0.0f};\n";
    if (!call_.batch.empty())
      s += "    for (int64_t " + variable_ + " = 0; " + variable_ + " < " + text(count_) + "; ++" + variable_ + ")\n  ";
    return s + "    " + call + ");\n  }\n";
  }

 private:
  std::string text(const Dim& d) { return positions_.text(d, facts_); }
  std::string text(const CCall::Constant& c) const { return std::string(c.name); }
  std::string text(const CCall::Size& s) {
    if (!s.at_least_one || facts_.range(s.value).low >= 1) return "(int)" + factor(text(s.value));
    return "(int)" + helpers_.need("frit_max_size") + "(" + text(s.value) + ", 1)";
  }
  std::string text(const CCall::Number& n) const {
    if (is_complex(call_.dtype)) return n.one ? "frit_one" : "frit_zero";
    return std::string(n.one ? "1.0" : "0.0") + (call_.dtype == float64 ? "" : "f");
  }
  std::string text(const CCall::Array& a) {
    const Layout& layout = a.window->layout;
    Dim offset = layout.offset, rest = Dim::symbol(variable_);
    for (size_t axis = call_.batch.size(); axis-- > 0;) {
      offset += (axis == 0 ? rest : mod(rest, call_.batch[axis])) * layout.strides[axis];
      rest = floor_div(rest, call_.batch[axis]);
    }
    offset = offset * Dim(is_complex(call_.dtype) ? 2 : 1);
    return pointer_(a.window->buffer, a.written) + (offset.is(0) ? "" : " + " + factor(text(offset)));
  }

  const CCall& call_;
  const Dim count_;
  DimFacts facts_;
  Positions& positions_;
  const std::string& variable_;
  Helpers& helpers_;
  const std::function<std::string(uint32_t, bool)>& pointer_;
};

}  // namespace

Result<CallText> c_call_text(const Function& f, const LibraryStep& step, Positions& positions,
                             const std::string& variable, Helpers& helpers,
                             const std::function<std::string(uint32_t, bool)>& pointer) {
  const auto call = passes::c_call(step, f.facts);
  if (!call.ok())
    return Diagnostic("function @" + f.name + ": cblas has no '" + std::string(step.routine->name) + "' of " +
                          std::string(short_name(step.dtypes[0])),
                      {}, "lower it with the traits own_routines and cblas_routines");
  return CallText{CallWriter(f, *call, positions, variable, helpers, pointer).run(), call->declarations};
}

}  // namespace frit::codegen::c
