// Parses subscripts and chooses the order of contractions.
#include "frontend/ops/einsum_path.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace frit::detail {

namespace {

constexpr Label kEllipsis = 1000;  // the last axis of an ellipsis; the one before it is one more

class Parser {
 public:
  Parser(std::string_view op, std::string text, const std::vector<array>& operands, const StreamOrDevice& s)
      : op_(op), text_(std::move(text)), operands_(operands), s_(s) {
    text_.erase(std::remove(text_.begin(), text_.end(), ' '), text_.end());
  }

  Subscripts parse() {
    const size_t arrow = text_.find("->");
    const std::string left = text_.substr(0, arrow);
    std::vector<std::string> terms{""};
    for (const char c : left) c == ',' ? (void)terms.emplace_back() : (void)(terms.back() += c);
    if (terms.size() != operands_.size())
      refuse(std::to_string(operands_.size()) + " operands do not match the " + std::to_string(terms.size()) +
                 " terms of '" + text_ + "'",
             "give one term for each operand, with commas between them");
    for (size_t i = 0; i < terms.size(); ++i) read_input(terms[i], operands_[i]);
    if (arrow == std::string::npos)
      implicit_output();
    else
      read_output(text_.substr(arrow + 2));
    result_.text = arrow == std::string::npos ? text_ + "->" + spelled(result_.output) : text_;
    return std::move(result_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, std::string note) const {
    fail(std::string(op_) + ": " + what, std::move(note), s_);
  }

  // The letters of a term, and the place of its ellipsis; -1 without one.
  std::pair<Labels, int> read_term(const std::string& term) const {
    Labels labels;
    int ellipsis = -1;
    for (size_t i = 0; i < term.size(); ++i) {
      if (term.compare(i, 3, "...") == 0) {
        if (ellipsis >= 0) refuse("term '" + term + "' has more than one ellipsis", "write '...' once");
        ellipsis = static_cast<int>(labels.size());
        i += 2;
      } else if (std::isalpha(static_cast<unsigned char>(term[i]))) {
        labels.push_back(term[i]);
      } else {
        refuse("'" + std::string(1, term[i]) + "' in '" + text_ + "' is not a letter",
               "name axes by letters, and axes that are left alone by '...'");
      }
    }
    return {labels, ellipsis};
  }

  void read_input(const std::string& term, const array& operand) {
    auto [labels, ellipsis] = read_term(term);
    const int hidden = static_cast<int>(operand.ndim()) - static_cast<int>(labels.size());
    if (ellipsis < 0 ? hidden != 0 : hidden < 0)
      refuse("term '" + term + "' does not fit " + detail::text(operand), "give a letter for each axis");
    Labels all(labels.begin(), labels.begin() + std::max(ellipsis, 0));
    if (ellipsis < 0) all = labels;
    for (int i = 0; ellipsis >= 0 && i < hidden; ++i) all.push_back(kEllipsis + hidden - 1 - i);
    if (ellipsis >= 0) all.insert(all.end(), labels.begin() + ellipsis, labels.end());
    if (ellipsis >= 0) hidden_ = std::max(hidden_, hidden);
    for (size_t i = 0; i < all.size(); ++i) note_size(all[i], all, i, operand);
    result_.inputs.push_back(std::move(all));
  }

  void note_size(Label label, const Labels& all, size_t i, const array& operand) {
    const Dim size = size_of(operand, static_cast<int>(i));
    const auto [known, fresh] = result_.sizes.try_emplace(label, size);
    if (fresh) return;
    const auto first = static_cast<size_t>(std::find(all.begin(), all.end(), label) - all.begin());
    const bool fits = first != i ? require_equal(size_of(operand, static_cast<int>(first)), size, op_, s_.where())
                                 : broadcast_size(op_, known->second, size, s_);
    if (!fits)
      refuse("axis " + std::to_string(i) + " of " + detail::text(operand) + " does not fit size " +
                 detail::text(known->second) + " of the same label in '" + text_ + "'",
             "axes of one label must have equal sizes, or size 1");
  }

  void read_output(const std::string& term) {
    const auto [labels, ellipsis] = read_term(term);
    for (size_t i = 0; i <= labels.size(); ++i) {
      if (static_cast<int>(i) == ellipsis) add_ellipsis();
      if (i == labels.size()) break;
      if (std::count(labels.begin(), labels.end(), labels[i]) > 1)
        refuse("'" + term + "' names an axis twice", "name each axis of the result once");
      if (!result_.sizes.contains(labels[i]))
        refuse(
            "'" + std::string(1, static_cast<char>(labels[i])) + "' of the result is in no operand of '" + text_ + "'",
            "use letters of the operands");
      result_.output.push_back(labels[i]);
    }
  }

  // The axes of ellipses, then the letters that occur once.
  void implicit_output() {
    add_ellipsis();
    std::map<Label, int> uses;
    for (const Labels& labels : result_.inputs)
      for (const Label l : labels) ++uses[l];
    for (const auto& [label, n] : uses)
      if (n == 1 && label < kEllipsis) result_.output.push_back(label);
  }

  void add_ellipsis() {
    for (int i = hidden_; i-- > 0;) result_.output.push_back(kEllipsis + i);
  }

  static std::string spelled(const Labels& labels) {
    std::string text;
    for (const Label l : labels)
      if (l < kEllipsis)
        text += static_cast<char>(l);
      else if (!text.ends_with("..."))
        text += "...";
    return text;
  }

  std::string_view op_;
  std::string text_;
  const std::vector<array>& operands_;
  const StreamOrDevice& s_;
  int hidden_ = 0;  // the most axes that an ellipsis stands for
  Subscripts result_;
};

using LabelSizes = std::map<Label, double>;

// Open sizes count with the values of the arguments that are traced with.
LabelSizes numbers(const Subscripts& subscripts) {
  LabelSizes sizes;
  for (const auto& [label, d] : subscripts.sizes) sizes[label] = static_cast<double>(hint(d).value_or(1024));
  return sizes;
}

double size_of(const Labels& labels, const LabelSizes& sizes) {
  double n = 1;
  for (const Label l : std::set<Label>(labels.begin(), labels.end())) n *= sizes.at(l);
  return n;
}

Labels united(const std::vector<Labels>& inputs, const std::vector<int>& positions) {
  std::set<Label> all;
  for (const int p : positions)
    all.insert(inputs[static_cast<size_t>(p)].begin(), inputs[static_cast<size_t>(p)].end());
  return {all.begin(), all.end()};
}

// Multiplications and additions of one contraction.
double operations(const Labels& all, size_t terms, bool sums, const LabelSizes& sizes) {
  return size_of(all, sizes) * (static_cast<double>(std::max<size_t>(1, terms - 1)) + (sums ? 1 : 0));
}

struct Step {
  double removed, cost;
  std::vector<int> positions;
};

double operations_of(const std::vector<Labels>& inputs, const std::vector<int>& positions, const Labels& kept,
                     const LabelSizes& sizes) {
  const Labels all = united(inputs, positions);
  return operations(all, positions.size(), all.size() > kept.size(), sizes);
}

void contract(std::vector<Labels>& inputs, const std::vector<int>& positions, const Labels& output) {
  Labels kept = kept_labels(inputs, positions, output);
  for (size_t i = positions.size(); i-- > 0;) inputs.erase(inputs.begin() + positions[i]);
  inputs.push_back(std::move(kept));
}

}  // namespace

Subscripts parse_subscripts(std::string_view op, const std::string& text, const std::vector<array>& operands,
                            const StreamOrDevice& s) {
  return Parser(op, text, operands, s).parse();
}

Labels kept_labels(const std::vector<Labels>& inputs, const std::vector<int>& positions, const Labels& output) {
  std::set<Label> needed(output.begin(), output.end());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (std::find(positions.begin(), positions.end(), static_cast<int>(i)) == positions.end())
      needed.insert(inputs[i].begin(), inputs[i].end());
  Labels kept;
  for (const Label l : united(inputs, positions))
    if (needed.contains(l)) kept.push_back(l);
  return kept;
}

ContractionPath greedy_path(const Subscripts& subscripts) {
  std::vector<Labels> inputs = subscripts.inputs;
  const auto everything = [&] {
    std::vector<int> all;
    for (size_t i = 0; i < inputs.size(); ++i) all.push_back(static_cast<int>(i));
    return all;
  };
  ContractionPath path;
  if (inputs.size() <= 2) return {everything()};
  const LabelSizes sizes = numbers(subscripts);
  // No intermediate result may be larger than the largest operand or the result, and the way there no longer than
  // contracting all at once.
  double largest = size_of(subscripts.output, sizes), spent = 0;
  for (const Labels& labels : inputs) largest = std::max(largest, size_of(labels, sizes));
  const double naive = operations_of(inputs, everything(), subscripts.output, sizes);
  while (inputs.size() > 1) {
    std::optional<Step> best;
    // Pairs without a common label come last.
    for (const bool outer : {false, true}) {
      for (int i = 0; i < static_cast<int>(inputs.size()) && (!best || !outer); ++i)
        for (int j = i + 1; j < static_cast<int>(inputs.size()); ++j) {
          const Labels &a = inputs[static_cast<size_t>(i)], &b = inputs[static_cast<size_t>(j)];
          const bool common =
              std::any_of(a.begin(), a.end(), [&](Label l) { return std::count(b.begin(), b.end(), l); });
          if (!common && !outer) continue;
          const Labels kept = kept_labels(inputs, {i, j}, subscripts.output);
          const double size = size_of(kept, sizes), cost = operations_of(inputs, {i, j}, kept, sizes);
          if (size > largest || spent + cost > naive) continue;
          Step step{size_of(a, sizes) + size_of(b, sizes) - size, cost, {i, j}};
          if (!best || step.removed > best->removed || (step.removed == best->removed && step.cost < best->cost))
            best = std::move(step);
        }
      if (best) break;
    }
    if (!best) {
      path.push_back(everything());
      break;
    }
    spent += best->cost;
    contract(inputs, best->positions, subscripts.output);
    path.push_back(std::move(best->positions));
  }
  return path;
}

std::string path_text(const Subscripts& subscripts, const ContractionPath& path) {
  const LabelSizes sizes = numbers(subscripts);
  std::vector<Labels> inputs = subscripts.inputs;
  double operations = 0;
  size_t scaling = 0;
  for (const std::vector<int>& positions : path) {
    scaling = std::max(scaling, united(inputs, positions).size());
    operations += operations_of(inputs, positions, kept_labels(inputs, positions, subscripts.output), sizes);
    contract(inputs, positions, subscripts.output);
  }
  std::vector<int> all;
  for (size_t i = 0; i < subscripts.inputs.size(); ++i) all.push_back(static_cast<int>(i));
  const auto number = [](double n) { return std::to_string(static_cast<int64_t>(n)); };
  return "  Complete contraction:  " + subscripts.text +
         "\n         Naive scaling:  " + std::to_string(united(subscripts.inputs, all).size()) +
         "\n     Optimized scaling:  " + std::to_string(scaling) +
         "\n      Naive FLOP count:  " + number(operations_of(subscripts.inputs, all, subscripts.output, sizes)) +
         "\n  Optimized FLOP count:  " + number(operations) + "\n";
}

}  // namespace frit::detail
