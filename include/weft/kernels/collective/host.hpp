#pragma once
// Collectives on the host: the engine's calls. Numbers: compiler/lower/collective.hpp; the second pointer is
// the program's communicator.

#include <cstring>

#include "weft/comm/communicator.hpp"
#include "weft/kernels/launch/host.hpp"

namespace WEFT_NAMESPACE::kernels {

inline comm::Communicator& communicator_of(const HostLaunch& launch) {
  return *static_cast<comm::Communicator*>(launch.args.pointer[1]);
}
inline int request_of(const HostLaunch& launch) { return static_cast<int>(launch.numbers[0]); }

inline void run_all_reduce_start(const HostLaunch& launch, int) {
  communicator_of(launch).start_sum(request_of(launch), launch.args.pointer[0],
                                    static_cast<i64>(launch.numbers[1]),
                                    static_cast<DType>(launch.numbers[2]));
}
inline void run_all_reduce_done(const HostLaunch& launch, int) {
  communicator_of(launch).wait_sum(request_of(launch));
}
inline void run_reduce_scatter_start(const HostLaunch& launch, int) {
  communicator_of(launch).start_scatter(request_of(launch), launch.args.pointer[0]);
}
inline void run_all_gather_start(const HostLaunch& launch, int) {
  const i64 bytes = static_cast<i64>(launch.numbers[1]) * size_of(static_cast<DType>(launch.numbers[2]));
  std::memcpy(launch.args.pointer[0], launch.args.pointer[2], static_cast<std::size_t>(bytes));
  communicator_of(launch).start_gather(request_of(launch), launch.args.pointer[0]);
}
inline void run_reduce_scatter_into_start(const HostLaunch& launch, int) {
  constexpr int operands = 3, numbers = 6;  // the first of each
  comm::Communicator::Part parts[LaunchArgs::max_operands];
  const int count = (launch.number_count - numbers) / 2;
  for (int k = 0; k < count; ++k)
    parts[k] = {launch.args.pointer[operands + k], static_cast<i64>(launch.numbers[numbers + 2 * k]),
                static_cast<i64>(launch.numbers[numbers + 2 * k + 1])};
  const i64 unit = size_of(static_cast<DType>(launch.numbers[2]));
  std::memset(launch.args.pointer[0], 0, static_cast<std::size_t>(unit));
  communicator_of(launch).start_scatter_into(
      request_of(launch), parts, count,
      static_cast<std::byte*>(launch.args.pointer[2]) + static_cast<i64>(launch.numbers[3]) * unit);
}
inline void run_reduce_scatter_into_done(const HostLaunch& launch, int) {
  std::memset(launch.args.pointer[0], 0,
              static_cast<std::size_t>(size_of(static_cast<DType>(launch.numbers[2]))));
  communicator_of(launch).wait_pieces(request_of(launch));
}
inline void run_pieces_done(const HostLaunch& launch, int) {
  communicator_of(launch).wait_pieces(request_of(launch));
}

}  // namespace WEFT_NAMESPACE::kernels
