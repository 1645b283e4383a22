// Emits control flow among the steps of a function with a C interface: blocks, counters, and addresses that move.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <vector>

#include "ir/kernel/program.h"

namespace frit::codegen {

class ControlEmitter {
 public:
  // `symbols` and `buffers` are values of the program's symbols and addresses of its buffers, and outlive this. The
  // builder stands where memory may be made.
  ControlEmitter(llvm::IRBuilder<>& builder, llvm::Function* function, const ir::Program& program,
                 const std::vector<llvm::Value*>& symbols, std::vector<llvm::Value*>& buffers);

  void emit(const ir::ControlStep& step);
  // Gives the buffers that move their addresses at this place.
  void refresh();

 private:
  struct Block {
    const ir::ControlStep* first;
    llvm::BasicBlock *body, *other, *done;  // `other`: the way of an If whose flag is false
    llvm::Value* count;
  };

  llvm::BasicBlock* block(const char* name);
  llvm::Value* size(const Dim& d);
  llvm::Value* holds(uint32_t flag);
  void place_parts(uint32_t counter);
  void open_repeat(const ir::ControlStep& step);
  void close(const ir::ControlStep& step);

  llvm::IRBuilder<>& b_;
  llvm::Function* function_;
  const ir::Program& p_;
  const std::vector<llvm::Value*>& symbols_;
  std::vector<llvm::Value*>& buffers_;
  std::map<uint32_t, llvm::Value*> homes_;  // of buffers that move: where their address is
  std::vector<llvm::Value*> counters_;
  std::vector<Block> open_;
};

}  // namespace frit::codegen
