#include "weft/exec/summary.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;

namespace {

struct Mlp {
  nn::Linear<64, 128> fc1;
  nn::Linear<128, 10> fc2;
  constexpr auto operator()(auto x) const { return fc2(relu(fc1(x))); }
};

struct Running {
  std::array<nn::Linear<3, 3, false>, 2> h;
  nn::Buffer<f32, Shape<3>> mean;
};

struct WithAVeryLongFieldNameThatGoesOnAndOn {
  nn::Linear<2, 2> a_layer_whose_name_is_longer_than_anybody_would_ever_want_to_type_on_a_terminal;
};

}  // namespace

TEST_CASE("summary: a row a parameter, names as in files, and totals") {
  CHECK(summary<Mlp>() ==
        "name        shape      dtype    elements\n"
        "fc1.weight  (128, 64)  f32         8,192\n"
        "fc1.bias    (128,)     f32           128\n"
        "fc2.weight  (10, 128)  f32         1,280\n"
        "fc2.bias    (10,)      f32            10\n"
        "9,610 trained parameters; 38,656 bytes\n");
  CHECK(Model<Mlp>::summary() == summary<Mlp>());
}

TEST_CASE("summary: arrays count, buffers are marked") {
  CHECK(summary<Running>() ==
        "name           shape   dtype    elements\n"
        "h.0.weight     (3, 3)  f32             9\n"
        "h.1.weight     (3, 3)  f32             9\n"
        "mean (buffer)  (3,)    f32             3\n"
        "18 trained parameters, 3 elements of buffers; 768 bytes\n");
}

TEST_CASE("summary: no line is wider than a terminal, no name is cut") {
  const std::string text = summary<WithAVeryLongFieldNameThatGoesOnAndOn>();
  std::size_t from = 0;
  for (std::size_t at = text.find('\n'); at != std::string::npos; from = at + 1, at = text.find('\n', from)) {
    const std::string line = text.substr(from, at - from);
    if (line.find(".weight") == std::string::npos && line.find(".bias") == std::string::npos)
      CHECK(line.size() <= 79);
  }
  CHECK(
      text.find("a_layer_whose_name_is_longer_than_anybody_would_ever_want_to_type_on_a_terminal.weight\n") !=
      std::string::npos);
}

TEST_CASE("summary: thousands are grouped") {
  CHECK(exec::grouped(0) == "0");
  CHECK(exec::grouped(999) == "999");
  CHECK(exec::grouped(1000) == "1,000");
  CHECK(exec::grouped(1234567) == "1,234,567");
  CHECK(exec::grouped(-1234) == "-1,234");
  CHECK(exec::grouped(-123) == "-123");
}

TEST_CASE("summary: a trainer adds its launches and its memory") {
  auto trainer = make_trainer<Mlp>(
      Cpu{}, [](const auto& m, auto x, auto label) { return cross_entropy(m(x), label); }, in<f32, 128, 64>,
      in<i32, 128>, optim::AdamW{});
  const std::string text = trainer.summary();
  CHECK(text.find(summary<Mlp>()) == 0);
  CHECK(text.find("a step: " + std::to_string(trainer.launches()) + " launches, ") != std::string::npos);
  CHECK(text.find("state " + exec::grouped(trainer.state_bytes()) + " bytes, workspace " +
                  exec::grouped(trainer.workspace_bytes())) != std::string::npos);
}
