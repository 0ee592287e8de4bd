#pragma once
// Collectives on the host: the engine's calls.

#include <cstring>

#include "weft/kernels/collective/call.hpp"
#include "weft/kernels/launch/host.hpp"

namespace WEFT_NAMESPACE::kernels {

inline comm::Communicator& communicator_of(const HostLaunch& launch) {
  return *static_cast<comm::Communicator*>(launch.args.pointer[1]);
}

inline void run_all_reduce_start(const HostLaunch& launch, int) {
  const CollectiveCall call(launch);
  communicator_of(launch).start_sum(call.request, launch.args.pointer[0], call.elements, call.dtype);
}
inline void run_all_reduce_done(const HostLaunch& launch, int) {
  communicator_of(launch).wait_sum(CollectiveCall(launch).request);
}
inline void run_reduce_scatter_start(const HostLaunch& launch, int) {
  communicator_of(launch).start_scatter(CollectiveCall(launch).request, launch.args.pointer[0]);
}
inline void run_all_gather_start(const HostLaunch& launch, int) {
  const CollectiveCall call(launch);
  std::memcpy(launch.args.pointer[0], launch.args.pointer[2], static_cast<std::size_t>(call.bytes()));
  communicator_of(launch).start_gather(call.request, launch.args.pointer[0]);
}
inline void run_all_reduce_max(const HostLaunch& launch, int) {
  communicator_of(launch).max(static_cast<const f32*>(launch.args.pointer[2]),
                              static_cast<f32*>(launch.args.pointer[0]), CollectiveCall(launch).elements);
}
template <DType Narrow>
void narrow_state(const GatherStateCall& call) {
  auto* const to = static_cast<ctype<Narrow>*>(call.own_to());
  const auto* const from = static_cast<const f32*>(call.own_from());
  const i64 count = call.own_elements();
  for (i64 i = 0; i < count; ++i) to[i] = static_cast<ctype<Narrow>>(from[i]);
}
inline void run_all_gather_state_start(const HostLaunch& launch, int) {
  const GatherStateCall call(launch);
  if (!call.begins()) return;
  if (call.dtype == call.from_dtype) {
    if (call.own_elements() > 0)
      std::memcpy(call.own_to(), call.own_from(),
                  static_cast<std::size_t>(call.own_elements() * call.unit()));
  } else if (call.dtype == DType::bf16) {
    narrow_state<DType::bf16>(call);
  } else {
    narrow_state<DType::f16>(call);
  }
  communicator_of(launch).note(call.request, call.begin, call.elements);
  communicator_of(launch).start_state(call.request, call.to, call.begin, call.elements, call.shares,
                                      call.unit());
}
// What it gives is a zero, for the launches behind it to depend on.
inline void run_reduce_scatter_into_start(const HostLaunch& launch, int) {
  const ScatterIntoCall call(launch);
  std::memset(launch.args.pointer[0], 0, static_cast<std::size_t>(call.unit()));
  communicator_of(launch).start_scatter_into(call.request, call.parts, call.count, call.to);
}
inline void run_reduce_scatter_state_start(const HostLaunch& launch, int) {
  const ScatterStateCall call(launch);
  std::memset(launch.args.pointer[0], 0, static_cast<std::size_t>(call.unit()));
  communicator_of(launch).note(call.request, call.begin, call.elements);
  communicator_of(launch).reserve_part(call.request, call.begin, call.elements, call.shares, call.dtype);
  communicator_of(launch).start_scatter_into(call.request, &call.part, 1, call.to);
}
inline void run_reduce_scatter_into_done(const HostLaunch& launch, int) {
  const CollectiveCall call(launch);
  std::memset(launch.args.pointer[0], 0, static_cast<std::size_t>(call.unit()));
  communicator_of(launch).wait_pieces(call.request);
}
inline void run_collective_await(const HostLaunch& launch, int) {
  const CollectiveCall call(launch);
  std::memset(launch.args.pointer[0], 0, static_cast<std::size_t>(call.unit()));
  communicator_of(launch).await(call.request);
}
inline void run_pieces_done(const HostLaunch& launch, int) {
  communicator_of(launch).wait_pieces(CollectiveCall(launch).request);
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
