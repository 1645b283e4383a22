// Edits of plans that are well formed and hostile: other sizes, buffers, roles, views, steps and places of symbols.
#include "plan_mutations.h"

#include <cstring>

namespace frit::test {
namespace {

using namespace runtime;
using Random = std::mt19937_64;
using Op = DimProgram::Op;

class Editor {
 public:
  Editor(Image& image, Signature& signature, Random& random)
      : image_(image), plan_(image.plan), signature_(signature), random_(random) {}

  void edit() {
    switch (below(12)) {
      case 0:
      case 1: return buffer();
      case 2:
      case 3:
      case 4: return step();
      case 5: return steps();
      case 6:
        if (!plan_.results.empty()) window(pick(plan_.results));
        return;
      case 7:
        if (!plan_.slots.empty()) size(pick(plan_.slots), symbols());
        return;
      case 8:
        if (!plan_.symbols.empty()) symbol(pick(plan_.symbols));
        return;
      case 9: return guard(signature_.guard);
      case 10:
        if (!signature_.outputs.empty()) value(pick(signature_.outputs));
        return;
      default:
        if (!signature_.inputs.empty()) value(pick(signature_.inputs));
    }
  }

 private:
  size_t below(size_t n) { return random_() % n; }
  bool chance() { return below(2) == 0; }
  template <class T>
  T& pick(std::vector<T>& all) {
    return all[below(all.size())];
  }
  size_t symbols() const { return plan_.symbols.size(); }

  int64_t number(int64_t near) {
    static constexpr int64_t kNumbers[] = {0, 1, -1, 2, 7, 64, 4096, 1 << 20, INT64_MAX, INT64_MIN, int64_t{1} << 40};
    switch (below(4)) {
      case 0: return near + 1;
      case 1: return near - 1;
      case 2: return static_cast<int64_t>(static_cast<uint64_t>(near) * 2);
      default: return kNumbers[below(std::size(kNumbers))];
    }
  }
  uint32_t index(size_t size) { return static_cast<uint32_t>(below(size + 1)); }

  void size(DimProgram& d, size_t slots) {
    std::vector<DimProgram::Instr> code = d.code();
    if (code.empty() || below(4) == 0) {
      d = slots && chance()
              ? *DimProgram::from({{Op::Slot, static_cast<int64_t>(below(slots))}}, static_cast<int>(slots))
              : DimProgram(number(16));
      return;
    }
    DimProgram::Instr& i = pick(code);
    if (i.op == Op::Const)
      i.value = number(i.value);
    else if (i.op == Op::Slot)
      i.value = static_cast<int64_t>(below(slots));
    else
      i.op = static_cast<Op>(static_cast<size_t>(Op::Add) + below(6));
    if (auto changed = DimProgram::from(std::move(code), static_cast<int>(slots))) d = *changed;
  }

  void buffer() {
    if (plan_.buffers.empty()) return;
    BufferPlan& b = pick(plan_.buffers);
    switch (below(5)) {
      case 0: size(b.bytes, symbols()); break;
      case 1: b.role = static_cast<BufferPlan::Role>(below(4)); break;
      case 2: b.index = index(3); break;
      case 3: b.donor = index(2); break;
      default: b = plan_.buffers[below(plan_.buffers.size())];
    }
    if (b.role != BufferPlan::Role::Constant) return;
    // Its data is written with it.
    const int64_t bytes = b.bytes.is_const() ? b.bytes.evaluate(nullptr) : 0;
    if (bytes <= 0 || bytes > 1 << 16) b.bytes = DimProgram(8);
    b.constant = *Buffer::allocate(static_cast<size_t>(b.bytes.evaluate(nullptr)));
    std::memset(b.constant->data(), 0, b.constant->bytes());
  }

  void kernel(KernelPlan& k) {
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        if (!k.buffers.empty()) pick(k.buffers) = index(plan_.buffers.size() - 1);
        break;
      case 3:
        if (!k.symbols.empty()) pick(k.symbols) = index(symbols() - 1);
        break;
      case 4: size(k.extent, symbols()); break;
      case 5: size(chance() ? k.grain : k.scratch_bytes, symbols()); break;
      case 6: (chance() ? k.parallel : k.beside) ^= true; break;
      default:
        if (!image_.kernels.empty()) k.name = pick(image_.kernels).name;
    }
  }

  void window(WindowPlan& w) {
    const size_t axes = w.shape.size();
    switch (below(5)) {
      case 0:
        if (axes) size(pick(w.shape), symbols());
        break;
      case 1:
        if (axes) size(pick(w.strides), symbols());
        break;
      case 2: size(w.offset, symbols()); break;
      case 3: w.buffer = index(plan_.buffers.size() - 1); break;
      default: w.dtype = kAllDtypes[below(kAllDtypes.size())];
    }
  }

  void step() {
    if (plan_.steps.empty()) return;
    auto& any = pick(plan_.steps);
    if (auto* k = std::get_if<KernelPlan>(&any)) return kernel(*k);
    if (auto* c = std::get_if<ControlPlan>(&any)) return control(*c);
    auto& l = std::get<LibraryPlan>(any);
    if (l.epilogue && chance()) return kernel(*l.epilogue);
    if (auto& all = chance() ? l.operands : l.results; !all.empty()) window(pick(all));
  }

  void control(ControlPlan& c) {
    switch (below(5)) {
      case 0: c.kind = static_cast<ControlPlan::Kind>(below(6)); break;
      case 1: c.counter = index(plan_.counters + 1); break;
      case 2: size(c.count, symbols()); break;
      case 3: c.flag = index(plan_.buffers.size()); break;
      default:
        if (!c.swaps.empty()) pick(c.swaps).first = index(plan_.buffers.size());
    }
  }

  void steps() {
    if (plan_.steps.empty()) return;
    const size_t i = below(plan_.steps.size()), j = below(plan_.steps.size());
    switch (below(3)) {
      case 0: std::swap(plan_.steps[i], plan_.steps[j]); break;
      case 1: plan_.steps.erase(plan_.steps.begin() + static_cast<long>(i)); break;
      default: plan_.steps.push_back(plan_.steps[i]);
    }
  }

  void symbol(SymbolSource& s) {
    (chance() ? s.input : s.axis) = index(2);
    if (below(4) == 0) s.stride = !s.stride;
  }

  void guard(Guard& g) {
    if (!g.sources.empty() && chance()) {
      (chance() ? pick(g.sources).input : pick(g.sources).axis) = index(2);
      return;
    }
    if (g.checks.empty()) return;
    const size_t i = below(g.checks.size());
    g.checks.erase(g.checks.begin() + static_cast<long>(i));
    signature_.said.erase(signature_.said.begin() + static_cast<long>(i));
  }

  void value(Signature::Value& v) {
    if (!v.shape.empty() && chance())
      size(pick(v.shape), signature_.guard.symbol_names.size());
    else if (chance())
      v.dtype = kAllDtypes[below(kAllDtypes.size())];
    else
      v.shape.emplace_back(number(3)), v.sizes.emplace_back("?");
  }

  Image& image_;
  Plan& plan_;
  Signature& signature_;
  Random& random_;
};

}  // namespace

void edit_plan(Image& image, Signature& signature, Random& random) { Editor(image, signature, random).edit(); }

std::string edit_byte(std::string image, const Image& good, Random& random) {
  for (int tries = 0; tries < 100; ++tries) {
    const size_t at = random() % image.size();
    bool code = false;
    for (const ObjectCode& o : good.objects) {
      const size_t begin = image.find(o.object);
      code |= at >= begin && at < begin + o.object.size();
    }
    if (code) continue;
    image[at] = static_cast<char>(random() % 2 ? image[at] ^ (1 << random() % 8) : static_cast<int>(random()));
    break;
  }
  return image;
}

}  // namespace frit::test
