#pragma once
// What one node computes, as a plain function of its operands' memory. Law: arithmetic on elements is that of
// Cpu's kernels, one lane of it; a sum is taken in the order of the elements, in the dtype in which the graph
// sums.

#include <limits>

#include "weft/exec/interpreter/kinds.hpp"
#include "weft/ir/conv.hpp"
#include "weft/kernels/axis/scan.hpp"
#include "weft/kernels/axis/sort.hpp"
#include "weft/kernels/evaluator/arithmetic.hpp"
#include "weft/kernels/fused/parts.hpp"
#include "weft/kernels/gemm/shape.hpp"

namespace WEFT_NAMESPACE::exec {

// One evaluation of node `node`: where its operands lie, and where its value goes; all row-major.
struct NodeCall {
  const ir::Graph& graph;
  int node = 0;
  const std::byte* const* in = nullptr;
  std::byte* out = nullptr;

  const ir::Node& self() const { return graph.nodes[node]; }
  const Dims& dims() const { return graph.dims(node); }
  const Dims& operand_dims(int k) const { return graph.dims(graph.in(node, k)); }
  DType operand_dtype(int k) const { return graph.nodes[graph.in(node, k)].dtype; }
  template <class T>
  const T* operand(int k) const {
    return reinterpret_cast<const T*>(in[k]);
  }
  template <class T>
  T* result() const {
    return reinterpret_cast<T*>(out);
  }
};
using NodeFunction = void (*)(const NodeCall&);

// How far one walks in memory for a step along each axis.
struct Steps {
  i64 by[max_rank + 1]{};
};
inline Steps row_major(const Dims& d) {
  Steps steps;
  i64 n = 1;
  for (int a = d.rank; a-- > 0;) {
    steps.by[a] = n;
    n *= d.extent[a];
  }
  return steps;
}
// Goes through every index within some extents in row-major order; `at` is the sum of the steps.
class Walk {
 public:
  Walk(const Dims& dims, const Steps& steps) : dims_(dims), steps_(steps), left_(dims.size()) {}
  bool done() const { return left_ <= 0; }
  void next() {
    --left_;
    for (int a = dims_.rank; a-- > 0;) {
      at += steps_.by[a];
      if (++index_[a] < dims_.extent[a]) return;
      at -= index_[a] * steps_.by[a];
      index_[a] = 0;
    }
  }
  i64 at = 0;

 private:
  const Dims& dims_;
  const Steps& steps_;
  i64 left_;
  i64 index_[max_rank + 1]{};
};
// The positions of a walk.
inline List<i64> positions(const Dims& dims, const Steps& steps) {
  List<i64> all;
  for (Walk walk(dims, steps); !walk.done(); walk.next()) all.push(walk.at);
  return all;
}

// An integer of any dtype: what an index is read as.
inline i64 read_integer(DType t, const void* values, i64 i) {
  switch (t) {
    case DType::i64:
      return static_cast<const i64*>(values)[i];
    case DType::i32:
      return static_cast<const i32*>(values)[i];
    case DType::u32:
      return static_cast<const u32*>(values)[i];
    case DType::i8:
      return static_cast<const i8*>(values)[i];
    default:
      return static_cast<const u8*>(values)[i];
  }
}
// A float of any dtype.
inline double read_float(DType t, const void* values, i64 i) {
  switch (t) {
    case DType::f64:
      return static_cast<const f64*>(values)[i];
    case DType::f32:
      return static_cast<double>(static_cast<const f32*>(values)[i]);
    case DType::f16:
      return static_cast<double>(static_cast<const f16*>(values)[i]);
    case DType::bf16:
      return static_cast<double>(static_cast<const bf16*>(values)[i]);
    case DType::f8e4m3:
      return static_cast<double>(static_cast<const f8e4m3*>(values)[i]);
    default:
      return static_cast<double>(static_cast<const f8e5m2*>(values)[i]);
  }
}
// An element of dtype t as its bytes, from a constant's bits (ir::constant_value).
struct Element {
  std::byte bytes[8]{};
  template <class T>
  static Element of(T value) {
    Element e;
    std::memcpy(e.bytes, &value, sizeof value);
    return e;
  }
};
inline Element constant_element(DType t, u64 bits) {
  const double x = ir::constant_value(t, bits);
  const f32 single = static_cast<f32>(x);
  switch (t) {
    case DType::f64:
      return Element::of(x);
    case DType::f32:
      return Element::of(single);
    case DType::f16:
      return Element::of(f16(single));
    case DType::bf16:
      return Element::of(bf16(single));
    case DType::f8e4m3:
      return Element::of(f8e4m3(single));
    case DType::f8e5m2:
      return Element::of(f8e5m2(single));
    case DType::boolean:
      return Element::of(bits != 0);
    default:
      return Element::of(bits);  // the low bytes of an integer
  }
}

// ---- pointwise ----

template <DType t>
WEFT_INLINE kernels::value_of<kernels::ScalarFamily, t> read_register(const void* values, i64 i) {
  if constexpr (t == DType::boolean)
    return static_cast<const bool*>(values)[i];
  else
    return kernels::load<kernels::register_scalar<t>>(static_cast<const ctype<t>*>(values) + i);
}
template <DType t, class V>
WEFT_INLINE void write_register(void* values, i64 i, const V& v) {
  if constexpr (t == DType::boolean)
    static_cast<bool*>(values)[i] = v;
  else
    kernels::store(static_cast<ctype<t>*>(values) + i, v);
}

// Operand k of pointwise arithmetic as registers. A constant among small floats is what was written, not
// rounded to them: so it is in a kernel, as in PyTorch.
template <DType t>
struct Operand {
  static constexpr bool is_small = is_float(t) && size_of(t) < 4;
  const std::byte* values;
  bool is_constant = false;
  f32 constant = 0;

  Operand(const NodeCall& c, int k) : values(c.in[k]) {
    const ir::Node& n = c.graph.nodes[c.graph.in(c.node, k)];
    is_constant = is_small && n.op == ir::Op::constant;
    if (is_constant) constant = static_cast<f32>(std::bit_cast<f64>(n.imm));
  }
  kernels::value_of<kernels::ScalarFamily, t> operator[](i64 i) const {
    if constexpr (is_small)
      if (is_constant) return constant;
    return read_register<t>(values, i);
  }
};

static_assert(static_cast<int>(kernels::Opcode::fma) ==
              static_cast<int>(ir::Op::fma) - static_cast<int>(ir::Op::neg));
constexpr kernels::Opcode opcode_of(ir::Op op) {
  return static_cast<kernels::Opcode>(static_cast<int>(op) - static_cast<int>(ir::Op::neg));
}

template <ir::Op op, DType to, DType from>
void run_pointwise(const NodeCall& c) {
  using Family = kernels::ScalarFamily;
  constexpr kernels::Opcode code = opcode_of(op);
  const i64 size = c.dims().size();
  const Operand<from> a(c, 0);
  if constexpr (code < kernels::Opcode::add) {
    for (i64 i = 0; i < size; ++i) write_register<to>(c.out, i, kernels::unary<code, to, from, Family>(a[i]));
  } else if constexpr (op == ir::Op::fma) {
    const Operand<from> b(c, 1), third(c, 2);
    for (i64 i = 0; i < size; ++i)
      write_register<to>(c.out, i, kernels::multiply_add<to>(a[i], b[i], third[i]));
  } else {
    const Operand<from> b(c, 1);
    for (i64 i = 0; i < size; ++i)
      write_register<to>(c.out, i, kernels::binary<code, to, from, Family>(a[i], b[i]));
  }
}

// ---- reductions ----

template <ir::Op op>
constexpr kernels::Fold fold_of() {
  using ir::Op;
  return op == Op::reduce_sum                       ? kernels::Fold::sum
         : op == Op::reduce_prod                    ? kernels::Fold::prod
         : op == Op::reduce_max || op == Op::argmax ? kernels::Fold::max
                                                    : kernels::Fold::min;
}

// The reduced axes, which the operand is walked along for every element of the result.
struct ReducedAxes {
  Dims kept, reduced;
  Steps kept_steps, reduced_steps;
};
inline ReducedAxes reduced_axes(const NodeCall& c) {
  const Dims& from = c.operand_dims(0);
  const Steps steps = row_major(from);
  u32 axes = 0;
  for (int k = 0; k < c.graph.attributes(c.node); ++k) axes |= 1u << c.graph.attribute(c.node, k);
  ReducedAxes r;
  for (int a = 0; a < from.rank; ++a) {
    const bool reduces = (axes >> a & 1u) != 0;
    Dims& d = reduces ? r.reduced : r.kept;
    (reduces ? r.reduced_steps : r.kept_steps).by[d.rank] = steps.by[a];
    d.extent[d.rank++] = from.extent[a];
  }
  return r;
}

template <ir::Op op, DType t>
void run_reduction(const NodeCall& c) {
  using T = ctype<t>;
  using R = kernels::register_of<T>;
  constexpr kernels::Fold fold = fold_of<op>();
  const ReducedAxes axes = reduced_axes(c);
  T* out = c.result<T>();
  for (Walk kept(axes.kept, axes.kept_steps); !kept.done(); kept.next()) {
    const T* const x = c.operand<T>(0) + kept.at;
    R total = kernels::detail::neutral<fold, R>();
    for (Walk walk(axes.reduced, axes.reduced_steps); !walk.done(); walk.next())
      total = kernels::detail::combine<fold>(total, kernels::widen(x[walk.at]));
    *out++ = kernels::narrow<T>(total);
  }
}
// The place of the first of the best elements; a NaN is better than any number.
template <ir::Op op, DType t>
void run_arg(const NodeCall& c) {
  using T = ctype<t>;
  using R = kernels::register_of<T>;
  using Best = kernels::detail::Best<R>;
  const ReducedAxes axes = reduced_axes(c);
  i64* out = c.result<i64>();
  for (Walk kept(axes.kept, axes.kept_steps); !kept.done(); kept.next()) {
    const T* const x = c.operand<T>(0) + kept.at;
    Best best{kernels::detail::neutral<fold_of<op>(), R>(), std::numeric_limits<i64>::max()};
    i64 place = 0;
    for (Walk walk(axes.reduced, axes.reduced_steps); !walk.done(); walk.next())
      best =
          kernels::detail::BetterOf<op == ir::Op::argmax>{}(best, Best{kernels::widen(x[walk.at]), place++});
    *out++ = best.index;
  }
}

// ---- products ----

// What sums of products of T are kept in.
template <class T>
WEFT_INLINE kernels::DotSum<T> product(T a, T b) {
  using S = kernels::DotSum<T>;
  return kernels::wrapping_mul(static_cast<S>(kernels::widen(a)), static_cast<S>(kernels::widen(b)));
}

// A sum as an element of the result.
template <DType to, class S>
WEFT_INLINE ctype<to> rounded_sum(S sum) {
  if constexpr (is_float(to) && size_of(to) < 4)
    return ctype<to>(static_cast<f32>(sum));
  else
    return static_cast<ctype<to>>(sum);
}

// Where the factors of a product lie: element (i, j, k) of its result, of its batch, what is left of a and
// what is left of b, is the sum over n of a[batch_a[i] + left_a[j] + term_a[n]] b[batch_b[i] + left_b[k] +
// term_b[n]].
struct DotPlaces {
  List<i64> batch_a, batch_b, left_a, left_b, term_a, term_b;
};
inline DotPlaces dot_places(const NodeCall& c) {
  const ir::DotAxes axes = ir::dot_axes(c.graph, c.node);
  const Dims &a = c.operand_dims(0), &b = c.operand_dims(1);
  const auto listed = [](const Dims& d, const int* list, int count) {
    const Steps steps = row_major(d);
    Dims some;
    Steps along;
    for (int k = 0; k < count; ++k) {
      along.by[some.rank] = steps.by[list[k]];
      some.extent[some.rank++] = d.extent[list[k]];
    }
    return positions(some, along);
  };
  const auto left = [&](const Dims& d, ir::Axes used) {
    int list[max_rank]{}, count = 0;
    for (int k = 0; k < d.rank; ++k)
      if ((used >> k & 1u) == 0) list[count++] = k;
    return listed(d, list, count);
  };
  return {listed(a, axes.batch_a, axes.batch),
          listed(b, axes.batch_b, axes.batch),
          left(a, axes.used_a()),
          left(b, axes.used_b()),
          listed(a, axes.contracted_a, axes.contracted),
          listed(b, axes.contracted_b, axes.contracted)};
}

template <DType to, DType from>
void run_dot(const NodeCall& c) {
  using T = ctype<from>;
  using S = kernels::DotSum<T>;
  const DotPlaces p = dot_places(c);
  const i64* const term_a = p.term_a.data();
  const i64* const term_b = p.term_b.data();
  const int terms = p.term_a.size();
  ctype<to>* out = c.result<ctype<to>>();
  for (int i = 0; i < p.batch_a.size(); ++i)
    for (const i64 row : p.left_a)
      for (const i64 column : p.left_b) {
        const T* const a = c.operand<T>(0) + p.batch_a[i] + row;
        const T* const b = c.operand<T>(1) + p.batch_b[i] + column;
        S total = 0;
        for (int n = 0; n < terms; ++n)
          total = kernels::wrapping_add(total, product(a[term_a[n]], b[term_b[n]]));
        *out++ = rounded_sum<to>(total);
      }
}

// The definition (ir/conv.hpp); places between the elements and beyond them add nothing.
template <DType to, DType from>
void run_conv(const NodeCall& c) {
  using T = ctype<from>;
  using S = kernels::DotSum<T>;
  const ir::ConvAxes axes = ir::conv_axes(c.graph, c.node);
  const Dims &dx = c.operand_dims(0), &dw = c.operand_dims(1), &d = c.dims();
  const Steps sx = row_major(dx), sw = row_major(dw);
  const T *x = c.operand<T>(0), *w = c.operand<T>(1);
  i64 index[max_rank]{};
  for (i64 out = 0, size = d.size(); out < size; ++out) {
    i64 lead[3]{};
    for (int k = 0; k < 3; ++k) lead[axes.order[k]] = index[k];
    S total = 0;
    i64 tap[max_rank]{};
    for (i64 left = dw.size() / (dw.extent[0] * dw.extent[1]); left > 0; --left) {
      i64 at_x = lead[0] * sx.by[0] + lead[1] * sx.by[1] + tap[2] * sx.by[2];
      i64 at_w = lead[0] * sw.by[0] + lead[2] * sw.by[1] + tap[2] * sw.by[2];
      bool inside = true;
      for (int k = 0; k < axes.spatial && inside; ++k) {
        const ir::ConvAxis& a = axes.axis[k];
        const i64 place = index[3 + k] * a.stride + tap[3 + k] * a.w_dilation - a.low;
        inside = place >= 0 && place % a.x_dilation == 0 && place / a.x_dilation < dx.extent[3 + k];
        at_x += place / a.x_dilation * sx.by[3 + k];
        at_w += tap[3 + k] * sw.by[3 + k];
      }
      if (inside) total += product(x[at_x], w[at_w]);
      for (int k = dw.rank; k-- > 2;) {
        if (++tap[k] < dw.extent[k]) break;
        tap[k] = 0;
      }
    }
    c.result<ctype<to>>()[out] = rounded_sum<to>(total);
    for (int k = d.rank; k-- > 0;) {
      if (++index[k] < d.extent[k]) break;
      index[k] = 0;
    }
  }
}

// ---- along one axis, and by index ----

// Calls f(o, k) for every line; at(o, i, k) of a line of `extent` elements is (o * extent + i) * inner + k.
template <class F>
void each_line(const ir::AxisExtents& lines, const F& f) {
  for (i64 o = 0; o < lines.outer; ++o)
    for (i64 k = 0; k < lines.inner; ++k) f(o, k);
}

template <DType t, ir::Fold f>
void run_scan(const NodeCall& c) {
  using T = ctype<t>;
  constexpr kernels::AxisFold fold = static_cast<kernels::AxisFold>(f);
  using S = kernels::fold_state<T, fold>;
  const ir::AxisExtents lines = ir::extents_along(c.dims(), ir::axis_of(c.graph, c.node));
  const bool reversed = c.graph.attribute(c.node, 1) != 0;
  each_line(lines, [&](i64 o, i64 k) {
    S state = kernels::fold_neutral<fold, S>();
    for (i64 n = 0; n < lines.extent; ++n) {
      const i64 at = (o * lines.extent + (reversed ? lines.extent - 1 - n : n)) * lines.inner + k;
      state = kernels::fold<fold>(state, static_cast<S>(c.operand<T>(0)[at]));
      c.result<T>()[at] = static_cast<T>(state);
    }
  });
}

template <DType t>
void run_argsort(const NodeCall& c) {
  using T = ctype<t>;
  using Item = kernels::sort_item<T>;
  const int axis = ir::axis_of(c.graph, c.node);
  const ir::AxisExtents lines = ir::extents_along(c.operand_dims(0), axis);
  const bool descending = c.graph.attribute(c.node, 1) != 0;
  const i64 count = c.dims().extent[axis];
  List<Item> items(static_cast<int>(lines.extent)), spare(static_cast<int>(lines.extent));
  each_line(lines, [&](i64 o, i64 k) {
    for (i64 i = 0; i < lines.extent; ++i)
      items[static_cast<int>(i)] =
          kernels::make_sort_item(c.operand<T>(0)[(o * lines.extent + i) * lines.inner + k], i, descending);
    kernels::detail::merge_sort(items.data(), spare.data(), lines.extent);
    for (i64 i = 0; i < count; ++i)
      c.result<i64>()[(o * count + i) * lines.inner + k] = items[static_cast<int>(i)].place();
  });
}

template <DType t>
void run_search(const NodeCall& c) {
  using T = ctype<t>;
  const bool right = c.graph.attribute(c.node, 0) != 0;
  const int axis = ir::axis_of(c.graph, c.node);
  const i64 extent = c.operand_dims(0).extent[axis], count = c.dims().extent[axis];
  const i64 size = c.dims().size();
  for (i64 i = 0; i < size; ++i) {
    const T* const line = c.operand<T>(0) + i / count * extent;
    const T x = c.operand<T>(1)[i];
    i64 low = 0, high = extent;
    while (low < high) {
      const i64 middle = (low + high) / 2;
      const bool before = right ? !(line[middle] > x) : !(line[middle] >= x);
      (before ? low : high) = before ? middle + 1 : middle;
    }
    c.result<i64>()[i] = low;
  }
}

// An index from the front; -1: outside.
inline i64 place_along(i64 index, i64 extent) {
  const i64 at = index < 0 ? index + extent : index;
  return at >= 0 && at < extent ? at : -1;
}

template <DType t, ir::Fold f>
void run_scatter_reduce(const NodeCall& c) {
  using T = ctype<t>;
  constexpr kernels::AxisFold fold = static_cast<kernels::AxisFold>(f);
  const int axis = ir::axis_of(c.graph, c.node);
  const ir::AxisExtents lines = ir::extents_along(c.dims(), axis);
  const i64 count = c.operand_dims(0).extent[axis], size = c.dims().size();
  for (i64 i = 0; i < size; ++i) c.result<T>()[i] = kernels::fold_neutral<fold, T>();
  each_line(lines, [&](i64 o, i64 k) {
    for (i64 j = 0; j < count; ++j) {
      const i64 from = (o * count + j) * lines.inner + k;
      const i64 at = place_along(read_integer(c.operand_dtype(0), c.in[0], from), lines.extent);
      if (at < 0) continue;
      T& to = c.result<T>()[(o * lines.extent + at) * lines.inner + k];
      to = kernels::fold<fold>(to, c.operand<T>(1)[from]);
    }
  });
}

template <DType t>
void run_scatter_add(const NodeCall& c) {
  using T = ctype<t>;
  using R = kernels::register_of<T>;
  const i64 rows = c.dims().extent[0], size = c.dims().size(), count = c.operand_dims(0).size();
  const i64 width = rows > 0 ? size / rows : 0;
  for (i64 i = 0; i < size; ++i) c.result<T>()[i] = T(0);
  for (i64 i = 0; i < count; ++i) {
    const i64 row = read_integer(c.operand_dtype(0), c.in[0], i);
    if (row < 0 || row >= rows) continue;
    for (i64 j = 0; j < width; ++j) {
      T& to = c.result<T>()[row * width + j];
      to = kernels::narrow<T>(
          static_cast<R>(kernels::widen(to) + kernels::widen(c.operand<T>(1)[i * width + j])));
    }
  }
}

}  // namespace WEFT_NAMESPACE::exec
