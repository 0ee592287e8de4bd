// The parameters of an nn::Stack that ranks share out: each trip of its loop begins to gather those of the
// next.

#include <cstddef>
#include <vector>

#include "unit/train/zero.hpp"
#include "weft/train/scaling.hpp"

using namespace test_zero;

namespace {

struct Layer {
  nn::Linear<width, width> fc;
  nn::LayerNorm<width> norm;
  constexpr auto operator()(auto x) const { return x + fc(gelu(norm(x))); }
};
template <int N>
struct Stacked {
  nn::Stack<Layer, N> h;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const { return head(h(x)); }
};

}  // namespace

// The two buffers of what is on its way change places, by whether the trips are even or odd.
TEST_CASE("zero, stack: of one trip, an even number and an odd one, ranks are one process with accumulate") {
  same_as_one_process<3, 2, Stacked<1>>(optim::SGD{.lr = 0.1f});
  same_as_one_process<3, 2, Stacked<2>>(optim::SGD{.lr = 0.1f});
  same_as_one_process<3, 3, Stacked<5>>(optim::SGD{.lr = 0.1f});
  same_as_one_process<3, 3, Stacked<4>>(optim::SGD{.lr = 0.1f}, precision::bf16, checkpoint::blocks);
}

// Of whole rows, ranks would sum, keep and measure the gradients of what is frozen, too.
TEST_CASE(
    "zero, stack: frozen blocks have no part in the norm, in what ranks keep of gradients or in their "
    "scale") {
  const auto some = [](std::string_view name, const Dims&) {
    return name.starts_with("h.0.") || name.starts_with("h.2.");
  };
  const auto frozen = optim::groups(optim::frozen(some), optim::AdamW{.lr = 0.01f});
  same_as_one_process<1, 2, Stacked<4>>(frozen, clip::norm(0.05f));
  same_as_one_process<2, 3, Stacked<4>>(frozen, clip::norm(0.05f), precision::f16);
  same_as_one_process<3, 2, Stacked<4>>(frozen, clip::norm(0.05f), precision::bf16);
}

TEST_CASE("zero, stack: a trip waits for its block, which the one before has begun, and begins the next") {
  using Trainer = decltype(trainer_of<Stacked<6>>(seed{3}, zero<3>, optim::SGD{.lr = 0.1f}));
  const exec::Explanation e = train::ScalingOf<Trainer>::explanation();
  int loops = 0, before = 0, inside = 0;
  std::vector<int> begun(256, 0);  // by request, in loops
  for (const exec::ExplainedStep& step : e.steps) {
    loops += step.is_loop;
    const auto request = static_cast<std::size_t>(step.collective.request);
    if (step.kernel == "all_gather_state_start") ++before;
    if (step.kernel == " all_gather_state_start") {
      ++inside;
      CHECK(step.launches == 6);
      CHECK(begun.at(request) == 1);  // behind the wait
      ++begun.at(request);
    }
    if (step.kernel == " collective_await") {
      CHECK(step.launches == 6);
      CHECK(begun.at(request) == 0);
      ++begun.at(request);
    }
    CHECK(step.kernel != " all_gather_done");
  }
  CHECK(loops == 2);
  CHECK(inside > 4);
  CHECK(before >= inside);
}
