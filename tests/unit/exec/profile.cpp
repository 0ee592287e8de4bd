#include "weft/exec/profile.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "weft/weft.hpp"

using namespace weft;

namespace {

struct Block {
  nn::LayerNorm<64> norm;
  nn::Linear<64, 64> fc;
  constexpr auto operator()(auto x) const { return x + gelu(fc(norm(x))); }
};
struct Net {
  nn::Linear<64, 64> first;
  nn::Stack<Block, 3> h;
  nn::Buffer<f32, Shape<>> calls{};
  constexpr auto operator()(auto x) const {
    calls.assign(calls + 1);
    return h(first(x));
  }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return mse_loss(m(x), y); };

int lines(const std::string& text, const std::string& with) {
  std::istringstream in(text);
  int n = 0;
  for (std::string line; std::getline(in, line);) {
    CHECK(line.size() <= 79);
    n += line.find(with) != std::string::npos;
  }
  return n;
}

}  // namespace

TEST_CASE("profile: medians of runs, and the trips of a loop added up") {
  exec::StepTimes times(2);
  for (const double x : {3.0, 1.0, 2.0}) {
    for (int trip = 0; trip < 4; ++trip) times.add(0, x);
    times.add(1, 1);
    times.end_run(10 * x);
  }
  CHECK(times.runs() == 3);
  CHECK(times.of(0) == 8);
  CHECK(times.of(1) == 1);
  CHECK(times.whole() == 20);
}

TEST_CASE("profile: warms up, then runs at least ten times") {
  int runs = 0;
  const exec::StepTimes times = exec::measure(1, 0.01, [&](exec::StepTimes&) { ++runs; });
  CHECK(times.runs() >= 10);
  CHECK(times.runs() <= 1000);
  CHECK(runs == times.runs() + 1);
  CHECK(exec::measure(1, 0, [](exec::StepTimes&) {}).runs() == 10);  // of ranks, all as many
}

TEST_CASE("profile: a row for each kernel of explain() and each module, the slowest first") {
  Model<Net, Cpu> model(Cpu{1}, seed{1});
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x) * 2; }, in<f32, 32, 64>);
  const std::string text = f.profile();
  CAPTURE(text);
  int kernels = 0;  // a loop is no kernel
  for (const exec::ExplainedStep& step :
       exec::explain_graph(exec::ModelSource<Net, decltype([](const auto&m, auto x) { return m(x) * 2; }),
                                             false, Input<f32, Shape<32, 64>>>::graph())
           .steps)
    kernels += !step.is_loop;
  CHECK(lines(text, "  #") == kernels);
  CHECK(text.find("in h.*.fc") != std::string::npos);
  CHECK(lines(text, "%  h.*.fc") == 1);
  CHECK(lines(text, "%  first") == 1);
  CHECK(text.find(" launches: ") != std::string::npos);
  CHECK(text.find("20.0 GB/s and 100 GFLOP/s") != std::string::npos);
  // on arguments, and on another machine
  const std::vector<f32> x(32 * 64, 0.5f);
  CHECK(f.profile(Roofline{.bytes_per_second = 1e12, .flops_per_second = 2e12}, x).find("1.00 TB/s") !=
        std::string::npos);
  CHECK(lines(f.profile(x), "  #") == kernels);
}

TEST_CASE("profile: calls what it measures: state is assigned, and held results stay") {
  Model<Net, Cpu> model(Cpu{1}, seed{1});
  auto f = compile(
      model, [](const auto& m, auto x) { return m(x); }, in<f32, 32, 64>);
  const std::vector<f32> x(32 * 64, 0.5f);
  const auto y = f(x);
  const std::vector<f32> before = y.to_vector();
  CHECK(model.get<"calls">()[0] == 1);
  (void)f.profile();
  CHECK(model.get<"calls">()[0] >= 12);
  CHECK(y.to_vector() == before);
  CHECK(f(x).to_vector() == before);
}

TEST_CASE("profile: a trainer's steps, those that update") {
  auto plain =
      make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<f32, 32, 64>, optim::SGD{.lr = 0.01f}, seed{2});
  auto summed = make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<f32, 32, 64>, optim::SGD{.lr = 0.01f},
                                  seed{2}, accumulate<2>);
  const std::vector<f32> x(32 * 64, 0.5f), y(32 * 64, 0.25f);
  const std::string text = plain.profile(x, y);
  CAPTURE(text);
  CHECK(lines(text, "%  update") == 1);
  const i64 steps = plain.steps();
  CHECK(steps >= 11);
  auto again =
      make_trainer<Net>(Cpu{1}, loss, in<f32, 32, 64>, in<f32, 32, 64>, optim::SGD{.lr = 0.01f}, seed{2});
  for (i64 k = 0; k < steps; ++k) (void)again.step(x, y);
  CHECK(plain.step(x, y) == again.step(x, y));
  (void)summed.profile(Roofline{}, x, y);
  CHECK(summed.steps() % 2 == 0);
  CHECK(summed.steps() >= 22);
}
