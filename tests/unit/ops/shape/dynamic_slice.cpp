// Values and gradients against PyTorch's narrow and assignment to slices, with the offsets clamped first;
// vmap and loops against the same without them; state that is updated in place.

#include "weft/ops/shape/dynamic_slice.hpp"

#include "support/error_of.hpp"
#include "support/gradcheck.hpp"
#include "support/traced_parity.hpp"
#include "weft/exec/explain.hpp"
#include "weft/exec/immediate.hpp"
#include "weft/exec/model.hpp"
#include "weft/nn/param.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/loss/regression.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/math/pointwise.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/creation.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/shape/stacking.hpp"
#include "weft/ops/transform/grad.hpp"
#include "weft/ops/transform/loop.hpp"
#include "weft/ops/transform/vmap.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;
using namespace weft::testing;

namespace {

// 0, 1, 2, ... plus `first`.
template <class T, i64... D>
Tensor<T, Shape<D...>> numbers(int first = 0) {
  Tensor<T, Shape<D...>> t;
  for (i64 k = 0; k < Shape<D...>::size; ++k)
    t.data()[k] = static_cast<T>(static_cast<float>((first + k) % 101));
  return t;
}

// Keys of the positions so far.
struct Cache {
  nn::Buffer<f32, Shape<64, 128>> keys{};
  constexpr auto operator()(auto row, auto position) const {
    const auto next = dynamic_update_slice(keys, row, position, 0);
    keys.assign(next);
    return sum<1>(next);
  }
};

// Rows of a table by their first.
struct Table {
  nn::Param<f32, Shape<64, 16>> w{};
  nn::Param<f32, Shape<16>> bias{};
  constexpr auto operator()(auto first) const { return dynamic_slice<0, 4>(w, first) + bias; }
};

}  // namespace

TEST_CASE("dynamic_slice: values, gradients and their gradients, as PyTorch") {
  check_traced<2>(
      "functions/dynamic_slice",
      [](auto a, auto b, auto i, auto j) {
        const auto at0 = select<0, 0>(i), at1 = select<0, 1>(i), at2 = select<0, 2>(i), at3 = select<0, 3>(i);
        return std::tuple{dynamic_slice<0, 3>(a, at1),
                          dynamic_slice<2, 64>(a, at0, at2),
                          square(dynamic_slice<6, 5>(a, at1, j)),
                          dynamic_slice<64, 4>(transpose<0, 1>(a), j, 1) * sum<0>(slice<1, 0, 4>(b)),
                          dynamic_update_slice(a, b, at1, at3),
                          square(dynamic_update_slice(a, b * b, at2, at0)),
                          dynamic_update_slice(a * a, expand<2, 70>(slice<1, 0, 1>(b)), at3, 0),
                          dynamic_update_slice(a, b, 3, 4),
                          dynamic_update_slice(a, slice<1, 3, 67>(slice<0, 0, 2>(a)), j, at1),
                          dynamic_update_slice<-1>(a, slice<1, 0, 2>(a) * 3, 5)};
      },
      in<f64, 6, 70>, in<f64, 2, 64>, in<i64, 4>, in<i32, 1>);
}

TEST_CASE("dynamic_slice: gradients against differences, the place computed from what is differentiated") {
  const auto f = [](auto x, auto y) {
    const auto at = cast<i32>(sum(x) * 0 + 3);
    const auto part = dynamic_slice<2, 64>(x, 1, at);
    return dynamic_update_slice(x * x, part * y, at, 1) * dynamic_update_slice(x, y, at - 100, 1);
  };
  CHECK(gradcheck(f, point<5, 66>(-1, 1), point<2, 64>(-1, 1)).ok());
}

TEST_CASE("dynamic_slice: every dtype, at both ends and beyond") {
  const auto check = [&]<class T>(T) {
    auto f = compile(
        Cpu{1},
        [](auto x, auto y, auto i) {
          return std::tuple{dynamic_slice<1, 65>(x, i), dynamic_update_slice(x, y, 0, i)};
        },
        in<T, 3, 70>, in<T, 3, 64>, in<i64>);
    const auto x = numbers<T, 3, 70>(1);
    const auto y = numbers<T, 3, 64>(40);
    for (const i64 start : {INT64_MIN, i64{-1}, i64{0}, i64{3}, i64{5}, i64{6}, i64{7}, INT64_MAX}) {
      const auto [part, whole] = f(x, y, start);
      const i64 read = start < 0 ? 0 : start > 5 ? 5 : start, written = start < 0 ? 0 : start > 6 ? 6 : start;
      bool same = true;
      for (i64 r = 0; r < 3; ++r) {
        for (i64 k = 0; k < 65; ++k)
          same = same && static_cast<float>(part.data()[r * 65 + k]) ==
                             static_cast<float>(x.data()[r * 70 + read + k]);
        for (i64 k = 0; k < 70; ++k) {
          const bool inside = k >= written && k < written + 64;
          const T expected = inside ? y.data()[r * 64 + k - written] : x.data()[r * 70 + k];
          same = same && static_cast<float>(whole.data()[r * 70 + k]) == static_cast<float>(expected);
        }
      }
      CAPTURE(start);
      CHECK(same);
    }
  };
  check(f64{}), check(f32{}), check(bf16{}), check(f16{}), check(f8e4m3{}), check(i64{}), check(i8{}),
      check(bool{});
}

TEST_CASE("dynamic_slice: offsets of other dtypes, numbers, and expressions of tensors that run at once") {
  const auto x = numbers<f32, 4, 5>();
  const Tensor<i32, Shape<>> two = full<i32>(2);
  const Tensor<f32, Shape<2, 5>> rows = dynamic_slice<0, 2>(x, two);
  CHECK(rows.to_vector() == std::vector<f32>{10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
  const Tensor<f32, Shape<1, 2>> few = dynamic_slice<1, 2>(x * 2, two, 9);
  CHECK(few.to_vector() == std::vector<f32>{26, 28});
  const Tensor<f32, Shape<4, 5>> filled = dynamic_update_slice(x, few, -7, two);
  CHECK(filled.to_vector()[2] == 26);
  auto f = compile(
      Cpu{1}, [](auto v, auto a, auto b, auto c) { return dynamic_slice<1, 1, 1>(v, a, b, c); },
      in<f32, 2, 3, 4>, in<u8>, in<i64, 1>, in<i32>);
  CHECK(f(numbers<f32, 2, 3, 4>(), u8{200}, std::vector<i64>{-5}, 2).item() == 14);
}

TEST_CASE("dynamic_slice: nothing to read and nothing to write") {
  auto f = compile(
      Cpu{1},
      [](auto x, auto y, auto i) {
        return std::tuple{dynamic_slice<0, 5>(x, i, i), dynamic_update_slice(x, y, i, i)};
      },
      in<f32, 2, 5>, in<f32, 2, 0>, in<i32>);
  const auto x = numbers<f32, 2, 5>();
  CHECK(std::get<1>(f(x, Tensor<f32, Shape<2, 0>>(), 1)).to_vector() == x.to_vector());
}

TEST_CASE("dynamic_slice: vmap, with the same offset for all samples and with one for each") {
  auto both = compile(
      Cpu{1},
      [](auto x, auto y, auto i) {
        const auto one = [](auto v, auto w, auto at) {
          return std::tuple{dynamic_slice<2, 64>(v, at, 1), dynamic_update_slice(v, w, at, at)};
        };
        const auto a = vmap(one)(x, y, i);
        const auto b = vmap<0, 0, unmapped>(one)(x, y, select<0, 1>(i));
        const auto c = vmap<unmapped, 0, 0>(one)(select<0, 0>(x), y, i);
        const auto d = vmap(vmap<0, 0, unmapped>(one))(stack<0>(x, x + 1), stack<0>(y, y), slice<0, 0, 2>(i));
        const auto e = vmap<0, 0, unmapped>(vmap(one))(stack<0>(x, x + 1), stack<0>(y, y), i);
        const auto g = vmap(
            grad([&](auto v, auto w, auto at) { return sum(square(std::get<0>(one(v, w, at)))); }))(x, y, i);
        // each sample alone
        const auto at = [&](auto k) {
          constexpr i64 n = decltype(k)::value;
          return one(select<0, n>(x), select<0, n>(y), select<0, n>(i));
        };
        const auto first = at(std::integral_constant<i64, 0>{}), last = at(std::integral_constant<i64, 2>{});
        const auto shared = one(select<0, 2>(x), select<0, 2>(y), select<0, 1>(i));
        const auto of_first = one(select<0, 0>(x), select<0, 2>(y), select<0, 2>(i));
        const auto nested = one(select<0, 2>(x) + 1, select<0, 2>(y), select<0, 1>(i));
        const auto nested_each = one(select<0, 2>(x) + 1, select<0, 2>(y), select<0, 2>(i));
        const auto differs = [](auto p, auto q) { return max(abs(p - q)); };
        return stack<0>(
            differs(select<0, 0>(std::get<0>(a)), std::get<0>(first)),
            differs(select<0, 2>(std::get<1>(a)), std::get<1>(last)),
            differs(select<0, 2>(std::get<0>(b)), std::get<0>(shared)),
            differs(select<0, 2>(std::get<1>(b)), std::get<1>(shared)),
            differs(select<0, 2>(std::get<1>(c)), std::get<1>(of_first)),
            differs(select<0, 2>(std::get<0>(c)), std::get<0>(of_first)),
            differs(select<0, 2>(select<0, 1>(std::get<0>(d))), std::get<0>(nested)),
            differs(select<0, 2>(select<0, 1>(std::get<1>(d))), std::get<1>(nested)),
            differs(select<0, 2>(select<0, 1>(std::get<0>(e))), std::get<0>(nested_each)),
            differs(select<0, 2>(select<0, 1>(std::get<1>(e))), std::get<1>(nested_each)),
            differs(select<0, 0>(g), dynamic_update_slice(zeros_like(select<0, 0>(x)), std::get<0>(first) * 2,
                                                          select<0, 0>(i), 1)));
      },
      in<f32, 3, 4, 70>, in<f32, 3, 2, 66>, in<i32, 3>);
  const auto found = both(numbers<f32, 3, 4, 70>(3), numbers<f32, 3, 2, 66>(50), std::vector<i32>{-2, 1, 7});
  for (const f32 d : found.to_vector()) CHECK(d == 0);
}

TEST_CASE("dynamic_slice: at a loop's counter and at its carry, with gradients") {
  auto f = compile(
      Cpu{1},
      [](auto x, auto w) {
        // rows[t] = w x[t], written one at a time
        const auto filled = loop<66>(
            [&](auto carry) {
              const auto [rows, t] = carry;
              const auto row = dynamic_slice<1, 3>(x, t, 0) * w;
              return std::tuple{dynamic_update_slice(rows, row, t, 0), t + 1};
            },
            std::tuple{zeros_like(x), full<i32>(0)});
        return std::get<0>(filled);
      },
      in<f64, 66, 3>, in<f64, 3>);
  const auto x = numbers<f64, 66, 3>(2);
  const auto y = f(x, std::vector<f64>{1, 2, 3});
  bool same = true;
  for (i64 k = 0; k < 66 * 3; ++k) same = same && y.data()[k] == x.data()[k] * static_cast<double>(1 + k % 3);
  CHECK(same);
  const std::string text = explain<decltype(f)>();
  CHECK(text.find("  copy  ") < text.find("  loop  "));  // of the start alone
  CHECK(text.find("  copy  ") == text.rfind("  copy  "));

  const auto power = [](auto v, auto w) {
    const auto filled = loop<5>(
        [&](auto carry) {
          const auto [rows, t] = carry;
          return std::tuple{dynamic_update_slice<0>(rows, dynamic_slice<0, 2>(rows, t - 1) * w, t), t + 1};
        },
        std::tuple{v, full<i64>(1)});
    return square(std::get<0>(filled));
  };
  CHECK(gradcheck(power, point<7, 2>(0.5, 1), point<2, 2>(0.5, 1)).ok());
}

TEST_CASE("dynamic_slice: a cache is written where it lives, call after call") {
  Model<Cache, Cpu> model(Cpu{1});
  auto f = compile(
      model, [](const auto& m, auto row, auto position) { return m(row, position); }, in<f32, 1, 128>,
      in<i32>);
  std::vector<f32> expected(64 * 128, 0.0f);
  for (const int position : {0, 1, 63, 5, 5, 99, -1}) {
    const auto row = numbers<f32, 1, 128>(position + 7);
    const auto sums = f(row, position).to_vector();
    const int at = position < 0 ? 0 : position > 63 ? 63 : position;
    for (int k = 0; k < 128; ++k) expected[static_cast<std::size_t>(at * 128 + k)] = row.data()[k];
    for (std::size_t r = 0; r < 64; ++r) {
      f32 total = 0;
      for (std::size_t k = 0; k < 128; ++k) total += expected[r * 128 + k];
      CHECK(sums[r] == total);
    }
  }
  CHECK(model.get<"keys">().to_vector() == expected);
  // a row is read and written, and its place read; the sum reads the cache
  const std::string text = explain<decltype(f)>();
  CHECK(text.starts_with("2 launches, 34.1 kB moved, 8.19 kFLOP, workspace 256 B\n"));
  CHECK(text.find("dynamic_update_slice   1.03k       0     51 ns  (1, 128) of (64, 128): f32\n") !=
        std::string::npos);
}

TEST_CASE("dynamic_slice: results are fed back") {
  auto f = compile(
      Cpu{1}, [](auto x, auto y, auto i) { return dynamic_update_slice<0>(x, y, i); }, in<f32, 64, 2>,
      in<f32, 1, 2>, in<i32>);
  auto x = f(numbers<f32, 64, 2>(), std::vector<f32>{-1, -2}, 3);
  for (int i = 4; i < 9; ++i) x = f(x, std::vector<f32>{-1, -2}, i);
  const auto v = x.to_vector();
  for (std::size_t r = 0; r < 64; ++r) {
    CHECK(v[2 * r] == (r >= 3 && r < 9 ? -1.0f : static_cast<f32>(2 * r % 101)));
  }
}

TEST_CASE("dynamic_slice: under check::indices an offset that would be clamped is an Error") {
  auto f = compile(
      Cpu{1},
      [](auto x, auto y, auto i, auto j) {
        return dynamic_update_slice(dynamic_slice<4, 5>(x, i, 0), y, j, j);
      },
      in<f32, 6, 5>, in<f32, 2, 3>, in<i32>, in<i64>, check::indices);
  const auto x = numbers<f32, 6, 5>();
  const auto y = numbers<f32, 2, 3>();
  CHECK(said([&] { f(x, y, 2, i64{2}); }) == "none");
  CHECK(
      said([&] { f(x, y, 3, i64{2}); }) ==
      "check/indices: kernel 0, dynamic_slice (4, 5) of (6, 5): f32: element () of its index, input 2 () of "
      "i32, is 3, outside 0 ... 2");
  CHECK(said([&] { f(x, y, 0, i64{-1}); }).find("is -1, outside 0 ... 2") != std::string::npos);
  auto constant = compile(
      Cpu{1}, [](auto v) { return dynamic_slice<0, 4>(v, 3); }, in<f32, 6, 5>, check::indices);
  CHECK(said([&] { constant(x); }).find("is 3, outside 0 ... 2") != std::string::npos);
}

TEST_CASE("dynamic_slice: blocks that several threads copy") {
  auto f = compile(
      Cpu{},
      [](auto x, auto y, auto i, auto j) {
        return std::tuple{dynamic_slice<250, 900>(x, i, j), dynamic_update_slice(x, y, j, i)};
      },
      in<f32, 300, 1000>, in<f32, 240, 950>, in<i32>, in<i32>);
  const auto x = numbers<f32, 300, 1000>();
  const auto y = numbers<f32, 240, 950>(7);
  const auto [part, whole] = f(x, y, 41, 17);
  i64 wrong = 0;
  for (i64 r = 0; r < 250; ++r)
    for (i64 k = 0; k < 900; ++k) wrong += part.data()[r * 900 + k] != x.data()[(r + 41) * 1000 + k + 17];
  for (i64 r = 0; r < 300; ++r)
    for (i64 k = 0; k < 1000; ++k) {
      const bool inside = r >= 17 && r < 257 && k >= 41 && k < 991;
      wrong +=
          whole.data()[r * 1000 + k] != (inside ? y.data()[(r - 17) * 950 + k - 41] : x.data()[r * 1000 + k]);
    }
  CHECK(wrong == 0);
}

TEST_CASE("dynamic_slice: a parameter's gradient is written into the arena of gradients") {
  auto trainer = make_trainer<Table>(
      Cpu{1}, [](const auto& m, auto first, auto y) { return mse_loss(m(first), y); }, in<i32>,
      in<f32, 4, 16>, optim::SGD{.lr = 16.0f}, seed{1});
  CHECK(explain<decltype(trainer)>().find("  copy  ") == std::string::npos);
  const auto before = trainer.model().get<"w">().to_vector();
  const auto y = numbers<f32, 4, 16>(1);
  trainer.step(99, y);
  const auto after = trainer.model().get<"w">().to_vector();
  // of the mean of 64 squares the gradient is (w - y) / 32
  for (std::size_t k = 0; k < 64 * 16; ++k) {
    const f32 target = k < 60 * 16 ? before[k] : before[k] - (before[k] - y.data()[k - 60 * 16]) / 2;
    CHECK(after[k] == doctest::Approx(target));
  }
}

TEST_CASE("dynamic_slice: under bf16 and f16") {
  const auto run = [](auto precision) {
    auto f = compile(
        Cpu{1},
        [](auto x, auto w, auto i) {
          const auto loss = [&](auto v) {
            const auto y = matmul(dynamic_slice<0, 64>(v, i), w);
            return sum(square(dynamic_update_slice<0>(y, slice<0, 0, 2>(y) * 2, i)));
          };
          return std::tuple{loss(x), grad(loss)(x)};
        },
        in<f32, 70, 8>, in<f32, 8, 4>, in<i32>, precision);
    std::vector<f32> x(70 * 8), w(8 * 4);
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<f32>(k % 7) * 0.25f;
    for (std::size_t k = 0; k < w.size(); ++k) w[k] = static_cast<f32>(k % 5) * 0.25f - 0.5f;
    const auto [loss, gradient] = f(x, w, 3);
    std::vector<f32> all = gradient.to_vector();
    all.push_back(loss.item());
    return all;
  };
  auto moves = compile(
      Cpu{1}, [](auto x, auto w, auto i) { return dynamic_slice<0, 64>(matmul(x, w), i) * 2.0f; },
      in<f32, 70, 8>, in<f32, 8, 4>, in<i32>, precision::bf16);
  CHECK(explain<decltype(moves)>().find("(64, 4) of (70, 4): bf16\n") != std::string::npos);
  const auto wide = run(precision::f32);
  for (const auto& narrow : {run(precision::bf16), run(precision::f16), run(precision::tf32)})
    for (std::size_t k = 0; k < wide.size(); ++k) CHECK(narrow[k] == doctest::Approx(wide[k]).epsilon(0.02));
}
