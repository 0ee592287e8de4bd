#pragma once
// Random small graphs whose every value is an integer that its dtype holds exactly: sums may then be taken in
// any order, and a lowered program must agree with the plain evaluator to the last bit.

#include <random>

#include "support/interpret_graph.hpp"
#include "support/random_graph_options.hpp"
#include "weft/ir/dynamic_slice.hpp"
#include "weft/ops/transform/loop.hpp"

namespace weft::testing {

class RandomGraph {
 public:
  RandomGraph(u32 seed, RandomGraphOptions options) : random_(seed), o_(options) {
    b_.graph.scalar_count = 4;
    leaves.seed = random_();
    leaves.step = random_();
    if (o_.state)
      for (int s = pick(1, 3); s > 0; --s) add_slot();
    for (int s = pick(1, 3); s > 0; --s) add_input(random_dims(), random_dtype());
    for (int s = 0; s < o_.steps; ++s) grow();
    outputs();
    for (std::size_t s = 0; s < leaves.slots.size(); ++s)
      if (pick(0, 3) > 0) assign(static_cast<int>(s));
  }

  const ir::Graph& graph() const { return b_.graph; }
  Leaves leaves;

 private:
  using Value = ir::Value;
  struct Item {
    Value v;
    double bound = 0;  // the greatest absolute value
  };

  int pick(int low, int high) { return static_cast<int>(random_() % static_cast<u32>(high - low + 1)) + low; }
  bool one_in(int n) { return pick(1, n) == 1; }

  DType random_dtype() {
    constexpr DType types[]{DType::f64, DType::f32, DType::f64,  DType::f32,
                            DType::i64, DType::i32, DType::bf16, DType::f16};
    return types[pick(0, 7)];
  }
  Dims random_dims() {
    constexpr i64 extents[]{1, 2, 3, 4, 5, 7, 8, 16, 17, 33};
    Dims d;
    d.rank = pick(0, 4);
    i64 left = o_.size;
    for (int a = 0; a < d.rank; ++a) {
      i64 e = o_.size > 4000 && one_in(2) ? pick(50, 200) : extents[pick(0, 9)];
      if (e > left) e = left;
      d.extent[a] = e < 1 ? 1 : e;
      left /= d.extent[a];
    }
    for (int a = d.rank - 1; a > 0; --a) std::swap(d.extent[a], d.extent[pick(0, a)]);
    return d;
  }

  Array random_array(i64 size, double bound) {
    Array r;
    for (i64 k = 0; k < size; ++k)
      r.push_back(static_cast<double>(pick(-static_cast<int>(bound), static_cast<int>(bound))));
    return r;
  }

  Value add_input(const Dims& d, DType t, double bound = 9) {
    const Value v{&b_, b_.leaf(ir::Op::input, t, d, static_cast<u64>(leaves.inputs.size()))};
    b_.graph.inputs.push(v.id);
    Array data = random_array(d.size(), t == DType::boolean ? 1 : bound);
    if (t == DType::boolean)
      for (double& x : data) x = x != 0;
    leaves.inputs.push_back(data);
    items_.push_back({v, bound});
    return v;
  }
  void add_slot() {
    const Dims d = random_dims();
    const DType t = one_in(2) ? DType::f32 : DType::f64;
    const int number = b_.graph.slots.size();
    b_.graph.slots.push({ir::Space::model, t, b_.shape(d), -1, b_.graph.model_bytes});
    b_.graph.model_bytes += (d.size() * size_of(t) + 255) / 256 * 256;
    leaves.slots.push_back(random_array(d.size(), 9));
    items_.push_back({Value{&b_, b_.leaf(ir::Op::state, t, d, static_cast<u64>(number))}, 9});
  }

  // Something built before; later ones more often.
  Item any() {
    const int n = static_cast<int>(items_.size());
    const int k = one_in(3) ? pick(0, n - 1) : pick(n > 5 ? n - 5 : 0, n - 1);
    return items_[static_cast<std::size_t>(k)];
  }
  static bool integer(const Item& i) { return is_integer(i.v.dtype()); }
  Item number() {
    Item i = any();
    if (i.v.dtype() == DType::boolean) i = {ir::cast(i.v, one_in(2) ? DType::f32 : DType::f64), 1};
    return i;
  }
  Item real() {
    const Item i = number();
    return integer(i) ? Item{ir::cast(i.v, DType::f64), i.bound} : i;
  }
  // Keeps numbers small enough to stay exact: a remainder, or a costly function rounded to a small integer.
  Item tamed(Item i) {
    if (i.v.dtype() == DType::boolean) return {i.v, 1};
    if (i.bound < 200) return i;
    if (is_float(i.v.dtype()) && one_in(3))
      return {ir::unary(ir::Op::round, ir::unary(ir::Op::sin, i.v) * 8.0), 8};
    return {ir::binary(ir::Op::fmod, i.v, ir::constant_like(i.v, 17)), 16};
  }
  void keep(Item i) {
    if (i.v.dims().size() > 4 * o_.size || !i.v) return;
    items_.push_back(tamed(i));
  }

  // A partner for x: of its dtype, with a shape that broadcasts with it.
  Item partner(const Item& x) {
    for (int tries = 0; tries < 4; ++tries) {
      const Item y = any();
      if (y.v.dtype() == DType::boolean || !broadcastable(x.v.dims(), y.v.dims())) continue;
      const Dims both = weft::broadcast(x.v.dims(), y.v.dims());
      if (both.size() > 4 * o_.size) continue;
      return {ir::cast(y.v, x.v.dtype()), y.bound};
    }
    if (one_in(3)) return {ir::constant_like(x.v, pick(-4, 4)), 4};
    if (one_in(2)) {  // what a row or a column makes of x itself
      ir::Axes axes = random_axes(x.v.dims().rank);
      const bool sum = one_in(2);
      const Item r{ir::reduce(sum ? ir::Op::reduce_sum : ir::Op::reduce_max, x.v, axes),
                   sum ? x.bound * static_cast<double>(x.v.dims().size()) : x.bound};
      return r.bound > 200 && !is_float(x.v.dtype())
                 ? Item{ir::binary(ir::Op::fmod, r.v, ir::constant_like(r.v, 17)), 16}
                 : tamed(r);
    }
    Dims d = x.v.dims();
    for (int a = 0; a < d.rank; ++a)
      if (one_in(2)) d.extent[a] = 1;
    const int drop = pick(0, d.rank);
    Dims e;
    e.rank = d.rank - drop;
    for (int a = 0; a < e.rank; ++a) e.extent[a] = d.extent[a + drop];
    return {add_input(e, x.v.dtype()), 9};
  }
  ir::Axes random_axes(int rank) {
    switch (pick(0, 3)) {
      case 0:
        return ir::all_axes(rank);
      case 1:
        return rank > 0 ? 1u << (rank - 1) : 0;
      case 2:
        return rank > 0 ? 1u : 0;
      default:
        return static_cast<ir::Axes>(random_()) & ir::all_axes(rank);
    }
  }

  void grow() {
    if (pick(1, 22) < o_.products) return dot();
    if (o_.convolutions && one_in(4)) return conv();
    if (o_.blocks && one_in(3)) return block();
    if (o_.loops > 0 && one_in(4)) return loop();
    switch (pick(0, 24)) {
      case 0:
      case 1:
        return unary();
      case 2:
      case 3:
      case 4:
      case 5:
      case 6:
        return binary();
      case 7:
        return select();
      case 8:
      case 9:
      case 10:
      case 11:
        return reduce();
      case 12:
        return broadcast();
      case 13:
        return permute();
      case 14:
        return slice();
      case 15:
        return pad();
      case 16:
      case 17:
        return reshape();
      case 18:
        return dot();
      case 19:
        return generator();
      case 20:
        return index();
      case 21:
      case 22:
        return line();
      case 23:
        return dependency(any());
      default:
        return cast();
    }
  }

  void unary() {
    const Item x = number();
    switch (pick(0, 5)) {
      case 0:
        return keep({ir::unary(ir::Op::neg, x.v), x.bound});
      case 1:
        return keep({ir::unary(ir::Op::abs, x.v), x.bound});
      case 2:
        return keep({ir::unary(ir::Op::sign, x.v), 1});
      case 3:
        return keep({ir::unary(ir::Op::stop_gradient, x.v), x.bound});
      case 4: {
        const Item y = real();
        return keep({ir::unary(ir::Op::round, ir::unary(ir::Op::tanh, y.v) * 8.0), 8});
      }
      default: {
        const Item y = real();
        return keep(
            {ir::unary(ir::Op::floor, ir::unary(ir::Op::sin, ir::unary(ir::Op::cos, y.v)) * 16.0), 16});
      }
    }
  }
  void binary() {
    const Item x = number(), y = partner(x);
    switch (pick(0, 6)) {
      case 0:
      case 1:
        return keep({x.v + y.v, x.bound + y.bound});
      case 2:
        return keep({x.v - y.v, x.bound + y.bound});
      case 3:
        return keep({x.v * y.v, x.bound * y.bound});
      case 4:
        return keep({ir::binary(ir::Op::max, x.v, y.v), x.bound + y.bound});
      case 5:
        return keep({ir::binary(ir::Op::min, x.v, y.v), x.bound + y.bound});
      default:
        return keep({ir::binary(one_in(2) ? ir::Op::lt : ir::Op::eq, x.v, y.v), 1});
    }
  }
  void select() {
    const Item x = number(), y = partner(x);
    const Value c = ir::binary(ir::Op::le, x.v, y.v);
    keep({ir::select(c, x.v * 2.0, y.v), 2 * x.bound + y.bound});
  }
  void reduce() {
    const Item x = number();
    const int rank = x.v.dims().rank;
    const ir::Axes axes = random_axes(rank);
    i64 count = 1;
    for (int a = 0; a < rank; ++a)
      if (axes >> a & 1u) count *= x.v.dims().extent[a];
    Item r;
    switch (pick(0, 7)) {
      case 0:
      case 1:
      case 2:
      case 3:
        r = {ir::reduce(ir::Op::reduce_sum, x.v, axes), x.bound * static_cast<double>(count)};
        if (r.bound > 4e6) return;
        break;
      case 4:
        r = {ir::reduce(ir::Op::reduce_max, x.v, axes), x.bound};
        break;
      case 5:
        r = {ir::reduce(ir::Op::reduce_min, x.v, axes), x.bound};
        break;
      case 6:
        r = {ir::reduce(one_in(2) ? ir::Op::argmax : ir::Op::argmin, x.v, axes), static_cast<double>(count)};
        if (axes == 0) return;
        break;
      default: {
        const Value small = ir::unary(ir::Op::sign, x.v);
        r = {ir::reduce(ir::Op::reduce_prod, small, axes), 1};
      }
    }
    r = tamed(r);
    if (one_in(3)) return keep({ir::reshape(r.v, ir::dropped(r.v.dims(), axes)), r.bound});
    keep(r);
    if (one_in(2) && r.v.dtype() == x.v.dtype()) keep({x.v - r.v, x.bound + r.bound});
  }
  void broadcast() {
    const Item x = any();
    Dims d = x.v.dims();
    for (int a = 0; a < d.rank; ++a)
      if (d.extent[a] == 1 && one_in(2)) d.extent[a] = pick(1, 6);
    if (d.rank < 5 && one_in(2)) {
      for (int a = d.rank; a > 0; --a) d.extent[a] = d.extent[a - 1];
      d.extent[0] = pick(1, 5);
      ++d.rank;
    }
    if (d.size() <= 4 * o_.size) keep({ir::broadcast(x.v, d), x.bound});
  }
  void dependency(const Item& x) { keep({ir::add_dependency(x.v, any().v), x.bound}); }
  void permute() {
    const Item x = any();
    i64 order[max_rank]{};
    const int rank = x.v.dims().rank;
    for (int a = 0; a < rank; ++a) order[a] = a;
    for (int a = rank - 1; a > 0; --a) std::swap(order[a], order[pick(0, a)]);
    keep({ir::permute(x.v, order), x.bound});
  }
  void slice() {
    const Item x = any();
    Dims d = x.v.dims();
    ir::Slice axes[max_rank];
    for (int a = 0; a < d.rank; ++a) {
      if (one_in(2)) continue;
      const int e = static_cast<int>(d.extent[a]);
      const int step = one_in(3) ? pick(1, 3) : 1, count = pick(1, (e + step - 1) / step),
                first = pick(0, e - 1 - (count - 1) * step);
      axes[a] = {first, step};
      if (one_in(4)) axes[a] = {first + (count - 1) * step, -step};
      d.extent[a] = count;
    }
    keep({ir::slice(x.v, axes, d), x.bound});
  }
  void pad() {
    const Item x = number();
    i64 widths[2 * max_rank]{};
    for (int a = 0; a < 2 * x.v.dims().rank; ++a)
      if (one_in(2)) widths[a] = pick(one_in(6) && x.v.dims().extent[a / 2] > 3 ? -1 : 0, 3);
    keep({ir::pad(x.v, widths, pick(-2, 2)), x.bound + 2});
  }
  void reshape() {
    const Item x = any();
    const Dims d = x.v.dims();
    Dims r;
    i64 left = d.size();
    while (r.rank < 4 && left > 1 && !one_in(4)) {
      i64 divisors[64]{};
      int n = 0;
      for (i64 k = 1; k <= left && n < 64; ++k)
        if (left % k == 0) divisors[n++] = k;
      const i64 e = one_in(3) ? left : divisors[pick(0, n - 1)];
      r.extent[r.rank++] = e;
      left /= e;
    }
    if (left > 1 || one_in(3)) r.extent[r.rank++] = left;
    if (one_in(2) && d.rank >= 2) {  // join two neighbours
      const int at = pick(0, d.rank - 2);
      r = Dims{};
      for (int a = 0; a < d.rank; ++a) {
        if (a == at + 1)
          r.extent[r.rank - 1] *= d.extent[a];
        else
          r.extent[r.rank++] = d.extent[a];
      }
    }
    keep({ir::reshape(x.v, r), x.bound});
  }
  void dot() {
    Item x = o_.many_axes ? many_axes() : number();
    const Dims d = x.v.dims();
    if (d.rank == 0 || d.size() > 2000) return;
    if (one_in(2)) x.v = ir::cast(x.v, DType::f32);
    ir::DotAxes axes;
    Dims e;
    // a random part of x's axes is shared
    for (int a = 0; a < d.rank; ++a) {
      const int use = pick(0, 2);
      if (use == 0 && (o_.many_axes || axes.batch < 4)) axes.batch_a[axes.batch++] = a;
      if (use == 1) axes.contracted_a[axes.contracted++] = a;
    }
    if (o_.many_axes && one_in(4)) return square(x, axes);
    // y's axes: batch, contracted and free ones in a random order
    int kind[max_rank]{}, n = 0;
    for (int k = 0; k < axes.batch; ++k) kind[n++] = k;
    for (int k = 0; k < axes.contracted; ++k) kind[n++] = 16 + k;
    for (int k = pick(0, 2); k > 0 && n < (o_.many_axes ? max_rank : 5); --k) kind[n++] = 32;
    for (int k = n - 1; k > 0; --k) std::swap(kind[k], kind[pick(0, k)]);
    i64 contracted = 1;
    for (int k = 0; k < n; ++k) {
      if (kind[k] < 16) {
        axes.batch_b[kind[k]] = k;
        e.extent[k] = d.extent[axes.batch_a[kind[k]]];
      } else if (kind[k] < 32) {
        axes.contracted_b[kind[k] - 16] = k;
        e.extent[k] = d.extent[axes.contracted_a[kind[k] - 16]];
        contracted *= e.extent[k];
      } else {
        e.extent[k] = pick(1, 5);
      }
    }
    e.rank = n;
    if (d.rank + n - axes.batch - 2 * axes.contracted > (o_.many_axes ? max_rank : 6)) return;
    const Dims result = ir::dot_dims(d, e, axes);
    if (result.size() > 4 * o_.size || result.size() * contracted > 100000) return;
    const Item y{o_.many_axes ? reordered(e, x.v.dtype(), 4) : add_input(e, x.v.dtype(), 4), 4};
    if (x.bound * y.bound * static_cast<double>(contracted) > 4e6) return;
    const DType sums = x.v.dtype() == DType::bf16 && one_in(2) ? DType::f32 : x.v.dtype();
    const Item product{ir::dot(x.v, y.v, axes, sums), x.bound * y.bound * static_cast<double>(contracted)};
    if (one_in(4)) return keep(product);
    added(product);
  }
  // x times what is computed from x itself.
  void square(const Item& x, ir::DotAxes axes) {
    const Dims d = x.v.dims();
    if (axes.batch + 2 * (d.rank - axes.batch - axes.contracted) > max_rank) return;
    i64 contracted = 1;
    for (int k = 0; k < axes.contracted; ++k) contracted *= d.extent[axes.contracted_a[k]];
    for (int k = 0; k < axes.batch; ++k) axes.batch_b[k] = axes.batch_a[k];
    for (int k = 0; k < axes.contracted; ++k) axes.contracted_b[k] = axes.contracted_a[k];
    const Dims result = ir::dot_dims(d, d, axes);
    const double bound = x.bound * (x.bound + 1) * static_cast<double>(contracted);
    if (result.size() > 4 * o_.size || result.size() * contracted > 100000 || bound > 4e6) return;
    const Value y = one_in(2) ? x.v : x.v + 1.0;
    keep({one_in(2) ? ir::dot(x.v, y, axes, x.v.dtype()) : ir::dot(y, x.v, axes, x.v.dtype()), bound});
  }
  // Of five axes or more, which lie in memory in another order.
  Item many_axes() {
    Dims d;
    d.rank = pick(5, max_rank - 1);
    for (int a = 0; a < d.rank; ++a) d.extent[a] = pick(1, 3);
    Item x{reordered(d, random_dtype(), 9), 9};
    if (one_in(3)) x.v = x.v * 2.0, x.bound = 18;
    return x;
  }
  // An input of these extents, its axes permuted.
  Value reordered(const Dims& d, DType t, double bound) {
    i64 order[max_rank]{};
    Dims e = d;
    for (int a = 0; a < d.rank; ++a) order[a] = a;
    for (int a = d.rank - 1; a > 0; --a) std::swap(order[a], order[pick(0, a)]);
    for (int a = 0; a < d.rank; ++a) e.extent[order[a]] = d.extent[a];
    return ir::permute(add_input(e, t, bound), order);
  }
  // Up to three additions to a product: of biases, of values of its extents, and of views of either.
  void added(Item sum) {
    for (int n = pick(1, 3); n > 0; --n) {
      if (one_in(6)) sum.v = ir::cast(sum.v, one_in(2) ? DType::f32 : DType::f64);
      if (one_in(6)) items_.push_back(tamed(sum));  // another reader
      const Item x = one_in(2) ? bias(sum.v) : one_in(3) ? partner(sum) : residual(sum.v);
      if (x.v.dtype() != sum.v.dtype() || !(weft::broadcast(x.v.dims(), sum.v.dims()) == sum.v.dims())) break;
      sum = {one_in(2) ? sum.v + x.v : x.v + sum.v, sum.bound + x.bound};
    }
    if (one_in(8)) sum.v = ir::cast(sum.v, DType::f32);
    keep(sum);
  }
  // One entry for each index of some of the last axes.
  Item bias(const Value& to) {
    const Dims d = to.dims();
    Dims e;
    e.rank = pick(0, one_in(3) ? d.rank : d.rank < 2 ? d.rank : 2);
    for (int a = 0; a < e.rank; ++a) e.extent[a] = one_in(6) ? 1 : d.extent[a + d.rank - e.rank];
    return same_extents(e, to.dtype());
  }
  Item residual(const Value& to) {
    for (int tries = 0; tries < 4; ++tries) {
      const Item x = any();
      if (x.v.dims() == to.dims() && x.v.dtype() != DType::boolean)
        return {ir::cast(x.v, to.dtype()), x.bound};
    }
    return same_extents(to.dims(), to.dtype());
  }
  // An input, read as it lies, permuted, sliced or computed with.
  Item same_extents(const Dims& d, DType t) {
    Dims e = d;
    ir::Slice axes[max_rank];
    i64 order[max_rank]{};
    switch (pick(0, 5)) {
      case 0:  // transposed
        for (int a = 0; a < d.rank; ++a) order[a] = d.rank - 1 - a, e.extent[a] = d.extent[d.rank - 1 - a];
        return {ir::permute(add_input(e, t), order), 9};
      case 1:  // part of something longer
        for (int a = 0; a < d.rank; ++a)
          if (one_in(2))
            e.extent[a] += pick(0, 2), axes[a] = {pick(0, static_cast<int>(e.extent[a] - d.extent[a])), 1};
        return {ir::slice(add_input(e, t), axes, d), 9};
      case 2:
        return {add_input(d, t) * 2.0, 18};
      case 3: {
        const Value wave = ir::unary(ir::Op::sin, ir::cast(add_input(d, t), DType::f64));
        return {ir::cast(ir::unary(ir::Op::round, wave * 8.0), t), 8};
      }
      default:
        return {add_input(d, t), 9};
    }
  }
  // x's elements as (N, G, C, S, T) under small windows, with every attribute at random.
  void conv() {
    const Item x = real();
    i64 rest = x.v.dims().size();
    if (rank_of(x) < 1 || rest < 1 || rest > 2000) return;
    i64 part[4]{};
    for (i64& p : part) {
      p = pick(1, 4);
      while (rest % p != 0) --p;
      rest /= p;
    }
    const i64 images[]{part[0], part[1], part[2], part[3], rest};
    const i64 window[]{part[1], pick(1, 18), part[2], pick(1, 3), pick(1, 3)};
    ir::ConvAxes axes;
    axes.spatial = 2;
    for (int k = 0; k < 2; ++k)
      axes.axis[k] = {pick(1, 3), pick(-1, 2), pick(-1, 3), one_in(3) ? pick(1, 3) : 1, pick(1, 2)};
    const int turn = pick(0, 2);
    for (int k = 0; k < 3; ++k) axes.order[k] = (k + turn) % 3;
    const i64 order[]{1, 0, 2, 3, 4};
    const Dims dims = ir::make_dims(5, images), taps = ir::make_dims(5, window);
    const Dims result = ir::conv_dims(ir::permuted(dims, order), taps, axes);
    const i64 products = part[2] * window[3] * window[4];
    const double bound = x.bound * 4 * static_cast<double>(products);
    if (result.size() < 1 || result.size() > 4 * o_.size || result.size() * products > 100000 || bound > 4e6)
      return;
    Value w = add_input(taps, x.v.dtype(), 4);
    if (one_in(2)) {
      ir::Slice flip[5];
      flip[3] = {window[3] - 1, -1};
      flip[4] = {window[4] - 1, -1};
      w = ir::slice(w, flip, taps);
    }
    const Value v = ir::permute(ir::reshape(x.v, dims), order);
    keep({ir::conv(v, w, axes, x.v.dtype()), bound});
  }
  // The body of a loop, empty yet.
  struct Body {};
  RandomGraph(Body, u32 seed, RandomGraphOptions options) : random_(seed), o_(options) {
    b_.graph.is_body = true;
    b_.graph.scalar_count = 4;
  }
  // A loop over carries and invariants that were built before and over new inputs. What its body makes up by
  // itself are invariants, too.
  void loop() {
    RandomGraph body(Body{}, static_cast<u32>(random_()),
                     {.steps = pick(1, 6), .size = o_.size, .loops = o_.loops - 1, .blocks = o_.blocks});
    body.b_.graph.streams = b_.graph.streams;
    ir::LoopShape s;
    s.trips = pick(1, 5);
    s.reverse = one_in(2);
    List<int> operands;
    for (s.carries = pick(1, 3); operands.size() < s.carries;) {
      const Item x = small(number());
      operands.push(x.v.id);
      body.add_input(x.v.dims(), x.v.dtype(), 16);
    }
    s.stacked = pick(0, 2);
    for (int k = 0; k < s.stacked; ++k) {
      const Dims d = random_dims();
      if (d.size() * s.trips > 4 * o_.size) return;
      const Item x = same_extents(ir::stacked_dims(s.trips, d), random_dtype());
      operands.push(x.v.id);
      body.add_input(d, x.v.dtype(), x.bound);
    }
    if (may_draw() && one_in(3)) {  // random numbers take a key a trip
      ++s.stacked;
      body.b_.graph.key_input = operands.size();
      operands.push(weft::detail::random_keys(b_, s.trips).id);
      body.add_input(Shape<4>::value, DType::u32);
      body.items_.pop_back();
    }
    const int first_invariant = operands.size();
    for (int n = pick(0, 2); n > 0; --n) {
      const Item x = any();
      operands.push(x.v.id);
      body.add_input(x.v.dims(), x.v.dtype(), x.bound);
    }
    for (int n = body.o_.steps; n > 0; --n) body.grow();

    for (int k = 0; k < s.carries; ++k) body.b_.graph.outputs.push(body.next(k).v.id);
    std::vector<Item> stacks;
    for (s.outputs = pick(0, 2); static_cast<int>(stacks.size()) < s.outputs;) {
      stacks.push_back(body.any());
      body.b_.graph.outputs.push(stacks.back().v.id);
    }
    for (int k = operands.size(); k < body.b_.graph.inputs.size(); ++k) {
      const Value made{&body.b_, body.b_.graph.inputs[k]};
      operands.push(add_input(made.dims(), made.dtype()).id);
      items_.pop_back();
      leaves.inputs.back() = body.leaves.inputs[static_cast<std::size_t>(k)];
    }
    s.invariants = operands.size() - first_invariant;
    b_.graph.streams = body.b_.graph.streams;
    const Value made = ir::loop(b_, s, body.b_.graph, operands);
    for (int k = 0; k < s.carries; ++k) {
      if (one_in(2)) keep({ir::loop_final(made, s, k), 16});
      if (one_in(3) && made.in(k).dims().rank < 6) keep({ir::loop_history(made, s, k), 16});
    }
    for (int k = 0; k < s.outputs; ++k) {
      const Item& x = stacks[static_cast<std::size_t>(k)];
      if (x.v.dims().rank >= 6) continue;
      keep({ir::loop_result(made, s.output(k), x.v.dtype(), ir::stacked_dims(s.trips, x.v.dims())), x.bound});
    }
  }
  bool may_draw() const { return !b_.graph.is_body || b_.graph.key_input >= 0; }
  static Item small(const Item& x) {
    return x.bound <= 16 ? x : Item{ir::binary(ir::Op::fmod, x.v, ir::constant_like(x.v, 17)), 16};
  }
  // In a body: what carry k becomes.
  Item next(int k) {
    const Value carry{&b_, b_.graph.inputs[k]};
    if (o_.blocks && one_in(2)) {  // with blocks written into it
      Item x{carry, 16};
      for (int n = pick(1, 2); n > 0; --n) x = updated(x);
      return small(x);
    }
    for (int tries = 0; tries < 8; ++tries) {
      const Item x = any();
      if (x.v.dims() == carry.dims()) return small({ir::cast(x.v, carry.dtype()), x.bound});
      if (broadcastable(x.v.dims(), carry.dims()) &&
          weft::broadcast(x.v.dims(), carry.dims()) == carry.dims())
        return small({carry + ir::cast(x.v, carry.dtype()), 16 + x.bound});
    }
    return {carry, 16};
  }
  static int rank_of(const Item& x) { return x.v.dims().rank; }
  void generator() {
    const Dims d = random_dims();
    if (one_in(2) && d.rank > 0) {
      const int axis = pick(0, d.rank - 1);
      const Value v{&b_,
                    b_.leaf(ir::Op::iota, one_in(2) ? DType::i32 : DType::i64, d, static_cast<u64>(axis))};
      return keep({v, static_cast<double>(d.extent[axis])});
    }
    if (!may_draw()) return;
    const Value bits{&b_, b_.leaf(ir::Op::random, DType::u32, d, static_cast<u64>(b_.graph.streams++))};
    const Value small = ir::binary(ir::Op::shift_right, bits, ir::constant_like(bits, 29));
    keep({ir::cast(small, random_dtype()), 7});
  }
  void index() {
    const Item x = number();
    if (one_in(2)) {
      if (x.v.dims().rank == 0) return;
      const Dims d = random_dims();
      if (d.rank + x.v.dims().rank > 6 || ir::gathered(x.v.dims(), d).size() > 4 * o_.size) return;
      const i64 rows = x.v.dims().extent[0];
      Value at = add_input(d, one_in(2) ? DType::i32 : DType::i64, static_cast<double>(rows + 1));
      at = ir::unary(ir::Op::abs, at);
      if (rows < 2) return;
      at = ir::binary(ir::Op::fmod, at, ir::constant_like(at, static_cast<double>(rows)));
      return keep({ir::take_rows(x.v, at), x.bound});
    }
    Dims d;
    d.rank = pick(0, x.v.dims().rank);
    for (int a = 0; a < d.rank; ++a) d.extent[a] = x.v.dims().extent[a];
    if (d.rank == 0 || x.bound * static_cast<double>(d.size()) > 4e6) return;
    const Value at = add_input(d, one_in(2) ? DType::i32 : DType::i64, 5);
    keep({ir::scatter_add(at, x.v, pick(1, 5)), x.bound * static_cast<double>(d.size())});
  }
  // A primitive along one axis.
  void line() {
    const Item x = number();
    const Dims d = x.v.dims();
    if (d.rank == 0) return;
    const int axis = pick(0, d.rank - 1);
    const i64 extent = d.extent[axis];
    const auto index_like = [&](i64 count, i64 bound) {
      return add_input(ir::with_extent(d, axis, count), one_in(2) ? DType::i32 : DType::i64,
                       static_cast<double>(bound));
    };
    switch (pick(0, 6)) {
      case 0: {
        const Item r{ir::scan(x.v, axis, one_in(2), ir::Fold::sum), x.bound * static_cast<double>(extent)};
        return r.bound > 4e6 ? void() : keep(r);
      }
      case 1:
        return keep({ir::scan(x.v, axis, one_in(2), one_in(2) ? ir::Fold::max : ir::Fold::min), x.bound});
      case 2: {
        const i64 count = one_in(2) ? extent : pick(1, static_cast<int>(extent));
        const Value places = ir::argsort(x.v, axis, one_in(2), count);
        keep({places, static_cast<double>(extent)});
        return keep({ir::take_along_axis(x.v, places, axis), x.bound});
      }
      case 3: {  // an index of its own shape, or one that is broadcast
        const i64 count = pick(1, 2 * static_cast<int>(extent));
        if (one_in(2))
          return keep({ir::take_along_axis(x.v, index_like(count, extent - 1), axis, one_in(2)), x.bound});
        Dims flat;
        flat.rank = d.rank;
        for (int a = 0; a < d.rank; ++a) flat.extent[a] = a == axis ? count : 1;
        const Value at = add_input(flat, DType::i32, static_cast<double>(extent + 1));
        return keep({ir::take_along_axis(x.v, ir::broadcast(at, ir::with_extent(d, axis, count)), axis, true),
                     x.bound});
      }
      case 4: {
        const double bound = x.bound * static_cast<double>(extent);
        if (bound > 4e6) return;
        const i64 rows = pick(1, 6);
        return keep({ir::scatter_reduce(index_like(extent, rows), x.v, axis, rows, ir::Fold::sum), bound});
      }
      case 5: {
        const i64 rows = pick(1, 6);
        const bool most = one_in(2);
        const Value r = ir::scatter_reduce(index_like(extent, rows), x.v, axis, rows,
                                           most ? ir::Fold::max : ir::Fold::min);
        const Value low = ir::constant_like(r, -1000), high = ir::constant_like(r, 1000);
        return keep({ir::binary(ir::Op::max, ir::binary(ir::Op::min, r, high), low), 1000});
      }
      default: {
        if (axis != d.rank - 1 || x.v.dtype() != ir::reduction_dtype(x.v.dtype())) return;
        const Value sorted = ir::take_along_axis(x.v, ir::argsort(x.v, axis, false, extent), axis);
        const Value wanted = add_input(ir::with_extent(d, axis, pick(1, 9)), x.v.dtype());
        return keep({ir::searchsorted(sorted, wanted, one_in(2)), static_cast<double>(extent)});
      }
    }
  }
  // Part of something at an offset, or something written there.
  void block() {
    const Item x = any();
    keep(one_in(2) ? updated(x) : Item{ir::dynamic_slice(x.v, part_of(x), place_), x.bound});
  }
  // Of its own, or a part of x.
  Item updated(const Item& x) {
    const Dims d = part_of(x);
    ir::Slice axes[max_rank];
    for (int a = 0; a < d.rank; ++a)
      axes[a].begin = pick(0, static_cast<int>(ir::last_offset(x.v.dims(), d, a)));
    const Value part = ir::slice(x.v, axes, d);
    const Item y = x.v.dtype() == DType::boolean || one_in(4) ? Item{part, x.bound} : residual(part);
    return {ir::dynamic_update_slice(x.v, y.v, place_), x.bound < y.bound ? y.bound : x.bound};
  }
  // Extents of a part of x; place_ says where.
  Dims part_of(const Item& x) {
    const Dims whole = x.v.dims();
    Dims d = whole, samples;
    place_ = {};
    place_.batch = samples.rank = one_in(4) ? pick(0, whole.rank) : 0;
    const DType t = one_in(2) ? DType::i32 : DType::i64;
    for (int a = 0; a < samples.rank; ++a) samples.extent[a] = whole.extent[a];
    for (int a = samples.rank; a < d.rank; ++a) {
      if (!one_in(3)) d.extent[a] = pick(1, static_cast<int>(d.extent[a]));
      const int last = static_cast<int>(ir::last_offset(whole, d, a));
      Value o = ir::constant(b_, t, samples, pick(-1, last + 1));
      if (!one_in(4)) o = samples.rank == 0 && one_in(2) ? element(t) : add_input(samples, t, last + 2);
      ir::set_offset(place_, whole, d, a, o);
    }
    return d;
  }
  Value element(DType t) {
    const Value x = number().v;
    const i64 size[1]{x.dims().size()};
    const ir::Slice at[1]{{pick(0, static_cast<int>(size[0]) - 1), 1}};
    return ir::cast(
        ir::reshape(ir::slice(ir::reshape(x, ir::make_dims(1, size)), at, Shape<1>::value), Dims{}), t);
  }
  void cast() {
    const Item x = any();
    constexpr DType types[]{DType::f64, DType::f32, DType::i64, DType::i32, DType::boolean, DType::bf16};
    const DType t = types[pick(0, 5)];
    if (t == DType::bf16) {  // its eight bits hold integers up to 256
      const Item r = real();
      return keep({ir::cast(ir::cast(r.v, DType::bf16), DType::f32), r.bound});
    }
    keep({ir::cast(x.v, t), x.bound});
  }

  void outputs() {
    for (int n = pick(1, 4); n > 0; --n) b_.graph.outputs.push(any().v.id);
    b_.graph.outputs.push(items_.back().v.id);
  }
  void assign(int slot) {
    const ir::Slot at = b_.graph.slots[slot];
    const Dims d = b_.graph.shapes[at.shape];
    if (o_.blocks && !one_in(3)) {  // of what it was, or of what was made of it
      Item x{Value{&b_, b_.leaf(ir::Op::state, at.dtype, d, static_cast<u64>(slot))}, 9};
      if (one_in(3)) x.v = x.v * 2.0;
      for (int n = pick(1, 3); n > 0; --n) x = updated(x);
      if (one_in(4)) b_.graph.outputs.push(ir::reduce(ir::Op::reduce_sum, x.v, ir::all_axes(d.rank)).id);
      b_.graph.assigns.push({slot, x.v.id});
      return;
    }
    for (int tries = 0; tries < 8; ++tries) {
      const Item x = any();
      if (x.v.dtype() == DType::boolean) continue;
      if (x.v.dims() == d) {
        b_.graph.assigns.push({slot, ir::cast(x.v, at.dtype).id});
        return;
      }
      if (!broadcastable(x.v.dims(), d) || !(weft::broadcast(x.v.dims(), d) == d)) continue;
      const Value before{&b_, b_.leaf(ir::Op::state, at.dtype, d, static_cast<u64>(slot))};
      b_.graph.assigns.push({slot, (before + ir::cast(x.v, at.dtype)).id});
      return;
    }
  }

  std::mt19937 random_;
  RandomGraphOptions o_;
  ir::Builder b_;
  ir::BlockPlace place_;  // of the last part_of()
  std::vector<Item> items_;
};

}  // namespace weft::testing
