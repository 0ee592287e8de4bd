// expect: or a member outside of an nn::Stack, with nothing in one
// first-error: the model has no blocks to compute again
#include "weft/nn/linear.hpp"
#include "weft/nn/stack.hpp"
#include "weft/ops/loss/cross_entropy.hpp"
#include "weft/train/make_trainer.hpp"
using namespace weft;

struct Net {
  nn::Stack<nn::Linear<8, 8>, 3> h;
};

int main() {
#ifdef WEFT_FIXED
  constexpr auto policy = checkpoint::blocks;
#else
  constexpr auto policy = checkpoint::blocks_of<[](std::string_view scope) { return scope == "h"; }>;
#endif
  auto trainer = make_trainer<Net>(
      Cpu{}, [](const auto& m, auto x, auto y) { return mse_loss(m.h(x), y); }, in<f32, 4, 8>, in<f32, 4, 8>,
      optim::AdamW{}, policy);
}
