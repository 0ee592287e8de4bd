#pragma once
// The state of a trainer, of which ranks may have pieces, to and from checkpoints. Law: what goes to a file
// and comes back is the state as a single process has it, whoever has which piece of it now.

#include "weft/exec/whole_state.hpp"
#include "weft/targets/memory.hpp"
#include "weft/train/checkpoint_shards.hpp"
#include "weft/train/model_piece.hpp"
#include "weft/train/ranks.hpp"

namespace WEFT_NAMESPACE::train {

// Of a trainer of model M with options O on a device.
template <class M, class O, class Device>
class StateCopies {
  using Memory = exec::DeviceMemory<Device>;
  using Comm = DataRanks<M, typename O::Comm>;
  using Group = GroupRanks<M>;
  static constexpr bool in_parts = nn::state_table<M>.in_parts();
  static constexpr OptimizerLayout layout = optimizer_layout<M, O>;

 public:
  // `model`, `optimizer`: the blocks of this rank; `group`: the ranks that have the other parts of the model;
  // `updates` so far.
  StateCopies(const Device& device, std::byte* model, std::byte* optimizer, const Comm& ranks,
              const Group& group, i64 updates)
      : device_(device),
        model_(model),
        optimizer_(optimizer),
        ranks_(ranks),
        group_(group),
        updates_(updates) {}

  // A save to `path`: of one file, or of an index with a file of each rank. A call of all ranks.
  Shared<SaveJob> save_job(const std::string& path, const CheckpointForm& form,
                           const CheckpointCounts& counts) const {
    const Shared<SaveJob> job(new RanksSaveJob(ranks_, group_));
    if (io::is_safetensors_index(path) && in_parts)
      throw Error("checkpoint/parts",
                  "'" + path +
                      "': a model that ranks have parts of is saved whole, in one file: give a "
                      "path that ends in .safetensors");
    if (io::is_safetensors_index(path))
      copy_shards(*job, path, form, counts);
    else
      copy_whole(*job, path, form, counts);
    return job;
  }

  // What files have of this form: the same, or all parts together.
  static CheckpointForm in_files(CheckpointForm form) {
    if constexpr (in_parts) form.state = exec::whole_form(form.state);
    return form;
  }
  // Takes over what a checkpoint has, which was read with in_files(form).
  void restore(CheckpointReader& checkpoint, const CheckpointForm& form) const {
    if constexpr (in_parts)
      exec::take_parts(group_.rank(), form.state, exec::whole_form(form.state), checkpoint.block().data());
    take_model(checkpoint.block().data());
    const std::byte* const saved = checkpoint.block().data() + form.model_bytes;
    Memory::from_host(device_, optimizer_, saved, whole_bytes(form));
    if constexpr (O::sharded) {
      const exec::Shard own = shard();
      Memory::from_host(device_, optimizer_ + own.at(layout.bytes), saved + layout.bytes, bytes_behind(form));
      for (int k = 0; k < saved_vectors; ++k)
        Memory::from_host(device_, optimizer_ + piece_of_vector(k),
                          saved + place_of_vector(k) + own.begin * own.unit,
                          (own.end - own.begin) * own.unit);
    }
  }

  // Vector k, a moment or, behind these, the accumulated gradients, of all ranks' pieces into to[0,
  // trained_bytes), which may be null; a call of all ranks.
  void gather_vector(int k, std::byte* to) const { gather_piece(optimizer_ + piece_of_vector(k), to); }
  // The model's block, of which this rank may have a piece, from the host's memory.
  void take_model(const std::byte* block) const {
    if constexpr (O::shards_parameters) {
      const exec::Shard own = model_shard();
      Memory::from_host(device_, model_, block + own.begin * own.unit, (own.end - own.begin) * own.unit);
      Memory::from_host(device_, model_ + own.room, block + own.behind, table.bytes - own.behind);
    } else {
      Memory::from_host(device_, model_, block, table.bytes);
    }
  }
  // From a whole model.
  void take_model(const Model<M, Device>& whole) const {
    std::vector<std::byte> block(static_cast<std::size_t>(table.bytes));
    Memory::to_host(device_, block.data(), whole.state(), table.bytes);
    take_model(block.data());
  }
  // The model's block into to[0, table.bytes), which may be null; a call of all ranks where these have pieces
  // of it.
  void copy_model(std::byte* to) const {
    if constexpr (O::shards_parameters) {
      const exec::Shard own = model_shard();
      gather_piece(model_, to);
      if (to != nullptr)
        Memory::to_host(device_, to + own.behind, model_ + own.room, table.bytes - own.behind);
    } else if (to != nullptr) {
      Memory::to_host(device_, to, model_, table.bytes);
    }
  }
  // The whole model; a call of all ranks where these have pieces of it.
  Model<M, Device> whole_model() const {
    std::vector<std::byte> block(static_cast<std::size_t>(table.bytes));
    copy_model(block.data());
    return Model<M, Device>::of_block(device_, block.data());
  }
  // The same with vector k in the place of the parameters that are not frozen.
  Model<M, Device> model_with(int k) const {
    using Optimizer = typename O::Optimizer;
    std::vector<std::byte> block(static_cast<std::size_t>(table.bytes)), now;
    copy_model(block.data());
    now = block;
    if constexpr (O::sharded)
      gather_vector(k, block.data());
    else
      Memory::to_host(device_, block.data(), optimizer_ + layout.moment[k], table.trained_bytes);
    for (const GroupRun& run : group_runs<M, O>()) {
      if (!Optimizer::is_frozen(run.group)) continue;
      const nn::StateInfo& row = table.row[run.row];
      const i64 at = row.offset + run.first * row.copy_bytes();
      std::memcpy(block.data() + at, now.data() + at, static_cast<std::size_t>(run.count * row.copy_bytes()));
    }
    return Model<M, Device>::of_block(device_, block.data());
  }
  // Updates that were not skipped.
  i64 applied() const {
    if constexpr (!O::Precision::scaled) {
      return updates_;
    } else {
      i32 count = 0;
      Memory::to_host(device_, &count, optimizer_ + shard().at(layout.updates), sizeof count);
      return count;
    }
  }

 private:
  static constexpr const auto& table = nn::state_table<M>;
  // What each rank has of a vector that they share out into to[0, trained_bytes), which may be null.
  void gather_piece(const std::byte* piece, std::byte* to) const {
    const exec::Shard own = shard();
    ranks_.each_piece(
        own.room,
        [&](i64 at, std::byte* part, i64 bytes) { Memory::to_host(device_, part, piece + at, bytes); },
        [&](i64 rank, i64 at, const std::byte* from, i64 bytes) {
          const comm::Shares shares = arena_shares<M, O>;
          const i64 begin = shares.begin(rank, ranks_.size()) * own.unit + at,
                    end = shares.begin(rank + 1, ranks_.size()) * own.unit;
          const i64 length = end - begin < bytes ? end - begin : bytes;
          if (to != nullptr && length > 0) std::memcpy(to + begin, from, static_cast<std::size_t>(length));
        });
  }
  // What this rank has of the optimiser's block.
  exec::Shard shard() const { return shard_of<M, O>(ranks_.rank(), ranks_.size()); }
  // And of the model's.
  exec::Shard model_shard() const { return model_shard_of<M, O>(ranks_.rank(), ranks_.size()); }
  // Of the vectors that ranks share out those that a checkpoint has.
  static constexpr int saved_vectors =
      O::Optimizer::base::moments + (O::shards_gradients && O::Accumulation::count > 1 ? 1 : 0);
  static i64 place_of_vector(int k) { return layout.shared + k * nn::state_table<M>.trained_bytes; }
  i64 piece_of_vector(int k) const { return layout.shared + k * shard().room; }
  // Bytes behind the vectors: the scales of precision::f8.
  static i64 bytes_behind(const CheckpointForm& form) {
    return form.state.bytes - form.model_bytes - layout.bytes;
  }
  // Bytes of the optimiser's block that every rank has, before the vectors.
  static i64 whole_bytes(const CheckpointForm& form) {
    return O::sharded ? layout.shared : form.state.bytes - form.model_bytes;
  }

  // One file, of rank 0.
  void copy_whole(SaveJob& job, const std::string& path, const CheckpointForm& form,
                  const CheckpointCounts& counts) const {
    std::vector<std::byte> block;
    if constexpr (O::sharded) {
      if (ranks_.rank() == 0) block.resize(static_cast<std::size_t>(form.state.bytes));
      for (int k = 0; k < saved_vectors; ++k)
        gather_vector(k, block.empty() ? nullptr : block.data() + form.model_bytes + place_of_vector(k));
    }
    if constexpr (O::shards_parameters) copy_model(block.empty() ? nullptr : block.data());
    if (ranks_.rank() != 0) return;
    const CheckpointForm saved = in_files(form);
    if constexpr (in_parts) {  // before anything that may throw on one of the group alone
      block.resize(static_cast<std::size_t>(saved.state.bytes));
      copy_block(form, block.data());
      exec::gather_parts(*group_.communicator(), form.state, saved.state, block.data());
      if (group_.rank() != 0) return;
    }
    job.prepare([&] {
      block.resize(static_cast<std::size_t>(saved.state.bytes));
      if constexpr (!in_parts) copy_block(form, block.data());
      if constexpr (!O::Precision::scaled) put_number(block.data(), form.updates, saved_updates());
      job.own = {path, checkpoint_metadata(form, counts), exec::state_tensors(saved.state, block.data()), {}};
      job.own.memory = std::move(block);
    });
  }
  // What every rank has.
  void copy_block(const CheckpointForm& form, std::byte* block) const {
    if constexpr (!O::shards_parameters) copy_model(block);
    Memory::to_host(device_, block + form.model_bytes, optimizer_, whole_bytes(form));
    if constexpr (O::sharded)
      Memory::to_host(device_, block + form.model_bytes + layout.bytes, optimizer_ + shard().at(layout.bytes),
                      bytes_behind(form));
  }
  // A file of each rank, of what it has itself.
  void copy_shards(SaveJob& job, const std::string& path, const CheckpointForm& form,
                   const CheckpointCounts& counts) const {
    char again = ranks_.rank() == 0 && is_named_already(path, counts.calls) ? 1 : 0;
    ranks_.broadcast(&again, 1);
    take_shards(
        job, path, form, counts, ranks_.rank(), ranks_.size(), again != 0,
        [&](i64 rank) {
          return exec::Shards{shard_of<M, O>(rank, ranks_.size()), model_shard_of<M, O>(rank, ranks_.size())};
        },
        [&](i64 offset, std::byte* to, i64 bytes) {
          if (offset < form.model_bytes)
            Memory::to_host(device_, to, model_ + model_shard().at(offset), bytes);
          else if (!O::Precision::scaled && offset == form.updates)
            put_number(to, 0, saved_updates());
          else
            Memory::to_host(device_, to, optimizer_ + shard().at(offset - form.model_bytes), bytes);
        });
  }

  // A number of 32 bits, of which readers take weft.applied where it is the largest.
  i32 saved_updates() const { return updates_ < INT32_MAX ? static_cast<i32>(updates_) : INT32_MAX; }

  const Device& device_;
  std::byte *model_, *optimizer_;
  const Comm& ranks_;
  const Group& group_;
  i64 updates_;
};

}  // namespace WEFT_NAMESPACE::train
