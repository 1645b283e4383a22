// The printer of programs.
#include "ir/routines/routine.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/text.h"

namespace frit::ir {

namespace {

std::string buffer_name(const Program& p, uint32_t buffer) {
  return buffer < p.buffers.size() ? "%" + name_text(p.buffers[buffer].name) : "%?";
}

std::string_view role_text(BufferRole role) {
  switch (role) {
    case BufferRole::Input: return "input";
    case BufferRole::Output: return "output";
    case BufferRole::Temp: return "temp";
    case BufferRole::Constant: return "constant";
    case BufferRole::Part: return "part";
  }
  return "?";
}

std::string_view kind_text(AttrKind kind) {
  switch (kind) {
    case AttrKind::Bool: return "bool";
    case AttrKind::Int: return "int";
    case AttrKind::Float: return "float";
    case AttrKind::Dtype: return "dtype";
    case AttrKind::String: return "string";
    case AttrKind::Ints: return "ints";
    case AttrKind::Literal: return "literal";
    case AttrKind::Region: break;  // routines have none
  }
  return "?";
}

std::string text(const Program& p, const ProgramBuffer& b) {
  std::string t = "buffer %" + name_text(b.name) + ": " + std::string(short_name(b.dtype)) + "[" + b.size.str() + "] ";
  t += role_text(b.role);
  if (b.param != kNone) t += " " + std::to_string(b.param);
  if (b.role == BufferRole::Part)
    t += " of " + buffer_name(p, b.whole) + " at " + b.at.str() + " in " +
         (b.counter < p.counters.size() ? p.counters[b.counter] : std::string("?"));
  if (b.slot != kNone) t += " slot " + std::to_string(b.slot);
  if (b.role == BufferRole::Temp && b.whole != kNone) t += " in " + buffer_name(p, b.whole);
  if (b.role == BufferRole::Temp && !b.at.is(0)) t += " at " + b.at.str();
  if (b.donor != kNone) t += " donor " + buffer_name(p, b.donor);
  if (b.role == BufferRole::Constant) {
    Shape shape{Dim(static_cast<int64_t>(b.data.count()))};
    t += " " + literal_text(b.data, shape);
  }
  return t;
}

std::string text(const Program& p, const KernelStep& s) {
  std::string t = "@" + (s.kernel < p.kernels.size() ? name_text(p.kernels[s.kernel].name) : std::string("?")) + "(";
  for (size_t i = 0; i < s.buffers.size(); ++i) t += (i ? ", " : "") + buffer_name(p, s.buffers[i]);
  for (size_t i = 0; i < s.sizes.size(); ++i) t += (i ? ", " : "; ") + s.sizes[i].str();
  return t + ")";
}

// A step has no row that gives the kinds of its attributes, so the text gives them.
std::string text(const AttrMap& attrs) {
  std::string t;
  for (const AttrMap::Entry& e : attrs) {
    t += (t.empty() ? " {" : ", ") + e.first + ": " + std::string(kind_text(kind_of(e.second))) + " = ";
    if (const auto* literal = std::get_if<Literal>(&e.second)) {
      Shape shape{Dim(static_cast<int64_t>(literal->count()))};
      t += std::string(short_name(literal->dtype())) + "[" + shape[0].str() + "] " + literal_text(*literal, shape);
    } else {
      t += attr_text(e.second);
    }
  }
  return t.empty() ? t : t + "}";
}

std::string text(const Program& p, const LibraryStep& s) {
  std::string t = "library " + quoted(std::string(s.routine->name)) + "(";
  auto dtype = [&](size_t i) { return i < s.dtypes.size() ? s.dtypes[i] : float32; };
  for (size_t i = 0; i < s.operands.size(); ++i) t += (i ? ", " : "") + window_text(p, s.operands[i], dtype(i));
  t += ") -> (";
  for (size_t i = 0; i < s.results.size(); ++i)
    t += (i ? ", " : "") + window_text(p, s.results[i], dtype(s.operands.size() + i));
  t += ")" + text(s.attrs);
  if (s.workspace != kNone) t += " workspace " + buffer_name(p, s.workspace);
  if (s.epilogue) t += " epilogue " + text(p, *s.epilogue);
  return t;
}

}  // namespace

std::string step_text(const Program& p, const ControlStep& s) {
  switch (s.kind) {
    case ControlKind::Repeat:
      return "repeat " + (s.counter < p.counters.size() ? p.counters[s.counter] : std::string("?")) + " < " +
             s.count.str() + " {";
    case ControlKind::Loop: return "loop {";
    case ControlKind::Leave: return "leave unless " + buffer_name(p, s.flag);
    case ControlKind::If: return "if " + buffer_name(p, s.flag) + " {";
    case ControlKind::Else: return "} else {";
    case ControlKind::End: break;
  }
  std::string t = "}";
  for (const auto& [a, b] : s.swaps) t += " swap(" + buffer_name(p, a) + ", " + buffer_name(p, b) + ")";
  return t;
}

std::string window_text(const Program& p, const Window& w, Dtype dtype) {
  std::string t = buffer_name(p, w.buffer) + ": " + std::string(short_name(dtype)) + shape_text(w.layout.shape);
  if (w.layout.strides != row_major_strides(w.layout.shape)) t += " strides " + shape_text(w.layout.strides);
  if (!w.layout.offset.is(0)) t += " offset " + w.layout.offset.str();
  return t;
}

std::string print(const Program& p, std::string_view name, const KernelPrintOptions& options) {
  std::string out;
  auto line = [&](int indent, const std::string& t) {
    out.append(static_cast<size_t>(options.indent + indent), ' ').append(t).append("\n");
  };
  std::string head = "program @" + name_text(name) + "(";
  for (size_t i = 0; i < p.symbols.size(); ++i) head += (i ? ", " : "") + p.symbols[i];
  for (size_t i = 0; i < p.counters.size(); ++i) head += (i ? ", " : "; ") + p.counters[i];
  line(0, head + ") {");
  for (const ProgramBuffer& b : p.buffers) line(2, text(p, b));
  for (const Dim& bytes : p.slots) line(2, "slot " + bytes.str());
  int indent = 2;
  for (const Step& step : p.steps) {
    if (const auto* launch = std::get_if<KernelStep>(&step)) {
      line(indent, "launch " + text(p, *launch));
    } else if (const auto* library = std::get_if<LibraryStep>(&step)) {
      line(indent, text(p, *library));
    } else {
      const auto& control = std::get<ControlStep>(step);
      const bool closes = control.kind == ControlKind::Else || control.kind == ControlKind::End;
      if (closes && indent > 2) indent -= 2;
      line(indent, step_text(p, control));
      if (control.kind != ControlKind::Leave && control.kind != ControlKind::End) indent += 2;
    }
  }
  std::string results = "return";
  for (size_t i = 0; i < p.results.size(); ++i)
    results +=
        (i ? ", " : " ") + window_text(p, p.results[i], i < p.result_types.size() ? p.result_types[i].dtype : float32);
  line(2, results);
  KernelPrintOptions inner = options;
  inner.indent += 2;
  for (const Kernel& k : p.kernels) out += print(k, inner);
  line(0, "}");
  return out;
}

}  // namespace frit::ir
