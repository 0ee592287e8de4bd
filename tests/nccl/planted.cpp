// Faults planted in calls of NCCL, which the software device must find. usage: planted CASE, by two ranks.
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

namespace {

int rank = 0;
ncclComm_t comm = nullptr;
cudaStream_t stream = nullptr;
float *mine = nullptr, *all = nullptr;  // 64 and 128

void connect() {
  const std::string path = std::string(std::getenv("TMPDIR")) + "/planted-id";
  ncclUniqueId id;
  if (rank == 0) {
    ncclGetUniqueId(&id);
    std::ofstream(path + "-new", std::ios::binary).write(id.internal, sizeof id.internal);
    std::rename((path + "-new").c_str(), path.c_str());
  } else {
    std::ifstream file;
    for (; !file.is_open(); usleep(1000)) file.open(path, std::ios::binary);
    file.read(id.internal, sizeof id.internal);
  }
  ncclCommInitRank(&comm, 2, id, rank);
}

void broadcast(std::size_t count, int root = 0) {
  ncclBroadcast(mine, mine, count, ncclFloat32, root, comm, stream);
}
void gather(const float* from = mine) { ncclAllGather(from, all, 64, ncclFloat32, comm, stream); }
void swap() {
  ncclGroupStart();
  ncclSend(mine, 64, ncclFloat32, 1 - rank, comm, stream);
  ncclRecv(all, 64, ncclFloat32, 1 - rank, comm, stream);
  ncclGroupEnd();
}
cudaGraph_t captured(void (*what)()) {
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  what();
  cudaStreamEndCapture(stream, &graph);
  return graph;
}
cudaGraphExec_t instantiated(cudaGraph_t graph) {
  cudaGraphExec_t exec = nullptr;
  cudaGraphInstantiateWithFlags(&exec, graph, 0);
  cudaGraphDestroy(graph);
  return exec;
}
float at(const float* from) {
  float value = 0;
  cudaMemcpyAsync(&value, from, sizeof value, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return value;
}

bool run(const std::string& what) {
  if (what == "none") {  // what is right: values arrive, in replays too, and nothing is said
    const float own = static_cast<float>(rank + 1);
    cudaMemcpyAsync(mine, &own, sizeof own, cudaMemcpyHostToDevice, stream);
    gather();
    if (at(all) != 1 || at(all + 64) != 2) return false;
    swap();
    if (at(all) != static_cast<float>(2 - rank)) return false;
    const cudaGraphExec_t exec = instantiated(captured([] {
      swap();
      broadcast(64, 1);
    }));
    for (int k = 0; k < 3; ++k) {
      const float now = static_cast<float>(10 * k + rank);
      cudaMemcpyAsync(mine, &now, sizeof now, cudaMemcpyHostToDevice, stream);
      cudaGraphLaunch(exec, stream);
      if (at(all) != static_cast<float>(10 * k + 1 - rank) || at(mine) != static_cast<float>(10 * k + 1))
        return false;
    }
    cudaGraphExecDestroy(exec);
    ncclCommDestroy(comm);
    cudaStreamDestroy(stream);
    cudaFree(mine);
    return cudaFree(all) == cudaSuccess;
  }
  if (what == "count") broadcast(rank == 0 ? 64 : 32);
  if (what == "order") {
    if (rank == 0) broadcast(64);
    gather();
    if (rank == 1) broadcast(64);
  }
  if (what == "unwritten") {
    float* fresh = nullptr;
    cudaMalloc(&fresh, 64 * sizeof(float));
    gather(fresh);
  }
  if (what == "freed") {
    cudaFree(mine);
    gather();
  }
  if (what == "behind") ncclBroadcast(mine, mine, 65, ncclFloat32, 0, comm, stream);
  if (what == "overlap") gather(all + 64 * (1 - rank));
  if (what == "destroyed") {
    ncclCommDestroy(comm);
    gather();
  }
  if (what == "null") ncclSend(nullptr, 64, ncclFloat32, 1 - rank, comm, stream);
  if (what == "device") {
    float* there = nullptr;
    cudaSetDevice(1);
    cudaMalloc(&there, 64 * sizeof(float));
    cudaSetDevice(0);
    gather(there);
  }
  if (what == "nobody") broadcast(64, 2);
  if (what == "left") broadcast(64);
  if (what == "itself") {
    ncclGroupStart();
    ncclSend(mine, 64, ncclFloat32, rank, comm, stream);
    ncclGroupEnd();
  }
  if (what == "streams") {
    cudaStream_t other = nullptr;
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    ncclGroupStart();
    broadcast(64);
    ncclBroadcast(all, all, 64, ncclFloat32, 0, comm, other);
    ncclGroupEnd();
  }
  if (what == "open") ncclGroupStart();
  if (what == "unopened") ncclGroupEnd();
  if (what == "captured") captured([] { ncclCommDestroy(comm); });
  if (what == "held") {
    instantiated(captured([] { gather(); }));
    ncclCommDestroy(comm);
  }
  cudaDeviceSynchronize();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  rank = std::atoi(std::getenv("RANK"));
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  cudaMalloc(&mine, 64 * sizeof(float));
  cudaMalloc(&all, 128 * sizeof(float));
  cudaMemset(mine, 0, 64 * sizeof(float));
  cudaMemset(all, 0, 128 * sizeof(float));
  cudaDeviceSynchronize();
  connect();
  return run(argv[1]) ? 0 : 1;
}
