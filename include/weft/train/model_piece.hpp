#pragma once
// What one rank keeps of a model whose parameters the ranks share out: its piece of them, and the buffers.

#include <utility>
#include <vector>

#include "weft/exec/model.hpp"
#include "weft/train/optimizer_layout.hpp"

namespace WEFT_NAMESPACE::train {

// What rank `rank` has of the block of an M: a piece of the arena, then what lies behind that. Whole where
// parameters are not shared out.
template <class M, class O>
constexpr exec::Shard model_shard_of(i64 rank, i64 ranks) {
  exec::Shard shard;
  if constexpr (O::shards_parameters) {
    constexpr const auto& table = nn::state_table<M>;
    constexpr const comm::Shares& shares = arena_shares<M, O>;
    shard.vector = shard.behind = table.trained_bytes;
    shard.unit = size_of(parameter_type<M>());
    shard.begin = shares.begin(rank, ranks);
    shard.end = shares.begin(rank + 1, ranks);
    shard.room = kernel_ir::align_up(shares.piece(ranks) * shard.unit);
    shard.grain = shares.grain;
    shard.bytes = shard.room + table.bytes - table.trained_bytes;
  }
  return shard;
}
// Bytes of it.
template <class M, class O>
constexpr i64 model_bytes_of(i64 ranks) {
  return O::shards_parameters ? model_shard_of<M, O>(0, ranks).bytes : nn::state_table<M>.bytes;
}

// Has the whole model until it is cut, as ranks begin with rank 0's values. Members are named as a Model's.
template <class M, class O, class Device>
class ModelPiece {
 public:
  ModelPiece(Model<M, Device>&& given) : state_(Model<M, Device>(std::move(given)).storage()) {}

  // Leaves what `rank` has. Throws "train/shared" where a function has the model, too.
  void cut(i64 rank, i64 ranks) {
    if (!state_->has_one_owner())
      throw Error("train/shared",
                  "comm::zero<3, Backend>: a function or trainer works in the memory of this model, which no "
                  "rank keeps: compile functions of trainer.model(), which is a copy");
    using Memory = exec::DeviceMemory<Device>;
    const exec::Shard shard = model_shard_of<M, O>(rank, ranks);
    const Shared<Storage> whole = std::exchange(state_, exec::allocate(device(), shard.bytes));
    const auto copy = [&](i64 begin, i64 end) {
      std::vector<std::byte> bytes(static_cast<std::size_t>(end - begin));
      Memory::to_host(device(), bytes.data(), whole->data() + begin, end - begin);
      Memory::from_host(device(), state() + shard.at(begin), bytes.data(), end - begin);
    };
    Memory::zero(device(), state(), shard.bytes);
    copy(shard.begin * shard.unit, shard.end * shard.unit);
    copy(shard.behind, nn::state_table<M>.bytes);
    bytes_ = shard.bytes;
  }

  const Device& device() const { return state_->device(); }
  std::byte* state() const { return state_->data(); }
  const Shared<exec::DeviceStorage<Device>>& storage() const { return state_; }
  exec::HeldStates<Device> states() const { return {state_, bytes_}; }

 private:
  using Storage = exec::DeviceStorage<Device>;
  Shared<Storage> state_;
  i64 bytes_ = nn::state_table<M>.bytes;
};

}  // namespace WEFT_NAMESPACE::train
