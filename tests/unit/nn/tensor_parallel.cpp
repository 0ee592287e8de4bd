#include "weft/nn/tensor_parallel.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "support/same_state.hpp"
#include "support/thread_ranks.hpp"
#include "weft/comm/tensor_parallel.hpp"
#include "weft/weft.hpp"

using namespace weft;
using test_support::run_ranks;
using test_support::ThreadRanks;

namespace {

constexpr i64 batch = 2, length = 16, width = 64, heads = 4, words = 96, calls = 4;

// The layers of a GPT: of one process, of a group, and of a group that shares the sequence out, too.
struct Undivided {
  static constexpr int degree = 1;
  using Embedding = nn::Embedding<words, width>;
  using Norm = nn::LayerNorm<width>;
  using Qkv = nn::Linear<width, 3 * width>;
  using Out = nn::Linear<width, width>;
  using Up = nn::Linear<width, 4 * width>;
  using Down = nn::Linear<4 * width, width>;
  using Head = nn::Linear<width, words, false>;
  using Drop = nn::Dropout;
  using HiddenDrop = nn::Dropout;
  static constexpr auto enter(const auto& x) { return x; }
  static constexpr auto loss(const auto& logits, const auto& labels) { return cross_entropy(logits, labels); }
};
template <int Degree, bool Sequence>
struct Divided {
  using G = comm::tensor_parallel<Degree, ThreadRanks>;
  static constexpr int degree = Degree, axis = Sequence ? 1 : nn::whole_sequence;
  static constexpr nn::ParallelOptions plain{.sequence_axis = axis};
  template <class L>
  using OfSequence = std::conditional_t<Sequence, nn::SequenceParallel<L, G>, L>;
  using Embedding = nn::VocabParallelEmbedding<words, width, G>;
  using Norm = OfSequence<nn::LayerNorm<width>>;
  using Qkv =
      nn::ColumnParallelLinear<width, 3 * width, G, nn::ParallelOptions{.blocks = 3, .sequence_axis = axis}>;
  using Out = nn::RowParallelLinear<width, width, G, plain>;
  using Up = nn::ColumnParallelLinear<width, 4 * width, G, plain>;
  using Down = nn::RowParallelLinear<4 * width, width, G, plain>;
  using Head =
      nn::ColumnParallelLinear<width, words, G, nn::ParallelOptions{.bias = false, .sequence_axis = axis}>;
  using Drop = std::conditional_t<Sequence, nn::PartDropout<G, 1>, nn::Dropout>;
  using HiddenDrop = nn::PartDropout<G>;
  static constexpr auto enter(const auto& x) {
    if constexpr (Sequence)
      return take_part<G, 1>(x);
    else
      return x;
  }
  static constexpr auto loss(const auto& logits, const auto& labels) {
    return vocab_parallel_cross_entropy<G>(logits, labels);
  }
};

template <class L>
struct Block {
  typename L::Norm norm1;
  typename L::Qkv qkv;
  typename L::Out out;
  typename L::Drop drop{.p = 0.1f};
  typename L::Norm norm2;
  typename L::Up up;
  typename L::HiddenDrop hidden{.p = 0.2f};
  typename L::Down down;
  constexpr auto operator()(auto x) const {
    constexpr i64 own = heads / L::degree;
    const auto [q, k, v] = chunk<3, -1>(qkv(norm1(x)));
    const auto apart = [](auto t) { return transpose<1, 2>(reshape<batch, length, own, width / heads>(t)); };
    const auto mixed =
        scaled_dot_product_attention<AttentionOptions{.is_causal = true}>(apart(q), apart(k), apart(v));
    const auto y = x + drop(out(reshape<batch, length, own * width / heads>(transpose<1, 2>(mixed))));
    return y + down(hidden(gelu(up(norm2(y)))));
  }
};
constexpr auto through(const auto& blocks, auto x) {
  if constexpr (requires { blocks(x); }) {
    return blocks(x);
  } else {
    for (const auto& block : blocks) x = block(x);
    return x;
  }
}
template <class L, class Blocks = std::array<Block<L>, 1>>
struct Gpt {
  using layers = L;
  typename L::Embedding embed;
  Blocks h;
  typename L::Norm norm;
  typename L::Head head;
  constexpr auto operator()(auto tokens) const { return head(norm(through(h, L::enter(embed(tokens))))); }
};
constexpr auto loss = []<class M>(const M& m, auto x, auto y) { return M::layers::loss(m(x), y); };

template <class M, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<M>(Cpu{1}, loss, in<i32, batch, length>, in<i32, batch, length>, seed{3}, options...);
}
struct Tokens {
  Tensor<i32, Shape<batch, length>> x, y;
  explicit Tokens(i64 call) {
    for (i64 i = 0; i < x.size(); ++i) {
      x[i] = static_cast<i32>((i * 37 + call * 11) % words);
      y[i] = i % 9 == 0 ? -100 : static_cast<i32>((i * 53 + call * 7) % words);
    }
  }
};
// The losses of some steps; of each `gathered` calls the mean.
template <class T>
std::vector<double> losses_of(T& trainer, i64 gathered = 1, i64 rank = 0, i64 of = 1) {
  std::vector<double> losses;
  for (i64 c = 0; c < calls; ++c) {
    double sum = 0;
    for (i64 k = 0; k < gathered; ++k) {
      const Tokens b((c * gathered + k) * of + rank);
      sum += trainer.step(b.x, b.y).item();
    }
    losses.push_back(sum / static_cast<double>(gathered));
  }
  return losses;
}
void close(const std::vector<double>& a, const std::vector<double>& b, double within) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::fabs(a[i] - b[i]) <= within * std::fabs(b[i]));
}
// The greatest difference of two files' tensors, relative to the greatest element.
double difference(const std::string& a, const std::string& b) {
  const io::Safetensors one(a), other(b);
  REQUIRE(one.entries().size() == other.entries().size());
  double worst = 0;
  for (const auto& entry : one.entries()) {
    const auto* same = other.find(entry.name);
    REQUIRE(same != nullptr);
    REQUIRE(same->shape == entry.shape);
    if (entry.dtype != DType::f32) continue;
    double most = 1e-6, apart = 0;
    for (std::size_t i = 0; i < entry.bytes; i += 4) {
      float x = 0, y = 0;
      std::memcpy(&x, entry.data + i, 4);
      std::memcpy(&y, same->data + i, 4);
      most = std::max(most, std::fabs(static_cast<double>(x)));
      apart = std::max(apart, std::fabs(static_cast<double>(x) - y));
    }
    worst = std::max(worst, apart / most);
  }
  return worst;
}

// That a group ends where one process does, to rounding, and that its files are that one's.
template <class Parted, class Whole, class... O>
void same_as_undivided(double within, double files_within, const O&... options) {
  const ScratchFolder folder;
  auto whole = trainer_of<Whole>(options...);
  whole.model().save(folder / "start");
  const std::vector<double> expected = losses_of(whole);
  whole.save(folder / "whole");
  const Tokens next(calls);
  const double after = whole.step(next.x, next.y).item();
  constexpr int degree = Parted::layers::degree;
  std::vector<std::vector<double>> found(degree);
  std::vector<double> resumed(degree), taken(degree);
  run_ranks(degree, [&](int r) {
    const auto k = static_cast<std::size_t>(r);
    auto trainer = trainer_of<Parted>(options...);
    trainer.model().save(folder / "parted_start");
    found[k] = losses_of(trainer);
    trainer.save(folder / "parted");
    auto other = trainer_of<Parted>(options...);
    other.load(folder / "parted");
    resumed[k] = other.step(next.x, next.y).item();
    other.load(folder / "whole");
    taken[k] = other.step(next.x, next.y).item();
  });
  for (const auto& of_rank : found) CHECK(of_rank == found[0]);
  close(found[0], expected, within);
  CHECK(test_support::different_tensors(folder / "start", folder / "parted_start") == "");
  CHECK(difference(folder / "parted", folder / "whole") < files_within);
  for (int r = 0; r < degree; ++r) {
    CHECK(std::fabs(resumed[static_cast<std::size_t>(r)] - after) <= 30 * within * after);
    CHECK(std::fabs(taken[static_cast<std::size_t>(r)] - after) <= within * after);
  }
  auto back = trainer_of<Whole>(options...);
  back.load(folder / "parted");
  CHECK(std::fabs(back.step(next.x, next.y).item() - resumed[0]) <= within * after);
}

constexpr optim::AdamW adam{.lr = 3e-3f};
constexpr optim::SGD sgd{.lr = 0.1f, .momentum = 0.9f};
// Relative; Adam takes rounding for a direction where a gradient is nothing else, such as that of k's bias.
constexpr double of_adam = 2e-2;

}  // namespace

TEST_CASE("tensor parallel: two and four ranks are the undivided model, starting values, files and all") {
  same_as_undivided<Gpt<Divided<2, false>>, Gpt<Undivided>>(2e-5, 2e-5, sgd, clip::norm(0.5f));
  same_as_undivided<Gpt<Divided<4, false>>, Gpt<Undivided>>(2e-5, 2e-5, sgd, clip::norm(0.5f));
}

TEST_CASE("tensor parallel: the ranks have parts of the sequence between the layers") {
  same_as_undivided<Gpt<Divided<2, true>>, Gpt<Undivided>>(2e-5, 2e-5, sgd, clip::norm(0.5f));
}

TEST_CASE("tensor parallel: blocks in a Stack, computed again") {
  using Parted = Gpt<Divided<2, false>, nn::Stack<Block<Divided<2, false>>, 2>>;
  same_as_undivided<Parted, Gpt<Undivided, nn::Stack<Block<Undivided>, 2>>>(
      2e-5, of_adam, adam, clip::norm(0.5f), checkpoint::blocks);
}

TEST_CASE("tensor parallel: f16 with a loss scale skips the same updates on every rank") {
  using Parted = Gpt<Divided<2, false>>;
  std::vector<std::vector<double>> found(2);
  std::vector<std::string> files(2);
  const ScratchFolder folder;
  run_ranks(2, [&](int r) {
    auto trainer = trainer_of<Parted>(adam, precision::f16, clip::norm(0.5f));
    for (int k = 0; k < 4; ++k) {
      const std::vector<double> some = losses_of(trainer);
      found[static_cast<std::size_t>(r)].insert(found[static_cast<std::size_t>(r)].end(), some.begin(),
                                                some.end());
    }
    trainer.save(folder / "f16");
  });
  CHECK(found[0] == found[1]);
  CHECK(found[0].back() < found[0].front());
}

TEST_CASE("tensor parallel: groups of ranks train on batches of their own") {
  using Parted = Gpt<Divided<2, false>>;
  auto whole = trainer_of<Gpt<Undivided>>(adam, clip::norm(0.5f), accumulate<2>);
  const std::vector<double> expected = losses_of(whole, 2);
  std::vector<std::vector<double>> found(4);
  run_ranks(4, [&](int r) {
    auto trainer = trainer_of<Parted>(adam, clip::norm(0.5f), comm::ddp<ThreadRanks, 8192>);
    found[static_cast<std::size_t>(r)] = losses_of(trainer, 1, r / 2, 2);
  });
  CHECK(found[0] == found[1]);
  CHECK(found[2] == found[3]);
  std::vector<double> mean;
  for (std::size_t i = 0; i < expected.size(); ++i) mean.push_back((found[0][i] + found[2][i]) / 2);
  close(mean, expected, 2e-5);
}

TEST_CASE("tensor parallel: one sum over the group behind each pair of layers, and one in its gradient") {
  using M = Gpt<Divided<2, false>>;
  const auto count = [](const std::string& text, const char* what) {
    int n = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++n;
    return n;
  };
  run_ranks(2, [&](int) {
    auto trainer = trainer_of<M>(sgd, clip::norm(0.5f));
    // forward: the embedding, two for the block, two numbers a row of the loss; backward: two for the
    // block, the head; the norm of the parts
    CHECK(count(trainer.explain(), "group_sum") == (1 + 2 + 2) + (2 + 1) + 1);
    CHECK(count(trainer.explain(), "group_gather") == 2);  // of the loss's greatest logits, of the norm
  });
}
