// Leaves out the columns of rows that a mask hides, as of causal attention.
#pragma once

#include "ir/kernel/row_stream.h"

namespace frit::passes {

// The launch behind the product of `stream` puts one number in the place of each row's last scores, from a column on
// that follows from the row. Where later launches then store constants, as the weights of a softmax, these are filled
// in, and the loops that compute them end at that column. No result changes. Says whether anything did: not where other
// steps launch one of the kernels for other work.
bool leave_out_hidden_columns(ir::Program& p, const ir::RowStream& stream);

}  // namespace frit::passes
