// Row streams: a product, kernels over its rows, and a product of what they give, which may run for some rows at a
// time.
//
// The steps follow each other, and the first one has the attribute kRowStream. Like `vector` and `grain`, it changes no
// result: the steps mean what they mean without it. Temps that no other step uses, from the first product (scores) to
// the left operand of the second (weights), then need memory for the rows in work alone, and have no slot.
//
// A column stream is a launch and a product whose right operand it makes, column by column, for a few rows of the left
// operand. The product has the attribute kColumnStream; the columns in work have memory alone. It is a RowStream whose
// rows are these columns, and which has no scores.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::ir {

inline constexpr std::string_view kRowStream = "rows_at_once", kColumnStream = "columns_at_once";
// The row in RowStream::columns.
inline constexpr std::string_view kRowSymbol = "row";

struct RowStream {
  size_t first, last;          // the products; the steps between them are launches; or a launch and its product
  uint32_t scores, weights;    // buffers; kNone where there are no scores
  std::vector<uint32_t> rows;  // all temps that have no slot, ascending
};

// The stream that begins with the step `first`, marked or not; otherwise `why` says what is in its way.
std::optional<RowStream> row_stream_at(const Program& p, size_t first, std::string& why);
// The column stream that ends with the step `last`, likewise.
std::optional<RowStream> column_stream_at(const Program& p, size_t last, std::string& why);
bool is_marked(const Step& step);
// The marked ones of both kinds.
std::vector<RowStream> row_streams(const Program& p);

// The parallel loop's iterations are rows of `length` elements of `buffer`: each reads and writes its own row alone.
// Where rows lie further apart, `length` is their distance.
// `lookups`: at computed positions, too, which are known to lie in the row.
bool works_on_rows(const Kernel& k, uint32_t buffer, const Dim& length, bool lookups = false);
// The length for which it works on rows of the buffer, if there is one.
std::optional<Dim> length_of_rows(const Kernel& k, uint32_t buffer, bool lookups = false);

// How many elements of a row of `buffer` the kernel needs, from the first one on, over its symbols and kRowSymbol. The
// others have no influence, as a mask puts another value in their place. Nothing where the kernel may need all.
std::optional<Dim> needed_columns(const Kernel& k, uint32_t buffer, const Dim& length);

}  // namespace frit::ir
