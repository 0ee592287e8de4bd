// precision::f8 on ranks: all have the scales of the largest magnitude that any of them has seen, so that
// they are one process which gathers their batches, bit for bit.

#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include "unit/train/zero.hpp"

using namespace test_zero;
using test_support::different_tensors;

namespace {

constexpr auto adam = optim::AdamW{.lr = 1e-2f};
constexpr auto ddp = comm::ddp<ThreadRanks, 8192>;
// All of Net's and Deep's products, so that state lies beside every kind of vector.
constexpr auto all_in_8_bits =
    precision::f8_with<precision::DelayedScaling{.history = 2},
                       [](std::string_view name, const Dims&) { return !name.starts_with("head"); }>;

// Calls [first, last) of `ranks` ranks, of which each sees larger numbers than the one before; from a
// checkpoint, if there is one, to another.
template <class Model, class... O>
void train_calls(int ranks, int first, int last, int of, const std::string& from, const std::string& to,
                 const O&... options) {
  run_ranks(ranks, [&](int r) {
    auto trainer = trainer_of<Model>(seed{3}, options...);
    if (!from.empty()) trainer.load(from);
    for (i64 c = first; c < last; ++c) {
      auto b = batch_of(c * of + r % of);
      const i64 place = of > 1 ? r % of : c % 3;  // as ranks of 3 see them
      for (float& x : b.x) x *= static_cast<float>(1 + 3 * place);
      trainer.step(b.x, b.y);
    }
    trainer.save(to);
  });
}

// The tensors, scales among them, that 3 ranks do not leave as one process that gathers 3 calls. What makes
// a checkpoint says so, too, and is not compared.
template <class Model, class... O>
std::string different(const ScratchFolder& folder, const O&... options) {
  const std::string one = folder / "one", ranks = folder / "ranks";
  train_calls<Model>(1, 0, 12, 1, "", one, adam, all_in_8_bits, accumulate<3>);
  train_calls<Model>(3, 0, 4, 3, "", ranks, adam, all_in_8_bits, options...);
  std::string names;
  const io::Safetensors a(one), b(ranks);
  int scales = 0;
  for (const auto& entry : b.entries()) {
    const auto& other = a.at(entry.name);
    scales += entry.name.starts_with("f8.scale.");
    if (entry.bytes != other.bytes || std::memcmp(entry.data, other.data, entry.bytes) != 0)
      names += " " + std::string(entry.name);
  }
  return scales > 0 ? names : "no scales";
}

}  // namespace

TEST_CASE("f8 ranks: data parallel ranks are one process with accumulate, and so are their scales") {
  const ScratchFolder folder;
  CHECK(different<Net>(folder, ddp) == "");
  CHECK(different<Deep>(folder, ddp) == "");
}

TEST_CASE("f8 ranks: so are ranks that share out moments, gradients or parameters") {
  const ScratchFolder folder;
  CHECK(different<Net>(folder, zero<1>) == "");
  CHECK(different<Deep>(folder, zero<2>) == "");
  CHECK(different<Net>(folder, zero<3>) == "");
  CHECK(different<Deep>(folder, zero<3>) == "");
}

TEST_CASE("f8 ranks: the largest that ranks have is NaN where one has that") {
  constexpr f32 nan = std::numeric_limits<f32>::quiet_NaN(), infinity = std::numeric_limits<f32>::infinity();
  run_ranks(3, [&](int r) {
    const f32 own[5]{static_cast<f32>(-r), static_cast<f32>(r), r == 1 ? nan : 7, r == 0 ? nan : infinity,
                     r == 2 ? infinity : -infinity};
    f32 most[5]{};
    ThreadRanks::connect()->max(own, most, 5);
    CHECK(most[0] == 0);
    CHECK(most[1] == 2);
    CHECK(std::isnan(most[2]));
    CHECK(std::isnan(most[3]));
    CHECK(most[4] == infinity);
  });
}

TEST_CASE("f8 ranks: a file of one sharding goes on in any other, scales and all") {
  const ScratchFolder folder;
  const std::string at = folder / "at", shards = folder / "at.safetensors.index.json",
                    whole = folder / "whole", other = folder / "other";
  train_calls<Deep>(2, 0, 4, 2, "", whole, adam, all_in_8_bits, zero<1>);
  train_calls<Deep>(2, 0, 2, 2, "", at, adam, all_in_8_bits, zero<1>);
  train_calls<Deep>(2, 0, 2, 2, "", shards, adam, all_in_8_bits, zero<3>);
  train_calls<Deep>(2, 2, 4, 2, at, other, adam, all_in_8_bits, zero<3>);
  CHECK(different_tensors(whole, other) == "");
  train_calls<Deep>(2, 2, 4, 2, shards, other, adam, all_in_8_bits, zero<1>);
  CHECK(different_tensors(whole, other) == "");
  train_calls<Deep>(2, 2, 4, 2, shards, other, adam, all_in_8_bits, ddp);
  CHECK(different_tensors(whole, other) == "");
}

TEST_CASE("f8 ranks: each rank has the scales whole, behind its pieces") {
  using Alone = decltype(trainer_of<Deep>(adam, all_in_8_bits));
  using Bare = decltype(trainer_of<Deep>(adam));
  using Sharded = decltype(trainer_of<Deep>(adam, all_in_8_bits, zero<1>));
  using BareSharded = decltype(trainer_of<Deep>(adam, zero<1>));
  constexpr i64 scales = Alone::optimizer_bytes() - Bare::optimizer_bytes();
  static_assert(scales > 0 && scales < 4096);
  static_assert(Sharded::optimizer_bytes(4) == BareSharded::optimizer_bytes(4) + scales);
  static_assert(Sharded::optimizer_bytes(1) == BareSharded::optimizer_bytes(1) + scales);
}
