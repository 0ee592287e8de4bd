#pragma once
// What the rows that fill up a batch make of each value of a graph.
//
// A value is followed from the inputs on: not touched by padded rows, row by row (each row of it depends on
// that row of the inputs), or mixed. What a row-wise value is in padded rows is followed, too, as far as it
// is one of two constants: a label is padded_label, a float or an index 0, and another signed integer, which
// a loader may take for a label, either; a sum along the rows of what is 0 in padded rows does not depend on
// them. Where such a sum is divided by the number of all rows, as by mean<>, it is no mean of those that are
// samples: they count in the divisor. Two such means divided by each other are.

#include "weft/ir/attention.hpp"
#include "weft/ir/conv.hpp"
#include "weft/ir/dynamic_slice.hpp"
#include "weft/ir/loop.hpp"
#include "weft/transforms/input_use.hpp"
#include "weft/transforms/padded_arithmetic.hpp"
#include "weft/transforms/padded_value.hpp"

namespace WEFT_NAMESPACE::transforms {

class PaddingAnalysis {
 public:
  // `rows`: of the batch, the first extent of every input that has rows.
  constexpr PaddingAnalysis(const ir::Graph& g, i64 rows) : g_(g), rows_(rows) {}

  // values[i] is what node i is; `inputs` what the graph's inputs are.
  constexpr List<PaddedValue> run(const List<PaddedValue>& inputs) {
    values_ = List<PaddedValue>(g_.nodes.size());
    for (int i = 0; i < g_.nodes.size(); ++i) {
      values_.items[i] = value(i, inputs);
      values_.items[i].total = total(i, values_.items[i]);
    }
    return static_cast<List<PaddedValue>&&>(values_);
  }

 private:
  using Kind = PaddedValue::Kind;
  using Op = ir::Op;
  static constexpr PaddedValue mixed() { return {Kind::mixed, 0, {}, {}}; }
  static constexpr PaddedValue constant(double x) { return {Kind::untouched, 0, Candidates::one(x), {}}; }
  static constexpr PaddedValue untouched() { return {}; }
  static constexpr bool is_zero(const PaddedValue& v) { return v.candidates.only(0); }

  // The axis whose index says the row, and the stride along that axis alone; -1: the rows are not one axis's.
  struct Place {
    int axis = -1;
    i64 inner = 1;
  };
  constexpr Place place(const Dims& d, i64 stride) const {
    const Dims strides = row_major_strides(d);
    for (int k = 0; k < d.rank; ++k) {
      const i64 s = strides.extent[k], n = d.extent[k];
      if (s > stride || stride >= s * n) continue;
      if (stride % s != 0 || stride * rows_ > s * n) return {};
      return {k, stride / s};
    }
    return {};
  }
  // By row along `axis` of the result, known or not.
  static constexpr PaddedValue along(const Dims& d, int axis, i64 inner, const Candidates& x = {}) {
    return {Kind::by_row, inner * row_major_strides(d).extent[axis], x};
  }

  constexpr PaddedValue value(int i, const List<PaddedValue>& inputs) const {
    const ir::Node& n = g_.nodes.items[i];
    switch (ir::info(n.op).kind) {
      case ir::OpClass::leaf:
        if (n.op == Op::input) return inputs[static_cast<int>(n.imm)];
        if (n.op == Op::constant) return constant(ir::constant_value(n.dtype, n.imm));
        return untouched();
      case ir::OpClass::region:
        if (n.op != Op::result) return untouched();
        return ir::is_attention(g_.nodes.items[g_.in(i, 0)].op) ? attention_result(i) : loop_result(i);
      default:
        break;
    }
    if (n.op == Op::add_dependency) return in(i, 0);
    bool touched = false;
    for (int k = 0; k < n.arity; ++k) {
      const PaddedValue& x = in(i, k);
      if (x.kind == Kind::mixed) return mixed();
      touched = touched || x.kind == Kind::by_row;
    }
    if (ir::is_pointwise(n.op) || n.op == Op::surrogate) return pointwise(i);
    if (!touched) return ir::is_movement(n.op) && n.op != Op::pad ? in(i, 0) : untouched();
    if (ir::is_movement(n.op)) return moved(i);
    if (ir::is_reduction(n.op)) return reduced(i);
    if (n.op == Op::dot) return product(i);
    if (n.op == Op::conv) return convolved(i);
    if (n.op == Op::take_rows) return gathered(i);
    if (n.op == Op::scatter_add) return adds_nothing(i) ? untouched() : mixed();
    if (ir::is_dynamic_slice(n.op)) return block(i);
    if (ir::is_along_axis(n.op) && n.op != Op::searchsorted) return along_lines(i);
    return mixed();
  }
  constexpr const PaddedValue& in(int i, int k) const { return values_.items[g_.in(i, k)]; }

  // Of node i, which is `v` but for this.
  constexpr RowTotal total(int i, const PaddedValue& v) const {
    const ir::Node& n = g_.nodes.items[i];
    const int of = n.op == ir::Op::result ? g_.in(i, 0) : i;
    RowTotal r = v.total;  // of an input, and of what a loop computes
    bool by_row = false;
    for (int k = 0; k < ir::data_operands(g_.nodes[of].op, g_.nodes[of].arity); ++k) {
      if (in(of, k).total.kind > r.kind) r = in(of, k).total;
      by_row = by_row || in(of, k).kind == Kind::by_row;
    }
    const bool adds = n.op == Op::reduce_sum || n.op == Op::dot;
    if (adds && by_row && v.kind == Kind::untouched) {
      if (r.kind != RowTotal::mean)
        r = {RowTotal::sum, false, 1, n.op == Op::dot ? static_cast<double>(rows_) : folded(i)};
    } else if (n.op == Op::reduce_sum) {
      r.elements *= folded(i);
    } else if (n.op == Op::mul || n.op == Op::div) {
      const PaddedValue &a = in(i, 0), &b = in(i, 1);
      const bool divides = n.op == Op::div;
      if (a.total.cancels(b.total, divides)) return {};
      if (divides && a.total.kind == RowTotal::none) r.inverse = !r.inverse;
      if (is_constant(b)) r.multiply(divides ? 1 / b.candidates.at[0] : b.candidates.at[0], rows_);
      if (is_constant(a) && !divides) r.multiply(a.candidates.at[0], rows_);
    }
    return r;
  }
  constexpr double folded(int i) const {
    const i64 from = g_.dims(g_.in(i, 0)).size(), to = g_.dims(i).size();
    return to > 0 ? static_cast<double>(from) / static_cast<double>(to) : 0;
  }
  static constexpr bool is_constant(const PaddedValue& v) {
    return v.kind == Kind::untouched && v.candidates.count == 1 && v.candidates.at[0] != 0;
  }

  constexpr PaddedValue pointwise(int i) const {
    const ir::Node& n = g_.nodes.items[i];
    PaddedValue r;
    bool all_known = true;
    for (int k = 0; k < n.arity; ++k) {
      const PaddedValue& x = in(i, k);
      all_known = all_known && x.candidates.known();
      if (x.kind != Kind::by_row) continue;
      if (r.kind == Kind::by_row && r.stride != x.stride) return mixed();
      r.kind = Kind::by_row;
      r.stride = x.stride;
    }
    if (n.op == Op::select && in(i, 0).candidates.known()) {
      r.candidates = selected(i);
    } else if (is_float(n.dtype) && (reads_nan(i) || leaves_the_numbers(i))) {
      r.candidates = Candidates::not_a_number();
    } else if ((n.op == Op::mul || n.op == Op::bit_and) && (is_zero(in(i, 0)) || is_zero(in(i, 1)))) {
      r.candidates = Candidates::one(0);
    } else if (all_known && n.arity <= 2) {
      r.candidates = evaluated(i);
    }
    return r;
  }
  constexpr bool reads_nan(int i) const {
    for (int k = 0; k < g_.nodes.items[i].arity; ++k)
      if (in(i, k).candidates.has_nan()) return true;
    return false;
  }
  // Whether an operation on what is known has no finite value.
  constexpr bool leaves_the_numbers(int i) const {
    switch (g_.nodes.items[i].op) {
      case Op::div:
      case Op::fmod:
        return is_zero(in(i, 1));
      case Op::log:
      case Op::rsqrt:
        return is_zero(in(i, 0));
      case Op::log1p:
        return in(i, 0).candidates.only(-1);
      case Op::pow:
        return is_zero(in(i, 0)) && in(i, 1).candidates.count == 1 && in(i, 1).candidates.at[0] < 0;
      case Op::mul:
        return (is_zero(in(i, 0)) && in(i, 1).candidates.has_infinity()) ||
               (is_zero(in(i, 1)) && in(i, 0).candidates.has_infinity());
      default:
        return false;
    }
  }
  constexpr Candidates selected(int i) const {
    const Candidates& condition = in(i, 0).candidates;
    Candidates r;
    for (int c = 0; c < condition.count; ++c) {
      const Candidates& chosen = in(i, condition.at[c] != 0 ? 1 : 2).candidates;
      if (!chosen.known()) return {};
      for (int k = 0; k < chosen.count; ++k)
        if (!r.add(chosen.at[k])) return {};
    }
    return r;
  }
  constexpr Candidates evaluated(int i) const {
    const ir::Node& n = g_.nodes.items[i];
    const Candidates one = Candidates::one(0);
    const Candidates &x = in(i, 0).candidates, &y = n.arity > 1 ? in(i, 1).candidates : one;
    Candidates r;
    for (int k = 0; k < x.count; ++k)
      for (int l = 0; l < y.count; ++l) {
        double result = 0;
        if (!padded_arithmetic(n, x.at[k], y.at[l], result) || !r.add(result)) return {};
      }
    return r;
  }
  constexpr PaddedValue moved(int i) const {
    const ir::Node& n = g_.nodes.items[i];
    const PaddedValue& x = in(i, 0);
    const Dims &from = g_.dims(g_.in(i, 0)), &to = g_.dims(i);
    if (n.op == Op::reshape) return x;
    const Place at = place(from, x.stride);
    if (at.axis < 0) return mixed();
    switch (n.op) {
      case Op::broadcast:
        return along(to, at.axis + to.rank - from.rank, at.inner, x.candidates);
      case Op::permute:
        for (int k = 0; k < to.rank; ++k)
          if (g_.attribute(i, k) == at.axis) return along(to, k, at.inner, x.candidates);
        return mixed();
      case Op::slice:
        if (from.extent[at.axis] != to.extent[at.axis] || g_.attribute(i, 2 * at.axis + 1) != 1)
          return mixed();
        return along(to, at.axis, at.inner, x.candidates);
      default:
        if (from.extent[at.axis] != to.extent[at.axis]) return mixed();
        return along(to, at.axis, at.inner,
                     x.candidates.only(ir::constant_value(n.dtype, n.imm)) ? x.candidates : Candidates{});
    }
  }

  constexpr PaddedValue reduced(int i) const {
    const ir::Node& n = g_.nodes.items[i];
    const PaddedValue& x = in(i, 0);
    const Dims &from = g_.dims(g_.in(i, 0)), &to = g_.dims(i);
    const Place at = place(from, x.stride);
    if (at.axis < 0) return mixed();
    if (to.extent[at.axis] == from.extent[at.axis]) {
      const bool same = n.op == Op::reduce_max || n.op == Op::reduce_min;
      return along(to, at.axis, at.inner,
                   same || x.candidates.has_nan() || (is_zero(x) && n.op == Op::reduce_sum) ? x.candidates
                                                                                            : Candidates{});
    }
    return n.op == Op::reduce_sum && is_zero(x) ? untouched() : mixed();
  }

  // list: batch count, contracted count, batch axes of a, of b, contracted axes of a, of b
  constexpr PaddedValue product(int i) const {
    const int batches = static_cast<int>(g_.attribute(i, 0)), count = static_cast<int>(g_.attribute(i, 1));
    const Dims& to = g_.dims(i);
    PaddedValue r;
    bool contracted = false;
    int free_before = batches;  // of the result's axes, those of a come before those of b
    for (int k = 0; k < 2; ++k) {
      const PaddedValue& x = in(i, k);
      const Dims& d = g_.dims(g_.in(i, k));
      const Place at = x.kind == Kind::by_row ? place(d, x.stride) : Place{};
      if (x.kind == Kind::by_row && at.axis < 0) return mixed();
      int free = free_before, axis = -1;
      for (int a = 0; a < d.rank; ++a) {
        int found = -1;
        bool summed = false;
        for (int c = 0; c < batches; ++c)
          if (g_.attribute(i, 2 + k * batches + c) == a) found = c;
        for (int c = 0; c < count; ++c)
          if (g_.attribute(i, 2 + 2 * batches + k * count + c) == a) summed = true;
        if (found < 0 && !summed) found = free++;
        if (a != at.axis) continue;
        if (summed)
          contracted = true;
        else
          axis = found;
      }
      free_before = free;
      if (axis < 0) continue;
      const PaddedValue part = along(to, axis, at.inner);
      if (r.kind == Kind::by_row && r.stride != part.stride) return mixed();
      r = part;
    }
    const bool nan = in(i, 0).candidates.has_nan() || in(i, 1).candidates.has_nan();
    const bool zero = !nan && (is_zero(in(i, 0)) || is_zero(in(i, 1)));
    if (nan) r.candidates = Candidates::not_a_number();
    if (contracted) return zero && r.kind == Kind::untouched ? untouched() : mixed();
    if (zero) r.candidates = Candidates::one(0);
    return r;
  }

  // x (G, N, C, ...): by row along N; the result's leading axes are groups, batch and outputs in `order`.
  constexpr PaddedValue convolved(int i) const {
    const PaddedValue& x = in(i, 0);
    if (in(i, 1).kind != Kind::untouched) return mixed();
    const Place at = place(g_.dims(g_.in(i, 0)), x.stride);
    if (at.axis != 1) return mixed();
    const ir::ConvAxes axes = ir::conv_axes(g_, i);
    int batch = 0;
    while (axes.order[batch] != 1) ++batch;
    return along(g_.dims(i), batch, at.inner, is_zero(x) ? x.candidates : Candidates{});
  }

  static constexpr bool is_below_zero(const Candidates& x) {
    for (int k = 0; k < x.count; ++k)
      if (x.at[k] < 0) return true;
    return false;
  }
  constexpr PaddedValue gathered(int i) const {
    const PaddedValue& index = in(i, 1);
    if (in(i, 0).kind != Kind::untouched || is_below_zero(index.candidates)) return mixed();
    i64 row = 1;
    const Dims& table = g_.dims(g_.in(i, 0));
    for (int k = 1; k < table.rank; ++k) row *= table.extent[k];
    return {Kind::by_row, index.stride * row, {}};
  }

  // Whether padded rows are rows of 0 that are added somewhere, as the index says or whatever it says.
  constexpr bool adds_nothing(int i) const {
    const PaddedValue &index = in(i, 0), &update = in(i, 1);
    const Dims &of_index = g_.dims(g_.in(i, 0)), &of_update = g_.dims(g_.in(i, 1));
    if (update.kind != Kind::by_row || !is_zero(update)) return false;
    const int axis = place(of_update, update.stride).axis;
    return axis >= 0 && axis < of_index.rank &&
           (index.kind == Kind::untouched || place(of_index, index.stride).axis == axis);
  }
  // Whether padded rows are among what a scatter skips, as its index lies outside for all of them.
  constexpr bool is_skipped(int i) const {
    const PaddedValue &index = in(i, 0), &update = in(i, 1);
    const int axis = ir::axis_of(g_, i);
    if (update.kind == Kind::by_row && update.stride != index.stride) return false;
    if (g_.nodes.items[i].op != Op::scatter_reduce || index.kind != Kind::by_row ||
        !index.candidates.known() || place(g_.dims(g_.in(i, 0)), index.stride).axis != axis)
      return false;
    for (int k = 0; k < index.candidates.count; ++k)
      if (index.candidates.at[k] >= 0 &&
          index.candidates.at[k] < static_cast<double>(g_.dims(i).extent[axis]))
        return false;
    return true;
  }
  constexpr PaddedValue along_lines(int i) const {
    if (is_skipped(i)) return untouched();
    const ir::Node& n = g_.nodes.items[i];
    const int axis = ir::axis_of(g_, i);
    PaddedValue r;
    for (int k = 0; k < n.arity; ++k) {
      const PaddedValue& x = in(i, k);
      if (x.kind != Kind::by_row) continue;
      const Place at = place(g_.dims(g_.in(i, k)), x.stride);
      if (at.axis < 0 || at.axis == axis) return mixed();
      const PaddedValue part = along(g_.dims(i), at.axis, at.inner);
      if (r.kind == Kind::by_row && r.stride != part.stride) return mixed();
      r = part;
    }
    const bool keeps = n.op == Op::take_along_axis || (n.op == Op::scan && is_zero(in(i, 0)));
    if (keeps || in(i, 0).candidates.has_nan()) r.candidates = in(i, 0).candidates;
    return r;
  }

  // Where the rows' axis is whole in the block, and no offset depends on them.
  constexpr PaddedValue block(int i) const {
    const int tensors = ir::block_operands(g_.nodes.items[i].op);
    const Dims& block = ir::block_dims(g_, i);
    PaddedValue r;
    bool known = true;
    for (int k = 0; k < g_.nodes.items[i].arity; ++k) {
      const PaddedValue& x = in(i, k);
      known = known && (k >= tensors || (x.candidates.count == 1 && x.candidates == in(i, 0).candidates));
      if (x.kind != Kind::by_row) continue;
      const Place at = k < tensors ? place(g_.dims(g_.in(i, k)), x.stride) : Place{};
      if (at.axis < 0 || ir::last_offset(ir::whole_dims(g_, i), block, at.axis) != 0) return mixed();
      const PaddedValue part = along(g_.dims(i), at.axis, at.inner);
      if (r.kind == Kind::by_row && r.stride != part.stride) return mixed();
      r = part;
    }
    if (known) r.candidates = in(i, 0).candidates;
    return r;
  }

  // Samples do not meet in an attention: rows along the first axis of its operands are rows of its results,
  // but of a gradient, which sums over samples where an operand has one for all.
  constexpr PaddedValue attention_result(int i) const {
    const int region = g_.in(i, 0);
    const Dims d = g_.dims(i);
    PaddedValue r;
    for (int k = 0; k < g_.nodes.items[region].arity; ++k) {
      const PaddedValue& x = in(region, k);
      if (x.kind == Kind::untouched) continue;
      if (x.kind == Kind::mixed || place(g_.dims(g_.in(region, k)), x.stride).axis != 0 ||
          d.extent[0] != g_.dims(g_.in(region, k)).extent[0])
        return mixed();
      const PaddedValue part = along(d, 0, place(g_.dims(g_.in(region, k)), x.stride).inner);
      if (r.kind == Kind::by_row && r.stride != part.stride) return mixed();
      r = part;
    }
    return r;
  }

  // The body is followed until its carries no longer change: a carry only ever gets worse.
  constexpr PaddedValue loop_result(int i) const {
    const int loop = g_.in(i, 0);
    const ir::LoopShape s = ir::loop_shape(g_, loop);
    const ir::Graph body = ir::loop_body(g_, loop);
    List<PaddedValue> inputs;
    for (int k = 0; k < s.operands(); ++k) {
      PaddedValue x = in(loop, k);
      if (x.kind == Kind::by_row && s.is_stacked(k)) {  // (trips, ...): the slice has the same stride
        const Place at = place(g_.dims(g_.in(loop, k)), x.stride);
        if (at.axis < 1) x = mixed();
      }
      inputs.push(x);
    }
    for (int k = body.inputs.size(); k > inputs.size();) inputs.push(untouched());
    List<PaddedValue> inside;
    for (bool changed = true; changed;) {
      changed = false;
      inside = PaddingAnalysis(body, rows_).run(inputs);
      for (int c = 0; c < s.carries; ++c) {
        const PaddedValue& next = inside[body.outputs[c]];
        PaddedValue& now = inputs[c];
        const PaddedValue before = now;
        if (now.kind == Kind::untouched && next.kind == Kind::by_row)
          now.kind = next.kind, now.stride = next.stride;
        if (next.kind == Kind::mixed || (next.kind == Kind::by_row && next.stride != now.stride))
          now = mixed();
        if (!(next.candidates == now.candidates)) now.candidates = {};
        if (next.total.kind > now.total.kind) now.total = next.total;
        changed = changed || before.kind != now.kind || before.total.kind != now.total.kind ||
                  !(before.candidates == now.candidates);
      }
    }
    const int which = static_cast<int>(g_.nodes.items[i].imm);
    if (which < 2 * s.carries) return inputs[which % s.carries];
    return inside[body.outputs[s.carries + which - 2 * s.carries]];
  }

  const ir::Graph& g_;
  i64 rows_;
  List<PaddedValue> values_;
};

}  // namespace WEFT_NAMESPACE::transforms
