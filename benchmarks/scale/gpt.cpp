// `./weft bench scale`: training steps of the small GPT of ./weft bench host on ranks that MPI connects, one
// thread each, and what a simulation predicts of them.

#include <weft/mpi.hpp>

#include "../host/transformers.hpp"
#include "ranks.hpp"

namespace {

using namespace weft;

constexpr gpt::Sizes sizes = bench::small_gpt;
using bench::texts;

template <class Comm>
auto trainer_of(const Comm& given) {
  return make_trainer<gpt::Gpt<sizes>>(
      Cpu{1},
      [](const auto& m, auto x, auto y) {
        return cross_entropy(reshape<-1, sizes.vocabulary>(m(x)), flatten<0>(y));
      },
      in<i32, texts, sizes.context>, in<i32, texts, sizes.context>,
      optim::AdamW{.lr = 1e-3f, .weight_decay = 0.01f}, clip::norm(1.0f), seed{1}, given);
}
template <class Comm>
int run(const std::vector<std::string>& words, const Comm& given) {
  std::vector<i32> x(texts * sizes.context), y(x.size());
  for (std::size_t k = 0; k < x.size(); ++k)
    x[k] = static_cast<i32>(k * 7919 % 128), y[k] = static_cast<i32>((k + 1) * 7919 % 128);
  return bench::step_case(
      words, [&] { return trainer_of(given); }, x, y);
}

}  // namespace

// gpt plain|ddp|zero1 [predict RANKS STEP_SECONDS MESSAGE_SECONDS BYTES_PER_SECOND]
int main(int argc, char** argv) try {
  const std::string what = argc > 1 ? argv[1] : "";
  const std::vector<std::string> words(argv + std::min(argc, 2), argv + argc);
  if (what == "plain") return run(words, comm::none);
  if (what == "ddp") return run(words, comm::ddp<comm::Mpi>);
  if (what == "zero1") return run(words, comm::zero<1, comm::Mpi>);
  std::fprintf(stderr, "scale_gpt: which of plain, ddp, zero1?\n");
  return 2;
} catch (const weft::Error& error) {
  std::fprintf(stderr, "scale_gpt: %s\n", error.what());
  return 1;
}
