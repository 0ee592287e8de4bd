#include "weft/optim/muon.hpp"

#include "reference.hpp"
#include "weft/optim/average.hpp"

using namespace optim_test;

namespace {

// A tall matrix and a wide one, and their biases.
struct Net {
  nn::Linear<5, 8> fc1{};
  nn::Linear<8, 3> fc2{};
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};
constexpr auto net_loss = [](const auto& m, auto x, auto target) { return mse_loss(m(x), target); };

template <class Option>
auto train_net(const Option& option, float* losses) {
  auto trainer = make_trainer<Net>(test_device(), net_loss, in<f32, 8, 5>, in<f32, 8, 3>, option);
  const auto& table = nn::state_table<Net>;
  for (int i = 0; i < table.size; ++i) {
    const io::SafetensorsEntry& entry = more().at("muon.start." + std::string(table.row[i].name.view()));
    std::memcpy(trainer.model().state() + table.row[i].offset, entry.data, entry.bytes);
  }
  for (int step = 0; step < 20; ++step) losses[step] = trainer.step(values("x"), values("target"));
  return trainer;
}

// Of every loss and of the parameters after 20 steps.
template <class Option>
void compare_net(const std::string& name, const Option& option, double tolerance) {
  float losses[20];
  auto trainer = train_net(option, losses);
  const float* wanted = values(name + ".losses");
  for (int step = 0; step < 20; ++step) {
    CAPTURE(name);
    CAPTURE(step);
    CHECK(std::abs(losses[step] - wanted[step]) <= tolerance * std::abs(wanted[step]));
  }
  const auto& table = nn::state_table<Net>;
  for (int i = 0; i < table.size; ++i) {
    const std::string key = name + "." + std::string(table.row[i].name.view());
    const float* got = reinterpret_cast<const float*>(trainer.model().state() + table.row[i].offset);
    for (i64 k = 0; k < table.row[i].dims.size(); ++k) {
      CAPTURE(key);
      CAPTURE(k);
      CHECK(std::abs(got[k] - values(key)[k]) <= tolerance * (1 + std::abs(values(key)[k])));
    }
  }
}

constexpr optim::AdamW others{.lr = 0.01f};

}  // namespace

TEST_CASE("muon: 20 steps agree with torch.optim.Muon computed in f32, biases with AdamW") {
  compare_net("muon", optim::Muon{.lr = 0.02f, .others = others}, 2e-5);
  compare_net("muon_rms",
              optim::Muon{.lr = 0.05f,
                          .weight_decay = 0.3f,
                          .momentum = 0.8f,
                          .nesterov = false,
                          .rate = optim::MuonRate::match_rms_adamw,
                          .others = others},
              2e-5);
  compare_net("muon_spectral",
              optim::Muon{.lr = 0.02f,
                          .momentum = 0.9f,
                          .coefficients = {3.0f, -3.2f, 1.2f},
                          .rate = optim::MuonRate::spectral_unclamped,
                          .others = others},
              2e-5);
}

TEST_CASE("muon: PyTorch's own, which multiplies in bf16, is as far away as bf16 rounds") {
  compare_net("muon_bf16", optim::Muon{.lr = 0.02f, .others = others}, 1.6e-2);
}

TEST_CASE("muon: groups, and matrices that are updated like vectors") {
  const auto optimizer =
      optim::groups(optim::no_decay(is_vector), optim::elementwise([](std::string_view name, const Dims&) {
                      return name.find("fc2") != std::string_view::npos;
                    }),
                    optim::Muon{.lr = 0.02f, .others = {.lr = 0.01f, .weight_decay = 0.5f}});
  using G = optim::AsGroups<std::remove_const_t<decltype(optimizer)>>::type;
  static_assert(G::group_count == 6);
  constexpr Dims vector = Shape<4>::value, matrix = Shape<4, 2>::value, cube = Shape<4, 2, 3>::value;
  static_assert(G::group_of("fc1.bias", vector) == 1 && G::group_of("fc2.weight", matrix) == 3);
  static_assert(G::group_of("fc1.weight", matrix) == 4 && G::group_of("conv.weight", cube) == 5);
  static_assert(G::by_matrix(4) && !G::by_matrix(3));
  f32 numbers[G::base::numbers];
  const G groups = optim::AsGroups<std::remove_const_t<decltype(optimizer)>>::make(optimizer);
  groups.fill(1, 0, numbers);
  CHECK(numbers[optim::detail::AdamNumbers::weight_decay] == 0);
  groups.fill(3, 0, numbers);
  CHECK(numbers[optim::detail::AdamNumbers::weight_decay] == 0.5f);
  groups.fill(4, 0, numbers);
  CHECK(numbers[optim::detail::MuonNumbers::original] == 0.02f);
}

TEST_CASE("muon: averages of the weights, clipping and accumulation work on matrices, too") {
  float losses[20];
  auto trainer = train_net(optim::ema(optim::Muon{.lr = 0.02f, .others = others}, 0.0f), losses);
  // an average that forgets everything is the weights
  auto averaged = trainer.average();
  bool same = true;
  for (i64 k = 0; k < 40; ++k)
    same = same && averaged.get<"fc1.weight">()[k] == trainer.model().get<"fc1.weight">()[k];
  CHECK(same);
  CHECK(losses[19] == doctest::Approx(values("muon.losses")[19]).epsilon(1e-4));

  // the mean of two equal gradients is the gradient
  auto twice = make_trainer<Net>(test_device(), net_loss, in<f32, 8, 5>, in<f32, 8, 3>,
                                 optim::Muon{.lr = 0.02f, .others = others}, accumulate<2>, clip::value(1e9f),
                                 seed{3});
  auto once = make_trainer<Net>(test_device(), net_loss, in<f32, 8, 5>, in<f32, 8, 3>,
                                optim::Muon{.lr = 0.02f, .others = others}, seed{3});
  for (int step = 0; step < 6; ++step) twice.step(values("x"), values("target"));
  for (int step = 0; step < 3; ++step) once.step(values("x"), values("target"));
  for (i64 k = 0; k < 40; ++k)
    CHECK(twice.model().get<"fc1.weight">()[k] ==
          doctest::Approx(once.model().get<"fc1.weight">()[k]).epsilon(1e-4));
}
