// Makes the inputs of a run.
#include "frontend/cli/inputs.h"

#include <algorithm>
#include <map>
#include <random>

#include "frontend/cli/tensors.h"
#include "runtime/files/npy.h"

namespace frit::cli {
namespace {

using Symbols = std::vector<std::optional<int64_t>>;

std::pair<std::string, std::string> split_pair(const std::string& s, const char* option) {
  size_t equals = s.find('=');
  if (equals == std::string::npos || equals == 0)
    throw CLI::ValidationError(option, "needs NAME=VALUE, got '" + s + "'");
  return {s.substr(0, equals), s.substr(equals + 1)};
}

std::optional<size_t> symbol_number(const runtime::Signature& s, const std::string& name) {
  const auto& names = s.guard.symbol_names;
  const auto found = std::find(names.begin(), names.end(), name);
  return found == names.end() ? std::nullopt : std::optional(static_cast<size_t>(found - names.begin()));
}

Symbols set_symbols(const runtime::Signature& signature, const std::vector<std::string>& sets) {
  Symbols symbols(signature.guard.symbol_names.size());
  for (const std::string& s : sets) {
    auto [name, text] = split_pair(s, "--set");
    const auto number = symbol_number(signature, name);
    if (!number) throw CLI::ValidationError("--set", "the function has no symbol '" + name + "'");
    try {
      size_t used = 0;
      const int64_t value = std::stoll(text, &used);
      if (used != text.size() || value < 0) throw std::invalid_argument(text);
      symbols[*number] = value;
    } catch (const std::exception&) {
      throw CLI::ValidationError("--set", "'" + text + "' is not a size");
    }
  }
  return symbols;
}

// Checks an input's element type and rank, and learns symbols from its sizes.
void learn_symbols(const runtime::Signature& signature, const runtime::Signature::Input& input,
                   const runtime::Tensor& t, Symbols& symbols) {
  const std::string what = "input '" + input.name + "' is " + runtime::type_text(t) + ", but the function takes " +
                           runtime::type_text(input);
  if (t.dtype != input.dtype) fail({what, {}, "convert the file to " + std::string(long_name(input.dtype))});
  if (t.shape.size() != input.shape.size()) fail({what});
  for (size_t axis = 0; axis < t.shape.size(); ++axis)
    if (const auto number = symbol_number(signature, input.sizes[axis]); number && !symbols[*number])
      symbols[*number] = t.shape[axis];
}

// Draws the symbols that have no value yet, so that the guard admits all of them. The same seed gives the same sizes.
void draw_sizes(const runtime::Signature& s, const InputOptions& o, Symbols& symbols, std::string* drawn) {
  std::mt19937_64 rng(*o.random);
  const size_t count = symbols.size();
  if (std::all_of(symbols.begin(), symbols.end(), [](const auto& v) { return v.has_value(); })) return;
  std::vector<int64_t> low(count, 0), high(count, o.largest), multiple(count, 1), values(count), seen(count);
  for (const auto& check : s.guard.checks)
    if (const auto* r = std::get_if<runtime::Guard::Range>(&check)) {
      low[r->symbol] = std::max(low[r->symbol], r->low);
      high[r->symbol] = std::min(std::max(high[r->symbol], low[r->symbol]), r->high);
      multiple[r->symbol] *= r->multiple;
    }
  const auto& names = s.guard.symbol_names;
  // Facts that tie sizes to each other are met by chance; small sizes meet them sooner.
  for (int attempt = 0; attempt < 100000; ++attempt) {
    for (size_t i = 0; i < count; ++i) {
      const int64_t first = (low[i] + multiple[i] - 1) / multiple[i];
      const int64_t room = std::max<int64_t>(high[i] / multiple[i] - first, 0);
      const int64_t within = attempt < 1000 ? room : std::min<int64_t>(room, 8);
      values[i] = (first + static_cast<int64_t>(rng() % static_cast<uint64_t>(within + 1))) * multiple[i];
      if (symbols[i]) values[i] = *symbols[i];
    }
    const auto size_of = [&](uint32_t input, uint32_t axis) {
      return s.inputs[input].shape[axis].evaluate(values.data());
    };
    if (s.guard.first_failure(size_of, seen.data()) >= 0 || seen != values) continue;
    for (size_t i = 0; i < count; ++i) {
      if (!symbols[i] && drawn) *drawn += (drawn->empty() ? "" : ", ") + names[i] + " = " + std::to_string(values[i]);
      symbols[i] = values[i];
    }
    return;
  }
  std::string given;
  for (size_t i = 0; i < count; ++i)
    if (symbols[i]) given += (given.empty() ? " with " : ", ") + names[i] + " = " + std::to_string(*symbols[i]);
  fail({"no sizes were drawn that function '" + s.name + "' takes" + given, {}, "give them with --set SYMBOL=N"});
}

std::vector<int64_t> shape_of(const runtime::Signature::Input& input, const Symbols& symbols) {
  std::vector<int64_t> shape, values;
  for (const auto& s : symbols) values.push_back(s.value_or(0));
  for (size_t axis = 0; axis < input.shape.size(); ++axis) {
    for (const DimProgram::Instr& i : input.shape[axis].code())
      if (i.op == DimProgram::Op::Slot && !symbols[static_cast<size_t>(i.value)])
        fail({"the size " + input.sizes[axis] + " of input '" + input.name + "' is not known",
              {},
              "give --set SYMBOL=N"});
    const int64_t n = input.shape[axis].evaluate(values.data());
    if (n < 0)
      fail({"the size " + input.sizes[axis] + " of input '" + input.name + "' is " + std::to_string(n),
            {},
            "choose other sizes with --set SYMBOL=N"});
    shape.push_back(n);
  }
  return shape;
}

// CLI11 reads -1 as the largest number of an unsigned type.
std::string is_count(const std::string& s) {
  return s.find_first_not_of("0123456789") == std::string::npos ? "" : "'" + s + "' is not a whole number from 0 on";
}

}  // namespace

void add_input_options(CLI::App& c, InputOptions& o) {
  c.add_option("--input", o.inputs, "NAME=FILE.npy: the value of an input")->take_all();
  c.add_option("--random", o.random,
               "SEED: random values for inputs that have no file, and for sizes that nothing gives")
      ->check(is_count);
  c.add_option("--set", o.sets, "SYMBOL=N: the value of a size that no input file gives")->take_all();
  c.add_option("--largest", o.largest, "the largest size to draw, where the function's facts allow it")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40))
      ->capture_default_str();
}

std::vector<runtime::Tensor> make_inputs(const runtime::Signature& signature, const InputOptions& o,
                                         const runtime::NamedTensors* weights, std::string* drawn) {
  Symbols symbols = set_symbols(signature, o.sets);
  std::map<std::string, std::string> files;
  for (const std::string& s : o.inputs) files.insert(split_pair(s, "--input"));
  std::vector<runtime::Tensor> inputs(signature.inputs.size());
  std::vector<bool> have(inputs.size(), false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const runtime::Signature::Input& input = signature.inputs[i];
    if (!input.weight.empty()) {
      have[i] = true;
      if (!weights) continue;
      const auto found = weights->find(input.weight);
      if (found == weights->end())
        fail({"the file of weights has no '" + input.weight + "', which input '" + input.name + "' is bound to"});
      inputs[i] = found->second;
      continue;
    }
    const auto it = files.find(input.name);
    if (it == files.end()) continue;
    inputs[i] = row_major(value_or_fail(runtime::read_npy(it->second)));
    learn_symbols(signature, input, inputs[i], symbols);
    have[i] = true;
    files.erase(it);
  }
  if (!files.empty()) throw CLI::ValidationError("--input", "the function has no input '" + files.begin()->first + "'");
  if (o.random) draw_sizes(signature, o, symbols, drawn);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (have[i]) continue;
    const runtime::Signature::Input& input = signature.inputs[i];
    if (!o.random)
      fail({"no value for input '" + input.name + "'",
            {},
            "give --input " + input.name + "=FILE.npy, or --random SEED"});
    inputs[i] = random_tensor(input.dtype, shape_of(input, symbols), *o.random + i);
  }
  return inputs;
}

}  // namespace frit::cli
