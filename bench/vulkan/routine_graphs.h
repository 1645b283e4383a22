// Graphs of one routine each, sorting and Fourier transforms, with the bytes that they must read and write.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

struct RoutineGraph {
  std::string name, text;
  double bytes;
};

namespace routine_graphs {

inline std::string type(const std::string& element, int64_t rows, int64_t length) {
  return element + "[" + (rows > 1 ? std::to_string(rows) + ", " : "") + std::to_string(length) + "]";
}

inline RoutineGraph graph(const std::string& op, const std::string& from, const std::string& to, double bytes) {
  return {op.substr(0, op.find(' ')) + " " + from,
          "func @routine(%x: " + from + ") -> " + to + " {\n  %0: " + to + " = " + op.substr(0, op.find(' ')) + " %x" +
              (op.find(' ') < op.size() ? op.substr(op.find(' ')) : "") + "\n  return %0\n}",
          bytes};
}

}  // namespace routine_graphs

// Of a list "sort:1000x64,fft:5x4096": a routine on that many rows of that length each.
inline std::vector<RoutineGraph> listed_routine_graphs(const std::string& list) {
  using namespace routine_graphs;
  std::vector<RoutineGraph> all;
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find(',', at), list.size()), colon = list.find(':', at),
                 by = list.find('x', colon);
    if (colon > end || by > end) break;
    const std::string op = list.substr(at, colon - at), n_text = list.substr(by + 1, end - by - 1);
    const int64_t rows = std::stoll(list.substr(colon + 1)), n = std::stoll(n_text), half = n / 2 + 1;
    const std::string x = op == "fft" || op == "irfft" ? "c64" : "f32";
    const std::string y = op == "fft" || op == "rfft" ? "c64" : op == "argsort" ? "u32" : "f32";
    const int64_t from = op == "irfft" ? half : n, to = op == "rfft" ? half : op == "topk" ? 50 : n;
    const std::string attributes = op == "irfft"       ? " {n=" + n_text + "}"
                                   : op == "topk"      ? " {k=50}"
                                   : op == "partition" ? " {kth=" + std::to_string(n / 50) + "}"
                                                       : "";
    all.push_back(graph(op + attributes, type(x, rows, from), type(y, rows, to),
                        static_cast<double>(rows * from) * (x == "c64" ? 8 : 4) +
                            static_cast<double>(rows * to) * (y == "c64" ? 8 : 4)));
    at = end + 1;
  }
  return all;
}

// `scale` divides the numbers of rows, and the lengths of single rows.
inline std::vector<RoutineGraph> all_routine_graphs(int64_t scale) {
  using namespace routine_graphs;
  std::vector<RoutineGraph> all;
  const auto add = [&](const std::string& op, const char* from, const char* to, int64_t rows, int64_t n, int64_t m) {
    const double bytes = static_cast<double>(rows * n) * (from[0] == 'c' ? 8 : 4) +
                         static_cast<double>(rows * m) * (to[0] == 'c' ? 8 : 4);
    all.push_back(graph(op, type(from, rows, n), type(to, rows, m), bytes));
  };
  const auto part = [&](int64_t count) { return std::max<int64_t>(1, count / scale); };
  for (const auto& [rows, n] :
       {std::pair<int64_t, int64_t>{1, part(1 << 24)}, {part(4096), 4096}, {part(1 << 20), 16}}) {
    add("sort", "f32", "f32", rows, n, n);
    add("argsort", "f32", "u32", rows, n, n);
  }
  add("topk {k=50}", "f32", "f32", part(1024), 50257, 50);
  add("partition {kth=1000}", "f32", "f32", part(1024), 50257, 50257);
  for (const auto& [rows, n] : {std::pair<int64_t, int64_t>{1, part(1 << 20)},
                                {1, part(1 << 24)},
                                {1, part(1000000)},
                                {1, part(3 << 18)},
                                {part(1024), 10000},
                                {part(1024), 15015},
                                {part(64), 65521},
                                {part(16384), 1024},
                                {part(1 << 20), 16},
                                {part(16384), 1000},
                                {part(4096), 4096},
                                {part(4096), 1009},
                                {part(1024), 16384}})
    add("fft", "c64", "c64", rows, n, n);
  add("rfft", "f32", "c64", part(4096), 4096, 2049);
  add("rfft", "f32", "c64", 1, part(1 << 20), part(1 << 20) / 2 + 1);
  add("irfft {n=4096}", "c64", "f32", part(4096), 2049, 4096);
  return all;
}
