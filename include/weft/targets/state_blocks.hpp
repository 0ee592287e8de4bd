#pragma once
// The blocks of state that a program works on, one for each Model it is given. To the compiler they are one
// block with a gap between each two: block k begins at k * state_room. Law: no access crosses a gap.

#include <vector>

#include "weft/comm/communicator.hpp"
#include "weft/targets/memory.hpp"

namespace WEFT_NAMESPACE::exec {

// Addresses of the compiler's for each block, in bytes, where there are several.
inline constexpr i64 state_room = i64{1} << 36;
inline constexpr int most_states = 15;

struct StateBlock {
  std::byte* data = nullptr;
  i64 bytes = 0;
};

// The models' blocks in their order; `list` is the caller's.
struct StateBlocks {
  const StateBlock* list = nullptr;
  int count = 0;

  // Where byte `offset` of the compiler's block lies.
  std::byte* at(i64 offset) const {
    if (count <= 1) return (count == 0 ? nullptr : list[0].data) + offset;
    return list[offset / state_room].data + offset % state_room;
  }
};

// What connects the ranks that have the parts of a model; null: the model is whole.
using ConnectGroup = Shared<comm::Communicator> (*)();

// The same with a share in each one's ownership.
template <class Device>
struct HeldStates {
  std::vector<Shared<DeviceStorage<Device>>> held;
  std::vector<StateBlock> blocks;
  ConnectGroup connect_group = nullptr;  // of the models that are in parts

  HeldStates() = default;
  HeldStates(const Shared<DeviceStorage<Device>>& state, i64 bytes, ConnectGroup connect = nullptr) {
    add(state, bytes, connect);
  }
  // Throws "states/same" for one that is there already.
  void add(const Shared<DeviceStorage<Device>>& state, i64 bytes, ConnectGroup connect = nullptr) {
    for (const StateBlock& known : blocks)
      if (bytes > 0 && known.bytes > 0 && known.data == state->data())
        throw Error("states/same", "states: one model was given twice: each is a parameter of its own");
    blocks.push_back({state->data(), bytes});
    held.push_back(state);
    if (connect != nullptr) connect_group = connect;
  }
  StateBlocks view() const { return {blocks.data(), static_cast<int>(blocks.size())}; }
};

}  // namespace WEFT_NAMESPACE::exec
