#include "weft/exec/lerp.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/same_state.hpp"
#include "weft/interpreter.hpp"
#include "weft/nn/stack.hpp"
#include "weft/weft.hpp"

using namespace weft;
using test_support::different_state;

namespace {

struct Block {
  nn::Linear<64, 64> fc;
  nn::BatchNorm1d<64> norm;
  constexpr auto operator()(auto x) const { return norm(fc(x)); }
};
struct Net {
  nn::Linear<64, 64> in;
  nn::Stack<Block, 3> h;
  nn::Frozen<nn::Linear<64, 8>> kept;
  nn::Linear<64, 8, true, bf16> narrow;
  nn::Param<f64, Shape<8>> wide;
  constexpr auto operator()(auto x) const {
    const auto y = h(in(x));
    return kept(y) + cast<f32>(narrow(cast<bf16>(y))) + cast<f32>(wide);
  }
};
struct Small {
  nn::Linear<64, 64> fc;
  constexpr auto operator()(auto x) const { return fc(x); }
};
template <FixedString Name>
auto values(const auto& model) {
  return get<Name>(model).to_vector();
}
// Of one tensor: torch.lerp's p + weight (q - p), or q - (q - p) (1 - weight) from a half on, which an f32's
// program rounds as this does.
template <FixedString Name, class Wide>
void check_moved(const auto& before, const auto& towards, const auto& after, Wide weight) {
  const auto p = values<Name>(before), q = values<Name>(towards), now = values<Name>(after);
  REQUIRE(p.size() == now.size());
  bool same = true, moved = weight == 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const Wide from = static_cast<Wide>(p[i]), to = static_cast<Wide>(q[i]);
    const auto want = static_cast<typename decltype(p)::value_type>(
        std::fabs(weight) < Wide{0.5} ? from + weight * (to - from) : to - (to - from) * (1 - weight));
    same = same && (weight != 1 || static_cast<f64>(q[i]) == static_cast<f64>(now[i]));
    same = same && static_cast<f64>(want) == static_cast<f64>(now[i]);
    moved = moved || static_cast<f64>(p[i]) != static_cast<f64>(now[i]);
  }
  CHECK(same);
  CHECK(moved);
}

}  // namespace

TEST_CASE("lerp: parameters move towards another model's, in any dtype, and the rest becomes its") {
  Model<Net> target(Cpu{}, 1);
  Model<Net> source(Cpu{}, 2);
  get<"h.1.norm.running_mean">(source) = 3.0f;
  get<"wide">(source) = 2.0;
  for (const f32 weight : {0.0f, -0.25f, -2.0f, 0.25f, 0.005f, 0.5f, 0.9f, 1.0f}) {
    const Model<Net> before = target.clone();
    target.lerp(source, weight);
    check_moved<"in.weight">(before, source, target, weight);
    check_moved<"h.0.fc.weight">(before, source, target, weight);
    check_moved<"h.2.fc.bias">(before, source, target, weight);
    check_moved<"narrow.weight">(before, source, target, weight);
    check_moved<"wide">(before, source, target, static_cast<f64>(weight));
    CHECK(values<"kept.weight">(target) == values<"kept.weight">(source));
    CHECK(values<"h.1.norm.running_mean">(target) == std::vector<f32>(64, 3.0f));
    CHECK(values<"h.0.norm.num_batches_tracked">(target) == values<"h.0.norm.num_batches_tracked">(source));
  }
  const Model<Net> before = target.clone();
  target.lerp(target, 0.5f);
  CHECK(different_state(before, target) == "");
}

TEST_CASE("lerp: programs over the target see where it has moved") {
  Model<Net> target(Cpu{}, 1);
  Model<Net> source(Cpu{}, 2);
  auto f = compile(
      target, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 64>);
  const std::vector<f32> x(4 * 64, 0.5f);
  const std::vector<f32> before = f(x).to_vector();
  target.lerp(source, 0.5f);
  const std::vector<f32> after = f(x).to_vector();
  CHECK(before != after);
  auto fresh = compile(
      target, [](const auto& net, auto x_) { return net(x_); }, in<f32, 4, 64>);
  CHECK(fresh(x).to_vector() == after);
}

TEST_CASE("lerp: a model takes over another's values in place, of any device") {
  Model<Net> target(Cpu{}, 1);
  Model<Net> source(Cpu{}, 2);
  auto f = compile(
      target, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 64>);
  auto g = compile(
      source, [](const auto& net, auto x) { return net(x); }, in<f32, 4, 64>);
  const std::vector<f32> x(4 * 64, 0.5f);
  CHECK(f(x).to_vector() != g(x).to_vector());
  target.load(source);
  CHECK(different_state(target, source) == "");
  CHECK(f(x).to_vector() == g(x).to_vector());
  get<"in.bias">(source) = 7.0f;
  CHECK(different_state(target, source) != "");  // two blocks still
  Model<Net, Interpreter> plain(Interpreter{}, 3);
  plain.load(source);
  CHECK(values<"in.bias">(plain) == std::vector<f32>(64, 7.0f));
  target.load(plain);
  CHECK(different_state(target, source) == "");
}

TEST_CASE("lerp: a trainer's model is a target, and a source") {
  const auto squares = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };
  auto trainer = make_trainer<Small>(Cpu{1}, squares, in<f32, 4, 64>, in<f32, 4, 64>, optim::SGD{.lr = 0.1f});
  Model<Small> average(Cpu{}, 2);
  average.load(trainer.model());
  const std::vector<f32> x(4 * 64, 0.5f), y(4 * 64, 1.0f);
  const auto first = values<"fc.bias">(average);
  trainer.step(x, y);
  average.lerp(trainer.model(), 0.5f);
  const auto now = values<"fc.bias">(average), ahead = values<"fc.bias">(trainer.model());
  for (std::size_t i = 0; i < now.size(); ++i) CHECK(now[i] == first[i] + 0.5f * (ahead[i] - first[i]));
  const f32 loss = trainer.step(x, y);
  trainer.model().load(average);
  CHECK(static_cast<f32>(trainer.step(x, y)) > loss);  // it is back where it was
}
