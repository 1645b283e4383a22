// The graph as the page draws it: ops with their places, groups as boxes, edges between groups with reasons.
#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>

#include "codegen/report/layout.h"
#include "codegen/report/op_places.h"
#include "codegen/report/parts.h"
#include "ir/graph/control.h"
#include "ir/text/printer.h"

namespace frit::codegen::report {

namespace {

using namespace ir;

constexpr double kPadding = 14, kHead = 24;

// Open braces that a line leaves behind, those in quotes not counted.
int depth_of(std::string_view line) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\\' && quoted) ++i;
    if (line[i] == '"') quoted = !quoted;
    if (!quoted) depth += line[i] == '{' ? 1 : line[i] == '}' ? -1 : 0;
  }
  return depth;
}

// The text of each op in the printed function: a line, or with regions several.
std::vector<std::string> op_lines(const Function& f) {
  constexpr size_t kLongest = 400;  // of literals and regions
  std::vector<std::string> lines;
  const std::string text = print(f, {.locations = false});
  int inside = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    const size_t begin = line.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    line.erase(0, begin);
    if (inside > 0) {
      inside += depth_of(line);
      if (lines.back().size() < kLongest) lines.back() += " " + line;
      continue;
    }
    const bool is_other = line.starts_with("func ") || line.starts_with("group ") || line.starts_with("return") ||
                          line.starts_with("}") || line.starts_with("frit ");
    if (is_other) continue;
    inside = depth_of(line);
    lines.push_back(std::move(line));
  }
  for (std::string& line : lines)
    if (line.size() > kLongest) line.resize(kLongest), line += " ...";
  return lines;
}

// One number per box of the drawing: parameters, groups (each op without a group is one), results.
struct Boxes {
  std::vector<std::vector<uint32_t>> members;  // ops
  std::vector<int> kinds;                      // 0 parameter, 1 group, 2 result
  std::vector<uint32_t> of_op;
};

Boxes boxes_of(const Function& f) {
  Boxes b;
  for (size_t i = 0; i < f.params.size(); ++i) b.members.emplace_back(), b.kinds.push_back(0);
  b.of_op.resize(f.ops.size());
  const auto first = static_cast<uint32_t>(b.members.size());
  for (size_t g = 0; g < f.groups.size(); ++g) b.members.emplace_back(), b.kinds.push_back(1);
  for (uint32_t i = 0; i < f.ops.size(); ++i) {
    const int32_t group = f.ops[i].group;
    const uint32_t box = group >= 0 ? first + static_cast<uint32_t>(group) : static_cast<uint32_t>(b.members.size());
    if (group < 0) b.members.emplace_back(), b.kinds.push_back(1);
    b.members[box].push_back(i);
    b.of_op[i] = box;
  }
  for (size_t i = 0; i < f.results.size(); ++i) b.members.emplace_back(), b.kinds.push_back(2);
  return b;
}

double rounded(double v) { return std::round(v * 10) / 10; }

class GraphPart {
 public:
  GraphPart(Json& doc, const Function& f, const Compilation& c)
      : doc_(doc), f_(f), c_(c), boxes_(boxes_of(f)), places_(f) {}

  void run() {
    for (size_t i = 0; i < boxes_.members.size(); ++i) inner(i);
    add_edges();
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
    for (const auto& [pair, values] : edges_) pairs.push_back(pair);
    const auto [width, height] = lay_out(outer_, pairs, 36, 46, 4800);
    doc_["layout"] = {{"width", rounded(width)}, {"height", rounded(height)}, {"op", {kOpWidth, kOpHeight}}};
    add_ops();
    add_boxes();
    add_docs();
  }

 private:
  // Places the ops of a box inside of it.
  void inner(size_t box) {
    const std::vector<uint32_t>& members = boxes_.members[box];
    if (members.empty()) {
      outer_.push_back({kOpWidth, kOpHeight});
      return;
    }
    const auto [width, height] = places_.place(members);
    outer_.push_back({width + 2 * kPadding, height + kHead + kPadding});
  }

  uint32_t box_of(ValueId v) const {
    const Value& value = f_.values[v];
    return value.op == kNone ? value.index : boxes_.of_op[value.op];
  }

  void add_edges() {
    for (uint32_t i = 0; i < f_.ops.size(); ++i)
      for (ValueId o : f_.ops[i].operands)
        if (box_of(o) != boxes_.of_op[i]) edges_[{box_of(o), boxes_.of_op[i]}].insert(o);
    const auto first = static_cast<uint32_t>(boxes_.members.size() - f_.results.size());
    for (uint32_t i = 0; i < f_.results.size(); ++i) edges_[{box_of(f_.results[i]), first + i}].insert(f_.results[i]);
  }

  Json op_json(const PlacedOp& placed, const std::string& text) const {
    const Function& f = *placed.function;
    const Op& op = f.ops[placed.op];
    const PlacedOp* outer = &placed;
    while (outer->around >= 0) outer = &places_.ops()[static_cast<size_t>(outer->around)];
    Json j{{"name", op.def->name}, {"box", boxes_.of_op[outer->op]}};
    j["type"] = op.results.empty() ? "" : f.type(op.results[0]).str();
    j["text"] = text.empty() ? std::string(op.def->name) : text;
    Json from = Json::array();
    for (ValueId o : op.operands) {
      // Ops by number, the function's parameters as -1 - number. A region's parameters are the operands of its op.
      const Value& v = f.values[o];
      if (v.op != kNone)
        from.push_back(placed.first + v.op);
      else if (placed.around < 0)
        from.push_back(-1 - static_cast<int64_t>(v.index));
    }
    j["from"] = std::move(from);
    if (op.loc.known()) j["at"] = to_string({op.loc.file, op.loc.line, 0});
    j["x"] = rounded(kPadding + placed.x);
    j["y"] = rounded(kHead + placed.y);
    if (placed.around >= 0) j["around"] = placed.around;
    if (placed.labels.empty()) return j;
    j["size"] = {rounded(placed.width), rounded(placed.height)};
    for (const PlacedOp::Label& l : placed.labels)
      j["regions"].push_back({{"name", l.region}, {"x", rounded(l.x)}, {"y", rounded(l.y)}});
    return j;
  }

  void add_ops() {
    std::map<const Function*, std::vector<std::string>> lines;
    Json& list = doc_["ops"] = Json::array();
    for (const PlacedOp& placed : places_.ops()) {
      const auto [known, added] = lines.try_emplace(placed.function);
      if (added) known->second = op_lines(*placed.function);
      list.push_back(op_json(placed, placed.op < known->second.size() ? known->second[placed.op] : ""));
    }
    const std::vector<std::string> names = value_names(f_);
    Json& params = doc_["parameters"] = Json::array();
    for (size_t i = 0; i < f_.params.size(); ++i)
      params.push_back({{"name", f_.values[f_.params[i]].name},
                        {"type", f_.type(f_.params[i]).str()},
                        {"weight", std::string(f_.weight(i))}});
    Json& results = doc_["results"] = Json::array();
    for (size_t i = 0; i < f_.results.size(); ++i)
      results.push_back({{"name", std::string(f_.result_name(i))},
                         {"type", f_.type(f_.results[i]).str()},
                         {"value", names[f_.results[i]]}});
  }

  void add_boxes() {
    static constexpr const char* kKinds[] = {"parameter", "group", "result"};
    Json& list = doc_["boxes"] = Json::array();
    const size_t params = f_.params.size();
    for (size_t i = 0; i < boxes_.members.size(); ++i) {
      const size_t number = boxes_.kinds[i] == 2 ? i - (boxes_.members.size() - f_.results.size()) : i;
      const Box& b = outer_[i];
      Json j{{"kind", kKinds[boxes_.kinds[i]]}};
      j["number"] = boxes_.kinds[i] == 1 ? i - params : number;
      if (boxes_.kinds[i] == 1 && i - params < f_.groups.size()) j["form"] = ir::name(f_.groups[i - params].kind);
      if (boxes_.kinds[i] == 1) j["ops"] = boxes_.members[i];
      j["at"] = {rounded(b.x), rounded(b.y), rounded(b.width), rounded(b.height)};
      list.push_back(std::move(j));
    }
    std::map<std::pair<uint32_t, uint32_t>, std::string> reasons;
    for (const passes::GroupEdge& e : c_.context.edges) reasons[{e.from, e.to}] = e.why;
    const std::vector<std::string> names = value_names(f_);
    Json& edges = doc_["edges"] = Json::array();
    for (const auto& [pair, values] : edges_) {
      Json j{{"from", pair.first}, {"to", pair.second}, {"values", Json::array()}};
      for (ValueId v : values) j["values"].push_back(names[v] + ": " + f_.type(v).str());
      const bool groups = boxes_.kinds[pair.first] == 1 && boxes_.kinds[pair.second] == 1;
      if (groups && !f_.groups.empty()) {
        const auto p = static_cast<uint32_t>(params);
        const auto found = reasons.find({pair.first - p, pair.second - p});
        j["why"] = found == reasons.end() ? Json() : Json(found->second);
      }
      edges.push_back(std::move(j));
    }
  }

  void add_docs() {
    Json& docs = doc_["docs"] = Json::object();
    for (const PlacedOp& placed : places_.ops()) {
      const OpDef& def = *placed.function->ops[placed.op].def;
      docs[std::string(def.name)] = def.doc;
    }
  }

  Json& doc_;
  const Function& f_;
  const Compilation& c_;
  Boxes boxes_;
  std::vector<Box> outer_;
  OpPlaces places_;
  std::map<std::pair<uint32_t, uint32_t>, std::set<ValueId>> edges_;
};

}  // namespace

void add_graph(Json& doc, const Function& f, const Compilation& c) { GraphPart(doc, f, c).run(); }

void add_sources(Json& doc, const Function& f, const ReportRequest& request) {
  std::map<std::string, std::set<uint32_t>> wanted;
  const auto want = [&](const auto& self, const Function& of) -> void {
    for (const Op& op : of.ops) {
      if (op.loc.known() && op.loc.line) wanted[op.loc.file].insert(op.loc.line);
      for (std::string_view region : regions_of(op)) self(self, std::get<Region>(*op.attrs.find(region)).function());
    }
  };
  want(want, f);
  Json& list = doc["sources"] = Json::object();
  for (const auto& [file, lines] : wanted) {
    std::string text;
    if (const auto given = request.texts.find(file); given != request.texts.end()) {
      text = given->second;
    } else if (std::ifstream in(file, std::ios::binary); in.is_open()) {
      text.assign(std::istreambuf_iterator<char>(in), {});
    }
    Json& out = list[file] = Json::object();
    uint32_t number = 1;
    for (size_t at = 0; at < text.size(); ++number) {
      const size_t end = std::min(text.find('\n', at), text.size());
      constexpr uint32_t kAround = 2;
      const auto near = lines.lower_bound(number > kAround ? number - kAround : 0);
      if (near != lines.end() && *near <= number + kAround)
        out[std::to_string(number)] = text.substr(at, std::min<size_t>(end - at, 400));
      at = end + 1;
    }
  }
}

}  // namespace frit::codegen::report
