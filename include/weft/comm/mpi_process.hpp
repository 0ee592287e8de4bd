#pragma once
// This process among the others that mpirun or srun has started, and MPI's objects with owners: begun and
// ended, made and freed, errors thrown.

#if !__has_include(<mpi.h>)
#error \
    "weft/mpi.hpp: no mpi.h: install an MPI (apt-get install libopenmpi-dev openmpi-bin) and compile with mpicxx, or link MPI::MPI_CXX"
#endif
#include <mpi.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "weft/comm/tensor_parallel.hpp"
#include "weft/comm/timeout.hpp"
#include "weft/core/error.hpp"
#include "weft/core/types.hpp"

namespace WEFT_NAMESPACE::comm::detail {

inline void check_mpi(int status, const char* what) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING]{};
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Error("comm/mpi", std::string(what) + ": " + std::string(text, static_cast<std::size_t>(length)));
}

// This process among the others of its program. MPI is ended with the process, if it was begun here; after a
// failure the other ranks are ended too, which may wait for this one.
struct MpiProcess {
  MpiProcess() {
    int begun = 0;
    check_mpi(MPI_Initialized(&begun), "MPI_Initialized");
    if (begun) return;
    int level = 0;
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread");
    ends = true;
  }
  ~MpiProcess() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended) return;
    if (failed) MPI_Abort(MPI_COMM_WORLD, 1);
    if (ends) MPI_Finalize();
  }
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;
  static MpiProcess& get() {
    static MpiProcess process;
    return process;
  }

  bool ends = false, failed = false;
};

[[noreturn]] inline void fail_silent(const std::string& what, const std::string& silent) {
  MpiProcess::get().failed = true;
  throw Error("comm/timeout", what + ": rank " + (silent.empty() ? "?" : silent) + " was silent for " +
                                  std::to_string(static_cast<i64>(rank_timeout())) +
                                  " s (WEFT_COMM_TIMEOUT)");
}

// Returns when every rank of a subset has come here: before calls of MPI that wait without an end, as all
// that make a communicator do. Throws "comm/timeout". (Messages of the program's own communicator, there
// being no other yet, with a tag of their own.)
inline void meet(const RankSubset& ranks, const char* what) {
  constexpr int tag = 32767;  // the largest that every MPI has
  int own = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (ranks.count > 0) size = ranks.count;
  std::vector<MPI_Request> come(static_cast<std::size_t>(size), MPI_REQUEST_NULL);
  for (int k = 0; k < size; ++k) {
    const int r = ranks.first + k * ranks.stride;
    if (r == own) continue;
    MPI_Request sent = MPI_REQUEST_NULL;
    check_mpi(MPI_Irecv(nullptr, 0, MPI_BYTE, r, tag, MPI_COMM_WORLD, &come[static_cast<std::size_t>(k)]),
              "MPI_Irecv");
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, r, tag, MPI_COMM_WORLD, &sent), "MPI_Isend");
    MPI_Request_free(&sent);
  }
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (int all = 0; all == 0;) {
    check_mpi(MPI_Testall(size, come.data(), &all, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (all != 0) break;
    if (std::chrono::duration<double>(Clock::now() - start).count() > rank_timeout()) {
      std::string silent;
      for (int k = 0; k < size; ++k) {
        int there = 1;
        MPI_Test(&come[static_cast<std::size_t>(k)], &there, MPI_STATUS_IGNORE);
        if (there == 0)
          silent += (silent.empty() ? "" : ", ") + std::to_string(ranks.first + k * ranks.stride);
      }
      fail_silent(what, silent);
    }
    std::this_thread::yield();
  }
}

// A communicator of its own, whose errors are returned. A call of the ranks that it connects.
class MpiGroup {
 public:
  explicit MpiGroup(const RankSubset& ranks) {
    if (ranks.count == 0) {
      check_mpi(MPI_Comm_dup(MPI_COMM_WORLD, &group_), "MPI_Comm_dup");
    } else {
      MPI_Group all = MPI_GROUP_NULL, some = MPI_GROUP_NULL;
      check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &all), "MPI_Comm_group");
      int range[1][3] = {{ranks.first, ranks.first + (ranks.count - 1) * ranks.stride, ranks.stride}};
      check_mpi(MPI_Group_range_incl(all, 1, range, &some), "MPI_Group_range_incl");
      check_mpi(MPI_Comm_create_group(MPI_COMM_WORLD, some, ranks.stride, &group_), "MPI_Comm_create_group");
      MPI_Group_free(&some);
      MPI_Group_free(&all);
    }
    MPI_Comm_set_errhandler(group_, MPI_ERRORS_RETURN);
  }
  ~MpiGroup() {
    int ended = 0;
    MPI_Finalized(&ended);
    if (!ended && !MpiProcess::get().failed) MPI_Comm_free(&group_);
  }
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;
  operator MPI_Comm() const { return group_; }

 private:
  MPI_Comm group_ = MPI_COMM_NULL;
};

// So many bytes, as what is sent.
class MpiUnit {
 public:
  explicit MpiUnit(i64 bytes) {
    check_mpi(MPI_Type_contiguous(static_cast<int>(bytes), MPI_BYTE, &type_), "MPI_Type_contiguous");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~MpiUnit() { MPI_Type_free(&type_); }
  MpiUnit(const MpiUnit&) = delete;
  MpiUnit& operator=(const MpiUnit&) = delete;
  operator MPI_Datatype() const { return type_; }

 private:
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

}  // namespace WEFT_NAMESPACE::comm::detail
