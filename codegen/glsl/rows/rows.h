// The part that shaders of routines along rows share. It has their arguments, finds rows in memory, and makes words
// whose order is that of elements (ir/routines/host_rows.h).
#pragma once

#include "codegen/glsl/form_numbers.h"
#include "codegen/glsl/routine.h"

namespace frit::codegen::glsl {

constexpr int64_t kMostRow = int64_t{1} << 30;  // elements of a row, counted in 32 bits
constexpr uint32_t kRowThreads = 256;           // invocations of a workgroup

// The head of a shader: its arguments, then functions that find and read elements of rows. Word OWN: declarations of
// arguments behind those that all have.
extern const char* const kRowHead;
// Positions in rows: reads and keys of elements. Follows the head.
extern const char* const kRowKeys;
// Places in shared memory that are a run of an invocation apart lie in different banks.
extern const char* const kRowBank;

// Words of the text for elements of a type.
std::map<std::string, std::string> row_words(Dtype type);
// Words that hold an element or its key have 64 bits.
inline bool has_wide_words(Dtype t) { return t.size() == 8; }
inline int64_t word_bytes(Dtype t) { return has_wide_words(t) ? 8 : 4; }

// Whether the device has what shaders for elements of the type need.
bool has_rows_of(Dtype type, const runtime::GpuFeatures& features);

// A form whose windows are rows: one operand and one result.
class RowForm {
 public:
  explicit RowForm(const RoutineStep& step);

  const Dim rows, n, length;  // rows, and elements of a row of the operand and of the result
  // The arguments that all shaders have, of the operand or of dense rows of `size` elements in other memory.
  void operand();
  void dense(const Dim& address, const Dim& size);
  void argument(const Dim& d) { form.arguments.push_back(form_program(d)); }
  // Where the form may be chosen: `most` is at least `value`.
  void at_most(const Dim& value, int64_t most) { form.suited.push_back(form_program(max(value - Dim(most), 0))); }
  // The arguments of a selection that keeps elements of each part, in two memories that take turns.
  void kept();
  static Dim memory() { return form_number(runtime::RoutineForm::scratch_slot(2, 0)); }
  static Dim turn() { return form_number(runtime::RoutineForm::turn_slot(2)); }

  runtime::RoutineForm form;
};

// Launches that keep the `k` wanted elements of each part of a row, until at most `most` are left.
struct KeptParts {
  int64_t turns = 0, first = 0, left;  // launches, and the elements that the first and the last one leave
};
KeptParts kept_parts(int64_t n, int64_t part, int64_t k, int64_t most);

// One where `value` is more than `least`, else zero.
inline Dim exceeds(const Dim& value, int64_t least) { return min(max(value - Dim(least), 0), Dim(1)); }
// The least power of two that is at least `least`, which is at most `most`; and its logarithm.
Dim power_above(const Dim& least, int64_t most);
Dim logarithm_above(const Dim& least, int64_t most);

// The size if it is known.
inline std::optional<int64_t> known(const Dim& d) { return d.is_const() ? std::optional(d.value()) : std::nullopt; }

// The number of the operand's rows if it is known.
std::optional<int64_t> known_rows(const RoutineStep& step);

// Sorts rows of a few elements, several in a workgroup: those of the operand, or dense ones in working memory, of
// `size` elements. The result has the last ones, or their positions.
int64_t sorted_tile(Dtype type);  // the most elements
// A shader whose text begins with kRowHead, in workgroups of so many invocations.
Shader row_shader(const RoutineStep& step, const std::string& suffix, std::string text, runtime::RoutineForm form,
                  uint32_t threads = kRowThreads);
Shader sort_short_rows(const RoutineStep& step, bool positions, const std::optional<Dim>& dense_size,
                       const Dim& dense_at);
// Adds the forms that sort rows of any length, joined. Kept pairs of keys and positions stay in working memory, as
// number kept_half of two, for a form that follows.
enum class SortedAs : uint8_t { Elements, Positions, KeptPairs };
void sort_long_rows(const RoutineStep& step, SortedAs as, std::vector<Shader>& shaders);
Dim sorted_words(const RowForm& f, Dtype type, const Dim& which);
Dim sorted_places(const RowForm& f, Dtype type, const Dim& which);
Dim kept_half(const RoutineStep& step);

// Adds the forms of `topk` whose workgroups select from parts of rows of known sizes; false where none suits.
bool select_in_groups(const RoutineStep& step, int64_t n, int64_t k, std::vector<Shader>& shaders);

// The same by the digits of keys, for devices whose subgroups can vote: rows of one tile, and longer ones.
bool sorts_by_radix(const runtime::GpuFeatures& features);
bool is_radix_tile(int64_t n);
Shader radix_sort_rows(const RoutineStep& step, bool positions);
// Whether digits may be quicker than a network for rows that fit both.
bool digits_may_win(const RoutineStep& step, int64_t n, bool positions);
Shader radix_long_rows(const RoutineStep& step, SortedAs as);
// The positions of the step's first operand, `n` numbers that are less than `below`, in order of these, as its first
// result. `form` belongs to the step, of which each window is one row; its arguments are replaced.
Shader radix_positions(const RoutineStep& step, runtime::RoutineForm form, const Dim& n, const Dim& below);
// The address, in the form's working memory, of the keys of these numbers in the same order.
Dim radix_keys(Dtype type, const Dim& memory, const Dim& n, const Dim& below);
int64_t radix_half(const RoutineStep& step);
// Zero where there are so many elements that digits are quicker than merges.
Dim radix_shortfall(const RoutineStep& step);

}  // namespace frit::codegen::glsl
