// A program whose global types have one letter each, declared before weft is included, gets no -Wshadow
// warning from weft's headers (the tests are compiled with -Werror).
struct A {};
struct B {};
struct C {};
struct D {};
struct E {};
struct F {};
struct G {};
struct H {};
struct I {};
struct J {};
struct K {};
struct L {};
struct M {};
struct N {};
struct O {};
struct P {};
struct Q {};
struct R {};
struct S {};
struct T {};
struct U {};
struct V {};
struct W {};
struct X {};
struct Y {};
struct Z {};

#include <weft/weft.hpp>

namespace nn = weft::nn;

struct Recurrent {
  nn::GRU<4, 8> gru{};
  nn::LayerNorm<8> norm{};
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<8, 3> head{};
  constexpr auto operator()(auto x) const { return head(drop(weft::relu(norm(std::get<0>(gru(x)))))); }
};

float train(const float* x, const int* y) {
  auto trainer = weft::make_trainer<Recurrent>(
      weft::Cpu{1},
      [](const auto& m, auto in, auto labels) {
        return weft::cross_entropy(weft::reshape<10, 3>(m(in)), weft::reshape<10>(labels));
      },
      weft::in<float, 2, 5, 4>, weft::in<int, 2, 5>, weft::optim::AdamW{.lr = 1e-3f}, weft::precision::bf16);
  return trainer.step(x, y);
}

float immediate(const weft::Tensor<float, weft::Shape<4>>& x) {
  const weft::Tensor<float, weft::Shape<4>> y = weft::where(x > 0.5f, exp(x) * 2.0f, x);
  return y[0];
}

float mapped(const float* x) {
  auto f = weft::compile(
      weft::Cpu{1},
      [](auto a) { return weft::sum<>(weft::vmap([](auto r) { return weft::cumsum<0>(r) * r; })(a)); },
      weft::in<float, 5, 4>);
  return f(x);
}
