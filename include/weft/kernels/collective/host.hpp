#pragma once
// Collectives on the host: the engine's calls. Numbers: compiler/lower/collective.hpp; the second pointer is
// the program's communicator.

#include "weft/comm/communicator.hpp"
#include "weft/kernels/launch/host.hpp"

namespace WEFT_NAMESPACE::kernels {

inline comm::Communicator& communicator_of(const HostLaunch& launch) {
  return *static_cast<comm::Communicator*>(launch.args.pointer[1]);
}
inline void run_all_reduce_start(const HostLaunch& launch, int) {
  communicator_of(launch).start_sum(static_cast<int>(launch.numbers[0]), launch.args.pointer[0],
                                    static_cast<i64>(launch.numbers[1]),
                                    static_cast<DType>(launch.numbers[2]));
}
inline void run_all_reduce_done(const HostLaunch& launch, int) {
  communicator_of(launch).wait_sum(static_cast<int>(launch.numbers[0]));
}

}  // namespace WEFT_NAMESPACE::kernels
