// The same program twice: trainings repeated bit for bit, steps that are replayed against steps launched one
// by one, a training that is saved and resumed.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "softgpu/launch_records.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

// Gradients that are sums over many: an embedding's rows, dropout, attention, norms, products in bf16.
struct Language {
  static constexpr nn::TransformerOptions options{
      .dim_feedforward = 128, .dropout = 0.1f, .batch_first = true, .norm_first = true};
  nn::Embedding<97, 64> words{};
  nn::TransformerEncoder<nn::TransformerEncoderLayer<64, 4, options>, 2> encoder{};
  nn::LayerNorm<64> norm{};
  nn::Linear<64, 97> head{};
  constexpr auto operator()(auto tokens) const { return head(norm(encoder(words(tokens)))); }
};
struct Pictures {
  nn::Conv2d<3, 16, 3, nn::ConvOptions{.padding = 1}> conv1{};
  nn::BatchNorm2d<16> norm{};
  nn::Conv2d<16, 32, 3, nn::ConvOptions{.stride = 2}> conv2{};
  nn::Linear<32 * 9 * 9, 10> head{};
  constexpr auto operator()(auto x) const { return head(flatten<1>(relu(conv2(relu(norm(conv1(x))))))); }
};

struct NextToken {
  constexpr auto operator()(const auto& model, auto x, auto y) const {
    return cross_entropy(reshape<-1, 97>(model(x)), flatten<0>(y));
  }
};
struct Label {
  constexpr auto operator()(const auto& model, auto x, auto y) const { return cross_entropy(model(x), y); }
};

auto language() {
  return make_trainer<Language>(Cuda{0}, NextToken{}, in<i32, 4, 64>, in<i32, 4, 64>,
                                optim::AdamW{.lr = 1e-2f}, clip::norm(1.0f), precision::bf16, seed{4});
}
auto pictures() {
  return make_trainer<Pictures>(Cuda{0}, Label{}, in<f32, 16, 3, 20, 20>, in<i32, 16>,
                                optim::AdamW{.lr = 1e-2f}, seed{4});
}

template <class T>
std::vector<T> values(i64 count, int step) {
  std::vector<T> v(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<T>(i * 37 % 101 % 10) / static_cast<T>(std::is_same_v<T, f32> ? 5 : 1) +
           static_cast<T>(step % 2);
  return v;
}
void step(auto& trainer, int k, std::vector<f32>& losses) {
  using Trainer = std::remove_cvref_t<decltype(trainer)>;
  using X = std::tuple_element_t<0, typename Trainer::InputTypes>;
  using Y = std::tuple_element_t<1, typename Trainer::InputTypes>;
  auto y = values<i32>(Y::shape::size, 0);
  losses.push_back(trainer.step(values<typename X::dtype>(X::shape::size, k), y));
}

// Every parameter and buffer as a file has them, and the losses on the way.
struct Outcome {
  std::vector<f32> losses;
  std::string saved;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};
std::string contents(const char* path) {
  std::string text;
  if (std::FILE* const file = std::fopen(path, "rb")) {
    char block[4096];
    for (std::size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, n);
    std::fclose(file);
  }
  std::remove(path);
  return text;
}
Outcome trained(auto trainer, int steps, int resumed_at) {
  Outcome found;
  const char* const path = "repeats.safetensors";
  for (int k = 0; k < steps; ++k) {
    if (k == resumed_at) {
      trainer.save(path);
      for (int lost = 0; lost < 2; ++lost) {
        std::vector<f32> unused;
        step(trainer, k + 7, unused);
      }
      trainer.load(path);
    }
    step(trainer, k, found.losses);
  }
  trainer.save(path);
  found.saved = contents(path);
  return found;
}

void twenty_times(auto make) {
  const Outcome first = trained(make(), 4, -1);
  REQUIRE(first.saved.size() > 1000);
  CHECK(first.losses[0] != first.losses[2]);
  const bool emulated =
      softgpu::launch_records() != nullptr;  // which takes a minute for what a GPU does at once
  for (int again = 1; again < (emulated ? 2 : 20); ++again) CHECK((trained(make(), 4, -1) == first));
  CHECK((trained(make(), 4, 2) == first));
}

struct BothWays {
  constexpr auto operator()(auto q, auto k, auto v, auto weight) const {
    return value_and_grad<0, 1, 2, 3>([](auto a, auto b, auto c, auto w) {
      const auto y = scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(a, b, c);
      return mean(square(layer_norm(matmul(y, w))));
    })(q, k, v, weight);
  }
};

}  // namespace

TEST_CASE("repeats: twenty trainings of a language model give the same bits, and so does a resumed one") {
  twenty_times([] { return language(); });
}

TEST_CASE("repeats: twenty trainings on pictures give the same bits, and so does a resumed one") {
  twenty_times([] { return pictures(); });
}

TEST_CASE("repeats: what is replayed gives the bits of what is launched step by step") {
  using Code = exec::Compiled<
      exec::FunctionSource<BothWays, Input<f32, Shape<2, 4, 192, 64>>, Input<f32, Shape<2, 4, 192, 64>>,
                           Input<f32, Shape<2, 4, 192, 64>>, Input<f32, Shape<64, 96>>>>;
  exec::CudaProgram<Code> captured(Cuda{0}, {}), plain(Cuda{0}, {}, false);
  const auto results = [](exec::CudaProgram<Code>& program, int call) {
    const std::vector<f32> x = values<f32>(2 * 4 * 192 * 64, call), weight = values<f32>(64 * 96, call + 1);
    for (int k = 0; k < 3; ++k) program.bind_input(k, x.data());
    program.bind_input(3, weight.data());
    program.run();
    std::vector<std::vector<f32>> found;
    for (const i64 size :
         {i64{1}, i64{2 * 4 * 192 * 64}, i64{2 * 4 * 192 * 64}, i64{2 * 4 * 192 * 64}, i64{64 * 96}}) {
      found.emplace_back(static_cast<std::size_t>(size));
      program.read_output(static_cast<int>(found.size()) - 1, found.back().data(), size * 4);
    }
    return found;
  };
  for (int call = 0; call < 3; ++call) {
    const auto expected = results(plain, call);
    CHECK(expected[1] != std::vector<f32>(expected[1].size()));
    CHECK((results(captured, call) == expected));
  }
}
