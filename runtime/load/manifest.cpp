// Writes and reads manifests.
#include "runtime/load/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/files/limits.h"

namespace frit::runtime {
namespace {

using Json = nlohmann::ordered_json;

Json value(const Signature::Value& v) { return {{"name", v.name}, {"dtype", short_name(v.dtype)}, {"shape", v.sizes}}; }

Json function(const PackageContents::Function& f, size_t signature) {
  Json out{{"name", f.signature.name},
           {"signature", f.signature.text},
           {"inputs", Json::array()},
           {"outputs", Json::array()}};
  for (const Signature::Input& i : f.signature.inputs) {
    Json input = value(i);
    if (!i.weight.empty()) input["weight"] = i.weight;
    out["inputs"].push_back(std::move(input));
  }
  for (const Signature::Value& v : f.signature.outputs) out["outputs"].push_back(value(v));
  out["symbols"] = f.signature.guard.symbol_names;
  out["needs"] = f.signature.said;
  out["call"] = signature;
  return out;
}

}  // namespace

// Every step checks the values that it reads; after the first failure nothing more is read.
class ManifestReader {
 public:
  ManifestReader(PackageFile& package, size_t end) : p_(package), end_(end) {}

  Status run() {
    const Json j = Json::parse(p_.manifest_, nullptr, false);
    if (text(j, "format") != "frit package") return p_.fail("its manifest is not one of a package");
    each(j, "sections", [&](const Json& s) {
      PackageFile::Section section{number(s, "offset"), number(s, "bytes"), text(s, "hash")};
      require(section.offset <= end_ && section.bytes <= end_ - section.offset, "a section lies outside of the file");
      p_.sections_.push_back(std::move(section));
    });
    p_.producer_ = text(j, "producer");
    p_.ir_ = section(j, "ir");
    each(j, "functions", [&](const Json& f) { function(f); });
    if (j.is_object() && j.contains("weights_file")) p_.weights_file_ = text(j, "weights_file");
    if (j.is_object() && j.contains("weights")) each(j, "weights", [&](const Json& w) { weight(w); });
    if (failed_) return p_.fail("its manifest is not as it should be: " + std::string(failed_));
    return {};
  }

 private:
  void require(bool condition, const char* otherwise) {
    if (!condition && !failed_) failed_ = otherwise;
  }
  const Json* field(const Json& j, const char* name) {
    const bool there = j.is_object() && j.contains(name);
    require(there, name);
    return there ? &j[name] : nullptr;
  }
  std::string text(const Json& j, const char* name) {
    const Json* v = field(j, name);
    require(v && v->is_string(), name);
    return v && v->is_string() ? v->get<std::string>() : std::string();
  }
  size_t number(const Json& j, const char* name) {
    const Json* v = field(j, name);
    require(v && v->is_number_unsigned(), name);
    return v && v->is_number_unsigned() ? v->get<size_t>() : 0;
  }
  size_t section(const Json& j, const char* name) {
    const size_t n = number(j, name);
    require(n < p_.sections_.size(), "a section does not exist");
    return n;
  }
  template <class F>
  void each(const Json& j, const char* name, F&& f) {
    const Json* list = field(j, name);
    require(list && list->is_array(), name);
    if (!list || !list->is_array()) return;
    for (const Json& item : *list)
      if (!failed_) f(item);
  }

  void function(const Json& j) {
    PackageFile::Function f{text(j, "name"), section(j, "call"), {}};
    const bool twice = std::any_of(p_.functions_.begin(), p_.functions_.end(),
                                   [&](const auto& other) { return other.name == f.name; });
    require(!twice, "two functions have one name");
    each(j, "variants", [&](const Json& v) {
      PackageFile::Variant variant{text(v, "device"), text(v, "machine"), {}, {}, section(v, "image")};
      if (v.is_object() && v.contains("identity")) variant.identity = text(v, "identity");
      if (v.is_object() && v.contains("needs"))
        each(v, "needs", [&](const Json& n) {
          require(n.is_string(), "needs");
          if (n.is_string()) variant.needs.push_back(n.get<std::string>());
        });
      f.variants.push_back(std::move(variant));
    });
    p_.functions_.push_back(std::move(f));
  }

  void weight(const Json& j) {
    const auto dtype = parse_short_name(text(j, "dtype"));
    require(dtype.has_value(), "a weight's element type is not known");
    PackageFile::Weight w{text(j, "name"), dtype.value_or(float32), {}, section(j, "section")};
    int64_t elements = 1;
    each(j, "shape", [&](const Json& n) {
      const bool size = n.is_number_unsigned() && n.get<uint64_t>() <= static_cast<uint64_t>(kMaxElements);
      require(size, "a weight's shape is no list of sizes");
      w.shape.push_back(size ? n.get<int64_t>() : 0);
      require(!__builtin_mul_overflow(elements, std::max<int64_t>(w.shape.back(), 1), &elements) &&
                  elements <= kMaxElements,
              "a weight is too large");
    });
    p_.weights_.push_back(std::move(w));
  }

  PackageFile& p_;
  const size_t end_;
  const char* failed_ = nullptr;
};

std::string write_manifest(const ManifestSource& source, const std::vector<PackageFile::Section>& sections) {
  const PackageContents& c = source.contents;
  Json out{{"format", "frit package"},
           {"version", kPackageVersion},
           {"producer", c.producer},
           {"ir", source.ir},
           {"functions", Json::array()}};
  size_t image = 0;
  for (size_t i = 0; i < c.functions.size(); ++i) {
    Json f = function(c.functions[i], source.signatures[i]);
    f["variants"] = Json::array();
    for (const PackageContents::Variant& v : c.functions[i].variants) {
      Json variant{{"device", v.device}, {"machine", v.machine}};
      if (!v.identity.empty()) variant["identity"] = v.identity;
      if (!v.needs.empty()) variant["needs"] = v.needs;
      variant["image"] = source.images[image++];
      variant["plan"] = Json::parse(v.plan, nullptr, false);
      f["variants"].push_back(std::move(variant));
    }
    out["functions"].push_back(std::move(f));
  }
  if (!c.weights_file.empty()) out["weights_file"] = c.weights_file;
  if (c.weights_file.empty() && !c.weights.empty()) {
    out["weights"] = Json::array();
    size_t i = 0;
    for (const auto& [name, t] : c.weights)
      out["weights"].push_back({{"name", name},
                                {"dtype", short_name(t.dtype)},
                                {"shape", std::vector<int64_t>(t.shape)},
                                {"section", source.weights[i++]}});
  }
  out["sections"] = Json::array();
  for (const auto& s : sections)
    out["sections"].push_back({{"offset", s.offset}, {"bytes", s.bytes}, {"hash", s.hash}});
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status read_manifest(PackageFile& package, size_t end) { return ManifestReader(package, end).run(); }

}  // namespace frit::runtime
