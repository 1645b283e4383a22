// Guards (runtime/execute/guard.h) as bytes: the part that signatures and images have in common.
#pragma once

#include <span>

#include "runtime/execute/guard.h"
#include "runtime/system/plan_codec.h"

namespace frit::runtime {

class GuardWriter : protected PlanWriter {
 protected:
  // All of a guard but the names of its symbols.
  void sources_and_checks(const Guard& guard) {
    list(guard.sources, [&](const Guard::Source& source) {
      out_.u32(source.input);
      out_.u32(source.axis);
    });
    list(guard.checks, [&](const Guard::Check& c) { check(c); });
  }

 private:
  void check(const Guard::Check& c) {
    out_.u8(static_cast<uint8_t>(c.index()));
    if (const auto* s = std::get_if<Guard::Size>(&c)) {
      out_.u32(s->input);
      out_.u32(s->axis);
      size(s->expected);
    } else if (const auto* r = std::get_if<Guard::Range>(&c)) {
      out_.u32(r->symbol);
      for (int64_t n : {r->low, r->high, r->multiple}) out_.u64(static_cast<uint64_t>(n));
    } else {
      const auto& condition = std::get<Guard::Condition>(c);
      size(condition.value);
      out_.u8(static_cast<uint8_t>(condition.kind));
    }
  }
};

class GuardReader : protected PlanReader {
 protected:
  explicit GuardReader(std::string_view bytes) : PlanReader(bytes) {}

  // `ranks` are those of the inputs; `guard.symbol_names` are there already, and symbols_ is their number.
  void sources_and_checks(Guard& guard, std::span<const size_t> ranks) {
    list(guard.sources, 8, [&] { return source(ranks); });
    require(guard.sources.size() == guard.symbol_names.size(), "its symbols have other names");
    list(guard.checks, 5, [&] { return check(ranks); });
  }

  Guard::Source source(std::span<const size_t> ranks) {
    Guard::Source s{in_.u32(), in_.u32()};
    require(s.input < ranks.size() && s.axis < ranks[s.input], "a symbol is read from an axis that does not exist");
    return s;
  }

 private:
  Guard::Check check(std::span<const size_t> ranks) {
    switch (in_.u8()) {
      case 0: {
        const Guard::Source at = source(ranks);
        return Guard::Size{at.input, at.axis, size()};
      }
      case 1: {
        Guard::Range r{};
        r.symbol = in_.u32();
        require(r.symbol < symbols_, "a check is of a symbol that does not exist");
        for (int64_t* n : {&r.low, &r.high, &r.multiple}) *n = static_cast<int64_t>(in_.u64());
        require(r.multiple >= 1, "a size is a multiple of nothing");
        return r;
      }
      case 2: {
        Guard::Condition c{size(), {}};
        c.kind = flag() ? Guard::Condition::Kind::NonNegative : Guard::Condition::Kind::Zero;
        return c;
      }
      default: require(false, "a check is of no known kind"); return Guard::Range{};
    }
  }
};

}  // namespace frit::runtime
