// GPT-2 (124M and its shorter and longer kin) as a training step with AdamW and a clipped norm, through every
// pass: traced, differentiated, pruned, fused, planned and lowered. No kernel of it is instantiated.
#include "../gpt2.hpp"

#ifndef LAYERS
#define LAYERS 12
#endif
#ifndef DEPTH
#define DEPTH unrolled
#endif

using Model = gpt2::Gpt2<1024, 768, 12, 50257, LAYERS, gpt2::Depth::DEPTH>;
using Tokens = weft::Input<weft::i32, weft::Shape<4, 1024>>;
using Step =
    weft::train::StepSource<Model, gpt2::NextToken,
                            weft::train::Options<weft::optim::AdamW, weft::clip::Norm>, true, Tokens, Tokens>;
static_assert(weft::Kept<weft::exec::ProgramStage<Step>>::size > 0);

int main() {}
