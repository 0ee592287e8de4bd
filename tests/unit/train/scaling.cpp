#include "weft/train/scaling.hpp"

#include <doctest/doctest.h>

#include <array>

#include "support/thread_ranks.hpp"
#include "weft/nn/batch_norm.hpp"
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"

using namespace weft;
using test_support::ThreadRanks;
using train::simulate;

namespace {

struct Net {
  nn::Linear<64, 256> fc1;
  nn::BatchNorm1d<256> norm;
  nn::Linear<256, 256> fc2;
  nn::Linear<256, 10> head;
  constexpr auto operator()(auto x) const { return head(relu(fc2(relu(norm(fc1(x)))))); }
};
template <class... O>
auto trainer_of(const O&... options) {
  return make_trainer<Net>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, 32, 64>,
      in<i32, 32>, optim::AdamW{.lr = 1e-3f}, seed{1}, options...);
}
template <class... O>
using TrainerOf = decltype(trainer_of(std::declval<O>()...));

// 1 B/s and 1 FLOP/s, so that bytes are seconds.
constexpr Roofline unit{.bytes_per_second = 1, .flops_per_second = 1};

exec::ExplainedStep kernel(i64 bytes) {
  exec::ExplainedStep step;
  step.bytes = bytes;
  return step;
}
exec::ExplainedStep collective(int request, i64 bytes, bool sums, bool gathers) {
  exec::ExplainedStep step;
  step.collective = {
      .request = request, .elements = bytes, .element_bytes = 1, .sums = sums, .gathers = gathers};
  return step;
}
exec::ExplainedStep done(int request) { return collective(request, 0, false, false); }

}  // namespace

TEST_CASE("scaling: the seconds of an exchange and a ring, by hand") {
  // adds take no time
  const Cluster flat{.rank = {1e300, 1e300}, .ranks_per_node = 4, .node = {10, 0.5}, .network = {1, 100}};
  const auto on = [&](i64 ranks) { return train::ClusterLinks(flat, ranks); };
  const std::vector<double> even{100, 100, 100, 100};
  CHECK(on(4).exchange(even, 7) == doctest::Approx(7 + 3 * 0.5 + 300 / 10.0));  // 100 bytes to each of three
  CHECK(on(4).gather(even, 7) == doctest::Approx(7 + 3 * 0.5 + 300 / 10.0));
  CHECK(on(4).broadcast(100, 7) == doctest::Approx(7 + 2 * (0.5 + 10)));
  // on two machines: four messages of 50 bytes to the other; a ring with four links between them
  const std::vector<double> halves(8, 50);
  CHECK(on(8).exchange(halves, 0) == doctest::Approx(4 * 100 + 200 / 1.0));
  CHECK(on(8).gather(halves, 0) == doctest::Approx(6 * 0.5 + 100 + 200 / 4 / 1.0));
  CHECK(on(8).broadcast(100, 0) == doctest::Approx(2 * (0.5 + 10) + 100 + 100));

  // what is one rank's alone comes through its link; another's comes at the same time, the next behind it
  train::ClusterLinks links = on(4);
  CHECK(links.exchange({0, 400, 0, 0}, 0) == doctest::Approx(1200 / 10.0));
  CHECK(links.exchange({400, 0, 0, 0}, 0) == doctest::Approx(1200 / 10.0));
  CHECK(links.exchange({0, 400, 0, 0}, 0) == doctest::Approx(2400 / 10.0));
  CHECK(links.busy() == doctest::Approx(2400 / 10.0));
  CHECK(links.gather(even, 0) == doctest::Approx(240 + 3 * 0.5 + 300 / 10.0));

  // adding: five pieces of 100 bytes pass, at 1 B/s
  const Cluster slow{.rank = unit, .ranks_per_node = 4, .node = {1e300, 0}};
  CHECK(train::ClusterLinks(slow, 4).exchange(even, 0) == doctest::Approx(500));
}

TEST_CASE("scaling: what is carried beside launches is not waited for") {
  Cluster cluster{.rank = {1, 1}, .ranks_per_node = 2, .node = {1e300, 5}};
  exec::Explanation e;
  // two sums, each two messages of 5 s, and an addition of 3 halves of its bytes
  e.steps = {kernel(10),  collective(0, 20, true, true),
             kernel(100), collective(1, 20, true, true),
             kernel(10),  done(0),
             done(1),     kernel(7)};
  const double sum = 10 + 30;
  const ScalingPoint beside = simulate(e, cluster, 2);
  CHECK(beside.computing == doctest::Approx(127));
  CHECK(beside.carrying == doctest::Approx(2 * 10));
  CHECK(beside.seconds == doctest::Approx(110 + sum + 7));  // the second ends 40 after it began
  CHECK(beside.waiting() == doctest::Approx(30));
  CHECK(beside.efficiency() == doctest::Approx(127 / 157.0));

  cluster.overlaps = false;
  CHECK(simulate(e, cluster, 2).seconds == doctest::Approx(127 + 2 * sum));
  CHECK(simulate(e, cluster, 1).seconds == doctest::Approx(127));

  // links carry one thing at a time
  e.steps = {collective(0, 20, true, true), collective(1, 20, true, true), done(1), done(0)};
  cluster.overlaps = true;
  CHECK(simulate(e, cluster, 2).seconds == doctest::Approx(2 * sum));
  // of what is summed into a slot the third waits for the first
  e.steps = {collective(0, 20, true, false), collective(1, 20, true, false), collective(2, 20, true, false)};
  CHECK(simulate(e, cluster, 2).seconds == 0);
  for (exec::ExplainedStep& step : e.steps) step.collective.into = true;
  CHECK(simulate(e, cluster, 2).seconds == doctest::Approx(5 + 30));
}

TEST_CASE("scaling: what every rank gets of every other at once is waited for") {
  const Cluster cluster{.rank = {1, 1}, .ranks_per_node = 4, .node = {1, 0.5}};
  exec::Explanation e;
  e.steps = {kernel(10), collective(0, 20, false, true), kernel(7)};
  e.steps[1].collective.at_once = true;
  const ScalingPoint p = simulate(e, cluster, 4);  // 20 bytes of each of three others
  CHECK(p.seconds == doctest::Approx(17 + 3 * (20 + 0.5)));
  CHECK(p.waiting() == doctest::Approx(3 * 20.5));
}

TEST_CASE("scaling: launches have their shares of a step that was measured, and loops count their trips") {
  exec::Explanation e;
  e.steps = {kernel(30), kernel(10)};
  e.steps[1].launches = 10;
  exec::ExplainedStep loop = kernel(0);
  loop.is_loop = true;
  loop.launches = 1000;
  e.steps.push_back(loop);
  CHECK(simulate(e, {.rank = unit}, 1).seconds == doctest::Approx(40));
  CHECK(simulate(e, {.rank = unit, .launch_seconds = 2}, 1).seconds == doctest::Approx(40 + 2 * 11));
  CHECK(simulate(e, {.rank = unit, .launch_seconds = 2, .step_seconds = 3}, 8).seconds == doctest::Approx(3));
}

TEST_CASE("scaling: a trainer's own launches") {
  using Ddp = TrainerOf<decltype(comm::ddp<ThreadRanks, 65536>)>;
  const exec::Explanation e = train::ScalingOf<Ddp>::explanation();
  i64 summed = 0;
  int starts = 0, dones = 0;
  for (const exec::ExplainedStep& step : e.steps) {
    if (step.collective.request < 0) continue;
    (step.collective.sums ? starts : dones) += 1;
    CHECK(step.collective.gathers == step.collective.sums);
    CHECK(step.collective.element_bytes == 4);
    if (step.collective.sums) summed += step.collective.elements;
  }
  CHECK(starts > 1);
  CHECK(starts == dones);
  // every gradient once, with what aligns them
  CHECK(summed >= Model<Net>::parameter_count());
  CHECK(summed < Model<Net>::parameter_count() + 64 * 10);

  // a cluster that waits for nothing has the launches alone, however many ranks there are
  const Cluster instant{.node = {1e300, 0}, .network = {1e300, 0}, .overlaps = false};
  const auto points = predict_scaling<Ddp>(instant, {1, 2, 64});
  REQUIRE(points.size() == 3);
  CHECK(points[0].ranks == 1);
  CHECK(points[0].seconds == points[0].computing);
  CHECK(points[1].computing == points[0].computing);
  CHECK(points[2].state_bytes == Ddp::state_bytes(64));
  CHECK(points[2].waiting() < 1e-3 * points[2].seconds + 3e-5);  // what is added
  // behind the step: rank 0's running statistics
  const Cluster far{.ranks_per_node = 1, .network = {1e300, 1}, .overlaps = true};
  CHECK(predict_scaling<Ddp>(far, {2})[0].seconds > 2 * starts + 1);
}

TEST_CASE("scaling: the magnitudes of 8-bit products are waited for") {
  using F8 = TrainerOf<decltype(comm::ddp<ThreadRanks, 65536>), decltype(precision::f8)>;
  int largest = 0;
  for (const exec::ExplainedStep& step : train::ScalingOf<F8>::explanation().steps) {
    if (!step.collective.at_once) continue;
    ++largest;
    CHECK(step.kernel == "all_reduce_max");
    CHECK(step.collective.elements == 3);  // of fc2: its input, weight and gradient
  }
  CHECK(largest == 1);
  const Cluster far{.ranks_per_node = 1, .network = {1e300, 100}};
  CHECK(predict_scaling<F8>(far, {2})[0].seconds > 100);
}

TEST_CASE("scaling: ranks that share state out gather what each has updated") {
  using Zero = TrainerOf<decltype(comm::zero<1, ThreadRanks, 65536>)>;
  using Ddp = TrainerOf<decltype(comm::ddp<ThreadRanks, 65536>)>;
  const train::BehindStep behind = train::ScalingOf<Zero>::behind();
  CHECK(behind.gathered.elements >= Model<Net>::parameter_count());
  CHECK(behind.broadcast > 0);  // BatchNorm's
  CHECK(train::ScalingOf<Ddp>::behind().gathered.elements == 0);
  // in all a rank sends and gets as many bytes
  const Cluster cluster{.rank = {1e300, 1e300}, .node = {1e6, 0}};
  const auto zero = predict_scaling<Zero>(cluster, {8}), ddp = predict_scaling<Ddp>(cluster, {8});
  CHECK(zero[0].carrying == doctest::Approx(ddp[0].carrying).epsilon(0.05));
  CHECK(zero[0].state_bytes < ddp[0].state_bytes);
  const std::string table = to_text(zero);
  CHECK(table.find("predicted") != std::string::npos);
  CHECK(table.find('\n') < 80);
}

TEST_CASE("scaling: no cluster of no ranks") {
  using Ddp = TrainerOf<decltype(comm::ddp<ThreadRanks, 65536>)>;
  CHECK_THROWS_AS(predict_scaling<Ddp>({}, {0}), Error);
  CHECK_THROWS_AS(predict_scaling<Ddp>({.ranks_per_node = 0}, {2}), Error);
}
