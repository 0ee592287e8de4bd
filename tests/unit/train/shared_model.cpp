// Several trainers of one model: each sees what the others have done.
#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "weft/weft.hpp"

using namespace weft;

namespace {

// [gan]
struct Generator {
  nn::Linear<16, 64> in;
  nn::Linear<64, 64> out;
  constexpr auto operator()(auto z) const { return out(relu(in(z))); }
};
struct Critic {
  nn::Linear<64, 64> in;
  nn::Linear<64, 1> out;
  constexpr auto operator()(auto x) const { return out(leaky_relu(in(x), 0.2f)); }
};
struct Gan {
  Generator generator;
  Critic critic;
};
// [/gan]
// [losses]
constexpr auto of_generator = [](std::string_view name, const Dims&) {
  return name.starts_with("generator.");
};
constexpr auto of_critic = [](std::string_view name, const Dims&) { return name.starts_with("critic."); };

constexpr auto critic_loss = [](const auto& m, auto real, auto z) {
  const auto good = m.critic(real), bad = m.critic(stop_gradient(m.generator(z)));
  return binary_cross_entropy_with_logits(good, ones_like(good)) +
         binary_cross_entropy_with_logits(bad, zeros_like(bad));
};
constexpr auto generator_loss = [](const auto& m, auto z) {
  const auto bad = m.critic(m.generator(z));
  return binary_cross_entropy_with_logits(bad, ones_like(bad));
};
// [/losses]
const optim::Adam adam{.lr = 1e-2f, .betas = {0.5f, 0.9f}};

// [trainers]
auto critic_trainer(Model<Gan>& model) {
  return make_trainer(model, critic_loss, in<f32, 64, 64>, in<f32, 64, 16>,
                      optim::groups(optim::frozen(of_generator), adam));
}
auto generator_trainer(Model<Gan>& model) {
  return make_trainer(model, generator_loss, in<f32, 64, 16>, optim::groups(optim::frozen(of_critic), adam),
                      clip::norm(1.0f));
}
// [/trainers]

std::vector<f32> numbers(i64 n, int seed) {
  std::vector<f32> v(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < v.size(); ++i)
    v[i] = static_cast<f32>((i * 37 + static_cast<std::size_t>(seed) * 101) % 211) / 105.5f - 1.0f;
  return v;
}
template <class A, class B>
void copy_state(A& to, const B& from) {
  std::memcpy(to.state(), from.state(), static_cast<std::size_t>(A::state_bytes()));
}

}  // namespace

TEST_CASE("shared model: two trainers take turns over one state") {
  Model<Gan> gan(Cpu{1}, 3);
  auto critic = critic_trainer(gan);
  auto generator = generator_trainer(gan);
  auto judge = compile(
      gan, [](const auto& m, auto x) { return m.critic(x); }, in<f32, 64, 64>);
  // the same by trainers with states of their own, which are copied by hand
  Model<Gan> first(Cpu{1}, 3), second(Cpu{1}, 3);
  auto critic_apart = critic_trainer(first);
  auto generator_apart = generator_trainer(second);

  const std::vector<f32> real = numbers(64 * 64, 1);
  for (int step = 0; step < 4; ++step) {
    const std::vector<f32> z = numbers(64 * 16, step);
    const auto seen = judge(real).to_vector();
    const auto frozen = gan.get<"generator.in.weight">().to_vector();
    CHECK(critic.step(real, z).value() == critic_apart.step(real, z).value());
    CHECK(judge(real).to_vector() != seen);
    CHECK(gan.get<"generator.in.weight">().to_vector() == frozen);
    copy_state(generator_apart.model(), critic_apart.model());
    const auto kept = gan.get<"critic.in.weight">().to_vector();
    CHECK(generator.step(z).value() == generator_apart.step(z).value());
    CHECK(gan.get<"critic.in.weight">().to_vector() == kept);
    CHECK(gan.get<"generator.in.weight">().to_vector() != frozen);
    copy_state(critic_apart.model(), generator_apart.model());
    CHECK(std::memcmp(gan.state(), critic_apart.model().state(),
                      static_cast<std::size_t>(Model<Gan>::state_bytes())) == 0);
  }
}

TEST_CASE("shared model: the loop of the page") {
  const std::vector<f32> real(64 * 64, 0.5f);
  // [loop]
  Model<Gan> gan(Cpu{1}, 3);
  auto critic = critic_trainer(gan);
  auto generator = generator_trainer(gan);
  auto noise = compile(
      Cpu{1}, [] { return randn<f32, 64, 16>(); }, seed{1});
  for (int step = 0; step < 20; ++step) {
    critic.step(real, noise());
    generator.step(noise());
  }
  // [/loop]
  CHECK(critic.steps() == 20);
  CHECK(generator.steps() == 20);
  CHECK(std::isfinite(critic.step(real, noise()).value()));
}

TEST_CASE("shared model: a trainer keeps the state, and what it loads all see") {
  std::optional<Model<Gan>> gan(std::in_place, Cpu{1}, 3);
  auto critic = critic_trainer(*gan);
  auto generator = generator_trainer(*gan);
  Model<Gan> other(Cpu{1}, 4);
  copy_state(generator.model(), other);
  CHECK(gan->get<"critic.in.weight">().to_vector() == other.get<"critic.in.weight">().to_vector());
  gan.reset();
  const std::vector<f32> real = numbers(64 * 64, 1), z = numbers(64 * 16, 1);
  const f32 loss = critic.step(real, z);
  CHECK(loss == critic_trainer(other).step(real, z).value());
  (void)generator.step(z);
}
