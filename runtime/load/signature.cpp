// Signatures as bytes, and the check of a call.
#include "runtime/load/signature.h"

#include <algorithm>

#include "runtime/load/guard_codec.h"

namespace frit::runtime {
namespace {

constexpr std::string_view kSignatureMagic = "FRITSIGN";
constexpr uint32_t kVersion = 1, kWithStrides = 2;

class SignatureWriter : private GuardWriter {
 public:
  std::string run(const Signature& s) {
    out_.raw(kSignatureMagic);
    const bool strided =
        std::any_of(s.inputs.begin(), s.inputs.end(), [](const Signature::Input& i) { return !i.strides.empty(); });
    out_.u32(strided ? kWithStrides : kVersion);
    out_.text(s.name);
    out_.text(s.text);
    texts(s.guard.symbol_names);
    list(s.inputs, [&](const Signature::Input& i) {
      value(i);
      out_.text(i.weight);
    });
    list(s.outputs, [&](const Signature::Value& v) { value(v); });
    sources_and_checks(s.guard);
    texts(s.said);
    if (!strided) return std::move(out_).take();
    list(s.stride_symbols, [&](const Signature::StrideSymbol& symbol) {
      out_.text(symbol.name);
      out_.u32(symbol.input);
      out_.u32(symbol.axis);
      for (int64_t n : {symbol.low, symbol.high, symbol.multiple}) out_.u64(static_cast<uint64_t>(n));
    });
    for (const Signature::Input& i : s.inputs) sizes(i.strides);
    return std::move(out_).take();
  }

 private:
  void value(const Signature::Value& v) {
    out_.text(v.name);
    dtype(v.dtype);
    sizes(v.shape);
    texts(v.sizes);
  }
};

class SignatureReader : private GuardReader {
 public:
  explicit SignatureReader(std::string_view bytes) : GuardReader(bytes) {}

  Result<Signature> run() {
    if (in_.raw(kSignatureMagic.size()) != kSignatureMagic) return Diagnostic("it is not a signature");
    const uint32_t version = in_.u32();
    if (version != kVersion && version != kWithStrides)
      return Diagnostic("its signature has version " + std::to_string(version) + " of the format, which is not known");
    Signature s;
    s.name = in_.text();
    s.text = in_.text();
    s.guard.symbol_names = texts();
    symbols_ = s.guard.symbol_names.size();
    list(s.inputs, 25, [&] {
      Signature::Input i{value(), {}, {}};
      i.weight = in_.text();
      return i;
    });
    list(s.outputs, 17, [&] { return value(); });
    std::vector<size_t> ranks;
    for (const Signature::Input& i : s.inputs) ranks.push_back(i.shape.size());
    sources_and_checks(s.guard, ranks);
    s.said = texts();
    require(s.said.size() == s.guard.checks.size(), "its checks have other texts");
    if (version == kWithStrides) strides(s, ranks);
    finish();
    if (failed_) return Diagnostic("a signature is damaged: " + std::string(failed_));
    return s;
  }

 private:
  Signature::Value value() {
    Signature::Value v{std::string(in_.text()), dtype(), sizes(), texts()};
    require(v.shape.size() == v.sizes.size(), "a value has not one text per axis");
    return v;
  }
  void strides(Signature& s, std::span<const size_t> ranks) {
    list(s.stride_symbols, 40, [&] {
      Signature::StrideSymbol symbol{std::string(in_.text()), 0, 0, 0, 0, 0};
      const Guard::Source at = source(ranks);
      symbol.input = at.input;
      symbol.axis = at.axis;
      for (int64_t* n : {&symbol.low, &symbol.high, &symbol.multiple}) *n = static_cast<int64_t>(in_.u64());
      require(symbol.multiple >= 1, "a stride is a multiple of nothing");
      return symbol;
    });
    symbols_ += s.stride_symbols.size();
    for (Signature::Input& i : s.inputs) {
      i.strides = sizes();
      require(i.strides.empty() || i.strides.size() == i.shape.size(), "an input has not one stride per axis");
    }
  }
};

// The inputs whose sizes decide a check.
std::vector<uint32_t> inputs_of(const Guard& guard, const Guard::Check& check) {
  std::vector<uint32_t> inputs;
  const auto add = [&](uint32_t i) {
    if (std::find(inputs.begin(), inputs.end(), i) == inputs.end()) inputs.push_back(i);
  };
  const auto add_program = [&](const DimProgram& p) {
    for (const DimProgram::Instr& i : p.code())
      if (i.op == DimProgram::Op::Slot) add(guard.sources[static_cast<size_t>(i.value)].input);
  };
  if (const auto* size = std::get_if<Guard::Size>(&check)) {
    add(size->input);
    add_program(size->expected);
  } else if (const auto* range = std::get_if<Guard::Range>(&check)) {
    add(guard.sources[range->symbol].input);
  } else {
    add_program(std::get<Guard::Condition>(check).value);
  }
  std::sort(inputs.begin(), inputs.end());
  return inputs;
}

std::string count(size_t n, const char* what) { return std::to_string(n) + " " + what + (n == 1 ? "" : "s"); }

}  // namespace

size_t Signature::arguments() const {
  return static_cast<size_t>(
      std::count_if(inputs.begin(), inputs.end(), [](const Input& i) { return i.weight.empty(); }));
}

std::string type_text(const Signature::Value& value) {
  std::string s = std::string(short_name(value.dtype)) + "[";
  for (size_t i = 0; i < value.sizes.size(); ++i) s += (i ? ", " : "") + value.sizes[i];
  return s + "]";
}

std::string type_text(const Tensor& t) {
  std::string s = std::string(short_name(t.dtype)) + "[";
  for (size_t i = 0; i < t.shape.size(); ++i) s += (i ? ", " : "") + std::to_string(t.shape[i]);
  return s + "]";
}

Status check_call(const Signature& s, std::span<const Tensor> inputs, int64_t* symbols) {
  const std::string who = "function @" + s.name;
  if (inputs.size() != s.inputs.size())
    return Diagnostic(who + " takes " + count(s.inputs.size(), "input") + ", but " + std::to_string(inputs.size()) +
                          (inputs.size() == 1 ? " is" : " are") + " given",
                      {}, "it is " + s.text);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Signature::Input& want = s.inputs[i];
    if (inputs[i].dtype != want.dtype || inputs[i].shape.size() != want.shape.size())
      return Diagnostic(
          who + " takes '" + want.name + "' as " + type_text(want) + ", but " + type_text(inputs[i]) + " is given", {},
          inputs[i].dtype != want.dtype ? "convert it to " + std::string(long_name(want.dtype)) : std::string());
  }
  const int failed =
      s.guard.first_failure([&](uint32_t input, uint32_t axis) { return inputs[input].shape[axis]; }, symbols);
  if (failed < 0) return {};
  std::string got;
  for (uint32_t i : inputs_of(s.guard, s.guard.checks[static_cast<size_t>(failed)]))
    got += (got.empty() ? "" : " and ") + ("'" + s.inputs[i].name + "' is ") + type_text(inputs[i]);
  return Diagnostic(who + " needs that " + s.said[static_cast<size_t>(failed)] + ", but " + got, {}, "it is " + s.text);
}

std::string write_signature(const Signature& signature) { return SignatureWriter().run(signature); }

Result<Signature> read_signature(std::string_view bytes) { return SignatureReader(bytes).run(); }

}  // namespace frit::runtime
