#pragma once
// Matrix products and convolutions of one node, by their definitions. Law: a sum is kept in the dtype in
// which Cpu's kernels keep it, and rounded once.

#include "weft/ir/conv.hpp"
#include "weft/kernels/gemm/shape.hpp"
#include "weft/kernels/simd/load_store.hpp"
#include "weft/targets/interpreter/node_call.hpp"

namespace WEFT_NAMESPACE::exec {

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

}  // namespace WEFT_NAMESPACE::exec
