#include "weft/train/checkpoint_shards.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "../io/scratch.hpp"
#include "support/same_state.hpp"
#include "support/thread_ranks.hpp"
#include "weft/weft.hpp"

using namespace weft;
using test_support::run_ranks;
using test_support::ThreadRanks;

namespace {

constexpr i64 batch = 16, width = 64, classes = 10;

struct Net {  // pieces of the arena end within its matrices
  nn::Linear<width, 129> fc1{};
  nn::LayerNorm<129> norm{};
  nn::Linear<129, classes> fc2{};
  constexpr auto operator()(auto x) const { return fc2(norm(relu(fc1(x)))); }
};
struct Layer {
  nn::Linear<width, width> fc{};
  constexpr auto operator()(auto x) const { return x + gelu(fc(x)); }
};
template <class Layers>
struct Deep {
  Layers h{};
  nn::Linear<width, classes> head{};
  constexpr auto operator()(auto x) const {
    if constexpr (requires { h(x); })
      return head(h(x));
    else
      return head(h[1](h[0](x)));
  }
};
using Written = Deep<std::array<Layer, 2>>;
using Stacked = Deep<nn::Stack<Layer, 2>>;

template <class M = Net, class... O>
auto trainer_of(const O&... options) {
  return make_trainer<M>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, batch, width>,
      in<i32, batch>, seed{3}, options...);
}
template <class T>
void run_steps(T& trainer, int first, int last) {
  for (int call = first; call < last; ++call) {
    std::vector<f32> x(batch * width);
    std::vector<i32> y(batch);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<f32>(std::sin(0.37 * static_cast<f64>(i) + 1.3 * call));
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = static_cast<i32>((i * 3) % classes);
    trainer.step(x, y);
  }
}
std::set<std::string> files_of(const ScratchFolder& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.insert(entry.path().filename().string());
  return names;
}
template <class M = Net, class... O>
void save_on(int ranks, const std::string& from, const std::string& to, int first, int last,
             const O&... options) {
  run_ranks(ranks, [&](int) {
    auto trainer = trainer_of<M>(options...);
    if (!from.empty()) trainer.load(from);
    run_steps(trainer, first, last);
    trainer.save(to);
  });
}

constexpr auto zero = comm::zero<1, ThreadRanks, 8192>;
constexpr auto ddp = comm::ddp<ThreadRanks, 8192>;

}  // namespace

// What ranks write with options O; `sharded`: or with everything whole on each.
template <class O>
void written_once(bool sharded) {
  const train::CheckpointForm form = train::checkpoint_form<Net, O>();
  for (const i64 ranks : {1, 2, 3, 7, 100}) {
    std::vector<std::vector<int>> written;
    for (const auto& row : form.state.rows) {
      i64 count = 1;
      for (const i64 extent : row.shape) count *= extent;
      written.emplace_back(static_cast<std::size_t>(count));
    }
    i64 most = 0;
    for (i64 rank = 0; rank < ranks; ++rank) {
      i64 bytes = 0;
      exec::Shards shards;
      if (sharded)
        shards = {train::shard_of<Net, O>(rank, ranks), train::model_shard_of<Net, O>(rank, ranks)};
      for (const train::CheckpointPiece& piece : train::checkpoint_pieces(form, shards, rank, ranks)) {
        auto& row = written[piece.row];
        CHECK(piece.whole == (piece.begin == 0 && piece.end == static_cast<i64>(row.size())));
        for (i64 i = piece.begin; i < piece.end; ++i) ++row[static_cast<std::size_t>(i)];
        bytes += (piece.end - piece.begin) * size_of(form.state.rows[piece.row].dtype);
      }
      most = bytes > most ? bytes : most;
    }
    for (const auto& row : written)
      for (const int times : row) REQUIRE(times == 1);
    // no rank has more than its share and one whole matrix
    CHECK(most <= form.state.bytes / ranks + width * 129 * 4 + 4096);
  }
}

TEST_CASE("checkpoint_shards: every element is written once, whoever shares what") {
  using One = train::Options<optim::AdamW, std::remove_cv_t<decltype(zero)>>;
  using Three = train::Options<optim::AdamW, std::remove_cv_t<decltype(comm::zero<3, ThreadRanks>)>>;
  written_once<One>(false);
  written_once<One>(true);
  written_once<Three>(true);
}

TEST_CASE("checkpoint_shards: files of all ranks are a checkpoint for any number of them, sharded or not") {
  const ScratchFolder folder;
  const auto adam = optim::AdamW{.lr = 1e-2f};
  const std::string index = folder / "run.safetensors.index.json", whole = folder / "whole";
  save_on(3, "", index, 0, 2, adam, zero);
  CHECK(files_of(folder) ==
        std::set<std::string>{"run.safetensors.index.json", "run-2-00001-of-00003.safetensors",
                              "run-2-00002-of-00003.safetensors", "run-2-00003-of-00003.safetensors"});
  save_on(3, "", whole, 0, 2, adam, zero);
  // what any trainer makes of it is what it makes of the whole file
  const std::string a = folder / "a", b = folder / "b";
  const auto same_from_both = [&](int ranks, const auto&... options) {
    save_on(ranks, whole, a, 2, 4, adam, options...);
    save_on(ranks, index, b, 2, 4, adam, options...);
    CHECK(io::read_file(a) == io::read_file(b));
  };
  same_from_both(3, zero);
  same_from_both(4, zero);
  same_from_both(2, zero);
  same_from_both(2, ddp);
  same_from_both(1);
  save_on(1, index, b, 2, 5, adam);
  CHECK(test_support::different_tensors(a, b) != "");

  // the model of it alone
  Model<Net> model;
  model.load(index, {.allow = unexpected});
  Model<Net> same;
  same.load(whole, {.allow = unexpected});
  CHECK(test_support::different_state(model, same) == "");
}

namespace {

// That what three ranks write of a model W is read as their whole file is, whatever shares it out then.
template <class W, class Writes>
void read_by_all(const Writes& writes) {
  const ScratchFolder folder;
  const auto adam = optim::AdamW{.lr = 1e-2f};
  const std::string index = folder / "run.safetensors.index.json", whole = folder / "whole";
  save_on<W>(3, "", index, 0, 2, adam, writes);
  save_on<W>(3, "", whole, 0, 2, adam, writes);
  CHECK(files_of(folder).size() == 5);
  const std::string a = folder / "a", b = folder / "b";
  const auto same_from_both = [&]<class M>(M*, int ranks, const auto&... options) {
    save_on<M>(ranks, whole, a, 2, 4, adam, options...);
    save_on<M>(ranks, index, b, 2, 4, adam, options...);
    CHECK(test_support::different_tensors(a, b) == "");
    save_on<M>(ranks, index, a, 2, 5, adam, options...);
    CHECK(test_support::different_tensors(a, b) != "");
  };
  Written* const written = nullptr;
  Stacked* const stacked = nullptr;
  same_from_both(written, 2, comm::zero<3, ThreadRanks, 8192>);
  same_from_both(stacked, 4, comm::zero<3, ThreadRanks, 8192>);
  same_from_both(stacked, 2, comm::zero<2, ThreadRanks, 8192>);
  same_from_both(stacked, 3, ddp);
  same_from_both(written, 1);
}

}  // namespace

TEST_CASE("checkpoint_shards: gradients and parameters shared out, blocks in an array or a Stack") {
  read_by_all<Written>(comm::zero<3, ThreadRanks, 8192>);
  read_by_all<Stacked>(comm::zero<3, ThreadRanks, 8192>);
  read_by_all<Stacked>(comm::zero<2, ThreadRanks, 8192>);
}

TEST_CASE("checkpoint_shards: a save replaces the files of the one before when its own are there") {
  const ScratchFolder folder;
  const std::string index = folder / "run.index.json";
  run_ranks(2, [&](int) {
    auto trainer = trainer_of(optim::AdamW{.lr = 1e-2f}, ddp);
    run_steps(trainer, 0, 1);
    trainer.save(index);
    Saving saving = trainer.save_in_background(index);  // the same number of calls: other names
    run_steps(trainer, 1, 2);
    saving.wait();
  });
  CHECK(files_of(folder) == std::set<std::string>{"run.index.json", "run-1b-00001-of-00002.safetensors",
                                                  "run-1b-00002-of-00002.safetensors"});
  // files whose index was never written leave the ones before to be read
  auto alone = trainer_of(optim::AdamW{.lr = 1e-2f});
  alone.load(index);
  CHECK(alone.steps() == 1);
  std::filesystem::create_directory(folder / "run-2-00001-of-00001.safetensors");
  run_steps(alone, 1, 2);
  CHECK(error_id([&] { alone.save(index); }) == "file/not-regular");
  CHECK(alone.load(index).text() == "continues");
  CHECK(alone.steps() == 1);
  std::filesystem::remove(folder / "run-2-00001-of-00001.safetensors");
  run_steps(alone, 1, 2);
  alone.save(index);
  CHECK(files_of(folder) == std::set<std::string>{"run.index.json", "run-2-00001-of-00001.safetensors"});
  // another's index is replaced, and its files are left
  std::filesystem::copy(repository_file("tests/parity/safetensors/sharded"), folder.path());
  alone.save(folder / "model.safetensors.index.json");
  CHECK(files_of(folder).count("model-00001-of-00002.safetensors") == 1);
  CHECK(alone.load(folder / "model.safetensors.index.json").text() == "continues");
}

TEST_CASE("checkpoint_shards: a rank that cannot write ends all, and the index stays") {
  const ScratchFolder folder;
  const std::string index = folder / "run.index.json";
  std::filesystem::create_directory(folder / "run-1-00002-of-00002.safetensors");
  std::vector<std::string> ids(2);
  run_ranks(2, [&](int r) {
    auto trainer = trainer_of(optim::AdamW{.lr = 1e-2f}, zero);
    run_steps(trainer, 0, 1);
    ids[static_cast<std::size_t>(r)] = error_id([&] { trainer.save(index); });
  });
  CHECK(ids == std::vector<std::string>{"comm/rank", "file/not-regular"});
  CHECK(!std::filesystem::exists(index));
}
