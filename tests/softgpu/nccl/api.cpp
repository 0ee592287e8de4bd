// NCCL's entry points, as far as weft calls them: communicators between processes of one machine. What is put
// into a stream, or into the graph that it captures, runs there when its turn comes, and ends when the other
// ranks' data are there.
#include <nccl.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <utility>

#include "softgpu/nccl/mailbox.hpp"
#include "softgpu/report.hpp"
#include "softgpu/runtime/runtime.hpp"

using namespace softgpu;
using softgpu::nccl::Header;
using softgpu::nccl::Mailbox;

struct ncclComm {
  std::unique_ptr<Mailbox> mail;
  int rank = 0, size = 1, device = 0;
  std::atomic<bool> aborted{false};
  std::atomic<ncclResult_t> failure{ncclSuccess};
  std::shared_ptr<int> uses = std::make_shared<int>(0);  // held by what waits in streams and graphs
};

namespace {

enum Call : u32 { send_call, receive_call, gather_call, broadcast_call, all_reduce_call, reduce_call };
const char* const call_names[]{"ncclSend",      "ncclRecv",      "ncclAllGather",
                               "ncclBroadcast", "ncclAllReduce", "ncclReduce"};
bool has_root(u32 call) { return call == broadcast_call || call == reduce_call; }

// One call, as the program made it.
struct Operation {
  Call call{};
  ncclComm* comm = nullptr;
  Stream* stream = nullptr;
  const void* from = nullptr;
  void* to = nullptr;
  u64 count = 0, bytes = 0;
  u32 dtype = 0;
  int peer = 0;  // or the root
};

thread_local int depth = 0;
thread_local std::vector<Operation> grouped;
thread_local std::string last_words;

std::set<ncclComm*>& comms() {
  static auto* const live = new std::set<ncclComm*>;
  return *live;
}

ncclResult_t refuse(ncclResult_t status, const char* kind, const char* call, const std::string& text) {
  report(kind, call, std::string(call) + ": " + text);
  last_words = text;
  return status;
}
bool known(ncclComm* comm, const char* call) {
  if (comms().count(comm) != 0) return true;
  refuse(ncclInvalidArgument, "invalid handle", call, "a communicator that was destroyed or never made");
  return false;
}

u64 size_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    default:
      return 0;
  }
}

// Memory that a call may use.
bool usable(const ncclComm& comm, const void* pointer, u64 bytes, const char* call) {
  const auto address = reinterpret_cast<u64>(pointer);
  const Region* const region = memory().find(address);
  const auto wrong = [&](const char* kind) {
    refuse(ncclInvalidArgument, kind, call,
           std::to_string(bytes) + " bytes at " + memory().describe(address));
    return false;
  };
  if (pointer == nullptr) return wrong("null pointer");
  if (region == nullptr) return wrong("out of bounds");
  if (region->freed) return wrong("freed memory");
  if (!region->holds(address, bytes)) return wrong("out of bounds");
  if (region->kind == Region::Kind::device && region->device != comm.device)
    return wrong("another device's memory");
  return true;
}

std::vector<std::byte> read(const void* pointer, u64 bytes, const char* call) {
  const auto address = reinterpret_cast<u64>(pointer);
  Region* const region = memory().find(address);
  if (region == nullptr || region->freed || !region->holds(address, bytes)) {
    report("freed memory", call, std::string(call) + " of " + memory().describe(address));
    return std::vector<std::byte>(bytes);
  }
  if (region->kind == Region::Kind::device)
    if (const u64 so_far = Memory::written(*region, address, bytes); so_far < bytes)
      report("uninitialised read", call,
             std::string(call) + " of " + std::to_string(bytes) + " bytes: nobody has written at " +
                 memory().describe(address + so_far));
  return {region->at(address), region->at(address) + bytes};
}
void write(void* pointer, const std::vector<std::byte>& data, const char* call) {
  const auto address = reinterpret_cast<u64>(pointer);
  Region* const region = memory().find(address);
  if (region == nullptr || region->freed || !region->holds(address, data.size()))
    return report("freed memory", call, std::string(call) + " to " + memory().describe(address));
  std::memcpy(region->at(address), data.data(), data.size());
  if (region->kind == Region::Kind::device) Memory::mark(*region, address, data.size(), written_by_copy);
}

std::string described(const Header& h) {
  return std::string(call_names[h.call]) + " of " + std::to_string(h.count) + " elements of type " +
         std::to_string(h.dtype) + (has_root(h.call) ? ", root " + std::to_string(h.root) : "");
}

// All calls of a group as one piece of work: sends at once, then takes what arrives, in any order of ranks.
class Exchange {
 public:
  Exchange(ncclComm* comm, std::vector<Operation> calls)
      : comm_(comm), uses_(comm->uses), calls_(std::move(calls)) {
    for (const Operation& op : calls_) {
      const Header own{op.call == receive_call ? u32{send_call} : u32{op.call}, op.dtype, op.count,
                       has_root(op.call) ? static_cast<u32>(op.peer) : 0};
      const auto add = [&](int peer, void* to) { receives_.push_back({peer, to, op.bytes, own}); };
      if (op.call == all_reduce_call || (op.call == reduce_call && op.peer == comm->rank)) {
        sums_.push_back({op, std::vector<std::vector<std::byte>>(static_cast<std::size_t>(comm->size))});
        for (int r = 0; r < comm->size; ++r) {
          if (r == comm->rank) continue;
          add(r, nullptr);
          receives_.back().sum = static_cast<int>(sums_.size()) - 1;
        }
      }
      if (op.call == receive_call) add(op.peer, op.to);
      if (op.call == broadcast_call && op.peer != comm->rank) add(op.peer, op.to);
      if (op.call == gather_call)
        for (int r = 0; r < comm->size; ++r)
          if (r != comm->rank) add(r, static_cast<std::byte*>(op.to) + static_cast<u64>(r) * op.bytes);
    }
  }

  bool operator()() {
    if (comm_->aborted) return true;
    if (!sent_) send_all();
    bool all = true;
    for (std::size_t k = 0; k < receives_.size(); ++k) {
      if (done_[k]) continue;
      const bool first = [&] {  // messages of one rank are taken in their order
        for (std::size_t j = 0; j < k; ++j)
          if (!done_[j] && receives_[j].peer == receives_[k].peer) return false;
        return true;
      }();
      if (first && take(receives_[k])) done_[k] = true;
      all = all && done_[k];
    }
    if (all) {
      for (Sum& sum : sums_) write(sum.call.to, added(sum), call_names[sum.call.call]);
      sent_ = false;
      return true;
    }
    for (std::size_t k = 0; k < receives_.size(); ++k)
      if (!done_[k] && !comm_->mail->is_there(receives_[k].peer) && !take_again(k))
        comm_->failure = ncclRemoteError;  // the call never ends, unless it is aborted
    return false;
  }

 private:
  struct Receive {
    int peer;
    void* to;
    u64 bytes;
    Header expected;
    int sum = -1;  // what it is added to
  };
  // What the ranks have of a reduction.
  struct Sum {
    Operation call;
    std::vector<std::vector<std::byte>> of;
  };

  // From the last rank to the first: an order that no caller may count on.
  static std::vector<std::byte> added(const Sum& sum) {
    const auto add = [&](auto zero) {
      using T = decltype(zero);
      std::vector<std::byte> total = sum.of.back();
      for (std::size_t r = sum.of.size() - 1; r-- > 0;)
        for (u64 at = 0; at < sum.call.bytes; at += sizeof(T)) {
          T a, b;
          std::memcpy(&a, total.data() + at, sizeof a);
          std::memcpy(&b, sum.of[r].data() + at, sizeof b);
          a = a + b;
          std::memcpy(total.data() + at, &a, sizeof a);
        }
      return total;
    };
    return sum.call.dtype == static_cast<u32>(ncclFloat64) ? add(0.0) : add(0.0f);
  }

  void send_all() {
    sent_ = true;
    done_.assign(receives_.size(), false);
    for (const Operation& op : calls_) {
      if (op.call == receive_call) continue;
      const char* const name = call_names[op.call];
      if (op.call == broadcast_call && op.peer != comm_->rank) continue;
      const std::vector<std::byte> data = read(op.from, op.bytes, name);
      const Header header{op.call, op.dtype, op.count, has_root(op.call) ? static_cast<u32>(op.peer) : 0};
      if (op.call == reduce_call && op.peer != comm_->rank) {
        comm_->mail->send(op.peer, header, data.data(), op.bytes);
        continue;
      }
      if (op.call == reduce_call || op.call == all_reduce_call)
        for (Sum& sum : sums_)
          if (sum.call.to == op.to && sum.call.from == op.from)
            sum.of[static_cast<std::size_t>(comm_->rank)] = data;
      if (op.call == reduce_call) continue;
      if (op.call == send_call) {
        comm_->mail->send(op.peer, header, data.data(), op.bytes);
        continue;
      }
      for (int r = 0; r < comm_->size; ++r)
        if (r != comm_->rank) comm_->mail->send(r, header, data.data(), op.bytes);
      if (op.call == all_reduce_call) continue;
      std::byte* const own = static_cast<std::byte*>(op.to) +
                             (op.call == gather_call ? static_cast<u64>(comm_->rank) * op.bytes : 0);
      if (own != op.from) write(own, data, name);
    }
  }
  bool take(const Receive& want) {
    Header got;
    std::vector<std::byte> data;
    if (!comm_->mail->receive(want.peer, got, data)) return false;
    if (got != want.expected || data.size() != want.bytes) {
      report("ranks that part", call_names[want.expected.call],
             "rank " + std::to_string(comm_->rank) + " expects " + described(want.expected) + " from rank " +
                 std::to_string(want.peer) + ", which calls " + described(got));
      comm_->failure = ncclInvalidUsage;
      return true;
    }
    if (want.sum >= 0) {
      sums_[static_cast<std::size_t>(want.sum)].of[static_cast<std::size_t>(want.peer)] = std::move(data);
      return true;
    }
    write(want.to, data, want.expected.call == send_call ? "ncclRecv" : call_names[want.expected.call]);
    return true;
  }
  // What a rank had sent before it ended.
  bool take_again(std::size_t k) {
    for (std::size_t j = 0; j < k; ++j)
      if (!done_[j] && receives_[j].peer == receives_[k].peer) return true;  // asked before
    return done_[k] = take(receives_[k]);
  }

  ncclComm* comm_;
  std::shared_ptr<int> uses_;
  std::vector<Operation> calls_;
  std::vector<Receive> receives_;
  std::vector<Sum> sums_;
  std::vector<bool> done_;  // of this run
  bool sent_ = false;
};

ncclResult_t launch(std::vector<Operation> calls) {
  while (!calls.empty()) {
    ncclComm* const comm = calls.front().comm;
    Stream* const stream = calls.front().stream;
    std::vector<Operation> mine, others;
    for (const Operation& op : calls) (op.comm == comm ? mine : others).push_back(op);
    int to_itself = 0;  // messages less those that are taken
    for (const Operation& op : mine) {
      if (op.stream != stream)
        return refuse(ncclInvalidUsage, "group semantics", "ncclGroupEnd", "two streams in one group");
      if (op.peer == comm->rank && op.call == send_call) ++to_itself;
      if (op.peer == comm->rank && op.call == receive_call) --to_itself;
    }
    if (to_itself != 0)
      return refuse(ncclInvalidUsage, "group semantics", "ncclGroupEnd",
                    "a message to oneself that the same group does not take");
    const char* const name = mine.size() == 1 ? call_names[mine[0].call] : "ncclGroupEnd";
    if (runtime().enqueue_task(*stream, Exchange(comm, std::move(mine)), name) != cudaSuccess)
      return ncclUnhandledCudaError;
    calls = std::move(others);
  }
  return ncclSuccess;
}

ncclResult_t enqueue(Call call, const void* from, void* to, size_t count, ncclDataType_t type, int peer,
                     ncclComm* comm, cudaStream_t handle) {
  const std::lock_guard lock(runtime().mutex);
  const char* const name = call_names[call];
  if (!known(comm, name)) return ncclInvalidArgument;
  if (comm->aborted)
    return refuse(ncclInvalidUsage, "invalid handle", name, "a communicator that was aborted");
  Operation op{call, comm,  runtime().stream(handle, name), from,
               to,   count, count * size_of(type),          static_cast<u32>(type),
               peer};
  if (op.stream == nullptr || size_of(type) == 0) return ncclInvalidArgument;
  if (op.stream->device != comm->device)
    return refuse(ncclInvalidArgument, "invalid handle", name, "a stream of another device");
  if (peer < 0 || peer >= comm->size)
    return refuse(ncclInvalidArgument, "ranks that part", name, "rank " + std::to_string(peer) + " is none");
  const bool reads = call != receive_call && (call != broadcast_call || peer == comm->rank);
  const u64 arrives = call == gather_call ? op.bytes * static_cast<u64>(comm->size) : op.bytes;
  if (reads && !usable(*comm, from, op.bytes, name)) return ncclInvalidArgument;
  const bool writes = call != send_call && (call != reduce_call || peer == comm->rank);
  if (writes && !usable(*comm, to, arrives, name)) return ncclInvalidArgument;
  if ((call == reduce_call || call == all_reduce_call) && type != ncclFloat32 && type != ncclFloat64)
    return refuse(ncclInvalidArgument, "ranks that part", name,
                  "a sum of f32 or f64 is all that is known here");
  if (call == gather_call) {
    const auto* const begin = static_cast<const std::byte*>(to);
    const auto* const piece = static_cast<const std::byte*>(from);
    const auto* const own = begin + static_cast<u64>(comm->rank) * op.bytes;
    if (piece != own && piece < begin + arrives && begin < piece + op.bytes)
      return refuse(ncclInvalidArgument, "overlapping buffers", name,
                    "in place, a rank's piece is the one of its number");
  }
  if (depth > 0) {
    grouped.push_back(op);
    return ncclSuccess;
  }
  return launch({op});
}

__attribute__((destructor)) void at_end_of_library() {
  if (!comms().empty()) report("never destroyed", "NCCL", std::to_string(comms().size()) + " communicators");
  if (depth > 0) report("group semantics", "NCCL", "a group that was begun and never ended");
}

}  // namespace

extern "C" {

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static std::atomic<int> count{0};
  std::random_device random;
  const char* const given = std::getenv("TMPDIR");
  const std::string folder = std::string(given != nullptr ? given : "/dev/shm") + "/softgpu-nccl-" +
                             std::to_string(::getpid()) + "-" + std::to_string(count++) + "-" +
                             std::to_string(random());
  std::memset(id, 0, sizeof *id);
  if (folder.size() + 1 > sizeof id->internal) return ncclSystemError;
  std::memcpy(id->internal, folder.c_str(), folder.size() + 1);
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* comm, int size, ncclUniqueId id, int rank) {
  int device = 0;
  {
    const std::lock_guard lock(runtime().mutex);
    if (rank < 0 || rank >= size || id.internal[0] == '\0' ||
        std::memchr(id.internal, 0, sizeof id.internal) == nullptr)
      return refuse(
          ncclInvalidArgument, "ranks that part", "ncclCommInitRank",
          "rank " + std::to_string(rank) + " of " + std::to_string(size) + ", or an id of nobody's");
    if (runtime().forbid_unsafe_under_capture("ncclCommInitRank") != cudaSuccess)
      return ncclUnhandledCudaError;
    device = current_device();
  }
  auto made = std::make_unique<ncclComm>();
  made->rank = rank;
  made->size = size;
  made->device = device;
  try {
    made->mail = std::make_unique<Mailbox>(id.internal, rank, size);
  } catch (const std::runtime_error& e) {
    last_words = e.what();
    return ncclSystemError;
  }
  const std::lock_guard lock(runtime().mutex);
  comms().insert(*comm = made.release());
  return ncclSuccess;
}

// The memory stays, so that no later communicator has its address.
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  const std::lock_guard lock(runtime().mutex);
  if (!known(comm, "ncclCommDestroy")) return ncclInvalidArgument;
  if (runtime().forbid_unsafe_under_capture("ncclCommDestroy") != cudaSuccess) return ncclUnhandledCudaError;
  runtime().complete_device(comm->device);
  if (comm->uses.use_count() > 1)
    return refuse(ncclInvalidUsage, "still in use", "ncclCommDestroy",
                  "a graph holds the communicator, and NCCL waits until there is none");
  comms().erase(comm);
  comm->mail = nullptr;
  return ncclSuccess;
}

// What waits ends without its data. Takes no lock before that: a thread may hold it and wait.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  comm->aborted = true;
  const std::lock_guard lock(runtime().mutex);
  if (!known(comm, "ncclCommAbort")) return ncclInvalidArgument;
  comms().erase(comm);
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  const std::lock_guard lock(runtime().mutex);
  if (!known(comm, "ncclCommGetAsyncError")) return ncclInvalidArgument;
  *error = comm->failure;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t status) {
  switch (status) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error";
    case ncclSystemError:
      return "unhandled system error";
    case ncclInvalidArgument:
      return "invalid argument";
    case ncclInvalidUsage:
      return "invalid usage";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    default:
      return "internal error";
  }
}
const char* ncclGetLastError(ncclComm_t) { return last_words.c_str(); }

ncclResult_t ncclGroupStart() {
  ++depth;
  return ncclSuccess;
}
ncclResult_t ncclGroupEnd() {
  const std::lock_guard lock(runtime().mutex);
  if (depth == 0) return refuse(ncclInvalidUsage, "group semantics", "ncclGroupEnd", "no group was begun");
  if (--depth > 0) return ncclSuccess;
  return launch(std::exchange(grouped, {}));
}

ncclResult_t ncclSend(const void* from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return enqueue(send_call, from, nullptr, count, type, peer, comm, stream);
}
ncclResult_t ncclRecv(void* to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return enqueue(receive_call, nullptr, to, count, type, peer, comm, stream);
}
ncclResult_t ncclAllGather(const void* from, void* to, size_t count, ncclDataType_t type, ncclComm_t comm,
                           cudaStream_t stream) {
  return enqueue(gather_call, from, to, count, type, 0, comm, stream);
}
ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream) {
  if (op != ncclSum) return ncclInvalidArgument;
  return enqueue(all_reduce_call, from, to, count, type, 0, comm, stream);
}
ncclResult_t ncclReduce(const void* from, void* to, size_t count, ncclDataType_t type, ncclRedOp_t op,
                        int root, ncclComm_t comm, cudaStream_t stream) {
  if (op != ncclSum) return ncclInvalidArgument;
  return enqueue(reduce_call, from, to, count, type, root, comm, stream);
}
ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, ncclDataType_t type, int root,
                           ncclComm_t comm, cudaStream_t stream) {
  return enqueue(broadcast_call, from, to, count, type, root, comm, stream);
}

}  // extern "C"
