#pragma once
// Which rank writes what of a checkpoint in several files. Law: every element of every tensor is written
// once; it follows from the number of ranks alone, so rank 0 knows what all have written.

#include "weft/targets/shard.hpp"
#include "weft/train/checkpoint.hpp"

namespace WEFT_NAMESPACE::train {

// "run-4000-00002-of-00004.safetensors", beside "run.safetensors.index.json" or "run.index.json"; `again`: of
// another save behind the same number of calls, so that no file is replaced that an index names.
inline std::string shard_file(const std::string& path, i64 calls, bool again, i64 rank, i64 ranks) {
  std::string stem = path.substr(folder_of(path).size());
  stem.resize(stem.size() - io::index_ending.size());
  if (constexpr std::string_view ending = ".safetensors"; stem.ends_with(ending))
    stem.resize(stem.size() - ending.size());
  const auto five = [](i64 number) {
    const std::string digits = std::to_string(number);
    return digits.size() < 5 ? std::string(5 - digits.size(), '0') + digits : digits;
  };
  return stem + "-" + std::to_string(calls) + (again ? "b-" : "-") + five(rank + 1) + "-of-" + five(ranks) +
         ".safetensors";
}
// Whether the index at `path` names a file that a save behind so many calls would write.
inline bool is_named_already(const std::string& path, i64 calls) {
  const std::string file = shard_file(path, calls, false, 0, 1);
  const std::string_view front = std::string_view(file).substr(0, file.rfind("-00001-of-00001") + 1);
  for (const io::SafetensorsIndex::Entry& place : old_index(path).places)
    if (place.file.starts_with(front)) return true;
  return false;
}

struct CheckpointPiece {
  std::size_t row = 0;     // of the form
  i64 begin = 0, end = 0;  // elements of it
  bool whole = false;      // whether these are all
};

// What rank `rank` of `ranks` writes: of the vectors that ranks share out what `shards` says is its own; of
// all else whole rows, dealt by their bytes, or, of the optimiser beside shared vectors, by rank 0.
inline std::vector<CheckpointPiece> checkpoint_pieces(const CheckpointForm& form, const exec::Shards& shards,
                                                      i64 rank, i64 ranks) {
  const exec::Shard& shard = shards.optimizer;
  const auto elements = [](const exec::StateForm::Row& row) {
    i64 count = 1;
    for (const i64 extent : row.shape) count *= extent;
    return count;
  };
  // Where row `i` lies among the shared vectors, in bytes of one of them; -1: it does not.
  const auto shared_at = [&](const exec::StateForm::Row& row) {
    if (row.offset < form.model_bytes)
      return shards.model.is_whole() || row.offset >= shards.model.behind || elements(row) == 0 ? i64{-1}
                                                                                                : row.offset;
    const i64 offset = row.offset - form.model_bytes;
    return shard.is_whole() || offset < shard.from || offset >= shard.behind || elements(row) == 0
               ? i64{-1}
               : (offset - shard.from) % shard.vector;
  };
  i64 dealt = 0, before = 0;  // bytes
  for (const exec::StateForm::Row& row : form.state.rows)
    if (shared_at(row) < 0) dealt += elements(row) * size_of(row.dtype);
  std::vector<CheckpointPiece> pieces;
  for (std::size_t i = 0; i < form.state.rows.size(); ++i) {
    const exec::StateForm::Row& row = form.state.rows[i];
    const i64 count = elements(row), width = size_of(row.dtype), at = shared_at(row);
    if (at < 0) {
      const bool dealt_out = shard.is_whole() || row.offset < form.model_bytes;
      const i64 owner = dealt_out && before > 0 ? before / ((dealt + ranks - 1) / ranks) : 0;
      before += count * width;
      if (owner == rank) pieces.push_back({i, 0, count, true});
      continue;
    }
    const i64 own = shard.begin * shard.unit - at, own_end = shard.end * shard.unit - at;
    const i64 begin = own > 0 ? own / width : 0, end = own_end < count * width ? own_end / width : count;
    if (begin < end) pieces.push_back({i, begin, end, begin == 0 && end == count});
  }
  return pieces;
}

// Makes the one file of a save without ranks that of an index at `path`.
inline void index_one_file(SaveJob& job, const std::string& path, const CheckpointCounts& counts) {
  const std::string file = shard_file(path, counts.calls, is_named_already(path, counts.calls), 0, 1);
  job.own.path = folder_of(path) + file;
  job.index_path = path;
  job.index.metadata = job.own.metadata;
  for (const io::SafetensorsTensor& tensor : job.own.tensors) {
    job.index.places.push_back({tensor.name, file, {}});
    job.index.total_size += io::safetensors_detail::byte_size(tensor.dtype, tensor.shape).bytes;
  }
}

// Takes what rank `rank` of `ranks` writes of a save into `job`: read(offset, to, bytes) copies from the
// rank's own memory what the form has at `offset`. shards_of(rank): what a rank has of the shared vectors.
// `again`: the index names files of this number of calls already.
template <class ShardsOf, class Read>
void take_shards(SaveJob& job, const std::string& path, const CheckpointForm& form,
                 const CheckpointCounts& counts, i64 rank, i64 ranks, bool again, const ShardsOf& shards_of,
                 const Read& read) {
  const io::Safetensors::Metadata metadata = checkpoint_metadata(form, counts);
  const auto name_of = [](const CheckpointPiece& piece, const std::string& row) {
    return piece.whole ? row : io::part_name(row, piece.begin);
  };
  // f(piece, name) for every piece of a rank, and once more for each further name of its row.
  const auto each_piece = [&](i64 of, const auto& f) {
    for (const CheckpointPiece& piece : checkpoint_pieces(form, shards_of(of), of, ranks)) {
      f(piece, name_of(piece, form.state.rows[piece.row].name));
      for (const exec::StateForm::Alias& alias : form.state.aliases)
        if (alias.row == piece.row) f(piece, name_of(piece, alias.name));
    }
  };
  const auto bytes_of = [&](const CheckpointPiece& piece) {
    return (piece.end - piece.begin) * size_of(form.state.rows[piece.row].dtype);
  };
  job.prepare([&] {
    i64 bytes = 0;
    each_piece(rank, [&](const CheckpointPiece& piece, const std::string&) { bytes += bytes_of(piece); });
    job.own.memory.resize(static_cast<std::size_t>(bytes));
    std::byte* to = job.own.memory.data();
    each_piece(rank, [&](const CheckpointPiece& piece, std::string name) {
      const exec::StateForm::Row& row = form.state.rows[piece.row];
      read(row.offset + piece.begin * size_of(row.dtype), to, bytes_of(piece));
      job.own.tensors.push_back({std::move(name), row.dtype,
                                 piece.whole ? row.shape : std::vector<i64>{piece.end - piece.begin}, to});
      to += bytes_of(piece);
    });
    if (!job.own.tensors.empty())
      job.own.path = folder_of(path) + shard_file(path, counts.calls, again, rank, ranks);
    job.own.metadata = metadata;
  });
  job.index_path = path;
  if (rank != 0) return;
  job.index.metadata = metadata;
  std::vector<u8> in_parts(form.state.rows.size(), 0);
  for (i64 of = 0; of < ranks; ++of)
    each_piece(of, [&](const CheckpointPiece& piece, std::string name) {
      const exec::StateForm::Row& row = form.state.rows[piece.row];
      job.index.places.push_back({std::move(name), shard_file(path, counts.calls, again, of, ranks), {}});
      job.index.total_size += static_cast<u64>(bytes_of(piece));
      if (!piece.whole && std::exchange(in_parts[piece.row], u8{1}) == 0)
        job.index.wholes.push_back({row.name, {}, row.shape});
    });
}

}  // namespace WEFT_NAMESPACE::train
