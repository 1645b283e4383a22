// Writing the records of an exported graph.
#include "frontend/io/export_records.h"

#include <algorithm>
#include <map>
#include <variant>

#include "ir/text/printer.h"
#include "ir/text/text.h"

namespace frit::detail {

namespace {

using Values = std::vector<std::tuple<std::string, Shape, Dtype>>;

class Teller {
 public:
  Teller(const CompiledEntry& entry, const ExportCallback& callback)
      : f_(entry.traced().function), captured_(entry.traced().captured), sizes_(entry.sizes()), callback_(callback) {
    const size_t arguments = f_.params.size() - captured_.size();
    const std::span<const ir::ValueId> params(f_.params);
    name(params.first(arguments));
    name(f_.results);
    name(params.subspan(arguments));
    for (const bool constants : {true, false})
      for (const ir::Op& op : f_.ops)
        if ((op.def->kind == ir::OpKind::Constant) == constants) name(op.results);
  }

  void run(const std::vector<std::string>& keywords) {
    const size_t arguments = f_.params.size() - captured_.size();
    const std::span<const ir::ValueId> params(f_.params);
    callback_({{"type", "inputs"}, {"inputs", described(params.first(arguments))}});
    std::vector<std::pair<std::string, std::string>> by_name;
    for (size_t i = 0; i < keywords.size(); ++i)
      by_name.emplace_back(keywords[i], names_.at(params[arguments - keywords.size() + i]));
    callback_({{"type", "keyword_inputs"}, {"keywords", by_name}});
    callback_({{"type", "outputs"}, {"outputs", described(f_.results)}});
    std::vector<std::pair<std::string, array>> constants;
    for (size_t i = 0; i < captured_.size(); ++i) {
      const runtime::Tensor& t = captured_[i];
      Shape shape(t.shape.begin(), t.shape.end());
      constants.emplace_back(names_.at(params[arguments + i]),
                             array_of(std::make_shared<Node>(t.dtype, std::move(shape), t)));
    }
    for (const ir::Op& op : f_.ops)
      if (op.def->kind == ir::OpKind::Constant) constants.emplace_back(names_.at(op.results[0]), value_of(op));
    callback_({{"type", "constants"}, {"constants", constants}});
    for (const ir::Op& op : f_.ops) {
      if (op.def->kind == ir::OpKind::Constant) continue;
      std::vector<StateT> attributes;
      for (const auto& [name, value] : op.attrs) attributes.push_back(state_of(value));
      callback_({{"type", "primitive"},
                 {"name", title(op.def->name)},
                 {"inputs", described(op.operands)},
                 {"outputs", described(op.results)},
                 {"arguments", attributes}});
    }
  }

 private:
  // A, B, ... Z, AA, ... in the order in which the records show the values.
  void name(std::span<const ir::ValueId> values) {
    for (ir::ValueId v : values) {
      std::string& letters = names_[v];
      if (!letters.empty()) continue;
      for (size_t n = names_.size(); n > 0; n = (n - 1) / 26)
        letters.insert(letters.begin(), static_cast<char>('A' + (n - 1) % 26));
    }
  }

  // log_add_exp as LogAddExp: records name operations like classes.
  static std::string title(std::string_view name) {
    std::string out;
    bool first = true;
    for (char c : name) {
      if (c != '_') out += first && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
      first = c == '_';
    }
    return out;
  }

  int64_t number(const Dim& d) const {
    return d.is_const() || !sizes_ ? d.value() : sizes_->hint(d).value_or(kUnknownSize);
  }

  Values described(std::span<const ir::ValueId> values) const {
    Values out;
    for (ir::ValueId v : values) {
      Shape shape;
      for (const Dim& d : f_.type(v).shape) shape.push_back(static_cast<ShapeElem>(number(d)));
      out.emplace_back(names_.at(v), std::move(shape), f_.type(v).dtype);
    }
    return out;
  }

  array value_of(const ir::Op& constant) const {
    const ir::Type& type = f_.type(constant.results[0]);
    Shape shape = to_shape(type.shape);
    runtime::Tensor t = allocate(type.dtype, shape);
    const auto* value = std::get_if<ir::Literal>(constant.attrs.find("value"));
    std::copy_n(value->data(), value->nbytes(), static_cast<std::byte*>(t.buffer->data()));
    return array_of(std::make_shared<Node>(type.dtype, std::move(shape), std::move(t)));
  }

  StateT state_of(const ir::Attr& attr) const {
    return std::visit(
        [&]<class T>(const T& value) -> StateT {
          if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double> || std::is_same_v<T, Dtype> ||
                        std::is_same_v<T, std::string>) {
            return value;
          } else if constexpr (std::is_same_v<T, Dim>) {
            return static_cast<int>(number(value));
          } else if constexpr (std::is_same_v<T, ir::Dims>) {
            Strides numbers;
            for (const Dim& d : value) numbers.push_back(number(d));
            return numbers;
          } else if constexpr (std::is_same_v<T, ir::Region>) {
            return ir::print(value.function());
          } else {
            return ir::literal_text(value, {});
          }
        },
        attr);
  }

  const ir::Function& f_;
  const std::vector<runtime::Tensor>& captured_;
  const SizeTrace* sizes_;
  const ExportCallback& callback_;
  std::map<ir::ValueId, std::string> names_;
};

}  // namespace

void tell(const CompiledEntry& entry, const std::vector<std::string>& keywords, const ExportCallback& callback) {
  Teller(entry, callback).run(keywords);
}

}  // namespace frit::detail
