#include "sweep/evaluate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "sweep/pointwise.hpp"
#include "weft/core/error.hpp"
#include "weft/ir/along_axis.hpp"
#include "weft/ir/builder.hpp"
#include "weft/ir/conv.hpp"
#include "weft/ir/dynamic_slice.hpp"
#include "weft/ir/loop.hpp"
#include "weft/kernels/simd/convert.hpp"
#include "weft/transforms/decompose_attention.hpp"

namespace weft::sweep {

namespace {

// f(an object of t's type).
template <class F>
auto with_type(DType t, F f) {
  switch (t) {
    case DType::f64:
      return f(double{});
    case DType::f32:
      return f(float{});
    case DType::f16:
      return f(f16{});
    case DType::bf16:
      return f(bf16{});
    case DType::f8e4m3:
      return f(f8e4m3{});
    case DType::f8e5m2:
      return f(f8e5m2{});
    case DType::i64:
      return f(i64{});
    case DType::i32:
      return f(i32{});
    case DType::i8:
      return f(i8{});
    case DType::u8:
      return f(u8{});
    case DType::boolean:
      return f(bool{});
    default:
      return f(u32{});
  }
}

// An element as the type it is computed in: double of f64, float of smaller floats, i64 of the rest.
template <class R>
R get(const Typed& x, i64 k) {
  if constexpr (std::is_floating_point_v<R>)
    return static_cast<R>(x.number(k));
  else
    return x.integer(k);
}
template <class R>
void put(Typed& x, i64 k, R value) {
  if constexpr (std::is_floating_point_v<R>)
    x.set_number(k, static_cast<double>(value));
  else
    x.set_integer(k, value);
}
template <class F>
auto with_register(DType t, F f) {
  if (t == DType::f64) return f(double{});
  if (is_float(t)) return f(float{});
  return f(i64{});
}

template <class R>
R plus(R a, R b) {
  if constexpr (std::is_floating_point_v<R>)
    return a + b;
  else
    return static_cast<R>(static_cast<u64>(a) + static_cast<u64>(b));
}
template <class R>
R times(R a, R b) {
  if constexpr (std::is_floating_point_v<R>)
    return a * b;
  else
    return static_cast<R>(static_cast<u64>(a) * static_cast<u64>(b));
}
template <class R>
bool missing(R x) {
  return x != x;
}
template <class R>
R fold(ir::Fold f, R x, R y) {
  switch (f) {
    case ir::Fold::sum:
      return plus(x, y);
    case ir::Fold::prod:
      return times(x, y);
    case ir::Fold::max:
      return missing(x) || x > y ? x : y;
    case ir::Fold::min:
      return missing(x) || x < y ? x : y;
    default:
      if constexpr (std::is_floating_point_v<R>) {
        if (x == y && std::isinf(x)) return x;
        const R top = missing(x) || x > y ? x : y;
        return top + std::log1p(std::exp(-std::fabs(x - y)));
      }
      throw Error("sweep/fold", "logaddexp of integers");
  }
}

template <class F>
void for_each_index(const Dims& d, F f) {
  i64 index[max_rank]{};
  const i64 size = d.size();
  for (i64 linear = 0; linear < size; ++linear) {
    f(index, linear);
    for (int a = d.rank - 1; a >= 0 && ++index[a] == d.extent[a]; --a) index[a] = 0;
  }
}
i64 at(const Dims& d, const i64* index) {
  i64 r = 0;
  for (int a = 0; a < d.rank; ++a) r = r * d.extent[a] + index[a];
  return r;
}

void copy_element(Typed& to, i64 k, const Typed& from, i64 i) {
  const auto bytes = static_cast<std::size_t>(size_of(to.dtype));
  std::copy_n(from.data() + static_cast<std::size_t>(i) * bytes, bytes,
              to.data() + static_cast<std::size_t>(k) * bytes);
}
// What an index outside gives.
void put_missing(Typed& to, i64 k) {
  if (is_float(to.dtype))
    to.set_number(k, std::numeric_limits<double>::quiet_NaN());
  else
    to.set_integer(k, 0);
}

// Calls f(at) for every line; at(i, length) is where element i of a line of that length lies.
template <class F>
void for_each_line(const ir::AxisExtents& s, F f) {
  for (i64 o = 0; o < s.outer; ++o)
    for (i64 k = 0; k < s.inner; ++k)
      f([&s, o, k](i64 i, i64 length) { return (o * length + i) * s.inner + k; });
}
// -1 outside.
i64 place_of(i64 index, i64 extent) {
  const i64 i = index < 0 ? index + extent : index;
  return i >= 0 && i < extent ? i : -1;
}

class Evaluator {
 public:
  Evaluator(const ir::Graph& graph, const std::vector<Typed>& operands, Path kind, std::string& wrong)
      : g(graph),
        inputs(operands),
        path(kind),
        fault(wrong),
        values(static_cast<std::size_t>(graph.nodes.size())) {}

  std::vector<Typed> run(const std::vector<int>& wanted) {
    std::vector<char> needed(values.size(), 0);
    for (const int node : wanted) needed[static_cast<std::size_t>(node)] = 1;
    for (int i = g.nodes.size() - 1; i >= 0; --i)
      if (needed[static_cast<std::size_t>(i)])
        for (int k = 0; k < g.nodes[i].arity; ++k) needed[static_cast<std::size_t>(g.in(i, k))] = 1;
    for (int i = 0; i < g.nodes.size(); ++i)
      if (needed[static_cast<std::size_t>(i)]) values[static_cast<std::size_t>(i)] = node(i);
    std::vector<Typed> out;
    for (const int n : wanted) out.push_back(values[static_cast<std::size_t>(n)]);
    return out;
  }

 private:
  const Typed& operand(int i, int k) const { return values[static_cast<std::size_t>(g.in(i, k))]; }

  Typed node(int i) {
    using ir::Op;
    const ir::Node& n = g.nodes[i];
    const Dims& d = g.dims(i);
    if (ir::is_pointwise(n.op)) return pointwise_node(i);
    if (ir::is_reduction(n.op)) return reduce(i);
    if (ir::is_along_axis(n.op)) return line(i);
    Typed r(n.dtype, n.op == Op::loop ? 0 : d.size());
    switch (n.op) {
      case Op::input:
        return inputs[static_cast<std::size_t>(n.imm)];
      case Op::constant:
        for (i64 k = 0; k < r.size; ++k)
          if (is_float(n.dtype))
            r.set_number(k, std::bit_cast<double>(n.imm));
          else
            r.set_integer(k, static_cast<i64>(n.imm));
        return r;
      case Op::iota:
        for_each_index(d, [&](const i64* index, i64 k) {
          if (is_float(n.dtype))
            r.set_number(k, static_cast<double>(index[n.imm]));
          else
            r.set_integer(k, index[n.imm]);
        });
        return r;
      case Op::reshape:
      case Op::surrogate:
      case Op::slope:
      case Op::f8_gradient:
      case Op::add_dependency:
        return operand(i, 0);
      case Op::broadcast:
      case Op::permute:
      case Op::slice:
      case Op::pad:
        return moved(i);
      case Op::dot:
        return dot(i);
      case Op::conv:
        return conv(i);
      case Op::take_rows: {
        const Typed &table = operand(i, 0), &index = operand(i, 1);
        const i64 rows = g.dims(g.in(i, 0)).extent[0], width = rows > 0 ? table.size / rows : 0;
        for (i64 k = 0; k < r.size; ++k) {
          const i64 row = index.integer(k / std::max<i64>(width, 1));
          if (row >= 0 && row < rows)
            copy_element(r, k, table, row * width + k % width);
          else
            put_missing(r, k);
        }
        return r;
      }
      case Op::scatter_add: {
        const Typed &index = operand(i, 0), &update = operand(i, 1);
        const i64 rows = d.extent[0], width = rows > 0 ? r.size / rows : 0;
        with_register(n.dtype, [&](auto zero) {
          using R = decltype(zero);
          for (i64 k = 0; k < index.size; ++k) {
            const i64 row = index.integer(k);
            if (row < 0 || row >= rows) continue;
            for (i64 j = 0; j < width; ++j)
              put<R>(r, row * width + j, plus(get<R>(r, row * width + j), get<R>(update, k * width + j)));
          }
        });
        return r;
      }
      case Op::dynamic_slice:
      case Op::dynamic_update_slice:
        return block(i);
      case Op::loop:
        loop(i);
        return r;
      case Op::result:
        return loops[static_cast<std::size_t>(g.in(i, 0))][static_cast<std::size_t>(n.imm)];
      default:
        throw Error("sweep/op", std::string("the sweep does not evaluate ") + ir::info(n.op).name);
    }
  }

  Typed pointwise_node(int i) {
    const ir::Node& n = g.nodes[i];
    Typed r(n.dtype, g.dims(i).size());
    const auto data = [&](int k) -> const void* { return k < n.arity ? operand(i, k).data() : nullptr; };
    const DType from = g.nodes[g.in(i, n.op == ir::Op::select ? 1 : 0)].dtype;
    if (!pointwise(n.op, n.dtype, from, path, data(0), data(1), data(2), r.data(), r.size, fault))
      throw Error("sweep/op", std::string("no function for ") + ir::info(n.op).name + " of " + name_of(from));
    return r;
  }

  // Of one sample.
  Typed block(int i) const {
    const bool update = g.nodes[i].op == ir::Op::dynamic_update_slice;
    const Dims &whole = ir::whole_dims(g, i), &part = ir::block_dims(g, i);
    Typed r = update ? operand(i, 0) : Typed(g.nodes[i].dtype, part.size());
    for_each_index(part, [&](const i64* index, i64 k) {
      i64 place[max_rank]{};
      for (int a = 0, next = ir::block_operands(g.nodes[i].op); a < whole.rank; ++a) {
        const i64 begin = g.attribute(i, a + 1), last = ir::last_offset(whole, part, a);
        place[a] = index[a] + (begin >= 0 ? begin : std::clamp<i64>(operand(i, next).integer(0), 0, last));
        next += begin < 0;
      }
      if (update)
        copy_element(r, at(whole, place), operand(i, 1), k);
      else
        copy_element(r, k, operand(i, 0), at(whole, place));
    });
    return r;
  }

  Typed moved(int i) const {
    using ir::Op;
    const ir::Node& n = g.nodes[i];
    const Dims &d = g.dims(i), &from = g.dims(g.in(i, 0));
    const Typed& x = operand(i, 0);
    Typed r(n.dtype, d.size());
    for_each_index(d, [&](const i64* index, i64 k) {
      i64 source[max_rank]{};
      bool inside = true;
      if (n.op == Op::permute)
        for (int a = 0; a < d.rank; ++a) source[g.attribute(i, a)] = index[a];
      for (int a = 0; a < from.rank; ++a) {
        if (n.op == Op::broadcast) source[a] = from.extent[a] == 1 ? 0 : index[a + d.rank - from.rank];
        if (n.op == Op::slice) source[a] = g.attribute(i, 2 * a) + index[a] * g.attribute(i, 2 * a + 1);
        if (n.op == Op::pad) source[a] = index[a] - g.attribute(i, 2 * a);
        inside = inside && source[a] >= 0 && source[a] < from.extent[a];
      }
      if (!inside && n.op != Op::pad) throw Error("sweep/index", "a view reads outside its operand");
      if (inside)
        copy_element(r, k, x, at(from, source));
      else if (is_float(n.dtype))
        r.set_number(k, std::bit_cast<double>(n.imm));
      else
        r.set_integer(k, static_cast<i64>(n.imm));
    });
    return r;
  }

  Typed reduce(int i) const {
    using ir::Op;
    const ir::Node& n = g.nodes[i];
    const Dims &d = g.dims(i), &from = g.dims(g.in(i, 0));
    const Typed& x = operand(i, 0);
    Typed r(n.dtype, d.size());
    const bool arg = n.op == Op::argmax || n.op == Op::argmin;
    const ir::Fold f = n.op == Op::reduce_sum                         ? ir::Fold::sum
                       : n.op == Op::reduce_prod                      ? ir::Fold::prod
                       : n.op == Op::reduce_max || n.op == Op::argmax ? ir::Fold::max
                                                                      : ir::Fold::min;
    i64 stride[max_rank]{};
    i64 run = 1;
    for (int a = g.attributes(i) - 1; a >= 0; --a)
      stride[g.attribute(i, a)] = run, run *= from.extent[g.attribute(i, a)];
    with_register(x.dtype, [&](auto zero) {
      using R = decltype(zero);
      std::vector<R> folded(static_cast<std::size_t>(r.size), f == ir::Fold::prod ? R{1} : R{0});
      std::vector<i64> place(folded.size(), -1);
      for_each_index(from, [&](const i64* index, i64 k) {
        i64 to[max_rank]{}, position = 0;
        for (int a = 0; a < d.rank; ++a) {
          to[a] = d.extent[a] == 1 ? 0 : index[a];
          position += index[a] * stride[a];
        }
        const auto t = static_cast<std::size_t>(at(d, to));
        const R v = get<R>(x, k), before = folded[t];
        const bool first = place[t] < 0, extremum = f == ir::Fold::max || f == ir::Fold::min;
        const R next = first && extremum ? v : fold(f, before, v);
        const bool better =
            extremum && !missing(before) && (missing(v) || (f == ir::Fold::max ? v > before : v < before));
        if (first || better) place[t] = position;
        folded[t] = next;
      });
      for (i64 k = 0; k < r.size; ++k) {
        if (arg)
          r.set_integer(k, place[static_cast<std::size_t>(k)]);
        else
          put<R>(r, k, folded[static_cast<std::size_t>(k)]);
        if (place[static_cast<std::size_t>(k)] < 0 && f >= ir::Fold::max)
          throw Error("sweep/empty", std::string(ir::info(n.op).name) + " of nothing");
      }
    });
    return r;
  }

  Typed line(int i) const {
    using ir::Op;
    const ir::Node& n = g.nodes[i];
    const Dims& d = g.dims(i);
    const int axis = ir::axis_of(g, i);
    const ir::AxisExtents s = ir::extents_along(n.op == Op::scatter_reduce ? d : g.dims(g.in(i, 0)), axis);
    const i64 count =
        g.dims(g.in(i, n.op == Op::take_along_axis || n.op == Op::searchsorted ? 1 : 0)).extent[axis];
    Typed r(n.dtype, d.size());
    const Typed& x = operand(i, 0);
    const DType worked = n.op == Op::scatter_reduce ? n.dtype : x.dtype;
    with_register(worked, [&](auto zero) {
      using R = decltype(zero);
      if (n.op == Op::scan) {
        for_each_line(s, [&](auto place) {
          R running{};
          for (i64 k = 0; k < s.extent; ++k) {
            const i64 p = place(g.attribute(i, 1) != 0 ? s.extent - 1 - k : k, s.extent);
            running =
                k == 0 ? get<R>(x, p) : fold(static_cast<ir::Fold>(g.attribute(i, 2)), running, get<R>(x, p));
            put<R>(r, p, running);
          }
        });
      } else if (n.op == Op::argsort) {
        const bool descending = g.attribute(i, 1) != 0;
        for_each_line(s, [&](auto place) {
          std::vector<i64> order(static_cast<std::size_t>(s.extent));
          std::iota(order.begin(), order.end(), i64{0});
          std::stable_sort(order.begin(), order.end(), [&](i64 p, i64 q) {
            const R a = get<R>(x, place(descending ? q : p, s.extent)),
                    b = get<R>(x, place(descending ? p : q, s.extent));
            return missing(b) ? !missing(a) : a < b;
          });
          for (i64 k = 0; k < d.extent[axis]; ++k)
            r.set_integer(place(k, d.extent[axis]), order[static_cast<std::size_t>(k)]);
        });
      } else if (n.op == Op::take_along_axis) {
        const Typed& index = operand(i, 1);
        for_each_line(s, [&](auto place) {
          for (i64 k = 0; k < count; ++k) {
            const i64 p = place_of(index.integer(place(k, count)), s.extent);
            if (p >= 0)
              copy_element(r, place(k, count), x, place(p, s.extent));
            else if (g.attribute(i, 1) == 0)
              put_missing(r, place(k, count));
          }
        });
      } else if (n.op == Op::scatter_reduce) {
        const auto f = static_cast<ir::Fold>(g.attribute(i, 1));
        const R most = std::numeric_limits<R>::has_infinity ? std::numeric_limits<R>::infinity()
                       : n.dtype == DType::i32              ? static_cast<R>(std::numeric_limits<i32>::max())
                                                            : std::numeric_limits<R>::max();
        const R least = std::numeric_limits<R>::has_infinity ? -most : static_cast<R>(-most - 1);
        const R neutral = f == ir::Fold::sum    ? R{0}
                          : f == ir::Fold::prod ? R{1}
                          : f == ir::Fold::max  ? least
                                                : most;
        for (i64 k = 0; k < r.size; ++k) put<R>(r, k, neutral);
        const Typed& update = operand(i, 1);
        for_each_line(s, [&](auto place) {
          for (i64 k = 0; k < count; ++k) {
            const i64 p = place_of(x.integer(place(k, count)), s.extent);
            if (p < 0) continue;
            const i64 to = place(p, s.extent);
            put<R>(r, to, fold(f, get<R>(r, to), get<R>(update, place(k, count))));
          }
        });
      } else {
        const bool right = g.attribute(i, 0) != 0;
        const Typed& values_of = operand(i, 1);
        for_each_line(s, [&](auto place) {
          for (i64 k = 0; k < count; ++k) {
            const R v = get<R>(values_of, place(k, count));
            i64 below = 0;
            for (i64 j = 0; j < s.extent; ++j) {
              const R y = get<R>(x, place(j, s.extent));
              below += right ? !(y > v) : !(y >= v);
            }
            r.set_integer(place(k, count), below);
          }
        });
      }
    });
    return r;
  }

  Typed dot(int i) const {
    const ir::DotAxes axes = ir::dot_axes(g, i);
    const Dims &da = g.dims(g.in(i, 0)), &db = g.dims(g.in(i, 1)), &d = g.dims(i);
    const Typed &a = operand(i, 0), &b = operand(i, 1);
    Dims contracted;
    contracted.rank = axes.contracted;
    for (int k = 0; k < axes.contracted; ++k) contracted.extent[k] = da.extent[axes.contracted_a[k]];
    Typed r(g.nodes[i].dtype, d.size());
    with_register(r.dtype, [&](auto zero) {
      using R = decltype(zero);
      for_each_index(d, [&](const i64* index, i64 linear) {
        i64 at_a[max_rank]{}, at_b[max_rank]{};
        int n = 0;
        for (int k = 0; k < axes.batch; ++k, ++n) at_a[axes.batch_a[k]] = at_b[axes.batch_b[k]] = index[n];
        for (int k = 0; k < da.rank; ++k)
          if (!(axes.used_a() >> k & 1u)) at_a[k] = index[n++];
        for (int k = 0; k < db.rank; ++k)
          if (!(axes.used_b() >> k & 1u)) at_b[k] = index[n++];
        R total{};
        for_each_index(contracted, [&](const i64* c, i64) {
          for (int k = 0; k < axes.contracted; ++k)
            at_a[axes.contracted_a[k]] = at_b[axes.contracted_b[k]] = c[k];
          total = plus(total, times(get<R>(a, at(da, at_a)), get<R>(b, at(db, at_b))));
        });
        put<R>(r, linear, total);
      });
    });
    return r;
  }

  Typed conv(int i) const {
    const ir::ConvAxes axes = ir::conv_axes(g, i);
    const Dims &dx = g.dims(g.in(i, 0)), &dw = g.dims(g.in(i, 1)), &d = g.dims(i);
    const Typed &x = operand(i, 0), &w = operand(i, 1);
    Dims taps = dw;
    taps.extent[0] = taps.extent[1] = 1;
    Typed r(g.nodes[i].dtype, d.size());
    with_register(r.dtype, [&](auto zero) {
      using R = decltype(zero);
      for_each_index(d, [&](const i64* index, i64 linear) {
        i64 lead[3]{};
        for (int k = 0; k < 3; ++k) lead[axes.order[k]] = index[k];
        R total{};
        for_each_index(taps, [&](const i64* tap, i64) {
          i64 at_x[max_rank]{lead[0], lead[1], tap[2]}, at_w[max_rank]{lead[0], lead[2], tap[2]};
          for (int k = 0; k < axes.spatial; ++k) {
            const ir::ConvAxis& a = axes.axis[k];
            const i64 place = index[3 + k] * a.stride + tap[3 + k] * a.w_dilation - a.low;
            if (place < 0 || place % a.x_dilation != 0 || place / a.x_dilation >= dx.extent[3 + k]) return;
            at_x[3 + k] = place / a.x_dilation;
            at_w[3 + k] = tap[3 + k];
          }
          total = plus(total, times(get<R>(x, at(dx, at_x)), get<R>(w, at(dw, at_w))));
        });
        put<R>(r, linear, total);
      });
    });
    return r;
  }

  void loop(int i) {
    const ir::LoopShape s = ir::loop_shape(g, i);
    const ir::Graph body = ir::loop_body(g, i);
    std::vector<Typed> inner, result(static_cast<std::size_t>(s.results()));
    for (int k = 0; k < s.operands(); ++k) inner.push_back(operand(i, k));
    std::vector<int> wanted;
    for (int k = 0; k < body.outputs.size(); ++k) wanted.push_back(body.outputs[k]);
    const auto row = [](const Typed& all, i64 k, i64 length) {
      Typed r(all.dtype, length);
      for (i64 j = 0; j < length; ++j) copy_element(r, j, all, k * length + j);
      return r;
    };
    const auto write = [](Typed& all, i64 k, const Typed& x) {
      for (i64 j = 0; j < x.size; ++j) copy_element(all, k * x.size + j, x, j);
    };
    for (int k = 0; k < s.carries; ++k) {
      Typed& history = result[static_cast<std::size_t>(s.history_of(k))];
      history = Typed(operand(i, k).dtype, (s.trips + 1) * operand(i, k).size);
      write(history, s.first_row(), operand(i, k));
    }
    for (int k = 0; k < s.outputs; ++k) {
      const int node = body.outputs[s.carries + k];
      result[static_cast<std::size_t>(s.output(k))] =
          Typed(body.nodes[node].dtype, s.trips * body.dims(node).size());
    }
    for (i64 n = 0; n < s.trips; ++n) {
      const i64 t = s.reverse ? s.trips - 1 - n : n;
      for (int k = s.carries; k < s.carries + s.stacked; ++k)
        inner[static_cast<std::size_t>(k)] = row(operand(i, k), t, operand(i, k).size / s.trips);
      const std::vector<Typed> out = Evaluator(body, inner, path, fault).run(wanted);
      for (int k = 0; k < static_cast<int>(out.size()); ++k) {
        const Typed& x = out[static_cast<std::size_t>(k)];
        if (k < s.carries) {
          inner[static_cast<std::size_t>(k)] = x;
          write(result[static_cast<std::size_t>(s.history_of(k))], t + s.written_from(), x);
        } else {
          write(result[static_cast<std::size_t>(s.output(k - s.carries))], t, x);
        }
      }
    }
    for (int k = 0; k < s.carries; ++k)
      result[static_cast<std::size_t>(s.final_of(k))] = inner[static_cast<std::size_t>(k)];
    loops.resize(values.size());
    loops[static_cast<std::size_t>(i)] = std::move(result);
  }

  const ir::Graph& g;
  const std::vector<Typed>& inputs;
  Path path;
  std::string& fault;
  std::vector<Typed> values;
  std::vector<std::vector<Typed>> loops;  // the results of each loop
};

}  // namespace

Typed::Typed(DType t, i64 n)
    : dtype(t), size(n), words(static_cast<std::size_t>((n + 15) / 16 * 16 * size_of(t) + 7) / 8) {}

double Typed::number(i64 k) const {
  return with_type(dtype, [&](auto kind) {
    using T = decltype(kind);
    T x;
    __builtin_memcpy(&x, data() + static_cast<std::size_t>(k) * sizeof(T), sizeof x);
    if constexpr (is_small_float<T>)
      return static_cast<double>(static_cast<float>(x));
    else
      return static_cast<double>(x);
  });
}
i64 Typed::integer(i64 k) const {
  return with_type(dtype, [&](auto kind) {
    using T = decltype(kind);
    T x;
    __builtin_memcpy(&x, data() + static_cast<std::size_t>(k) * sizeof(T), sizeof x);
    if constexpr (is_float(dtype_of<T>))
      return i64{0};
    else
      return static_cast<i64>(x);
  });
}
void Typed::set_number(i64 k, double x) {
  with_type(dtype, [&](auto kind) {
    using T = decltype(kind);
    T y{};
    if constexpr (is_small_float<T>)
      y = T(static_cast<float>(x));
    else if constexpr (is_float(dtype_of<T>))
      y = static_cast<T>(x);
    __builtin_memcpy(data() + static_cast<std::size_t>(k) * sizeof(T), &y, sizeof y);
  });
}
void Typed::set_integer(i64 k, i64 x) {
  with_type(dtype, [&](auto kind) {
    using T = decltype(kind);
    T y{};
    if constexpr (!is_float(dtype_of<T>)) y = static_cast<T>(x);
    __builtin_memcpy(data() + static_cast<std::size_t>(k) * sizeof(T), &y, sizeof y);
  });
}
u64 Typed::bits(i64 k) const {
  if (is_float(dtype) && number(k) != number(k)) return ~u64{0};
  u64 r = 0;
  const auto bytes = static_cast<std::size_t>(size_of(dtype));
  __builtin_memcpy(&r, data() + static_cast<std::size_t>(k) * bytes, bytes);
  return r;
}

std::vector<Typed> evaluate(const ir::Graph& graph, const std::vector<Typed>& inputs,
                            const std::vector<int>& wanted, Path path, std::string& fault) {
  if (!transforms::needs_composition(graph)) return Evaluator(graph, inputs, path, fault).run(wanted);
  ir::Graph asked = graph;  // whose kernels are not the sweep's, but the composition's are
  asked.outputs.clear();
  for (const int node : wanted) asked.outputs.push(node);
  const ir::Graph composed = transforms::decompose_attention(static_cast<ir::Graph&&>(asked));
  const std::vector<int> nodes(composed.outputs.begin(), composed.outputs.end());
  return Evaluator(composed, inputs, path, fault).run(nodes);
}

}  // namespace weft::sweep

TEST_CASE("sweep: elements are held as they are stored") {
  using namespace weft;
  sweep::Typed x(DType::i8, 3);
  x.set_integer(0, 300);
  x.set_integer(1, -128);
  CHECK(x.integer(0) == 44);
  CHECK(x.integer(1) == -128);
  sweep::Typed y(DType::f16, 20);
  y.set_number(19, 1e6);
  y.set_number(18, 0.1);
  CHECK(y.number(19) == std::numeric_limits<double>::infinity());
  CHECK(y.number(18) == 0.0999755859375);
  CHECK(y.words.size() == 8);
  sweep::Typed z(DType::i64, 1);
  z.set_integer(0, std::numeric_limits<i64>::max());
  CHECK(z.integer(0) == std::numeric_limits<i64>::max());
}
