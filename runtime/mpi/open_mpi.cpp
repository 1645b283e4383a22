// Opening of Open MPI's library and look-up of its functions and predefined objects.
#include "runtime/mpi/open_mpi.h"

#include <dlfcn.h>

#include <string>

namespace frit::runtime::mpi {
namespace {

struct Opened {
  Library library;
  std::string failure;  // empty when everything was found
};

Opened open() {
  Opened o;
  // Open MPI's own plugins look for its symbols among the global ones.
  void* handle = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
  if (!handle) handle = dlopen("libmpi.so", RTLD_NOW | RTLD_GLOBAL);
  if (!handle) {
    const char* why = dlerror();
    o.failure = why ? why : "libmpi.so.40 cannot be opened";
    return o;
  }
  const char* missing = nullptr;
  const auto find = [&](auto& to, const char* name) {
    void* at = dlsym(handle, name);
    if (!at && !missing) missing = name;
    to = reinterpret_cast<std::remove_reference_t<decltype(to)>>(at);
  };
  Library& l = o.library;
  find(l.init_thread, "MPI_Init_thread");
  find(l.initialized, "MPI_Initialized");
  find(l.finalized, "MPI_Finalized");
  find(l.finalize, "MPI_Finalize");
  find(l.comm_rank, "MPI_Comm_rank");
  find(l.comm_size, "MPI_Comm_size");
  find(l.comm_split, "MPI_Comm_split");
  find(l.comm_free, "MPI_Comm_free");
  find(l.allreduce, "MPI_Allreduce");
  find(l.allgather, "MPI_Allgather");
  find(l.reduce_scatter_block, "MPI_Reduce_scatter_block");
  find(l.send, "MPI_Send");
  find(l.recv, "MPI_Recv");
  find(l.op_create, "MPI_Op_create");
  find(l.world, "ompi_mpi_comm_world");
  find(l.byte, "ompi_mpi_byte");
  find(l.i8, "ompi_mpi_int8_t");
  find(l.i16, "ompi_mpi_int16_t");
  find(l.i32, "ompi_mpi_int32_t");
  find(l.i64, "ompi_mpi_int64_t");
  find(l.u8, "ompi_mpi_uint8_t");
  find(l.u16, "ompi_mpi_uint16_t");
  find(l.u32, "ompi_mpi_uint32_t");
  find(l.u64, "ompi_mpi_uint64_t");
  find(l.f32, "ompi_mpi_float");
  find(l.f64, "ompi_mpi_double");
  find(l.c64, "ompi_mpi_c_float_complex");
  find(l.sum, "ompi_mpi_op_sum");
  find(l.max, "ompi_mpi_op_max");
  find(l.min, "ompi_mpi_op_min");
  if (missing) o.failure = "it is not Open MPI, as it has no symbol " + std::string(missing);
  return o;
}

}  // namespace

Result<const Library*> library() {
  static const Opened opened = open();
  if (!opened.failure.empty())
    return Diagnostic("mpi: Open MPI cannot be used: " + opened.failure, {}, "install openmpi-bin");
  return &opened.library;
}

}  // namespace frit::runtime::mpi
