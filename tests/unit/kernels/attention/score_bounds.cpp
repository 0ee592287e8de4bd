#include "weft/kernels/attention/score_bounds.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "support/compile_verified.hpp"
#include "weft/exec/explain.hpp"
#include "weft/exec/function.hpp"
#include "weft/ops.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

constexpr i64 length = 96;

// The words of the kernel of attention(q, k, v, functions..., tensors...) of two heads.
template <class... A>
std::vector<u64> code_of(const A&... functions) {
  ir::Builder b;
  b.graph.scalar_count = 4;
  const auto input = [&]<class T, class S>(Input<T, S>) {
    const int node = b.leaf(ir::Op::input, dtype_of<T>, S::value, static_cast<u64>(b.graph.inputs.size()));
    b.graph.inputs.push(node);
    return Expr<T, S>{ir::Value{&b, node}};
  };
  const auto q = input(in<f32, 1, 2, length, 4>);
  const auto y = attention(q, q, q, functions..., input(in<i32, 2>));
  b.graph.outputs.push(y.value.id);
  const compiler::Module m = compile_verified(b.graph);
  for (const compiler::KernelCode& k : m.lowered.kernels)
    if (k.kind == compiler::StepKind::attention) {
      const u64* words = m.lowered.words.data() + k.words.begin;
      return std::vector<u64>(words, words + k.words.size);
    }
  FAIL("no attention");
  return {};
}

// Whether every tile of so many places that is skipped is masked everywhere, and how many tiles that are so
// are computed all the same.
template <class Attends>
int computed_in_vain(const std::vector<u64>& code, i64 rows, i64 keys, Attends attends) {
  int vain = 0;
  for (i64 h = 0; h < 2; ++h)
    for (i64 i = 0; i < length; i += rows)
      for (i64 j = 0; j < length; j += keys) {
        bool some = false;
        for (i64 r = i; r < i + rows; ++r)
          for (i64 c = j; c < j + keys; ++c) some = some || attends(h, r, c);
        const bool computed =
            kernels::tile_attends(code.data(), {{0, h, i, j}, {1, h + 1, i + rows, j + keys}});
        CHECK((computed || !some));
        vain += computed && !some;
      }
  return vain;
}

}  // namespace

TEST_CASE("score bounds: causal order, windows, prefixes and blocks skip what they mask, and nothing else") {
  const auto check = [](const auto& mask, const auto& attends) {
    const std::vector<u64> code = code_of(mask);
    for (const i64 rows : {1, 4, 32})
      for (const i64 keys : {1, 16, 48}) CHECK(computed_in_vain(code, rows, keys, attends) == 0);
  };
  check([](auto, auto, auto i, auto j, auto) { return j <= i; }, [](i64, i64 i, i64 j) { return j <= i; });
  check([](auto, auto, auto i, auto j, auto) { return (j <= i) & (i - j < 20); },
        [](i64, i64 i, i64 j) { return j <= i && i - j < 20; });
  check([](auto, auto, auto i, auto j, auto) { return (j < 30) | (j <= i); },
        [](i64, i64 i, i64 j) { return j < 30 || j <= i; });
  check([](auto, auto h, auto, auto j, auto) { return (h == 0) | (j >= 48); },
        [](i64 h, i64, i64 j) { return h == 0 || j >= 48; });
  check([](auto, auto, auto i, auto j, auto) { return abs(i - j) <= 5; },
        [](i64, i64 i, i64 j) { return std::abs(i - j) <= 5; });
  check([](auto, auto, auto i, auto j, auto) { return !(cast<f32>(j) > 1.5f * cast<f32>(i) + 0.5f); },
        [](i64, i64 i, i64 j) { return !(static_cast<double>(j) > 1.5 * static_cast<double>(i) + 0.5); });
}

TEST_CASE("score bounds: of a tile's keys whole strips at either end are left out") {
  const auto check = [](const auto& mask, const auto& attends) {
    const std::vector<u64> code = code_of(mask);
    constexpr i64 strip = kernels::attention_strip;
    for (const i64 rows : {1, 16, 32})
      for (const i64 keys : {strip / 2, 2 * strip - 1, 3 * strip})
        for (i64 i = 0; i < length; i += rows) {
          kernels::KeyRange expected{keys, 0};
          for (i64 c = 0; c < keys; ++c)
            for (i64 r = i; r < i + rows; ++r) {
              if (!attends(r, c)) continue;
              const i64 first = c / strip * strip;
              if (expected.from > first) expected.from = first;
              expected.to = first + strip < keys ? first + strip : keys;
            }
          if (expected.to == 0) expected.from = 0;
          const kernels::KeyRange found =
              kernels::attended_keys(code.data(), {{0, 0, i, 0}, {1, 1, i + rows, keys}});
          CHECK(found.from == expected.from);
          CHECK(found.to == expected.to);
        }
  };
  check([](auto, auto, auto i, auto j, auto) { return j <= i; }, [](i64 i, i64 j) { return j <= i; });
  check([](auto, auto, auto i, auto j, auto) { return (j <= i) & (i - j < 9); },
        [](i64 i, i64 j) { return j <= i && i - j < 9; });
  check([](auto, auto, auto i, auto j, auto) { return j > i + 5; }, [](i64 i, i64 j) { return j > i + 5; });
  check([](auto, auto, auto, auto j, auto) { return j < 0; }, [](i64, i64) { return false; });
}

TEST_CASE("score bounds: a score of -infinity masks, and what a tensor decides is computed") {
  const std::vector<u64> by_score = code_of([](auto s, auto, auto, auto i, auto j, auto) {
    return where(j <= i, s, -std::numeric_limits<double>::infinity());
  });
  CHECK(computed_in_vain(by_score, 16, 16, [](i64, i64 i, i64 j) { return j <= i; }) == 0);
  const std::vector<u64> by_tensor =
      code_of([](auto, auto h, auto, auto j, auto limit) { return j < limit[h]; });
  CHECK(kernels::tile_attends(by_tensor.data(), {{0, 0, 0, 0}, {1, 1, 32, 32}}));
  // and with causal order beside it, that decides
  const std::vector<u64> both =
      code_of([](auto, auto h, auto i, auto j, auto limit) { return (j < limit[h]) & (j <= i); });
  CHECK(computed_in_vain(both, 16, 16, [](i64, i64 i, i64 j) { return j <= i; }) == 0);
  const std::vector<u64> nothing = code_of([](auto s, auto, auto, auto, auto, auto) { return s * 2; });
  CHECK(kernels::tile_attends(nothing.data(), {{0, 0, 0, 0}, {1, 1, 1, 1}}));
}

TEST_CASE("score bounds: integers that may wrap say nothing") {
  const std::vector<u64> code =
      code_of([](auto, auto, auto i, auto, auto) { return i * 40000 * 40000 < 0; });  // wraps
  CHECK(kernels::tile_attends(code.data(), {{0, 0, 2, 0}, {1, 1, 64, 64}}));
}

namespace {

template <class F>
using ProgramOfFunction = exec::Compiled<exec::FunctionSource<F, Input<f32, Shape<1, 2, length, 4>>>>;
template <class P>
constexpr int attention_kernel() {
  for (int k = 0; k < P::header.kernels; ++k)
    if (compiler::kernel_kind<P>(k) == compiler::StepKind::attention) return k;
  return -1;
}

// Whether all is right that an unrolled code says of tiles of 16 by 16; how many are full and how many
// partial.
template <class F, class Attends>
std::pair<int, int> tiles_of(F, Attends attends) {
  using P = ProgramOfFunction<F>;
  using C = compiler::code_of<P, attention_kernel<P>()>;
  std::pair<int, int> counts;
  for (i64 i = 0; i < length; i += 16)
    for (i64 j = 0; j < length; j += 16) {
      bool some = false, all = true;
      for (i64 r = i; r < i + 16; ++r)
        for (i64 c = j; c < j + 16; ++c) some = some || attends(r, c), all = all && attends(r, c);
      const kernels::GridTile tile{{0, 0, i, j}, {1, 1, i + 16, j + 16}};
      const kernels::TileMask mask = kernels::TileBounds<C>::mask(tile);
      CHECK((mask == kernels::TileMask::none) == !kernels::tile_attends(C::w, tile));
      CHECK((mask == kernels::TileMask::none) == !some);
      CHECK((mask != kernels::TileMask::full || all));
      counts.first += mask == kernels::TileMask::full;
      counts.second += mask == kernels::TileMask::partial;
    }
  return counts;
}

}  // namespace

TEST_CASE("score bounds: full tiles are those where every mask holds at every place") {
  using Counts = std::pair<int, int>;
  const auto causal = [](auto x) {
    return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(x, x, x);
  };
  CHECK(tiles_of(causal, [](i64 i, i64 j) { return j <= i; }) == Counts(15, 6));
  const auto window = [](auto x) {
    return attention(
        x, x, x, [](auto s, auto, auto, auto i, auto j) { return 9 * tanh(s / 9) + 0.1 * (j - i); },
        [](auto, auto, auto i, auto j) { return (j <= i) & (i - j < 40); });
  };
  CHECK(tiles_of(window, [](i64 i, i64 j) { return j <= i && i - j < 40; }) == Counts(5, 13));
  const auto open = [](auto x) { return scaled_dot_product_attention(x, x, x); };
  CHECK(tiles_of(open, [](i64, i64) { return true; }) == Counts(36, 0));
}

TEST_CASE("score bounds: explain tells how many tiles are left") {
  const auto share = [](auto f) {
    const exec::Explanation e =
        exec::explain_graph(exec::FunctionSource<decltype(f), Input<f32, Shape<1, 1, 4096, 8>>>::graph());
    return e.steps.back().ops;
  };
  CHECK(share([](auto x) {
          return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(x, x, x);
        }) == "f32, 51 % of its tiles");
  CHECK(share([](auto x) { return scaled_dot_product_attention(x, x, x); }) == "f32, 100 % of its tiles");
  CHECK(share([](auto x) {
          return scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(
              x, x, x, key_lengths(cast<i32>(sum<1, 2, 3>(x))));
        }).ends_with("f32, at most 51 % of its tiles"));
}
