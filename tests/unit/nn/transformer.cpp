#include "weft/nn/transformer.hpp"

#include "reference.hpp"

using namespace nn_test;
using nn::TransformerOptions;

namespace {

constexpr TransformerOptions options{
    .dim_feedforward = 12, .dropout = 0, .layer_norm_eps = 1e-4f, .batch_first = true};

// As in tests/parity/generate_attention.py.
struct Stacks {
  nn::Transformer<8, 2, 2, 1, options, nn::GELU> transformer{};
  nn::Buffer<bool, Shape<2, 5>> padding{};
  constexpr auto operator()(const auto& src, const auto& tgt) const {
    return transformer(src, tgt, nn::src_key_padding_mask(padding), nn::memory_key_padding_mask(padding),
                       nn::tgt_is_causal);
  }
};

}  // namespace

TEST_CASE("transformer: agrees with torch.nn.Transformer") {
  check_module<Stacks, Shape<2, 5, 8>, Shape<2, 4, 8>>(open("transformer"), "stacks");
}

TEST_CASE("transformer: loads a state_dict that PyTorch saved; dropout is off in evaluation") {
  using Layer =
      nn::TransformerEncoderLayer<8, 2, TransformerOptions{.dim_feedforward = 12, .norm_first = true}>;
  using Encoder = nn::TransformerEncoder<Layer, 3, nn::LayerNorm<8>>;
  Model<Encoder> model;
  const LoadReport report =
      model.load(repository_file("tests/parity/nn/transformer_state.safetensors"), LoadMode::lax);
  CHECK(report.missing.empty());
  CHECK(report.mismatched.empty());
  CHECK(report.unexpected.empty());
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 2, 8>);
  const auto file = open("transformer");
  check_close(f(values(file, "saved.x")).data(), values(file, "saved.y"), 80, "saved.y");
}

TEST_CASE("transformer: weights start as PyTorch's, each layer's its own") {
  using Net = nn::Transformer<16, 2, 2, 1, TransformerOptions{.dim_feedforward = 32, .bias = false}>;
  Model<Net> model;
  const auto most = [](const auto& view) {
    double m = 0;
    for (i64 i = 0; i < view.size(); ++i) m = std::fmax(m, std::abs(view[i]));
    return m;
  };
  const auto between = [](double value, double bound) { return value <= bound && value >= 0.95 * bound; };
  CHECK(between(most(model.get<"encoder.layers.0.linear1.weight">()), std::sqrt(6.0 / 48)));
  CHECK(between(most(model.get<"decoder.layers.0.multihead_attn.out_proj.weight">()), std::sqrt(6.0 / 32)));
  CHECK(model.get<"encoder.layers.0.linear2.weight">().to_vector() !=
        model.get<"encoder.layers.1.linear2.weight">().to_vector());
  CHECK(model.get<"decoder.norm.weight">()[15] == 1);
  CHECK(nn::state_table<Net>.size == 6 + 1 + 9 + 1);  // no biases; one row for all encoder layers
}

TEST_CASE("transformer: in training each branch drops, anew in every step") {
  using Layer = nn::TransformerEncoderLayer<4, 2, TransformerOptions{.dim_feedforward = 8, .dropout = 1}>;
  struct Net {
    nn::TransformerEncoder<Layer, 1> encoder{};
    nn::Buffer<f32, Shape<3, 1, 4>> seen{};
  };
  auto trainer = make_trainer<Net>(
      test_device(),
      [](const auto& m, auto x) {
        const auto y = m.encoder(x);
        m.seen.assign(y);
        return sum<>(y);
      },
      in<f32, 3, 1, 4>, TakeGradient{});
  const std::vector<float> x{1, -1, 1, -1, 2, 2, -2, -2, -1, 1, 1, -1};
  trainer.step(x);
  // everything dropped: two normalisations of x, whose rows have mean 0 and one size
  const auto seen = trainer.model().get<"seen">();
  for (i64 i = 0; i < 12; ++i)
    CHECK(seen[i] == doctest::Approx(x[static_cast<std::size_t>(i)] > 0 ? 1 : -1).epsilon(1e-4));
}
