#pragma once
// Attention's backward pass on the host: weights are computed anew of the scores and each row's log-sum-exp,
// tile by tile. Law: every sum is taken in one order, by blocks that depend on the extents alone.

#include <cstring>

#include "weft/core/list.hpp"
#include "weft/kernels/attention/tiles.hpp"

namespace WEFT_NAMESPACE::kernels {

template <class C>
class HostAttentionBackward : HostAttention<C> {
  using Base = HostAttention<C>;
  using Base::call;
  using Base::header;
  using Base::launch_;
  using typename Base::At;
  using typename Base::Band;
  using typename Base::Body;
  using typename Base::Numbers;
  static constexpr f32 infinite = std::numeric_limits<f32>::infinity();

  // Working memory of a tile.
  struct Tile {
    i64 row = 0;               // of weights and gradients
    f32 *weights, *gradients;  // (queries, keys)
    f32 *q, *k, *v, *dy;       // room for operands in f32
    f32 *dq, *dk, *dv;
  };

 public:
  using Base::Base;

  void run(int threads) const {
    const bool of_factors = Base::template pointer<void>(At::dq) || Base::template pointer<void>(At::dk) ||
                            Base::template pointer<void>(At::dv);
    // One pass where heads are enough for many threads; else one over queries and one over keys, which
    // computes two of seven products anew.
    constexpr i64 enough = 8;
    if (of_factors && call.batch * call.kv_heads >= enough) {
      parallel_for(call.batch * call.kv_heads, threads,
                   [&](i64 item) { heads(item / call.kv_heads, item % call.kv_heads); });
    } else if (of_factors) {
      const i64 rows = Base::query_block(call.queries), queries = dot_ceil_div(call.queries, rows);
      if (Base::template pointer<void>(At::dq))
        parallel_for(call.batch * call.heads * queries, threads, [&](i64 item) {
          const i64 head = item / queries;
          queries_of(head / call.heads, head % call.heads, item % queries * rows);
        });
      const i64 columns = Base::key_block(call.keys), keys = dot_ceil_div(call.keys, columns);
      if (Base::template pointer<void>(At::dk) || Base::template pointer<void>(At::dv))
        parallel_for(call.batch * call.kv_heads * keys, threads, [&](i64 item) {
          const i64 head = item / keys;
          keys_of(head / call.kv_heads, head % call.kv_heads, item % keys * columns);
        });
    }
    captured_gradients(threads, std::make_integer_sequence<int, header.captured>{});
  }

 private:
  i64 group() const { return call.heads / call.kv_heads; }

  Tile tile(i64 queries_of_dq) const {
    const i64 rows = Base::query_block(call.queries), keys = Base::key_block(call.keys);
    const i64 row = Base::padded(keys), widths = call.width + call.value_width;
    const i64 floats = 2 * rows * row + (rows + 2 * keys) * widths + queries_of_dq * call.width + 16 * lanes;
    ScratchCut cut{static_cast<f32*>(attention_scratch().get(floats * i64{sizeof(f32)}))};
    Tile t;
    t.row = row;
    t.weights = cut.take(rows * row);
    t.gradients = cut.take(rows * row);
    t.q = cut.take(rows * call.width);
    t.dy = cut.take(rows * call.value_width);
    t.k = cut.take(keys * call.width);
    t.v = cut.take(keys * call.value_width);
    t.dk = cut.take(keys * call.width);
    t.dv = cut.take(keys * call.value_width);
    t.dq = cut.take(queries_of_dq * call.width);
    return t;
  }

  AttentionRows gradient_rows(i64 b, i64 h, i64 first, i64 count, f32* buffer) const {
    return Base::rows(AttentionCall::dy, At::dy, b, h, first, count, call.value_width, buffer);
  }
  const f32* of_row(bool is_delta, i64 b, i64 h, i64 i) const {
    const f32* const p = Base::template pointer<const f32>(is_delta ? At::delta : At::row_lse);
    return p + b * call.row_stride(is_delta, 0) + h * call.row_stride(is_delta, 1) +
           i * call.row_stride(is_delta, 2);
  }

  // Weights and gradients of a band's queries and keys in the tile at (i0, j0); visit(row, column, lanes,
  // body) after each 16 of them.
  template <class Visit>
  void compute(const Tile& t, i64 b, i64 h, i64 i0, const Band& band, i64 j0, AttentionRows q,
               AttentionRows dy, AttentionRows k, AttentionRows v, const Visit& visit) const {
    const i64 at = band.first * t.row + band.from, n = band.keys();
    Base::times_transposed(band.rows(), n, call.width, q.from(band.first), k.from(band.from),
                           t.gradients + at, t.row);
    Base::times_transposed(band.rows(), n, call.value_width, dy.from(band.first), v.from(band.from),
                           t.weights + at, t.row);
    typename Body::Window windows[Body::window_count];
    Body body = Base::body(windows);
    for (i64 r = band.first; r < band.end; ++r) {
      body.go_to_row(b, h, i0 + r);
      const f32* const lse = of_row(false, b, h, i0 + r);
      const Numbers shift = splat<Numbers>(*lse == -infinite ? infinite : *lse),
                    left = splat<Numbers>(lse[call.lse_plane()]),
                    delta = splat<Numbers>(*of_row(true, b, h, i0 + r));
      const i64 row = r * t.row + band.from;
      f32 *const weights = t.weights + row, *const gradients = t.gradients + row;
      for (i64 c = 0; c < n; c += lanes) {
        const int present = Base::lanes_from(c, n);
        const Numbers s =
            body.score(j0 + band.from + c, present, load<Numbers>(static_cast<const f32*>(gradients + c)));
        const Numbers p = Base::first_lanes(exp(Numbers(s - shift - left)), present, 0);
        Numbers dp = Base::first_lanes(load<Numbers>(static_cast<const f32*>(weights + c)), present, 0);
        Numbers kept = p;
        if constexpr (header.drops) {
          const Numbers factor = body.factor();
          kept = p * factor;
          dp = dp * factor;
        }
        const Numbers ds = body.gradient(Numbers(p * (dp - delta)));
        store(weights + c, kept);
        store(gradients + c, ds);
        visit(r, band.from + c, present, body);
      }
    }
  }
  template <class F>
  void each_block(i64 count, i64 step, const F& f) const {
    for (i64 first = 0; first < count; first += step) f(first, count - first < step ? count - first : step);
  }
  static constexpr auto no_visit = [](i64, i64, int, Body&) {};

  template <class R>
  static void write(R* to, const f32* from, i64 count) {
    for (i64 k = 0; k < count; ++k) store(to + k, from[k]);
  }
  static void clear(f32* p, i64 count) {
    if (p != nullptr && count > 0) std::memset(p, 0, static_cast<std::size_t>(count) * sizeof(f32));
  }

  using DQ = ctype<header.results[0]>;
  using DK = ctype<header.results[1]>;
  using DV = ctype<header.results[2]>;
  DQ* dq_at(i64 b, i64 h, i64 i) const {
    DQ* const p = Base::template pointer<DQ>(At::dq);
    return p == nullptr ? p : p + ((b * call.heads + h) * call.queries + i) * call.width;
  }
  void write_keys(const Tile& t, i64 b, i64 kv, i64 j0, i64 n) const {
    const i64 at = (b * call.kv_heads + kv) * call.keys + j0;
    if (DK* const dk = Base::template pointer<DK>(At::dk)) write(dk + at * call.width, t.dk, n * call.width);
    if (DV* const dv = Base::template pointer<DV>(At::dv))
      write(dv + at * call.value_width, t.dv, n * call.value_width);
  }
  void add_keys(const Tile& t, const Band& band, AttentionRows q, AttentionRows dy) const {
    const i64 at = band.first * t.row + band.from;
    if (Base::template pointer<void>(At::dv))
      Base::add_transposed_product(band.keys(), call.value_width, band.rows(), {t.weights + at, t.row},
                                   dy.from(band.first), t.dv + band.from * call.value_width,
                                   call.value_width);
    if (Base::template pointer<void>(At::dk))
      Base::add_transposed_product(band.keys(), call.width, band.rows(), {t.gradients + at, t.row},
                                   q.from(band.first), t.dk + band.from * call.width, call.width);
  }
  // To the gradients of a band's queries, whose tile has its own from `dq` on.
  void add_queries(const Tile& t, const Band& band, AttentionRows k, f32* dq) const {
    Base::add_product(band.rows(), call.width, band.keys(),
                      {t.gradients + band.first * t.row + band.from, t.row}, k.from(band.from),
                      dq + band.first * call.width, call.width);
  }

  // All of the heads of q that share head `kv`.
  void heads(i64 b, i64 kv) const {
    constexpr bool in_place = std::is_same_v<DQ, f32>;
    const i64 rows = Base::query_block(call.queries), h0 = kv * group();
    const Tile t = tile(in_place ? 0 : group() * call.queries);
    f32* sums = nullptr;  // dq of the heads
    if (Base::template pointer<void>(At::dq)) {
      if constexpr (in_place)
        sums = dq_at(b, h0, 0);
      else
        sums = t.dq;
      clear(sums, group() * call.queries * call.width);
    }
    each_block(call.keys, Base::key_block(call.keys), [&](i64 j0, i64 n) {
      clear(t.dk, n * call.width);
      clear(t.dv, n * call.value_width);
      const AttentionRows k = Base::key_rows(b, kv, j0, n, t.k), v = Base::value_rows(b, kv, j0, n, t.v);
      for (i64 head = 0; head < group(); ++head) {
        each_block(call.queries, rows, [&](i64 i0, i64 m) {
          const auto bands = Base::attending(b, h0 + head, i0, m, j0, n);
          if (bands.empty()) return;
          const AttentionRows q = Base::query_rows(b, h0 + head, i0, m, t.q),
                              dy = gradient_rows(b, h0 + head, i0, m, t.dy);
          for (const Band& band : bands) {
            compute(t, b, h0 + head, i0, band, j0, q, dy, k, v, no_visit);
            add_keys(t, band, q, dy);
            if (sums != nullptr) add_queries(t, band, k, sums + (head * call.queries + i0) * call.width);
          }
        });
      }
      write_keys(t, b, kv, j0, n);
    });
    if constexpr (!in_place)
      if (sums != nullptr) write(dq_at(b, h0, 0), sums, group() * call.queries * call.width);
  }

  void queries_of(i64 b, i64 h, i64 i0) const {
    const i64 rows = Base::query_block(call.queries), m = call.queries - i0 < rows ? call.queries - i0 : rows;
    const Tile t = tile(rows);
    clear(t.dq, m * call.width);
    const AttentionRows q = Base::query_rows(b, h, i0, m, t.q), dy = gradient_rows(b, h, i0, m, t.dy);
    each_block(call.keys, Base::key_block(call.keys), [&](i64 j0, i64 n) {
      const auto bands = Base::attending(b, h, i0, m, j0, n);
      if (bands.empty()) return;
      const AttentionRows k = Base::key_rows(b, h / group(), j0, n, t.k),
                          v = Base::value_rows(b, h / group(), j0, n, t.v);
      for (const Band& band : bands) {
        compute(t, b, h, i0, band, j0, q, dy, k, v, no_visit);
        add_queries(t, band, k, t.dq);
      }
    });
    write(dq_at(b, h, i0), t.dq, m * call.width);
  }
  void keys_of(i64 b, i64 kv, i64 j0) const {
    const i64 keys = Base::key_block(call.keys), n = call.keys - j0 < keys ? call.keys - j0 : keys;
    const Tile t = tile(0);
    clear(t.dk, n * call.width);
    clear(t.dv, n * call.value_width);
    const AttentionRows k = Base::key_rows(b, kv, j0, n, t.k), v = Base::value_rows(b, kv, j0, n, t.v);
    for (i64 h = kv * group(); h < (kv + 1) * group(); ++h) {
      each_block(call.queries, Base::query_block(call.queries), [&](i64 i0, i64 m) {
        const auto bands = Base::attending(b, h, i0, m, j0, n);
        if (bands.empty()) return;
        const AttentionRows q = Base::query_rows(b, h, i0, m, t.q), dy = gradient_rows(b, h, i0, m, t.dy);
        for (const Band& band : bands) {
          compute(t, b, h, i0, band, j0, q, dy, k, v, no_visit);
          add_keys(t, band, q, dy);
        }
      });
    }
    write_keys(t, b, kv, j0, n);
  }

  // ---- of captured tensors: summed over the axes along which they do not vary ----
  template <int... K>
  void captured_gradients([[maybe_unused]] int threads, std::integer_sequence<int, K...>) const {
    (captured_gradient<K>(threads), ...);
  }
  template <int K>
  void captured_gradient([[maybe_unused]] int threads) const {
    constexpr CapturedWord word = Base::View::captured(K);
    if constexpr (word.has_gradient) {
      if (Base::template pointer<void>(At::captured_gradient(header.captured) + K) == nullptr) return;
      const i64 rows = Base::query_block(call.queries), keys = Base::key_block(call.keys);
      const i64 extent[4]{call.batch, call.heads, call.queries, call.keys}, step[4]{1, 1, rows, keys};
      i64 pieces[4]{1, 1, 1, 1};
      for (int a = 0; a < 4; ++a)
        if (word.axes >> a & 1) pieces[a] = dot_ceil_div(extent[a], step[a]);
      parallel_for(pieces[0] * pieces[1] * pieces[2] * pieces[3], threads, [&](i64 item) {
        GridTile part;
        for (int a = 3; a >= 0; --a) {
          const bool kept = (word.axes >> a & 1) != 0;
          part.begin[a] = kept ? item % pieces[a] * step[a] : 0;
          part.end[a] = kept && part.begin[a] + step[a] < extent[a] ? part.begin[a] + step[a] : extent[a];
          item /= pieces[a];
        }
        captured_part<K>(part);
      });
    }
  }
  // The sums for the part of tensor K that varies inside `part`.
  template <int K>
  void captured_part(const GridTile& part) const {
    constexpr CapturedWord word = Base::View::captured(K);
    constexpr bool by_row = (word.axes & 4) != 0, by_key = (word.axes & 8) != 0;
    const i64 rows = by_row ? part.end[2] - part.begin[2] : 1,
              columns = by_key ? part.end[3] - part.begin[3] : 1;
    List<double> sums(static_cast<int>(rows * columns), 0.0);
    const Tile t = tile(0);
    for (i64 b = part.begin[0]; b < part.end[0]; ++b)
      for (i64 h = part.begin[1]; h < part.end[1]; ++h)
        each_block(part.end[2] - part.begin[2], Base::query_block(call.queries), [&](i64 from, i64 m) {
          const i64 i0 = part.begin[2] + from;
          const AttentionRows q = Base::query_rows(b, h, i0, m, t.q), dy = gradient_rows(b, h, i0, m, t.dy);
          each_block(part.end[3] - part.begin[3], Base::key_block(call.keys), [&](i64 key, i64 n) {
            const i64 j0 = part.begin[3] + key;
            const auto bands = Base::attending(b, h, i0, m, j0, n);
            if (bands.empty()) return;
            const AttentionRows k = Base::key_rows(b, h / group(), j0, n, t.k),
                                v = Base::value_rows(b, h / group(), j0, n, t.v);
            const auto add = [&](i64 r, i64 c, int present, Body& body) {
              f32 at[lanes];
              store(at, body.template captured_gradient<K>());
              double* const row = sums.data() + (by_row ? (from + r) * columns : 0);
              for (int lane = 0; lane < present; ++lane) row[by_key ? key + c + lane : 0] += double{at[lane]};
            };
            for (const Band& band : bands) compute(t, b, h, i0, band, j0, q, dy, k, v, add);
          });
        });
    auto* const to = Base::template pointer<ctype<word.result>>(At::captured_gradient(header.captured) + K);
    const i64 extent[4]{call.batch, call.heads, call.queries, call.keys};
    i64 stride[4]{}, next = 1;  // of the tensor's gradient
    for (int a = 3; a >= 0; --a)
      if (word.axes >> a & 1) stride[a] = next, next *= extent[a];
    for (i64 r = 0; r < rows; ++r)
      for (i64 c = 0; c < columns; ++c)
        store(to + part.begin[0] * stride[0] + part.begin[1] * stride[1] + (part.begin[2] + r) * stride[2] +
                  (part.begin[3] + c) * stride[3],
              static_cast<f32>(sums[static_cast<int>(r * columns + c)]));
  }
};

}  // namespace WEFT_NAMESPACE::kernels
