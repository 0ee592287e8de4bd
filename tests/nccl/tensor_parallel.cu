// A model of which two GPUs have parts, alone and as two groups under comm::ddp: it trains as the undivided
// model does on one GPU, whose files it reads and writes. usage: tensor_parallel FOLDER. Ends with 0 where
// that holds on this rank.

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "support/labelled_batch.hpp"
#include "weft/nccl.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

constexpr i64 batch = 8, width = 64, classes = 10, words = 96, length = 16;
using Parts = comm::tensor_parallel<2, comm::Nccl>;

int faults = 0;
void check(bool holds, const char* what, int rank) {
  if (holds) return;
  std::printf("rank %d: %s\n", rank, what);
  ++faults;
}

struct Parted {
  nn::ColumnParallelLinear<width, 256, Parts> up;
  nn::PartDropout<Parts> drop{.p = 0.1f};
  nn::RowParallelLinear<256, width, Parts> down;
  nn::LayerNorm<width> norm;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const { return head(norm(x + down(drop(gelu(up(x)))))); }
};
struct Whole {
  nn::Linear<width, 256> up;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<256, width> down;
  nn::LayerNorm<width> norm;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const { return head(norm(x + down(drop(gelu(up(x)))))); }
};
struct Loss {
  constexpr auto operator()(const auto& m, auto x, auto y) const { return cross_entropy(m(x), y); }
};
// Words in parts, parts of the sequence, and a loss of parts.
struct Tokens {
  static constexpr nn::ParallelOptions along{.sequence_axis = 1};
  nn::VocabParallelEmbedding<words, width, Parts> embed;
  nn::SequenceParallel<nn::LayerNorm<width>, Parts> norm;
  nn::ColumnParallelLinear<width, 128, Parts, along> up;
  nn::RowParallelLinear<128, width, Parts, along> down;
  nn::ColumnParallelLinear<width, words, Parts, along> head;
  constexpr auto operator()(auto t) const {
    const auto x = take_part<Parts, 1>(embed(t));
    return head(x + down(relu(up(norm(x)))));
  }
};
struct UndividedTokens {
  nn::Embedding<words, width> embed;
  nn::LayerNorm<width> norm;
  nn::Linear<width, 128> up;
  nn::Linear<128, width> down;
  nn::Linear<width, words> head;
  constexpr auto operator()(auto t) const {
    const auto x = embed(t);
    return head(x + down(relu(up(norm(x)))));
  }
};
struct PartedLoss {
  constexpr auto operator()(const auto& m, auto x, auto y) const {
    return vocab_parallel_cross_entropy<Parts>(m(x), y);
  }
};

template <class Model, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<Model>(comm::Nccl().device(), Loss{}, in<f32, batch, width>, in<i32, batch>,
                             optim::AdamW{.lr = 1e-3f}, clip::norm(1.0f), seed{3}, options...);
}
template <class T>
std::vector<double> losses_of(T& trainer, i64 calls, i64 rank, i64 of) {
  std::vector<double> losses;
  for (i64 c = 0; c < calls; ++c) {
    const auto b = test_support::labelled_batch(c * of + rank, batch, width, classes);
    losses.push_back(trainer.step(b.x, b.y).item());
  }
  return losses;
}
bool close(const std::vector<double>& a, const std::vector<double>& b) {
  bool same = a.size() == b.size();
  for (std::size_t i = 0; same && i < a.size(); ++i) same = std::fabs(a[i] - b[i]) < 1e-4 * std::fabs(b[i]);
  return same;
}

void alone(const comm::Nccl& world, const std::string& folder) {
  auto trainer = trainer_of<Parted>();
  auto whole = trainer_of<Whole>();
  check(close(losses_of(trainer, 4, 0, 1), losses_of(whole, 4, 0, 1)), "another loss", world.rank());
  trainer.save(folder + "/parted.safetensors");
  auto back = trainer_of<Whole>();
  back.load(folder + "/parted.safetensors");
  const auto b = test_support::labelled_batch(9, batch, width, classes);
  const double expected = whole.step(b.x, b.y).item();
  check(close({back.step(b.x, b.y).item()}, {expected}), "the checkpoint is another's", world.rank());
  check(close({trainer.step(b.x, b.y).item()}, {expected}), "another loss behind the save", world.rank());
}

void groups(const comm::Nccl& world) {
  const int count = world.size() / Parts::degree;
  auto trainer = trainer_of<Parted>(comm::ddp<comm::Nccl, 4096>);
  auto whole = trainer_of<Whole>(accumulate<2>);
  const std::vector<double> own = losses_of(trainer, 3, world.rank() / Parts::degree, count);
  const std::vector<double> all = losses_of(whole, 3 * count, 0, 1);
  for (std::size_t c = 0; c < own.size(); ++c) {
    const double expected =
        all[c * static_cast<std::size_t>(count) + static_cast<std::size_t>(world.rank() / Parts::degree)];
    check(close({own[c]}, {expected}), "another loss of a group", world.rank());
  }
}

void tokens(const comm::Nccl& world) {
  Tensor<i32, Shape<2, length>> x, y;
  for (i64 i = 0; i < x.size(); ++i)
    x[i] = static_cast<i32>(i * 37 % words), y[i] = static_cast<i32>((i + 1) * 37 % words);
  const auto trainer = [&]<class M, class L>(M*, L loss) {
    return make_trainer<M>(world.device(), loss, in<i32, 2, length>, in<i32, 2, length>,
                           optim::AdamW{.lr = 1e-2f}, seed{5});
  };
  auto parted = trainer(static_cast<Tokens*>(nullptr), PartedLoss{});
  auto whole = trainer(static_cast<UndividedTokens*>(nullptr), Loss{});
  std::vector<double> own, expected;
  for (int k = 0; k < 4; ++k) {
    own.push_back(parted.step(x, y).item());
    expected.push_back(whole.step(x, y).item());
  }
  check(close(own, expected), "another loss of words", world.rank());
}

}  // namespace

int main(int argc, char** argv) {
  const comm::Nccl world;
  if (world.size() == Parts::degree) {
    alone(world, argc > 1 ? argv[1] : ".");
    tokens(world);
  } else {
    groups(world);
  }
  return faults == 0 ? 0 : 1;
}
