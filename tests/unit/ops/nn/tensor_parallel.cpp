#include "weft/ops/nn/tensor_parallel.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/thread_ranks.hpp"
#include "weft/comm/tensor_parallel.hpp"
#include "weft/nn/tensor_parallel.hpp"
#include "weft/weft.hpp"

using namespace weft;
using test_support::run_ranks;
using G = comm::tensor_parallel<3, test_support::ThreadRanks>;

namespace {

// Functions of parts belong to a model whose parameters are parts; this one's add nothing.
struct Net {
  nn::Param<f32, Shape<1>, nn::init::Part<0, G, nn::init::Zeros>> part;
};
constexpr i64 rows = 6, columns = 66;

template <class F, class Out>
void run(int rank, const F& f, const Out& check) {
  Model<Net> net(Cpu{1}, seed{1});
  Tensor<f32, Shape<rows, columns>> x;
  for (i64 i = 0; i < x.size(); ++i) x[i] = std::sin(0.3f * static_cast<f32>(i)) + static_cast<f32>(rank);
  auto compiled = compile(net, f, in<f32, rows, columns>);
  compiled(x);
  const auto y = compiled(x);  // the same request again
  check(x, y);
}
float held(i64 i, int rank) { return std::sin(0.3f * static_cast<f32>(i)) + static_cast<f32>(rank); }

constexpr auto of_rows = [](auto t) {
  return vmap([](auto row) {
    return scatter_sum<G, 0>(row) + take_part<G, 0>(gather_parts<G, 0>(take_part<G, 0>(sum_parts<G>(row))));
  })(t);
};

}  // namespace

TEST_CASE("tensor parallel ops: sums, parts and what is put together") {
  run_ranks(3, [](int r) {
    run(
        r, [](const auto&, auto x) { return sum_parts<G>(x); },
        [&](const auto&, const auto& y) {
          for (i64 i = 0; i < rows * columns; ++i)
            CHECK(y.data()[i] == ((0 + held(i, 0)) + held(i, 1)) + held(i, 2));
        });
    run(
        r, [](const auto&, auto x) { return gather_parts<G, 1>(x); },
        [&](const auto&, const auto& y) {
          for (i64 i = 0; i < rows; ++i)
            for (i64 j = 0; j < 3 * columns; ++j)
              CHECK(y.data()[i * 3 * columns + j] ==
                    held(i * columns + j % columns, static_cast<int>(j / columns)));
        });
    run(
        r, [](const auto&, auto x) { return take_part<G, -1>(x); },
        [&](const auto& x, const auto& y) {
          for (i64 i = 0; i < rows; ++i)
            for (i64 j = 0; j < columns / 3; ++j)
              CHECK(y.data()[i * columns / 3 + j] == x[i * columns + j + r * columns / 3]);
        });
    run(
        r, [](const auto&, auto x) { return scatter_sum<G, 0>(x); },
        [&](const auto&, const auto& y) {
          for (i64 k = 0; k < rows / 3 * columns; ++k) {
            const i64 i = k + r * rows / 3 * columns;
            CHECK(y.data()[k] == ((0 + held(i, 0)) + held(i, 1)) + held(i, 2));
          }
        });
    run(
        r, [](const auto&, auto x) { return part_index<G>(x); },
        [&](const auto&, const auto& y) { CHECK(y.item() == r); });
    // the same of every row by itself
    run(
        r, [](const auto&, auto x) { return of_rows(x); },
        [&](const auto&, const auto& y) {
          for (i64 i = 0; i < rows; ++i)
            for (i64 j = 0; j < columns / 3; ++j) {
              const i64 k = i * columns + j + r * columns / 3;
              CHECK(y.data()[i * columns / 3 + j] == 2 * (((0 + held(k, 0)) + held(k, 1)) + held(k, 2)));
            }
        });
    // of narrow floats the sum is f32's, rounded
    run(
        r, [](const auto&, auto x) { return cast<f32>(sum_parts<G>(cast<bf16>(x))); },
        [&](const auto&, const auto& y) {
          for (i64 i = 0; i < rows * columns; ++i) {
            f32 sum = 0;
            for (int k = 0; k < 3; ++k) sum += static_cast<f32>(bf16(held(i, k)));
            CHECK(y.data()[i] == static_cast<f32>(bf16(sum)));
          }
        });
  });
}

constexpr auto cubes_of_parts = [](auto t) {
  const auto own = take_part<G, 1>(t);
  return sum<>(sum_parts<G>(own * own * own));
};

TEST_CASE("tensor parallel ops: gradients, and theirs") {
  run_ranks(3, [](int r) {
    const auto weight = [](i64 i) { return static_cast<f32>(i % 7) - 3; };
    Model<Net> net(Cpu{1}, seed{1});
    Tensor<f32, Shape<rows, columns>> x, w, direction;
    for (i64 i = 0; i < x.size(); ++i) {
      x[i] = held(i, 0);
      direction[i] = weight(i);
      w[i] = weight(i) + static_cast<f32>(r);
    }
    const auto of = [&](auto f) { return compile(net, f, in<f32, rows, columns>, in<f32, rows, columns>); };
    // every rank's own function of a value that is whole: the gradient is the sum of the ranks'
    auto copied = of([](const auto&, auto t, auto u) {
      return grad([&](auto v) { return sum<>(copy_to_parts<G>(v) * u); })(t);
    });
    const auto g = copied(x, w);
    for (i64 i = 0; i < x.size(); ++i) CHECK(g.data()[i] == 3 * weight(i) + 3);
    // parts of a whole, summed to a whole: each rank has the gradient of all of it
    auto parts = of([](const auto&, auto t, auto u) {
      ignore(u);
      return grad(cubes_of_parts)(t);
    });
    const auto h = parts(x, w);
    for (i64 i = 0; i < x.size(); ++i) CHECK(h.data()[i] == doctest::Approx(3 * x[i] * x[i]));
    auto second = of([](const auto&, auto t, auto u) {
      return grad([&](auto v) { return sum<>(grad(cubes_of_parts)(v) * u); })(t);
    });
    const auto hessian = second(x, direction);
    for (i64 i = 0; i < x.size(); ++i) CHECK(hessian.data()[i] == doctest::Approx(6 * x[i] * weight(i)));
    // parts put together for readers with parts: each part's gradient is the sum of the ranks'
    auto gathered = of([](const auto&, auto t, auto u) {
      return grad([&](auto v) { return sum<>(gather_to_parts<G, 0>(v) * cat<0>(u, u, u)); })(t);
    });
    const auto s = gathered(x, w);
    for (i64 i = 0; i < x.size(); ++i) CHECK(s.data()[i] == 3 * weight(i) + 3);
    // and of a sum's part: the whole gradient, for each rank's addends
    auto scattered = of([](const auto&, auto t, auto u) {
      return grad([&](auto v) { return sum<>(scatter_sum<G, 1>(v) * take_part<G, 1>(u)); })(t);
    });
    const auto a = scattered(x, direction);
    for (i64 i = 0; i < x.size(); ++i) CHECK(a.data()[i] == weight(i));
  });
}

TEST_CASE("tensor parallel ops: cross entropy of logits in parts") {
  constexpr i64 n = 64, classes = 99;
  Tensor<f32, Shape<n, classes>> logits;
  Tensor<i64, Shape<n>> labels;
  for (i64 i = 0; i < logits.size(); ++i) logits[i] = 4 * std::sin(0.7f * static_cast<f32>(i));
  for (i64 i = 0; i < n; ++i) labels[i] = i % 5 == 0 ? -100 : (i * 31) % classes;
  logits[3] = 200;  // its exponential is not finite
  const auto whole = [](auto x, auto y) {
    return std::tuple(cross_entropy(x, y), grad([&](auto v) { return cross_entropy(v, y); })(x));
  };
  auto reference = compile(Cpu{1}, whole, in<f32, n, classes>, in<i64, n>);
  const auto [loss, gradient] = reference(logits, labels);
  run_ranks(3, [&](int r) {
    Model<Net> net(Cpu{1}, seed{1});
    Tensor<f32, Shape<n, classes / 3>> own;
    for (i64 i = 0; i < n; ++i)
      for (i64 j = 0; j < classes / 3; ++j)
        own[i * (classes / 3) + j] = logits[i * classes + j + r * (classes / 3)];
    auto f = compile(
        net,
        [](const auto&, auto x, auto y) {
          return std::tuple(vocab_parallel_cross_entropy<G>(x, y),
                            grad([&](auto v) { return vocab_parallel_cross_entropy<G>(v, y); })(x),
                            vocab_parallel_cross_entropy<G, reduction::none>(x, y));
        },
        in<f32, n, classes / 3>, in<i64, n>);
    const auto [value, slope, rows_of] = f(own, labels);
    CHECK(value.item() == doctest::Approx(loss.item()));
    for (i64 i = 0; i < n; ++i) {
      if (i % 5 == 0) CHECK(rows_of.data()[i] == 0);
      for (i64 j = 0; j < classes / 3; ++j)
        CHECK(std::fabs(slope.data()[i * (classes / 3) + j] -
                        gradient.data()[i * classes + j + r * (classes / 3)]) < 1e-7f);
    }
  });
}
