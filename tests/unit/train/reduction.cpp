// How gradients are summed over the ranks: by the engine's own reductions, or sent as bf16.

#include <cmath>

#include "unit/train/zero.hpp"

using namespace test_zero;

namespace {

constexpr comm::Reduction by_engine{.by_engine = true}, in_bf16{.in_bf16 = true};
template <comm::Reduction How>
constexpr auto ddp = comm::ddp<ThreadRanks, 8192, How>;
template <int Stage, comm::Reduction How>
constexpr auto zero_by = comm::zero<Stage, ThreadRanks, 8192, How>;

// A model's state as numbers.
template <class M>
std::vector<f32> values_of(const Model<M>& model) {
  std::vector<f32> values(static_cast<std::size_t>(model.state_bytes() / 4));
  std::memcpy(values.data(), model.state(), values.size() * 4);
  return values;
}
f64 farthest(const std::vector<f32>& a, const std::vector<f32>& b) {
  f64 most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::fabs(f64{a[i]} - f64{b[i]}));
  return most;
}

// The models that n ranks end with.
template <int N, class Model, class... O>
std::vector<std::vector<f32>> ended(int calls, const O&... options) {
  std::vector<std::vector<f32>> all(N);
  run_ranks(N, [&](int r) {
    auto trainer = trainer_of<Model>(seed{3}, options...);
    run_calls(trainer, calls, r, N);
    all[static_cast<std::size_t>(r)] = values_of(trainer.model());
  });
  return all;
}

// That ranks agree bit for bit, and with ranks that add in their order to rounding.
template <int N, class Model, class Comm, class... O>
void engine_agrees(const Comm& comm, const O&... options) {
  const auto right = ended<N, Model>(3, ddp<comm::Reduction{}>, options...);
  const auto got = ended<N, Model>(3, comm, options...);
  for (const auto& rank : got) CHECK(rank == got[0]);
  CHECK(farthest(got[0], right[0]) < 1e-5);
  CHECK(got[0] != right[0]);  // the order is another one
}

// That one step with rate 1 subtracts the mean of gradients of which each was rounded, and, where all ranks
// get it, their sum.
template <class Comm>
void rounded_step(const Comm& comm, bool sum_is_rounded) {
  constexpr auto step = optim::PlainSGD{.lr = 1.0f};
  std::vector<f32> start, gradient[2];
  for (const int r : {0, 1}) {
    auto alone = trainer_of<Plain>(seed{3}, step);
    start = values_of(alone.model());
    run_calls(alone, 1, r, 2);
    gradient[r] = values_of(alone.model());
    for (std::size_t i = 0; i < start.size(); ++i) gradient[r][i] = start[i] - gradient[r][i];
  }
  const auto got = ended<2, Plain>(1, comm, step);
  CHECK(got[0] == got[1]);
  constexpr f64 half_ulp = 1.0 / 256;  // of bf16, at 1
  bool rounded = false;
  int beyond = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    const f64 a = gradient[0][i], b = gradient[1][i], mean = (a + b) / 2;
    const f64 error = std::fabs(f64{start[i]} - f64{got[0][i]} - mean);
    const f64 most = half_ulp * (std::fabs(a) + std::fabs(b)) / 2 * (sum_is_rounded ? 2.01 : 1) + 3e-7;
    if (error > most) ++beyond;
    rounded = rounded || error > 1e-6;
  }
  CHECK(beyond == 0);
  CHECK(rounded);
}

}  // namespace

TEST_CASE("reduction: the engine's own is equal to rounding, and the same on all ranks") {
  const auto adam = optim::SGD{.lr = 0.1f};
  engine_agrees<3, Plain>(ddp<by_engine>, adam);
  engine_agrees<3, Plain>(zero_by<1, by_engine>, adam);
  engine_agrees<3, Plain>(zero_by<2, by_engine>, adam);
  engine_agrees<4, Plain>(zero_by<3, by_engine>, adam, clip::norm(0.5f));
}

TEST_CASE("reduction: gradients are sent as bf16, and added as f32") {
  rounded_step(ddp<in_bf16>, true);
  rounded_step(zero_by<1, in_bf16>, true);
  rounded_step(zero_by<2, in_bf16>, false);
  rounded_step(zero_by<3, in_bf16>, false);
}

TEST_CASE("reduction: bf16 with accumulation, a norm, half precision, a Stack") {
  const auto adam = optim::AdamW{.lr = 1e-2f};
  const auto agree = [](const std::vector<std::vector<f32>>& all) {
    for (const auto& rank : all) CHECK(rank == all[0]);
    for (const f32 x : all[0]) CHECK(std::isfinite(x));
  };
  agree(ended<2, Deep>(4, ddp<in_bf16>, adam, accumulate<2>, clip::norm(0.5f)));
  agree(ended<3, Deep>(4, zero_by<1, in_bf16>, adam, accumulate<2>, clip::norm(0.5f)));
  agree(ended<3, Deep>(4, zero_by<2, in_bf16>, adam, accumulate<2>, clip::norm(0.5f), precision::bf16));
  agree(ended<2, Deep>(4, zero_by<3, in_bf16>, adam, precision::f16, check::finite));
}

TEST_CASE("reduction: half the bytes are sent") {
  run_ranks(2, [](int r) {
    ThreadRanks::most_sent = 0;
    auto whole = trainer_of<Plain>(seed{3}, zero_by<2, comm::Reduction{}>, optim::SGD{});
    run_calls(whole, 1, r, 2);
    const i64 sent = ThreadRanks::most_sent;
    ThreadRanks::most_sent = 0;
    auto half = trainer_of<Plain>(seed{3}, zero_by<2, in_bf16>, optim::SGD{});
    run_calls(half, 1, r, 2);
    CHECK(sent == 2 * ThreadRanks::most_sent);
  });
}
