// GPT-2 as a program that trains: what gpt2.cpp has, and every kernel of the step and of the starting values,
// compiled.
#include "../gpt2.hpp"

#ifndef LAYERS
#define LAYERS 12
#endif
#ifndef DEPTH
#define DEPTH unrolled
#endif

using namespace weft;
using Net = gpt2::Gpt2<1024, 768, 12, 50257, LAYERS, gpt2::Depth::DEPTH>;

int main() {
  auto trainer = make_trainer<Net>(best_device{}, gpt2::NextToken{}, in<i32, 4, 1024>, in<i32, 4, 1024>,
                                   optim::AdamW{}, clip::norm(1.0f));
  const std::vector<i32> tokens(4 * 1024), targets(4 * 1024);
  const f32 loss = trainer.step(tokens, targets);
  trainer.model().save("gpt2.safetensors");
  return loss > 0 ? 0 : 1;
}
