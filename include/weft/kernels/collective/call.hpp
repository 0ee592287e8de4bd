#pragma once
// What a launch of a collective says, on any device. Numbers: compiler/lower/collective.hpp; the second
// pointer is the program's communicator.

#include "weft/comm/communicator.hpp"
#include "weft/core/group_call.hpp"
#include "weft/kernels/evaluator/code.hpp"

namespace WEFT_NAMESPACE::kernels {

struct CollectiveCall {
  int request = 0;
  i64 elements = 0;
  DType dtype{};

  template <class Launch>
  explicit CollectiveCall(const Launch& launch)
      : request(static_cast<int>(launch.numbers[0])),
        elements(static_cast<i64>(launch.numbers[1])),
        dtype(static_cast<DType>(launch.numbers[2])) {}
  i64 unit() const { return size_of(dtype); }
  i64 bytes() const { return elements * unit(); }
};

// Of an all_gather_state_start: elements [begin, begin + elements) of the vector that is shared out, of which
// this rank has [own, own_end).
struct GatherStateCall : CollectiveCall {
  DType from_dtype{};
  comm::Shares shares;
  i64 begin = 0, own = 0, own_end = 0;
  const std::byte* from = nullptr;  // element `begin`, if this rank had it
  std::byte* to = nullptr;

  template <class Launch>
  explicit GatherStateCall(const Launch& launch)
      : CollectiveCall(launch),
        from_dtype(static_cast<DType>(launch.numbers[6])),
        shares{static_cast<i64>(launch.numbers[4]), static_cast<i64>(launch.numbers[5])},
        from(static_cast<const std::byte*>(launch.args.pointer[2])),
        to(static_cast<std::byte*>(launch.args.pointer[0])) {
    if (!begins()) return;
    begin = (from - static_cast<const std::byte*>(launch.args.pointer[3])) / size_of(from_dtype);
    const i64 first = launch.args.first_row, last = first + launch.args.rows, end = begin + elements;
    own = first < begin ? begin : first < end ? first : end;
    own_end = last < own ? own : last < end ? last : end;
  }
  // Whether it begins anything: not of what is ahead of the last trip.
  bool begins() const { return from != nullptr; }
  // What this rank gives: where it is, and where it belongs.
  const void* own_from() const { return from + (own - begin) * size_of(from_dtype); }
  void* own_to() const { return to + (own - begin) * unit(); }
  i64 own_elements() const { return own_end - own; }
};

// Of a reduce_scatter_state_start: a part, whose first element belongs at `to`, element `begin` of the vector
// that is shared out.
struct ScatterStateCall : CollectiveCall {
  comm::Shares shares;
  comm::Communicator::Part part;
  i64 begin = 0;
  std::byte* to = nullptr;

  template <class Launch>
  explicit ScatterStateCall(const Launch& launch)
      : CollectiveCall(launch),
        shares{static_cast<i64>(launch.numbers[4]), static_cast<i64>(launch.numbers[5])},
        part{launch.args.pointer[2], 0, elements},
        begin((static_cast<std::byte*>(launch.args.pointer[3]) -
               static_cast<std::byte*>(launch.args.pointer[4])) /
              comm::unit_added_to(dtype)),
        to(static_cast<std::byte*>(launch.args.pointer[3])) {}
};

// Of a reduce_scatter_into_start: what goes where in the vector that is shared out, whose first element here
// belongs at `to`.
struct ScatterIntoCall : CollectiveCall {
  comm::Communicator::Part parts[LaunchArgs::max_operands];
  int count = 0;
  std::byte* to = nullptr;

  template <class Launch>
  explicit ScatterIntoCall(const Launch& launch) : CollectiveCall(launch) {
    constexpr int operands = 3, numbers = 6;  // the first of each
    count = (launch.number_count - numbers) / 2;
    for (int k = 0; k < count; ++k)
      parts[k] = {launch.args.pointer[operands + k], static_cast<i64>(launch.numbers[numbers + 2 * k]),
                  static_cast<i64>(launch.numbers[numbers + 2 * k + 1])};
    to = static_cast<std::byte*>(launch.args.pointer[2]) +
         static_cast<i64>(launch.numbers[3]) * comm::unit_added_to(dtype);
  }
};

}  // namespace WEFT_NAMESPACE::kernels
