#include "codegen/llvm/emit_cblas.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/Module.h>

#include <limits>
#include <optional>

namespace frit::codegen {
namespace {

using llvm::Value;

// The values that the interface gives its enumerations.
constexpr uint32_t kRowMajor = 101, kPlain = 111, kTransposed = 112;

// A matrix in memory, as cblas takes it.
struct Operand {
  const ir::Window* window;
  bool transposed = false;
  Dim leading = 1;
};

struct Product {
  const char* function = nullptr;
  Dtype dtype;
  Operand a, b;
  Dim m, n, k;
  size_t batch_axes = 0;  // that are left: 0 where all rows are rows of one product
};

// How it lies: one unit stride, and rows or columns that do not overlap.
std::optional<Operand> as_matrix(const ir::Window& w, const DimFacts& facts) {
  const size_t rank = w.layout.shape.size();
  const Dim &rows = w.layout.shape[rank - 2], &cols = w.layout.shape[rank - 1];
  const Dim &row_stride = w.layout.strides[rank - 2], &col_stride = w.layout.strides[rank - 1];
  const auto apart = [&](const Dim& stride, const Dim& length) { return facts.less_equal(length, stride) == Tri::Yes; };
  // The stride of a lone row or column means nothing.
  if (col_stride.is(1) || cols.is(1)) {
    if (rows.is(1)) return Operand{&w, false, cols};
    if (apart(row_stride, cols)) return Operand{&w, false, row_stride};
  }
  if (row_stride.is(1) || rows.is(1)) {
    if (cols.is(1)) return Operand{&w, true, rows};
    if (apart(col_stride, rows)) return Operand{&w, true, col_stride};
  }
  return std::nullopt;
}

// Whether the rows of all matrices of the batch are those of one.
bool is_one_product(const Operand& a, const Operand& b, size_t batch_axes, const DimFacts& facts) {
  if (a.transposed) return false;
  for (size_t axis = 0; axis < batch_axes; ++axis) {
    const ir::Layout &left = a.window->layout, &right = b.window->layout;
    if (!right.strides[axis].is(0) && !right.shape[axis].is(1)) return false;
    if (facts.equal(left.strides[axis], left.strides[axis + 1] * left.shape[axis + 1]) != Tri::Yes) return false;
  }
  return true;
}

Result<Product> read_product(const ir::Function& f, const ir::LibraryStep& step) {
  const auto refused = [&](const std::string& why) {
    return Diagnostic("function @" + f.name + ": " + why, {}, "have matrix products as loops of their own");
  };
  if (step.name != "matmul") return refused("routine '" + step.name + "' is no function of cblas");
  Product p;
  p.dtype = step.dtypes[0];
  if (p.dtype == float32) p.function = "cblas_sgemm";
  else if (p.dtype == float64) p.function = "cblas_dgemm";
  else if (p.dtype == complex64) p.function = "cblas_cgemm";
  else return refused("cblas has no matrix product of " + std::string(short_name(p.dtype)));
  const auto a = as_matrix(step.operands[0], f.facts), b = as_matrix(step.operands[1], f.facts);
  if (!a || !b) return refused(std::string("cblas cannot take the ") + (a ? "right" : "left") + " operand of a matrix product as it lies in memory");
  p.a = *a;
  p.b = *b;
  const ir::Shape &left = a->window->layout.shape, &right = b->window->layout.shape;
  p.batch_axes = left.size() - 2;
  p.m = left[p.batch_axes];
  p.k = left[p.batch_axes + 1];
  p.n = right[p.batch_axes + 1];
  if (p.batch_axes && is_one_product(p.a, p.b, p.batch_axes, f.facts)) {
    for (size_t axis = 0; axis < p.batch_axes; ++axis) p.m *= left[axis];
    p.batch_axes = 0;
  }
  return p;
}

// The calls of one product.
class CallEmitter {
 public:
  CallEmitter(llvm::IRBuilder<>& builder, const Product& p, const ir::LibraryStep& step, const std::function<Value*(const Dim&)>& size,
              const std::vector<Value*>& buffers)
      : b_(builder), p_(p), c_(step.results[0]), size_(size), buffers_(buffers) {}

  // Nothing where the result has no elements: the interface has it so, and a count of calls may be zero.
  void run() {
    llvm::LLVMContext& context = b_.getContext();
    llvm::Function* function = b_.GetInsertBlock()->getParent();
    const auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, function); };
    Dim count = 1;
    for (size_t axis = 0; axis < p_.batch_axes; ++axis) count *= p_.a.window->layout.shape[axis];
    Value* calls = b_.CreateSelect(b_.CreateICmpSGT(size_(c_elements()), i64(0)), size_(count), i64(0));
    llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = block("product"), *body = block("multiply"), *done = block("multiplied");
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    llvm::PHINode* number = b_.CreatePHI(b_.getInt64Ty(), 2, "number");
    number->addIncoming(i64(0), before);
    b_.CreateCondBr(b_.CreateICmpSLT(number, calls), body, done);
    b_.SetInsertPoint(body);
    call(number);
    number->addIncoming(b_.CreateAdd(number, i64(1)), b_.GetInsertBlock());
    b_.CreateBr(loop);
    b_.SetInsertPoint(done);
  }

 private:
  Value* i64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }
  Value* i32(const Dim& d) { return b_.CreateTrunc(size_(max(d, Dim(1))), b_.getInt32Ty()); }

  Dim c_elements() const {
    Dim all = 1;
    for (const Dim& d : c_.layout.shape) all *= d;
    return all;
  }

  // The first element of the matrix that a call works on.
  Value* start(const ir::Window& w, Value* number) {
    Value *offset = size_(w.layout.offset), *rest = number;
    for (size_t axis = p_.batch_axes; axis-- > 0;) {
      Value* extent = size_(w.layout.shape[axis]);
      offset = b_.CreateAdd(offset, b_.CreateMul(b_.CreateURem(rest, extent), size_(w.layout.strides[axis])));
      rest = b_.CreateUDiv(rest, extent);
    }
    return b_.CreateGEP(b_.getInt8Ty(), buffers_[w.buffer], b_.CreateMul(offset, i64(p_.dtype.size)));
  }

  // alpha or beta: complex numbers go by address.
  Value* scalar(float v) {
    if (p_.dtype == float32) return llvm::ConstantFP::get(b_.getFloatTy(), v);
    if (p_.dtype == float64) return llvm::ConstantFP::get(b_.getDoubleTy(), v);
    llvm::Constant* pair = llvm::ConstantDataArray::get(b_.getContext(), llvm::ArrayRef<float>({v, 0}));
    return new llvm::GlobalVariable(*b_.GetInsertBlock()->getModule(), pair->getType(), true, llvm::GlobalValue::PrivateLinkage, pair, "number");
  }

  void call(Value* number) {
    const auto how = [&](const Operand& o) { return b_.getInt32(o.transposed ? kTransposed : kPlain); };
    llvm::SmallVector<Value*, 14> arguments{b_.getInt32(kRowMajor), how(p_.a), how(p_.b)};
    for (const Dim* d : {&p_.m, &p_.n, &p_.k}) arguments.push_back(b_.CreateTrunc(size_(*d), b_.getInt32Ty()));
    for (Value* v : {scalar(1), start(*p_.a.window, number), i32(p_.a.leading), start(*p_.b.window, number), i32(p_.b.leading), scalar(0),
                     start(c_, number), i32(p_.n)})
      arguments.push_back(v);
    llvm::SmallVector<llvm::Type*, 14> types;
    for (Value* v : arguments) types.push_back(v->getType());
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
    b_.CreateCall(b_.GetInsertBlock()->getModule()->getOrInsertFunction(p_.function, type), arguments);
  }

  llvm::IRBuilder<>& b_;
  const Product& p_;
  const ir::Window& c_;
  const std::function<Value*(const Dim&)>& size_;
  const std::vector<Value*>& buffers_;
};

}  // namespace

Result<std::vector<CCheck>> cblas_checks(const ir::Function& f, const CInterface& c) {
  std::vector<CCheck> checks;
  for (const ir::Step& s : f.program->steps) {
    const auto* step = std::get_if<ir::LibraryStep>(&s);
    if (!step) continue;
    FRIT_ASSIGN_OR_RETURN(p, read_product(f, *step));
    for (const Dim& d : {p.m, p.n, p.k, p.a.leading, p.b.leading}) {
      const Dim room = Dim(std::numeric_limits<int32_t>::max()) - d;
      if (f.facts.range(room).low >= 0) continue;
      checks.push_back({CCheck::Kind::NonNegative, room, CallCode::TooLarge, c.name + ": '" + d.str() + "' is past the 32 bits of cblas"});
    }
  }
  return checks;
}

void emit_cblas(llvm::IRBuilder<>& builder, const ir::Function& f, const ir::LibraryStep& step, const std::function<Value*(const Dim&)>& size,
                const std::vector<Value*>& buffers) {
  auto product = read_product(f, step);
  if (product.ok()) CallEmitter(builder, *product, step, size, buffers).run();
}

}  // namespace frit::codegen
