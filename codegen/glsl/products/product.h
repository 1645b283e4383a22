// The shaders of a matrix product.
#pragma once

#include <array>

#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

// The declaration of a product's arguments, followed by those of its epilogue. Word ARGUMENTS.
extern const char* const kProductArguments;
// The pragma and the extensions at the head of every shader that uses matrix units.
extern const char* const kMatrixUnits;
// The place of a workgroup's tile: i0 and j0, and what kBatch gives. Words BATCH, TM and TN.
extern const char* const kPlace;
// First elements of the matrices of number `batch`: a_base, b_base and c_base. Word SIZE.
extern const char* const kBatch;
// Eight 16-bit elements from an address that no 16-byte load takes, by loads of the five words around them: the
// functions word_at and shifted.
extern const char* const kShiftedWords;
// Macros that load parts of eight elements and make them of what was loaded. Constants `whole` and `aligned` say
// whether all are there, and whether 16-byte loads take them.
extern const char* const kPartLoads;

// Words of the place and the arguments where a workgroup sums all of k, and where it sums a part: SPLIT, PART and STEPS
// of the place, MORE arguments, and K, the number of steps. Sums of a part, elements of `bytes`, begin at `part_base`
// in lines of args.pitch.
std::map<std::string, std::string> whole_words();
std::map<std::string, std::string> part_words(size_t bytes);

// Text that depends on the element type, on the device and on the epilogue.
class ProductText {
 public:
  // The words FETCHED, FETCH and WORDS of a text read the right operand, which `computed` may compute: the type of a
  // load, and the names of the functions from an address to it and from it to 16 bytes.
  ProductText(Dtype t, const runtime::GpuFeatures& features, const FusedEpilogue& fused,
              const FusedPrologue& computed = {});

  const std::string compute, storage;  // types of sums and of elements in memory
  // x as read from memory, and the sum as the epilogue takes it and as it is stored.
  std::string from = "x", element = "sum", stored = "sum";

  // An element as a part of words; `bit` where 16-bit elements begin in their word.
  std::string part(const std::string& words, const std::string& bit);
  std::string multiply(const std::string& sum, const std::string& a, const std::string& b) const;
  const Epilogue* epilogue() const { return epilogue_; }
  // The end of a shader whose invocations have one element each: the store of `sum` or its epilogue, where it is
  // `mine`. `result` is the address of the results, `number` the element's.
  std::string one_element(const std::string& result, const std::string& number) const;
  // Replaces the words DECLARED, PLACE, BATCH, BEFORE (the first element's position), EXTENSIONS, PRELUDE, and those
  // of `own`, which may hold REFERENCES, POSITION, ELEMENT, SIZE, STORAGE, COMPUTE, FROM, SUM and STORED. With an
  // epilogue, `own` has PARTS, the number of elements that are handed to it at once.
  std::string fill_in(std::string text, const std::map<std::string, std::string>& own) const;

 private:
  const Dtype t_;
  const bool fused_fma_;
  const bool keep_;  // the sums are stored beside the epilogue's results
  const Epilogue* epilogue_;
  const Prologue* prologue_;
  Prelude prelude_;
};

// The forms of a product. Large tiles reuse more of what they read, medium and small ones leave less of a device idle,
// and matrix units take operands of 16 bits; whole ones are for operands that 16-byte loads take, in whole tiles along
// k. Deep ones, of float32, read ahead by two tiles. Few rows (or columns) take a form that reads the larger
// operand once, with matrix units too.
enum class ProductKind { FewMatrix, FewRows, WholeMatrix, Matrix, SmallMatrix, Deep, SmallDeep, Large, Medium, Small };
struct FormSizes {
  int64_t element_bytes, tile_rows, tile_columns;
  int64_t depth = 1;      // of a tile of the operands
  bool copied = false;    // it reads copies of the operands, whose sizes are multiples of the depth and of 16 bytes
  bool split = false;     // workgroups sum parts of k, which with_sums adds
  bool computed = false;  // of few rows: a prologue computes the right operand
};
runtime::RoutineForm product_form(ProductKind kind, const FormSizes& sizes, size_t step);
// The least time of the shaders for plain multiplications of float32 or float64, in nanoseconds.
Dim plain_product_time(int64_t element_bytes);

// Products whose tiles are too few to fill a device are split along k: the workgroups of `part` sum a part of k each
// into working memory, and a second launch adds the parts in order, from the first one on. The sizes alone decide on
// the number of parts.
struct ProductParts {
  Dim memory, pitch, count;  // where the sums lie, elements between their rows, and the number of parts
};
ProductParts parts_of(ProductKind kind, const FormSizes& sizes);
std::vector<Shader> with_sums(const RoutineStep& step, Dtype type, const ProductParts& parts,
                              const FusedEpilogue& fused, Shader part);
runtime::RoutineForm sums_form(const ProductParts& parts, size_t step, int64_t per_group);

// Copies operands, and joins `product`, which reads the copies.
struct ProductCopy;
using ProductCopies = std::array<ProductCopy, 2>;
std::vector<Shader> with_copies(const RoutineStep& step, Dtype type, runtime::RoutineForm copies, Shader product);
// The form of a launch that copies, for a step that is named later.
runtime::RoutineForm copies_form(const ProductCopies& copies);
constexpr int64_t kCopiedWords = 512;  // of 16 bytes, by a workgroup
// Copies both where their sizes or addresses are odd and every element is used often.
std::vector<Shader> with_odd_copies(const RoutineStep& step, Dtype type, const FormSizes& sizes, Shader product);

// The forms for matrix units.
struct MatrixProduct {
  Dtype type = float32;  // float16 or bfloat16
  bool narrow;           // the device multiplies by matrices of 8 columns
  FusedEpilogue fused;
};
// The epilogue where it is worth being in a shader of the matrix units.
FusedEpilogue light_epilogue(const FusedEpilogue& fused, Dtype type);
std::vector<Shader> matrix_products(const RoutineStep& step, const MatrixProduct& product);
constexpr uint32_t kFewMatrixShared = 40960;  // bytes of shared memory
std::vector<Shader> few_rows_by_matrices(const RoutineStep& step, const MatrixProduct& product,
                                         const FusedPrologue& computed);

// As PTX, for large results of operands that 16-byte copies take.
std::vector<Shader> ptx_products(const RoutineStep& step, Dtype type);
// In small tiles, for results of few tiles and for other types. An epilogue of the step is a kernel of its own after
// them.
std::vector<Shader> tile_products(const RoutineStep& step, Dtype type, bool has_epilogue);

// Of float32, with two tiles of the operands on their way: products of at least eight steps.
constexpr uint32_t kDeepShared = 17408;  // bytes of shared memory
std::vector<Shader> deep_products(const RoutineStep& step, const FusedEpilogue& fused);

// The forms for few rows: at most kFewRows on matrix units or of a computed operand, else at most kFewest rows or
// columns.
constexpr int64_t kFewRows = 32, kFewest = 8;
std::vector<Shader> few_rows_products(const RoutineStep& step, Dtype type, const FusedEpilogue& fused,
                                      const FusedPrologue& computed);

}  // namespace frit::codegen::glsl
