// Operations that a program brings along: classes derived from Primitive or UnaryPrimitive, as in MLX.
//
// An array made from a primitive is lazy as any other. When it is evaluated, or a compiled function with it runs,
// `eval_cpu` computes it; `jvp`, `vjp` and `vmap` are its rules in transforms. Code that a program compiles calls the
// object in this process, so a function with primitives cannot be written to a file.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frit/array.h"
#include "frit/stream.h"

namespace frit {

// The operation behind an array that is not evaluated.
class Primitive {
 public:
  // `stream`: where results are computed; use to_stream(s) for an argument `StreamOrDevice s`.
  explicit Primitive(Stream stream) : stream_(stream) {}
  Primitive(const Primitive&) = delete;
  Primitive(Primitive&&) = delete;
  Primitive& operator=(const Primitive&) = delete;
  Primitive& operator=(Primitive&&) = delete;
  virtual ~Primitive() = default;

  const Device& device() const { return stream_.device; }
  const Stream& stream() const { return stream_; }

  // Computes `outputs`, which have their shapes and types and no memory yet: the function gives each some with
  // array::set_data or array::copy_shared_buffer. The inputs have values; they may lie in memory with any strides. One
  // that is_donatable() may lend its memory to a result. Inputs of a compiled function lie in memory of its call: the
  // function keeps none of them. Called from the thread that evaluates. An exception leaves
  // the operation as it was; out of a compiled function it comes as std::runtime_error with its text.
  virtual void eval_cpu(const std::vector<array>& inputs, std::vector<array>& outputs) = 0;
  // There for programs that have it. Primitives are computed by eval_cpu on every device, on memory that the CPU sees.
  virtual void eval_gpu(const std::vector<array>& inputs, std::vector<array>& outputs) { eval_cpu(inputs, outputs); }

  // The tangents of all results. `argnums` numbers the inputs that move, `tangents` has theirs. Throws InvalidArgument
  // where the class has no rule.
  virtual std::vector<array> jvp(const std::vector<array>& primals, const std::vector<array>& tangents,
                                 const std::vector<int>& argnums);
  // The cotangents of the inputs that `argnums` numbers, from those of all results. Throws InvalidArgument where the
  // class has no rule.
  virtual std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                                 const std::vector<int>& argnums, const std::vector<array>& outputs);
  // The results for a batch, and the batch axis of each. `axes` has the batch axis of each input, -1 where there is
  // none. Throws InvalidArgument where the class has no rule.
  virtual std::pair<std::vector<array>, std::vector<int>> vmap(const std::vector<array>& inputs,
                                                               const std::vector<int>& axes);

  // Of frit's own operations: the name in the IR ("add", "reshape"), or of the compiled function that is called.
  virtual const char* name() const = 0;
  // Whether `other`, which has the same type, computes the same results from the same inputs. Compiled functions then
  // share code and compute it once. By default only the same object does.
  virtual bool is_equivalent(const Primitive& other) const { return this == &other; }
  // The shapes of the results. Throws InvalidArgument where the class does not say.
  virtual std::vector<Shape> output_shapes(const std::vector<array>& inputs);

 private:
  Stream stream_;
};

// A primitive with one result.
class UnaryPrimitive : public Primitive {
 public:
  using Primitive::Primitive;

  // As of Primitive, for the one result.
  virtual void eval_cpu(const std::vector<array>& inputs, array& output) = 0;
  virtual void eval_gpu(const std::vector<array>& inputs, array& output) { eval_cpu(inputs, output); }
  void eval_cpu(const std::vector<array>& inputs, std::vector<array>& outputs) override {
    eval_cpu(inputs, outputs[0]);
  }
  void eval_gpu(const std::vector<array>& inputs, std::vector<array>& outputs) override {
    eval_gpu(inputs, outputs[0]);
  }
};

namespace detail {
struct Operation;

// The object that users see of one of frit's own operations. Its functions compute with the operation itself.
class OwnPrimitive : public Primitive {
 public:
  // Borrows the operation, which owns the object.
  OwnPrimitive(const Operation& operation, Stream stream);
  void eval_cpu(const std::vector<array>& inputs, std::vector<array>& outputs) override;
  std::vector<array> jvp(const std::vector<array>& primals, const std::vector<array>& tangents,
                         const std::vector<int>& argnums) override;
  std::vector<array> vjp(const std::vector<array>& primals, const std::vector<array>& cotangents,
                         const std::vector<int>& argnums, const std::vector<array>& outputs) override;
  std::pair<std::vector<array>, std::vector<int>> vmap(const std::vector<array>& inputs,
                                                       const std::vector<int>& axes) override;
  const char* name() const override { return name_.c_str(); }
  std::vector<Shape> output_shapes(const std::vector<array>& inputs) override;

 private:
  std::vector<array> apply(const std::vector<array>& inputs) const;
  const Operation& operation_;
  std::string name_;
};
}  // namespace detail

// The call of a compiled function: typeid(a.primitive()) == typeid(Compiled).
class Compiled final : public detail::OwnPrimitive {
 public:
  using detail::OwnPrimitive::OwnPrimitive;
};

}  // namespace frit
