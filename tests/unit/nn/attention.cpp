#include "weft/nn/attention.hpp"

#include "reference.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace nn_test;
using nn::MultiheadOptions;

namespace {

template <class... A>
constexpr auto flat(const A&... a) {
  return cat<0>(reshape<std::remove_cvref_t<decltype(a)>::size>(a)...);
}

// The modules of tests/parity/generate_attention.py.
struct Attentions {
  nn::MultiheadAttention<8, 2> attn{};
  nn::MultiheadAttention<8, 4, MultiheadOptions{.bias = false, .kdim = 6, .vdim = 3, .batch_first = true}>
      cross{};
  nn::Buffer<bool, Shape<5, 5>> mask{};
  nn::Buffer<bool, Shape<2, 7>> padding{};

  constexpr auto operator()(const auto& x, const auto& other) const {
    const auto [y, w] = attn(x, x, x, nn::attn_mask(mask), nn::need_weights);
    const auto [z, u] =
        cross(transpose<0, 1>(x), narrow<-1, 0, 6>(other), narrow<-1, 6, 3>(other),
              nn::average_attn_weights<false>, nn::key_padding_mask(padding), nn::need_weights);
    return flat(y, w, z, u);
  }
};
struct Longer {
  nn::MultiheadAttention<8, 2, MultiheadOptions{.add_bias_kv = true, .add_zero_attn = true}> attn{};
  nn::MultiheadAttention<8, 2> shared{};
  nn::Buffer<f32, Shape<4, 5, 5>> bias{};
  nn::Buffer<f32, Shape<2, 5>> padding{};
  nn::Buffer<bool, Shape<5, 3>> mask{};

  constexpr auto operator()(const auto& x) const {
    const auto [y, w] = attn(x, x, x, nn::attn_mask(bias), nn::key_padding_mask(padding), nn::need_weights);
    const auto memory = narrow<0, 1, 3>(x);
    const auto z = shared(x, memory, memory, nn::attn_mask(mask));
    const auto one = select<1, 0>(x);
    return flat(y, w, z, shared(one, one, one, nn::is_causal));
  }
};

// The number of matrix products in a traced function.
template <class F>
constexpr int products(const F& f) {
  ir::Builder b;
  f(b);
  int n = 0;
  for (const ir::Node& node : b.graph.nodes) n += node.op == ir::Op::dot ? 1 : 0;
  return n;
}

}  // namespace

TEST_CASE("attention: self and cross attention agree with torch.nn.MultiheadAttention") {
  check_module<Attentions, Shape<5, 2, 8>, Shape<2, 7, 9>>(open("attention"), "attentions");
}
TEST_CASE("attention: keys behind the sequence, a blind query and no batch agree with PyTorch") {
  check_module<Longer, Shape<5, 2, 8>>(open("attention"), "longer");
}

TEST_CASE("attention: parameters have PyTorch's names, order and start") {
  using Packed = nn::MultiheadAttention<16, 4, MultiheadOptions{.add_bias_kv = true}>;
  using Split = nn::MultiheadAttention<16, 4, MultiheadOptions{.bias = false, .vdim = 8}>;
  const auto names = [](const auto& table) {
    std::string all;
    for (int i = 0; i < table.size; ++i) all += std::string(table.row[i].name.view()) + " ";
    return all;
  };
  CHECK(names(nn::state_table<Packed>) ==
        "in_proj_weight in_proj_bias bias_k bias_v out_proj.weight out_proj.bias ");
  CHECK(names(nn::state_table<Split>) == "q_proj_weight k_proj_weight v_proj_weight out_proj.weight ");

  Model<Packed> model;
  const auto most = [](const auto& view) {
    double m = 0;
    for (i64 i = 0; i < view.size(); ++i) m = std::fmax(m, std::abs(view[i]));
    return m;
  };
  const double xavier = std::sqrt(6.0 / 64), fan_in = 0.25;
  CHECK(most(model.get<"in_proj_weight">()) <= xavier);
  CHECK(most(model.get<"in_proj_weight">()) >= 0.95 * xavier);
  CHECK(most(model.get<"out_proj.weight">()) <= fan_in);
  CHECK(most(model.get<"out_proj.weight">()) >= 0.95 * fan_in);
  CHECK(most(model.get<"in_proj_bias">()) == 0);
  CHECK(most(model.get<"out_proj.bias">()) == 0);
  CHECK(most(model.get<"bias_k">()) > 0);
  CHECK(most(model.get<"bias_v">()) < 5 * std::sqrt(2.0 / 32));
}

TEST_CASE("attention: one product for operands that are the same") {
  const auto count = [](auto same) {
    return products([](ir::Builder& b) {
      const auto m = exec::bind_model<nn::MultiheadAttention<8, 2>>(b, false);
      const auto x = exec::trace_input<Input<f32, Shape<3, 2, 8>>>(b, 0);
      const auto y = exec::trace_input<Input<f32, Shape<3, 2, 8>>>(b, 1);
      const auto z = exec::trace_input<Input<f32, Shape<3, 2, 8>>>(b, 2);
      if constexpr (decltype(same)::value == 3) m(x, x, x);
      if constexpr (decltype(same)::value == 2) m(x, y, y);
      if constexpr (decltype(same)::value == 1) m(x, y, z);
    });
  };
  CHECK(count(std::integral_constant<int, 3>{}) == 2);  // with out_proj
  CHECK(count(std::integral_constant<int, 2>{}) == 3);
  CHECK(count(std::integral_constant<int, 1>{}) == 4);
}

TEST_CASE("attention: dropout drops weights in training alone") {
  struct Net {
    nn::MultiheadAttention<4, 2> attn{.dropout = 0.5f};
    nn::Buffer<f32, Shape<1, 64, 64>> seen{};
  };
  auto trainer = make_trainer<Net>(
      test_device(),
      [](const auto& m, auto x) {
        const auto [y, w] = m.attn(x, x, x, nn::need_weights);
        m.seen.assign(w);
        return sum<>(y);
      },
      in<f32, 64, 1, 4>, TakeGradient{});
  const std::vector<float> x(256, 0);
  trainer.step(x);
  const auto seen = trainer.model().get<"seen">();
  int zeros = 0;
  for (i64 i = 0; i < 4096; ++i) {  // equal weights of two heads: none, one or both kept
    const float kept = seen[i] * 64;
    CHECK((kept == 0 || kept == 1 || kept == 2));
    zeros += kept == 0 ? 1 : 0;
  }
  CHECK(std::abs(zeros / 4096.0 - 0.25) < 4 * std::sqrt(0.25 * 0.75 / 4096));
  auto f = compile(
      trainer.model(), [](const auto& m, auto v) { return std::get<1>(m.attn(v, v, v, nn::need_weights)); },
      in<f32, 64, 1, 4>);
  const auto weights = f(x);
  CHECK(weights[0] == doctest::Approx(1.0 / 64));
  CHECK(weights[4095] == doctest::Approx(1.0 / 64));
}
