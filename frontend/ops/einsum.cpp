// Einstein sums: sums, products and matrix products, in the order of a path.
#include <algorithm>

#include "frontend/frit/contraction_ops.h"
#include "frontend/ops/composed.h"
#include "frontend/ops/einsum_path.h"

namespace frit {

using detail::Label;
using detail::Labels;
using detail::Subscripts;

namespace {

struct Term {
  array value;
  Labels labels;
};

bool has(const Labels& labels, Label l) { return std::find(labels.begin(), labels.end(), l) != labels.end(); }

int place(const Labels& labels, Label l) {
  return static_cast<int>(std::find(labels.begin(), labels.end(), l) - labels.begin());
}

class Contraction {
 public:
  Contraction(const Subscripts& subscripts, const StreamOrDevice& s) : subscripts_(subscripts), s_(s) {}

  // Every label once, of the size that all operands have together.
  Term prepared(Term t) const {
    for (size_t i = 0; i < t.labels.size(); ++i)
      for (size_t j = i + 1; j < t.labels.size(); ++j) {
        if (t.labels[i] != t.labels[j]) continue;
        const Label label = t.labels[i];
        t.value = diagonal(t.value, 0, static_cast<int>(i), static_cast<int>(j), s_);
        t.labels.erase(t.labels.begin() + static_cast<std::ptrdiff_t>(j));
        t.labels.erase(t.labels.begin() + static_cast<std::ptrdiff_t>(i));
        t.labels.push_back(label);
        return prepared(std::move(t));
      }
    return t;
  }

  // Sums over the labels that are not in `kept`.
  Term summed(Term t, const Labels& kept) const {
    std::vector<int> axes;
    Labels labels;
    for (size_t i = 0; i < t.labels.size(); ++i)
      has(kept, t.labels[i]) ? labels.push_back(t.labels[i]) : axes.push_back(static_cast<int>(i));
    if (!axes.empty()) t.value = sum(stretched(t).value, axes, false, s_);
    t.labels = labels;
    return t;
  }

  // With axes in the order of `labels`; those that the term lacks get size 1.
  array ordered(const Term& t, const Labels& labels) const {
    std::vector<int> order, missing;
    for (size_t i = 0; i < labels.size(); ++i)
      has(t.labels, labels[i]) ? order.push_back(place(t.labels, labels[i])) : missing.push_back(static_cast<int>(i));
    return expand_dims(transpose(t.value, order, s_), missing, s_);
  }

  Term multiplied(const Term& a, const Term& b) const {
    Labels all = a.labels;
    for (const Label l : b.labels)
      if (!has(all, l)) all.push_back(l);
    return {multiply(ordered(a, all), ordered(b, all), s_), all};
  }

  // Sums of products of terms with the same labels. A matrix product of a row and a column would turn their axes, and
  // fill no vector. It sums in f32 for types of 16 bits, and so does this.
  Term scalar_products(const Term& a, const Term& b, const Labels& kept) const {
    const array right = ordered(b, a.labels);
    const Dtype type = result_type({a.value, right});
    const Dtype wide = type == float16 || type == bfloat16 ? float32 : type;
    std::vector<int> axes;
    Labels labels;
    detail::ComposedKey key{detail::key_of(type)};
    for (size_t i = 0; i < a.labels.size(); ++i) {
      if (has(kept, a.labels[i])) {
        labels.push_back(a.labels[i]);
      } else {
        axes.push_back(static_cast<int>(i));
        key.push_back(axes.back());
      }
    }
    const StreamOrDevice s = s_;
    const auto products = [type, wide, axes, s](const std::vector<array>& in) {
      const array x = astype(in[0], wide, s), y = astype(in[1], wide, s);
      return astype(sum(multiply(x, y, s), axes, false, s), type, s);
    };
    return {detail::composed("sums_of_products", key, products, {a.value, right}, s_), labels};
  }

  Term pair(Term a, Term b, const Labels& kept) const {
    const auto needed = [&](const Labels& other) {
      Labels labels = kept;
      labels.insert(labels.end(), other.begin(), other.end());
      return labels;
    };
    const Labels labels_a = a.labels, labels_b = b.labels;
    a = summed(std::move(a), needed(labels_b));
    b = summed(std::move(b), needed(labels_a));
    Labels batch, rows, columns, inner;
    for (const Label l : a.labels) (!has(b.labels, l) ? rows : has(kept, l) ? batch : inner).push_back(l);
    for (const Label l : b.labels)
      if (!has(a.labels, l)) columns.push_back(l);
    if (inner.empty()) return summed(multiplied(a, b), kept);
    if (rows.empty() && columns.empty() && issubdtype(result_type({a.value, b.value}), inexact))
      return scalar_products(stretched(a), stretched(b), kept);
    const array left = matrix(stretched(a), batch, rows, inner), right = matrix(stretched(b), batch, inner, columns);
    Labels labels = batch;
    labels.insert(labels.end(), rows.begin(), rows.end());
    labels.insert(labels.end(), columns.begin(), columns.end());
    ir::Dims sizes;
    for (const Label l : labels) sizes.push_back(size(l));
    return {detail::with_sizes(matmul(left, right, s_), sizes, s_), labels};
  }

 private:
  Dim size(Label l) const { return detail::simplify(subscripts_.sizes.at(l)); }

  Dim product(const Labels& labels) const {
    Dim n = 1;
    for (const Label l : labels) n = n * size(l);
    return n;
  }

  // Axes of size 1 that are longer in another operand, at their full length.
  Term stretched(Term t) const {
    ir::Dims sizes;
    for (const Label l : t.labels) sizes.push_back(size(l));
    t.value = detail::stretch(t.value, sizes, s_);
    return t;
  }

  array matrix(const Term& t, const Labels& batch, const Labels& rows, const Labels& columns) const {
    Labels order = batch;
    order.insert(order.end(), rows.begin(), rows.end());
    order.insert(order.end(), columns.begin(), columns.end());
    ir::Dims sizes;
    for (const Label l : batch) sizes.push_back(size(l));
    sizes.push_back(product(rows));
    sizes.push_back(product(columns));
    return detail::with_sizes(ordered(t, order), sizes, s_);
  }

  const Subscripts& subscripts_;
  const StreamOrDevice& s_;
};

}  // namespace

std::pair<std::vector<std::vector<int>>, std::string> einsum_path(const std::string& subscripts,
                                                                  const std::vector<array>& operands) {
  Subscripts parsed = detail::parse_subscripts("einsum_path", subscripts, operands, {});
  auto path = detail::greedy_path(parsed);
  parsed.text = subscripts;  // as the caller wrote it
  std::string text = detail::path_text(parsed, path);
  return {std::move(path), std::move(text)};
}

array einsum(const std::string& subscripts, const std::vector<array>& operands, StreamOrDevice s) {
  const Subscripts parsed = detail::parse_subscripts("einsum", subscripts, operands, s);
  const Contraction contraction(parsed, s);
  std::vector<Labels> inputs = parsed.inputs;
  std::vector<Term> terms;
  for (size_t i = 0; i < operands.size(); ++i) terms.push_back(contraction.prepared({operands[i], parsed.inputs[i]}));
  for (const std::vector<int>& positions : detail::greedy_path(parsed)) {
    const Labels kept = detail::kept_labels(inputs, positions, parsed.output);
    Term t = terms[static_cast<size_t>(positions[0])];
    for (size_t i = 1; i < positions.size(); ++i) {
      const Term& next = terms[static_cast<size_t>(positions[i])];
      // Labels of the terms of this step that are still to come are needed as well.
      Labels needed = kept;
      for (size_t j = i + 1; j < positions.size(); ++j) {
        const Labels& later = terms[static_cast<size_t>(positions[j])].labels;
        needed.insert(needed.end(), later.begin(), later.end());
      }
      t = contraction.pair(std::move(t), next, needed);
    }
    t = contraction.summed(std::move(t), kept);
    for (size_t i = positions.size(); i-- > 0;) {
      terms.erase(terms.begin() + positions[i]);
      inputs.erase(inputs.begin() + positions[i]);
    }
    terms.push_back(std::move(t));
    inputs.push_back(kept);
  }
  return contraction.ordered(terms[0], parsed.output);
}

}  // namespace frit
