#include "weft/train/ranks.hpp"

#include <doctest/doctest.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "support/labelled_batch.hpp"
#include "support/repository.hpp"
#include "support/same_state.hpp"
#include "support/thread_ranks.hpp"
#include "weft/weft.hpp"

using namespace weft;
using test_support::run_ranks;
using test_support::ThreadRanks;

namespace {

constexpr i64 batch = 16, width = 64, classes = 10;

struct Net {
  nn::Linear<width, 128> fc1;
  nn::LayerNorm<128> norm;
  nn::Dropout drop{.p = 0.2f};
  nn::Linear<128, 96> fc2;
  nn::Linear<96, classes> head;
  constexpr auto operator()(auto x) const { return head(gelu(fc2(drop(norm(relu(fc1(x))))))); }
};
constexpr auto loss = [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); };

// Of a few KiB, so that there are several.
template <i64 Bytes = 8192>
inline constexpr auto ranks = comm::ddp<ThreadRanks, Bytes>;

template <class... O>
auto trainer_of(const O&... options) {
  return make_trainer<Net>(Cpu{1}, loss, in<f32, batch, width>, in<i32, batch>, options...);
}
// Batch number `call` of all.
test_support::LabelledBatch batch_of(i64 call) {
  return test_support::labelled_batch(call, batch, width, classes);
}
template <class T>
void run_calls(T& trainer, int calls, i64 rank, i64 of) {
  for (i64 c = 0; c < calls; ++c) {
    const auto b = batch_of(c * of + rank);
    trainer.step(b.x, b.y);
  }
}

// That n ranks end where one process does that gathers the gradients of n calls.
template <int N, class... O>
void same_as_one_process(const O&... options) {
  auto alone = trainer_of(seed{3}, accumulate<N>, options...);
  run_calls(alone, 3 * N, 0, 1);
  std::vector<std::string> different(N);
  run_ranks(N, [&](int r) {
    auto trainer = trainer_of(seed{3}, ranks<>, options...);
    run_calls(trainer, 3, r, N);
    different[static_cast<std::size_t>(r)] = test_support::different_state(trainer.model(), alone.model());
  });
  for (int r = 0; r < N; ++r) CHECK_MESSAGE(different[static_cast<std::size_t>(r)] == "", r);
}

}  // namespace

TEST_CASE("ranks: ddp is one process with accumulate, bit for bit") {
  same_as_one_process<2>(optim::SGD{.lr = 0.1f});
  same_as_one_process<3>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<4>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<2>(optim::AdamW{.lr = 1e-2f}, clip::value(0.01f));
  same_as_one_process<2>(optim::Muon{.lr = 1e-2f});
}

TEST_CASE("ranks: ddp with parameter groups, some of them frozen, is one process with accumulate") {
  constexpr auto is_norm = [](std::string_view name, const Dims&) { return name.starts_with("norm"); };
  same_as_one_process<2>(optim::groups(optim::no_decay(optim::is_vector), optim::AdamW{.lr = 1e-2f}));
  same_as_one_process<2>(optim::groups(optim::frozen(is_norm), optim::AdamW{.lr = 1e-2f}));
}

TEST_CASE("ranks: ddp in bf16 and f16 is one process with accumulate") {
  same_as_one_process<2>(optim::AdamW{.lr = 1e-2f}, precision::bf16);
  same_as_one_process<3>(optim::AdamW{.lr = 1e-2f}, precision::f16, clip::norm(1.0f));
}

namespace {

// That ranks which gather the gradients of two calls each are equal, and near one process.
template <class... O>
void gathered(const O&... options) {
  auto alone = trainer_of(seed{3}, accumulate<4>, optim::SGD{.lr = 0.5f}, options...);
  const auto first = alone.model().template get<"fc1.weight">().to_vector();
  // call c of rank r is call 2 c + r
  run_calls(alone, 8, 0, 1);
  const auto want = alone.model().template get<"fc1.weight">().to_vector();
  std::vector<std::vector<f32>> got(2);
  run_ranks(2, [&](int r) {
    auto trainer = trainer_of(seed{3}, ranks<>, accumulate<2>, optim::SGD{.lr = 0.5f}, options...);
    ThreadRanks::sums = 0;
    run_calls(trainer, 4, r, 2);
    const i64 sums = std::exchange(ThreadRanks::sums, 0);
    auto plain = trainer_of(seed{3}, ranks<>, optim::SGD{.lr = 0.5f}, options...);
    run_calls(plain, 2, r, 2);
    CHECK(sums > 0);
    CHECK(sums == ThreadRanks::sums);  // of two updates
    got[static_cast<std::size_t>(r)] = trainer.model().template get<"fc1.weight">().to_vector();
  });
  CHECK(got[0] == got[1]);
  f64 moved = 0, off = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    moved = std::fmax(moved, std::fabs(static_cast<f64>(want[i]) - static_cast<f64>(first[i])));
    off = std::fmax(off, std::fabs(static_cast<f64>(want[i]) - static_cast<f64>(got[0][i])));
  }
  CHECK(moved > 1e-4);
  CHECK(off < 1e-5 * moved + 1e-7);
}

}  // namespace

TEST_CASE("ranks: what each rank gathers is communicated once") {
  gathered();
  gathered(clip::norm(0.1f));
}

namespace {

struct Block {
  nn::Linear<width, width> fc;
  nn::Dropout drop{.p = 0.1f};
  constexpr auto operator()(auto x) const { return x + drop(gelu(fc(x))); }
};
struct Deep {
  nn::Linear<width, width> in_proj;
  nn::Stack<Block, 3> h;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const { return head(h(in_proj(x))); }
};
// Two uses of one parameter, two parameters of one gradient, one whose gradient is an intermediate value too.
struct Shared2 {
  nn::Linear<width, width> fc;
  nn::Param<f32, Shape<width>> a, b;
  nn::BatchNorm1d<width> norm;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const { return head(norm(relu(fc(relu(fc(x))) + a + b))); }
};

template <class Model, class... O>
auto model_trainer(const O&... options) {
  return make_trainer<Model>(Cpu{1}, loss, in<f32, batch, width>, in<i32, batch>, seed{3},
                             optim::AdamW{.lr = 1e-2f}, options...);
}

}  // namespace

TEST_CASE("ranks: a Stack, and gradients that several parameters share") {
  auto deep = model_trainer<Deep>(accumulate<2>);
  run_calls(deep, 6, 0, 1);
  std::string different[2];
  run_ranks(2, [&](int r) {
    auto trainer = model_trainer<Deep>(ranks<>);
    run_calls(trainer, 3, r, 2);
    different[r] = test_support::different_state(trainer.model(), deep.model());
  });
  CHECK(different[0] == "");
  CHECK(different[1] == "");

  auto shared = model_trainer<Shared2>(accumulate<2>);
  run_calls(shared, 6, 0, 1);
  std::vector<f32> fc[2], a[2], mean[2];
  run_ranks(2, [&](int r) {
    auto trainer = model_trainer<Shared2>(comm::ddp<ThreadRanks, 1>);  // a bucket each
    run_calls(trainer, 3, r, 2);
    fc[r] = trainer.model().template get<"fc.weight">().to_vector();
    a[r] = trainer.model().template get<"a">().to_vector();
    mean[r] = trainer.model().template get<"norm.running_mean">().to_vector();
  });
  for (int r = 0; r < 2; ++r) {
    CHECK(fc[r] == shared.model().get<"fc.weight">().to_vector());
    CHECK(a[r] == shared.model().get<"a">().to_vector());
  }
  CHECK(mean[0] == mean[1]);  // rank 0's
  CHECK(mean[0] != shared.model().get<"norm.running_mean">().to_vector());
}

namespace {

struct Recomputed {
  std::array<Block, 3> h;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const {
    for (const Block& block : h) x = block(x);
    return head(x);
  }
};

}  // namespace

TEST_CASE("ranks: recomputed blocks, and checks, with sums over ranks") {
  auto alone = model_trainer<Recomputed>(accumulate<2>, checkpoint::blocks);
  run_calls(alone, 6, 0, 1);
  std::string different[2];
  run_ranks(2, [&](int r) {
    auto trainer = model_trainer<Recomputed>(ranks<>, checkpoint::blocks, check::finite);
    run_calls(trainer, 3, r, 2);
    different[r] = test_support::different_state(trainer.model(), alone.model());
  });
  CHECK(different[0] == "");
  CHECK(different[1] == "");
  const ScratchFolder folder;
  run_ranks(1, [&](int) {
    auto trainer = model_trainer<Recomputed>(ranks<>);
    trainer.memory_timeline(folder / "timeline.html");
    CHECK(trainer.explain().find("over all ranks") != std::string::npos);
  });
}

TEST_CASE("ranks: every rank begins with rank 0's values, and resumes where all stopped") {
  const ScratchFolder folder;
  std::string different[2][2];
  run_ranks(2, [&](int r) {
    auto trainer = trainer_of(seed{static_cast<u64>(r)}, ranks<>, optim::AdamW{.lr = 1e-2f});
    auto other = trainer_of(seed{0}, ranks<>, optim::AdamW{.lr = 1e-2f});
    different[r][0] = test_support::different_state(trainer.model(), other.model());
    run_calls(trainer, 2, r, 2);
    trainer.save(folder / "checkpoint");
    auto resumed = trainer_of(seed{7}, ranks<>, optim::AdamW{.lr = 1e-2f});
    resumed.load(folder / "checkpoint");
    run_calls(trainer, 2, r, 2);
    run_calls(resumed, 2, r, 2);
    different[r][1] = test_support::different_state(trainer.model(), resumed.model());
    CHECK_THROWS_AS(resumed.load(folder / "nowhere"), Error);
    CHECK_THROWS_AS(resumed.save(folder / "no/folder"), Error);  // on rank 1, too
  });
  for (const auto& of_rank : different)
    for (const std::string& what : of_rank) CHECK(what == "");
}

TEST_CASE("ranks: evaluate deals the batches and gives every rank the mean over all") {
  const data::Digits digits = data::load_digits(repository_file("examples/data/digits.bin"));
  auto alone = make_trainer<nn::Linear<64, 10>>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, seed{1},
                                                optim::SGD{.lr = 0.1f});
  const f64 want = alone.evaluate(digits.test);
  f64 got[3]{};
  run_ranks(3, [&](int r) {
    auto trainer = make_trainer<nn::Linear<64, 10>>(Cpu{1}, loss, in<f32, 32, 64>, in<i32, 32>, seed{1},
                                                    optim::SGD{.lr = 0.1f}, ranks<>);
    got[r] = trainer.evaluate(digits.test);
  });
  CHECK(got[0] == doctest::Approx(want).epsilon(1e-12));
  CHECK(got[1] == got[0]);
  CHECK(got[2] == got[0]);
}

TEST_CASE("ranks: another rate, schedule or bound on a rank is refused") {
  std::string said[2];
  const auto differ = [&](const auto& on_0, const auto& on_1) {
    run_ranks(2, [&](int r) {
      said[r] = "";
      try {
        r == 0 ? on_0() : on_1();
      } catch (const Error& e) {
        said[r] = e.what();
      }
    });
    return said[0] == said[1] ? said[0] : "";
  };
  const auto with = [](const auto&... options) { return [=] { trainer_of(seed{1}, ranks<>, options...); }; };
  const char* const text = "comm/mismatch: rank 1 has other numbers than rank 0";
  CHECK(differ(with(optim::SGD{.lr = 0.1f}), with(optim::SGD{.lr = 0.2f})).starts_with(text));
  CHECK(differ(with(optim::AdamW{.lr = schedule::cosine(1e-3f, 1000)}),
               with(optim::AdamW{.lr = schedule::cosine(1e-3f, 900)}))
            .starts_with(text));
  CHECK(differ(with(optim::SGD{}, clip::norm(1.0f)), with(optim::SGD{}, clip::norm(2.0f))).starts_with(text));
  CHECK(differ(with(optim::SGD{}, clip::norm(1.0f)), with(optim::SGD{}, clip::norm(1.0f))) == "");
}

TEST_CASE("ranks: another program on a rank is refused, and one rank's failure is every rank's") {
  std::string id[2];
  run_ranks(2, [&](int r) {
    try {
      if (r == 0)
        trainer_of(seed{1}, ranks<>, optim::SGD{.lr = 0.1f});
      else
        trainer_of(seed{1}, ranks<>, optim::AdamW{});
    } catch (const Error& e) {
      id[r] = e.id();
    }
  });
  CHECK(id[0] == "comm/mismatch");
  CHECK(id[1] == "comm/mismatch");
  run_ranks(2, [&](int r) {
    const train::Ranks<std::remove_const_t<decltype(ranks<>)>> all;
    try {
      all.together("load the checkpoint", [&] {
        if (r == 1) throw Error("io/open", "no such file");
      });
    } catch (const Error& e) {
      id[r] = e.what();
    }
  });
  CHECK(id[0].find("rank 1 could not load the checkpoint") != std::string::npos);
  CHECK(id[1].find("no such file") != std::string::npos);
}

TEST_CASE("ranks: a number that every rank has is summed and averaged in their order") {
  const f64 own[]{1e16, 1, -1e16, 3};  // another order has another sum
  std::vector<f64> sums(4), means(4);
  run_ranks(4, [&](int r) {
    const auto ranks = ThreadRanks::connect();
    sums[static_cast<std::size_t>(r)] = ranks->sum(own[r]);
    means[static_cast<std::size_t>(r)] = ranks->mean(own[r]);
  });
  for (int r = 0; r < 4; ++r) {
    CHECK(sums[static_cast<std::size_t>(r)] == 3);
    CHECK(means[static_cast<std::size_t>(r)] == 0.75);
  }
}
