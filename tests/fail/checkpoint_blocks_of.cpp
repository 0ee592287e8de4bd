// wrote: checkpoint::blocks_of<[](std::string_view name, const Dims&) { return name == "fc1"; }>
// write: checkpoint::blocks_of<[](std::string_view scope) { return scope == "fc1"; }>
// expect: checkpoint::blocks_of<predicate>: the predicate is constexpr and takes the path of a member
// first-error: checkpoint::blocks_of<predicate>: the predicate is constexpr and takes the path of a member
#include "weft/nn/linear.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Linear<8, 8> fc1, fc2;
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto policy = checkpoint::blocks_of<[](std::string_view scope) { return scope == "fc1"; }>;
#else
  constexpr auto policy =
      checkpoint::blocks_of<[](std::string_view name, const Dims&) { return name == "fc1"; }>;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.fc2(m.fc1(x)), y); }, in<f32, 4, 8>,
      in<f32, 4, 8>, optim::AdamW{}, policy);
}
