#include "weft/nn/norm.hpp"

#include "reference.hpp"

using namespace nn_test;

TEST_CASE("norm: LayerNorm agrees with torch.nn.LayerNorm") {
  check_module<nn::LayerNorm<3, 8>, Shape<4, 3, 8>>(open("layers"), "layer_norm");
}
TEST_CASE("norm: RMSNorm agrees with torch.nn.RMSNorm") {
  check_module<nn::RMSNorm<8>, Shape<4, 8>>(open("layers"), "rms_norm");
}
TEST_CASE("norm: GroupNorm agrees with torch.nn.GroupNorm") {
  check_module<nn::GroupNorm<3, 6>, Shape<2, 6, 5>>(open("layers"), "group_norm");
}

namespace {

// Gradients of a training step, the running statistics after two, and evaluation.
template <class S>
void check_batch_norm(const std::string& name) {
  const auto file = open("layers");
  using P = Probe<nn::BatchNorm1d<6>, S>;
  auto trainer = make_trainer<P>(
      Cpu{1}, [](const auto& p, auto g) { return sum<>(p() * g); }, Input<f32, S>{}, TakeGradient{});
  auto& model = trainer.model();
  take_state(model, file, name);
  const float loss = trainer.step(values(file, name + ".upstream"));
  double wanted = 0;
  for (i64 i = 0; i < S::size; ++i)
    wanted += static_cast<double>(values(file, name + ".y")[i]) * values(file, name + ".upstream")[i];
  CHECK(loss == doctest::Approx(wanted).epsilon(1e-5));
  check_gradients(model, file, name);

  std::memcpy(model.template get<"m.weight">().data(), values(file, name + ".weight"), 24);
  std::memcpy(model.template get<"m.bias">().data(), values(file, name + ".bias"), 24);
  std::memcpy(model.template get<"x0">().data(), values(file, name + ".x_second"), sizeof(float) * S::size);
  trainer.step(values(file, name + ".upstream"));
  check_close(model.template get<"m.running_mean">().data(), values(file, name + ".second.running_mean"), 6,
              name);
  check_close(model.template get<"m.running_var">().data(), values(file, name + ".second.running_var"), 6,
              name);
  CHECK(model.template get<"m.num_batches_tracked">().item() ==
        values<i64>(file, name + ".second.num_batches_tracked")[0]);

  std::memcpy(model.template get<"m.weight">().data(), values(file, name + ".weight"), 24);
  std::memcpy(model.template get<"m.bias">().data(), values(file, name + ".bias"), 24);
  auto evaluate = compile(
      model, [](const auto& p, auto x) { return p.m(x); }, Input<f32, S>{});
  check_close(evaluate(values(file, name + ".eval_x")).data(), values(file, name + ".eval_y"), S::size,
              name + ".eval_y");
  // evaluation leaves the statistics alone
  check_close(model.template get<"m.running_mean">().data(), values(file, name + ".second.running_mean"), 6,
              name);
}

}  // namespace

TEST_CASE("norm: BatchNorm1d of (N, C) trains, tracks and evaluates as torch.nn.BatchNorm1d") {
  check_batch_norm<Shape<8, 6>>("batch_norm");
}
TEST_CASE("norm: BatchNorm1d of (N, C, L) trains, tracks and evaluates as torch.nn.BatchNorm1d") {
  check_batch_norm<Shape<4, 6, 5>>("batch_norm_3d");
}
