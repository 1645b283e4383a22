// Layers by longest path, orders them by barycentres, and places each box near the boxes above it.
#include "codegen/report/layout.h"

#include <algorithm>
#include <numeric>

namespace frit::codegen::report {

namespace {

using Edges = std::vector<std::pair<uint32_t, uint32_t>>;

struct Neighbours {
  std::vector<std::vector<uint32_t>> above, below;
};

// Longest paths from the boxes without a box above. Edges of a cycle, which a right graph does not have, are ignored.
std::vector<uint32_t> layers_of(size_t count, const Neighbours& near) {
  std::vector<uint32_t> layer(count, 0), waiting(count, 0), ready;
  for (size_t i = 0; i < count; ++i) {
    waiting[i] = static_cast<uint32_t>(near.above[i].size());
    if (!waiting[i]) ready.push_back(static_cast<uint32_t>(i));
  }
  while (!ready.empty()) {
    const uint32_t i = ready.back();
    ready.pop_back();
    for (uint32_t b : near.below[i]) {
      layer[b] = std::max(layer[b], layer[i] + 1);
      if (--waiting[b] == 0) ready.push_back(b);
    }
  }
  // A box without a box above stands just above its first reader, not at the top of the page.
  for (size_t i = 0; i < count; ++i) {
    if (!near.above[i].empty() || near.below[i].empty()) continue;
    uint32_t first = ~0u;
    for (uint32_t b : near.below[i]) first = std::min(first, layer[b]);
    layer[i] = first ? first - 1 : 0;
  }
  return layer;
}

// A few sweeps that sort each layer by the mean place of the neighbours in the layer before.
void order(std::vector<std::vector<uint32_t>>& rows, const Neighbours& near, size_t count) {
  std::vector<double> place(count, 0), key(count, 0);
  const auto number = [&](const std::vector<uint32_t>& row) {
    for (size_t i = 0; i < row.size(); ++i) place[row[i]] = static_cast<double>(i) / static_cast<double>(row.size());
  };
  for (const auto& row : rows) number(row);
  for (int sweep = 0; sweep < 6; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (size_t k = 0; k < rows.size(); ++k) {
      auto& row = rows[down ? k : rows.size() - 1 - k];
      for (uint32_t i : row) {
        const auto& list = down ? near.above[i] : near.below[i];
        double sum = 0;
        for (uint32_t other : list) sum += place[other];
        key[i] = list.empty() ? place[i] : sum / static_cast<double>(list.size());
      }
      std::stable_sort(row.begin(), row.end(), [&](uint32_t a, uint32_t b) { return key[a] < key[b]; });
      number(row);
    }
  }
}

}  // namespace

std::pair<double, double> lay_out(std::vector<Box>& boxes, const Edges& edges, double gap_x, double gap_y,
                                  double widest) {
  Neighbours near;
  near.above.resize(boxes.size());
  near.below.resize(boxes.size());
  Edges unique = edges;
  std::sort(unique.begin(), unique.end());
  unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
  for (const auto& [from, to] : unique) {
    if (from == to) continue;
    near.below[from].push_back(to);
    near.above[to].push_back(from);
  }
  const std::vector<uint32_t> layer = layers_of(boxes.size(), near);
  std::vector<std::vector<uint32_t>> layers(boxes.empty() ? 0
                                                          : *std::max_element(layer.begin(), layer.end()) + size_t{1});
  for (size_t i = 0; i < boxes.size(); ++i) layers[layer[i]].push_back(static_cast<uint32_t>(i));
  order(layers, near, boxes.size());

  // Rows: a layer that is too wide goes on below.
  std::vector<std::vector<uint32_t>> rows;
  for (const auto& l : layers) {
    double width = 0;
    rows.emplace_back();
    for (uint32_t i : l) {
      if (!rows.back().empty() && width + boxes[i].width > widest) rows.emplace_back(), width = 0;
      rows.back().push_back(i);
      width += boxes[i].width + gap_x;
    }
  }
  double y = 0, most = 0;
  for (const auto& row : rows) {
    // Each box wants to stand under the middle of the boxes above; the row is pushed apart from the left, then moved by
    // the mean of what that has cost.
    std::vector<double> wanted;
    for (uint32_t i : row) {
      double sum = 0;
      for (uint32_t a : near.above[i]) sum += boxes[a].x + boxes[a].width / 2;
      const auto n = static_cast<double>(near.above[i].size());
      wanted.push_back(near.above[i].empty() ? 0 : sum / n - boxes[i].width / 2);
    }
    double x = 0, moved = 0, height = 0;
    for (size_t k = 0; k < row.size(); ++k) {
      Box& b = boxes[row[k]];
      b.x = k ? std::max(x, wanted[k]) : wanted[k];
      b.y = y;
      x = b.x + b.width + gap_x;
      moved += wanted[k] - b.x;
      height = std::max(height, b.height);
    }
    moved /= std::max<double>(1, static_cast<double>(row.size()));
    for (uint32_t i : row) boxes[i].x += moved;
    y += height + gap_y;
  }
  double least = 0;
  for (const Box& b : boxes) least = std::min(least, b.x);
  for (Box& b : boxes) {
    b.x -= least;
    most = std::max(most, b.x + b.width);
  }
  return {most, boxes.empty() ? 0 : y - gap_y};
}

}  // namespace frit::codegen::report
