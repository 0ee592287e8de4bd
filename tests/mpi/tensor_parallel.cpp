// A model whose layers two ranks share out: the code of docs/distributed.md, between its marks, and that it
// trains as the undivided model does, whose files it reads and writes. usage: tensor_parallel. Ends with 0
// where all holds on this rank.

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "support/repository.hpp"
#include "weft/mpi.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {

int faults = 0;
void check(bool holds, const char* what, int rank) {
  if (holds) return;
  std::printf("rank %d: %s\n", rank, what);
  ++faults;
}

// [model]
using Parts = comm::tensor_parallel<2, comm::Mpi>;  // two ranks have the parts

struct Mlp {
  nn::ColumnParallelLinear<64, 256, Parts> up;  // 128 columns on each rank
  nn::PartDropout<Parts> drop{.p = 0.1f};
  nn::RowParallelLinear<256, 64, Parts> down;  // 128 rows on each, and one sum over the two ranks
  nn::LayerNorm<64> norm;                      // whole, on both
  nn::Linear<64, 10> head;
  constexpr auto operator()(auto x) const { return head(norm(x + down(drop(gelu(up(x)))))); }
};
// [/model]
// [attention]
template <i64 Batch, i64 Length, i64 Width, i64 Heads>
struct Attention {
  static constexpr i64 own = Heads / Parts::degree;  // heads on each rank
  // q, k and v in one layer: a rank has its heads' columns of each
  nn::ColumnParallelLinear<Width, 3 * Width, Parts, nn::ParallelOptions{.blocks = 3}> qkv;
  nn::RowParallelLinear<Width, Width, Parts> out;
  constexpr auto operator()(auto x) const {
    const auto [q, k, v] = chunk<3, -1>(qkv(x));  // each (Batch, Length, Width / 2)
    const auto heads = [](auto t) { return transpose<1, 2>(view<Batch, Length, own, Width / Heads>(t)); };
    const auto y =
        scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(heads(q), heads(k), heads(v));
    return out(reshape<Batch, Length, own * Width / Heads>(transpose<1, 2>(y)));
  }
};
// [/attention]
// [sequence]
// Between the layers each rank has half of the sequence: the norm's parameters are whole, its values are not.
template <i64 Width>
struct Feedforward {
  static constexpr nn::ParallelOptions along_sequence{.sequence_axis = 1};  // of (batch, length, width)
  nn::SequenceParallel<nn::LayerNorm<Width>, Parts> norm;
  nn::ColumnParallelLinear<Width, 4 * Width, Parts, along_sequence> up;
  nn::RowParallelLinear<4 * Width, Width, Parts, along_sequence> down;
  constexpr auto operator()(auto x) const { return x + down(gelu(up(norm(x)))); }
};
// [/sequence]

// The same undivided.
struct Whole {
  nn::Linear<64, 256> up;
  nn::Dropout drop{.p = 0.1f};
  nn::Linear<256, 64> down;
  nn::LayerNorm<64> norm;
  nn::Linear<64, 10> head;
  constexpr auto operator()(auto x) const { return head(norm(x + down(drop(gelu(up(x)))))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };
// [words]
struct Words {
  nn::VocabParallelEmbedding<1024, 64, Parts> embed;
  Attention<4, 32, 64, 8> attention;
  Feedforward<64> feedforward;
  nn::ColumnParallelLinear<64, 1024, Parts, nn::ParallelOptions{.bias = false}> head;
  constexpr auto operator()(auto tokens) const {
    const auto x = embed(tokens);                          // (4, 32, 64)
    const auto y = take_part<Parts, 1>(x + attention(x));  // (4, 16, 64): this rank's half of each sequence
    return head(gather_parts<Parts, 1>(feedforward(y)));   // (4, 32, 512): this rank's half of the words
  }
};
constexpr auto next_word = [](const auto& m, auto tokens, auto labels) {
  return vocab_parallel_cross_entropy<Parts>(m(tokens), labels);
};
// [/words]

template <class M, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<M>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, optim::AdamW{.lr = 3e-3f},
                         clip::norm(1.0f), seed{1}, options...);
}

void digits(const comm::Mpi& world) {
  const data::Digits digits = data::load_digits(repository_file("examples/data/digits.bin"));
  // [train]
  // Ranks 0 and 1 are one model, 2 and 3 another, which trains on samples of its own.
  auto trainer = make_trainer<Mlp>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, optim::AdamW{.lr = 3e-3f},
                                   clip::norm(1.0f), seed{1}, comm::ddp<comm::Mpi>);
  auto batches = data::loader<32>(digits.train, {.shuffle = true,
                                                 .seed = 1,
                                                 .rank = world.rank() / Parts::degree,
                                                 .ranks = world.size() / Parts::degree});
  // [/train]
  const int groups = world.size() / Parts::degree;
  auto alone = trainer_of<Whole>();
  auto samples = data::loader<32>(digits.train, {.shuffle = true, .seed = 1});
  const std::string folder = "tensor_parallel_" + std::to_string(world.size());
  if (world.rank() == 0) std::filesystem::create_directories(folder);
  std::vector<f64> own, expected;
  for (auto& [x, y] : batches) own.push_back(trainer.step(x, y).item());
  for (auto& [x, y] : samples) expected.push_back(alone.step(x, y).item());
  if (groups == 1) {
    check(own.size() == expected.size(), "another number of batches", world.rank());
    f64 worst = 0;
    for (std::size_t i = 0; i < own.size(); ++i) worst = std::fmax(worst, std::fabs(own[i] - expected[i]));
    check(worst < 1e-3, "another loss than the undivided model's", world.rank());
  }
  const auto accuracy_of = [](const auto& m, auto x, auto y) { return accuracy(m(x), y); };
  const f64 right = trainer.evaluate(accuracy_of, digits.test);
  // The other way round, and with fewer ranks: what one has written the other goes on from.
  if (world.rank() / Parts::degree == 0) {
    trainer.model().save(folder + "/mlp.safetensors");  // of the whole model, by the first rank of the group
    Model<Whole> whole(Cpu{1}, seed{2});
    whole.load(folder + "/mlp.safetensors");
    const f64 same = evaluate(whole, accuracy_of, digits.test, in<f32, 32, 64>, in<i32, 32>);
    check(std::fabs(same - right) < 0.01, "the file is another model's", world.rank());
  }
  trainer.save(folder + "/run.safetensors");
  auto resumed = trainer_of<Whole>();
  resumed.load(folder + "/run.safetensors");
  check(resumed.steps() == trainer.steps(), "the checkpoint is another run's", world.rank());
}

void words(const comm::Mpi& world) {
  Tensor<i32, Shape<4, 32>> x, y;
  for (i64 i = 0; i < x.size(); ++i)
    x[i] = static_cast<i32>(i * 37 % 1024), y[i] = static_cast<i32>((i + 1) * 37 % 1024);
  auto trainer = make_trainer<Words>(Cpu{1}, next_word, in<i32, 4, 32>, in<i32, 4, 32>,
                                     optim::AdamW{.lr = 1e-2f}, seed{1});
  const f32 first = trainer.step(x, y);
  f32 last = first;
  for (int k = 0; k < 20; ++k) last = trainer.step(x, y);
  check(first > 6 && last < 0.5f * first, "words are not learnt", world.rank());
}

}  // namespace

int main() {
  const comm::Mpi world;
  try {
    digits(world);
    words(world);
  } catch (const Error& error) {
    // a number of ranks that is no whole number of groups is refused
    const bool odd = world.size() % Parts::degree != 0;
    check(odd && std::string(error.what())
                         .find("no whole number of groups of 2: start a multiple, " +
                               std::to_string(world.size() + 1)) != std::string::npos,
          error.what(), world.rank());
  }
  return faults == 0 ? 0 : 1;
}
