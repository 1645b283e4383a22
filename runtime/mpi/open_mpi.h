// The part of Open MPI's interface that frit uses, opened on first need. No header of MPI is needed to build.
#pragma once

#include "ir/base/result.h"

namespace frit::runtime::mpi {

// Opaque objects of the library; its predefined ones are variables whose addresses are the handles.
using Comm = void*;
using Type = void*;
using Op = void*;
using UserFunction = void(void* in, void* inout, int* count, Type* type);
inline constexpr int kThreadMultiple = 3;

struct Library {
  int (*init_thread)(int* argc, char*** argv, int required, int* provided) = nullptr;
  int (*initialized)(int* flag) = nullptr;
  int (*finalized)(int* flag) = nullptr;
  int (*finalize)() = nullptr;
  int (*comm_rank)(Comm, int*) = nullptr;
  int (*comm_size)(Comm, int*) = nullptr;
  int (*comm_split)(Comm, int color, int key, Comm*) = nullptr;
  int (*comm_free)(Comm*) = nullptr;
  int (*allreduce)(const void*, void*, int, Type, Op, Comm) = nullptr;
  int (*allgather)(const void*, int, Type, void*, int, Type, Comm) = nullptr;
  int (*reduce_scatter_block)(const void*, void*, int, Type, Op, Comm) = nullptr;
  int (*send)(const void*, int, Type, int to, int tag, Comm) = nullptr;
  int (*recv)(void*, int, Type, int from, int tag, Comm, void* status) = nullptr;
  int (*op_create)(UserFunction*, int commutes, Op*) = nullptr;
  Comm world = nullptr;
  Type byte = nullptr, i8 = nullptr, i16 = nullptr, i32 = nullptr, i64 = nullptr, u8 = nullptr, u16 = nullptr,
       u32 = nullptr, u64 = nullptr, f32 = nullptr, f64 = nullptr, c64 = nullptr;
  Op sum = nullptr, max = nullptr, min = nullptr;
};

// Fails with the reason where the library cannot be opened or is not Open MPI.
Result<const Library*> library();

}  // namespace frit::runtime::mpi
