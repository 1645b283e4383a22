// The sizes and positions that a kernel states.
#pragma once

#include "ir/kernel/kernel.h"

namespace frit::passes {

// Calls visit(dim) for each expression of a body, which it may change.
template <class AnyBody, class Visit>
void each_dim_of_body(AnyBody& body, Visit& visit) {
  for (auto& i : body) {
    if (auto* load = std::get_if<ir::LoadInstr>(&i.node)) visit(load->index);
    if (auto* store = std::get_if<ir::StoreInstr>(&i.node)) visit(store->index);
    if (auto* index = std::get_if<ir::IndexInstr>(&i.node)) visit(index->index);
    if (auto* bind = std::get_if<ir::BindInstr>(&i.node)) visit(bind->low), visit(bind->high);
    if (auto* loop = std::get_if<ir::Loop>(&i.node)) {
      visit(loop->extent);
      visit(loop->grain);
      each_dim_of_body(loop->body, visit);
    }
  }
}

// Calls visit(dim) for each expression of a kernel but those of its facts.
template <class AnyKernel, class Visit>
void each_dim(AnyKernel& k, Visit&& visit) {
  for (auto* list : {&k.buffers, &k.locals})
    for (auto& b : *list) visit(b.size);
  each_dim_of_body(k.body, visit);
}

// A copy for which others are stated: a function may have thousands of facts, and each of its kernels.
inline ir::Kernel without_facts(const ir::Kernel& k) {
  return {.name = k.name,
          .symbols = k.symbols,
          .buffers = k.buffers,
          .locals = k.locals,
          .body = k.body,
          .reg_types = k.reg_types,
          .facts = {},
          .locs = k.locs,
          .origins = k.origins,
          .op_locs = k.op_locs};
}

}  // namespace frit::passes
