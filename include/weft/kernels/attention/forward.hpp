#pragma once
// Attention's forward pass on the host: a block of queries against one block of keys after another, whose
// scores lie in a tile that the second cache holds; sums over keys are online.
//
// (Milakov, Gimelshein: Online normalizer calculation for softmax, 2018.)

#include "weft/kernels/attention/tiles.hpp"

namespace WEFT_NAMESPACE::kernels {

template <class C>
class HostAttentionForward : HostAttention<C> {
  using Base = HostAttention<C>;
  using Base::call;
  using Base::header;
  using typename Base::At;
  using typename Base::Body;
  using typename Base::Numbers;
  static constexpr f32 nothing = -std::numeric_limits<f32>::infinity();

 public:
  using Base::Base;

  i64 items() const { return call.batch * call.heads * blocks(); }
  // Multiply-adds, where every score counts; at least 1.
  i64 work_of_item() const {
    const i64 work = Base::query_block(call.queries) * call.keys * (call.width + call.value_width);
    return work > 0 ? work : 1;
  }
  // Blocks of one head come from both ends in turn: of a causal order's each thread gets short and long ones.
  void run(i64 item) const {
    const i64 n = blocks(), head = item / n, turn = item % n;
    block(head / call.heads, head % call.heads, turn % 2 == 0 ? turn / 2 : n - 1 - turn / 2);
  }

 private:
  i64 blocks() const { return dot_ceil_div(call.queries, Base::query_block(call.queries)); }

  void block(i64 b, i64 h, i64 which) const {
    const i64 most_rows = Base::query_block(call.queries), most_keys = Base::key_block(call.keys);
    const i64 i0 = which * most_rows, rows = call.queries - i0 < most_rows ? call.queries - i0 : most_rows;
    const i64 row = Base::padded(most_keys), kv_head = h / (call.heads / call.kv_heads);
    const i64 floats = (header.drops ? 2 : 1) * rows * row + 2 * rows + rows * call.value_width +
                       (rows + most_keys) * call.width + most_keys * call.value_width + 8 * lanes;
    ScratchCut cut{static_cast<f32*>(attention_scratch().get(floats * i64{sizeof(f32)}))};
    f32* const scores = cut.take(rows * row);
    f32* const factors = header.drops ? cut.take(rows * row) : nullptr;
    f32* const top = cut.take(rows);
    f32* const total = cut.take(rows);
    f32* const sums = cut.take(rows * call.value_width);
    f32* const query_buffer = cut.take(rows * call.width);
    f32* const key_buffer = cut.take(most_keys * call.width);
    f32* const value_buffer = cut.take(most_keys * call.value_width);
    for (i64 r = 0; r < rows; ++r) top[r] = nothing, total[r] = 0;
    for (i64 k = 0; k < rows * call.value_width; ++k) sums[k] = 0;

    const AttentionRows q = Base::query_rows(b, h, i0, rows, query_buffer);
    typename Body::Window windows[Body::window_count];
    Body body = Base::body(windows);
    for (i64 j0 = 0; j0 < call.keys; j0 += most_keys) {
      const i64 n = call.keys - j0 < most_keys ? call.keys - j0 : most_keys;
      const auto bands = Base::attending(b, h, i0, rows, j0, n);
      if (bands.empty()) continue;
      const AttentionRows k = Base::key_rows(b, kv_head, j0, n, key_buffer);
      for (const auto& band : bands) {
        Base::times_transposed(band.rows(), band.keys(), call.width, q.from(band.first), k.from(band.from),
                               scores + band.first * row + band.from, row);
        for (i64 r = band.first; r < band.end; ++r) {
          const i64 place = r * row + band.from;
          body.go_to_row(b, h, i0 + r);
          weigh(body, j0 + band.from, band.keys(), scores + place, header.drops ? factors + place : nullptr,
                top[r], total[r], sums + r * call.value_width);
        }
      }
      const AttentionRows v = Base::value_rows(b, kv_head, j0, n, value_buffer);
      for (const auto& band : bands)
        Base::add_product(band.rows(), call.value_width, band.keys(),
                          {scores + band.first * row + band.from, row}, v.from(band.from),
                          sums + band.first * call.value_width, call.value_width);
    }
    const i64 at = (b * call.heads + h) * call.queries + i0;
    finish(rows, at, top, total, sums);
  }

  // Scores of one query become weights relative to the largest score so far, and so do its sums.
  void weigh(Body& body, i64 j0, i64 n, f32* scores, [[maybe_unused]] f32* factors, f32& top, f32& total,
             f32* sums) const {
    Numbers most = splat<Numbers>(nothing);
    for (i64 c = 0; c < n; c += lanes) {
      const int present = Base::lanes_from(c, n);
      const Numbers s = body.score(j0 + c, present, load<Numbers>(static_cast<const f32*>(scores + c)));
      const Numbers seen = Base::first_lanes(s, present, nothing);
      store(scores + c, seen);
      if constexpr (header.drops) store(factors + c, body.factor());
      most = select(seen > most, seen, most);
    }
    const f32 reached = reduce_max(most), largest = reached > top ? reached : top;
    const f32 shift = largest == nothing ? 0 : largest;
    const f32 before = exp(top - shift);
    const Numbers shifts = splat<Numbers>(shift);
    Numbers sum = splat<Numbers>(0);
    for (i64 c = 0; c < n; c += lanes) {
      const Numbers p = exp(load<Numbers>(static_cast<const f32*>(scores + c)) - shifts);
      sum = sum + p;
      if constexpr (header.drops)
        store(scores + c, Numbers(p * load<Numbers>(static_cast<const f32*>(factors + c))));
      else
        store(scores + c, p);
    }
    top = largest;
    total = total * before + reduce_sum(sum);
    if (before == 1) return;
    i64 c = 0;
    for (; c + lanes <= call.value_width; c += lanes)
      store(sums + c, Numbers(load<Numbers>(static_cast<const f32*>(sums + c)) * splat<Numbers>(before)));
    for (; c < call.value_width; ++c) sums[c] *= before;
  }

  void finish(i64 rows, i64 at, const f32* top, const f32* total, const f32* sums) const {
    using R = ctype<header.results[0]>;
    if (R* const y = Base::template pointer<R>(At::y)) {
      for (i64 r = 0; r < rows; ++r) {
        const f32 all = total[r] == 0 ? 1 : total[r];
        for (i64 c = 0; c < call.value_width; ++c)
          store(y + (at + r) * call.value_width + c, sums[r * call.value_width + c] / all);
      }
    }
    if (f32* const lse = Base::template pointer<f32>(At::lse)) {
      f32* const to = lse + at + at / call.queries * call.queries;  // two planes a head
      for (i64 r = 0; r < rows; ++r) {
        const f32 rest = log(total[r]);
        to[r] = total[r] == 0 ? nothing : top[r] + rest;
        to[call.queries + r] = total[r] == 0 ? 0 : (top[r] - to[r]) + rest;
      }
    }
  }
};

}  // namespace WEFT_NAMESPACE::kernels
