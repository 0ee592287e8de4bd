#pragma once
// Ranks whose GPUs NCCL connects (NVIDIA Collective Communications Library, 2.19 or newer).
//
// The program is started by torchrun --no-python, or by whatever sets what that sets; one that is started
// alone is rank 0 of 1.

#include "weft/kernels/collective/nccl_communicator.cuh"

namespace WEFT_NAMESPACE::comm {

// This process's place among the ranks; comm::ddp<comm::Nccl> trains on them, each on a GPU of its own.
//
//   const comm::Nccl world;
//   auto trainer = make_trainer<Net>(world.device(), loss, in<...>, ..., comm::ddp<comm::Nccl>);
class Nccl {
 public:
  using device_type = Cuda;

  // Connects the ranks, unless they are. Throws "comm/environment", "comm/connect", "comm/timeout".
  Nccl() { NcclRanks::get(); }

  // [0, size())
  int rank() const { return NcclRanks::get().rank(); }
  // Processes.
  int size() const { return NcclRanks::get().size(); }
  // The GPU of this rank: the one with its number on this machine, of those that the process sees.
  Cuda device() const { return NcclRanks::get().device(); }

  // Ends this process at once, with a status that is not 0; the others see it end where they wait
  // ("comm/rank").
  [[noreturn]] void abort(int status = 1) const { std::_Exit(status); }

  static Shared<Communicator> connect() { return Shared<Communicator>(new NcclCommunicator); }
  // The group of `degree` ranks that this one is of, and the ranks that have its place in theirs. Calls of
  // all ranks.
  static Shared<Communicator> connect_group(int degree) {
    const Nccl at;
    return Shared<Communicator>(
        new NcclCommunicator(RankSubset::group("Nccl", degree, at.rank(), at.size()), true));
  }
  static Shared<Communicator> connect_across(int degree) {
    const Nccl at;
    return Shared<Communicator>(
        new NcclCommunicator(RankSubset::across("Nccl", degree, at.rank(), at.size())));
  }
};

}  // namespace WEFT_NAMESPACE::comm
