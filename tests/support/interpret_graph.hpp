#pragma once
// A plain evaluator of graphs: one node after another, every element on its own, every value kept as a
// double. Nothing of fusion, memory planning or lowering is used, so that it can judge them. Integers are
// exact up to 2^53; functions are the C library's.

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "support/interpret_along_axis.hpp"
#include "weft/core/philox.hpp"
#include "weft/ir/conv.hpp"
#include "weft/ir/loop.hpp"

namespace weft::testing {

inline double convert(DType to, double x) {
  if (to == DType::boolean) return x != 0 ? 1 : 0;
  if (is_float(to)) return rounded(to, x);
  if (!std::isfinite(x)) return 0;
  return std::trunc(x);
}

inline double sign_of(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

// One element of a pointwise primitive: operands of dtype `from` (of b and c for select), result of dtype
// `to`.
inline double evaluate(ir::Op op, DType to, DType from, double a, double b, double c) {
  using ir::Op;
  const auto integer = [](double x) { return static_cast<i64>(x); };
  double r = 0;
  switch (op) {
    case Op::neg:
      r = -a;
      break;
    case Op::abs:
      r = std::fabs(a);
      break;
    case Op::sign:
      r = sign_of(a);
      break;
    case Op::floor:
      r = std::floor(a);
      break;
    case Op::ceil:
      r = std::ceil(a);
      break;
    case Op::round:
      r = std::nearbyint(a);
      break;
    case Op::trunc:
      r = std::trunc(a);
      break;
    case Op::exp:
      r = std::exp(a);
      break;
    case Op::expm1:
      r = std::expm1(a);
      break;
    case Op::log:
      r = std::log(a);
      break;
    case Op::log1p:
      r = std::log1p(a);
      break;
    case Op::sqrt:
      r = std::sqrt(a);
      break;
    case Op::rsqrt:
      r = 1 / std::sqrt(a);
      break;
    case Op::sin:
      r = std::sin(a);
      break;
    case Op::cos:
      r = std::cos(a);
      break;
    case Op::tan:
      r = std::tan(a);
      break;
    case Op::asin:
      r = std::asin(a);
      break;
    case Op::acos:
      r = std::acos(a);
      break;
    case Op::atan:
      r = std::atan(a);
      break;
    case Op::sinh:
      r = std::sinh(a);
      break;
    case Op::cosh:
      r = std::cosh(a);
      break;
    case Op::tanh:
      r = std::tanh(a);
      break;
    case Op::sigmoid:
      r = 1 / (1 + std::exp(-a));
      break;
    case Op::erf:
      r = std::erf(a);
      break;
    case Op::erfc:
      r = std::erfc(a);
      break;
    case Op::is_finite:
      return std::isfinite(a) ? 1 : 0;
    case Op::is_nan:
      return std::isnan(a) ? 1 : 0;
    case Op::logical_not:
      return a == 0 ? 1 : 0;
    case Op::cast:
      return convert(to, a);
    case Op::bitcast:
      if (from == DType::f32 && to == DType::u32) return std::bit_cast<u32>(static_cast<float>(a));
      return a;
    case Op::stop_gradient:
      return a;
    case Op::add:
      if (to == DType::u32) return static_cast<u32>(static_cast<u64>(a) + static_cast<u64>(b));
      r = from == DType::boolean ? (a != 0 || b != 0) : a + b;
      break;
    case Op::sub:
      r = a - b;
      break;
    case Op::mul:
      if (to == DType::u32) return static_cast<u32>(static_cast<u64>(a) * static_cast<u64>(b));
      r = a * b;
      break;
    case Op::div:
      r = is_float(from) ? a / b : b == 0 ? 0 : std::trunc(a / b);
      break;
    case Op::pow:
      r = std::pow(a, b);
      break;
    case Op::max:
      r = std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : a > b ? a : b;
      break;
    case Op::min:
      r = std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : a < b ? a : b;
      break;
    case Op::fmod:
      r = is_float(from) ? std::fmod(a, b) : b == 0 ? 0 : static_cast<double>(integer(a) % integer(b));
      break;
    case Op::atan2:
      r = std::atan2(a, b);
      break;
    case Op::eq:
      return a == b ? 1 : 0;
    case Op::ne:
      return a != b ? 1 : 0;
    case Op::lt:
      return a < b ? 1 : 0;
    case Op::le:
      return a <= b ? 1 : 0;
    case Op::bit_and:
      r = static_cast<double>(integer(a) & integer(b));
      break;
    case Op::bit_or:
      r = static_cast<double>(integer(a) | integer(b));
      break;
    case Op::bit_xor:
      r = static_cast<double>(integer(a) ^ integer(b));
      break;
    case Op::shift_right:
      r = static_cast<double>(integer(a) >> integer(b));
      break;
    case Op::select:
      return a != 0 ? b : c;
    case Op::fma:
      r = std::fma(a, b, c);
      break;
    default:
      throw Error("test/op", "evaluate: not a pointwise primitive");
  }
  return rounded(to, r);
}

// Element `linear` of random stream `stream`, by the definition in core/philox.hpp.
inline u32 random_word(u64 seed, u64 step, u32 stream, u32 linear) {
  const u32 counter[4]{linear >> 2, static_cast<u32>(step), stream, static_cast<u32>(step >> 32)};
  const u32 key[2]{static_cast<u32>(seed), static_cast<u32>(seed >> 32)};
  return philox(counter, key).x[linear & 3u];
}

// Calls f(index, linear) for every element of d in row-major order.
template <class F>
void for_each_index(const Dims& d, F f) {
  i64 index[max_rank]{};
  const i64 size = d.size();
  for (i64 linear = 0; linear < size; ++linear) {
    f(index, linear);
    for (int a = d.rank - 1; a >= 0 && ++index[a] == d.extent[a]; --a) index[a] = 0;
  }
}

class GraphInterpreter {
 public:
  explicit GraphInterpreter(const ir::Graph& graph) : g(graph) {}

  std::vector<Array> run(const Leaves& leaves) const {
    std::vector<Array> values(static_cast<std::size_t>(g.nodes.size()));
    for (int i = 0; i < g.nodes.size(); ++i) values[static_cast<std::size_t>(i)] = node(i, values, leaves);
    return values;
  }

 private:
  static i64 at(const Dims& d, const i64* index) {
    i64 r = 0;
    for (int a = 0; a < d.rank; ++a) r = r * d.extent[a] + index[a];
    return r;
  }

  Array node(int i, const std::vector<Array>& values, const Leaves& leaves) const {
    using ir::Op;
    const ir::Node& n = g.nodes[i];
    const Dims& d = g.dims(i);
    const auto operand = [&](int k) -> const Array& { return values[static_cast<std::size_t>(g.in(i, k))]; };
    const auto get = [](const Array& a, i64 k) { return a[static_cast<std::size_t>(k)]; };
    const std::size_t size = static_cast<std::size_t>(d.size());
    Array r(size);
    switch (n.op) {
      case Op::input:
        return leaves.inputs[static_cast<std::size_t>(n.imm)];
      case Op::state:
        return leaves.slots[static_cast<std::size_t>(n.imm)];
      case Op::scalar:
        if (n.imm < 4) {
          const u64 words = n.imm < 2 ? leaves.seed : leaves.step;
          return {static_cast<double>(
              std::bit_cast<float>(static_cast<u32>(n.imm % 2 == 0 ? words : words >> 32)))};
        }
        return {leaves.scalars[static_cast<std::size_t>(n.imm)]};
      case Op::constant:
        return Array(size, rounded(n.dtype, ir::constant_value(n.dtype, n.imm)));
      case Op::iota:
        for_each_index(d, [&](const i64* index, i64 k) {
          r[static_cast<std::size_t>(k)] = static_cast<double>(index[n.imm]);
        });
        return r;
      case Op::random:
        for (std::size_t k = 0; k < size; ++k)
          r[k] = random_word(leaves.seed, leaves.step, static_cast<u32>(n.imm), static_cast<u32>(k));
        return r;
      case Op::loop:
        return loop(i, values, leaves);
      case Op::result: {
        // the loop's value is all its results, one after another
        const ir::LoopShape s = ir::loop_shape(g, g.in(i, 0));
        const ir::Graph body = ir::loop_body(g, g.in(i, 0));
        i64 from = 0;
        for (int k = 0; k < static_cast<int>(n.imm); ++k) from += result_size(g.in(i, 0), s, body, k);
        for (std::size_t j = 0; j < size; ++j) r[j] = operand(0)[static_cast<std::size_t>(from) + j];
        return r;
      }
      case Op::dot:
        return dot(i, operand(0), operand(1));
      case Op::conv:
        return conv(i, operand(0), operand(1));
      case Op::reshape:
      case Op::surrogate:
      case Op::slope:
      case Op::f8_gradient:
        return operand(0);
      case Op::take_rows: {
        const Array &table = operand(0), &index = operand(1);
        const i64 rows = g.dims(g.in(i, 0)).extent[0],
                  width = rows > 0 ? static_cast<i64>(table.size()) / rows : 0;
        for (i64 k = 0; k < static_cast<i64>(size); ++k) {
          const i64 row = static_cast<i64>(get(index, k / width));
          const bool inside = row >= 0 && row < rows;
          r[static_cast<std::size_t>(k)] = inside              ? get(table, row * width + k % width)
                                           : is_float(n.dtype) ? std::numeric_limits<double>::quiet_NaN()
                                                               : 0;
        }
        return r;
      }
      case Op::scatter_add: {
        const Array &index = operand(0), &update = operand(1);
        const i64 rows = d.extent[0], width = rows > 0 ? static_cast<i64>(size) / rows : 0;
        for (i64 k = 0; k < static_cast<i64>(index.size()); ++k) {
          const i64 row = static_cast<i64>(get(index, k));
          if (row < 0 || row >= rows) continue;
          for (i64 j = 0; j < width; ++j) {
            double& to = r[static_cast<std::size_t>(row * width + j)];
            to = rounded(n.dtype, to + get(update, k * width + j));
          }
        }
        return r;
      }
      case Op::scan:
      case Op::argsort:
      case Op::take_along_axis:
      case Op::scatter_reduce:
      case Op::searchsorted: {
        const int axis = ir::axis_of(g, i);
        const ir::AxisExtents lines =
            ir::extents_along(n.op == Op::scatter_reduce ? d : g.dims(g.in(i, 0)), axis);
        const i64 count =
            g.dims(g.in(i, n.op == Op::take_along_axis || n.op == Op::searchsorted ? 1 : 0)).extent[axis];
        switch (n.op) {
          case Op::scan:
            return scan_lines(operand(0), lines, static_cast<ir::Fold>(g.attribute(i, 2)),
                              g.attribute(i, 1) != 0, n.dtype);
          case Op::argsort:
            return argsort_lines(operand(0), lines, d.extent[axis], g.attribute(i, 1) != 0);
          case Op::take_along_axis:
            return take_lines(operand(0), operand(1), lines, count, g.attribute(i, 1) != 0, n.dtype);
          case Op::scatter_reduce:
            return scatter_lines(operand(0), operand(1), lines, count,
                                 static_cast<ir::Fold>(g.attribute(i, 1)), n.dtype);
          default:
            return search_lines(operand(0), operand(1), lines, count, g.attribute(i, 0) != 0);
        }
      }
      case Op::dynamic_slice:
      case Op::dynamic_update_slice: {
        const bool update = n.op == Op::dynamic_update_slice;
        const Dims &whole = g.dims(g.in(i, 0)), &block = update ? g.dims(g.in(i, 1)) : d;
        const Dims strides = row_major_strides(whole);
        const i64 batch = g.attribute(i, 0);
        if (update) r = operand(0);
        for_each_index(block, [&](const i64* at, i64 flat) {
          i64 sample = 0, place = 0;
          for (int k = 0; k < batch; ++k) sample = sample * whole.extent[k] + at[k];
          for (int k = 0, next = update ? 2 : 1; k < whole.rank; ++k) {
            i64 begin = g.attribute(i, k + 1);
            if (begin < 0) {
              const i64 last = whole.extent[k] - block.extent[k];
              const double given = get(operand(next++), sample);
              begin = given < 0 ? 0 : given > static_cast<double>(last) ? last : static_cast<i64>(given);
            }
            place += (begin + at[k]) * strides.extent[k];
          }
          if (update)
            r[static_cast<std::size_t>(place)] = get(operand(1), flat);
          else
            r[static_cast<std::size_t>(flat)] = get(operand(0), place);
        });
        return r;
      }
      case Op::flat_concat:
        for (int k = 0; k < n.arity; ++k) {
          const Array& x = operand(k);
          for (std::size_t j = 0; j < x.size(); ++j)
            r[static_cast<std::size_t>(g.attribute(i, k)) + j] = x[j];
        }
        return r;
      case Op::flat_slice: {
        const Array& x = operand(0);
        for (std::size_t j = 0; j < size; ++j) r[j] = x[static_cast<std::size_t>(n.imm) + j];
        return r;
      }
      default:
        break;
    }
    const Dims& from = g.dims(g.in(i, 0));
    const Array& x = operand(0);
    if (ir::is_pointwise(n.op)) {
      const DType operands = g.nodes[g.in(i, n.op == Op::select ? 1 : 0)].dtype;
      for (std::size_t k = 0; k < size; ++k)
        r[k] = evaluate(n.op, n.dtype, operands, x[k], n.arity > 1 ? operand(1)[k] : 0,
                        n.arity > 2 ? operand(2)[k] : 0);
      return r;
    }
    if (ir::is_reduction(n.op)) return reduce(i, x);
    if (n.op == Op::add_dependency) return x;
    for_each_index(d, [&](const i64* index, i64 k) {
      i64 source[max_rank]{};
      bool inside = true;
      for (int a = 0; a < from.rank; ++a) {
        switch (n.op) {
          case Op::broadcast:
            source[a] = from.extent[a] == 1 ? 0 : index[a + d.rank - from.rank];
            break;
          case Op::permute:
            break;
          case Op::slice:
            source[a] = g.attribute(i, 2 * a) + index[a] * g.attribute(i, 2 * a + 1);
            break;
          default:
            source[a] = index[a] - g.attribute(i, 2 * a);
            break;
        }
        inside = inside && source[a] >= 0 && source[a] < from.extent[a];
      }
      if (n.op == Op::permute)
        for (int a = 0; a < d.rank; ++a) source[g.attribute(i, a)] = index[a];
      if (!inside && n.op != Op::pad) throw Error("test/index", "a view reads outside its operand");
      r[static_cast<std::size_t>(k)] = inside ? get(x, at(from, source)) : ir::constant_value(n.dtype, n.imm);
    });
    return r;
  }

  Array reduce(int i, const Array& x) const {
    using ir::Op;
    const ir::Node& n = g.nodes[i];
    const Dims &d = g.dims(i), &from = g.dims(g.in(i, 0));
    const std::size_t size = static_cast<std::size_t>(d.size());
    const double infinity = std::numeric_limits<double>::infinity();
    const bool arg = n.op == Op::argmax || n.op == Op::argmin;
    const bool greatest = n.op == Op::reduce_max || n.op == Op::argmax;
    Array r(size, n.op == Op::reduce_sum ? 0 : n.op == Op::reduce_prod ? 1 : greatest ? -infinity : infinity);
    Array where(size, 0), seen(size, 0);
    i64 stride[max_rank]{};
    i64 run = 1;
    for (int a = g.attributes(i) - 1; a >= 0; --a)
      stride[g.attribute(i, a)] = run, run *= from.extent[g.attribute(i, a)];
    for_each_index(from, [&](const i64* index, i64 k) {
      i64 to[max_rank]{}, position = 0;
      for (int a = 0; a < d.rank; ++a) {
        to[a] = d.extent[a] == 1 ? 0 : index[a];
        position += index[a] * stride[a];
      }
      const std::size_t t = static_cast<std::size_t>(at(d, to));
      const double v = x[static_cast<std::size_t>(k)];
      if (n.op == Op::reduce_sum) {
        r[t] += v;
      } else if (n.op == Op::reduce_prod) {
        r[t] *= v;
      } else {
        const bool better = greatest ? v > r[t] : v < r[t];
        if (seen[t] == 0 || (!std::isnan(r[t]) && (better || std::isnan(v))))
          r[t] = v, where[t] = static_cast<double>(position);
        seen[t] = 1;
      }
    });
    if (arg) return where;
    for (double& v : r) v = rounded(n.dtype, v);
    return r;
  }

  i64 result_size(int loop, const ir::LoopShape& s, const ir::Graph& body, int which) const {
    if (which < s.carries) return g.dims(g.in(loop, which)).size();
    if (which < 2 * s.carries) return (s.trips + 1) * g.dims(g.in(loop, which - s.carries)).size();
    return s.trips * body.dims(body.outputs[which - s.carries]).size();
  }

  Array loop(int i, const std::vector<Array>& values, const Leaves& leaves) const {
    const ir::LoopShape s = ir::loop_shape(g, i);
    const ir::Graph body = ir::loop_body(g, i);
    const auto operand = [&](int k) -> const Array& { return values[static_cast<std::size_t>(g.in(i, k))]; };
    Leaves inner;
    inner.seed = leaves.seed, inner.step = leaves.step, inner.scalars = leaves.scalars;
    for (int k = 0; k < s.operands(); ++k) inner.inputs.push_back(operand(k));
    std::vector<Array> result(static_cast<std::size_t>(s.results()));
    for (int k = 0; k < s.results(); ++k)
      result[static_cast<std::size_t>(k)].resize(static_cast<std::size_t>(result_size(i, s, body, k)));
    const auto put = [&](int which, i64 row, const Array& x) {
      std::copy(x.begin(), x.end(),
                result[static_cast<std::size_t>(which)].begin() + row * static_cast<i64>(x.size()));
    };
    for (int k = 0; k < s.carries; ++k) put(s.history_of(k), s.first_row(), operand(k));
    for (i64 n = 0; n < s.trips; ++n) {
      const i64 t = s.reverse ? s.trips - 1 - n : n;
      for (int k = s.carries; k < s.carries + s.stacked; ++k) {
        const i64 row = static_cast<i64>(operand(k).size()) / s.trips;
        inner.inputs[static_cast<std::size_t>(k)] =
            Array(operand(k).begin() + t * row, operand(k).begin() + (t + 1) * row);
      }
      if (body.key_input >= 0) {
        const Array& key = inner.inputs[static_cast<std::size_t>(body.key_input)];
        const auto word = [&](std::size_t k) { return static_cast<u64>(key[k]); };
        inner.seed = word(0) | word(1) << 32;
        inner.step = word(2) | word(3) << 32;
      }
      const std::vector<Array> inside = GraphInterpreter(body).run(inner);
      for (int k = 0; k < body.outputs.size(); ++k) {
        const Array& x = inside[static_cast<std::size_t>(body.outputs[k])];
        if (k < s.carries) {
          inner.inputs[static_cast<std::size_t>(k)] = x;
          put(s.history_of(k), t + s.written_from(), x);
        } else {
          put(s.output(k - s.carries), t, x);
        }
      }
    }
    Array all;
    for (int k = 0; k < s.results(); ++k) {
      const Array& r =
          k < s.carries ? inner.inputs[static_cast<std::size_t>(k)] : result[static_cast<std::size_t>(k)];
      all.insert(all.end(), r.begin(), r.end());
    }
    return all;
  }

  Array dot(int i, const Array& a, const Array& b) const {
    const ir::DotAxes axes = ir::dot_axes(g, i);
    const Dims &da = g.dims(g.in(i, 0)), &db = g.dims(g.in(i, 1)), &d = g.dims(i);
    Dims contracted;
    contracted.rank = axes.contracted;
    for (int k = 0; k < axes.contracted; ++k) contracted.extent[k] = da.extent[axes.contracted_a[k]];
    Array r(static_cast<std::size_t>(d.size()));
    for_each_index(d, [&](const i64* index, i64 linear) {
      i64 at_a[max_rank]{}, at_b[max_rank]{};
      int n = 0;
      for (int k = 0; k < axes.batch; ++k, ++n) at_a[axes.batch_a[k]] = at_b[axes.batch_b[k]] = index[n];
      for (int k = 0; k < da.rank; ++k)
        if (!(axes.used_a() >> k & 1u)) at_a[k] = index[n++];
      for (int k = 0; k < db.rank; ++k)
        if (!(axes.used_b() >> k & 1u)) at_b[k] = index[n++];
      double total = 0;
      for_each_index(contracted, [&](const i64* c, i64) {
        for (int k = 0; k < axes.contracted; ++k)
          at_a[axes.contracted_a[k]] = at_b[axes.contracted_b[k]] = c[k];
        total += a[static_cast<std::size_t>(at(da, at_a))] * b[static_cast<std::size_t>(at(db, at_b))];
      });
      r[static_cast<std::size_t>(linear)] = rounded(g.nodes[i].dtype, total);
    });
    return r;
  }

  // The definition, gaps and padding as zeros that are multiplied with.
  Array conv(int i, const Array& x, const Array& w) const {
    const ir::ConvAxes axes = ir::conv_axes(g, i);
    const Dims &dx = g.dims(g.in(i, 0)), &dw = g.dims(g.in(i, 1)), &d = g.dims(i);
    Dims taps = dw;
    taps.extent[0] = taps.extent[1] = 1;
    Array r(static_cast<std::size_t>(d.size()));
    for_each_index(d, [&](const i64* index, i64 linear) {
      i64 lead[3]{};
      for (int k = 0; k < 3; ++k) lead[axes.order[k]] = index[k];
      double total = 0;
      for_each_index(taps, [&](const i64* tap, i64) {
        i64 at_x[max_rank]{lead[0], lead[1], tap[2]}, at_w[max_rank]{lead[0], lead[2], tap[2]};
        for (int k = 0; k < axes.spatial; ++k) {
          const ir::ConvAxis& a = axes.axis[k];
          const i64 place = index[3 + k] * a.stride + tap[3 + k] * a.w_dilation - a.low;
          if (place < 0 || place % a.x_dilation != 0 || place / a.x_dilation >= dx.extent[3 + k]) return;
          at_x[3 + k] = place / a.x_dilation;
          at_w[3 + k] = tap[3 + k];
        }
        total += x[static_cast<std::size_t>(at(dx, at_x))] * w[static_cast<std::size_t>(at(dw, at_w))];
      });
      r[static_cast<std::size_t>(linear)] = rounded(g.nodes[i].dtype, total);
    });
    return r;
  }

  const ir::Graph& g;
};

}  // namespace weft::testing
