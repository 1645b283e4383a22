// Closures of the C interface: C functions with a payload as C++ functions.
//
// The results of a callback are new handles that it fills, or replaces by handles of its own. Its status is 0 for
// success; anything else is thrown as RuntimeError, with the last message of the thread as its note.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "frontend/c/convert.h"

namespace frit::c {

// The payload of a closure, which is released once.
class Payload {
 public:
  Payload(void* data, void (*dtor)(void*)) : data_(data), dtor_(dtor) {}
  ~Payload() {
    if (dtor_) dtor_(data_);
  }
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  void* data() const { return data_; }

 private:
  void* data_;
  void (*dtor_)(void*);
};

// A handle for the time of a callback. Freeing it twice is no error, because the callback may have freed it.
template <class H>
class Lent {
 public:
  explicit Lent(typename Handle<H>::Object object) : handle(make<H>(std::move(object))) {}
  ~Lent() { delete_object<typename Handle<H>::Object>(handle.ctx); }
  Lent(const Lent&) = delete;
  Lent& operator=(const Lent&) = delete;
  const H handle;
};

// A handle that a callback fills or replaces.
template <class H>
class Answer {
 public:
  explicit Answer(typename Handle<H>::Object object) : made_(std::move(object)), handle(made_.handle) {}
  ~Answer() {
    if (handle.ctx && handle.ctx != made_.handle.ctx) delete_object<typename Handle<H>::Object>(handle.ctx);
  }
  auto& value() { return in(handle, "the result of the closure"); }

 private:
  Lent<H> made_;

 public:
  H handle;
};
// An answer that is one array has no value at first.
template <>
class Answer<mlx_array> {
 public:
  ~Answer() {
    if (handle.ctx) delete_object<ArrayObject>(handle.ctx);
  }
  array& value() { return in(handle, "the result of the closure"); }
  mlx_array handle{nullptr};
};

// Calls a callback that returns its status. Throws where that is not 0.
void check_callback(const std::function<int()>& callback);

// A C function, its payload and, for functions that take one, the payload as their last argument.
template <class F>
class Callback {
 public:
  explicit Callback(F* function) : function_(&pointer(function, "fun")) {}
  Callback(F* function, void* payload, void (*dtor)(void*))
      : function_(&pointer(function, "fun")), payload_(std::make_shared<Payload>(payload, dtor)) {}

  template <class... A>
  void operator()(A... arguments) const {
    check_callback([&] {
      if constexpr (std::is_invocable_v<F*, A..., void*>)
        return function_(arguments..., payload_->data());
      else
        return function_(arguments...);
    });
  }

 private:
  F* function_;
  std::shared_ptr<const Payload> payload_;
};

template <class... A>
std::function<Arrays(const Arrays&)> closure_of(int (*fun)(mlx_vector_array*, const mlx_vector_array, A...),
                                                auto... payload) {
  return [callback = Callback(fun, payload...)](const Arrays& inputs) {
    Answer<mlx_vector_array> results({});
    const Lent<mlx_vector_array> list({inputs});
    callback(&results.handle, list.handle);
    return std::move(results.value());
  };
}

std::function<Arrays(const Arrays&)> closure_of_unary(int (*fun)(mlx_array*, const mlx_array));

template <class... A>
ArgsKwargsFunction kwargs_of(int (*fun)(mlx_vector_array*, const mlx_vector_array, const mlx_map_string_to_array, A...),
                             auto... payload) {
  return [callback = Callback(fun, payload...)](const Arrays& inputs, const Kwargs& named) {
    Answer<mlx_vector_array> results({});
    const Lent<mlx_vector_array> list({inputs});
    const Lent<mlx_map_string_to_array> map({named});
    callback(&results.handle, list.handle, map.handle);
    return std::move(results.value());
  };
}

template <class... A>
ValueAndGradFn value_and_grad_of(int (*fun)(mlx_vector_array*, mlx_vector_array*, const mlx_vector_array, A...),
                                 auto... payload) {
  return [callback = Callback(fun, payload...)](const Arrays& inputs) {
    Answer<mlx_vector_array> values({}), gradients({});
    const Lent<mlx_vector_array> list({inputs});
    callback(&values.handle, &gradients.handle, list.handle);
    return std::pair(std::move(values.value()), std::move(gradients.value()));
  };
}

template <class... A>
auto custom_of(int (*fun)(mlx_vector_array*, const mlx_vector_array, const mlx_vector_array, const mlx_vector_array,
                          A...),
               auto... payload) {
  return [callback = Callback(fun, payload...)](const Arrays& a, const Arrays& b, const Arrays& c) {
    Answer<mlx_vector_array> results({});
    const Lent<mlx_vector_array> first({a}), second({b}), third({c});
    callback(&results.handle, first.handle, second.handle, third.handle);
    return std::move(results.value());
  };
}

template <class... A>
auto custom_jvp_of(int (*fun)(mlx_vector_array*, const mlx_vector_array, const mlx_vector_array, const int*, size_t,
                              A...),
                   auto... payload) {
  return [callback = Callback(fun, payload...)](const Arrays& a, const Arrays& b, const std::vector<int>& numbers) {
    Answer<mlx_vector_array> results({});
    const Lent<mlx_vector_array> first({a}), second({b});
    callback(&results.handle, first.handle, second.handle, numbers.data(), numbers.size());
    return std::move(results.value());
  };
}

template <class... A>
auto custom_vmap_of(int (*fun)(mlx_vector_array*, mlx_vector_int*, const mlx_vector_array, const int*, size_t, A...),
                    auto... payload) {
  return [callback = Callback(fun, payload...)](const Arrays& inputs, const std::vector<int>& axes) {
    Answer<mlx_vector_array> results({});
    Answer<mlx_vector_int> result_axes({});
    const Lent<mlx_vector_array> list({inputs});
    callback(&results.handle, &result_axes.handle, list.handle, axes.data(), axes.size());
    return std::pair(std::move(results.value()), std::move(result_axes.value()));
  };
}

inline void put(mlx_vector_array* res_0, mlx_vector_int* res_1, std::pair<Arrays, std::vector<int>> value) {
  put_both(res_0, {std::move(value.first)}, res_1, {std::move(value.second)});
}

}  // namespace frit::c
