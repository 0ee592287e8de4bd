// The code of docs/tensors.md stands between its marks and is compared with the page.

#include <doctest/doctest.h>

#include <cmath>
#include <type_traits>
#include <vector>
#include <weft/weft.hpp>

using namespace weft;

TEST_CASE("tensors: creation") {
  // [creation]
  auto make = compile(
      Cpu{},
      [](auto x) {
        return std::tuple{linspace<f32, 5>(0, 1),   // torch.linspace(0, 1, 5)
                          arange<i64, 2, 12, 3>(),  // torch.arange(2, 12, 3)
                          eye<f64, 2>(),            // torch.eye(2, dtype=torch.float64)
                          full<f32, 2, 2>(7),       // torch.full((2, 2), 7.0)
                          zeros_like<i32>(x),       // torch.zeros_like(x, dtype=torch.int32)
                          rand<f32, 2, 3>(),        // torch.rand(2, 3)
                          randint<i64, 4>(0, 10)};  // torch.randint(0, 10, (4,))
      },
      in<f32, 2, 3>);
  make.set_seed(7);  // the numbers of each later call are a function of the seed and the call's number
  auto [line, steps, unit, sevens, nothing, uniform, dice] = make(std::vector<f32>(6));
  // [/creation]
  CHECK(line(1) == 0.25f);
  CHECK(steps.to_vector() == std::vector<i64>{2, 5, 8, 11});
  CHECK(unit(1, 1) == 1);
  CHECK(sevens(1, 0) == 7);
  CHECK(nothing(1, 2) == 0);
  static_assert(std::is_same_v<decltype(nothing)::dtype, i32>);
  const std::vector<f32> first = uniform.to_vector();
  for (const i64 die : dice) CHECK((die >= 0 && die < 10));
  const auto later = make(std::vector<f32>(6));
  CHECK(std::get<5>(later).to_vector() != first);
  CHECK(uniform.to_vector() == first);  // a result that is held stays as it was
  make.set_seed(7);
  const auto again = make(std::vector<f32>(6));
  CHECK(std::get<5>(again).to_vector() == first);
}

TEST_CASE("tensors: memory") {
  // [memory]
  std::vector<f32> mine{1, 2, 3, 4};
  TensorView<f32, Shape<2, 2>, Cpu> view(mine.data());  // torch.from_numpy: no copy
  Tensor<f32, Shape<2, 2>> copy(mine);                  // torch.tensor: its own memory
  mine[3] = 10;
  Tensor<f32, Shape<2>> sums = sum<0>(view);

  auto twice = compile(
      Cpu{}, [](auto x) { return x + x; }, in<f32, 2, 2>);
  std::vector<f32> out(4);
  twice.into(out)(mine);  // the results go to memory of the caller
  // [/memory]
  CHECK(sums(1) == 12);
  CHECK(copy(1, 1) == 4);
  CHECK(out[3] == 20);
}

TEST_CASE("tensors: dtypes") {
  // [dtypes]
  auto mix = compile(
      Cpu{},
      [](auto bytes, auto halves, auto counts) {
        return std::tuple{bytes + 1,        // u8: a number keeps the dtype of an integer tensor
                          bytes + 0.5f,     // f32: a fraction makes integers floating
                          halves * counts,  // f16: any float wins over any integer
                          counts / 2,       // f32: true division
                          sum<>(bytes),     // i64: integers are summed in it
                          cast<bf16>(counts)};
      },
      in<u8, 2>, in<f16, 2>, in<i64, 2>);
  const u8 bytes[2] = {255, 1};
  const std::vector<f16> halves{f16(0.5f), f16(2)};
  auto [next, more, scaled, half, total, rounded] = mix(bytes, halves, std::vector<i64>{3, 257});
  // [/dtypes]
  static_assert(std::is_same_v<decltype(next)::dtype, u8> && std::is_same_v<decltype(more)::dtype, f32> &&
                std::is_same_v<decltype(scaled)::dtype, f16> && std::is_same_v<decltype(half)::dtype, f32> &&
                std::is_same_v<decltype(total)::dtype, i64> &&
                std::is_same_v<decltype(rounded)::dtype, bf16>);
  CHECK(next(0) == 0);
  CHECK(more(0) == 255.5f);
  CHECK(float(scaled(1)) == 514);
  CHECK(half(0) == 1.5f);
  CHECK(total.item() == 256);
  CHECK(float(rounded(1)) == 256);
}

TEST_CASE("tensors: views and rearrangements") {
  // [views]
  auto shapes = compile(
      Cpu{},
      [](auto x) {                             // x (2, 3, 4)
        auto [left, right] = split<2, -1>(x);  // x.split(2, dim=-1)
        return std::tuple{reshape<-1, 4>(x),   // x.reshape(-1, 4)
                          permute<2, 0, 1>(x),
                          flatten<1>(x),              // x.flatten(1)
                          cat<-1>(right, left),       // torch.cat([right, left], -1)
                          pad<1, 2>(x, -1),           // F.pad(x, (1, 2), value=-1)
                          flip<0>(roll<1, 2>(x)),     // x.roll(1, 2).flip(0)
                          unsqueeze<0>(squeeze(x))};  // x.squeeze().unsqueeze(0)
      },
      in<f32, 2, 3, 4>);
  // [/views]
  std::vector<f32> x(24);
  for (std::size_t i = 0; i < 24; ++i) x[i] = static_cast<f32>(i);
  auto [rows, turned, flat, swapped, wide, rolled, more] = shapes(x);
  static_assert(std::is_same_v<decltype(rows)::shape, Shape<6, 4>>);
  static_assert(std::is_same_v<decltype(wide)::shape, Shape<2, 3, 7>>);
  static_assert(std::is_same_v<decltype(more)::shape, Shape<1, 2, 3, 4>>);
  CHECK(rows(5, 3) == 23);
  CHECK(turned(1, 0, 2) == 9);
  CHECK(flat(1, 11) == 23);
  CHECK(swapped(0, 0, 0) == 2);
  CHECK(wide(0, 0, 0) == -1);
  CHECK(wide(1, 2, 6) == -1);
  CHECK(rolled(0, 0, 0) == 15);
  CHECK(more(0, 1, 2, 3) == 23);
}

TEST_CASE("tensors: indexing") {
  // [indexing]
  auto look = compile(
      Cpu{},
      [](auto x, auto rows, auto mask) {
        return std::tuple{index(x, at<-1>),                   // x[-1]
                          index(x, every, range<0, 4, 2>),    // x[:, 0:4:2]
                          index(x, rows, ellipsis, newaxis),  // x[rows, ..., None]
                          index_put(x, 0.0f, rows, at<1>),    // y = x.clone(); y[rows, 1] = 0
                          where(mask, x, -x),
                          masked_fill(x, mask, 9.0f),
                          gather<1>(x, argsort<1>(x)),
                          scatter_add<0>(zeros<f32, 4, 4>(), cast<i64>(mask), x)};
      },
      in<f32, 3, 4>, in<i64, 2>, in<bool, 3, 4>);
  // [/indexing]
  const f32 x[3][4] = {{3, 1, 2, 0}, {7, 5, 4, 6}, {8, 9, 11, 10}};
  const bool mask[3][4] = {
      {true, false, false, false}, {false, false, true, false}, {false, true, false, false}};
  auto [last, even, chosen, erased, turned, filled, ordered, counted] = look(x, std::vector<i64>{2, 0}, mask);
  CHECK(last(2) == 11);
  CHECK(even(1, 1) == 4);
  CHECK(chosen(0, 3, 0) == 10);
  CHECK(erased(0, 1) == 0);
  CHECK(erased(1, 1) == 5);
  CHECK(turned(0, 0) == 3);
  CHECK(turned(0, 1) == -1);
  CHECK(filled(1, 2) == 9);
  CHECK(ordered(2, 3) == 11);
  CHECK(counted(1, 1) == 9);
  CHECK(counted(0, 3) == 16);
}

TEST_CASE("tensors: results whose size depends on data") {
  // [bounded]
  auto find = compile(
      Cpu{},
      [](auto x) {
        auto [found, count] = masked_select<6>(x, x > 2);            // x[x > 2]
        auto [places, nonzeros] = nonzero<6>(x);                     // x.nonzero()
        auto [values, distinct, inverse, how_often] = unique<6>(x);  // x.unique(True, True, True)
        return std::tuple{found,  count,    places,    nonzeros,
                          values, distinct, how_often, bincount<4>(cast<i64>(x))};
      },
      in<f32, 6>);
  auto [found, count, places, nonzeros, values, distinct, how_often, bins] =
      find(std::vector<f32>{3, 0, 3, 1, 0, 5});
  for (i64 i = 0; i < std::min<i64>(count.item(), 6); ++i) std::printf("%g ", found(i));  // 3 3 5
  // [/bounded]
  CHECK(count.item() == 3);
  CHECK(found.to_vector() == std::vector<f32>{3, 3, 5, 0, 0, 0});
  CHECK(nonzeros.item() == 4);
  CHECK(places(3, 0) == 5);
  CHECK(places(4, 0) == -1);
  CHECK(distinct.item() == 4);
  CHECK(values(3) == 5);
  CHECK(how_often(0) == 2);
  CHECK(bins.to_vector() == std::vector<i64>{2, 1, 0, 2});
}

TEST_CASE("tensors: reductions, running folds and order") {
  // [reductions]
  auto reduce = compile(
      Cpu{},
      [](auto x) {
        auto centred = x - mean<-1>(x, keepdim);  // x - x.mean(-1, keepdim=True)
        auto [greatest, where_greatest] = cummax<1>(x);
        auto [top, places] = topk<2>(x);
        return std::tuple{sum<>(x),             // x.sum()
                          sum<0, 1>(x),         // x.sum((0, 1))
                          max<-1>(x),           // x.amax(-1)
                          argmax<-1>(x),        // x.argmax(-1)
                          var<-1>(x),           // x.var(-1)
                          stddev<>(x, biased),  // x.std(unbiased=False)
                          logsumexp<-1>(x),
                          norm<>(centred),
                          all<-1>(x > 0),
                          cumsum<1>(x),
                          greatest,
                          top};
      },
      in<f32, 2, 4>);
  // [/reductions]
  const f32 x[2][4] = {{1, 4, 2, 5}, {-1, 0, 2, 3}};
  auto [total, both, most, place, spread, deviation, lse, length, positive, running, greatest, top] =
      reduce(x);
  CHECK(total.item() == 16);
  CHECK(both.item() == 16);
  CHECK(most(1) == 3);
  CHECK(place(0) == 3);
  CHECK(spread(0) == doctest::Approx(10.0 / 3));
  CHECK(deviation.item() == doctest::Approx(std::sqrt(60.0 / 8 - 4)));
  CHECK(lse(1) == doctest::Approx(std::log(std::exp(-1.0) + 1 + std::exp(2.0) + std::exp(3.0))));
  CHECK(length.item() == doctest::Approx(std::sqrt(20.0)));
  CHECK(positive(0));
  CHECK(!positive(1));
  CHECK(running(0, 3) == 12);
  CHECK(greatest(0, 2) == 4);
  CHECK(top(0, 1) == 4);
}

TEST_CASE("tensors: products") {
  // [products]
  auto multiply = compile(
      Cpu{},
      [](auto q, auto k, auto bias) {
        auto scores = einsum<"bhsd,bhtd->bhst">(q, k);  // (2, 3, 4, 4)
        return std::tuple{softmax<-1>(scores * 0.5f),
                          matmul(q, transpose<-2, -1>(k)),  // the same product, broadcast over the first axes
                          addmm(bias, select<0, 0>(select<0, 0>(q)), eye<f32, 8>()),
                          triu<1>(outer(bias, bias))};
      },
      in<f32, 2, 3, 4, 8>, in<f32, 2, 3, 4, 8>, in<f32, 8>);
  // [/products]
  std::vector<f32> q(192), k(192), bias(8, 2.0f);
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = 0.01f * static_cast<f32>(i), k[i] = 1.0f - q[i];
  auto [weights, scores, sums, triangle] = multiply(q, k, bias);
  f32 row = 0, score = 0;
  for (i64 i = 0; i < 4; ++i) row += weights(1, 2, 3, i);
  for (std::size_t d = 0; d < 8; ++d) score += q[8 + d] * k[16 + d];
  CHECK(row == doctest::Approx(1));
  CHECK(scores(0, 0, 1, 2) == doctest::Approx(score));
  CHECK(sums(1, 1) == doctest::Approx(2 + q[9]));
  CHECK(triangle(0, 0) == 0);
  CHECK(triangle(0, 1) == 4);
}
