// Groups of processes over Open MPI.
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>

#include "frit/half.h"
#include "runtime/mpi/group.h"
#include "runtime/mpi/open_mpi.h"

namespace frit::runtime {
namespace {

using mpi::Library;

// MPI counts in ints; longer work is cut into pieces of this many elements.
constexpr int64_t kPiece = std::numeric_limits<int>::max() / 2;

template <class T, class F>
void combine(void* in, void* inout, const int* count, F f) {
  const T* a = static_cast<const T*>(in);
  T* b = static_cast<T*>(inout);
  for (int i = 0; i < *count; ++i) b[i] = T(f(static_cast<float>(a[i]), static_cast<float>(b[i])));
}

// MPI knows neither of the 16-bit floats: each step is in float32 and rounded.
template <class T>
void sum_of(void* in, void* inout, int* count, mpi::Type*) {
  combine<T>(in, inout, count, [](float a, float b) { return a + b; });
}
template <class T>
void max_of(void* in, void* inout, int* count, mpi::Type*) {
  combine<T>(in, inout, count, [](float a, float b) { return a != a || a > b ? a : b; });
}
template <class T>
void min_of(void* in, void* inout, int* count, mpi::Type*) {
  combine<T>(in, inout, count, [](float a, float b) { return a != a || a < b ? a : b; });
}

struct World {
  const Library* mpi = nullptr;
  bool threads = false;  // several threads may be inside MPI
  std::mutex mutex;      // held by calls where they may not
  mpi::Op half[3] = {}, brain[3] = {};
  bool ours = false;  // whether this process started MPI here

  ~World() {
    int ended = 0;
    if (ours && mpi->finalized(&ended) == 0 && !ended) mpi->finalize();
  }
};

Status failed(const char* what, int code) {
  if (code == 0) return {};
  return Diagnostic(std::string("mpi: ") + what + " failed with code " + std::to_string(code));
}

class MpiGroup final : public ProcessGroup {
 public:
  MpiGroup(World& world, mpi::Comm comm, bool owned) : world_(world), mpi_(*world.mpi), comm_(comm), owned_(owned) {
    mpi_.comm_rank(comm_, &rank_);
    mpi_.comm_size(comm_, &size_);
  }
  ~MpiGroup() override {
    int ended = 0;
    if (owned_ && mpi_.finalized(&ended) == 0 && !ended) mpi_.comm_free(&comm_);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Result<ProcessGroupPtr> split(int color, int key) override {
    const auto guard = lock();
    mpi::Comm part = nullptr;
    FRIT_TRY(failed("MPI_Comm_split", mpi_.comm_split(comm_, color, key < 0 ? rank_ : key, &part)));
    return ProcessGroupPtr(std::make_shared<MpiGroup>(world_, part, true));
  }

  Status all_reduce(Combination how, Dtype dtype, const void* in, void* out, int64_t count) override {
    FRIT_ASSIGN_OR_RETURN(work, work_for(how, dtype));
    const auto guard = lock();
    return in_pieces(count, [&](int64_t at, int n) {
      return failed("MPI_Allreduce", mpi_.allreduce(byte(in) + at * dtype.size(), byte(out) + at * dtype.size(), n,
                                                    work.type, work.op, comm_));
    });
  }

  Status all_gather(const void* in, void* out, int64_t bytes) override {
    const auto guard = lock();
    if (bytes > std::numeric_limits<int>::max())
      return Diagnostic("mpi: all_gather of " + std::to_string(bytes) + " bytes from each process", {},
                        "gather in parts of less than 2^31 bytes");
    const int n = static_cast<int>(bytes);
    return failed("MPI_Allgather", mpi_.allgather(in, n, mpi_.byte, out, n, mpi_.byte, comm_));
  }

  Status sum_scatter(Dtype dtype, const void* in, void* out, int64_t count) override {
    FRIT_ASSIGN_OR_RETURN(work, work_for(Combination::Sum, dtype));
    const auto guard = lock();
    if (count > std::numeric_limits<int>::max())
      return Diagnostic("mpi: sum_scatter of " + std::to_string(count) + " elements to each process", {},
                        "scatter in parts of less than 2^31 elements");
    return failed("MPI_Reduce_scatter_block",
                  mpi_.reduce_scatter_block(in, out, static_cast<int>(count), work.type, work.op, comm_));
  }

  Status send(const void* data, int64_t bytes, int to) override {
    const auto guard = lock();
    return in_pieces(bytes, [&](int64_t at, int n) {
      return failed("MPI_Send", mpi_.send(byte(data) + at, n, mpi_.byte, to, 0, comm_));
    });
  }

  Status receive(void* data, int64_t bytes, int from) override {
    const auto guard = lock();
    return in_pieces(bytes, [&](int64_t at, int n) {
      return failed("MPI_Recv", mpi_.recv(byte(data) + at, n, mpi_.byte, from, 0, comm_, nullptr));
    });
  }

 private:
  struct Work {
    mpi::Type type;
    mpi::Op op;
  };

  static const std::byte* byte(const void* p) { return static_cast<const std::byte*>(p); }
  static std::byte* byte(void* p) { return static_cast<std::byte*>(p); }

  std::unique_lock<std::mutex> lock() const {
    return world_.threads ? std::unique_lock<std::mutex>() : std::unique_lock<std::mutex>(world_.mutex);
  }

  // Calls f(first, count) for parts that MPI can count. An empty array takes no call: it is empty everywhere.
  template <class F>
  static Status in_pieces(int64_t count, F f) {
    for (int64_t at = 0; at < count; at += kPiece) FRIT_TRY(f(at, static_cast<int>(std::min(kPiece, count - at))));
    return {};
  }

  Result<Work> work_for(Combination how, Dtype dtype) const {
    const auto i = static_cast<size_t>(how);
    const mpi::Op op = how == Combination::Sum ? mpi_.sum : how == Combination::Max ? mpi_.max : mpi_.min;
    switch (dtype.val()) {
      case Dtype::Val::bool_: return Work{mpi_.u8, how == Combination::Sum ? mpi_.max : op};
      case Dtype::Val::uint8: return Work{mpi_.u8, op};
      case Dtype::Val::uint16: return Work{mpi_.u16, op};
      case Dtype::Val::uint32: return Work{mpi_.u32, op};
      case Dtype::Val::uint64: return Work{mpi_.u64, op};
      case Dtype::Val::int8: return Work{mpi_.i8, op};
      case Dtype::Val::int16: return Work{mpi_.i16, op};
      case Dtype::Val::int32: return Work{mpi_.i32, op};
      case Dtype::Val::int64: return Work{mpi_.i64, op};
      case Dtype::Val::float16: return Work{mpi_.u16, world_.half[i]};
      case Dtype::Val::bfloat16: return Work{mpi_.u16, world_.brain[i]};
      case Dtype::Val::float32: return Work{mpi_.f32, op};
      case Dtype::Val::float64: return Work{mpi_.f64, op};
      case Dtype::Val::complex64:
        if (how == Combination::Sum) return Work{mpi_.c64, op};
        break;
    }
    return Diagnostic("mpi: " + std::string(short_name(dtype)) + " numbers have no order", {}, "combine their parts");
  }

  World& world_;
  const Library& mpi_;
  mpi::Comm comm_;
  bool owned_;
  int rank_ = 0, size_ = 1;
};

Status start(World& world) {
  FRIT_ASSIGN_OR_RETURN(library, mpi::library());
  world.mpi = library;
  int running = 0, level = 0;
  FRIT_TRY(failed("MPI_Initialized", library->initialized(&running)));
  if (running) {
    level = 0;  // started by the program, for who knows which threads
  } else {
    FRIT_TRY(failed("MPI_Init_thread", library->init_thread(nullptr, nullptr, mpi::kThreadMultiple, &level)));
    world.ours = true;
  }
  world.threads = level == mpi::kThreadMultiple;
  mpi::UserFunction* const half[] = {sum_of<float16_t>, max_of<float16_t>, min_of<float16_t>};
  mpi::UserFunction* const brain[] = {sum_of<bfloat16_t>, max_of<bfloat16_t>, min_of<bfloat16_t>};
  for (size_t i = 0; i < 3; ++i) {
    FRIT_TRY(failed("MPI_Op_create", library->op_create(half[i], 1, &world.half[i])));
    FRIT_TRY(failed("MPI_Op_create", library->op_create(brain[i], 1, &world.brain[i])));
  }
  return {};
}

}  // namespace

bool has_mpi() { return mpi::library().ok(); }

bool started_by_mpi() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(name)) return true;
  return false;
}

Result<ProcessGroupPtr> mpi_world() {
  static World world;
  static const Status status = start(world);
  if (!status.ok()) return status.error();
  static const ProcessGroupPtr group = std::make_shared<MpiGroup>(world, world.mpi->world, false);
  return group;
}

}  // namespace frit::runtime
