#pragma once
// The end of a step: gradients into their arena, one factor for all of them (accumulation, loss scale,
// clipping), one update a parameter group. Updates are counted by the program only where it may skip one (a
// loss scale); elsewhere the trainer counts.

#include "weft/train/backward.hpp"
#include "weft/train/loss_scale.hpp"
#include "weft/transforms/vmap_rules.hpp"

namespace WEFT_NAMESPACE::train {

template <class M, class O>
class UpdateBuilder {
  using Optimizer = typename O::Optimizer;
  using Scalars = ScalarLayout<O>;
  static constexpr OptimizerLayout layout = optimizer_layout<M, O>;
  static constexpr DType type = parameter_type<M>();
  static constexpr int micro = O::Accumulation::count;
  static constexpr bool scaled = O::Precision::scaled;
  // The gradients are sums over ranks, each rank's accumulated ones among them.
  static constexpr bool distributed = O::distributed;
  // Of these sums a rank has its piece, and updates that.
  static constexpr bool sharded = O::sharded;
  // And has no more of them in memory, added up over calls.
  static constexpr bool scattered = O::shards_gradients;
  // ranks have parts of the model
  static constexpr bool in_parts = nn::state_table<M>.in_parts();
  static constexpr int degree = nn::state_table<M>.degree;
  static constexpr bool by_norm = std::is_same_v<typename O::Clip, clip::Norm>;
  static constexpr bool by_value = std::is_same_v<typename O::Clip, clip::Value>;
  static constexpr bool by_tensor = requires(optim::Update & u) { Optimizer::base::update_tensor(u); };

 public:
  constexpr explicit UpdateBuilder(Backward&& backward)
      : b(static_cast<ir::Graph&&>(backward.graph), ir::Sharing::leaves),
        scale_slot_(backward.scale_slot),
        requests_(backward.requests) {
    for (int k = 0; k < backward.parameters.size(); ++k) gradients_.push(backward.gradient(k));
    for (int k = 0; k < Optimizer::group_count; ++k)
      if (Optimizer::is_frozen(k))
        b.graph.param_groups.push({b.graph.ranges.size(), 0});
      else
        add_group<M>(b.graph, runs_, k);
  }

  // Adds to the accumulated gradients, nothing else.
  constexpr ir::Graph accumulate() {
    if constexpr (scattered) {  // done by what is summed over ranks, which something has to wait for
      Value all = ir::constant(b, type, flat(1), 0);
      for (const int done : reduced()) all = all + ir::cast(Value{&b, done}, type);
      assign(add_slot(b, ir::Space::optimizer, type, flat(1), layout.awaited), all);
      return static_cast<ir::Graph&&>(b.graph);
    }
    const int sums = add_slot(b, ir::Space::optimizer, type, flat(arena()), layout.accumulated);
    assign(sums, ir::read_slot(b, sums) + pack(whole_arena));
    return static_cast<ir::Graph&&>(b.graph);
  }

  // Updates parameters and moments, unless gradients that are not finite make it skip.
  constexpr ir::Graph apply() {
    make_factor();
    if constexpr (sharded && !scattered && micro > 1) {  // of the whole arena, as each rank has gathered
      const int sums = add_slot(b, ir::Space::optimizer, type, flat(arena()), layout.accumulated);
      clear(sums, ir::read_slot(b, sums));
    }
    if constexpr (scaled) {
      const int updates = add_slot(b, ir::Space::optimizer, DType::i32, Dims{}, layout.updates);
      const Value before = ir::read_slot(b, updates), after = before + 1.0;
      update_groups(ir::cast(after, type));
      assign(updates, keep(after, before));
      update_scale();
    } else {
      update_groups(scalar(Scalars::update));
    }
    return static_cast<ir::Graph&&>(b.graph);
  }

 private:
  static constexpr int whole_arena = -1;
  static constexpr i64 arena() { return nn::state_table<M>.trained_bytes / size_of(type); }
  static constexpr Dims flat(i64 length) {
    Dims d;
    d.rank = 1;
    d.extent[0] = length;
    return d;
  }
  constexpr i64 length_of(int group) const {
    if (group == whole_arena) return arena();
    i64 length = 0;
    const ir::Span span = b.graph.param_groups[group];
    for (int r = 0; r < span.size; ++r) length += b.graph.ranges[span.begin + r].length;
    return length;
  }
  // Run-time scalar k, an f32, as the parameters' dtype.
  constexpr Value scalar(int k) {
    const Value x{&b, b.leaf(Op::scalar, DType::f32, Dims{}, static_cast<u64>(k))};
    return ir::cast(x, type);
  }
  constexpr void assign(int slot, Value v) { b.graph.assigns.push({slot, v.id}); }
  // Zeros, of NaN too, that are made of what is there: so the kernel that walks the group's ranges writes
  // them; a constant would fill a vector of that length from the slot's beginning.
  constexpr void clear(int slot, Value held) { assign(slot, ir::cast(ir::binary(Op::lt, held, held), type)); }
  constexpr Value keep(Value changed, Value unchanged) const {
    return scaled ? ir::select(skip_, unchanged, changed) : changed;
  }

  // The gradients of a group's parameters, or of all that are not frozen, as one vector.
  constexpr Value pack(int group) { return pack(group, length_of(group)); }
  constexpr Value pack(int group, i64 length) {
    if constexpr (scattered) {
      piece_slot_ = add_slot(b, ir::Space::optimizer, type, flat(length), layout.accumulated, group);
      return behind_sums(ir::read_slot(b, piece_slot_));
    }
    List<int> operands;
    List<i64> offsets;
    const auto holds = [&](const GroupRun& run) {
      return group == whole_arena ? !Optimizer::is_frozen(run.group) : run.group == group;
    };
    for (int i = 0; i < runs_.size(); ++i) {
      GroupRun run = runs_[i];
      if (!holds(run)) continue;
      for (; i + 1 < runs_.size() && runs_[i + 1].row == run.row && holds(runs_[i + 1]); ++i)
        run.count += runs_[i + 1].count;
      operands.push(copies_of(gradient_of(run), run).id);
      offsets.push(arena_offset<M>(run));
    }
    return ir::flat_concat(b, type, length, operands, offsets, static_cast<u64>(static_cast<i64>(group)));
  }

  // The nodes behind which the sums over ranks are where they belong.
  constexpr List<int> reduced() const {
    List<int> all;
    for (const int done : gradients_)
      if (done >= 0 && (all.empty() || all.back() != done)) all.push(done);
    return all;
  }
  constexpr Value behind_sums(Value x) {
    for (const int done : reduced()) x = ir::add_dependency(x, {&b, done});
    return x;
  }

  // What every gradient is multiplied by: the mean over microbatches and ranks, one over the loss scale, the
  // norm's bound.
  constexpr void make_factor() {
    if (distributed)
      factor_ = 1.0 / (scalar(Scalars::ranks) * static_cast<double>(micro));
    else
      factor_ = ir::constant(b, type, Dims{}, 1.0 / micro);
    if (scaled) factor_ = factor_ / ir::cast(ir::read_slot(b, scale_slot_), type);
    if (!by_norm && !scaled) return;
    if constexpr (sharded) return measure_pieces();
    Value all = pack(whole_arena);
    if (micro > 1 && !distributed)
      all =
          all + ir::read_slot(b, add_slot(b, ir::Space::optimizer, type, flat(arena()), layout.accumulated));
    // What is tested, and measured, is what is applied: a scaled gradient may be finite where it is not.
    if (scaled) all = all * factor_;
    if (by_norm) {
      const Value squares = ir::reshape(ir::reduce(Op::reduce_sum, all * all, 1u), Dims{});
      bound_norm(in_parts ? with_other_parts(squares, all) : squares);
    }
    if (scaled) {
      const Value any = ir::reshape(ir::reduce(Op::reduce_max, broken(all), 1u), Dims{});
      skip_where(in_parts ? ir::reshape(ir::reduce(Op::reduce_max, of_group(any), 1u), Dims{}) : any);
    }
  }
  // A number of each rank that has parts of the model, as a vector.
  static constexpr Value of_group(Value x) { return ir::group_collective(x, {GroupKind::gather, degree}); }
  // The squares of all gradients, where this rank has those of its own parts and of what all have. Every rank
  // takes the first one's sum, whose order of additions is its own.
  constexpr Value with_other_parts(Value squares, Value all) {
    Value own;
    for (int i = 0; i < runs_.size(); ++i) {
      const GroupRun& run = runs_[i];
      const nn::StateInfo& row = nn::state_table<M>.row[run.row];
      if (row.parts == 1 || Optimizer::is_frozen(run.group)) continue;
      const Value part = ir::rows(all, arena_offset<M>(run), run.count * row.dims.size());
      const Value sum = ir::reshape(ir::reduce(Op::reduce_sum, part * part, 1u), Dims{});
      own = own ? own + sum : sum;
    }
    if (own) squares = squares + (ir::group_sum(own, degree) - own);
    return ir::reshape(ir::rows(of_group(squares), 0, 1), Dims{});
  }
  constexpr void bound_norm(Value squares) {
    Value norm = ir::unary(Op::sqrt, squares);
    if (!scaled) norm = norm * factor_;
    // behind the loss and the probes, for gradient_norm(): what is in memory anyway, unless a loss scale,
    // which the step changes, is in it
    b.graph.outputs.push(scaled ? norm.id : squares.id);
    const Value bound = scalar(Scalars::clip) / (norm + 1e-6);
    factor_ = factor_ * ir::binary(Op::min, bound, ir::constant_like(bound, 1));
  }
  static constexpr Value broken(Value x) {
    return ir::cast(ir::unary(Op::logical_not, ir::unary(Op::is_finite, x)), DType::f32);
  }
  constexpr void skip_where(Value any) { skip_ = ir::binary(Op::ne, any, ir::constant_like(any, 0)); }

  // The same of what ranks have pieces of: each adds up its chunks of the arena, and all get the chunks'
  // sums, which are added in their order. A total of the whole arena has the same chunks, and the same order.
  constexpr void measure_pieces() {
    constexpr i64 chunk = norm_chunk<M>(), chunks = (arena() + chunk - 1) / chunk;
    Value all = pack(whole_arena, chunks > 1 ? chunks * chunk : arena());
    if (chunks > 1) all = ir::reshape(all, rows_of(chunks, chunk));
    if (scaled) all = all * factor_;
    const auto start = [&](Op op, Value x) {
      const Value parts = ir::reduce(op, x, chunks > 1 ? 2u : 1u);
      return ir::all_gather_start(ir::reshape(parts, flat(chunks)), 1, requests_++);
    };
    const Value squares = by_norm ? start(Op::reduce_sum, all * all) : Value{};
    const Value odd = scaled ? start(Op::reduce_max, broken(all)) : Value{};
    if (by_norm) {
      const Value parts = ir::collective_done(squares);
      if constexpr (chunks > 1) {  // a sum along rows adds one row to the next
        const Value twice = ir::broadcast(ir::reshape(parts, rows_of(chunks, 1)), rows_of(chunks, 2));
        bound_norm(
            ir::reshape(ir::rows(ir::reshape(ir::reduce(Op::reduce_sum, twice, 1u), flat(2)), 0, 1), Dims{}));
      } else {
        bound_norm(ir::reshape(parts, Dims{}));
      }
    }
    if (scaled) skip_where(ir::reshape(ir::reduce(Op::reduce_max, ir::collective_done(odd), 1u), Dims{}));
  }
  static constexpr Dims rows_of(i64 rows, i64 columns) {
    Dims d;
    d.rank = 2;
    d.extent[0] = rows;
    d.extent[1] = columns;
    return d;
  }

  // One update of the group's vector; of an optimiser that works on matrices, one for each of them.
  // `updates`: how many were applied, this one included; exact up to 2^24.
  constexpr void update_groups(Value updates) {
    for (int k = 0; k < Optimizer::group_count; ++k)
      if (b.graph.param_groups[k].size > 0) update_group(k, updates);
  }
  constexpr void update_group(int k, Value updates) {
    if constexpr (by_tensor) {
      return update_each(k, updates);
    } else {
      if constexpr (requires { Optimizer::by_matrix(0); }) {
        if (Optimizer::by_matrix(k)) return update_each(k, updates);
      }
      update_vector(k, updates);
    }
  }
  constexpr void update_vector(int k, Value updates) {
    const auto vector = [&](ir::Space space, i64 offset) {
      return add_slot(b, space, type, flat(length_of(k)), offset, k);
    };
    const auto state = [&](int m) {
      if (m < 0 && scattered) return piece_slot_;  // which the gradient is read from
      return vector(ir::Space::optimizer, m < 0 ? layout.accumulated : layout.moment[m]);
    };
    const Value gradient = pack(k);
    const int parameters = vector(ir::Space::model, 0);
    update_tensor(k, gradient, updates, parameters, state,
                  [](optim::Update& u) { Optimizer::base::update(u); });
  }
  // One update for each of the group's parameters; one for all copies that are in the group.
  constexpr void update_each(int group, Value updates) {
    constexpr const auto& table = nn::state_table<M>;
    const auto update = [](optim::Update& u) {
      if constexpr (by_tensor)
        Optimizer::base::update_tensor(u);
      else if constexpr (requires { Optimizer::base::update_matrix(u); })
        Optimizer::base::update_matrix(u);
    };
    for (const GroupRun& run : runs_) {
      if (run.group != group) continue;
      const nn::StateInfo& row = table.row[run.row];
      const bool copied = row.name.copies.rank > 0;
      // those of the run, of a tensor of which each copy has `d`
      const auto slot = [&](ir::Space space, const Dims& d, i64 offset) {
        return add_slot(b, space, type, copied ? ir::stacked_dims(run.count, d) : d,
                        offset + run.first * d.size() * size_of(type));
      };
      const auto state = [&](int m) {
        return m < 0 ? slot(ir::Space::optimizer, row.dims, layout.accumulated + row.offset)
                     : slot(ir::Space::optimizer, moment_dims<O>(m, row),
                            moment_offset<M, O>(layout.moment[m], m, run.row));
      };
      const Value gradient = exact<O>(copies_of(gradient_of(run), run));
      if (copied)
        update_tensor(group, gradient, updates, slot(ir::Space::model, row.dims, row.offset), state,
                      [&](optim::Update& u) { update_copies(u, run.count, update); });
      else
        update_tensor(group, gradient, updates, run.row, state, update);
    }
  }
  constexpr Value gradient_of(const GroupRun& run) { return {&b, gradients_[run.trained]}; }
  // The copies of a run, (copies, ...), of a tensor with all of them; as it is where it has but one.
  constexpr Value copies_of(Value x, const GroupRun& run) const {
    const nn::StateInfo& row = nn::state_table<M>.row[run.row];
    if (row.name.copies.rank == 0) return x;
    const Value all = ir::reshape(x, ir::stacked_dims(row.copies(), row.dims));
    return run.count == row.copies() ? all : ir::rows(all, run.first, run.count);
  }
  // An update of one tensor as one of `count` tensors: what each copy has is mapped over them, numbers are
  // the same for all.
  constexpr void update_copies(optim::Update& u, i64 count, const auto& update) {
    ir::Builder one(64);
    one.graph.scalar_count = b.graph.scalar_count;
    List<transforms::VmapItem> inputs;
    const auto enter = [&](Value& x, bool mapped) {
      if (!x) return;
      const Dims d = mapped ? ir::slice_dims(x.dims()) : x.dims();
      const int made = one.leaf(Op::input, x.dtype(), d, static_cast<u64>(inputs.size()));
      one.graph.inputs.push(made);
      inputs.push({x, mapped});
      x = {&one, made};
    };
    optim::Update copy = u;
    enter(copy.parameter, true);
    enter(copy.gradient, true);
    for (Value& moment : copy.moment) enter(moment, true);
    for (Value& number : copy.number) enter(number, false);
    enter(copy.updates, false);
    const optim::Update before = copy;
    update(copy);
    one.graph.outputs.push(copy.parameter.id);
    for (const Value& moment : copy.moment)
      if (moment) one.graph.outputs.push(moment.id);
    const List<transforms::VmapItem> after = transforms::Vmapper(b, one.graph, count).run(inputs);
    const auto leave = [&](const transforms::VmapItem& x) {
      return x.mapped ? x.value : ir::broadcast(x.value, ir::stacked_dims(count, x.value.dims()));
    };
    u.parameter = leave(after[0]);
    for (int m = 0, k = 1; m < optim::most_moments; ++m) {
      if (!copy.moment[m]) continue;
      if (copy.moment[m].id != before.moment[m].id) u.moment[m] = leave(after[k]);
      ++k;
    }
  }

  // A gradient, its parameters' slot, and that of moment m; m = -1: of accumulated gradients.
  constexpr void update_tensor(int group, Value g, Value updates, int parameter, const auto& slot,
                               const auto& update) {
    if ((micro > 1 && !sharded) || scattered) {
      const int sums = slot(-1);
      const Value sum = scattered ? g : ir::read_slot(b, sums);
      if (!distributed) g = g + sum;
      clear(sums, sum);
    }
    if (!factor_.is(1)) g = g * factor_;
    if (by_value) {
      const Value most = scalar(Scalars::clip);
      g = ir::binary(Op::max, ir::binary(Op::min, g, most), -most);
    }
    optim::Update u;
    u.gradient = g;
    u.updates = updates;
    u.parameter = ir::read_slot(b, parameter);
    int moments[optim::most_moments]{};
    for (int m = 0; m < Optimizer::base::moments; ++m) {
      moments[m] = slot(m);
      u.moment[m] = ir::read_slot(b, moments[m]);
    }
    for (int n = 0; n < Optimizer::base::numbers; ++n) u.number[n] = scalar(Scalars::group(group) + n);
    const optim::Update old = u;
    update(u);
    assign(parameter, keep(u.parameter, old.parameter));
    for (int m = 0; m < Optimizer::base::moments; ++m)
      if (u.moment[m].id != old.moment[m].id) assign(moments[m], keep(u.moment[m], old.moment[m]));
  }

  constexpr void update_scale() {
    const int good_slot = add_slot(b, ir::Space::optimizer, DType::i32, Dims{}, layout.good);
    const Value scale = ir::read_slot(b, scale_slot_), good = ir::read_slot(b, good_slot) + 1.0;
    const auto number = [&](double x) { return ir::constant_like(scale, x); };
    const Value patience =
        ir::select(ir::binary(Op::lt, scale, number(1)), ir::constant_like(good, LossScale::short_patience),
                   ir::constant_like(good, LossScale::patience));
    const Value grows = ir::binary(Op::le, patience, good);
    const Value halved = ir::binary(Op::max, scale * 0.5, number(static_cast<double>(LossScale::least)));
    const Value doubled = ir::binary(Op::min, scale * 2.0, number(static_cast<double>(LossScale::most)));
    assign(scale_slot_, ir::select(skip_, halved, ir::select(grows, doubled, scale)));
    assign(good_slot, ir::select(ir::binary(Op::bit_or, skip_, grows), ir::constant_like(good, 0), good));
  }

  ir::Builder b;
  List<GroupRun> runs_ = group_runs<M, O>();
  List<int> gradients_;
  int scale_slot_ = -1;
  int requests_ = 0;     // of collectives so far
  int piece_slot_ = -1;  // of the gradients that were packed last
  Value factor_, skip_;
};

}  // namespace WEFT_NAMESPACE::train
