#include "weft/nn/container.hpp"

#include "reference.hpp"
#include "weft/nn/activation.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/math/composed.hpp"
#include "weft/ops/shape/rearrange.hpp"

using namespace nn_test;

namespace {

struct Net {
  nn::Sequential<nn::Linear<4, 3>, nn::ReLU, nn::Dropout, nn::Sequential<nn::Linear<3, 2>, nn::Identity>> net{
      {{}, {}, {.p = 0.0f}, {}}};
  constexpr auto operator()(auto x) const { return net(x); }
};

// Settings in braces, a pair for each layer.
struct Set {
  nn::Sequential<nn::Linear<4, 8>, nn::Dropout> net{{}, {.p = 0.2f}};
  nn::Sequential<nn::LeakyReLU, nn::Sequential<nn::Linear<8, 3>, nn::Dropout>> more{{.slope = 0.5f},
                                                                                    {{}, {.p = 0.25f}}};
  nn::Sequential<nn::Dropout> one{{.p = 0.75f}};
  nn::Sequential<nn::Linear<3, 3>> lone;
  constexpr auto operator()(auto x) const { return lone(one(more(net(x)))); }
};
struct OneLayer {
  nn::Sequential<nn::Dropout> one{{.p = 0.75f}};
  constexpr auto operator()(auto x) const { return one(x); }
};

struct Single {
  nn::Sequential<nn::Sequential<nn::Linear<4, 3>>> net{};
};

struct HalfFrozen {
  nn::Frozen<nn::Linear<2, 2>> body{};
  nn::Linear<2, 1> head{};
  nn::Frozen<nn::Param<f32, Shape<1>, nn::init::Ones>> shift{};
  constexpr auto operator()(auto x) const { return head(body(x)) + shift; }
};

}  // namespace

TEST_CASE("container: Sequential names its layers by number and applies them in order") {
  const auto& table = nn::state_table<Net>;
  const char* names[]{"net.0.weight", "net.0.bias", "net.3.0.weight", "net.3.0.bias"};
  REQUIRE(table.size == 4);
  for (int i = 0; i < 4; ++i) CHECK(table.row[i].name.view() == names[i]);

  const auto& single = nn::state_table<Single>;
  REQUIRE(single.size == 2);
  CHECK(single.row[0].name.view() == "net.0.0.weight");

  Model<Net, TestDevice> model(test_device(), 3);
  auto whole = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 5, 4>);
  auto parts = compile(
      model,
      [](const auto& m, auto x) {
        const auto& outer = m.net.layers;
        const auto& inner = std::get<3>(outer).layers;
        return std::get<0>(inner)(relu(std::get<0>(outer)(x)));
      },
      in<f32, 5, 4>);
  std::vector<float> x(20);
  for (std::size_t i = 0; i < 20; ++i) x[i] = static_cast<float>(i) / 10 - 1;
  CHECK(whole(x).to_vector() == parts(x).to_vector());
}

TEST_CASE("container: sequential(...) keeps the layers' settings") {
  constexpr auto net = nn::sequential(nn::Dropout{.p = 0.25f}, nn::LeakyReLU{.slope = 0.5f});
  static_assert(std::get<0>(net.layers).p == 0.25f && std::get<1>(net.layers).slope == 0.5f);
}

TEST_CASE("container: the layers of a Sequential take settings in braces") {
  constexpr Set set{};
  static_assert(std::get<1>(set.net.layers).p == 0.2f);
  static_assert(std::get<0>(set.more.layers).slope == 0.5f);
  static_assert(std::get<1>(std::get<1>(set.more.layers).layers).p == 0.25f);
  static_assert(std::get<0>(set.one.layers).p == 0.75f);
  const auto& table = nn::state_table<Set>;
  const char* names[]{"net.0.weight",  "net.0.bias",    "more.1.0.weight",
                      "more.1.0.bias", "lone.0.weight", "lone.0.bias"};
  REQUIRE(table.size == 6);
  for (int i = 0; i < 6; ++i) CHECK(table.row[i].name.view() == names[i]);

  auto drops = compile<OneLayer>(
      test_device(), [](const auto& m, auto x) { return m(x); }, in<f32, 64, 64>, mode::train);
  int dropped = 0, kept = 0;
  for (float v : drops(std::vector<float>(64 * 64, 1.0f))) {
    dropped += v == 0 ? 1 : 0;
    kept += v == 4 ? 1 : 0;
  }
  CHECK(dropped + kept == 4096);
  CHECK(std::abs(dropped - 3072) < 5 * 28);  // the deviation is sqrt(4096 * 0.75 * 0.25) = 27.7
}

TEST_CASE("container: Flatten joins axes, Unflatten takes one apart") {
  const auto shape_of = [](auto f) {
    return typename decltype(f(std::declval<Expr<f32, Shape<2, 3, 4, 5>>>()))::shape{};
  };
  static_assert(std::is_same_v<decltype(shape_of(nn::Flatten<>{})), Shape<2, 60>>);
  static_assert(std::is_same_v<decltype(shape_of(nn::Flatten<0>{})), Shape<120>>);
  static_assert(std::is_same_v<decltype(shape_of(nn::Flatten<1, 2>{})), Shape<2, 12, 5>>);
  static_assert(std::is_same_v<decltype(shape_of(nn::Flatten<-2>{})), Shape<2, 3, 20>>);
  static_assert(std::is_same_v<decltype(shape_of(nn::Unflatten<2, 2, -1>{})), Shape<2, 3, 2, 2, 5>>);
  static_assert(std::is_same_v<decltype(shape_of(nn::Unflatten<-1, 5, 1>{})), Shape<2, 3, 4, 5, 1>>);
  auto f = compile(
      test_device(), [](auto x) { return nn::Flatten<1, 2>{}(nn::Unflatten<2, 1, 2>{}(x)); },
      in<i32, 2, 2, 2>);
  CHECK(f(std::vector<i32>{0, 1, 2, 3, 4, 5, 6, 7}).to_vector() == std::vector<i32>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("container: what is frozen keeps its names and its values, and the rest learns") {
  const auto& table = nn::state_table<HalfFrozen>;
  REQUIRE(table.size == 5);
  CHECK(table.row[0].name.view() == "body.weight");
  CHECK_FALSE(table.row[0].trained);
  CHECK(table.row[4].name.view() == "shift");
  static_assert(nn::parameter_count<HalfFrozen>() == 3);

  auto trainer = make_trainer<HalfFrozen>(
      test_device(), [](const auto& m, auto x) { return mean<>(m(x)); }, in<f32, 3, 2>,
      optim::PlainSGD{.lr = 0.5f});
  auto& model = trainer.model();
  const auto body = model.get<"body.weight">().to_vector(), head = model.get<"head.weight">().to_vector();
  trainer.step(std::vector<float>{1, 2, 3, 4, 5, 7});
  CHECK(model.get<"body.weight">().to_vector() == body);
  CHECK(model.get<"shift">()[0] == 1);
  CHECK(model.get<"head.weight">().to_vector() != head);
}

namespace {

struct Pair {
  nn::Linear<3, 2> body{};
  nn::Linear<2, 1> head{};
};

template <class F>
std::vector<float> after_a_step(F loss) {
  auto trainer =
      make_trainer<Pair>(test_device(), loss, in<f32, 4, 3>, optim::PlainSGD{.lr = 0.5f}, seed{11});
  std::vector<float> x(12);
  for (std::size_t i = 0; i < 12; ++i) x[i] = static_cast<float>(i * i % 7) / 4 - 1;
  trainer.step(x);
  auto& model = trainer.model();
  auto out = model.template get<"body.weight">().to_vector();
  const auto head = model.template get<"head.weight">().to_vector();
  out.insert(out.end(), head.begin(), head.end());
  return out;
}

}  // namespace

TEST_CASE("container: frozen(...) in a loss keeps gradients from a module's parameters, not from its input") {
  // the critic is used twice: once to be trained, once to train what feeds it
  const auto both = after_a_step([](const auto& m, auto x) {
    const auto h = m.body(x);
    return mean<>(nn::frozen(m.head)(h)) + mean<>(square(m.head(stop_gradient(h))));
  });
  const auto direct = after_a_step([](const auto& m, auto x) {
    const auto h = m.body(x);
    const auto w = stop_gradient(m.head.weight);
    return mean<>(matmul(h, transpose<0, 1>(w)) + stop_gradient(m.head.bias)) +
           mean<>(square(m.head(stop_gradient(h))));
  });
  const auto open = after_a_step([](const auto& m, auto x) {
    const auto h = m.body(x);
    return mean<>(m.head(h)) + mean<>(square(m.head(stop_gradient(h))));
  });
  const auto one = after_a_step([](const auto& m, auto x) {
    const auto h = m.body(x);
    return mean<>(matmul(h, transpose<0, 1>(nn::frozen(m.head.weight)))) +
           mean<>(square(m.head(stop_gradient(h))));
  });
  REQUIRE(both.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) {
    CHECK(both[i] == doctest::Approx(direct[i]).epsilon(1e-6));
    CHECK(one[i] == doctest::Approx(direct[i]).epsilon(1e-6));
    if (i < 6) CHECK(both[i] == doctest::Approx(open[i]).epsilon(1e-6));  // the body learns as before
    if (i >= 6) CHECK(both[i] != open[i]);                                // the head does not
  }
}
