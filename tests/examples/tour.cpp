// The code of docs/tour.md stands between its marks and is compared with the page.

#include <doctest/doctest.h>

// [include]
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;
// [/include]

#include <cmath>
#include <cstdio>

namespace {

// [model]
struct Net {
  nn::Linear<2, 16> fc1;
  nn::Linear<16, 1> fc2;
  constexpr auto operator()(auto x) const { return fc2(tanh(fc1(x))); }
};
// [/model]

}  // namespace

TEST_CASE("tour: immediate expressions") {
  // [tensor]
  Tensor<f32, Shape<2, 3>> a{1, 2, 3, 4, 5, 6};
  Tensor<f32, Shape<3>> b{10, 20, 30};
  Tensor<f32, Shape<2, 3>> y = softmax<-1>(a * b + 1.0f);  // one kernel
  // [/tensor]
  CHECK(y(0, 2) == doctest::Approx(1.0));
  const double row = double(y(1, 0)) + double(y(1, 1)) + double(y(1, 2));
  CHECK(row == doctest::Approx(1.0));
}

TEST_CASE("tour: compiled functions") {
  // [function]
  auto f = compile(
      Cpu{},
      [](auto x, auto w) {
        return std::tuple{matmul(x, w), sum<>(x)};
      },
      in<f32, 4, 2>, in<f32, 2, 3>);
  const std::vector<f32> x(8, 1.0f), w{1, 2, 3, 4, 5, 6};
  auto [product, total] = f(x, w);  // views; kept longer than the next call, they are copied first
  std::printf("%s", f.explain().c_str());
  // [/function]
  CHECK(product(0, 0) == 5);
  CHECK(product(3, 2) == 9);
  CHECK(total.item() == 8);
}

TEST_CASE("tour: indexing") {
  // [index]
  auto pick = compile(
      Cpu{},
      [](auto x, auto rows) {
        auto part = index(x, rows, range<1, 5, 2>);        // x[rows, 1:5:2]
        auto [top, places] = topk<2>(x);                   // of each row: values, and where they were
        auto [found, count] = masked_select<8>(x, x > 0);  // room for 8, and how many there were
        return std::tuple{part, top, places, found, count, einsum<"ij,ij->i">(x, x), cumsum<1>(x)};
      },
      in<f32, 2, 6>, in<i64, 3>);
  const f32 table[2][6] = {{3, -1, 4, -1, 5, -9}, {2, 6, -5, 3, 5, -8}};
  auto [part, top, places, found, count, squares, running] = pick(table, std::vector<i64>{1, 0, -1});
  // [/index]
  CHECK(part(0, 1) == 3);
  CHECK(part(1, 0) == -1);
  CHECK(top(0, 0) == 5);
  CHECK(places(1, 1) == 4);
  CHECK(found(3) == 2);
  CHECK(count.item() == 7);
  CHECK(squares(0) == 133);
  CHECK(running(1, 5) == 3);
}

TEST_CASE("tour: derivatives") {
  // [derivatives]
  auto f = compile(
      Cpu{},
      [](auto x, auto w, auto direction) {
        const auto energy = [](auto sample, auto weight) {
          return sum(square(tanh(matmul(weight, sample))));
        };
        auto each = vmap<0, unmapped>(grad<1>(energy))(x, w);  // (32, 3, 2): one gradient of w a sample
        auto total = [&](auto weight) { return sum(vmap<0, unmapped>(energy)(x, weight)); };
        auto [slope, bend] = jvp(grad(total))(w, direction);  // the gradient, and the Hessian times direction
        auto back = vjp(grad(total))(w, direction);           // the same from the other side
        return std::tuple{each, slope, bend, back};
      },
      in<f32, 32, 2>, in<f32, 3, 2>, in<f32, 3, 2>);
  // [/derivatives]
  std::vector<f32> x(64), w{1, 2, -1, 0.5f, 0, 1}, direction{1, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < 64; ++i) x[i] = std::sin(static_cast<f32>(i));
  const auto [each, slope, bend, back] = f(x, w, direction);
  for (i64 k = 0; k < 6; ++k) {
    double sum = 0;
    for (i64 i = 0; i < 32; ++i) sum += static_cast<double>(each[6 * i + k]);
    CHECK(sum == doctest::Approx(static_cast<double>(slope[k])).epsilon(1e-5));
    CHECK(static_cast<double>(bend[k]) == doctest::Approx(static_cast<double>(back[k])).epsilon(1e-5));
  }
}

TEST_CASE("tour: training") {
  // [train]
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& net, auto x, auto y) { return mse_loss(net(x), y); },  //
      in<f32, 64, 2>, in<f32, 64, 1>,                                              //
      optim::AdamW{.lr = schedule::warmup_cosine(1e-2, 50, 1000)}, clip::norm(1.0f), seed{7});
  std::vector<f32> x(128), y(64);
  for (int step = 0; step < 1000; ++step) {
    for (std::size_t i = 0; i < 64; ++i) {
      x[2 * i] = std::sin(0.37f * static_cast<f32>(step + 64) * static_cast<f32>(i));
      x[2 * i + 1] = std::cos(0.11f * static_cast<f32>(step) + static_cast<f32>(i));
      y[i] = x[2 * i] * x[2 * i + 1];
    }
    auto loss = trainer.step(x, y);  // reading it waits for the step
    if (step % 100 == 0) std::printf("step %d loss %.4f\n", step, static_cast<double>(loss));
  }
  trainer.model().save("net.safetensors");  // fc1.weight, fc1.bias, fc2.weight, fc2.bias
  // [/train]
  CHECK(static_cast<f32>(trainer.step(x, y)) < 0.02f);

  // [load]
  Model<Net> model;
  model.load("net.safetensors");
  auto predict = compile(
      model, [](const auto& net, auto input) { return net(input); }, in<f32, 1, 2>);
  const f32 point[1][2] = {{0.5f, -0.5f}};
  const f32 answer = predict(point);
  std::printf("%s", model.summary().c_str());
  // [/load]
  CHECK(std::abs(answer + 0.25f) < 0.15f);

  // [probe]
  auto watched = compile(
      model, [](const auto& net, auto input) { return net.fc2(probe<"hidden">(tanh(net.fc1(input)))); },
      in<f32, 1, 2>, probes<"hidden">);
  watched(point);
  auto hidden = watched.get_probe<"hidden">();  // (1, 16)
  // [/probe]
  CHECK(std::abs(hidden[0]) <= 1);
  std::remove("net.safetensors");
}
