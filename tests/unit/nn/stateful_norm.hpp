#pragma once
// A normalisation with running statistics beside PyTorch's, from tests/parity/nn/norms.safetensors
// (generate_norms.py): gradients of a training step, buffers after four, evaluation.

#include "reference.hpp"

namespace nn_test {

template <class M, class S>
void check_stateful(const std::string& name) {
  const auto file = open("norms");
  using P = Probe<M, S>;
  auto trainer = make_trainer<P>(
      test_device(), [](const auto& p, auto g) { return sum<>(p() * g); }, Input<f32, S>{}, TakeGradient{});
  auto& model = trainer.model();
  take_state(model, file, name);
  const float loss = trainer.step(values(file, name + ".upstream"));
  double wanted = 0;
  for (i64 i = 0; i < S::size; ++i)
    wanted += static_cast<double>(values(file, name + ".y")[i]) * values(file, name + ".upstream")[i];
  CHECK(loss == doctest::Approx(wanted).epsilon(1e-5));
  check_gradients(model, file, name);

  const auto& table = nn::state_table<P>;
  const auto own = [&](int i) {
    const std::string full(table.row[i].name.view());
    return full.rfind("m.", 0) == 0 ? full.substr(2) : full;
  };
  // a step of TakeGradient leaves gradients in the parameters' places
  const auto restore = [&](const std::string& input) {
    for (int i = 0; i < table.size; ++i)
      if (table.row[i].trained)
        std::memcpy(model.state() + table.row[i].offset,
                    file.at(name + "." + (own(i) == "x0" ? input : own(i))).data,
                    static_cast<std::size_t>(table.row[i].dims.size()) * sizeof(float));
  };
  for (const char* input : {"x1", "x2", "x3"}) {
    restore(input);
    trainer.step(values(file, name + ".upstream"));
  }
  restore("x0");
  auto evaluate = compile(
      model, [](const auto& p, auto x) { return p.m(x); }, Input<f32, S>{});
  check_close(evaluate(values(file, name + ".eval_x")).data(), values(file, name + ".eval_y"), S::size,
              name + ".eval_y");
  // what four batches left, and evaluation did not touch
  for (int i = 0; i < table.size; ++i) {
    if (table.row[i].trained) continue;
    const std::string key = name + ".after." + own(i);
    if (table.row[i].dtype == DType::i64)
      CHECK(*reinterpret_cast<const i64*>(model.state() + table.row[i].offset) == *values<i64>(file, key));
    else
      check_close(reinterpret_cast<const float*>(model.state() + table.row[i].offset), values(file, key),
                  table.row[i].dims.size(), key);
  }
}

}  // namespace nn_test
