// `./weft bench scale`: training steps of an MLP on ranks that MPI connects, one thread each; the time of a
// sum over ranks by its bytes; and what a simulation predicts of such steps.

#include <weft/mpi.hpp>

#include "../models.hpp"
#include "ranks.hpp"

namespace {

using namespace weft;

constexpr i64 batch = 128;

template <class Comm>
auto trainer_of(const Comm& given) {
  return make_trainer<bench::Mlp>(
      Cpu{1}, [](const auto& m, auto x, auto y) { return cross_entropy(m(x), y); }, in<f32, batch, 784>,
      in<i32, batch>, optim::AdamW{.lr = 1e-3f, .weight_decay = 0.01f}, seed{1}, given);
}
template <class Comm>
int run(const std::vector<std::string>& words, const Comm& given) {
  std::vector<f32> x(batch * 784);
  std::vector<i32> y(batch);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<f32>(k * 7919 % 1000) / 500 - 1;
  for (std::size_t k = 0; k < y.size(); ++k) y[k] = static_cast<i32>(k * 7 % 10);
  return bench::step_case(
      words, [&] { return trainer_of(given); }, x, y);
}

// The sum of vectors of several lengths.
int link() {
  const bench::Together all;
  comm::Communicator& communicator = all.communicator();
  std::vector<f32> data(4 << 20, 1.0f);
  std::vector<i64> counts;
  for (i64 count = 1; count <= static_cast<i64>(data.size()); count *= 4) counts.push_back(count);
  for (std::size_t k = 0; k < counts.size(); ++k)
    communicator.reserve(static_cast<int>(k), counts[k], DType::f32);
  const auto sum = [&](std::size_t k) {
    std::fill_n(data.begin(), counts[k], 1.0f);  // what is added stays finite
    communicator.start_sum(static_cast<int>(k), data.data(), counts[k], DType::f32);
    communicator.wait_sum(static_cast<int>(k));
  };
  const auto filled = [&](std::size_t k) { std::fill_n(data.begin(), counts[k], 1.0f); };
  all.say("{\"sizes\": " + std::to_string(counts.size()) + "}");
  while (all.of_first(all.asked()) > 0) {
    std::string bytes, ms;
    for (std::size_t k = 0; k < counts.size(); ++k) {
      const int runs = counts[k] > 1 << 18 ? 20 : 200;
      all.times([&] { sum(k); }, runs / 4);
      const double seconds = bench::median(all.times([&] { sum(k); }, runs)) -
                             bench::median(all.times([&] { filled(k); }, runs));
      bytes += (k > 0 ? ", " : "") + std::to_string(counts[k] * i64{sizeof(f32)});
      ms += (k > 0 ? ", " : "") + std::to_string(1e3 * seconds);
    }
    all.say("{\"bytes\": [" + bytes + "], \"sums_ms\": [" + ms + "]}");
  }
  return 0;
}

}  // namespace

// mlp plain|ddp|buckets|zero1|zero2 [predict RANKS STEP_SECONDS MESSAGE_SECONDS BYTES_PER_SECOND]; mlp link
int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::vector<std::string> words(argv + std::min(argc, 2), argv + argc);
  if (what == "link") return link();
  if (what == "plain") return run(words, comm::none);
  if (what == "ddp") return run(words, comm::ddp<comm::Mpi>);
  if (what == "buckets") return run(words, comm::ddp<comm::Mpi, 65536>);
  if (what == "zero1") return run(words, comm::zero<1, comm::Mpi>);
  if (what == "zero2") return run(words, comm::zero<2, comm::Mpi>);
  std::fprintf(stderr, "scale_mlp: which of plain, ddp, buckets, zero1, zero2, link?\n");
  return 2;
} catch (const weft::Error& error) {
  std::fprintf(stderr, "scale_mlp: %s\n", error.what());
  return 1;
}
