// A small GPT-2 against PyTorch: the loss, and the gradient of every parameter through one step of plain SGD
// with rate 1 (p - p' = gradient).

#include "../../../benchmarks/compile/gpt2.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/repository.hpp"

using namespace weft;

TEST_CASE("gpt2: loss and gradients equal PyTorch's") {
  using Tiny = gpt2::Gpt2<8, 16, 2, 32, 2>;
  const io::Safetensors reference(repository_file("tests/parity/gpt2_tiny.safetensors"));
  auto trainer = make_trainer<Tiny>(Cpu{}, gpt2::NextToken{}, in<i32, 2, 8>, in<i32, 2, 8>,
                                    optim::PlainSGD{.lr = 1.0f}, mode::eval);
  const LoadReport report =
      trainer.model().load(repository_file("tests/parity/gpt2_tiny.safetensors"), LoadMode::lax);
  REQUIRE(report.missing.empty());
  REQUIRE(report.mismatched.empty());
  std::vector<std::byte> before(trainer.model().state(),
                                trainer.model().state() + trainer.model().state_bytes());

  i32 tokens[16], targets[16];
  reference.at("tokens").copy_to(tokens);
  reference.at("targets").copy_to(targets);
  const f32 loss = trainer.step(tokens, targets);
  f32 expected = 0;
  reference.at("loss").copy_to(&expected);
  CHECK(loss == doctest::Approx(expected).epsilon(1e-5));

  constexpr const auto& table = nn::state_table<Tiny>;
  for (int i = 0; i < table.size; ++i) {
    const std::string name(table.row[i].name.view());
    CAPTURE(name);
    std::vector<f32> gradient(static_cast<std::size_t>(table.row[i].dims.size()));
    reference.at("grad." + name).copy_to(gradient.data());
    f32 largest = 0, worst = 0;
    for (std::size_t k = 0; k < gradient.size(); ++k) {
      f32 old = 0, now = 0;
      std::memcpy(&old, before.data() + table.row[i].offset + 4 * k, 4);
      std::memcpy(&now, trainer.model().state() + table.row[i].offset + 4 * k, 4);
      largest = std::fmax(largest, std::fabs(gradient[k]));
      worst = std::fmax(worst, std::fabs((old - now) - gradient[k]));
    }
    // p - p' loses the bits that p itself takes: a few ulp of 1
    CHECK(worst <= 1e-5f * largest + 1e-6f);
  }
}
