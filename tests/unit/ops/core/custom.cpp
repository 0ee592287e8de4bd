// The code of docs/custom_primitives.md stands between its marks and is compared with the page.
#include "weft/ops/core/custom.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "weft/exec/immediate.hpp"
#include "weft/ir/print.hpp"
#include "weft/ir/verify.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/nn/activation.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/rearrange.hpp"
#include "weft/ops/transform/grad.hpp"
#include "weft/ops/transform/loop.hpp"
#include "weft/train/make_trainer.hpp"

// [swish]
// y = x sigmoid(beta x), of any shape; beta is one number.
template <>
struct weft::custom_op<weft::op_id("swish")> {
  static constexpr const char* name = "swish";

  static constexpr weft::TensorType type(weft::TensorType x, weft::TensorType beta) {
    return x.dtype == beta.dtype && beta.dims.rank == 0 ? x : weft::TensorType{};
  }
  template <class T>
  static void host(weft::CustomTensor<T> y, weft::CustomTensor<const T> x, weft::CustomTensor<const T> beta) {
    for (weft::i64 i = 0; i < y.size(); ++i) y[i] = x[i] / (1 + std::exp(-beta[0] * x[i]));
  }
  // Of x and of beta, from the gradient g of y: d/dx = s + beta (x - y) s, d/dbeta = x (x - y) s, s the
  // sigmoid.
  static constexpr auto gradient(auto g, auto y, auto x, auto beta) {
    const auto s = weft::sigmoid(beta * x);
    const auto rest = (x - y) * s;
    return std::tuple{g * (s + beta * rest), weft::sum(g * x * rest)};
  }
};
inline constexpr auto& swish = weft::custom<"swish">;
// [/swish]

// Two primitives that are one another's derivatives.
template <>
struct weft::custom_op<weft::op_id("sine")> {
  static constexpr const char* name = "sine";
  template <class T>
  static void host(weft::CustomTensor<T> y, weft::CustomTensor<const T> x, int threads) {
    weft::parallel_for(y.size(), threads, [&](weft::i64 i) { y[i] = std::sin(x[i]); });
  }
  static constexpr auto gradient(auto g, auto, auto x);
};
template <>
struct weft::custom_op<weft::op_id("cosine")> {
  template <class T>
  static void host(weft::CustomTensor<T> y, weft::CustomTensor<const T> x) {
    for (weft::i64 i = 0; i < y.size(); ++i) y[i] = std::cos(x[i]);
  }
  static constexpr auto gradient(auto g, auto, auto x) { return -(g * weft::custom<weft::op_id("sine")>(x)); }
};
inline constexpr auto& sine = weft::custom<weft::op_id("sine")>;
constexpr auto weft::custom_op<weft::op_id("sine")>::gradient(auto g, auto, auto x) {
  return g * weft::custom<weft::op_id("cosine")>(x);
}

// Row `index[i]` of x scaled by weight[i]: another shape than the operands', and an operand without gradient.
template <>
struct weft::custom_op<weft::op_id("pick rows")> {
  static constexpr auto name = "pick rows";
  using TensorType = weft::TensorType;
  static constexpr TensorType type(TensorType x, TensorType index, TensorType weight) {
    if (x.dims.rank != 2 || index.dims.rank != 1 || !(index.dims == weight.dims)) return {};
    TensorType r = x;
    r.dims.extent[0] = index.dims.extent[0];
    return r;
  }
  template <class T, class I>
  static void host(weft::CustomTensor<T> y, weft::CustomTensor<const T> x, weft::CustomTensor<const I> index,
                   weft::CustomTensor<const T> weight) {
    const weft::i64 width = x.dims.extent[1];
    for (weft::i64 i = 0; i < y.dims.extent[0]; ++i)
      for (weft::i64 k = 0; k < width; ++k) y[i * width + k] = x[index[i] * width + k] * weight[i];
  }
  static constexpr auto gradient(auto g, auto, auto x, auto index, auto weight) {
    const auto rows = weft::custom<weft::op_id("put rows")>(x * 0, index, g * weft::unsqueeze<1>(weight));
    return std::tuple{rows, weft::no_gradient,
                      weft::sum<1>(g * weft::custom<weft::op_id("pick rows")>(x, index, weight * 0 + 1))};
  }
};
template <>
struct weft::custom_op<weft::op_id("put rows")> {
  template <class T, class I>
  static void host(weft::CustomTensor<T> y, weft::CustomTensor<const T> x, weft::CustomTensor<const I> index,
                   weft::CustomTensor<const T> rows) {
    const weft::i64 width = x.dims.extent[1];
    for (weft::i64 i = 0; i < y.size(); ++i) y[i] = x[i];
    for (weft::i64 i = 0; i < rows.dims.extent[0]; ++i)
      for (weft::i64 k = 0; k < width; ++k) y[index[i] * width + k] += rows[i * width + k];
  }
};
inline constexpr auto& pick_rows = weft::custom<weft::op_id("pick rows")>;

using namespace weft;

namespace {

std::vector<double> numbers(int count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> x;
  for (int i = 0; i < count; ++i) x.push_back(static_cast<double>(random()) / 2147483648.0 - 1);
  return x;
}

}  // namespace

TEST_CASE("custom: gradients of any order agree with finite differences, amid fused arithmetic") {
  // the primitive at two shapes, of a transposed operand, of a scalar that is computed
  auto f = compile(
      Cpu{},
      [](auto x, auto beta, auto w) {
        const auto loss = [](auto a, auto b, auto c) {
          const auto y = swish(a * 2, b) + 1;                          // (2, 3)
          const auto z = matmul(y, swish(transpose<0, 1>(c), b * b));  // of (3, 4)
          return sum(z * z) * 0.25;
        };
        const auto slope = [&](auto a, auto b) { return sum(square(grad<0>(loss)(a, b, w))); };
        return std::tuple_cat(std::tuple{loss(x, beta, w), slope(x, beta)}, grad<0, 1, 2>(loss)(x, beta, w),
                              grad<0, 1>(slope)(x, beta));
      },
      in<f64, 2, 3>, in<f64>, in<f64, 4, 3>);
  const std::vector<double> x = numbers(6, 1), w = numbers(12, 2), beta{1.3};
  const auto run = [&](int which) {
    return
        [&, which](const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& c) {
          const auto r = f(a, b[0], c);
          return which == 0 ? std::get<0>(r).item() : std::get<1>(r).item();
        };
  };
  // the first value by hand
  const auto s = [](double v, double k) { return v / (1 + std::exp(-k * v)); };
  double total = 0;
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      double z = 0;
      for (std::size_t k = 0; k < 3; ++k) z += (s(2 * x[3 * i + k], 1.3) + 1) * s(w[3 * j + k], 1.3 * 1.3);
      total += z * z / 4;
    }
  CHECK(run(0)(x, beta, w) == doctest::Approx(total).epsilon(1e-14));
  const auto r = f(x, beta[0], w);
  const auto gx = std::get<2>(r).to_vector(), gw = std::get<4>(r).to_vector(),
             sx = std::get<5>(r).to_vector();
  const std::vector<double> gb{std::get<3>(r).item()}, sb{std::get<6>(r).item()};
  const auto worst = [](const auto& value, std::vector<double> at, const std::vector<double>& gradient) {
    double most = 0;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const double middle = at[k], h = 1.0 / 1024;
      const auto moved = [&](double by) {
        at[k] = middle + by;
        return value(at);
      };
      const double slope = (8 * (moved(h) - moved(-h)) - (moved(2 * h) - moved(-2 * h))) / (12 * h);
      at[k] = middle;
      most = std::fmax(most, std::fabs(slope - gradient[k]) / std::fmax(1, std::fabs(slope)));
    }
    return most;
  };
  for (int which : {0, 1}) {
    const auto value = run(which);
    CHECK(worst([&](const auto& a) { return value(a, beta, w); }, x, which == 0 ? gx : sx) < 1e-8);
    CHECK(worst([&](const auto& b) { return value(x, b, w); }, beta, which == 0 ? gb : sb) < 1e-8);
  }
  CHECK(worst([&](const auto& c) { return run(0)(x, beta, c); }, w, gw) < 1e-8);
}

TEST_CASE("custom: primitives whose gradients are primitives, in a loop, without a gradient, and explained") {
  auto f = compile(
      Cpu{},
      [](auto x, auto rows, auto index, auto weight) {
        const auto total = [](auto z) { return sum(sine(z)); };
        const auto first = [=](auto z) { return sum(grad(total)(z)); };
        const auto second = [=](auto z) { return sum(grad(first)(z)); };
        // x <- sin(x) + x/2, three times, by a loop and unrolled
        const auto looped = [](auto z) { return sum(loop<3>([](auto c) { return sine(c) + c * 0.5; }, z)); };
        const auto unrolled = [](auto z) {
          for (int k = 0; k < 3; ++k) z = sine(z) + z * 0.5;
          return sum(z);
        };
        const auto picked = pick_rows(rows, index, weight);
        const auto picks = [&](auto r, auto w) { return sum(square(pick_rows(r, index, w))); };
        return std::tuple_cat(std::tuple{grad(second)(x), grad(looped)(x), grad(unrolled)(x), picked},
                              grad<0, 1>(picks)(rows, weight));
      },
      in<f64, 5>, in<f64, 4, 2>, in<i64, 3>, in<f64, 3>);
  const std::vector<double> x = numbers(5, 3), rows = numbers(8, 4), weight{2, -1, 0.5};
  const std::vector<i64> index{3, 0, 3};
  const auto [third, looped, unrolled, picked, to_rows, to_weight] = f(x, rows, index, weight);
  for (i64 i = 0; i < 5; ++i) {
    CHECK(third[i] == doctest::Approx(-std::cos(x[static_cast<std::size_t>(i)])).epsilon(1e-12));
    CHECK(looped[i] == doctest::Approx(unrolled[i]).epsilon(1e-12));
  }
  double expected[8]{}, to[3]{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t from = 2 * static_cast<std::size_t>(index[i]) + k;
      CHECK(picked(i, k) == rows[from] * weight[i]);
      expected[from] += 2 * rows[from] * weight[i] * weight[i];
      to[i] += 2 * rows[from] * rows[from] * weight[i];
    }
  for (i64 i = 0; i < 8; ++i) CHECK(to_rows[i] == doctest::Approx(expected[i]).epsilon(1e-12));
  for (i64 i = 0; i < 3; ++i) CHECK(to_weight[i] == doctest::Approx(to[i]).epsilon(1e-12));
  const std::string told = f.explain();
  CHECK(told.find("custom") != std::string::npos);
  CHECK(told.find("pick rows") != std::string::npos);
}

namespace {

// [model]
struct Net {
  nn::Linear<4, 8> fc1;
  nn::Linear<8, 2> fc2;
  nn::Param<f32, Shape<>, nn::init::Ones> beta;
  constexpr auto operator()(auto x) const { return fc2(swish(fc1(x), beta)); }
};
// [/model]
struct Composed {
  nn::Linear<4, 8> fc1;
  nn::Linear<8, 2> fc2;
  nn::Param<f32, Shape<>, nn::init::Ones> beta;
  constexpr auto operator()(auto x) const {
    const auto h = fc1(x);
    return fc2(h * sigmoid(beta * h));
  }
};

// The primitive in the body of a loop, where later stages of the step find it only as words.
struct Looped {
  nn::Linear<4, 8> fc1;
  nn::Linear<8, 2> fc2;
  nn::Param<f32, Shape<>, nn::init::Ones> beta;
  constexpr auto operator()(auto x) const {
    return fc2(loop<2>([&](auto h) { return swish(h, beta); }, fc1(x)));
  }
};
struct ComposedTwice {
  nn::Linear<4, 8> fc1;
  nn::Linear<8, 2> fc2;
  nn::Param<f32, Shape<>, nn::init::Ones> beta;
  constexpr auto operator()(auto x) const {
    auto h = fc1(x);
    for (int k = 0; k < 2; ++k) h = h * sigmoid(beta * h);
    return fc2(h);
  }
};

template <class M>
std::vector<f32> trained() {
  auto trainer = make_trainer<M>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); }, in<f32, 6, 4>, in<f32, 6, 2>,
      optim::AdamW{.lr = 0.02f}, clip::norm(0.5f), seed{5});
  std::vector<f32> x, y;
  for (double v : numbers(24, 7)) x.push_back(static_cast<f32>(v));
  for (double v : numbers(12, 8)) y.push_back(static_cast<f32>(v));
  std::vector<f32> out;
  for (int k = 0; k < 20; ++k) out.push_back(trainer.step(x, y));
  for (const auto& values :
       {get<"fc1.weight">(trainer.model()).to_vector(), get<"fc2.bias">(trainer.model()).to_vector(),
        get<"beta">(trainer.model()).to_vector()})
    out.insert(out.end(), values.begin(), values.end());
  return out;
}

}  // namespace

TEST_CASE("custom: a trainer learns through a primitive as through what it is made of") {
  const std::vector<f32> custom_one = trained<Net>(), composed = trained<Composed>();
  REQUIRE(custom_one.size() == composed.size());
  for (std::size_t i = 0; i < composed.size(); ++i)
    CHECK(custom_one[i] == doctest::Approx(composed[i]).epsilon(1e-4));
  const std::vector<f32> looped = trained<Looped>(), twice = trained<ComposedTwice>();
  for (std::size_t i = 0; i < twice.size(); ++i) CHECK(looped[i] == doctest::Approx(twice[i]).epsilon(1e-4));
  CHECK(composed[19] < 0.7f * composed[0]);
  CHECK(composed.back() != 1);  // beta learns
}

TEST_CASE("custom: tensors and numbers as operands") {
  const Tensor<f32, Shape<3>> x{-1, 0, 2};
  const Tensor<f32, Shape<3>> y = swish(x, 2.0f) + x;
  for (i64 i = 0; i < 3; ++i) CHECK(y[i] == doctest::Approx(x[i] / (1 + std::exp(-2 * x[i])) + x[i]));
}

TEST_CASE("custom: two calls are one, another id or operand is not") {
  ir::Builder b;
  const auto input = [&](int k) {
    return Expr<f32, Shape<3>>{
        ir::Value{&b, b.leaf(ir::Op::input, DType::f32, Shape<3>::value, static_cast<u64>(k))}};
  };
  const auto x = input(0), y = input(1);
  const auto a = sine(x);
  CHECK(a.value.id == sine(x).value.id);
  CHECK(a.value.id != sine(y).value.id);
  CHECK(a.value.id != custom<op_id("cosine")>(x).value.id);
  CHECK(ir::print_node(b.graph, a.value.id) == "%2 = custom(%0) sine : f32 (3,)");
  CHECK(op_id("sine") == 0x4e2e8618e6525fd8u);
}

TEST_CASE("custom: a precision policy leaves a primitive's dtypes alone") {
  ir::Builder b;
  const auto input = [&](int k) {
    const int node = b.leaf(ir::Op::input, DType::f32, Shape<3, 3>::value, static_cast<u64>(k));
    b.graph.inputs.push(node);
    return Expr<f32, Shape<3, 3>>{ir::Value{&b, node}};
  };
  const auto x = input(0), w = input(1);
  b.graph.outputs.push(matmul(sine(matmul(x, w)), w).value.id);
  const ir::Graph lowered = transforms::apply_precision(b.graph, {DType::bf16});
  CHECK(to_text(ir::verify(lowered), lowered) == "");
  int customs = 0;
  for (int i = 0; i < lowered.nodes.size(); ++i) {
    if (lowered.nodes[i].op == ir::Op::dot) CHECK(lowered.nodes[lowered.in(i, 0)].dtype == DType::bf16);
    if (lowered.nodes[i].op != ir::Op::custom) continue;
    ++customs;
    CHECK(lowered.nodes[i].dtype == DType::f32);
    CHECK(lowered.nodes[lowered.in(i, 0)].dtype == DType::f32);
  }
  CHECK(customs == 1);
}
