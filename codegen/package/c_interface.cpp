// Decides the parameters, the checks and the workspace of a C function.
#include "codegen/package/c_interface.h"

#include <algorithm>
#include <limits>
#include <set>

#include "ir/base/dim_atoms.h"
#include "ir/text/printer.h"
#include "passes/lower/routine.h"

namespace frit::codegen {
namespace {

// The C type of an element in an array that callers pass.
std::string_view element_type(Dtype t) {
  switch (t.val()) {
    case Dtype::Val::bool_:
    case Dtype::Val::uint8: return "uint8_t";
    case Dtype::Val::uint16:
    case Dtype::Val::float16:
    case Dtype::Val::bfloat16: return "uint16_t";
    case Dtype::Val::uint32: return "uint32_t";
    case Dtype::Val::uint64: return "uint64_t";
    case Dtype::Val::int8: return "int8_t";
    case Dtype::Val::int16: return "int16_t";
    case Dtype::Val::int32: return "int32_t";
    case Dtype::Val::int64: return "int64_t";
    case Dtype::Val::float32:
    case Dtype::Val::complex64: return "float";
    case Dtype::Val::float64: return "double";
  }
  return "void";
}

// The meaning of elements that the type of the array does not show.
std::string_view representation(Dtype t) {
  if (t == bool_) return "a byte each: false is 0, true anything else, written as 1";
  if (t == float16) return "the bits of an IEEE binary16 number each";
  if (t == bfloat16) return "the bits of a bfloat16 number each: the upper half of an IEEE binary32 one";
  if (t == complex64) return "two floats each: the real and the imaginary part";
  return {};
}

Dim rounded_up(const Dim& bytes) {
  return floor_div(bytes + Dim(kWorkspaceAlignment - 1), Dim(kWorkspaceAlignment)) * Dim(kWorkspaceAlignment);
}

// An expression that is nowhere smaller than any part of the computation of `d`: where it fits an i64, so does all of
// that.
Dim magnitude(const Dim& d, const DimFacts& facts) {
  if (d.is_const()) return d.value() < 0 ? Dim(-d.value()) : d;
  Dim sum = d.poly()->constant < 0 ? -d.poly()->constant : d.poly()->constant;
  for (const DimTerm& t : d.poly()->terms) {
    Dim p = t.coefficient < 0 ? -t.coefficient : t.coefficient;
    for (const auto& atom : t.atoms) {
      const Dim self = to_dim(atom);
      const DimRange range = facts.range(self);
      if (atom->kind == AtomKind::Symbol) {
        p = p * (range.low >= 0 ? self : max(self, -self));
        continue;
      }
      Dim a = magnitude(atom->args[0], facts), b = magnitude(atom->args[1], facts);
      const bool positive = facts.range(atom->args[0]).low >= 0 && facts.range(atom->args[1]).low >= 0;
      if (atom->kind == AtomKind::Min && positive)
        p = p * min(a, b);
      else if (atom->kind == AtomKind::FloorDiv && positive)
        p = p * a;
      else if (atom->kind == AtomKind::Mod)
        p = p * b;
      else
        p = p * max(a, b);
    }
    sum += p;
  }
  return sum;
}

class Maker {
 public:
  Maker(const ir::Function& f, std::string name, CWeights* weights)
      : f_(f), p_(*f.program), weights_(weights && weights->bound() ? weights : nullptr) {
    c_.name = std::move(name);
  }

  Result<CInterface> run() {
    c_.signature = ir::signature_text(f_);
    c_.symbols = p_.symbols;
    taken_ = {c_.name, c_.workspace_name(), "workspace", "message", "why",
              "code"};  // the last two are an emitter's own
    FRIT_TRY(make_params());
    lay_out_workspace();
    make_checks();
    for (uint32_t i = 0; i < c_.params.size(); ++i)
      if (c_.params[i].kind == CParam::Kind::Input || c_.params[i].kind == CParam::Kind::Output)
        c_.null_checks.push_back({i, says("'" + c_.params[i].name + "' is null")});
    if (weights_) c_.no_weights = says("no weights are open; call " + weights_->open() + " first");
    c_.no_workspace = says("the workspace is null; " + c_.workspace_name() + " gives the bytes that it needs");
    c_.misaligned_workspace =
        says("the workspace does not start at a multiple of " + std::to_string(kWorkspaceAlignment) + " bytes");
    describe();
    return std::move(c_);
  }

 private:
  std::string says(const std::string& what) const { return c_.name + ": " + what; }

  // Names that C allows are reserved first, so that no changed name takes one of them.
  void reserve(std::string_view wish) {
    if (c_identifier(wish) == wish && !taken_.count(std::string(wish))) kept_.emplace(wish);
  }
  std::string fresh(std::string_view wish) {
    const std::string base = c_identifier(wish);
    std::string name = base;
    const bool own = base == wish && kept_.erase(base);
    for (int n = 2; (!own && kept_.count(name)) || !taken_.insert(name).second; ++n)
      name = base + "_" + std::to_string(n);
    return name;
  }

  Dim simplified(const Dim& d) const { return f_.facts.simplify(d); }

  Status make_params() {
    c_.buffers.resize(p_.buffers.size());
    for (uint32_t i = 0; i < f_.params.size(); ++i)
      if (!is_bound(i)) reserve(f_.values[f_.params[i]].name);
    std::vector<CBuffer> places;  // of the function's parameters
    bool opens = false;           // some weight is in a file
    for (uint32_t i = 0; i < f_.params.size(); ++i) {
      const ir::Value& v = f_.values[f_.params[i]];
      const Dtype t = v.type.dtype;
      if (is_bound(i)) {
        FRIT_ASSIGN_OR_RETURN(weight, bound_weight(i));
        places.push_back({CBuffer::Kind::Weight, 0, 0, weight});
        opens |= weights_->in_file();
        continue;
      }
      places.push_back({CBuffer::Kind::Param, static_cast<uint32_t>(c_.params.size()), 0});
      c_.params.push_back(
          {CParam::Kind::Input, i, fresh(v.name), "const " + std::string(element_type(t)) + "*", t, v.type.size()});
    }
    for (uint32_t b = 0; b < p_.buffers.size(); ++b) {
      const ir::ProgramBuffer& buffer = p_.buffers[b];
      if (buffer.role == ir::BufferRole::Constant) c_.buffers[b].kind = CBuffer::Kind::Constant;
      if (buffer.role != ir::BufferRole::Input) continue;
      c_.buffers[b] = places[buffer.param];
      if (c_.buffers[b].kind == CBuffer::Kind::Param)
        c_.params[c_.buffers[b].param].elements = buffer.size;  // with strides it may span more than its elements
    }
    FRIT_TRY(make_outputs());
    first_symbol_ = c_.params.size();
    for (uint32_t s = 0; s < p_.symbols.size(); ++s)
      c_.params.push_back({CParam::Kind::Symbol, s, fresh(p_.symbols[s]), "int64_t", int64, 0});
    if (opens)
      c_.params.push_back({CParam::Kind::Weights, 0, fresh("weights"), "const " + weights_->type() + "*", uint8, 0});
    c_.params.push_back({CParam::Kind::Workspace, 0, "workspace", "void*", uint8, 0});
    c_.params.push_back({CParam::Kind::Message, 0, "message", "const char**", uint8, 0});
    return {};
  }

  bool is_bound(uint32_t param) const { return weights_ && !f_.weight(param).empty(); }

  Result<uint32_t> bound_weight(uint32_t param) {
    const ir::Type& type = f_.type(f_.params[param]);
    Dim stride = 1;
    if (param < f_.layouts.size() && !f_.layouts[param].empty())
      for (size_t axis = type.rank(); axis-- > 0; stride = stride * type.shape[axis])
        if (!(f_.layouts[param][axis] == stride))
          return Diagnostic("function @" + f_.name + ": '%" + f_.values[f_.params[param]].name +
                                "' is bound to a weight and states strides, but weights lie row-major",
                            {}, "leave the strides out, or pass the weight as an argument: --weights=arguments");
    return weights_->add(f_.weight(param), type);
  }

  Status make_outputs() {
    for (uint32_t i = 0; i < p_.results.size(); ++i) {
      const ir::Window& w = p_.results[i];
      const Dtype dtype = p_.result_types[i].dtype;
      const ir::ProgramBuffer& b = p_.buffers[w.buffer];
      const bool dense = w.layout.offset.is(0) && w.layout.strides == ir::row_major_strides(w.layout.shape);
      if (b.role != ir::BufferRole::Output || !dense || c_.buffers[w.buffer].kind != CBuffer::Kind::Unused)
        return Diagnostic("function @" + f_.name + ": result " + std::to_string(i) + " is " +
                              (b.role == ir::BufferRole::Input ? "an input"
                               : !dense                        ? "a view"
                                                               : "memory that it shares with another") +
                              ", and a C function has an array of its own for each",
                          {}, "lower it with the traits dense_results and own_routines");
      std::string wish(f_.result_name(i));
      if (wish.empty()) wish = p_.results.size() == 1 ? "out" : "out" + std::to_string(i);
      c_.buffers[w.buffer] = {CBuffer::Kind::Param, static_cast<uint32_t>(c_.params.size()), 0};
      c_.params.push_back(
          {CParam::Kind::Output, i, fresh(wish), std::string(element_type(dtype)) + "*", dtype, b.size});
    }
    return {};
  }

  void lay_out_workspace() {
    Dim end = 0;
    std::vector<Dim> slots;
    for (const Dim& bytes : p_.slots) {
      slots.push_back(end);
      end = simplified(end + rounded_up(bytes));
    }
    for (uint32_t b = 0; b < p_.buffers.size(); ++b)
      if (p_.buffers[b].role == ir::BufferRole::Temp && p_.buffers[b].slot != ir::kNone)
        c_.buffers[b] = {CBuffer::Kind::Workspace, 0, slots[p_.buffers[b].slot] + p_.buffers[b].at};
    c_.scratch_offset = end;
    Dim scratch = 0;
    for (const ir::Kernel& k : p_.kernels) {
      Dim at = 0;
      std::vector<Dim>& starts = c_.locals.emplace_back();
      for (const ir::KernelBuffer& local : k.locals) {
        starts.push_back(at);
        at = simplified(at + rounded_up(local.size * Dim(int64_t{local.dtype.size()})));
      }
      scratch = simplified(max(scratch, at));
    }
    c_.workspace_bytes = simplified(end + scratch);
  }

  void check(CCheck::Kind kind, Dim value, CallCode code, const std::string& what) {
    for (const CCheck& c : c_.checks)
      if (c.kind == kind && c.value == value) return;
    c_.checks.push_back({kind, std::move(value), code, says(what)});
  }

  const std::string& symbol_name(size_t i) const { return c_.params[first_symbol_ + i].name; }

  void make_checks() {
    using Kind = CCheck::Kind;
    for (size_t i = 0; i < p_.symbols.size(); ++i) {
      const Dim s = Dim::symbol(p_.symbols[i]);
      const DimRange r = f_.facts.range(s);
      const std::string what = "'" + symbol_name(i) + "' must be ";
      check(Kind::NonNegative, s - Dim(r.low), CallCode::BadSizes, what + "at least " + std::to_string(r.low));
      const bool stated = r.high < DimFacts::kMaxSize;
      check(Kind::NonNegative, Dim(r.high) - s, stated ? CallCode::BadSizes : CallCode::TooLarge,
            what + "at most " + std::to_string(r.high));
      if (int64_t factor = f_.facts.multiple(p_.symbols[i]); factor > 1)
        check(Kind::Zero, mod(s, Dim(factor)), CallCode::BadSizes, what + "a multiple of " + std::to_string(factor));
    }
    for (const auto& [symbol, range] : f_.facts.ranges()) plain_.set_range(symbol, range);
    for (ir::ValueId p : f_.params)
      for (const Dim& d : f_.type(p).shape) divisors_in(d);
    for (const DimCondition& c : f_.facts.conditions()) divisors_in(c.dim);
    for (const DimCondition& c : f_.facts.conditions()) {
      fits_integers(c.dim, "'" + c.str() + "' is past 64 bits");
      check(c.kind == DimCondition::Kind::Zero ? Kind::Zero : Kind::NonNegative, c.dim, CallCode::BadSizes,
            "'" + c.str() + "' must hold");
    }
    for (uint32_t b = 0; b < p_.buffers.size(); ++b) {
      const ir::ProgramBuffer& buffer = p_.buffers[b];
      const bool named = c_.buffers[b].kind == CBuffer::Kind::Param;
      fits_memory(buffer.size * Dim(int64_t{buffer.dtype.size()}),
                  named ? "'" + c_.params[c_.buffers[b].param].name + "'" : "the workspace");
    }
    fits_memory(c_.workspace_bytes, "the workspace");
    // Extents of loops that have nothing to do may be products that no array has.
    for (const ir::Kernel& k : p_.kernels) extents(k.body);
  }

  // Divisors must be positive before any size that divides by them has a value.
  void divisors_in(const Dim& d) {
    if (d.is_const()) return;
    for (const DimTerm& t : d.poly()->terms)
      for (const auto& atom : t.atoms) {
        for (const Dim& arg : atom->args) divisors_in(arg);
        if (!atom->divides()) continue;
        if (plain_.less_equal(1, atom->args[1]) == Tri::Yes) continue;
        check(CCheck::Kind::NonNegative, atom->args[1] - Dim(1), CallCode::BadSizes,
              "'" + atom->args[1].str() + "' must be at least 1");
      }
  }

  void fits_integers(const Dim& d, const std::string& what) {
    if (d.is_const() || d.as_symbol()) return;
    const Dim all = magnitude(d, f_.facts);
    // Ranges that are stated may make it sure.
    if (f_.facts.range(all).high < int64_t{1} << 61) return;
    check(CCheck::Kind::NonNegative, Dim(std::numeric_limits<int64_t>::max() - 1) - all, CallCode::TooLarge, what);
  }

  void fits_memory(const Dim& bytes, const std::string& what) {
    if (bytes.is_const() && bytes.value() < std::numeric_limits<int32_t>::max()) return;
    const std::string says = what + " does not fit in memory";
    if (!bytes.is_const() && magnitude(bytes, f_.facts) != bytes) fits_integers(bytes, says);
    if (f_.facts.range(bytes).high >= std::numeric_limits<int32_t>::max())
      check(CCheck::Kind::Fits, bytes, CallCode::TooLarge, says);
  }

  void extents(const ir::Body& body) {
    for (const ir::Instr& i : body) {
      const auto* loop = std::get_if<ir::Loop>(&i.node);
      if (!loop) continue;
      std::vector<std::string> used;
      loop->extent.collect_symbols(used);
      auto is_symbol = [&](const std::string& s) {
        return std::find(p_.symbols.begin(), p_.symbols.end(), s) != p_.symbols.end();
      };
      if (std::all_of(used.begin(), used.end(), is_symbol))
        fits_integers(loop->extent, "'" + loop->extent.str() + "' is past 64 bits");
      extents(loop->body);
    }
  }

  void describe() {
    std::string& s = c_.comment;
    s = c_.signature + "\n";
    size_t width = 0;
    for (const CParam& p : c_.params) width = std::max(width, p.name.size());
    auto line = [&](const std::string& name, const std::string& what) {
      s += "\n  " + name + std::string(width + 2 - name.size(), ' ') + what;
    };
    for (const CParam& p : c_.params) {
      switch (p.kind) {
        case CParam::Kind::Input:
        case CParam::Kind::Output: {
          const bool input = p.kind == CParam::Kind::Input;
          const ir::Type& type = input ? f_.type(f_.params[p.index]) : p_.result_types[p.index];
          std::string what = (input ? "input " : "output ") + type.str();
          const bool strided = input && p.index < f_.layouts.size() && !f_.layouts[p.index].empty();
          if (strided)
            what += ", strides " + ir::shape_text(f_.layouts[p.index]) + " in elements";
          else if (type.rank() > 1)
            what += ", row-major";
          if (auto more = representation(p.dtype); !more.empty()) what += "; " + std::string(more);
          line(p.name, what);
          break;
        }
        case CParam::Kind::Symbol: {
          const DimRange r = f_.facts.range(Dim::symbol(p_.symbols[p.index]));
          std::string what = "size, ";
          if (r.high < DimFacts::kMaxSize)
            what += "in [" + std::to_string(r.low) + ", " + std::to_string(r.high) + "]";
          else
            what += "at least " + std::to_string(r.low);
          if (int64_t factor = f_.facts.multiple(p_.symbols[p.index]); factor > 1)
            what += ", a multiple of " + std::to_string(factor);
          if (p.name != p_.symbols[p.index]) what += " (" + p_.symbols[p.index] + " above)";
          line(p.name, what);
          break;
        }
        case CParam::Kind::Weights: line(p.name, "the weights, which " + weights_->open() + " opened"); break;
        case CParam::Kind::Workspace:
          line(p.name, c_.workspace_bytes.is(0)
                           ? "not used: pass NULL"
                           : c_.workspace_name() + "(..) bytes that start at a multiple of " +
                                 std::to_string(kWorkspaceAlignment) + "; what it holds does not matter");
          break;
        case CParam::Kind::Message:
          line(p.name, "NULL, or where a call that fails puts a static text that says why");
          break;
      }
    }
    s += "\n";
  }

  const ir::Function& f_;
  const ir::Program& p_;
  CWeights* const weights_;  // null where weights are inputs
  CInterface c_;
  size_t first_symbol_ = 0;  // among the parameters
  DimFacts plain_;           // ranges of the symbols alone
  std::set<std::string> taken_, kept_;
};

}  // namespace

namespace {

std::string wish_of(const ir::Function& f) { return f.name.empty() ? "function" : f.name; }

Result<CInterface> make_named(const ir::Function& f, std::string name, CWeights* weights) {
  if (!f.program)
    return Diagnostic("function @" + f.name + " has no program to emit", {}, "run the default pipeline over it first");
  for (const ir::ProgramBuffer& b : f.program->buffers)
    if (b.role == ir::BufferRole::Temp && b.slot == ir::kNone)
      return Diagnostic("function @" + f.name + ": buffer '" + b.name + "' has no slot", {},
                        "run plan_buffers over it first");
  return Maker(f, std::move(name), weights).run();
}

}  // namespace

Result<CInterface> make_c_interface(const ir::Function& f) { return make_named(f, c_identifier(wish_of(f)), nullptr); }

void add_c_call_checks(const ir::Function& f, CInterface& c) {
  for (const ir::Step& s : f.program->steps) {
    const auto* step = std::get_if<ir::LibraryStep>(&s);
    if (!step) continue;
    const auto call = passes::c_call(*step, f.facts);
    if (!call.ok()) continue;
    ir::Dims checked;
    for (const passes::CCall::Argument& a : call->arguments) {
      const auto* size = std::get_if<passes::CCall::Size>(&a);
      if (!size || std::find(checked.begin(), checked.end(), size->value) != checked.end()) continue;
      const Dim& d = checked.emplace_back(size->value);
      const Dim room = Dim(std::numeric_limits<int32_t>::max()) - d;
      if (f.facts.range(room).low >= 0) continue;
      c.checks.push_back({CCheck::Kind::NonNegative, room, CallCode::TooLarge,
                          c.name + ": '" + d.str() + "' is past the 32 bits of cblas"});
    }
  }
}

Result<std::vector<CInterface>> make_c_interfaces(std::span<const ir::Function* const> functions, CWeights* weights) {
  // Functions whose names C can have as they are come first; others are numbered where theirs becomes the same.
  std::vector<std::string> names(functions.size());
  std::set<std::string> taken;
  if (weights && weights->in_file()) taken = {weights->type(), weights->open()};
  for (const bool as_it_is : {true, false})
    for (size_t i = 0; i < functions.size(); ++i) {
      const std::string wish = wish_of(*functions[i]), base = c_identifier(wish);
      if ((base == wish) != as_it_is) continue;
      names[i] = base;
      for (int n = 2; taken.count(names[i]) || taken.count(workspace_name(names[i])); ++n)
        names[i] = base + "_" + std::to_string(n);
      taken.insert({names[i], workspace_name(names[i])});
    }
  std::vector<CInterface> all;
  for (size_t i = 0; i < functions.size(); ++i) {
    FRIT_ASSIGN_OR_RETURN(c, make_named(*functions[i], std::move(names[i]), weights));
    all.push_back(std::move(c));
  }
  return all;
}

}  // namespace frit::codegen
