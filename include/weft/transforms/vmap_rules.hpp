#pragma once
// Batching: a graph that was traced for one sample, added to another for `size` samples at once. Law: every
// result is the stack, along a new leading axis, of what the graph gives for each sample; what no sample
// changes is computed once. Rules as in torch.func.vmap and jax.vmap, one a primitive, in one table.

#include "weft/ir/along_axis.hpp"
#include "weft/ir/conv.hpp"
#include "weft/ir/custom.hpp"
#include "weft/ir/dynamic_slice.hpp"
#include "weft/ir/group.hpp"
#include "weft/ir/loop.hpp"

namespace WEFT_NAMESPACE::transforms {

// A value for all samples: with the batch as its leading axis where it is mapped, else the same for each.
struct VmapItem {
  ir::Value value;
  bool mapped = false;
};

namespace vmapping {

using ir::Op;
using ir::Value;

// Node `node` of graph `g` on its way into builder `b`. Extents and axes without a word are one sample's.
struct Site {
  ir::Builder& b;
  const ir::Graph& g;
  i64 size;
  int node;

  constexpr const ir::Node& original() const { return g.nodes.items[node]; }
  constexpr const Dims& dims() const { return g.dims(node); }
  constexpr const Dims& operand_dims(int k) const { return g.dims(g.in(node, k)); }
  constexpr Dims stacked(const Dims& d) const {
    if (d.rank == max_rank) throw Error("ops/vmap", "a batch would give a tensor more than 8 axes");
    return ir::stacked_dims(size, d);
  }
  // x with the batch as its leading axis.
  constexpr Value all(const VmapItem& x) const {
    return x.mapped ? x.value : ir::broadcast(x.value, stacked(x.value.dims()));
  }
  // The same primitive of other operands, with other extents and attributes.
  constexpr Value emit(const Dims& to, const List<i64>& attributes, const List<int>& operands) const {
    ir::Node n{original().op, original().dtype};
    n.shape = b.shape(to);
    n.imm = original().imm;
    if (original().list >= 0) n.list = b.list(attributes.data(), attributes.size());
    return {&b, b.add(n, operands.data(), operands.size())};
  }
  constexpr List<i64> attributes() const {
    List<i64> list;
    for (int k = 0; k < g.attributes(node); ++k) list.push(g.attribute(node, k));
    return list;
  }
  // As it stands, of operands that are the same for every sample.
  constexpr Value same(const VmapItem* x) const {
    List<int> operands;
    for (int k = 0; k < original().arity; ++k) operands.push(x[k].value.id);
    return emit(dims(), attributes(), operands);
  }
  // All operands with the batch in front, attributes as they are but for the first `axes`, each an axis.
  constexpr Value in_front(const VmapItem* x, int axes) const {
    List<int> operands;
    for (int k = 0; k < original().arity; ++k) operands.push(all(x[k]).id);
    List<i64> list = attributes();
    for (int k = 0; k < axes; ++k) ++list[k];
    return emit(stacked(dims()), list, operands);
  }
};

// Moves an axis of x to another place.
constexpr Value move_axis(Value x, int from, int to) {
  const int rank = x.dims().rank;
  i64 order[max_rank]{};
  for (int k = 0, next = 0; k < rank; ++k) {
    if (k == to) {
      order[k] = from;
      continue;
    }
    if (next == from) ++next;
    order[k] = next++;
  }
  return ir::permute(x, order);
}
// Axes `axis` and `axis + 1` as one, and back.
constexpr Value join_axes(Value x, int axis) {
  const Dims d = x.dims();
  Dims to;
  for (int k = 0; k < d.rank; ++k)
    if (k == axis + 1)
      to.extent[to.rank - 1] *= d.extent[k];
    else
      to.extent[to.rank++] = d.extent[k];
  return ir::reshape(x, to);
}
constexpr Value split_axis(Value x, int axis, i64 outer) {
  const Dims d = x.dims();
  Dims to;
  for (int k = 0; k < d.rank; ++k) {
    if (k == axis) to.extent[to.rank++] = outer;
    to.extent[to.rank++] = k == axis ? d.extent[k] / outer : d.extent[k];
  }
  return ir::reshape(x, to);
}

constexpr Value pointwise(const Site& s, const VmapItem* x) { return s.in_front(x, 0); }
constexpr Value reduction(const Site& s, const VmapItem* x) { return s.in_front(x, s.g.attributes(s.node)); }
constexpr Value along_axis(const Site& s, const VmapItem* x) { return s.in_front(x, 1); }

constexpr Value broadcast(const Site& s, const VmapItem* x) {
  Dims ones = s.stacked(s.dims());
  const int lead = s.dims().rank - s.operand_dims(0).rank;
  for (int k = 1; k < ones.rank; ++k) ones.extent[k] = k <= lead ? 1 : s.operand_dims(0).extent[k - 1 - lead];
  return ir::broadcast(ir::reshape(x[0].value, ones), s.stacked(s.dims()));
}
constexpr Value reshape(const Site& s, const VmapItem* x) {
  return ir::reshape(x[0].value, s.stacked(s.dims()));
}
constexpr Value add_dependency(const Site& s, const VmapItem* x) {
  return ir::add_dependency(s.all(x[0]), x[1].value);
}
constexpr Value permute(const Site& s, const VmapItem* x) {
  i64 order[max_rank]{};
  for (int k = 0; k < s.dims().rank; ++k) order[k + 1] = s.g.attribute(s.node, k) + 1;
  return ir::permute(x[0].value, order);
}
// Slice and pad: two numbers an axis, of which (0, 1) and (0, 0) change nothing.
constexpr Value along_axes(const Site& s, const VmapItem* x, i64 first, i64 second) {
  List<i64> list;
  list.push(first);
  list.push(second);
  for (int k = 0; k < s.g.attributes(s.node); ++k) list.push(s.g.attribute(s.node, k));
  return s.emit(s.stacked(s.dims()), list, List<int>(1, x[0].value.id));
}
constexpr Value slice(const Site& s, const VmapItem* x) { return along_axes(s, x, 0, 1); }
constexpr Value pad(const Site& s, const VmapItem* x) { return along_axes(s, x, 0, 0); }

// A batch of both operands is one more batch axis; of one it is a free axis, moved to the front.
constexpr Value dot(const Site& s, const VmapItem* x) {
  const ir::DotAxes one = ir::dot_axes(s.g, s.node);
  ir::DotAxes axes = one;
  const int a = x[0].mapped ? 1 : 0, b = x[1].mapped ? 1 : 0, both = a & b;
  for (int k = 0; k < one.batch; ++k)
    axes.batch_a[k + both] = one.batch_a[k] + a, axes.batch_b[k + both] = one.batch_b[k] + b;
  for (int k = 0; k < one.contracted; ++k) axes.contracted_a[k] += a, axes.contracted_b[k] += b;
  if (both != 0) axes.batch_a[0] = axes.batch_b[0] = 0;
  axes.batch += both;
  if (both != 0) return ir::dot(x[0].value, x[1].value, axes, s.original().dtype);
  // free axes of the first operand come before those of the second
  const int free_a = s.operand_dims(0).rank - one.batch - one.contracted;
  const Value r = ir::dot(x[0].value, x[1].value, axes, s.original().dtype);
  return move_axis(r, one.batch + (a != 0 ? 0 : free_a), 0);
}

// A batch of both operands makes more groups; of the images more images; of the windows more outputs.
constexpr Value conv(const Site& s, const VmapItem* x) {
  const ir::ConvAxes axes = ir::conv_axes(s.g, s.node);
  Value images = x[0].value, windows = x[1].value;
  int joined = 0;  // which leading axis of the result holds the batch: 0 groups, 1 images, 2 outputs
  if (x[0].mapped && x[1].mapped) {
    images = join_axes(images, 0);
    windows = join_axes(windows, 0);
  } else if (x[0].mapped) {
    images = join_axes(move_axis(images, 0, 1), 1);
    joined = 1;
  } else {
    windows = join_axes(move_axis(windows, 0, 1), 1);
    joined = 2;
  }
  int place = 0;
  while (axes.order[place] != joined) ++place;
  const Value r = ir::conv(images, windows, axes, s.original().dtype);
  return move_axis(split_axis(r, place, s.size), place, 0);
}

// Rows of sample t's table become rows t * rows + index of one table; an index that is outside stays so.
constexpr Value flat_index(const Site& s, Value index, i64 rows) {
  const Value i = ir::cast(index, DType::i64);
  const Dims d = i.dims();
  const Value sample{&s.b, s.b.leaf(Op::iota, DType::i64, d, 0)};
  const Value last = ir::constant_like(i, static_cast<double>(rows - 1)), zero = ir::constant_like(i, 0);
  const Value inside = ir::binary(Op::bit_and, ir::binary(Op::le, zero, i), ir::binary(Op::le, i, last));
  return ir::select(inside, sample * static_cast<double>(rows) + i, ir::constant_like(i, -1));
}
constexpr Value take_rows(const Site& s, const VmapItem* x) {
  if (!x[0].mapped) return ir::take_rows(x[0].value, x[1].value);
  if (!x[1].mapped)
    return move_axis(ir::take_rows(move_axis(x[0].value, 0, 1), x[1].value), s.operand_dims(1).rank, 0);
  const i64 rows = s.operand_dims(0).extent[0];
  return ir::take_rows(join_axes(x[0].value, 0), flat_index(s, x[1].value, rows));
}
// Of one table for all samples, theirs lie one behind the other along the axis: the table is not copied, nor
// is what its gradient adds up in.
constexpr Value take_along_axis(const Site& s, const VmapItem* x) {
  if (x[0].mapped) return along_axis(s, x);
  const int axis = static_cast<int>(s.g.attribute(s.node, 0));
  const bool zero = s.g.attribute(s.node, 1) != 0;
  const Value index = join_axes(move_axis(x[1].value, 0, axis), axis);
  const Dims table = s.operand_dims(0);
  if (table.rank == 1 && !zero) {  // rows of one element, which have the quicker kernels
    const i64 column[2]{table.extent[0], 1};
    const Value i = ir::cast(index, DType::i64), from_end = i + static_cast<double>(table.extent[0]);
    const Value place = ir::select(ir::binary(Op::lt, i, ir::constant_like(i, 0)), from_end, i);
    const Value rows = ir::take_rows(ir::reshape(x[0].value, ir::make_dims(2, column)), place);
    return ir::reshape(rows, s.stacked(s.dims()));
  }
  return move_axis(split_axis(ir::take_along_axis(x[0].value, index, axis, zero), axis, s.size), axis, 0);
}
constexpr Value scatter_add(const Site& s, const VmapItem* x) {
  const i64 rows = s.dims().extent[0];
  if (!x[0].mapped) {  // the batch is one more axis of a row
    const Value update = move_axis(x[1].value, 0, s.operand_dims(0).rank);
    return move_axis(ir::scatter_add(x[0].value, update, rows), 1, 0);
  }
  const Value all = ir::scatter_add(flat_index(s, x[0].value, rows), s.all(x[1]), s.size * rows);
  return split_axis(all, 0, s.size);
}

// Tensors that are whole along the batch; offsets of their own for each sample are offsets of a batch axis.
constexpr Value dynamic_slice(const Site& s, const VmapItem* x) {
  const int tensors = ir::block_operands(s.original().op);
  const i64 batch = s.g.attribute(s.node, 0);
  bool each = batch > 0;
  for (int k = tensors; k < s.original().arity; ++k) each = each || x[k].mapped;
  List<int> operands;
  for (int k = 0; k < s.original().arity; ++k)
    operands.push((k < tensors || each ? s.all(x[k]) : x[k].value).id);
  List<i64> list;
  list.push(each ? batch + 1 : 0);
  list.push(0);
  for (int k = 1; k < s.g.attributes(s.node); ++k) list.push(s.g.attribute(s.node, k));
  return s.emit(s.stacked(s.dims()), list, operands);
}

// A program's own primitive knows one sample: it runs once for each.
constexpr Value custom(const Site& s, const VmapItem* x) {
  const int arity = s.original().arity;
  ir::Builder body(64);
  body.graph.is_body = true;
  body.graph.scalar_count = s.b.graph.scalar_count;
  ir::LoopShape shape;
  shape.trips = s.size;
  shape.outputs = 1;
  List<int> operands, inside(arity, -1);
  for (int round = 0; round < 2; ++round)
    for (int k = 0; k < arity; ++k) {
      if (x[k].mapped != (round == 0)) continue;
      inside[k] =
          body.leaf(Op::input, x[k].value.dtype(), s.operand_dims(k), static_cast<u64>(operands.size()));
      body.graph.inputs.push(inside[k]);
      operands.push(x[k].value.id);
      (round == 0 ? shape.stacked : shape.invariants) += 1;
    }
  const Site one{body, s.g, s.size, s.node};
  body.graph.outputs.push(one.emit(s.dims(), s.attributes(), inside).id);
  const Value loop = ir::loop(s.b, shape, body.graph, operands);
  return ir::loop_result(loop, shape.output(0), s.original().dtype, s.stacked(s.dims()));
}

// The parts lie along the first axis, so the batch is behind it meanwhile.
constexpr Value group_collective(const Site& s, const VmapItem* x) {
  const GroupCall call = GroupCall::decode(s.original().imm);
  const auto swapped = [](Value v) {
    i64 order[max_rank]{1, 0};
    for (int k = 2; k < v.dims().rank; ++k) order[k] = k;
    return ir::permute(v, order);
  };
  const bool takes_parts = call.kind == GroupKind::part || call.kind == GroupKind::scatter;
  const Value y = ir::group_collective(takes_parts ? swapped(s.all(x[0])) : s.all(x[0]), call);
  return call.kind == GroupKind::gather ? swapped(y) : y;
}

using Rule = Value (*)(const Site& s, const VmapItem* x);

// By primitive; null: none. Loops and leaves are the Vmapper's own.
constexpr Rule rule(Op op) {
  switch (ir::info(op).kind) {
    case ir::OpClass::pointwise:
    case ir::OpClass::marker:
      return &pointwise;
    case ir::OpClass::reduction:
      return &reduction;
    case ir::OpClass::dot:
      return &dot;
    case ir::OpClass::conv:
      return &conv;
    case ir::OpClass::along_axis:
      return op == Op::searchsorted ? &pointwise : op == Op::take_along_axis ? &take_along_axis : &along_axis;
    case ir::OpClass::index:
      return op == Op::take_rows ? &take_rows : &scatter_add;
    case ir::OpClass::dynamic_slice:
      return &dynamic_slice;
    case ir::OpClass::custom:
      return &custom;
    case ir::OpClass::collective:
      return op == Op::group_collective ? &group_collective : nullptr;
    case ir::OpClass::movement:
      return op == Op::broadcast        ? &broadcast
             : op == Op::reshape        ? &reshape
             : op == Op::permute        ? &permute
             : op == Op::slice          ? &slice
             : op == Op::add_dependency ? &add_dependency
                                        : &pad;
    default:
      return nullptr;
  }
}

}  // namespace vmapping

class Vmapper {
 public:
  constexpr Vmapper(ir::Builder& builder, const ir::Graph& graph, i64 size)
      : b(builder), g(graph), size_(size) {}

  // `inputs`: of every input of the graph. Returns its outputs.
  constexpr List<VmapItem> run(const List<VmapItem>& inputs) {
    items_ = List<VmapItem>(g.nodes.size());
    for (int i = 0; i < g.nodes.size(); ++i) items_[i] = item(i, inputs);
    List<VmapItem> out;
    for (int x : g.outputs) out.push(items_[x]);
    return out;
  }

 private:
  using Op = ir::Op;
  using Value = ir::Value;

  constexpr VmapItem item(int i, const List<VmapItem>& inputs) {
    const ir::Node& n = g.nodes[i];
    const vmapping::Site site{b, g, size_, i};
    if (n.op == Op::input) {  // a loop's body may have one that nothing reads
      const int k = static_cast<int>(n.imm);
      return k < inputs.size() && g.inputs[k] == i ? inputs[k] : VmapItem{};
    }
    if (n.op == Op::random) return {{&b, b.leaf(Op::random, n.dtype, site.stacked(g.dims(i)), n.imm)}, true};
    if (n.op == Op::loop) return loop(i);
    List<VmapItem> x;
    bool mapped = false;
    for (int k = 0; k < n.arity; ++k) {
      x.push(items_[g.in(i, k)]);
      mapped = mapped || x[k].mapped;
    }
    if (n.op == Op::result) return loop_result(i, x[0]);
    // a variable of a grad that is done
    if (n.op == Op::cast && n.dtype == g.nodes[g.in(i, 0)].dtype) return x[0];
    if (!mapped) return {site.same(x.data()), false};
    static_cast<void>(site.stacked(g.dims(i)));
    const vmapping::Rule rule = vmapping::rule(n.op);
    return {rule(site, x.data()), true};
  }

  // The body is batched in its turn. A carry is mapped where its start is, or what a trip makes of it; a
  // stacked operand has the batch behind the trips.
  constexpr VmapItem loop(int i) {
    const ir::LoopShape shape = ir::loop_shape(g, i);
    const ir::Graph body = ir::loop_body(g, i);
    List<u8> mapped;
    for (int k = 0; k < shape.operands(); ++k) mapped.push(items_[g.in(i, k)].mapped ? 1 : 0);
    while (true) {
      ir::Builder made(64);
      made.graph.is_body = true;
      made.graph.scalar_count = b.graph.scalar_count;
      made.graph.streams = b.graph.streams;
      made.graph.key_input = body.key_input;
      List<VmapItem> inputs;
      for (int k = 0; k < shape.operands(); ++k) {
        const int x = body.inputs[k];
        inputs.push({{}, mapped[k] != 0});
        if (x >= 0) {
          const Dims d = mapped[k] ? ir::stacked_dims(size_, body.dims(x)) : body.dims(x);
          inputs[k].value = {&made, made.leaf(Op::input, body.nodes[x].dtype, d, static_cast<u64>(k))};
        }
        made.graph.inputs.push(x < 0 ? -1 : inputs[k].value.id);
      }
      List<VmapItem> out = Vmapper(made, body, size_).run(inputs);
      bool settled = true;
      for (int k = 0; k < shape.carries; ++k)
        if (out[k].mapped && !mapped[k]) mapped[k] = 1, settled = false;
      if (!settled) continue;
      Loop result{i, {}, List<u8>(shape.results(), 0)};
      for (int k = 0; k < out.size(); ++k) {
        const bool stacks = k < shape.carries ? mapped[k] != 0 : out[k].mapped;
        const vmapping::Site site{made, body, size_, body.outputs[k]};
        made.graph.outputs.push((stacks ? site.all(out[k]) : out[k].value).id);
        if (!stacks) continue;
        if (k < shape.carries)
          result.mapped[shape.final_of(k)] = result.mapped[shape.history_of(k)] = 1;
        else
          result.mapped[shape.output(k - shape.carries)] = 1;
      }
      List<int> operands;
      for (int k = 0; k < shape.operands(); ++k) {
        const VmapItem& x = items_[g.in(i, k)];
        const vmapping::Site site{b, g, size_, g.in(i, k)};
        Value v = mapped[k] ? site.all(x) : x.value;
        if (mapped[k] && shape.is_stacked(k)) v = vmapping::move_axis(v, 0, 1);
        operands.push(v.id);
      }
      result.value = ir::loop(b, shape, made.graph, operands);
      loops_.push(result);
      return {result.value, false};
    }
  }
  constexpr VmapItem loop_result(int i, const VmapItem& loop) {
    int k = 0;
    while (loops_[k].node != g.in(i, 0)) ++k;
    const ir::LoopShape shape = ir::loop_shape(g, g.in(i, 0));
    const int which = static_cast<int>(g.nodes[i].imm);
    const DType dtype = g.nodes[i].dtype;
    const Dims d = g.dims(i);
    if (!loops_[k].mapped[which]) return {ir::loop_result(loop.value, which, dtype, d), false};
    if (which < shape.carries) return {ir::loop_result(loop.value, which, dtype, stacked(d)), true};
    Dims swapped = stacked(d);
    swapped.extent[0] = d.extent[0];
    swapped.extent[1] = size_;
    return {vmapping::move_axis(ir::loop_result(loop.value, which, dtype, swapped), 1, 0), true};
  }
  constexpr Dims stacked(const Dims& d) const { return vmapping::Site{b, g, size_, 0}.stacked(d); }

  struct Loop {
    int node = -1;
    Value value;
    List<u8> mapped;  // of every result
  };
  ir::Builder& b;
  const ir::Graph& g;
  i64 size_;
  List<VmapItem> items_;
  List<Loop> loops_;
};

}  // namespace WEFT_NAMESPACE::transforms
