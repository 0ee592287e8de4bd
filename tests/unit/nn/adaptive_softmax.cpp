#include "weft/nn/adaptive_softmax.hpp"

#include "reference.hpp"
#include "weft/ops/transform/grad.hpp"

using namespace nn_test;
using nn::AdaptiveSoftmax;

namespace {

// loss + sum(output * upstream), the results, and the gradients of that sum.
template <class M, class X>
void check_case(const std::string& name) {
  const auto file = open("adaptive");
  using P = Probe<M, X>;
  using Y = shape_of<weft::detail::drop_rule<X, -1>>;
  auto trainer = make_trainer<P>(
      test_device(),
      [](const auto& p, auto target, auto upstream) {
        const auto [output, loss] = p.m(p.x0, target);
        return loss + sum<>(output * upstream);
      },
      Input<i64, Y>{}, Input<f32, Y>{}, TakeGradient{});
  take_state(trainer.model(), file, name);
  const i64* target = values<i64>(file, name + ".target");
  auto forward = compile(
      trainer.model(),
      [](const auto& p, auto y) {
        const auto r = p.m(p.x0, y);
        return std::tuple{r.output, r.loss};
      },
      Input<i64, Y>{});
  const auto [output, loss] = forward(target);
  check_close(output.data(), values(file, name + ".output"), Y::size, name + ".output");
  check_close(loss.data(), values(file, name + ".loss"), 1, name + ".loss");
  if (file.find(name + ".predict")) {
    auto infer = compile(trainer.model(), [](const auto& p) {
      return std::tuple{p.m.log_prob(p.x0), p.m.predict(p.x0)};
    });
    const auto [log_prob, predicted] = infer();
    check_close(log_prob.data(), values(file, name + ".log_prob"),
                static_cast<i64>(log_prob.to_vector().size()), name + ".log_prob");
    for (i64 k = 0; k < Y::size; ++k) CHECK(predicted.data()[k] == values<i64>(file, name + ".predict")[k]);
  }
  trainer.step(target, values(file, name + ".upstream"));
  check_gradients(trainer.model(), file, name);
}

}  // namespace

TEST_CASE("adaptive_softmax: results and gradients agree with torch.nn.AdaptiveLogSoftmaxWithLoss") {
  check_case<nn::AdaptiveLogSoftmaxWithLoss<6, 9, AdaptiveSoftmax{.cutoffs = {4}, .div_value = 2}>,
             Shape<5, 6>>("one");
  check_case<nn::AdaptiveLogSoftmaxWithLoss<
                 8, 20, AdaptiveSoftmax{.cutoffs = {3, 7, 12}, .div_value = 1.5, .head_bias = true}>,
             Shape<12, 8>>("three");
  check_case<nn::AdaptiveLogSoftmaxWithLoss<6, 9, AdaptiveSoftmax{.cutoffs = {2, 5}, .div_value = 2}>,
             Shape<6>>("row");
}

TEST_CASE("adaptive_softmax: targets that are no class count neither in the loss nor in its gradient") {
  using M = nn::AdaptiveLogSoftmaxWithLoss<4, 10, AdaptiveSoftmax{.cutoffs = {3, 6}, .div_value = 2}>;
  Model<M, TestDevice> model(test_device(), 5);
  auto f = compile(
      model,
      [](const auto& m, auto x, auto few, auto many) {
        const auto r = m(x, few);
        return std::tuple{r.output, r.loss, m(x, many).loss};
      },
      in<f32, 2, 2, 4>, in<i32, 2, 2>, in<i32, 2, 2>);
  const std::vector<f32> x{1, -2, 0.5f, 3, 0, 1, -1, 2, 2, 2, -3, 1, 0.25f, 1, 4, -1};
  const auto [output, loss, same] = f(x, std::vector<i32>{7, -1, 10, 2}, std::vector<i32>{7, 7, 2, 2});
  CHECK(output.data()[1] == 0);
  CHECK(output.data()[2] == 0);
  CHECK(loss.item() == doctest::Approx(-(output.data()[0] + output.data()[3]) / 2));
  CHECK(loss.item() != doctest::Approx(same.item()));
}

TEST_CASE("adaptive_softmax: gradients against differences in f64, probabilities add up to one") {
  using M = nn::AdaptiveLogSoftmaxWithLoss<4, 7, AdaptiveSoftmax{.cutoffs = {2, 4}, .div_value = 2}, f64>;
  Model<M, TestDevice> model(test_device(), 5);
  auto f = compile(
      model,
      [](const auto& m, auto x, auto y) {
        const auto loss = [&](auto z) { return m(z, y).loss; };
        return std::tuple{sum<-1>(exp(m.log_prob(x))), loss(x), grad(loss)(x)};
      },
      in<f64, 3, 4>, in<i64, 3>);
  std::vector<f64> x{1, -2, 0.5, 3, 0, 1, -1, 2, 2, 2, -3, 1};
  const std::vector<i64> y{1, 6, 3};
  check_slopes(x, std::get<2>(f(x, y)).to_vector(), [&] { return std::get<1>(f(x, y)).item(); });
  const auto ones = std::get<0>(f(x, y));
  for (i64 k = 0; k < 3; ++k) CHECK(ones[k] == doctest::Approx(1).epsilon(1e-12));
}
