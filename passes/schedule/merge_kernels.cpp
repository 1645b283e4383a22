// merge_kernels: merges kernels that are equal up to names; each launch keeps its own buffers.
//
// The layers of a network repeat, so the code of one layer serves all. Where many kernels differ in floating-point
// constants alone, one kernel serves them too: it reads the constants from memory, and each launch binds its own.
#include <algorithm>
#include <cstring>
#include <functional>
#include <map>

#include "passes/lower/lower_groups.h"
#include "passes/manager/pass.h"
#include "passes/schedule/merged_kernels.h"

namespace frit::passes {
namespace {

using namespace ir;

// Fewer kernels than this keep their constants in their code, which may be faster by a load and is easier to read.
constexpr size_t kFewestSharers = 4;
// More constants than this stay in the code: a launch binds a buffer for each.
constexpr size_t kMostShared = 16;

// The parallel loop of an `epilogue` must stay as it is, which schedule respects.
Kernel plain_kernel(const Kernel& k, bool epilogue) {
  Kernel plain = without_names(k);
  plain.name = epilogue ? "epilogue" : "kernel";
  return plain;
}

// Every instruction in the order of the text.
void each_instr(Body& body, const std::function<void(Instr&)>& visit) {
  for (Instr& i : body) {
    visit(i);
    if (auto* loop = std::get_if<Loop>(&i.node)) each_instr(loop->body, visit);
  }
}

std::vector<ScalarInstr> constants(Kernel& k) {
  std::vector<ScalarInstr> out;
  each_instr(k.body, [&](Instr& i) {
    if (const auto* s = std::get_if<ScalarInstr>(&i.node); s && s->op == ScalarOp::Const) out.push_back(*s);
  });
  return out;
}

// Kernels that are equal up to constants.
struct Family {
  Kernel plain;  // of the first member
  std::vector<Dtype> types;
  // The distinct members by their constants, as bits. Kernels that equal a member are merged with it.
  std::vector<std::pair<std::vector<uint64_t>, uint32_t>> members;
  std::map<std::vector<uint64_t>, uint32_t> by_constants;
};

class Merger {
 public:
  Merger(Function& f, PassContext& context)
      : f_(f), p_(*f.program), context_(context), merged_(p_), shared_(p_.kernels.size()) {}

  bool run() {
    std::vector<bool> epilogue(p_.kernels.size(), false);
    each_launch(p_, [&](KernelStep& use, bool fused) {
      if (fused) epilogue[use.kernel] = true;
    });
    std::map<uint64_t, std::vector<uint32_t>> alike;
    for (uint32_t i = 0; i < p_.kernels.size(); ++i) alike[structure_hash(p_.kernels[i])].push_back(i);
    for (const auto& [hash, kernels] : alike) {
      if (kernels.size() < 2) continue;
      std::vector<Family> families;
      for (uint32_t i : kernels) add(families, i, epilogue[i]);
      for (Family& family : families)
        if (family.plain.name != "epilogue") share(family);
    }
    return merged_.finish([&](KernelStep& use) {
      uint32_t own = use.kernel;
      while (shared_[own].empty() && merged_.next(own) != own) own = merged_.next(own);
      use.buffers.insert(use.buffers.end(), shared_[own].begin(), shared_[own].end());
    });
  }

 private:
  void merge(uint32_t kernel, uint32_t kept, const char* how) {
    context_.remark(f_, "@" + p_.kernels[kernel].name + how + p_.kernels[kept].name);
    merged_.merge(kernel, kept);
  }

  void add(std::vector<Family>& alike, uint32_t kernel, bool epilogue) {
    Kernel plain = plain_kernel(p_.kernels[kernel], epilogue);
    std::vector<uint64_t> bits;
    std::vector<Dtype> types;
    for (const ScalarInstr& c : constants(plain)) {
      bits.push_back(c.imm);
      types.push_back(c.type);
    }
    auto family = std::find_if(alike.begin(), alike.end(),
                               [&](const Family& f) { return equal(f.plain, plain, Constants::Ignored); });
    if (family == alike.end()) {
      alike.push_back({std::move(plain), std::move(types), {}, {}});
      family = alike.end() - 1;
    }
    if (auto [same, is_new] = family->by_constants.emplace(bits, kernel); !is_new)
      merge(kernel, same->second, " is the same kernel as @");
    else
      family->members.emplace_back(std::move(bits), kernel);
  }

  // Makes one kernel of a family's members, if they differ in few constants, and in floats alone: code that divides by
  // an integer is faster where it knows it.
  void share(Family& family) {
    if (family.members.size() < kFewestSharers) return;
    std::vector<size_t> differing;
    for (size_t c = 0; c < family.types.size(); ++c)
      if (std::any_of(family.members.begin(), family.members.end(),
                      [&](const auto& m) { return m.first[c] != family.members[0].first[c]; }))
        differing.push_back(c);
    if (differing.size() > kMostShared ||
        !std::all_of(differing.begin(), differing.end(), [&](size_t c) { return is_float(family.types[c]); }))
      return;
    const uint32_t kept = family.members[0].second;
    for (const auto& [bits, kernel] : family.members) {
      for (size_t c : differing) {
        std::vector<std::byte> bytes(family.types[c].size());
        std::memcpy(bytes.data(), &bits[c], bytes.size());
        shared_[kernel].push_back(add_buffer(p_, "c", BufferRole::Constant, family.types[c], Dim(1),
                                             Literal(family.types[c], std::move(bytes))));
      }
      if (kernel != kept) merge(kernel, kept, " differs in constants alone, and shares the code of @");
    }
    read_constants(p_.kernels[kept], differing);
  }

  // Turns constants into loads from new buffers, which come after the kernel's others and before its locals.
  void read_constants(Kernel& k, const std::vector<size_t>& which) {
    const auto before = static_cast<uint32_t>(k.buffers.size()), added = static_cast<uint32_t>(which.size());
    size_t number = 0;
    each_instr(k.body, [&](Instr& i) {
      if (auto* load = std::get_if<LoadInstr>(&i.node); load && load->buffer >= before) load->buffer += added;
      if (auto* store = std::get_if<StoreInstr>(&i.node); store && store->buffer >= before) store->buffer += added;
      const auto* s = std::get_if<ScalarInstr>(&i.node);
      if (!s || s->op != ScalarOp::Const) return;
      const auto found = std::find(which.begin(), which.end(), number++);
      if (found == which.end()) return;
      const auto buffer = before + static_cast<uint32_t>(found - which.begin());
      const Dtype type = s->type;
      const Reg result = s->result;
      i.node = LoadInstr{.result = result, .buffer = buffer, .index = Dim(0)};
      k.buffers.push_back({.name = {}, .dtype = type, .size = Dim(1), .written = false, .read = true});
    });
    for (uint32_t b = before; b < k.buffers.size(); ++b) k.buffers[b].name = unused_name(k, b - before);
  }

  static std::string unused_name(const Kernel& k, uint32_t number) {
    std::string name = "constant" + std::to_string(number);
    const auto taken = [&](const KernelBuffer& b) { return b.name == name; };
    while (std::any_of(k.buffers.begin(), k.buffers.end(), taken) ||
           std::any_of(k.locals.begin(), k.locals.end(), taken))
      name += "_";
    return name;
  }

  Function& f_;
  Program& p_;
  PassContext& context_;
  MergedKernels merged_;
  std::vector<std::vector<uint32_t>> shared_;  // per kernel: the buffers of the constants that it does not hold itself
};

Result<bool> run_merge_kernels(Function& f, PassContext& context) {
  return f.program->kernels.size() > 1 && Merger(f, context).run();
}

const RegisterPass merge_kernels_pass({
    .name = "merge_kernels",
    .doc = "merges kernels that differ only in names, and many that differ only in constants",
    .needs = Level::Lowered,
    .most = Level::Lowered,
    .gives = Level::Lowered,
    .run = run_merge_kernels,
});

}  // namespace
}  // namespace frit::passes
