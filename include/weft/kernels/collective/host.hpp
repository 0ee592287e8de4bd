#pragma once
// Collectives on the host: the engine's calls. Numbers: compiler/lower/collective.hpp; the second pointer is
// the program's communicator.

#include <cstring>

#include "weft/comm/communicator.hpp"
#include "weft/core/group_call.hpp"
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

// Numbers: what is done (ir/group.hpp), elements of the operand, dtype; `rows` is the request.
inline void run_group_collective(const HostLaunch& launch, int) {
  const GroupCall call = GroupCall::decode(launch.numbers[0]);
  comm::Communicator& group = communicator_of(launch);
  const DType dtype = static_cast<DType>(launch.numbers[2]);
  const i64 count = static_cast<i64>(launch.numbers[1]), unit = size_of(dtype), bytes = count * unit;
  const int request = static_cast<int>(launch.args.rows);
  auto* const to = static_cast<std::byte*>(launch.args.pointer[0]);
  const auto* const from = static_cast<const std::byte*>(launch.args.pointer[2]);
  const i64 own = bytes / call.degree * group.rank();  // where this rank's part of a whole begins
  switch (call.kind) {
    case GroupKind::sum:
      std::memcpy(to, from, static_cast<std::size_t>(bytes));
      group.start_sum(request, to, count, dtype);
      return group.wait_sum(request);
    case GroupKind::gather:
      return group.all_gather(from, to, bytes);
    case GroupKind::part:
      std::memcpy(to, from + own, static_cast<std::size_t>(bytes / call.degree));
      return;
    case GroupKind::scatter: {
      const comm::Communicator::Part whole{from, 0, count};
      std::memset(to, 0, static_cast<std::size_t>(bytes / call.degree));
      group.start_scatter_into(request, &whole, 1, to - own);
      return group.wait_pieces(request);
    }
  }
}

}  // namespace WEFT_NAMESPACE::kernels
