// The arguments of the functions that a thread traces, by name, for messages.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "frontend/core/node.h"

namespace frit::detail {

// While it lives, the arguments have these names. Borrows both lists.
class TracedArguments {
 public:
  TracedArguments(const std::vector<NodePtr>& nodes, const std::vector<std::string>& names)
      : nodes_(nodes), names_(names), outer_(std::exchange(innermost_, this)) {}
  ~TracedArguments() { innermost_ = outer_; }
  TracedArguments(const TracedArguments&) = delete;
  TracedArguments& operator=(const TracedArguments&) = delete;

  // The name of the argument that the operation stands for; "" where nothing says so.
  static std::string name_of(const Operation& placeholder) {
    for (const TracedArguments* at = innermost_; at; at = at->outer_)
      for (size_t i = 0; i < at->nodes_.size(); ++i)
        if (at->nodes_[i]->operation.get() == &placeholder) return at->names_[i];
    return {};
  }

 private:
  static inline constinit thread_local const TracedArguments* innermost_ = nullptr;
  const std::vector<NodePtr>& nodes_;
  const std::vector<std::string>& names_;
  const TracedArguments* outer_;
};

}  // namespace frit::detail
