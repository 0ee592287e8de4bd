#include "unit/train/zero.hpp"

using namespace test_zero;

namespace {

struct Recurrent {  // what a loop reads whole, and a layer that is used twice
  nn::Linear<width, width> twice;
  nn::GRU<8, 24> gru;
  nn::Linear<24, classes> head;
  constexpr auto operator()(auto x) const {
    const auto h = twice(relu(twice(x)));
    const auto [y, last] = gru(reshape<batch, 8, 8>(h));
    return head(mean<1>(y));
  }
};
struct Nested {
  struct Pair {
    nn::Linear<width, width> fc;
    nn::Stack<Block, 2> inner;
    constexpr auto operator()(auto x) const { return inner(relu(fc(x))); }
  };
  nn::Stack<Pair, 3> outer;
  nn::Stack<Block, 1> single;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const { return head(single(outer(x))); }
};
struct Normed {  // whose gradients read the norms' weights again
  struct Layer {
    nn::LayerNorm<width> norm;
    nn::Linear<width, width> fc;
    constexpr auto operator()(auto x) const { return relu(fc(norm(x))); }
  };
  std::array<Layer, 12> h;
  nn::Linear<width, classes> head;
  constexpr auto operator()(auto x) const {
    for (const Layer& layer : h) x = layer(x);
    return head(x);
  }
};
struct Statistics {  // buffers beside the parameters
  nn::Linear<width, 32> fc;
  nn::BatchNorm1d<32> norm;
  nn::Linear<32, classes> head;
  constexpr auto operator()(auto x) const { return head(relu(norm(fc(x)))); }
};

const data::Digits& digits() {
  static const data::Digits read = data::load_digits(repository_file("examples/data/digits.bin"));
  return read;
}

}  // namespace

TEST_CASE("zero, parameters: loops that read them whole, loops in loops, a layer that is used twice") {
  same_as_one_process<3, 2, Recurrent>(optim::AdamW{.lr = 1e-2f});
  same_as_one_process<3, 3, Nested>(optim::AdamW{.lr = 1e-2f}, clip::norm(0.5f));
  same_as_one_process<3, 2, Nested>(optim::AdamW{.lr = 1e-2f}, precision::bf16);
}

TEST_CASE("zero, parameters: no rank has all of them") {
  run_ranks(2, [&](int r) {
    const auto adam = optim::AdamW{.lr = 1e-2f};
    auto trainer = trainer_of<Wide>(seed{3}, zero<3>, adam);
    using Trainer = decltype(trainer);
    using Stage2 = decltype(trainer_of<Wide>(seed{3}, zero<2>, adam));
    constexpr i64 arena = nn::state_table<Wide>.trained_bytes;
    constexpr i64 layer = (width + 1) * width * 4;
    // of each parameter itself, two moments, the gradient: a fourth and what aligns it
    static_assert(Trainer::state_bytes(1) == 256 + 4 * arena);
    static_assert(10 * Trainer::state_bytes(4) <= 3 * Trainer::state_bytes(1));
    static_assert(Trainer::state_bytes(4) < 256 + arena + 4 * 256);
    // the one that is read, the one before it, the one that comes
    static_assert(Trainer::workspace_bytes() <= Stage2::workspace_bytes() + 3 * layer);
    run_calls(trainer, 2, r, 2);
    if (r > 0) return;
    const std::string text = trainer.explain();
    CHECK(text.find("all_gather_state_start") != std::string::npos);
    CHECK(text.find("reduce_scatter_into") != std::string::npos);
    // twelve layers and the head in the forward pass; all but the first again in the backward pass, less the
    // two that were read last
    std::size_t starts = 0;
    for (std::size_t at = 0; (at = text.find("all_gather_state_start", at)) != std::string::npos; ++at)
      ++starts;
    CHECK(starts == 13 + 10);
  });
}

TEST_CASE("zero, parameters: what the forward pass has gathered is not kept for the backward pass") {
  run_ranks(2, [&](int) {
    using Trainer = decltype(trainer_of<Normed>(seed{3}, zero<3>, optim::SGD{}));
    using Stage2 = decltype(trainer_of<Normed>(seed{3}, zero<2>, optim::SGD{}));
    constexpr i64 layer = (width + 3) * width * 4, stored = 12 * batch * width * 4;
    static_assert(Trainer::workspace_bytes() <= Stage2::workspace_bytes() + 3 * layer + stored);
  });
  same_as_one_process<3, 2, Normed>(optim::AdamW{.lr = 1e-2f});
}

TEST_CASE("zero, parameters: of a Stack each trip gathers its own") {
  run_ranks(2, [&](int) {
    using Trainer = decltype(trainer_of<Deep>(seed{3}, zero<3>, optim::SGD{}));
    using Stage2 = decltype(trainer_of<Deep>(seed{3}, zero<2>, optim::SGD{}));
    constexpr i64 layer = (width + 1) * width * 4;
    static_assert(Trainer::workspace_bytes() <= Stage2::workspace_bytes() + 3 * layer);
  });
}

TEST_CASE("zero, parameters: the model is a copy, which is read") {
  const ScratchFolder folder;
  const std::string whole = folder / "model";
  run_ranks(3, [&](int r) {
    auto trainer = trainer_of<Statistics>(seed{3}, zero<3>, optim::SGD{.lr = 0.1f});
    auto ddp = trainer_of<Statistics>(seed{3}, comm::ddp<ThreadRanks, 8192>, optim::SGD{.lr = 0.1f});
    static_assert(std::is_same_v<decltype(trainer.model()), const Model<Statistics>>);
    run_calls(trainer, 3, r, 3);
    run_calls(ddp, 3, r, 3);
    CHECK(test_support::different_state(trainer.model(), ddp.model()) == "");
    // in evaluation mode, with the running statistics
    const f64 loss_here = trainer.evaluate(digits().test), loss_there = ddp.evaluate(digits().test);
    CHECK(loss_here == loss_there);
    constexpr auto hits = [](const auto& m, auto x, auto y) { return accuracy(m(x), y); };
    CHECK(trainer.evaluate(hits, digits().test) == ddp.evaluate(hits, digits().test));
    const auto before = trainer.model();
    auto f = compile(trainer.model(), in<f32, batch, width>);
    const auto b = batch_of(r);
    const auto seen = f(b.x).to_vector();
    run_calls(trainer, 1, r, 3);
    CHECK(test_support::different_state(trainer.model(), before) != "");
    CHECK(f(b.x).to_vector() == seen);
    // a file of the model, from the copy and back
    const auto saved = trainer.model();
    if (r == 0) saved.save(whole);
    run_calls(trainer, 1, r, 3);
    trainer.load_model(whole);
    CHECK(test_support::different_state(trainer.model(), saved) == "");
    run_calls(trainer, 1, r, 3);  // and it trains on
    CHECK(test_support::different_state(trainer.model(), saved) != "");
  });
}

TEST_CASE("zero, parameters: a model is taken over, unless a function has it, too") {
  run_ranks(2, [&](int r) {
    Model<Net> model(Cpu{1}, 7);
    const auto start = model.clone();
    auto trainer = make_trainer(std::move(model), loss, in<f32, batch, width>, in<i32, batch>, zero<3>,
                                optim::SGD{.lr = 0.1f});
    CHECK(test_support::different_state(trainer.model(), start) == "");
    run_calls(trainer, 1, r, 2);
    auto moved = std::move(trainer);
    run_calls(moved, 1, r, 2);
    Model<Net> shared(Cpu{1}, 7);
    auto f = compile(shared, in<f32, batch, width>);
    CHECK_THROWS_WITH_AS(make_trainer(std::move(shared), loss, in<f32, batch, width>, in<i32, batch>, zero<3>,
                                      optim::SGD{.lr = 0.1f}),
                         doctest::Contains("compile functions of trainer.model()"), Error);
  });
}

TEST_CASE("zero, parameters: of several files each rank writes its pieces") {
  const ScratchFolder folder;
  const auto adam = optim::AdamW{.lr = 1e-2f};
  const std::string one = folder / "one", parts = (folder / "parts") + ".safetensors.index.json",
                    onward = folder / "onward", other = folder / "other";
  save_steps<Statistics>(zero<3>, 3, 0, 2, 3, "", parts, adam);
  save_steps<Statistics>(zero<3>, 3, 0, 2, 3, "", one, adam);
  save_steps<Statistics>(zero<3>, 3, 2, 4, 3, one, onward, adam);
  save_steps<Statistics>(zero<3>, 3, 2, 4, 3, parts, other, adam);
  CHECK(test_support::different_tensors(onward, other) == "");
  save_steps<Statistics>(zero<2>, 3, 2, 4, 3, parts, other, adam);
  CHECK(test_support::different_tensors(onward, other) == "");
}

TEST_CASE("zero, parameters: values of every kernel are looked at where a rank has them") {
  same_as_one_process<3, 2, Deep>(optim::AdamW{.lr = 1e-2f}, check::finite, check::indices);
}

TEST_CASE("zero, parameters: a trainer of any kind") {
  run_ranks(2, [&](int r) {
    using Any = AnyTrainer<Tensor<f32, Shape<batch, width>>, Tensor<i32, Shape<batch>>>;
    Any any(trainer_of<Net>(seed{3}, zero<3>, optim::SGD{.lr = 0.1f}));
    const auto b = batch_of(r);
    any.step(b.x, b.y);
    const ScratchFolder own;
    any.save_model(own / "model");
    any.load_model(own / "model");
  });
}
