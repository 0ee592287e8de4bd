// The code of docs/layers.md stands between its marks and is compared with the page.

#include <doctest/doctest.h>

#include <cmath>
#include <vector>
#include <weft/weft.hpp>

namespace nn = weft::nn;
using namespace weft;

namespace {

// [own]
// A layer of one's own: a parameter, a buffer, a setting, and what it computes.
template <i64 Features>
struct RunningScale {
  nn::Param<f32, Shape<Features>, nn::init::Ones> weight;
  nn::Buffer<f32, Shape<Features>, nn::init::Ones> largest;  // saved with the model, not trained
  float momentum = 0.1f;
  nn::Mode mode;  // filled in by the tracer

  constexpr auto operator()(auto x) const {  // (N, Features)
    if (mode.training) {
      const auto now = amax<0>(abs(stop_gradient(x)));
      largest.assign(largest * (1 - momentum) + now * momentum);  // takes effect at the end of the step
    }
    return x / largest * weight;
  }
};
// [/own]

// [deep]
// Twelve blocks that the compiler sees once.
struct Deep {
  struct Block {
    nn::LayerNorm<16> norm;
    nn::Linear<16, 16> fc;
    nn::Dropout drop{.p = 0.1f};
    constexpr auto operator()(auto x, auto scale) const {
      const auto y = x + drop(gelu(fc(norm(x)))) * scale;
      return std::pair{y, mean<>(square(y))};  // what goes on to the next block, and a result of each
    }
  };
  nn::Stack<Block, 12> h;  // names h.0.norm.weight to h.11.fc.bias
  nn::Param<f32, Shape<12>, nn::init::Ones> scales;
  constexpr auto operator()(auto x) const {          // (N, 16)
    const auto [y, sizes] = h(x, nn::each(scales));  // (N, 16), (12,): block k is given scales[k]
    return std::pair{y, sizes};
  }
};
// [/deep]

// [cache]
// What a decoder has seen so far: state of its own, beside the model.
struct Cache {
  nn::Buffer<f32, Shape<128, 16>> rows;
  nn::Buffer<i32, Shape<>> length;
};
struct Reader {
  nn::Linear<16, 16> fc;
  constexpr auto operator()(const auto& cache, auto x) const {  // (1, 16)
    const auto seen = dynamic_update_slice(cache.rows, fc(x), cache.length, 0);
    cache.rows.assign(seen);  // the row alone is written
    cache.length.assign(cache.length + 1);
    return sum<0>(seen);
  }
};
// [/cache]

// [init]
struct Started {
  nn::Param<f32, Shape<8, 4>, nn::init::XavierUniform<>> weight;
  nn::Param<f32, Shape<8>, nn::init::Constant<1, 100>> bias;
  constexpr auto operator()(auto x) const { return linear(x, weight, bias); }
};
// [/init]

// [images]
struct Images {
  nn::Conv2d<3, 8, 3, nn::ConvOptions{.stride = 2, .padding = 1}> conv;
  nn::Conv2d<8, 8, nn::PerAxis{3, 1}, nn::ConvOptions{.padding = "same", .groups = 8, .bias = false}>
      depthwise;
  nn::MaxPool2d<2> pool;
  nn::ConvTranspose2d<8, 3, 4, nn::ConvTransposeOptions{.stride = 2, .padding = 1}> up;
  nn::Upsample<nn::InterpolateOptions{.scale_factor = 2}> enlarge;
  constexpr auto operator()(auto x) const {                    // (N, 3, 16, 16)
    return enlarge(up(pool(relu(depthwise(relu(conv(x)))))));  // (N, 3, 16, 16)
  }
};
// [/images]

// [recurrent]
struct Tagger {
  nn::LSTM<6, 10, nn::Recurrent{.num_layers = 2, .batch_first = true, .bidirectional = true}> lstm{.dropout =
                                                                                                       0.1f};
  nn::Linear<20, 3> head;
  constexpr auto operator()(auto x) const {  // (N, T, 6)
    const auto [y, last] = lstm(x);          // (N, T, 20); the last h and c
    return head(y);                          // (N, T, 3)
  }
};
// [/recurrent]

}  // namespace

TEST_CASE("layers: one of one's own, in training and in evaluation") {
  // [modes]
  auto trainer = make_trainer<RunningScale<2>>(
      Cpu{}, [](const auto& layer, auto x) { return mean<>(square(layer(x))); }, in<f32, 3, 2>,
      optim::SGD{.lr = 0.01f});  // traced in training mode
  const std::vector<f32> rows{1, -2, 3, 4, -5, 6};
  trainer.step(rows);
  auto apply = compile(  // in evaluation mode
      trainer.model(), [](const auto& layer, auto x) { return layer(x); }, in<f32, 3, 2>);
  auto largest = trainer.model().get<"largest">();  // a view of the model's memory
  // [/modes]
  CHECK(largest(0) == doctest::Approx(0.9 + 0.5));
  CHECK(largest(1) == doctest::Approx(0.9 + 0.6));
  const std::vector<f32> before = largest.to_vector();
  auto y = apply(rows);
  CHECK(y(0, 0) == doctest::Approx(trainer.model().get<"weight">()(0) / largest(0)));
  CHECK(largest.to_vector() == before);
  static_assert(Model<RunningScale<2>>::parameter_count() == 2);
}

TEST_CASE("layers: initialisation") {
  // [weights]
  Model<Started> model(Cpu{}, 3);  // seed 3: the same parameters on every device
  model.get<"bias">() = 0.5f;      // everywhere; or a std::vector, a tensor, an expression
  // [/weights]
  const f32 bound = std::sqrt(6.0f / 12.0f);
  for (const f32 w : model.get<"weight">()) CHECK(std::abs(w) <= bound);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 1, 4>);
  CHECK(f(std::vector<f32>(4, 0.0f))(0, 7) == 0.5f);
}

TEST_CASE("layers: a deep model") {
  Model<Deep> model(Cpu{}, 3);
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 3, 16>);
  std::vector<f32> x(48);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::sin(static_cast<f32>(i));
  const auto [y, sizes] = f(x);
  f32 squares = 0;
  for (const f32 v : y) squares += v * v / 48;
  CHECK(sizes(11) == doctest::Approx(squares).epsilon(1e-5));
  CHECK(sizes(0) != sizes(11));
  CHECK(Model<Deep>::parameter_count() == 12 * (32 + 16 * 17) + 12);
}

TEST_CASE("layers: a cache beside a model") {
  // [states]
  Model<Reader> reader;
  Model<Cache> one, other;  // two conversations with one model
  auto first = compile(
      states(reader, one), [](const auto& m, const auto& c, auto x) { return m(c, x); }, in<f32, 1, 16>);
  auto second = compile(
      states(reader, other), [](const auto& m, const auto& c, auto x) { return m(c, x); }, in<f32, 1, 16>);
  // [/states]
  const std::vector<f32> x(16, 1);
  const std::vector<f32> once = first(x).to_vector();
  const std::vector<f32> twice = first(x).to_vector();
  for (std::size_t i = 0; i < 16; ++i) CHECK(twice[i] == doctest::Approx(2 * once[i]));
  CHECK(second(x).to_vector() == once);
  CHECK(one.get<"length">().item() == 2);
  CHECK(other.get<"length">().item() == 1);
}

TEST_CASE("layers: images and sequences") {
  Model<Images> images;
  auto f = compile(
      images, [](const auto& m, auto x) { return m(x); }, in<f32, 2, 3, 16, 16>);
  auto picture = f(std::vector<f32>(2 * 3 * 256, 0.5f));
  static_assert(std::is_same_v<decltype(picture)::shape, Shape<2, 3, 16, 16>>);
  CHECK(std::isfinite(picture(1, 2, 15, 15)));
  CHECK(picture(0, 1, 7, 7) == picture(1, 1, 7, 7));

  Model<Tagger> tagger;
  auto tags = compile(
      tagger, [](const auto& m, auto x) { return m(x); }, in<f32, 4, 7, 6>);
  auto scores = tags(std::vector<f32>(4 * 7 * 6, 0.5f));
  static_assert(std::is_same_v<decltype(scores)::shape, Shape<4, 7, 3>>);
  CHECK(scores(3, 6, 2) == scores(0, 6, 2));
}
