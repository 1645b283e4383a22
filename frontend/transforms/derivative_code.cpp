// The table of derivatives by the graphs of their functions: how often each was asked for, and code of the frequent.
#include "frontend/transforms/derivative_code.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "frontend/frit/compile.h"
#include "ir/base/hash.h"
#include "passes/transform/transform.h"

namespace frit::detail {

namespace {

// Calls before a derivative is compiled. Making its operations takes about a 300th of the time that compiling takes, so
// a program loses at most about as much as it could have won.
constexpr uint32_t kCalls = 256;
constexpr uint32_t kMaxCredit = 4 * kCalls;
constexpr size_t kSets = 64, kWays = 16;
// Past a mean of so many elements an operation's work is more than the cost of its launch; past so many operations,
// code takes too long to make.
constexpr int64_t kMeanElements = 1 << 14;
constexpr size_t kMaxOps = 4096;

// A function that was asked for often.
struct Known {
  Derivative kind;
  std::vector<size_t> sources;
  ir::Function function;
  std::shared_ptr<CompiledEntry> code;  // null where it does not pay
};

// Tables of values and operations of one trace are equal to those of the next, so nothing is put in order first.
Hash128 key_of(Derivative kind, const ir::Function& f, const std::vector<size_t>& sources) {
  Hasher h;
  h.add(kind).add(static_cast<uint64_t>(sources.size()));
  for (size_t s : sources) h.add(static_cast<uint64_t>(s));
  h.add(static_cast<uint64_t>(f.params.size()));
  for (ir::ValueId v : f.params) f.type(v).hash_into(h);
  for (const ir::Op& op : f.ops) {
    h.add(reinterpret_cast<uintptr_t>(op.def)).add(static_cast<uint64_t>(op.operands.size()));
    for (ir::ValueId v : op.operands) h.add(v);
    op.attrs.hash_into(h);
  }
  h.add(static_cast<uint64_t>(f.results.size()));
  for (ir::ValueId v : f.results) h.add(v);
  return h.finish();
}

// Types of results follow from operands and attributes.
bool same(const ir::Function& a, const ir::Function& b) {
  const auto same_type = [&](ir::ValueId v, ir::ValueId w) { return a.type(v) == b.type(w); };
  const auto same_op = [](const ir::Op& x, const ir::Op& y) {
    return x.def == y.def && x.operands == y.operands && x.results == y.results && x.attrs == y.attrs;
  };
  return a.params == b.params && a.results == b.results &&
         std::equal(a.params.begin(), a.params.end(), b.params.begin(), b.params.end(), same_type) &&
         std::equal(a.ops.begin(), a.ops.end(), b.ops.begin(), b.ops.end(), same_op);
}

bool pays(const ir::Function& f) {
  const int64_t most = kMeanElements * static_cast<int64_t>(f.values.size());
  int64_t all = 0;
  for (const ir::Value& v : f.values) {
    const Dim elements = v.type.size();
    if (!elements.is_const() || elements.value() > most - all) return false;
    all += elements.value();
  }
  return f.ops.size() <= kMaxOps &&
         std::none_of(f.ops.begin(), f.ops.end(), [](const ir::Op& op) { return op.def->has(ir::kSideEffect); });
}

std::shared_ptr<const Known> make_known(Derivative kind, const ir::Function& f, const std::vector<size_t>& sources) {
  auto known = std::make_shared<Known>(Known{kind, sources, f, nullptr});
  if (!pays(f)) return known;
  Result<ir::Function> derived = derivative(kind, f, sources);
  if (!derived || !pays(*derived)) return known;
  TracedFunction traced;
  traced.arguments = derived->params.size();
  traced.function = *std::move(derived);
  static const auto counters = std::make_shared<FunctionCounters>();
  known->code =
      std::make_shared<CompiledEntry>(Signature(), std::move(traced), nullptr, CompileMode::enabled, counters);
  known->code->device = Device::cpu;
  return known;
}

// Slots by hash, a few for each value of it, so that two frequent functions of one hash both get code. A function takes
// the slot of another whose credit is used up, so one whose constants change at each call does not drive out those that
// come again.
class Table {
 public:
  // Never destroyed: threads may outlive main.
  static Table& instance() {
    static Table* table = new Table;
    return *table;
  }

  // The known function with this hash, or null; `due` where it was now asked for often enough.
  std::shared_ptr<const Known> find(const Hash128& key, bool& due) {
    const std::lock_guard<std::mutex> guard(mutex_);
    Slot& slot = slot_of(key);
    if (slot.key != key) {
      if (slot.credit > 0) {
        --slot.credit;
        return nullptr;
      }
      slot = {key, 0, 0, nullptr};
    }
    due = ++slot.calls == kCalls;
    slot.calls = std::min(slot.calls, kMaxCredit);
    slot.credit = slot.calls;
    return slot.known;
  }

  void keep(const Hash128& key, std::shared_ptr<const Known> known) {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (Slot& slot = slot_of(key); slot.key == key) slot.known = std::move(known);
  }

 private:
  struct Slot {
    Hash128 key;
    uint32_t calls = 0, credit = 0;
    std::shared_ptr<const Known> known;
  };
  // The slot of this key, else the one with the least credit of those that it may have.
  Slot& slot_of(const Hash128& key) {
    std::array<Slot, kWays>& set = sets_[key.high % kSets];
    const auto own = std::find_if(set.begin(), set.end(), [&](const Slot& s) { return s.key == key; });
    if (own != set.end()) return *own;
    return *std::min_element(set.begin(), set.end(), [](const Slot& a, const Slot& b) { return a.credit < b.credit; });
  }

  std::mutex mutex_;
  std::array<std::array<Slot, kWays>, kSets> sets_;
};

}  // namespace

Result<ir::Function> derivative(Derivative kind, const ir::Function& f, const std::vector<size_t>& sources) {
  return kind == Derivative::Vjp ? passes::vjp(f, sources) : passes::jvp(f, sources);
}

std::shared_ptr<CompiledEntry> code_of_derivative(Derivative kind, const ir::Function& f,
                                                  const std::vector<size_t>& sources) {
  if (current_trace() != 0 || default_device().type != Device::cpu || get_compile_mode() != CompileMode::enabled)
    return nullptr;
  const Hash128 key = key_of(kind, f, sources);
  bool due = false;
  std::shared_ptr<const Known> known = Table::instance().find(key, due);
  if (!known && due) {
    known = make_known(kind, f, sources);
    Table::instance().keep(key, known);
  }
  // A hash alone is no proof.
  if (!known || !known->code || known->kind != kind || known->sources != sources || !same(known->function, f))
    return nullptr;
  return known->code;
}

std::vector<array> call_derivative(const std::shared_ptr<CompiledEntry>& code, const std::vector<array>& inputs,
                                   const std::vector<array>& further) {
  std::vector<const array*> arguments;
  arguments.reserve(inputs.size() + further.size());
  for (const std::vector<array>* part : {&inputs, &further})
    for (const array& a : *part) arguments.push_back(&a);
  const auto operation = make_call(code, arguments);
  SymbolValues none;
  std::vector<array> results;
  results.reserve(code->result_count());
  for (size_t i = 0; i < code->result_count(); ++i) results.push_back(array_of(next_result(operation, none)));
  return results;
}

}  // namespace frit::detail
