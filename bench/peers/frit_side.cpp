// frit's side of `make bench-peers`, or with --limit the machine's: answers run.py's commands, one line each.
//
//   prepare NAME   makes the inputs, compiles, warms up; {"seconds": of one warm run, "check": the sum over the results
//                  of the mean of 1000 |numbers|}
//   time N         N runs; {"seconds": [...]}
//   release        drops the prepared work
//
// A name that this side does not have gives {"skip": "reason"}.
#include <cmath>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>

#include "limit.h"

using namespace frit;

namespace {

// Makes one run and returns its seconds.
using Run = std::function<double()>;

struct Prepared {
  Run run;
  double check = std::nan("");
};

double check_of(const bench::Arrays& results) {
  double all = 0;
  for (const array& y : results) {
    const array flat = astype(y, float32);
    const float* data = flat.data<float>();
    const size_t n = std::min<size_t>(flat.size(), 1000);
    double sum = 0;
    for (size_t i = 0; i < n; ++i) sum += std::abs(static_cast<double>(data[i]));
    all += sum / static_cast<double>(n);
  }
  return all;
}

// A cached call on scalars, evaluation included; many calls make one run.
Prepared scalar_call() {
  auto f = compile([](const array& x, const array& y) { return exp(-x) + y; });
  const array x(1.0f), y(2.0f);
  constexpr int kCalls = 1000;
  Run run = [=]() mutable {
    return bench::seconds([&] {
             for (int i = 0; i < kCalls; ++i) eval(f(x, y));
           }) /
           kCalls;
  };
  return {std::move(run), check_of({f(x, y)})};
}

// From closure to result, in a process that has compiled before. A constant that differs each time keeps the caches
// from answering.
Prepared cold_compile() {
  const array x = bench::numbers({1024}, 0, 4);
  auto c = std::make_shared<float>(0.70710678f);
  const auto once = [=] {
    *c = std::nextafter(*c, 1.0f);
    const float k = *c;
    array y = compile([k](const array& v) { return v * (1 + erf(v * k)) / 2; })(x);
    eval(y);
    return y;
  };
  return {[=] { return bench::seconds(once); }, check_of({once()})};
}

Prepared prepare(const bench::Work& work) {
  auto inputs = std::make_shared<bench::Arrays>(work.inputs());
  auto compiled = compile(work.graph);
  const double check = check_of(compiled(*inputs));
  return {[=]() mutable { return bench::seconds([&] { eval(compiled(*inputs)); }); }, check};
}

Prepared prepare_limit(const bench::Work& work) {
  if (work.limit.kind == bench::Limit::kNone) return {};
  auto run = std::make_shared<bench::LimitRun>(work);
  return {[=] { return bench::seconds(*run); }};
}

Prepared find(const std::string& name, bool limit) {
  if (name == "scalar_call" && !limit) return scalar_call();
  if (name == "cold_compile" && !limit) return cold_compile();
  for (const bench::Work& work : bench::works())
    if (work.name == name) return limit ? prepare_limit(work) : prepare(work);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const bool limit = argc > 1 && std::string(argv[1]) == "--limit";
  Prepared prepared;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string command, name;
    words >> command;
    if (command == "prepare" && words >> name) {
      prepared = {};
      clear_cache();
      prepared = find(name, limit);
      if (!prepared.run) {
        std::puts("{\"skip\": \"no such figure\"}");
      } else {
        prepared.run();
        const double seconds = prepared.run();
        if (limit)
          std::printf("{\"seconds\": %.9g}\n", seconds);
        else
          std::printf("{\"seconds\": %.9g, \"check\": %.9g}\n", seconds, prepared.check);
      }
    } else if (int n = 0; command == "time" && words >> n && prepared.run) {
      std::printf("{\"seconds\": [");
      for (int i = 0; i < n; ++i) std::printf("%s%.9g", i ? ", " : "", prepared.run());
      std::puts("]}");
    } else if (command == "release") {
      prepared = {};
      clear_cache();
      std::puts("{}");
    } else {
      std::puts("{\"skip\": \"unknown command\"}");
    }
    std::fflush(stdout);
  }
}
