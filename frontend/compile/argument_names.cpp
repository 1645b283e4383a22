// Reads names from the structure around the arrays.
#include "frontend/compile/argument_names.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <set>

#include "frontend/compile/signature.h"
#include "frontend/compile/trace.h"
#include "frontend/frit/detail/binding.h"

namespace frit::detail {

namespace {

std::atomic<ClosureFn> g_fn{nullptr};
std::atomic<ParameterNames> g_names{nullptr};

// The paths to the arrays of a structure. A map writes its keys. An array in a tree of parameters and in a binding is
// `present`; in a map or a list of C++ it has no part, so what stands there is the next key or nothing.
class Paths {
 public:
  explicit Paths(const Structure& structure) : structure_(structure) {}

  bool done() const { return part_ == structure_.parts.size(); }

  void item(const std::string& path) {
    using Kind = Part::Kind;
    const bool is_key = !done() && structure_.parts[part_].kind == Kind::key && !is_text();
    if (done() || is_key) return found.push_back(path);
    const Part& part = structure_.parts[part_++];
    switch (part.kind) {
      case Kind::present: return found.push_back(path);
      case Kind::list:
        for (uint64_t i = 0; i < part.value; ++i) item(path + "." + std::to_string(i));
        return;
      case Kind::map:
        for (uint64_t i = 0; i < part.value; ++i) item(path + "." + key());
        return;
      case Kind::key: (void)text(part.value); return;
      case Kind::absent:
      case Kind::number:
      case Kind::constant:
      case Kind::promoted: return;
    }
  }
  // The items of a list, one below each name.
  void items(const std::vector<std::string>& names) {
    ++part_;
    for (const std::string& name : names) item(name);
  }
  const Part& peek() const { return structure_.parts[part_]; }
  uint64_t take() { return structure_.parts[part_++].value; }
  std::string key() {
    if (done() || peek().kind != Part::Kind::key) {
      // A key that is no text.
      if (!done()) ++part_;
      return "item";
    }
    return text(take());
  }

  std::vector<std::string> found;

 private:
  // A text as an item has another position than a key.
  bool is_text() const { return structure_.parts[part_].position != 0; }
  std::string text(uint64_t size) {
    name_ += size;
    return structure_.names.substr(name_ - size, size);
  }

  const Structure& structure_;
  size_t part_ = 0, name_ = 0;
};

// A call of a binding: a tuple, a map of keywords where there are any, then the state.
std::vector<std::string> names_by_binding(const Call& call, ParameterNames names) {
  const Structure& structure = structure_of(call);
  const auto known = [&](size_t count) {
    std::vector<std::string> out = names(count);
    for (size_t i = 0; i < count; ++i)
      if (out[i].empty()) out[i] = parameter_name(i, count);
    return out;
  };
  if (structure.parts.empty()) return known(call.arrays.size());
  Paths paths(structure);
  if (paths.peek().kind != Part::Kind::list) return {};
  paths.items(known(paths.peek().value));
  const size_t own = call.arrays.size() - call.captured;
  if (!paths.done() && paths.peek().kind == Part::Kind::map && paths.found.size() < own)
    for (uint64_t left = paths.take(); left > 0; --left) {
      const std::string key = paths.key();
      paths.item(key);
    }
  while (!paths.done()) paths.item("state");
  return std::move(paths.found);
}

// Letters, digits, points and underscores, with a letter in front; each name once.
std::string plain(const std::string& name, std::set<std::string>& taken) {
  std::string out;
  for (char c : name) out += std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '_';
  if (out.empty() || !std::isalpha(static_cast<unsigned char>(out[0]))) out = "x" + out;
  std::string free = out;
  for (int i = 2; !taken.insert(free).second; ++i) free = out + "_" + std::to_string(i);
  return free;
}

}  // namespace

void set_parameter_names(ClosureFn fn, ParameterNames names) {
  g_fn = fn;
  g_names = names;
}

std::vector<std::string> argument_names(const Call& call, const State& inputs) {
  const size_t count = call.arrays.size();
  std::vector<std::string> names;
  if (const ParameterNames by_binding = g_names; by_binding && call.fn == g_fn)
    names = names_by_binding(call, by_binding);
  if (names.size() != count) {
    names.clear();
    Structure structure;
    const size_t captured = inputs.empty() ? 0 : state_arrays(inputs, structure).size();
    for (size_t i = 0; i < count; ++i)
      names.push_back(parameter_name(i, captured ? std::max<size_t>(count, 4) : count));
    Paths paths(structure);
    while (!paths.done()) paths.item("state");
    if (paths.found.size() == captured)
      std::copy(paths.found.begin(), paths.found.end(), names.end() - static_cast<std::ptrdiff_t>(captured));
  }
  std::set<std::string> taken;
  for (std::string& name : names) name = plain(name, taken);
  return names;
}

}  // namespace frit::detail
