// States that are literals.
#include <doctest/doctest.h>

#include <vector>

#include "support/device.hpp"
#include "weft/exec/model.hpp"
#include "weft/nn/recurrent.hpp"
#include "weft/ops/shape/creation.hpp"

using namespace weft;
using weft::testing::test_device, weft::testing::TestDevice;

namespace {

struct Net {
  nn::GRU<2, 3> gru{};
  nn::LSTM<2, 3> lstm{};
  nn::LSTMCell<2, 3> cell{};
};

}  // namespace

TEST_CASE("recurrent: initial states and lengths may be literals") {
  Model<Net, TestDevice> model(test_device(), 3);
  const std::vector<f32> x{1, 2, -1, 0.5f, 3, 0, 1, 1, -2, 2, 0, 1};  // (3, 2, 2)
  auto without = compile(
      model,
      [](const auto& m, auto a) {
        return std::tuple{std::get<0>(m.gru(a)), std::get<0>(m.lstm(a)),
                          std::get<0>(m.cell(select<0, 0>(a)))};
      },
      in<f32, 3, 2, 2>);
  auto with = compile(
      model,
      [](const auto& m, auto a) {
        const auto zero = zeros<f32, 1, 2, 3>();
        const auto small = zeros<f32, 2, 3>();
        return std::tuple{std::get<0>(m.gru(a, zero)), std::get<0>(m.lstm(a, std::tuple{zero, zero})),
                          std::get<0>(m.cell(select<0, 0>(a), std::tuple{small, small}))};
      },
      in<f32, 3, 2, 2>);
  auto whole = compile(
      model,
      [](const auto& m, auto a) {
        return std::tuple{std::get<0>(m.gru(a, full<i64, 2>(3))), std::get<0>(m.lstm(a, full<i64, 2>(3)))};
      },
      in<f32, 3, 2, 2>);
  const auto [a, b, c] = without(x);
  const auto [d, e, f] = with(x);
  CHECK(a.to_vector() == d.to_vector());
  CHECK(b.to_vector() == e.to_vector());
  CHECK(c.to_vector() == f.to_vector());
  const auto [g, h] = whole(x);
  CHECK(a.to_vector() == g.to_vector());
  CHECK(b.to_vector() == h.to_vector());
}
