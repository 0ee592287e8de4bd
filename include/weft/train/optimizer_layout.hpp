#pragma once
// Where a step keeps what is not the model's: the optimiser's block of memory, the run-time scalars, the
// ranges of each parameter group.
//
// Gradients are packed into one arena laid out like the parameters'; each parameter group is updated by one
// kernel over its ranges. State beside the parameters lies in the optimiser's block: the applied updates, the
// loss scale and its count of good updates, the accumulated gradients, then the moments. Where ranks share
// gradients out the accumulated ones are a rank's piece, behind the moments, of any number of calls.

#include "weft/comm/shares.hpp"
#include "weft/exec/trace.hpp"
#include "weft/targets/shard.hpp"
#include "weft/train/options.hpp"

namespace WEFT_NAMESPACE::train {

// The dtype of a model's trained parameters, which is one for all: f32 or f64. Gradients, moments and the
// update have it, too; f32 where nothing is trained.
template <class M>
constexpr DType parameter_type() {
  for (int i = 0; i < nn::state_table<M>.size; ++i)
    if (nn::state_table<M>.row[i].trained) return nn::state_table<M>.row[i].dtype;
  return DType::f32;
}
template <class M>
constexpr bool parameters_agree() {
  for (int i = 0; i < nn::state_table<M>.size; ++i)
    if (nn::state_table<M>.row[i].trained && nn::state_table<M>.row[i].dtype != parameter_type<M>())
      return false;
  return parameter_type<M>() == DType::f32 || parameter_type<M>() == DType::f64;
}

// Where the optimiser's state lies in its block, in bytes.
struct OptimizerLayout {
  i64 updates = 0, scale = 0, good = 0;
  i64 awaited = 0;  // written by a call that only adds up, behind the sums over ranks that it waits for
  i64 accumulated = -1;
  i64 moment[optim::most_moments]{};
  i64 shared = 0;   // where the vectors begin that ranks may share out, each as long as the arena
  int vectors = 0;  // of these
  i64 behind = 0;   // bytes behind the last one, of zeros
  i64 bytes = 0;
};

// Whether moment m has shapes of its own (see optim/optimizer.hpp), and the shape of one parameter's.
template <class O>
constexpr bool is_factor(int m) {
  if constexpr (requires { O::Optimizer::base::factors; })
    return m < O::Optimizer::base::factors;
  else
    return false;
}
template <class O>
constexpr Dims moment_dims(int m, const nn::StateInfo& row) {
  if constexpr (requires { O::Optimizer::base::factors; })
    return is_factor<O>(m) ? O::Optimizer::base::factor_dims(m, row.dims) : row.dims;
  else
    return row.dims;
}
// Where the factors lie, from where each one's first begins: that of moment m and row i of the state table,
// behind those of the rows before; behind the last row, the end.
template <class M, class O>
struct FactorPlaces {
  static constexpr int count() {
    int n = 0;
    while (is_factor<O>(n)) ++n;
    return n;
  }
  static constexpr int rows = nn::state_table<M>.size;
  i64 at[at_least_one(count())][rows + 1]{};

  static constexpr FactorPlaces make() {
    constexpr const auto& table = nn::state_table<M>;
    FactorPlaces places;
    for (int m = 0; m < count(); ++m)
      for (int i = 0; i < rows; ++i) {
        const nn::StateInfo& row = table.row[i];
        const i64 bytes = row.trained ? row.copies() * moment_dims<O>(m, row).size() * size_of(row.dtype) : 0;
        places.at[m][i + 1] =
            places.at[m][i] + (bytes + nn::state_alignment - 1) / nn::state_alignment * nn::state_alignment;
      }
    return places;
  }
};
template <class M, class O>
inline constexpr FactorPlaces<M, O> factor_places = FactorPlaces<M, O>::make();

// Where moment m, which begins at `begin`, has that of row i of the state table: as the parameter lies in its
// arena, or among the factors. A row behind the last: the end.
template <class M, class O>
constexpr i64 moment_offset(i64 begin, int m, int i) {
  constexpr const auto& table = nn::state_table<M>;
  if (is_factor<O>(m)) return begin + factor_places<M, O>.at[m][i];
  return begin + (i < table.size ? table.row[i].offset : table.trained_bytes);
}

// Elements of the arena that the norm for clipping, or the search for what is not finite, adds up by
// themselves before anything else.
template <class M>
constexpr i64 norm_chunk() {
  Dims d;
  d.rank = 1;
  d.extent[0] = nn::state_table<M>.trained_bytes / size_of(parameter_type<M>());
  return kernel_ir::chunk_of_total(d);
}
// How many elements of the arena are one rank's together where it is shared out: chunks of the norm are not
// divided, so that it has one order however many ranks there are; without a norm what is aligned together.
template <class M, class O>
constexpr i64 arena_grain() {
  return O::Precision::scaled || std::is_same_v<typename O::Clip, clip::Norm>
             ? norm_chunk<M>()
             : nn::state_alignment / size_of(parameter_type<M>());
}
template <class M, class O>
inline constexpr comm::Shares arena_shares{nn::state_table<M>.trained_bytes / size_of(parameter_type<M>()),
                                           arena_grain<M, O>()};

template <class M, class O>
constexpr OptimizerLayout make_optimizer_layout() {
  OptimizerLayout l;
  const i64 arena = nn::state_table<M>.trained_bytes;
  l.updates = 0;
  l.scale = 64;
  l.good = 128;
  l.awaited = 192;
  l.bytes = nn::state_alignment;
  if (O::Accumulation::count > 1 && !O::shards_gradients) {
    l.accumulated = l.bytes;
    l.bytes += arena;
  }
  l.shared = l.bytes;
  for (int k = 0; k < O::Optimizer::base::moments; ++k) {
    l.moment[k] = l.bytes;
    l.bytes = moment_offset<M, O>(l.bytes, k, nn::state_table<M>.size);
  }
  l.vectors = O::Optimizer::base::moments;
  if (O::shards_gradients) {
    l.accumulated = l.bytes;
    ++l.vectors;
    const i64 grain = arena_grain<M, O>() * size_of(parameter_type<M>());
    l.behind = (arena + grain - 1) / grain * grain - arena;  // the norm reads whole grains
    l.bytes += arena + l.behind;
  }
  return l;
}
template <class M, class O>
inline constexpr OptimizerLayout optimizer_layout = make_optimizer_layout<M, O>();

// Bytes of the optimiser's block of one of `ranks` ranks.
template <class M, class O>
constexpr i64 optimizer_bytes_of(i64 ranks) {
  if constexpr (O::sharded)
    return optimizer_layout<M, O>.shared +
           optimizer_layout<M, O>.vectors * arena_shares<M, O>.piece(ranks) * size_of(parameter_type<M>()) +
           optimizer_layout<M, O>.behind;
  else
    return optimizer_layout<M, O>.bytes;
}
// What rank `rank` has of it.
template <class M, class O>
constexpr exec::Shard shard_of(i64 rank, i64 ranks) {
  exec::Shard shard;
  if constexpr (O::sharded) {
    shard.from = optimizer_layout<M, O>.shared;
    shard.vector = nn::state_table<M>.trained_bytes;
    shard.unit = size_of(parameter_type<M>());
    shard.begin = arena_shares<M, O>.begin(rank, ranks);
    shard.end = arena_shares<M, O>.begin(rank + 1, ranks);
    shard.room = arena_shares<M, O>.piece(ranks) * shard.unit;
    shard.grain = arena_shares<M, O>.grain;
    shard.bytes = optimizer_bytes_of<M, O>(ranks);
    shard.behind = shard.from + optimizer_layout<M, O>.vectors * shard.vector;
  }
  return shard;
}

// Run-time scalars: the clip bound, the number of the update, each group's numbers, then the number of ranks
// where there may be several.
template <class O>
struct ScalarLayout {
  static constexpr int clip = exec::random_words;
  static constexpr int update = clip + 1;
  static constexpr int per_group = O::Optimizer::base::numbers;
  static constexpr int group(int k) { return update + 1 + per_group * k; }
  static constexpr int ranks = group(O::Optimizer::group_count);
  static constexpr int count = ranks + (O::distributed ? 1 : 0);
};

// The parameter group of one copy of a row of the state table. The name is copied first: a user's predicate
// that searches characters of a constant is no constant itself under g++'s -fsanitize=undefined.
template <class Optimizer>
constexpr int group_of(const nn::StateInfo& row, i64 copy) {
  const nn::Name name = row.name.of_copy(copy);
  return Optimizer::group_of(name.view(), row.dims);
}

// Copies [first, first + count) of a row of the state table, which are of one parameter group: all of them,
// unless a predicate tells the blocks of a Stack apart.
struct GroupRun {
  int row = 0;
  int trained = 0;  // the row's number among those that are trained
  int group = 0;
  i64 first = 0, count = 0;
};
template <class M, class O>
constexpr List<GroupRun> group_runs() {
  constexpr const auto& table = nn::state_table<M>;
  List<GroupRun> runs;
  for (int i = 0, trained = 0; i < table.size; ++i) {
    const nn::StateInfo& row = table.row[i];
    if (!row.trained) continue;
    const i64 copies = row.copies();
    if (O::Optimizer::group_count == 1) {
      runs.push({i, trained, 0, 0, copies});
    } else {
      for (i64 k = 0; k < copies; ++k) {
        const int group = group_of<typename O::Optimizer>(row, k);
        if (k > 0 && runs.back().group == group)
          ++runs.back().count;
        else
          runs.push({i, trained, group, k, 1});
      }
    }
    ++trained;
  }
  return runs;
}
// Whether any parameter is updated.
template <class M, class O>
constexpr bool updates_something() {
  for (const GroupRun& run : group_runs<M, O>())
    if (!O::Optimizer::is_frozen(run.group)) return true;
  return false;
}
// Whether of rules that freeze none holds for any parameter.
template <class M, class O>
constexpr bool freezes_nothing() {
  bool asked = false;
  for (int group = 0; group < O::Optimizer::group_count; ++group)
    asked = asked || O::Optimizer::is_frozen(group);
  for (const GroupRun& run : group_runs<M, O>())
    if (O::Optimizer::is_frozen(run.group)) return false;
  return asked;
}
// Where a run begins in the arena, in elements.
template <class M>
constexpr i64 arena_offset(const GroupRun& run) {
  const nn::StateInfo& row = nn::state_table<M>.row[run.row];
  return row.offset / size_of(row.dtype) + run.first * row.dims.size();
}

// The vectors of one parameter group: ranges of the arena that hold its parameters, neighbours joined. Room
// behind a parameter belongs to it.
template <class M>
constexpr void add_group(ir::Graph& g, const List<GroupRun>& runs, int group) {
  constexpr const auto& table = nn::state_table<M>;
  const int begin = g.ranges.size();
  for (const GroupRun& run : runs) {
    if (run.group != group) continue;
    const nn::StateInfo& row = table.row[run.row];
    const i64 unit = size_of(row.dtype), offset = arena_offset<M>(run);
    const i64 end = run.first + run.count < row.copies()
                        ? offset + run.count * row.dims.size()
                        : (row.offset + row.bytes() + nn::state_alignment - 1) / nn::state_alignment *
                              nn::state_alignment / unit;
    const i64 length = end - offset;
    if (g.ranges.size() > begin && g.ranges.back().offset + g.ranges.back().length == offset)
      g.ranges.back().length += length;
    else
      g.ranges.push({offset, length});
  }
  g.param_groups.push({begin, g.ranges.size() - begin});
}

// Adds a slot of the optimiser's or the model's state.
constexpr int add_slot(ir::Builder& b, ir::Space space, DType t, const Dims& d, i64 offset,
                       int segments = -1) {
  b.graph.slots.push({space, t, b.shape(d), segments, offset});
  return b.graph.slots.size() - 1;
}

}  // namespace WEFT_NAMESPACE::train
