// Declared sizes of a compiled function, read from Python objects.
#include "frontend/python/core/compile.h"

namespace frit::python {

namespace {

[[noreturn]] void refuse_dims(const std::string& name) {
  throw InvalidArgument("compile: dims declares '" + name + "' by something that is no range",
                        "give None, (low, high) or (low, high, multiple); a high of None is no bound");
}

int64_t number(nb::handle h, const std::string& name, int64_t none) {
  if (h.is_none()) return none;
  int64_t n;
  if (!nb::try_cast(h, n)) refuse_dims(name);
  return n;
}

ShapeDtype declared_argument(nb::handle h) {
  std::optional<Dtype> dtype;
  nb::object shape = nb::borrow(h);
  if (nb::isinstance<nb::tuple>(h) && nb::len(h) == 2 && nb::isinstance<Dtype>(h[1])) {
    dtype = nb::cast<Dtype>(h[1]);
    shape = h[0];
  }
  if (!nb::isinstance<nb::sequence>(shape) || nb::isinstance<nb::str>(shape))
    throw InvalidArgument("compile: signature holds something that is no shape",
                          "give a list of shapes such as (\"n\", 128), each alone or as (shape, dtype)");
  std::vector<DeclaredSize> sizes;
  for (nb::handle size : shape) {
    if (nb::isinstance<nb::str>(size)) {
      sizes.emplace_back(nb::cast<std::string>(size));
      continue;
    }
    int64_t n;
    if (!nb::try_cast(size, n) || n < 0)
      throw InvalidArgument("compile: a size of the signature is neither a number nor a name",
                            "give sizes of zero or more, and names of open ones");
    sizes.emplace_back(n);
  }
  return dtype ? ShapeDtype(std::move(sizes), *dtype) : ShapeDtype(std::move(sizes));
}

}  // namespace

std::vector<DimDeclaration> declared_dims(nb::handle dims) {
  std::vector<DimDeclaration> declared;
  if (dims.is_none()) return declared;
  if (!nb::isinstance<nb::dict>(dims))
    throw InvalidArgument("compile: dims is no dict", "give {\"name\": (low, high)}");
  for (auto [key, range] : nb::cast<nb::dict>(dims)) {
    if (!nb::isinstance<nb::str>(key)) throw InvalidArgument("compile: a key of dims is no name", "give texts");
    DimDeclaration& d = declared.emplace_back(nb::cast<std::string>(key));
    if (range.is_none()) continue;
    const size_t parts = nb::isinstance<nb::tuple>(range) || nb::isinstance<nb::list>(range) ? nb::len(range) : 0;
    if (parts != 2 && parts != 3) refuse_dims(d.name);
    d.low = number(range[0], d.name, 0);
    d.high = number(range[1], d.name, DimDeclaration::kMax);
    if (parts == 3) d.multiple = number(range[2], d.name, 1);
  }
  return declared;
}

std::vector<ShapeDtype> declared_signature(nb::handle signature) {
  std::vector<ShapeDtype> declared;
  if (signature.is_none()) return declared;
  if (!nb::isinstance<nb::sequence>(signature) || nb::isinstance<nb::str>(signature))
    throw InvalidArgument("compile: signature is no list", "give a shape for each array of a call");
  for (nb::handle h : signature) declared.push_back(declared_argument(h));
  return declared;
}

}  // namespace frit::python
