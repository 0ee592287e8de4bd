// What is made from a model or a trainer may outlive it, and what was moved from says so.
#include <doctest/doctest.h>

#include <functional>
#include <optional>
#include <vector>

#include "../io/scratch.hpp"
#include "support/error_of.hpp"
#include "weft/weft.hpp"

using namespace weft;
using testing::error_of;

namespace {

struct Net {
  nn::Linear<64, 8> fc;
  nn::BatchNorm1d<8> norm;
  constexpr auto operator()(auto x) const { return norm(fc(x)); }
};
struct Table {
  nn::Param<f32, Shape<64, 64>, nn::init::Normal<>> w;
  constexpr auto operator()(auto v) const { return matmul(v, w); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return mse_loss(probe<"out">(m(x)), y); };
constexpr auto predict = [](const auto& m, auto x) { return m(x); };

auto make_net(u64 start = 1) {
  return make_trainer<Net>(Cpu{1}, loss, in<f32, 4, 64>, in<f32, 4, 8>, optim::SGD{.lr = 0.1f}, seed{start},
                           probes<"out">);
}
const std::vector<f32> x = [] {
  std::vector<f32> v(4 * 64);
  for (std::size_t i = 0; i < v.size(); ++i) v[i] = static_cast<f32>(i * 37 % 101) * 0.02f - 1.0f;
  return v;
}();
const std::vector<f32> y(4 * 8, 1.0f);

}  // namespace

TEST_CASE("ownership: a function keeps the state that it works on") {
  auto trainer = std::optional(make_net());
  auto f = compile(trainer->model(), predict, in<f32, 4, 64>);
  const auto before = f(x).to_vector();
  trainer->step(x, y);
  const auto after = f(x).to_vector();
  CHECK(before != after);  // one state
  trainer.reset();
  CHECK(f(x).to_vector() == after);

  auto of_temporary = compile(Model<Net>(Cpu{}, 5), predict, in<f32, 4, 64>);
  Model<Net> model(Cpu{}, 5);
  const Model<Net>& read = model;
  auto of_const = compile(read, predict, in<f32, 4, 64>);
  CHECK(of_temporary(x).to_vector() == of_const(x).to_vector());
  model = Model<Net>(Cpu{}, 6);  // the functions keep the old one
  CHECK(of_temporary(x).to_vector() == of_const(x).to_vector());
  CHECK(compile(model, predict, in<f32, 4, 64>)(x).to_vector() != of_const(x).to_vector());

  Function<Tensor<f32, Shape<4, 8>>(Tensor<f32, Shape<4, 64>>)> named =
      compile(make_net(9).model(), predict, in<f32, 4, 64>);
  CHECK(named(x).to_vector() == compile(Model<Net>(Cpu{}, 9), predict, in<f32, 4, 64>)(x).to_vector());
}

TEST_CASE("ownership: a model assigned to a trainer's or a function's is what they go on with") {
  auto trainer = make_net(1), same = make_net(7);
  auto f = compile(trainer.model(), predict, in<f32, 4, 64>);
  const auto view = trainer.model().get<"fc.weight">();
  trainer.model() = Model<Net>(Cpu{}, 7);
  CHECK(view.to_vector() == same.model().get<"fc.weight">().to_vector());
  CHECK(f(x).to_vector() == compile(same.model(), predict, in<f32, 4, 64>)(x).to_vector());
  trainer.step(x, y);
  same.step(x, y);
  CHECK(trainer.model().get<"fc.weight">().to_vector() == same.model().get<"fc.weight">().to_vector());

  Model<Net> other(Cpu{}, 9);
  const auto weights = other.get<"fc.weight">().to_vector();
  trainer.model() = std::move(other);
  CHECK(trainer.model().get<"fc.weight">().to_vector() == weights);
  CHECK(error_of([&] { other.state(); }) == "model/moved");
  trainer.model() = std::move(trainer.model());
  CHECK(view.to_vector() == weights);
  {
    Model<Net> taken = std::move(trainer.model());  // a copy: the trainer's stays
    CHECK(taken.get<"fc.weight">().to_vector() == weights);
    taken.initialize(11);
  }
  CHECK(view.to_vector() == weights);
  const auto same_weights = same.model().get<"fc.weight">().to_vector();
  std::swap(trainer.model(), same.model());
  CHECK(view.to_vector() == same_weights);
  CHECK(same.model().get<"fc.weight">().to_vector() == weights);
  Model<Net> third(Cpu{}, 3);
  const auto third_weights = third.get<"fc.weight">().to_vector();
  std::swap(trainer.model(), third);
  CHECK(view.to_vector() == third_weights);
  CHECK(third.get<"fc.weight">().to_vector() == same_weights);
  auto beside = make_trainer(std::move(trainer.model()), loss, in<f32, 4, 64>, in<f32, 4, 8>,
                             optim::SGD{.lr = 0.1f}, probes<"out">);
  beside.step(x, y);
  CHECK(view.to_vector() == third_weights);
  trainer.model() = std::move(beside.model());
  CHECK(view.to_vector() == beside.model().get<"fc.weight">().to_vector());
  const auto copied = view.to_vector();
  trainer = make_net(7);  // a trainer is another one whole
  CHECK(view.to_vector() == copied);

  auto own = compile<Net>(Cpu{1}, predict, in<f32, 4, 64>, seed{1});
  own.model() = Model<Net>(Cpu{}, 3);
  Model<Net> three(Cpu{}, 3);
  CHECK(own(x).to_vector() == compile(three, predict, in<f32, 4, 64>)(x).to_vector());
  const auto held = own.model().get<"fc.weight">();
  const auto before = held.to_vector();
  own = compile<Net>(Cpu{1}, predict, in<f32, 4, 64>, seed{4});
  CHECK(held.to_vector() == before);
  CHECK(own.model().get<"fc.weight">().to_vector() != before);
}

TEST_CASE("ownership: losses, probes and parameters outlive their trainer") {
  auto trainer = std::optional(make_net());
  const StepLoss first = trainer->step(x, y);
  const auto out = trainer->get_probe<"out">();
  const auto values = out.to_vector();
  const auto weight = trainer->model().get<"fc.weight">();
  const auto number = first.value();
  const StepLoss second = trainer->step(x, y);
  CHECK(second.value() < number);
  CHECK(out.to_vector() == values);  // that of the first step
  CHECK(trainer->get_probe<"out">().to_vector() != values);
  const auto trained = weight.to_vector();
  trainer.reset();
  CHECK(first.value() == number);
  CHECK(weight.to_vector() == trained);
  CHECK(out.to_vector() == values);
}

TEST_CASE("ownership: a parameter as a batch is read as it was before the step") {
  const auto make = [] {
    return make_trainer<Table>(
        Cpu{1}, [](const auto& m, auto a) { return mean<>(square(m(a))); }, in<f32, 64, 64>,
        optim::SGD{.lr = 1.0f}, seed{3});
  };
  auto aliased = make(), apart = make();
  aliased.step(aliased.model().get<"w">());
  apart.step(apart.model().get<"w">().to_vector());
  CHECK(aliased.model().get<"w">().to_vector() == apart.model().get<"w">().to_vector());
}

TEST_CASE("ownership: what was moved from says so") {
  Model<Net> model(Cpu{}, 1);
  const Model<Net> taken = std::move(model);
  CHECK(error_of([&] { model.get<"fc.weight">(); }) == "model/moved");
  CHECK(error_of([&] { model.save("nowhere"); }) == "model/moved");
  CHECK(error_of([&] { model.state(); }) == "model/moved");
  CHECK(error_of([&] { model.clone(); }) == "model/moved");
  CHECK(error_of([&] { compile(model, predict, in<f32, 4, 64>); }) == "model/moved");
  CHECK(error_of([&] {
          make_trainer(std::move(model), loss, in<f32, 4, 64>, in<f32, 4, 8>, optim::SGD{.lr = 0.1f},
                       probes<"out">);
        }) == "model/moved");
  CHECK(error_of([&] {
          make_trainer(model, loss, in<f32, 4, 64>, in<f32, 4, 8>, optim::SGD{.lr = 0.1f}, probes<"out">);
        }) == "model/moved");
  auto trainer = make_net(), other = std::move(trainer);
  CHECK(error_of([&] { trainer.step(x, y); }) == "train/moved");
  CHECK(error_of([&] { trainer.get_probe<"out">(); }) == "train/moved");
  CHECK(error_of([&] { trainer.save("nowhere"); }) == "train/moved");
  CHECK(error_of([&] { trainer.model().get<"fc.weight">(); }) == "model/moved");
  trainer = make_net(2);
  const StepLoss held = other.step(x, y);
  other = std::move(trainer);
  CHECK(other.step(x, y).value() != held.value());

  using Any = AnyTrainer<Tensor<f32, Shape<4, 64>>, Tensor<f32, Shape<4, 8>>>;
  Any any = make_net();
  const StepLoss still = any.step(x, y);
  const Any next = std::move(any);
  CHECK(error_of([&] { any.step(x, y); }) == "train/moved");
  CHECK(error_of([&] { any.save_model("nowhere"); }) == "train/moved");
  CHECK(still.value() == held.value());
}

TEST_CASE("ownership: clone() is another model with the same values") {
  Model<Net> a(Cpu{}, 3);
  Model<Net> b = a.clone();
  CHECK(get<"fc.weight">(a).to_vector() == get<"fc.weight">(b).to_vector());
  b.get<"fc.weight">()[0] = 100;
  CHECK(a.get<"fc.weight">()[0] != 100.0f);
}

TEST_CASE("ownership: state without layers is a model, too") {
  struct Cache {
    nn::Buffer<f32, Shape<2, 3>> keys;
    nn::Param<f32, Shape<3>, nn::init::Ones> scale;
  };
  Model<Cache> cache;
  auto f = compile(
      cache,
      [](const auto& c, auto v) {
        c.keys.assign(c.keys + v);
        return c.keys * c.scale;
      },
      in<f32, 3>);
  const std::vector<f32> v{1, 2, 3};
  const auto first = f(v), second = f(v);
  CHECK(first(1, 2) == 0.0f);  // every read is of the value from before
  CHECK(second(1, 2) == 3.0f);
  CHECK(cache.get<"keys">()(1, 2) == 6.0f);
}

TEST_CASE("ownership: a result that lies in state is no part of it") {
  struct Counter {
    nn::Buffer<f32, Shape<64>> sum;
  };
  Model<Counter> counter;
  const auto step = [](const auto& c, auto v) {
    const auto next = c.sum + v;
    c.sum.assign(next);
    return next;
  };
  auto f = compile(counter, step, in<f32, 64>), g = compile(counter, step, in<f32, 64>);
  const std::vector<f32> one(64, 1.0f);
  const auto first = f(one), second = g(one);
  CHECK(first[5] == 1.0f);
  CHECK(second[5] == 2.0f);
  CHECK(counter.get<"sum">()[5] == 2.0f);
}

TEST_CASE("seeds: what is made without one differs, with one it is equal") {
  const Model<Net> a, b;
  CHECK(get<"fc.weight">(a).to_vector() != get<"fc.weight">(b).to_vector());
  const Model<Net> c(Cpu{}, 7), d(Cpu{}, 7);
  CHECK(get<"fc.weight">(c).to_vector() == get<"fc.weight">(d).to_vector());

  const auto draw = [] { return Tensor<f32, Shape<32>>(randn<f32, 32>()).to_vector(); };
  CHECK(draw() != draw());
  const Tensor<f32, Shape<32>> one = randn<f32, 32>(), two = randn<f32, 32>();
  CHECK(one.to_vector() != two.to_vector());
  const auto noise = [] {
    return compile(
        Cpu{}, [](auto v) { return v + randn<f32, 32>(); }, in<f32, 32>);
  };
  auto f = noise(), g = noise();
  const std::vector<f32> zero(32);
  CHECK(f(zero).to_vector() != g(zero).to_vector());

  const auto order = [](auto&& loader) {
    std::vector<f32> seen;
    for (auto& batch : loader)
      seen.insert(seen.end(), batch.template get<0>().begin(), batch.template get<0>().end());
    return seen;
  };
  std::vector<f32> all(100);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<f32>(i);
  const data::Arrays<f32> rows({all, {}});
  CHECK(order(data::loader<10>(rows, {.shuffle = true})) != order(data::loader<10>(rows, {.shuffle = true})));
  CHECK(order(data::loader<10>(rows, {.shuffle = true, .seed = 2})) ==
        order(data::loader<10>(rows, {.shuffle = true, .seed = 2})));
  manual_seed(11);
  const auto first = draw();
  manual_seed(11);
  CHECK(draw() == first);
  manual_seed(0);
}
