#pragma once
// Value: a node number with its builder, and one function a primitive that adds it. Gradient rules, passes
// and typed handles all build the graph through these; what can be decided at once is folded here.

#include "weft/core/small_float.hpp"
#include "weft/ir/builder.hpp"
#include "weft/ir/shape_rule.hpp"

namespace WEFT_NAMESPACE::ir {

struct Value {
  Builder* builder = nullptr;
  int id = -1;

  constexpr explicit operator bool() const { return id >= 0; }
  constexpr const Node& node() const { return builder->graph.nodes.items[id]; }
  // By value: the graph's own may move when a shape is added.
  constexpr Dims dims() const { return builder->graph.shapes.items[builder->graph.nodes.items[id].shape]; }
  constexpr DType dtype() const { return builder->graph.nodes.items[id].dtype; }
  constexpr Op op() const { return builder->graph.nodes.items[id].op; }
  constexpr Value in(int k) const { return {builder, builder->graph.in(id, k)}; }
  constexpr bool is(double constant) const { return builder->is_constant(id, constant); }
  constexpr bool is_constant() const { return builder->is_constant(id); }
  constexpr double constant() const { return constant_value(dtype(), node().imm); }
};

constexpr Value constant(Builder& b, DType dtype, const Dims& dims, double value) {
  return {&b, b.constant(dtype, dims, value)};
}
// A splat of `value` with x's dtype and shape.
constexpr Value constant_like(Value x, double value) {
  return {x.builder, x.builder->constant(x.dtype(), x.node().shape, constant_bits(x.dtype(), value))};
}

// The state of slot `slot`, from before the step.
constexpr Value read_slot(Builder& b, int slot) {
  const Slot& s = b.graph.slots[slot];
  return {&b, b.leaf(Op::state, s.dtype, Dims(b.graph.shapes[s.shape]), static_cast<u64>(slot))};
}
// A read of state that has no value, in the outermost trace around b.
constexpr Value read_without_value(Builder& b, DType dtype, const Dims& dims, Valueless why) {
  Builder& outermost = b.outermost();
  return {&outermost, outermost.leaf(Op::state, dtype, dims, slot_without_value(why))};
}

// The input of the outermost trace that x has the elements of, in one order or another; -1: none.
constexpr int input_behind(Value x) {
  if (x.builder->parent != nullptr || x.builder->finds_parent) return -1;
  while (x.op() == Op::cast || x.op() == Op::reshape || x.op() == Op::permute || x.op() == Op::broadcast)
    x = x.in(0);
  return x.op() == Op::input ? static_cast<int>(x.node().imm) : -1;
}
// Says that x has labels: see Labels.
constexpr void mark_labels(Value x, i64 classes, bool negatives, i64 ignored) {
  const int input = input_behind(x);
  if (input >= 0) x.builder->graph.labels.push({input, negatives, classes, ignored});
}

// Operands of one trace: a value of an enclosing one is an invariant of the loop in whose body it is used.
constexpr void meet(Value& x, Value& y) {
  if (x.builder == y.builder) return;
  if (x.builder->depth() < y.builder->depth())
    x = {y.builder, y.builder->import(*x.builder, x.id)};
  else
    y = {x.builder, x.builder->import(*y.builder, y.id)};
}

constexpr Value raw(Op op, DType dtype, int shape, u64 imm, int list, Value a, Value b = {}, Value c = {}) {
  Node node{op, dtype};
  node.shape = shape;
  node.imm = imm;
  node.list = list;
  if ((b && b.builder != a.builder) || (c && c.builder != a.builder))
    throw Error("ir/builder", "operands of two traces");
  const int operands[3]{a.id, b.id, c.id};
  return {a.builder, a.builder->add(node, operands, c ? 3 : b ? 2 : 1)};
}

constexpr Value broadcast(Value x, const Dims& to) {
  Builder& b = *x.builder;
  const int shape = b.shape(to);
  if (x.node().shape == shape) return x;
  if (x.is_constant()) return {&b, b.constant(x.dtype(), shape, x.node().imm)};
  if (x.op() == Op::broadcast) return raw(Op::broadcast, x.dtype(), shape, 0, -1, x.in(0));
  return raw(Op::broadcast, x.dtype(), shape, 0, -1, x);
}

// `to` by value: it may lie in the graph, whose shapes move when one is added.
constexpr Value reshape(Value x, Dims to) {
  Builder& b = *x.builder;
  const int shape = b.shape(to);
  if (x.node().shape == shape) return x;
  if (x.is_constant()) return {&b, b.constant(x.dtype(), shape, x.node().imm)};
  if (x.op() == Op::reshape) return reshape(x.in(0), to);
  return raw(Op::reshape, x.dtype(), shape, 0, -1, x);
}

// x, for readers that run when y is made: a control edge.
constexpr Value add_dependency(Value x, Value y) {
  return raw(Op::add_dependency, x.dtype(), x.node().shape, 0, -1, x, y);
}

// Arithmetic takes numbers in the precision that it works in; where they are chosen or compared they are
// elements of the tensor's dtype, as in PyTorch.
constexpr bool takes_elements(Op op) {
  return op == Op::max || op == Op::min || op == Op::fmod || op == Op::eq || op == Op::ne || op == Op::lt ||
         op == Op::le;
}
// A number as an element of t.
constexpr double as_element(DType t, double value) {
  switch (t) {
    case DType::f16:
      return f16(static_cast<float>(value));
    case DType::bf16:
      return bf16(static_cast<float>(value));
    case DType::f8e4m3:
      return f8e4m3(static_cast<float>(value));
    case DType::f8e5m2:
      return f8e5m2(static_cast<float>(value));
    default:
      return value;
  }
}
constexpr Value as_element(Value x) {
  if (!x.is_constant()) return x;
  const double c = x.constant(), e = as_element(x.dtype(), c);
  return e == c || c != c ? x : constant_like(x, e);
}

constexpr Value cast(Value x, DType to) {
  if (x.dtype() == to) return x;
  x = as_element(x);
  if (x.op() == Op::cast && is_float(to) && is_float(x.dtype()) && x.in(0).dtype() == to &&
      size_of(to) < size_of(x.dtype()))
    return x.in(0);  // it was widened
  if (x.is_constant() && is_float(x.dtype()) == is_float(to) && to != DType::boolean && size_of(to) >= 4)
    return {x.builder,
            x.builder->constant(to, x.node().shape,
                                to == DType::f32
                                    ? constant_bits(to, static_cast<double>(static_cast<float>(x.constant())))
                                    : constant_bits(to, x.constant()))};
  return raw(Op::cast, to, x.node().shape, 0, -1, x);
}

// The same bits read as a dtype of the same size.
constexpr Value bitcast(Value x, DType to) {
  return x.dtype() == to ? x : raw(Op::bitcast, to, x.node().shape, 0, -1, x);
}

constexpr Value unary(Op op, Value x) {
  if (op == Op::neg) {
    if (x.op() == Op::neg) return x.in(0);
    if (x.is_constant() && is_float(x.dtype())) return constant_like(x, -x.constant());
  }
  if (op == Op::stop_gradient && x.is_constant()) return x;
  return raw(op, is_predicate(op) ? DType::boolean : x.dtype(), x.node().shape, 0, -1, x);
}

namespace detail {
// x op y on constants where one rounding of the f64 result is the exact f32 answer.
constexpr bool foldable(Op op, DType t) {
  return (t == DType::f32 || t == DType::f64) &&
         (op == Op::add || op == Op::sub || op == Op::mul || op == Op::div);
}
// Whether x op y is a finite number of t on the way, too: nothing else is a constant expression.
constexpr bool folds(Op op, DType t, double x, double y) {
  const double most = t == DType::f32 ? static_cast<double>(std::numeric_limits<float>::max())
                                      : std::numeric_limits<double>::max();
  const double a = x < 0 ? -x : x, b = y < 0 ? -y : y;
  if (!(a <= most && b <= most)) return false;
  if (op == Op::mul) return a <= 1 || b <= most / a;
  if (op == Op::div) return b != 0 && (b >= 1 || a <= most * b);
  return a <= most / 2 && b <= most / 2;
}
constexpr double folded(Op op, DType t, double x, double y) {
  const double r = op == Op::add ? x + y : op == Op::sub ? x - y : op == Op::mul ? x * y : x / y;
  return t == DType::f32 ? static_cast<double>(static_cast<float>(r)) : r;
}
}  // namespace detail

constexpr Value binary(Op op, Value x, Value y);

namespace detail {
// x to a power that a product or a root gives to the last place, empty where there is none.
constexpr Value small_power(Value x, Value p) {
  if (p.is(0)) return constant_like(x, 1);
  if (p.is(1)) return x;
  if (p.is(2)) return binary(Op::mul, x, x);
  if (p.is(3)) {  // small floats are rounded once
    const Value wide = is_float(x.dtype()) && size_of(x.dtype()) < 4 ? cast(x, DType::f32) : x;
    return cast(binary(Op::mul, binary(Op::mul, wide, wide), wide), x.dtype());
  }
  if (!is_float(x.dtype())) return {};
  if (p.is(0.5)) return unary(Op::sqrt, x);
  if (p.is(-1)) return binary(Op::div, constant_like(x, 1), x);
  return {};
}
}  // namespace detail

// Operands of one dtype; shapes broadcast.
constexpr Value binary(Op op, Value x, Value y) {
  meet(x, y);
  if (x.node().shape != y.node().shape) {
    const Dims to = weft::broadcast(x.dims(), y.dims());
    x = broadcast(x, to);
    y = broadcast(y, to);
  }
  if (x.dtype() != y.dtype())
    throw Error("ir/dtype", std::string(info(op).name) + ": operands of two dtypes");
  switch (op) {
    case Op::add:
      if (x.is(0)) return y;
      if (y.is(0)) return x;
      break;
    case Op::sub:
      if (y.is(0)) return x;
      if (x.is(0)) return unary(Op::neg, y);
      break;
    case Op::mul:
      if (x.is(1)) return y;
      if (y.is(1)) return x;
      if (x.is(-1)) return unary(Op::neg, y);
      if (y.is(-1)) return unary(Op::neg, x);
      break;
    case Op::div:
      if (y.is(1)) return x;
      break;
    case Op::pow:
      if (y.is_constant())
        if (const Value r = detail::small_power(x, y)) return r;
      break;
    default:
      break;
  }
  if (takes_elements(op)) {
    x = as_element(x);
    y = as_element(y);
  }
  if (x.is_constant() && y.is_constant() && detail::foldable(op, x.dtype()) &&
      detail::folds(op, x.dtype(), x.constant(), y.constant()))
    return constant_like(x, detail::folded(op, x.dtype(), x.constant(), y.constant()));
  return raw(op, is_predicate(op) ? DType::boolean : x.dtype(), x.node().shape, 0, -1, x, y);
}

constexpr Value select(Value condition, Value x, Value y) {
  meet(condition, x);
  meet(condition, y);
  meet(condition, x);
  const Dims to = weft::broadcast(weft::broadcast(condition.dims(), x.dims()), y.dims());
  x = broadcast(as_element(x), to);
  return raw(Op::select, x.dtype(), x.node().shape, 0, -1, broadcast(condition, to), x,
             broadcast(as_element(y), to));
}

// `value`, whose gradient is that of `model` (same dtype and shape): what is computed one way is
// differentiated another, and the model itself is never computed.
constexpr Value surrogate(Value value, Value model) {
  return raw(Op::surrogate, value.dtype(), value.node().shape, 0, -1, value, model);
}

// `value`, whose derivative by x, which broadcasts to it, is `s` beside what its own nodes give; so
// slope(slope(stop_gradient(f(x, y)), x, f_x), y, f_y) is f with derivatives of one's own, of every order.
constexpr Value slope(Value value, Value x, Value s) {
  const Dims to = value.dims();
  return raw(Op::slope, value.dtype(), value.node().shape, 0, -1, value,
             broadcast(cast(x, value.dtype()), to), broadcast(cast(s, value.dtype()), to));
}

// `value` (f32), whose gradient is rounded to e5m2 at `scale`, one f32: see Op::f8_gradient.
constexpr Value f8_gradient(Value value, Value scale) {
  return raw(Op::f8_gradient, value.dtype(), value.node().shape, 0, -1, value, scale);
}

constexpr Value permute(Value x, const i64* order) {
  const int rank = x.dims().rank;
  bool identity = true;
  for (int i = 0; i < rank; ++i) identity = identity && order[i] == i;
  if (identity) return x;
  Builder& b = *x.builder;
  const int shape = b.shape(permuted(x.dims(), order));
  if (x.is_constant()) return {&b, b.constant(x.dtype(), shape, x.node().imm)};
  if (x.op() == Op::permute) {
    i64 composed[8]{};
    for (int i = 0; i < rank; ++i) composed[i] = b.graph.attribute(x.id, static_cast<int>(order[i]));
    return permute(x.in(0), composed);
  }
  return raw(Op::permute, x.dtype(), shape, 0, b.list(order, rank), x);
}

constexpr Value slice(Value x, const Slice* axes, const Dims& result) {
  Builder& b = *x.builder;
  i64 list[16]{};
  bool whole = true;
  for (int i = 0; i < result.rank; ++i) {
    list[2 * i] = axes[i].begin;
    list[2 * i + 1] = axes[i].step;
    whole = whole && axes[i].begin == 0 && axes[i].step == 1 && result.extent[i] == x.dims().extent[i];
  }
  if (whole) return x;
  const int shape = b.shape(result);
  if (x.is_constant()) return {&b, b.constant(x.dtype(), shape, x.node().imm)};
  return raw(Op::slice, x.dtype(), shape, 0, b.list(list, 2 * result.rank), x);
}

// Negative widths crop.
constexpr Value pad(Value x, const i64* low_high, double fill) {
  fill = as_element(x.dtype(), fill);
  const int rank = x.dims().rank;
  bool same = true, crops = false;
  for (int i = 0; i < 2 * rank; ++i) {
    same = same && low_high[i] == 0;
    crops = crops || low_high[i] < 0;
  }
  if (same) return x;
  Builder& b = *x.builder;
  i64 widths[16]{};
  if (crops) {
    Slices axes;
    Dims cropped = x.dims();
    for (int i = 0; i < rank; ++i) {
      const i64 low = low_high[2 * i], high = low_high[2 * i + 1];
      axes[i].begin = low < 0 ? -low : 0;
      cropped.extent[i] += (low < 0 ? low : 0) + (high < 0 ? high : 0);
      widths[2 * i] = low > 0 ? low : 0;
      widths[2 * i + 1] = high > 0 ? high : 0;
    }
    return pad(slice(x, axes, cropped), widths, fill);
  }
  if (x.is_constant() && x.constant() == fill)
    return constant(b, x.dtype(), padded(x.dims(), low_high), fill);
  return raw(Op::pad, x.dtype(), b.shape(padded(x.dims(), low_high)), constant_bits(x.dtype(), fill),
             b.list(low_high, 2 * rank), x);
}

// The dtype in which a reduction over t works: sums of small floats are rounded once, at the end.
constexpr DType reduction_dtype(DType t) {
  if (is_float(t)) return size_of(t) < 4 ? DType::f32 : t;
  return size_of(t) == 1 ? DType::i32 : t;
}

// The trailing ones of the axes that a sum goes over, where axes before them stay and others before those do
// not, and if they hold enough: 0 otherwise.
constexpr Axes rows_of_sum(const Dims& d, Axes work) {
  Axes rows = 0;
  i64 extent = 1;
  for (int i = d.rank - 1; i >= 0 && (d.extent[i] == 1 || work >> i & 1u); --i)
    if (work >> i & 1u) rows |= 1u << i, extent *= d.extent[i];
  return extent >= 32 && rows != work ? rows : 0;
}

// Keeps reduced axes with extent 1. Axes that already have extent 1 need no work. A sum over a picture's axes
// and the batch goes over the picture first: its rows lie in one piece, and what makes them fuses with it.
constexpr Value reduce(Op op, Value x, Axes axes) {
  Axes work = 0;
  i64 list[8]{};
  int count = 0;
  const bool index = op == Op::argmax || op == Op::argmin;
  for (int i = 0; i < x.dims().rank; ++i)
    if (axes >> i & 1u)
      if (x.dims().extent[i] != 1 || index) work |= 1u << i, list[count++] = i;
  if (count == 0) return x;
  const DType wide = reduction_dtype(x.dtype());
  if (wide != x.dtype()) {
    const Value r = reduce(op, cast(x, wide), axes);
    return index ? r : cast(r, x.dtype());
  }
  if (op == Op::reduce_sum)
    if (const Axes rows = rows_of_sum(x.dims(), work)) return reduce(op, reduce(op, x, rows), work & ~rows);
  Builder& b = *x.builder;
  return raw(op, index ? DType::i64 : x.dtype(), b.shape(reduced(x.dims(), work)), 0, b.list(list, count), x);
}

// The axes of `from` along which `to`, which broadcasts to it, is stretched.
constexpr Axes stretched(const Dims& from, const Dims& to) {
  Axes axes = 0;
  const int lead = from.rank - to.rank;
  for (int i = 0; i < from.rank; ++i)
    if (i < lead || (to.extent[i - lead] == 1 && from.extent[i] != 1)) axes |= 1u << i;
  return axes;
}

namespace detail {
// x with its contracted axes next to one another in the order of `contracted`, which is renumbered with the
// batch axes; free axes keep their order, so that the product's shape does. A product walks them as one axis.
constexpr Value gather_contracted(Value x, int count, int* contracted, int batches, int* batch) {
  bool run = true;
  for (int c = 0; c + 1 < count; ++c) run = run && contracted[c + 1] == contracted[c] + 1;
  if (run) return x;
  const int rank = x.dims().rank;
  i64 order[8]{};
  int place[8]{}, n = 0;
  for (int k = 0; k < rank; ++k) {
    bool is_contracted = false;
    for (int c = 0; c < count; ++c) is_contracted = is_contracted || contracted[c] == k;
    if (!is_contracted) place[k] = n, order[n++] = k;
  }
  for (int c = 0; c < count; ++c) place[contracted[c]] = n, order[n++] = contracted[c];
  for (int c = 0; c < count; ++c) contracted[c] = place[contracted[c]];
  for (int c = 0; c < batches; ++c) batch[c] = place[batch[c]];
  return permute(x, order);
}
// x with its axes in the order batch, free, contracted; the lists follow.
constexpr Value in_product_order(Value x, int count, int* contracted, int batches, int* batch) {
  const int rank = x.dims().rank;
  i64 order[8]{};
  int n = 0;
  Axes used = 0;
  for (int c = 0; c < batches; ++c) used |= 1u << batch[c], order[n++] = batch[c];
  for (int c = 0; c < count; ++c) used |= 1u << contracted[c];
  for (int k = 0; k < rank; ++k)
    if (!(used >> k & 1u)) order[n++] = k;
  for (int c = 0; c < count; ++c) order[n++] = contracted[c];
  for (int c = 0; c < batches; ++c) batch[c] = c;
  for (int c = 0; c < count; ++c) contracted[c] = rank - count + c;
  return permute(x, order);
}
}  // namespace detail

// `mark`: dot_tf32, dot_f8 or 0.
constexpr Value dot(Value x, Value y, DotAxes axes, DType result, u64 mark = 0) {
  meet(x, y);
  Builder& b = *x.builder;
  for (int i = 1; i < axes.contracted; ++i)  // pairs in the order of x's axes
    for (int k = i; k > 0 && axes.contracted_a[k] < axes.contracted_a[k - 1]; --k) {
      const int a = axes.contracted_a[k], c = axes.contracted_b[k];
      axes.contracted_a[k] = axes.contracted_a[k - 1], axes.contracted_b[k] = axes.contracted_b[k - 1];
      axes.contracted_a[k - 1] = a, axes.contracted_b[k - 1] = c;
    }
  const int free_a = x.dims().rank - axes.batch - axes.contracted;
  const int free_b = y.dims().rank - axes.batch - axes.contracted;
  if (axes.batch + (free_a > 1 ? free_a - 1 : 0) + (free_b > 1 ? free_b - 1 : 0) > 4) {
    // perhaps more axes than a product walks; an operand that is copied for that has few in this order
    x = detail::in_product_order(x, axes.contracted, axes.contracted_a, axes.batch, axes.batch_a);
    y = detail::in_product_order(y, axes.contracted, axes.contracted_b, axes.batch, axes.batch_b);
  } else {
    x = detail::gather_contracted(x, axes.contracted, axes.contracted_a, axes.batch, axes.batch_a);
    y = detail::gather_contracted(y, axes.contracted, axes.contracted_b, axes.batch, axes.batch_b);
  }
  i64 list[34]{axes.batch, axes.contracted};
  int n = 2;
  for (int i = 0; i < axes.batch; ++i) list[n++] = axes.batch_a[i];
  for (int i = 0; i < axes.batch; ++i) list[n++] = axes.batch_b[i];
  for (int i = 0; i < axes.contracted; ++i) list[n++] = axes.contracted_a[i];
  for (int i = 0; i < axes.contracted; ++i) list[n++] = axes.contracted_b[i];
  return raw(Op::dot, result, b.shape(dot_dims(x.dims(), y.dims(), axes)), mark, b.list(list, n), x, y);
}

constexpr DotAxes dot_axes(const Graph& g, int node) {
  DotAxes axes;
  axes.batch = static_cast<int>(g.attribute(node, 0));
  axes.contracted = static_cast<int>(g.attribute(node, 1));
  int n = 2;
  for (int i = 0; i < axes.batch; ++i) axes.batch_a[i] = static_cast<int>(g.attribute(node, n++));
  for (int i = 0; i < axes.batch; ++i) axes.batch_b[i] = static_cast<int>(g.attribute(node, n++));
  for (int i = 0; i < axes.contracted; ++i) axes.contracted_a[i] = static_cast<int>(g.attribute(node, n++));
  for (int i = 0; i < axes.contracted; ++i) axes.contracted_b[i] = static_cast<int>(g.attribute(node, n++));
  return axes;
}

constexpr Value take_rows(Value table, Value index) {
  meet(table, index);
  return raw(Op::take_rows, table.dtype(), table.builder->shape(gathered(table.dims(), index.dims())), 0, -1,
             table, index);
}
constexpr Value scatter_add(Value index, Value update, i64 rows) {
  meet(index, update);
  return raw(Op::scatter_add, update.dtype(),
             update.builder->shape(scattered(rows, index.dims(), update.dims())), 0, -1, index, update);
}

// A flat vector of `length` elements with operand k's elements at offsets[k]; the gaps are zero.
constexpr Value flat_concat(Builder& b, DType dtype, i64 length, const List<int>& operands,
                            const List<i64>& offsets, u64 group) {
  Node node{Op::flat_concat, dtype};
  const i64 extent[1]{length};
  node.shape = b.shape(make_dims(1, extent));
  node.list = b.list(offsets.data(), offsets.size());
  node.imm = group;
  return {&b, b.add(node, operands.data(), operands.size())};
}
constexpr Value flat_slice(Value flat, i64 offset, const Dims& dims) {
  return raw(Op::flat_slice, flat.dtype(), flat.builder->shape(dims), static_cast<u64>(offset), -1, flat);
}

// Arithmetic for rules and optimisers; a double stands for a splat.
constexpr Value operator+(Value x, Value y) { return binary(Op::add, x, y); }
constexpr Value operator-(Value x, Value y) { return binary(Op::sub, x, y); }
constexpr Value operator*(Value x, Value y) { return binary(Op::mul, x, y); }
constexpr Value operator/(Value x, Value y) { return binary(Op::div, x, y); }
constexpr Value operator-(Value x) { return unary(Op::neg, x); }
constexpr Value operator+(Value x, double y) { return x + constant_like(x, y); }
constexpr Value operator-(Value x, double y) { return x - constant_like(x, y); }
constexpr Value operator*(Value x, double y) { return x * constant_like(x, y); }
constexpr Value operator/(Value x, double y) { return x / constant_like(x, y); }
constexpr Value operator+(double x, Value y) { return constant_like(y, x) + y; }
constexpr Value operator-(double x, Value y) { return constant_like(y, x) - y; }
constexpr Value operator*(double x, Value y) { return constant_like(y, x) * y; }
constexpr Value operator/(double x, Value y) { return constant_like(y, x) / y; }

}  // namespace WEFT_NAMESPACE::ir
