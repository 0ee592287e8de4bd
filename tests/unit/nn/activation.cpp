#include "weft/nn/activation.hpp"

#include "reference.hpp"

using namespace nn_test;

namespace {

const char* const names[]{"relu",        "gelu",  "gelu_tanh",   "silu",     "sigmoid",     "tanh",
                          "leaky_relu",  "elu",   "softplus",    "mish",     "hardswish",   "softmax",
                          "log_softmax", "relu6", "log_sigmoid", "softsign", "hardsigmoid", "hardtanh",
                          "celu",        "selu",  "prelu"};

struct All {
  std::array<nn::Param<f32, Shape<5, 8>>, 21> x{};
  nn::PReLU<8> prelu{};

  constexpr auto operator()() const {
    return std::tuple{nn::ReLU{}(x[0]),
                      nn::GELU{}(x[1]),
                      nn::GELUTanh{}(x[2]),
                      nn::SiLU{}(x[3]),
                      nn::Sigmoid{}(x[4]),
                      nn::Tanh{}(x[5]),
                      nn::LeakyReLU{.slope = 0.2f}(x[6]),
                      nn::ELU{.alpha = 0.7f}(x[7]),
                      nn::Softplus{.beta = 2, .threshold = 15}(x[8]),
                      nn::Mish{}(x[9]),
                      nn::Hardswish{}(x[10]),
                      nn::Softmax<-1>{}(x[11]),
                      nn::LogSoftmax<0>{}(x[12]),
                      nn::ReLU6{}(x[13]),
                      nn::LogSigmoid{}(x[14]),
                      nn::Softsign{}(x[15]),
                      nn::Hardsigmoid{}(x[16]),
                      nn::Hardtanh{.min_val = -0.5f, .max_val = 1.5f}(x[17]),
                      nn::CELU{.alpha = 0.6f}(x[18]),
                      nn::SELU{}(x[19]),
                      prelu(x[20])};
  }
};

}  // namespace

TEST_CASE("activation: values and gradients agree with torch.nn, at 0 and at +-30 too") {
  const auto file = open("activations");
  auto trainer = make_trainer<All>(
      test_device(),
      [](const auto& m, auto g) {
        return std::apply([&](const auto&... y) { return (sum<>(y * g) + ...); }, m());
      },
      in<f32, 5, 8>, TakeGradient{});
  auto& model = trainer.model();
  const auto x_of = [&](int k) {
    return reinterpret_cast<float*>(model.state() + nn::state_table<All>.row[k].offset);
  };
  for (int k = 0; k < 21; ++k) std::memcpy(x_of(k), values(file, "x"), 160);
  std::memcpy(model.get<"prelu.weight">().data(), values(file, "prelu.weight"), 32);
  auto forward = compile(model, [](const auto& m) { return m(); });
  const auto results = forward();
  std::apply(
      [&](const auto&... y) {
        int k = 0;
        ((check_close(y.data(), values(file, std::string(names[k]) + ".y"), 40, names[k]), ++k), ...);
      },
      results);
  trainer.step(values(file, "upstream"));
  for (int k = 0; k < 21; ++k)
    check_close(x_of(k), values(file, std::string(names[k]) + ".dx"), 40, std::string(names[k]) + ".dx");
  check_close(model.get<"prelu.weight">().data(), values(file, "prelu.dweight"), 8, "prelu.dweight");
}

TEST_CASE("activation: GLU agrees with torch.nn.GLU") {
  check_module<nn::GLU<>, Shape<5, 8>>(open("activations"), "glu");
}

TEST_CASE("activation: PReLU starts at 1/4, one slope or one for each channel") {
  Model<nn::PReLU<>> model;
  CHECK(model.get<"weight">()[0] == 0.25f);
  static_assert(nn::parameter_count<nn::PReLU<8>>() == 8);
}
